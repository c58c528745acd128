//! A copy of what the ledger says belongs to Skillhold, one small file a row, so that this much is
//! known again when the ledger is damaged: what was placed, what is in the trash, what is disabled.
//! Its first line says what kind of row it is; the rest is the row.
//!
//! A receipt's name is the digest of its bytes, so that a listing tells whether all are there. They
//! are written and removed right before the ledger says the same. The ledger is right wherever both
//! say something about one folder; the disk decides about the rest.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use rusqlite::{Connection, OptionalExtension, params};
use serde::de::DeserializeOwned;
use skills::digest::Digest;

use crate::deed::Aside;
use crate::disk;
use crate::drift::Drift;
use crate::error::VaultError;
use crate::own::leads_inside;
use crate::placement::Placement;
use crate::trash::Trashed;
use crate::vault::{ChangeLock, Vault};

/// What receipts do not tell.
pub(crate) const LOST: &str = "servers, approvals, settings and what could be undone are lost";

/// The most that a receipt has, in bytes.
const MOST: u64 = 64 * 1024 * 1024;

/// Which table a row is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    Placement,
    Trash,
    Aside,
}

/// A row as the ledger has it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Row {
    kind: Kind,
    key: String,
    json: String,
}

/// How much was known again.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Rebuilt {
    /// Installed skills.
    pub placements: usize,
    /// Skills in the trash.
    pub trash: usize,
    /// Disabled skills.
    pub aside: usize,
}

impl fmt::Display for Rebuilt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let skills = |count: usize| if count == 1 { "skill" } else { "skills" };
        write!(
            f,
            "{} installed {}, {} in the trash and {} disabled",
            self.placements,
            skills(self.placements),
            self.trash,
            self.aside
        )
    }
}

impl Kind {
    const ALL: [Self; 3] = [Self::Placement, Self::Trash, Self::Aside];

    fn text(self) -> &'static str {
        match self {
            Self::Placement => "placement",
            Self::Trash => "trash",
            Self::Aside => "aside",
        }
    }

    /// Reads every row, its key first.
    fn all(self) -> &'static str {
        match self {
            Self::Placement => "SELECT folder, json FROM placements",
            Self::Trash => "SELECT id, json FROM trash",
            Self::Aside => "SELECT id, json FROM aside",
        }
    }

    fn one(self) -> &'static str {
        match self {
            Self::Placement => "SELECT json FROM placements WHERE folder = ?1",
            Self::Trash => "SELECT json FROM trash WHERE id = ?1",
            Self::Aside => "SELECT json FROM aside WHERE id = ?1",
        }
    }

    fn insert(self) -> &'static str {
        match self {
            Self::Placement => "INSERT OR REPLACE INTO placements (folder, json) VALUES (?1, ?2)",
            Self::Trash => "INSERT OR REPLACE INTO trash (id, json) VALUES (?1, ?2)",
            Self::Aside => "INSERT OR REPLACE INTO aside (id, json) VALUES (?1, ?2)",
        }
    }
}

impl Row {
    fn read(ledger: &Connection, kind: Kind, key: &str) -> Result<Option<Self>, VaultError> {
        let mut statement = ledger.prepare_cached(kind.one())?;
        let json = statement.query_row(params![key], |row| row.get(0)).optional()?;
        Ok(json.map(|json| Self { kind, key: key.to_owned(), json }))
    }

    /// What names it in its table; `None` where it cannot be read.
    fn own_key(kind: Kind, json: &str) -> Option<String> {
        Some(match kind {
            Kind::Placement => read::<Placement>(json)?.folder.display().to_string(),
            Kind::Trash => read::<Trashed>(json)?.id,
            Kind::Aside => read::<Aside>(json)?.id,
        })
    }

    /// Whether it can be read.
    fn is_sound(&self) -> bool {
        Self::own_key(self.kind, &self.json).as_ref() == Some(&self.key)
    }

