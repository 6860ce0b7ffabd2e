//! Products of 64-bit numbers. The target has no 128-bit multiplication, so they are computed
//! from 32-bit halves.

/// `a × b` as (high, low) words; two products compare like these pairs.
#[inline(never)]
pub const fn widening_mul(a: u64, b: u64) -> (u64, u64) {
    const LOW: u64 = u32::MAX as u64;
    let (a_high, a_low) = (a >> 32, a & LOW);
    let (b_high, b_low) = (b >> 32, b & LOW);
    // A product of halves is at most (2^32 - 1)^2, so one carry of 32 bits always fits.
    let low = a_low.wrapping_mul(b_low);
    let cross = a_high.wrapping_mul(b_low).wrapping_add(low >> 32);
    let middle = a_low.wrapping_mul(b_high).wrapping_add(cross & LOW);
    let high = a_high.wrapping_mul(b_high).wrapping_add(cross >> 32).wrapping_add(middle >> 32);
    (high, (middle << 32) | (low & LOW))
}

/// `a × b`, or `None` when it does not fit into 64 bits.
pub const fn checked_mul(a: u64, b: u64) -> Option<u64> {
    match widening_mul(a, b) {
        (0, low) => Some(low),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn assert_like_u128(a: u64, b: u64) {
        let product = u128::from(a) * u128::from(b);
        assert_eq!(widening_mul(a, b), ((product >> 64) as u64, product as u64));
        assert_eq!(checked_mul(a, b), a.checked_mul(b));
    }

    #[test]
    fn edges_multiply_like_u128() {
        let edges = [0, 1, 2, u32::MAX as u64, 1 << 32, (1 << 32) + 1, u64::MAX - 1, u64::MAX];
        for a in edges {
            edges.iter().for_each(|b| assert_like_u128(a, *b));
        }
    }

    proptest! {
        #[test]
        fn products_equal_those_of_u128(a: u64, b: u64) {
            assert_like_u128(a, b);
        }
    }
}
