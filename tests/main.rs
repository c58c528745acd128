//! Tests that need more than one crate, or a program that nobody here wrote.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::disallowed_methods,
    reason = "tests"
)]

// It holds links, pipes and names that only Linux's disks take.
#[cfg(target_os = "linux")]
mod corpus;
mod journey;
mod peers;
mod reading;
mod support;
