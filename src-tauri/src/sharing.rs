//! Sharing: the window as a provider for other programs on this machine, behind a token.

mod clients;
mod publishing;
mod snippets;

use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use skills::folder::{FolderKind, kind_of};
use skills::library::{Choices, FolderRefused, Library};
use skills::paths::Paths;
use skills::provider::{Place, Provider};
use skills::tool::Detection;
use skills::watch::{Watch, watch_folders};
use skills_mcp::server::{ServeOptions, Token, serve_http};
use tauri::async_runtime::{JoinHandle, spawn, spawn_blocking};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use vault::Vault;
use vault::settings::Sharing as Settings;

use self::clients::Clients;
pub(crate) use self::publishing::look;
use self::publishing::{Look, provider, refused, shown_warnings};
use crate::error::Outcome;
use crate::events::Events;
use crate::secrets::{Secrets, new_token};
use crate::view::{
    self, ErrorCode, ErrorView, Scope, SharedFolder, SharedTool, SharingChange, SharingState,
    SharingView,
};

/// Under which name the token is kept, and how the server calls who shows it.
const TOKEN: &str = "sharing-token";

/// The page is told at most once in this time, however much is asked.
const BETWEEN_EVENTS: Duration = Duration::from_millis(400);

/// What is shared, and the server that shares it.
#[derive(Debug)]
pub struct Sharing(Arc<Parts>);

#[derive(Debug)]
struct Parts {
    paths: Paths,
    library: Arc<Library>,
    vault: Arc<Vault>,
    events: Arc<Events>,
    secrets: Secrets,
    clients: Clients,
    now: Mutex<Now>,
    /// Of several changes at once each is made on top of the one before.
    changing: Mutex<()>,
    /// The page is about to be told.
    telling: AtomicBool,
    /// The page is told when a client has been quiet for long.
    expiring: AtomicBool,
}

/// How it stands.
#[derive(Debug)]
struct Now {
    state: SharingState,
    look: Option<Look>,
    /// Where what is shared lies.
    places: Vec<Place>,
    /// What runs, or ran last.
    run: Option<Run>,
}

#[derive(Debug)]
struct Run {
    stop: CancellationToken,
    task: JoinHandle<()>,
}

impl Sharing {
    /// Nothing is shared before [`start`](Self::start).
    pub fn new(
        paths: Paths,
        library: Arc<Library>,
        vault: Arc<Vault>,
        events: Arc<Events>,
        secrets: Secrets,
    ) -> Self {
        let now = Now { state: SharingState::Off, look: None, places: Vec::new(), run: None };
        Self(Arc::new(Parts {
            paths,
            library,
            vault,
            events,
            secrets,
            clients: Clients::default(),
            now: Mutex::new(now),
            changing: Mutex::default(),
            telling: AtomicBool::default(),
            expiring: AtomicBool::default(),
        }))
    }

    /// Starts anew with what is set, or ends when that is off.
    ///
    /// # Errors
    /// When the ledger fails.
    pub fn start(&self) -> Outcome<()> {
        let settings = self.0.vault.sharing()?;
        self.0.begin(settings);
        Ok(())
    }

    /// Ends what runs; nothing waits for it.
    pub fn stop(&self) {
        if let Some(run) = &self.0.now().run {
            run.stop.cancel();
        }
    }

    /// What is shared, how, and who uses it.
    ///
    /// # Errors
    /// When the ledger fails.
    pub fn view(&self) -> Outcome<SharingView> {
        let parts = &self.0;
        let revision = parts.events.revision(Scope::Sharing);
        let settings = parts.vault.sharing()?;
        let (state, look) = {
            let now = parts.now();
            (now.state.clone(), now.look.clone())
        };
        let url = match &state {
            SharingState::On { url } => url.clone(),
            _ if settings.port == 0 => "http://127.0.0.1:PORT/mcp".to_owned(),
            _ => format!("http://127.0.0.1:{}/mcp", settings.port),
        };
        let command = snippets::command(&settings, &parts.places(&settings));
        let (clients, requests) = parts.clients.view();
        let skills = look.as_ref().map(|look| look.skills);
        Ok(SharingView {
            revision,
            on: settings.on,
            state,
            strict: settings.strict,
            list_files: settings.list_files,
            discovery: settings.discovery,
            tools: parts.tools(&settings),
            folders: settings.folders.iter().map(|folder| parts.folder(folder)).collect(),
            skills,
            port: settings.port,
            token_kept: parts.secrets.place(),
            warnings: look.map(|look| shown_warnings(&look.warnings)).unwrap_or_default(),
            clients,
            requests,
            snippets: snippets::snippets(&parts.paths, &url, &command),
        })
    }

