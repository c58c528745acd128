//! What the person chose: which tools are looked at, where, and which folders besides.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::paths::Paths;
use crate::tool;

/// Folders that a person can add before it is enough.
pub const MAX_FOLDERS: usize = 200;

/// What the person chose. What is not in here is as the table of tools says.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Choices {
    /// By the id of the tool.
    pub tools: BTreeMap<String, ToolChoice>,
    /// Folders that the person added, in the order they were added; real paths.
    pub folders: Vec<PathBuf>,
    /// Ids of tools for which something was placed: as good as switched on, or what was placed
    /// would not be shown. Whoever places knows them, so that they are not kept with the rest.
    #[serde(skip)]
    pub placed: BTreeSet<String>,
}

/// What the person chose for one tool.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ToolChoice {
    /// Whether its folders are scanned; `None` where that is worked out: see
    /// [`ToolState::on`](super::ToolState::on).
    pub on: Option<bool>,
    /// Its own folders, in place of those of the table; copies go to the first. What it reads of
    /// other tools, of the system and of its own bundles stays.
    pub roots: Option<Vec<PathBuf>>,
}

/// Why a folder is not taken.
#[derive(Debug, thiserror::Error)]
pub enum FolderRefused {
    /// It is not there, or may not be looked at: what it overlaps with cannot be told.
    #[error("cannot tell where {} leads: {source}", .path.display())]
    Unresolved {
        /// The folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// It is a file.
    #[error("{} is not a folder", .0.display())]
    NotAFolder(PathBuf),
    /// It is, holds or lies in a folder where Skillhold keeps its own data.
    #[error("{} overlaps with {}, where Skillhold keeps its own data", .path.display(), .own.display())]
    OwnData {
        /// The folder.
        path: PathBuf,
        /// Skillhold's folder.
        own: PathBuf,
    },
    /// It is the whole home folder, or a folder around it.
    #[error("{} is your whole home folder or around it: choose a folder in it", .0.display())]
    Home(PathBuf),
    /// Its path is not UTF-8, so that it cannot be kept as text.
    #[error("the path of {} is not UTF-8 and cannot be kept: give the folder another name", .0.display())]
    NotUtf8(PathBuf),
    /// It was added before.
    #[error("{} was added already", .0.display())]
    Twice(PathBuf),
    /// There are enough.
    #[error("cannot add {}: {MAX_FOLDERS} folders were added already", .0.display())]
    TooMany(PathBuf),
    /// No tool has this id.
    #[error("there is no tool called {0}")]
    NoSuchTool(String),
    /// A tool needs a folder.
    #[error("a tool needs at least one folder of its own")]
    NoFolder,
}

impl Choices {
    /// Adds a skill, a folder of skills or a project by its real path. What it is may change
    /// later, so an empty folder is taken as well.
    ///
    /// # Errors
    /// See [`FolderRefused`]; nothing is added then.
    pub fn add_folder(&mut self, path: &Path, paths: &Paths) -> Result<(), FolderRefused> {
        let real = resolved(path, paths)?;
        let is_known = |known: &PathBuf| {
            *known == real || known.canonicalize().is_ok_and(|known| known == real)
        };
        if self.folders.iter().any(is_known) {
            return Err(FolderRefused::Twice(path.to_owned()));
        }
        kept(&real)?;
        if self.folders.len() >= MAX_FOLDERS {
            return Err(FolderRefused::TooMany(path.to_owned()));
        }
        self.folders.push(real);
        Ok(())
    }

    /// Takes a folder out again, whether it is still there or not; false when it was not added.
    pub fn remove_folder(&mut self, path: &Path) -> bool {
        let real = path.canonicalize().ok();
        let before = self.folders.len();
        self.folders.retain(|known| known != path && Some(known) != real.as_ref());
        self.folders.len() != before
    }

    /// Switches a tool on or off; `None` lets detection decide.
    ///
    /// # Errors
    /// When there is no such tool.
    pub fn set_on(&mut self, tool: &str, on: Option<bool>) -> Result<(), FolderRefused> {
        self.change(tool, |choice| choice.on = on)
    }

    /// Gives a tool folders of its own in place of the table's, by their real paths; `None` gives
    /// the table's back.
    ///
    /// # Errors
    /// See [`FolderRefused`]; nothing is changed then.
    pub fn set_roots(
        &mut self,
        tool: &str,
        roots: Option<&[PathBuf]>,
        paths: &Paths,
    ) -> Result<(), FolderRefused> {
        let roots = match roots {
            None => None,
            Some([]) => return Err(FolderRefused::NoFolder),
            Some(roots) => {
                let mut real = Vec::new();
                for root in roots {
                    let root = resolved(root, paths)?;
                    kept(&root)?;
                    if !real.contains(&root) {
                        real.push(root);
                    }
                }
                Some(real)
            }
        };
        self.change(tool, |choice| choice.roots = roots)
    }

    fn change(
        &mut self,
        tool: &str,
        change: impl FnOnce(&mut ToolChoice),
    ) -> Result<(), FolderRefused> {
        if tool::tool(tool).is_none() {
            return Err(FolderRefused::NoSuchTool(tool.to_owned()));
        }
        let mut choice = self.tools.remove(tool).unwrap_or_default();
        change(&mut choice);
        if choice != ToolChoice::default() {
            self.tools.insert(tool.to_owned(), choice);
        }
        Ok(())
    }
}

/// Whether a path can be kept as text.
fn kept(path: &Path) -> Result<(), FolderRefused> {
    match path.to_str() {
        Some(_) => Ok(()),
        None => Err(FolderRefused::NotUtf8(path.to_owned())),
    }
}

/// The real path of a folder that may be scanned.
pub(super) fn resolved(path: &Path, paths: &Paths) -> Result<PathBuf, FolderRefused> {
    let real = path
        .canonicalize()
        .map_err(|source| FolderRefused::Unresolved { path: path.to_owned(), source })?;
    if !real.is_dir() {
        return Err(FolderRefused::NotAFolder(path.to_owned()));
    }
    let home = real_or_future(paths.home());
    if home.starts_with(&real) {
        return Err(FolderRefused::Home(path.to_owned()));
    }
    for own in [paths.data(), paths.cache()] {
        let own_real = real_or_future(own);
        if own_real.starts_with(&real) || real.starts_with(&own_real) {
            return Err(FolderRefused::OwnData { path: path.to_owned(), own: own.to_owned() });
        }
    }
    Ok(real)
}

/// The real path, also of what is not there yet: the real path of the nearest folder that is, and
/// the rest.
fn real_or_future(path: &Path) -> PathBuf {
    for ancestor in path.ancestors() {
        if let Ok(real) = ancestor.canonicalize() {
            return match path.strip_prefix(ancestor) {
                Ok(rest) if !rest.as_os_str().is_empty() => real.join(rest),
                _ => real,
            };
        }
    }
    path.to_owned()
}
