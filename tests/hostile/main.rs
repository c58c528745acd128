//! Servers that mean harm. There is one, made for this, that breaks one rule at a time; a program
//! with a vault meets it and says what it thinks of that. For each row: what is said, that nothing
//! is on the disk afterwards, and that memory stayed below a bound.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::unreachable,
    clippy::disallowed_methods,
    reason = "tests"
)]

mod approval;
mod changing;
mod entries;
mod front_matter;
mod handshake;
#[path = "../journey.rs"]
#[allow(dead_code, reason = "each test program uses its part")]
mod journey;
mod listing;
mod manifests;
mod meeting;
mod programs;
mod reading;
mod server;
mod sessions;
mod streams;
#[path = "../support/mod.rs"]
mod support;
mod unvouched;
mod uris;
mod wire;
mod words;
mod world;
