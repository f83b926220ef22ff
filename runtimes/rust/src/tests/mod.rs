//! Tests of the runtime with the sample protocol.

mod controls;
mod decode;
mod encode;
mod filter;
mod forms;
mod framing;
mod json;
mod launch;
mod lines;
mod map;
mod numbers;
#[cfg(all(unix, feature = "process"))]
mod process;
mod repairs;
mod serde;
mod session;
mod text;
mod tree;

use crate::codec::Wire;
use crate::{decode_with, Code, Mode};

/// The code and path of the fault that decoding a text reports in a mode.
fn fault<T: Wire>(text: &str, mode: Mode) -> (Code, String) {
    match decode_with::<T>(text, mode) {
        Ok(_) => panic!("no fault in {text}"),
        Err(error) => (error.code, error.path),
    }
}

/// Asserts that a text has the same fault in both modes.
#[track_caller]
fn assert_fault<T: Wire>(text: &str, code: Code, path: &str) {
    for mode in [Mode::Lenient, Mode::Strict] {
        assert_eq!(
            fault::<T>(text, mode),
            (code, path.into()),
            "{mode:?} {text}"
        );
    }
}
