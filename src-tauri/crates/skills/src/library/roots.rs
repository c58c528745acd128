//! Which folders are roots: those of the tools, and those that the person added.

use std::collections::HashSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use rayon::prelude::*;

use super::choices;
use super::unread;
use super::walk::{Candidate, Walk};
use super::{
    Choices, FolderRefused, FolderState, LocalSkill, Reader, RootState, ToolState, UnreadFolder,
};
use crate::folder::{FolderKind, kind_of};
use crate::paths::Paths;
use crate::tool::{Detection, Tool, ToolRoot, tools};

/// What is on the disk, before any skill is read.
pub(super) struct Looked {
    pub(super) tools: Vec<ToolState>,
    pub(super) roots: Vec<RootState>,
    pub(super) folders: Vec<FolderState>,
    pub(super) unread: Vec<UnreadFolder>,
    pub(super) candidates: Vec<Candidate>,
}

/// A root on its way to a [`RootState`].
struct Found {
    real: PathBuf,
    state: RootState,
}

pub(super) fn look(paths: &Paths, choices: &Choices) -> Looked {
    let mut folders: Vec<FolderState> =
        choices.folders.iter().map(|path| folder_state(path, paths)).collect();
    let projects: Vec<PathBuf> = folders
        .iter()
        .filter(|folder| matches!(folder.kind, FolderKind::Project { .. }))
        .map(|folder| folder.path.clone())
        .collect();
    let states: Vec<(ToolState, Vec<ToolRoot>)> =
        tools().par_iter().map(|tool| tool_state(tool, paths, choices, &projects)).collect();
    let mut roots = tool_roots(&states, paths, choices);
    add_folders(&folders, &states, &mut roots);
    let reals: HashSet<PathBuf> = roots.iter().map(|root| root.real.clone()).collect();
    let unread = unread::look(states.iter().map(|(state, _)| state), &reals, paths);
    let mut walk = Walk::new(&reals);
    for root in &mut roots {
        if root.state.problem.is_none() {
            walk.root(&mut root.state);
        }
    }
    for folder in &mut folders {
        if folder.kind == FolderKind::Skill {
            walk.single(&folder.path);
        }
    }
    let candidates = walk.into_candidates();
    Looked {
        tools: states.into_iter().map(|(state, _)| state).collect(),
        roots: roots.into_iter().map(|root| root.state).collect(),
        folders,
        unread,
        candidates,
    }
}

fn folder_state(path: &Path, paths: &Paths) -> FolderState {
    let looked =
        choices::resolved(path, paths).map_err(|refused| refused.to_string()).and_then(|_| {
            kind_of(path).map_err(|error| format!("cannot read {}: {error}", path.display()))
        });
    let (kind, problem) = match looked {
        Ok(kind) => (kind, None),
        Err(problem) => (FolderKind::Empty, Some(problem)),
    };
    FolderState { path: path.to_owned(), kind, count: 0, problem }
}

fn tool_state(
    tool: &'static Tool,
    paths: &Paths,
    choices: &Choices,
    projects: &[PathBuf],
) -> (ToolState, Vec<ToolRoot>) {
    let own = own_roots(choices, tool);
    let roots = tool.roots_with(own, paths);
    let mut detection = tool.detection(paths);
    if detection != Detection::Detected && projects.iter().any(|project| tool.is_used_in(project)) {
        detection = Detection::Detected;
    }
    let chosen = choices.tools.get(&tool.id).and_then(|choice| choice.on);
    let state = ToolState {
        tool,
        detection,
        on: chosen.unwrap_or(
            detection == Detection::Detected || own.is_some() || choices.placed.contains(&tool.id),
        ),
        chosen,
        overridden: own.is_some(),
        roots: roots.iter().map(|root| root.path.clone()).collect(),
        install_root: match own {
            Some(own) => own.first().cloned(),
            None => tool.install_root(paths),
        },
    };
    (state, roots)
}

/// The folders that the person gave a tool in place of its own.
fn own_roots<'a>(choices: &'a Choices, tool: &Tool) -> Option<&'a [PathBuf]> {
    let own = choices.tools.get(&tool.id)?.roots.as_deref()?;
    (!own.is_empty()).then_some(own)
}

