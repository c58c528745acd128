//! One look at everything below a folder.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::SystemTime;

use rayon::prelude::*;

use crate::MAIN_FILE;
use crate::handle::{Child, Folder, Kind};
use crate::stamp::Stamp;

/// Folders inside each other that are followed.
pub(super) const MAX_DEPTH: usize = 64;

/// Names that one look takes in before it gives up: a whole disk is not a root of skills.
const MAX_NAMES: usize = 2_000_000;

/// Folders above this depth are looked at side by side.
const SIDE_BY_SIDE: usize = 2;

/// A folder as it was when it was looked at. Two are equal when nothing was written in between, up
/// to the grain of the clock.
#[derive(Debug, Default)]
pub(super) struct Tree {
    /// Of the folder itself, before its names were listed; where the system tells it.
    own: Option<Stamp>,
    /// In byte order of names.
    pub(super) folders: Vec<(String, Arc<Tree>)>,
    /// Regular files, in byte order of names.
    pub(super) files: Vec<(String, Stamp)>,
    /// What stands against a skill that holds this folder, and its name here.
    flaws: Vec<(String, Flaw)>,
    /// Whether it has a main file, a link among them.
    pub(super) has_main: bool,
    /// Of all files below.
    pub(super) count: usize,
    /// Of all files below; the most there is when it is more.
    pub(super) bytes: u64,
    /// The latest time of a file below, in nanoseconds since 1970.
    pub(super) newest: i128,
}

/// The folders' own stamps do not count: what comes and goes between two looks changes nothing.
impl PartialEq for Tree {
    fn eq(&self, other: &Self) -> bool {
        self.files == other.files
            && self.folders == other.folders
            && self.flaws == other.flaws
            && self.has_main == other.has_main
    }
}

impl Eq for Tree {}

/// What no skill may hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Flaw {
    Link,
    Special,
    NameNotUtf8,
    TooMuch,
    Unreadable(String),
}

impl Flaw {
    /// As in `"a" is a link`.
    pub(super) fn reason(&self, name: &str) -> String {
        match self {
            Self::Link => format!("{name:?} is a link"),
            Self::Special => format!("{name:?} is neither a file nor a folder"),
            Self::NameNotUtf8 => format!("the name of {name:?} is not UTF-8"),
            Self::TooMuch => "it holds more than one skill can".to_owned(),
            Self::Unreadable(why) => format!("{name:?} cannot be read: {why}"),
        }
    }
}

impl Tree {
    /// Looks at a folder and everything below it.
    ///
    /// # Errors
    /// When the folder itself cannot be listed; what fails below is a flaw.
    pub(super) fn look(folder: &Folder) -> io::Result<Self> {
        Look { names: AtomicUsize::new(0), again: false }.at(folder, 0)
    }

    /// The same where much was seen before and little is built anew, for which the folders' own
    /// stamps are not worth their while.
    ///
    /// # Errors
    /// When the folder itself cannot be listed; what fails below is a flaw.
    pub(super) fn look_again(folder: &Folder) -> io::Result<Self> {
        Look { names: AtomicUsize::new(0), again: true }.at(folder, 0)
    }

    /// Whether the folder is proven to be as it was at this look, which ended before `at`. Names
    /// are not listed for it: the folders' own times prove that none came, went or was replaced.
    pub(super) fn still_stands(&self, folder: &Folder, at: SystemTime) -> bool {
        let is_old = self.own.is_some_and(|own| !own.is_fresh(at));
        is_old
            && folder.stamp() == self.own
            && self.files.iter().all(|(name, stamp)| {
                matches!(folder.look(name.as_ref()), Ok((Kind::File, now)) if now == *stamp)
            })
            && self.folders.iter().all(|(name, inner)| {
                folder.folder(name.as_ref()).is_ok_and(|folder| inner.still_stands(&folder, at))
            })
    }

