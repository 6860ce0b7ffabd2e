//! The reserve's account: the fields of Kamino Lend that are used here, at its offsets.

use crate::{
    discriminator, error::Error, liquidity::Liquidity, COLLATERAL_MINT, COLLATERAL_SUPPLY, ID,
    LIQUIDITY_SUPPLY, MARKET, RESERVE,
};
use pinocchio::{
    account::RefMut,
    error::ProgramError,
    sysvars::{clock::CLOCK_ID, get_sysvar},
    AccountView, Address,
};

/// Bytes of the account.
pub const RESERVE_LEN: usize = 8_624;

const DISCRIMINATOR: u64 = discriminator("account:Reserve");
const VERSION: u64 = 1;

const VERSION_AT: usize = 8;
const SLOT_AT: usize = 16;
const STALE_AT: usize = 24;
const MARKET_AT: usize = 32;
const MINT_AT: usize = 128;
const SUPPLY_AT: usize = 160;
const AVAILABLE_AT: usize = 224;
const BORROWED_AT: usize = 232;
const DECIMALS_AT: usize = 272;
const TOKEN_PROGRAM_AT: usize = 408;
const COLLATERAL_MINT_AT: usize = 2_560;
const COLLATERAL_AT: usize = 2_592;
const COLLATERAL_SUPPLY_AT: usize = 2_600;
const RATE_CURVE_AT: usize = 4_920;
const DEPOSIT_LIMIT_AT: usize = 5_016;

/// Points of the curve of borrowing rates, each a utilization and a yearly rate of 32 bits, basis
/// points both.
const RATE_POINTS: usize = 11;

/// Debts are numbers with 60 binary places, which are always zero here.
const FRACTION_BITS: u32 = 60;

/// The reserve's data, checked to be the reserve's.
pub struct Reserve<T>(T);

/// The reserve, writable.
pub fn write(account: &mut AccountView) -> Result<Reserve<RefMut<'_, [u8]>>, ProgramError> {
    check(account)?;
    if !account.is_writable() {
        return Err(Error::ConstraintMut.fail());
    }
    let data = account.try_borrow_mut()?;
    Ok(Reserve(data))
}

/// The only reserve. Its data is complete once this program owns it.
fn check(account: &AccountView) -> Result<(), ProgramError> {
    if account.address() != &RESERVE.address {
        return Err(Error::InvalidAccountInput.fail());
    }
    if !account.owned_by(&ID) {
        return Err(Error::AccountNotInitialized.fail());
    }
    Ok(())
}

impl<T: core::ops::DerefMut<Target = [u8]>> Reserve<T> {
    /// Mint of the tokens that are deposited.
    pub fn mint(&self) -> Address {
        let mut bytes = [0; 32];
        bytes.copy_from_slice(&self.0[MINT_AT..MINT_AT + 32]);
        Address::new_from_array(bytes)
    }

    pub fn decimals(&self) -> u8 {
        self.0[DECIMALS_AT]
    }

    pub fn deposit_limit(&self) -> u64 {
        self.u64(DEPOSIT_LIMIT_AT)
    }

    pub fn liquidity(&self) -> Liquidity {
        let (low, high) = (self.u64(BORROWED_AT), self.u64(BORROWED_AT + 8));
        Liquidity {
            available: self.u64(AVAILABLE_AT),
            borrowed: (high << (u64::BITS - FRACTION_BITS)) | (low >> FRACTION_BITS),
            collateral: self.u64(COLLATERAL_AT),
        }
    }

    /// 6009 unless the reserve was refreshed in this slot and not changed since.
    pub fn require_fresh(&self) -> Result<(), ProgramError> {
        if self.0[STALE_AT] != 0 || self.u64(SLOT_AT) != slot()? {
            return Err(Error::ReserveStale.fail());
        }
        Ok(())
    }

