//! Events, each in both forms that Anchor clients know: as log data (`emit!`) and as a call
//! of this program to itself (`emit_cpi!`), which no log limit cuts. A consumer reads one.

use crate::{
    borsh::Writer,
    call::{Accounts, Call, Right},
    checks::inlined as checks,
    discriminator,
    error::Error,
    instructions::{limits::Limits, spend::Spend},
    state::Session,
    ID,
};
use const_crypto::ed25519::derive_program_address;
use pinocchio::{
    cpi::{invoke_signed, Seed, Signer},
    instruction::{InstructionAccount, InstructionView},
    AccountView, Address, ProgramResult,
};

/// First eight bytes of a self-call, fixed by Anchor.
pub const SELF_CALL_TAG: u64 = 0x1d9a_cb51_2ea5_45e4;

const AUTHORITY_SEED: &[u8] = b"__event_authority";
const AUTHORITY: ([u8; 32], u8) = derive_program_address(&[AUTHORITY_SEED], ID.as_array());
const AUTHORITY_ADDRESS: Address = Address::new_from_array(AUTHORITY.0);
const AUTHORITY_BUMP: [u8; 1] = [AUTHORITY.1];

/// An event type; `write` appends its fields in the order of the IDL.
pub trait Event {
    const DISCRIMINATOR: u64;
    fn write(&self, out: &mut Writer);
}

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
    data.u64(SELF_CALL_TAG);
    data.u64(E::DISCRIMINATOR);
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

#[inline(always)]
fn call_self(data: &[u8], event_authority: &AccountView) -> ProgramResult {
    let seeds = [Seed::from(AUTHORITY_SEED), Seed::from(&AUTHORITY_BUMP)];
    let accounts = [InstructionAccount::readonly_signer(event_authority.address())];
    let call = InstructionView { program_id: &ID, accounts: &accounts, data };
    invoke_signed(&call, &[event_authority], &[Signer::from(&seeds)])
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

pub struct VaultInitialized<'a> {
    pub owner: &'a Address,
    pub vault: &'a Address,
    pub vault_token_account: &'a Address,
    pub max_deployed_fraction_bp: u16,
}

impl Event for VaultInitialized<'_> {
    const DISCRIMINATOR: u64 = discriminator("event:VaultInitialized");

    fn write(&self, out: &mut Writer) {
        out.address(self.owner);
        out.address(self.vault);
        out.address(self.vault_token_account);
        out.u16(self.max_deployed_fraction_bp);
    }
}

pub struct YieldInitialized<'a> {
    pub vault: &'a Address,
    pub yield_authority: &'a Address,
    pub transit_token_account: &'a Address,
    pub collateral_token_account: &'a Address,
    pub reserve: &'a Address,
}

impl Event for YieldInitialized<'_> {
    const DISCRIMINATOR: u64 = discriminator("event:YieldInitialized");

    fn write(&self, out: &mut Writer) {
        out.address(self.vault);
        out.address(self.yield_authority);
        out.address(self.transit_token_account);
        out.address(self.collateral_token_account);
        out.address(self.reserve);
    }
}

pub struct SessionAdded<'a> {
    pub session: &'a Address,
    pub settings: &'a Session,
}

impl Event for SessionAdded<'_> {
    const DISCRIMINATOR: u64 = discriminator("event:SessionAdded");

    fn write(&self, out: &mut Writer) {
        out.address(&self.settings.vault);
        out.address(self.session);
        out.address(&self.settings.session_pubkey);
        out.u64(self.settings.index);
        out.u64(self.settings.max_per_tx);
        out.u64(self.settings.daily_cap);
        out.i64(self.settings.expiry);
        out.u16(self.settings.allowed_instructions);
        out.addresses(self.settings.allowlist());
    }
}

pub struct SessionAllowlistUpdated<'a> {
    pub vault: &'a Address,
    pub session: &'a Address,
    pub recipients: &'a [Address],
}

