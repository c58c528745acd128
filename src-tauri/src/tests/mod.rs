//! Tests of the shell as a whole.

mod agreement;
mod bundling;
mod changing;
mod commands;
mod drifting;
mod fixing;
mod flow;
mod importing;
mod keeping;
mod looking;
mod offering;
mod sharing;
mod signing_in;
mod undetected;
