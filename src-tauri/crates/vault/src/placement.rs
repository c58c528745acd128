//! Where skills were placed. Ownership of a folder comes from this record alone.

use std::collections::{BTreeSet, HashMap, HashSet};
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
    /// Nowhere that is known of: it was there before, and the person had it taken into the record.
    Adopted,
}

/// What tells a folder and its content from others.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Found {
    /// The number that the file system gives the folder, where it does; it stays when the folder is
    /// renamed on its disk.
    pub inode: Option<u64>,
    /// When the folder was made, in nanoseconds since 1970, where the file system remembers that:
    /// the number of a folder that is gone may be given to another.
    #[serde(default)]
    pub born: Option<i64>,
    /// Of the content.
    pub fingerprint: Fingerprint,
    /// Where it leads, if it is a link that Skillhold made and no folder.
    #[serde(default)]
    pub link: Option<PathBuf>,
}

/// How a skill lies in a tool's folder.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub enum PlacedAs {
    /// As a folder of its own.
    #[default]
    Copy,
    /// As a link.
    Link {
        /// The copy that it leads to, a placement of its own without tools.
        canonical: PathBuf,
    },
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
    /// How it lies there.
    #[serde(default)]
    pub mode: PlacedAs,
    /// Paths of the files that were made executable.
    #[serde(default)]
    pub executable: BTreeSet<String>,
}

impl Placement {
    /// Fingerprint of what was written; differs from [`Self::source`] where requests were left out.
    pub fn installed_fingerprint(&self) -> Fingerprint {
        self.installed.fingerprint()
    }

    /// Why it counts as missing, as the disk is now; `None` when it is there.
    pub fn why_missing(&self) -> Option<String> {
        let is_gone = |path: &Path| path.symlink_metadata().is_err();
        if is_gone(&self.folder) {
            return Some(format!("there is nothing at {}", self.folder.display()));
        }
        self.canonical().filter(|canonical| is_gone(canonical)).map(|canonical| {
            format!(
                "the link {} leads to {}, which is gone",
                self.folder.display(),
                canonical.display()
            )
        })
    }

    /// The same content as the copy that it leads to.
    fn takes_content_of(&mut self, copy: &Self) {
        self.source = copy.source;
        self.installed.clone_from(&copy.installed);
        self.executable.clone_from(&copy.executable);
        self.origin.clone_from(&copy.origin);
    }

    /// The copy that it leads to, where it is a link.
    pub fn canonical(&self) -> Option<&Path> {
        match &self.mode {
            PlacedAs::Copy => None,
            PlacedAs::Link { canonical } => Some(canonical),
        }
    }
}

impl Found {
    /// The folder at this path, which can be read whole, or the link to one.
    pub(crate) fn at(path: &Path) -> Result<(Self, Manifest), VaultError> {
        let is_link = disk::read_link(path).is_some();
        let manifest = if is_link { Manifest::read(path)? } else { read_plain(path)? };
        Ok((Self::seen(path, manifest.fingerprint()), manifest))
    }

    /// The folder or link at this path, which has this content.
    pub(crate) fn seen(path: &Path, fingerprint: Fingerprint) -> Self {
        let (inode, born) = (disk::inode(path), disk::born(path));
        Self { inode, born, fingerprint, link: disk::read_link(path) }
    }

    /// False when the file system knows that this is another folder than that, or another link.
    pub(crate) fn may_be(&self, other: &Self) -> bool {
        let differ = |one: Option<u64>, two: Option<u64>| one.zip(two).is_some_and(|(a, b)| a != b);
        let times = self.born.zip(other.born);
        !differ(self.inode, other.inode) && times.is_none_or(|(one, other)| one == other)
    }

    /// What is at the folder of a placement: as [`Self::at`], and also a link of ours whose copy is
    /// gone, without a manifest then.
    pub(crate) fn at_place(placement: &Placement) -> Result<(Self, Option<Manifest>), VaultError> {
        let folder = &placement.folder;
        match &placement.mode {
            PlacedAs::Link { canonical }
                if disk::leads_to(folder, canonical) && canonical.symlink_metadata().is_err() =>
            {
                Ok((Self::seen(folder, placement.installed_fingerprint()), None))
            }
            _ => Self::at(folder).map(|(found, manifest)| (found, Some(manifest))),
        }
    }

    /// True when this folder, or one with this content, is at the path; or this very link, or one
    /// that leads where it did.
    pub(crate) fn is_at(&self, path: &Path) -> bool {
        match &self.link {
            Some(link) => disk::read_link(path).as_ref() == Some(link),
            None => {
                let plain = path.symlink_metadata().is_ok_and(|metadata| metadata.is_dir());
                plain && (self.is_same_folder(path) || self.has_content_of(path))
            }
        }
    }

    /// True when exactly this folder is at the path, whatever is in it, or exactly this link.
    pub(crate) fn is_same_folder(&self, path: &Path) -> bool {
        let now = Self::seen(path, self.fingerprint);
        now.inode.is_some() && self.inode.is_some() && self.may_be(&now) && self.link == now.link
    }

