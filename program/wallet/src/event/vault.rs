//! Events of a vault and its settings.

use super::events;
use crate::borsh::fields;
use pinocchio::Address;

fields! {
    pub struct VaultInitialized<'a> {
        pub owner: &'a Address,
        pub vault: &'a Address,
        pub vault_token_account: &'a Address,
        pub max_deployed_fraction_bp: u16,
    }

    pub struct MaxDeployedFractionSet<'a> {
        pub vault: &'a Address,
        pub max_deployed_fraction_bp: u16,
    }

    pub struct PausedSet<'a> {
        pub vault: &'a Address,
        pub paused: bool,
    }

    pub struct VaultMigrated<'a> {
        pub vault: &'a Address,
        pub version: u8,
    }

    pub struct VaultClosed<'a> {
        pub vault: &'a Address,
        pub owner: &'a Address,
    }
}

events!(VaultInitialized, MaxDeployedFractionSet, PausedSet, VaultMigrated, VaultClosed);
