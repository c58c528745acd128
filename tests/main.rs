//! Tests that need more than one crate, or a program that nobody here wrote.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::disallowed_methods,
    reason = "tests"
)]

mod hostile;
mod journey;
mod peers;
mod support;
