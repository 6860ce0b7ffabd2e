//! The money rules: the effect of a deposit, a withdrawal, a loan and interest.
//!
//! Every rounding is against the depositor or withdrawer, so collateral never loses
//! value.

use crate::{error::Error, math::mul_div};

/// Basis points of the whole.
const WHOLE_BASIS_POINTS: u64 = 10_000;
/// Kamino Lend counts two slots to the second.
const SLOTS_PER_YEAR: u64 = 2 * 60 * 60 * 24 * 365;

/// Base units that belong to the holders of collateral.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Liquidity {
    /// In the reserve's token account.
    pub available: u64,
    /// Lent out, with interest, until repaid.
    pub borrowed: u64,
    /// Collateral in existence, base units of its own mint.
    pub collateral: u64,
}

/// Amounts that a deposit moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deposit {
    /// Taken from the depositor: the value of the minted collateral, rounded up.
    pub taken: u64,
    /// Collateral minted to the depositor.
    pub minted: u64,
}

impl Liquidity {
    pub fn total(&self) -> Result<u64, Error> {
        self.available.checked_add(self.borrowed).ok_or(Error::MathOverflow)
    }

    /// Takes at most `amount`, for as much collateral as it pays in full.
    pub fn deposit(&mut self, amount: u64, limit: u64) -> Result<Deposit, Error> {
        let total = self.total()?;
        let deposit = match (total, self.collateral) {
            (0, _) | (_, 0) => Deposit { taken: amount, minted: amount },
            (total, supply) => {
                let (minted, _) = mul_div(amount, supply, total).ok_or(Error::MathOverflow)?;
                let (worth, rest) = mul_div(minted, total, supply).ok_or(Error::MathOverflow)?;
                let taken = worth.checked_add(u64::from(rest > 0)).ok_or(Error::MathOverflow)?;
                Deposit { taken, minted }
            }
        };
        if deposit.minted == 0 {
            return Err(Error::InvalidAmount);
        }
        if total.checked_add(deposit.taken).is_none_or(|after| after > limit) {
            return Err(Error::DepositLimitExceeded);
        }
        self.available = self.available.checked_add(deposit.taken).ok_or(Error::MathOverflow)?;
        self.collateral = self.collateral.checked_add(deposit.minted).ok_or(Error::MathOverflow)?;
        Ok(deposit)
    }

    /// Pays the value of `collateral`, rounded down.
    pub fn redeem(&mut self, collateral: u64) -> Result<u64, Error> {
        let left = self.collateral.checked_sub(collateral).ok_or(Error::InvalidAmount)?;
        let worth = mul_div(collateral, self.total()?, self.collateral);
        // Without collateral there is no rate.
        let amount = worth.map(|(amount, _)| amount).ok_or(Error::InvalidAmount)?;
        if amount == 0 {
            return Err(Error::InvalidAmount);
        }
        self.borrow_checked(amount)?;
        self.collateral = left;
        Ok(amount)
    }

    /// Lends `amount` out.
    pub fn borrow(&mut self, amount: u64) -> Result<(), Error> {
        if amount == 0 {
            return Err(Error::InvalidAmount);
        }
        self.borrow_checked(amount)?;
        self.borrowed = self.borrowed.checked_add(amount).ok_or(Error::MathOverflow)?;
        Ok(())
    }

    /// Increases the debt; the increase is paid by later repayments.
    pub fn accrue(&mut self, basis_points: u64) -> Result<u64, Error> {
        let interest = mul_div(self.borrowed, basis_points, WHOLE_BASIS_POINTS);
        let (interest, _) = interest.ok_or(Error::MathOverflow)?;
        if interest == 0 {
            return Err(Error::InvalidAmount);
        }
        self.borrowed = self.borrowed.checked_add(interest).ok_or(Error::MathOverflow)?;
        Ok(interest)
    }

    /// Increases the debt by the interest of `slots` at a yearly rate, rounded down.
    pub fn grow(&mut self, basis_points: u32, slots: u64) -> Result<(), Error> {
        if basis_points == 0 || slots == 0 {
            return Ok(());
        }
        let units = mul_div(u64::from(basis_points), slots, 1);
        let (units, _) = units.ok_or(Error::MathOverflow)?;
        let interest = mul_div(self.borrowed, units, WHOLE_BASIS_POINTS * SLOTS_PER_YEAR);
        let (interest, _) = interest.ok_or(Error::MathOverflow)?;
        self.borrowed = self.borrowed.checked_add(interest).ok_or(Error::MathOverflow)?;
        Ok(())
    }

    /// Accepts at most the lent amount; returns the amount taken.
    pub fn repay(&mut self, amount: u64) -> Result<u64, Error> {
        let taken = amount.min(self.borrowed);
        if taken == 0 {
            return Err(Error::InvalidAmount);
        }
        self.borrowed = self.borrowed.saturating_sub(taken);
        self.available = self.available.checked_add(taken).ok_or(Error::MathOverflow)?;
        Ok(taken)
    }

