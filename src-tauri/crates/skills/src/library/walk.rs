//! What lies in a root.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use rayon::prelude::*;

use super::{LocalSkill, MAX_SKIPPED, RootState, Through};
use crate::MAIN_FILE;
use crate::folder::{has_main_file, is_absence, is_of_other_programs, is_skill};

/// Folders that may lie between a root and a skill.
const GROUPS: usize = 1;

/// Folders that may lie between a cache of plug-ins and a skill, as in
/// `marketplace/plug-in/version/skills/name`.
const GROUPS_IN_CACHE: usize = 4;

/// Folders looked through for skills that lie too deep to be read, below one folder.
const MAX_PROBED: usize = 64;

/// Folders below a root before giving up, so that a home folder taken for a root ends.
const MAX_FOLDERS_WALKED: usize = 100_000;

/// A folder that looks like a skill.
#[derive(Debug)]
pub(super) struct Candidate {
    pub(super) path: PathBuf,
    /// Links resolved; `None` for a link that leads nowhere.
    pub(super) real: Option<PathBuf>,
    pub(super) linked: bool,
    pub(super) through: Vec<Through>,
}

/// What the disk says of a folder, or of a link that may lead to one.
struct Entry {
    linked: bool,
    real: io::Result<PathBuf>,
    is_skill: bool,
}

impl Entry {
    /// `None` for what is neither.
    fn of(path: &Path) -> Option<Self> {
        let metadata = match fs::symlink_metadata(path) {
            Ok(metadata) => metadata,
            Err(error) if is_absence(&error) => return None,
            Err(error) => return Some(Self { linked: false, real: Err(error), is_skill: false }),
        };
        let linked = metadata.is_symlink();
        if !linked && !metadata.is_dir() {
            return None;
        }
        let real = fs::canonicalize(path);
        if linked && real.as_ref().is_ok_and(|real| !real.is_dir()) {
            return None;
        }
        let is_skill = real.as_ref().is_ok_and(|real| is_skill(real));
        Some(Self { linked, real, is_skill })
    }
}

/// Looks for skills below roots.
pub(super) struct Walk<'a> {
    reals: &'a HashSet<PathBuf>,
    found: BTreeMap<PathBuf, Candidate>,
    /// Folders that may still be looked at in this root.
    left: usize,
}

impl<'a> Walk<'a> {
    /// Goes below roots, never into another of these real paths.
    pub(super) fn new(reals: &'a HashSet<PathBuf>) -> Self {
        Self { reals, found: BTreeMap::new(), left: 0 }
    }

    /// What was found, in order of real paths.
    pub(super) fn into_candidates(self) -> Vec<Candidate> {
        self.found.into_values().collect()
    }

    /// Everything in one root.
    pub(super) fn root(&mut self, root: &mut RootState) {
        self.left = MAX_FOLDERS_WALKED;
        let groups = if root.cache { GROUPS_IN_CACHE } else { GROUPS };
        match children(&root.path) {
            Ok(children) => {
                // Asking the disk is what takes time where there are thousands of skills.
                let looked: Vec<(PathBuf, Option<Entry>)> = children
                    .into_par_iter()
                    .map(|child| {
                        let entry = Entry::of(&child);
                        (child, entry)
                    })
                    .collect();
                for (child, entry) in looked {
                    self.child(root, &child, entry, 0, groups);
                }
                if self.left == 0 {
                    root.problem = Some(format!(
                        "it holds over {MAX_FOLDERS_WALKED} folders: not all were read"
                    ));
                }
            }
            Err(error) => root.problem = Some(error.to_string()),
        }
    }

    /// A skill that was added itself.
    pub(super) fn single(&mut self, path: &Path) {
        if let Ok(real) = fs::canonicalize(path) {
            self.found.entry(real.clone()).or_insert_with(|| Candidate {
                path: path.to_owned(),
                real: Some(real),
                linked: false,
                through: Vec::new(),
            });
        }
    }

