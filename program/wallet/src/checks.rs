//! Checks of accounts, one question each. `name` is the account's name in the IDL, which the
//! error names.
//!
//! They are functions of their own, because most instructions ask most of these questions, and
//! each copy would make the program larger and its rent higher.

pub mod inlined;

use crate::{
    associated_token::is_associated_address,
    error::Error,
    event,
    state::{Layout, Session, Vault},
    ID, USDC_MINT,
};
use pinocchio::{
    account::{Ref, RefMut},
    address::address_eq,
    error::ProgramError,
    AccountView, Address,
};
use pinocchio_token::state::Account as TokenAccount;

/// 3010 unless the account signed.
#[inline(never)]
pub fn signer(account: &AccountView, name: &'static str) -> Result<(), Error> {
    inlined::signer(account, name)
}

/// 2000 unless the account is writable in the transaction.
#[inline(never)]
pub fn writable(account: &AccountView, name: &'static str) -> Result<(), Error> {
    inlined::writable(account, name)
}

/// 3010 unless the owner signed, 2000 unless the account is writable.
#[inline(never)]
pub fn writable_owner(owner: &AccountView) -> Result<(), Error> {
    signer(owner, "owner")?;
    writable(owner, "owner")
}

/// `error` unless the account has that address.
#[inline(never)]
pub fn address(
    account: &AccountView,
    expected: &Address,
    error: Error,
    name: &'static str,
) -> Result<(), Error> {
    inlined::address(account, expected, error, name)
}

/// 3008 unless the account is that program.
#[inline(never)]
pub fn program(account: &AccountView, expected: &Address, name: &'static str) -> Result<(), Error> {
    address(account, expected, Error::InvalidProgramId, name)
}

/// 2012 unless the account is the USDC mint.
#[inline(never)]
pub fn usdc_mint(account: &AccountView) -> Result<(), Error> {
    address(account, &USDC_MINT, Error::ConstraintAddress, "usdc_mint")
}

/// 3008 unless the account is the Token program.
#[inline(never)]
pub fn token_program(account: &AccountView) -> Result<(), Error> {
    program(account, &pinocchio_token::ID, "token_program")
}

/// 3008 unless the account is the system program.
#[inline(never)]
pub fn system_program(account: &AccountView) -> Result<(), Error> {
    program(account, &pinocchio_system::ID, "system_program")
}

/// 3008 unless the account is the associated token program.
#[inline(never)]
pub fn associated_token_program(account: &AccountView) -> Result<(), Error> {
    program(account, &pinocchio_associated_token_account::ID, "associated_token_program")
}

/// Checks the two last accounts of every instruction.
#[inline(never)]
pub fn event_accounts(event_authority: &AccountView, program: &AccountView) -> Result<(), Error> {
    event::check_accounts(event_authority, program)
}

/// Returns the bump of the account at the canonical address of these seeds, at most three; else
/// 2006.
#[inline(always)]
pub fn derived<const N: usize>(
    account: &AccountView,
    seeds: &[&[u8]; N],
    name: &'static str,
) -> Result<u8, ProgramError> {
    derived_of_three(account, &three(seeds), name)
}

#[inline(never)]
fn derived_of_three(
    account: &AccountView,
    seeds: &[&[u8]; 3],
    name: &'static str,
) -> Result<u8, ProgramError> {
    match program_address(seeds, &ID) {
        Some((expected, bump)) if address_eq(account.address(), &expected) => Ok(bump),
        _ => Err(Error::ConstraintSeeds.at(name)),
    }
}

/// The same seeds for the hash, which joins them: further ones are empty.
#[inline(always)]
fn three<'a, const N: usize>(seeds: &[&'a [u8]; N]) -> [&'a [u8]; 3] {
    const { assert!(N <= 3) };
    core::array::from_fn(|place| seeds.get(place).copied().unwrap_or_default())
}

/// The canonical address of these seeds with its bump.
#[inline(never)]
pub fn program_address(seeds: &[&[u8]; 3], program: &Address) -> Option<(Address, u8)> {
    Address::derive_program_address(seeds, program)
}

/// 3012 for an account that does not exist, even if its address holds lamports;
/// 3007 for one of another program than `owner`.
#[inline(never)]
pub fn owned_by(account: &AccountView, owner: &Address, name: &'static str) -> Result<(), Error> {
    inlined::owned_by(account, owner, name)
}

/// Whether the account has data or another owner than the system program; lamports alone are no
/// account.
#[inline(never)]
pub fn exists(account: &AccountView) -> bool {
    !account.owned_by(&pinocchio_system::ID) || !account.is_data_empty()
}

