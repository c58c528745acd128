//! One task for each server that is switched on: it connects, lists, and lists again when the
//! server says so, when it is asked to, or, after a failure, later. A slow server delays no other.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use jiff::Timestamp;
use skills::origin::{Endpoint, ServerId};
use skills_mcp::{ClientContext, ClientError, Connection, Offer, Offers, Verdict};
use tauri::async_runtime::{spawn, spawn_blocking};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;
use vault::Vault;
use vault::servers::SavedServer;

use crate::events::Events;
use crate::remembered;
use crate::view::{ErrorView, Scope};

/// The pause after a first failure; it doubles with each further one.
const FIRST_PAUSE: Duration = Duration::from_secs(2);
/// The longest pause.
const LONGEST_PAUSE: Duration = Duration::from_secs(120);
/// A server that says again and again that its list changed is asked at most this often.
const BETWEEN_LISTS: Duration = Duration::from_millis(500);
/// Not every server says when its list changed, so each is asked again after this long.
const LIST_AGAIN: Duration = Duration::from_secs(60);

/// How a server stands and what it offered last in this run of the program.
#[derive(Debug, Clone, Default)]
pub struct Link {
    /// How it stands.
    pub state: LinkState,
    /// What it offers; `None` before the first list.
    pub listed: Option<Arc<Offers>>,
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
    /// Not to be reached.
    Unreachable(ErrorView),
}

impl Link {
    /// What the server offers under this URI, as it was listed last.
    pub fn offer(&self, uri: &str) -> Option<&Offer> {
        self.listed.as_ref()?.offers.iter().find(|offer| offer.uri == uri)
    }
}

/// All servers that are switched on.
#[derive(Debug)]
pub struct Connections {
    vault: Arc<Vault>,
    events: Arc<Events>,
    context: ClientContext,
    links: Arc<Mutex<HashMap<ServerId, Running>>>,
}

#[derive(Debug)]
struct Running {
    link: Link,
    refresh: Arc<Notify>,
    stop: CancellationToken,
}

impl Connections {
    /// No server is reached before [`start`](Self::start).
    pub fn new(vault: Arc<Vault>, events: Arc<Events>, context: ClientContext) -> Self {
        Self { vault, events, context, links: Arc::default() }
    }

    /// Begins to reach a server; what was begun for it before ends.
    pub fn start(&self, server: SavedServer) {
        let refresh = Arc::new(Notify::new());
        let stop = CancellationToken::new();
        let running =
            Running { link: Link::default(), refresh: Arc::clone(&refresh), stop: stop.clone() };
        if let Some(before) = self.links().insert(server.id.clone(), running) {
            before.stop.cancel();
        }
        self.events.changed(Scope::Servers);
        let task = Task {
            server,
            vault: Arc::clone(&self.vault),
            events: Arc::clone(&self.events),
            context: self.context.clone(),
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

    /// Connects at once, or asks for the list again.
    pub fn refresh(&self, server: &ServerId) {
        if let Some(running) = self.links().get(server) {
            running.refresh.notify_one();
        }
    }

    /// The file that a command's program names, where that can be told: an absolute path, or a bare
    /// name found in the folders that started programs are given as `PATH`.
    pub fn program(&self, name: &str) -> Option<PathBuf> {
        let path = Path::new(name);
        if path.is_absolute() {
            return path.is_file().then(|| path.to_owned());
        }
        if path.components().count() != 1 {
            return None;
        }
        let folders = self.context.environment.iter().find(|(name, _)| name == "PATH");
        std::env::split_paths(&folders?.1)
            .map(|folder| folder.join(name))
            .find(|file| can_be_run(file))
    }

    /// How a server stands; `None` when it is switched off.
    pub fn link(&self, server: &ServerId) -> Option<Link> {
        self.links().get(server).map(|running| running.link.clone())
    }

    fn links(&self) -> MutexGuard<'_, HashMap<ServerId, Running>> {
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
        self.stop_all();
    }
}

/// What one server's task holds.
struct Task {
    server: SavedServer,
    vault: Arc<Vault>,
    events: Arc<Events>,
    context: ClientContext,
    links: Arc<Mutex<HashMap<ServerId, Running>>>,
    refresh: Arc<Notify>,
    stop: CancellationToken,
}

impl Task {
    async fn run(self) {
        let mut pause = FIRST_PAUSE;
        loop {
            match self.connect_and_list(&mut pause).await {
                Ok(()) => tracing::info!(server = %self.server.id, "the connection ended"),
                Err(error) => {
                    tracing::info!(server = %self.server.id, kind = ?error.kind(), "not reached");
                    let view = ErrorView::from(&error);
                    self.update(|link| {
                        link.state = LinkState::Unreachable(view);
                        link.connection = None;
                    });
                }
            }
            // Samples are in process: what fails there does not mend itself.
            let wait = match self.server.endpoint {
                Endpoint::Samples => Duration::from_secs(3600),
                _ => pause,
            };
            tokio::select! {
                () = self.refresh.notified() => {
                    pause = FIRST_PAUSE;
                    self.update(|link| link.state = LinkState::Connecting);
                }
                () = tokio::time::sleep(wait) => pause = (pause * 2).min(LONGEST_PAUSE),
            }
        }
    }

