use crate::{
    borsh::Reader,
    checks,
    create_account::pay_lamports,
    error::{log, Error},
    event::{self, VaultMigrated},
    state::{count_open_sessions, Layout, Vault},
    sysvar::minimum_balance,
};
use pinocchio::{AccountView, ProgramResult, UnsafeResize};

/// Gives a vault of version 1 the newest layout. Its sessions spend before and after.
///
/// Version 1 did not count open sessions, so every session that the vault ever created counts as
/// open until it is revoked. A vault that revoked one before the migration can therefore not be
/// closed.
///
/// Arguments: none.
///
/// Accounts:
/// 0. `[signer, writable]` owner, who pays the rent of the appended bytes
/// 1. `[writable]` vault
/// 2. `[]` system_program
/// 3. `[]` event_authority
/// 4. `[]` program
#[inline(never)]
pub fn process(accounts: &mut [AccountView], arguments: &[u8]) -> ProgramResult {
    log("Instruction: MigrateVault");
    Reader::new(arguments).end()?;
    let [owner, vault, system_program, event_authority, program, ..] = accounts else {
        return Err(Error::AccountNotEnoughKeys.fail());
    };

    checks::writable_owner(owner)?;
    let address = *vault.address();
    let state = checks::owned_vault_mut(vault, owner)?;
    checks::system_program(system_program)?;
    checks::event_accounts(event_authority, program)?;
    if state.version == Vault::VERSION {
        return Err(Error::NothingToMigrate.fail());
    }

    let created = state.next_session_index;
    drop(state);
    let missing = minimum_balance(Vault::LENGTH)?.saturating_sub(vault.lamports());
    if missing > 0 {
        pay_lamports(owner, vault, missing, &[])?;
    }
    // SAFETY: nothing borrows the data, and it grows by the eight bytes of version 2 at once; the
    // loader reserves 10 240 bytes behind each account.
    unsafe { vault.resize(Vault::LENGTH) };
    let mut data = vault.try_borrow_mut()?;
    if let Some(version) = data.get_mut(8) {
        *version = Vault::VERSION;
    }
    count_open_sessions(&mut data, |_| created);
    drop(data);
    event::emit(&VaultMigrated { vault: &address, version: Vault::VERSION }, event_authority)
}
