//! One look at the folders of all tools.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use rayon::prelude::*;

use super::roots::{self, Looked};
use super::walk::{self, Candidate};
use super::{Choices, FolderState, LocalSkill, RootState, ToolState, UnreadFolder};
use crate::check::{Checked, Diagnostic, check_listed, codes};
use crate::manifest::Manifest;
use crate::paths::Paths;
use crate::read::{ListedFile, ReadManifestError, survey};

/// What the last scan read, by the real path of each skill.
#[derive(Debug, Default)]
pub(super) struct Known(HashMap<PathBuf, Reading>);

/// What was read of one skill, and how its files were.
#[derive(Debug, Clone)]
struct Reading {
    listed: Vec<ListedFile>,
    folder_name: String,
    at: SystemTime,
    content: Content,
}

/// What the files of a skill say.
#[derive(Debug, Clone)]
struct Content {
    name: String,
    description: String,
    manifest: Result<Manifest, String>,
    diagnostics: Vec<Diagnostic>,
}

/// Skills that are read before the first ones are told.
const FIRST: usize = 256;

/// What one look found.
pub(super) struct Scan {
    pub(super) tools: Vec<ToolState>,
    pub(super) roots: Vec<RootState>,
    pub(super) folders: Vec<FolderState>,
    pub(super) unread: Vec<UnreadFolder>,
    pub(super) skills: Vec<LocalSkill>,
}

/// Looks at the disk. Where there are many skills, `first` is called with some as soon as they are
/// read.
pub(super) fn scan(
    paths: &Paths,
    choices: &Choices,
    known: &mut Known,
    first: &dyn Fn(Scan),
) -> Scan {
    let Looked { tools, mut roots, mut folders, unread, mut candidates } =
        roots::look(paths, choices);
    let by_root: HashMap<PathBuf, usize> =
        roots.iter().enumerate().map(|(at, root)| (root.path.clone(), at)).collect();
    let read_all = |candidates: Vec<Candidate>| -> Vec<(LocalSkill, Option<(PathBuf, Reading)>)> {
        candidates
            .into_par_iter()
            .map(|candidate| match candidate.real.clone() {
                None => (dangling(candidate, &roots, &by_root), None),
                Some(real) => {
                    let reading = read(&candidate, &real, known.0.get(&real));
                    let skill = skill(candidate, &real, reading.content.clone(), &roots, &by_root);
                    (skill, Some((real, reading)))
                }
            })
            .collect()
    };
    let later = candidates.split_off(candidates.len().min(FIRST));
    let mut all = read_all(candidates);
    if !later.is_empty() {
        let skills = sorted(all.iter().map(|(skill, _)| skill.clone()).collect());
        first(Scan {
            tools: tools.clone(),
            roots: roots.clone(),
            folders: folders.clone(),
            unread: unread.clone(),
            skills,
        });
        all.extend(read_all(later));
    }
    let (skills, readings): (Vec<_>, Vec<_>) = all.into_iter().unzip();
    known.0 = readings.into_iter().flatten().collect();
    let skills = sorted(skills);
    walk::name_nested(&skills, &mut roots, &by_root);
    roots::count(&mut folders, &roots, &skills);
    Scan { tools, roots, folders, unread, skills }
}

fn sorted(mut skills: Vec<LocalSkill>) -> Vec<LocalSkill> {
    skills.sort_by(|a, b| (&a.name, &a.path).cmp(&(&b.name, &b.path)));
    skills
}

fn read(candidate: &Candidate, real: &Path, before: Option<&Reading>) -> Reading {
    let at = SystemTime::now();
    let folder_name = folder_name(&candidate.path);
    let listing = survey(real);
    if let (Ok(listing), Some(before)) = (&listing, before)
        && listing.problems.is_empty()
        && before.listed == listing.files
        && before.folder_name == folder_name
        && !listing.files.iter().any(|file| file.stamp.is_fresh(before.at))
    {
        return before.clone();
    }
    let mut listed = match &listing {
        Ok(listing) => listing.files.clone(),
        Err(_) => Vec::new(),
    };
    let Checked { name, description, manifest, diagnostics, .. } =
        check_listed(&folder_name, real, listing);
    if manifest.is_err() {
        // What could not be listed or read is looked at again each time.
        listed.clear();
    }
    let manifest = manifest.map_err(|error| sentence(&error));
    Reading {
        listed,
        folder_name,
        at,
        content: Content { name, description, manifest, diagnostics },
    }
}

