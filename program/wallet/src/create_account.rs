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
    let minimum = minimum_balance(T::LENGTH)?;
    Allocation { account, payer, signer, minimum, space: T::LENGTH as u64 }.make()?;
    let mut data = account.try_borrow_mut()?;
    let Some((head, _)) = data.split_first_chunk_mut::<10>() else {
        return Err(Error::AccountDidNotDeserialize.at(name));
    };
    head[..8].copy_from_slice(&T::DISCRIMINATOR.to_le_bytes());
    head[8] = T::VERSION;
    head[9] = bump;
    Ok(())
}

/// One argument, because the target passes at most five registers.
struct Allocation<'a> {
    account: &'a AccountView,
    payer: &'a AccountView,
    signer: Signer<'a, 'a>,
    /// Lamports.
    minimum: u64,
    /// Bytes.
    space: u64,
}

impl Allocation<'_> {
    #[inline(never)]
    fn make(&self) -> ProgramResult {
        let Self { account, payer, minimum: lamports, space, .. } = *self;
        let signers = core::slice::from_ref(&self.signer);
        if account.lamports() == 0 {
            let create = CreateAccount { from: payer, to: account, lamports, space, owner: &ID };
            return create.invoke_signed(signers);
        }
        let missing = lamports.saturating_sub(account.lamports());
        if missing > 0 {
            pay_lamports(payer, account, missing, &[])?;
        }
        Allocate { account, space }.invoke_signed(signers)?;
        Assign { account, owner: &ID }.invoke_signed(signers)
    }
}

/// Pays lamports of an account without data, which signs.
#[inline(always)]
pub fn pay_lamports(
    from: &AccountView,
    to: &AccountView,
    lamports: u64,
    signers: &[Signer],
) -> ProgramResult {
    transfer(&Transfer { from, to, lamports }, signers)
}

#[inline(never)]
fn transfer(transfer: &Transfer, signers: &[Signer]) -> ProgramResult {
    transfer.invoke_signed(signers)
}

/// Creates an associated token account unless one exists already, which the caller must
/// check.
#[inline(never)]
pub fn create_token_account(create: &CreateIdempotent) -> ProgramResult {
    if create.account.owned_by(&pinocchio_system::ID) {
        create.invoke()?;
    }
    Ok(())
}
