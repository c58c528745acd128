//! Links to folders: symbolic ones, or on Windows, where those need a privilege, junctions. A link
//! is one entry of the folder around it: it is renamed and removed like a file, and nothing here
//! goes through one.

use std::io;
use std::path::{Path, PathBuf};

use super::{make_private, remove_own};
use crate::error::VaultError;

/// Makes a link to a folder at a path where nothing may be.
pub(crate) fn make_link(target: &Path, path: &Path) -> Result<(), VaultError> {
    link(target, path).map_err(VaultError::disk("make the link", path))
}

#[cfg(unix)]
fn link(target: &Path, path: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(target, path)
}

#[cfg(windows)]
fn link(target: &Path, path: &Path) -> io::Result<()> {
    std::os::windows::fs::symlink_dir(target, path).or_else(|_| junction::create(target, path))
}

#[cfg(not(any(unix, windows)))]
fn link(_: &Path, _: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Where a link leads, as it is written in it; `None` where there is no link.
pub(crate) fn read_link(path: &Path) -> Option<PathBuf> {
    std::fs::read_link(path).ok()
}

/// True when a link is at the path and leads to this folder, there or not.
pub(crate) fn leads_to(path: &Path, target: &Path) -> bool {
    // The system may spell the target in another way than it was given.
    read_link(path)
        .is_some_and(|link| link == target || path.canonicalize().is_ok_and(|real| real == target))
}

/// Whether links can be made and followed in a folder of ours, which is made for it where it is
/// missing. Nothing is left there.
pub(crate) fn takes_links(store: &Path, target: &Path) -> bool {
    let is_new = store.symlink_metadata().is_err();
    let own = store.join(format!("probe-{}", uuid::Uuid::new_v4().simple()));
    let probe = own.join("link");
    let taken = make_private(&own)
        .and_then(|()| make_link(target, &probe))
        .is_ok_and(|()| leads_to(&probe, target) && probe.is_dir());
    if let Err(error) = remove_own(&own) {
        tracing::warn!(%error, "what was made to try out links is left");
    }
    if is_new {
        super::remove_empty(store);
    }
    taken
}
