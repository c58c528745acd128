//! What the page is shown of changes, a row for each folder.

use std::collections::BTreeMap;
use std::path::Path;

use vault::batch::Part;
use vault::deed::{DeedAction, DeedItem, DeedPlan};
use vault::fix::FixPlan;
use vault::link::Mode;
use vault::plan::{Action, Plan, PlanItem, Source};

use vault::planner::Planner;

use super::{Readers, Step};
use crate::error::Outcome;
use crate::left_out;
use crate::render::spelled_out;
use crate::shell::Shell;
use crate::view::{
    BatchItemView, DeedKind, ErrorCode, ErrorView, OutcomeItem, OutcomeResult, PlaceMode,
    PlanAction, PlanItemView, SourceRef, TargetRef, TargetStanding,
};

impl Shell {
    /// Placing as steps: the folders that can be looked at, and the tools that have none.
    pub(super) fn place_steps(
        &self,
        source: &SourceRef,
        targets: &[TargetRef],
        modes: &BTreeMap<&str, PlaceMode>,
        planner: &Planner<'_>,
    ) -> Outcome<Vec<Step>> {
        let tools: Vec<String> = targets.iter().map(|target| target.tool.clone()).collect();
        let (plan, without) = match self.work_out(source, targets, modes, planner) {
            Ok(worked_out) => worked_out,
            Err(error) if matches!(error.code, ErrorCode::NotApproved | ErrorCode::Disk) => {
                let name = match source {
                    SourceRef::Copy { id } => {
                        let snapshot = self.library.snapshot();
                        snapshot.skill(id).map(|skill| skill.name.clone()).unwrap_or_default()
                    }
                    SourceRef::Offer { uri, .. } => uri.clone(),
                };
                let message = error.to_string();
                let row = refused(&name, String::new(), DeedKind::Place, &tools, message);
                return Ok(vec![Step::Refused(Box::new(row))]);
            }
            Err(error) => return Err(error),
        };
        let name = plan.name.clone();
        let without = without.into_iter().map(|row: PlanItemView| {
            let message = row.message.unwrap_or_default();
            let row = refused(&name, row.path, DeedKind::Place, &[row.tool], message);
            Step::Refused(Box::new(row))
        });
        let without: Vec<Step> = without.collect();
        let placed = (!plan.items.is_empty())
            .then(|| Step::Part(Box::new(Part::Place(plan)), DeedKind::Place, None));
        Ok(placed.into_iter().chain(without).collect())
    }

    /// The rows of one part.
    pub(super) fn part_rows(
        &self,
        part: &Part,
        kind: DeedKind,
        folder: Option<&Path>,
        readers: &Readers,
    ) -> Vec<BatchItemView> {
        match part {
            Part::Place(plan) => plan
                .items
                .iter()
                .map(|item| self.place_row(plan, item, kind, folder, readers))
                .collect(),
            Part::Deed(plan) => {
                plan.items.iter().map(|item| self.deed_row(plan, item, kind, readers)).collect()
            }
            Part::Fix(plan) => vec![self.rename_row(plan, readers)],
        }
    }

    fn place_row(
        &self,
        plan: &Plan,
        item: &PlanItem,
        kind: DeedKind,
        folder: Option<&Path>,
        readers: &Readers,
    ) -> BatchItemView {
        let blocked = !plan.blockers.is_empty();
        let seen_by = match folder {
            // The copy that links lead to: whoever has a link.
            Some(_) if item.canonical.as_ref() == Some(&item.folder) => item.tools.clone(),
            _ => readers.of(&item.root, &item.tools),
        };
        BatchItemView {
            name: spelled_out(&plan.name),
            path: self.paths.display(folder.unwrap_or(&item.folder)),
            kind,
            tools: item.tools.clone(),
            seen_by,
            standing: standing(item.standing),
            action: if blocked { PlanAction::Refuse } else { action(item.action) },
            mode: mode(item),
            edited: item.edited,
            message: if blocked {
                Some(plan.blockers.join("; "))
            } else {
                joined(item.message.iter().chain(&plan.notices))
            },
            left_out: plan.left_out.as_ref().map(left_out::planned),
        }
    }

