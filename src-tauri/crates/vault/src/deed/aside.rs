//! Skills that are disabled: kept whole outside of every folder that a tool reads, until they are
//! put back. Nothing here is ever pruned.

use std::path::{Path, PathBuf};

use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, params};
use serde::{Deserialize, Serialize};

use crate::error::VaultError;
use crate::ledger::Rows;
use crate::placement::{Found, Placement};
use crate::vault::Vault;

/// A skill that was moved aside.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Aside {
    /// Made when it was moved there.
    pub id: String,
    /// The skill's name.
    pub name: String,
    /// The real path of the folder that it was at.
    pub folder: PathBuf,
    /// Ids of the tools that read it there.
    pub tools: Vec<String>,
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
    /// What the record said of it, if Skillhold had placed or adopted it; that comes back with it.
    pub placement: Option<Placement>,
}

impl Vault {
    /// Every skill that is disabled, oldest first. A row that cannot be read is left out with a
    /// warning, and what it is about stays on the disk.
    ///
    /// # Errors
    /// When the ledger fails.
    pub fn aside(&self) -> Result<Vec<Aside>, VaultError> {
        let ledger = self.ledger();
        let mut statement = ledger.prepare_cached("SELECT id, json FROM aside ORDER BY rowid")?;
        let rows = statement
            .query_map([], |row| Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?)))?;
        let mut read = Rows::new("disabled skill");
        for row in rows {
            let (id, json) = row?;
            read.add(&id, serde_json::from_str(&json));
        }
        Ok(read.read)
    }

    /// One of them by its id.
    pub(crate) fn one_aside(&self, id: &str) -> Result<Option<Aside>, VaultError> {
        let json: Option<String> = self
            .ledger()
            .query_row("SELECT json FROM aside WHERE id = ?1", params![id], |row| row.get(0))
            .optional()?;
        Ok(json.map(|json| serde_json::from_str(&json)).transpose()?)
    }
}

pub(crate) fn add(ledger: &Connection, aside: &Aside) -> Result<(), VaultError> {
    ledger.execute(
        "INSERT OR REPLACE INTO aside VALUES (?1, ?2)",
        params![aside.id, serde_json::to_string(aside)?],
    )?;
    Ok(())
}

pub(crate) fn forget(ledger: &Connection, id: &str) -> Result<(), VaultError> {
    ledger.execute("DELETE FROM aside WHERE id = ?1", params![id])?;
    Ok(())
}

/// Where something with this name and id is kept below a store of ours.
pub(super) fn place_in(store: &Path, id: &str, name: &str) -> PathBuf {
    store.join("aside").join(id).join(name)
}
