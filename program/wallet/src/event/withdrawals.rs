//! Events of what the owner takes out of a vault.

use super::events;
use crate::borsh::fields;
use pinocchio::Address;

fields! {
    pub struct OwnerWithdrew<'a> {
        pub vault: &'a Address,
        pub owner: &'a Address,
        pub owner_token_account: &'a Address,
        pub amount: u64,
        pub vault_balance_after: u64,
    }

    pub struct TokenAccountSwept<'a> {
        pub vault: &'a Address,
        pub owner: &'a Address,
        pub token_account: &'a Address,
        pub mint: &'a Address,
        /// None when none was given; the amount is then zero.
        pub owner_token_account: Option<&'a Address>,
        pub amount: u64,
        pub closed: bool,
        /// After the sweep.
        pub deployed_amount: u64,
    }

    pub struct LamportsSwept<'a> {
        pub vault: &'a Address,
        pub owner: &'a Address,
        pub amount: u64,
    }
}

events!(OwnerWithdrew, TokenAccountSwept, LamportsSwept);
