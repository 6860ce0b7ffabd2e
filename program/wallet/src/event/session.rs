//! Events of a session and its limits.

use super::events;
use crate::{borsh::fields, instructions::limits::Limits};
use pinocchio::Address;

fields! {
    pub struct SessionAdded<'a> {
        pub vault: &'a Address,
        pub session: &'a Address,
        pub session_pubkey: &'a Address,
        pub index: u64,
        pub limits: &'a Limits,
        pub recipients: &'a [Address],
    }

    pub struct SessionAllowlistUpdated<'a> {
        pub vault: &'a Address,
        pub session: &'a Address,
        pub recipients: &'a [Address],
    }

    pub struct SessionLimitsUpdated<'a> {
        pub vault: &'a Address,
        pub session: &'a Address,
        pub limits: &'a Limits,
    }

    pub struct SessionRevoked<'a> {
        pub vault: &'a Address,
        pub session: &'a Address,
        pub session_pubkey: &'a Address,
        pub index: u64,
    }
}

events!(SessionAdded, SessionAllowlistUpdated, SessionLimitsUpdated, SessionRevoked);
