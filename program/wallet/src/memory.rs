//! Memory functions that compiled code calls by name, as syscalls. The compiler's own are larger
//! and cost more, and that of `memcmp` does not link on the upstream BPF target; the official
//! toolchain provides these.

#![cfg(target_arch = "bpf")]

use pinocchio::syscalls::{sol_memcmp_, sol_memcpy_, sol_memmove_, sol_memset_};

/// C's `memcmp`.
///
/// # Safety
/// Both pointers are valid for reads of `len` bytes.
#[no_mangle]
#[inline(never)]
unsafe extern "C" fn memcmp(left: *const u8, right: *const u8, len: usize) -> i32 {
    let mut order = 0;
    // SAFETY: the caller guarantees that the pointers are valid.
    unsafe { sol_memcmp_(left, right, len as u64, &mut order) };
    order
}

/// Like [`memcmp`], for equality alone.
///
/// # Safety
/// Both pointers are valid for reads of `len` bytes.
#[no_mangle]
#[inline(never)]
unsafe extern "C" fn bcmp(left: *const u8, right: *const u8, len: usize) -> i32 {
    // SAFETY: the caller guarantees that the pointers are valid.
    unsafe { memcmp(left, right, len) }
}

/// C's `memcpy`.
///
/// # Safety
/// `from` is valid for reads of `len` bytes and `to` for writes; they do not overlap.
#[no_mangle]
unsafe extern "C" fn memcpy(to: *mut u8, from: *const u8, len: usize) -> *mut u8 {
    // SAFETY: the caller guarantees that the pointers are valid.
    unsafe { sol_memcpy_(to, from, len as u64) };
    to
}

/// C's `memmove`.
///
/// # Safety
/// `from` is valid for reads of `len` bytes and `to` for writes.
#[no_mangle]
unsafe extern "C" fn memmove(to: *mut u8, from: *const u8, len: usize) -> *mut u8 {
    // SAFETY: the caller guarantees that the pointers are valid.
    unsafe { sol_memmove_(to, from, len as u64) };
    to
}

/// C's `memset`.
///
/// # Safety
/// `to` is valid for writes of `len` bytes.
#[no_mangle]
unsafe extern "C" fn memset(to: *mut u8, value: i32, len: usize) -> *mut u8 {
    // SAFETY: the caller guarantees that the pointer is valid.
    unsafe { sol_memset_(to, value as u8, len as u64) };
    to
}