/// Views the account's data as `T` for writing after checking the right to write (2000), owner
/// program (3007, 3012), discriminator (3002), and version with its length (3003).
#[inline(never)]
pub fn view_mut<'a, T: Layout>(
    account: &'a mut AccountView,
    name: &'static str,
) -> Result<RefMut<'a, T>, ProgramError> {
    inlined::view_mut(account, name)
}

/// The vault for reading.
#[inline(never)]
pub fn vault(account: &AccountView) -> Result<Ref<'_, Vault>, ProgramError> {
    inlined::vault(account)
}

/// The vault for reading; 3010 unless the owner signed, 2001 for another owner's vault.
#[inline(never)]
pub fn owned_vault<'a>(
    account: &'a AccountView,
    owner: &AccountView,
) -> Result<Ref<'a, Vault>, ProgramError> {
    signer(owner, "owner")?;
    let vault = vault(account)?;
    has_owner(&vault, owner)?;
    Ok(vault)
}

/// The vault for writing; 3010 unless the owner signed, 2001 for another owner's vault.
#[inline(never)]
pub fn owned_vault_mut<'a>(
    account: &'a mut AccountView,
    owner: &AccountView,
) -> Result<RefMut<'a, Vault>, ProgramError> {
    signer(owner, "owner")?;
    let vault = view_mut::<Vault>(account, "vault")?;
    has_owner(&vault, owner)?;
    Ok(vault)
}

/// 2001 for another owner's vault.
#[inline(never)]
pub fn has_owner(vault: &Vault, owner: &AccountView) -> Result<(), Error> {
    if address_eq(&vault.owner, owner.address()) {
        Ok(())
    } else {
        Err(Error::ConstraintHasOne.blame("vault"))
    }
}

/// The session for writing; 2001 unless it belongs to the vault.
#[inline(never)]
pub fn session_mut<'a>(
    account: &'a mut AccountView,
    vault: &AccountView,
) -> Result<RefMut<'a, Session>, ProgramError> {
    let session = view_mut::<Session>(account, "session")?;
    inlined::session_of(&session, vault)?;
    Ok(session)
}

/// The vault's token account for writing, which was checked when the vault was created. The
/// token program checks its owner, its mint, and that it is not frozen.
#[inline(never)]
pub fn vault_token_account(account: &AccountView, expected: &Address) -> Result<(), Error> {
    inlined::vault_token_account(account, expected)
}

/// Base units in the vault's token account.
#[inline(never)]
pub fn vault_balance(account: &AccountView, vault: &AccountView) -> Result<u64, ProgramError> {
    usdc_account(account, vault.address(), "vault_token_account")
}

/// Base units in a token account of `wallet` for USDC: 3012, 3007 and 3003 as for other accounts,
/// 2014 for another mint, 2015 for another owner.
#[inline(never)]
pub fn usdc_account(
    account: &AccountView,
    wallet: &Address,
    name: &'static str,
) -> Result<u64, ProgramError> {
    Ok(held_account(account, &Held { wallet, mint: &USDC_MINT, name })?.amount())
}

/// Base units in a token account that only `wallet` controls: besides the checks of
/// [`inlined::token_account`], it has no delegate and no close authority and is not frozen.
#[inline(always)]
pub fn own_token_account(
    account: &AccountView,
    wallet: &Address,
    mint: &Address,
    name: &'static str,
) -> Result<u64, ProgramError> {
    own_balance(account, &Held { wallet, mint, name })
}

/// Who should hold what: one argument, because the target passes at most five registers.
struct Held<'a> {
    wallet: &'a Address,
    mint: &'a Address,
    name: &'static str,
}

#[inline(never)]
fn held_account<'a>(
    account: &'a AccountView,
    held: &Held,
) -> Result<Ref<'a, TokenAccount>, ProgramError> {
    inlined::token_account(account, held.wallet, held.mint, held.name)
}

#[inline(never)]
fn own_balance(account: &AccountView, held: &Held) -> Result<u64, ProgramError> {
    let name = held.name;
    let token_account = held_account(account, held)?;
    if !token_account.is_initialized() || token_account.is_frozen() {
        return Err(Error::TokenAccountFrozen.at(name));
    }
    if token_account.has_delegate() {
        return Err(Error::TokenAccountDelegated.at(name));
    }
    if token_account.has_close_authority() {
        return Err(Error::TokenAccountCloseAuthority.at(name));
    }
    Ok(token_account.amount())
}

/// 2009 unless the account is the associated token account of `wallet` for `mint`, 2000 unless
/// it is writable. Its content is not checked.
#[inline(never)]
pub fn associated(
    account: &AccountView,
    wallet: &Address,
    mint: &Address,
    name: &'static str,
) -> Result<(), Error> {
    writable(account, name)?;
    if is_associated_address(account.address(), wallet, mint) {
        Ok(())
    } else {
        Err(Error::ConstraintAssociated.blame(name))
    }
}
