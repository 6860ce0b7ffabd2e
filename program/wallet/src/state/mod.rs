//! Account layouts and the rules about money.
//!
//! Every layout is `repr(C)` without padding and begins with its discriminator, so its bytes
//! are at the same time the Borsh form that the IDL describes.

mod deployment;
mod replay_window;
mod session;
mod spend_window;
mod vault;
#[cfg(test)]
mod vectors;

pub use deployment::{check_fraction, taken_by_reserve, Portion};
pub use replay_window::ReplayWindow;
pub use session::{
    Session, INSTRUCTION_TRANSFER_USDC, INSTRUCTION_YIELD_DEPOSIT, INSTRUCTION_YIELD_WITHDRAW,
    KNOWN_INSTRUCTIONS, MAX_RECIPIENTS, SESSION_SEED,
};
pub use spend_window::SpendWindow;
pub use vault::{
    count_open_sessions, first_session_index, open_sessions, vault_seeds, yield_seeds, Vault,
    EVERYTHING, MAX_BASIS_POINTS, VAULT_SEED, YIELD_SEED,
};

/// A layout as which account data can be viewed.
///
/// A version that appends fields is a new entry in `LENGTHS`; accounts of earlier versions stay
/// valid, and the type is what all versions begin with.
///
/// # Safety
/// The type is `repr(C)`, has no padding, allows every bit pattern, needs an alignment of at
/// most 8, and begins with a `u64` discriminator, the version byte and the bump byte. No length
/// is shorter than the type.
pub unsafe trait Layout {
    const DISCRIMINATOR: u64;
    /// Bytes of account data in version 1, 2, and so on.
    const LENGTHS: &'static [usize];
    /// Version of new accounts.
    const VERSION: u8 = Self::LENGTHS.len() as u8;
    /// Bytes of data of new accounts.
    const LENGTH: usize = Self::LENGTHS[Self::LENGTHS.len() - 1];
}
