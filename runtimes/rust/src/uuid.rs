//! Random UUIDs, for constructors that generate one.

#![allow(dead_code)] // not every protocol has such a constructor

use std::hash::{BuildHasher, Hasher, RandomState};

/// A new UUID of version 4, from the random seeds of the standard library's hash maps.
pub fn fresh_uuid() -> String {
    let random = || RandomState::new().build_hasher().finish();
    let (one, two) = (random(), random());
    format!(
        "{:08x}-{:04x}-4{:03x}-{:04x}-{:012x}",
        one >> 32,
        (one >> 16) & 0xffff,
        one & 0xfff,
        (two >> 48) & 0x3fff | 0x8000,
        two & 0xffff_ffff_ffff,
    )
}
