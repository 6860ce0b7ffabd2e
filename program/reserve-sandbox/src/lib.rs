//! Sandbox yield reserve for local and test chains.
//!
//! It has the two instructions of Kamino Lend that the wallet calls, with the same
//! discriminators, accounts in the same order, and the reserve's fields at the same offsets.
//! The administrator creates interest and lack of liquidity, which other users cause on a live
//! market: lend tokens out, increase the debt, repay it.
//!
//! There is one market with one reserve, so every address is known at compile time.

#![no_std]

#[cfg(test)]
extern crate std;

mod checks;
mod error;
mod instructions;
mod liquidity;
mod math;
mod reserve;

use const_crypto::{bs58::decode_pubkey, ed25519::derive_program_address, sha2::Sha256};
use error::Error;
use pinocchio::{
    address::address_eq, cpi::Seed, no_allocator, nostd_panic_handler, program_entrypoint,
    AccountView, Address, ProgramResult,
};

/// Address of this program: the public test key of `program/keys`.
pub const ID: Address =
    Address::new_from_array(decode_pubkey("CQZrTbkk1MwyhHtTG1wqJr8YrVk7oHK8h3E2C3tKgiDD"));

const INSTRUCTIONS_SYSVAR: Address =
    Address::new_from_array(decode_pubkey("Sysvar1nstructions1111111111111111111111111"));

/// A program address with the seeds that sign for it.
struct Derived {
    address: Address,
    bump: [u8; 1],
}

const fn derived(seeds: &[&[u8]]) -> Derived {
    let (address, bump) = derive_program_address(seeds, ID.as_array());
    Derived { address: Address::new_from_array(address), bump: [bump] }
}

const MARKET: Derived = derived(&[b"market"]);
/// Authority over the reserve's tokens and over the collateral mint.
const MARKET_AUTHORITY: Derived = derived(&[b"lma", MARKET.address.as_array()]);
const RESERVE: Derived = derived(&[b"reserve"]);
const LIQUIDITY_SUPPLY: Derived = derived(&[b"reserve_liq_supply", RESERVE.address.as_array()]);
const COLLATERAL_MINT: Derived = derived(&[b"reserve_coll_mint", RESERVE.address.as_array()]);
/// Holds the collateral of the first deposit permanently.
const COLLATERAL_SUPPLY: Derived = derived(&[b"reserve_coll_supply", RESERVE.address.as_array()]);

/// Seeds with which the market authority signs.
fn authority_seeds() -> [Seed<'static>; 3] {
    let market = MARKET.address.as_array();
    [Seed::from(b"lma"), Seed::from(market), Seed::from(&MARKET_AUTHORITY.bump)]
}

/// Maximum number of accounts of an instruction; further accounts are not parsed.
const MAX_ACCOUNTS: usize = 16;

program_entrypoint!(process_instruction, MAX_ACCOUNTS);
no_allocator!();
nostd_panic_handler!();

/// First eight bytes of the SHA-256 of `namespace:name`, as a little-endian number.
const fn discriminator(namespaced_name: &str) -> u64 {
    let hash = Sha256::new().update(namespaced_name.as_bytes()).finalize();
    u64::from_le_bytes([hash[0], hash[1], hash[2], hash[3], hash[4], hash[5], hash[6], hash[7]])
}

const DEPOSIT: u64 = discriminator("global:deposit_reserve_liquidity");
const REDEEM: u64 = discriminator("global:redeem_reserve_collateral");
const REFRESH: u64 = discriminator("global:refresh_reserve");
const INIT: u64 = discriminator("global:init_reserve");
const ACCRUE: u64 = discriminator("global:accrue");
const BORROW_OUT: u64 = discriminator("global:borrow_out");
const REPAY: u64 = discriminator("global:repay");
const SET_RATE: u64 = discriminator("global:set_rate");

/// Runs the instruction that the first eight bytes of `data` name.
///
/// # Errors
/// 4100 when deployed at another address than [`ID`], 101 for an unknown instruction, else the
/// error of the instruction.
// Inlined because the target passes at most five registers of arguments.
#[inline(always)]
pub fn process_instruction(
    program_id: &Address,
    accounts: &mut [AccountView],
    data: &[u8],
) -> ProgramResult {
    if !address_eq(program_id, &ID) {
        return Err(Error::DeclaredProgramIdMismatch.fail());
    }
    let Some((tag, arguments)) = data.split_first_chunk::<8>() else {
        return Err(Error::InstructionFallbackNotFound.fail());
    };
    match u64::from_le_bytes(*tag) {
        DEPOSIT => instructions::deposit_reserve_liquidity::process(accounts, arguments),
        REDEEM => instructions::redeem_reserve_collateral::process(accounts, arguments),
        REFRESH => instructions::refresh_reserve::process(accounts, arguments),
        INIT => instructions::init_reserve::process(accounts, arguments),
        ACCRUE => instructions::accrue::process(accounts, arguments),
        BORROW_OUT => instructions::borrow_out::process(accounts, arguments),
        REPAY => instructions::repay::process(accounts, arguments),
        SET_RATE => instructions::set_rate::process(accounts, arguments),
        _ => Err(Error::InstructionFallbackNotFound.fail()),
    }
}
