//! Folders of tools that are not here: they are counted, so that nobody wonders where skills went.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use super::choices;
use super::{MAX_UNREAD, ToolState, UnreadFolder};
use crate::folder::is_skill;
use crate::paths::Paths;
use crate::tool::Detection;

/// The folders of tools that the person did not decide about and that hold skills, each once, but
/// those with these real paths: they are read for other reasons.
pub(super) fn look<'a>(
    states: impl Iterator<Item = &'a ToolState>,
    read: &HashSet<PathBuf>,
    paths: &Paths,
) -> Vec<UnreadFolder> {
    let mut found: Vec<(PathBuf, UnreadFolder)> = Vec::new();
    for state in states {
        if state.on || state.chosen.is_some() || state.detection != Detection::FolderOnly {
            continue;
        }
        for path in state.tool.own_roots(paths) {
            let Ok(real) = choices::resolved(&path, paths) else { continue };
            if read.contains(&real) {
                continue;
            }
            let id = state.tool.id.clone();
            match found.iter_mut().find(|(known, _)| *known == real) {
                Some((_, known)) if known.tools.contains(&id) => {}
                Some((_, known)) => known.tools.push(id),
                None => {
                    let count = count(&real);
                    found.push((real, UnreadFolder { path, tools: vec![id], count }));
                }
            }
        }
    }
    found.into_iter().map(|(_, folder)| folder).filter(|folder| folder.count > 0).collect()
}

/// How many skills lie in a folder or in the groups in it. No file is opened.
fn count(folder: &Path) -> usize {
    let mut left = MAX_UNREAD;
    let mut inside = |folder: &Path| -> Vec<PathBuf> {
        let Ok(children) = fs::read_dir(folder) else { return Vec::new() };
        let children: Vec<PathBuf> =
            children.flatten().map(|child| child.path()).take(left).collect();
        left -= children.len();
        children
    };
    let (skills, others): (Vec<PathBuf>, Vec<PathBuf>) =
        inside(folder).into_iter().partition(|child| is_skill(child));
    let grouped = others.iter().filter(|child| {
        // A link to a folder of skills is no group.
        fs::symlink_metadata(child).is_ok_and(|metadata| metadata.is_dir())
    });
    let grouped: usize =
        grouped.map(|group| inside(group).iter().filter(|child| is_skill(child)).count()).sum();
    skills.len() + grouped
}
