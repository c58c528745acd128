//! A change that was made: what came of each item, and what undo needs.

use std::path::PathBuf;

use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, params};
use serde::{Deserialize, Serialize};
use skills::digest::Fingerprint;
use skills::manifest::Manifest;
use skills::paths::Paths;

use crate::activity::{Activity, ActivityKind};
use crate::error::VaultError;
use crate::placement::{Origin, Placement};
use crate::vault::Vault;

/// What came of applying or undoing.
#[derive(Debug)]
pub struct Change {
    /// What [`Vault::undo`] takes.
    pub id: String,
    /// The skill's name.
    pub name: String,
    /// One for each item, in the plan's order.
    pub items: Vec<ItemOutcome>,
}

/// What came of one item.
#[derive(Debug)]
pub struct ItemOutcome {
    /// Ids of the tools that it was for.
    pub tools: Vec<String>,
    /// The skill's folder.
    pub folder: PathBuf,
    /// What happened.
    pub result: ItemResult,
    /// Why not, where it failed.
    pub error: Option<VaultError>,
}

/// What happened at one folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ItemResult {
    /// Written, read back and checked.
    Written,
    /// Written in the place of something, which is kept.
    Replaced,
    /// Only given another name.
    Renamed,
    /// Left as it was.
    Kept,
    /// Not done; as it was before.
    Failed,
    /// Taken back.
    Undone,
    /// Counts as taken back: nothing was there any more, and nothing had to be put back.
    AlreadyGone,
}

/// How far applying is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApplyProgress {
    /// The folder that is being written.
    pub folder: PathBuf,
    /// The file that comes next, relative to the skill; `None` before the swap.
    pub file: Option<String>,
    /// Files that were written, over all items.
    pub done: usize,
    /// Files that are to be written, over all items.
    pub of: usize,
    /// Bytes that were written, over all items.
    pub bytes: u64,
    /// Bytes that are to be written, over all items.
    pub of_bytes: u64,
}

/// What the ledger keeps of a change as a whole.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct ChangeHead {
    pub(crate) id: String,
    pub(crate) at: Timestamp,
    /// The skill's name.
    pub(crate) name: String,
    pub(crate) origin: Origin,
    pub(crate) fingerprint: Fingerprint,
    /// The change that this one takes back.
    pub(crate) undoes: Option<String>,
    /// What was put right, where that is what the change does.
    #[serde(default)]
    pub(crate) fixed: Option<Fixed>,
}

/// What fixes put right in a folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Fixed {
    /// The folder as it was called before.
    pub(crate) folder: PathBuf,
    /// Paths of the files that were changed, relative to the skill.
    pub(crate) files: Vec<String>,
    /// The folder's new name.
    pub(crate) to: Option<String>,
}

/// A skill's folder had another name in the same root.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Moved {
    /// Where it was.
    pub(crate) from: PathBuf,
    /// What the record said of that folder before.
    pub(crate) before: Option<Placement>,
    /// What it says of it since.
    pub(crate) after: Option<Placement>,
}

/// What the ledger keeps of an item that was done.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct DoneItem {
    pub(crate) position: u32,
    pub(crate) tools: Vec<String>,
    pub(crate) folder: PathBuf,
    /// Skillhold's own folder on that disk.
    pub(crate) store: PathBuf,
    /// Folders that were made for it, outermost first.
    pub(crate) created: Vec<PathBuf>,
    /// Id in the trash of what had been there.
    pub(crate) displaced: Option<String>,
    /// What the record said before.
    pub(crate) before: Option<Placement>,
    /// What it says since.
    pub(crate) after: Option<Placement>,
    /// Where the folder was before, where it was not at `folder`.
    #[serde(default)]
    pub(crate) moved: Option<Moved>,
    /// What was written, where the record does not say so: in a fix.
    #[serde(default)]
    pub(crate) written: Option<Manifest>,
}

