//! What was replaced or taken back, kept whole until it is put back or pruned.

use std::path::{Path, PathBuf};

use jiff::{SignedDuration, Timestamp};
use rusqlite::{Connection, OptionalExtension, params};
use serde::{Deserialize, Serialize};

use crate::disk;
use crate::error::VaultError;
use crate::ledger::Rows;
use crate::placement::Found;
use crate::receipts::Kind;
use crate::vault::{ChangeLock, Vault};

/// How long what was replaced, removed or taken back is kept: 30 days.
pub const KEPT: SignedDuration = SignedDuration::from_hours(30 * 24);

/// A skill that is kept in the trash.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Trashed {
    /// Made when it was moved there.
    pub id: String,
    /// The folder that it was at.
    pub folder: PathBuf,
    /// Where it is kept: in a folder of its own, in Skillhold's data folder or, on another disk, in
    /// a hidden folder there.
    pub kept: PathBuf,
    /// What it is.
    pub found: Found,
    /// In bytes.
    pub size: u64,
    /// When it was moved there.
    pub at: Timestamp,
    /// The change that moved it there.
    pub change: String,
}

impl Vault {
    /// Everything in the trash, oldest first. A row that cannot be read is left out with a warning,
    /// and what it is about stays on the disk.
    ///
    /// # Errors
    /// When the ledger fails.
    pub fn trash(&self) -> Result<Vec<Trashed>, VaultError> {
        let ledger = self.ledger();
        let mut statement = ledger.prepare_cached("SELECT id, json FROM trash ORDER BY rowid")?;
        let rows = statement
            .query_map([], |row| Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?)))?;
        let mut read = Rows::new("piece of trash");
        for row in rows {
            let (id, json) = row?;
            read.add(&id, serde_json::from_str(&json));
        }
        Ok(read.read)
    }

    /// Removes for good what has been in the trash since before `before`; says how much it was, in
    /// bytes. What is removed can no longer be put back by an undo.
    ///
    /// # Errors
    /// When another change is being made, or the ledger fails.
    pub fn prune_trash(&self, before: Timestamp) -> Result<u64, VaultError> {
        let lock = self.lock_changes()?;
        self.prune(&lock, before)
    }

    /// How much is in the trash, in bytes.
    ///
    /// # Errors
    /// When the ledger fails.
    pub fn trash_size(&self) -> Result<u64, VaultError> {
        Ok(self.trash()?.iter().fold(0, |sum, trashed| sum.saturating_add(trashed.size)))
    }

    /// Removes these for good; says how much it was, in bytes. What is removed can no longer be put
    /// back by an undo. What is not there, or cannot be removed now, stays.
    ///
    /// # Errors
    /// When another change is being made, or the ledger fails.
    pub fn empty_trash(&self, ids: &[String]) -> Result<u64, VaultError> {
        let lock = self.lock_changes()?;
        self.remove_trashed(&lock, |trashed| ids.contains(&trashed.id))
    }

    /// Prunes what cannot be removed now, because its disk is not there or refuses, another time.
    pub(crate) fn prune(&self, lock: &ChangeLock, before: Timestamp) -> Result<u64, VaultError> {
        self.remove_trashed(lock, |trashed| trashed.at < before)
    }

    fn remove_trashed(
        &self,
        _: &ChangeLock,
        is_over: impl Fn(&Trashed) -> bool,
    ) -> Result<u64, VaultError> {
        let mut freed = 0_u64;
        for trashed in self.trash()?.into_iter().filter(is_over) {
            // `STORE/trash/ID/NAME`: without the store, its disk is not there.
            let there = trashed.kept.ancestors().nth(3).is_some_and(Path::is_dir);
            let Some(own) = trashed.kept.parent().filter(|_| there) else { continue };
            if !self.is_own_kept(&trashed.kept, "trash", &trashed.id) {
                tracing::warn!(kept = %trashed.kept.display(), "this is not where trash is kept: it stays");
                continue;
            }
            if let Err(error) = disk::remove_own(own) {
                tracing::warn!(%error, "what is in the trash cannot be removed now");
                continue;
            }
            self.forget_trashed(&trashed.id)?;
            freed = freed.saturating_add(trashed.size);
        }
        Ok(freed)
    }

    /// Takes what is gone from the trash out of the record.
    pub(crate) fn forget_trashed(&self, id: &str) -> Result<(), VaultError> {
        let key = (Kind::Trash, id.to_owned());
        self.with_receipts(&self.ledger(), &[key], |ledger| forget(ledger, id))
    }

    pub(crate) fn trashed(&self, id: &str) -> Result<Option<Trashed>, VaultError> {
        let json: Option<String> = self
            .ledger()
            .query_row("SELECT json FROM trash WHERE id = ?1", params![id], |row| row.get(0))
            .optional()?;
        Ok(json.map(|json| serde_json::from_str(&json)).transpose()?)
    }
}

pub(crate) fn add(ledger: &Connection, trashed: &Trashed) -> Result<(), VaultError> {
    ledger.execute(
        "INSERT OR REPLACE INTO trash VALUES (?1, ?2)",
        params![trashed.id, serde_json::to_string(trashed)?],
    )?;
    Ok(())
}

pub(crate) fn forget(ledger: &Connection, id: &str) -> Result<(), VaultError> {
    ledger.execute("DELETE FROM trash WHERE id = ?1", params![id])?;
    Ok(())
}

/// Where something with this name and id is kept below a store of ours.
pub(crate) fn place_in(store: &Path, id: &str, name: &str) -> PathBuf {
    store.join("trash").join(id).join(name)
}
