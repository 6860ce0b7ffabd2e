//! The limits of a session except its recipients, shared by the two instructions that set
//! them.

use crate::{
    borsh::{Borsh, Reader, Writer},
    error::Error,
    state::{Session, KNOWN_INSTRUCTIONS},
};
use pinocchio::error::ProgramError;

pub struct Limits {
    /// Base units.
    pub max_per_tx: u64,
    /// Base units in any 24 hours.
    pub daily_cap: u64,
    /// Unix seconds.
    pub expiry: i64,
    pub allowed_instructions: u16,
}

impl Limits {
    #[inline(never)]
    pub fn read(reader: &mut Reader) -> Result<Self, ProgramError> {
        Ok(Self {
            max_per_tx: reader.u64()?,
            daily_cap: reader.u64()?,
            expiry: reader.i64()?,
            allowed_instructions: reader.u16()?,
        })
    }

    /// Refuses invalid limits.
    ///
    /// # Errors
    /// `InvalidAmount` for a limit of zero; `InvalidExpiry` unless it lies after `now` (unix
    /// seconds); `UnknownInstructionBit`.
    #[inline(never)]
    pub fn check(&self, now: i64) -> Result<(), Error> {
        if self.max_per_tx == 0 || self.daily_cap == 0 {
            return Err(Error::InvalidAmount);
        }
        if self.expiry <= now {
            return Err(Error::InvalidExpiry);
        }
        if self.allowed_instructions & !KNOWN_INSTRUCTIONS != 0 {
            return Err(Error::UnknownInstructionBit);
        }
        Ok(())
    }

    /// Writes the limits into the session; its spends stay counted.
    #[inline(never)]
    pub fn set(&self, session: &mut Session) {
        session.max_per_tx = self.max_per_tx;
        session.daily_cap = self.daily_cap;
        session.expiry = self.expiry;
        session.allowed_instructions = self.allowed_instructions;
    }
}

impl Borsh for Limits {
    fn write(&self, out: &mut Writer) {
        self.max_per_tx.write(out);
        self.daily_cap.write(out);
        self.expiry.write(out);
        self.allowed_instructions.write(out);
    }
}
