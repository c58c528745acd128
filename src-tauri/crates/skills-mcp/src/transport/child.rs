//! A server that is a program on this machine, spoken to over its standard input and output.
//!
//! It gets a small environment, a process group of its own that ends with the connection, and a
//! limit on the length of one line. What it writes to its standard error is kept for messages.

use std::io;
use std::process::{ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rmcp::RoleClient;
use rmcp::transport::async_rw::AsyncRwTransport;
use tokio::io::AsyncReadExt;
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::allowance::Allowance;
use super::late::Late;
use super::lines::{LineLimit, Overdone};
use super::unasked::Unasked;
use super::words::Words;
use crate::client::ClientContext;
use crate::error::{ClientError, ErrorKind};
use crate::limits::{MESSAGE_BYTES, STDERR_BYTES};

/// How long a program may take to end after its input was closed, and again after it was asked to.
const GRACE: Duration = Duration::from_secs(2);

/// How much a program writes to its standard error without having to wait.
const STDERR_AT_ONCE: usize = 64 * 1024 * 1024;

/// How many of a program's last lines an error repeats.
const LAST_LINES: usize = 6;

/// How long is waited for the exit status and last words of a program whose output ended.
const LAST_WORDS: Duration = Duration::from_millis(1000);

type Transport = Late<Unasked<AsyncRwTransport<RoleClient, LineLimit<ChildStdout>, ChildStdin>>>;

/// A started program. Dropping it ends the program and everything in its process group.
pub(crate) struct Program {
    words: Arc<Words>,
    ended: watch::Receiver<Option<String>>,
    overdone: Overdone,
    discovered: Arc<AtomicBool>,
    stop: CancellationToken,
}

/// Starts the program. No shell sees its words.
pub(crate) fn start(
    program: &str,
    args: &[String],
    server: &str,
    context: &ClientContext,
) -> Result<(Program, Transport), ClientError> {
    let Some(stop) = context.programs.stop() else {
        let reason = "all programs were ended";
        return Err(ClientError::new(ErrorKind::Cancelled, "start", server, reason));
    };
    let mut command = Command::new(program);
    command
        .args(args)
        .env_clear()
        .envs(context.environment.iter().map(|(name, value)| (name, value)))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true);
    #[cfg(unix)]
    command.process_group(0);
    #[cfg(windows)]
    command.creation_flags(NO_WINDOW);
    let mut child = command.spawn().map_err(|error| cannot_start(program, server, error))?;
    let (Some(stdin), Some(stdout), Some(stderr)) =
        (child.stdin.take(), child.stdout.take(), child.stderr.take())
    else {
        return Err(ClientError::new(
            ErrorKind::Unreachable,
            "start",
            server,
            "its input and output are not there",
        ));
    };
    let words = context.words.clone().unwrap_or_default();
    words.begin();
    let overdone = Overdone::default();
    let (say_ended, ended) = watch::channel(None);
    let listening = tokio::spawn(keep_stderr(stderr, Arc::clone(&words)));
    let group = Group::of(&child);
    context.programs.see_out({
        let stop = stop.clone();
        async move {
            let status = see_it_out(child, group, stop).await;
            // A grandchild may hold the pipe open; what came until now is enough.
            let _ = tokio::time::timeout(LAST_WORDS / 2, listening).await;
            let _ = say_ended.send(Some(status));
        }
    });
    let stdout = LineLimit::new(stdout, MESSAGE_BYTES, Arc::clone(&overdone));
    let transport = AsyncRwTransport::new_client(stdout, stdin).with_max_line_length(MESSAGE_BYTES);
    let discovered = Arc::new(AtomicBool::new(false));
    let transport = Late::new(Unasked::new(transport), Arc::clone(&discovered));
    Ok((Program { words, ended, overdone, discovered, stop }, transport))
}

impl Program {
    /// Whether it turned out, too late, to speak the newer protocol: it was still starting when it
    /// was first asked.
    pub(crate) fn was_discovered_late(&self) -> bool {
        self.discovered.load(Ordering::Relaxed)
    }

