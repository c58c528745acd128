//! The library as the page sees it: rows, one skill in detail, one file.

mod inspected;

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use skills::MAIN_FILE;
use skills::check::Diagnostic;
use skills::frontmatter::FrontMatter;
use skills::inspect::{self, inspect};
use skills::library::{Group, LocalSkill, Snapshot};
use skills::manifest::{MAX_BYTES, MAX_FILES, Manifest, ManifestFile, read_files};
use skills::readers::{self, Reading, readings};
use skills::visibility::{self, Visibility};
use vault::placement::{Origin, Placement};

use crate::checks::checks_view;
use crate::error::Outcome;
use crate::fixes::fix_views;
use crate::render::{self, spelled_out};
use crate::shell::Shell;
use crate::view::{
    CopyRef, Detection, DiffLine, Drift, ErrorView, Field, FileContent, FileRow, FileState,
    LibraryView, ManifestView, PlacementView, ReaderOutcome, ReaderView, Requests, RootProblem,
    RowState, Scope, Seen, SkillDetail, SkillRow, ToolView, UnreadFolder, VisibilityRow,
};

pub(crate) use self::inspected::Inspected;

impl Shell {
    /// The whole library as it was scanned last. The first call starts the scan. What was not
    /// inspected yet is from then on, beside everything else.
    ///
    /// # Errors
    /// When the ledger fails.
    pub fn library_view(&self) -> Outcome<LibraryView> {
        let revision = self.events.revision(Scope::Library);
        let snapshot = self.library.snapshot();
        let placements = self.vault.placements()?;
        let placed: BTreeSet<&String> =
            placements.iter().flat_map(|placement| &placement.tools).collect();
        let mut tools: Vec<ToolView> = snapshot
            .tools
            .iter()
            .map(|state| self.tool_view(&snapshot, state, placed.contains(&state.tool.id)))
            .collect();
        tools.sort_by_key(|tool| match tool.detection {
            Detection::Detected => 0,
            Detection::FolderOnly => 1,
            Detection::NotFound => 2,
        });
        let problems = snapshot.roots.iter().filter_map(|root| {
            let message = root.problem.clone()?;
            Some(RootProblem { path: self.paths.display(&root.path), message })
        });
        let uninspected = self.inspected.waiting(&snapshot);
        if uninspected > 0 && self.scanned() {
            let events = Arc::clone(&self.events);
            self.inspected.begin(&self.library, move || events.changed(Scope::Library));
        }
        Ok(LibraryView {
            revision,
            scanning: !self.scanned(),
            uninspected,
            tools,
            skills: snapshot.groups().iter().map(|group| self.row(group, &placements)).collect(),
            problems: problems.collect(),
            unread: snapshot
                .unread
                .iter()
                .map(|folder| UnreadFolder {
                    path: self.paths.display(&folder.path),
                    tools: folder.tools.clone(),
                    count: folder.count,
                })
                .collect(),
        })
    }

    fn tool_view(
        &self,
        snapshot: &Snapshot,
        state: &skills::library::ToolState,
        placed: bool,
    ) -> ToolView {
        let tool = state.tool;
        let names: BTreeSet<&str> = snapshot
            .skills
            .iter()
            .filter(|skill| skill.tools.contains(&tool.id))
            .map(|skill| skill.name.as_str())
            .collect();
        ToolView {
            id: tool.id.clone(),
            name: tool.name.clone(),
            monogram: tool.monogram.clone(),
            detection: match state.detection {
                skills::tool::Detection::Detected => Detection::Detected,
                skills::tool::Detection::FolderOnly => Detection::FolderOnly,
                skills::tool::Detection::NotFound => Detection::NotFound,
            },
            count: names.len(),
            roots: state.roots.iter().map(|root| self.paths.display(root)).collect(),
            install_root: state
                .install_root
                .as_deref()
                .map(|root| self.paths.display(root))
                .unwrap_or_default(),
            on: state.on,
            chosen: state.chosen,
            placed,
            overridden: state.overridden,
        }
    }

