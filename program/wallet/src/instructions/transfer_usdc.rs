use crate::{
    associated_token::is_associated_address_with_bump,
    borsh::Reader,
    checks::inlined as checks,
    error::{log, Error},
    event::{self, UsdcTransferred},
    instructions::spend::Spend,
    state::{vault_seeds, Session, Vault, INSTRUCTION_TRANSFER_USDC},
    sysvar::unix_timestamp,
    USDC_DECIMALS, USDC_MINT,
};
use pinocchio::{
    address::address_eq, cpi::Signer, error::ProgramError, AccountView, Address, ProgramResult,
};
use pinocchio_token::instructions::TransferChecked;

struct Arguments<'a> {
    /// Base units.
    amount: u64,
    spend: Spend<'a>,
    /// Of the recipient's token account, so that the program tries no other.
    recipient_bump: u8,
}

impl<'a> Arguments<'a> {
    #[inline(always)]
    fn read(bytes: &'a [u8]) -> Result<Self, ProgramError> {
        let mut reader = Reader::new(bytes);
        let arguments = Self {
            amount: reader.u64()?,
            spend: Spend::read(&mut reader)?,
            recipient_bump: reader.u8()?,
        };
        reader.end()?;
        Ok(arguments)
    }

    /// Checks the rules of the session; the first broken rule determines the error.
    #[inline(always)]
    fn spend(
        &self,
        vault: &Vault,
        session: &mut Session,
        recipient: &Address,
        now: i64,
    ) -> Result<(), Error> {
        self.spend.check(vault, session, INSTRUCTION_TRANSFER_USDC, now)?;
        if self.amount == 0 {
            return Err(Error::InvalidAmount);
        }
        if self.amount > session.max_per_tx {
            return Err(Error::AmountExceedsMaxPerTx);
        }
        if !session.allows_recipient(recipient) {
            return Err(Error::RecipientNotAllowed);
        }
        session.spend_window.spend(now, self.amount, session.daily_cap)?;
        session.replay_window.record(self.spend.seq);
        Ok(())
    }
}

/// Pays USDC from the vault to a recipient of the session.
///
/// Arguments: `amount: u64, spend_seq: u64, session_index: u64, spend_id: [u8; 16],
/// recipient_bump: u8`.
///
/// Accounts:
/// 0. `[signer]` session_key
/// 1. `[]` vault
/// 2. `[writable]` session
/// 3. `[writable]` vault_token_account
/// 4. `[]` recipient, a wallet address
/// 5. `[writable]` recipient_token_account
/// 6. `[]` usdc_mint
/// 7. `[]` token_program
/// 8. `[]` event_authority
/// 9. `[]` program
///
/// No account is created and no rent is paid, so any fee payer can carry the instruction.
pub fn process(accounts: &mut [AccountView], arguments: &[u8]) -> ProgramResult {
    log("Instruction: TransferUsdc");
    let arguments = Arguments::read(arguments)?;
    let [session_key, vault, session, vault_token_account, recipient, recipient_token_account, usdc_mint, token_program, event_authority, program, ..] =
        accounts
    else {
        return Err(Error::AccountNotEnoughKeys.fail());
    };

    let vault_state = checks::vault(vault)?;
    let session_address = *session.address();
    let mut state = checks::session_mut(session, vault)?;
    if !address_eq(&state.session_pubkey, session_key.address()) {
        return Err(Error::ConstraintHasOne.at("session"));
    }
    checks::signer(session_key, "session_key")?;
    let now = unix_timestamp()?;
    arguments.spend(&vault_state, &mut state, recipient.address(), now).map_err(Error::fail)?;
    checks::vault_token_account(vault_token_account, &vault_state.vault_token_account)?;
    to_recipient(recipient_token_account, recipient.address(), arguments.recipient_bump)?;
    checks::address(usdc_mint, &USDC_MINT, Error::ConstraintAddress, "usdc_mint")?;
    checks::program(token_program, &pinocchio_token::ID, "token_program")?;
    event::check_accounts(event_authority, program)?;

    let (owner, bump) = (vault_state.owner, [vault_state.bump]);
    drop(vault_state);
    TransferChecked::new(
        vault_token_account,
        usdc_mint,
        recipient_token_account,
        vault,
        arguments.amount,
        USDC_DECIMALS,
    )
    .invoke_signed(&[Signer::from(&vault_seeds(&owner, &bump))])?;
    let event = UsdcTransferred {
        vault: vault.address(),
        session: &session_address,
        session_index: arguments.spend.session_index,
        recipient: recipient.address(),
        amount: arguments.amount,
        spend_seq: arguments.spend.seq,
        spend_id: arguments.spend.id,
        daily_spent: state.spend_window.daily_spent,
        daily_cap: state.daily_cap,
        vault_balance_after: checks::vault_balance(vault_token_account, vault)?,
        unix_timestamp: now,
    };
    event.emit(event_authority)
}

/// Requires the recipient's associated token account, still owned by the recipient: an owner
/// can hand a token account to another wallet without changing its address.
#[inline(always)]
fn to_recipient(account: &AccountView, recipient: &Address, bump: u8) -> ProgramResult {
    let name = "recipient_token_account";
    checks::writable(account, name)?;
    checks::token_account(account, recipient, &USDC_MINT, name)?;
    if !is_associated_address_with_bump(account.address(), recipient, &USDC_MINT, bump) {
        return Err(Error::ConstraintAssociated.at(name));
    }
    Ok(())
}
