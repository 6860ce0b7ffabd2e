use crate::{
    borsh::Reader,
    checks,
    create_account::NewTokenAccount,
    error::{log, Error},
    event::{self, YieldInitialized},
    reserve::RESERVE,
    state::YIELD_SEED,
    USDC_MINT,
};
use pinocchio::{AccountView, ProgramResult};

/// Creates the two token accounts through which a vault deploys USDC: the transit account
/// between vault and reserve, and one for the collateral. Both belong to the yield authority,
/// so the reserve never receives the vault or its token account.
///
/// Succeeds when they exist already; only the first call emits an event.
///
/// Arguments: none.
///
/// Accounts:
/// 0. `[signer, writable]` owner, who pays
/// 1. `[writable]` vault
/// 2. `[]` yield_authority
/// 3. `[writable]` transit_token_account; anyone may have created it before
/// 4. `[writable]` collateral_token_account; anyone may have created it before
/// 5. `[]` usdc_mint
/// 6. `[]` collateral_mint
/// 7. `[]` token_program
/// 8. `[]` associated_token_program
/// 9. `[]` system_program
/// 10. `[]` event_authority
/// 11. `[]` program
#[inline(never)]
pub fn process(accounts: &mut [AccountView], arguments: &[u8]) -> ProgramResult {
    log("Instruction: InitYield");
    Reader::new(arguments).end()?;
    let [owner, vault, yield_authority, transit_token_account, collateral_token_account, usdc_mint, collateral_mint, token_program, associated_token_program, system_program, event_authority, program, ..] =
        accounts
    else {
        return Err(Error::AccountNotEnoughKeys.fail());
    };

    checks::writable(owner, "owner")?;
    let vault_address = *vault.address();
    let mut state = checks::owned_vault_mut(vault, owner)?;
    let seeds = [YIELD_SEED, vault_address.as_ref()];
    let bump = checks::derived(yield_authority, &seeds, "yield_authority")?;
    let authority = yield_authority.address();
    checks::associated(transit_token_account, authority, &USDC_MINT, "transit_token_account")?;
    let (collateral, mint) = ("collateral_token_account", &RESERVE.collateral_mint);
    checks::associated(collateral_token_account, authority, mint, collateral)?;
    checks::usdc_mint(usdc_mint)?;
    checks::address(collateral_mint, mint, Error::ReserveMismatch, "collateral_mint")?;
    checks::owned_by(collateral_mint, &pinocchio_token::ID, "collateral_mint")?;
    checks::token_program(token_program)?;
    checks::associated_token_program(associated_token_program)?;
    checks::system_program(system_program)?;
    checks::event_accounts(event_authority, program)?;

    for (account, mint) in
        [(&*transit_token_account, usdc_mint), (&*collateral_token_account, collateral_mint)]
    {
        NewTokenAccount {
            payer: owner,
            account,
            wallet: yield_authority,
            mint,
            system_program,
            token_program,
        }
        .create()?;
    }
    checks::own_token_account(
        transit_token_account,
        authority,
        &USDC_MINT,
        "transit_token_account",
    )?;
    checks::own_token_account(collateral_token_account, authority, mint, collateral)?;
    if state.yield_bump == bump {
        return Ok(());
    }
    state.yield_bump = bump;
    let event = YieldInitialized {
        vault: &vault_address,
        yield_authority: authority,
        transit_token_account: transit_token_account.address(),
        collateral_token_account: collateral_token_account.address(),
        reserve: &RESERVE.reserve,
    };
    event::emit(&event, event_authority)
}