    /// Changes what is shared, and starts anew.
    ///
    /// # Errors
    /// When there is no such tool, or the ledger fails.
    pub fn change(&self, change: SharingChange) -> Outcome<()> {
        self.0.change(|settings| {
            match change {
                SharingChange::On { on } => settings.on = on,
                SharingChange::Strict { strict } => settings.strict = strict,
                SharingChange::ListFiles { list_files } => settings.list_files = list_files,
                SharingChange::Discovery { discovery } => settings.discovery = discovery,
                SharingChange::Port { port } => settings.port = port,
                SharingChange::Tool { tool, shared } => {
                    if skills::tool::tool(&tool).is_none() {
                        return Err(FolderRefused::NoSuchTool(tool).into());
                    }
                    match shared {
                        true => settings.tools.insert(tool),
                        false => settings.tools.remove(&tool),
                    };
                }
            }
            Ok(())
        })
    }

    /// Shares a folder too.
    ///
    /// # Errors
    /// When it cannot be one, or the ledger fails.
    pub fn add_folder(&self, path: &Path) -> Outcome<()> {
        self.0.change(|settings| {
            let folders = std::mem::take(&mut settings.folders);
            let mut choices = Choices { folders, ..Choices::default() };
            choices.add_folder(path, &self.0.paths)?;
            settings.folders = choices.folders;
            Ok(())
        })
    }

    /// Shares a folder no longer; `path` is as it was shown.
    ///
    /// # Errors
    /// When there is no such folder, or the ledger fails.
    pub fn remove_folder(&self, path: &str) -> Outcome<()> {
        self.0.change(|settings| {
            let known = settings.folders.len();
            settings.folders.retain(|folder| self.0.paths.display(folder) != path);
            if settings.folders.len() == known {
                return Err(ErrorView::gone(format!("{path} is not one of the shared folders")));
            }
            Ok(())
        })
    }

    /// What other programs have to show. It is made when it is first needed. This may block for
    /// some seconds.
    ///
    /// # Errors
    /// When it can be neither read nor kept.
    pub fn token(&self) -> Outcome<String> {
        self.0.token()
    }

    /// Makes a new token and starts anew: programs with the old one are refused from then on.
    ///
    /// # Errors
    /// When it cannot be kept, or the ledger fails.
    pub fn renew_token(&self) -> Outcome<()> {
        {
            let _changing = self.0.changing();
            self.0.make_token()?;
        }
        self.start()
    }

    /// Starts anew where the folders of a shared tool are others now.
    ///
    /// # Errors
    /// When the ledger fails.
    pub fn follow_tools(&self) -> Outcome<()> {
        let settings = self.0.vault.sharing()?;
        if settings.on && self.0.places(&settings) != self.0.now().places {
            self.0.begin(settings);
        }
        Ok(())
    }
}

impl Drop for Sharing {
    fn drop(&mut self) {
        self.stop();
    }
}

impl Parts {
    fn now(&self) -> MutexGuard<'_, Now> {
        self.now.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn changing(&self) -> MutexGuard<'_, ()> {
        self.changing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change(self: &Arc<Self>, change: impl FnOnce(&mut Settings) -> Outcome<()>) -> Outcome<()> {
        let _changing = self.changing();
        let before = self.vault.sharing()?;
        let mut settings = before.clone();
        change(&mut settings)?;
        if settings != before {
            self.vault.set_sharing(&settings)?;
        }
        self.begin(settings);
        Ok(())
    }

    fn token(&self) -> Outcome<String> {
        let _changing = self.changing();
        match self.secrets.get(TOKEN)? {
            Some(token) => Ok(token),
            None => self.make_token(),
        }
    }

