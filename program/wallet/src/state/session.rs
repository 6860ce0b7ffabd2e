//! A session: a key with limits within which it spends from one vault.

use super::{Layout, ReplayWindow, SpendWindow};
use crate::{discriminator, error::Error};
use pinocchio::{address::address_eq, Address};

pub const SESSION_SEED: &[u8] = b"session";
pub const MAX_RECIPIENTS: usize = 10;

/// Bits of `allowed_instructions`.
pub const INSTRUCTION_TRANSFER_USDC: u16 = 1 << 0;
pub const INSTRUCTION_YIELD_DEPOSIT: u16 = 1 << 1;
pub const INSTRUCTION_YIELD_WITHDRAW: u16 = 1 << 2;
pub const KNOWN_INSTRUCTIONS: u16 =
    INSTRUCTION_TRANSFER_USDC | INSTRUCTION_YIELD_DEPOSIT | INSTRUCTION_YIELD_WITHDRAW;

/// Data of the account at `["session", vault, session_pubkey]`.
///
/// Offsets: discriminator 0, version 8, bump 9, allowed_instructions 10, recipients_count 12,
/// index 16, max_per_tx 24, daily_cap 32, expiry 40, vault 48, session_pubkey 80,
/// recipients 112, spend_window 432 (daily_spent 432, daily_window_start 440, last_seen 448,
/// buckets 456), replay_window 656 (highest_seq 656, bitmap 664); 696 bytes.
#[repr(C)]
pub struct Session {
    pub discriminator: u64,
    pub version: u8,
    pub bump: u8,
    pub allowed_instructions: u16,
    pub recipients_count: u8,
    pub reserved: [u8; 3],
    /// `next_session_index` of the vault when this session was created. A re-created session has
    /// another index, so no spend signed for the old one is executed.
    pub index: u64,
    /// Base units.
    pub max_per_tx: u64,
    /// Base units in any 24 hours of a clock that does not go back.
    pub daily_cap: u64,
    /// Unix seconds; the last second in which the session may spend.
    pub expiry: i64,
    pub vault: Address,
    pub session_pubkey: Address,
    /// Wallet addresses; those from `recipients_count` on are zero.
    pub recipients: [Address; MAX_RECIPIENTS],
    pub spend_window: SpendWindow,
    pub replay_window: ReplayWindow,
}

// SAFETY: the fields are integers and bytes at multiples of their alignment, and the
// assertion shows that their sizes leave no padding.
unsafe impl Layout for Session {
    const DISCRIMINATOR: u64 = discriminator("account:Session");
    const LENGTHS: &'static [usize] = &[size_of::<Session>()];
}

const _: () = assert!(size_of::<Session>() == 696);

impl Session {
    /// Refuses an instruction that was signed for another session, such as an earlier one of the
    /// same key.
    ///
    /// # Errors
    /// `SessionMismatch`.
    #[inline(always)]
    pub fn check_index(&self, signed_for: u64) -> Result<(), Error> {
        if signed_for != self.index {
            return Err(Error::SessionMismatch);
        }
        Ok(())
    }

    /// The recipients in use.
    #[inline(always)]
    pub fn allowlist(&self) -> &[Address] {
        self.recipients.get(..usize::from(self.recipients_count)).unwrap_or(&self.recipients)
    }

    /// Whether the session may pay this wallet.
    #[inline(always)]
    pub fn allows_recipient(&self, wallet: &Address) -> bool {
        self.allowlist().iter().any(|recipient| address_eq(recipient, wallet))
    }

    /// Replaces the recipients with at most [`MAX_RECIPIENTS`] checked ones.
    #[inline(never)]
    pub fn set_recipients(&mut self, recipients: &[Address]) {
        let count = recipients.len().min(MAX_RECIPIENTS);
        let (listed, unused) = self.recipients.split_at_mut(count);
        for (place, recipient) in listed.iter_mut().zip(recipients) {
            *place = *recipient;
        }
        unused.fill(Address::default());
        self.recipients_count = count as u8;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::mem::offset_of;

    #[test]
    fn offsets_are_those_that_clients_read() {
        assert_eq!(offset_of!(Session, index), 16);
        assert_eq!(offset_of!(Session, vault), 48);
        assert_eq!(offset_of!(Session, session_pubkey), 80);
        assert_eq!(offset_of!(Session, recipients), 112);
        assert_eq!(offset_of!(Session, spend_window), 432);
        assert_eq!(offset_of!(Session, replay_window), 656);
    }

    #[test]
    fn a_shorter_list_leaves_nothing_of_the_longer_one() {
        // SAFETY: `Layout` allows every bit pattern.
        let mut session: Session = unsafe { core::mem::zeroed() };
        let [zero, first, second, third] = [0, 1, 2, 3].map(|b| Address::new_from_array([b; 32]));
        session.set_recipients(&[first, second]);
        session.set_recipients(&[third]);
        assert_eq!(session.allowlist(), &[third]);
        assert!(session.recipients[1..].iter().all(|slot| *slot == zero));
        assert!(!session.allows_recipient(&zero));
        assert!(!session.allows_recipient(&second));
    }
}
