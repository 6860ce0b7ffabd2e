//! Checks of accounts, one question each. `name` is the account's name in the IDL, which the
//! error names.

use crate::{
    associated_token::is_associated_address,
    error::Error,
    state::{Layout, Session, Vault},
    ID, USDC_MINT,
};
use pinocchio::{
    account::{Ref, RefMut},
    address::address_eq,
    error::ProgramError,
    AccountView, Address, ProgramResult,
};
use pinocchio_token::state::{Account as TokenAccount, AccountState};

/// 3010 unless the account signed.
#[inline(always)]
pub fn signer(account: &AccountView, name: &'static str) -> ProgramResult {
    if account.is_signer() {
        Ok(())
    } else {
        Err(Error::AccountNotSigner.at(name))
    }
}

/// 2000 unless the account is writable in the transaction.
#[inline(always)]
pub fn writable(account: &AccountView, name: &'static str) -> ProgramResult {
    if account.is_writable() {
        Ok(())
    } else {
        Err(Error::ConstraintMut.at(name))
    }
}

/// `error` unless the account has that address.
#[inline(always)]
pub fn address(
    account: &AccountView,
    expected: &Address,
    error: Error,
    name: &'static str,
) -> ProgramResult {
    if address_eq(account.address(), expected) {
        Ok(())
    } else {
        Err(error.at(name))
    }
}

/// 3008 unless the account is that program.
#[inline(always)]
pub fn program(account: &AccountView, expected: &Address, name: &'static str) -> ProgramResult {
    address(account, expected, Error::InvalidProgramId, name)
}

/// Returns the bump of the account at the canonical address of these seeds; else 2006.
pub fn derived<const N: usize>(
    account: &AccountView,
    seeds: &[&[u8]; N],
    name: &'static str,
) -> Result<u8, ProgramError> {
    match Address::derive_program_address(seeds, &ID) {
        Some((expected, bump)) if address_eq(account.address(), &expected) => Ok(bump),
        _ => Err(Error::ConstraintSeeds.at(name)),
    }
}

/// 3012 for an account that does not exist, even if its address holds lamports;
/// 3007 for one of another program than `owner`.
#[inline(always)]
pub fn owned_by(account: &AccountView, owner: &Address, name: &'static str) -> ProgramResult {
    if account.owned_by(owner) {
        Ok(())
    } else if account.owned_by(&pinocchio_system::ID) && account.is_data_empty() {
        Err(Error::AccountNotInitialized.at(name))
    } else {
        Err(Error::AccountOwnedByWrongProgram.at(name))
    }
}

/// Views the account's data as `T` after checking owner program (3007, 3012), discriminator
/// (3002), and version with its length (3003).
#[inline(always)]
fn view<'a, T: Layout>(
    account: &'a AccountView,
    name: &'static str,
) -> Result<Ref<'a, T>, ProgramError> {
    owned_by(account, &ID, name)?;
    let data = account.try_borrow().map_err(|_| in_use(name))?;
    layout::<T>(&data, name)?;
    // SAFETY: `layout` checked length and alignment, and `Layout` allows every bit pattern.
    Ok(Ref::map(data, |bytes| unsafe { &*bytes.as_ptr().cast::<T>() }))
}

/// Like [`view`], for writing; 2000 unless the account is writable.
#[inline(always)]
pub fn view_mut<'a, T: Layout>(
    account: &'a mut AccountView,
    name: &'static str,
) -> Result<RefMut<'a, T>, ProgramError> {
    writable(account, name)?;
    owned_by(account, &ID, name)?;
    let data = account.try_borrow_mut().map_err(|_| in_use(name))?;
    layout::<T>(&data, name)?;
    // SAFETY: `layout` checked length and alignment, and `Layout` allows every bit pattern.
    Ok(RefMut::map(data, |bytes| unsafe { &mut *bytes.as_mut_ptr().cast::<T>() }))
}

/// The account was also passed in another place, so it has the wrong layout here.
#[cold]
fn in_use(name: &'static str) -> ProgramError {
    Error::AccountDiscriminatorMismatch.at(name)
}

