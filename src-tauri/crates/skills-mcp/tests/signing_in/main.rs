//! Signing in at an authorization server that does as it is told, on this machine.
#![allow(unreachable_pub, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod asking;
mod renewing;
mod scripted;
#[path = "../support/mod.rs"]
mod support;
