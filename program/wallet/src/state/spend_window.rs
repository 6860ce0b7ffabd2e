//! How much a session spent in the last 24 hours.
//!
//! The window really rolls: what was spent is counted per hour in 25 buckets, an hour counts
//! in full as long as any second of it lies in the last 24 hours, and nothing is ever reset
//! at once. So no 24 hours, wherever they begin, see more than the cap; in exchange a spend
//! may be held up by up to one hour too long.

use crate::error::Error;

const HOUR_SECONDS: u64 = 3_600;
/// 24 full hours and the current one.
const BUCKETS: u64 = 25;

/// What is kept of past spends; amounts are USDC base units.
#[repr(C)]
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SpendWindow {
    /// Sum of the buckets as of the last spend.
    pub daily_spent: u64,
    /// Unix seconds: begin of the oldest hour that counted at the last spend.
    pub daily_window_start: i64,
    /// Unix seconds: latest clock of any spend that passed. A clock that went back counts as
    /// this one.
    pub last_seen: i64,
    /// The hour `h` since 1970 is counted in `buckets[h % 25]`. Only the 25 hours that end
    /// with that of `last_seen` are held.
    pub buckets: [u64; BUCKETS as usize],
}

impl SpendWindow {
    /// Counts `amount` at the clock `now` (unix seconds) if the cap allows it, and returns
    /// what the window then holds. On an error nothing is changed.
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
        let passed_hours = hour - self.last_seen as u64 / HOUR_SECONDS;
        let spent = self.still_counted(hour, passed_hours)?;
        let total = spent.checked_add(amount).ok_or(Error::DailyCapExceeded)?;
        if total > daily_cap {
            return Err(Error::DailyCapExceeded);
        }
        for dropped in dropped_buckets(hour, passed_hours) {
            self.buckets[dropped] = 0;
        }
        let bucket = &mut self.buckets[(hour % BUCKETS) as usize];
        *bucket = bucket.checked_add(amount).ok_or(Error::MathOverflow)?;
        self.daily_spent = total;
        self.daily_window_start = seconds - seconds % HOUR_SECONDS as i64 - 86_400;
        self.last_seen = seconds;
        Ok(total)
    }

    /// Sum of the buckets that count in the hour `hour`.
    #[inline(always)]
    fn still_counted(&self, hour: u64, passed_hours: u64) -> Result<u64, Error> {
        let mut sum = 0u64;
        for bucket in &self.buckets {
            sum = sum.checked_add(*bucket).ok_or(Error::MathOverflow)?;
        }
        for dropped in dropped_buckets(hour, passed_hours) {
            sum -= self.buckets[dropped];
        }
        Ok(sum)
    }
}

/// Buckets that the last `passed_hours` hours take over, those of hours that ended 24 hours
/// before `hour` began or earlier; at most all of them.
#[inline(always)]
fn dropped_buckets(hour: u64, passed_hours: u64) -> impl Iterator<Item = usize> {
    let count = passed_hours.min(BUCKETS);
    (0..count).map(move |back| ((hour - back) % BUCKETS) as usize)
}

#[cfg(test)]
#[path = "spend_window_tests.rs"]
mod tests;
