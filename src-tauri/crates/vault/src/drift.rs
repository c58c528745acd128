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

/// How an installed skill stands to the disk and to what is offered where it came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum State {
    /// As it was installed, and nothing newer is known of.
    InSync,
    /// Files were changed, added or removed here.
    Edited {
        /// The files are the same but for their line endings.
        only_line_endings: bool,
    },
    /// As it was installed, and something else is offered now.
    UpdateAvailable {
        /// What is offered is approved, so it can be installed without a review.
        approved: bool,
    },
    /// Changed here, and something else is offered now.
    Diverged,
    /// The folder is gone, or the copy that a link leads to.
    Missing,
    /// Something else is there.
    Replaced,
    /// As it was installed, and not offered any more. That removes nothing.
    NoLongerOffered,
    /// It cannot be told, and why.
    Unreadable(String),
}

impl State {
    /// What the disk alone says.
    pub(crate) fn of(drift: Drift) -> Self {
        match drift {
            Drift::InSync => Self::InSync,
            Drift::Edited { only_line_endings } => Self::Edited { only_line_endings },
            Drift::Missing => Self::Missing,
            Drift::Replaced => Self::Replaced,
            Drift::Unreadable(why) => Self::Unreadable(why),
        }
    }
}

impl Drift {
    /// Compares a placement with the disk. A link is judged by where it leads and by the copy there.
    pub fn on_disk(placement: &Placement) -> Self {
        if let Some(drift) = amiss(placement) {
            return drift;
        }
        match Found::at(&placement.folder) {
            Ok((found, manifest)) => Self::of(placement, &manifest, &found),
            // Nothing that Skillhold writes holds a link, or lacks its SKILL.md.
            Err(VaultError::Read(
                ReadManifestError::Link(_)
                | ReadManifestError::Special(_)
                | ReadManifestError::NameNotUtf8(_)
                | ReadManifestError::TooMuch(_)
                | ReadManifestError::Manifest { source: ManifestError::NoMainFile, .. },
            )) => {
                let is_link = placement.canonical().is_some();
                if is_link || placement.found.is_same_folder(&placement.folder) {
                    Self::Edited { only_line_endings: false }
                } else {
                    Self::Replaced
                }
            }
            Err(error) => Self::Unreadable(error.to_string()),
        }
    }

    /// Compares a placement with what somebody else read at its folder just now.
    pub(crate) fn as_read(placement: &Placement, manifest: &Manifest) -> Self {
        amiss(placement).unwrap_or_else(|| {
            let found = Found::seen(&placement.folder, manifest.fingerprint());
            Self::of(placement, manifest, &found)
        })
    }

    /// Compares a placement with what was found at its folder.
    pub(crate) fn of(placement: &Placement, now: &Manifest, found: &Found) -> Self {
        // A folder in the place of a link of ours is somebody else's, whatever is in it.
        if placement.canonical().is_some() && found.link.is_none() {
            return Self::Replaced;
        }
        if *now == placement.installed {
            return Self::InSync;
        }
        // What a link leads to is edited there; where it leads was compared already.
        let same_folder = placement.canonical().is_some() || placement.found.may_be(found);
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

/// What is wrong with the folder of a placement, or with the link there, without a look inside.
fn amiss(placement: &Placement) -> Option<Drift> {
    let folder = &placement.folder;
    let plain = match is_folder(folder) {
        Ok(plain) => plain,
        Err(drift) => return Some(drift),
    };
    match placement.canonical() {
        None => (!plain).then_some(Drift::Replaced),
        Some(canonical) if !disk::leads_to(folder, canonical) => Some(Drift::Replaced),
        Some(canonical) => match is_folder(canonical) {
            Ok(true) => None,
            Ok(false) => Some(Drift::Replaced),
            Err(drift) => Some(drift),
        },
    }
}

/// Whether a plain folder is at the path, which is no link; what it means when nothing is.
fn is_folder(path: &Path) -> Result<bool, Drift> {
    use io::ErrorKind::{NotADirectory, NotFound};
    match path.symlink_metadata() {
        Ok(metadata) => Ok(metadata.is_dir()),
        Err(error) if matches!(error.kind(), NotFound | NotADirectory) => Err(Drift::Missing),
        Err(error) => Err(Drift::Unreadable(format!("cannot look at {}: {error}", path.display()))),
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
