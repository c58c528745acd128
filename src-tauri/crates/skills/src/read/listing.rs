//! What lies below a skill's folder, before any of it is read.

use std::fs::{self, Metadata};
use std::path::{Path, PathBuf};

use super::{ReadManifestError, unreadable};
use crate::folder::is_absence;
use crate::stamp::Stamp;

/// Folders inside each other that are followed before giving up.
pub(super) const MAX_DEPTH: usize = 64;

/// Files that are listed before giving up; a manifest over [`MAX_FILES`](crate::manifest::MAX_FILES)
/// is still shown, a home folder taken for a skill is not.
pub(super) const MAX_LISTED: usize = 20_000;

/// A file found below a skill's folder, not yet read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ListedFile {
    /// Relative to the skill, `/` between components.
    pub(crate) path: String,
    /// As it was when it was listed.
    pub(crate) stamp: Stamp,
    /// Whether it has the executable bit.
    pub(crate) executable: bool,
}

impl ListedFile {
    pub(super) fn location(&self, dir: &Path) -> PathBuf {
        location(dir, &self.path)
    }
}

/// Where a relative path with `/` lies.
pub(crate) fn location(dir: &Path, path: &str) -> PathBuf {
    let mut location = dir.to_owned();
    location.extend(path.split('/'));
    location
}

/// Every file below `dir` in byte order of paths; a link or a special file is an error.
pub(crate) fn list_files(dir: &Path) -> Result<Vec<ListedFile>, ReadManifestError> {
    let listing = survey(dir)?;
    match listing.problems.into_iter().next() {
        Some(problem) => Err(problem),
        None => Ok(listing.files),
    }
}

/// What lies below a folder: what can be read, and what stands in the way of a manifest.
#[derive(Debug, Default)]
pub(crate) struct Listing {
    /// In byte order of their paths.
    pub(crate) files: Vec<ListedFile>,
    /// In byte order of where they are.
    pub(crate) problems: Vec<ReadManifestError>,
}

/// Lists everything below `dir`, which may itself be a link to a folder. Links inside are not
/// followed, and what cannot be listed does not hide the rest.
///
/// # Errors
/// [`ReadManifestError::NotAFolder`], [`ReadManifestError::TooMuch`], or
/// [`ReadManifestError::Unreadable`] where `dir` itself cannot be listed.
pub(crate) fn survey(dir: &Path) -> Result<Listing, ReadManifestError> {
    match fs::metadata(dir) {
        Ok(metadata) if metadata.is_dir() => {}
        Err(source) if !is_absence(&source) => return Err(unreadable(dir, source)),
        _ => return Err(ReadManifestError::NotAFolder(dir.to_owned())),
    }
    let mut listing = Listing::default();
    list_into(dir, "", 0, &mut listing)?;
    listing.files.sort_by(|a, b| a.path.cmp(&b.path));
    listing.problems.sort_by(|a, b| a.path().cmp(b.path()));
    Ok(listing)
}

fn list_into(
    dir: &Path,
    prefix: &str,
    depth: usize,
    listing: &mut Listing,
) -> Result<(), ReadManifestError> {
    if depth > MAX_DEPTH {
        return Err(ReadManifestError::TooMuch(dir.to_owned()));
    }
    for child in fs::read_dir(dir).map_err(|source| unreadable(dir, source))? {
        let child = child.map_err(|source| unreadable(dir, source))?;
        if listing.files.len() + listing.problems.len() == MAX_LISTED {
            return Err(ReadManifestError::TooMuch(dir.to_owned()));
        }
        let location = child.path();
        let metadata = match fs::symlink_metadata(&location) {
            Ok(metadata) => metadata,
            Err(source) => {
                listing.problems.push(unreadable(&location, source));
                continue;
            }
        };
        let Some(name) = child.file_name().to_str().map(str::to_owned) else {
            listing.problems.push(ReadManifestError::NameNotUtf8(location));
            continue;
        };
        let path = format!("{prefix}{name}");
        if metadata.is_symlink() {
            listing.problems.push(ReadManifestError::Link(location));
        } else if metadata.is_dir() {
            match list_into(&location, &format!("{path}/"), depth + 1, listing) {
                Ok(()) => {}
                Err(error @ ReadManifestError::TooMuch(_)) => return Err(error),
                Err(error) => listing.problems.push(error),
            }
        } else if metadata.is_file() {
            let executable = is_executable(&metadata);
            listing.files.push(ListedFile { path, stamp: Stamp::of(&metadata), executable });
        } else {
            listing.problems.push(ReadManifestError::Special(location));
        }
    }
    Ok(())
}

/// Whether the system would run the file, for anyone.
fn is_executable(metadata: &Metadata) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        metadata.permissions().mode() & 0o111 != 0
    }
    #[cfg(not(unix))]
    {
        let _ = metadata;
        false
    }
}
