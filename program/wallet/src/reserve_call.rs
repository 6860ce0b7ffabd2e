//! The two calls of the yield reserve with Kamino Lend's interface, twelve accounts each.

use crate::{discriminator, instructions::yield_accounts::YieldAccounts, reserve::RESERVE};
use pinocchio::{
    cpi::{invoke_signed, Signer},
    instruction::{InstructionAccount, InstructionView},
    AccountView, ProgramResult,
};

const DEPOSIT: u64 = discriminator("global:deposit_reserve_liquidity");
const REDEEM: u64 = discriminator("global:redeem_reserve_collateral");

/// Deposits at most `amount` from the transit account for collateral.
///
/// The reserve receives neither the vault, its token account, the session nor any signer of the
/// transaction, only the yield authority and its token accounts.
#[inline(never)]
pub fn deposit(accounts: &YieldAccounts, amount: u64, signer: &Signer) -> ProgramResult {
    let metas = [
        InstructionAccount::readonly_signer(accounts.yield_authority.address()),
        InstructionAccount::writable(accounts.reserve.address()),
        InstructionAccount::readonly(accounts.lending_market.address()),
        InstructionAccount::readonly(accounts.lending_market_authority.address()),
        InstructionAccount::readonly(accounts.usdc_mint.address()),
        InstructionAccount::writable(accounts.liquidity_supply.address()),
        InstructionAccount::writable(accounts.collateral_mint.address()),
        InstructionAccount::writable(accounts.transit_token_account.address()),
        InstructionAccount::writable(accounts.collateral_token_account.address()),
        InstructionAccount::readonly(accounts.token_program.address()),
        InstructionAccount::readonly(accounts.token_program.address()),
        InstructionAccount::readonly(accounts.instructions_sysvar.address()),
    ];
    let views: [&AccountView; 12] = [
        accounts.yield_authority,
        accounts.reserve,
        accounts.lending_market,
        accounts.lending_market_authority,
        accounts.usdc_mint,
        accounts.liquidity_supply,
        accounts.collateral_mint,
        accounts.transit_token_account,
        accounts.collateral_token_account,
        accounts.token_program,
        accounts.token_program,
        accounts.instructions_sysvar,
    ];
    call(DEPOSIT, amount, &metas, &views, signer)
}

/// Redeems `collateral` units; the reserve pays their value into the transit account.
#[inline(never)]
pub fn redeem(accounts: &YieldAccounts, collateral: u64, signer: &Signer) -> ProgramResult {
    let metas = [
        InstructionAccount::readonly_signer(accounts.yield_authority.address()),
        InstructionAccount::readonly(accounts.lending_market.address()),
        InstructionAccount::writable(accounts.reserve.address()),
        InstructionAccount::readonly(accounts.lending_market_authority.address()),
        InstructionAccount::readonly(accounts.usdc_mint.address()),
        InstructionAccount::writable(accounts.collateral_mint.address()),
        InstructionAccount::writable(accounts.liquidity_supply.address()),
        InstructionAccount::writable(accounts.collateral_token_account.address()),
        InstructionAccount::writable(accounts.transit_token_account.address()),
        InstructionAccount::readonly(accounts.token_program.address()),
        InstructionAccount::readonly(accounts.token_program.address()),
        InstructionAccount::readonly(accounts.instructions_sysvar.address()),
    ];
    let views: [&AccountView; 12] = [
        accounts.yield_authority,
        accounts.lending_market,
        accounts.reserve,
        accounts.lending_market_authority,
        accounts.usdc_mint,
        accounts.collateral_mint,
        accounts.liquidity_supply,
        accounts.collateral_token_account,
        accounts.transit_token_account,
        accounts.token_program,
        accounts.token_program,
        accounts.instructions_sysvar,
    ];
    call(REDEEM, collateral, &metas, &views, signer)
}

#[inline(always)]
fn call(
    discriminator: u64,
    amount: u64,
    metas: &[InstructionAccount; 12],
    views: &[&AccountView; 12],
    signer: &Signer,
) -> ProgramResult {
    let mut data = [0; 16];
    data[..8].copy_from_slice(&discriminator.to_le_bytes());
    data[8..].copy_from_slice(&amount.to_le_bytes());
    let call = InstructionView { program_id: &RESERVE.program, accounts: metas, data: &data };
    invoke_signed(&call, views, core::slice::from_ref(signer))
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
