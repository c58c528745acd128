//! Taking a change back, item by item.

mod later;

use std::path::{Path, PathBuf};

use crate::change::{Act, Change, ChangeHead, DoneItem, ItemOutcome, ItemResult, Moved};
use crate::deed::plan::is_absent;
use crate::disk;
use crate::error::VaultError;
use crate::journal::{Incoming, Pending};
use crate::placement::Found;
use crate::trash::Trashed;
use crate::vault::Vault;

impl Vault {
    /// Takes back what a change did: moves what it wrote to the trash, if it is still exactly what
    /// was written, and puts back what it had replaced or taken away. An item that cannot be taken
    /// back stays and says why; the others go on. It can be tried again for those that stayed.
    ///
    /// # Errors
    /// When there is no such change, or nothing of it left to undo, when another change is being
    /// made, or when the ledger fails. What goes wrong with one item is in its outcome.
    pub fn undo(&self, change: &str) -> Result<Change, VaultError> {
        let lock = self.lock_changes()?;
        self.recover(&lock)?;
        let items = DoneItem::of(&self.ledger(), change, false)?;
        let made = self.can_be_undone(change, items.is_empty())?;
        let head = ChangeHead { undoes: Some(change.to_owned()), ..ChangeHead::new(made.name) };
        let mut outcomes = Vec::new();
        for item in items.iter().rev() {
            let outcome = self.undo_item(&head, change, item);
            let folder = if outcome.is_ok() { back_to(item) } else { &item.folder };
            outcomes.push(ItemOutcome::of(&item.about.name, &item.tools, folder, outcome)?);
        }
        self.sweep(&lock, &head)?;
        outcomes.reverse();
        Ok(Change { id: head.id, name: head.name, items: outcomes })
    }

    /// Why a change can no longer be undone, in none of its parts; `None` when it can, as far as the
    /// record and a look at the folders tell. No file is read, so undo may still find that something
    /// was edited.
    ///
    /// # Errors
    /// When there is no such change, or the ledger fails.
    pub fn undo_problem(&self, change: &str) -> Result<Option<String>, VaultError> {
        match self.all_stuck(change) {
            Ok(problem) => Ok(problem.map(|problem| problem.to_string())),
            // What cannot be read is a problem of this change, and of no other.
            Err(error @ (VaultError::BadInput(_) | VaultError::Row(_))) => {
                Ok(Some(error.to_string()))
            }
            Err(error) => Err(error),
        }
    }

    /// What stands against the last of its parts, where something stands against each. One that can
    /// be taken back is the first that is looked at, mostly, so no more are read.
    fn all_stuck(&self, change: &str) -> Result<Option<VaultError>, VaultError> {
        let before = |position| DoneItem::last_before(&self.ledger(), change, position);
        let mut left = before(u32::MAX)?;
        self.can_be_undone(change, left.is_none())?;
        let mut first = None;
        while let Some(item) = left {
            match self.obstacle(change, &item)? {
                None => return Ok(None),
                problem => first = first.or(problem),
            }
            left = before(item.position)?;
        }
        Ok(first)
    }

    /// The change, which must be there and not be an undo, nor have nothing left.
    fn can_be_undone(&self, change: &str, nothing_left: bool) -> Result<ChangeHead, VaultError> {
        let made = ChangeHead::read(&self.ledger(), change)?
            .ok_or_else(|| VaultError::Gone { what: "change", id: change.to_owned() })?;
        if made.undoes.is_some() || nothing_left {
            return Err(VaultError::BadInput(format!(
                "there is nothing left to undo of this change of {}",
                made.name
            )));
        }
        Ok(made)
    }