    fn row(&self, group: &Group<'_>, placements: &[Placement]) -> SkillRow {
        let first = group.skills.first();
        let tools: BTreeSet<&String> = group.skills.iter().flat_map(|skill| &skill.tools).collect();
        let worst = |severity| {
            let count = |skill: &&LocalSkill| {
                skill.diagnostics.iter().filter(|found| found.severity == severity).count()
            };
            group.skills.iter().map(count).max().unwrap_or(0)
        };
        let found: Vec<_> =
            group.skills.iter().filter_map(|skill| self.inspected.of(skill)).collect();
        SkillRow {
            name: group.name.to_owned(),
            description: first.map(|skill| skill.description.clone()).unwrap_or_default(),
            tools: tools.into_iter().cloned().collect(),
            state: state_of(group, placements),
            errors: worst(skills::check::Severity::Error),
            warnings: worst(skills::check::Severity::Warning),
            grave: found.iter().map(|found| found.grave).max().unwrap_or(0),
            cautions: found.iter().map(|found| found.cautions).max().unwrap_or(0),
            copies: group.skills.iter().map(|skill| self.copy_ref(skill)).collect(),
        }
    }

    fn copy_ref(&self, skill: &LocalSkill) -> CopyRef {
        CopyRef {
            id: skill.id.clone(),
            path: self.paths.display(&skill.path),
            tools: skill.tools.clone(),
            fingerprint: fingerprint(skill),
            linked: skill.linked,
            project: skill.project.as_deref().map(|project| self.paths.display(project)),
        }
    }

    /// One copy of a skill as it is on the disk now.
    ///
    /// # Errors
    /// When there is no such copy any more, or it changed and cannot be read.
    pub fn skill_detail(&self, id: &str) -> Outcome<SkillDetail> {
        let snapshot = self.library.snapshot();
        let skill = known(&snapshot, id)?;
        let placements = self.vault.placements()?;
        let groups = snapshot.groups();
        let group = groups.iter().find(|group| group.name == skill.name);
        // What is larger than a skill can be is shown by its manifest, and not held in memory.
        let files = match &skill.manifest {
            Ok(manifest) if manifest.total_size() <= MAX_BYTES => {
                Some(read_files(&skill.path, manifest)?)
            }
            _ => None,
        };
        let main = files.as_ref().and_then(|files| files.get(MAIN_FILE));
        let front_matter = main.map(|bytes| FrontMatter::read(bytes));
        let inspection = files.as_ref().map(inspect).unwrap_or_default();
        Ok(SkillDetail {
            id: skill.id.clone(),
            name: skill.name.clone(),
            description: skill.description.clone(),
            path: self.paths.display(&skill.path),
            tools: skill.tools.clone(),
            state: state_of_copy(skill, group, &placements),
            front_matter: front_matter
                .as_ref()
                .map(|front| fields(front.fields()))
                .unwrap_or_default(),
            html: front_matter
                .as_ref()
                .map(|front| render::markdown(front.body()))
                .unwrap_or_default(),
            requests: requests_view(inspection.requests),
            manifest: skill
                .manifest
                .as_ref()
                .ok()
                .map(|manifest| manifest_view(manifest, |_| FileState::Local)),
            manifest_problem: skill.manifest.as_ref().err().cloned(),
            checks: checks_view(&skill.diagnostics, &inspection.findings, |found| {
                fix_views(skill, found, files.as_ref())
            }),
            rules: files.as_ref().map_or(0, |_| inspect::rules().len()),
            readers: match (&skill.manifest, main) {
                (Ok(manifest), Some(main)) => readers_view(&skill.folder_name, manifest, main),
                _ => Vec::new(),
            },
            visibility: self.visibility(&snapshot, &skill.name),
            writable: !skill.read_only,
            copies: group
                .map(|group| group.skills.iter().map(|skill| self.copy_ref(skill)).collect())
                .unwrap_or_default(),
            placement: placement_of(skill, &placements)
                .map(|placement| self.placement_view(placement, skill)),
            history: self.history_of_folder(&skill.path)?,
        })
    }

