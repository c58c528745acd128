//! Carrying a plan out: stage, read back, swap, record; item by item.

use std::ops::ControlFlow;
use std::path::Path;

use jiff::Timestamp;
use skills::manifest::Manifest;

use crate::change::{ApplyProgress, Change, ChangeHead, ItemOutcome, ItemResult};
use crate::disk;
use crate::error::VaultError;
use crate::journal::{Incoming, Pending, Phase, leave_incoming};
use crate::placement::{Found, Origin, Placement, read_plain};
use crate::plan::{Action, OnConflict, Plan, PlanItem, Source};
use crate::prepare::Prepared;
use crate::recover::Settled;
use crate::swap::{self, Old};
use crate::target::{Ground, Wish, still_as_seen};
use crate::vault::Vault;

/// What was just done to a folder: the points at which a crash must do no harm.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    /// The intention is in the ledger.
    Journaled,
    /// A missing root is made.
    RootMade,
    /// Half of the files are staged.
    HalfStaged,
    /// Every file is staged and read back.
    Staged,
    /// The swap is in the ledger.
    SwapJournaled,
    /// The folder is in its place, or away from it.
    Swapped,
    /// What was there is in the trash.
    OldKept,
    /// Everything is flushed to the disk.
    Flushed,
    /// The record says so.
    Committed,
}

/// Counts what is written over all items.
struct Meter<'a> {
    progress: &'a mut dyn FnMut(ApplyProgress) -> ControlFlow<()>,
    now: ApplyProgress,
    stopped: bool,
}

/// What stays the same from item to item.
struct Run<'a> {
    plan: &'a Plan,
    prepared: &'a Prepared,
    ground: &'a Ground<'a>,
    head: ChangeHead,
}

impl Vault {
    /// Carries a plan out. Each item is checked again right before it is touched: against the
    /// record, the approvals and the disk. An item that fails stays as it was and the others go on.
    /// `progress` is called between files and items; when it breaks, the item it is at is taken
    /// back and the rest is not begun.
    ///
    /// # Errors
    /// When the plan has blockers or is not as it was made, when another change is being made, or
    /// when the ledger fails. What goes wrong with one item is in its outcome.
    pub fn apply(
        &self,
        plan: &Plan,
        progress: &mut dyn FnMut(ApplyProgress) -> ControlFlow<()>,
    ) -> Result<Change, VaultError> {
        if plan.id != plan.computed_id()? {
            return Err(VaultError::BadInput("the plan is not as it was made".to_owned()));
        }
        if !plan.blockers.is_empty() {
            return Err(VaultError::NotApproved(plan.blockers.join("; ")));
        }
        let lock = self.lock_changes()?;
        self.recover(&lock)?;
        let prepared = self.prepare(&plan.source)?;
        let ground = Ground::of(self.data(), &plan.scanned);
        let head = ChangeHead {
            id: uuid::Uuid::new_v4().simple().to_string(),
            at: Timestamp::now(),
            name: plan.name.clone(),
            origin: origin(&plan.source, &prepared),
            fingerprint: plan.files.fingerprint(),
            undoes: None,
            fixed: None,
        };
        let run = Run { plan, prepared: &prepared, ground: &ground, head };
        let mut meter = Meter::new(plan, progress);
        let mut items = Vec::new();
        for (position, item) in (0..).zip(&plan.items) {
            let outcome = match item.action {
                Action::Keep => Ok(ItemResult::Kept),
                Action::Refuse => {
                    Err(VaultError::Refused(item.message.clone().unwrap_or_default()))
                }
                Action::Write | Action::Replace if meter.stopped => {
                    Err(VaultError::Stopped(item.folder.clone()))
                }
                Action::Write | Action::Replace => self.place(&run, position, item, &mut meter),
            };
            if let Err(error) = &outcome
                && error.is_crash()
            {
                return outcome.map(|_| Change { id: run.head.id, name: run.head.name, items });
            }
            let (result, error) = match outcome {
                Ok(result) => (result, None),
                Err(error) => (ItemResult::Failed, Some(error)),
            };
            items.push(ItemOutcome {
                tools: item.tools.clone(),
                folder: item.folder.clone(),
                result,
                error,
            });
        }
        Ok(Change { id: run.head.id, name: run.head.name, items })
    }

