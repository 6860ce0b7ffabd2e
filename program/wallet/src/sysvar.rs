//! Clock and rent of the chain, read without an account.

use crate::{error::Error, math::checked_mul};
use pinocchio::{
    error::ProgramError,
    sysvars::{clock::CLOCK_ID, get_sysvar, rent::RENT_ID},
};

/// Unix seconds of the chain's clock, an estimate that may be off by seconds and may go back a
/// little. The rules that use it handle a negative clock.
pub fn unix_timestamp() -> Result<i64, ProgramError> {
    clock(32).map(|seconds| seconds as i64)
}

/// The slot in which the transaction is executed.
pub fn slot() -> Result<u64, ProgramError> {
    clock(0)
}

/// The number at this offset of the clock.
#[inline(never)]
fn clock(offset: usize) -> Result<u64, ProgramError> {
    let mut bytes = [0; 8];
    match get_sysvar(&mut bytes, &CLOCK_ID, offset) {
        Ok(()) => Ok(u64::from_le_bytes(bytes)),
        Err(_) => Err(Error::InvalidClock.fail()),
    }
}

/// Lamports that make an account with `data_len` bytes of data rent-exempt.
#[inline(never)]
pub fn minimum_balance(data_len: usize) -> Result<u64, ProgramError> {
    let mut rent = [0; 16];
    let read = get_sysvar(&mut rent, &RENT_ID, 0);
    let lamports = read.ok().and_then(|()| exempt_lamports(&rent, data_len));
    lamports.ok_or_else(|| Error::UnsupportedRent.fail())
}

/// Rent rule on the bytes of the sysvar: lamports per byte, then a threshold in years.
///
/// The threshold is a float with only two known values, 1.0 and 2.0; it is compared by its
/// bits because the target has no floats.
fn exempt_lamports(rent: &[u8; 16], data_len: usize) -> Option<u64> {
    /// Bytes that the chain counts for the metadata of every account.
    const ACCOUNT_OVERHEAD_BYTES: u64 = 128;
    let (per_byte, threshold) = rent.split_first_chunk::<8>()?;
    let bytes = ACCOUNT_OVERHEAD_BYTES.checked_add(data_len as u64)?;
    let per_year = checked_mul(u64::from_le_bytes(*per_byte), bytes)?;
    match u64::from_le_bytes(threshold.try_into().ok()?) {
        0x3ff0_0000_0000_0000 => Some(per_year),
        0x4000_0000_0000_0000 => per_year.checked_add(per_year),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rent(lamports_per_byte: u64, threshold: f64) -> [u8; 16] {
        let mut bytes = [0; 16];
        bytes[..8].copy_from_slice(&lamports_per_byte.to_le_bytes());
        bytes[8..].copy_from_slice(&threshold.to_le_bytes());
        bytes
    }

    #[test]
    fn both_forms_of_the_rent_sysvar_give_the_same_rent() {
        assert_eq!(exempt_lamports(&rent(3_480, 2.0), 165), Some(2_039_280));
        assert_eq!(exempt_lamports(&rent(6_960, 1.0), 165), Some(2_039_280));
    }

    #[test]
    fn an_unknown_threshold_or_an_overflow_is_refused() {
        assert_eq!(exempt_lamports(&rent(3_480, 1.5), 165), None);
        assert_eq!(exempt_lamports(&rent(u64::MAX, 1.0), 165), None);
    }
}
