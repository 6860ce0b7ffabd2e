//! The two calls of the yield reserve with Kamino Lend's interface, twelve accounts each.

use crate::{
    call::{Accounts, Call, Right},
    discriminator,
    instructions::yield_accounts::YieldAccounts,
    reserve::RESERVE,
};
use pinocchio::{cpi::Signer, AccountView, ProgramResult};

const DEPOSIT: u64 = discriminator("global:deposit_reserve_liquidity");
const REDEEM: u64 = discriminator("global:redeem_reserve_collateral");

/// Deposits at most `amount` from the transit account for collateral.
///
/// The reserve receives neither the vault, its token account, the session nor any signer of the
/// transaction, only the yield authority and its token accounts.
#[inline(never)]
pub fn deposit(accounts: &YieldAccounts, amount: u64, signer: &Signer) -> ProgramResult {
    let places = [
        (accounts.yield_authority, Right::Sign),
        (accounts.reserve, Right::Write),
        (accounts.lending_market, Right::Read),
        (accounts.lending_market_authority, Right::Read),
        (accounts.usdc_mint, Right::Read),
        (accounts.liquidity_supply, Right::Write),
        (accounts.collateral_mint, Right::Write),
        (accounts.transit_token_account, Right::Write),
        (accounts.collateral_token_account, Right::Write),
        (accounts.token_program, Right::Read),
        (accounts.token_program, Right::Read),
        (accounts.instructions_sysvar, Right::Read),
    ];
    call(DEPOSIT, amount, &places, signer)
}

/// Redeems `collateral` units; the reserve pays their value into the transit account.
#[inline(never)]
pub fn redeem(accounts: &YieldAccounts, collateral: u64, signer: &Signer) -> ProgramResult {
    let places = [
        (accounts.yield_authority, Right::Sign),
        (accounts.lending_market, Right::Read),
        (accounts.reserve, Right::Write),
        (accounts.lending_market_authority, Right::Read),
        (accounts.usdc_mint, Right::Read),
        (accounts.collateral_mint, Right::Write),
        (accounts.liquidity_supply, Right::Write),
        (accounts.collateral_token_account, Right::Write),
        (accounts.transit_token_account, Right::Write),
        (accounts.token_program, Right::Read),
        (accounts.token_program, Right::Read),
        (accounts.instructions_sysvar, Right::Read),
    ];
    call(REDEEM, collateral, &places, signer)
}

#[inline(never)]
fn call(
    discriminator: u64,
    amount: u64,
    accounts: &[(&AccountView, Right); 12],
    signer: &Signer,
) -> ProgramResult {
    let mut data = [0; 16];
    data[..8].copy_from_slice(&discriminator.to_le_bytes());
    data[8..].copy_from_slice(&amount.to_le_bytes());
    let (accounts, signers) = (Accounts::of(accounts), core::slice::from_ref(signer));
    Call { program: &RESERVE.program, accounts, data: &data, signers }.make()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_discriminators_are_those_of_kamino_lend() {
        assert_eq!(DEPOSIT.to_le_bytes(), [0xa9, 0xc9, 0x1e, 0x7e, 0x06, 0xcd, 0x66, 0x44]);
        assert_eq!(REDEEM.to_le_bytes(), [0xea, 0x75, 0xb5, 0x7d, 0xb9, 0x8e, 0xdc, 0x1d]);
    }
}
