//! The program itself: in a real window, worked through WebDriver, and on the command line.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    clippy::disallowed_methods,
    reason = "tests"
)]

mod check;
mod first_run;
mod http;
mod judging;
mod library;
mod proxies;
mod remote;
mod serve;
mod servers;
mod sharing;
mod signing_in;
#[path = "../support/mod.rs"]
mod support;
mod undetected;
mod webdriver;
mod window;
