use crate::{
    borsh::Reader,
    checks,
    error::{log, Error},
    event::{self, YieldDeposited, YieldMoved},
    instructions::{
        spend::NO_SPEND,
        yield_accounts::{YieldAccounts, YieldSpend},
    },
    reserve_call,
    state::{
        check_fraction, taken_by_reserve, vault_seeds, yield_seeds, Vault,
        INSTRUCTION_YIELD_DEPOSIT,
    },
    sysvar::unix_timestamp,
};
use pinocchio::{cpi::Signer, AccountView, ProgramResult};

/// Deploys USDC of the vault to the yield reserve, by a session or by the owner.
///
/// The amount passes through the transit account, and the part that the reserve does not take
/// returns at once. Only the part taken counts as deployed.
///
/// Arguments: `amount: u64, spend_seq: u64, session_index: u64, spend_id: [u8; 16], deadline: i64`
/// (unix seconds). Sequence number, index and id are ignored when the owner signs.
///
/// Accounts: those of [`YieldAccounts`].
#[inline(never)]
pub fn process(accounts: &mut [AccountView], arguments: &[u8]) -> ProgramResult {
    log("Instruction: YieldDeposit");
    let mut reader = Reader::new(arguments);
    let amount = reader.u64()?;
    let arguments = YieldSpend::read(reader)?;
    let mut accounts = YieldAccounts::of(accounts)?;

    let now = unix_timestamp()?;
    let (vault, session) = accounts.authorize(&arguments, INSTRUCTION_YIELD_DEPOSIT, now)?;
    if amount == 0 {
        return Err(Error::InvalidAmount.fail());
    }
    let (owner, bump, yield_bump) = (vault.owner, [vault.bump], [vault.yield_bump]);
    let (deployed, max_bp) = (vault.deployed_amount, vault.max_deployed_fraction_bp);
    let paying = vault.vault_token_account;
    drop(vault);
    checks::vault_token_account(accounts.vault_token_account, &paying)?;
    let liquid = checks::vault_balance(accounts.vault_token_account, accounts.vault)?;
    check_fraction(deployed, liquid, amount, max_bp).map_err(Error::fail)?;
    accounts.check(yield_bump[0])?;
    accounts.reserve_exists()?;

    let before = accounts.holdings()?;
    accounts.fill_transit(amount, &Signer::from(&vault_seeds(&owner, &bump)))?;
    let vault_address = *accounts.vault.address();
    let seeds = yield_seeds(&vault_address, &yield_bump);
    let yield_authority = Signer::from(&seeds);
    reserve_call::deposit(&accounts, amount, &yield_authority)?;
    let after = accounts.holdings()?;
    let taken = taken_by_reserve(amount, before.liquidity, after.liquidity).map_err(Error::fail)?;
    let collateral_delta = after.collateral.saturating_sub(before.collateral);
    if collateral_delta == 0 {
        return Err(Error::ReserveDeltaMismatch.fail());
    }
    accounts.empty_transit(after.liquidity, &yield_authority)?;

    let deployed_amount = deployed.checked_add(taken).ok_or_else(|| Error::MathOverflow.fail())?;
    checks::view_mut::<Vault>(accounts.vault, "vault")?.deployed_amount = deployed_amount;
    let event = YieldDeposited(YieldMoved {
        vault: &vault_address,
        session: session.as_ref(),
        spend: if session.is_some() { &arguments.spend } else { &NO_SPEND },
        amount,
        liquidity_delta: taken,
        collateral_delta,
        deployed_amount,
        vault_balance_after: checks::vault_balance(accounts.vault_token_account, accounts.vault)?,
        unix_timestamp: now,
    });
    event::emit(&event, accounts.event_authority)
}