    fn borrow_checked(&mut self, amount: u64) -> Result<(), Error> {
        self.available = self.available.checked_sub(amount).ok_or(Error::InsufficientLiquidity)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const NO_LIMIT: u64 = u64::MAX;

    fn seeded() -> Liquidity {
        Liquidity { available: 1, borrowed: 0, collateral: 1 }
    }

    /// Deposits 999, lends 500 out and lets it earn: 1 550 for 1 000 of collateral.
    fn with_interest() -> Liquidity {
        let mut liquidity = seeded();
        liquidity.deposit(999, NO_LIMIT).expect("deposit");
        liquidity.borrow(500).expect("borrow");
        assert_eq!(liquidity.accrue(11_000), Ok(550));
        liquidity
    }

    #[test]
    fn the_first_deposit_is_one_to_one() {
        let mut liquidity = seeded();
        assert_eq!(liquidity.deposit(100, NO_LIMIT), Ok(Deposit { taken: 100, minted: 100 }));
        assert_eq!(liquidity.redeem(100), Ok(100));
        assert_eq!(liquidity, seeded());
    }

    #[test]
    fn a_deposit_takes_no_more_than_its_collateral_costs() {
        let mut liquidity = with_interest();
        // 5 and 6 both pay for 3 of collateral, which cost 4.65.
        assert_eq!(liquidity.deposit(5, NO_LIMIT), Ok(Deposit { taken: 5, minted: 3 }));
        assert_eq!(with_interest().deposit(6, NO_LIMIT), Ok(Deposit { taken: 5, minted: 3 }));
        assert_eq!(with_interest().deposit(1, NO_LIMIT), Err(Error::InvalidAmount));
    }

    #[test]
    fn a_withdrawal_is_rounded_down_and_bounded_by_what_is_available() {
        assert_eq!(with_interest().redeem(1), Ok(1));
        assert_eq!(with_interest().redeem(2), Ok(3));
        assert_eq!(with_interest().redeem(323), Ok(500));
        assert_eq!(with_interest().redeem(324), Err(Error::InsufficientLiquidity));
        assert_eq!(with_interest().redeem(1_001), Err(Error::InvalidAmount));
        assert_eq!(with_interest().redeem(0), Err(Error::InvalidAmount));
    }

    #[test]
    fn interest_becomes_tokens_when_it_is_repaid() {
        let mut liquidity = with_interest();
        assert_eq!((liquidity.available, liquidity.borrowed), (500, 1_050));
        assert_eq!(liquidity.repay(u64::MAX), Ok(1_050));
        assert_eq!(liquidity.redeem(999), Ok(1_548));
        assert_eq!(liquidity.repay(1), Err(Error::InvalidAmount));
    }

    #[test]
    fn a_debt_grows_with_the_slots_by_the_yearly_rate() {
        let mut liquidity = with_interest();
        assert_eq!(liquidity.grow(10_000, SLOTS_PER_YEAR), Ok(()));
        assert_eq!(liquidity.borrowed, 2_100);
        assert_eq!(liquidity.grow(5_000, SLOTS_PER_YEAR / 2), Ok(()));
        assert_eq!(liquidity.borrowed, 2_625);
        for (rate, slots) in [(0, u64::MAX), (u32::MAX, 0), (1, 1)] {
            assert_eq!(liquidity.grow(rate, slots), Ok(()));
        }
        assert_eq!((liquidity.available, liquidity.borrowed), (500, 2_625));
        assert_eq!(liquidity.grow(2, u64::MAX), Err(Error::MathOverflow));
    }

    #[test]
    fn limits_and_zero_amounts_are_refused() {
        assert_eq!(seeded().deposit(0, NO_LIMIT), Err(Error::InvalidAmount));
        assert_eq!(seeded().deposit(100, 100), Err(Error::DepositLimitExceeded));
        assert_eq!(seeded().deposit(99, 100).map(|done| done.taken), Ok(99));
        assert_eq!(seeded().borrow(0), Err(Error::InvalidAmount));
        assert_eq!(seeded().borrow(2), Err(Error::InsufficientLiquidity));
        assert_eq!(seeded().accrue(10_000), Err(Error::InvalidAmount));
    }

    #[derive(Clone, Copy, Debug)]
    enum Step {
        Deposit(u64),
        Redeem(u64),
        Borrow(u64),
        Accrue(u64),
        Repay(u64),
    }

    fn steps() -> impl Strategy<Value = std::vec::Vec<Step>> {
        let amount = 0_u64..1_000_000_000_000;
        proptest::collection::vec(
            prop_oneof![
                amount.clone().prop_map(Step::Deposit),
                amount.clone().prop_map(Step::Redeem),
                amount.clone().prop_map(Step::Borrow),
                (0_u64..20_000).prop_map(Step::Accrue),
                amount.prop_map(Step::Repay),
            ],
            1..60,
        )
    }

    proptest! {
        /// No step lowers the fraction (total, collateral), and the sum of deposits, repayments
        /// and interest covers the sum of withdrawals and loans.
        #[test]
        fn collateral_never_loses_value(steps in steps()) {
            let mut liquidity = seeded();
            for step in steps {
                let before = liquidity;
                let mut after = liquidity;
                let done = match step {
                    Step::Deposit(amount) => after.deposit(amount, NO_LIMIT).map(|deposit| {
                        assert!(deposit.taken <= amount);
                    }),
                    Step::Redeem(collateral) => after.redeem(collateral % before.collateral).map(drop),
                    Step::Borrow(amount) => after.borrow(amount),
                    Step::Accrue(basis_points) => after.accrue(basis_points).map(drop),
                    Step::Repay(amount) => after.repay(amount).map(drop),
                };
                if done.is_err() {
                    continue;
                }
                let (old, new) = (before.total(), after.total());
                let (old, new) = (old.expect("total"), new.expect("total"));
                prop_assert!(
                    u128::from(new) * u128::from(before.collateral)
                        >= u128::from(old) * u128::from(after.collateral)
                );
                liquidity = after;
            }
        }
    }
}
