//! The vault as a whole, on a real disk, below a temporary home.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::disallowed_methods)]

mod applying;
mod approvals;
mod bundles;
mod crashes;
mod declaring;
mod deeds;
mod drifting;
mod fixing;
mod fixing_refused;
mod fixing_undone;
mod hiding;
mod linking;
mod linking_amiss;
mod linking_crashes;
mod migrating;
mod others;
mod planning;
mod policies;
mod remembering;
mod serving;
mod tampering;
mod unapproved;
mod undoing;
mod updating;

use std::collections::BTreeMap;
use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use skills::blobs::Blobs;
use skills::digest::Digest;
use skills::entry::{Entry, EntryFile};
use skills::manifest::Manifest;
use skills::origin::Endpoint;
use skills::paths::Paths;
use skills::uri::SkillUri;

use crate::change::{Change, ItemResult};
use crate::link::Mode;
use crate::plan::{OnConflict, Plan, Source, Target};
use crate::servers::SavedServer;
use crate::{Recovered, Vault};

/// A front matter and a body of a skill called `pdf`.
const PDF: &str = "---\nname: pdf\ndescription: Reads PDF files\n---\nRead it.\n";

/// A home with two tools, `a` and `b`.
struct Home {
    dir: tempfile::TempDir,
    vault: Vault,
}

impl Home {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let (vault, recovered) = Vault::open(&Paths::under(dir.path())).unwrap();
        assert_eq!(recovered, []);
        let home = Self { dir, vault };
        fs::create_dir_all(home.root("a")).unwrap();
        fs::create_dir_all(home.root("b")).unwrap();
        home
    }

    /// Opens the vault again, as the next start of the program does.
    fn reopen(self) -> (Self, Vec<Recovered>) {
        let Self { dir, vault } = self;
        drop(vault);
        let (vault, recovered) = Vault::open(&Paths::under(dir.path())).unwrap();
        (Self { dir, vault }, recovered)
    }

    fn path(&self, path: &str) -> PathBuf {
        self.dir.path().canonicalize().unwrap().join(path)
    }

    fn data(&self) -> PathBuf {
        self.path(".local/share/skillhold")
    }

    fn root(&self, tool: &str) -> PathBuf {
        self.path(&format!(".{tool}/skills"))
    }

    fn scanned(&self) -> Vec<PathBuf> {
        vec![self.root("a"), self.root("b"), self.root("c")]
    }

    fn server(&self) -> SavedServer {
        self.vault
            .add_server("docs", Endpoint::Http { url: "http://127.0.0.1:8000/mcp".to_owned() })
            .unwrap()
    }

    /// Writes a skill by hand.
    fn write(&self, folder: &Path, files: &[(&str, &str)]) {
        for (path, text) in files {
            let path = folder.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
    }

    fn local(&self, folder: &Path) -> Source {
        Source::Local { path: folder.to_owned(), manifest: Manifest::read(folder).unwrap() }
    }

    /// A skill whose files were fetched, not yet approved.
    fn offered(&self, server: &SavedServer, uri: &str, files: &[(&str, &str)]) -> Entry {
        for (_, text) in files {
            self.vault.put(&server.id, text.as_bytes()).unwrap();
        }
        entry(uri, files)
    }

    fn approved(
        &self,
        server: &SavedServer,
        uri: &str,
        files: &[(&str, &str)],
        granted: bool,
    ) -> Source {
        let entry = self.offered(server, uri, files);
        self.vault.approve(server, &entry, granted, Vec::new()).unwrap();
        Source::Approved {
            server: server.clone(),
            entry: Box::new(entry),
            executable: Default::default(),
        }
    }

    fn plan(&self, source: Source, targets: Vec<Target>) -> Plan {
        self.vault.plan(source, targets, &self.scanned()).unwrap()
    }

    fn apply(&self, plan: &Plan) -> Change {
        self.vault.apply(plan, &mut |_| ControlFlow::Continue(())).unwrap()
    }

    /// Where everything of a folder is and what is in it.
    fn tree(&self, path: &Path) -> BTreeMap<String, String> {
        let mut files = BTreeMap::new();
        collect(path, "", &mut files);
        files
    }

    /// Nothing is left of staging anywhere.
    fn assert_tidy(&self) {
        assert!(
            !self.data().join("staging").exists(),
            "staging is left: {:?}",
            self.tree(&self.data().join("staging"))
        );
        assert!(self.vault.pending().unwrap().is_empty());
    }
}

fn collect(dir: &Path, prefix: &str, files: &mut BTreeMap<String, String>) {
    for entry in fs::read_dir(dir).into_iter().flatten() {
        let entry = entry.unwrap();
        let path = format!("{prefix}{}", entry.file_name().to_str().unwrap());
        if entry.file_type().unwrap().is_dir() {
            files.insert(format!("{path}/"), String::new());
            collect(&entry.path(), &format!("{path}/"), files);
        } else if entry.file_type().unwrap().is_symlink() {
            files.insert(format!("{path}@"), String::new());
        } else {
            files.insert(path, fs::read_to_string(entry.path()).unwrap());
        }
    }
}

fn target(home: &Home, tool: &str, on_conflict: OnConflict) -> Target {
    Target {
        tool: tool.to_owned(),
        root: home.root(tool),
        name: None,
        on_conflict,
        mode: Mode::Copy,
    }
}

fn entry(uri: &str, files: &[(&str, &str)]) -> Entry {
    let uri = SkillUri::parse(uri).unwrap();
    let files = files
        .iter()
        .map(|(path, text)| EntryFile {
            path: (*path).to_owned(),
            uri: uri.file_uri(path),
            size: text.len() as u64,
            digest: Digest::of(text.as_bytes()),
        })
        .collect();
    Entry::new(uri, None, None, files).unwrap()
}

fn results(change: &Change) -> Vec<ItemResult> {
    change.items.iter().map(|item| item.result).collect()
}

fn error(change: &Change, at: usize) -> String {
    change.items[at].error.as_ref().unwrap().to_string()
}

fn tree(files: &[(&str, &str)]) -> BTreeMap<String, String> {
    files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect()
}
