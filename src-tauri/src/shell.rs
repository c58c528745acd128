//! What the window's commands work on: small parts with locks inside, joined here. Nothing in it
//! knows of a window.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use skills::library::Library;
use skills::origin::Endpoint;
use skills::paths::Paths;
use skills::watch::{Watch, watch};
use skills_mcp::samples::Samples;
use skills_mcp::{ClientContext, ImportedSkills};
use vault::plan::Plan;
use vault::{Recovered, Vault, VaultError};

use crate::changes::Shown;
use crate::connections::Connections;
use crate::doubts::Doubts;
use crate::drafts::{CommandDraft, Drafts};
use crate::events::Events;
use crate::folders::ForThisRun;
use crate::imports::Imports;
use crate::install::LastInspected;
use crate::jobs::Jobs;
use crate::library::Inspected;
use crate::review::Reviews;
use crate::secrets::Secrets;
use crate::sharing::Sharing;
use crate::sign_in::SignInDraft;
use crate::view::Scope;

/// The person's name for the built-in samples until they give another.
const SAMPLES: &str = "Samples";

/// All parts of the program.
#[derive(Debug)]
pub struct Shell {
    /// Where the person's folders are.
    pub paths: Paths,
    /// The skills on this disk.
    pub library: Arc<Library>,
    /// What was approved and where it was placed.
    pub vault: Arc<Vault>,
    /// The built-in samples.
    pub samples: Arc<Samples>,
    /// Tells the page what changed.
    pub events: Arc<Events>,
    /// The servers that are switched on.
    pub connections: Connections,
    /// What other programs are given.
    pub sharing: Sharing,
    /// Running reviews.
    pub reviews: Reviews,
    /// What servers did with skills since they were listed.
    pub doubts: Doubts,
    /// Plans that were shown.
    pub plans: Drafts<Plan>,
    /// Changes of one or many skills that were shown.
    pub batches: Drafts<Shown>,
    /// Command lines that were shown.
    pub commands: Drafts<CommandDraft>,
    /// Sign-ins that were shown.
    pub sign_ins: Drafts<SignInDraft>,
    /// Servers that were found in settings of other tools.
    pub imports: Imports,
    /// Values that are nobody's business.
    pub secrets: Arc<Secrets>,
    /// What was found in the skill that is about to be copied.
    pub(crate) last_inspected: LastInspected,
    /// Running jobs.
    pub jobs: Jobs,
    /// What was found in skills of the library.
    pub(crate) inspected: Arc<Inspected>,
    /// Folders that are looked into until the program ends.
    pub(crate) for_this_run: ForThisRun,
    scan: Scan,
}

#[derive(Debug, Default)]
struct Scan {
    begun: AtomicBool,
    done: AtomicBool,
    watch: Mutex<Option<Watch>>,
}

impl Shell {
    /// Opens the vault below these paths. Nothing is scanned and no server reached yet. The second
    /// value says what an earlier run had left unfinished.
    ///
    /// # Errors
    /// When the vault cannot be opened.
    pub fn open(paths: Paths) -> Result<(Arc<Self>, Vec<Recovered>), VaultError> {
        let (vault, recovered) = Vault::open(&paths)?;
        let vault = Arc::new(vault);
        let events = Arc::new(Events::new());
        let samples = Arc::new(Samples::new(vault.settings()?.samples_changed));
        let kept = Arc::clone(&vault);
        let context = ClientContext {
            samples: Some(Arc::clone(&samples)),
            imported: Some(ImportedSkills::new(move |content| kept.imported_skills(content))),
            ..ClientContext::default()
        };
        let library = Arc::new(Library::new(paths.clone()));
        let secrets = Arc::new(Secrets::of_the_system(&paths));
        let sharing = Sharing::new(
            paths.clone(),
            Arc::clone(&library),
            Arc::clone(&vault),
            Arc::clone(&events),
            Arc::clone(&secrets),
        );
        let shell = Self {
            library,
            sharing,
            connections: Connections::new(
                Arc::clone(&vault),
                Arc::clone(&events),
                context,
                Arc::clone(&secrets),
            ),
            paths,
            doubts: Doubts::open(Arc::clone(&vault))?,
            vault,
            samples,
            events,
            reviews: Reviews::default(),
            plans: Drafts::default(),
            // Each may hold thousands of plans.
            batches: Drafts::at_most(4),
            commands: Drafts::default(),
            sign_ins: Drafts::default(),
            imports: Imports::default(),
            secrets,
            last_inspected: LastInspected::default(),
            jobs: Jobs::default(),
            inspected: Arc::default(),
            for_this_run: ForThisRun::default(),
            scan: Scan::default(),
        };
        shell.follow_placements()?;
        Ok((Arc::new(shell), recovered))
    }

