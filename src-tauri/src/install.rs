//! Installing and copying: the plan as the page sees it, and carrying it out.

mod grave;

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use skills::entry::Entry;
use skills_mcp::Verdict;
use tokio_util::sync::CancellationToken;
use vault::change::{Change, ItemOutcome, ItemResult};
use vault::plan::{self, Action, Plan, PlanItem, Source, Target};
use vault::servers::SavedServer;

pub(crate) use self::grave::LastInspected;
use crate::error::Outcome;
use crate::jobs::Reporter;
use crate::left_out;
use crate::library::{file_rows, known};
use crate::offers::{approved_entry, blocking};
use crate::render;
use crate::shell::Shell;
use crate::view::{
    ErrorCode, ErrorView, FileState, OnConflict, OutcomeItem, OutcomeResult, OutcomeView,
    PlanAction, PlanItemView, PlanView, Progress, Scope, SourceRef, TargetRef, TargetStanding,
};

/// How long an installation waits for the server's word that nothing changed.
const RECHECK: Duration = Duration::from_secs(10);

impl Shell {
    /// Works out what placing a skill would do. Changes nothing.
    ///
    /// # Errors
    /// When the skill or a tool is not known. What stands against the change itself is in the plan.
    pub fn plan(&self, source: &SourceRef, targets: &[TargetRef]) -> Outcome<PlanView> {
        let snapshot = self.library.snapshot();
        let source = self.source(source)?;
        let asked: Vec<&str> = targets.iter().map(|target| target.tool.as_str()).collect();
        let mut places = Vec::new();
        let mut without = Vec::new();
        for target in targets {
            let state = snapshot.tools.iter().find(|state| state.tool.id == target.tool);
            let state = state
                .ok_or_else(|| ErrorView::bad_input(format!("there is no tool {}", target.tool)))?;
            let Some(root) = state.install_root.clone() else {
                without.push(rootless(&state.tool.id, &state.tool.name));
                continue;
            };
            places.push(Target {
                tool: target.tool.clone(),
                root,
                name: target.name.clone(),
                on_conflict: match target.on_conflict {
                    OnConflict::Keep => plan::OnConflict::Keep,
                    OnConflict::Replace => plan::OnConflict::Replace,
                },
            });
        }
        let plan = self.vault.plan(source, places, &self.scanned_folders())?;
        let mut view = self.plan_view(&plan);
        view.items.extend(without);
        view.items.sort_by_key(|item| asked.iter().position(|tool| *tool == item.tool));
        self.plans.add(plan);
        Ok(view)
    }

    /// Every folder in which something looks for skills: nothing is staged in one.
    pub(crate) fn scanned_folders(&self) -> Vec<PathBuf> {
        let snapshot = self.library.snapshot();
        let scanned: BTreeSet<PathBuf> = snapshot
            .tools
            .iter()
            .flat_map(|tool| tool.roots.iter().chain(&tool.install_root).cloned())
            .chain(snapshot.roots.iter().map(|root| root.path.clone()))
            .chain(snapshot.folders.iter().map(|folder| folder.path.clone()))
            .collect();
        scanned.into_iter().collect()
    }

    fn source(&self, source: &SourceRef) -> Outcome<Source> {
        match source {
            SourceRef::Copy { id } => {
                let snapshot = self.library.snapshot();
                let skill = known(&snapshot, id)?;
                let manifest = skill.manifest.as_ref().map_err(|why| {
                    ErrorView::new(
                        ErrorCode::Disk,
                        format!("{} cannot be copied: {why}", self.paths.display(&skill.path)),
                    )
                })?;
                Ok(Source::Local { path: skill.path.clone(), manifest: manifest.clone() })
            }
            SourceRef::Offer { server, uri } => {
                let server = self.server(server)?;
                let link = self.connections.link(&server.id);
                let listed = link.as_ref().and_then(|link| link.offer(uri)).and_then(|offer| {
                    match &offer.verdict {
                        Verdict::Verifiable(entry) => Some(entry.clone()),
                        _ => None,
                    }
                });
                // A server that is away still stands for what was approved from it.
                let approved = || {
                    let approvals = self.vault.approvals_of(&server)?;
                    Ok::<_, ErrorView>(
                        approvals
                            .iter()
                            .find(|approval| approval.uri == *uri)
                            .and_then(approved_entry),
                    )
                };
                let entry = match listed {
                    Some(entry) => Some(entry),
                    None => approved()?,
                };
                let entry = entry.map(Box::new).ok_or_else(|| {
                    ErrorView::new(
                        ErrorCode::NotApproved,
                        format!("{uri} of {} has to be reviewed and approved first", server.label),
                    )
                })?;
                Ok(Source::Approved { server, entry })
            }
        }
    }

