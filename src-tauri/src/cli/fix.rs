//! `check --fix`: carries out fixes through the vault, so that they can be undone.

use std::path::{Path, PathBuf};
use std::time::Duration;

use skills::check::{Checked, Diagnostic, check_folder, fixes_at_once};
use skills::fix::Fix;
use skills::manifest::{Manifest, ReadManifestError};
use skills::paths::Paths;
use vault::fix::{FixPlan, obstacles};
use vault::{Vault, VaultError};

/// Rounds of checking and fixing before giving up: a fix that brings up a new fixable diagnostic
/// each time would go on for ever.
const ROUNDS: usize = 16;

/// How long to wait before another try while another change is being made.
const PAUSE: Duration = Duration::from_millis(100);

/// How often it is tried: a change takes moments, and what takes longer is told.
const TRIES: usize = 100;

/// Where fixes may be made.
#[derive(Debug)]
pub(super) struct Ground {
    paths: Paths,
    scanned: Vec<PathBuf>,
    read_only: Vec<PathBuf>,
}

/// Which fixes of a skill `--fix` would carry out.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Fixable {
    pub(super) edits: bool,
    pub(super) renames: bool,
}

/// What carries out fixes.
#[derive(Debug)]
pub(super) struct Fixer {
    vault: Vault,
    ground: Ground,
}

/// One fix that was carried out.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Done {
    /// As in `quote the value (SKILL.md)`.
    pub(super) what: String,
    /// Where the skill is now, when its folder got another name.
    pub(super) renamed: Option<PathBuf>,
    /// What to know of it, a sentence each.
    pub(super) notes: Vec<String>,
}