    /// Brings one item into its place, or leaves everything as it was.
    fn place(
        &self,
        run: &Run<'_>,
        position: u32,
        item: &PlanItem,
        meter: &mut Meter<'_>,
    ) -> Result<ItemResult, VaultError> {
        self.check_again(run, item)?;
        let mut pending = self.intend(run, position, item)?;
        let mut phase = Phase::Staging;
        pending.write(&self.ledger(), phase)?;
        let done = self
            .stage(run, &mut pending, item, meter)
            .and_then(|()| {
                phase = Phase::Swapping;
                pending.write(&self.ledger(), phase)?;
                self.reached(Step::SwapJournaled)?;
                if still_as_seen(item) {
                    Ok(())
                } else {
                    Err(VaultError::Changed(item.folder.clone()))
                }
            })
            .and_then(|()| self.carry_out(&pending));
        self.settled(done, phase, &pending)?;
        Ok(if pending.outgoing.is_some() { ItemResult::Replaced } else { ItemResult::Written })
    }

    /// After a failure, completes or takes back by what the disk says, as after a crash.
    pub(crate) fn settled(
        &self,
        done: Result<(), VaultError>,
        phase: Phase,
        pending: &Pending,
    ) -> Result<(), VaultError> {
        let Err(error) = done else { return Ok(()) };
        if error.is_crash() {
            return Err(error);
        }
        match self.settle(phase, pending) {
            Ok(Settled::Finished) => Ok(()),
            Ok(Settled::TakenBack | Settled::Waiting) => Err(error),
            Err(second) => {
                tracing::warn!(folder = %pending.folder.display(), %second, "left for the next start");
                Err(error)
            }
        }
    }

    fn check_again(&self, run: &Run<'_>, item: &PlanItem) -> Result<(), VaultError> {
        let mut blockers = run.prepared.blockers.clone();
        if let Source::Approved { server, entry } = &run.plan.source {
            blockers.extend(self.approvals(server, entry)?.blockers);
        }
        blockers.extend(run.ground.problem());
        if !blockers.is_empty() {
            blockers.dedup();
            return Err(VaultError::NotApproved(format!(
                "changed since the preview: {}",
                blockers.join("; ")
            )));
        }
        let wish = Wish {
            tools: item.tools.clone(),
            root: item.root.clone(),
            name: item.name.clone(),
            on_conflict: if item.action == Action::Replace {
                OnConflict::Replace
            } else {
                OnConflict::Keep
            },
        };
        if run.prepared.files != run.plan.files
            || self.inspect(&wish, run.prepared, run.ground)? != *item
        {
            return Err(VaultError::Changed(item.folder.clone()));
        }
        if self.pending()?.iter().any(|(_, pending)| pending.touches(&item.folder)) {
            return Err(VaultError::Unfinished(item.folder.clone()));
        }
        Ok(())
    }

    /// What will be done, before anything is.
    fn intend(&self, run: &Run<'_>, position: u32, item: &PlanItem) -> Result<Pending, VaultError> {
        let root = item.folder.parent().unwrap_or(&item.folder);
        let store =
            run.ground.store_for(root).ok_or_else(|| VaultError::Changed(item.folder.clone()))?;
        let staging = store.join("staging").join(uuid::Uuid::new_v4().simple().to_string());
        let outgoing = match &item.found {
            None => None,
            Some(found) => {
                let size = read_plain(&item.folder)?.total_size();
                Some(Self::trash_place(&store, &item.folder, found, size, &run.head.id))
            }
        };
        Ok(Pending {
            id: 0,
            change: run.head.clone(),
            position,
            tools: item.tools.clone(),
            folder: item.folder.clone(),
            incoming: Some(Incoming {
                path: staging.join(&item.name),
                staging: Some(staging),
                trash: None,
                found: None,
            }),
            outgoing,
            store,
            created: disk::missing(root),
            emptied: Vec::new(),
            before: self.placement(&item.folder)?,
            after: None,
            moved: None,
            written: None,
        })
    }

