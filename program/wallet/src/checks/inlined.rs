//! The checks that every transfer makes, compiled into it: as calls of functions they would cost it
//! about 300 compute units. All other instructions use those of [`super`], where size counts.

use crate::{
    error::Error,
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
#[inline(always)]
pub fn signer(account: &AccountView, name: &'static str) -> Result<(), Error> {
    if account.is_signer() {
        Ok(())
    } else {
        Err(Error::AccountNotSigner.blame(name))
    }
}

/// 2000 unless the account is writable in the transaction.
#[inline(always)]
pub fn writable(account: &AccountView, name: &'static str) -> Result<(), Error> {
    if account.is_writable() {
        Ok(())
    } else {
        Err(Error::ConstraintMut.blame(name))
    }
}

/// `error` unless the account has that address.
#[inline(always)]
pub fn address(
    account: &AccountView,
    expected: &Address,
    error: Error,
    name: &'static str,
) -> Result<(), Error> {
    if address_eq(account.address(), expected) {
        Ok(())
    } else {
        Err(error.blame(name))
    }
}

/// 3008 unless the account is that program.
#[inline(always)]
pub fn program(account: &AccountView, expected: &Address, name: &'static str) -> Result<(), Error> {
    address(account, expected, Error::InvalidProgramId, name)
}

/// 3012 for an account that does not exist, even if its address holds lamports;
/// 3007 for one of another program than `owner`.
#[inline(always)]
pub fn owned_by(account: &AccountView, owner: &Address, name: &'static str) -> Result<(), Error> {
    if account.owned_by(owner) {
        Ok(())
    } else if super::exists(account) {
        Err(Error::AccountOwnedByWrongProgram.blame(name))
    } else {
        Err(Error::AccountNotInitialized.blame(name))
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
fn layout<T: Layout>(data: &[u8], name: &'static str) -> Result<(), Error> {
    let discriminator = data.first_chunk::<8>().map(|bytes| u64::from_le_bytes(*bytes));
    if discriminator != Some(T::DISCRIMINATOR) {
        return Err(Error::AccountDiscriminatorMismatch.blame(name));
    }
    let known = |(length, version): (&usize, u8)| data.len() == *length && data[8] == version;
    let aligned = data.as_ptr().cast::<T>().is_aligned();
    if !T::LENGTHS.iter().zip(1..).any(known) || !aligned {
        return Err(Error::AccountDidNotDeserialize.blame(name));
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

/// The session for writing; 2001 unless it belongs to the vault.
#[inline(always)]
pub fn session_mut<'a>(
    account: &'a mut AccountView,
    vault: &AccountView,
) -> Result<RefMut<'a, Session>, ProgramError> {
    let session = view_mut::<Session>(account, "session")?;
    session_of(&session, vault)?;
    Ok(session)
}

/// 2001 unless the session belongs to the vault.
#[inline(always)]
pub fn session_of(session: &Session, vault: &AccountView) -> Result<(), Error> {
    if !address_eq(&session.vault, vault.address()) {
        return Err(Error::ConstraintHasOne.blame("session"));
    }
    Ok(())
}

/// The vault's token account for writing, which was checked when the vault was created. The
/// token program checks its owner, its mint, and that it is not frozen.
#[inline(always)]
pub fn vault_token_account(account: &AccountView, expected: &Address) -> Result<(), Error> {
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
        return Err(Error::AccountDidNotDeserialize.blame(name).into());
    }
    let token_account = TokenAccount::from_account_view(account)?;
    held_by(&token_account, wallet, mint, name)?;
    Ok(token_account)
}

/// 2014 unless the tokens are of that mint, 2015 unless they are of that wallet.
#[inline(always)]
pub fn held_by(
    token_account: &TokenAccount,
    wallet: &Address,
    mint: &Address,
    name: &'static str,
) -> Result<(), Error> {
    if !address_eq(token_account.mint(), mint) {
        return Err(Error::ConstraintTokenMint.blame(name));
    }
    if !address_eq(token_account.owner(), wallet) {
        return Err(Error::ConstraintTokenOwner.blame(name));
    }
    Ok(())
}
