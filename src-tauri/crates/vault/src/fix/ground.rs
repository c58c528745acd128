//! Where fixes may be made, and which names a folder may get.

use std::path::{Path, PathBuf};

use skills::path::{check_portable, collision};

use crate::disk;
use crate::target::{BESIDE, Ground};

impl Ground<'_> {
    /// Why nothing can be changed in a folder, given by its real path.
    pub(crate) fn fix_problem(&self, place: &Path) -> Option<String> {
        let shown = place.display();
        let (Some(_), Some(root)) = (place.file_name(), place.parent()) else {
            return Some(format!("{shown} cannot be the folder of a skill"));
        };
        if !place.is_dir() {
            return Some(format!("{shown} is not a folder"));
        }
        if let Some(problem) = self.place_problem(place) {
            return Some(problem);
        }
        if let Some(closed) = [root, place].into_iter().find(|path| !disk::is_writable(path)) {
            return Some(format!("{} is read-only", closed.display()));
        }
        if disk::device(place) != disk::device(root) {
            return Some(format!("{shown} is a disk of its own, which cannot be replaced whole"));
        }
        self.store_for_fix(root).is_none().then(|| no_store(place))
    }

    /// Why a folder, given by its real path, is not one that may be dealt with as a skill.
    pub(crate) fn place_problem(&self, place: &Path) -> Option<String> {
        let shown = place.display();
        if place.to_str().is_none() {
            return Some(format!("the path {shown} is not UTF-8"));
        }
        let data = self.data();
        if place.starts_with(data) || data.starts_with(place) {
            return Some(format!("{shown} and Skillhold's own folder {} overlap", data.display()));
        }
        if place.components().any(|part| part.as_os_str() == BESIDE) {
            return Some(format!("{shown} lies in a folder in which Skillhold keeps things"));
        }
        self.inside(place).map(|inside| {
            format!(
                "{shown} holds {}, which a tool scans, so it is not changed as a whole",
                inside.display()
            )
        })
    }

    /// A folder of ours on the disk of `root`: where a skill may be placed, one outside of `root`;
    /// in `root` itself where no tool scans that.
    pub(crate) fn store_for_fix(&self, root: &Path) -> Option<PathBuf> {
        self.store_for(root).or_else(|| {
            let store = root.join(BESIDE);
            let plain = self.is_own(&store);
            let scanned = self.scanned().iter().any(|scanned| store.starts_with(scanned));
            (plain && !scanned && disk::device(&store) == disk::device(root)).then_some(store)
        })
    }

    /// Why a folder cannot get this name.
    pub(crate) fn rename_problem(&self, place: &Path, to: &str, edited: bool) -> Option<String> {
        let shown = place.display();
        if to.contains('/') {
            return Some(format!("{to:?} is not the name of one folder"));
        }
        if let Err(problem) = check_portable(to) {
            return Some(problem.to_string());
        }
        if to == BESIDE {
            return Some(format!("{to} is a name that Skillhold keeps for itself"));
        }
        if let Some(scanned) = self.scanned().iter().find(|scanned| *scanned == place) {
            return Some(format!(
                "{} is itself a folder that is scanned: rename it yourself and add it again",
                scanned.display()
            ));
        }
        let root = place.parent().unwrap_or(place);
        let names = match names_in(root) {
            Ok(names) => names,
            Err(error) => return Some(format!("cannot look into {}: {error}", root.display())),
        };
        let own = place.file_name().unwrap_or_default().to_string_lossy();
        let taken = names
            .iter()
            .filter(|there| **there != own)
            .find(|there| *there == to || collision([there.as_str(), to].into_iter()).is_some());
        if let Some(there) = taken {
            return Some(if there == to {
                format!("{} is already there", root.join(to).display())
            } else {
                format!(
                    "{} is already there, which is the same name as {to} on many disks",
                    root.join(there).display()
                )
            });
        }
        let target = root.join(to);
        if edited && target.symlink_metadata().is_ok() {
            return Some(format!(
                "this disk takes {own} and {to} for one name: rename the folder by itself first"
            ));
        }
        self.linked_from(place)
            .map(|link| format!("{} is a link to {shown} and would lead nowhere", link.display()))
    }

    /// A scanned folder below this one.
    fn inside(&self, place: &Path) -> Option<&PathBuf> {
        self.scanned().iter().find(|scanned| scanned.starts_with(place) && *scanned != place)
    }

    /// A link in a scanned folder that leads to or into this one.
    fn linked_from(&self, place: &Path) -> Option<PathBuf> {
        let entries = self.scanned().iter().filter_map(|scanned| std::fs::read_dir(scanned).ok());
        entries
            .flat_map(|entries| entries.filter_map(Result::ok))
            .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_symlink()))
            .map(|entry| entry.path())
            .find(|link| link.canonicalize().is_ok_and(|real| real.starts_with(place)))
    }
}

/// Nothing can be kept on that disk.
pub(crate) fn no_store(place: &Path) -> String {
    format!(
        "there is no place on the disk of {} to stage files outside of what tools scan",
        place.display()
    )
}

fn names_in(folder: &Path) -> std::io::Result<Vec<String>> {
    std::fs::read_dir(folder)?
        .map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()))
        .collect()
}
