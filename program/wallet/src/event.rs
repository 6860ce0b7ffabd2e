//! Events, each in both forms that Anchor clients know: as log data (`emit!`) and as a call
//! of this program to itself (`emit_cpi!`), which no log limit cuts. A consumer reads one.
//!
//! This file emits them; their fields are in the files of `event`, by subject.

mod session;
mod transfer;
mod vault;
mod withdrawals;
mod yield_reserve;

pub use session::{SessionAdded, SessionAllowlistUpdated, SessionLimitsUpdated, SessionRevoked};
pub use transfer::UsdcTransferred;
pub use vault::{MaxDeployedFractionSet, PausedSet, VaultClosed, VaultInitialized, VaultMigrated};
pub use withdrawals::{LamportsSwept, OwnerWithdrew, TokenAccountSwept};
pub use yield_reserve::{YieldDeposited, YieldInitialized, YieldMoved, YieldWithdrawn};

use crate::{
    borsh::{Borsh, Writer},
    call::{Accounts, Call, Right},
    checks::inlined as checks,
    error::Error,
    ID,
};
use const_crypto::ed25519::derive_program_address;
use pinocchio::{
    cpi::{Seed, Signer},
    AccountView, Address, ProgramResult,
};

/// First eight bytes of a self-call, fixed by Anchor.
pub const SELF_CALL_TAG: u64 = 0x1d9a_cb51_2ea5_45e4;

const AUTHORITY_SEED: &[u8] = b"__event_authority";
const AUTHORITY: ([u8; 32], u8) = derive_program_address(&[AUTHORITY_SEED], ID.as_array());
const AUTHORITY_ADDRESS: Address = Address::new_from_array(AUTHORITY.0);
const AUTHORITY_BUMP: [u8; 1] = [AUTHORITY.1];

/// An event type, written in the order of its fields, which is that of the IDL.
pub trait Event: Borsh {
    const DISCRIMINATOR: u64;
}

/// Makes types events by their names in the IDL.
macro_rules! events {
    ($($name:ident),*) => {$(
        impl $crate::event::Event for $name<'_> {
            const DISCRIMINATOR: u64 =
                $crate::discriminator(concat!("event:", stringify!($name)));
        }
    )*};
}
use events;

/// Checks the two last accounts of every instruction.
#[inline(always)]
pub fn check_accounts(event_authority: &AccountView, program: &AccountView) -> Result<(), Error> {
    let name = "event_authority";
    checks::address(event_authority, &AUTHORITY_ADDRESS, Error::ConstraintSeeds, name)?;
    checks::program(program, &ID, "program")
}

/// Emits `event` in both forms. `event_authority` must not be borrowed.
#[inline(always)]
pub fn emit<E: Event>(event: &E, event_authority: &AccountView) -> ProgramResult {
    let mut data = Writer::new();
    SELF_CALL_TAG.write(&mut data);
    E::DISCRIMINATOR.write(&mut data);
    event.write(&mut data);
    send(&data, event_authority)
}

#[inline(never)]
fn send(data: &Writer, event_authority: &AccountView) -> ProgramResult {
    log_data(data.written());
    let seeds = [Seed::from(AUTHORITY_SEED), Seed::from(&AUTHORITY_BUMP)];
    Call {
        program: &ID,
        accounts: Accounts::of(&[(event_authority, Right::Sign)]),
        data: data.written(),
        signers: &[Signer::from(&seeds)],
    }
    .make()
}

/// Logs the event without the tag of a self-call, with which `data` begins.
#[inline(always)]
fn log_data(data: &[u8]) {
    let event = data.get(size_of_val(&SELF_CALL_TAG)..).unwrap_or_default();
    #[cfg(any(target_os = "solana", target_arch = "bpf"))]
    {
        let fields = [event];
        // SAFETY: the pointer is that of one slice, which outlives the call.
        unsafe { pinocchio::syscalls::sol_log_data(fields.as_ptr().cast(), 1) };
    }
    #[cfg(not(any(target_os = "solana", target_arch = "bpf")))]
    core::hint::black_box(event);
}

/// Receives the self-call: does nothing, and accepts it only from this program.
///
/// # Errors
/// 2002 unless the event authority signed, for which only this program can sign; 2006 for
/// another account.
pub fn accept_self_call(accounts: &[AccountView]) -> ProgramResult {
    let [event_authority, ..] = accounts else {
        return Err(Error::AccountNotEnoughKeys.fail());
    };
    let name = "event_authority";
    if !event_authority.is_signer() {
        return Err(Error::ConstraintSigner.at(name));
    }
    Ok(checks::address(event_authority, &AUTHORITY_ADDRESS, Error::ConstraintSeeds, name)?)
}
