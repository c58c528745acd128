//! A home with three tools, what a person sees in it, and what must hold whatever happened.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::ops::ControlFlow;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use rusqlite::{Connection, OpenFlags};
use skills::blobs::Blobs;
use skills::digest::Digest;
use skills::entry::{Entry, EntryFile};
use skills::manifest::Manifest;
use skills::origin::Endpoint;
use skills::paths::Paths;
use skills::uri::SkillUri;
use vault::change::{Change, ItemResult};
use vault::drift::Drift;
use vault::link::Mode;
use vault::plan::{OnConflict, Plan, Source, Target};
use vault::{Recovered, Vault, VaultError};

/// A front matter and a body of a skill called `pdf`.
pub(crate) const PDF: &str = "---\nname: pdf\ndescription: Reads PDF files\n---\nRead it.\n";
/// The same skill, later.
pub(crate) const PDF_2: &str =
    "---\nname: pdf\ndescription: Reads PDF files\n---\nRead it twice.\n";
pub(crate) const URI: &str = "skill://pdf/SKILL.md";

/// The tools' roots; the last is not there at first.
pub(crate) const TOOLS: [&str; 3] = ["a", "b", "c"];

/// What is at a path.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Node {
    Folder,
    /// Its text, and whether it has an executable bit.
    File(String, bool),
    Link(PathBuf),
}

/// Everything below a folder, by path relative to it.
pub(crate) type Tree = BTreeMap<String, Node>;

/// A vault below a folder.
pub(crate) struct Home {
    pub(crate) dir: PathBuf,
    pub(crate) vault: Vault,
}

/// All that a person can tell of a home: what the tools have, what is recorded, and what is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct State {
    pub(crate) tools: Tree,
    /// Folder relative to the home, name, fingerprint as installed, and the drift.
    pub(crate) placed: Vec<(String, String, String, String)>,
    /// Where it was relative to the home, and what it is.
    pub(crate) trash: Vec<(String, Tree)>,
    /// The same of what is disabled.
    pub(crate) aside: Vec<(String, Tree)>,
}

impl State {
    /// The same, but for a shared copy without links that is in the trash and would have been removed
    /// for good: nobody had it.
    pub(crate) fn is(&self, known: &Self) -> bool {
        let mut more = self.trash.clone();
        for one in &known.trash {
            match more.iter().position(|two| two == one) {
                Some(at) => drop(more.remove(at)),
                None => return false,
            }
        }
        more.iter().all(|(folder, _)| folder.contains("/linked/"))
            && (&self.tools, &self.placed, &self.aside)
                == (&known.tools, &known.placed, &known.aside)
    }
}

impl Home {
    /// Opens the vault below `dir`, which says what was put right.
    pub(crate) fn open(dir: &Path) -> (Self, Vec<Recovered>) {
        let dir = dir.canonicalize().unwrap();
        let (vault, recovered) = Vault::open(&Paths::under(&dir)).unwrap();
        (Self { dir, vault }, recovered)
    }

    /// A new one with a server and the roots of two tools.
    pub(crate) fn new(dir: &Path) -> Self {
        let (home, recovered) = Self::open(dir);
        assert_eq!(recovered, []);
        fs::create_dir_all(home.root("a")).unwrap();
        fs::create_dir_all(home.root("b")).unwrap();
        home.vault
            .add_server("docs", Endpoint::Http { url: "http://127.0.0.1:8000/mcp".to_owned() })
            .unwrap();
        home
    }

    pub(crate) fn data(&self) -> PathBuf {
        self.dir.join(".local/share/skillhold")
    }

    pub(crate) fn root(&self, tool: &str) -> PathBuf {
        self.dir.join(format!(".{tool}/skills"))
    }

    pub(crate) fn skill(&self, tool: &str, name: &str) -> PathBuf {
        self.root(tool).join(name)
    }

    pub(crate) fn scanned(&self) -> Vec<PathBuf> {
        TOOLS.map(|tool| self.root(tool)).to_vec()
    }

    /// The one server's skill with these files, approved.
    pub(crate) fn approved(&self, uri: &str, files: &[(&str, &str)]) -> Source {
        let server = self.vault.servers().unwrap().remove(0);
        for (_, text) in files {
            self.vault.put(&server.id, text.as_bytes()).unwrap();
        }
        let entry = entry(uri, files);
        self.vault.approve(&server, &entry, false, Vec::new()).unwrap();
        Source::Approved { server, entry: Box::new(entry), executable: BTreeSet::new() }
    }

    pub(crate) fn local(&self, folder: &Path) -> Source {
        Source::Local { path: folder.to_owned(), manifest: Manifest::read(folder).unwrap() }
    }

