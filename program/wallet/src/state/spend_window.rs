//! The amount that a session spent in the last 24 hours.
//!
//! The window rolls: 25 buckets hold the spends of one hour each, an hour counts in full while
//! any second of it lies in the last 24 hours, and the buckets are never reset together. So on a
//! clock that does not go back, no period of 24 hours, wherever it begins, exceeds the cap; in
//! exchange, spent amounts may be counted for up to one hour too long.
//!
//! For the window, a clock that goes back stands still at the latest clock of a spend, so a step
//! back frees nothing. By the chain's own clock, 24 hours can then hold spends from before the step
//! and from after it, each up to the cap: for example the cap, a clock that runs two days ahead, a
//! spend there, the clock corrected, and the cap again.

use crate::error::Error;

const HOUR_SECONDS: u64 = 3_600;
/// 24 full hours and the current one.
const BUCKETS: u64 = 25;

/// The record of past spends; amounts are USDC base units.
#[repr(C)]
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SpendWindow {
    /// Sum of the buckets as of the last spend.
    pub daily_spent: u64,
    /// Unix seconds: start of the oldest hour counted at the last spend.
    pub daily_window_start: i64,
    /// Unix seconds: latest clock of any executed spend. A clock that went back counts as this
    /// one.
    pub last_seen: i64,
    /// `buckets[h % 25]` holds the hour `h` since 1970. Only the 25 hours up to the hour of
    /// `last_seen` are kept.
    pub buckets: [u64; BUCKETS as usize],
}

impl SpendWindow {
    /// Counts `amount` at the clock `now` (unix seconds) if the cap allows it, and returns the
    /// new sum of the window. Changes nothing on an error.
    ///
    /// # Errors
    /// `DailyCapExceeded` when the window would hold more than `daily_cap`; `InvalidClock`
    /// when `now` is negative; `MathOverflow` when a sum does not fit into 64 bits.
    #[inline(always)]
    pub fn spend(&mut self, now: i64, amount: u64, daily_cap: u64) -> Result<u64, Error> {
        if now < 0 {
            return Err(Error::InvalidClock);
        }
        let seconds = now.max(self.last_seen);
        let hour = seconds as u64 / HOUR_SECONDS;
        // No wrap: `seconds` is at least `last_seen`.
        let passed_hours = hour.wrapping_sub(self.last_seen as u64 / HOUR_SECONDS);
        let newest = (hour % BUCKETS) as usize;
        let dropped = passed_hours.min(BUCKETS) as usize;
        // Backwards from the newest hour, the buckets are `recent` from its end, then `earlier`
        // from its end. The first `dropped` of them are for hours without a spend so far and
        // still hold hours that are 25 hours old. No wrap: there are 25 buckets, and `dropped`
        // is at most 25.
        let all = sum(&self.buckets)?;
        let (recent, earlier) = self.buckets.split_at_mut(newest.wrapping_add(1));
        let dropped_recent = dropped.min(recent.len());
        let (_, old_recent) = recent.split_at_mut(recent.len().wrapping_sub(dropped_recent));
        let dropped_earlier = dropped.wrapping_sub(dropped_recent);
        let kept_earlier = earlier.len().wrapping_sub(dropped_earlier);
        let (_, old_earlier) = earlier.split_at_mut(kept_earlier);
        // The fixed sum less the old hours costs less than a sum over the others, because as a
        // rule there are few old hours, or only old ones. No wrap: they are among all.
        let spent = if passed_hours < BUCKETS {
            let old = old_recent.iter().chain(&*old_earlier);
            old.fold(all, |rest, bucket| rest.wrapping_sub(*bucket))
        } else {
            0
        };
        let total = spent.checked_add(amount).ok_or(Error::DailyCapExceeded)?;
        if total > daily_cap {
            return Err(Error::DailyCapExceeded);
        }
        old_recent.fill(0);
        old_earlier.fill(0);
        let bucket = self.buckets[newest].checked_add(amount);
        self.buckets[newest] = bucket.ok_or(Error::MathOverflow)?;
        self.daily_spent = total;
        // No wrap: the hour is that of a clock that is not negative.
        let begin_of_hour = hour.wrapping_mul(HOUR_SECONDS) as i64;
        self.daily_window_start = begin_of_hour.wrapping_sub(86_400);
        self.last_seen = seconds;
        Ok(total)
    }
}

/// Sum of at most 25 buckets.
#[inline(always)]
fn sum(buckets: &[u64]) -> Result<u64, Error> {
    let (mut sum, mut bits) = (0u64, 0);
    for bucket in buckets {
        sum = sum.wrapping_add(*bucket);
        bits |= bucket;
    }
    // So many numbers below 2^59 do not wrap; one check of all costs less than one of each.
    if bits < 1 << 59 {
        Ok(sum)
    } else {
        checked_sum(buckets)
    }
}

#[cold]
#[inline(never)]
fn checked_sum(buckets: &[u64]) -> Result<u64, Error> {
    // Keeps the compiler from repeating the body 25 times.
    let buckets = core::hint::black_box(buckets);
    let sum = buckets.iter().try_fold(0u64, |sum, bucket| sum.checked_add(*bucket));
    sum.ok_or(Error::MathOverflow)
}

#[cfg(test)]
#[path = "spend_window_tests.rs"]
mod tests;
