use crate::{
    authority_seeds, checks,
    error::{log, Error},
    reserve, LIQUIDITY_SUPPLY, MARKET_AUTHORITY,
};
use pinocchio::{cpi::Signer, AccountView, ProgramResult};
use pinocchio_token::instructions::TransferChecked;

/// Lends tokens to the administrator without security. As in Kamino Lend, the reserve must have
/// been refreshed earlier in the same slot.
///
/// Argument: `amount: u64`.
///
/// Accounts:
/// 0. `[signer]` admin
/// 1. `[]` lending_market
/// 2. `[writable]` reserve
/// 3. `[]` lending_market_authority
/// 4. `[]` reserve_liquidity_mint
/// 5. `[writable]` reserve_liquidity_supply
/// 6. `[writable]` destination
/// 7. `[]` token_program
pub fn process(accounts: &mut [AccountView], arguments: &[u8]) -> ProgramResult {
    log("Instruction: BorrowOut");
    let amount = checks::amount(arguments)?;
    let [admin, market, reserve, authority, mint, liquidity_supply, destination, token_program, ..] =
        accounts
    else {
        return Err(Error::AccountNotEnoughKeys.fail());
    };
    checks::admin(admin, market)?;
    checks::of_reserve(authority, &MARKET_AUTHORITY.address)?;
    checks::of_reserve(liquidity_supply, &LIQUIDITY_SUPPLY.address)?;
    checks::token_program(token_program)?;
    let mut state = reserve::write(reserve)?;
    checks::of_reserve(mint, &state.mint())?;
    state.require_fresh()?;

    let mut liquidity = state.liquidity();
    liquidity.borrow(amount).map_err(Error::fail)?;
    state.store(&liquidity);
    let decimals = state.decimals();
    drop(state);

    TransferChecked::new(liquidity_supply, mint, destination, authority, amount, decimals)
        .invoke_signed(&[Signer::from(&authority_seeds())])
}
