//! Events of what a vault deploys to the yield reserve.

use super::events;
use crate::{
    borsh::{fields, Borsh, Writer},
    instructions::spend::Spend,
};
use pinocchio::Address;

fields! {
    pub struct YieldInitialized<'a> {
        pub vault: &'a Address,
        pub yield_authority: &'a Address,
        pub transit_token_account: &'a Address,
        pub collateral_token_account: &'a Address,
        pub reserve: &'a Address,
    }

    /// Fields of both directions between vault and reserve.
    pub struct YieldMoved<'a> {
        pub vault: &'a Address,
        /// None for the owner.
        pub session: Option<&'a Address>,
        pub spend: &'a Spend<'a>,
        /// As requested.
        pub amount: u64,
        /// As moved.
        pub liquidity_delta: u64,
        pub collateral_delta: u64,
        pub deployed_amount: u64,
        pub vault_balance_after: u64,
        pub unix_timestamp: i64,
    }
}

/// In the order of the events, which is not that of the arguments.
impl Borsh for Spend<'_> {
    fn write(&self, out: &mut Writer) {
        self.session_index.write(out);
        self.seq.write(out);
        out.push(self.id);
    }
}

pub struct YieldDeposited<'a>(pub YieldMoved<'a>);

impl Borsh for YieldDeposited<'_> {
    fn write(&self, out: &mut Writer) {
        self.0.write(out);
    }
}

pub struct YieldWithdrawn<'a>(pub YieldMoved<'a>);

impl Borsh for YieldWithdrawn<'_> {
    fn write(&self, out: &mut Writer) {
        self.0.write(out);
    }
}

events!(YieldInitialized, YieldDeposited, YieldWithdrawn);
