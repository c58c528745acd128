//! The command line: without a verb the window, with one no window.

mod check;
mod fix;
mod remote;
mod serve;

pub(crate) use serve::stop::{AT_ONCE, Told};

use std::ffi::OsString;
use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::builder::{PathBufValueParser, TypedValueParser as _};
use clap::{Parser, Subcommand};

use crate::render::in_one_line;

/// The exit code of a wrong use, as clap has it.
const WRONG_USE: u8 = 2;

/// See, review, approve and install Agent Skills. Without a command the window opens.
#[derive(Debug, Parser)]
#[command(name = "skillhold", version, about, args_conflicts_with_subcommands = true)]
struct Arguments {
    /// Skills, folders of skills or projects that the window shows too, until it is closed.
    #[arg(value_name = "FOLDER", value_parser = PathBufValueParser::new().try_map(folder))]
    folders: Vec<PathBuf>,

    #[command(subcommand)]
    verb: Option<Verb>,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// Say what is wrong with skills, where, and what to do about it.
    ///
    /// Ends with 0 where there is no error, 1 where there is one, and 2 where a path holds no skill.
    Check(check::Check),
    /// Say what an MCP server offers, and bring it here.
    ///
    /// Ends with 0 where all was done, 1 where something was refused, 2 where it was used wrongly,
    /// and 3 where the server cannot be reached.
    Remote(remote::Remote),
    /// Serve folders of skills to other MCP clients.
    Serve(serve::Serve),
}

/// Opens the window, or does what the verb says.
pub fn main() -> ExitCode {
    let arguments = Arguments::parse();
    match arguments.verb {
        None => crate::window::run(&arguments.folders),
        Some(Verb::Check(check)) => check.run(),
        Some(Verb::Remote(remote)) => remote.run(),
        Some(Verb::Serve(serve)) => serve.run(),
    }
}

/// The folders that a second start asks the window to show, which stood in `at`.
pub(crate) fn folders_to_show(arguments: Vec<OsString>, at: &Path) -> Vec<PathBuf> {
    // What a relative path means is known only there; whether it is a folder, only then.
    let folders = arguments.into_iter().skip(1).map(|argument| at.join(argument));
    folders.filter(|folder| folder.is_dir()).collect()
}

fn folder(path: PathBuf) -> io::Result<PathBuf> {
    if path.is_dir() {
        std::path::absolute(path)
    } else {
        Err(io::Error::other("it is neither a command nor a folder"))
    }
}

/// Ends with a message on standard error.
pub(crate) fn fail(error: &dyn std::error::Error) -> ExitCode {
    let mut text = format!("skillhold: {}\n", in_one_line(&error.to_string()));
    let mut next = error.source();
    while let Some(cause) = next {
        let _ = writeln!(text, "  because {}", in_one_line(&cause.to_string()));
        next = cause.source();
    }
    tell(&text);
    ExitCode::FAILURE
}

/// Writes to standard error. Nobody may be there to read it, or no room on the disk that it goes
/// to, which is no reason to end.
fn tell(text: &str) {
    let _ = io::stderr().lock().write_all(text.as_bytes());
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    #[test]
    fn the_command_line_is_well_formed() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn a_folder_is_for_the_window_and_a_verb_is_a_verb() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().as_os_str();
        let read = |arguments: &[&std::ffi::OsStr]| {
            Arguments::try_parse_from(["skillhold".as_ref()].iter().chain(arguments))
        };
        let window = read(&[path, path]).unwrap();
        assert!(window.verb.is_none());
        assert_eq!(window.folders, [home.path(), home.path()]);
        let verb = read(&["check".as_ref(), path]).unwrap();
        assert!(matches!(verb.verb, Some(Verb::Check(_))));
        assert!(verb.folders.is_empty());
        let wrong = read(&["chek".as_ref(), path]).unwrap_err();
        assert_eq!(wrong.exit_code(), 2);
        assert!(wrong.to_string().contains("neither a command nor a folder"), "{wrong}");
    }

    #[test]
    fn a_second_start_shows_folders_from_where_it_stood() {
        let home = tempfile::tempdir().unwrap();
        let arguments = ["skillhold", ".", "nothing-here"].map(OsString::from).to_vec();
        assert_eq!(folders_to_show(arguments, home.path()), [home.path().join(".")]);
    }
}