    /// True when it is this folder with this content, or this link: what lies where a link leads is
    /// not part of it.
    pub(crate) fn is_exactly_at(&self, path: &Path) -> bool {
        let is_same = self.inode.is_none() || self.is_same_folder(path);
        is_same && if self.link.is_some() { self.is_at(path) } else { self.has_content_of(path) }
    }

    /// How much it takes on its own disk, in bytes.
    pub(crate) fn size(&self, manifest: &Manifest) -> u64 {
        if self.link.is_some() { 0 } else { manifest.total_size() }
    }

    fn has_content_of(&self, path: &Path) -> bool {
        read_plain(path).is_ok_and(|now| now.fingerprint() == self.fingerprint)
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

    /// The placements in a folder of ours, however deep.
    pub(crate) fn placements_below(&self, folder: &Path) -> Result<Vec<Placement>, VaultError> {
        // `0` comes right after `/`: these two keys are around all that begins with `FOLDER/`.
        self.rows_where(
            "SELECT folder, json FROM placements WHERE folder > ?1 || '/' AND folder < ?1 || '0'
             ORDER BY folder",
            &key(folder),
        )
    }

    /// The placements that are links to this copy, as they are kept.
    pub(crate) fn links_to(&self, canonical: &Path) -> Result<Vec<Placement>, VaultError> {
        self.rows_where(
            "SELECT folder, json FROM placements
             WHERE CASE WHEN json_valid(json) THEN json_extract(json, '$.mode.canonical') END = ?1
             ORDER BY folder",
            &canonical.to_string_lossy(),
        )
    }

    fn rows_where(&self, query: &str, text: &str) -> Result<Vec<Placement>, VaultError> {
        let ledger = self.ledger();
        let mut statement = ledger.prepare_cached(query)?;
        let rows = statement
            .query_map([text], |row| Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?)))?;
        let mut read = Rows::new("placement");
        for row in rows {
            let (folder, json) = row?;
            read.add(&folder, serde_json::from_str(&json));
        }
        Ok(read.read)
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
        follow(&mut read.read);
        Ok(read)
    }

    /// The placement at a folder, given by its real path.
    ///
    /// # Errors
    /// When the ledger fails.
    pub fn placement(&self, folder: &Path) -> Result<Option<Placement>, VaultError> {
        let Some(mut placement) = self.recorded(folder)? else { return Ok(None) };
        if let PlacedAs::Link { canonical } = &placement.mode
            && let Some(copy) = self.recorded(canonical)?
        {
            placement.takes_content_of(&copy);
        }
        Ok(Some(placement))
    }

    fn recorded(&self, folder: &Path) -> Result<Option<Placement>, VaultError> {
        let json: Option<String> = self
            .ledger()
            .prepare_cached("SELECT json FROM placements WHERE folder = ?1")?
            .query_row(params![key(folder)], |row| row.get(0))
            .optional()?;
        Ok(json.map(|json| serde_json::from_str(&json)).transpose()?)
    }
}

impl Origin {
    /// The same skill of the same server, or the same folder.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (
                Self::Server { server, uri, .. },
                Self::Server { server: other_server, uri: other_uri, .. },
            ) => server == other_server && uri == other_uri,
            (Self::Folder { path }, Self::Folder { path: other_path }) => path == other_path,
            _ => false,
        }
    }
}

/// Gives links what their copies say of the content: it changes there, for all of them at once.
fn follow(placements: &mut [Placement]) {
    let linked: HashSet<PathBuf> = placements
        .iter()
        .filter_map(|placement| placement.canonical())
        .map(Path::to_owned)
        .collect();
    if linked.is_empty() {
        return;
    }
    let copies: HashMap<PathBuf, Placement> = placements
        .iter()
        .filter(|placement| linked.contains(&placement.folder))
        .map(|placement| (placement.folder.clone(), placement.clone()))
        .collect();
    for placement in placements {
        if let Some(copy) = placement.canonical().and_then(|canonical| copies.get(canonical)) {
            placement.takes_content_of(copy);
        }
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

/// How the record spells a folder. Folders in the record are UTF-8: others are refused before
/// anything is planned.
pub(crate) fn key(folder: &Path) -> String {
    stored(&folder.display().to_string(), cfg!(windows))
}

/// A path with `/` between its parts, whatever the system writes, so that one folder has one
/// spelling in the record.
fn stored(path: &str, windows: bool) -> String {
    if windows { path.replace('\\', "/") } else { path.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stored_paths_have_slashes_on_windows_and_are_as_they_are_elsewhere() {
        assert_eq!(stored(r"C:\Users\a\.claude\skills\pdf", true), "C:/Users/a/.claude/skills/pdf");
        assert_eq!(stored(r"\\?\C:\Users\a\skills", true), "//?/C:/Users/a/skills");
        assert_eq!(stored("C:/Users/a/skills", true), "C:/Users/a/skills");
        assert_eq!(stored(r"/home/a/odd\name", false), r"/home/a/odd\name");
    }
}
