use crate::{
    authority_seeds, checks,
    error::{log, Error},
    reserve, COLLATERAL_MINT, INSTRUCTIONS_SYSVAR, LIQUIDITY_SUPPLY, MARKET, MARKET_AUTHORITY,
};
use pinocchio::{cpi::Signer, AccountView, ProgramResult};
use pinocchio_token::instructions::{Burn, TransferChecked};

/// Burns collateral and pays its value, in full or not at all.
///
/// Argument: `collateral_amount: u64`.
///
/// Accounts:
/// 0. `[signer]` owner
/// 1. `[]` lending_market
/// 2. `[writable]` reserve
/// 3. `[]` lending_market_authority
/// 4. `[]` reserve_liquidity_mint
/// 5. `[writable]` reserve_collateral_mint
/// 6. `[writable]` reserve_liquidity_supply
/// 7. `[writable]` user_source_collateral
/// 8. `[writable]` user_destination_liquidity, which belongs to the owner
/// 9. `[]` collateral_token_program
/// 10. `[]` liquidity_token_program
/// 11. `[]` instruction_sysvar_account
pub fn process(accounts: &mut [AccountView], arguments: &[u8]) -> ProgramResult {
    log("Instruction: RedeemReserveCollateral");
    let collateral_amount = checks::amount(arguments)?;
    let [owner, market, reserve, authority, mint, collateral_mint, liquidity_supply, source, destination, collateral_program, liquidity_program, sysvar, ..] =
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
    checks::token_owner(destination, owner.address())?;
    let mut state = reserve::write(reserve)?;
    checks::of_reserve(mint, &state.mint())?;

    let mut liquidity = state.grow()?;
    let amount = liquidity.redeem(collateral_amount).map_err(Error::fail)?;
    state.store(&liquidity);
    let decimals = state.decimals();
    drop(state);

    Burn::new(source, collateral_mint, owner, collateral_amount).invoke()?;
    TransferChecked::new(liquidity_supply, mint, destination, authority, amount, decimals)
        .invoke_signed(&[Signer::from(&authority_seeds())])
}
