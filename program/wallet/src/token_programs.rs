//! Token accounts of the Token program and of Token-2022 alike: the vault and its yield authority
//! may receive either. Only a sweep needs both; all USDC belongs to the Token program.

use crate::{
    call::{Accounts, Call, Right},
    checks,
    error::Error,
};
use const_crypto::bs58::decode_pubkey;
use pinocchio::{
    address::address_eq, cpi::Signer, error::ProgramError, AccountView, Address, ProgramResult,
};
use pinocchio_token::state::Account as TokenAccount;

/// Address of Token-2022.
const TOKEN_2022_ID: Address =
    Address::new_from_array(decode_pubkey("TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb"));

/// Numbers and layouts that the two programs share.
const TRANSFER_CHECKED: u8 = 12;
const CLOSE_ACCOUNT: u8 = 9;
const DECIMALS_OFFSET: usize = 44;

/// 3008 unless the account is one of the two programs.
pub fn token_program(account: &AccountView) -> Result<(), Error> {
    if address_eq(account.address(), &TOKEN_2022_ID) {
        return Ok(());
    }
    checks::token_program(account)
}

/// A token account for writing, which belongs to `wallet`.
pub struct HeldTokens<'a> {
    pub account: &'a AccountView,
    pub wallet: &'a AccountView,
    pub mint: &'a AccountView,
    pub token_program: &'a AccountView,
}

impl HeldTokens<'_> {
    /// Base units in the account: 2000 unless it is writable, 3012, 3007 and 3003 as for other
    /// accounts, 2014 for another mint, 2015 for another owner.
    ///
    /// Extensions of Token-2022 follow the layout of the Token program. The length is all that is
    /// checked of the rest: the token program looks at the account again when it moves or closes it.
    #[inline(never)]
    pub fn balance(&self, name: &'static str) -> Result<u64, ProgramError> {
        checks::writable(self.account, name)?;
        checks::owned_by(self.account, self.token_program.address(), name)?;
        let data = self.account.try_borrow()?;
        if data.len() < TokenAccount::LEN {
            return Err(Error::AccountDidNotDeserialize.at(name));
        }
        // SAFETY: the length was checked, and the layout is bytes without alignment.
        let token_account = unsafe { TokenAccount::from_bytes_unchecked(&data) };
        let (wallet, mint) = (self.wallet.address(), self.mint.address());
        checks::inlined::held_by(token_account, wallet, mint, name)?;
        Ok(token_account.amount())
    }

    /// Moves `amount` base units to the token account `to`; the wallet signs.
    ///
    /// # Errors
    /// 3012, 3007 and 3003 for a mint that does not belong to the token program, which checks the
    /// rest. A mint of Token-2022 that wants further accounts, such as those of a transfer hook, is
    /// not served.
    #[inline(never)]
    pub fn pay(&self, to: &AccountView, amount: u64, wallet: &Signer) -> ProgramResult {
        checks::owned_by(self.mint, self.token_program.address(), "mint")?;
        let decimals = self.mint.try_borrow()?.get(DECIMALS_OFFSET).copied();
        let Some(decimals) = decimals else {
            return Err(Error::AccountDidNotDeserialize.at("mint"));
        };
        let mut data = [TRANSFER_CHECKED; 10];
        data[1..9].copy_from_slice(&amount.to_le_bytes());
        data[9] = decimals;
        Call {
            program: self.token_program.address(),
            accounts: Accounts::of(&[
                (self.account, Right::Write),
                (self.mint, Right::Read),
                (to, Right::Write),
                (self.wallet, Right::Sign),
            ]),
            data: &data,
            signers: core::slice::from_ref(wallet),
        }
        .make()
    }

    /// Closes the account; its lamports go to `to`, and the wallet signs.
    #[inline(always)]
    pub fn close(&self, to: &AccountView, wallet: &Signer) -> ProgramResult {
        let Self { account, wallet: authority, token_program, .. } = *self;
        Closing { account, to, authority, token_program }.make(wallet)
    }
}

/// The end of an empty token account, whose lamports go to `to`.
pub struct Closing<'a> {
    pub account: &'a AccountView,
    pub to: &'a AccountView,
    pub authority: &'a AccountView,
    pub token_program: &'a AccountView,
}

impl Closing<'_> {
    #[inline(never)]
    pub fn make(&self, authority: &Signer) -> ProgramResult {
        Call {
            program: self.token_program.address(),
            accounts: Accounts::of(&[
                (self.account, Right::Write),
                (self.to, Right::Write),
                (self.authority, Right::Sign),
            ]),
            data: &[CLOSE_ACCOUNT],
            signers: core::slice::from_ref(authority),
        }
        .make()
    }
}
