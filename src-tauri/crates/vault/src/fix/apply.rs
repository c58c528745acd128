//! Carrying fixes out: stage, read back, swap, record.

use crate::apply::{Step, is_exactly};
use crate::change::{About, Act, Change, ChangeHead, Fixed, ItemOutcome, ItemResult, Moved};
use crate::disk;
use crate::drift::Drift;
use crate::error::VaultError;
use crate::fix::copy::Shape;
use crate::fix::{FixPlan, FixPurpose, name_of};
use crate::journal::{Incoming, Pending, Phase};
use crate::placement::{Found, Origin, Placement};
use crate::target::Ground;
use crate::vault::Vault;

/// What the record says of the folder before and after, under its old and its new name.
struct Records {
    before: Option<Placement>,
    after: Option<Placement>,
    moved: Option<Moved>,
    /// The record is about what is there.
    ours: bool,
}

/// What came of one folder.
pub(crate) struct Made {
    pub(crate) tools: Vec<String>,
    pub(crate) result: ItemResult,
}

impl FixPlan {
    /// Nothing stands against it.
    fn stands(&self) -> Result<(), VaultError> {
        if self.changed {
            Err(VaultError::Changed(self.place.clone()))
        } else if self.blockers.is_empty() {
            Ok(())
        } else {
            Err(VaultError::Refused(self.blockers.join("; ")))
        }
    }
}

impl Vault {
    /// Makes fixes as they were planned, as one change with one item, which [`Vault::undo`] takes
    /// back. The folder with its edits is staged whole elsewhere on its disk, read back, and put in
    /// its place; the old one is kept in the trash. A folder that only gets another name is renamed.
    /// A folder that Skillhold did not place does not become its own by it.
    ///
    /// # Errors
    /// When the plan has blockers; when the folder, the disk around it or the plan is not as it was;
    /// when another change is being made, or the disk or the ledger fails. Then everything is as it
    /// was.
    pub fn apply_fixes(&self, plan: &FixPlan) -> Result<Change, VaultError> {
        plan.stands()?;
        let lock = self.lock_changes()?;
        self.recover(&lock)?;
        let head = ChangeHead::new(name_of(&plan.place));
        let result = self.apply_fix(&head, 0, plan)?;
        let item = ItemOutcome::of(&head.name, &result.tools, plan.target(), Ok(result.result))?;
        Ok(Change { id: head.id, name: head.name, items: vec![item] })
    }

    /// Makes the fixes of one folder as one item of a change.
    ///
    /// # Errors
    /// As [`Vault::apply_fixes`]; then everything is as it was.
    pub(crate) fn apply_fix(
        &self,
        head: &ChangeHead,
        position: u32,
        plan: &FixPlan,
    ) -> Result<Made, VaultError> {
        let changed = || VaultError::Changed(plan.place.clone());
        plan.stands()?;
        let again = self.plan_fixes(&plan.folder, &plan.seen, &plan.fixes, &plan.scanned)?;
        if (FixPlan { purpose: plan.purpose, ..again }) != *plan {
            return Err(changed());
        }
        let old = plan.found.clone().ok_or_else(changed)?;
        let records = self.records(plan, &old)?;
        let ours = records.ours;
        let mut pending = self.intend_fix(plan, head, position, old.clone(), records)?;
        if self
            .pending()?
            .iter()
            .any(|(_, other)| other.touches(&pending.folder) || other.touches(pending.leaves()))
        {
            return Err(VaultError::Unfinished(plan.place.clone()));
        }
        let mut phase = Phase::Staging;
        pending.write(&self.ledger(), phase)?;
        let done = self
            .stage_fix(plan, &mut pending, ours)
            .and_then(|()| {
                phase = Phase::Swapping;
                pending.write(&self.ledger(), phase)?;
                self.reached(Step::SwapJournaled)?;
                if is_exactly(&old, &plan.place) { Ok(()) } else { Err(changed()) }
            })
            .and_then(|()| self.carry_out(&pending));
        self.settled(done, phase, &pending)?;
        let only_name = plan.files.is_empty() || plan.purpose == FixPurpose::Rename;
        let result = if only_name { ItemResult::Renamed } else { ItemResult::Replaced };
        Ok(Made { tools: pending.tools, result })
    }