impl Event for SessionAllowlistUpdated<'_> {
    const DISCRIMINATOR: u64 = discriminator("event:SessionAllowlistUpdated");

    fn write(&self, out: &mut Writer) {
        out.address(self.vault);
        out.address(self.session);
        out.addresses(self.recipients);
    }
}

pub struct SessionLimitsUpdated<'a> {
    pub vault: &'a Address,
    pub session: &'a Address,
    pub limits: &'a Limits,
}

impl Event for SessionLimitsUpdated<'_> {
    const DISCRIMINATOR: u64 = discriminator("event:SessionLimitsUpdated");

    fn write(&self, out: &mut Writer) {
        out.address(self.vault);
        out.address(self.session);
        out.u64(self.limits.max_per_tx);
        out.u64(self.limits.daily_cap);
        out.i64(self.limits.expiry);
        out.u16(self.limits.allowed_instructions);
    }
}

pub struct SessionRevoked<'a> {
    pub vault: &'a Address,
    pub session: &'a Address,
    pub session_pubkey: &'a Address,
    pub index: u64,
}

impl Event for SessionRevoked<'_> {
    const DISCRIMINATOR: u64 = discriminator("event:SessionRevoked");

    fn write(&self, out: &mut Writer) {
        out.address(self.vault);
        out.address(self.session);
        out.address(self.session_pubkey);
        out.u64(self.index);
    }
}

pub struct MaxDeployedFractionSet<'a> {
    pub vault: &'a Address,
    pub max_deployed_fraction_bp: u16,
}

impl Event for MaxDeployedFractionSet<'_> {
    const DISCRIMINATOR: u64 = discriminator("event:MaxDeployedFractionSet");

    fn write(&self, out: &mut Writer) {
        out.address(self.vault);
        out.u16(self.max_deployed_fraction_bp);
    }
}

pub struct PausedSet<'a> {
    pub vault: &'a Address,
    pub paused: bool,
}

impl Event for PausedSet<'_> {
    const DISCRIMINATOR: u64 = discriminator("event:PausedSet");

    fn write(&self, out: &mut Writer) {
        out.address(self.vault);
        out.push(&[u8::from(self.paused)]);
    }
}

pub struct VaultMigrated<'a> {
    pub vault: &'a Address,
    pub version: u8,
}

impl Event for VaultMigrated<'_> {
    const DISCRIMINATOR: u64 = discriminator("event:VaultMigrated");

    fn write(&self, out: &mut Writer) {
        out.address(self.vault);
        out.push(&[self.version]);
    }
}

pub struct VaultClosed<'a> {
    pub vault: &'a Address,
    pub owner: &'a Address,
}

impl Event for VaultClosed<'_> {
    const DISCRIMINATOR: u64 = discriminator("event:VaultClosed");

    fn write(&self, out: &mut Writer) {
        out.address(self.vault);
        out.address(self.owner);
    }
}

pub struct UsdcTransferred<'a> {
    pub vault: &'a Address,
    pub session: &'a Address,
    pub session_index: u64,
    pub recipient: &'a Address,
    pub amount: u64,
    pub spend_seq: u64,
    pub spend_id: &'a [u8; 16],
    pub daily_spent: u64,
    pub daily_cap: u64,
    pub vault_balance_after: u64,
    pub unix_timestamp: i64,
}

impl UsdcTransferred<'_> {
    const DISCRIMINATOR: u64 = discriminator("event:UsdcTransferred");

    /// Like [`emit`], compiled into the transfer: calls of functions would cost it 100 units.
    #[inline(always)]
    pub fn emit(&self, event_authority: &AccountView) -> ProgramResult {
        let mut data = Writer::new();
        data.put(&SELF_CALL_TAG.to_le_bytes());
        data.put(&Self::DISCRIMINATOR.to_le_bytes());
        data.put(self.vault.as_array());
        data.put(self.session.as_array());
        data.put(&self.session_index.to_le_bytes());
        data.put(self.recipient.as_array());
        data.put(&self.amount.to_le_bytes());
        data.put(&self.spend_seq.to_le_bytes());
        data.put(self.spend_id);
        data.put(&self.daily_spent.to_le_bytes());
        data.put(&self.daily_cap.to_le_bytes());
        data.put(&self.vault_balance_after.to_le_bytes());
        data.put(&self.unix_timestamp.to_le_bytes());
        log_data(data.written());
        call_self(data.written(), event_authority)
    }
}

