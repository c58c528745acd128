//! A change that was made: what came of each item, and what undo needs.

pub(crate) mod told;

use std::path::{Path, PathBuf};

use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, params};
use serde::{Deserialize, Serialize};
use skills::digest::Fingerprint;
use skills::manifest::Manifest;
use skills::paths::Paths;

use crate::deed::Aside;
use crate::error::VaultError;
use crate::link::Mode;
use crate::placement::{Origin, Placement};
use crate::vault::Vault;

/// What came of applying or undoing.
#[derive(Debug)]
pub struct Change {
    /// What [`Vault::undo`] takes.
    pub id: String,
    /// The skill's name, or what stands for several, as in `pdf and 2 more`.
    pub name: String,
    /// One for each item, in the plan's order.
    pub items: Vec<ItemOutcome>,
}

/// What came of one item.
#[derive(Debug)]
pub struct ItemOutcome {
    /// The skill's name.
    pub name: String,
    /// Ids of the tools that it was for.
    pub tools: Vec<String>,
    /// The skill's folder.
    pub folder: PathBuf,
    /// What happened.
    pub result: ItemResult,
    /// How it lies there, where it was placed.
    pub mode: Mode,
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
    /// Moved to the trash.
    Removed,
    /// Taken out of the record: it was not there any more.
    Forgotten,
    /// Moved aside, where no tool looks.
    Disabled,
    /// Put back where it was before it was moved aside.
    Enabled,
    /// Taken into the record as it is.
    Adopted,
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
    /// The skill's name, or what stands for several.
    pub(crate) name: String,
    /// The change that this one takes back.
    pub(crate) undoes: Option<String>,
}

/// What is done with a skill.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Act {
    /// It is placed.
    Place,
    /// It is placed over what came from the same origin.
    Update,
    /// Its files are put right, and it may get another name.
    Fix,
    /// It gets another name.
    Rename,
    /// It goes to the trash.
    Remove,
    /// It is moved aside.
    Disable,
    /// It comes back from there.
    Enable,
    /// It comes into the record.
    Adopt,
}

/// Which skill an item is about, and what is done with it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct About {
    /// The skill's name.
    pub(crate) name: String,
    pub(crate) act: Act,
    /// Where it comes from, where that is known.
    pub(crate) origin: Option<Origin>,
    /// Of its files, as they are afterwards or were; `None` where nothing was there.
    pub(crate) fingerprint: Option<Fingerprint>,
    /// What was put right, where that is what is done.
    pub(crate) fixed: Option<Fixed>,
    /// The links through which tools read it, where it is the copy behind them.
    #[serde(default)]
    pub(crate) links: Vec<PathBuf>,
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
    pub(crate) about: About,
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
    /// Id of what was moved aside.
    #[serde(default)]
    pub(crate) set_aside: Option<String>,
    /// What was brought back from aside, as it was kept there.
    #[serde(default)]
    pub(crate) brought: Option<Aside>,
}

impl About {
    /// What is done with a placement.
    pub(crate) fn of(act: Act, placement: &Placement) -> Self {
        Self {
            name: placement.name.clone(),
            act,
            origin: Some(placement.origin.clone()),
            fingerprint: Some(placement.installed_fingerprint()),
            fixed: None,
            links: Vec::new(),
        }
    }
}

impl ItemOutcome {
    /// Of one item that was tried.
    ///
    /// # Errors
    /// The end that a test asked for, which ends the whole.
    pub(crate) fn of(
        name: &str,
        tools: &[String],
        folder: &Path,
        outcome: Result<ItemResult, VaultError>,
    ) -> Result<Self, VaultError> {
        let (result, error) = match outcome {
            Ok(result) => (result, None),
            Err(error) if error.is_crash() => return Err(error),
            Err(error) => (ItemResult::Failed, Some(error)),
        };
        let (name, tools, folder) = (name.to_owned(), tools.to_vec(), folder.to_owned());
        Ok(Self { name, tools, folder, result, mode: Mode::Copy, error })
    }
}

