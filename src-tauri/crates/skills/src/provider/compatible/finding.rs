//! The folders that are skills, and which of the places gives a skill of one name.

use std::collections::HashMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;

use super::files::{Row, bytes_of, inside, open};
use super::{Compatible, MAX_READ};
use crate::frontmatter::FrontMatter;
use crate::handle::{Count, Folder};
use crate::provider::directory::{Options, Place};
use crate::read::location;
use crate::stamp::Stamp;

/// The most main files that are remembered.
const REMEMBERED: usize = 20_000;

/// A folder that is a skill: in which place, its name and its real path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) place: usize,
    pub(super) name: String,
    pub(super) real: PathBuf,
}

impl Found {
    pub(super) fn at(place: usize, real: &Path) -> Option<Self> {
        let name = real.file_name()?.to_str()?.to_owned();
        Some(Self { place, name, real: real.to_owned() })
    }

    /// The folder, unless a link took its place meanwhile or it has no main file.
    pub(super) fn open(&self, options: &Options, count: &Count) -> Option<Folder> {
        let parent = Folder::open(self.real.parent()?, count).ok()?;
        let folder = parent.folder(self.name.as_ref()).ok()?;
        inside(&folder, &self.real, &options.main_file).map(|_| folder)
    }
}

/// Name and path of each child, in order of names.
pub(super) fn children(root: &Path) -> io::Result<Vec<(String, PathBuf)>> {
    let mut children: Vec<(String, PathBuf)> = fs::read_dir(root)?
        .flatten()
        .map(|child| (child.file_name().to_string_lossy().into_owned(), child.path()))
        .collect();
    children.sort();
    Ok(children)
}

pub(super) fn is_skill(real: &Path, options: &Options) -> bool {
    real.is_dir() && location(real, &options.main_file).exists()
}

/// What main files said, or why they cannot be used, by what tells that they are unchanged.
#[derive(Debug, Default)]
pub(super) struct Heads(Mutex<HashMap<(PathBuf, Stamp), Result<String, String>>>);

impl Heads {
    /// The description in the main file, which must be UTF-8 and lie inside of the skill.
    pub(super) fn read(
        &self,
        folder: &Folder,
        found: &Found,
        options: &Options,
    ) -> Result<(String, Row), String> {
        let main = &options.main_file;
        let unreadable = |error: io::Error| format!("its {main} cannot be read: {error}");
        let (names, _) = inside(folder, &found.real, main)
            .ok_or_else(|| format!("its {main} lies elsewhere"))?;
        let known = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let now = SystemTime::now();
        let (file, stamp) = open(folder, &names).map_err(unreadable)?;
        let key = (found.real.clone(), stamp);
        let row =
            |description| (description, Row { path: main.clone(), names: names.clone(), stamp });
        if let Some(said) = known().get(&key) {
            return said.clone().map(row);
        }
        let bytes = bytes_of(file, stamp, MAX_READ).map_err(|error| unreadable(error.into()))?;
        let said = match std::str::from_utf8(&bytes) {
            Ok(_) => Ok(FrontMatter::read(&bytes).description_or_fallback(&found.name)),
            Err(_) => Err(format!("its {main} is not UTF-8")),
        };
        if !stamp.is_fresh(now) {
            let mut known = known();
            if known.len() >= REMEMBERED {
                known.clear();
            }
            known.insert(key, said.clone());
        }
        said.map(row)
    }
}

impl Compatible {
    /// The skill of this name as it is now, in the first place that has it, if that is one that may
    /// be looked into. Where no other has the name, the others are not looked at, so that they
    /// cannot be told from empty ones by the time that it takes.
    pub(super) fn find(&self, name: &str, may: impl Fn(usize) -> bool) -> Option<(Found, Folder)> {
        let places = || 0..self.places.len();
        let (found, folder) =
            places().filter(|place| may(*place)).find_map(|place| self.find_in(place, name))?;
        let is_hidden = (0..found.place)
            .filter(|place| !may(*place))
            .any(|place| self.find_in(place, name).is_some());
        (!is_hidden).then_some((found, folder))
    }

    /// The skill of this name in one place. A root is gone through only for links in it, whose names
    /// are those of what they lead to.
    fn find_in(&self, place: usize, name: &str) -> Option<(Found, Folder)> {
        let usable = |path: &Path| {
            let found = Found::at(place, &fs::canonicalize(path).ok()?)?;
            if found.name != name {
                return None;
            }
            let folder = found.open(&self.options, &self.count)?;
            self.heads.read(&folder, &found, &self.options).ok()?;
            Some((found, folder))
        };
        let is_link = |path: &Path| fs::symlink_metadata(path).is_ok_and(|seen| seen.is_symlink());
        let root = match &self.places[place] {
            Place::Skill(folder) => return usable(folder),
            Place::Root(root) => root,
        };
        let direct = root.join(name);
        if !is_link(&direct)
            && let Some(found) = usable(&direct)
        {
            return Some(found);
        }
        let linked = fs::read_dir(root)
            .ok()?
            .flatten()
            .filter(|child| child.file_type().is_ok_and(|kind| kind.is_symlink()));
        let mut linked: Vec<PathBuf> = linked.map(|child| child.path()).collect();
        linked.sort();
        linked.iter().find_map(|path| usable(path))
    }
}
