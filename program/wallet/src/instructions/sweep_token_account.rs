use crate::{
    associated_token::is_associated_address,
    borsh::Reader,
    checks,
    error::{log, Error},
    event::{self, TokenAccountSwept},
    instructions::deadline,
    reserve::RESERVE,
    state::{vault_seeds, yield_seeds, Vault, YIELD_SEED},
    token_programs::{token_program as known_token_program, HeldTokens},
    ID,
};
use pinocchio::{address::address_eq, cpi::Signer, AccountView, ProgramResult};

/// Moves the whole balance of a token account of the vault or of its yield authority to the owner,
/// of any mint and in kind, and closes the account if asked to. Works while the vault is paused and
/// without the reserve.
///
/// Not for the vault's own USDC account, which `owner_withdraw` empties. Sweeping the yield
/// authority's collateral sets `deployed_amount` to 0: the owner holds what was deployed.
///
/// Arguments: `close: bool`, where closing pays the rent to the owner; `deadline: i64`, unix seconds,
/// because a copy that was held back would take a later deposit's collateral out of the reserve.
///
/// Accounts:
/// 0. `[signer, writable]` owner
/// 1. `[writable]` vault
/// 2. `[]` authority, the vault or its yield authority
/// 3. `[writable]` token_account
/// 4. `[writable, optional]` owner_token_account; the program's own address stands for none, which
///    an empty token account permits
/// 5. `[]` mint
/// 6. `[]` token_program, the Token program or Token-2022
/// 7. `[]` event_authority
/// 8. `[]` program
#[inline(never)]
pub fn process(accounts: &mut [AccountView], arguments: &[u8]) -> ProgramResult {
    log("Instruction: SweepTokenAccount");
    let mut reader = Reader::new(arguments);
    let close = reader.bool()?;
    let deadline = reader.i64()?;
    reader.end()?;
    let [owner, vault, authority, token_account, owner_token_account, mint, token_program, event_authority, program, ..] =
        accounts
    else {
        return Err(Error::AccountNotEnoughKeys.fail());
    };

    checks::writable(owner, "owner")?;
    let vault_address = *vault.address();
    let state = checks::owned_vault_mut(vault, owner)?;
    let (vault_bump, vault_token_account) = ([state.bump], state.vault_token_account);
    let mut deployed_amount = state.deployed_amount;
    drop(state);
    let is_vault = address_eq(authority.address(), &vault_address);
    let yield_bump = if is_vault {
        [0]
    } else {
        [checks::derived(authority, &[YIELD_SEED, vault_address.as_ref()], "authority")?]
    };
    known_token_program(token_program)?;
    if address_eq(token_account.address(), &vault_token_account) {
        return Err(Error::ConstraintAddress.at("token_account"));
    }
    let held = HeldTokens { account: token_account, wallet: authority, mint, token_program };
    let amount = held.balance("token_account")?;
    let paid = !address_eq(owner_token_account.address(), &ID);
    if paid {
        let account = &*owner_token_account;
        let owners = HeldTokens { account, wallet: owner, mint, token_program };
        owners.balance("owner_token_account")?;
    } else if amount > 0 {
        return Err(Error::AccountNotInitialized.at("owner_token_account"));
    }
    checks::event_accounts(event_authority, program)?;
    deadline::check(deadline)?;
    if amount == 0 && !close {
        return Err(Error::InvalidAmount.fail());
    }

    let seeds = if is_vault {
        vault_seeds(owner.address(), &vault_bump)
    } else {
        yield_seeds(&vault_address, &yield_bump)
    };
    let signer = Signer::from(&seeds);
    if amount > 0 {
        held.pay(owner_token_account, amount, &signer)?;
    }
    if close {
        held.close(owner, &signer)?;
    }
    let collateral_mint = &RESERVE.collateral_mint;
    if !is_vault
        && address_eq(mint.address(), collateral_mint)
        && is_associated_address(token_account.address(), authority.address(), collateral_mint)
    {
        deployed_amount = 0;
        checks::view_mut::<Vault>(vault, "vault")?.deployed_amount = deployed_amount;
    }
    let event = TokenAccountSwept {
        vault: &vault_address,
        owner: owner.address(),
        token_account: token_account.address(),
        mint: mint.address(),
        owner_token_account: paid.then(|| owner_token_account.address()),
        amount,
        closed: close,
        deployed_amount,
    };
    event::emit(&event, event_authority)
}
