use crate::{
    borsh::Reader,
    checks,
    error::{log, Error},
    event::{self, PausedSet},
    instructions::deadline,
};
use pinocchio::{AccountView, ProgramResult};

/// Pauses or resumes all sessions of the vault. Repeating a setting changes nothing.
///
/// Arguments: `paused: bool`; `deadline: i64`, unix seconds, which limits only a resumption: a
/// pause grants nothing, so it passes at any time.
///
/// Accounts:
/// 0. `[signer]` owner
/// 1. `[writable]` vault
/// 2. `[]` event_authority
/// 3. `[]` program
#[inline(never)]
pub fn process(accounts: &mut [AccountView], arguments: &[u8]) -> ProgramResult {
    log("Instruction: SetPaused");
    let mut reader = Reader::new(arguments);
    let paused = reader.bool()?;
    let deadline = reader.i64()?;
    reader.end()?;
    let [owner, vault, event_authority, program, ..] = accounts else {
        return Err(Error::AccountNotEnoughKeys.fail());
    };

    let vault_address = *vault.address();
    let mut state = checks::owned_vault_mut(vault, owner)?;
    checks::event_accounts(event_authority, program)?;
    if !paused {
        deadline::check(deadline)?;
    }

    state.paused = u8::from(paused);
    event::emit(&PausedSet { vault: &vault_address, paused }, event_authority)
}
