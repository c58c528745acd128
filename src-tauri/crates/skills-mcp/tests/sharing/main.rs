//! One server and several callers: what each may see, what each is told, and what none can do to
//! the others.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::disallowed_methods)]

#[path = "../support/mod.rs"]
mod support;

mod batches;
mod callers;
mod changes;
mod connections;
mod messages;
mod policy;
mod refusing;
