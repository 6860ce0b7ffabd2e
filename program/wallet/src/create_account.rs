//! Creation of this program's own accounts and of token accounts.

use crate::{error::Error, state::Layout, sysvar::minimum_balance, ID};
use pinocchio::{cpi::Signer, AccountView, ProgramResult};
use pinocchio_associated_token_account::instructions::CreateIdempotent;
use pinocchio_system::instructions::{Allocate, Assign, CreateAccount, Transfer};

/// Makes `account`, a program address for which `signer` signs, an account of this program
/// with the newest layout of `T`, zero except discriminator, version and bump. `payer` pays the rent
/// for it; `name` is its name in the IDL.
///
/// The address may already hold lamports.
///
/// # Errors
/// 3011 when the account exists already.
// Inlined, like `allocate`, because the target passes at most five registers of arguments.
#[inline(always)]
pub fn create<T: Layout>(
    account: &mut AccountView,
    name: &'static str,
    payer: &AccountView,
    signer: Signer,
    bump: u8,
) -> ProgramResult {
    if !account.owned_by(&pinocchio_system::ID) || !account.is_data_empty() {
        return Err(Error::AccountNotSystemOwned.at(name));
    }
    allocate(account, T::LENGTH, payer, signer)?;
    let mut data = account.try_borrow_mut()?;
    data[..8].copy_from_slice(&T::DISCRIMINATOR.to_le_bytes());
    data[8] = T::VERSION;
    data[9] = bump;
    Ok(())
}

#[inline(always)]
fn allocate(
    account: &AccountView,
    data_len: usize,
    payer: &AccountView,
    signer: Signer,
) -> ProgramResult {
    let lamports = minimum_balance(data_len)?;
    let space = data_len as u64;
    let signers = &[signer];
    if account.lamports() == 0 {
        let create = CreateAccount { from: payer, to: account, lamports, space, owner: &ID };
        return create.invoke_signed(signers);
    }
    let missing = lamports.saturating_sub(account.lamports());
    if missing > 0 {
        Transfer { from: payer, to: account, lamports: missing }.invoke()?;
    }
    Allocate { account, space }.invoke_signed(signers)?;
    Assign { account, owner: &ID }.invoke_signed(signers)
}

/// Creates an associated token account unless one exists already, which the caller must
/// check.
#[inline(always)]
pub fn create_token_account(create: &CreateIdempotent) -> ProgramResult {
    if create.account.owned_by(&pinocchio_system::ID) {
        create.invoke()?;
    }
    Ok(())
}
