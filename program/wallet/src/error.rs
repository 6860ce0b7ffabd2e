//! Errors and their log lines in Anchor's text form, which Anchor clients parse.

use crate::borsh::Writer;
use pinocchio::error::ProgramError;

/// Declares the error table; `idl/agent_wallet.json` repeats the numbers from 6000 on.
macro_rules! errors {
    ($($(#[$attribute:meta])* $number:literal $name:ident $message:literal)*) => {
        /// Every error of this program. Numbers below 6000 are Anchor's own.
        // As wide as a register, so that a result is compared without being cut to size first.
        #[repr(u64)]
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Error {
            $($(#[$attribute])* $name = $number,)*
        }

        impl Error {
            /// Each number with the lengths of its name and message in [`Self::TEXTS`]. One text
            /// and its parts take less room than a pointer to each of them.
            const PARTS: &'static [(u16, u8, u8)] =
                &[$(($number, stringify!($name).len() as u8, $message.len() as u8),)*];
            const TEXTS: &'static [u8] = concat!($(stringify!($name), $message,)*).as_bytes();
            #[cfg(test)]
            const ALL: &'static [Error] = &[$(Error::$name,)*];
        }
    };
}

// The errors of this program are grouped; each group may grow up to the next one's first
// number. A number that was once published keeps its meaning.
errors! {
    101 InstructionFallbackNotFound "Fallback functions are not supported"
    102 InstructionDidNotDeserialize "The program could not deserialize the given instruction"
    2000 ConstraintMut "A mut constraint was violated"
    2001 ConstraintHasOne "A has one constraint was violated"
    2002 ConstraintSigner "A signer constraint was violated"
    2006 ConstraintSeeds "A seeds constraint was violated"
    2009 ConstraintAssociated "An associated constraint was violated"
    2012 ConstraintAddress "An address constraint was violated"
    2014 ConstraintTokenMint "A token mint constraint was violated"
    2015 ConstraintTokenOwner "A token owner constraint was violated"
    3002 AccountDiscriminatorMismatch "Account discriminator did not match what was expected"
    3003 AccountDidNotDeserialize "Failed to deserialize the account"
    3005 AccountNotEnoughKeys "Not enough account keys given to the instruction"
    3007 AccountOwnedByWrongProgram "The given account is owned by a different program than expected"
    3008 InvalidProgramId "Program ID was not as expected"
    3010 AccountNotSigner "The given account did not sign"
    3011 AccountNotSystemOwned "The given account is not owned by the system program"
    3012 AccountNotInitialized "The program expected this account to be already initialized"
    4100 DeclaredProgramIdMismatch "The declared program id does not match the actual program id"
    // 6000: the limits of a session.
    6000 RecipientNotAllowed "The recipient is not on the allowlist of the session"
    6001 AmountExceedsMaxPerTx "The amount exceeds the most that the session may spend in one transfer"
    6002 DailyCapExceeded "The amount would exceed what the session may spend in 24 hours"
    6003 SessionExpired "The session has expired"
    6004 InstructionNotAllowed "The session may not use this instruction"
    // Reserved: a closed session account is `AccountNotInitialized`.
    #[allow(dead_code)]
    6005 SessionRevoked "The session was revoked"
    6006 VaultPaused "The vault is paused"
    6007 InvalidAmount "The amount must be greater than zero"
    // 6050: at most once.
    6050 SessionMismatch "The session index is not the one of this session"
    6051 SpendAlreadyExecuted "A spend with this sequence number was executed already"
    6052 SpendSequenceTooOld "The spend sequence number is zero or too old to be checked"
    6053 SpendSequenceTooFar "The spend sequence number is too far ahead"
    // 6100: settings by the owner.
    6100 InvalidExpiry "The expiry must be in the future"
    6101 TooManyRecipients "A session has at most 10 recipients"
    6102 DuplicateRecipient "A recipient is listed twice"
    6103 RecipientForbidden "The vault, its token account, the session key and the zero address cannot be recipients"
    6104 UnknownInstructionBit "The allowed instructions contain an unknown bit"
    6105 InvalidFraction "A fraction is at most 10000 basis points"
    6106 DeadlinePassed "The deadline of this instruction has passed"
    6107 SessionIndexMismatch "The session index is not the next one of the vault"
    6108 SessionKeyForbidden "The zero address, the vault and the event authority cannot be session keys"
    6109 SessionsOpen "The vault still has sessions"
    6110 VaultNotEmpty "The vault still has USDC, a deployed amount or yield accounts"
    6111 VaultTooNew "A vault cannot be closed in the slot of its creation"
    6112 NothingToMigrate "The vault has the newest layout"
    // 6150: token accounts of the vault.
    6150 TokenAccountDelegated "The token account has a delegate"
    6151 TokenAccountCloseAuthority "The token account has a close authority"
    6152 TokenAccountFrozen "The token account is frozen or not initialized"
    // 6200: yield.
    6200 DeployedFractionExceeded "The deposit would exceed the part of the funds that may be deployed"
    6201 WithdrawExceedsDeployed "The withdrawal exceeds the deployed amount"
    6202 ReserveMismatch "An account of the yield reserve is not the expected one"
    6203 ReserveDeltaMismatch "The yield reserve moved another amount than expected"
    // 6250: arithmetic, clock and rent.
    6250 MathOverflow "An amount does not fit into 64 bits"
    6251 InvalidClock "The clock of the chain is negative or cannot be read"
    6252 UnsupportedRent "The rent of the chain cannot be read"
}

impl Error {
    /// Logs the error and returns it for the runtime.
    #[inline(always)]
    pub fn fail(self) -> ProgramError {
        self.blame_nothing().into()
    }

    /// Logs the error as caused by the account of that name (as in the IDL) and returns it for
    /// the runtime.
    #[inline(always)]
    pub fn at(self, account: &'static str) -> ProgramError {
        self.blame(account).into()
    }

    /// One argument less at each place than [`Self::blame`].
    #[cold]
    #[inline(never)]
    fn blame_nothing(self) -> Self {
        self.blame("")
    }

    /// Logs the error as caused by the account of that name, none if empty, and returns it.
    #[cold]
    #[inline(never)]
    pub fn blame(self, account: &'static str) -> Error {
        let (name, message) = self.text();
        let mut line = Writer::new();
        line.push(b"AnchorError ");
        if account.is_empty() {
            line.push(b"occurred");
        } else {
            line.push(b"caused by account: ");
            line.push(account.as_bytes());
        }
        line.push(b". Error Code: ");
        line.push(name);
        line.push(b". Error Number: ");
        let mut digits = [0; 10];
        line.push(decimal(self as u32, &mut digits));
        line.push(b". Error Message: ");
        line.push(message);
        line.push(b".");
        log_bytes(line.written());
        self
    }

    /// Name and message as Anchor prints them; the message has no final dot.
    fn text(self) -> (&'static [u8], &'static [u8]) {
        let mut rest = Self::TEXTS;
        for (number, name, message) in Self::PARTS {
            let (name, after) = rest.split_at_checked(usize::from(*name)).unwrap_or_default();
            let (message, after) =
                after.split_at_checked(usize::from(*message)).unwrap_or_default();
            if u64::from(*number) == self as u64 {
                return (name, message);
            }
            rest = after;
        }
        (b"", b"")
    }
}

/// For errors that were logged.
impl From<Error> for ProgramError {
    #[inline(always)]
    fn from(error: Error) -> Self {
        Self::Custom(error as u32)
    }
}

/// `number` in decimal digits, written into `digits`.
fn decimal(number: u32, digits: &mut [u8; 10]) -> &[u8] {
    let mut rest = number;
    let mut first = digits.len();
    for (place, digit) in digits.iter_mut().enumerate().rev() {
        *digit = b'0'.wrapping_add((rest % 10) as u8);
        first = place;
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    digits.get(first..).unwrap_or_default()
}

/// Writes one line to the log of the transaction; on the host nothing happens.
#[inline(never)]
pub fn log(line: &str) {
    log_bytes(line.as_bytes());
}

#[inline(always)]
fn log_bytes(line: &[u8]) {
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
    use std::{collections::BTreeMap, string::String, vec::Vec};

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
    fn the_idl_lists_exactly_the_errors_of_this_program() {
        let idl: Idl =
            serde_json::from_str(include_str!("../../idl/agent_wallet.json")).expect("IDL");
        let listed: BTreeMap<u32, (String, String)> =
            idl.errors.into_iter().map(|e| (e.code, (e.name, e.msg))).collect();
        let own: BTreeMap<u32, (String, String)> = texts()
            .filter(|(error, _, _)| *error as u32 >= 6000)
            .map(|(error, name, message)| (error as u32, (name.into(), message.into())))
            .collect();
        assert_eq!(listed, own);
    }

    fn texts() -> impl Iterator<Item = (Error, &'static str, &'static str)> {
        Error::ALL.iter().map(|error| {
            let (name, message) = error.text();
            assert_eq!(name, std::format!("{error:?}").as_bytes());
            let in_words = |bytes| core::str::from_utf8(bytes).expect("a text");
            (*error, in_words(name), in_words(message))
        })
    }

    #[test]
    fn the_longest_line_fits() {
        let longest = texts().map(|(_, name, message)| name.len() + message.len()).max();
        let fixed = "AnchorError caused by account: associated_token_program. Error Code: ";
        let rest = ". Error Number: 4294967295. Error Message: .";
        assert!(fixed.len() + rest.len() + longest.unwrap_or(0) <= Writer::CAPACITY);
    }

    #[test]
    fn decimal_prints_zero_and_the_largest_number() {
        assert_eq!(decimal(0, &mut [0; 10]), b"0");
        assert_eq!(decimal(u32::MAX, &mut [0; 10]), b"4294967295");
    }
}
