//! What is kept in the trash, as the page sees it.

use std::collections::{HashMap, HashSet};

use jiff::SignedDuration;

use crate::error::Outcome;
use crate::render::spelled_out;
use crate::shell::Shell;
use crate::view::{ErrorView, Scope, TrashRow, TrashView};

impl Shell {
    /// What was replaced or removed and is still kept, the latest first.
    ///
    /// # Errors
    /// When the ledger fails.
    pub fn trash_view(&self) -> Outcome<TrashView> {
        let kept = vault::trash::KEPT;
        let mut rows = Vec::new();
        let mut stuck: HashMap<String, bool> = HashMap::new();
        for trashed in self.vault.trash()?.into_iter().rev() {
            let name = trashed.folder.file_name().unwrap_or_default().to_string_lossy();
            let until = trashed.at.saturating_add(kept).unwrap_or(trashed.at);
            let stuck = *stuck
                .entry(trashed.change.clone())
                .or_insert_with(|| !matches!(self.vault.undo_problem(&trashed.change), Ok(None)));
            rows.push(TrashRow {
                name: spelled_out(&name),
                path: self.paths.display(&trashed.folder),
                size: trashed.size,
                at: trashed.at.to_string(),
                until: until.to_string(),
                change: (!stuck).then(|| trashed.change.clone()),
                id: trashed.id,
            });
        }
        let days = kept.as_hours() / SignedDuration::from_hours(24).as_hours();
        Ok(TrashView {
            bytes: self.vault.trash_size()?,
            rows,
            days: u32::try_from(days).unwrap_or(u32::MAX),
        })
    }

    /// Removes these for good.
    ///
    /// # Errors
    /// When one is not there any more, another change is being made, or the disk refuses.
    pub fn empty_trash(&self, ids: &[String]) -> Outcome<()> {
        let there: HashSet<String> =
            self.vault.trash()?.into_iter().map(|trashed| trashed.id).collect();
        if !ids.iter().all(|id| there.contains(id)) {
            return Err(ErrorView::gone("this is no longer in the trash"));
        }
        self.vault.empty_trash(ids)?;
        // What was replaced by these can no longer be undone.
        self.events.changed(Scope::Activity);
        let left: HashSet<String> =
            self.vault.trash()?.into_iter().map(|trashed| trashed.id).collect();
        match ids.iter().filter(|id| left.contains(*id)).count() {
            0 => Ok(()),
            count => Err(ErrorView::new(
                crate::view::ErrorCode::Disk,
                format!("{count} of {} cannot be removed now", ids.len()),
            )
            .with_hint("check that their disk is there and who may write to it")),
        }
    }
}
