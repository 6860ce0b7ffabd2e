//! A program that makes the calls that a test gives it. It runs on test chains only.
//!
//! At the address of the yield reserve it acts as a reserve upgraded to steal: for a deposit or a
//! withdrawal of the wallet, it makes the calls stored in the reserve's account, with the yield
//! authority's signature that it received and its own market authority's. At any other address
//! it makes the calls of its instruction data, with its caller's signatures.

#![no_std]

use const_crypto::{bs58::decode_pubkey, ed25519::derive_program_address, sha2::Sha256};
use core::mem::MaybeUninit;
use pinocchio::{
    cpi::{invoke_signed_unchecked, CpiAccount, Seed, Signer},
    error::ProgramError,
    instruction::{InstructionAccount, InstructionView},
    no_allocator, nostd_panic_handler, program_entrypoint, AccountView, Address, ProgramResult,
};

/// Address of the sandbox reserve, which this program replaces.
const RESERVE_PROGRAM: [u8; 32] = decode_pubkey("CQZrTbkk1MwyhHtTG1wqJr8YrVk7oHK8h3E2C3tKgiDD");
const MARKET: [u8; 32] = derive_program_address(&[b"market"], &RESERVE_PROGRAM).0;
const MARKET_AUTHORITY_BUMP: [u8; 1] =
    [derive_program_address(&[b"lma", &MARKET], &RESERVE_PROGRAM).1];

/// Offset of the calls in the data of the reserve's account, after its own fields.
const CALLS_AT: usize = 6_000;

const MAX_ACCOUNTS: usize = 24;

program_entrypoint!(process_instruction, MAX_ACCOUNTS);
no_allocator!();
nostd_panic_handler!();

const fn discriminator(namespaced_name: &str) -> u64 {
    let hash = Sha256::new().update(namespaced_name.as_bytes()).finalize();
    u64::from_le_bytes([hash[0], hash[1], hash[2], hash[3], hash[4], hash[5], hash[6], hash[7]])
}

const DEPOSIT: u64 = discriminator("global:deposit_reserve_liquidity");
const REDEEM: u64 = discriminator("global:redeem_reserve_collateral");

/// Makes the calls of the reserve's account for the wallet, those of `data` for other callers.
///
/// # Errors
/// The runtime's error of a call; `InvalidInstructionData` when the calls are cut off.
// Inlined because the target passes at most five registers of arguments.
#[inline(always)]
pub fn process_instruction(
    _program_id: &Address,
    accounts: &mut [AccountView],
    data: &[u8],
) -> ProgramResult {
    let place_of_reserve = match data.first_chunk::<8>().map(|tag| u64::from_le_bytes(*tag)) {
        Some(DEPOSIT) => 1,
        Some(REDEEM) => 2,
        _ => return make_calls(&Means { calls: data, accounts, signers: &[] }),
    };
    let reserve = accounts.get(place_of_reserve).ok_or(ProgramError::NotEnoughAccountKeys)?;
    let bytes = reserve.try_borrow()?;
    let calls = bytes.get(CALLS_AT..).ok_or(ProgramError::AccountDataTooSmall)?;
    let seeds = [Seed::from(b"lma"), Seed::from(&MARKET), Seed::from(&MARKET_AUTHORITY_BUMP)];
    make_calls(&Means { calls, accounts, signers: &[Signer::from(&seeds)] })
}

/// Reads from front to back; fails when the bytes run out.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn chunk<const N: usize>(&mut self) -> Result<&'a [u8; N], ProgramError> {
        let (chunk, rest) =
            self.0.split_first_chunk::<N>().ok_or(ProgramError::InvalidInstructionData)?;
        self.0 = rest;
        Ok(chunk)
    }

    fn byte(&mut self) -> Result<u8, ProgramError> {
        self.chunk::<1>().map(|[byte]| *byte)
    }

    fn address(&mut self) -> Result<&'a Address, ProgramError> {
        let bytes = self.chunk::<32>()?;
        // SAFETY: `Address` is a transparent `[u8; 32]`.
        Ok(unsafe { &*bytes.as_ptr().cast::<Address>() })
    }

    fn bytes(&mut self, len: usize) -> Result<&'a [u8], ProgramError> {
        let (bytes, rest) =
            self.0.split_at_checked(len).ok_or(ProgramError::InvalidInstructionData)?;
        self.0 = rest;
        Ok(bytes)
    }
}

/// The calls and their inputs, in one struct because the target passes at most five registers
/// of arguments.
struct Means<'a> {
    /// Number of calls (one byte); per call the program, the number of accounts (one byte), per
    /// account its address and flags (1 writable, 2 signer), the length (two bytes), the data.
    calls: &'a [u8],
    /// Every call receives all of them.
    accounts: &'a [AccountView],
    signers: &'a [Signer<'a, 'a>],
}

#[inline(never)]
fn make_calls(means: &Means) -> ProgramResult {
    let mut reader = Reader(means.calls);
    for _ in 0..reader.byte()? {
        make_call(means, &mut reader)?;
    }
    Ok(())
}

#[inline(never)]
fn make_call(means: &Means, reader: &mut Reader) -> ProgramResult {
    let program_id = reader.address()?;
    let mut metas = [const { MaybeUninit::<InstructionAccount>::uninit() }; MAX_ACCOUNTS];
    let count = usize::from(reader.byte()?);
    for place in metas.get_mut(..count).ok_or(ProgramError::InvalidInstructionData)? {
        let address = reader.address()?;
        let flags = reader.byte()?;
        place.write(InstructionAccount::new(address, flags & 1 != 0, flags & 2 != 0));
    }
    // SAFETY: the loop wrote the first `count` of them.
    let accounts =
        unsafe { core::slice::from_raw_parts(metas.as_ptr().cast::<InstructionAccount>(), count) };
    let len = usize::from(u16::from_le_bytes(*reader.chunk::<2>()?));
    let call = InstructionView { program_id, accounts, data: reader.bytes(len)? };
    invoke(&call, means);
    Ok(())
}

#[inline(never)]
fn invoke(call: &InstructionView, means: &Means) {
    let mut handed = [const { MaybeUninit::<CpiAccount>::uninit() }; MAX_ACCOUNTS];
    for (place, account) in handed.iter_mut().zip(means.accounts) {
        place.write(CpiAccount::from(account));
    }
    let len = means.accounts.len().min(MAX_ACCOUNTS);
    // SAFETY: the loop wrote the first `len` of them. The only borrow is that of the reserve's
    // account, which no program that is called here may write.
    unsafe {
        let handed = core::slice::from_raw_parts(handed.as_ptr().cast::<CpiAccount>(), len);
        invoke_signed_unchecked(call, handed, means.signers);
    }
}
