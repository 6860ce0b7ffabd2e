//! Errors and their log lines in Anchor's text form. Numbers and names are those of Anchor
//! and, from 6000 on, of Kamino Lend.

use pinocchio::error::ProgramError;

/// Declares the error table; `idl/reserve_sandbox.json` repeats the numbers from 6000 on.
macro_rules! errors {
    ($($number:literal $name:ident $message:literal)*) => {
        #[repr(u32)]
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Error {
            $($name = $number,)*
        }

        impl Error {
            const fn line(self) -> &'static str {
                match self {
                    $(Error::$name => concat!(
                        "AnchorError occurred. Error Code: ", stringify!($name),
                        ". Error Number: ", $number, ". Error Message: ", $message, ".",
                    ),)*
                }
            }

            #[cfg(test)]
            const ALL: &'static [(Error, &'static str, &'static str)] =
                &[$((Error::$name, stringify!($name), $message),)*];
        }
    };
}

errors! {
    101 InstructionFallbackNotFound "Fallback functions are not supported"
    102 InstructionDidNotDeserialize "The program could not deserialize the given instruction"
    2000 ConstraintMut "A mut constraint was violated"
    2001 ConstraintHasOne "A has one constraint was violated"
    2012 ConstraintAddress "An address constraint was violated"
    2015 ConstraintTokenOwner "A token owner constraint was violated"
    3005 AccountNotEnoughKeys "Not enough account keys given to the instruction"
    3007 AccountOwnedByWrongProgram "The given account is owned by a different program than expected"
    3008 InvalidProgramId "Program ID was not as expected"
    3010 AccountNotSigner "The given account did not sign"
    3012 AccountNotInitialized "The program expected this account to be already initialized"
    4100 DeclaredProgramIdMismatch "The declared program id does not match the actual program id"
    6002 MathOverflow "A number does not fit"
    6003 InvalidAmount "The amount is zero or rounds to zero"
    6006 InvalidAccountInput "The account is not one of this reserve"
    6008 InsufficientLiquidity "The reserve has not enough liquidity available"
    6009 ReserveStale "The reserve was not refreshed in this slot"
    6090 DepositLimitExceeded "The deposit would exceed the limit of the reserve"
}

impl Error {
    /// Logs the error and returns it for the runtime.
    #[cold]
    #[inline(never)]
    pub fn fail(self) -> ProgramError {
        log(self.line());
        ProgramError::Custom(self as u32)
    }
}

/// Writes one line to the log of the transaction; on the host nothing happens.
#[inline(always)]
pub fn log(line: &str) {
    #[cfg(any(target_os = "solana", target_arch = "bpf"))]
    // SAFETY: pointer and length belong to `line`, which outlives the call.
    unsafe {
        pinocchio::syscalls::sol_log_(line.as_ptr(), line.len() as u64)
    };
    #[cfg(not(any(target_os = "solana", target_arch = "bpf")))]
    core::hint::black_box(line);
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{string::String, vec::Vec};

    #[derive(serde::Deserialize)]
    struct Idl {
        errors: Vec<IdlError>,
    }

    #[derive(serde::Deserialize)]
    struct IdlError {
        code: u32,
        name: String,
        msg: String,
    }

    #[test]
    fn the_idl_lists_the_errors_above_6000_with_the_same_texts() {
        let idl: Idl =
            serde_json::from_str(include_str!("../../idl/reserve_sandbox.json")).expect("IDL");
        let listed: Vec<_> =
            idl.errors.iter().map(|e| (e.code, e.name.as_str(), e.msg.as_str())).collect();
        let ours: Vec<_> = Error::ALL
            .iter()
            .map(|(error, name, message)| (*error as u32, *name, *message))
            .filter(|(code, ..)| *code >= 6000)
            .collect();
        assert_eq!(listed, ours);
    }
}
