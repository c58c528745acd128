//! The commands of this repository: `cargo xtask run`, `cargo xtask test` and their smaller parts.
//!
//! It needs nothing but the standard library, so that it is there seconds after a clone. It is a
//! tool for a developer's machine and no part of the program.
#![allow(
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a command line of its own: it prints, and it sets the machine up"
)]

mod compare;
mod count;
mod home;
mod icons;
mod measure;
mod program;
mod repository;
mod run;
mod setup;
mod test;
mod types;

use std::process::ExitCode;

const USAGE: &str = "usage: cargo xtask COMMAND

  run [ARGS…]   sets the machine up, builds the program and opens its window
  test          sets the machine up and runs every check and every test
  setup         sets the machine up for both, and ends
  types         writes the page's TypeScript types anew (ui/src/lib/bindings)
  icons         draws icons/ anew from icons/icon.svg
  compare [PARTS…]
                measures provider and client beside FastMCP's, in one run: all, or the parts that
                are named (lists, reads, many, fetch)
  measure-inspection DIR…
                counts what the inspection finds in the skills below these folders";

fn main() -> ExitCode {
    let mut args = std::env::args().skip(1);
    let command = args.next().unwrap_or_default();
    let rest: Vec<String> = args.collect();
    let outcome = match (command.as_str(), rest.as_slice()) {
        ("run", args) => run::run(args),
        ("test", []) => test::run(),
        ("setup", []) => setup::set_up(setup::For::Tests),
        ("types" | "bindings", []) => types::write(),
        ("icons", []) => icons::draw(),
        ("compare", parts) => compare::run(parts),
        ("measure-inspection", dirs) => measure::inspection(dirs),
        _ => Err(USAGE.to_owned()),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}
