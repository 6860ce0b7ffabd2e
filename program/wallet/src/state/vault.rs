//! The vault of one owner.

use super::Layout;
use crate::{discriminator, math::checked_mul};
use pinocchio::{cpi::Seed, Address};

pub const VAULT_SEED: &[u8] = b"vault";
pub const YIELD_SEED: &[u8] = b"yield";

/// The amount that means everything.
pub const EVERYTHING: u64 = u64::MAX;

/// The whole, in basis points.
pub const MAX_BASIS_POINTS: u16 = 10_000;

/// Session indexes per slot of the chain, more than one slot has room to create.
const INDEXES_PER_SLOT: u64 = 1 << 16;

/// Data of the account at `["vault", owner]`, which owns the USDC token account.
///
/// Offsets: discriminator 0, version 8, bump 9, max_deployed_fraction_bp 10, paused 12,
/// yield_bump 13, deployed_amount 16, next_session_index 24, owner 32, vault_token_account 64;
/// 96 bytes. Version 2 appends open_sessions at 96 ([`count_open_sessions`]); 104 bytes.
#[repr(C)]
pub struct Vault {
    pub discriminator: u64,
    pub version: u8,
    pub bump: u8,
    /// Largest fraction of all USDC that may be deployed for yield, in basis points.
    pub max_deployed_fraction_bp: u16,
    /// 0 or 1; while 1, no session instruction passes.
    pub paused: u8,
    /// Bump of `["yield", vault]`, the yield authority; 0 before `init_yield`.
    pub yield_bump: u8,
    pub reserved: [u8; 2],
    /// Base units in the yield reserve, without interest.
    pub deployed_amount: u64,
    /// Begins at [`first_session_index`] and never decreases, so each index is used once.
    pub next_session_index: u64,
    pub owner: Address,
    pub vault_token_account: Address,
}

// SAFETY: the fields are integers and bytes at multiples of their alignment, and the
// assertion shows that their sizes leave no padding.
unsafe impl Layout for Vault {
    const DISCRIMINATOR: u64 = discriminator("account:Vault");
    const LENGTHS: &'static [usize] = &[size_of::<Vault>(), size_of::<Vault>() + size_of::<u64>()];
}

const _: () = assert!(size_of::<Vault>() == 96);

/// The first session index of a vault that is created in `slot`; `None` when it does not fit.
///
/// It is above every index of an earlier vault of the same owner, so that nothing signed for a
/// session of the earlier vault applies to one of the later.
pub const fn first_session_index(slot: u64) -> Option<u64> {
    checked_mul(slot, INDEXES_PER_SLOT)
}

/// Replaces the number of open sessions in the data of a vault by its `next` value. A vault of
/// version 1 does not count them.
#[inline(always)]
pub fn count_open_sessions(data: &mut [u8], next: impl FnOnce(u64) -> u64) {
    if let Some(count) = data.get_mut(size_of::<Vault>()..).and_then(<[u8]>::first_chunk_mut) {
        *count = next(u64::from_le_bytes(*count)).to_le_bytes();
    }
}

/// The number of open sessions in the data of a vault; `None` in version 1.
pub fn open_sessions(data: &[u8]) -> Option<u64> {
    data.get(size_of::<Vault>()..)?.first_chunk().copied().map(u64::from_le_bytes)
}

/// The seeds with which the program signs as the vault of `owner`.
#[inline(always)]
pub fn vault_seeds<'a>(owner: &'a Address, bump: &'a [u8; 1]) -> [Seed<'a>; 3] {
    [Seed::from(VAULT_SEED), Seed::from(owner.as_array()), Seed::from(bump)]
}

/// The seeds with which the program signs as the yield authority of a vault, which owns the
/// transit and the collateral account.
#[inline(always)]
pub fn yield_seeds<'a>(vault: &'a Address, bump: &'a [u8; 1]) -> [Seed<'a>; 3] {
    [Seed::from(YIELD_SEED), Seed::from(vault.as_array()), Seed::from(bump)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_later_slot_has_higher_indexes() {
        assert_eq!(first_session_index(0), Some(0));
        assert_eq!(first_session_index(447_552_000), Some(447_552_000 * 65_536));
        assert_eq!(first_session_index(u64::MAX >> 16), Some(u64::MAX - 0xffff));
        assert_eq!(first_session_index(1 << 48), None);
    }

    #[test]
    fn only_version_2_counts_open_sessions() {
        let mut first = [7; 96];
        count_open_sessions(&mut first, |_| 0);
        assert_eq!(first, [7; 96]);
        assert_eq!(open_sessions(&first), None);
        let mut second = [0; 104];
        count_open_sessions(&mut second, |count| count + 258);
        assert_eq!(second[..96], [0; 96]);
        assert_eq!(second[96..], [2, 1, 0, 0, 0, 0, 0, 0]);
        assert_eq!(open_sessions(&second), Some(258));
    }
}
