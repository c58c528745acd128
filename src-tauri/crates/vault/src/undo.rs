//! Taking a change back, item by item.

use std::io;
use std::path::PathBuf;

use jiff::Timestamp;

use crate::change::{Change, ChangeHead, DoneItem, ItemOutcome, ItemResult, Moved};
use crate::error::VaultError;
use crate::journal::{Incoming, Pending, Phase};
use crate::placement::{Found, read_plain};
use crate::trash::Trashed;
use crate::vault::Vault;

impl Vault {
    /// Takes back what a change did: moves what it wrote to the trash, if it is still exactly what
    /// was written, and puts back what it had replaced. An item that cannot be taken back stays and
    /// says why; the others go on. It can be tried again for those that stayed.
    ///
    /// # Errors
    /// When there is no such change, or nothing of it left to undo, when another change is being
    /// made, or when the ledger fails. What goes wrong with one item is in its outcome.
    pub fn undo(&self, change: &str) -> Result<Change, VaultError> {
        let lock = self.lock_changes()?;
        self.recover(&lock)?;
        let (made, items) = {
            let ledger = self.ledger();
            let made = ChangeHead::read(&ledger, change)?
                .ok_or_else(|| VaultError::Gone { what: "change", id: change.to_owned() })?;
            (made, DoneItem::of(&ledger, change, false)?)
        };
        if made.undoes.is_some() || items.is_empty() {
            return Err(VaultError::BadInput(format!(
                "there is nothing left to undo of this change of {}",
                made.name
            )));
        }
        let head = ChangeHead {
            id: uuid::Uuid::new_v4().simple().to_string(),
            at: Timestamp::now(),
            undoes: Some(change.to_owned()),
            ..made
        };
        let mut outcomes = Vec::new();
        for item in items.iter().rev() {
            let (result, error) = match self.undo_item(&head, item) {
                Ok(result) => (result, None),
                Err(error) if error.is_crash() => return Err(error),
                Err(error) => (ItemResult::Failed, Some(error)),
            };
            let moved = item.moved.as_ref().filter(|_| error.is_none());
            outcomes.push(ItemOutcome {
                tools: item.tools.clone(),
                folder: moved.map_or(&item.folder, |moved| &moved.from).clone(),
                result,
                error,
            });
        }
        outcomes.reverse();
        Ok(Change { id: head.id, name: head.name, items: outcomes })
    }

    fn undo_item(&self, head: &ChangeHead, item: &DoneItem) -> Result<ItemResult, VaultError> {
        // Where the skill is to be: a fix may have given its folder another name.
        let folder = item.moved.as_ref().map_or(&item.folder, |moved| &moved.from);
        let busy = |path| self.pending().map(|all| all.iter().any(|(_, one)| one.touches(path)));
        if busy(&item.folder)? || busy(folder)? {
            return Err(VaultError::Unfinished(folder.clone()));
        }
        let there = self.as_written(head, item)?;
        let displaced = self.displaced(item)?;
        if let Some(moved) = &item.moved {
            let itself = there.as_ref().is_some_and(|(found, _)| found.is_same_folder(folder));
            let free = itself || folder.symlink_metadata().is_err();
            if !free || self.placement(folder)? != moved.after {
                return Err(VaultError::Taken(folder.clone()));
            }
        }
        let result = if there.is_none() && displaced.is_none() {
            ItemResult::AlreadyGone
        } else {
            ItemResult::Undone
        };
        let (incoming, outgoing) = match (displaced, there) {
            // Nothing was written: the folder only had another name.
            (None, Some((found, _))) if item.moved.is_some() => {
                let path = item.folder.clone();
                (Some(Incoming { path, staging: None, trash: None, found: Some(found) }), None)
            }
            (displaced, there) => (
                displaced.map(|trashed| Incoming {
                    path: trashed.kept,
                    staging: None,
                    trash: Some(trashed.id),
                    found: Some(trashed.found),
                }),
                there.map(|(found, size)| {
                    Self::trash_place(&item.store, &item.folder, &found, size, &head.id)
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
        let mut pending = Pending {
            id: 0,
            change: head.clone(),
            position: item.position,
            tools: item.tools.clone(),
            folder: folder.clone(),
            incoming,
            outgoing,
            store: item.store.clone(),
            created: Vec::new(),
            emptied: item.created.iter().rev().cloned().collect(),
            before,
            after,
            moved,
            written: None,
        };
        pending.write(&self.ledger(), Phase::Swapping)?;
        let done =
            self.reached(crate::apply::Step::SwapJournaled).and_then(|()| self.carry_out(&pending));
        self.settled(done, Phase::Swapping, &pending).map_err(|error| match error {
            VaultError::Changed(folder) => edited(item, folder),
            other => other,
        })?;
        Ok(result)
    }

    /// What is at the folder, which must be exactly what the change wrote and still be recorded as
    /// its work; `None` when nothing is there.
    fn as_written(
        &self,
        head: &ChangeHead,
        item: &DoneItem,
    ) -> Result<Option<(Found, u64)>, VaultError> {
        let edited = || edited(item, item.folder.clone());
        let record = self.placement(&item.folder)?;
        let recorded = match &item.written {
            Some(_) => record == item.after,
            None => record.map(|placement| placement.change) == head.undoes,
        };
        if !recorded {
            return Err(self.renamed_since(head, item)?.unwrap_or_else(edited));
        }
        match item.folder.symlink_metadata() {
            Err(error)
                if matches!(
                    error.kind(),
                    io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
                ) =>
            {
                Ok(None)
            }
            Err(error) => Err(VaultError::disk("look at", &item.folder)(error)),
            Ok(metadata) if !metadata.is_dir() => Err(edited()),
            Ok(_) => {
                let (found, manifest) = Found::at(&item.folder).map_err(|_| edited())?;
                let installed = item.after.as_ref().map(|after| &after.installed);
                let written = item.written.as_ref().or(installed);
                if written == Some(&manifest) {
                    Ok(Some((found, manifest.total_size())))
                } else {
                    Err(edited())
                }
            }
        }
    }

    /// What the change placed has another name now, by a fix that was made since.
    fn renamed_since(
        &self,
        head: &ChangeHead,
        item: &DoneItem,
    ) -> Result<Option<VaultError>, VaultError> {
        let renamed = self.placements()?.into_iter().find(|placement| {
            Some(&placement.change) == head.undoes.as_ref()
                && placement.folder.parent() == item.folder.parent()
        });
        let there = item.folder.symlink_metadata().is_ok();
        Ok(renamed.filter(|_| !there && item.written.is_none()).map(|placement| {
            VaultError::Renamed { from: item.folder.clone(), to: placement.folder }
        }))
    }

    /// What the change had replaced, which must still be whole in the trash.
    fn displaced(&self, item: &DoneItem) -> Result<Option<Trashed>, VaultError> {
        let Some(id) = &item.displaced else { return Ok(None) };
        let gone = || VaultError::NotInTrash(item.folder.clone());
        let trashed = self.trashed(id)?.ok_or_else(gone)?;
        match read_plain(&trashed.kept) {
            Ok(now) if now.fingerprint() == trashed.found.fingerprint => Ok(Some(trashed)),
            _ => Err(gone()),
        }
    }
}

/// It is not as the change left it.
fn edited(item: &DoneItem, folder: PathBuf) -> VaultError {
    if item.written.is_some() {
        VaultError::ChangedSinceFix(folder)
    } else {
        VaultError::Edited(folder)
    }
}
