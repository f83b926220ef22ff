//! Gives the counters of an instrumented library to another program: how often each of its edges was passed.
//!
//! The library calls these functions when it is loaded, so this one has to be loaded before, for all to see.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

static START: AtomicUsize = AtomicUsize::new(0);
static STOP: AtomicUsize = AtomicUsize::new(0);

#[no_mangle]
pub extern "C" fn __sanitizer_cov_8bit_counters_init(start: usize, stop: usize) {
    START.store(start, Relaxed);
    STOP.store(stop, Relaxed);
}

/// The address of the first counter, each of which is a byte.
#[no_mangle]
pub extern "C" fn counters_start() -> usize {
    START.load(Relaxed)
}

/// The address after the last counter.
#[no_mangle]
pub extern "C" fn counters_stop() -> usize {
    STOP.load(Relaxed)
}
