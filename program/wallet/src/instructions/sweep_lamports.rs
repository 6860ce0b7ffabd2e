use crate::{
    borsh::Reader,
    checks,
    create_account::pay_lamports,
    error::{log, Error},
    event::{self, LamportsSwept},
    state::{yield_seeds, YIELD_SEED},
    sysvar::minimum_balance,
};
use pinocchio::{cpi::Signer, AccountView, ProgramResult};

/// Pays the vault's lamports beyond its rent, and all lamports of its yield authority, to the
/// owner, also before `init_yield` and while the vault is paused.
///
/// Arguments: none.
///
/// Accounts:
/// 0. `[signer, writable]` owner
/// 1. `[writable]` vault
/// 2. `[writable]` yield_authority
/// 3. `[]` system_program
/// 4. `[]` event_authority
/// 5. `[]` program
#[inline(never)]
pub fn process(accounts: &mut [AccountView], arguments: &[u8]) -> ProgramResult {
    log("Instruction: SweepLamports");
    Reader::new(arguments).end()?;
    let [owner, vault, yield_authority, system_program, event_authority, program, ..] = accounts
    else {
        return Err(Error::AccountNotEnoughKeys.fail());
    };

    checks::writable(owner, "owner")?;
    let vault_address = *vault.address();
    drop(checks::owned_vault_mut(vault, owner)?);
    checks::writable(yield_authority, "yield_authority")?;
    let seeds = [YIELD_SEED, vault_address.as_ref()];
    let yield_bump = [checks::derived(yield_authority, &seeds, "yield_authority")?];
    checks::system_program(system_program)?;
    checks::event_accounts(event_authority, program)?;

    let spare = vault.lamports().saturating_sub(minimum_balance(vault.data_len())?);
    let of_yield = yield_authority.lamports();
    let amount = spare.checked_add(of_yield).ok_or_else(|| Error::MathOverflow.fail())?;
    if amount == 0 {
        return Err(Error::InvalidAmount.fail());
    }
    if of_yield > 0 {
        let seeds = yield_seeds(&vault_address, &yield_bump);
        pay_lamports(yield_authority, owner, of_yield, &[Signer::from(&seeds)])?;
    }
    let event = LamportsSwept { vault: &vault_address, owner: owner.address(), amount };
    event::emit(&event, event_authority)?;
    // Last, because the runtime compares the sums of lamports at each call.
    let lamports = owner.lamports().checked_add(spare);
    owner.set_lamports(lamports.ok_or_else(|| Error::MathOverflow.fail())?);
    vault.set_lamports(vault.lamports().saturating_sub(spare));
    Ok(())
}
