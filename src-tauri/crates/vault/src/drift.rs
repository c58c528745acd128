//! Whether what was installed is still as it was installed: digests decide.

use std::io;
use std::path::Path;

use skills::digest::Digest;
use skills::manifest::{Manifest, ManifestError, ManifestFile, ReadManifestError};

use crate::disk;
use crate::error::VaultError;
use crate::placement::{Found, Placement};

/// How an installed skill differs from what was installed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Drift {
    /// Byte for byte the same.
    InSync,
    /// Files were changed, added or removed.
    Edited {
        /// The files are the same but for their line endings.
        only_line_endings: bool,
    },
    /// The folder is gone.
    Missing,
    /// Something else is there: another folder with other content, a link, a file.
    Replaced,
    /// It cannot be told, and why.
    Unreadable(String),
}

impl Drift {
    /// Compares a placement with the disk.
    pub fn on_disk(placement: &Placement) -> Self {
        let folder = &placement.folder;
        match folder.symlink_metadata() {
            Err(error)
                if matches!(
                    error.kind(),
                    io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
                ) =>
            {
                return Self::Missing;
            }
            Err(error) => {
                return Self::Unreadable(format!("cannot look at {}: {error}", folder.display()));
            }
            Ok(metadata) if !metadata.is_dir() => return Self::Replaced,
            Ok(_) => {}
        }
        match Found::at(folder) {
            Ok((found, manifest)) => Self::of(placement, &manifest, &found),
            // Nothing that Skillhold writes holds a link, or lacks its SKILL.md.
            Err(VaultError::Read(
                ReadManifestError::Link(_)
                | ReadManifestError::Special(_)
                | ReadManifestError::NameNotUtf8(_)
                | ReadManifestError::TooMuch(_)
                | ReadManifestError::Manifest { source: ManifestError::NoMainFile, .. },
            )) => {
                if placement.found.is_same_folder(folder) {
                    Self::Edited { only_line_endings: false }
                } else {
                    Self::Replaced
                }
            }
            Err(error) => Self::Unreadable(error.to_string()),
        }
    }

    /// Compares a placement with what was found at its folder.
    pub(crate) fn of(placement: &Placement, now: &Manifest, found: &Found) -> Self {
        if *now == placement.installed {
            return Self::InSync;
        }
        let same_folder = match (placement.found.inode, found.inode) {
            (Some(then), Some(now)) => then == now,
            _ => true,
        };
        let only_line_endings = only_line_endings(placement, now);
        // Editors and other installers replace whole folders; same files under the same names with
        // other line endings are still this skill.
        if same_folder || only_line_endings {
            Self::Edited { only_line_endings }
        } else {
            Self::Replaced
        }
    }
}

fn only_line_endings(placement: &Placement, now: &Manifest) -> bool {
    let pairs = placement.installed.files().iter().zip(now.files());
    placement.installed.files().len() == now.files().len()
        && pairs.clone().all(|(then, now)| then.path == now.path)
        && pairs
            .into_iter()
            .all(|(then, now)| then == now || differs_in_line_endings(&placement.folder, then))
}

/// True when some uniform choice of line endings makes the file's bytes what was installed.
fn differs_in_line_endings(folder: &Path, installed: &ManifestFile) -> bool {
    // Line endings at most double the size of a file.
    let most = installed.size.saturating_mul(2);
    let Ok(Some(bytes)) = disk::read(&folder.join(&installed.path), most) else { return false };
    let Ok(text) = String::from_utf8(bytes) else { return false };
    let unix = text.replace("\r\n", "\n").replace('\r', "\n");
    let is = |text: &str| Digest::of(text.as_bytes()) == installed.digest;
    is(&unix) || is(&unix.replace('\n', "\r\n")) || is(&unix.replace('\n', "\r"))
}
