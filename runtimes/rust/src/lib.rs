//! The library part of every Rust crate that polywire generates.
//!
//! polywire copies every file of this folder but `lib.rs`, `sample.rs` and `tests/` into a crate, beside
//! generated types and tables. Here `sample` has both, written by hand.

#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod api;
#[macro_use]
mod codec;
#[macro_use]
mod controls;
mod convert;
mod cursor;
mod error;
mod json;
mod map;
mod out;
mod presence;
#[allow(dead_code)] // the tests use it
mod sample;
mod stream;
#[cfg(test)]
mod tests;
mod uuid;
mod validator;

pub use api::*;
pub use codec::Wire;
pub use controls::AnswerError;
pub use error::{Code, DecodeError, EncodeError, UnknownValue};
pub use json::{Json, JsonRef, Kind};
pub use map::{Map, Object};
pub use presence::Presence;
pub use stream::*;

use sample::plan;