    /// A placement whose folder is exactly as it was installed; anything else.
    fn is_in_sync(&self) -> bool {
        self.kind != Kind::Placement
            || read(&self.json).is_some_and(|placement| Drift::on_disk(&placement) == Drift::InSync)
    }

    /// Whether the disk is as it says, or may be as far as can be told now.
    fn is_there(&self, vault: &Vault, lost: bool) -> bool {
        let kept = |kept: &Path, id: &str, kind: &str| {
            let away = || lost && kept.ancestors().nth(3).is_none_or(|store| !store.is_dir());
            vault.is_own_kept(kept, kind, id) && (kept.symlink_metadata().is_ok() || away())
        };
        match self.kind {
            Kind::Placement => read::<Placement>(&self.json).is_some_and(|placement| {
                vault.may_be_placed(&placement)
                    && match Drift::on_disk(&placement) {
                        Drift::InSync | Drift::Edited { .. } => true,
                        Drift::Missing | Drift::Unreadable(_) => lost,
                        Drift::Replaced => false,
                    }
            }),
            Kind::Trash => read::<Trashed>(&self.json)
                .is_some_and(|trashed| kept(&trashed.kept, &trashed.id, "trash")),
            Kind::Aside => {
                read::<Aside>(&self.json).is_some_and(|aside| kept(&aside.kept, &aside.id, "aside"))
            }
        }
    }

    fn bytes(&self) -> Vec<u8> {
        format!("{}\n{}\n", self.kind.text(), self.json).into_bytes()
    }

    fn name(&self) -> String {
        name(&self.bytes())
    }
}

fn name(bytes: &[u8]) -> String {
    Digest::of(bytes).hex()
}

/// Whether a file of ours may be called so: a digest, or one and what it was written under.
fn is_name(name: &str) -> bool {
    let digest = name.split('.').next().unwrap_or_default();
    digest.len() == 64 && digest.bytes().all(|byte| byte.is_ascii_hexdigit())
}

impl Vault {
    fn receipts(&self) -> PathBuf {
        self.data().join("receipts")
    }

    /// Makes a change of these rows, and the receipts agree with what the ledger will say once the
    /// transaction is committed. A receipt that cannot be written or removed stops nothing: the next
    /// start puts that right.
    pub(crate) fn with_receipts(
        &self,
        ledger: &Connection,
        keys: &[(Kind, String)],
        change: impl FnOnce(&Connection) -> Result<(), VaultError>,
    ) -> Result<(), VaultError> {
        let rows = || -> Result<BTreeSet<Row>, VaultError> {
            let rows = keys.iter().map(|(kind, key)| Row::read(ledger, *kind, key));
            rows.filter_map(Result::transpose).collect()
        };
        let before = rows()?;
        change(ledger)?;
        let after = rows()?;
        for row in after.difference(&before) {
            self.write_receipt(row);
        }
        for row in before.difference(&after) {
            self.remove_receipt(&row.name());
        }
        Ok(())
    }

    fn write_receipt(&self, row: &Row) {
        let bytes = row.bytes();
        let folder = self.receipts();
        if !leads_inside(self.data(), &folder) {
            tracing::warn!(key = row.key, "the folder of the receipts is none: none is written");
            return;
        }
        let path = folder.join(name(&bytes));
        let written = disk::make_private(&folder).and_then(|()| disk::write_flushed(&path, &bytes));
        if let Err(error) = written {
            tracing::warn!(key = row.key, %error, "a receipt is not written");
        }
    }

    fn remove_receipt(&self, name: &str) {
        if !leads_inside(self.data(), &self.receipts()) {
            return;
        }
        if let Err(error) = disk::remove_own_file(&self.receipts().join(name)) {
            tracing::warn!(name, %error, "a receipt is not removed");
        }
    }

