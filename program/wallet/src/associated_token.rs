//! Addresses of associated token accounts for USDC, classic Token program only.

use crate::USDC_MINT;
use pinocchio::{address::address_eq, Address};

/// How many bumps are tried. Each is refused with probability one half, so a wallet whose
/// bump is not among them does not occur; the limit bounds the compute of a wrong address.
const MAX_TRIES: u8 = 64;

/// Whether `candidate` is the associated USDC token account of `wallet`.
///
/// The address is the hash for the first bump, from 255 down, that lies off the curve. Only
/// hashes are compared, without that costly test: a hash for a skipped bump lies on the
/// curve, so an account there would need a private key that nobody can find, and below the
/// first bump the associated token program never creates one.
pub fn is_associated_address(candidate: &Address, wallet: &Address) -> bool {
    let token_program = &pinocchio_token::ID;
    let seeds = [wallet.as_ref(), token_program.as_ref(), USDC_MINT.as_ref()];
    (0..MAX_TRIES).any(|tried| {
        let bump = Some(u8::MAX - tried);
        let address =
            Address::derive_address(&seeds, bump, &pinocchio_associated_token_account::ID);
        address_eq(&address, candidate)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use const_crypto::{bs58::decode_pubkey, ed25519::derive_program_address};

    #[test]
    fn the_canonical_address_of_any_wallet_is_found_and_no_other() {
        let program = decode_pubkey("ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL");
        let token = decode_pubkey("TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA");
        for byte in 0..50 {
            let wallet = [byte; 32];
            let seeds: [&[u8]; 3] = [&wallet, &token, USDC_MINT.as_ref()];
            let (address, _) = derive_program_address(&seeds, &program);
            let address = Address::new_from_array(address);
            assert!(is_associated_address(&address, &Address::new_from_array(wallet)));
            assert!(!is_associated_address(&address, &Address::new_from_array([byte + 1; 32])));
        }
    }
}
