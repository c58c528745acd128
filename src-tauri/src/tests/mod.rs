//! Tests of the shell as a whole.

mod agreement;
mod commands;
mod fixing;
mod flow;
mod looking;
mod sharing;
