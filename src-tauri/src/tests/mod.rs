//! Tests of the shell as a whole.

mod agreement;
mod commands;
mod flow;