    /// What stands against taking an item back, without reading a file.
    fn obstacle(&self, change: &str, item: &DoneItem) -> Result<Option<VaultError>, VaultError> {
        let folder = back_to(item);
        let pending = self.pending()?;
        if pending.iter().any(|(_, one)| one.touches(&item.folder) || one.touches(folder)) {
            return Ok(Some(VaultError::Unfinished(folder.to_owned())));
        }
        if let Some(later) = self.later(change, item)? {
            return Ok(Some(later));
        }
        let record = self.placement(&item.folder)?;
        let as_recorded = match item.about.act {
            Act::Place | Act::Update | Act::Adopt => {
                record.as_ref().map(|record| record.change.as_str()) == Some(change)
            }
            Act::Fix | Act::Rename | Act::Remove | Act::Disable | Act::Enable => {
                record == item.after
            }
        };
        if !as_recorded {
            return Ok(Some(edited(item, item.folder.clone())));
        }
        let metadata = item.folder.symlink_metadata();
        match (&metadata, item.about.act) {
            (Ok(_), Act::Remove | Act::Disable) => {
                return Ok(Some(VaultError::Taken(item.folder.clone())));
            }
            (Err(error), _) if !is_absent(error) => {
                let error = std::io::Error::from(error.kind());
                return Ok(Some(VaultError::disk("look at", &item.folder)(error)));
            }
            _ => {}
        }
        if let Some(moved) = &item.moved {
            let itself = metadata.is_ok() && disk::inode(folder) == disk::inode(&item.folder);
            let free = itself || folder.symlink_metadata().is_err();
            if !free || self.placement(folder)? != moved.after {
                return Ok(Some(VaultError::Taken(folder.to_owned())));
            }
        }
        let kept = match (&item.displaced, &item.set_aside) {
            (Some(id), _) => Some(self.trashed(id)?.map(|trashed| trashed.kept)),
            (None, Some(id)) => Some(self.one_aside(id)?.map(|aside| aside.kept)),
            (None, None) => None,
        };
        Ok(match kept {
            Some(Some(kept)) if kept.symlink_metadata().is_ok() => None,
            Some(Some(kept)) if !store_around(&kept).is_dir() => {
                Some(VaultError::Away(store_around(&kept).to_owned()))
            }
            Some(_) if item.displaced.is_some() => {
                Some(VaultError::NotInTrash(item.folder.clone()))
            }
            Some(_) => Some(VaultError::NotAside(item.folder.clone())),
            None => None,
        })
    }

    fn undo_item(
        &self,
        head: &ChangeHead,
        change: &str,
        item: &DoneItem,
    ) -> Result<ItemResult, VaultError> {
        if let Some(problem) = self.obstacle(change, item)? {
            return Err(problem);
        }
        // The last link to a copy that was edited stays, as a folder that was edited does.
        if matches!(item.about.act, Act::Place | Act::Update)
            && let Some(placed) = &item.after
            && let Some(copy) = self.last_link_to_edited(placed)?
        {
            return Err(VaultError::Edited(copy));
        }
        // Where the skill is to be: a fix may have given its folder another name.
        let folder = back_to(item);
        let there = as_written(item)?;
        if let Some(link) = item.after.as_ref().filter(|_| there.is_some() && left_a_link(item))
            && item.brought.is_none()
            && let Some(copy) = self.last_link_to_edited(link)?
        {
            return Err(VaultError::Edited(copy));
        }
        let back = self.coming_back(item)?;
        let result = if there.is_none() && back.is_none() && item.about.act != Act::Adopt {
            ItemResult::AlreadyGone
        } else {
            ItemResult::Undone
        };
        let (incoming, outgoing) = match (back, there) {
            // Nothing was written: the folder only had another name.
            (None, Some((found, _))) if item.moved.is_some() => {
                (Some(Incoming::from_place(&item.folder, found)), None)
            }
            (back, there) => (
                back,
                there.map(|(found, size)| match &item.brought {
                    Some(aside) => aside.as_outgoing(found),
                    None => Self::trash_place(&item.store, &item.folder, &found, size, &head.id),
                }),
            ),
        };
        let (before, after, moved) = match &item.moved {
            None => (item.after.clone(), item.before.clone(), None),
            Some(moved) => {
                let back = Moved {
                    from: item.folder.clone(),
                    before: item.after.clone(),
                    after: item.before.clone(),
                };
                (moved.after.clone(), moved.before.clone(), Some(back))
            }
        };
        if let Some(link) = after.as_ref().filter(|_| incoming.is_some()) {
            self.revive(head, link)?;
        }
        let root = folder.parent().unwrap_or(folder);
        let created = if incoming.is_some() { disk::missing(root) } else { Vec::new() };
        let to_aside = item.brought.clone().filter(|_| outgoing.is_some()).map(Box::new);
        let pending = Pending {
            tools: item.tools.clone(),
            incoming,
            outgoing,
            to_aside,
            created,
            emptied: item.created.iter().rev().cloned().collect(),
            before,
            after,
            moved,
            ..Pending::of(head, item.position, item.about.clone(), folder, &item.store)
        };
        self.move_whole(pending, |_| Ok(())).map_err(|error| match error {
            VaultError::Changed(folder) => edited(item, folder),
            other => other,
        })?;
        Ok(result)
    }

