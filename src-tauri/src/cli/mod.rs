//! The command line: without a verb the window, with one no window.

mod serve;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// See, review, approve and install Agent Skills. Without a command the window opens.
#[derive(Debug, Parser)]
#[command(name = "skillhold", version, about)]
struct Arguments {
    #[command(subcommand)]
    verb: Option<Verb>,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// Serve folders of skills to other MCP clients.
    Serve(serve::Serve),
}

/// Opens the window, or does what the verb says.
pub fn main() -> ExitCode {
    match Arguments::parse().verb {
        None => crate::window::run(),
        Some(Verb::Serve(serve)) => serve.run(),
    }
}

/// Ends with a message on standard error.
#[expect(clippy::print_stderr, reason = "what a person who typed the command reads")]
pub(crate) fn fail(error: &dyn std::error::Error) -> ExitCode {
    eprintln!("skillhold: {error}");
    let mut next = error.source();
    while let Some(cause) = next {
        eprintln!("  because {cause}");
        next = cause.source();
    }
    ExitCode::FAILURE
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    #[test]
    fn the_command_line_is_well_formed() {
        Arguments::command().debug_assert();
    }
}
