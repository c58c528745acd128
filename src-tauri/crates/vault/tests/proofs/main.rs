//! Proofs that nothing is lost, through the vault's public interface alone: processes that are ended
//! at each step, disks that are full or refuse, several programs at once, damaged records, and a
//! random walk beside a small model.

#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::disallowed_methods
)]

mod deeds;
mod disks;
mod kill;
mod ledgers;
mod model;
mod others;
mod support;