fn skill(
    candidate: Candidate,
    real: &Path,
    content: Content,
    roots: &[RootState],
    by_root: &HashMap<PathBuf, usize>,
) -> LocalSkill {
    let Content { name, description, manifest, diagnostics } = content;
    let of_roots = OfRoots::new(&candidate, roots, by_root);
    LocalSkill {
        id: id(real),
        folder_name: folder_name(&candidate.path),
        path: candidate.path,
        name,
        description,
        tools: of_roots.tools,
        manifest,
        diagnostics,
        linked: candidate.linked,
        project: of_roots.project,
        read_only: of_roots.read_only,
        through: candidate.through,
    }
}

fn dangling(
    candidate: Candidate,
    roots: &[RootState],
    by_root: &HashMap<PathBuf, usize>,
) -> LocalSkill {
    let target = fs::read_link(&candidate.path).unwrap_or_default();
    let message = format!("it is a link to {}, which is not there", target.display());
    let folder_name = folder_name(&candidate.path);
    let of_roots = OfRoots::new(&candidate, roots, by_root);
    LocalSkill {
        id: id(&candidate.path),
        name: folder_name.clone(),
        description: format!("Skill: {folder_name}"),
        folder_name,
        path: candidate.path,
        tools: of_roots.tools,
        diagnostics: vec![codes::LINK_BROKEN.say(message.clone(), None)],
        manifest: Err(message),
        linked: true,
        project: of_roots.project,
        read_only: of_roots.read_only,
        through: candidate.through,
    }
}

/// What a skill has of the roots that show it.
struct OfRoots {
    tools: Vec<String>,
    project: Option<PathBuf>,
    read_only: bool,
}

impl OfRoots {
    fn new(candidate: &Candidate, roots: &[RootState], by_root: &HashMap<PathBuf, usize>) -> Self {
        let shown: Vec<&RootState> = candidate
            .through
            .iter()
            .filter_map(|through| roots.get(*by_root.get(&through.root)?))
            .collect();
        let mut tools: Vec<String> = Vec::new();
        for tool in shown.iter().flat_map(|root| &root.tools) {
            if !tools.contains(tool) {
                tools.push(tool.clone());
            }
        }
        let project = match shown.first() {
            Some(first) if shown.iter().all(|root| root.project.is_some()) => first.project.clone(),
            _ => None,
        };
        Self { tools, project, read_only: shown.iter().any(|root| root.read_only) }
    }
}

fn folder_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

fn id(real: &Path) -> String {
    LocalSkill::id_of(real)
}

/// The error with what the system said.
fn sentence(error: &ReadManifestError) -> String {
    match error {
        ReadManifestError::Unreadable { source, .. } => format!("{error}: {source}"),
        error => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::MAIN_FILE;

    #[test]
    fn a_skill_whose_files_are_as_they_were_is_not_read_again() {
        let dir = tempfile::tempdir().unwrap();
        let real = dir.path().canonicalize().unwrap().join("a");
        fs::create_dir_all(&real).unwrap();
        fs::write(real.join(MAIN_FILE), "---\nname: a\ndescription: b\n---\n").unwrap();
        let candidate = Candidate {
            path: real.clone(),
            real: Some(real.clone()),
            linked: false,
            through: Vec::new(),
        };
        let mut before = read(&candidate, &real, None);
        assert_eq!(before.content.description, "b");
        before.content.description = "remembered".to_owned();
        // Looked at long after the last write, so that its time tells.
        before.at += Duration::from_secs(60);
        assert_eq!(read(&candidate, &real, Some(&before)).content.description, "remembered");
        fs::write(real.join("more"), "x").unwrap();
        assert_eq!(read(&candidate, &real, Some(&before)).content.description, "b");
    }
}
