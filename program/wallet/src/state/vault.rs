//! The vault of one owner.

use super::Layout;
use crate::discriminator;
use pinocchio::{cpi::Seed, Address};

pub const VAULT_SEED: &[u8] = b"vault";
pub const YIELD_SEED: &[u8] = b"yield";

/// The amount that means everything.
pub const EVERYTHING: u64 = u64::MAX;

/// The whole, in basis points.
pub const MAX_BASIS_POINTS: u16 = 10_000;

/// Data of the account at `["vault", owner]`, which owns the USDC token account.
///
/// Offsets: discriminator 0, version 8, bump 9, max_deployed_fraction_bp 10, paused 12,
/// yield_bump 13, deployed_amount 16, sessions_created 24, owner 32, vault_token_account 64; 96 bytes.
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
    /// Number of sessions ever created; never decreases, so each index is used once.
    pub sessions_created: u64,
    pub owner: Address,
    pub vault_token_account: Address,
}

// SAFETY: the fields are integers and bytes at multiples of their alignment, and the
// assertion shows that their sizes leave no padding.
unsafe impl Layout for Vault {
    const DISCRIMINATOR: u64 = discriminator("account:Vault");
}

const _: () = assert!(size_of::<Vault>() == 96);

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
