//! The library part of every Rust crate that polywire generates.
//!
//! polywire copies every file of this folder except `lib.rs`, `sample.rs` and `tests/` into a crate and adds
//! generated types and tables. Here, `sample` contains hand-written ones.

#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod answers;
mod api;
mod carriers;
#[cfg(test)]
mod content_length;
#[macro_use]
mod codec;
#[macro_use]
mod controls;
mod engine;
mod error;
mod filter;
mod interop;
mod json;
#[macro_use]
pub mod launch;
mod lines;
mod map;
mod ndjson;
mod out;
mod presence;
#[cfg(feature = "process")]
pub mod process;
#[macro_use]
pub mod session;
#[macro_use]
mod setters;
#[macro_use]
mod tree;
#[allow(dead_code)] // used by the tests
mod sample;
mod splitter;
#[cfg(test)]
mod sse;
mod table;
mod tape;
#[cfg(test)]
mod tests;
mod text;
mod tolerated;
mod undeclared;
mod uuid;

pub use api::*;
pub use codec::{TupleTail, Wire};
pub use error::{Code, DecodeError, EncodeError, UnknownValue};
pub use filter::Wanted;
pub use json::{Json, JsonRef, Kind};
pub use lines::*;
pub use map::{Map, Object};
pub use presence::Presence;
pub use tolerated::Tolerated;
pub use tree::{TreeEntry, TreeId};
pub use undeclared::Undeclared;

use ndjson as framing;
use sample as pairs;
use sample::{launches, plan};