    /// The amounts as of this slot; the account then counts as updated in it.
    pub fn grow(&mut self) -> Result<Liquidity, ProgramError> {
        let (updated, now) = (self.u64(SLOT_AT), slot()?);
        let mut liquidity = self.liquidity();
        let rate = self.u64(RATE_CURVE_AT) >> u32::BITS;
        liquidity.grow(rate as u32, now.saturating_sub(updated)).map_err(Error::fail)?;
        self.set_u64(SLOT_AT, now);
        Ok(liquidity)
    }

    /// A flat curve: its first point is at zero utilization, all others at full utilization.
    pub fn set_rate(&mut self, basis_points: u32) {
        let rate = u64::from(basis_points) << u32::BITS;
        let mut at = RATE_CURVE_AT;
        for point in 0..RATE_POINTS {
            self.set_u64(at, rate | if point == 0 { 0 } else { 10_000 });
            at = at.saturating_add(8);
        }
    }

    fn u64(&self, at: usize) -> u64 {
        let mut bytes = [0; 8];
        bytes.copy_from_slice(&self.0[at..at.saturating_add(8)]);
        u64::from_le_bytes(bytes)
    }

    /// Fills the zeroed data of a new reserve.
    pub fn fill(&mut self, mint: &Address, decimals: u8, limit: u64, seed: &Liquidity) {
        self.set_u64(0, DISCRIMINATOR);
        self.set_u64(VERSION_AT, VERSION);
        self.set_address(MARKET_AT, &MARKET.address);
        self.set_address(MINT_AT, mint);
        self.set_address(SUPPLY_AT, &LIQUIDITY_SUPPLY.address);
        self.set_u64(DECIMALS_AT, u64::from(decimals));
        self.set_address(TOKEN_PROGRAM_AT, &pinocchio_token::ID);
        self.set_address(COLLATERAL_MINT_AT, &COLLATERAL_MINT.address);
        self.set_address(COLLATERAL_SUPPLY_AT, &COLLATERAL_SUPPLY.address);
        self.set_u64(DEPOSIT_LIMIT_AT, limit);
        self.store(seed);
    }

    /// Stores new amounts. The reserve then counts as not refreshed.
    pub fn store(&mut self, liquidity: &Liquidity) {
        self.set_u64(AVAILABLE_AT, liquidity.available);
        self.set_u64(BORROWED_AT, liquidity.borrowed << FRACTION_BITS);
        self.set_u64(BORROWED_AT + 8, liquidity.borrowed >> (u64::BITS - FRACTION_BITS));
        self.set_u64(COLLATERAL_AT, liquidity.collateral);
        self.0[STALE_AT] = 1;
    }

    pub fn refresh(&mut self) -> Result<(), ProgramError> {
        let liquidity = self.grow()?;
        self.store(&liquidity);
        self.0[STALE_AT] = 0;
        Ok(())
    }

    fn set_u64(&mut self, at: usize, value: u64) {
        self.0[at..at.saturating_add(8)].copy_from_slice(&value.to_le_bytes());
    }

    fn set_address(&mut self, at: usize, value: &Address) {
        self.0[at..at.saturating_add(32)].copy_from_slice(value.as_ref());
    }
}

fn slot() -> Result<u64, ProgramError> {
    let mut bytes = [0; 8];
    get_sysvar(&mut bytes, &CLOCK_ID, 0)?;
    Ok(u64::from_le_bytes(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{boxed::Box, vec};

    #[test]
    fn amounts_of_any_size_survive_the_account() {
        for borrowed in [0, 1, 15, 16, 17, u64::MAX - 1, u64::MAX] {
            let mut reserve: Reserve<Box<[u8]>> = Reserve(vec![0; RESERVE_LEN].into());
            let liquidity = Liquidity { available: 7, borrowed, collateral: 9 };
            reserve.store(&liquidity);
            assert_eq!(reserve.liquidity(), liquidity);
            let mut bytes = [0; 16];
            bytes.copy_from_slice(&reserve.0[BORROWED_AT..BORROWED_AT + 16]);
            assert_eq!(u128::from_le_bytes(bytes), u128::from(borrowed) << FRACTION_BITS);
        }
    }
}
