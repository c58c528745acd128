//! Where skills were placed. Ownership of a folder comes from this record alone.

use std::path::{Path, PathBuf};

use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, params};
use serde::{Deserialize, Serialize};
use skills::digest::Fingerprint;
use skills::manifest::Manifest;
use skills::origin::ServerId;

use crate::disk;
use crate::error::VaultError;
use crate::ledger::Rows;
use crate::vault::Vault;

/// Where a placed skill came from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub enum Origin {
    /// A server; what is known of it here outlives the server.
    Server {
        /// Its id.
        server: ServerId,
        /// Its label when the skill was installed.
        label: String,
        /// Its address or command line.
        address: String,
        /// The skill's URI.
        uri: String,
    },
    /// A folder on this disk.
    Folder {
        /// Its real path.
        path: PathBuf,
    },
}

/// What tells a folder and its content from others.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Found {
    /// The number that the file system gives the folder, where it does; it stays when the folder is
    /// renamed on its disk.
    pub inode: Option<u64>,
    /// Of the content.
    pub fingerprint: Fingerprint,
}

/// A skill in a tool's folder that Skillhold placed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Placement {
    /// The real path of the skill's folder.
    pub folder: PathBuf,
    /// The skill's own name, which may differ from the folder's.
    pub name: String,
    /// Ids of the tools that it was placed for.
    pub tools: Vec<String>,
    /// Where it came from.
    pub origin: Origin,
    /// Fingerprint of what was approved, or of the folder that was copied.
    pub source: Fingerprint,
    /// Every file as it was written and read back.
    pub installed: Manifest,
    /// The folder as it was put in place.
    pub found: Found,
    /// When.
    pub at: Timestamp,
    /// The change that placed it.
    pub change: String,
}

impl Placement {
    /// Fingerprint of what was written; differs from [`Self::source`] where requests were left out.
    pub fn installed_fingerprint(&self) -> Fingerprint {
        self.installed.fingerprint()
    }
}

impl Found {
    /// The folder at this path, which must be a plain folder that can be read whole.
    pub(crate) fn at(path: &Path) -> Result<(Self, Manifest), VaultError> {
        let manifest = read_plain(path)?;
        Ok((Self { inode: disk::inode(path), fingerprint: manifest.fingerprint() }, manifest))
    }

    /// True when this folder, or one with this content, is at the path.
    pub(crate) fn is_at(&self, path: &Path) -> bool {
        let plain = path.symlink_metadata().is_ok_and(|metadata| metadata.is_dir());
        plain
            && (self.is_same_folder(path)
                || read_plain(path).is_ok_and(|read| read.fingerprint() == self.fingerprint))
    }

    /// True when exactly this folder is at the path, whatever is in it.
    pub(crate) fn is_same_folder(&self, path: &Path) -> bool {
        self.inode.is_some() && self.inode == disk::inode(path)
    }
}

/// The manifest of a folder that is not itself a link.
pub(crate) fn read_plain(path: &Path) -> Result<Manifest, VaultError> {
    let metadata = path.symlink_metadata().map_err(VaultError::disk("read", path))?;
    if metadata.is_symlink() {
        return Err(skills::manifest::ReadManifestError::Link(path.to_owned()).into());
    }
    Ok(Manifest::read(path)?)
}

impl Vault {
    /// Every placement, in order of folders. One that cannot be read is left out with a warning;
    /// its folder is not changed until [`Vault::placement`] can read it.
    ///
    /// # Errors
    /// When the ledger fails.
    pub fn placements(&self) -> Result<Vec<Placement>, VaultError> {
        Ok(self.placement_rows()?.read)
    }

    pub(crate) fn placement_rows(&self) -> Result<Rows<Placement>, VaultError> {
        let ledger = self.ledger();
        let mut statement =
            ledger.prepare_cached("SELECT folder, json FROM placements ORDER BY folder")?;
        let rows = statement
            .query_map([], |row| Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?)))?;
        let mut read = Rows::new("placement");
        for row in rows {
            let (folder, json) = row?;
            read.add(&folder, serde_json::from_str(&json));
        }
        Ok(read)
    }

    /// The placement at a folder, given by its real path.
    ///
    /// # Errors
    /// When the ledger fails.
    pub fn placement(&self, folder: &Path) -> Result<Option<Placement>, VaultError> {
        let json: Option<String> = self
            .ledger()
            .query_row(
                "SELECT json FROM placements WHERE folder = ?1",
                params![key(folder)],
                |row| row.get(0),
            )
            .optional()?;
        Ok(json.map(|json| serde_json::from_str(&json)).transpose()?)
    }
}

/// Makes the record of a folder say this.
pub(crate) fn record(
    ledger: &Connection,
    folder: &Path,
    placement: Option<&Placement>,
) -> Result<(), VaultError> {
    match placement {
        None => ledger.execute("DELETE FROM placements WHERE folder = ?1", params![key(folder)])?,
        Some(placement) => ledger.execute(
            "INSERT OR REPLACE INTO placements VALUES (?1, ?2)",
            params![key(folder), serde_json::to_string(placement)?],
        )?,
    };
    Ok(())
}

/// Folders in the record are UTF-8: others are refused before anything is planned.
fn key(folder: &Path) -> String {
    folder.display().to_string()
}
