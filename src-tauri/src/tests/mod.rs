//! Tests of the shell as a whole.

mod agreement;
mod commands;
mod fixing;
mod flow;
mod importing;
mod looking;
mod offering;
mod sharing;
mod signing_in;
mod undetected;
