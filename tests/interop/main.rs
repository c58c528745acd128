//! Our server beside the reference, before clients and a conformance suite that nobody here wrote,
//! and before programs that mean it harm.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::disallowed_methods,
    reason = "tests"
)]

mod abuse;
mod clients;
mod conformance;
#[cfg(target_os = "linux")]
#[path = "../corpus/mod.rs"]
#[allow(dead_code, reason = "each test program uses its part")]
mod corpus;
// Its corpus holds links, pipes and names that only Linux's disks take.
#[cfg(target_os = "linux")]
mod differential;
mod served;
#[path = "../support/mod.rs"]
mod support;