    pub(crate) fn plan(&self, source: Source, tools: &[&str], on_conflict: OnConflict) -> Plan {
        let targets = tools.iter().map(|tool| target(&self.root(tool), tool, on_conflict));
        self.vault.plan(source, targets.collect(), &self.scanned()).unwrap()
    }

    pub(crate) fn apply(&self, plan: &Plan) -> Result<Change, VaultError> {
        self.vault.apply(plan, &mut |_| ControlFlow::Continue(()))
    }

    /// Places it, which must go well.
    pub(crate) fn place(&self, source: Source, tools: &[&str], on_conflict: OnConflict) -> Change {
        let change = self.apply(&self.plan(source, tools, on_conflict)).unwrap();
        let well = |result| matches!(result, ItemResult::Written | ItemResult::Replaced);
        assert!(change.items.iter().all(|item| well(item.result)), "{change:?}");
        change
    }

    /// A path in words that are the same in another home.
    fn short(&self, path: &Path) -> String {
        let short = path.strip_prefix(&self.dir).unwrap_or(path);
        let mut parts: Vec<_> =
            short.components().map(|part| part.as_os_str().to_str().unwrap()).collect();
        // The folder of a shared copy is named after a server's id.
        if let Some(at) = parts.iter().position(|part| *part == "linked") {
            parts[at + 1] = "ID";
        }
        parts.join("/")
    }

    /// What is in a folder, or behind a link.
    fn seen(&self, folder: &Path) -> Tree {
        let mut seen = tree(folder);
        if let Ok(leads) = fs::read_link(folder) {
            seen.insert(String::new(), Node::Link(self.short(&leads).into()));
        }
        seen
    }

    pub(crate) fn state(&self) -> State {
        let mut tools = Tree::new();
        for tool in TOOLS {
            for entry in fs::read_dir(self.root(tool)).into_iter().flatten() {
                let name = entry.unwrap().file_name().into_string().unwrap();
                let seen = self.seen(&self.skill(tool, &name));
                tools.insert(format!("{tool}:{name}"), Node::Folder);
                let inside = |(path, node)| (format!("{tool}:{name}/{path}"), node);
                tools.extend(seen.into_iter().map(inside));
            }
        }
        let placements = self.vault.placements().unwrap();
        let placed = placements.iter().map(|placement| {
            (
                self.short(&placement.folder),
                placement.name.clone(),
                placement.installed_fingerprint().to_string(),
                format!("{:?}", Drift::on_disk(placement)),
            )
        });
        let trash = self.vault.trash().unwrap();
        let mut trash: Vec<_> = trash
            .iter()
            .map(|trashed| (self.short(&trashed.folder), self.seen(&trashed.kept)))
            .collect();
        trash.sort();
        let aside = self.vault.aside().unwrap();
        let mut aside: Vec<_> =
            aside.iter().map(|aside| (self.short(&aside.folder), self.seen(&aside.kept))).collect();
        aside.sort();
        State { tools, placed: placed.collect(), trash, aside }
    }

    /// What does not hold though it must, whatever happened: nothing is being worked on or was left
    /// from it, the trash is what the record says, and every recorded folder is as it was installed
    /// or was changed by somebody else since.
    pub(crate) fn problems(&self) -> Vec<String> {
        let mut problems = Vec::new();
        let ledger = self.data().join("ledger.sqlite");
        let ledger = Connection::open_with_flags(ledger, OpenFlags::SQLITE_OPEN_READ_ONLY).unwrap();
        let number = |sql: &str| ledger.query_row(sql, [], |row| row.get::<_, i64>(0)).unwrap();
        if number("SELECT count(*) FROM journal") != 0 {
            problems.push("the journal is not empty".to_owned());
        }
        let receipts: BTreeSet<String> = tree(&self.data().join("receipts")).into_keys().collect();
        if receipts != rows(&ledger) {
            problems.push(format!("the receipts are not those of the record: {receipts:?}"));
        }
        if self.data().join("room").exists() {
            problems.push("room on the disk was not given back".to_owned());
        }
        let trash = self.vault.trash().unwrap();
        let aside = self.vault.aside().unwrap();
        for one in aside.iter().filter(|one| one.kept.symlink_metadata().is_err()) {
            problems.push(format!("{} is not aside", one.kept.display()));
        }
        let kept: Vec<&Path> = trash
            .iter()
            .map(|trashed| trashed.kept.as_path())
            .chain(aside.iter().map(|aside| aside.kept.as_path()))
            .collect();
        for trashed in &trash {
            if let Some(link) = &trashed.found.link {
                // What it leads to may be in the trash as well.
                if fs::read_link(&trashed.kept).ok().as_ref() != Some(link) {
                    problems.push(format!("the trash lacks the link {}", trashed.kept.display()));
                }
                continue;
            }
            match Manifest::read(&trashed.kept) {
                Ok(manifest) if manifest.fingerprint() == trashed.found.fingerprint => {}
                other => problems.push(format!(
                    "the trash has {} as {other:?}, not {}",
                    trashed.kept.display(),
                    trashed.found.fingerprint
                )),
            }
        }
        for store in self.stores() {
            for (path, _) in tree(&store.join("staging")) {
                problems.push(format!("{}/staging/{path} is left", store.display()));
            }
            if store.join("staging").exists() {
                problems.push(format!("{}/staging is left", store.display()));
            }
            for kind in ["trash", "aside"] {
                for entry in fs::read_dir(store.join(kind)).into_iter().flatten() {
                    let own = entry.unwrap().path();
                    if !kept.iter().any(|kept| kept.parent() == Some(own.as_path())) {
                        problems.push(format!("{} is in no record", own.display()));
                    }
                }
            }
        }
        problems
    }

