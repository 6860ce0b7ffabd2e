//! What every instruction carries that a session signs.

use crate::{
    borsh::Reader,
    error::Error,
    state::{Session, Vault},
};
use pinocchio::error::ProgramError;

pub struct Spend<'a> {
    pub seq: u64,
    pub session_index: u64,
    /// Names the spend in the event; the program does not look at it.
    pub id: &'a [u8; 16],
}

/// What the owner's own moves carry in events.
pub const NO_SPEND: Spend = Spend { seq: 0, session_index: 0, id: &[0; 16] };

impl<'a> Spend<'a> {
    #[inline(always)]
    pub fn read(reader: &mut Reader<'a>) -> Result<Self, ProgramError> {
        Ok(Self { seq: reader.u64()?, session_index: reader.u64()?, id: reader.bytes()? })
    }

    /// Whether the session may use `instruction`, a bit of `allowed_instructions`, at `now`
    /// (unix seconds); the first rule that is broken names the error.
    ///
    /// Replay comes first, before everything that may change between two attempts of the
    /// same spend: a landed spend always answers that it has landed.
    #[inline(always)]
    pub fn check(
        &self,
        vault: &Vault,
        session: &Session,
        instruction: u16,
        now: i64,
    ) -> Result<(), Error> {
        if self.session_index != session.index {
            return Err(Error::SessionMismatch);
        }
        session.replay_window.check(self.seq)?;
        if vault.paused != 0 {
            return Err(Error::VaultPaused);
        }
        if now > session.expiry {
            return Err(Error::SessionExpired);
        }
        if session.allowed_instructions & instruction == 0 {
            return Err(Error::InstructionNotAllowed);
        }
        Ok(())
    }
}
