//! The native extension of the Python packages that polywire generates.
//!
//! A package gives its table, the rows of `_table.py`. The engine of the Rust runtime, compiled from the same files,
//! checks a document by them; then `decode` creates the package's own objects from its slots, and `encode` writes such
//! objects. Both do the whole of a line or none of it: whatever they do not handle, including every fault, is left to
//! the package's functions in Python, which read or write the line again.
//!
//! Likewise, `tabulate` turns lines into batches of rows for Arrow, by the description of a package's tables.
//!
//! `python` is the boundary to CPython. All unsafe code is there.

#![deny(unsafe_code)]

mod columns;
mod decode;
mod encode;
#[path = "../../rust/src/engine.rs"]
mod engine;
#[allow(dead_code)] // Python raises the errors
#[path = "../../rust/src/error.rs"]
mod error;
mod package;
mod python;
mod rows;
#[path = "../../rust/src/table.rs"]
mod table;
mod tabulate;
#[path = "../../rust/src/tape.rs"]
mod tape;
#[path = "../../rust/src/text.rs"]
mod text;
#[allow(dead_code)] // Python examines documents
#[path = "../../rust/src/tolerated.rs"]
mod tolerated;
mod widen;
