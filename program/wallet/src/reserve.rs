//! Addresses of the one yield reserve that this build uses. They are compiled in, so that no
//! other reserve can take its place.

use pinocchio::Address;

/// Addresses of a reserve and of its accounts.
pub struct Reserve {
    pub program: Address,
    pub reserve: Address,
    pub lending_market: Address,
    pub lending_market_authority: Address,
    pub liquidity_supply: Address,
    pub collateral_mint: Address,
}

#[cfg(all(feature = "sandbox", feature = "devnet"))]
compile_error!("a build has one reserve: devnet needs --no-default-features");
#[cfg(not(any(feature = "sandbox", feature = "devnet")))]
compile_error!("a build needs a reserve: the feature sandbox or devnet");

#[cfg(feature = "sandbox")]
pub use sandbox::RESERVE;

/// The sandbox reserve of local and test chains, `program/reserve-sandbox`.
#[cfg(feature = "sandbox")]
mod sandbox {
    use super::Reserve;
    use const_crypto::{bs58::decode_pubkey, ed25519::derive_program_address};
    use pinocchio::Address;

    const PROGRAM: [u8; 32] = decode_pubkey("CQZrTbkk1MwyhHtTG1wqJr8YrVk7oHK8h3E2C3tKgiDD");

    const fn derived(seeds: &[&[u8]]) -> Address {
        Address::new_from_array(derive_program_address(seeds, &PROGRAM).0)
    }

    const MARKET: Address = derived(&[b"market"]);
    const ACCOUNT: Address = derived(&[b"reserve"]);

    pub const RESERVE: Reserve = Reserve {
        program: Address::new_from_array(PROGRAM),
        reserve: ACCOUNT,
        lending_market: MARKET,
        lending_market_authority: derived(&[b"lma", MARKET.as_array()]),
        liquidity_supply: derived(&[b"reserve_liq_supply", ACCOUNT.as_array()]),
        collateral_mint: derived(&[b"reserve_coll_mint", ACCOUNT.as_array()]),
    };
}

#[cfg(feature = "devnet")]
pub use devnet::RESERVE;

/// Kamino Lend's reserve of devnet for Circle's devnet USDC.
#[cfg(feature = "devnet")]
mod devnet {
    use super::Reserve;
    use const_crypto::bs58::decode_pubkey;
    use pinocchio::Address;

    const fn address(text: &str) -> Address {
        Address::new_from_array(decode_pubkey(text))
    }

    pub const RESERVE: Reserve = Reserve {
        program: address("KLend2g3cP87fffoy8q1mQqGKjrxjC8boSyAYavgmjD"),
        reserve: address("HRwMj8uuoGVWCanKzKvpTWN5ZvXjtjKGxcFbn2qTPKMW"),
        lending_market: address("6aaNTBEmwdN19AAdTwbNrWyUo6iEyiLguxCTePEzSqoH"),
        lending_market_authority: address("7Aoc3MHQkYSB5y3g3ipyFKWF2TBsYdvqNWHbQ2btWXJt"),
        liquidity_supply: address("6icVFmuKEsH5dzDwTSrxzrnJ14N27gDKRc2XAxPtB4ep"),
        collateral_mint: address("6FY2rwh5wWrtSveAG9t9ANc2YsrChNasVSEpMQubJcXd"),
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use const_crypto::ed25519::derive_program_address;

    #[test]
    fn the_authority_is_the_one_of_the_market() {
        let seeds: [&[u8]; 2] = [b"lma", RESERVE.lending_market.as_array()];
        let (derived, _) = derive_program_address(&seeds, RESERVE.program.as_array());
        assert_eq!(RESERVE.lending_market_authority, Address::new_from_array(derived));
    }
}
