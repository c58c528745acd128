//! The step that is being taken on one folder, written to the ledger before the disk is touched, so
//! that after a crash it can be completed or taken back.

use std::path::{Path, PathBuf};

use jiff::Timestamp;
use rusqlite::{Connection, params};
use serde::{Deserialize, Serialize};
use skills::manifest::Manifest;

use crate::change::{ChangeHead, DoneItem, Moved};
use crate::disk;
use crate::error::VaultError;
use crate::placement::{self, Found, Placement};
use crate::trash::{self, Trashed};
use crate::vault::Vault;

/// How far it may have come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Phase {
    /// Files are being staged; the tool's folder is untouched, besides missing roots.
    Staging,
    /// The folder may or may not be in its place.
    Swapping,
}

/// New content on its way to the folder.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Incoming {
    /// Where it comes from.
    pub(crate) path: PathBuf,
    /// The folder that was made to stage it; `None` for content that comes out of the trash.
    pub(crate) staging: Option<PathBuf>,
    /// Its id in the trash.
    pub(crate) trash: Option<String>,
    /// What it is; `None` while it is being staged.
    pub(crate) found: Option<Found>,
}

/// One item that is being worked on.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Pending {
    #[serde(skip)]
    pub(crate) id: i64,
    pub(crate) change: ChangeHead,
    pub(crate) position: u32,
    pub(crate) tools: Vec<String>,
    /// The skill's folder in the tool's root.
    pub(crate) folder: PathBuf,
    pub(crate) incoming: Option<Incoming>,
    /// What is there and goes to the trash.
    pub(crate) outgoing: Option<Trashed>,
    /// Skillhold's own folder on that disk, for staging and trash.
    pub(crate) store: PathBuf,
    /// Folders made on the way, outermost first.
    pub(crate) created: Vec<PathBuf>,
    /// Folders that can go once they are empty, innermost first.
    pub(crate) emptied: Vec<PathBuf>,
    /// What the record says before and after.
    pub(crate) before: Option<Placement>,
    pub(crate) after: Option<Placement>,
    /// Where the skill's folder was before, where it was not at `folder`.
    #[serde(default)]
    pub(crate) moved: Option<Moved>,
    /// What is written, where the record will not say so: in a fix.
    #[serde(default)]
    pub(crate) written: Option<Manifest>,
}

impl Phase {
    fn text(self) -> &'static str {
        match self {
            Self::Staging => "staging",
            Self::Swapping => "swapping",
        }
    }
}

impl Pending {
    /// Writes it to the ledger; it is on the disk when this returns.
    pub(crate) fn write(&mut self, ledger: &Connection, phase: Phase) -> Result<(), VaultError> {
        let json = serde_json::to_string(self)?;
        if self.id == 0 {
            ledger.execute(
                "INSERT INTO journal (step, json) VALUES (?1, ?2)",
                params![phase.text(), json],
            )?;
            self.id = ledger.last_insert_rowid();
        } else {
            ledger.execute(
                "UPDATE journal SET step = ?2, json = ?3 WHERE id = ?1",
                params![self.id, phase.text(), json],
            )?;
        }
        Ok(())
    }

    fn forget(&self, ledger: &Connection) -> Result<(), VaultError> {
        ledger.execute("DELETE FROM journal WHERE id = ?1", params![self.id])?;
        Ok(())
    }

    /// Where what goes to the trash is.
    pub(crate) fn leaves(&self) -> &Path {
        self.moved.as_ref().map_or(&self.folder, |moved| &moved.from)
    }

    /// True when it changes what is at this path.
    pub(crate) fn touches(&self, folder: &Path) -> bool {
        self.folder == folder || self.leaves() == folder
    }

    /// The folder that holds the skill's folder.
    pub(crate) fn root(&self) -> &Path {
        self.folder.parent().unwrap_or(&self.folder)
    }
}

impl Vault {
    /// Everything that is being worked on or was interrupted.
    pub(crate) fn pending(&self) -> Result<Vec<(Phase, Pending)>, VaultError> {
        let ledger = self.ledger();
        let mut statement =
            ledger.prepare_cached("SELECT id, step, json FROM journal ORDER BY id")?;
        let rows = statement.query_map([], |row| {
            Ok((row.get::<_, i64>(0)?, row.get::<_, String>(1)?, row.get::<_, String>(2)?))
        })?;
        rows.map(|row| {
            let (id, step, json) = row?;
            let mut pending: Pending = serde_json::from_str(&json)?;
            pending.id = id;
            let phase =
                if step == Phase::Staging.text() { Phase::Staging } else { Phase::Swapping };
            Ok((phase, pending))
        })
        .collect()
    }

