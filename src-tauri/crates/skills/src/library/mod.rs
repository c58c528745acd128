//! Every skill in every tool's folder, as one immutable snapshot after the other.

mod choices;
mod roots;
mod scan;
mod unread;
mod walk;

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

pub use choices::{Choices, FolderRefused, MAX_FOLDERS, ToolChoice};

use crate::check::Diagnostic;
use crate::digest::Digest;
use crate::folder::FolderKind;
use crate::manifest::Manifest;
use crate::paths::Paths;
use crate::tool::{Detection, Tool};

/// The library at one moment.
#[derive(Debug, Clone, Default)]
pub struct Snapshot {
    /// Grows with every change; 0 before the first scan is done.
    pub revision: u64,
    /// Every known tool, in the table's order.
    pub tools: Vec<ToolState>,
    /// Every root that was scanned, each folder once.
    pub roots: Vec<RootState>,
    /// Every folder that the person added, in the order they were added.
    pub folders: Vec<FolderState>,
    /// Folders of skills of tools that are not here: what is in them is not read.
    pub unread: Vec<UnreadFolder>,
    /// Every skill, in order of name and path.
    pub skills: Vec<LocalSkill>,
}

/// A tool as it is on this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolState {
    /// Which tool.
    pub tool: &'static Tool,
    /// Whether it is here.
    pub detection: Detection,
    /// Whether its folders are scanned: what the person chose. Where they chose nothing, whether
    /// the tool is here, has folders that the person gave it, or something was placed for it.
    pub on: bool,
    /// What the person chose, if they did.
    pub chosen: Option<bool>,
    /// Whether the person gave it folders of its own in place of the table's.
    pub overridden: bool,
    /// All folders that it reads, in order.
    pub roots: Vec<PathBuf>,
    /// Where a copy for it goes.
    pub install_root: Option<PathBuf>,
}

/// A folder of skills.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RootState {
    /// Where.
    pub path: PathBuf,
    /// Ids of the tools that are on and read it; none for a folder of skills that the person added
    /// and no tool reads.
    pub tools: Vec<String>,
    /// Every tool that is here or on and reads it, also one that is switched off here.
    pub readers: Vec<Reader>,
    /// Why it could not be read.
    pub problem: Option<String>,
    /// True for the system's folders and those that come with a tool.
    pub read_only: bool,
    /// True for a cache of plug-ins.
    pub cache: bool,
    /// The project that it lies in, for one that was added.
    pub project: Option<PathBuf>,
    /// True for a project's folder of a plain name, which holds the project's own sources, and for
    /// a folder of skills that was added and that no tool reads: nothing in it is ever removed in
    /// bulk.
    pub user_owned: bool,
    /// What in it is not shown as a skill, and why, at most [`MAX_SKIPPED`].
    pub skipped: Vec<(PathBuf, String)>,
}

/// A tool that reads a root.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Reader {
    /// Its id.
    pub tool: String,
    /// Where the root stands in the order in which it ranks its roots, the strongest first.
    pub rank: usize,
}

/// Skipped folders that are kept of one root.
pub const MAX_SKIPPED: usize = 100;

/// A folder that the person added.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FolderState {
    /// Where.
    pub path: PathBuf,
    /// What it is now.
    pub kind: FolderKind,
    /// How many skills are found through it.
    pub count: usize,
    /// Why it could not be read, or is not read.
    pub problem: Option<String>,
}

/// A folder of skills that belongs to tools of which nothing else is here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnreadFolder {
    /// Where.
    pub path: PathBuf,
    /// Ids of these tools.
    pub tools: Vec<String>,
    /// How many skills lie in it: counted, not read, and at most [`MAX_UNREAD`].
    pub count: usize,
}

/// Folders that are looked at to count the skills of a folder that is not read.
pub const MAX_UNREAD: usize = 10_000;

/// One skill on this disk.
#[derive(Debug, Clone, PartialEq)]
pub struct LocalSkill {
    /// 16 hexadecimal digits of the SHA-256 of the real path.
    pub id: String,
    /// The folder, as the root shows it.
    pub path: PathBuf,
    /// The folder's own name.
    pub folder_name: String,
    /// The `name` of the front matter, or the folder's.
    pub name: String,
    /// The description, with the reference's fallbacks.
    pub description: String,
    /// Ids of the tools that see it.
    pub tools: Vec<String>,
    /// Its files, or why they could not be read.
    pub manifest: Result<Manifest, String>,
    /// What is wrong with it, worst first.
    pub diagnostics: Vec<Diagnostic>,
    /// True when the folder is a link.
    pub linked: bool,
    /// The project that it was found in, if only there.
    pub project: Option<PathBuf>,
    /// True when it lies in a root of the system or of a tool's bundles.
    pub read_only: bool,
    /// Each way in which roots show it, in order of roots; none for a skill that was added itself.
    pub through: Vec<Through>,
}