impl ChangeHead {
    /// Of a change that begins now.
    pub(crate) fn new(name: String) -> Self {
        let id = uuid::Uuid::new_v4().simple().to_string();
        Self { id, at: Timestamp::now(), name, undoes: None }
    }

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
    pub(crate) fn tell(&self, ledger: &Connection, paths: &Paths) -> Result<(), VaultError> {
        let mut statement = ledger.prepare_cached(
            "SELECT folder, about FROM change_items WHERE change = ?1 AND undone = 0
             ORDER BY position",
        )?;
        let rows = statement.query_map(params![self.id], |row| {
            Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?))
        })?;
        let mut done: Vec<(PathBuf, About)> = Vec::new();
        for row in rows {
            let (folder, about) = row?;
            done.push((PathBuf::from(folder), serde_json::from_str(&about)?));
        }
        told::row(self, &done, paths).write(ledger)
    }
}

impl DoneItem {
    /// What came of it, or that it was taken back.
    fn outcome(&self, undone: bool) -> ItemOutcome {
        let result = match self.about.act {
            _ if undone => ItemResult::Undone,
            Act::Place if self.displaced.is_none() => ItemResult::Written,
            Act::Place | Act::Update => ItemResult::Replaced,
            Act::Fix if self.about.fixed.as_ref().is_some_and(|fixed| fixed.files.is_empty()) => {
                ItemResult::Renamed
            }
            Act::Fix => ItemResult::Replaced,
            Act::Rename => ItemResult::Renamed,
            Act::Remove if self.displaced.is_none() => ItemResult::Forgotten,
            Act::Remove => ItemResult::Removed,
            Act::Disable => ItemResult::Disabled,
            Act::Enable => ItemResult::Enabled,
            Act::Adopt => ItemResult::Adopted,
        };
        let placed = self.after.as_ref().and_then(Placement::canonical);
        let is_link = placed.is_some() || !self.about.links.is_empty();
        ItemOutcome {
            name: self.about.name.clone(),
            tools: self.tools.clone(),
            folder: self.folder.clone(),
            result,
            mode: if is_link { Mode::Link } else { Mode::Copy },
            error: None,
        }
    }

    pub(crate) fn write(&self, ledger: &Connection, change: &str) -> Result<(), VaultError> {
        let source = self.moved.as_ref().map(|moved| moved.from.display().to_string());
        ledger.execute(
            "INSERT OR REPLACE INTO change_items VALUES (?1, ?2, 0, ?3, ?4, ?5, ?6)",
            params![
                change,
                self.position,
                self.folder.display().to_string(),
                source,
                serde_json::to_string(&self.about)?,
                serde_json::to_string(self)?,
            ],
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

    /// The last item before a position that was not taken back.
    pub(crate) fn last_before(
        ledger: &Connection,
        change: &str,
        position: u32,
    ) -> Result<Option<Self>, VaultError> {
        let json: Option<String> = ledger
            .prepare_cached(
                "SELECT json FROM change_items WHERE change = ?1 AND undone = 0 AND position < ?2
                 ORDER BY position DESC LIMIT 1",
            )?
            .query_row(params![change, position], |row| row.get(0))
            .optional()?;
        Ok(json.map(|json| serde_json::from_str(&json)).transpose()?)
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
    /// What a change did, in its order; what failed or was left as it was is not kept. What was taken
    /// back since is [`ItemResult::Undone`].
    ///
    /// # Errors
    /// [`VaultError::Gone`] when there is no such change; else when the ledger fails.
    pub fn items_of(&self, change: &str) -> Result<Vec<ItemOutcome>, VaultError> {
        let ledger = self.ledger();
        if ChangeHead::read(&ledger, change)?.is_none() {
            return Err(VaultError::Gone { what: "change", id: change.to_owned() });
        }
        let mut items = Vec::new();
        for undone in [false, true] {
            for item in DoneItem::of(&ledger, change, undone)? {
                items.push((item.position, item.outcome(undone)));
            }
        }
        items.sort_by_key(|(position, _)| *position);
        Ok(items.into_iter().map(|(_, outcome)| outcome).collect())
    }

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
