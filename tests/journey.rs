//! From a server to a tool's folder, through the crates that do it and without a window.

use std::path::PathBuf;
use std::time::Duration;

use skills::entry::Entry;
use skills::origin::Endpoint;
use skills::paths::Paths;
use skills_mcp::{ClientContext, Connection, Fetched, Verdict, nested_entry};
use tokio_util::sync::CancellationToken;
use vault::Vault;
use vault::change::Change;
use vault::plan::{OnConflict, Plan, Source, Target};
use vault::servers::SavedServer;

use crate::support::home::Home;

/// A person's program: a home, a vault, and one server in it.
pub(crate) struct Journey {
    pub(crate) home: Home,
    pub(crate) vault: Vault,
    pub(crate) server: SavedServer,
    pub(crate) connection: Connection,
}

impl Journey {
    /// Saves the server and connects to it.
    pub(crate) async fn to(endpoint: Endpoint) -> Self {
        let home = Home::empty().with_folder(".claude");
        let (vault, _) = Vault::open(&Paths::under(home.path())).unwrap();
        let server = vault.add_server("the server", endpoint).unwrap();
        let mut context = ClientContext::default();
        // A Python that starts on a busy machine needs longer than a person would wait.
        context.timeouts.connect = Duration::from_secs(60);
        let connection = Connection::open(&server.endpoint, &context).await.unwrap();
        Self { home, vault, server, connection }
    }

    /// Everything it offers, by name, that can be verified.
    pub(crate) async fn offered(&self) -> Vec<Entry> {
        let offers = self.connection.list().await.unwrap();
        let mut entries: Vec<Entry> = offers
            .offers
            .into_iter()
            .filter_map(|offer| match offer.verdict {
                Verdict::Verifiable(entry) => Some(entry),
                _ => None,
            })
            .collect();
        entries.sort_by(|a, b| a.name().cmp(b.name()));
        entries
    }

    /// The one of that name.
    pub(crate) async fn entry(&self, name: &str) -> Entry {
        let offered = self.offered().await;
        let names: Vec<&str> = offered.iter().map(Entry::name).collect();
        let entry = offered.iter().find(|entry| entry.name() == name);
        entry.unwrap_or_else(|| panic!("{name} is not among {names:?}")).clone()
    }

    /// What a review does: reads and checks all files, and keeps the verified ones.
    pub(crate) async fn fetch(&self, entry: &Entry) -> Fetched {
        let blobs = self.vault.blobs();
        let cancel = CancellationToken::new();
        self.connection.fetch(entry, &self.server.id, blobs, &|_| {}, &cancel).await.unwrap()
    }

    /// Reviews and approves an entry, and each skill that lies inside it.
    pub(crate) async fn approve_with_nested(&self, entry: &Entry) {
        assert!(
            self.fetch(entry).await.verified().is_some(),
            "{} is not verified",
            entry.uri().as_str()
        );
        self.vault.approve(&self.server, entry, false, Vec::new()).unwrap();
        for file in entry.files().iter().filter(|file| file.path.ends_with("/SKILL.md")) {
            let inner = match self.connection.get_verifiable(&file.uri).await {
                Ok(inner) => inner,
                // A server without the extension has no entry for it: its files are in the outer one.
                Err(_) => nested_entry(entry, &file.path).unwrap(),
            };
            assert!(self.fetch(&inner).await.verified().is_some(), "{} is not verified", file.uri);
            self.vault.approve(&self.server, &inner, false, Vec::new()).unwrap();
        }
    }

    /// What installing it for Claude Code would do.
    pub(crate) fn plan(&self, entry: &Entry) -> Plan {
        let source = Source::Approved {
            server: self.server.clone(),
            entry: Box::new(entry.clone()),
            executable: Default::default(),
        };
        let root = self.root();
        let target = Target {
            tool: "claude-code".to_owned(),
            root: root.clone(),
            name: None,
            on_conflict: OnConflict::Keep,
            mode: vault::link::Mode::Copy,
        };
        self.vault.plan(source, vec![target], &[root]).unwrap()
    }

    /// Does it.
    pub(crate) fn apply(&self, plan: &Plan) -> Change {
        self.vault.apply(plan, &mut |_| std::ops::ControlFlow::Continue(())).unwrap()
    }

    /// The folder of Claude Code's skills.
    pub(crate) fn root(&self) -> PathBuf {
        self.home.at(".claude/skills")
    }
}