    /// Begins to reach the servers that are switched on. The samples are one of them from the first
    /// run on.
    ///
    /// # Errors
    /// When the ledger fails.
    pub fn connect(&self) -> Result<(), VaultError> {
        let samples = self.vault.settings()?.samples;
        let mut servers = self.vault.servers()?;
        let is_samples = |endpoint: &Endpoint| *endpoint == Endpoint::Samples;
        if samples && !servers.iter().any(|server| is_samples(&server.endpoint)) {
            servers.push(self.vault.add_server(SAMPLES, Endpoint::Samples)?);
        }
        for server in servers {
            if server.enabled && (samples || !is_samples(&server.endpoint)) {
                self.connections.start(server);
            }
        }
        Ok(())
    }

    /// Offers the samples or not. Off, their approvals are kept for when they are back.
    ///
    /// # Errors
    /// When the ledger fails.
    pub fn offer_samples(&self, on: bool) -> Result<(), VaultError> {
        self.vault.set_samples(on)?;
        let known =
            self.vault.servers()?.into_iter().find(|server| server.endpoint == Endpoint::Samples);
        match (on, known) {
            (true, Some(server)) => {
                self.vault.set_server_enabled(&server.id, true)?;
                self.connections.start(vault::servers::SavedServer { enabled: true, ..server });
            }
            (true, None) => {
                self.connections.start(self.vault.add_server(SAMPLES, Endpoint::Samples)?)
            }
            (false, Some(server)) => self.connections.stop(&server.id),
            (false, None) => {}
        }
        Ok(())
    }

    /// Starts to scan and to watch the folders, once.
    pub fn scan(self: &Arc<Self>) {
        if self.scan.begun.swap(true, Ordering::SeqCst) {
            return;
        }
        self.watch_others();
        let shell = Arc::clone(self);
        tauri::async_runtime::spawn_blocking(move || {
            shell.library.rescan_telling(|| shell.events.changed(Scope::Library));
            shell.scan.done.store(true, Ordering::SeqCst);
            shell.events.changed(Scope::Library);
            shell.watch();
        });
    }

    /// Whether the first scan is done.
    pub fn scanned(&self) -> bool {
        self.scan.done.load(Ordering::SeqCst)
    }

    fn watch(self: &Arc<Self>) {
        let shell = Arc::downgrade(self);
        let watching = watch(Arc::clone(&self.library), move |_| {
            let Some(shell) = shell.upgrade() else { return };
            shell.events.changed(Scope::Library);
            // Rows of offers say what exists here.
            shell.events.changed(Scope::Servers);
            shell.sharing.follow_tools();
        });
        match watching {
            Ok(watching) => {
                *self.scan.watch.lock().unwrap_or_else(PoisonError::into_inner) = Some(watching);
            }
            Err(error) => tracing::warn!(%error, "folders are not watched"),
        }
        // What happened between the scan and the watcher's start.
        let before = self.library.snapshot().revision;
        if self.library.rescan().revision != before {
            self.events.changed(Scope::Library);
        }
    }
}
