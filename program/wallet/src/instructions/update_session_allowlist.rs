use crate::{
    borsh::Reader,
    checks,
    error::{log, Error},
    event::{self, SessionAllowlistUpdated},
    instructions::{deadline, recipients},
};
use pinocchio::{AccountView, ProgramResult};

/// Replaces the recipients of a session. Its spends stay counted.
///
/// Arguments: `recipients: vec<pubkey>, session_index: u64, deadline: i64` (unix seconds).
///
/// Accounts:
/// 0. `[signer]` owner
/// 1. `[]` vault
/// 2. `[writable]` session
/// 3. `[]` event_authority
/// 4. `[]` program
#[inline(never)]
pub fn process(accounts: &mut [AccountView], arguments: &[u8]) -> ProgramResult {
    log("Instruction: UpdateSessionAllowlist");
    let mut reader = Reader::new(arguments);
    let new_recipients = reader.addresses()?;
    let session_index = reader.u64()?;
    let deadline = reader.i64()?;
    reader.end()?;
    let [owner, vault, session, event_authority, program, ..] = accounts else {
        return Err(Error::AccountNotEnoughKeys.fail());
    };

    let vault_state = checks::owned_vault(vault, owner)?;
    let session_address = *session.address();
    let mut state = checks::session_mut(session, vault)?;
    checks::event_accounts(event_authority, program)?;
    deadline::check(deadline)?;
    state.check_index(session_index).map_err(Error::fail)?;
    let forbidden = [vault.address(), &vault_state.vault_token_account, &state.session_pubkey];
    recipients::check(new_recipients, &forbidden).map_err(Error::fail)?;

    state.set_recipients(new_recipients);
    let event = SessionAllowlistUpdated {
        vault: vault.address(),
        session: &session_address,
        recipients: state.allowlist(),
    };
    event::emit(&event, event_authority)
}
