//! The program itself: in a real window, worked through WebDriver, and on the command line.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    clippy::disallowed_methods,
    reason = "tests"
)]

mod first_run;
mod library;
mod serve;
mod servers;
#[path = "../support/mod.rs"]
mod support;
mod webdriver;
mod window;
