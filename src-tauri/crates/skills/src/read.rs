//! Reading a skill's folder: every file, or an error that names the one that cannot be had.

mod listing;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

pub(crate) use self::listing::{ListedFile, Listing, list_files, location, survey};
use self::listing::{MAX_DEPTH, MAX_LISTED};
use crate::digest::Digest;
use crate::manifest::{Manifest, ManifestError, ManifestFile};
use crate::stamp::{Stamp, open_file};

/// Why a folder has no manifest.
#[derive(Debug, thiserror::Error)]
pub enum ReadManifestError {
    /// The folder is not there, or is not a folder.
    #[error("{} is not a folder", .0.display())]
    NotAFolder(PathBuf),
    /// A link inside of the skill: what it shows lies elsewhere.
    #[error("{} is a link, and a skill holds files only", .0.display())]
    Link(PathBuf),
    /// A socket, a pipe or a device.
    #[error("{} is neither a file nor a folder", .0.display())]
    Special(PathBuf),
    /// A name that is not UTF-8 has no path in a manifest.
    #[error("the name of {} is not UTF-8", .0.display())]
    NameNotUtf8(PathBuf),
    /// The file was written, replaced or removed meanwhile, or is no longer as the manifest says.
    #[error("{} changed while it was read", .0.display())]
    Changed(PathBuf),
    /// Folders too deep or too many files for a skill.
    #[error("{} holds more than one skill can: over {MAX_LISTED} files, or {MAX_DEPTH} folders deep", .0.display())]
    TooMuch(PathBuf),
    /// The system refused.
    #[error("cannot read {}", .path.display())]
    Unreadable {
        /// What could not be read.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// The files make no manifest.
    #[error("{} is not a skill: {source}", .path.display())]
    Manifest {
        /// The folder.
        path: PathBuf,
        /// Why.
        source: ManifestError,
    },
}

impl Manifest {
    /// Hashes every file below `dir`, hidden ones too. The limits are not applied here; `dir`
    /// itself may be a link to a folder.
    ///
    /// # Errors
    /// See [`ReadManifestError`]; the first file in order of paths that cannot be had.
    pub fn read(dir: &Path) -> Result<Self, ReadManifestError> {
        Self::read_listed(dir, list_files(dir)?)
    }

    /// Hashes files that were listed just before.
    pub(crate) fn read_listed(
        dir: &Path,
        listed: Vec<ListedFile>,
    ) -> Result<Self, ReadManifestError> {
        read_with_heads(dir, listed).map(|(manifest, _)| manifest)
    }
}

impl ReadManifestError {
    /// What it is about.
    pub fn path(&self) -> &Path {
        match self {
            Self::NotAFolder(path)
            | Self::Link(path)
            | Self::Special(path)
            | Self::NameNotUtf8(path)
            | Self::Changed(path)
            | Self::TooMuch(path)
            | Self::Unreadable { path, .. }
            | Self::Manifest { path, .. } => path,
        }
    }
}

/// The bytes of every file of the manifest, each checked again for size and digest. All of them are
/// held in memory: whoever cannot have that looks at [`Manifest::total_size`] first.
///
/// # Errors
/// [`ReadManifestError::Changed`] for a file that is not as the manifest says; else what
/// [`ReadManifestError`] names.
pub fn read_files(
    dir: &Path,
    manifest: &Manifest,
) -> Result<BTreeMap<String, Vec<u8>>, ReadManifestError> {
    manifest
        .files()
        .iter()
        .map(|file| {
            let location = location(dir, &file.path);
            for folder in
                file.path.match_indices('/').map(|(at, _)| self::location(dir, &file.path[..at]))
            {
                let metadata =
                    fs::symlink_metadata(&folder).map_err(|source| unreadable(&folder, source))?;
                if metadata.is_symlink() {
                    return Err(ReadManifestError::Link(folder));
                }
            }
            let bytes = read_file(&location, file.size)?;
            if bytes.len() as u64 != file.size || Digest::of(&bytes) != file.digest {
                return Err(ReadManifestError::Changed(location));
            }
            Ok((file.path.clone(), bytes))
        })
        .collect()
}

/// The bytes of one regular file, at most one more than `most`.
pub(crate) fn read_file(location: &Path, most: u64) -> Result<Vec<u8>, ReadManifestError> {
    read_with(location, None, |reader| {
        let mut bytes = Vec::new();
        reader.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
        Ok(bytes)
    })
}

/// What only a folder on a disk can tell of its files, and no manifest does.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LocalFiles {
    /// The files with the executable bit; always empty where the system has none.
    pub executable: BTreeSet<String>,
    /// The first bytes, at most [`HEAD`], of each file that was read.
    pub first_bytes: BTreeMap<String, Vec<u8>>,
}

/// The most bytes of a file that are kept to tell what it is.
pub const HEAD: usize = 64;

/// Reads through, and keeps what comes first.
struct Heading<'a> {
    reader: &'a mut dyn Read,
    head: Vec<u8>,
}

impl Read for Heading<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.reader.read(buffer)?;
        let wanted = HEAD.saturating_sub(self.head.len()).min(count);
        self.head.extend(buffer.get(..wanted).unwrap_or_default());
        Ok(count)
    }
}

/// Hashes files that were listed just before and keeps what only the disk can tell.
pub(crate) fn read_with_heads(
    dir: &Path,
    listed: Vec<ListedFile>,
) -> Result<(Manifest, LocalFiles), ReadManifestError> {
    let mut local = LocalFiles::default();
    let mut files = Vec::with_capacity(listed.len());
    for file in listed {
        let (digest, size, head) = read_with(&file.location(dir), Some(&file.stamp), |reader| {
            let mut reader = Heading { reader, head: Vec::new() };
            let (digest, size) = Digest::of_reader(&mut reader)?;
            Ok((digest, size, reader.head))
        })?;
        if file.executable {
            local.executable.insert(file.path.clone());
        }
        local.first_bytes.insert(file.path.clone(), head);
        files.push(ManifestFile { path: file.path, size, digest });
    }
    let manifest = Manifest::new(files)
        .map_err(|source| ReadManifestError::Manifest { path: dir.to_owned(), source })?;
    Ok((manifest, local))
}

/// Reads one regular file and makes sure that it is the same one, unwritten, before and after.
fn read_with<T>(
    location: &Path,
    listed: Option<&Stamp>,
    read: impl FnOnce(&mut dyn Read) -> io::Result<T>,
) -> Result<T, ReadManifestError> {
    let fail = |source| unreadable(location, source);
    let found = fs::symlink_metadata(location).map_err(fail)?;
    if found.is_symlink() {
        return Err(ReadManifestError::Link(location.to_owned()));
    }
    if !found.is_file() {
        return Err(ReadManifestError::Special(location.to_owned()));
    }
    let before = Stamp::of(&found);
    let changed = || ReadManifestError::Changed(location.to_owned());
    if listed.is_some_and(|listed| *listed != before) {
        return Err(changed());
    }
    let mut file = open_file(location).map_err(fail)?;
    if Stamp::of(&file.metadata().map_err(fail)?) != before {
        return Err(changed());
    }
    let value = read(&mut file).map_err(fail)?;
    let after = Stamp::of(&file.metadata().map_err(fail)?);
    let at_path = fs::symlink_metadata(location).map_err(|_| changed())?;
    if after != before || Stamp::of(&at_path) != before {
        return Err(changed());
    }
    Ok(value)
}

fn unreadable(path: &Path, source: io::Error) -> ReadManifestError {
    ReadManifestError::Unreadable { path: path.to_owned(), source }
}

#[cfg(test)]
mod tests;
