//! Addresses of associated token accounts, classic Token program only.
//!
//! The address is the hash for the first bump, from 255 down, that lies off the curve. Only
//! hashes are compared here, without that costly test. A hash for another bump is safe to
//! accept, because no token account can exist there:
//! - above the canonical bump it lies on the curve, so creating an account there would need a
//!   private key that cannot be computed;
//! - below it, only the associated token program could sign for the address, and it signs for
//!   the canonical bump alone.

use pinocchio::{
    address::{address_eq, PDA_MARKER},
    Address,
};
use solana_sha256_hasher::hashv;

/// Maximum number of bumps tried. Each is valid with probability one half, so no wallet needs
/// more in practice; the limit bounds the compute units of a wrong address.
const MAX_TRIES: u8 = 64;

/// Whether `candidate` is the associated token account of `wallet` for `mint`, whose bump the
/// caller knows. A wrong bump finds no account, so the caller need not be trusted.
#[inline(always)]
pub fn is_associated_address_with_bump(
    candidate: &Address,
    wallet: &Address,
    mint: &Address,
    bump: u8,
) -> bool {
    let hash = hashv(&[
        wallet.as_ref(),
        pinocchio_token::ID.as_ref(),
        mint.as_ref(),
        &[bump],
        pinocchio_associated_token_account::ID.as_ref(),
        PDA_MARKER,
    ]);
    address_eq(&Address::new_from_array(hash.to_bytes()), candidate)
}

/// Whether `candidate` is the associated token account of `wallet` for `mint`.
#[inline(never)]
pub fn is_associated_address(candidate: &Address, wallet: &Address, mint: &Address) -> bool {
    (0..MAX_TRIES)
        .map(|tried| u8::MAX.wrapping_sub(tried))
        .any(|bump| is_associated_address_with_bump(candidate, wallet, mint, bump))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::USDC_MINT;
    use const_crypto::{bs58::decode_pubkey, ed25519::derive_program_address};

    #[test]
    fn the_canonical_address_of_any_wallet_is_found_and_no_other() {
        let program = decode_pubkey("ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL");
        let token = decode_pubkey("TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA");
        for byte in 0..50 {
            let wallet = [byte; 32];
            let seeds: [&[u8]; 3] = [&wallet, &token, USDC_MINT.as_ref()];
            let (address, bump) = derive_program_address(&seeds, &program);
            let address = Address::new_from_array(address);
            let (wallet, other) = (Address::new_from_array(wallet), Address::from([byte + 1; 32]));
            assert!(is_associated_address(&address, &wallet, &USDC_MINT));
            assert!(!is_associated_address(&address, &other, &USDC_MINT));
            assert!(!is_associated_address(&address, &wallet, &other));
            for hint in 0..=u8::MAX {
                let accepted = is_associated_address_with_bump(&address, &wallet, &USDC_MINT, hint);
                assert_eq!(accepted, hint == bump);
            }
            assert!(!is_associated_address_with_bump(&address, &other, &USDC_MINT, bump));
            assert!(!is_associated_address_with_bump(&address, &wallet, &other, bump));
        }
    }
}