    /// A folder that holds this one and nothing else.
    pub(super) fn holding(name: &str, tree: Self) -> Self {
        let mut outer =
            Self { folders: vec![(name.to_owned(), Arc::new(tree))], ..Self::default() };
        outer.sum_up();
        outer
    }

    fn sum_up(&mut self) {
        let folders =
            self.folders.iter().map(|(_, folder)| (folder.count, folder.bytes, folder.newest));
        let files = self.files.iter().map(|(_, stamp)| (1, stamp.size(), stamp.newest()));
        for (count, bytes, newest) in folders.chain(files) {
            self.count += count;
            self.bytes = self.bytes.saturating_add(bytes);
            self.newest = self.newest.max(newest);
        }
    }

    /// The first thing below that no skill may hold, as a sentence.
    pub(super) fn flaw(&self) -> Option<String> {
        match self.flaws.first() {
            Some((name, flaw)) => Some(flaw.reason(name)),
            None => self.folders.iter().find_map(|(_, folder)| folder.flaw()),
        }
    }

    /// The stamp of a file of this folder.
    pub(super) fn file(&self, name: &str) -> Option<&Stamp> {
        let at = self.files.binary_search_by(|(known, _)| known.as_str().cmp(name)).ok()?;
        Some(&self.files[at].1)
    }

    /// Calls with the path of every file below, this folder's first.
    pub(super) fn each_file(&self, prefix: &str, call: &mut impl FnMut(&str, &Stamp)) {
        for (name, stamp) in &self.files {
            call(&format!("{prefix}{name}"), stamp);
        }
        for (name, folder) in &self.folders {
            folder.each_file(&format!("{prefix}{name}/"), call);
        }
    }

    /// Calls with the path of every folder below that has a main file.
    pub(super) fn each_main(self: &Arc<Self>, path: &str, call: &mut impl FnMut(&str, &Arc<Self>)) {
        for (name, folder) in &self.folders {
            let path = if path.is_empty() { name.clone() } else { format!("{path}/{name}") };
            if folder.has_main {
                call(&path, folder);
            }
            folder.each_main(&path, call);
        }
    }
}

/// A look that is being taken.
struct Look {
    /// How many were seen.
    names: AtomicUsize,
    again: bool,
}

impl Look {
    fn at(&self, folder: &Folder, depth: usize) -> io::Result<Tree> {
        let own = if self.again { None } else { folder.stamp() };
        let mut tree = Tree { own, ..Tree::default() };
        let mut below: Vec<String> = Vec::new();
        for Child { name, kind, stamp } in folder.children()? {
            let name = match name.into_string() {
                Ok(name) => name,
                Err(name) => {
                    tree.flaws.push((name.to_string_lossy().into_owned(), Flaw::NameNotUtf8));
                    continue;
                }
            };
            if depth == MAX_DEPTH || self.names.fetch_add(1, Ordering::Relaxed) >= MAX_NAMES {
                tree.flaws.push((name, Flaw::TooMuch));
                break;
            }
            tree.has_main |= name == MAIN_FILE && matches!(kind, Kind::File | Kind::Link);
            match (kind, stamp) {
                (Kind::Folder, _) => below.push(name),
                (Kind::File, Some(stamp)) => tree.files.push((name, stamp)),
                (Kind::Link, _) => tree.flaws.push((name, Flaw::Link)),
                _ => tree.flaws.push((name, Flaw::Special)),
            }
        }
        let look = |name: String| {
            let seen = folder.folder(name.as_ref()).and_then(|inner| self.at(&inner, depth + 1));
            (name, seen)
        };
        let seen: Vec<(String, io::Result<Tree>)> = if depth < SIDE_BY_SIDE {
            below.into_par_iter().map(look).collect()
        } else {
            below.into_iter().map(look).collect()
        };
        for (name, seen) in seen {
            match seen {
                Ok(inner) => tree.folders.push((name, Arc::new(inner))),
                // Removed between two steps: as if it had never been there.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => tree.flaws.push((name, Flaw::Unreadable(error.to_string()))),
            }
        }
        tree.sum_up();
        Ok(tree)
    }
}
