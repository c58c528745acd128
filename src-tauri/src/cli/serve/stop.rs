//! When the process is told to stop, on each system.

use std::process;
use std::time::Duration;

use tokio_util::sync::CancellationToken;

/// What a process ends with that is told to stop a second time.
pub(crate) const AT_ONCE: i32 = 130;

/// When what runs should have ended long ago: what serves takes three seconds for its last answers.
const LATE: Duration = Duration::from_secs(5);

/// Lets what runs end when the process is told to stop, as by Ctrl-C or a closed terminal; ends it
/// at once when it is told so again, and in good order when it has not ended by itself, as where
/// something is being written that nobody reads.
pub(super) async fn end_when_told(shutdown: CancellationToken) {
    let mut told = Told::listen();
    told.told().await;
    shutdown.cancel();
    tokio::select! {
        () = told.told() => process::exit(AT_ONCE),
        () = tokio::time::sleep(LATE) => process::exit(0),
    }
}

/// Being told to stop, as by Ctrl-C, a closed terminal or a log-out.
#[cfg(unix)]
pub(crate) struct Told(Vec<tokio::signal::unix::Signal>);

#[cfg(unix)]
impl Told {
    /// Listens for SIGTERM, SIGINT and SIGHUP, but for those that whoever started the process has
    /// switched off, as `nohup` does.
    pub(crate) fn listen() -> Self {
        use tokio::signal::unix::{SignalKind, signal};

        let off = switched_off();
        let kinds = [SignalKind::terminate(), SignalKind::interrupt(), SignalKind::hangup()];
        let listened_for =
            kinds.into_iter().filter(|kind| off & (1 << (kind.as_raw_value() - 1)) == 0);
        Self(listened_for.filter_map(|kind| signal(kind).ok()).collect())
    }

    pub(crate) async fn told(&mut self) {
        std::future::poll_fn(|context| {
            let mut ready = self.0.iter_mut().map(|signal| signal.poll_recv(context).is_ready());
            // Each is asked, so that each wakes this up.
            match ready.by_ref().fold(false, |any, one| any | one) {
                true => std::task::Poll::Ready(()),
                false => std::task::Poll::Pending,
            }
        })
        .await;
    }
}

/// The signals that are ignored, a bit each from SIGHUP on, where the system tells.
#[cfg(unix)]
fn switched_off() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or_default()
}

/// Being told to stop, as by Ctrl-C, a closed terminal or a log-out.
#[cfg(windows)]
pub(crate) struct Told {
    interrupt: Option<tokio::signal::windows::CtrlC>,
    pause: Option<tokio::signal::windows::CtrlBreak>,
    close: Option<tokio::signal::windows::CtrlClose>,
    shutdown: Option<tokio::signal::windows::CtrlShutdown>,
}

#[cfg(windows)]
impl Told {
    pub(crate) fn listen() -> Self {
        use tokio::signal::windows::{ctrl_break, ctrl_c, ctrl_close, ctrl_shutdown};

        Self {
            interrupt: ctrl_c().ok(),
            pause: ctrl_break().ok(),
            close: ctrl_close().ok(),
            shutdown: ctrl_shutdown().ok(),
        }
    }

    pub(crate) async fn told(&mut self) {
        macro_rules! received {
            ($event:expr) => {
                async {
                    match $event {
                        Some(event) => drop(event.recv().await),
                        None => std::future::pending().await,
                    }
                }
            };
        }
        tokio::select! {
            () = received!(&mut self.interrupt) => {}
            () = received!(&mut self.pause) => {}
            () = received!(&mut self.close) => {}
            () = received!(&mut self.shutdown) => {}
        }
    }
}
