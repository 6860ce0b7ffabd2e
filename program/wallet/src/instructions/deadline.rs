//! The deadline of an instruction whose signature somebody could hold back to do harm later.
//!
//! A signed transaction with a durable nonce stays valid until the nonce advances. An attacker who
//! holds such a transaction back could let it land months later; the deadline ends that.

use crate::{error::Error, sysvar::unix_timestamp};
use pinocchio::error::ProgramError;

/// Refuses an instruction whose deadline, unix seconds, has passed by the chain's clock.
///
/// # Errors
/// `DeadlinePassed`.
#[inline(never)]
pub fn check(deadline: i64) -> Result<(), ProgramError> {
    check_at(deadline, unix_timestamp()?).map_err(Error::fail)
}

/// The same at `now`, unix seconds. In the second of the deadline the instruction still passes.
///
/// # Errors
/// `DeadlinePassed`.
pub fn check_at(deadline: i64, now: i64) -> Result<(), Error> {
    if now > deadline {
        return Err(Error::DeadlinePassed);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_second_is_that_of_the_deadline() {
        assert_eq!(check_at(100, 99), Ok(()));
        assert_eq!(check_at(100, 100), Ok(()));
        assert_eq!(check_at(100, 101), Err(Error::DeadlinePassed));
        assert_eq!(check_at(i64::MAX, i64::MAX), Ok(()));
        assert_eq!(check_at(i64::MIN, 0), Err(Error::DeadlinePassed));
        assert_eq!(check_at(-1, 0), Err(Error::DeadlinePassed));
    }
}