    /// Ends well when a connection that had been there is gone.
    async fn connect_and_list(&self, pause: &mut Duration) -> Result<(), ClientError> {
        let connection = Arc::new(Connection::open(&self.server.endpoint, &self.context).await?);
        let mut changes = connection.changes();
        loop {
            changes.mark_unchanged();
            let offers = connection.list().await?;
            *pause = FIRST_PAUSE;
            self.take_in(offers, &connection).await;
            tokio::time::sleep(BETWEEN_LISTS).await;
            tokio::select! {
                () = self.refresh.notified() => {}
                () = tokio::time::sleep(LIST_AGAIN) => {}
                changed = changes.changed() => {
                    if changed.is_err() || connection.is_closed() {
                        self.update(|link| {
                            link.state = LinkState::Connecting;
                            link.connection = None;
                        });
                        return Ok(());
                    }
                }
            }
        }
    }

    /// Takes note of a list: approvals of what changed end before the page can see it.
    async fn take_in(&self, offers: Offers, connection: &Arc<Connection>) {
        let offers = Arc::new(offers);
        let (vault, server, seen) =
            (Arc::clone(&self.vault), self.server.clone(), Arc::clone(&offers));
        let noted = spawn_blocking(move || {
            let mut revoked = false;
            for offer in &seen.offers {
                if let Verdict::Verifiable(entry) = &offer.verdict {
                    revoked |= vault.notice(&server, entry)?;
                }
            }
            remembered::remember(&vault, &server.id, &seen.offers)?;
            Ok::<bool, vault::VaultError>(revoked)
        })
        .await;
        let failure = match noted {
            Ok(Ok(revoked)) => {
                if revoked {
                    self.events.changed(Scope::Activity);
                }
                None
            }
            Ok(Err(error)) => Some(ErrorView::from(error)),
            Err(error) => {
                tracing::error!(%error, "a list could not be taken in");
                Some(ErrorView::new(
                    crate::view::ErrorCode::Internal,
                    "the list of the server could not be taken in",
                ))
            }
        };
        tracing::info!(server = %self.server.id, offers = offers.offers.len(), "listed");
        self.update(|link| {
            link.connection = Some(Arc::clone(connection));
            match failure {
                // Without the record nothing can be said about approvals, so nothing is shown.
                Some(error) => link.state = LinkState::Unreachable(error),
                None => {
                    link.state = LinkState::Connected;
                    link.listed = Some(offers);
                    link.listed_at = Some(Timestamp::now());
                }
            }
        });
    }

    /// Changes the link and tells of it, unless this task was ended meanwhile.
    fn update(&self, change: impl FnOnce(&mut Link)) {
        {
            let mut links = self.links.lock().unwrap_or_else(PoisonError::into_inner);
            if self.stop.is_cancelled() {
                return;
            }
            if let Some(running) = links.get_mut(&self.server.id) {
                change(&mut running.link);
            }
        }
        self.events.changed(Scope::Servers);
    }
}
