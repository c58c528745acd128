//! Carrying a plan out: stage, read back, swap, record; item by item.

mod carry;
mod meter;
mod stage;

use std::ops::ControlFlow;

pub(crate) use self::carry::is_exactly;
pub(crate) use self::meter::Meter;
use self::stage::Run;

use crate::change::{About, Act, ApplyProgress, Change, ChangeHead, ItemOutcome, ItemResult};
use crate::disk;
use crate::error::VaultError;
use crate::journal::{Incoming, Pending, Phase};
use crate::placement::read_plain;
use crate::plan::{Action, OnConflict, Plan, PlanItem, Source};
use crate::recover::Settled;
use crate::room;
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
    /// What is there was looked at for the last time.
    Checked,
    /// The folder is in its place, or away from it.
    Swapped,
    /// What was there is in the trash.
    OldKept,
    /// Everything is flushed to the disk.
    Flushed,
    /// The record says so.
    Committed,
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
        let head = ChangeHead::new(plan.name.clone());
        let mut meter = Meter::new(progress);
        meter.expect(plan.writes() * plan.files.files().len(), plan.bytes());
        let items = self.apply_items(&head, 0, plan, &mut meter)?;
        self.sweep(&lock, &head)?;
        Ok(Change { id: head.id, name: head.name, items })
    }

    /// Carries the items of a plan out, numbered from `first`.
    ///
    /// # Errors
    /// When the source cannot be looked at; what goes wrong with one item is in its outcome.
    pub(crate) fn apply_items(
        &self,
        head: &ChangeHead,
        first: u32,
        plan: &Plan,
        meter: &mut Meter<'_>,
    ) -> Result<Vec<ItemOutcome>, VaultError> {
        let prepared = self.prepare(&plan.source)?;
        let ground = Ground::of(self.data(), &plan.scanned);
        let run = Run { plan, prepared: &prepared, ground: &ground, head };
        let mut items = Vec::new();
        for (position, item) in (first..).zip(&plan.items) {
            let outcome = match item.action {
                Action::Keep => Ok(ItemResult::Kept),
                Action::Refuse => {
                    Err(VaultError::Refused(item.message.clone().unwrap_or_default()))
                }
                Action::Write | Action::Replace if meter.stopped => {
                    Err(VaultError::Stopped(item.folder.clone()))
                }
                Action::Write | Action::Replace => self.place(&run, position, item, meter),
            };
            let outcome = ItemOutcome::of(&plan.name, &item.tools, &item.folder, outcome)?;
            items.push(ItemOutcome { mode: item.mode, ..outcome });
        }
        Ok(items)
    }

    /// Brings one item into its place, or leaves everything as it was. What a link leads to comes
    /// first.
    fn place(
        &self,
        run: &Run<'_>,
        position: u32,
        item: &PlanItem,
        meter: &mut Meter<'_>,
    ) -> Result<ItemResult, VaultError> {
        self.check_again(run, item)?;
        if let Some(canonical) = item.link() {
            self.provide(run, item, canonical, meter)?;
        }
        let mut pending = self.intend(run, position, item)?;
        self.bring(run, &mut pending, item.link(), meter, &|| still_as_seen(item))?;
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
        room::give_back(self.data());
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
        if let Source::Approved { server, entry, .. } = &run.plan.source {
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
            mode: item.mode,
            shared: item.is_shared(),
            keeps_edited: false,
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
        let outgoing = match &item.found {
            None => None,
            Some(found) => {
                let size = match found.link {
                    Some(_) => 0,
                    None => read_plain(&item.folder)?.total_size(),
                };
                Some(Self::trash_place(&store, &item.folder, found, size, &run.head.id))
            }
        };
        let before = self.placement(&item.folder)?;
        let again = item.found.is_some()
            && before.as_ref().is_some_and(|before| before.origin.is_same(&run.prepared.origin));
        let links = if item.is_shared() { self.links_to(&item.folder)? } else { Vec::new() };
        let about = About {
            links: links.into_iter().map(|link| link.folder).collect(),
            ..run.about(if again { Act::Update } else { Act::Place })
        };
        Ok(Pending {
            tools: item.tools.clone(),
            incoming: Some(Incoming::staged_in(&store, &item.name)),
            outgoing,
            created: disk::missing(root),
            before,
            ..Pending::of(run.head, position, about, &item.folder, &store)
        })
    }
}
