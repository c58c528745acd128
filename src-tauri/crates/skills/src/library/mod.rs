//! Every skill in every tool's folder, as one immutable snapshot after the other.

mod scan;

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use crate::check::Diagnostic;
use crate::manifest::Manifest;
use crate::paths::Paths;
use crate::tool::{Detection, Tool};

/// The library at one moment.
#[derive(Debug, Clone, Default)]
pub struct Snapshot {
    /// Grows with every change; 0 before the first scan.
    pub revision: u64,
    /// Every known tool, in the table's order.
    pub tools: Vec<ToolState>,
    /// Every root that was scanned, each folder once.
    pub roots: Vec<RootState>,
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
    /// Ids of the tools that read it.
    pub tools: Vec<String>,
    /// Why it could not be read.
    pub problem: Option<String>,
    /// True for the system's folders and those that come with a tool.
    pub read_only: bool,
}

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
}

/// All skills of one name.
#[derive(Debug, Clone, PartialEq)]
pub struct Group<'a> {
    /// The name.
    pub name: &'a str,
    /// Each place where it lies.
    pub skills: Vec<&'a LocalSkill>,
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

/// Scans the folders of all tools and keeps the latest snapshot.
#[derive(Debug)]
pub struct Library {
    paths: Paths,
    snapshot: Mutex<Arc<Snapshot>>,
    /// Held during a scan, so that there is one at a time.
    known: Mutex<scan::Known>,
}

impl Library {
    /// A library that has not looked yet.
    pub fn new(paths: Paths) -> Self {
        Self { paths, snapshot: Mutex::default(), known: Mutex::default() }
    }

    /// The folders of this person.
    pub fn paths(&self) -> &Paths {
        &self.paths
    }

    /// The latest snapshot; empty, revision 0, before the first scan.
    pub fn snapshot(&self) -> Arc<Snapshot> {
        Arc::clone(&self.snapshot.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Looks at the disk now. Blocks; skills whose files are as they were are not read again. The
    /// snapshot is the one before, with its revision, when nothing changed.
    pub fn rescan(&self) -> Arc<Snapshot> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let (tools, roots, skills) = scan::scan(&self.paths, &mut known);
        let mut latest = self.snapshot.lock().unwrap_or_else(PoisonError::into_inner);
        let unchanged = latest.revision > 0
            && latest.tools == tools
            && latest.roots == roots
            && latest.skills == skills;
        if !unchanged {
            *latest = Arc::new(Snapshot { revision: latest.revision + 1, tools, roots, skills });
        }
        Arc::clone(&latest)
    }
}

#[cfg(test)]
mod tests;
