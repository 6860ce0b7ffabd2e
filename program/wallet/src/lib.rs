//! Agent spending wallet: an owner keeps USDC in a vault and lets session keys spend it
//! within limits.
//!
//! The program speaks Anchor's wire format (discriminators, Borsh, error texts,
//! events, IDL) without Anchor: clients use `idl/agent_wallet.json`.
//! One instruction is one file in `instructions`; the rules about money are pure
//! functions in `state` and `math`.

#![no_std]

#[cfg(test)]
extern crate std;

mod associated_token;
mod borsh;
mod call;
mod checks;
mod create_account;
mod error;
mod event;
mod instructions;
mod math;
mod memory;
mod reserve;
mod reserve_call;
mod state;
mod sysvar;
mod token_programs;

use const_crypto::{bs58::decode_pubkey, sha2::Sha256};
use error::Error;
use pinocchio::{
    address::address_eq as same, no_allocator, nostd_panic_handler, program_entrypoint,
    AccountView, Address, ProgramResult,
};

/// Address of this program. A build for a real cluster sets `PROGRAM_ID`; the default is the
/// public test key.
pub const ID: Address = Address::new_from_array(match option_env!("PROGRAM_ID") {
    Some(id) => decode_pubkey(id),
    None => TEST_ID,
});

/// The public test key of `program/keys`. Everybody knows its secret, so on a cluster the address
/// belongs to the first who deploys there.
const TEST_ID: [u8; 32] = decode_pubkey("bPnk5YbjddraY6VFyhAFS5at5FXNjEtCoDARzTL8jBm");

#[cfg(feature = "devnet")]
const _: () = assert!(
    !is_test_id(ID.as_array()),
    "a build for devnet needs PROGRAM_ID, the address of a key that only its deployer has"
);

#[cfg(feature = "devnet")]
const fn is_test_id(id: &[u8; 32]) -> bool {
    let mut place = 0;
    while place < id.len() {
        if id[place] != TEST_ID[place] {
            return false;
        }
        place = place.wrapping_add(1);
    }
    true
}

/// The only mint that a vault holds: USDC of devnet, which has 6 decimals.
pub const USDC_MINT: Address =
    Address::new_from_array(decode_pubkey("4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU"));
pub const USDC_DECIMALS: u8 = 6;

/// Maximum number of accounts of an instruction; further accounts are not parsed.
const MAX_ACCOUNTS: usize = 18;

program_entrypoint!(process_instruction, MAX_ACCOUNTS);
no_allocator!();
nostd_panic_handler!();

/// First eight bytes of the SHA-256 of `namespace:name`, as a little-endian number.
const fn discriminator(namespaced_name: &str) -> u64 {
    let hash = Sha256::new().update(namespaced_name.as_bytes()).finalize();
    u64::from_le_bytes([hash[0], hash[1], hash[2], hash[3], hash[4], hash[5], hash[6], hash[7]])
}

const INIT_VAULT: u64 = discriminator("global:init_vault");
const INIT_YIELD: u64 = discriminator("global:init_yield");
const ADD_SESSION: u64 = discriminator("global:add_session");
const UPDATE_SESSION_ALLOWLIST: u64 = discriminator("global:update_session_allowlist");
const UPDATE_SESSION_LIMITS: u64 = discriminator("global:update_session_limits");
const REVOKE_SESSION: u64 = discriminator("global:revoke_session");
const SET_PAUSED: u64 = discriminator("global:set_paused");
const SET_MAX_DEPLOYED_FRACTION: u64 = discriminator("global:set_max_deployed_fraction");
const OWNER_WITHDRAW: u64 = discriminator("global:owner_withdraw");
const SWEEP_TOKEN_ACCOUNT: u64 = discriminator("global:sweep_token_account");
const SWEEP_LAMPORTS: u64 = discriminator("global:sweep_lamports");
const MIGRATE_VAULT: u64 = discriminator("global:migrate_vault");
const CLOSE_VAULT: u64 = discriminator("global:close_vault");
const TRANSFER_USDC: u64 = discriminator("global:transfer_usdc");
const YIELD_DEPOSIT: u64 = discriminator("global:yield_deposit");
const YIELD_WITHDRAW: u64 = discriminator("global:yield_withdraw");

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
    if !same(program_id, &ID) {
        return Err(Error::DeclaredProgramIdMismatch.fail());
    }
    let Some((tag, arguments)) = data.split_first_chunk::<8>() else {
        return Err(Error::InstructionFallbackNotFound.fail());
    };
    match u64::from_le_bytes(*tag) {
        event::SELF_CALL_TAG => event::accept_self_call(accounts),
        TRANSFER_USDC => instructions::transfer_usdc::process(accounts, arguments),
        YIELD_DEPOSIT => instructions::yield_deposit::process(accounts, arguments),
        YIELD_WITHDRAW => instructions::yield_withdraw::process(accounts, arguments),
        INIT_VAULT => instructions::init_vault::process(accounts, arguments),
        INIT_YIELD => instructions::init_yield::process(accounts, arguments),
        ADD_SESSION => instructions::add_session::process(accounts, arguments),
        UPDATE_SESSION_ALLOWLIST => {
            instructions::update_session_allowlist::process(accounts, arguments)
        }
        UPDATE_SESSION_LIMITS => instructions::update_session_limits::process(accounts, arguments),
        REVOKE_SESSION => instructions::revoke_session::process(accounts, arguments),
        SET_PAUSED => instructions::set_paused::process(accounts, arguments),
        SET_MAX_DEPLOYED_FRACTION => {
            instructions::set_max_deployed_fraction::process(accounts, arguments)
        }
        OWNER_WITHDRAW => instructions::owner_withdraw::process(accounts, arguments),
        SWEEP_TOKEN_ACCOUNT => instructions::sweep_token_account::process(accounts, arguments),
        SWEEP_LAMPORTS => instructions::sweep_lamports::process(accounts, arguments),
        MIGRATE_VAULT => instructions::migrate_vault::process(accounts, arguments),
        CLOSE_VAULT => instructions::close_vault::process(accounts, arguments),
        _ => Err(Error::InstructionFallbackNotFound.fail()),
    }
}
