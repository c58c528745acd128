//! Many changes as one: worked out one by one, made together, one row of activity, one undo.

use std::ops::ControlFlow;
use std::path::Path;

use serde::{Deserialize, Serialize};
use skills::digest::Digest;

use crate::apply::Meter;
use crate::change::told::together;
use crate::change::{ApplyProgress, Change, ChangeHead, ItemOutcome, ItemResult};
use crate::deed::around::Claims;
use crate::deed::{DeedAction, DeedPlan};
use crate::error::VaultError;
use crate::fix::FixPlan;
use crate::link::Mode;
use crate::plan::{Action, Plan};
use crate::vault::Vault;

/// One change among several.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", content = "plan", rename_all = "camelCase")]
pub enum Part {
    /// A skill is placed.
    Place(Plan),
    /// Something is done with skills that are there.
    Deed(DeedPlan),
    /// A skill is put right or renamed.
    Fix(FixPlan),
}

/// Changes that are made as one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Batch {
    /// A digest of everything below; equal batches have equal ids.
    pub id: String,
    /// In the order in which they are made.
    pub parts: Vec<Part>,
}

impl Batch {
    /// How many folders will be changed.
    pub fn writes(&self) -> usize {
        self.parts.iter().map(Part::writes).sum()
    }

    fn computed_id(&self) -> Result<String, VaultError> {
        Ok(Digest::of(&serde_json::to_vec(&self.parts)?).hex()[..32].to_owned())
    }
}

impl Part {
    fn writes(&self) -> usize {
        match self {
            Self::Place(plan) => plan.writes(),
            Self::Deed(plan) => plan.writes(),
            Self::Fix(plan) => usize::from(plan.blockers.is_empty()),
        }
    }

    /// How many folders it was asked for.
    fn asked(&self) -> usize {
        match self {
            Self::Place(plan) => plan.items.len(),
            Self::Deed(plan) => plan.items.len(),
            Self::Fix(_) => 1,
        }
    }

    /// How many items it has in the change.
    fn items(&self) -> Result<u32, VaultError> {
        u32::try_from(self.asked()).map_err(|_| VaultError::BadInput("too much at once".to_owned()))
    }

    /// Names of the skills with which something is done.
    fn names(&self) -> Vec<String> {
        match self {
            Self::Place(plan) if plan.writes() > 0 => vec![plan.name.clone()],
            Self::Place(_) => Vec::new(),
            Self::Deed(plan) => {
                let done = plan.items.iter().filter(|item| item.action == DeedAction::Do);
                done.map(|item| item.name.clone()).collect()
            }
            Self::Fix(plan) => vec![plan.name()],
        }
    }

    /// Refuses what overlaps with a part before it, or is not done in bulk.
    fn claim(&mut self, several: bool, claims: &mut Claims) -> Result<(), VaultError> {
        match self {
            Self::Place(plan) if plan.blockers.is_empty() => {
                let what = format!("{} is to be placed at", plan.name);
                let writes = |action| matches!(action, Action::Write | Action::Replace);
                for item in plan.items.iter_mut().filter(|item| writes(item.action)) {
                    if let Some(message) = taken(claims, &item.folder, &what) {
                        item.action = Action::Refuse;
                        item.message = Some(message);
                    }
                }
                plan.id = plan.computed_id()?;
            }
            Self::Deed(plan) if plan.blockers.is_empty() => {
                let to_do = |action| action == DeedAction::Do;
                for item in plan.items.iter_mut().filter(|item| to_do(item.action)) {
                    item.claim(plan.deed, several, claims);
                }
                plan.id = plan.computed_id()?;
            }
            Self::Fix(plan) if plan.blockers.is_empty() => {
                let what = format!("{} is to be changed at", plan.name());
                let target = plan.rename.as_ref().map(|rename| rename.folder.clone());
                let folders = std::iter::once(plan.place.clone()).chain(target);
                let problems: Vec<String> =
                    folders.filter_map(|folder| taken(claims, &folder, &what)).collect();
                plan.blockers.extend(problems);
            }
            Self::Place(_) | Self::Deed(_) | Self::Fix(_) => {}
        }
        Ok(())
    }

    /// Every item of it, not done.
    fn failed(&self, why: impl Fn() -> VaultError) -> Vec<ItemOutcome> {
        let outcome = |name: &str, tools: &[String], folder: &Path| ItemOutcome {
            name: name.to_owned(),
            tools: tools.to_vec(),
            folder: folder.to_owned(),
            result: ItemResult::Failed,
            mode: Mode::Copy,
            error: Some(why()),
        };
        match self {
            Self::Place(plan) => {
                let items = plan.items.iter();
                items.map(|item| outcome(&plan.name, &item.tools, &item.folder)).collect()
            }
            Self::Deed(plan) => {
                let items = plan.items.iter();
                items.map(|item| outcome(&item.name, &item.tools, &item.folder)).collect()
            }
            Self::Fix(plan) => vec![outcome(&plan.name(), &[], &plan.place)],
        }
    }
}

