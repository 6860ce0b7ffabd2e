use crate::{
    borsh::Reader,
    checks,
    error::{log, Error},
    event::{self, VaultClosed},
    reserve::RESERVE,
    state::{first_session_index, open_sessions, vault_seeds, Vault, YIELD_SEED},
    sysvar::slot,
    token_programs::Closing,
    ID, USDC_MINT,
};
use pinocchio::{
    address::address_eq, cpi::Signer, error::ProgramError, AccountView, Address, ProgramResult,
};

/// Closes a vault without sessions and without USDC, together with its token account; all
/// lamports of both go to the owner.
///
/// The owner can create a vault at the same address again. Its session indexes are higher, so
/// nothing signed for a session of the closed vault applies to it.
///
/// Arguments: `next_session_index: u64`, that of the vault which is meant, so that a copy that was
/// held back closes neither a later vault of the owner nor this one after another session. It has
/// no deadline because it grants nothing and leaves nothing behind.
///
/// Accounts:
/// 0. `[signer, writable]` owner
/// 1. `[writable]` vault
/// 2. `[writable]` vault_token_account
/// 3. `[]` transit_token_account, which must not exist
/// 4. `[]` collateral_token_account, which must not exist
/// 5. `[]` token_program
/// 6. `[]` event_authority
/// 7. `[]` program
#[inline(never)]
pub fn process(accounts: &mut [AccountView], arguments: &[u8]) -> ProgramResult {
    log("Instruction: CloseVault");
    let mut reader = Reader::new(arguments);
    let next_session_index = reader.u64()?;
    reader.end()?;
    let [owner, vault, vault_token_account, transit_token_account, collateral_token_account, token_program, event_authority, program, ..] =
        accounts
    else {
        return Err(Error::AccountNotEnoughKeys.fail());
    };

    checks::writable_owner(owner)?;
    checks::writable(vault, "vault")?;
    let state = checks::owned_vault(vault, owner)?;
    checks::vault_token_account(vault_token_account, &state.vault_token_account)?;
    let balance = checks::vault_balance(vault_token_account, vault)?;
    let has_yield_accounts =
        yield_accounts_exist(vault.address(), transit_token_account, collateral_token_account)?;
    checks::token_program(token_program)?;
    checks::event_accounts(event_authority, program)?;
    if next_session_index != state.next_session_index {
        return Err(Error::SessionIndexMismatch.fail());
    }
    check_sessions(&state, &vault.try_borrow()?).map_err(Error::fail)?;
    if state.deployed_amount > 0 || balance > 0 || has_yield_accounts {
        return Err(Error::VaultNotEmpty.fail());
    }
    check_indexes(&state, slot()?).map_err(Error::fail)?;

    let bump = [state.bump];
    drop(state);
    let event = VaultClosed { vault: vault.address(), owner: owner.address() };
    event::emit(&event, event_authority)?;
    let seeds = vault_seeds(owner.address(), &bump);
    Closing { account: vault_token_account, to: owner, authority: vault, token_program }
        .make(&Signer::from(&seeds))?;
    let lamports = owner.lamports().checked_add(vault.lamports());
    owner.set_lamports(lamports.ok_or_else(|| Error::MathOverflow.fail())?);
    vault.set_lamports(0);
    vault.close()
}

/// `SessionsOpen` unless every session was revoked. A session that outlived its vault would spend
/// from the next vault at the same address.
fn check_sessions(state: &Vault, data: &[u8]) -> Result<(), Error> {
    match open_sessions(data).unwrap_or(state.next_session_index) {
        0 => Ok(()),
        _ => Err(Error::SessionsOpen),
    }
}

/// `VaultTooNew` unless all indexes of a vault created in this `slot` are above those of this
/// vault.
fn check_indexes(state: &Vault, slot: u64) -> Result<(), Error> {
    match first_session_index(slot) {
        Some(first) if state.next_session_index < first => Ok(()),
        _ => Err(Error::VaultTooNew),
    }
}

/// Whether one of the token accounts of the yield authority exists, perhaps by a third party.
///
/// # Errors
/// 2009 for another address. Only the canonical one is right: no account exists at that of a
/// lower bump, so it would always look as if there were none.
fn yield_accounts_exist(
    vault: &Address,
    transit: &AccountView,
    collateral: &AccountView,
) -> Result<bool, ProgramError> {
    let seeds = [YIELD_SEED, vault.as_ref(), b""];
    let authority = checks::program_address(&seeds, &ID).map(|(address, _)| address);
    let mut exist = false;
    for (account, mint, name) in [
        (transit, &USDC_MINT, "transit_token_account"),
        (collateral, &RESERVE.collateral_mint, "collateral_token_account"),
    ] {
        if !authority.as_ref().is_some_and(|wallet| is_token_account(account, wallet, mint)) {
            return Err(Error::ConstraintAssociated.at(name));
        }
        exist |= checks::exists(account);
    }
    Ok(exist)
}

/// Whether the account has the canonical address of an associated token account.
#[inline(never)]
fn is_token_account(account: &AccountView, wallet: &Address, mint: &Address) -> bool {
    let seeds = [wallet.as_ref(), pinocchio_token::ID.as_ref(), mint.as_ref()];
    let program = &pinocchio_associated_token_account::ID;
    let canonical = checks::program_address(&seeds, program);
    canonical.is_some_and(|(address, _)| address_eq(&address, account.address()))
}
