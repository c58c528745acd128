//! Working out what putting a disabled skill back would do.

use std::path::Path;

use super::around::Around;
use super::plan::{There, is_absent, name_of, there};
use super::{Aside, DeedAction, DeedItem, Subject};
use crate::disk;
use crate::drift::Drift;
use crate::error::VaultError;
use crate::placement::Placement;
use crate::target::real_path;
use crate::target::taken_in_other_case;
use crate::vault::Vault;

impl Vault {
    /// Looks at what is to be put back.
    pub(super) fn look_aside(
        &self,
        subject: &Subject,
        item: &mut DeedItem,
        around: &Around<'_>,
    ) -> Result<(), VaultError> {
        let newest = || around.aside.iter().rev().find(|aside| aside.folder == item.folder);
        let Some(aside) =
            around.aside.iter().find(|aside| aside.kept == subject.folder).or_else(newest)
        else {
            item.message = Some(format!("no skill of {} is disabled", item.folder.display()));
            return Ok(());
        };
        item.folder.clone_from(&aside.folder);
        item.name.clone_from(&aside.name);
        item.ours = aside.placement.is_some();
        item.aside = Some(aside.id.clone());
        item.message = if self.is_own_kept(&aside.kept, "aside", &aside.id) {
            look_at_kept(aside, item)
        } else {
            let kept = aside.kept.display();
            Some(format!("{kept} is not where Skillhold keeps what is disabled"))
        };
        if item.message.is_some() {
            return Ok(());
        }
        item.message = self.place_taken(&aside.folder)?;
        if item.message.is_some() {
            return Ok(());
        }
        if let Some(problem) = returning_problem(aside, around) {
            item.message = Some(problem);
            return Ok(());
        }
        item.action = DeedAction::Do;
        let root = aside.folder.parent().unwrap_or(&aside.folder);
        let made = disk::missing(root);
        item.message = if item.found.as_ref().map(|found| found.fingerprint)
            != Some(aside.found.fingerprint)
        {
            Some("it was changed while it was disabled".to_owned())
        } else {
            made.first().map(|first| format!("{} is made again for it", first.display()))
        };
        Ok(())
    }

    /// What stands against putting something at this folder because of what is there.
    fn place_taken(&self, folder: &Path) -> Result<Option<String>, VaultError> {
        match folder.symlink_metadata() {
            Ok(_) => {
                return Ok(Some(format!("there is something else at {} now", folder.display())));
            }
            Err(error) if is_absent(&error) => {}
            Err(error) => return Ok(Some(format!("cannot look at {}: {error}", folder.display()))),
        }
        let root = folder.parent().unwrap_or(folder);
        if let Some(problem) = taken_in_other_case(root, &name_of(folder)) {
            return Ok(Some(problem));
        }
        let outer = self.placed_around(folder)?;
        Ok(outer.map(|outer| {
            format!("{} lies in {}, which Skillhold placed", folder.display(), outer.display())
        }))
    }
}

/// Reads what is kept, or says why it cannot come back.
fn look_at_kept(aside: &Aside, item: &mut DeedItem) -> Option<String> {
    let kept = &aside.kept;
    let moved =
        aside.placement.as_ref().map(|record| Placement { folder: kept.clone(), ..record.clone() });
    match there(kept, moved.as_ref()) {
        Err(problem) => Some(problem),
        Ok(There::Nothing) if !aside.store().is_dir() => {
            Some(VaultError::Away(aside.store().to_owned()).to_string())
        }
        Ok(There::Nothing) => Some(format!("what was disabled is no longer at {}", kept.display())),
        Ok(There::Skill { found, manifest }) => {
            let drift = aside.placement.as_ref().zip(manifest.as_ref());
            let drift = drift.map(|(record, now)| Drift::of(record, now, &found));
            item.edited = matches!(drift, Some(Drift::Edited { .. }));
            item.size = manifest.as_ref().map_or(0, |manifest| found.size(manifest));
            item.found = Some(found);
            None
        }
    }
}

/// Why what is aside cannot be moved to where it was.
fn returning_problem(aside: &Aside, around: &Around<'_>) -> Option<String> {
    let folder = &aside.folder;
    let root = folder.parent().unwrap_or(folder);
    match real_path(root) {
        Err(problem) => return Some(problem),
        Ok(real) if real != root => {
            return Some(format!("{} leads to {} now", root.display(), real.display()));
        }
        Ok(_) => {}
    }
    if let Some(problem) = around.ground.place_problem(folder) {
        return Some(problem);
    }
    let there = root.ancestors().find(|part| part.exists()).unwrap_or(root);
    if !there.is_dir() {
        return Some(format!("{} is not a folder", there.display()));
    }
    let is_folder = aside.found.link.is_none();
    let closed = [there, aside.kept.as_path()].into_iter().take(if is_folder { 2 } else { 1 });
    if let Some(closed) = closed.into_iter().find(|path| !disk::is_writable(path)) {
        return Some(format!("{} is read-only", closed.display()));
    }
    (disk::device(there) != disk::device(aside.kept.parent().unwrap_or(&aside.kept))).then(|| {
        format!("{} is on another disk than it was, or its disk is not there", root.display())
    })
}
