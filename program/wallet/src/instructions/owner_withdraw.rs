use crate::{
    borsh::Reader,
    checks,
    error::{log, Error},
    event::{self, OwnerWithdrew},
    state::{vault_seeds, EVERYTHING},
    token_programs::HeldTokens,
};
use pinocchio::{cpi::Signer, AccountView, ProgramResult};

/// Pays USDC from the vault to a token account of its owner, also while the vault is paused.
///
/// Arguments: `amount: u64`; `u64::MAX` is the whole balance of the vault's token account.
///
/// Accounts:
/// 0. `[signer]` owner
/// 1. `[]` vault
/// 2. `[writable]` vault_token_account
/// 3. `[writable]` owner_token_account, any USDC token account that belongs to the owner
/// 4. `[]` usdc_mint
/// 5. `[]` token_program
/// 6. `[]` event_authority
/// 7. `[]` program
#[inline(never)]
pub fn process(accounts: &mut [AccountView], arguments: &[u8]) -> ProgramResult {
    log("Instruction: OwnerWithdraw");
    let mut reader = Reader::new(arguments);
    let asked = reader.u64()?;
    reader.end()?;
    let [owner, vault, vault_token_account, owner_token_account, usdc_mint, token_program, event_authority, program, ..] =
        accounts
    else {
        return Err(Error::AccountNotEnoughKeys.fail());
    };

    let vault_state = checks::owned_vault(vault, owner)?;
    checks::vault_token_account(vault_token_account, &vault_state.vault_token_account)?;
    let balance = checks::vault_balance(vault_token_account, vault)?;
    checks::writable(owner_token_account, "owner_token_account")?;
    checks::usdc_account(owner_token_account, owner.address(), "owner_token_account")?;
    checks::usdc_mint(usdc_mint)?;
    checks::token_program(token_program)?;
    checks::event_accounts(event_authority, program)?;
    let amount = if asked == EVERYTHING { balance } else { asked };
    if amount == 0 {
        return Err(Error::InvalidAmount.fail());
    }

    let bump = [vault_state.bump];
    drop(vault_state);
    let (account, mint) = (&*vault_token_account, &*usdc_mint);
    HeldTokens { account, wallet: vault, mint, token_program }.pay(
        owner_token_account,
        amount,
        &Signer::from(&vault_seeds(owner.address(), &bump)),
    )?;
    let event = OwnerWithdrew {
        vault: vault.address(),
        owner: owner.address(),
        owner_token_account: owner_token_account.address(),
        amount,
        vault_balance_after: checks::vault_balance(vault_token_account, vault)?,
    };
    event::emit(&event, event_authority)
}
