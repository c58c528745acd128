//! One task for each server that is switched on: it connects, lists, and lists again when the
//! server says so, when it is asked to, or, after a failure, later. A slow server delays no other.
//! When the machine was asleep, all are asked again at once.

mod awake;
mod calm;
mod retry;
mod task;

use std::collections::HashMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, Once, PoisonError};
use std::time::Duration;

use jiff::Timestamp;
use skills::origin::ServerId;
use skills_mcp::limits::LOOKED_UP;
use skills_mcp::{ClientContext, Connection, Offer, Offers, Words};
use tauri::async_runtime::spawn;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;
use vault::Vault;
use vault::servers::SavedServer;

use awake::notice_sleep;
use task::Task;

use crate::events::Events;
use crate::secrets::Secrets;
use crate::view::{ErrorView, Scope};

/// How long is waited for programs to end.
const ENDED: Duration = Duration::from_secs(8);

/// How many lines of what a program wrote are shown.
const WORDS: usize = 40;

/// How a server stands and what it offered last in this run of the program.
#[derive(Debug, Clone, Default)]
pub struct Link {
    /// How it stands.
    pub state: LinkState,
    /// What it offers; `None` before the first list.
    pub listed: Option<Arc<Offers>>,
    /// What no list shows and was looked up by its URI.
    pub looked_up: Arc<Vec<Offer>>,
    /// When that was.
    pub listed_at: Option<Timestamp>,
    /// The connection, while it stands.
    pub connection: Option<Arc<Connection>>,
}

/// How a server stands.
#[derive(Debug, Clone, Default)]
pub enum LinkState {
    /// Being reached or listed for the first time.
    #[default]
    Connecting,
    /// There, and listed.
    Connected,
    /// It asks who is there.
    NeedsSignIn {
        /// What to tell.
        error: ErrorView,
        /// What it said about how to sign in.
        challenge: Option<String>,
        /// Whether a sign-in would be of use; not where the person gave a token of their own.
        possible: bool,
    },
    /// It was reached and does what no server may, or says no.
    Refused(Failed),
    /// Not to be reached.
    Unreachable(Failed),
}

/// A failure, after which a server is tried again.
#[derive(Debug, Clone)]
pub struct Failed {
    /// What to tell.
    pub error: ErrorView,
    /// When it is tried again by itself; `None` when it is not.
    pub again: Option<Timestamp>,
}

impl LinkState {
    /// Why nothing can be asked, if there is a reason.
    pub fn error(&self) -> Option<&ErrorView> {
        match self {
            Self::Connecting | Self::Connected => None,
            Self::NeedsSignIn { error, .. } => Some(error),
            Self::Refused(failed) | Self::Unreachable(failed) => Some(&failed.error),
        }
    }
}

impl Link {
    /// What the server offers under this URI, as it was listed or looked up last.
    pub fn offer(&self, uri: &str) -> Option<&Offer> {
        self.offers().find(|offer| offer.uri == uri)
    }

    /// Everything that is known of what it offers: the list, then what was looked up.
    pub fn offers(&self) -> impl Iterator<Item = &Offer> {
        let listed = self.listed.iter().flat_map(|listed| &listed.offers);
        listed.chain(self.looked_up.iter())
    }

    /// Whether a list shows this skill.
    pub fn is_listed(&self, uri: &str) -> bool {
        self.listed.iter().flat_map(|listed| &listed.offers).any(|offer| offer.uri == uri)
    }
}

/// All servers that are switched on.
#[derive(Debug)]
pub struct Connections {
    vault: Arc<Vault>,
    events: Arc<Events>,
    context: ClientContext,
    secrets: Arc<Secrets>,
    links: Arc<Mutex<Links>>,
    noticing: Once,
    stop: CancellationToken,
}

type Links = HashMap<ServerId, Running>;

#[derive(Debug)]
struct Running {
    link: Link,
    words: Arc<Words>,
    refresh: Arc<Notify>,
    stop: CancellationToken,
}

impl Connections {
    /// No server is reached before [`start`](Self::start).
    pub fn new(
        vault: Arc<Vault>,
        events: Arc<Events>,
        context: ClientContext,
        secrets: Arc<Secrets>,
    ) -> Self {
        let (links, noticing, stop) = (Arc::default(), Once::new(), CancellationToken::new());
        Self { vault, events, context, secrets, links, noticing, stop }
    }

