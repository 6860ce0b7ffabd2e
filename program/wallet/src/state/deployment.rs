//! How much may be deployed to the yield reserve, and how much returns.

use super::{EVERYTHING, MAX_BASIS_POINTS};
use crate::{error::Error, math::widening_mul};

/// Checks that `amount` may be deployed in addition to `deployed` with `liquid` in the vault;
/// base units.
///
/// `(deployed + amount) × 10 000 ÷ (liquid + deployed)` may be at most `max_bp`. The comparison
/// multiplies instead of dividing, so rounding allows no excess, and an empty vault allows no
/// deposit.
///
/// # Errors
/// `DeployedFractionExceeded`; `MathOverflow` when a sum does not fit into 64 bits.
#[inline(always)]
pub fn check_fraction(deployed: u64, liquid: u64, amount: u64, max_bp: u16) -> Result<(), Error> {
    let total = liquid.checked_add(deployed).ok_or(Error::MathOverflow)?;
    let wanted = deployed.checked_add(amount).ok_or(Error::MathOverflow)?;
    let allowed = widening_mul(total, u64::from(max_bp));
    if total == 0 || widening_mul(wanted, u64::from(MAX_BASIS_POINTS)) > allowed {
        return Err(Error::DeployedFractionExceeded);
    }
    Ok(())
}

/// Returns how much of `amount` the reserve took, when `amount` was added to `before` and
/// `after` is left.
///
/// # Errors
/// `ReserveDeltaMismatch` when that is zero or more than the amount; `MathOverflow`.
#[inline(always)]
pub fn taken_by_reserve(amount: u64, before: u64, after: u64) -> Result<u64, Error> {
    let offered = before.checked_add(amount).ok_or(Error::MathOverflow)?;
    match offered.checked_sub(after) {
        Some(taken @ 1..) if taken <= amount => Ok(taken),
        _ => Err(Error::ReserveDeltaMismatch),
    }
}

/// Base units that rounding may take from a withdrawal of everything.
const ROUNDING: u64 = 1;

/// What a withdrawal asks the reserve for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Portion {
    /// All collateral with its interest.
    Everything,
    /// As many collateral units as the owner names, whatever they are worth.
    Named,
    /// At most this many base units, to the precision of one collateral unit.
    UpTo(u64),
}

impl Portion {
    /// The portion that `amount` means at `deployed` base units deployed.
    ///
    /// # Errors
    /// `InvalidAmount` for zero; `WithdrawExceedsDeployed`.
    #[inline(always)]
    pub fn of(deployed: u64, amount: u64, is_owner: bool) -> Result<Self, Error> {
        match amount {
            0 => Err(Error::InvalidAmount),
            EVERYTHING if is_owner => Ok(Self::Named),
            _ if amount > deployed => Err(Error::WithdrawExceedsDeployed),
            _ if amount == deployed => Ok(Self::Everything),
            _ => Ok(Self::UpTo(amount)),
        }
    }

    /// The collateral units to redeem of `balance`, at `deployed` base units deployed; `chosen` is
    /// the caller's number, which counts unless everything is withdrawn.
    ///
    /// Zero units mean that the owner writes off a loss: nothing is left to redeem, and zero was
    /// named. An owner who names more wants money, so a signature for that writes off nothing.
    ///
    /// # Errors
    /// `WithdrawExceedsDeployed` when there is no collateral and nothing to write off;
    /// `ReserveDeltaMismatch` when the caller's number is zero or above the balance.
    #[inline(always)]
    pub fn collateral(self, chosen: u64, balance: u64, deployed: u64) -> Result<u64, Error> {
        match self {
            Self::Everything if balance == 0 => Err(Error::WithdrawExceedsDeployed),
            Self::Everything => Ok(balance),
            Self::Named if balance == 0 && deployed == 0 => Err(Error::WithdrawExceedsDeployed),
            Self::Named if balance == 0 && chosen == 0 => Ok(0),
            _ if chosen == 0 || chosen > balance => Err(Error::ReserveDeltaMismatch),
            _ => Ok(chosen),
        }
    }

    /// The deployed amount after `returned` of `deployed` base units have returned, with
    /// `collateral` units left.
    ///
    /// When no collateral is left, the rest is a loss. Only a rounding loss is forgotten: any other
    /// loss stays in the deployed amount and counts against the fraction, so that repeated deposits
    /// and withdrawals cannot lose more than the fraction, whatever the reserve does. The owner may
    /// write it off.
    #[inline(always)]
    pub fn left(self, deployed: u64, returned: u64, collateral: u64) -> u64 {
        match (self, deployed.saturating_sub(returned)) {
            (Self::Everything | Self::Named, ..=ROUNDING) if collateral == 0 => 0,
            (_, rest) => rest,
        }
    }

    /// Checks that the reserve paid more than zero for exactly the `redeemed` units and, for a
    /// part, exceeded the amount by at most the value of one unit.
    ///
    /// One unit was worth `returned ÷ redeemed`, so the latter is
    /// `returned × (redeemed − 1) ≤ amount × redeemed`.
    ///
    /// # Errors
    /// `ReserveDeltaMismatch`.
    #[inline(always)]
    pub fn check_returned(self, returned: u64, redeemed: u64, burned: u64) -> Result<(), Error> {
        let is_too_much = match self {
            Self::Everything | Self::Named => false,
            Self::UpTo(amount) => {
                widening_mul(returned, redeemed.saturating_sub(1)) > widening_mul(amount, redeemed)
            }
        };
        if returned == 0 || burned != redeemed || is_too_much {
            return Err(Error::ReserveDeltaMismatch);
        }
        Ok(())
    }
}

#[cfg(test)]
#[path = "deployment_tests.rs"]
mod tests;
