//! What lies around and inside a folder that is dealt with as a whole.

use std::collections::BTreeMap;
use std::path::{MAIN_SEPARATOR, Path, PathBuf};

use rusqlite::{OptionalExtension, params};
use skills::MAIN_FILE;

use super::{Aside, Deed};
use crate::error::VaultError;
use crate::target::Ground;
use crate::vault::Vault;

/// What stays the same from item to item.
pub(super) struct Around<'a> {
    pub(super) ground: Ground<'a>,
    /// Links in scanned folders, and where they lead.
    links: Vec<(PathBuf, PathBuf)>,
    /// What is disabled, oldest first, where something of it is to be put back.
    pub(super) aside: Vec<Aside>,
}

/// Folders that something is done with, and what: no two may be one folder, or lie in one another.
#[derive(Debug, Default)]
pub(crate) struct Claims(BTreeMap<PathBuf, String>);

impl Around<'_> {
    /// A link in a scanned folder that leads to or into this one.
    pub(super) fn link_to(&self, folder: &Path) -> Option<&Path> {
        let found =
            self.links.iter().find(|(link, real)| real.starts_with(folder) && link != folder);
        found.map(|(link, _)| link.as_path())
    }

    /// The folder of another skill that this one is a part of: below what a tool scans, with a
    /// `SKILL.md` of its own.
    pub(super) fn skill_around(&self, folder: &Path) -> Option<PathBuf> {
        let scanned = |path: &Path| self.ground.scanned().iter().any(|scanned| scanned == path);
        let below =
            |path: &Path| self.ground.scanned().iter().any(|scanned| path.starts_with(scanned));
        folder
            .ancestors()
            .skip(1)
            .take_while(|around| below(around))
            .find(|around| !scanned(around) && around.join(MAIN_FILE).is_file())
            .map(Path::to_owned)
    }
}

impl Claims {
    /// Takes a folder for something, or says what has it, or one that overlaps with it, already.
    pub(crate) fn take(&mut self, folder: &Path, what: &str) -> Result<(), (PathBuf, String)> {
        let inside = self.0.range(folder.to_owned()..).next();
        let inside = inside.filter(|(taken, _)| taken.starts_with(folder));
        let around = || folder.ancestors().find_map(|around| self.0.get_key_value(around));
        if let Some((taken, what)) = inside.or_else(around) {
            return Err((taken.clone(), what.clone()));
        }
        self.0.insert(folder.to_owned(), what.to_owned());
        Ok(())
    }
}

impl Vault {
    /// Looks around once for all items of a plan.
    pub(super) fn around(&self, deed: Deed, scanned: &[PathBuf]) -> Result<Around<'_>, VaultError> {
        let ground = Ground::of(self.data(), scanned);
        let takes_away = matches!(deed, Deed::Remove | Deed::Disable);
        let links = if takes_away { links_in(ground.scanned()) } else { Vec::new() };
        let aside = if deed == Deed::Enable { self.aside()? } else { Vec::new() };
        Ok(Around { ground, links, aside })
    }

    /// The folder of a placement below this one.
    pub(crate) fn placed_inside(&self, folder: &Path) -> Result<Option<PathBuf>, VaultError> {
        let (from, to) = below(folder);
        let inside: Option<String> = self
            .ledger()
            .query_row(
                "SELECT folder FROM placements WHERE folder > ?1 AND folder < ?2 LIMIT 1",
                params![from, to],
                |row| row.get(0),
            )
            .optional()?;
        Ok(inside.map(PathBuf::from))
    }

    /// The folder of a placement that this one lies in.
    pub(crate) fn placed_around(&self, folder: &Path) -> Result<Option<PathBuf>, VaultError> {
        let ledger = self.ledger();
        let mut statement = ledger.prepare_cached("SELECT 1 FROM placements WHERE folder = ?1")?;
        for around in folder.ancestors().skip(1) {
            if statement.exists(params![around.display().to_string()])? {
                return Ok(Some(around.to_owned()));
            }
        }
        Ok(None)
    }
}

/// The links in these folders that lead somewhere, and where.
fn links_in(folders: &[PathBuf]) -> Vec<(PathBuf, PathBuf)> {
    let entries = folders.iter().filter_map(|folder| std::fs::read_dir(folder).ok());
    entries
        .flat_map(|entries| entries.filter_map(Result::ok))
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_symlink()))
        .filter_map(|entry| Some((entry.path(), entry.path().canonicalize().ok()?)))
        .collect()
}

/// The texts between which the paths below a folder lie, in the order of bytes.
pub(crate) fn below(folder: &Path) -> (String, String) {
    let next = char::from(MAIN_SEPARATOR as u8 + 1);
    let folder = folder.display();
    (format!("{folder}{MAIN_SEPARATOR}"), format!("{folder}{next}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_folder_and_those_in_it_and_around_it_are_taken_once() {
        let mut claims = Claims::default();
        assert_eq!(claims.take(Path::new("/a/b"), "one"), Ok(()));
        assert_eq!(claims.take(Path::new("/a/b-c"), "beside"), Ok(()));
        assert_eq!(claims.take(Path::new("/a/b!"), "beside"), Ok(()));
        let one = Err((PathBuf::from("/a/b"), "one".to_owned()));
        assert_eq!(claims.take(Path::new("/a/b"), "same"), one);
        assert_eq!(claims.take(Path::new("/a/b/c/d"), "inside"), one);
        assert_eq!(claims.take(Path::new("/a"), "around"), one);
        assert_eq!(claims.take(Path::new("/c"), "elsewhere"), Ok(()));
    }
}
