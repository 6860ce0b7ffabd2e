use crate::{
    borsh::Reader,
    checks,
    error::{log, Error},
    event::{self, SessionLimitsUpdated},
    instructions::{deadline, limits::Limits},
    sysvar::unix_timestamp,
};
use pinocchio::{AccountView, ProgramResult};

/// Replaces the limits of a session. Its spends stay counted, so a cap below their sum
/// leaves nothing to spend.
///
/// Arguments: `max_per_tx: u64, daily_cap: u64, expiry: i64, allowed_instructions: u16,
/// session_index: u64, deadline: i64` (unix seconds).
///
/// Accounts:
/// 0. `[signer]` owner
/// 1. `[]` vault
/// 2. `[writable]` session
/// 3. `[]` event_authority
/// 4. `[]` program
#[inline(never)]
pub fn process(accounts: &mut [AccountView], arguments: &[u8]) -> ProgramResult {
    log("Instruction: UpdateSessionLimits");
    let mut reader = Reader::new(arguments);
    let limits = Limits::read(&mut reader)?;
    let session_index = reader.u64()?;
    let deadline = reader.i64()?;
    reader.end()?;
    let [owner, vault, session, event_authority, program, ..] = accounts else {
        return Err(Error::AccountNotEnoughKeys.fail());
    };

    checks::owned_vault(vault, owner)?;
    let session_address = *session.address();
    let mut state = checks::session_mut(session, vault)?;
    checks::event_accounts(event_authority, program)?;
    deadline::check(deadline)?;
    state.check_index(session_index).map_err(Error::fail)?;
    limits.check(unix_timestamp()?).map_err(Error::fail)?;

    limits.set(&mut state);
    let event =
        SessionLimitsUpdated { vault: vault.address(), session: &session_address, limits: &limits };
    event::emit(&event, event_authority)
}