    fn make_token(&self) -> Outcome<String> {
        let token = new_token().map_err(|error| {
            ErrorView::new(ErrorCode::Internal, format!("the system gives no randomness: {error}"))
        })?;
        self.secrets.set(TOKEN, &token)?;
        Ok(token)
    }

    /// Every tool that is here or shared, and its folders.
    fn tools(&self, settings: &Settings) -> Vec<SharedTool> {
        let snapshot = self.library.snapshot();
        let tools = snapshot.tools.iter().filter(|state| {
            state.detection != Detection::NotFound || settings.tools.contains(&state.tool.id)
        });
        tools
            .map(|state| SharedTool {
                id: state.tool.id.clone(),
                name: state.tool.name.clone(),
                monogram: state.tool.monogram.clone(),
                shared: settings.tools.contains(&state.tool.id),
                roots: self
                    .roots(&state.tool.id)
                    .iter()
                    .map(|root| self.paths.display(root))
                    .collect(),
            })
            .filter(|tool| !tool.roots.is_empty())
            .collect()
    }

    /// The folders that a tool reads, but caches of plug-ins, in which versions lie side by side.
    fn roots(&self, tool: &str) -> Vec<PathBuf> {
        let snapshot = self.library.snapshot();
        let Some(state) = snapshot.tools.iter().find(|state| state.tool.id == tool) else {
            return Vec::new();
        };
        let known = state.tool.roots(&self.paths);
        let is_cache = |path: &&PathBuf| known.iter().any(|root| root.cache && root.path == **path);
        state.roots.iter().filter(|path| !is_cache(path)).cloned().collect()
    }

    fn folder(&self, path: &Path) -> SharedFolder {
        SharedFolder {
            path: self.paths.display(path),
            kind: match kind_of(path) {
                Ok(FolderKind::Skill) => view::FolderKind::Skill,
                Ok(FolderKind::Skills) => view::FolderKind::Skills,
                Ok(FolderKind::Project { .. }) => view::FolderKind::Project,
                Ok(FolderKind::Empty) | Err(_) => view::FolderKind::Empty,
            },
        }
    }

    /// Where what is shared lies, each place once.
    fn places(&self, settings: &Settings) -> Vec<Place> {
        let tools = settings.tools.iter().flat_map(|tool| self.roots(tool)).map(Place::Root);
        let folders = settings.folders.iter().flat_map(|folder| match kind_of(folder) {
            Ok(FolderKind::Skill) => vec![Place::Skill(folder.clone())],
            Ok(FolderKind::Project { roots }) => {
                roots.into_iter().map(|(root, _)| Place::Root(folder.join(root))).collect()
            }
            _ => vec![Place::Root(folder.clone())],
        });
        let mut places: Vec<Place> = Vec::new();
        for place in tools.chain(folders) {
            if !places.contains(&place) {
                places.push(place);
            }
        }
        places
    }

    /// Ends what runs and, when it is on, begins with these settings.
    fn begin(self: &Arc<Self>, settings: Settings) {
        {
            let mut now = self.now();
            let before = now.run.take();
            if let Some(run) = &before {
                run.stop.cancel();
            }
            now.look = None;
            now.state = if settings.on { SharingState::Starting } else { SharingState::Off };
            let stop = CancellationToken::new();
            let (parts, stopped) = (Arc::clone(self), stop.clone());
            let task = spawn(async move {
                if let Some(run) = before {
                    // It gives the port back.
                    let _ = run.task.await;
                }
                if settings.on && !stopped.is_cancelled() {
                    parts.run(settings, stopped).await;
                }
            });
            now.run = Some(Run { stop, task });
        }
        self.events.changed(Scope::Sharing);
    }