    /// Makes the ledger and the receipts agree. Rows without a receipt get one. A receipt without a
    /// row is of a ledger that is lost, wholly or in its last steps, or left over: what is on the disk
    /// as it says is known again, and the rest is forgotten. `lost` says that the ledger is a new one;
    /// then what is not there now counts too, as it may be on a disk that is away. `None` where there
    /// was nothing to know again, and nothing lost.
    ///
    /// # Errors
    /// When the ledger fails, or the receipts cannot be listed.
    pub(crate) fn reconcile_receipts(
        &self,
        _: &ChangeLock,
        lost: bool,
    ) -> Result<Option<Rebuilt>, VaultError> {
        let mut listed = self.listed_receipts()?;
        let lost = lost && !listed.is_empty();
        let mut known = BTreeSet::new();
        for row in self.rows()?.into_iter().filter(Row::is_sound) {
            if !listed.remove(&row.name()) {
                self.write_receipt(&row);
            }
            known.insert((row.kind, row.key));
        }
        // What is exactly so comes before what may be so.
        let mut found: BTreeMap<(bool, String), Row> = BTreeMap::new();
        for name in listed {
            match self.read_receipt(&name) {
                Some(row) => drop(found.insert((!row.is_in_sync(), name), row)),
                None => self.remove_receipt(&name),
            }
        }
        // Of what is being worked on, the journal knows more.
        let pending = self.pending().unwrap_or_default();
        let mut rebuilt = Rebuilt::default();
        for ((_, name), row) in found {
            let folder = Path::new(&row.key);
            let is_worked_on = row.kind == Kind::Placement
                && pending.iter().any(|(_, pending)| pending.touches(folder));
            if is_worked_on {
                continue;
            }
            if known.contains(&(row.kind, row.key.clone())) || !row.is_there(self, lost) {
                self.remove_receipt(&name);
                continue;
            }
            self.ledger().execute(row.kind.insert(), params![row.key, row.json])?;
            match row.kind {
                Kind::Placement => rebuilt.placements += 1,
                Kind::Trash => rebuilt.trash += 1,
                Kind::Aside => rebuilt.aside += 1,
            }
            known.insert((row.kind, row.key));
        }
        if !lost && rebuilt == Rebuilt::default() {
            return Ok(None);
        }
        Ok(Some(rebuilt))
    }

    fn rows(&self) -> Result<Vec<Row>, VaultError> {
        let ledger = self.ledger();
        let mut rows = Vec::new();
        for kind in Kind::ALL {
            let mut statement = ledger.prepare_cached(kind.all())?;
            let read = statement
                .query_map([], |row| Ok(Row { kind, key: row.get(0)?, json: row.get(1)? }))?;
            for row in read {
                rows.push(row?);
            }
        }
        Ok(rows)
    }

    fn listed_receipts(&self) -> Result<BTreeSet<String>, VaultError> {
        let folder = self.receipts();
        if !leads_inside(self.data(), &folder) {
            return Ok(BTreeSet::new());
        }
        let entries = match std::fs::read_dir(&folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(BTreeSet::new()),
            entries => entries.map_err(VaultError::disk("read", &folder))?,
        };
        // What is called otherwise, or is no file, is not ours: it is not read, nor removed.
        let files =
            entries.flatten().filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_file()));
        let names = files.filter_map(|entry| entry.file_name().into_string().ok());
        Ok(names.filter(|name| is_name(name)).collect())
    }

    /// What a receipt says; `None` when it is torn, or is none.
    fn read_receipt(&self, called: &str) -> Option<Row> {
        let bytes = disk::read_plain_file(&self.receipts().join(called), MOST).ok()?;
        if name(&bytes) != called {
            return None;
        }
        let (kind, json) = std::str::from_utf8(&bytes).ok()?.split_once('\n')?;
        let kind = Kind::ALL.into_iter().find(|known| known.text() == kind)?;
        let json = json.strip_suffix('\n')?.to_owned();
        let key = Row::own_key(kind, &json)?;
        Some(Row { kind, key, json })
    }
}

fn read<T: DeserializeOwned>(json: &str) -> Option<T> {
    serde_json::from_str(json).ok()
}
