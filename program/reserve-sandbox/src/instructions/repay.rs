use crate::{
    checks,
    error::{log, Error},
    reserve, LIQUIDITY_SUPPLY, MARKET,
};
use pinocchio::{AccountView, ProgramResult};
use pinocchio_token::instructions::TransferChecked;

/// Repays at most the lent amount. Anyone may pay.
///
/// Argument: `amount: u64`.
///
/// Accounts:
/// 0. `[signer]` payer
/// 1. `[]` lending_market
/// 2. `[writable]` reserve
/// 3. `[]` reserve_liquidity_mint
/// 4. `[writable]` reserve_liquidity_supply
/// 5. `[writable]` source
/// 6. `[]` token_program
pub fn process(accounts: &mut [AccountView], arguments: &[u8]) -> ProgramResult {
    log("Instruction: Repay");
    let amount = checks::amount(arguments)?;
    let [payer, market, reserve, mint, liquidity_supply, source, token_program, ..] = accounts
    else {
        return Err(Error::AccountNotEnoughKeys.fail());
    };
    checks::signer(payer)?;
    checks::of_reserve(market, &MARKET.address)?;
    checks::of_reserve(liquidity_supply, &LIQUIDITY_SUPPLY.address)?;
    checks::token_program(token_program)?;
    let mut state = reserve::write(reserve)?;
    checks::of_reserve(mint, &state.mint())?;

    let mut liquidity = state.grow()?;
    let taken = liquidity.repay(amount).map_err(Error::fail)?;
    state.store(&liquidity);
    let decimals = state.decimals();
    drop(state);

    TransferChecked::new(source, mint, liquidity_supply, payer, taken, decimals).invoke()
}
