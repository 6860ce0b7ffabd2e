//! The deadline of an instruction by which an owner grants something.
//!
//! A signed transaction with a durable nonce stays valid until the nonce advances. Whoever holds
//! such a transaction back could let it land months later; the deadline ends that.

use crate::error::Error;

/// Refuses an instruction whose deadline has passed; both times are unix seconds. In the second
/// of the deadline the instruction still passes.
///
/// # Errors
/// `DeadlinePassed`.
pub fn check(deadline: i64, now: i64) -> Result<(), Error> {
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
        assert_eq!(check(100, 99), Ok(()));
        assert_eq!(check(100, 100), Ok(()));
        assert_eq!(check(100, 101), Err(Error::DeadlinePassed));
        assert_eq!(check(i64::MAX, i64::MAX), Ok(()));
        assert_eq!(check(i64::MIN, 0), Err(Error::DeadlinePassed));
        assert_eq!(check(-1, 0), Err(Error::DeadlinePassed));
    }
}