    /// What the change had replaced or taken away, as it is where it is kept.
    fn coming_back(&self, item: &DoneItem) -> Result<Option<Incoming>, VaultError> {
        if let Some(id) = &item.displaced {
            let gone = || VaultError::NotInTrash(item.folder.clone());
            let trashed = self.trashed(id)?.filter(|it| self.is_own_kept(&it.kept, "trash", id));
            let trashed = trashed.ok_or_else(gone)?;
            let found = kept_as(&trashed.found, &trashed.kept)?.ok_or_else(gone)?;
            return Ok(Some(Incoming::from_trash(Trashed { found, ..trashed })));
        }
        if let Some(id) = &item.set_aside {
            let gone = || VaultError::NotAside(item.folder.clone());
            let aside = self.one_aside(id)?.filter(|it| self.is_own_kept(&it.kept, "aside", id));
            let aside = aside.ok_or_else(gone)?;
            let found = kept_as(&aside.found, &aside.kept)?.ok_or_else(gone)?;
            return Ok(Some(Incoming::from_aside(aside, Some(found))));
        }
        Ok(None)
    }
}

impl Incoming {
    pub(crate) fn from_trash(trashed: Trashed) -> Self {
        let (path, found) = (trashed.kept, Some(trashed.found));
        Self { path, staging: None, trash: Some(trashed.id), aside: None, found }
    }

    pub(crate) fn from_place(path: &Path, found: Found) -> Self {
        let path = path.to_owned();
        Self { path, staging: None, trash: None, aside: None, found: Some(found) }
    }
}

/// Whether what it left is a link of ours. The record alone does not tell: it may be about something
/// else that was there, and stays so when a folder is fixed or put back.
fn left_a_link(item: &DoneItem) -> bool {
    match &item.brought {
        Some(aside) => aside.found.link.is_some(),
        None => {
            item.written.is_none()
                && item.after.as_ref().is_some_and(|after| after.canonical().is_some())
        }
    }
}

/// What is at the folder and has to go, which must be exactly what the change left there, and its
/// size; `None` when nothing is there, or what is there stays.
fn as_written(item: &DoneItem) -> Result<Option<(Found, u64)>, VaultError> {
    let edited = || edited(item, item.folder.clone());
    if matches!(item.about.act, Act::Remove | Act::Disable | Act::Adopt) {
        return Ok(None);
    }
    match item.folder.symlink_metadata() {
        Err(error) if is_absent(&error) => return Ok(None),
        Err(error) => return Err(VaultError::disk("look at", &item.folder)(error)),
        Ok(_) => {}
    }
    if let Some(placement) = item.after.as_ref().filter(|_| left_a_link(item)) {
        return if placement.found.is_exactly_at(&item.folder) {
            Ok(Some((placement.found.clone(), 0)))
        } else {
            Err(edited())
        };
    }
    if disk::read_link(&item.folder).is_some() {
        return Err(edited());
    }
    let (found, manifest) = Found::at(&item.folder).map_err(|_| edited())?;
    let as_left = match &item.brought {
        Some(aside) => aside.found.fingerprint == found.fingerprint,
        None => {
            let installed = item.after.as_ref().map(|after| &after.installed);
            item.written.as_ref().or(installed) == Some(&manifest)
        }
    };
    if as_left { Ok(Some((found, manifest.total_size()))) } else { Err(edited()) }
}

/// What is kept somewhere, as it is now: whoever had a file of it open may have written to that
/// since. `None` where it is gone, or something else is there.
fn kept_as(found: &Found, kept: &Path) -> Result<Option<Found>, VaultError> {
    if found.link.is_some() {
        return Ok(found.is_at(kept).then(|| found.clone()));
    }
    match kept.symlink_metadata() {
        Ok(metadata) if metadata.is_dir() => {}
        _ => return Ok(None),
    }
    let now = Found::at(kept)?.0;
    let is_it = found.is_same_folder(kept) || now.fingerprint == found.fingerprint;
    Ok(is_it.then_some(now))
}

/// Skillhold's own folder around `trash/ID/NAME` or `aside/ID/NAME`.
fn store_around(kept: &Path) -> &Path {
    kept.ancestors().nth(3).unwrap_or(kept)
}

/// Where the skill is once the item is taken back.
fn back_to(item: &DoneItem) -> &PathBuf {
    item.moved.as_ref().map_or(&item.folder, |moved| &moved.from)
}

/// It is not as the change left it.
fn edited(item: &DoneItem, folder: PathBuf) -> VaultError {
    let done = crate::change::told::past(item.about.act);
    match item.about.act {
        Act::Place | Act::Update => VaultError::Edited(folder),
        _ => VaultError::ChangedSince { folder, done },
    }
}