    /// Adds how the program ended and what it wrote last to an error of its connection.
    pub(crate) async fn explain(&self, error: ClientError) -> ClientError {
        if let Some(what) = self.overdone.get() {
            return error.with_detail(what);
        }
        let error = if error.kind() == ErrorKind::NotMcp {
            error.with_hint("check the command: it must be one that speaks MCP on its output")
        } else {
            error
        };
        let mut ended = self.ended.clone();
        let wait = if error.kind() == ErrorKind::Timeout { Duration::ZERO } else { LAST_WORDS };
        let status = match tokio::time::timeout(wait, ended.wait_for(Option::is_some)).await {
            Ok(Ok(status)) => status.clone(),
            _ => None,
        };
        let error = match status {
            // That it ended says more than which end of the pipe broke first.
            Some(status) if error.kind() == ErrorKind::Closed => error
                .with_reason(status)
                .with_hint("run the command in a terminal to see what it needs"),
            Some(status) => error.with_detail(&status),
            None => error,
        };
        match self.words.of_this_run(LAST_LINES) {
            words if words.is_empty() => error,
            words => error.with_detail(&format!("it wrote: {}", words.join(" / "))),
        }
    }

    /// Ends the program and waits until it is gone.
    pub(crate) async fn close(&self) {
        self.stop.cancel();
        let mut ended = self.ended.clone();
        let _ = tokio::time::timeout(GRACE * 3, ended.wait_for(Option::is_some)).await;
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

fn cannot_start(program: &str, server: &str, error: io::Error) -> ClientError {
    let found = match error.kind() {
        io::ErrorKind::NotFound => {
            ClientError::new(ErrorKind::Unreachable, "start", server, "the command was not found")
                .with_hint(format!(
                    "check that {program} is installed and on the PATH, or give its full path"
                ))
        }
        io::ErrorKind::PermissionDenied => {
            ClientError::new(ErrorKind::Unreachable, "start", server, "the file may not be run")
                .with_hint("check that it is a program and has the right to run")
        }
        _ => ClientError::new(ErrorKind::Unreachable, "start", server, error.to_string()),
    };
    found.with_source(error)
}

/// Waits until the program ends, or ends it: by closing its input (the transport does that), then
/// by asking, then by force. Says how it ended.
async fn see_it_out(mut child: Child, group: Group, stop: CancellationToken) -> String {
    let by_itself = tokio::select! {
        status = child.wait() => Some(status),
        () = stop.cancelled() => None,
    };
    let status = match by_itself {
        Some(status) => status,
        None => match tokio::time::timeout(GRACE, child.wait()).await {
            Ok(status) => status,
            Err(_) => {
                group.terminate();
                match tokio::time::timeout(GRACE, child.wait()).await {
                    Ok(status) => status,
                    Err(_) => {
                        group.kill();
                        let _ = child.start_kill();
                        child.wait().await
                    }
                }
            }
        },
    };
    // What it started itself goes with it.
    drop(group);
    ending(status)
}

fn ending(status: io::Result<ExitStatus>) -> String {
    match status {
        Ok(status) => match status.code() {
            Some(code) => format!("the program ended with status {code}"),
            None => format!("the program was ended by {status}"),
        },
        Err(error) => format!("the program ended: {error}"),
    }
}

async fn keep_stderr(mut stderr: ChildStderr, words: Arc<Words>) {
    let mut buffer = vec![0; STDERR_BYTES];
    let mut allowance = Allowance::new(STDERR_AT_ONCE);
    let mut since = Instant::now();
    while let Ok(n) = stderr.read(&mut buffer).await {
        if n == 0 {
            return;
        }
        words.add(&buffer[..n]);
        if let Some(pause) = allowance.after(n, since.elapsed()) {
            tokio::time::sleep(pause).await;
        }
        since = Instant::now();
    }
}

#[cfg(windows)]
const NO_WINDOW: u32 = 0x0800_0000;

/// The process group of a started program. Dropping it kills what is left of the group.
#[cfg(unix)]
struct Group(Option<rustix::process::Pid>);

#[cfg(unix)]
impl Group {
    fn of(child: &Child) -> Self {
        let id = child.id().and_then(|id| i32::try_from(id).ok());
        Self(id.and_then(rustix::process::Pid::from_raw))
    }

    fn terminate(&self) {
        self.signal(rustix::process::Signal::TERM);
    }

    fn kill(&self) {
        self.signal(rustix::process::Signal::KILL);
    }

    fn signal(&self, signal: rustix::process::Signal) {
        if let Some(group) = self.0 {
            // It fails when nothing of the group is left, which is what is wanted.
            let _ = rustix::process::kill_process_group(group, signal);
        }
    }
}

#[cfg(unix)]
impl Drop for Group {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Elsewhere only the program itself is ended.
#[cfg(not(unix))]
struct Group;

#[cfg(not(unix))]
impl Group {
    fn of(_: &Child) -> Self {
        Self
    }

    fn terminate(&self) {}

    fn kill(&self) {}
}
