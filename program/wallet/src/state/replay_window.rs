//! Which spends a session has executed, so that each is executed at most once.
//!
//! The anti-replay window of RFC 6479: the highest sequence number seen, and one bit for each
//! of the last 256. Spends may land in any order within the window.

use crate::error::Error;

const WINDOW: u64 = 256;
const WORD_BITS: u64 = 64;
/// A larger jump is refused as a mistake: it would make all smaller numbers unusable.
const MAX_JUMP: u64 = 1 << 32;

/// The bit of a sequence number is `bitmap[(seq % 256) / 64] >> (seq % 64) & 1`. It means
/// something only for `highest_seq - 256 < seq <= highest_seq` and `seq >= 1`: then 1 says
/// that the spend was executed and 0 that it was not.
#[repr(C)]
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReplayWindow {
    /// 0 before the first spend.
    pub highest_seq: u64,
    pub bitmap: [u64; (WINDOW / WORD_BITS) as usize],
}

impl ReplayWindow {
    /// Checks that the spend `seq` can still be executed.
    ///
    /// # Errors
    /// `SpendAlreadyExecuted`; `SpendSequenceTooOld` for 0 and for numbers older than the
    /// window; `SpendSequenceTooFar` for more than 2^32 ahead of the highest.
    #[inline(always)]
    pub fn check(&self, seq: u64) -> Result<(), Error> {
        if seq == 0 {
            return Err(Error::SpendSequenceTooOld);
        }
        if seq > self.highest_seq {
            let ahead = seq.wrapping_sub(self.highest_seq);
            return if ahead > MAX_JUMP { Err(Error::SpendSequenceTooFar) } else { Ok(()) };
        }
        if self.highest_seq.wrapping_sub(seq) >= WINDOW {
            return Err(Error::SpendSequenceTooOld);
        }
        let (word, bit) = place(seq);
        if self.bitmap[word] & bit == 0 {
            Ok(())
        } else {
            Err(Error::SpendAlreadyExecuted)
        }
    }

    /// Records `seq`, which [`ReplayWindow::check`] accepted, as executed.
    #[inline(always)]
    pub fn record(&mut self, seq: u64) {
        if seq > self.highest_seq {
            self.forget_before(seq);
            self.highest_seq = seq;
        }
        let (word, bit) = place(seq);
        self.bitmap[word] |= bit;
    }

    /// Clears the bits of the numbers from `highest_seq + 1` to `seq`, word by word:
    /// at most five steps. `seq` is above the highest, and nothing else wraps below 256.
    #[inline(always)]
    fn forget_before(&mut self, seq: u64) {
        let mut left = seq.wrapping_sub(self.highest_seq).min(WINDOW);
        let mut next = self.highest_seq.wrapping_add(1) % WINDOW;
        while left > 0 {
            let offset = next % WORD_BITS;
            let bits = left.min(WORD_BITS.wrapping_sub(offset));
            // Between 1 and 64 ones, shifted by fewer than 64 places.
            let ones = u64::MAX.wrapping_shr(WORD_BITS.wrapping_sub(bits) as u32);
            self.bitmap[(next / WORD_BITS) as usize] &= !ones.wrapping_shl(offset as u32);
            next = next.wrapping_add(bits) % WINDOW;
            left = left.wrapping_sub(bits);
        }
    }
}

/// Word and bit of a sequence number in the bitmap.
#[inline(always)]
fn place(seq: u64) -> (usize, u64) {
    ((seq % WINDOW / WORD_BITS) as usize, 1u64.wrapping_shl((seq % WORD_BITS) as u32))
}

#[cfg(test)]
#[path = "replay_window_tests.rs"]
mod tests;