#[inline(always)]
fn layout<T: Layout>(data: &[u8], name: &'static str) -> ProgramResult {
    let discriminator = data.first_chunk::<8>().map(|bytes| u64::from_le_bytes(*bytes));
    if discriminator != Some(T::DISCRIMINATOR) {
        return Err(Error::AccountDiscriminatorMismatch.at(name));
    }
    let known = |(length, version): (&usize, u8)| data.len() == *length && data[8] == version;
    let aligned = data.as_ptr().cast::<T>().is_aligned();
    if !T::LENGTHS.iter().zip(1..).any(known) || !aligned {
        return Err(Error::AccountDidNotDeserialize.at(name));
    }
    Ok(())
}

/// The vault for reading.
///
/// Its address is not derived again, nor is that of a session: owner program and discriminator
/// prove it. Only this program writes the data of its accounts, and the runtime gives it no
/// account of another program whose data is not zero. It writes these two discriminators in
/// `create_account` alone, at an address that `init_vault` or `add_session` derived, and a
/// closed account loses its data and its owner.
#[inline(always)]
pub fn vault(account: &AccountView) -> Result<Ref<'_, Vault>, ProgramError> {
    view::<Vault>(account, "vault")
}

/// The vault for reading; 3010 unless the owner signed, 2001 for another owner's vault.
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
pub fn owned_vault_mut<'a>(
    account: &'a mut AccountView,
    owner: &AccountView,
) -> Result<RefMut<'a, Vault>, ProgramError> {
    signer(owner, "owner")?;
    let vault = view_mut::<Vault>(account, "vault")?;
    has_owner(&vault, owner)?;
    Ok(vault)
}

fn has_owner(vault: &Vault, owner: &AccountView) -> ProgramResult {
    if address_eq(&vault.owner, owner.address()) {
        Ok(())
    } else {
        Err(Error::ConstraintHasOne.at("vault"))
    }
}

/// The session for writing; 2001 unless it belongs to the vault.
#[inline(always)]
pub fn session_mut<'a>(
    account: &'a mut AccountView,
    vault: &AccountView,
) -> Result<RefMut<'a, Session>, ProgramError> {
    let session = view_mut::<Session>(account, "session")?;
    if !address_eq(&session.vault, vault.address()) {
        return Err(Error::ConstraintHasOne.at("session"));
    }
    Ok(session)
}

/// The vault's token account for writing, which was checked when the vault was created. The
/// token program checks its owner, its mint, and that it is not frozen.
#[inline(always)]
pub fn vault_token_account(account: &AccountView, expected: &Address) -> ProgramResult {
    let name = "vault_token_account";
    writable(account, name)?;
    address(account, expected, Error::ConstraintAssociated, name)?;
    owned_by(account, &pinocchio_token::ID, name)
}

/// Base units in the vault's token account.
#[inline(always)]
pub fn vault_balance(account: &AccountView, vault: &AccountView) -> Result<u64, ProgramError> {
    Ok(token_account(account, vault.address(), &USDC_MINT, "vault_token_account")?.amount())
}

/// A token account of `wallet` for `mint`: 3012, 3007 and 3003 as for other accounts, 2014 for
/// another mint, 2015 for another owner.
#[inline(always)]
pub fn token_account<'a>(
    account: &'a AccountView,
    wallet: &Address,
    mint: &Address,
    name: &'static str,
) -> Result<Ref<'a, TokenAccount>, ProgramError> {
    owned_by(account, &pinocchio_token::ID, name)?;
    if account.data_len() != TokenAccount::LEN {
        return Err(Error::AccountDidNotDeserialize.at(name));
    }
    let token_account = TokenAccount::from_account_view(account)?;
    if !address_eq(token_account.mint(), mint) {
        return Err(Error::ConstraintTokenMint.at(name));
    }
    if !address_eq(token_account.owner(), wallet) {
        return Err(Error::ConstraintTokenOwner.at(name));
    }
    Ok(token_account)
}

/// Base units in a token account that only `wallet` controls: besides the checks of
/// [`token_account`], it has no delegate and no close authority and is not frozen.
#[inline(always)]
pub fn own_token_account(
    account: &AccountView,
    wallet: &Address,
    mint: &Address,
    name: &'static str,
) -> Result<u64, ProgramError> {
    let token_account = token_account(account, wallet, mint, name)?;
    if token_account.state() != AccountState::Initialized {
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
#[inline(always)]
pub fn associated(
    account: &AccountView,
    wallet: &Address,
    mint: &Address,
    name: &'static str,
) -> ProgramResult {
    writable(account, name)?;
    if is_associated_address(account.address(), wallet, mint) {
        Ok(())
    } else {
        Err(Error::ConstraintAssociated.at(name))
    }
}
