//! Room on the ledger's disk, taken before folders are moved and given back right before what was
//! done is recorded: a disk that is full refuses a change before it, not between it and its record.

use std::path::Path;

use crate::disk;
use crate::error::VaultError;
use crate::journal::Pending;

/// What one commit writes besides the rows themselves: pages of tables and indexes, in bytes.
const PAGES: usize = 256 * 1024;

/// How often what is known of a change is written again by its commit, at most.
const TIMES: usize = 4;

/// The file that takes the room, in Skillhold's own folder. Whoever writes it holds the right to
/// change folders.
const FILE: &str = "room";

/// Takes it.
///
/// # Errors
/// When there is no room.
pub(crate) fn take(data: &Path, pending: &Pending) -> Result<(), VaultError> {
    let rows = serde_json::to_vec(pending)?.len();
    let path = data.join(FILE);
    let taken = disk::fill(&path, PAGES + TIMES * rows);
    if taken.is_err() {
        give_back(data);
    }
    taken
}

/// Gives it back. Nothing there is fine, and so is a left-over of a process that ended.
pub(crate) fn give_back(data: &Path) {
    if let Err(error) = disk::remove_own_file(&data.join(FILE)) {
        tracing::warn!(%error, "room on the disk is not given back");
    }
}