    /// What the record says before and after: a fixed placement is still the placement that it was,
    /// edited here or under another name. What was adopted has no source to differ from: the record
    /// follows what the person does to it here.
    fn records(&self, plan: &FixPlan, old: &Found) -> Result<Records, VaultError> {
        let record = self.placement(&plan.place)?;
        // A record of something else than what is there stays where it is.
        let ours = record.as_ref().is_some_and(|record| {
            let drift = Drift::of(record, &plan.seen, old);
            matches!(drift, Drift::InSync | Drift::Edited { .. })
        });
        // Called otherwise by the person, the placed skill is called so in the record too.
        let named = |record: Placement| {
            let record = if plan.follows(&record) {
                let (installed, source) = (plan.after.clone(), plan.after.fingerprint());
                Placement { installed, source, ..record }
            } else {
                record
            };
            match plan.purpose {
                FixPurpose::Check => record,
                FixPurpose::Rename => Placement { name: name_of(plan.target()), ..record },
            }
        };
        let Some(rename) = &plan.rename else {
            let after = if ours { record.clone().map(named) } else { record.clone() };
            return Ok(Records { before: record, after, moved: None, ours });
        };
        let before = self.placement(&rename.folder)?;
        let (after, stays) = match record.clone() {
            Some(record) if ours => {
                (Some(named(Placement { folder: rename.folder.clone(), ..record })), None)
            }
            other => (before.clone(), other),
        };
        let moved = Moved { from: plan.place.clone(), before: record, after: stays };
        Ok(Records { before, after, moved: Some(moved), ours })
    }

    /// What will be done, before anything is.
    fn intend_fix(
        &self,
        plan: &FixPlan,
        head: &ChangeHead,
        position: u32,
        old: Found,
        records: Records,
    ) -> Result<Pending, VaultError> {
        let changed = || VaultError::Changed(plan.place.clone());
        let root = plan.place.parent().ok_or_else(changed)?;
        let store =
            Ground::of(self.data(), &plan.scanned).store_for_fix(root).ok_or_else(changed)?;
        let folder = plan.target().to_owned();
        let edits = !plan.files.is_empty();
        let (incoming, outgoing) = if edits {
            let name = folder.file_name().ok_or_else(changed)?;
            let size = plan.seen.total_size();
            (
                Incoming::staged_in(&store, name),
                Some(Self::trash_place(&store, &plan.place, &old, size, &head.id)),
            )
        } else {
            (Incoming::from_place(&plan.place, old), None)
        };
        let Records { before, after, moved, .. } = records;
        let placed = moved.as_ref().and_then(|moved| moved.before.as_ref()).or(before.as_ref());
        let tools = placed.map(|record| record.tools.clone()).unwrap_or_default();
        let renames = plan.purpose == FixPurpose::Rename;
        let about = About {
            name: name_of(&plan.place),
            act: if renames { Act::Rename } else { Act::Fix },
            origin: Some(Origin::Folder { path: plan.place.clone() }),
            fingerprint: Some(plan.after.fingerprint()),
            fixed: Some(Fixed {
                folder: plan.place.clone(),
                files: plan.files.iter().map(|file| file.path.clone()).collect(),
                to: plan.rename.as_ref().map(|rename| rename.to.clone()),
            }),
            links: Vec::new(),
        };
        Ok(Pending {
            tools,
            incoming: Some(incoming),
            outgoing,
            before,
            after,
            moved,
            written: Some(plan.after.clone()),
            ..Pending::of(head, position, about, &folder, &store)
        })
    }

    /// Writes the folder with its edits outside of what tools scan and reads every byte back.
    fn stage_fix(
        &self,
        plan: &FixPlan,
        pending: &mut Pending,
        ours: bool,
    ) -> Result<(), VaultError> {
        self.reached(Step::Journaled)?;
        let Some(incoming) = pending.incoming.as_mut() else { return Ok(()) };
        let Some(staging) = incoming.staging.clone() else { return Ok(()) };
        let shape = Shape::of(&plan.place)?;
        disk::make_private(&staging)?;
        shape.copy(&plan.place, &incoming.path, &plan.files, || self.reached(Step::HalfStaged))?;
        let (found, written) = Found::at(&incoming.path)?;
        if written != plan.after {
            // What was copied is not what was seen, or not what was written.
            let now = Found::at(&plan.place).map(|(now, _)| Some(now));
            return Err(match now {
                Ok(now) if now == plan.found => VaultError::ReadBack(incoming.path.clone()),
                _ => VaultError::Changed(plan.place.clone()),
            });
        }
        if Shape::of(&incoming.path)? != shape {
            return Err(VaultError::ReadBack(incoming.path.clone()));
        }
        self.reached(Step::Staged)?;
        if let Some(after) = pending.after.as_mut().filter(|_| ours) {
            after.found = found.clone();
        }
        incoming.found = Some(found);
        Ok(())
    }
}