    fn plan_view(&self, plan: &Plan) -> PlanView {
        let state = match plan.source {
            Source::Approved { .. } => FileState::Verified { line_endings_restored: false },
            Source::Local { .. } => FileState::Local,
            Source::Unapproved { .. } => FileState::Declared,
        };
        PlanView {
            id: plan.id.clone(),
            name: render::spelled_out(&plan.name),
            origin: match &plan.source {
                Source::Approved { server, .. } => server.label.clone(),
                Source::Local { path, .. } => self.paths.display(path),
                Source::Unapproved { name, .. } => name.clone(),
            },
            items: plan.items.iter().flat_map(|item| self.item_views(item)).collect(),
            files: file_rows(&plan.files, |_| state.clone()),
            left_out: plan.left_out.as_ref().map(left_out::planned),
            grave: match &plan.source {
                Source::Local { path, manifest } => self.last_inspected.grave(path, manifest),
                // Approved with a tick at each, or kept where no tool looks.
                Source::Approved { .. } | Source::Unapproved { .. } => Vec::new(),
            },
            blockers: plan.blockers.clone(),
            writes: plan.writes(),
        }
    }

    /// A row for each tool that asked for the folder.
    fn item_views(&self, item: &PlanItem) -> Vec<PlanItemView> {
        let mut seen_by = self.seen_by(&item.root);
        // One that is off is read once something is placed for it.
        for tool in &item.tools {
            if !seen_by.contains(tool) {
                seen_by.push(tool.clone());
            }
        }
        item.tools
            .iter()
            .map(|tool| PlanItemView {
                tool: tool.clone(),
                seen_by: seen_by.clone(),
                path: self.paths.display(&item.root.join(&item.name)),
                standing: match item.standing {
                    plan::TargetStanding::Free => TargetStanding::Free,
                    plan::TargetStanding::Identical => TargetStanding::Identical,
                    plan::TargetStanding::Ours => TargetStanding::Ours,
                    plan::TargetStanding::Foreign => TargetStanding::Foreign,
                    plan::TargetStanding::Blocked => TargetStanding::Blocked,
                },
                action: match item.action {
                    Action::Write => PlanAction::Write,
                    Action::Replace => PlanAction::Replace,
                    Action::Keep => PlanAction::Keep,
                    Action::Refuse => PlanAction::Refuse,
                },
                message: item.message.clone(),
            })
            .collect()
    }

    /// Ids of the tools that read this folder, by real path.
    fn seen_by(&self, root: &Path) -> Vec<String> {
        let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let root = real(root);
        let snapshot = self.library.snapshot();
        let tools = snapshot.tools.iter().filter(|state| {
            (state.on || state.detection == skills::tool::Detection::Detected)
                && state.roots.iter().any(|read| real(read) == root)
        });
        tools.map(|state| state.tool.id.clone()).collect()
    }

    /// Carries out a plan that was shown.
    ///
    /// # Errors
    /// When the plan is not known any more or something changed since; what came of single targets
    /// is in the outcome.
    pub async fn apply_plan(
        self: &Arc<Self>,
        id: &str,
        stop: CancellationToken,
        progress: impl Fn(Progress) + Send + 'static,
    ) -> Outcome<OutcomeView> {
        let plan = self.plans.take(id)?;
        if let Source::Approved { server, entry } = &plan.source {
            self.still_offered(server, entry).await?;
        }
        let shell = Arc::clone(self);
        let outcome = blocking(move || {
            let reporter = Reporter::new(progress);
            let mut told = |so_far: vault::change::ApplyProgress| {
                let folder = shell.paths.display(&so_far.folder);
                reporter.report(Progress {
                    what: match so_far.file {
                        Some(file) => format!("{folder}/{file}"),
                        None => folder,
                    },
                    done: so_far.done,
                    of: so_far.of,
                    bytes: so_far.bytes,
                    of_bytes: so_far.of_bytes,
                });
                if stop.is_cancelled() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            };
            let change = shell.vault.apply(&plan, &mut told)?;
            shell.follow_placements()?;
            shell.library.rescan();
            Ok::<_, vault::VaultError>((shell.outcome_view(change), stop.is_cancelled()))
        })
        .await?;
        self.disk_changed();
        let (outcome, stopped) = outcome?;
        let written = |item: &OutcomeItem| {
            matches!(item.result, OutcomeResult::Written | OutcomeResult::Replaced)
        };
        // What was written before the stop can be undone, so then the outcome is what counts.
        if stopped && !outcome.items.iter().any(written) {
            return Err(ErrorView::new(ErrorCode::Cancelled, "stopped; everything is as it was"));
        }
        Ok(outcome)
    }

