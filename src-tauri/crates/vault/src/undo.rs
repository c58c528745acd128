//! Taking a change back, item by item.

use std::io;

use jiff::Timestamp;

use crate::change::{Change, ChangeHead, DoneItem, ItemOutcome, ItemResult};
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
            outcomes.push(ItemOutcome {
                tools: item.tools.clone(),
                folder: item.folder.clone(),
                result,
                error,
            });
        }
        outcomes.reverse();
        Ok(Change { id: head.id, items: outcomes })
    }

    fn undo_item(&self, head: &ChangeHead, item: &DoneItem) -> Result<ItemResult, VaultError> {
        let folder = &item.folder;
        if self.pending()?.iter().any(|(_, pending)| pending.folder == *folder) {
            return Err(VaultError::Unfinished(folder.clone()));
        }
        let there = self.as_written(head, item)?;
        let displaced = self.displaced(item)?;
        let result = if there.is_none() && displaced.is_none() {
            ItemResult::AlreadyGone
        } else {
            ItemResult::Undone
        };
        let mut pending = Pending {
            id: 0,
            change: head.clone(),
            position: item.position,
            tools: item.tools.clone(),
            folder: folder.clone(),
            incoming: displaced.map(|trashed| Incoming {
                path: trashed.kept,
                staging: None,
                trash: Some(trashed.id),
                found: Some(trashed.found),
            }),
            outgoing: there.map(|(found, size)| {
                Self::trash_place(&item.store, folder, &found, size, &head.id)
            }),
            store: item.store.clone(),
            created: Vec::new(),
            emptied: item.created.iter().rev().cloned().collect(),
            before: item.after.clone(),
            after: item.before.clone(),
        };
        pending.write(&self.ledger(), Phase::Swapping)?;
        let done =
            self.reached(crate::apply::Step::SwapJournaled).and_then(|()| self.carry_out(&pending));
        self.settled(done, Phase::Swapping, &pending).map_err(|error| match error {
            VaultError::Changed(folder) => VaultError::Edited(folder),
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
        let edited = || VaultError::Edited(item.folder.clone());
        if self.placement(&item.folder)?.map(|placement| placement.change) != head.undoes {
            return Err(edited());
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
                let written = item.after.as_ref().is_some_and(|after| after.installed == manifest);
                if written { Ok(Some((found, manifest.total_size()))) } else { Err(edited()) }
            }
        }
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