    fn visibility(&self, snapshot: &Snapshot, name: &str) -> Vec<VisibilityRow> {
        let row = |one: Visibility| VisibilityRow {
            tool: one.tool,
            copy: one.skill,
            root: self.paths.display(&one.root),
            seen: match one.seen {
                visibility::Seen::Seen => Seen::Seen,
                visibility::Seen::Shadowed => Seen::Shadowed,
                visibility::Seen::NotSeen => Seen::NotSeen,
                visibility::Seen::Unknown => Seen::Unknown,
            },
            reason: spelled_out(&one.reason),
        };
        snapshot.visibility(name).into_iter().map(row).collect()
    }

    /// One file of a local skill.
    ///
    /// # Errors
    /// When there is no such copy or file any more, or the disk does not give it.
    pub fn skill_file(&self, id: &str, path: &str) -> Outcome<FileContent> {
        let snapshot = self.library.snapshot();
        let skill = known(&snapshot, id)?;
        let manifest = skill.manifest.as_ref().map_err(|why| ErrorView::gone(why.clone()))?;
        // Only what the manifest lists can be asked for, so the path never leads outside.
        let file = manifest
            .get(path)
            .ok_or_else(|| ErrorView::gone(format!("{} has no file {path}", skill.name)))?;
        let bytes = read_one(&skill.path, manifest, path)?;
        Ok(FileContent {
            path: path.to_owned(),
            size: file.size,
            state: FileState::Local,
            body: render::file_body(path, &bytes),
        })
    }

    /// The lines in which one file of two copies differs; nothing where either is not text. A copy
    /// that does not have the file counts as an empty one.
    ///
    /// # Errors
    /// When one copy is there no more, neither has the file, or the disk does not give it.
    pub fn compare_file(&self, id: &str, with: &str, path: &str) -> Outcome<Option<Vec<DiffLine>>> {
        let snapshot = self.library.snapshot();
        let (here, there) = (known(&snapshot, id)?, known(&snapshot, with)?);
        let text = |skill: &LocalSkill| -> Outcome<Option<Vec<u8>>> {
            let manifest = skill.manifest.as_ref().map_err(|why| ErrorView::gone(why.clone()))?;
            manifest.get(path).map(|_| read_one(&skill.path, manifest, path)).transpose()
        };
        let (here, there) = (text(here)?, text(there)?);
        if here.is_none() && there.is_none() {
            return Err(ErrorView::gone(format!("neither copy has a file {}", spelled_out(path))));
        }
        let text = |bytes: Option<Vec<u8>>| {
            String::from_utf8(bytes.unwrap_or_default()).ok().filter(|text| !text.contains('\0'))
        };
        Ok(text(here).zip(text(there)).map(|(here, there)| render::diff(&here, &there)))
    }

    fn placement_view(&self, placement: &Placement, skill: &LocalSkill) -> PlacementView {
        PlacementView {
            drift: if is_edited(skill, placement) { Drift::Edited } else { Drift::InSync },
            origin: match &placement.origin {
                Origin::Server { label, .. } => label.clone(),
                Origin::Folder { path } => self.paths.display(path),
            },
            at: placement.at.to_string(),
            source_fingerprint: placement.source.to_string(),
            installed_fingerprint: placement.installed_fingerprint().to_string(),
        }
    }
}

/// The copy with this id.
///
/// # Errors
/// When it is no longer there.
pub(crate) fn known<'a>(snapshot: &'a Snapshot, id: &str) -> Outcome<&'a LocalSkill> {
    snapshot
        .skill(id)
        .ok_or_else(|| ErrorView::gone("this skill is no longer in any tool's folder"))
}

fn fingerprint(skill: &LocalSkill) -> Option<String> {
    skill.manifest.as_ref().ok().map(|manifest| manifest.fingerprint().to_string())
}

/// The worst that can be said of any copy.
fn state_of(group: &Group<'_>, placements: &[Placement]) -> RowState {
    let states: Vec<RowState> =
        group.skills.iter().map(|skill| state_of_copy(skill, Some(group), placements)).collect();
    [RowState::Invalid, RowState::Edited, RowState::Diverged]
        .into_iter()
        .find(|state| states.contains(state))
        .unwrap_or(RowState::Fine)
}