impl Vault {
    /// Puts changes together as one. Of two parts that would write one folder, or folders that lie in
    /// one another, the second is refused, naming both.
    ///
    /// # Errors
    /// When a part cannot be written as JSON.
    pub fn plan_batch(&self, parts: Vec<Part>) -> Result<Batch, VaultError> {
        let mut batch = Batch { id: String::new(), parts };
        let several = batch.parts.iter().map(Part::asked).sum::<usize>() > 1;
        let mut claims = Claims::default();
        for part in &mut batch.parts {
            part.claim(several, &mut claims)?;
        }
        batch.id = batch.computed_id()?;
        Ok(batch)
    }

    /// Makes several changes as one: one id, one row of activity, one undo. Each item is checked
    /// again right before it is touched; one that fails stays as it was, and the others go on.
    /// `progress` is called between files and items; when it breaks, the item it is at is taken back
    /// and the rest is not begun.
    ///
    /// # Errors
    /// When there is nothing in it or it is not as it was made, when another change is being made, or
    /// when the ledger fails. What goes wrong with one item is in its outcome.
    pub fn apply_batch(
        &self,
        batch: &Batch,
        progress: &mut dyn FnMut(ApplyProgress) -> ControlFlow<()>,
    ) -> Result<Change, VaultError> {
        if batch.id != batch.computed_id()? {
            return Err(VaultError::BadInput("the plan is not as it was made".to_owned()));
        }
        if batch.parts.is_empty() {
            return Err(VaultError::BadInput("there is nothing to do".to_owned()));
        }
        let lock = self.lock_changes()?;
        self.recover(&lock)?;
        let names: Vec<String> = batch.parts.iter().flat_map(Part::names).collect();
        let head = ChangeHead::new(together(names.iter().map(String::as_str)));
        let mut meter = Meter::new(progress);
        for part in &batch.parts {
            match part {
                Part::Place(plan) => {
                    meter.expect(plan.writes() * plan.files.files().len(), plan.bytes());
                }
                Part::Deed(_) | Part::Fix(_) => meter.expect(part.writes(), 0),
            }
        }
        let mut items = Vec::new();
        let mut first = 0;
        for part in &batch.parts {
            items.extend(self.apply_part(&head, first, part, &mut meter)?);
            first += part.items()?;
        }
        self.sweep(&lock, &head)?;
        Ok(Change { id: head.id, name: head.name, items })
    }

    fn apply_part(
        &self,
        head: &ChangeHead,
        first: u32,
        part: &Part,
        meter: &mut Meter<'_>,
    ) -> Result<Vec<ItemOutcome>, VaultError> {
        let altered = || VaultError::BadInput("the plan is not as it was made".to_owned());
        let done = match part {
            Part::Place(plan) if plan.id != plan.computed_id()? => return Ok(part.failed(altered)),
            Part::Deed(plan) if plan.id != plan.computed_id()? => return Ok(part.failed(altered)),
            Part::Place(plan) if !plan.blockers.is_empty() => {
                let why = plan.blockers.join("; ");
                return Ok(part.failed(|| VaultError::NotApproved(why.clone())));
            }
            Part::Deed(plan) if !plan.blockers.is_empty() => {
                let why = plan.blockers.join("; ");
                return Ok(part.failed(|| VaultError::Refused(why.clone())));
            }
            Part::Place(plan) => self.apply_items(head, first, plan, meter),
            Part::Deed(plan) => self.apply_deed(head, first, plan, meter),
            Part::Fix(plan) => self.apply_fix_of_batch(head, first, plan, meter),
        };
        match done {
            Err(error) if !error.is_crash() => {
                let why = error.to_string();
                Ok(part.failed(|| VaultError::Refused(why.clone())))
            }
            done => done,
        }
    }

    fn apply_fix_of_batch(
        &self,
        head: &ChangeHead,
        position: u32,
        plan: &FixPlan,
        meter: &mut Meter<'_>,
    ) -> Result<Vec<ItemOutcome>, VaultError> {
        let made = if meter.stopped {
            Err(VaultError::Stopped(plan.place.clone()))
        } else {
            meter.next(&plan.place, None).and_then(|()| self.apply_fix(head, position, plan))
        };
        meter.wrote(0);
        let (tools, folder) = match &made {
            Ok(made) => (made.tools.clone(), plan.target()),
            Err(_) => (Vec::new(), plan.place.as_path()),
        };
        let result = made.map(|made| made.result);
        Ok(vec![ItemOutcome::of(&plan.name(), &tools, folder, result)?])
    }
}

/// Takes a folder for a part; the refusal where another has it.
fn taken(claims: &mut Claims, folder: &Path, what: &str) -> Option<String> {
    let what = format!("{what} {}", folder.display());
    let (taken, other) = claims.take(folder, &what).err()?;
    Some(if taken == folder {
        format!("{what}, but {other} already")
    } else {
        format!("{what}, but {other}, and these lie in one another")
    })
}