    /// Begins to reach a server; what was begun for it before ends.
    pub fn start(&self, server: SavedServer) {
        let refresh = Arc::new(Notify::new());
        let (stop, words) = (CancellationToken::new(), Arc::<Words>::default());
        let running = Running {
            link: Link::default(),
            words: Arc::clone(&words),
            refresh: Arc::clone(&refresh),
            stop: stop.clone(),
        };
        if let Some(before) = self.links().insert(server.id.clone(), running) {
            before.stop.cancel();
        }
        self.events.changed(Scope::Servers);
        self.noticing.call_once(|| {
            let links = Arc::downgrade(&self.links);
            let stop = self.stop.clone();
            let asleep = notice_sleep(move || {
                let Some(links) = links.upgrade() else { return };
                tracing::info!("the machine was asleep");
                let links = links.lock().unwrap_or_else(PoisonError::into_inner);
                links.values().for_each(|running| running.refresh.notify_one());
            });
            spawn(async move {
                tokio::select! {
                    () = stop.cancelled() => {}
                    () = asleep => {}
                }
            });
        });
        let task = Task {
            server,
            vault: Arc::clone(&self.vault),
            events: Arc::clone(&self.events),
            context: ClientContext { words: Some(words), ..self.context.clone() },
            secrets: Arc::clone(&self.secrets),
            links: Arc::clone(&self.links),
            refresh,
            stop: stop.clone(),
        };
        spawn(async move {
            tokio::select! {
                () = stop.cancelled() => {}
                () = task.run() => {}
            }
        });
    }

    /// Ends the connection to a server.
    pub fn stop(&self, server: &ServerId) {
        if let Some(running) = self.links().remove(server) {
            running.stop.cancel();
        }
        self.events.changed(Scope::Servers);
    }

    /// Ends all connections.
    pub fn stop_all(&self) {
        for (_, running) in self.links().drain() {
            running.stop.cancel();
        }
    }

    /// Ends all connections, and waits until the programs of them are gone, but not for longer than
    /// it takes to end one by force: nobody is left after that who would.
    pub async fn end_all(&self) {
        self.stop_all();
        if tokio::time::timeout(ENDED, self.context.programs.end()).await.is_err() {
            tracing::warn!("a program of a server may still run");
        }
    }

    /// Connects at once, or asks for the list again.
    pub fn refresh(&self, server: &ServerId) {
        if let Some(running) = self.links().get(server) {
            running.refresh.notify_one();
        }
    }

    /// The file that a command's program names, where that can be told: an absolute path, or a bare
    /// name found in the folders that started programs are given as `PATH`, unless this one is given
    /// another.
    pub fn program(&self, name: &str, own_path: Option<&str>) -> Option<PathBuf> {
        let path = Path::new(name);
        if path.is_absolute() {
            return path.is_file().then(|| path.to_owned());
        }
        if path.components().count() != 1 {
            return None;
        }
        let mut environment = self.context.environment.iter();
        let folders = match own_path {
            Some(path) => OsStr::new(path),
            None => &environment.find(|(name, _)| name == "PATH")?.1,
        };
        std::env::split_paths(folders).map(|folder| folder.join(name)).find(|file| can_be_run(file))
    }

    /// Keeps what was looked up by its URI, in the place of what was looked up there before. The
    /// oldest goes when there are too many.
    pub fn keep_looked_up(&self, server: &ServerId, offer: Offer) {
        if let Some(running) = self.links().get_mut(server) {
            let mut looked_up: Vec<Offer> = running.link.looked_up.to_vec();
            looked_up.retain(|known| known.uri != offer.uri);
            looked_up.push(offer);
            let over = looked_up.len().saturating_sub(LOOKED_UP);
            looked_up.drain(..over);
            running.link.looked_up = Arc::new(looked_up);
        }
        self.events.changed(Scope::Servers);
    }

    /// The last that a server's program wrote to its standard error, a line each, oldest first.
    pub fn words(&self, server: &ServerId) -> Vec<String> {
        let words = self.links().get(server).map(|running| Arc::clone(&running.words));
        words.map(|words| words.lines(WORDS)).unwrap_or_default()
    }

    /// How a server stands; `None` when it is switched off.
    pub fn link(&self, server: &ServerId) -> Option<Link> {
        self.links().get(server).map(|running| running.link.clone())
    }

    fn links(&self) -> MutexGuard<'_, Links> {
        self.links.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(unix)]
fn can_be_run(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    file.metadata().is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn can_be_run(file: &Path) -> bool {
    file.is_file()
}

impl Drop for Connections {
    fn drop(&mut self) {
        self.stop.cancel();
        self.stop_all();
    }
}