    /// Writes every file outside of what tools scan and reads each back from the disk.
    fn stage(
        &self,
        run: &Run<'_>,
        pending: &mut Pending,
        item: &PlanItem,
        meter: &mut Meter<'_>,
    ) -> Result<(), VaultError> {
        self.reached(Step::Journaled)?;
        let Some(incoming) = pending.incoming.as_mut() else { return Ok(()) };
        for folder in &pending.created {
            disk::make_folder(folder)?;
        }
        self.reached(Step::RootMade)?;
        if let Some(staging) = &incoming.staging {
            disk::make_private(staging)?;
        }
        disk::make_folder(&incoming.path)?;
        let half = run.prepared.files.files().len() / 2;
        for (at, file) in run.prepared.files.files().iter().enumerate() {
            meter.next(&item.folder, Some(&file.path))?;
            if at == half {
                self.reached(Step::HalfStaged)?;
            }
            let bytes = run
                .prepared
                .contents
                .get(&file.path)
                .ok_or_else(|| VaultError::Changed(item.folder.clone()))?;
            let place = incoming.path.join(&file.path);
            for folder in place.parent().map(disk::missing).unwrap_or_default() {
                disk::make_folder(&folder)?;
            }
            disk::write_new(&place, bytes, run.prepared.executable.contains(&file.path))?;
            meter.wrote(file.size);
        }
        flush_folders(&incoming.path, &run.prepared.files)?;
        let (found, written) = Found::at(&incoming.path)?;
        if written != run.prepared.files {
            return Err(VaultError::ReadBack(incoming.path.clone()));
        }
        self.reached(Step::Staged)?;
        meter.next(&item.folder, None)?;
        incoming.found = Some(found.clone());
        pending.after = Some(Placement {
            folder: item.folder.clone(),
            name: run.plan.name.clone(),
            tools: item.tools.clone(),
            origin: run.head.origin.clone(),
            source: run
                .plan
                .left_out
                .as_ref()
                .map_or(run.head.fingerprint, |left_out| left_out.served),
            installed: written,
            found,
            at: run.head.at,
            change: run.head.id.clone(),
        });
        Ok(())
    }

    /// Moves the folders of a journaled item, makes sure that what came out is what was seen,
    /// flushes, and records.
    pub(crate) fn carry_out(&self, pending: &Pending) -> Result<(), VaultError> {
        let folder = &pending.folder;
        let failed = VaultError::disk("put a folder in the place of", folder);
        if let Some(own) = pending.outgoing.as_ref().and_then(|outgoing| outgoing.kept.parent()) {
            disk::make_private(own)?;
        }
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
        self.commit(pending)?;
        self.reached(Step::Committed)?;
        for folder in &pending.emptied {
            disk::remove_empty(folder);
        }
        Ok(())
    }

    /// Where a test may end the work as a crash would.
    #[cfg(test)]
    pub(crate) fn reached(&self, step: Step) -> Result<(), VaultError> {
        let ends = self.crash_after.lock().is_ok_and(|wanted| *wanted == Some(step));
        if ends { Err(VaultError::Crashed(format!("{step:?}"))) } else { Ok(()) }
    }

    /// Where a test may end the work as a crash would.
    #[cfg(not(test))]
    #[expect(
        clippy::unused_self,
        clippy::unnecessary_wraps,
        reason = "the tests' version needs both"
    )]
    pub(crate) fn reached(&self, _: Step) -> Result<(), VaultError> {
        Ok(())
    }
}

impl<'a> Meter<'a> {
    fn new(plan: &Plan, progress: &'a mut dyn FnMut(ApplyProgress) -> ControlFlow<()>) -> Self {
        let writes = plan.writes();
        let now = ApplyProgress {
            folder: plan.items.first().map(|item| item.folder.clone()).unwrap_or_default(),
            file: None,
            done: 0,
            of: writes * plan.files.files().len(),
            bytes: 0,
            of_bytes: (writes as u64).saturating_mul(plan.files.total_size()),
        };
        Self { progress, now, stopped: false }
    }

    /// Says what comes next; the answer may be to stop.
    fn next(&mut self, folder: &Path, file: Option<&str>) -> Result<(), VaultError> {
        self.now.folder = folder.to_owned();
        self.now.file = file.map(str::to_owned);
        if (self.progress)(self.now.clone()).is_break() {
            self.stopped = true;
            return Err(VaultError::Stopped(folder.to_owned()));
        }
        Ok(())
    }

    fn wrote(&mut self, size: u64) {
        self.now.done += 1;
        self.now.bytes += size;
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

/// True when it is this folder with this content.
pub(crate) fn is_exactly(found: &Found, path: &Path) -> bool {
    (found.inode.is_none() || found.is_same_folder(path))
        && read_plain(path).is_ok_and(|now| now.fingerprint() == found.fingerprint)
}

fn origin(source: &Source, prepared: &Prepared) -> Origin {
    match source {
        Source::Approved { server, entry } => Origin::Server {
            server: server.id.clone(),
            label: server.label.clone(),
            address: server.endpoint.identity(),
            uri: entry.uri().as_str().to_owned(),
        },
        Source::Local { path, .. } => {
            Origin::Folder { path: prepared.place.clone().unwrap_or_else(|| path.clone()) }
        }
        Source::Unapproved { origin, .. } => origin.clone(),
    }
}