/// One way in which a root shows a skill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Through {
    /// The root's path, as in [`RootState::path`].
    pub root: PathBuf,
    /// The folder as this root shows it.
    pub path: PathBuf,
    /// True when it is a link there.
    pub linked: bool,
    /// Folders between the root and the skill.
    pub groups: usize,
}

/// All skills of one name.
#[derive(Debug, Clone, PartialEq)]
pub struct Group<'a> {
    /// The name.
    pub name: &'a str,
    /// Each place where it lies.
    pub skills: Vec<&'a LocalSkill>,
}

impl LocalSkill {
    /// The id that a skill in the folder with this real path has, whether there is one or not.
    pub fn id_of(real: &Path) -> String {
        let mut hex = Digest::of(real.as_os_str().as_encoded_bytes()).hex();
        hex.truncate(16);
        hex
    }
}

impl Snapshot {
    /// The skill with this id.
    pub fn skill(&self, id: &str) -> Option<&LocalSkill> {
        self.skills.iter().find(|skill| skill.id == id)
    }

    /// The skills by name, in order of names.
    pub fn groups(&self) -> Vec<Group<'_>> {
        let mut groups: Vec<Group<'_>> = Vec::new();
        for skill in &self.skills {
            match groups.last_mut() {
                Some(group) if group.name == skill.name => group.skills.push(skill),
                _ => groups.push(Group { name: &skill.name, skills: vec![skill] }),
            }
        }
        groups
    }
}

/// Told when choices change; false when nobody listens any more.
type Listener = Box<dyn Fn() -> bool + Send>;

/// Scans the folders of all tools and keeps the latest snapshot.
pub struct Library {
    paths: Paths,
    choices: Mutex<Choices>,
    listeners: Mutex<Vec<Listener>>,
    snapshot: Mutex<Arc<Snapshot>>,
    /// Held during a scan, so that there is one at a time.
    known: Mutex<scan::Known>,
}

impl fmt::Debug for Library {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Library")
            .field("paths", &self.paths)
            .field("revision", &self.snapshot().revision)
            .finish_non_exhaustive()
    }
}

impl Library {
    /// A library that has not looked yet.
    pub fn new(paths: Paths) -> Self {
        Self {
            paths,
            choices: Mutex::default(),
            listeners: Mutex::default(),
            snapshot: Mutex::default(),
            known: Mutex::default(),
        }
    }

    /// What the person chose.
    pub fn choices(&self) -> Choices {
        self.choices.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// From the next scan on, looks at what the person chose. A watch scans by itself then.
    pub fn choose(&self, choices: Choices) {
        {
            let mut known = self.choices.lock().unwrap_or_else(PoisonError::into_inner);
            if *known == choices {
                return;
            }
            *known = choices;
        }
        let mut listeners = self.listeners.lock().unwrap_or_else(PoisonError::into_inner);
        listeners.retain(|listener| listener());
    }

    /// Calls this after every change of choices, until it returns false.
    pub(crate) fn on_choice(&self, listener: impl Fn() -> bool + Send + 'static) {
        let mut listeners = self.listeners.lock().unwrap_or_else(PoisonError::into_inner);
        listeners.push(Box::new(listener));
    }

    /// The folders of this person.
    pub fn paths(&self) -> &Paths {
        &self.paths
    }

    /// The latest snapshot; revision 0 before the first scan is done, and empty or with the first
    /// skills only.
    pub fn snapshot(&self) -> Arc<Snapshot> {
        Arc::clone(&self.snapshot.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Looks at the disk now. Blocks; skills whose files are as they were are not read again. The
    /// snapshot is the one before, with its revision, when nothing changed.
    pub fn rescan(&self) -> Arc<Snapshot> {
        self.rescan_telling(|| {})
    }

    /// The same. In the first scan, where there are many skills, `first` is called as soon as some
    /// are in a snapshot, still with revision 0.
    pub fn rescan_telling(&self, first: impl Fn()) -> Arc<Snapshot> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let some = |scan: scan::Scan| {
            {
                let mut latest = self.snapshot.lock().unwrap_or_else(PoisonError::into_inner);
                if latest.revision > 0 {
                    return;
                }
                let scan::Scan { tools, roots, folders, unread, skills } = scan;
                *latest = Arc::new(Snapshot { revision: 0, tools, roots, folders, unread, skills });
            }
            first();
        };
        let scan::Scan { tools, roots, folders, unread, skills } =
            scan::scan(&self.paths, &self.choices(), &mut known, &some);
        let mut latest = self.snapshot.lock().unwrap_or_else(PoisonError::into_inner);
        let unchanged = latest.revision > 0
            && latest.tools == tools
            && latest.roots == roots
            && latest.folders == folders
            && latest.unread == unread
            && latest.skills == skills;
        if !unchanged {
            let revision = latest.revision + 1;
            *latest = Arc::new(Snapshot { revision, tools, roots, folders, unread, skills });
        }
        Arc::clone(&latest)
    }
}

#[cfg(test)]
mod tests;
