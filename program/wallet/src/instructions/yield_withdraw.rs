use crate::{
    borsh::Reader,
    checks,
    error::{log, Error},
    event::{self, YieldMoved, YieldWithdrawn},
    instructions::{
        spend::NO_SPEND,
        yield_accounts::{YieldAccounts, YieldSpend},
    },
    reserve_call,
    state::{yield_seeds, Portion, Vault, INSTRUCTION_YIELD_WITHDRAW},
    sysvar::unix_timestamp,
};
use pinocchio::{cpi::Signer, AccountView, ProgramResult};

/// Withdraws USDC from the yield reserve to the vault, by a session or by the owner.
///
/// An `amount` equal to `deployed_amount` redeems all collateral with its interest, at any
/// `collateral_amount`. Any other redeems `collateral_amount` units, which may return at most
/// `amount` plus the value of one unit, or anything where the owner asks for `u64::MAX`, also at a
/// deployed amount of 0. The returned amount is no longer deployed; once all collateral is
/// redeemed, neither is one base unit that rounding may have taken.
///
/// When no collateral is left and the deployed amount is a loss, the owner's `u64::MAX` for zero
/// units writes it off: `deployed_amount` becomes 0. That needs the addresses of the reserve and no
/// living reserve.
///
/// Arguments: `amount: u64, collateral_amount: u64, spend_seq: u64, session_index: u64,
/// spend_id: [u8; 16], deadline: i64` (unix seconds). Sequence number, index and id are ignored when
/// the owner signs.
///
/// Accounts: those of [`YieldAccounts`].
#[inline(never)]
pub fn process(accounts: &mut [AccountView], arguments: &[u8]) -> ProgramResult {
    log("Instruction: YieldWithdraw");
    let mut reader = Reader::new(arguments);
    let amount = reader.u64()?;
    let collateral_amount = reader.u64()?;
    let arguments = YieldSpend::read(reader)?;
    let mut accounts = YieldAccounts::of(accounts)?;

    let now = unix_timestamp()?;
    let (vault, session) = accounts.authorize(&arguments, INSTRUCTION_YIELD_WITHDRAW, now)?;
    let (deployed, yield_bump) = (vault.deployed_amount, [vault.yield_bump]);
    let paid = vault.vault_token_account;
    drop(vault);
    let portion = Portion::of(deployed, amount, session.is_none()).map_err(Error::fail)?;
    checks::vault_token_account(accounts.vault_token_account, &paid)?;
    accounts.check(yield_bump[0])?;

    let before = accounts.holdings()?;
    let redeemed =
        portion.collateral(collateral_amount, before.collateral, deployed).map_err(Error::fail)?;
    let vault_address = *accounts.vault.address();
    let seeds = yield_seeds(&vault_address, &yield_bump);
    let yield_authority = Signer::from(&seeds);
    // Without collateral to redeem, the owner writes off what is deployed.
    let (mut returned, mut deployed_amount, mut in_transit) = (0, 0, before.liquidity);
    if redeemed > 0 {
        accounts.reserve_exists()?;
        reserve_call::redeem(&accounts, redeemed, &yield_authority)?;
        let after = accounts.holdings()?;
        returned = after.liquidity.saturating_sub(before.liquidity);
        let burned = before.collateral.saturating_sub(after.collateral);
        portion.check_returned(returned, redeemed, burned).map_err(Error::fail)?;
        deployed_amount = portion.left(deployed, returned, after.collateral);
        in_transit = after.liquidity;
    }
    accounts.empty_transit(in_transit, &yield_authority)?;

    checks::view_mut::<Vault>(accounts.vault, "vault")?.deployed_amount = deployed_amount;
    let event = YieldWithdrawn(YieldMoved {
        vault: &vault_address,
        session: session.as_ref(),
        spend: if session.is_some() { &arguments.spend } else { &NO_SPEND },
        amount,
        liquidity_delta: returned,
        collateral_delta: redeemed,
        deployed_amount,
        vault_balance_after: checks::vault_balance(accounts.vault_token_account, accounts.vault)?,
        unix_timestamp: now,
    });
    event::emit(&event, accounts.event_authority)
}