    /// Asks a server that is there whether it still offers what is about to be installed: not every
    /// server tells when something changes. A server that is away, slow, or does not give the entry
    /// by itself takes nothing back.
    async fn still_offered(&self, server: &SavedServer, entry: &Entry) -> Outcome<()> {
        let asked = self.entry_now(server, entry.uri().as_str());
        let Ok(Ok(now)) = tokio::time::timeout(RECHECK, asked).await else { return Ok(()) };
        if now.files() == entry.files() {
            return Ok(());
        }
        self.notice(server, &now).await?;
        self.connections.refresh(&server.id);
        Err(ErrorView::changed(format!("{} changed on {}", entry.name(), server.label))
            .with_hint("review what it offers now; nothing was installed"))
    }

    /// Puts back what a change replaced or wrote.
    ///
    /// # Errors
    /// When the change is not known or cannot be undone at all.
    pub async fn undo(self: &Arc<Self>, change: String) -> Outcome<OutcomeView> {
        let shell = Arc::clone(self);
        let outcome = blocking(move || {
            let change = shell.vault.undo(&change)?;
            shell.follow_placements()?;
            shell.library.rescan();
            Ok::<_, vault::VaultError>(shell.outcome_view(change))
        })
        .await?;
        self.disk_changed();
        Ok(outcome?)
    }

    /// Tells that something on the disk is not as it was.
    pub(crate) fn disk_changed(&self) {
        self.events.changed(Scope::Library);
        self.events.changed(Scope::Servers);
        self.events.changed(Scope::Activity);
    }

    /// What came of a change, for the page.
    pub(crate) fn outcome_view(&self, change: Change) -> OutcomeView {
        let items = change.items.into_iter().flat_map(|item| self.outcome_items(item)).collect();
        OutcomeView { change: change.id, name: render::spelled_out(&change.name), items }
    }

    fn outcome_items(&self, item: ItemOutcome) -> Vec<OutcomeItem> {
        let path = self.paths.display(&item.folder);
        let error = item.error.as_ref().map(ErrorView::from);
        let result = match item.result {
            ItemResult::Written => OutcomeResult::Written,
            ItemResult::Replaced | ItemResult::Renamed => OutcomeResult::Replaced,
            ItemResult::Kept => OutcomeResult::Kept,
            ItemResult::Failed => OutcomeResult::Failed,
            ItemResult::Undone | ItemResult::AlreadyGone => OutcomeResult::Undone,
        };
        let note = match item.result {
            ItemResult::AlreadyGone => Some("it was already gone".to_owned()),
            ItemResult::Renamed => Some("only the folder's name changed".to_owned()),
            _ => None,
        };
        let mut tools = item.tools;
        // A fix is for whoever reads the folder, which may be no tool at all.
        if tools.is_empty() {
            tools = item.folder.parent().map(|root| self.seen_by(root)).unwrap_or_default();
        }
        if tools.is_empty() {
            tools.push(String::new());
        }
        tools
            .into_iter()
            .map(|tool| OutcomeItem {
                tool,
                path: path.clone(),
                result,
                error: error.clone(),
                note: note.clone(),
            })
            .collect()
    }
}

/// The row of a tool that reads no folder of the person's.
fn rootless(id: &str, name: &str) -> PlanItemView {
    PlanItemView {
        tool: id.to_owned(),
        seen_by: Vec::new(),
        path: String::new(),
        standing: TargetStanding::Blocked,
        action: PlanAction::Refuse,
        message: Some(format!("{name} reads only folders of projects")),
    }
}
