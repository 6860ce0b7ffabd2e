//! The event of a session's transfer.

use super::{log_data, AUTHORITY_BUMP, AUTHORITY_SEED, SELF_CALL_TAG};
use crate::{borsh::Writer, discriminator, ID};
use pinocchio::{
    cpi::{invoke_signed, Seed, Signer},
    instruction::{InstructionAccount, InstructionView},
    AccountView, Address, ProgramResult,
};

pub struct UsdcTransferred<'a> {
    pub vault: &'a Address,
    pub session: &'a Address,
    pub session_index: u64,
    pub recipient: &'a Address,
    pub amount: u64,
    pub spend_seq: u64,
    pub spend_id: &'a [u8; 16],
    pub daily_spent: u64,
    pub daily_cap: u64,
    pub vault_balance_after: u64,
    pub unix_timestamp: i64,
}

impl UsdcTransferred<'_> {
    const DISCRIMINATOR: u64 = discriminator("event:UsdcTransferred");

    /// Like [`super::emit`], compiled into the transfer: calls of functions would cost it 100 units.
    #[inline(always)]
    pub fn emit(&self, event_authority: &AccountView) -> ProgramResult {
        let mut data = Writer::new();
        data.put(&SELF_CALL_TAG.to_le_bytes());
        data.put(&Self::DISCRIMINATOR.to_le_bytes());
        data.put(self.vault.as_array());
        data.put(self.session.as_array());
        data.put(&self.session_index.to_le_bytes());
        data.put(self.recipient.as_array());
        data.put(&self.amount.to_le_bytes());
        data.put(&self.spend_seq.to_le_bytes());
        data.put(self.spend_id);
        data.put(&self.daily_spent.to_le_bytes());
        data.put(&self.daily_cap.to_le_bytes());
        data.put(&self.vault_balance_after.to_le_bytes());
        data.put(&self.unix_timestamp.to_le_bytes());
        log_data(data.written());
        call_self(data.written(), event_authority)
    }
}

#[inline(always)]
fn call_self(data: &[u8], event_authority: &AccountView) -> ProgramResult {
    let seeds = [Seed::from(AUTHORITY_SEED), Seed::from(&AUTHORITY_BUMP)];
    let accounts = [InstructionAccount::readonly_signer(event_authority.address())];
    let call = InstructionView { program_id: &ID, accounts: &accounts, data };
    invoke_signed(&call, &[event_authority], &[Signer::from(&seeds)])
}
