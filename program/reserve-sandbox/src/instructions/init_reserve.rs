use crate::{
    authority_seeds,
    checks::{self, ADMIN_AT, MARKET_DISCRIMINATOR, MARKET_LEN},
    error::{log, Error},
    liquidity::Liquidity,
    reserve::{self, RESERVE_LEN},
    Derived, COLLATERAL_MINT, COLLATERAL_SUPPLY, ID, LIQUIDITY_SUPPLY, MARKET, MARKET_AUTHORITY,
    RESERVE,
};
use pinocchio::{
    cpi::{Seed, Signer},
    AccountView, Address, ProgramResult,
};
use pinocchio_system::instructions::{Allocate, Assign};
use pinocchio_token::{
    instructions::{InitializeAccount3, InitializeMint2, MintTo, TransferChecked},
    state::{Account as TokenAccount, Mint},
};

/// The first deposit, which is never withdrawn: without it the first depositor could set a
/// rate at which later deposits round to zero.
const SEED: Liquidity = Liquidity { available: 1, borrowed: 0, collateral: 1 };

/// What a new account is.
struct Kind {
    data_len: u64,
    owner: Address,
}

const OF_MARKET: Kind = Kind { data_len: MARKET_LEN as u64, owner: ID };
const OF_RESERVE: Kind = Kind { data_len: RESERVE_LEN as u64, owner: ID };
const TOKEN_MINT: Kind = Kind { data_len: Mint::LEN as u64, owner: pinocchio_token::ID };
const TOKEN_ACCOUNT: Kind = Kind { data_len: TokenAccount::LEN as u64, owner: pinocchio_token::ID };

/// Creates the market and its reserve; the signer becomes their administrator. The addresses of
/// the five new accounts must already hold their rent.
///
/// Argument: `deposit_limit: u64`, base units.
///
/// Accounts:
/// 0. `[signer]` admin
/// 1. `[writable]` lending_market
/// 2. `[writable]` reserve
/// 3. `[]` lending_market_authority
/// 4. `[]` reserve_liquidity_mint
/// 5. `[writable]` reserve_liquidity_supply
/// 6. `[writable]` reserve_collateral_mint
/// 7. `[writable]` reserve_collateral_supply
/// 8. `[writable]` admin_liquidity, which pays the first unit
/// 9. `[]` token_program
/// 10. `[]` system_program
pub fn process(accounts: &mut [AccountView], arguments: &[u8]) -> ProgramResult {
    log("Instruction: InitReserve");
    let deposit_limit = checks::amount(arguments)?;
    let [admin, market, reserve, authority, mint, liquidity_supply, collateral_mint, collateral_supply, admin_liquidity, token_program, system_program, ..] =
        accounts
    else {
        return Err(Error::AccountNotEnoughKeys.fail());
    };
    checks::signer(admin)?;
    checks::of_reserve(market, &MARKET.address)?;
    checks::of_reserve(reserve, &RESERVE.address)?;
    checks::of_reserve(authority, &MARKET_AUTHORITY.address)?;
    checks::of_reserve(liquidity_supply, &LIQUIDITY_SUPPLY.address)?;
    checks::of_reserve(collateral_mint, &COLLATERAL_MINT.address)?;
    checks::of_reserve(collateral_supply, &COLLATERAL_SUPPLY.address)?;
    checks::token_program(token_program)?;
    checks::address(system_program, &pinocchio_system::ID, Error::InvalidProgramId)?;
    let decimals = Mint::from_account_view(mint)?.decimals();

    let of_reserve = RESERVE.address.as_array();
    make(market, &[b"market", b""], &MARKET, &OF_MARKET)?;
    make(reserve, &[b"reserve", b""], &RESERVE, &OF_RESERVE)?;
    let seeds = [b"reserve_liq_supply".as_slice(), of_reserve];
    make(liquidity_supply, &seeds, &LIQUIDITY_SUPPLY, &TOKEN_ACCOUNT)?;
    let seeds = [b"reserve_coll_mint".as_slice(), of_reserve];
    make(collateral_mint, &seeds, &COLLATERAL_MINT, &TOKEN_MINT)?;
    let seeds = [b"reserve_coll_supply".as_slice(), of_reserve];
    make(collateral_supply, &seeds, &COLLATERAL_SUPPLY, &TOKEN_ACCOUNT)?;

    let owner = &MARKET_AUTHORITY.address;
    InitializeAccount3 { account: liquidity_supply, mint, owner }.invoke()?;
    InitializeMint2::new(collateral_mint, decimals, owner, None).invoke()?;
    InitializeAccount3 { account: collateral_supply, mint: collateral_mint, owner }.invoke()?;
    fill_market(market, admin.address())?;
    reserve::write(reserve)?.fill(mint.address(), decimals, deposit_limit, &SEED);
    TransferChecked::new(admin_liquidity, mint, liquidity_supply, admin, SEED.available, decimals)
        .invoke()?;
    MintTo::new(collateral_mint, collateral_supply, authority, SEED.collateral)
        .invoke_signed(&[Signer::from(&authority_seeds())])
}

fn fill_market(market: &mut AccountView, admin: &Address) -> ProgramResult {
    let mut data = market.try_borrow_mut()?;
    data[..8].copy_from_slice(&MARKET_DISCRIMINATOR.to_le_bytes());
    data[8] = 1;
    data[16] = MARKET.bump[0];
    data[ADMIN_AT..ADMIN_AT + 32].copy_from_slice(admin.as_ref());
    Ok(())
}

/// Gives an address of this program its data, zeroed, and its owner program. The system
/// program refuses an account that exists.
#[inline(never)]
fn make(
    account: &AccountView,
    seeds: &[&[u8]; 2],
    derived: &Derived,
    kind: &Kind,
) -> ProgramResult {
    // The second seed may be empty: seeds are hashed one after the other.
    let all = [Seed::from(seeds[0]), Seed::from(seeds[1]), Seed::from(&derived.bump)];
    let signers = [Signer::from(&all)];
    Allocate { account, space: kind.data_len }.invoke_signed(&signers)?;
    Assign { account, owner: &kind.owner }.invoke_signed(&signers)
}