/// The roots of the tools that are on, each folder once.
fn tool_roots(
    states: &[(ToolState, Vec<ToolRoot>)],
    paths: &Paths,
    choices: &Choices,
) -> Vec<Found> {
    let mut roots: Vec<Found> = Vec::new();
    for (state, tool_roots) in states.iter().filter(|(state, _)| state.on) {
        for root in tool_roots {
            let (real, mut problem) = match fs::canonicalize(&root.path) {
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
            // What was chosen once may lead elsewhere by now, and so may a link or a variable.
            if problem.is_none()
                && let Err(
                    refused @ (FolderRefused::OwnData { .. }
                    | FolderRefused::Home(_)
                    | FolderRefused::Unresolved { .. }),
                ) = choices::resolved(&root.path, paths)
            {
                problem = Some(refused.to_string());
            }
            let found = found(&mut roots, real, &root.path);
            found.read_only |= root.read_only;
            found.cache |= root.cache;
            found.problem = found.problem.take().or(problem);
            add_tool(&mut found.tools, &state.tool.id);
        }
    }
    // A tool that is switched off here goes on reading what it reads.
    let present = states.iter().filter(|(state, _)| state.on || is_present(state));
    for (state, tool_roots) in present {
        let own = own_roots(choices, state.tool);
        let mut readings: Vec<(Option<usize>, usize, PathBuf)> = tool_roots
            .iter()
            .enumerate()
            .filter_map(|(at, root)| {
                let real = fs::canonicalize(&root.path).unwrap_or_else(|_| root.path.clone());
                let is_root = roots.iter().any(|found| found.real == real);
                is_root.then(|| (state.tool.rank(&root.path, own, paths), at, real))
            })
            .collect();
        readings.sort_by_key(|(rank, at, _)| (rank.unwrap_or(usize::MAX), *at));
        for (rank, (_, _, real)) in readings.into_iter().enumerate() {
            if let Some(found) = roots.iter_mut().find(|found| found.real == real) {
                add_reader(&mut found.state.readers, &state.tool.id, rank);
            }
        }
    }
    roots
}

/// Whether a tool is here whatever the person chose. A folder that was left over reads nothing.
fn is_present(state: &ToolState) -> bool {
    state.detection == Detection::Detected
}

/// The root with this real path, new if it is not known yet.
fn found<'a>(roots: &'a mut Vec<Found>, real: PathBuf, path: &Path) -> &'a mut RootState {
    let at = match roots.iter().position(|found| found.real == real) {
        Some(at) => at,
        None => {
            let state = RootState {
                path: path.to_owned(),
                tools: Vec::new(),
                readers: Vec::new(),
                problem: None,
                read_only: false,
                cache: false,
                project: None,
                user_owned: false,
                skipped: Vec::new(),
            };
            roots.push(Found { real, state });
            roots.len() - 1
        }
    };
    &mut roots[at].state
}

fn add_tool(tools: &mut Vec<String>, id: &str) {
    if !tools.iter().any(|known| known == id) {
        tools.push(id.to_owned());
    }
}

fn add_reader(readers: &mut Vec<Reader>, tool: &str, rank: usize) {
    if !readers.iter().any(|known| known.tool == tool) {
        readers.push(Reader { tool: tool.to_owned(), rank });
    }
}

/// Adds the roots of the folders that the person added.
fn add_folders(
    folders: &[FolderState],
    states: &[(ToolState, Vec<ToolRoot>)],
    roots: &mut Vec<Found>,
) {
    for folder in folders {
        match &folder.kind {
            FolderKind::Skills => {
                let real = fs::canonicalize(&folder.path).unwrap_or_else(|_| folder.path.clone());
                let state = found(roots, real, &folder.path);
                state.user_owned |= state.readers.is_empty();
            }
            FolderKind::Project { roots: project_roots } => {
                for (path, readers) in project_roots {
                    let Ok(real) = fs::canonicalize(path) else { continue };
                    let is_new = !roots.iter().any(|found| found.real == real);
                    let state = found(roots, real, path);
                    if is_new {
                        state.project = Some(folder.path.clone());
                    }
                    state.user_owned |= is_user_owned(&folder.path, path);
                    let present = states
                        .iter()
                        .map(|(state, _)| state)
                        .filter(|tool| tool.on || is_present(tool));
                    for tool in present.filter(|tool| readers.contains(&tool.tool.id)) {
                        if tool.on {
                            add_tool(&mut state.tools, &tool.tool.id);
                        }
                        let order = tool.tool.project_roots(&folder.path);
                        let rank = order.iter().position(|root| root.path == *path);
                        add_reader(&mut state.readers, &tool.tool.id, rank.unwrap_or(0));
                    }
                }
            }
            FolderKind::Skill | FolderKind::Empty => {}
        }
    }
}

/// Whether the project's folder holds its own sources: it lies in no hidden folder.
fn is_user_owned(project: &Path, root: &Path) -> bool {
    let first = root.strip_prefix(project).ok().and_then(|rest| rest.components().next());
    !first.is_some_and(|first| first.as_os_str().to_string_lossy().starts_with('.'))
}

/// Counts the skills that are found through each added folder.
pub(super) fn count(folders: &mut [FolderState], roots: &[RootState], skills: &[LocalSkill]) {
    for folder in folders {
        if folder.problem.is_some() {
            continue;
        }
        folder.count = match &folder.kind {
            FolderKind::Empty => 0,
            FolderKind::Skill => 1,
            FolderKind::Skills => {
                let real = fs::canonicalize(&folder.path).ok();
                let at = roots
                    .iter()
                    .filter(|root| {
                        root.path == folder.path || fs::canonicalize(&root.path).ok() == real
                    })
                    .map(|root| &root.path)
                    .collect();
                through_any(skills, &at)
            }
            FolderKind::Project { roots: own } => {
                let reals: HashSet<PathBuf> =
                    own.iter().filter_map(|(path, _)| fs::canonicalize(path).ok()).collect();
                let at = roots
                    .iter()
                    .filter(|root| {
                        fs::canonicalize(&root.path).is_ok_and(|real| reals.contains(&real))
                    })
                    .map(|root| &root.path)
                    .collect();
                through_any(skills, &at)
            }
        };
    }
}

/// How many skills one of these roots shows.
fn through_any(skills: &[LocalSkill], roots: &HashSet<&PathBuf>) -> usize {
    skills
        .iter()
        .filter(|skill| skill.through.iter().any(|through| roots.contains(&through.root)))
        .count()
}
