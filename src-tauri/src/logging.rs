//! Logs: to files in the data folder for the window, to standard error for the verbs. What is
//! logged names servers, paths and counts; never the content of a file and never a secret.

use std::io;

use skills::paths::Paths;
use tracing_appender::non_blocking::WorkerGuard;
use tracing_appender::rolling::{InitError, RollingFileAppender, Rotation};
use tracing_subscriber::EnvFilter;

/// Days of logs that are kept.
const KEPT: usize = 7;
/// What is logged when `RUST_LOG` does not say.
const DEFAULT: &str = "warn,skillhold=info,skills=info,skills_mcp=info,vault=info";
/// The same for a verb that asks servers.
const OURS: &str = "off,skillhold=warn,skills=warn,skills_mcp=warn,vault=warn";

/// Starts a log file for each day under `logs` in the data folder. The rest is written when the
/// guard is dropped.
///
/// # Errors
/// When the folder cannot be made.
pub fn to_file(paths: &Paths) -> Result<WorkerGuard, InitError> {
    let folder = paths.data().join("logs");
    let mut appender = RollingFileAppender::builder()
        .rotation(Rotation::DAILY)
        .filename_prefix("skillhold")
        .filename_suffix("log");
    // Looking for old logs in a folder that is not there yet is complained of on standard error.
    if folder.is_dir() {
        appender = appender.max_log_files(KEPT);
    }
    let appender = appender.build(folder)?;
    let (writer, guard) = tracing_appender::non_blocking(appender);
    tracing_subscriber::fmt().with_env_filter(filter()).with_ansi(false).with_writer(writer).init();
    Ok(guard)
}

/// Logs to standard error, which leaves standard output to the protocol.
pub fn to_stderr() {
    write_to_stderr(filter());
}

/// The same without what libraries say: the verb tells its errors itself, and what a library quotes
/// of a server is not for a terminal.
pub fn ours_to_stderr() {
    write_to_stderr(chosen(OURS));
}

fn write_to_stderr(filter: EnvFilter) {
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_ansi(false)
        .with_writer(io::stderr)
        // It would be told on the standard error that cannot be written to, and end the program.
        .log_internal_errors(false)
        .init();
}

/// `RUST_LOG`, or the default where it is not set or not valid.
fn filter() -> EnvFilter {
    chosen(DEFAULT)
}

/// `RUST_LOG`, or this; without what is said of a sign-in: it repeats codes, and what authorization
/// servers write.
fn chosen(default: &str) -> EnvFilter {
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new(default));
    match "rmcp::transport::auth=off".parse() {
        Ok(without) => filter.add_directive(without),
        Err(_) => filter,
    }
}