/// Why a skill was not fixed.
#[derive(Debug, thiserror::Error)]
pub(super) enum NotFixed {
    #[error("{} was not fixed: it lies in {}, which belongs to a tool or the system", .0.display(), .1.display())]
    ReadOnly(PathBuf, PathBuf),
    #[error("{} was not fixed: a link leads to it, and it lies at {}: fix it there", .0.display(), .1.display())]
    Linked(PathBuf, PathBuf),
    #[error("{} was not fixed: not all of it can be read as a skill", .0.display())]
    Unread(PathBuf, #[source] ReadManifestError),
    #[error("{} was not fixed", .0.display())]
    Vault(PathBuf, #[source] VaultError),
    #[error("{} still has something to fix after {ROUNDS} rounds", .0.display())]
    Endless(PathBuf),
}

impl Ground {
    /// That of this person, as far as it shows without a record; `None` where there is no home.
    pub(super) fn new() -> Option<Self> {
        Paths::from_environment().ok().map(|paths| Self::under(&paths))
    }

    fn under(paths: &Paths) -> Self {
        let (mut scanned, mut read_only) = (Vec::new(), Vec::new());
        for root in skills::tool::tools().iter().flat_map(|tool| tool.roots(paths)) {
            if root.read_only {
                read_only.extend(root.path.canonicalize());
            }
            scanned.push(root.path);
        }
        Self { paths: paths.clone(), scanned, read_only }
    }

    /// The folder of a tool or the system in which this one lies.
    fn owner(&self, dir: &Path) -> Option<&PathBuf> {
        let real = dir.canonicalize().unwrap_or_else(|_| dir.to_owned());
        self.read_only.iter().find(|root| real.starts_with(root))
    }

    /// What could be fixed in this folder, which was just checked. Nothing is written.
    pub(super) fn fixable(&self, dir: &Path, checked: &Checked) -> Fixable {
        let fixes = fixes_at_once(dir, checked);
        let Ok(manifest) = &checked.manifest else { return Fixable::default() };
        if fixes.is_empty() || self.owner(dir).is_some() {
            return Fixable::default();
        }
        let clear = |fixes: &[Fix]| {
            !fixes.is_empty()
                && obstacles(&self.paths, dir, manifest, fixes, &self.scanned).is_empty()
        };
        if clear(&fixes) {
            return Fixable { edits: true, renames: true };
        }
        let (edits, renames): (Vec<Fix>, Vec<Fix>) = fixes.into_iter().partition(is_edit);
        Fixable { edits: clear(&edits), renames: clear(&renames) }
    }
}

impl Fixable {
    /// Whether the first fix of this diagnostic is one of them.
    pub(super) fn holds(self, diagnostic: &Diagnostic) -> bool {
        diagnostic.fixes.first().is_some_and(|fix| match is_edit(fix) {
            true => self.edits,
            false => self.renames,
        })
    }
}

fn is_edit(fix: &Fix) -> bool {
    matches!(fix, Fix::Edits { .. })
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
        let mut ground = Ground::under(paths);
        ground.scanned.extend(vault.choices()?.folders);
        Ok(Self { vault, ground })
    }

    /// Carries out the first fix of everything that has one, and looks again: one fix may make room
    /// for another. What was done, also when it then failed.
    pub(super) fn fix(&self, dir: &Path) -> (Vec<Done>, Option<NotFixed>) {
        let mut done = Vec::new();
        let mut dir = dir.to_owned();
        for _ in 0..ROUNDS {
            let checked = check_folder(&dir);
            let fixes = fixes_at_once(&dir, &checked);
            if fixes.is_empty() {
                return (done, None);
            }
            let manifest = match checked.manifest {
                Ok(manifest) => manifest,
                Err(error) => return (done, Some(NotFixed::Unread(dir, error))),
            };
            if let Some(root) = self.ground.owner(&dir) {
                return (done, Some(NotFixed::ReadOnly(dir, root.clone())));
            }
            let planned = self.plan(&dir, &manifest, &fixes);
            let fixes = planned.as_ref().map_or_else(|_| fixes, |plan| plan.fixes.clone());
            let notes = planned.as_ref().map_or_else(|_| Vec::new(), |plan| plan.notes.clone());
            let change = planned.and_then(|plan| {
                patiently(|| self.vault.apply_fixes(&plan), || std::thread::sleep(PAUSE))
            });
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
                done.push(Done { what, renamed, notes: Vec::new() });
            }
            if let Some(last) = done.last_mut() {
                last.notes = notes;
            }
        }
        let left = !fixes_at_once(&dir, &check_folder(&dir)).is_empty();
        (done, left.then_some(NotFixed::Endless(dir)))
    }

    /// All of these fixes, or where those are not possible together, the edits alone: a folder that
    /// cannot get its name is no reason not to mend what is in it.
    fn plan(&self, dir: &Path, manifest: &Manifest, fixes: &[Fix]) -> Result<FixPlan, VaultError> {
        let plan =
            |fixes: &[Fix]| self.vault.plan_fixes(dir, manifest, fixes, &self.ground.scanned);
        let all = plan(fixes)?;
        if all.blockers.is_empty() || fixes.iter().all(is_edit) || !fixes.iter().any(is_edit) {
            return Ok(all);
        }
        let edits: Vec<Fix> = fixes.iter().filter(|fix| is_edit(fix)).cloned().collect();
        let edits = plan(&edits)?;
        Ok(if edits.blockers.is_empty() { edits } else { all })
    }
}

/// Says of a skill to which a link leads that nothing is changed through it, if there is something
/// to fix; `real` is where it lies.
pub(super) fn left_alone(dir: &Path, real: &Path) -> Option<NotFixed> {
    let fixable = check_folder(dir).diagnostics.iter().any(Diagnostic::fixable);
    fixable.then(|| NotFixed::Linked(dir.to_owned(), real.to_owned()))
}

