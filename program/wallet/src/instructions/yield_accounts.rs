//! The accounts of the two instructions that move money between a vault and the reserve, the
//! arguments and the checks that they share.

use crate::{
    borsh::Reader,
    checks,
    error::Error,
    instructions::{deadline, spend::Spend},
    reserve::RESERVE,
    state::{Vault, YIELD_SEED},
    token_programs::HeldTokens,
    ID, USDC_MINT,
};
use pinocchio::{
    account::Ref, address::address_eq, cpi::Signer, error::ProgramError,
    sysvars::instructions::INSTRUCTIONS_ID, AccountView, Address, ProgramResult,
};

/// 0. `[signer]` authority, the session key or the owner
/// 1. `[writable]` vault
/// 2. `[writable, optional]` session; the program's own address stands for none
/// 3. `[writable]` vault_token_account
/// 4. `[]` yield_authority
/// 5. `[writable]` transit_token_account
/// 6. `[writable]` collateral_token_account
/// 7. `[writable]` reserve
/// 8. `[]` lending_market
/// 9. `[]` lending_market_authority
/// 10. `[writable]` liquidity_supply
/// 11. `[writable]` collateral_mint
/// 12. `[]` usdc_mint
/// 13. `[]` token_program
/// 14. `[]` instructions_sysvar
/// 15. `[]` reserve_program
/// 16. `[]` event_authority
/// 17. `[]` program
pub struct YieldAccounts<'a> {
    pub authority: &'a AccountView,
    pub vault: &'a mut AccountView,
    pub session: &'a mut AccountView,
    pub vault_token_account: &'a AccountView,
    pub yield_authority: &'a AccountView,
    pub transit_token_account: &'a AccountView,
    pub collateral_token_account: &'a AccountView,
    pub reserve: &'a AccountView,
    pub lending_market: &'a AccountView,
    pub lending_market_authority: &'a AccountView,
    pub liquidity_supply: &'a AccountView,
    pub collateral_mint: &'a AccountView,
    pub usdc_mint: &'a AccountView,
    pub token_program: &'a AccountView,
    pub instructions_sysvar: &'a AccountView,
    pub reserve_program: &'a AccountView,
    pub event_authority: &'a AccountView,
    pub program: &'a AccountView,
}

/// The last arguments of both instructions.
pub struct YieldSpend<'a> {
    /// Of a session; ignored when the owner signs.
    pub spend: Spend<'a>,
    /// Unix seconds. It matters for the owner: a copy of a deposit or of a write-off that was held
    /// back would deploy money, or let sessions deploy more, at a later time. A session's spend is
    /// bound by its sequence number and carries the largest.
    deadline: i64,
}

impl<'a> YieldSpend<'a> {
    #[inline(always)]
    pub fn read(mut reader: Reader<'a>) -> Result<Self, ProgramError> {
        let arguments = Self { spend: Spend::read(&mut reader)?, deadline: reader.i64()? };
        reader.end()?;
        Ok(arguments)
    }
}

/// Base units of the yield authority's two token accounts.
#[derive(Clone, Copy)]
pub struct Holdings {
    pub liquidity: u64,
    pub collateral: u64,
}

impl<'a> YieldAccounts<'a> {
    #[inline(never)]
    pub fn of(accounts: &'a mut [AccountView]) -> Result<Self, ProgramError> {
        let [authority, vault, session, vault_token_account, yield_authority, transit_token_account, collateral_token_account, reserve, lending_market, lending_market_authority, liquidity_supply, collateral_mint, usdc_mint, token_program, instructions_sysvar, reserve_program, event_authority, program, ..] =
            accounts
        else {
            return Err(Error::AccountNotEnoughKeys.fail());
        };
        Ok(Self {
            authority,
            vault,
            session,
            vault_token_account,
            yield_authority,
            transit_token_account,
            collateral_token_account,
            reserve,
            lending_market,
            lending_market_authority,
            liquidity_supply,
            collateral_mint,
            usdc_mint,
            token_program,
            instructions_sysvar,
            reserve_program,
            event_authority,
            program,
        })
    }

    /// Returns the vault, and the session if one signed rather than the owner, at `now` (unix
    /// seconds). A session must pass the rules of [`Spend::check`], and its sequence
    /// number is recorded. Then the deadline binds both signers.
    #[inline(never)]
    pub fn authorize(
        &mut self,
        arguments: &YieldSpend,
        instruction: u16,
        now: i64,
    ) -> Result<(Ref<'_, Vault>, Option<Address>), ProgramError> {
        checks::writable(self.vault, "vault")?;
        let vault = checks::vault(self.vault)?;
        let address = *self.session.address();
        let session = if address_eq(&address, &ID) {
            checks::has_owner(&vault, self.authority)?;
            None
        } else {
            let session = checks::session_mut(self.session, self.vault)?;
            if !address_eq(&session.session_pubkey, self.authority.address()) {
                return Err(Error::ConstraintHasOne.at("session"));
            }
            Some(session)
        };
        checks::signer(self.authority, "authority")?;
        let by_session = session.is_some();
        // First the rules of the session: a spend that landed is refused as executed at any time.
        if let Some(mut session) = session {
            let spend = &arguments.spend;
            spend.check(&vault, &session, instruction, now).map_err(Error::fail)?;
            session.replay_window.record(spend.seq);
        }
        deadline::check_at(arguments.deadline, now).map_err(Error::fail)?;
        Ok((vault, by_session.then_some(address)))
    }

