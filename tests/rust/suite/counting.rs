//! Counts allocated bytes: an allocator for tests, and the cost of a call.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// The system's allocator, with counters per thread for the bytes held, the most bytes held, and the bytes requested.
struct Counting;

thread_local! {
    static HELD: Cell<isize> = const { Cell::new(0) };
    static PEAK: Cell<isize> = const { Cell::new(0) };
    static TOTAL: Cell<usize> = const { Cell::new(0) };
}

fn count(bytes: isize) {
    let held = HELD.get() + bytes;
    HELD.set(held);
    PEAK.set(PEAK.get().max(held));
    TOTAL.set(TOTAL.get() + usize::try_from(bytes).unwrap_or(0));
}

// SAFETY: every call is forwarded to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as isize);
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        count(-(layout.size() as isize));
        unsafe { System.dealloc(memory, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The most bytes held at once, and all bytes requested, while a function runs.
pub fn cost<T>(run: impl FnOnce() -> T) -> (usize, usize) {
    let (held, total) = (HELD.get(), TOTAL.get());
    PEAK.set(held);
    drop(run());
    ((PEAK.get() - held) as usize, TOTAL.get() - total)
}
