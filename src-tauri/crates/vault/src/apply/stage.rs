//! Making what is to be placed whole outside of what tools scan, before it is swapped in.

use std::path::Path;

use skills::digest::Fingerprint;
use skills::manifest::Manifest;

use super::{Meter, Step};
use crate::change::{About, Act, ChangeHead};
use crate::disk;
use crate::error::VaultError;
use crate::journal::{Incoming, Pending, Phase};
use crate::link::holds;
use crate::placement::{Found, PlacedAs, Placement};
use crate::plan::{Plan, PlanItem};
use crate::prepare::Prepared;
use crate::target::Ground;
use crate::vault::Vault;

/// What stays the same from item to item.
pub(super) struct Run<'a> {
    pub(super) plan: &'a Plan,
    pub(super) prepared: &'a Prepared,
    pub(super) ground: &'a Ground<'a>,
    pub(super) head: &'a ChangeHead,
}

impl Run<'_> {
    pub(super) fn about(&self, act: Act) -> About {
        About {
            name: self.plan.name.clone(),
            act,
            origin: Some(self.prepared.origin.clone()),
            fingerprint: Some(self.plan.files.fingerprint()),
            fixed: None,
            links: Vec::new(),
        }
    }

    /// Fingerprint of what was approved or copied.
    fn source(&self) -> Fingerprint {
        let left_out = self.plan.left_out.as_ref();
        left_out.map_or_else(|| self.plan.files.fingerprint(), |left_out| left_out.served)
    }
}

impl Vault {
    /// Makes the canonical copy that a link is to lead to, if it is not there yet.
    pub(super) fn provide(
        &self,
        run: &Run<'_>,
        item: &PlanItem,
        canonical: &Path,
        meter: &mut Meter<'_>,
    ) -> Result<(), VaultError> {
        if self.placement(canonical)?.is_some() {
            let as_planned = holds(canonical, run.prepared);
            return if as_planned { Ok(()) } else { Err(VaultError::Changed(item.folder.clone())) };
        }
        let root = canonical.parent().unwrap_or(canonical);
        let mut pending = Pending {
            incoming: Some(Incoming::staged_in(self.data(), &item.name)),
            created: disk::missing(root),
            upkeep: true,
            ..Pending::of(run.head, 0, run.about(Act::Place), canonical, self.data())
        };
        self.bring(run, &mut pending, None, meter, &|| canonical.symlink_metadata().is_err())
    }

    /// Stages, swaps in and records what is intended: the files, or a link.
    pub(super) fn bring(
        &self,
        run: &Run<'_>,
        pending: &mut Pending,
        link: Option<&Path>,
        meter: &mut Meter<'_>,
        unchanged: &dyn Fn() -> bool,
    ) -> Result<(), VaultError> {
        let mut phase = Phase::Staging;
        pending.write(&self.ledger(), phase)?;
        let done = self
            .stage(run, pending, link, meter)
            .and_then(|()| {
                phase = Phase::Swapping;
                pending.write(&self.ledger(), phase)?;
                self.reached(Step::SwapJournaled)?;
                if unchanged() { Ok(()) } else { Err(VaultError::Changed(pending.folder.clone())) }
            })
            .and_then(|()| self.carry_out(pending));
        self.settled(done, phase, pending)
    }

    /// Makes what is intended outside of what tools scan, and reads all of it back from the disk: the
    /// files, or a link and what it leads to.
    fn stage(
        &self,
        run: &Run<'_>,
        pending: &mut Pending,
        link: Option<&Path>,
        meter: &mut Meter<'_>,
    ) -> Result<(), VaultError> {
        self.reached(Step::Journaled)?;
        pending.make_created()?;
        self.reached(Step::RootMade)?;
        let Some(incoming) = pending.incoming.as_mut() else { return Ok(()) };
        if let Some(staging) = &incoming.staging {
            disk::make_private(staging)?;
        }
        match link {
            None => self.stage_files(run, &incoming.path, &pending.folder, meter)?,
            Some(canonical) => {
                meter.next(&pending.folder, None)?;
                disk::make_link(canonical, &incoming.path)?;
                self.reached(Step::HalfStaged)?;
                incoming.path.parent().map_or(Ok(()), disk::sync_folder)?;
                if !disk::leads_to(&incoming.path, canonical) {
                    return Err(VaultError::ReadBack(incoming.path.clone()));
                }
            }
        }
        let (found, written) = Found::at(&incoming.path)?;
        if written != run.prepared.files {
            return Err(VaultError::ReadBack(incoming.path.clone()));
        }
        self.reached(Step::Staged)?;
        meter.next(&pending.folder, None)?;
        incoming.found = Some(found.clone());
        let mode = match link {
            None => PlacedAs::Copy,
            Some(canonical) => PlacedAs::Link { canonical: canonical.to_owned() },
        };
        // No tool reads a canonical copy but through a link, which has a record of its own.
        let tools =
            if self.is_canonical(&pending.folder) { Vec::new() } else { pending.tools.clone() };
        pending.after = Some(Placement {
            folder: pending.folder.clone(),
            name: run.plan.name.clone(),
            tools,
            origin: run.prepared.origin.clone(),
            source: run.source(),
            installed: written,
            found,
            at: run.head.at,
            change: run.head.id.clone(),
            mode,
            executable: run.prepared.executable.clone(),
        });
        Ok(())
    }

    /// Writes every file to a folder that is not there yet, and flushes it.
    fn stage_files(
        &self,
        run: &Run<'_>,
        place: &Path,
        folder: &Path,
        meter: &mut Meter<'_>,
    ) -> Result<(), VaultError> {
        disk::make_folder(place)?;
        let files = run.prepared.files.files();
        for (at, file) in files.iter().enumerate() {
            meter.next(folder, Some(&file.path))?;
            if at == files.len() / 2 {
                self.reached(Step::HalfStaged)?;
            }
            let bytes = run.prepared.contents.get(&file.path);
            let bytes = bytes.ok_or_else(|| VaultError::Changed(folder.to_owned()))?;
            let path = place.join(&file.path);
            for around in path.parent().map(disk::missing).unwrap_or_default() {
                disk::make_folder(&around)?;
            }
            disk::write_new(&path, bytes, run.prepared.executable.contains(&file.path))?;
            meter.wrote(file.size);
        }
        flush_folders(place, &run.prepared.files)
    }
}

/// Flushes every folder of a staged skill and the one around it, so that names are on the disk
/// before the swap is.
fn flush_folders(staged: &Path, files: &Manifest) -> Result<(), VaultError> {
    let mut folders: Vec<&str> = files
        .files()
        .iter()
        .flat_map(|file| file.path.match_indices('/').map(|(at, _)| &file.path[..at]))
        .collect();
    folders.sort_unstable();
    folders.dedup();
    for folder in folders {
        disk::sync_folder(&staged.join(folder))?;
    }
    disk::sync_folder(staged)?;
    staged.parent().map_or(Ok(()), disk::sync_folder)
}
