//! One look at the folders of all tools.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use rayon::prelude::*;
use serde_json::Value;

use super::{LocalSkill, RootState, ToolState};
use crate::MAIN_FILE;
use crate::check::{self, Diagnostic, codes};
use crate::digest::Digest;
use crate::frontmatter::FrontMatter;
use crate::manifest::{MAX_BYTES, Manifest};
use crate::paths::Paths;
use crate::read::{ListedFile, ReadManifestError, list_files, read_file};
use crate::tool::{Detection, Tool, ToolRoot, tools};

/// A folder with more bytes than this is not hashed: it is no skill.
const MAX_HASHED: u64 = 16 * MAX_BYTES;

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

/// A folder that looks like a skill.
#[derive(Debug)]
struct Candidate {
    path: PathBuf,
    /// Links resolved; `None` for a link that leads nowhere.
    real: Option<PathBuf>,
    linked: bool,
    tools: Vec<String>,
}

pub(super) fn scan(
    paths: &Paths,
    known: &mut Known,
) -> (Vec<ToolState>, Vec<RootState>, Vec<LocalSkill>) {
    let states: Vec<(ToolState, Vec<ToolRoot>)> =
        tools().par_iter().map(|tool| state(tool, paths)).collect();
    let (roots, candidates) = look(&states);
    let read: Vec<(LocalSkill, Option<(PathBuf, Reading)>)> = candidates
        .into_par_iter()
        .map(|candidate| match &candidate.real {
            None => (dangling(candidate), None),
            Some(real) => {
                let real = real.clone();
                let reading = read(&candidate, &real, known.0.get(&real));
                (skill(candidate, &real, reading.content.clone()), Some((real, reading)))
            }
        })
        .collect();
    let mut skills = Vec::with_capacity(read.len());
    known.0.clear();
    for (skill, reading) in read {
        skills.push(skill);
        known.0.extend(reading);
    }
    skills.sort_by(|a, b| (&a.name, &a.path).cmp(&(&b.name, &b.path)));
    (states.into_iter().map(|(state, _)| state).collect(), roots, skills)
}

fn state(tool: &'static Tool, paths: &Paths) -> (ToolState, Vec<ToolRoot>) {
    let roots = tool.roots(paths);
    let state = ToolState {
        tool,
        detection: tool.detection(paths),
        roots: roots.iter().map(|root| root.path.clone()).collect(),
        install_root: tool.install_root(paths),
    };
    (state, roots)
}

/// The roots of the tools that are here, each folder once, and what lies in them.
fn look(states: &[(ToolState, Vec<ToolRoot>)]) -> (Vec<RootState>, Vec<Candidate>) {
    let mut roots: Vec<(PathBuf, RootState)> = Vec::new();
    for (state, tool_roots) in
        states.iter().filter(|(state, _)| state.detection != Detection::NotFound)
    {
        for root in tool_roots {
            let (real, problem) = match fs::canonicalize(&root.path) {
                Ok(real) => (real, None),
                Err(error)
                    if error.kind() == io::ErrorKind::NotFound
                        && fs::symlink_metadata(&root.path).is_err() =>
                {
                    continue;
                }
                Err(error) if error.kind() == io::ErrorKind::NotFound => (
                    root.path.clone(),
                    Some("it is a link to a folder that is not there".to_owned()),
                ),
                Err(error) => (root.path.clone(), Some(error.to_string())),
            };
            let id = &state.tool.id;
            match roots.iter_mut().find(|(known, _)| *known == real) {
                Some((_, known)) => {
                    if !known.tools.contains(id) {
                        known.tools.push(id.clone());
                    }
                    known.read_only |= root.read_only;
                }
                None => roots.push((
                    real,
                    RootState {
                        path: root.path.clone(),
                        tools: vec![id.clone()],
                        problem,
                        read_only: root.read_only,
                    },
                )),
            }
        }
    }
    let reals: HashSet<PathBuf> = roots.iter().map(|(real, _)| real.clone()).collect();
    let mut found: BTreeMap<PathBuf, Candidate> = BTreeMap::new();
    for (_, root) in &mut roots {
        if root.problem.is_some() {
            continue;
        }
        match children(&root.path) {
            Ok(children) => {
                for child in children {
                    add_candidates(&child, &root.tools, &reals, 1, &mut found);
                }
            }
            Err(error) => root.problem = Some(error.to_string()),
        }
    }
    (roots.into_iter().map(|(_, root)| root).collect(), found.into_values().collect())
}

fn children(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut children: Vec<PathBuf> = fs::read_dir(folder)?
        .map(|child| child.map(|child| child.path()))
        .collect::<io::Result<_>>()?;
    children.sort();
    Ok(children)
}

