//! `check --fix`: carries out fixes through the vault, so that they can be undone.

use std::path::{Path, PathBuf};

use skills::check::check_folder;
use skills::fix::Fix;
use skills::manifest::ReadManifestError;
use skills::paths::Paths;
use vault::{Vault, VaultError};

use crate::fixes::together;

/// Rounds of checking and fixing before giving up: a fix that brings up a new fixable diagnostic
/// each time would go on for ever.
const ROUNDS: usize = 16;

/// What carries out fixes.
#[derive(Debug)]
pub(super) struct Fixer {
    vault: Vault,
    scanned: Vec<PathBuf>,
    read_only: Vec<PathBuf>,
}

/// One fix that was carried out.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Done {
    /// As in `quote the value (SKILL.md)`.
    pub(super) what: String,
    /// Where the skill is now, when its folder got another name.
    pub(super) renamed: Option<PathBuf>,
}

/// Why a skill was not fixed.
#[derive(Debug, thiserror::Error)]
pub(super) enum NotFixed {
    #[error("{} was not fixed: it lies in {}, which belongs to a tool or the system", .0.display(), .1.display())]
    ReadOnly(PathBuf, PathBuf),
    #[error("{} was not fixed: not all of it can be read as a skill", .0.display())]
    Unread(PathBuf, #[source] ReadManifestError),
    #[error("{} was not fixed", .0.display())]
    Vault(PathBuf, #[source] VaultError),
    #[error("{} still has something to fix after {ROUNDS} rounds", .0.display())]
    Endless(PathBuf),
}

impl Fixer {
    /// Opens the vault of this person.
    ///
    /// # Errors
    /// When there is no home, or the vault cannot be opened.
    pub(super) fn open() -> Result<Self, Box<dyn std::error::Error>> {
        Ok(Self::under(&Paths::from_environment()?)?)
    }

    fn under(paths: &Paths) -> Result<Self, VaultError> {
        let (vault, _) = Vault::open(paths)?;
        let (mut scanned, mut read_only) = (Vec::new(), Vec::new());
        for root in skills::tool::tools().iter().flat_map(|tool| tool.roots(paths)) {
            if root.read_only {
                read_only.extend(root.path.canonicalize());
            }
            scanned.push(root.path);
        }
        scanned.extend(vault.choices()?.folders);
        Ok(Self { vault, scanned, read_only })
    }

    /// Carries out the first fix of everything that has one, and looks again: one fix may make room
    /// for another. What was done, also when it then failed.
    pub(super) fn fix(&self, dir: &Path) -> (Vec<Done>, Option<NotFixed>) {
        let mut done = Vec::new();
        let mut dir = dir.to_owned();
        for _ in 0..ROUNDS {
            let checked = check_folder(&dir);
            let fixes = together(&checked.diagnostics);
            if fixes.is_empty() {
                return (done, None);
            }
            let manifest = match checked.manifest {
                Ok(manifest) => manifest,
                Err(error) => return (done, Some(NotFixed::Unread(dir, error))),
            };
            let real = dir.canonicalize().unwrap_or_else(|_| dir.clone());
            if let Some(root) = self.read_only.iter().find(|root| real.starts_with(root)) {
                return (done, Some(NotFixed::ReadOnly(dir, root.clone())));
            }
            let planned = self.vault.plan_fixes(&dir, &manifest, &fixes, &self.scanned);
            let change = planned.and_then(|plan| self.vault.apply_fixes(&plan));
            let error = match change {
                Ok(change) => change.items.into_iter().find_map(|item| item.error),
                Err(error) => Some(error),
            };
            if let Some(error) = error {
                return (done, Some(NotFixed::Vault(dir, error)));
            }
            for fix in fixes {
                let (what, renamed) = match fix {
                    Fix::Edits { title, file, .. } => (format!("{title} ({file})"), None),
                    Fix::RenameFolder { title, to } => (title, Some(dir.with_file_name(to))),
                };
                if let Some(folder) = &renamed {
                    dir.clone_from(folder);
                }
                done.push(Done { what, renamed });
            }
        }
        let left = !together(&check_folder(&dir).diagnostics).is_empty();
        (done, left.then_some(NotFixed::Endless(dir)))
    }
}

#[cfg(test)]
#[allow(clippy::disallowed_methods)]
mod tests {
    use std::fs;

    use super::*;

    fn home_with(folder: &str, main: &str) -> (tempfile::TempDir, PathBuf, Fixer) {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join(folder);
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("SKILL.md"), main).unwrap();
        let fixer = Fixer::under(&Paths::under(home.path())).unwrap();
        (home, folder, fixer)
    }

    #[test]
    fn what_has_a_fix_is_fixed_and_can_be_undone() {
        let main = "---\nname: notes\ndescription: Use this: always\n---\n\n# Notes\n";
        let (_home, folder, fixer) = home_with("shelf/notes", main);
        let (done, error) = fixer.fix(&folder);
        assert!(error.is_none(), "{error:?}");
        assert_eq!(done.len(), 1, "{done:?}");
        assert!(done[0].what.ends_with(" (SKILL.md)"), "{done:?}");
        assert_eq!(
            fs::read_to_string(folder.join("SKILL.md")).unwrap(),
            "---\nname: notes\ndescription: \"Use this: always\"\n---\n\n# Notes\n"
        );
        assert_eq!(fixer.fix(&folder).0, []);
        let change = fixer.vault.last_change().unwrap().unwrap();
        fixer.vault.undo(&change).unwrap();
        assert_eq!(fs::read_to_string(folder.join("SKILL.md")).unwrap(), main);
    }

    #[test]
    #[cfg(unix)]
    fn a_skill_that_is_not_read_whole_is_left_alone_and_named() {
        let main = "---\nname: notes\ndescription: Use this: always\n---\n\n# Notes\n";
        let (_home, folder, fixer) = home_with("shelf/notes", main);
        std::os::unix::fs::symlink("SKILL.md", folder.join("link")).unwrap();
        let (done, error) = fixer.fix(&folder);
        assert_eq!(done, []);
        assert!(matches!(error, Some(NotFixed::Unread(..))), "{error:?}");
        assert_eq!(fs::read_to_string(folder.join("SKILL.md")).unwrap(), main);
        // With nothing to fix there is nothing to say.
        let right = main.replace("Use this: always", "Use this always");
        fs::write(folder.join("SKILL.md"), right).unwrap();
        assert!(fixer.fix(&folder).1.is_none());
    }

    #[test]
    fn a_skill_of_a_tools_own_is_left_alone() {
        let main = "---\nname: notes\ndescription: Use this: always\n---\n\n# Notes\n";
        let (_home, folder, fixer) = home_with(".codex/skills/.system/notes", main);
        let (done, error) = fixer.fix(&folder);
        assert_eq!(done, []);
        assert!(matches!(error, Some(NotFixed::ReadOnly(..))), "{error:?}");
        assert_eq!(fs::read_to_string(folder.join("SKILL.md")).unwrap(), main);
    }
}
