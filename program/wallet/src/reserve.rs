//! The one yield reserve that this build may use: Kamino Lend's interface, two instructions of
//! twelve accounts each. All its addresses are compiled in, so that nothing can take its place.

use crate::{discriminator, instructions::yield_accounts::YieldAccounts};
use pinocchio::{
    cpi::{invoke_signed, Signer},
    instruction::{InstructionAccount, InstructionView},
    AccountView, Address, ProgramResult,
};

/// Addresses of a reserve and of what belongs to it.
pub struct Reserve {
    pub program: Address,
    pub reserve: Address,
    pub lending_market: Address,
    pub lending_market_authority: Address,
    pub liquidity_supply: Address,
    pub collateral_mint: Address,
}

#[cfg(all(feature = "sandbox", feature = "devnet"))]
compile_error!("a build has one reserve: devnet wants --no-default-features");
#[cfg(not(any(feature = "sandbox", feature = "devnet")))]
compile_error!("a build needs a reserve: the feature sandbox or devnet");

#[cfg(feature = "sandbox")]
pub use sandbox::RESERVE;

/// The stand-in of local and test chains, `program/reserve-sandbox`.
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

const DEPOSIT: u64 = discriminator("global:deposit_reserve_liquidity");
const REDEEM: u64 = discriminator("global:redeem_reserve_collateral");

/// Has the reserve take at most `amount` from the transit account for collateral.
///
/// Neither the vault, its token account, the session, nor anyone who signed the transaction is
/// handed over: the reserve sees the yield authority and what that owns.
#[inline(never)]
pub fn deposit(accounts: &YieldAccounts, amount: u64, signer: &Signer) -> ProgramResult {
    let metas = [
        InstructionAccount::readonly_signer(accounts.yield_authority.address()),
        InstructionAccount::writable(accounts.reserve.address()),
        InstructionAccount::readonly(accounts.lending_market.address()),
        InstructionAccount::readonly(accounts.lending_market_authority.address()),
        InstructionAccount::readonly(accounts.usdc_mint.address()),
        InstructionAccount::writable(accounts.liquidity_supply.address()),
        InstructionAccount::writable(accounts.collateral_mint.address()),
        InstructionAccount::writable(accounts.transit_token_account.address()),
        InstructionAccount::writable(accounts.collateral_token_account.address()),
        InstructionAccount::readonly(accounts.token_program.address()),
        InstructionAccount::readonly(accounts.token_program.address()),
        InstructionAccount::readonly(accounts.instructions_sysvar.address()),
    ];
    let views: [&AccountView; 12] = [
        accounts.yield_authority,
        accounts.reserve,
        accounts.lending_market,
        accounts.lending_market_authority,
        accounts.usdc_mint,
        accounts.liquidity_supply,
        accounts.collateral_mint,
        accounts.transit_token_account,
        accounts.collateral_token_account,
        accounts.token_program,
        accounts.token_program,
        accounts.instructions_sysvar,
    ];
    call(DEPOSIT, amount, &metas, &views, signer)
}

/// Has the reserve pay into the transit account what `collateral` units are worth.
#[inline(never)]
pub fn redeem(accounts: &YieldAccounts, collateral: u64, signer: &Signer) -> ProgramResult {
    let metas = [
        InstructionAccount::readonly_signer(accounts.yield_authority.address()),
        InstructionAccount::readonly(accounts.lending_market.address()),
        InstructionAccount::writable(accounts.reserve.address()),
        InstructionAccount::readonly(accounts.lending_market_authority.address()),
        InstructionAccount::readonly(accounts.usdc_mint.address()),
        InstructionAccount::writable(accounts.collateral_mint.address()),
        InstructionAccount::writable(accounts.liquidity_supply.address()),
        InstructionAccount::writable(accounts.collateral_token_account.address()),
        InstructionAccount::writable(accounts.transit_token_account.address()),
        InstructionAccount::readonly(accounts.token_program.address()),
        InstructionAccount::readonly(accounts.token_program.address()),
        InstructionAccount::readonly(accounts.instructions_sysvar.address()),
    ];
    let views: [&AccountView; 12] = [
        accounts.yield_authority,
        accounts.lending_market,
        accounts.reserve,
        accounts.lending_market_authority,
        accounts.usdc_mint,
        accounts.collateral_mint,
        accounts.liquidity_supply,
        accounts.collateral_token_account,
        accounts.transit_token_account,
        accounts.token_program,
        accounts.token_program,
        accounts.instructions_sysvar,
    ];
    call(REDEEM, collateral, &metas, &views, signer)
}

#[inline(always)]
fn call(
    discriminator: u64,
    amount: u64,
    metas: &[InstructionAccount; 12],
    views: &[&AccountView; 12],
    signer: &Signer,
) -> ProgramResult {
    let mut data = [0; 16];
    data[..8].copy_from_slice(&discriminator.to_le_bytes());
    data[8..].copy_from_slice(&amount.to_le_bytes());
    let call = InstructionView { program_id: &RESERVE.program, accounts: metas, data: &data };
    invoke_signed(&call, views, core::slice::from_ref(signer))
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

    #[test]
    fn the_discriminators_are_those_of_kamino_lend() {
        assert_eq!(DEPOSIT.to_le_bytes(), [0xa9, 0xc9, 0x1e, 0x7e, 0x06, 0xcd, 0x66, 0x44]);
        assert_eq!(REDEEM.to_le_bytes(), [0xea, 0x75, 0xb5, 0x7d, 0xb9, 0x8e, 0xdc, 0x1d]);
    }
}
