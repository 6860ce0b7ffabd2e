//! Arguments of every session-signed instruction.

use crate::{
    borsh::Reader,
    error::Error,
    state::{Session, Vault},
};
use pinocchio::error::ProgramError;

pub struct Spend<'a> {
    pub seq: u64,
    pub session_index: u64,
    /// Names the spend in the event; the program does not check it.
    pub id: &'a [u8; 16],
}

/// The values in events of the owner's own instructions.
pub const NO_SPEND: Spend = Spend { seq: 0, session_index: 0, id: &[0; 16] };

impl<'a> Spend<'a> {
    #[inline(always)]
    pub fn read(reader: &mut Reader<'a>) -> Result<Self, ProgramError> {
        Ok(Self { seq: reader.u64()?, session_index: reader.u64()?, id: reader.bytes()? })
    }

    /// Whether the session may use `instruction`, a bit of `allowed_instructions`, at `now`
    /// (unix seconds); the first broken rule determines the error.
    ///
    /// Replay comes first, before any state that can change between two attempts of the same
    /// spend, so that a landed spend is always refused as executed.
    #[inline(always)]
    pub fn check(
        &self,
        vault: &Vault,
        session: &Session,
        instruction: u16,
        now: i64,
    ) -> Result<(), Error> {
        session.check_index(self.session_index)?;
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