/// What there is to say about this copy: of itself first, then beside the others.
fn state_of_copy(
    skill: &LocalSkill,
    group: Option<&Group<'_>>,
    placements: &[Placement],
) -> RowState {
    let error = |found: &Diagnostic| matches!(found.severity, skills::check::Severity::Error);
    if skill.manifest.is_err() || skill.diagnostics.iter().any(error) {
        return RowState::Invalid;
    }
    if placement_of(skill, placements).is_some_and(|placement| is_edited(skill, placement)) {
        return RowState::Edited;
    }
    let own = fingerprint(skill);
    let others = group.into_iter().flat_map(|group| &group.skills);
    if others.into_iter().all(|other| fingerprint(other) == own) {
        RowState::Fine
    } else {
        RowState::Diverged
    }
}

/// One file of a folder, checked against its digest.
fn read_one(dir: &Path, manifest: &Manifest, path: &str) -> Outcome<Vec<u8>> {
    // A manifest has to hold the main file, so that one is read as well.
    let files = manifest.files().iter().filter(|file| file.path == path || file.path == MAIN_FILE);
    let only = Manifest::new(files.cloned().collect()).map_err(|why| {
        ErrorView::gone(format!("{} is not a skill any more: {why}", dir.display()))
    })?;
    let mut files = read_files(dir, &only)?;
    files
        .remove(path)
        .ok_or_else(|| ErrorView::gone(format!("{} has no file {path}", dir.display())))
}

/// The record of this very folder. The record holds real paths, so a link to a folder that was
/// placed elsewhere counts as that folder.
fn placement_of<'a>(skill: &LocalSkill, placements: &'a [Placement]) -> Option<&'a Placement> {
    placements.iter().find(|placement| {
        placement.folder.file_name() == skill.path.file_name()
            && (placement.folder == skill.path
                || skill.path.canonicalize().is_ok_and(|real| real == placement.folder))
    })
}

fn is_edited(skill: &LocalSkill, placement: &Placement) -> bool {
    skill.manifest.as_ref().is_ok_and(|manifest| *manifest != placement.installed)
}

/// The fields of a front matter in order, values as text.
pub(crate) fn fields(map: &serde_json::Map<String, serde_json::Value>) -> Vec<Field> {
    map.iter()
        .map(|(key, value)| Field {
            key: spelled_out(key),
            value: match value {
                serde_json::Value::String(text) => spelled_out(text),
                other => spelled_out(&other.to_string()),
            },
        })
        .collect()
}

/// A row for each file of a manifest, with what `state` knows of it.
pub(crate) fn file_rows(manifest: &Manifest, state: impl Fn(&str) -> FileState) -> Vec<FileRow> {
    let row = |file: &ManifestFile| FileRow {
        path: file.path.clone(),
        size: file.size,
        digest: file.digest.to_string(),
        state: state(&file.path),
    };
    manifest.files().iter().map(row).collect()
}

/// The files of a manifest, each with what `state` knows of it, and what they come to.
pub(crate) fn manifest_view(
    manifest: &Manifest,
    state: impl Fn(&str) -> FileState,
) -> ManifestView {
    ManifestView {
        files: file_rows(manifest, state),
        total: manifest.total_size(),
        fingerprint: manifest.fingerprint().to_string(),
        max_files: MAX_FILES,
        max_bytes: MAX_BYTES,
    }
}

/// What each kind of reader makes of a skill.
fn readers_view(folder: &str, manifest: &Manifest, main: &[u8]) -> Vec<ReaderView> {
    let view = |reading: Reading| ReaderView {
        reader: reading.reader.name.to_owned(),
        outcome: match reading.outcome {
            readers::Outcome::Loads => ReaderOutcome::Loads,
            readers::Outcome::Partly => ReaderOutcome::Partly,
            readers::Outcome::Drops => ReaderOutcome::Drops,
        },
        message: spelled_out(&reading.message),
    };
    readings(folder, manifest, main).into_iter().map(view).collect()
}

/// What a skill asks for.
pub(crate) fn requests_view(requests: skills::inspect::Requests) -> Requests {
    let shown = |texts: Vec<String>| texts.iter().map(|text| spelled_out(text)).collect();
    Requests {
        allowed_tools: shown(requests.allowed_tools),
        hooks: shown(requests.hooks),
        commands: shown(requests.commands),
        addresses: shown(requests.addresses),
        outside: shown(requests.outside),
    }
}