    /// Makes the record say what the disk says once everything is in its place: one transaction,
    /// with which the journal's row goes.
    pub(crate) fn commit(&self, pending: &Pending) -> Result<(), VaultError> {
        let mut ledger = self.ledger();
        let transaction = ledger.transaction()?;
        let change = &pending.change;
        change.write(&transaction)?;
        placement::record(&transaction, &pending.folder, pending.after.as_ref())?;
        if let Some(moved) = &pending.moved {
            placement::record(&transaction, &moved.from, moved.after.as_ref())?;
        }
        if let Some(id) = pending.incoming.as_ref().and_then(|incoming| incoming.trash.as_deref()) {
            trash::forget(&transaction, id)?;
        }
        if let Some(outgoing) = &pending.outgoing {
            trash::add(&transaction, outgoing)?;
        }
        let done = DoneItem {
            position: pending.position,
            tools: pending.tools.clone(),
            folder: pending.folder.clone(),
            store: pending.store.clone(),
            created: pending.created.clone(),
            displaced: pending.outgoing.as_ref().map(|outgoing| outgoing.id.clone()),
            before: pending.before.clone(),
            after: pending.after.clone(),
            moved: pending.moved.clone(),
            written: pending.written.clone(),
        };
        done.write(&transaction, &change.id)?;
        if let Some(undoes) = &change.undoes {
            DoneItem::mark_undone(&transaction, undoes, pending.position)?;
        }
        let folders =
            DoneItem::of(&transaction, &change.id, false)?.into_iter().map(|item| item.folder);
        change.tell(&transaction, self.paths(), folders.collect())?;
        pending.forget(&transaction)?;
        transaction.commit()?;
        Ok(())
    }

    /// Removes what was staged and made on the way. The folder itself is as it was.
    pub(crate) fn take_back(&self, pending: &Pending) -> Result<(), VaultError> {
        if let (Some(incoming), Some(outgoing)) = (&pending.incoming, &pending.outgoing)
            && outgoing.found.is_same_folder(&incoming.path)
        {
            // What was there is here now: nothing of it may be removed.
            return Err(VaultError::Unfinished(pending.folder.clone()));
        }
        if let Some(staging) =
            pending.incoming.as_ref().and_then(|incoming| incoming.staging.as_deref())
        {
            disk::remove_own(staging)?;
            leave(staging);
        }
        if let Some(own) = pending.outgoing.as_ref().and_then(|outgoing| outgoing.kept.parent())
            && disk::remove_empty(own)
        {
            leave(own);
        }
        for folder in pending.created.iter().rev() {
            disk::remove_empty(folder);
        }
        pending.forget(&self.ledger())
    }

    /// Says where something will go in the trash.
    pub(crate) fn trash_place(
        store: &Path,
        folder: &Path,
        found: &Found,
        size: u64,
        change: &str,
    ) -> Trashed {
        let id = uuid::Uuid::new_v4().simple().to_string();
        let name = folder.file_name().unwrap_or_default().to_string_lossy();
        Trashed {
            kept: trash::place_in(store, &id, &name),
            id,
            folder: folder.to_owned(),
            found: found.clone(),
            size,
            at: Timestamp::now(),
            change: change.to_owned(),
        }
    }
}

/// Removes our own folder that the new content came out of, if it was one; it is empty.
pub(crate) fn leave_incoming(incoming: &Incoming) {
    let trash = incoming.path.parent().filter(|_| incoming.trash.is_some());
    let own = incoming.staging.as_deref().or(trash);
    if let Some(own) = own
        && disk::remove_empty(own)
    {
        leave(own);
    }
}

/// Removes our own folders around a place that is gone, as far as they are empty: `ID/..` is
/// `staging` or `trash`, and what holds that is the store.
fn leave(own: &Path) {
    for folder in own.ancestors().skip(1).take(2) {
        if !disk::remove_empty(folder) {
            break;
        }
    }
}
