use crate::{
    authority_seeds, checks,
    error::{log, Error},
    reserve, COLLATERAL_MINT, INSTRUCTIONS_SYSVAR, LIQUIDITY_SUPPLY, MARKET, MARKET_AUTHORITY,
};
use pinocchio::{cpi::Signer, AccountView, ProgramResult};
use pinocchio_token::instructions::{MintTo, TransferChecked};

/// Takes USDC and mints collateral for it, and takes no more than the collateral costs.
///
/// Argument: `liquidity_amount: u64`.
///
/// Accounts:
/// 0. `[signer]` owner
/// 1. `[writable]` reserve
/// 2. `[]` lending_market
/// 3. `[]` lending_market_authority
/// 4. `[]` reserve_liquidity_mint
/// 5. `[writable]` reserve_liquidity_supply
/// 6. `[writable]` reserve_collateral_mint
/// 7. `[writable]` user_source_liquidity
/// 8. `[writable]` user_destination_collateral
/// 9. `[]` collateral_token_program
/// 10. `[]` liquidity_token_program
/// 11. `[]` instruction_sysvar_account
pub fn process(accounts: &mut [AccountView], arguments: &[u8]) -> ProgramResult {
    log("Instruction: DepositReserveLiquidity");
    let liquidity_amount = checks::amount(arguments)?;
    let [owner, reserve, market, authority, mint, liquidity_supply, collateral_mint, source, destination, collateral_program, liquidity_program, sysvar, ..] =
        accounts
    else {
        return Err(Error::AccountNotEnoughKeys.fail());
    };

    checks::signer(owner)?;
    checks::of_reserve(market, &MARKET.address)?;
    checks::of_reserve(authority, &MARKET_AUTHORITY.address)?;
    checks::of_reserve(liquidity_supply, &LIQUIDITY_SUPPLY.address)?;
    checks::of_reserve(collateral_mint, &COLLATERAL_MINT.address)?;
    checks::token_program(collateral_program)?;
    checks::token_program(liquidity_program)?;
    checks::address(sysvar, &INSTRUCTIONS_SYSVAR, Error::ConstraintAddress)?;
    let mut state = reserve::write(reserve)?;
    checks::of_reserve(mint, &state.mint())?;

    let mut liquidity = state.grow()?;
    let limit = state.deposit_limit();
    let deposit = liquidity.deposit(liquidity_amount, limit).map_err(Error::fail)?;
    state.store(&liquidity);
    let decimals = state.decimals();
    drop(state);

    TransferChecked::new(source, mint, liquidity_supply, owner, deposit.taken, decimals)
        .invoke()?;
    MintTo::new(collateral_mint, destination, authority, deposit.minted)
        .invoke_signed(&[Signer::from(&authority_seeds())])
}
