//! Looking after what was placed: how each placement stands to the disk and to what is offered, and
//! the plan of an update.

use std::path::{Path, PathBuf};

use skills::entry::Entry;
use skills::manifest::Manifest;

use crate::approval::Standing;
use crate::drift::{Drift, State};
use crate::error::VaultError;
use crate::placement::{Origin, Placement};
use crate::plan::{OnConflict, Plan, Source};
use crate::vault::Vault;

/// What is offered now where a skill came from.
#[derive(Debug, Clone, Copy)]
pub enum Offered<'a> {
    /// Nothing is known of it: the server is away, or was not asked.
    Unknown,
    /// The server does not list it, or the folder that it was copied from is gone.
    Absent,
    /// The server offers this.
    Entry(&'a Entry),
    /// The folder that it was copied from holds this.
    Folder(&'a Manifest),
}

impl Vault {
    /// How a placement stands to the disk and to what is offered. `on_disk` is what the library read
    /// at its folder, through a link where it is one; without it the folder is read. Digests decide;
    /// what was left out when it was installed is no edit. An edit says more than that something is
    /// no longer offered.
    pub fn state(
        &self,
        placement: &Placement,
        on_disk: Option<&Manifest>,
        offered: Offered<'_>,
    ) -> State {
        let drift = match on_disk {
            Some(manifest) => Drift::as_read(placement, manifest),
            None => Drift::on_disk(placement),
        };
        let newer = match offered {
            Offered::Unknown | Offered::Absent => false,
            Offered::Entry(entry) => entry.fingerprint() != placement.source,
            Offered::Folder(manifest) => manifest.fingerprint() != placement.source,
        };
        match drift {
            Drift::InSync if matches!(offered, Offered::Absent) => State::NoLongerOffered,
            Drift::InSync if newer => {
                State::UpdateAvailable { approved: self.is_approved(placement, offered) }
            }
            Drift::Edited { .. } if newer => State::Diverged,
            drift => State::of(drift),
        }
    }

    /// Whether what is offered may be installed as it is. What the record cannot say is not approved.
    fn is_approved(&self, placement: &Placement, offered: Offered<'_>) -> bool {
        match (&placement.origin, offered) {
            (Origin::Server { server, .. }, Offered::Entry(entry)) => {
                let standing = self.server(server).and_then(|server| self.standing(&server, entry));
                matches!(standing, Ok(Standing::Approved(_)))
            }
            (_, Offered::Folder(_)) => true,
            _ => false,
        }
    }

    /// Every placement with what the disk says of it, in order of folders. Nothing that is wrong with
    /// one keeps the others from being looked at.
    ///
    /// # Errors
    /// When the ledger fails.
    pub fn reconcile(&self) -> Result<Vec<(Placement, Drift)>, VaultError> {
        let looked = |placement: Placement| {
            let drift = Drift::on_disk(&placement);
            (placement, drift)
        };
        Ok(self.placements()?.into_iter().map(looked).collect())
    }

    /// Works out what bringing a placement, given by its folder as recorded, up to `source` would
    /// do. An edited one is kept, and the plan says so, unless `on_edited` is to replace it; the
    /// edited one is then kept for undo. What is placed as a link is brought up in the copy that the
    /// link leads to, so the plan's one item names every tool that has a link to it. Files that were
    /// made executable stay so.
    ///
    /// # Errors
    /// When nothing is recorded at the folder; else as [`Vault::plan`].
    pub fn plan_update(
        &self,
        folder: &Path,
        source: Source,
        on_edited: OnConflict,
        scanned: &[PathBuf],
    ) -> Result<Plan, VaultError> {
        self.planner(scanned).update(folder, source, on_edited)
    }
}