    /// Checks all accounts except authority, vault, session and the vault's token account,
    /// each in its place.
    #[inline(never)]
    pub fn check(&self, yield_bump: u8) -> ProgramResult {
        if yield_bump == 0 {
            return Err(Error::AccountNotInitialized.at("transit_token_account"));
        }
        let seeds = [YIELD_SEED, self.vault.address().as_ref()];
        let authority = Address::derive_address(&seeds, Some(yield_bump), &ID);
        let name = "yield_authority";
        checks::address(self.yield_authority, &authority, Error::ConstraintSeeds, name)?;
        let (transit, collateral) = (self.transit_token_account, self.collateral_token_account);
        checks::associated(transit, &authority, &USDC_MINT, "transit_token_account")?;
        let mint = &RESERVE.collateral_mint;
        checks::associated(collateral, &authority, mint, "collateral_token_account")?;
        self.check_reserve()?;
        checks::usdc_mint(self.usdc_mint)?;
        checks::token_program(self.token_program)?;
        Ok(checks::event_accounts(self.event_authority, self.program)?)
    }

    #[inline(never)]
    fn check_reserve(&self) -> ProgramResult {
        let expected = [
            (self.reserve, &RESERVE.reserve, "reserve"),
            (self.lending_market, &RESERVE.lending_market, "lending_market"),
            (
                self.lending_market_authority,
                &RESERVE.lending_market_authority,
                "lending_market_authority",
            ),
            (self.liquidity_supply, &RESERVE.liquidity_supply, "liquidity_supply"),
            (self.collateral_mint, &RESERVE.collateral_mint, "collateral_mint"),
            (self.reserve_program, &RESERVE.program, "reserve_program"),
        ];
        for (account, address, name) in expected {
            checks::address(account, address, Error::ReserveMismatch, name)?;
        }
        checks::writable(self.reserve, "reserve")?;
        checks::writable(self.liquidity_supply, "liquidity_supply")?;
        checks::writable(self.collateral_mint, "collateral_mint")?;
        let name = "instructions_sysvar";
        let sysvar = self.instructions_sysvar;
        Ok(checks::address(sysvar, &INSTRUCTIONS_ID, Error::ConstraintAddress, name)?)
    }

    /// 3012 or 3007 unless the reserve's program owns the reserve. Called before each call of the
    /// reserve; [`YieldAccounts::check`] looks only at its address.
    #[inline(always)]
    pub fn reserve_exists(&self) -> ProgramResult {
        Ok(checks::owned_by(self.reserve, &RESERVE.program, "reserve")?)
    }

    /// Balances of the yield authority, which must control both token accounts alone. Called
    /// before and after the call of the reserve, so that a change of control is refused.
    #[inline(never)]
    pub fn holdings(&self) -> Result<Holdings, ProgramError> {
        let authority = self.yield_authority.address();
        let (transit, collateral) = (self.transit_token_account, self.collateral_token_account);
        let mint = &RESERVE.collateral_mint;
        Ok(Holdings {
            liquidity: checks::own_token_account(
                transit,
                authority,
                &USDC_MINT,
                "transit_token_account",
            )?,
            collateral: checks::own_token_account(
                collateral,
                authority,
                mint,
                "collateral_token_account",
            )?,
        })
    }

    /// Moves `amount` from the vault to the transit account; the vault signs.
    #[inline(never)]
    pub fn fill_transit(&self, amount: u64, vault: &Signer) -> ProgramResult {
        self.held(self.vault_token_account, self.vault).pay(
            self.transit_token_account,
            amount,
            vault,
        )
    }

    /// Moves `amount`, the whole balance, from the transit account to the vault; the yield
    /// authority signs.
    #[inline(never)]
    pub fn empty_transit(&self, amount: u64, yield_authority: &Signer) -> ProgramResult {
        if amount == 0 {
            return Ok(());
        }
        self.held(self.transit_token_account, self.yield_authority).pay(
            self.vault_token_account,
            amount,
            yield_authority,
        )
    }

    /// A USDC account of `wallet`.
    fn held<'b>(&'b self, account: &'b AccountView, wallet: &'b AccountView) -> HeldTokens<'b> {
        HeldTokens { account, wallet, mint: self.usdc_mint, token_program: self.token_program }
    }
}
