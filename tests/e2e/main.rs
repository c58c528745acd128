//! The program itself: in a real window, worked through WebDriver, and on the command line.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    clippy::disallowed_methods,
    reason = "tests"
)]

mod changing;
mod check;
mod first_run;
mod http;
mod judging;
mod library;
mod proxies;
mod remote;
mod remote_hostile;
mod serve;
#[path = "../hostile/server.rs"]
#[allow(dead_code, reason = "each test program uses its part")]
mod server;
mod servers;
mod sharing;
mod signing_in;
#[path = "../support/mod.rs"]
mod support;
mod undetected;
mod webdriver;
mod window;
#[path = "../hostile/world.rs"]
#[allow(dead_code, reason = "each test program uses its part")]
mod world;
