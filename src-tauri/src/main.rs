//! Opens the window, or does what a verb on the command line says.

#![cfg_attr(not(debug_assertions), windows_subsystem = "windows")]

use std::process::ExitCode;

fn main() -> ExitCode {
    skillhold::cli::main()
}
