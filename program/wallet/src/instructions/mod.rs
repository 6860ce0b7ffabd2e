//! One instruction per file: its arguments, its accounts in order, checks, act.

pub mod add_session;
pub mod init_vault;
pub mod limits;
pub mod owner_withdraw;
mod recipients;
pub mod revoke_session;
pub mod set_max_deployed_fraction;
pub mod set_paused;
pub mod transfer_usdc;
pub mod update_session_allowlist;
pub mod update_session_limits;
