use crate::{
    borsh::Reader,
    checks,
    error::{log, Error},
    event::{self, MaxDeployedFractionSet},
    instructions::deadline,
    state::MAX_BASIS_POINTS,
};
use pinocchio::{AccountView, ProgramResult};

/// Sets the largest fraction of the vault's USDC that may be deployed for yield. A deployed
/// amount above it stays deployed.
///
/// Arguments: `max_deployed_fraction_bp: u16`, at most 10 000; `deadline: i64`, unix seconds.
///
/// Accounts:
/// 0. `[signer]` owner
/// 1. `[writable]` vault
/// 2. `[]` event_authority
/// 3. `[]` program
#[inline(never)]
pub fn process(accounts: &mut [AccountView], arguments: &[u8]) -> ProgramResult {
    log("Instruction: SetMaxDeployedFraction");
    let mut reader = Reader::new(arguments);
    let max_deployed_fraction_bp = reader.u16()?;
    let deadline = reader.i64()?;
    reader.end()?;
    let [owner, vault, event_authority, program, ..] = accounts else {
        return Err(Error::AccountNotEnoughKeys.fail());
    };

    let vault_address = *vault.address();
    let mut state = checks::owned_vault_mut(vault, owner)?;
    checks::event_accounts(event_authority, program)?;
    deadline::check(deadline)?;
    if max_deployed_fraction_bp > MAX_BASIS_POINTS {
        return Err(Error::InvalidFraction.fail());
    }

    state.max_deployed_fraction_bp = max_deployed_fraction_bp;
    let event = MaxDeployedFractionSet { vault: &vault_address, max_deployed_fraction_bp };
    event::emit(&event, event_authority)
}
