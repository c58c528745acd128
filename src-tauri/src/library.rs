//! The library as the page sees it: tools and rows.

mod detail;
mod inspected;

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;

use skills::library::{Group, LocalSkill, Snapshot};
use skills::manifest::{MAX_BYTES, MAX_FILES, Manifest, ManifestFile};
use skills::tool::Said;
use vault::deed::Aside;
use vault::placement::{Origin, Placement};

use crate::copies::{self, Copies};
use crate::error::Outcome;
use crate::install::unsaid_mode;
use crate::render::spelled_out;
use crate::shell::Shell;
use crate::view::{
    AsideRow, CopyRef, CopyState, Detection, ErrorView, Field, FileRow, FileState, GoneRow,
    LibraryView, ManifestView, PlaceMode, ReadsLinks, Requests, RootProblem, RowState, Scope,
    SkillRow, ToolView, UnreadFolder,
};

pub(crate) use self::detail::read_one;
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
        let copies = self.copies(&snapshot)?;
        let modes = copies.last_modes();
        let counts = counts(&snapshot);
        let mut tools: Vec<ToolView> = snapshot
            .tools
            .iter()
            .map(|state| {
                let id = state.tool.id.as_str();
                let count = counts.get(id).copied().unwrap_or(0);
                self.tool_view(state, count, modes.get(id).copied())
            })
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
        let aside = self.vault.aside()?;
        let gone = copies.gone();
        let rows = self.rows(&snapshot, &copies, &aside, &gone);
        Ok(LibraryView {
            revision,
            scanning: !self.scanned(),
            uninspected,
            tools,
            skills: rows,
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
            aside: aside.iter().rev().map(|aside| self.aside_row(aside)).collect(),
            gone: gone.iter().map(|(placement, state)| self.gone_row(placement, *state)).collect(),
        })
    }

    fn tool_view(
        &self,
        state: &skills::library::ToolState,
        count: usize,
        last: Option<PlaceMode>,
    ) -> ToolView {
        let tool = state.tool;
        ToolView {
            id: tool.id.clone(),
            name: tool.name.clone(),
            monogram: tool.monogram.clone(),
            detection: match state.detection {
                skills::tool::Detection::Detected => Detection::Detected,
                skills::tool::Detection::FolderOnly => Detection::FolderOnly,
                skills::tool::Detection::NotFound => Detection::NotFound,
            },
            count,
            roots: state.roots.iter().map(|root| self.paths.display(root)).collect(),
            install_root: state
                .install_root
                .as_deref()
                .map(|root| self.paths.display(root))
                .unwrap_or_default(),
            on: state.on,
            chosen: state.chosen,
            placed: last.is_some(),
            overridden: state.overridden,
            links: match tool.reads.links {
                Said::Yes => ReadsLinks::Reads,
                Said::No => ReadsLinks::Ignores,
                Said::Unknown => ReadsLinks::Unknown,
            },
            mode: unsaid_mode(tool, last),
        }
    }

    /// A row for each name, also for those of which only disabled copies or a record are left.
    fn rows(
        &self,
        snapshot: &Snapshot,
        copies: &Copies<'_>,
        aside: &[Aside],
        gone: &[(&Placement, CopyState)],
    ) -> Vec<SkillRow> {
        let mut lost: BTreeMap<&str, Vec<CopyState>> = BTreeMap::new();
        for (placement, state) in gone {
            lost.entry(&placement.name).or_default().push(*state);
        }
        let groups = snapshot.groups();
        let names: HashSet<&str> = groups.iter().map(|group| group.name).collect();
        let mut rows: Vec<SkillRow> = groups
            .iter()
            .map(|group| {
                let lost = lost.get(group.name).map(Vec::as_slice).unwrap_or_default();
                self.row(group, copies, lost)
            })
            .collect();
        let left: BTreeSet<&str> =
            aside.iter().map(|aside| aside.name.as_str()).chain(lost.keys().copied()).collect();
        for name in left.difference(&names.into_iter().collect()) {
            let states = lost.get(name).into_iter().flatten();
            let states = states.map(|state| copies::row_state(*state, false));
            let row = empty_row(name, copies::worst(states).unwrap_or(RowState::Disabled));
            rows.insert(rows.partition_point(|known| known.name.as_str() < *name), row);
        }
        rows
    }

    fn row(&self, group: &Group<'_>, copies: &Copies<'_>, lost: &[CopyState]) -> SkillRow {
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
        let refs = self.copy_refs(group, copies);
        let differ = differ(group);
        let states = refs.iter().map(|copy| copy.state).chain(lost.iter().copied());
        let state = copies::worst(states.map(|state| copies::row_state(state, differ)));
        SkillRow {
            name: group.name.to_owned(),
            description: first.map(|skill| skill.description.clone()).unwrap_or_default(),
            tools: tools.into_iter().cloned().collect(),
            state: state.unwrap_or(RowState::Fine),
            errors: worst(skills::check::Severity::Error),
            warnings: worst(skills::check::Severity::Warning),
            grave: found.iter().map(|found| found.grave).max().unwrap_or(0),
            cautions: found.iter().map(|found| found.cautions).max().unwrap_or(0),
            copies: refs,
        }
    }

    fn copy_refs(&self, group: &Group<'_>, copies: &Copies<'_>) -> Vec<CopyRef> {
        group.skills.iter().map(|skill| self.copy_ref(skill, copies)).collect()
    }

    fn copy_ref(&self, skill: &LocalSkill, copies: &Copies<'_>) -> CopyRef {
        let placement = copies.placement(skill);
        CopyRef {
            id: skill.id.clone(),
            path: self.paths.display(&skill.path),
            tools: skill.tools.clone(),
            fingerprint: skill
                .manifest
                .as_ref()
                .ok()
                .map(|manifest| manifest.fingerprint().to_string()),
            linked: skill.linked,
            project: skill.project.as_deref().map(|project| self.paths.display(project)),
            state: copies.copy_state(skill),
            placed: placement.is_some(),
            mode: placement.map(copies::mode),
            user_owned: copies.is_user_owned(skill),
        }
    }

    fn aside_row(&self, aside: &Aside) -> AsideRow {
        AsideRow {
            id: aside.id.clone(),
            name: aside.name.clone(),
            path: self.paths.display(&aside.folder),
            tools: aside.tools.clone(),
            at: aside.at.to_string(),
            fingerprint: aside.found.fingerprint.to_string(),
        }
    }

    fn gone_row(&self, placement: &Placement, state: CopyState) -> GoneRow {
        GoneRow {
            id: LocalSkill::id_of(&placement.folder),
            name: placement.name.clone(),
            path: self.paths.display(&placement.folder),
            tools: placement.tools.clone(),
            origin: self.origin(placement),
            at: placement.at.to_string(),
            state,
        }
    }

    /// Where something came from, in words.
    fn origin(&self, placement: &Placement) -> String {
        match &placement.origin {
            Origin::Server { label, .. } => label.clone(),
            Origin::Folder { path } => self.paths.display(path),
            Origin::Adopted => "here before Skillhold".to_owned(),
        }
    }
}

/// How many names each tool sees.
fn counts(snapshot: &Snapshot) -> BTreeMap<&str, usize> {
    let mut counts = BTreeMap::new();
    for group in snapshot.groups() {
        let tools: HashSet<&str> =
            group.skills.iter().flat_map(|skill| &skill.tools).map(String::as_str).collect();
        for tool in tools {
            *counts.entry(tool).or_default() += 1;
        }
    }
    counts
}

/// Whether copies of one name have different content, or one cannot be read.
fn differ(group: &Group<'_>) -> bool {
    let mut contents =
        group.skills.iter().map(|skill| skill.manifest.as_ref().ok().map(Manifest::fingerprint));
    let first = contents.next();
    contents.any(|content| Some(content) != first)
}

/// The row of a skill that is no longer in any folder.
fn empty_row(name: &str, state: RowState) -> SkillRow {
    SkillRow {
        name: name.to_owned(),
        description: String::new(),
        tools: Vec::new(),
        state,
        errors: 0,
        warnings: 0,
        grave: 0,
        cautions: 0,
        copies: Vec::new(),
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
