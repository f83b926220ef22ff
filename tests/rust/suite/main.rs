//! Tests of the generated crate that use only its public API.

mod api;
mod bounds;
mod checklist;
mod counting;
mod formats;
mod lines;
mod processes;
mod promises;
mod properties;
mod schedules;
mod streams;
