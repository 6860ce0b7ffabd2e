//! Creation of this program's own accounts and of token accounts.

use crate::{
    call::{Accounts, Call, Right},
    checks,
    error::Error,
    state::Layout,
    sysvar::minimum_balance,
    ID,
};
use pinocchio::{cpi::Signer, AccountView, ProgramResult};

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
    if checks::exists(account) {
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
            let mut data = [0; 52];
            data[4..12].copy_from_slice(&lamports.to_le_bytes());
            data[12..20].copy_from_slice(&space.to_le_bytes());
            data[20..].copy_from_slice(ID.as_array());
            let accounts = [(payer, Right::SignAndWrite), (account, Right::SignAndWrite)];
            return call_system(CREATE_ACCOUNT, &accounts, &mut data, signers);
        }
        let missing = lamports.saturating_sub(account.lamports());
        if missing > 0 {
            pay_lamports(payer, account, missing, &[])?;
        }
        let accounts = [(account, Right::SignAndWrite)];
        let mut data = [0; 12];
        data[4..].copy_from_slice(&space.to_le_bytes());
        call_system(ALLOCATE, &accounts, &mut data, signers)?;
        let mut data = [0; 36];
        data[4..].copy_from_slice(ID.as_array());
        call_system(ASSIGN, &accounts, &mut data, signers)
    }
}

/// Pays lamports of an account without data, which signs.
// Inlined because the target passes at most five registers of arguments.
#[inline(always)]
pub fn pay_lamports(
    from: &AccountView,
    to: &AccountView,
    lamports: u64,
    signers: &[Signer],
) -> ProgramResult {
    let mut data = [0; 12];
    data[4..].copy_from_slice(&lamports.to_le_bytes());
    let accounts = [(from, Right::SignAndWrite), (to, Right::Write)];
    call_system(TRANSFER, &accounts, &mut data, signers)
}

/// Numbers of the system program's instructions, with which their data begins.
const CREATE_ACCOUNT: u8 = 0;
const ASSIGN: u8 = 1;
const TRANSFER: u8 = 2;
const ALLOCATE: u8 = 8;

#[inline(always)]
fn call_system<const ACCOUNTS: usize, const BYTES: usize>(
    instruction: u8,
    accounts: &[(&AccountView, Right); ACCOUNTS],
    data: &mut [u8; BYTES],
    signers: &[Signer],
) -> ProgramResult {
    data[0] = instruction;
    let accounts = Accounts::of(accounts);
    Call { program: &pinocchio_system::ID, accounts, data, signers }.make()
}

/// The accounts with which an associated token account is created.
pub struct NewTokenAccount<'a> {
    pub payer: &'a AccountView,
    pub account: &'a AccountView,
    pub wallet: &'a AccountView,
    pub mint: &'a AccountView,
    pub system_program: &'a AccountView,
    pub token_program: &'a AccountView,
}

impl NewTokenAccount<'_> {
    /// Creates the account unless one exists already, which the caller must check.
    #[inline(never)]
    pub fn create(&self) -> ProgramResult {
        /// `CreateIdempotent` of the associated token program.
        const CREATE_IDEMPOTENT: u8 = 1;
        if !self.account.owned_by(&pinocchio_system::ID) {
            return Ok(());
        }
        let accounts = [
            (self.payer, Right::SignAndWrite),
            (self.account, Right::Write),
            (self.wallet, Right::Read),
            (self.mint, Right::Read),
            (self.system_program, Right::Read),
            (self.token_program, Right::Read),
        ];
        let accounts = Accounts::of(&accounts);
        let program = &pinocchio_associated_token_account::ID;
        Call { program, accounts, data: &[CREATE_IDEMPOTENT], signers: &[] }.make()
    }
}