impl Fixed {
    /// What follows on `fixed NAME`.
    fn text(&self, paths: &Paths) -> String {
        let folder = paths.display(&self.folder);
        let files = match self.files.as_slice() {
            [file] => file.clone(),
            more => format!("{} files", more.len()),
        };
        match &self.to {
            None => format!("in {files} of {folder}"),
            Some(to) if self.files.is_empty() => format!("by renaming {folder} to {to}"),
            Some(to) => format!("in {files} of {folder}, renamed to {to}"),
        }
    }
}

impl ChangeHead {
    pub(crate) fn write(&self, ledger: &Connection) -> Result<(), VaultError> {
        ledger.execute(
            "INSERT OR IGNORE INTO changes VALUES (?1, ?2, ?3)",
            params![self.id, serde_json::to_string(self)?, self.undoes],
        )?;
        Ok(())
    }

    pub(crate) fn read(ledger: &Connection, id: &str) -> Result<Option<Self>, VaultError> {
        let json: Option<String> = ledger
            .query_row("SELECT json FROM changes WHERE id = ?1", params![id], |row| row.get(0))
            .optional()?;
        Ok(json.map(|json| serde_json::from_str(&json)).transpose()?)
    }

    /// Writes, or writes again, the one row of activity about what was done so far.
    pub(crate) fn tell(
        &self,
        ledger: &Connection,
        paths: &Paths,
        folders: Vec<PathBuf>,
    ) -> Result<(), VaultError> {
        let places = match folders.as_slice() {
            [folder] => paths.display(folder),
            more => format!("{} folders", more.len()),
        };
        let (kind, text) = match (&self.undoes, &self.fixed, &self.origin) {
            (Some(_), ..) => (ActivityKind::Undone, format!("in {places}")),
            (None, Some(fixed), _) => (ActivityKind::Fixed, fixed.text(paths)),
            (None, None, Origin::Server { label, .. }) => {
                (ActivityKind::Installed, format!("from {label} into {places}"))
            }
            (None, None, Origin::Folder { path }) => {
                (ActivityKind::Copied, format!("from {} into {places}", paths.display(path)))
            }
        };
        let mut activity = Activity::now(kind, &self.name, text);
        if let Origin::Server { server, uri, .. } = &self.origin {
            activity = activity.about(server, Some(uri));
        }
        activity.fingerprint = Some(self.fingerprint);
        activity.folders = folders;
        if let Some(fixed) = &self.fixed
            && !activity.folders.contains(&fixed.folder)
        {
            activity.folders.push(fixed.folder.clone());
        }
        activity.change = Some(self.id.clone());
        activity.write(ledger)
    }
}

impl DoneItem {
    pub(crate) fn write(&self, ledger: &Connection, change: &str) -> Result<(), VaultError> {
        ledger.execute(
            "INSERT OR REPLACE INTO change_items VALUES (?1, ?2, ?3, 0)",
            params![change, self.position, serde_json::to_string(self)?],
        )?;
        Ok(())
    }

    pub(crate) fn of(
        ledger: &Connection,
        change: &str,
        undone: bool,
    ) -> Result<Vec<Self>, VaultError> {
        let mut statement = ledger.prepare_cached(
            "SELECT json FROM change_items WHERE change = ?1 AND undone = ?2 ORDER BY position",
        )?;
        let rows = statement.query_map(params![change, undone], |row| row.get::<_, String>(0))?;
        rows.map(|json| Ok(serde_json::from_str(&json?)?)).collect()
    }

    pub(crate) fn mark_undone(
        ledger: &Connection,
        change: &str,
        position: u32,
    ) -> Result<(), VaultError> {
        ledger.execute(
            "UPDATE change_items SET undone = 1 WHERE change = ?1 AND position = ?2",
            params![change, position],
        )?;
        Ok(())
    }
}

impl Vault {
    /// The newest change that still has something to undo; `None` when there is none.
    ///
    /// # Errors
    /// When the ledger fails.
    pub fn last_change(&self) -> Result<Option<String>, VaultError> {
        Ok(self
            .ledger()
            .query_row(
                "SELECT c.id FROM changes c WHERE c.undoes IS NULL
                 AND EXISTS (SELECT 1 FROM change_items WHERE change = c.id AND undone = 0)
                 ORDER BY c.rowid DESC LIMIT 1",
                [],
                |row| row.get(0),
            )
            .optional()?)
    }
}
