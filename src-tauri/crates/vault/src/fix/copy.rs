//! A whole copy of a skill's folder with some files changed: every file, empty folders too, with
//! the permissions and the owner that each has.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use skills::manifest::ReadManifestError;

use crate::disk::{self, Access};
use crate::error::VaultError;
use crate::fix::FixedFile;

/// Everything in a folder besides the bytes, by path relative to it; the folder itself is the empty
/// path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Shape {
    folders: BTreeMap<PathBuf, Access>,
    files: BTreeMap<PathBuf, Access>,
}

impl Shape {
    /// The folder as it is now.
    ///
    /// # Errors
    /// When something in it cannot be looked at, or is neither a file nor a folder.
    pub(super) fn of(top: &Path) -> Result<Self, VaultError> {
        let mut shape = Self { folders: BTreeMap::new(), files: BTreeMap::new() };
        let mut left = vec![PathBuf::new()];
        while let Some(path) = left.pop() {
            let place = at(top, &path);
            let metadata = place.symlink_metadata().map_err(VaultError::disk("look at", &place))?;
            let access = Access::of(&metadata);
            if metadata.is_dir() {
                for entry in std::fs::read_dir(&place).map_err(VaultError::disk("read", &place))? {
                    let entry = entry.map_err(VaultError::disk("read", &place))?;
                    left.push(path.join(entry.file_name()));
                }
                shape.folders.insert(path, access);
            } else if metadata.is_file() {
                shape.files.insert(path, access);
            } else if metadata.is_symlink() {
                return Err(ReadManifestError::Link(place).into());
            } else {
                return Err(ReadManifestError::Special(place).into());
            }
        }
        Ok(shape)
    }

    /// Writes the copy; `to` must not exist. `half` is called when half of the files are written.
    ///
    /// # Errors
    /// When the disk refuses; what was written so far is left.
    pub(super) fn copy(
        &self,
        from: &Path,
        to: &Path,
        fixed: &[FixedFile],
        half: impl Fn() -> Result<(), VaultError>,
    ) -> Result<(), VaultError> {
        // Outer folders come before inner ones.
        for folder in self.folders.keys() {
            disk::make_folder(&at(to, folder))?;
        }
        for (number, (file, access)) in self.files.iter().enumerate() {
            if number == self.files.len() / 2 {
                half()?;
            }
            let (old, new) = (from.join(file), to.join(file));
            match fixed.iter().find(|fixed| Path::new(&fixed.path) == file) {
                Some(fixed) => disk::write_like(&old, &new, &fixed.after, access)?,
                None => disk::copy_like(&old, &new, access)?,
            }
        }
        // A folder may be one that nothing can be written into: inner ones first.
        for (path, access) in self.folders.iter().rev() {
            let folder = at(to, path);
            disk::give_access(&at(from, path), &folder, access)?;
            disk::sync_folder(&folder)?;
        }
        to.parent().map_or(Ok(()), disk::sync_folder)
    }
}

/// The files in a folder that have other names on their disk, relative to it; empty where the system
/// does not count names.
pub(super) fn twins(top: &Path) -> Vec<PathBuf> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let Ok(shape) = Shape::of(top) else { return Vec::new() };
        let has_twin = |path: &PathBuf| {
            at(top, path).symlink_metadata().is_ok_and(|metadata| metadata.nlink() > 1)
        };
        shape.files.into_keys().filter(has_twin).collect()
    }
    #[cfg(not(unix))]
    {
        let _ = top;
        Vec::new()
    }
}

/// Joins without a separator at the end, through which a link would be followed.
fn at(top: &Path, path: &Path) -> PathBuf {
    if path.as_os_str().is_empty() { top.to_owned() } else { top.join(path) }
}