    fn deed_row(
        &self,
        plan: &DeedPlan,
        item: &DeedItem,
        kind: DeedKind,
        readers: &Readers,
    ) -> BatchItemView {
        let blocked = !plan.blockers.is_empty();
        let root = item.folder.parent().unwrap_or(&item.folder);
        BatchItemView {
            name: spelled_out(&item.name),
            path: self.paths.display(&item.folder),
            kind,
            tools: item.tools.clone(),
            seen_by: readers.of(root, &item.tools),
            standing: match (kind, item.ours, &item.found) {
                (DeedKind::Enable, ..) | (_, _, None) => TargetStanding::Free,
                (_, true, _) => TargetStanding::Ours,
                (_, false, _) => TargetStanding::Foreign,
            },
            action: match item.action {
                _ if blocked => PlanAction::Refuse,
                DeedAction::Do => PlanAction::Do,
                DeedAction::Keep => PlanAction::Keep,
                DeedAction::Refuse => PlanAction::Refuse,
            },
            mode: match item.found.as_ref().and_then(|found| found.link.as_ref()) {
                Some(_) => PlaceMode::Link,
                None => PlaceMode::Copy,
            },
            edited: item.edited,
            message: if blocked { Some(plan.blockers.join("; ")) } else { item.message.clone() },
            left_out: None,
        }
    }

    fn rename_row(&self, plan: &FixPlan, readers: &Readers) -> BatchItemView {
        let blocked = !plan.blockers.is_empty();
        let becomes = plan
            .rename
            .as_ref()
            .map(|rename| format!("it becomes {}", self.paths.display(&rename.folder)));
        let root = plan.place.parent().unwrap_or(&plan.place);
        let seen_by = readers.of(root, &[]);
        BatchItemView {
            name: spelled_out(&plan.name()),
            path: self.paths.display(&plan.place),
            kind: DeedKind::Rename,
            tools: seen_by.clone(),
            seen_by,
            standing: if blocked { TargetStanding::Blocked } else { TargetStanding::Ours },
            action: if blocked { PlanAction::Refuse } else { PlanAction::Do },
            mode: PlaceMode::Copy,
            edited: false,
            message: if blocked {
                Some(plan.blockers.join("; "))
            } else {
                joined(becomes.iter().chain(&plan.notes))
            },
            left_out: None,
        }
    }
}

/// A row about which nothing can be done.
pub(super) fn refused(
    name: &str,
    path: String,
    kind: DeedKind,
    tools: &[String],
    message: String,
) -> BatchItemView {
    BatchItemView {
        name: spelled_out(name),
        path,
        kind,
        tools: tools.to_vec(),
        seen_by: tools.to_vec(),
        standing: TargetStanding::Blocked,
        action: PlanAction::Refuse,
        mode: PlaceMode::Copy,
        edited: false,
        message: Some(message),
        left_out: None,
    }
}

/// What becomes of a row about which nothing can be done.
pub(super) fn as_outcome(row: &BatchItemView) -> OutcomeItem {
    OutcomeItem {
        name: row.name.clone(),
        tool: row.tools.first().cloned().unwrap_or_default(),
        tools: if row.tools.len() > 1 { row.tools.clone() } else { Vec::new() },
        path: row.path.clone(),
        result: OutcomeResult::Failed,
        error: Some(ErrorView::bad_input(row.message.clone().unwrap_or_default())),
        note: None,
    }
}

fn joined<'a>(sentences: impl Iterator<Item = &'a String>) -> Option<String> {
    let sentences: Vec<&str> = sentences.map(String::as_str).collect();
    (!sentences.is_empty()).then(|| sentences.join("; "))
}

/// What is at a target, for the page.
pub(crate) fn standing(standing: vault::plan::TargetStanding) -> TargetStanding {
    match standing {
        vault::plan::TargetStanding::Free => TargetStanding::Free,
        vault::plan::TargetStanding::Identical => TargetStanding::Identical,
        vault::plan::TargetStanding::Ours => TargetStanding::Ours,
        vault::plan::TargetStanding::Foreign => TargetStanding::Foreign,
        vault::plan::TargetStanding::Blocked => TargetStanding::Blocked,
    }
}

/// What will be done at a target, for the page.
pub(crate) fn action(action: Action) -> PlanAction {
    match action {
        Action::Write => PlanAction::Write,
        Action::Replace => PlanAction::Replace,
        Action::Keep => PlanAction::Keep,
        Action::Refuse => PlanAction::Refuse,
    }
}

/// How something will be placed, for the page.
pub(crate) fn mode(item: &PlanItem) -> PlaceMode {
    match item.mode {
        // The copy itself that links lead to: its tools have links.
        _ if item.canonical.is_some() => PlaceMode::Link,
        Mode::Copy => PlaceMode::Copy,
        Mode::Link => PlaceMode::Link,
    }
}

/// The name of what is placed, where it comes from a server: of what has to be offered still.
pub(super) fn from_server(
    part: &Part,
) -> Option<(&vault::servers::SavedServer, &skills::entry::Entry)> {
    match part {
        Part::Place(Plan { source: Source::Approved { server, entry, .. }, .. }) => {
            Some((server, entry))
        }
        _ => None,
    }
}