/// Fields of both directions between vault and reserve.
pub struct YieldMoved<'a> {
    pub vault: &'a Address,
    /// None for the owner.
    pub session: Option<&'a Address>,
    pub spend: &'a Spend<'a>,
    /// As requested.
    pub amount: u64,
    /// As moved.
    pub liquidity_delta: u64,
    pub collateral_delta: u64,
    pub deployed_amount: u64,
    pub vault_balance_after: u64,
    pub unix_timestamp: i64,
}

impl YieldMoved<'_> {
    fn write(&self, out: &mut Writer) {
        out.address(self.vault);
        out.push(&[u8::from(self.session.is_some())]);
        if let Some(session) = self.session {
            out.address(session);
        }
        out.u64(self.spend.session_index);
        out.u64(self.spend.seq);
        out.push(self.spend.id);
        out.u64(self.amount);
        out.u64(self.liquidity_delta);
        out.u64(self.collateral_delta);
        out.u64(self.deployed_amount);
        out.u64(self.vault_balance_after);
        out.i64(self.unix_timestamp);
    }
}

pub struct YieldDeposited<'a>(pub YieldMoved<'a>);

impl Event for YieldDeposited<'_> {
    const DISCRIMINATOR: u64 = discriminator("event:YieldDeposited");

    fn write(&self, out: &mut Writer) {
        self.0.write(out);
    }
}

pub struct YieldWithdrawn<'a>(pub YieldMoved<'a>);

impl Event for YieldWithdrawn<'_> {
    const DISCRIMINATOR: u64 = discriminator("event:YieldWithdrawn");

    fn write(&self, out: &mut Writer) {
        self.0.write(out);
    }
}

pub struct OwnerWithdrew<'a> {
    pub vault: &'a Address,
    pub owner: &'a Address,
    pub owner_token_account: &'a Address,
    pub amount: u64,
    pub vault_balance_after: u64,
}

impl Event for OwnerWithdrew<'_> {
    const DISCRIMINATOR: u64 = discriminator("event:OwnerWithdrew");

    fn write(&self, out: &mut Writer) {
        out.address(self.vault);
        out.address(self.owner);
        out.address(self.owner_token_account);
        out.u64(self.amount);
        out.u64(self.vault_balance_after);
    }
}

pub struct TokenAccountSwept<'a> {
    pub vault: &'a Address,
    pub owner: &'a Address,
    pub token_account: &'a Address,
    pub mint: &'a Address,
    /// None when none was given; the amount is then zero.
    pub owner_token_account: Option<&'a Address>,
    pub amount: u64,
    pub closed: bool,
    /// After the sweep.
    pub deployed_amount: u64,
}

impl Event for TokenAccountSwept<'_> {
    const DISCRIMINATOR: u64 = discriminator("event:TokenAccountSwept");

    fn write(&self, out: &mut Writer) {
        out.address(self.vault);
        out.address(self.owner);
        out.address(self.token_account);
        out.address(self.mint);
        out.push(&[u8::from(self.owner_token_account.is_some())]);
        if let Some(owner_token_account) = self.owner_token_account {
            out.address(owner_token_account);
        }
        out.u64(self.amount);
        out.push(&[u8::from(self.closed)]);
        out.u64(self.deployed_amount);
    }
}

pub struct LamportsSwept<'a> {
    pub vault: &'a Address,
    pub owner: &'a Address,
    pub amount: u64,
}

impl Event for LamportsSwept<'_> {
    const DISCRIMINATOR: u64 = discriminator("event:LamportsSwept");

    fn write(&self, out: &mut Writer) {
        out.address(self.vault);
        out.address(self.owner);
        out.u64(self.amount);
    }
}
