//! Installing and copying: the plan as the page sees it, and carrying it out.

mod grave;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use skills::blobs::Blobs as _;
use skills::entry::{Entry, EntryFile};
use skills::manifest::{MAX_BYTES, Manifest};
use skills::tool::{Said, Tool};
use skills_mcp::Verdict;
use tokio_util::sync::CancellationToken;
use vault::link::Mode;
use vault::plan::{self, Plan, PlanItem, Source, Target};
use vault::planner::Planner;
use vault::servers::SavedServer;

pub(crate) use self::grave::LastInspected;
use crate::changes::rows;
use crate::error::Outcome;
use crate::left_out;
use crate::library::{file_rows, known};
use crate::offers::{approved_entry, blocking};
use crate::outcome::{Telling, did_something};
use crate::render;
use crate::shell::Shell;
use crate::view::{
    ErrorCode, ErrorView, FileState, OnConflict, OutcomeView, PlaceMode, PlanAction, PlanItemView,
    PlanView, Progress, Scope, SourceRef, TargetRef, TargetStanding,
};

/// How long an installation waits for the server's word that nothing changed.
const RECHECK: Duration = Duration::from_secs(10);

impl Shell {
    /// Works out what placing a skill would do. Changes nothing. A skill on this disk is looked at
    /// anew first.
    ///
    /// # Errors
    /// When the skill or a tool is not known. What stands against the change itself is in the plan.
    pub fn plan(&self, source: &SourceRef, targets: &[TargetRef]) -> Outcome<PlanView> {
        if let SourceRef::Copy { id } = source {
            self.look_again_at(id)?;
        }
        let asked: Vec<&str> = targets.iter().map(|target| target.tool.as_str()).collect();
        let snapshot = self.library.snapshot();
        let copies = self.copies(&snapshot)?;
        let planner = self.vault.planner(&self.scanned_folders());
        let (plan, without) = self.work_out(source, targets, &copies.last_modes(), &planner)?;
        let mut view = self.plan_view(&plan);
        view.items.extend(without);
        view.items.sort_by_key(|item| asked.iter().position(|tool| *tool == item.tool));
        self.plans.add(plan);
        Ok(view)
    }

