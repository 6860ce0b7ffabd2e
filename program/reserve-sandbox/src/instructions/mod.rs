//! One instruction per file: its argument, its accounts in order, checks, act.

pub mod accrue;
pub mod borrow_out;
pub mod deposit_reserve_liquidity;
pub mod init_reserve;
pub mod redeem_reserve_collateral;
pub mod refresh_reserve;
pub mod repay;
pub mod set_rate;
