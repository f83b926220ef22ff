//! How many bytes our crate has allocated at most at once for a line, and how many steps the line takes it.

use std::alloc::{GlobalAlloc, Layout, System};
use std::hint::black_box;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use agentlines::{decode, decode_with, encode, examine, Message, Mode};
use serde_json::{json, Value};

/// The system's allocator, which counts.
struct Counting;

static HELD: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call goes to the system's allocator as it is.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        PEAK.fetch_max(
            HELD.fetch_add(layout.size(), Relaxed) + layout.size(),
            Relaxed,
        );
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        HELD.fetch_sub(layout.size(), Relaxed);
        unsafe { System.dealloc(memory, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

extern "C" {
    fn __llvm_profile_begin_counters() -> *const u64;
    fn __llvm_profile_end_counters() -> *const u64;
}

/// How many blocks of code have run: all counters that `-C instrument-coverage` puts into the program.
fn steps() -> u64 {
    // SAFETY: the profiler's runtime keeps one array of counters between these.
    unsafe {
        let (start, end) = (
            __llvm_profile_begin_counters(),
            __llvm_profile_end_counters(),
        );
        let length = end.offset_from(start).unsigned_abs();
        std::slice::from_raw_parts(start, length).iter().sum()
    }
}

type Decode = fn(&[u8]);

/// What a call costs.
fn cost(mode: &str, run: impl FnOnce()) -> Value {
    let (held, before) = (HELD.load(Relaxed), steps());
    PEAK.store(held, Relaxed);
    run();
    json!({"mode": mode, "bytes": PEAK.load(Relaxed) - held, "steps": steps() - before})
}

/// Decodes each line in each mode, and encodes its value.
pub fn bounds(lines: &[&[u8]]) -> Vec<Value> {
    let modes: [(&str, Decode); 3] = [
        ("lenient", |line| {
            drop(black_box(decode_with::<Message>(line, Mode::Lenient)))
        }),
        ("strict", |line| {
            drop(black_box(decode_with::<Message>(line, Mode::Strict)))
        }),
        ("examine", |line| drop(black_box(examine::<Message>(line)))),
    ];
    let mut found = Vec::new();
    for line in lines {
        for (mode, run) in modes {
            found.push(cost(mode, || run(line)));
        }
        found.push(match decode::<Message>(line) {
            Ok(message) => cost("encode", || drop(black_box(encode(&message)))),
            Err(_) => json!({"mode": "encode", "bytes": 0, "steps": 0}),
        });
    }
    found
}
