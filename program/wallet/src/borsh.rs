//! Reading of instruction arguments and writing of events in Borsh, without allocation.

use crate::error::Error;
use core::mem::MaybeUninit;
use pinocchio::{error::ProgramError, Address};

/// Reads the arguments of one instruction from front to back.
///
/// Each method fails with `InstructionDidNotDeserialize` (102) when the bytes run out.
pub struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    pub fn new(arguments: &'a [u8]) -> Self {
        Self { rest: arguments }
    }

    pub fn bytes<const N: usize>(&mut self) -> Result<&'a [u8; N], ProgramError> {
        let Some((value, rest)) = self.rest.split_first_chunk::<N>() else {
            return Err(Error::InstructionDidNotDeserialize.fail());
        };
        self.rest = rest;
        Ok(value)
    }

    pub fn bool(&mut self) -> Result<bool, ProgramError> {
        match self.bytes::<1>()? {
            [0] => Ok(false),
            [1] => Ok(true),
            _ => Err(Error::InstructionDidNotDeserialize.fail()),
        }
    }

    pub fn u8(&mut self) -> Result<u8, ProgramError> {
        self.bytes().map(|[value]| *value)
    }

    pub fn u16(&mut self) -> Result<u16, ProgramError> {
        Ok(u16::from_le_bytes(*self.bytes()?))
    }

    pub fn u64(&mut self) -> Result<u64, ProgramError> {
        Ok(u64::from_le_bytes(*self.bytes()?))
    }

    pub fn i64(&mut self) -> Result<i64, ProgramError> {
        Ok(i64::from_le_bytes(*self.bytes()?))
    }

    pub fn address(&mut self) -> Result<&'a Address, ProgramError> {
        let bytes = self.bytes::<32>()?;
        // SAFETY: `Address` is a transparent `[u8; 32]`.
        Ok(unsafe { &*bytes.as_ptr().cast::<Address>() })
    }

    /// A `vec<pubkey>` of any length that the bytes hold.
    pub fn addresses(&mut self) -> Result<&'a [Address], ProgramError> {
        let count = u32::from_le_bytes(*self.bytes()?) as usize;
        // No wrap: the count has 32 bits.
        let Some((values, rest)) = self.rest.split_at_checked(count.wrapping_mul(32)) else {
            return Err(Error::InstructionDidNotDeserialize.fail());
        };
        let (values, _) = values.as_chunks::<32>();
        self.rest = rest;
        // SAFETY: `Address` is a transparent `[u8; 32]`.
        Ok(unsafe { core::slice::from_raw_parts(values.as_ptr().cast(), values.len()) })
    }

    /// Refuses bytes after the last argument, which belong to another instruction format.
    pub fn end(self) -> Result<(), ProgramError> {
        if self.rest.is_empty() {
            Ok(())
        } else {
            Err(Error::InstructionDidNotDeserialize.fail())
        }
    }
}

/// Collects up to [`Writer::CAPACITY`] bytes on the stack.
pub struct Writer {
    bytes: [MaybeUninit<u8>; Writer::CAPACITY],
    len: usize,
}

impl Writer {
    /// Holds the largest event, `SessionAdded` with 10 recipients, 494 bytes with its tags, and the
    /// longest line of an error.
    pub const CAPACITY: usize = 512;

    #[inline(always)]
    pub fn new() -> Self {
        Self { bytes: [const { MaybeUninit::uninit() }; Self::CAPACITY], len: 0 }
    }

    /// Appends `value`. Panics beyond the capacity, which no event reaches.
    #[inline(always)]
    pub fn put<const N: usize>(&mut self, value: &[u8; N]) {
        let len = self.len.wrapping_add(N);
        assert!(len <= Self::CAPACITY);
        // SAFETY: the assertion keeps the write inside `bytes`; the two do not overlap because
        // `bytes` is borrowed mutably.
        unsafe {
            let end = self.bytes.as_mut_ptr().add(self.len).cast::<[u8; N]>();
            end.write_unaligned(*value);
        }
        self.len = len;
    }

