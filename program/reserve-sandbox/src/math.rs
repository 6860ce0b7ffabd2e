//! Proportions of 64-bit numbers on a target without 128-bit multiplication.

/// Largest divisor of [`mul_div`]: twice it and once it still fit into 64 bits together.
const MAX_DIVISOR: u64 = 1 << 62;

/// `a × b ÷ divisor` as (quotient, remainder). `None` when the quotient does not fit into 64
/// bits and when the divisor is 0 or above 2^62.
pub fn mul_div(a: u64, b: u64, divisor: u64) -> Option<(u64, u64)> {
    if divisor == 0 || divisor > MAX_DIVISOR {
        return None;
    }
    let (whole, part) = (b.checked_div(divisor)?, b.checked_rem(divisor)?);
    let (mut quotient, mut remainder) = (0_u64, 0_u64);
    // Before each step, quotient and remainder are those of the bits of `a` seen so far.
    for bit in (0..u64::BITS.saturating_sub(a.leading_zeros())).rev() {
        quotient = quotient.checked_add(quotient)?;
        remainder = remainder.checked_add(remainder)?;
        if a >> bit & 1 == 1 {
            quotient = quotient.checked_add(whole)?;
            remainder = remainder.checked_add(part)?;
        }
        // Below three divisors here, so this runs at most twice.
        while let Some(less) = remainder.checked_sub(divisor) {
            remainder = less;
            quotient = quotient.checked_add(1)?;
        }
    }
    Some((quotient, remainder))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn expected(a: u64, b: u64, divisor: u64) -> Option<(u64, u64)> {
        if divisor == 0 || divisor > MAX_DIVISOR {
            return None;
        }
        let (product, divisor) = (u128::from(a) * u128::from(b), u128::from(divisor));
        let quotient = u64::try_from(product / divisor).ok()?;
        Some((quotient, (product % divisor) as u64))
    }

    #[test]
    fn edges_divide_like_u128() {
        let edges = [0, 1, 2, 3, 1 << 32, (1 << 62) - 1, 1 << 62, (1 << 62) + 1, u64::MAX];
        for a in edges {
            for b in edges {
                edges.iter().for_each(|d| assert_eq!(mul_div(a, b, *d), expected(a, b, *d)));
            }
        }
    }

    proptest! {
        #[test]
        fn proportions_equal_those_of_u128(a: u64, b: u64, divisor: u64, shift in 0_u32..64) {
            let divisor = divisor >> shift;
            prop_assert_eq!(mul_div(a, b, divisor), expected(a, b, divisor));
            prop_assert_eq!(mul_div(a >> shift, b, divisor), expected(a >> shift, b, divisor));
        }
    }
}
