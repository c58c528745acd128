//! Putting a whole folder in its place: one interface, an atomic exchange where the system has one,
//! two renames elsewhere.

#[cfg(target_os = "linux")]
mod linux;
mod other;

use std::io;
use std::path::Path;

use crate::disk;

/// Where the old content is after an exchange.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Old {
    /// At the path that the new content came from.
    AtIncoming,
    /// At the path where it is to be kept.
    AtOutgoing,
}

/// Moves `from` to `to`, where nothing may be.
///
/// # Errors
/// What the system says; then nothing was moved.
pub(crate) fn place(from: &Path, to: &Path) -> io::Result<()> {
    #[cfg(target_os = "linux")]
    match linux::place(from, to) {
        Err(error) if linux::is_unsupported(&error) => {}
        done => return done,
    }
    other::place(from, to)
}

/// Gives a folder another name beside its own, where nothing else may be. On a disk that ignores
/// case the folder itself may be there.
///
/// # Errors
/// What the system says; then nothing was moved.
pub(crate) fn rename(from: &Path, to: &Path) -> io::Result<()> {
    let itself = disk::inode(to).is_some() && disk::inode(from) == disk::inode(to);
    if itself { other::rename(from, to) } else { place(from, to) }
}

/// Puts `incoming` in the place of `folder`. The old content is then where the result says.
///
/// # Errors
/// What the system says; then everything is where it was, or the journal says how to put it there.
pub(crate) fn exchange(incoming: &Path, folder: &Path, outgoing: &Path) -> io::Result<Old> {
    #[cfg(target_os = "linux")]
    match linux::exchange(incoming, folder) {
        Err(error) if linux::is_unsupported(&error) => {}
        done => return done.map(|()| Old::AtIncoming),
    }
    other::exchange(incoming, folder, outgoing).map(|()| Old::AtOutgoing)
}

/// The reverse of [`exchange`].
///
/// # Errors
/// What the system says.
pub(crate) fn exchange_back(
    incoming: &Path,
    folder: &Path,
    outgoing: &Path,
    old: Old,
) -> io::Result<()> {
    match old {
        Old::AtIncoming => exchange(incoming, folder, outgoing).map(|_| ()),
        Old::AtOutgoing => other::exchange(outgoing, folder, incoming),
    }
}
