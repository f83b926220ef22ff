//! The generated crate in the hands of a user who has nothing else.

mod checklist;
mod formats;
mod lines;
mod promises;
mod properties;
mod streams;