/// Tries again while another change is being made.
fn patiently<T>(
    attempt: impl Fn() -> Result<T, VaultError>,
    pause: impl Fn(),
) -> Result<T, VaultError> {
    for _ in 1..TRIES {
        match attempt() {
            Err(VaultError::Busy) => pause(),
            done => return done,
        }
    }
    attempt()
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
    fn a_name_that_cannot_be_given_does_not_keep_the_text_from_being_fixed() {
        let main = "---\nname: notes\ndescription: ' Use this'\n---\n\n# Notes\n";
        let (home, folder, fixer) = home_with("shelf/My Notes", main);
        fs::create_dir(home.path().join("shelf/notes")).unwrap();
        let can = fixer.ground.fixable(&folder, &check_folder(&folder));
        assert_eq!(can, Fixable { edits: true, renames: false });
        let (done, error) = fixer.fix(&folder);
        assert_eq!(done.len(), 1, "{done:?}");
        assert!(matches!(error, Some(NotFixed::Vault(..))), "{error:?}");
        assert!(fs::read_to_string(folder.join("SKILL.md")).unwrap().contains(": 'Use this'\n"));
    }

    #[test]
    fn what_is_called_fixable_is_what_a_fix_would_do() {
        let main = "---\nname: notes\ndescription: Use this: always\n---\n\n# Notes\n";
        let (_home, folder, fixer) = home_with("shelf/notes", main);
        let can = |folder: &Path| fixer.ground.fixable(folder, &check_folder(folder));
        assert!(can(&folder).edits);
        fs::create_dir(folder.join(".git")).unwrap();
        assert!(can(&folder).edits);
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink("SKILL.md", folder.join("link")).unwrap();
            assert_eq!(can(&folder), Fixable::default());
        }
        let (_home, folder, fixer) = home_with(".codex/skills/.system/notes", main);
        let can = fixer.ground.fixable(&folder, &check_folder(&folder));
        assert_eq!(can, Fixable::default());
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

    #[test]
    fn while_another_change_is_made_it_is_tried_again() {
        use std::cell::Cell;
        let (tries, pauses) = (Cell::new(0), Cell::new(0));
        let busy_until = |last: usize| {
            tries.set(0);
            pauses.set(0);
            let attempt = || {
                tries.set(tries.get() + 1);
                if tries.get() < last { Err(VaultError::Busy) } else { Ok(tries.get()) }
            };
            patiently(attempt, || pauses.set(pauses.get() + 1))
        };
        assert_eq!(busy_until(1).unwrap(), 1);
        assert_eq!((busy_until(3).unwrap(), pauses.get()), (3, 2));
        assert!(matches!(busy_until(usize::MAX), Err(VaultError::Busy)));
        assert_eq!((tries.get(), pauses.get()), (TRIES, TRIES - 1));
    }

    #[test]
    fn of_two_misspelt_fields_that_mean_one_neither_becomes_a_second_one() {
        let main = "---\nname: notes\ndescripton: Use when a.\ndescriptio: Use when b.\n---\nb\n";
        let (_home, folder, fixer) = home_with("shelf/notes", main);
        let (done, error) = fixer.fix(&folder);
        assert_eq!((done, error.is_none()), (vec![], true));
        assert_eq!(fs::read_to_string(folder.join("SKILL.md")).unwrap(), main);
    }

    #[test]
    #[cfg(unix)]
    fn nothing_is_fixed_through_a_link_and_where_it_leads_is_said() {
        let main = "---\nname: notes\ndescription: Use this: always\n---\n\n# Notes\n";
        let (home, folder, fixer) = home_with("real/notes", main);
        let link = home.path().join("notes");
        std::os::unix::fs::symlink(&folder, &link).unwrap();
        let can = fixer.ground.fixable(&link, &check_folder(&link));
        assert_eq!(can, Fixable::default());
        let (done, error) = fixer.fix(&link);
        assert_eq!(done, []);
        assert!(matches!(error, Some(NotFixed::Vault(..))), "{error:?}");
        let said = left_alone(&link, &folder).unwrap().to_string();
        assert!(
            said.ends_with(&format!("it lies at {}: fix it there", folder.display())),
            "{said}"
        );
        assert_eq!(fs::read_to_string(folder.join("SKILL.md")).unwrap(), main);
    }
}