/// Adds a skill, or the skills of a folder that groups them, `groups` levels deep.
fn add_candidates(
    path: &Path,
    tools: &[String],
    roots: &HashSet<PathBuf>,
    groups: usize,
    found: &mut BTreeMap<PathBuf, Candidate>,
) {
    let Ok(metadata) = fs::symlink_metadata(path) else { return };
    let linked = metadata.is_symlink();
    let real = fs::canonicalize(path).ok();
    match &real {
        None if linked => {}
        None => return,
        Some(real) if !real.is_dir() || roots.contains(real) => return,
        Some(real) => {
            let is_skill =
                fs::symlink_metadata(real.join(MAIN_FILE)).is_ok_and(|main| !main.is_dir());
            if !is_skill {
                if !linked && groups > 0 {
                    for child in children(path).unwrap_or_default() {
                        add_candidates(&child, tools, roots, groups - 1, found);
                    }
                }
                return;
            }
        }
    }
    // One folder may be seen in several places: it is one skill, shown where it really lies.
    let key = real.clone().unwrap_or_else(|| path.to_owned());
    let candidate = found.entry(key).or_insert_with(|| Candidate {
        path: path.to_owned(),
        real,
        linked,
        tools: Vec::new(),
    });
    if candidate.linked && !linked {
        candidate.path = path.to_owned();
        candidate.linked = false;
    }
    for tool in tools {
        if !candidate.tools.contains(tool) {
            candidate.tools.push(tool.clone());
        }
    }
}

fn read(candidate: &Candidate, real: &Path, before: Option<&Reading>) -> Reading {
    let at = SystemTime::now();
    let folder_name = folder_name(&candidate.path);
    let listed = list_files(real);
    if let (Ok(listed), Some(before)) = (&listed, before)
        && before.listed == *listed
        && before.folder_name == folder_name
        && !listed.iter().any(|file| file.stamp.is_fresh(before.at))
    {
        return before.clone();
    }
    let manifest = listed.as_ref().map_or_else(
        |error| Err(sentence(error)),
        |listed| {
            let bytes =
                listed.iter().fold(0_u64, |sum, file| sum.saturating_add(file.stamp.size()));
            if bytes > MAX_HASHED {
                return Err(format!("it holds {bytes} bytes, far more than a skill can have"));
            }
            Manifest::read_listed(real, listed.clone()).map_err(|error| sentence(&error))
        },
    );
    let content = content(&folder_name, real, manifest);
    // What could not be listed or read is looked at again each time.
    let listed = if content.manifest.is_ok() { listed.unwrap_or_default() } else { Vec::new() };
    Reading { listed, folder_name, at, content }
}

fn content(folder_name: &str, real: &Path, manifest: Result<Manifest, String>) -> Content {
    let skill_md = read_file(&real.join(MAIN_FILE), MAX_BYTES);
    let bytes = skill_md.as_deref().unwrap_or_default();
    let front_matter = FrontMatter::read(bytes);
    let name = match front_matter.fields().get("name") {
        Some(Value::String(name)) if !name.trim().is_empty() => name.clone(),
        _ => folder_name.to_owned(),
    };
    let mut diagnostics = match &manifest {
        Ok(manifest) => check::check(folder_name, manifest, bytes),
        Err(_) if skill_md.is_ok() => front_matter.problems().to_vec(),
        Err(_) => Vec::new(),
    };
    if let Err(message) = &manifest {
        diagnostics.insert(0, codes::FILES_UNREADABLE.say(message.clone(), None));
    }
    Content {
        description: front_matter.description_or_fallback(folder_name),
        name,
        manifest,
        diagnostics,
    }
}

fn skill(candidate: Candidate, real: &Path, content: Content) -> LocalSkill {
    let Content { name, description, manifest, diagnostics } = content;
    LocalSkill {
        id: id(real),
        folder_name: folder_name(&candidate.path),
        path: candidate.path,
        name,
        description,
        tools: candidate.tools,
        manifest,
        diagnostics,
        linked: candidate.linked,
    }
}

fn dangling(candidate: Candidate) -> LocalSkill {
    let target = fs::read_link(&candidate.path).unwrap_or_default();
    let message = format!("it is a link to {}, which is not there", target.display());
    let folder_name = folder_name(&candidate.path);
    LocalSkill {
        id: id(&candidate.path),
        name: folder_name.clone(),
        description: format!("Skill: {folder_name}"),
        folder_name,
        path: candidate.path,
        tools: candidate.tools,
        diagnostics: vec![codes::FILES_UNREADABLE.say(message.clone(), None)],
        manifest: Err(message),
        linked: true,
    }
}

fn folder_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

fn id(real: &Path) -> String {
    let mut hex = Digest::of(real.as_os_str().as_encoded_bytes()).hex();
    hex.truncate(16);
    hex
}

/// The error with what the system said.
fn sentence(error: &ReadManifestError) -> String {
    match error {
        ReadManifestError::Unreadable { source, .. } => format!("{error}: {source}"),
        error => error.to_string(),
    }
}
