//! Carrying out what is in the journal: swap, flush, record.

use std::path::Path;

use super::Step;
use crate::disk;
use crate::error::VaultError;
use crate::journal::{Pending, leave_incoming};
use crate::placement::Found;
use crate::room;
use crate::swap::{self, Old};
use crate::vault::Vault;

impl Vault {
    /// Moves the folders of a journaled item, makes sure that what came out is what was seen,
    /// flushes, and records.
    pub(crate) fn carry_out(&self, pending: &Pending) -> Result<(), VaultError> {
        let folder = &pending.folder;
        let failed = VaultError::disk("put a folder in the place of", folder);
        if let Some(own) = pending.outgoing.as_ref().and_then(|outgoing| outgoing.kept.parent()) {
            disk::make_private(own)?;
        }
        room::take(self.data(), pending)?;
        self.reached(Step::Checked)?;
        match (&pending.incoming, &pending.outgoing) {
            (None, None) => {}
            (Some(incoming), None) if pending.moved.is_some() => {
                swap::rename(&incoming.path, folder).map_err(failed)?;
                self.reached(Step::Swapped)?;
                let exact = incoming.found.as_ref().is_some_and(|found| is_exactly(found, folder));
                if !exact {
                    let back = VaultError::disk("put back", &incoming.path);
                    swap::rename(folder, &incoming.path).map_err(back)?;
                    return Err(VaultError::Changed(incoming.path.clone()));
                }
            }
            (Some(incoming), None) => {
                swap::place(&incoming.path, folder).map_err(failed)?;
                self.reached(Step::Swapped)?;
            }
            (None, Some(outgoing)) => {
                let leaves = pending.leaves();
                swap::place(leaves, &outgoing.kept).map_err(failed)?;
                self.reached(Step::Swapped)?;
                if !is_exactly(&outgoing.found, &outgoing.kept) {
                    swap::place(&outgoing.kept, leaves)
                        .map_err(VaultError::disk("put back", leaves))?;
                    return Err(VaultError::Changed(leaves.to_owned()));
                }
            }
            // Under another name the new one comes first: at no moment is there none.
            (Some(incoming), Some(outgoing)) if pending.moved.is_some() => {
                let leaves = pending.leaves();
                swap::place(&incoming.path, folder).map_err(failed)?;
                self.reached(Step::Swapped)?;
                let kept = swap::place(leaves, &outgoing.kept)
                    .map_err(VaultError::disk("keep what was at", leaves))
                    .and_then(|()| {
                        if is_exactly(&outgoing.found, &outgoing.kept) {
                            return Ok(());
                        }
                        swap::place(&outgoing.kept, leaves)
                            .map_err(VaultError::disk("put back", leaves))?;
                        Err(VaultError::Changed(leaves.to_owned()))
                    });
                if let Err(error) = kept {
                    swap::place(folder, &incoming.path)
                        .map_err(VaultError::disk("take away", folder))?;
                    return Err(error);
                }
            }
            (Some(incoming), Some(outgoing)) => {
                let old = swap::exchange(&incoming.path, folder, &outgoing.kept).map_err(failed)?;
                self.reached(Step::Swapped)?;
                let old_at = if old == Old::AtIncoming { &incoming.path } else { &outgoing.kept };
                if !is_exactly(&outgoing.found, old_at) {
                    swap::exchange_back(&incoming.path, folder, &outgoing.kept, old)
                        .map_err(VaultError::disk("put back", folder))?;
                    return Err(VaultError::Changed(folder.clone()));
                }
                if old == Old::AtIncoming {
                    swap::place(&incoming.path, &outgoing.kept)
                        .map_err(VaultError::disk("keep", &outgoing.kept))?;
                }
            }
        }
        self.reached(Step::OldKept)?;
        self.record(pending)
    }

    /// Flushes the folders around a swap that is done, and makes the record agree.
    pub(crate) fn record(&self, pending: &Pending) -> Result<(), VaultError> {
        if pending.incoming.is_some() || pending.outgoing.is_some() {
            disk::sync_folder(pending.root())?;
        }
        for made in &pending.created {
            if let Some(around) = made.parent() {
                disk::sync_folder(around)?;
            }
        }
        if let Some(own) = pending.outgoing.as_ref().and_then(|outgoing| outgoing.kept.parent()) {
            disk::sync_folder(own)?;
        }
        self.reached(Step::Flushed)?;
        if let Some(incoming) = &pending.incoming {
            leave_incoming(incoming);
        }
        room::give_back(self.data());
        self.commit(pending)?;
        self.reached(Step::Committed)?;
        for folder in &pending.emptied {
            disk::remove_empty(folder);
        }
        Ok(())
    }

    /// Where a test may end the work as a crash would.
    #[cfg(not(any(test, feature = "failure-points")))]
    #[expect(
        clippy::unused_self,
        clippy::unnecessary_wraps,
        reason = "the tests' version needs both"
    )]
    pub(crate) fn reached(&self, _: Step) -> Result<(), VaultError> {
        Ok(())
    }
}

/// True when it is this folder with this content, or this link.
pub(crate) fn is_exactly(found: &Found, path: &Path) -> bool {
    found.is_exactly_at(path)
}
