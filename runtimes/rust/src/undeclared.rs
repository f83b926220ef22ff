//! Values of open enums that are not declared.

#![allow(dead_code)] // not every protocol has open enums

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;

/// A value that the open enum `E` does not declare: a string, or a number.
///
/// It is created only by conversions into the enum, so it is never a declared value.
pub struct Undeclared<E, V = String> {
    value: V,
    of: PhantomData<fn() -> E>,
}

impl<E, V> Undeclared<E, V> {
    /// The caller must ensure that the enum does not declare the value.
    pub(crate) const fn new(value: V) -> Self {
        Undeclared {
            value,
            of: PhantomData,
        }
    }
}

impl<E> Undeclared<E> {
    /// The value on the wire.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.value
    }
}

impl<E> Undeclared<E, i64> {
    /// The value on the wire.
    #[must_use]
    pub const fn as_i64(&self) -> i64 {
        self.value
    }
}

impl<E, V: Clone> Clone for Undeclared<E, V> {
    fn clone(&self) -> Self {
        Undeclared::new(self.value.clone())
    }
}

impl<E, V: fmt::Debug> fmt::Debug for Undeclared<E, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.value.fmt(f)
    }
}

impl<E, V: fmt::Display> fmt::Display for Undeclared<E, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.value.fmt(f)
    }
}

impl<E, V: PartialEq> PartialEq for Undeclared<E, V> {
    fn eq(&self, other: &Self) -> bool {
        self.value == other.value
    }
}

impl<E, V: Eq> Eq for Undeclared<E, V> {}

impl<E, V: PartialOrd> PartialOrd for Undeclared<E, V> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        self.value.partial_cmp(&other.value)
    }
}

impl<E, V: Ord> Ord for Undeclared<E, V> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.value.cmp(&other.value)
    }
}

impl<E, V: Hash> Hash for Undeclared<E, V> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.value.hash(state);
    }
}
