use crate::{
    borsh::Reader,
    checks,
    error::{log, Error},
    event::{self, SessionRevoked},
    state::count_open_sessions,
};
use pinocchio::{AccountView, ProgramResult};

/// Closes a session; all its lamports go to the owner.
///
/// Arguments: `session_index: u64`, so that a revocation that was held back does not close a
/// later session of the same key. It has no deadline because it grants nothing.
///
/// Accounts:
/// 0. `[signer, writable]` owner
/// 1. `[writable]` vault
/// 2. `[writable]` session
/// 3. `[]` event_authority
/// 4. `[]` program
#[inline(never)]
pub fn process(accounts: &mut [AccountView], arguments: &[u8]) -> ProgramResult {
    log("Instruction: RevokeSession");
    let mut reader = Reader::new(arguments);
    let session_index = reader.u64()?;
    reader.end()?;
    let [owner, vault, session, event_authority, program, ..] = accounts else {
        return Err(Error::AccountNotEnoughKeys.fail());
    };

    checks::writable_owner(owner)?;
    drop(checks::owned_vault_mut(vault, owner)?);
    let session_address = *session.address();
    let state = checks::session_mut(session, vault)?;
    checks::event_accounts(event_authority, program)?;
    state.check_index(session_index).map_err(Error::fail)?;

    let event = SessionRevoked {
        vault: vault.address(),
        session: &session_address,
        session_pubkey: &state.session_pubkey,
        index: state.index,
    };
    event::emit(&event, event_authority)?;
    drop(state);
    count_open_sessions(&mut vault.try_borrow_mut()?, |count| count.saturating_sub(1));
    let lamports = owner.lamports().checked_add(session.lamports());
    owner.set_lamports(lamports.ok_or_else(|| Error::MathOverflow.fail())?);
    session.set_lamports(0);
    session.close()
}
