use crate::{
    checks,
    error::{log, Error},
    reserve, MARKET,
};
use pinocchio::{AccountView, ProgramResult};

/// Adds the interest up to this slot and marks the reserve as refreshed. Price feed accounts,
/// which Kamino Lend takes after these two, are ignored.
///
/// Accounts:
/// 0. `[writable]` reserve
/// 1. `[]` lending_market
pub fn process(accounts: &mut [AccountView], arguments: &[u8]) -> ProgramResult {
    log("Instruction: RefreshReserve");
    if !arguments.is_empty() {
        return Err(Error::InstructionDidNotDeserialize.fail());
    }
    let [reserve, market, ..] = accounts else {
        return Err(Error::AccountNotEnoughKeys.fail());
    };
    checks::of_reserve(market, &MARKET.address)?;
    reserve::write(reserve)?.refresh()
}