    /// Like [`Self::put`] for any length, and one function for all instructions but transfers.
    #[inline(never)]
    pub fn push(&mut self, value: &[u8]) {
        let len = self.len.wrapping_add(value.len());
        assert!(len <= Self::CAPACITY);
        // SAFETY: the assertion keeps the write inside `bytes`; the two do not overlap because
        // `bytes` is borrowed mutably.
        unsafe {
            let end = self.bytes.as_mut_ptr().add(self.len).cast::<u8>();
            end.copy_from_nonoverlapping(value.as_ptr(), value.len());
        }
        self.len = len;
    }

    #[inline(always)]
    pub fn written(&self) -> &[u8] {
        // SAFETY: `push` initialized the first `len` bytes.
        unsafe { core::slice::from_raw_parts(self.bytes.as_ptr().cast(), self.len) }
    }
}

/// A value in its Borsh form.
pub trait Borsh {
    fn write(&self, out: &mut Writer);
}

impl Borsh for Address {
    #[inline(always)]
    fn write(&self, out: &mut Writer) {
        out.push(self.as_ref());
    }
}

impl Borsh for Option<&Address> {
    #[inline(never)]
    fn write(&self, out: &mut Writer) {
        self.is_some().write(out);
        if let Some(address) = self {
            address.write(out);
        }
    }
}

/// A `vec<pubkey>`.
impl Borsh for [Address] {
    fn write(&self, out: &mut Writer) {
        out.push(&(self.len() as u32).to_le_bytes());
        self.iter().for_each(|address| address.write(out));
    }
}

impl Borsh for bool {
    #[inline(always)]
    fn write(&self, out: &mut Writer) {
        u8::from(*self).write(out);
    }
}

impl Borsh for u8 {
    #[inline(always)]
    fn write(&self, out: &mut Writer) {
        out.push(&[*self]);
    }
}

impl Borsh for u16 {
    #[inline(always)]
    fn write(&self, out: &mut Writer) {
        out.push(&self.to_le_bytes());
    }
}

// One function, because most events write most of their numbers with it.
impl Borsh for u64 {
    #[inline(never)]
    fn write(&self, out: &mut Writer) {
        out.put(&self.to_le_bytes());
    }
}

impl Borsh for i64 {
    #[inline(always)]
    fn write(&self, out: &mut Writer) {
        (*self as u64).write(out);
    }
}

/// Declares structs whose Borsh form is that of their fields in this order.
macro_rules! fields {
    ($($(#[$about:meta])* pub struct $name:ident<$life:lifetime> {
        $($(#[$note:meta])* pub $field:ident: $type:ty,)*
    })*) => {$(
        $(#[$about])*
        pub struct $name<$life> {
            $($(#[$note])* pub $field: $type,)*
        }

        impl $crate::borsh::Borsh for $name<'_> {
            fn write(&self, out: &mut $crate::borsh::Writer) {
                $(self.$field.write(out);)*
            }
        }
    )*};
}
pub(crate) use fields;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_vector_longer_than_its_bytes_is_refused() {
        let mut bytes = [0; 4 + 32];
        bytes[0] = 2;
        assert!(Reader::new(&bytes).addresses().is_err());
        bytes[..4].copy_from_slice(&u32::MAX.to_le_bytes());
        assert!(Reader::new(&bytes).addresses().is_err());
    }

    #[test]
    fn bytes_after_the_last_argument_are_refused() {
        let mut reader = Reader::new(&[1, 0, 9]);
        assert_eq!(reader.u16(), Ok(1));
        assert!(reader.end().is_err());
    }

    #[test]
    fn a_bool_is_zero_or_one() {
        assert_eq!(Reader::new(&[1]).bool(), Ok(true));
        assert_eq!(Reader::new(&[0]).bool(), Ok(false));
        assert!(Reader::new(&[2]).bool().is_err());
    }

    #[test]
    fn the_writer_returns_its_bytes() {
        let mut writer = Writer::new();
        0x0201_u16.write(&mut writer);
        (-1_i64).write(&mut writer);
        [Address::new_from_array([7; 32])].as_slice().write(&mut writer);
        assert_eq!(&writer.written()[..2], &[1, 2]);
        assert_eq!(&writer.written()[2..10], &[0xff; 8]);
        assert_eq!(&writer.written()[10..15], &[1, 0, 0, 0, 7]);
        assert_eq!(writer.written().len(), 2 + 8 + 4 + 32);
    }
}
