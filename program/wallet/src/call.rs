//! Calls of other programs, all through one function: each copy of it would make the program
//! larger and its rent higher. Only a transfer has its own.

use core::mem::MaybeUninit;
use pinocchio::{
    cpi::{invoke_signed_with_bounds, Signer},
    instruction::{InstructionAccount, InstructionView},
    AccountView, Address, ProgramResult,
};

/// Most accounts of a call, those of the reserve.
const MAX_ACCOUNTS: usize = 12;

/// Rights of an account in a call.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Right {
    Read,
    Write,
    Sign,
    SignAndWrite,
}

/// The accounts of a call with their rights, in the order of the program.
pub struct Accounts<'a>(&'a [(&'a AccountView, Right)]);

impl<'a> Accounts<'a> {
    /// Does not compile for more accounts than a call can take.
    #[inline(always)]
    pub fn of<const N: usize>(accounts: &'a [(&'a AccountView, Right); N]) -> Self {
        const { assert!(N <= MAX_ACCOUNTS) };
        Self(accounts)
    }
}

pub struct Call<'a> {
    pub program: &'a Address,
    pub accounts: Accounts<'a>,
    pub data: &'a [u8],
    pub signers: &'a [Signer<'a, 'a>],
}

impl Call<'_> {
    /// Makes the call; the runtime ends the transaction when it fails.
    #[inline(never)]
    pub fn make(&self) -> ProgramResult {
        let mut metas = [const { MaybeUninit::<InstructionAccount>::uninit() }; MAX_ACCOUNTS];
        let mut views = [const { MaybeUninit::<&AccountView>::uninit() }; MAX_ACCOUNTS];
        let places = metas.iter_mut().zip(views.iter_mut());
        let mut count = 0;
        for ((account, right), (meta, view)) in self.accounts.0.iter().zip(places) {
            let writes = matches!(right, Right::Write | Right::SignAndWrite);
            let signs = matches!(right, Right::Sign | Right::SignAndWrite);
            meta.write(InstructionAccount::new(account.address(), writes, signs));
            view.write(account);
            count = usize::wrapping_add(count, 1);
        }
        // SAFETY: the loop wrote the first `count` of both.
        let (accounts, views) = unsafe {
            (
                core::slice::from_raw_parts(metas.as_ptr().cast::<InstructionAccount>(), count),
                core::slice::from_raw_parts(views.as_ptr().cast::<&AccountView>(), count),
            )
        };
        let call = InstructionView { program_id: self.program, accounts, data: self.data };
        invoke_signed_with_bounds::<MAX_ACCOUNTS, &AccountView>(&call, views, self.signers)
    }
}