    async fn run(self: Arc<Self>, settings: Settings, stop: CancellationToken) {
        let parts = Arc::clone(&self);
        let prepared = spawn_blocking(move || {
            if parts.library.snapshot().tools.is_empty() {
                parts.library.rescan();
            }
            let places = parts.places(&settings);
            parts.token().map(|token| (settings, places, token))
        })
        .await;
        let (settings, places, token) = match prepared {
            Ok(Ok(prepared)) => prepared,
            Ok(Err(error)) => return self.fail(&stop, error),
            Err(error) => {
                tracing::error!(%error, "sharing could not start");
                let why = ErrorView::new(ErrorCode::Internal, "sharing could not start");
                return self.fail(&stop, why);
            }
        };
        let provider = provider(&settings, places.clone());
        self.update(&stop, |now| now.places.clone_from(&places));
        let changes = self.follow(&provider, &places, &stop);
        let (_watch, changes) = changes.unzip();
        self.clients.begin();
        let options = ServeOptions {
            tokens: vec![Token { identity: TOKEN.to_owned(), secret: token, scopes: Vec::new() }],
            changes,
            observer: Some(Arc::new(clients::Seer(Arc::downgrade(&self)))),
            ..ServeOptions::default()
        };
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, settings.port));
        let (parts, seen, current) = (Arc::clone(&self), Arc::clone(&provider), stop.clone());
        let ready = move |address: SocketAddr| {
            tracing::info!(%address, "sharing");
            parts.update(&current, |now| {
                now.state = SharingState::On { url: format!("http://{address}/mcp") };
            });
            spawn_blocking(move || parts.look(&current, seen.as_ref()));
        };
        match serve_http(provider, address, options, stop.clone(), ready).await {
            Ok(()) if stop.is_cancelled() => {}
            Ok(()) => {
                self.fail(&stop, ErrorView::new(ErrorCode::Internal, "sharing ended by itself"));
            }
            Err(error) => self.fail(&stop, refused(&error, settings.port)),
        }
        self.clients.end();
    }

    /// Grows with each change in a place, and looks at what is shared then.
    fn follow(
        self: &Arc<Self>,
        provider: &Arc<dyn Provider>,
        places: &[Place],
        stop: &CancellationToken,
    ) -> Option<(Watch, watch::Receiver<u64>)> {
        let (grow, changes) = watch::channel(0);
        let (parts, stop) = (Arc::downgrade(self), stop.clone());
        let provider = Arc::clone(provider);
        let changed = move || {
            grow.send_modify(|count| *count += 1);
            if let Some(parts) = parts.upgrade() {
                parts.look(&stop, provider.as_ref());
            }
        };
        let folders = places.iter().map(|place| place.path().to_owned()).collect();
        match watch_folders(folders, changed) {
            Ok(watch) => Some((watch, changes)),
            Err(error) => {
                tracing::warn!(%error, "clients are not told of changes");
                None
            }
        }
    }

    /// Takes note of what is shared now.
    fn look(&self, stop: &CancellationToken, provider: &dyn Provider) {
        if !stop.is_cancelled() {
            let look = look(provider);
            self.update(stop, |now| now.look = Some(look));
        }
    }

    fn fail(&self, stop: &CancellationToken, why: ErrorView) {
        tracing::warn!(%why, "sharing failed");
        self.update(stop, |now| {
            now.look = None;
            now.state = SharingState::Failed { message: why.message, hint: why.hint };
        });
    }

    /// Changes how it stands, unless this run was ended meanwhile.
    fn update(&self, stop: &CancellationToken, change: impl FnOnce(&mut Now)) {
        {
            let mut now = self.now();
            if stop.is_cancelled() {
                return;
            }
            change(&mut now);
        }
        self.events.changed(Scope::Sharing);
    }

    /// Tells the page soon; what happens until then is told with it. And once more when whoever
    /// asks now has been quiet for so long that it is not shown any more.
    fn tell_soon(self: &Arc<Self>) {
        self.tell_after(BETWEEN_EVENTS, |parts| &parts.telling);
        self.tell_after(clients::SHOWN + BETWEEN_EVENTS, |parts| &parts.expiring);
    }

    fn tell_after(self: &Arc<Self>, time: Duration, flag: fn(&Self) -> &AtomicBool) {
        if flag(self).swap(true, Ordering::SeqCst) {
            return;
        }
        let parts = Arc::downgrade(self);
        spawn(async move {
            tokio::time::sleep(time).await;
            if let Some(parts) = parts.upgrade() {
                flag(&parts).store(false, Ordering::SeqCst);
                parts.events.changed(Scope::Sharing);
            }
        });
    }
}
