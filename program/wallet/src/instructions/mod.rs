//! One instruction per file: its arguments, its accounts in order, checks, act.

pub mod add_session;
pub mod init_vault;
mod recipients;
pub mod revoke_session;
pub mod set_paused;
pub mod transfer_usdc;
pub mod update_session_allowlist;