    /// The plan of placing a skill, and a row for each tool that has no folder for it. `modes` says
    /// how the last skill was placed for a tool.
    pub(crate) fn work_out(
        &self,
        source: &SourceRef,
        targets: &[TargetRef],
        modes: &BTreeMap<&str, PlaceMode>,
        planner: &Planner<'_>,
    ) -> Outcome<(Plan, Vec<PlanItemView>)> {
        let snapshot = self.library.snapshot();
        let source = self.source(source)?;
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
            let last = modes.get(target.tool.as_str()).copied();
            places.push(Target {
                tool: target.tool.clone(),
                root,
                name: target.name.clone(),
                on_conflict: match target.on_conflict {
                    OnConflict::Keep => plan::OnConflict::Keep,
                    OnConflict::Replace => plan::OnConflict::Replace,
                },
                mode: match target.mode.unwrap_or_else(|| unsaid_mode(state.tool, last)) {
                    PlaceMode::Copy => Mode::Copy,
                    PlaceMode::Link => Mode::Link,
                },
            });
        }
        Ok((planner.plan(source, places)?, without))
    }

    /// Looks at one skill before something is done with it: what the watcher has not told yet is seen.
    fn look_again_at(&self, id: &str) -> Outcome<()> {
        let snapshot = self.library.snapshot();
        let skill = known(&snapshot, id)?;
        let as_listed = skill.manifest.as_ref().is_ok_and(|listed| {
            // What is larger than a skill can be is copied in no case.
            listed.total_size() > MAX_BYTES
                || Manifest::read(&skill.path).is_ok_and(|now| now == *listed)
        });
        if !as_listed {
            self.look_again();
        }
        Ok(())
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
            SourceRef::Offer { server, uri, executable } => {
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
                let executable = executable.iter().cloned().collect();
                Ok(Source::Approved { server, entry, executable })
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
            programs: self.programs(&plan.source),
            notices: plan.notices.clone(),
            grave: match &plan.source {
                Source::Local { path, manifest } => self.last_inspected.grave(path, manifest),
                // Approved with a tick at each, or kept where no tool looks.
                Source::Approved { .. } | Source::Unapproved { .. } => Vec::new(),
            },
            blockers: plan.blockers.clone(),
            writes: plan.writes(),
        }
    }

    /// That a tool is known not to see what is placed as a link.
    fn unseen(&self, tool: &str, item: &PlanItem) -> Option<String> {
        let tool = skills::tool::tool(tool)?;
        (item.mode == Mode::Link && tool.reads.links == Said::No)
            .then(|| format!("{} leaves out skills whose folders are links", tool.name))
    }

    /// Served files that begin with `#!`: whether they are to be programs is for the person to say.
    fn programs(&self, source: &Source) -> Vec<String> {
        let Source::Approved { server, entry, .. } = source else { return Vec::new() };
        let is_program = |file: &&EntryFile| {
            let bytes = self.vault.blobs().get(&server.id, &file.digest);
            bytes.is_ok_and(|bytes| bytes.is_some_and(|bytes| bytes.starts_with(b"#!")))
        };
        entry.files().iter().filter(is_program).map(|file| file.path.clone()).collect()
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
                standing: rows::standing(item.standing),
                action: rows::action(item.action),
                mode: rows::mode(item),
                message: match (&item.message, self.unseen(tool, item)) {
                    (Some(known), Some(more)) => Some(format!("{known}; {more}")),
                    (known, more) => known.clone().or(more),
                },
            })
            .collect()
    }

    /// Ids of the tools that read this folder, by real path.
    pub(crate) fn seen_by(&self, root: &Path) -> Vec<String> {
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
        if let Source::Approved { server, entry, .. } = &plan.source {
            self.still_offered(server, entry).await?;
        }
        let shell = Arc::clone(self);
        let outcome = blocking(move || {
            let mut telling = Telling::new(Arc::clone(&shell), stop.clone(), progress);
            let change = shell.vault.apply(&plan, &mut |so_far| telling.tell(so_far))?;
            shell.follow_placements()?;
            shell.library.rescan();
            Ok::<_, vault::VaultError>((shell.outcome_by_tool(change), stop.is_cancelled()))
        })
        .await?;
        self.disk_changed();
        let (outcome, stopped) = outcome?;
        // What was written before the stop can be undone, so then the outcome is what counts.
        if stopped && !outcome.items.iter().any(did_something) {
            return Err(ErrorView::new(ErrorCode::Cancelled, "stopped; everything is as it was"));
        }
        Ok(outcome)
    }

    /// Asks a server that is there whether it still offers what is about to be installed: not every
    /// server tells when something changes. A server that is away, slow, or does not give the entry
    /// by itself takes nothing back.
    pub(crate) async fn still_offered(&self, server: &SavedServer, entry: &Entry) -> Outcome<()> {
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
}

/// How a skill is placed for a tool where nothing was said: as the last one was, where one was and
/// the tool is not known to leave links out.
pub(crate) fn unsaid_mode(tool: &Tool, last: Option<PlaceMode>) -> PlaceMode {
    last.filter(|_| tool.reads.links != Said::No).unwrap_or(PlaceMode::Copy)
}

/// The row of a tool that reads no folder of the person's.
fn rootless(id: &str, name: &str) -> PlanItemView {
    PlanItemView {
        tool: id.to_owned(),
        seen_by: Vec::new(),
        path: String::new(),
        standing: TargetStanding::Blocked,
        action: PlanAction::Refuse,
        mode: PlaceMode::Copy,
        message: Some(format!("{name} reads only folders of projects")),
    }
}
