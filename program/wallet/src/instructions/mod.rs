//! One instruction per file: its arguments, its accounts in order, checks, act.

pub mod add_session;
pub mod close_vault;
mod deadline;
pub mod init_vault;
pub mod init_yield;
pub mod limits;
pub mod migrate_vault;
pub mod owner_withdraw;
mod recipients;
pub mod revoke_session;
pub mod set_max_deployed_fraction;
pub mod set_paused;
pub mod spend;
pub mod sweep_lamports;
pub mod sweep_token_account;
pub mod transfer_usdc;
pub mod update_session_allowlist;
pub mod update_session_limits;
pub mod yield_accounts;
pub mod yield_deposit;
pub mod yield_withdraw;