    /// Skillhold's own folders, on whatever disk.
    fn stores(&self) -> Vec<PathBuf> {
        let mut stores = vec![self.data()];
        let mut around = vec![self.dir.clone()];
        around.extend(TOOLS.iter().flat_map(|tool| {
            let root = self.root(tool);
            let real = root.canonicalize().unwrap_or(root);
            real.ancestors().take(4).map(Path::to_owned).collect::<Vec<_>>()
        }));
        stores.extend(around.into_iter().map(|folder| folder.join(".skillhold")));
        stores.sort();
        stores.dedup();
        stores.retain(|store| store.is_dir());
        stores
    }

    /// The newest row of activity: its kind and its text.
    pub(crate) fn told(&self) -> (String, String) {
        let newest = self.vault.activity(1).unwrap().remove(0);
        (format!("{:?}", newest.kind), newest.text)
    }
}

/// The names that the receipts of a ledger have.
fn rows(ledger: &Connection) -> BTreeSet<String> {
    let tables = [("placement", "placements"), ("trash", "trash"), ("aside", "aside")];
    let mut names = BTreeSet::new();
    for (kind, table) in tables {
        let mut statement = ledger.prepare(&format!("SELECT json FROM {table}")).unwrap();
        let rows = statement.query_map([], |row| row.get::<_, String>(0)).unwrap();
        names.extend(
            rows.map(|json| Digest::of(format!("{kind}\n{}\n", json.unwrap()).as_bytes()).hex()),
        );
    }
    names
}

pub(crate) fn target(root: &Path, tool: &str, on_conflict: OnConflict) -> Target {
    Target {
        tool: tool.to_owned(),
        root: root.to_owned(),
        name: None,
        on_conflict,
        mode: Mode::Copy,
    }
}

pub(crate) fn entry(uri: &str, files: &[(&str, &str)]) -> Entry {
    let uri = SkillUri::parse(uri).unwrap();
    let files = files.iter().map(|(path, text)| EntryFile {
        path: (*path).to_owned(),
        uri: uri.file_uri(path),
        size: text.len() as u64,
        digest: Digest::of(text.as_bytes()),
    });
    Entry::new(uri.clone(), None, None, files.collect()).unwrap()
}

/// Writes files by hand, with the folders around them.
pub(crate) fn write(folder: &Path, files: &[(&str, &str)]) {
    for (path, text) in files {
        let path = folder.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
}

/// Everything below a folder; empty when there is none.
pub(crate) fn tree(folder: &Path) -> Tree {
    let mut tree = Tree::new();
    let mut left = vec![String::new()];
    while let Some(around) = left.pop() {
        for entry in fs::read_dir(folder.join(&around)).into_iter().flatten() {
            let entry = entry.unwrap();
            let name = entry.file_name().into_string().unwrap();
            let path = if around.is_empty() { name } else { format!("{around}/{name}") };
            let metadata = entry.path().symlink_metadata().unwrap();
            let node = if metadata.is_dir() {
                left.push(path.clone());
                Node::Folder
            } else if metadata.is_symlink() {
                Node::Link(fs::read_link(entry.path()).unwrap())
            } else {
                let bytes = fs::read(entry.path()).unwrap();
                Node::File(
                    String::from_utf8_lossy(&bytes).into_owned(),
                    metadata.mode() & 0o111 != 0,
                )
            };
            tree.insert(path, node);
        }
    }
    tree
}

/// A temporary folder in memory, where flushing costs nothing; on the disk where there is none.
pub(crate) fn scratch() -> tempfile::TempDir {
    let memory = Path::new("/dev/shm");
    if memory.is_dir() {
        tempfile::tempdir_in(memory).unwrap()
    } else {
        tempfile::tempdir().unwrap()
    }
}
