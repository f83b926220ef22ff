//! The generated crate in the hands of a user who has nothing else.

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
