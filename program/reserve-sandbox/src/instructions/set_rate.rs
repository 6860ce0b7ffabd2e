use crate::{
    checks,
    error::{log, Error},
    reserve,
};
use pinocchio::{AccountView, ProgramResult};

/// Sets the yearly rate of borrowers at any utilization. Debts then grow with every slot, as in
/// Kamino Lend, and each call of the reserve adds the interest.
///
/// Argument: `basis_points: u64`.
///
/// Accounts:
/// 0. `[signer]` admin
/// 1. `[]` lending_market
/// 2. `[writable]` reserve
pub fn process(accounts: &mut [AccountView], arguments: &[u8]) -> ProgramResult {
    log("Instruction: SetRate");
    let basis_points = checks::amount(arguments)?;
    let rate = u32::try_from(basis_points).map_err(|_| Error::InvalidAmount.fail())?;
    let [admin, market, reserve, ..] = accounts else {
        return Err(Error::AccountNotEnoughKeys.fail());
    };
    checks::admin(admin, market)?;
    let mut state = reserve::write(reserve)?;
    let liquidity = state.grow()?;
    state.set_rate(rate);
    state.store(&liquidity);
    Ok(())
}