    /// Adds a skill, or the skills of a folder that groups them.
    fn child(
        &mut self,
        root: &mut RootState,
        path: &Path,
        entry: Option<Entry>,
        depth: usize,
        groups: usize,
    ) {
        if self.left == 0 {
            return;
        }
        self.left -= 1;
        let Some(Entry { linked, real, is_skill }) = entry else { return };
        let real = match real {
            Ok(real) => Some(real),
            Err(_) if linked => None,
            Err(error) => return skip(root, path, format!("it cannot be read: {error}")),
        };
        if let Some(real) = &real {
            if self.reals.contains(real) {
                return;
            }
            if !is_skill {
                return self.group(root, path, linked, depth, groups);
            }
        }
        // One folder may be seen in several places: it is one skill, shown where it really lies.
        let key = real.clone().unwrap_or_else(|| path.to_owned());
        let candidate = self.found.entry(key).or_insert_with(|| Candidate {
            path: path.to_owned(),
            real,
            linked,
            through: Vec::new(),
        });
        if candidate.linked && !linked {
            candidate.path = path.to_owned();
            candidate.linked = false;
        }
        candidate.through.push(Through {
            root: root.path.clone(),
            path: path.to_owned(),
            linked,
            groups: depth,
        });
    }

    /// A folder that is no skill: what is in it, as deep as a root of its kind goes.
    fn group(
        &mut self,
        root: &mut RootState,
        path: &Path,
        linked: bool,
        depth: usize,
        groups: usize,
    ) {
        if is_of_other_programs(path) {
            return;
        }
        if linked {
            return skip(root, path, "it is a link to a folder that is no skill".to_owned());
        }
        let inside = match children(path) {
            Ok(inside) => inside,
            Err(error) => return skip(root, path, format!("it cannot be read: {error}")),
        };
        if let Some(wrong) = misspelled(&inside) {
            let name = wrong.file_name().unwrap_or_default().to_string_lossy().into_owned();
            skip(root, path, format!("its main file is called {name}, not {MAIN_FILE}"));
        } else if depth >= groups {
            // In a cache, most folders are not about skills at all.
            if !root.cache
                && let Some(deep) = skill_below(path)
            {
                let reason = format!("it lies more than {} folders below the root", groups + 1);
                skip(root, &deep, reason);
            }
        } else if !root.cache && !inside.iter().any(|child| child.is_dir()) {
            skip(root, path, format!("it has no {MAIN_FILE}"));
        }
        if depth < groups {
            for child in inside {
                let entry = Entry::of(&child);
                self.child(root, &child, entry, depth + 1, groups);
            }
        }
    }
}

fn skip(root: &mut RootState, path: &Path, reason: String) {
    if root.skipped.len() < MAX_SKIPPED {
        root.skipped.push((path.to_owned(), reason));
    }
}

/// A file that some disks would open as a main file.
fn misspelled(files: &[PathBuf]) -> Option<&PathBuf> {
    files.iter().find(|file| {
        file.file_name().is_some_and(|name| crate::reads_as_main_file(&name.to_string_lossy()))
            && file.is_file()
    })
}

/// The first skill below this folder, no link followed and few folders looked at.
fn skill_below(folder: &Path) -> Option<PathBuf> {
    let mut waiting = vec![folder.to_owned()];
    for _ in 0..MAX_PROBED {
        let folder = waiting.pop()?;
        for child in children(&folder).unwrap_or_default().into_iter().rev() {
            if fs::symlink_metadata(&child).is_ok_and(|metadata| metadata.is_dir()) {
                if has_main_file(&child).unwrap_or(false) {
                    return Some(child);
                }
                waiting.push(child);
            }
        }
    }
    None
}

fn children(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut children: Vec<PathBuf> = fs::read_dir(folder)?
        .map(|child| child.map(|child| child.path()))
        .collect::<io::Result<_>>()?;
    children.sort();
    Ok(children)
}

/// Lists the skills inside of others among what was skipped: they are files of the outer one.
pub(super) fn name_nested(
    skills: &[LocalSkill],
    roots: &mut [RootState],
    by_root: &HashMap<PathBuf, usize>,
) {
    for skill in skills {
        let Ok(manifest) = &skill.manifest else { continue };
        for file in manifest.files().iter().filter(|file| crate::is_nested_main(&file.path)) {
            let Some((folder, _)) = file.path.rsplit_once('/') else { continue };
            for through in &skill.through {
                if let Some(root) = by_root.get(&through.root).and_then(|at| roots.get_mut(*at)) {
                    let reason = format!("it is part of the skill {}", skill.folder_name);
                    skip(root, &through.path.join(folder), reason);
                }
            }
        }
    }
}
