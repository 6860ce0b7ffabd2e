use crate::{
    checks,
    error::{log, Error},
    reserve, MARKET,
};
use pinocchio::{AccountView, ProgramResult};

/// Lets debts grow up to this slot and says that the reserve is up to date. The accounts of price feeds that Kamino
/// Lend takes after these two are not looked at.
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
