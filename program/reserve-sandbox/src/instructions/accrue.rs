use crate::{
    checks,
    error::{log, Error},
    reserve,
};
use pinocchio::{AccountView, ProgramResult};

/// Adds interest to the lent amount. The interest is owed, so it adds to the value of the
/// collateral at once and becomes tokens with `repay`.
///
/// Argument: `basis_points: u64`, of the lent amount.
///
/// Accounts:
/// 0. `[signer]` admin
/// 1. `[]` lending_market
/// 2. `[writable]` reserve
pub fn process(accounts: &mut [AccountView], arguments: &[u8]) -> ProgramResult {
    log("Instruction: Accrue");
    let basis_points = checks::amount(arguments)?;
    let [admin, market, reserve, ..] = accounts else {
        return Err(Error::AccountNotEnoughKeys.fail());
    };
    checks::admin(admin, market)?;
    let mut state = reserve::write(reserve)?;
    let mut liquidity = state.grow()?;
    liquidity.accrue(basis_points).map_err(Error::fail)?;
    state.store(&liquidity);
    Ok(())
}
