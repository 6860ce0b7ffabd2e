use crate::{
    borsh::Reader,
    checks,
    create_account::{create, NewTokenAccount},
    error::{log, Error},
    event::{self, VaultInitialized},
    instructions::deadline,
    state::{first_session_index, vault_seeds, Vault, MAX_BASIS_POINTS, VAULT_SEED},
    sysvar::slot,
    USDC_MINT,
};
use pinocchio::{cpi::Signer, AccountView, ProgramResult};

/// Creates the vault of an owner and its USDC token account.
///
/// Arguments: `max_deployed_fraction_bp: u16`, at most 10 000; `deadline: i64`, unix seconds.
///
/// Accounts:
/// 0. `[signer, writable]` owner, who pays
/// 1. `[writable]` vault
/// 2. `[writable]` vault_token_account; anyone may have created it before
/// 3. `[]` usdc_mint
/// 4. `[]` token_program
/// 5. `[]` associated_token_program
/// 6. `[]` system_program
/// 7. `[]` event_authority
/// 8. `[]` program
#[inline(never)]
pub fn process(accounts: &mut [AccountView], arguments: &[u8]) -> ProgramResult {
    log("Instruction: InitVault");
    let mut reader = Reader::new(arguments);
    let max_deployed_fraction_bp = reader.u16()?;
    let deadline = reader.i64()?;
    reader.end()?;
    let [owner, vault, vault_token_account, usdc_mint, token_program, associated_token_program, system_program, event_authority, program, ..] =
        accounts
    else {
        return Err(Error::AccountNotEnoughKeys.fail());
    };

    checks::writable_owner(owner)?;
    checks::writable(vault, "vault")?;
    let bump = checks::derived(vault, &[VAULT_SEED, owner.address().as_ref()], "vault")?;
    let address = *vault.address();
    checks::associated(vault_token_account, &address, &USDC_MINT, "vault_token_account")?;
    checks::usdc_mint(usdc_mint)?;
    checks::owned_by(usdc_mint, &pinocchio_token::ID, "usdc_mint")?;
    checks::token_program(token_program)?;
    checks::associated_token_program(associated_token_program)?;
    checks::system_program(system_program)?;
    checks::event_accounts(event_authority, program)?;
    deadline::check(deadline)?;
    if max_deployed_fraction_bp > MAX_BASIS_POINTS {
        return Err(Error::InvalidFraction.fail());
    }
    let first_index = first_session_index(slot()?).ok_or_else(|| Error::MathOverflow.fail())?;

    let bump_seed = [bump];
    let seeds = vault_seeds(owner.address(), &bump_seed);
    create::<Vault>(vault, "vault", owner, Signer::from(&seeds), bump)?;
    NewTokenAccount {
        payer: owner,
        account: vault_token_account,
        wallet: vault,
        mint: usdc_mint,
        system_program,
        token_program,
    }
    .create()?;
    checks::own_token_account(vault_token_account, &address, &USDC_MINT, "vault_token_account")?;
    let mut state = checks::view_mut::<Vault>(vault, "vault")?;
    state.owner = *owner.address();
    state.vault_token_account = *vault_token_account.address();
    state.next_session_index = first_index;
    state.max_deployed_fraction_bp = max_deployed_fraction_bp;
    drop(state);
    let event = VaultInitialized {
        owner: owner.address(),
        vault: &address,
        vault_token_account: vault_token_account.address(),
        max_deployed_fraction_bp,
    };
    event::emit(&event, event_authority)
}
