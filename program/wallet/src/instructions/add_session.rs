use crate::{
    borsh::Reader,
    checks,
    create_account::create,
    error::{log, Error},
    event::{self, SessionAdded},
    instructions::{deadline, limits::Limits, recipients},
    state::{count_open_sessions, Session, SESSION_SEED},
    sysvar::unix_timestamp,
};
use pinocchio::{
    address::address_eq,
    cpi::{Seed, Signer},
    error::ProgramError,
    AccountView, Address, ProgramResult,
};

struct Arguments<'a> {
    session_pubkey: &'a Address,
    limits: Limits,
    recipients: &'a [Address],
    session_index: u64,
    deadline: i64,
}

impl<'a> Arguments<'a> {
    fn read(bytes: &'a [u8]) -> Result<Self, ProgramError> {
        let mut reader = Reader::new(bytes);
        let arguments = Self {
            session_pubkey: reader.address()?,
            limits: Limits::read(&mut reader)?,
            recipients: reader.addresses()?,
            session_index: reader.u64()?,
            deadline: reader.i64()?,
        };
        reader.end()?;
        Ok(arguments)
    }
}

/// Creates a session: a key that may spend from the vault within limits.
///
/// Arguments: `session_pubkey, max_per_tx: u64, daily_cap: u64, expiry: i64,
/// allowed_instructions: u16, recipients: vec<pubkey>, session_index: u64, deadline: i64` (unix
/// seconds). `session_index` is the next index of the vault, so that each signature creates at
/// most one session: a copy that was held back lands neither beside the other nor after a
/// revocation.
///
/// Accounts:
/// 0. `[signer, writable]` owner, who pays
/// 1. `[writable]` vault
/// 2. `[writable]` session
/// 3. `[]` system_program
/// 4. `[]` event_authority
/// 5. `[]` program
#[inline(never)]
pub fn process(accounts: &mut [AccountView], arguments: &[u8]) -> ProgramResult {
    log("Instruction: AddSession");
    let arguments = Arguments::read(arguments)?;
    let [owner, vault, session, system_program, event_authority, program, ..] = accounts else {
        return Err(Error::AccountNotEnoughKeys.fail());
    };

    checks::writable_owner(owner)?;
    let vault_address = *vault.address();
    let mut vault_state = checks::owned_vault_mut(vault, owner)?;
    checks::writable(session, "session")?;
    let session_pubkey = arguments.session_pubkey;
    let seeds = [SESSION_SEED, vault_address.as_ref(), session_pubkey.as_ref()];
    let bump = checks::derived(session, &seeds, "session")?;
    let address = *session.address();
    checks::system_program(system_program)?;
    checks::event_accounts(event_authority, program)?;
    deadline::check(arguments.deadline)?;
    let index = vault_state.next_session_index;
    if arguments.session_index != index {
        return Err(Error::SessionIndexMismatch.fail());
    }
    let no_keys = [&Address::default(), &vault_address, event_authority.address()];
    if no_keys.iter().any(|one| address_eq(one, session_pubkey)) {
        return Err(Error::SessionKeyForbidden.fail());
    }
    arguments.limits.check(unix_timestamp()?).map_err(Error::fail)?;
    let forbidden = [&vault_address, &vault_state.vault_token_account, session_pubkey];
    recipients::check(arguments.recipients, &forbidden).map_err(Error::fail)?;

    let next = index.checked_add(1).ok_or_else(|| Error::MathOverflow.fail())?;
    vault_state.next_session_index = next;
    drop(vault_state);
    count_open_sessions(&mut vault.try_borrow_mut()?, |count| count.saturating_add(1));
    let bump_seed = [bump];
    let seeds = [
        Seed::from(SESSION_SEED),
        Seed::from(vault_address.as_ref()),
        Seed::from(session_pubkey.as_ref()),
        Seed::from(&bump_seed),
    ];
    create::<Session>(session, "session", owner, Signer::from(&seeds), bump)?;
    let mut state = checks::view_mut::<Session>(session, "session")?;
    state.vault = vault_address;
    state.session_pubkey = *session_pubkey;
    state.index = index;
    arguments.limits.set(&mut state);
    state.set_recipients(arguments.recipients);
    let event = SessionAdded {
        vault: &vault_address,
        session: &address,
        session_pubkey,
        index,
        limits: &arguments.limits,
        recipients: arguments.recipients,
    };
    event::emit(&event, event_authority)
}
