//! The rule for lists of recipients, shared by the two instructions that take one.

use crate::{error::Error, state::MAX_RECIPIENTS};
use pinocchio::{address::address_eq, Address};

/// Checks a list of wallets that a session may pay; an empty list allows none.
///
/// # Errors
/// `TooManyRecipients` beyond 10; `RecipientForbidden` for the zero address or one of
/// `forbidden`; `DuplicateRecipient`.
pub fn check(recipients: &[Address], forbidden: &[&Address]) -> Result<(), Error> {
    if recipients.len() > MAX_RECIPIENTS {
        return Err(Error::TooManyRecipients);
    }
    for (place, recipient) in recipients.iter().enumerate() {
        let is_recipient = |other: &Address| same(other, recipient);
        if is_recipient(&Address::default()) || forbidden.iter().any(|one| is_recipient(one)) {
            return Err(Error::RecipientForbidden);
        }
        if recipients.iter().take(place).any(is_recipient) {
            return Err(Error::DuplicateRecipient);
        }
    }
    Ok(())
}

#[inline(never)]
fn same(left: &Address, right: &Address) -> bool {
    address_eq(left, right)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wallet(byte: u8) -> Address {
        Address::new_from_array([byte; 32])
    }

    fn wallets<const N: usize>() -> [Address; N] {
        core::array::from_fn(|place| wallet(place as u8 + 1))
    }

    #[test]
    fn up_to_ten_different_wallets_pass() {
        assert_eq!(check(&[], &[]), Ok(()));
        assert_eq!(check(&wallets::<10>(), &[]), Ok(()));
        assert_eq!(check(&wallets::<11>(), &[]), Err(Error::TooManyRecipients));
    }

    #[test]
    fn zero_forbidden_and_repeated_wallets_are_refused() {
        let [first, second] = wallets();
        assert_eq!(check(&[first, wallet(0)], &[]), Err(Error::RecipientForbidden));
        assert_eq!(check(&[first, second], &[&second]), Err(Error::RecipientForbidden));
        assert_eq!(check(&[first, second, first], &[]), Err(Error::DuplicateRecipient));
    }
}
