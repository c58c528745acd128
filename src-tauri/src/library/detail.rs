//! One skill of the library in detail, and one of its files.

use std::path::Path;

use skills::MAIN_FILE;
use skills::frontmatter::FrontMatter;
use skills::inspect::{self, inspect};
use skills::library::{LocalSkill, Snapshot};
use skills::manifest::{MAX_BYTES, Manifest, read_files};
use skills::readers::{self, Reading, readings};
use skills::visibility::{self, Visibility};
use vault::approval::Standing;
use vault::drift::State;
use vault::placement::{Origin, PlacedAs, Placement};
use vault::upkeep::Offered;

use super::{differ, fields, known, manifest_view, requests_view};
use crate::checks::checks_view;
use crate::copies::{self, Copies};
use crate::error::Outcome;
use crate::fixes::fix_views;
use crate::render::{self, spelled_out};
use crate::shell::Shell;
use crate::view::{
    ErrorView, FileContent, FileState, PlacementView, ReaderOutcome, ReaderView, Seen, SkillDetail,
    UpdateView, VisibilityRow,
};

impl Shell {
    /// One copy of a skill as it is on the disk now.
    ///
    /// # Errors
    /// When there is no such copy any more, or it changed and cannot be read.
    pub fn skill_detail(&self, id: &str) -> Outcome<SkillDetail> {
        let snapshot = self.library.snapshot();
        let skill = known(&snapshot, id)?;
        let copies = self.copies(&snapshot)?;
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
            state: copies::row_state(copies.copy_state(skill), group.is_some_and(differ)),
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
            copies: group.map(|group| self.copy_refs(group, &copies)).unwrap_or_default(),
            placement: match copies.placement(skill) {
                Some(placement) => Some(self.placement_view(placement, skill, &copies)?),
                None => None,
            },
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

    fn placement_view(
        &self,
        placement: &Placement,
        skill: &LocalSkill,
        copies: &Copies<'_>,
    ) -> Outcome<PlacementView> {
        let state = copies.state(placement, skill);
        let update = match copies.offered(placement) {
            Offered::Entry(entry) if entry.fingerprint() != placement.source => Some(UpdateView {
                fingerprint: entry.fingerprint().to_string(),
                approved: match copies.server(placement) {
                    Some(server) => {
                        matches!(self.vault.standing(server, entry)?, Standing::Approved(_))
                    }
                    None => false,
                },
            }),
            Offered::Folder(files) if files.fingerprint() != placement.source => Some(UpdateView {
                fingerprint: files.fingerprint().to_string(),
                // Nobody asks about what lies on this disk.
                approved: true,
            }),
            _ => None,
        };
        let (server, uri) = match &placement.origin {
            Origin::Server { server, uri, .. } => (Some(server.0.clone()), Some(uri.clone())),
            _ => (None, None),
        };
        Ok(PlacementView {
            drift: copies::copy_state(&state),
            unknown: match state {
                State::Unreadable(why) => Some(spelled_out(&why)),
                _ => None,
            },
            mode: copies::mode(placement),
            canonical: match &placement.mode {
                PlacedAs::Link { canonical } => Some(self.paths.display(canonical)),
                PlacedAs::Copy => None,
            },
            update,
            origin: self.origin(placement),
            server,
            uri,
            at: placement.at.to_string(),
            source_fingerprint: placement.source.to_string(),
            installed_fingerprint: placement.installed_fingerprint().to_string(),
        })
    }
}

/// One file of a folder, checked against its digest.
pub(crate) fn read_one(dir: &Path, manifest: &Manifest, path: &str) -> Outcome<Vec<u8>> {
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
