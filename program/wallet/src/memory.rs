//! Memory functions that compiled code calls by name. The compiler's own do not link on the
//! upstream BPF target; the official toolchain provides them.

#![cfg(target_arch = "bpf")]

use pinocchio::syscalls::sol_memcmp_;

/// C's `memcmp`, as a syscall.
///
/// # Safety
/// Both pointers are valid for reads of `len` bytes.
#[no_mangle]
unsafe extern "C" fn memcmp(left: *const u8, right: *const u8, len: usize) -> i32 {
    let mut order = 0;
    // SAFETY: the caller guarantees that the pointers are valid.
    unsafe { sol_memcmp_(left, right, len as u64, &mut order) };
    order
}
