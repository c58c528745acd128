//! Sharing: the window as a provider for other programs on this machine, behind a token.

mod clients;
mod following;
mod places;
mod publishing;
mod running;
mod snippets;

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use skills::library::{Choices, FolderRefused, Library};
use skills::paths::Paths;
use tauri::async_runtime::{JoinHandle, spawn};
use tokio_util::sync::CancellationToken;
use vault::Vault;
use vault::settings::Sharing as Settings;

use self::clients::Clients;
use self::following::Following;
use self::publishing::{Look, shown_warnings};
pub(crate) use self::publishing::{in_short, look};
use crate::error::Outcome;
use crate::events::Events;
use crate::secrets::{Secrets, is_token, new_token};
use crate::view::{ErrorCode, ErrorView, Scope, SharingChange, SharingState, SharingView};

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
    secrets: Arc<Secrets>,
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
    /// What runs, or ran last.
    run: Option<Run>,
}

#[derive(Debug)]
struct Run {
    stop: CancellationToken,
    task: JoinHandle<()>,
    /// What follows the disk, once it runs.
    following: Weak<Following>,
}

impl Sharing {
    /// Nothing is shared before [`start`](Self::start).
    pub fn new(
        paths: Paths,
        library: Arc<Library>,
        vault: Arc<Vault>,
        events: Arc<Events>,
        secrets: Arc<Secrets>,
    ) -> Self {
        let now = Now { state: SharingState::Off, look: None, run: None };
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
        let places = parts.places(&settings);
        let command = snippets::command(&settings, &places);
        let (clients, requests) = parts.clients.view();
        let skills = look.as_ref().map(|look| look.skills.len());
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
            warnings: look
                .as_ref()
                .map(|look| shown_warnings(&look.warnings, &parts.paths, &places))
                .unwrap_or_default(),
            shared: look.map(|look| look.skills).unwrap_or_default(),
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

    /// Shares what is in the folders of the shared tools as they are now. Whoever is connected
    /// stays so.
    pub fn follow_tools(&self) {
        let following = self.0.now().run.as_ref().and_then(|run| run.following.upgrade());
        if let Some(following) = following {
            following.look();
        }
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
            // A file may have been cut short, or written by hand.
            Some(token) if is_token(&token) => Ok(token),
            _ => self.make_token(),
        }
    }

    fn make_token(&self) -> Outcome<String> {
        let token = new_token().map_err(|error| {
            ErrorView::new(ErrorCode::Internal, format!("the system gives no randomness: {error}"))
        })?;
        self.secrets.set(TOKEN, &token)?;
        Ok(token)
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
