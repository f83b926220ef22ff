//! Bytes that are allocated, counted: an allocator for tests, and what a call costs.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// The system's allocator, which counts what each thread holds, has held at most, and has asked for.
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

// SAFETY: every call goes to the system's allocator as it is.
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

/// The most bytes held at once, and all bytes asked for, while something runs.
pub fn cost<T>(run: impl FnOnce() -> T) -> (usize, usize) {
    let (held, total) = (HELD.get(), TOTAL.get());
    PEAK.set(held);
    drop(run());
    ((PEAK.get() - held) as usize, TOTAL.get() - total)
}
