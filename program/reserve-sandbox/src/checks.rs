//! Checks of accounts, one question each.

use crate::{discriminator, error::Error, ID, MARKET};
use pinocchio::{error::ProgramError, AccountView, Address, ProgramResult};
use pinocchio_token::state::Account as TokenAccount;

/// Bytes of the market's account: discriminator, version, bump, administrator.
pub const MARKET_LEN: usize = 56;
pub const MARKET_DISCRIMINATOR: u64 = discriminator("account:LendingMarket");
/// Where the market's account names its administrator.
pub const ADMIN_AT: usize = 24;

pub fn signer(account: &AccountView) -> ProgramResult {
    if account.is_signer() {
        Ok(())
    } else {
        Err(Error::AccountNotSigner.fail())
    }
}

/// 6006 unless the account is the one of that address that belongs to the reserve.
pub fn of_reserve(account: &AccountView, expected: &Address) -> ProgramResult {
    address(account, expected, Error::InvalidAccountInput)
}

pub fn token_program(account: &AccountView) -> ProgramResult {
    address(account, &pinocchio_token::ID, Error::InvalidProgramId)
}

pub fn address(account: &AccountView, expected: &Address, error: Error) -> ProgramResult {
    if account.address() == expected {
        Ok(())
    } else {
        Err(error.fail())
    }
}

/// 3010 and 2001 unless the administrator of the market signed.
pub fn admin(admin: &AccountView, market: &AccountView) -> ProgramResult {
    signer(admin)?;
    of_reserve(market, &MARKET.address)?;
    if !market.owned_by(&ID) {
        return Err(Error::AccountNotInitialized.fail());
    }
    if market.try_borrow()?[ADMIN_AT..ADMIN_AT + 32] != *admin.address().as_ref() {
        return Err(Error::ConstraintHasOne.fail());
    }
    Ok(())
}

/// 2015 unless the token account belongs to `owner`.
pub fn token_owner(account: &AccountView, owner: &Address) -> ProgramResult {
    let token_account: Result<_, ProgramError> = TokenAccount::from_account_view(account);
    match token_account {
        Ok(token_account) if token_account.owner() == owner => Ok(()),
        Ok(_) => Err(Error::ConstraintTokenOwner.fail()),
        Err(_) => Err(Error::AccountOwnedByWrongProgram.fail()),
    }
}

/// The only argument of an instruction.
pub fn amount(arguments: &[u8]) -> Result<u64, ProgramError> {
    match arguments.try_into() {
        Ok(bytes) => Ok(u64::from_le_bytes(bytes)),
        Err(_) => Err(Error::InstructionDidNotDeserialize.fail()),
    }
}
