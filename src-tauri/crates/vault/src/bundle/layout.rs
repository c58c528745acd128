//! Which skills a list of entries holds: outermost folders with a `SKILL.md`, wherever they are. What
//! lies in such a folder belongs to it, other skills too.

use std::collections::BTreeSet;

use skills::manifest::{MAX_BYTES, MAX_FILES};
use skills::path::{check_portable, collision};
use skills::{MAIN_FILE, reads_as_main_file};

use super::MAX_SKILLS;
use super::import::LeftOut;

/// Pairs of paths that are one on some disk before the whole is refused.
const MOST_COLLISIONS: usize = 8;

/// What macOS puts into archives beside the files.
const OF_MACOS: &str = "__MACOSX";
const OF_FINDER: &str = ".DS_Store";

/// What an entry is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    File,
    Folder,
}

/// One entry of an archive, as its directory has it.
#[derive(Debug, Clone)]
pub(super) struct Entry {
    /// `/` between components, none at the end.
    pub(super) path: String,
    pub(super) kind: Kind,
    /// In bytes, as it says.
    pub(super) size: u64,
    pub(super) executable: bool,
    /// Its place in the archive.
    pub(super) index: usize,
    /// Why no skill may have it, in words that follow on its path.
    pub(super) trouble: Option<String>,
}

/// A skill that was found and not read.
#[derive(Debug, Clone)]
pub(super) struct Candidate {
    /// The path of its folder; the name of what is imported where that is the skill.
    pub(super) at: String,
    /// What its folder is called.
    pub(super) folder: String,
    /// Relative to the skill; empty where they are found by reading it.
    pub(super) files: Vec<Entry>,
    /// Why it is not imported.
    pub(super) refused: Option<String>,
}

/// What was found.
#[derive(Debug)]
pub(super) struct Layout {
    /// In order of paths.
    pub(super) skills: Vec<Candidate>,
    /// What is no skill and worth a word.
    pub(super) left_out: Vec<LeftOut>,
}

impl Layout {
    /// Sorts entries into skills. `stem` is what the one skill is called whose `SKILL.md` lies at the
    /// top. Of a bundle everything counts; else what macOS adds is left out.
    ///
    /// # Errors
    /// Why nothing can be imported, in words that follow on "it".
    pub(super) fn of(mut entries: Vec<Entry>, stem: &str, bundle: bool) -> Result<Self, String> {
        let left_out = if bundle { Vec::new() } else { without_macos(&mut entries) };
        let tops = tops(&entries);
        if tops.is_empty() {
            return Err(match entries.iter().find(|entry| reads_as_main_file(&entry.path)) {
                Some(entry) => format!("has no {MAIN_FILE}; there is {:?}", entry.path),
                None => format!("holds no skill: there is no {MAIN_FILE} in it"),
            });
        }
        if tops.len() > MAX_SKILLS {
            return Err(format!("has {} skills; {MAX_SKILLS} is the most", tops.len()));
        }
        let refused = collisions(&entries, &tops)?;
        let mut skills: Vec<Candidate> = tops
            .iter()
            .zip(refused)
            .map(|(top, refused)| Candidate {
                at: if top.is_empty() { stem.to_owned() } else { top.clone() },
                folder: top
                    .rsplit('/')
                    .next()
                    .filter(|it| !it.is_empty())
                    .unwrap_or(stem)
                    .to_owned(),
                files: Vec::new(),
                refused,
            })
            .collect();
        for entry in entries {
            let Some(number) = owner(&tops, &entry.path) else { continue };
            let (top, skill) = (&tops[number], &mut skills[number]);
            let Some(path) = within(top, &entry.path) else { continue };
            if skill.refused.is_none() {
                skill.refused = entry
                    .trouble
                    .as_ref()
                    .map(|trouble| format!("{path:?} {trouble}"))
                    .or_else(|| check_portable(path).err().map(|problem| problem.to_string()));
            }
            if entry.kind == Kind::File {
                skill.files.push(Entry { path: path.to_owned(), ..entry });
            }
        }
        for skill in &mut skills {
            skill.files.sort_by(|a, b| a.path.cmp(&b.path));
            if skill.refused.is_none() {
                skill.refused = too_much(&skill.files);
            }
        }
        Ok(Self { skills, left_out })
    }
}

/// Takes out what macOS adds, and says so.
fn without_macos(entries: &mut Vec<Entry>) -> Vec<LeftOut> {
    let before = entries.len();
    let first = |path: &str| path.split('/').next() == Some(OF_MACOS);
    let mut left_out = Vec::new();
    entries.retain(|entry| !first(&entry.path));
    if entries.len() < before {
        let reason = "macOS adds it to archives; it is no part of a skill".to_owned();
        left_out.push(LeftOut { name: OF_MACOS.to_owned(), reason });
    }
    let before = entries.len();
    entries.retain(|entry| !is_of_finder(&entry.path) || entry.kind == Kind::Folder);
    if entries.len() < before {
        left_out.push(of_finder());
    }
    left_out
}

/// Whether macOS keeps there how a window looks.
pub(super) fn is_of_finder(path: &str) -> bool {
    path.rsplit('/').next() == Some(OF_FINDER)
}

/// Says that such files were left out.
pub(super) fn of_finder() -> LeftOut {
    let reason = "macOS keeps there how a window looks; it is no part of a skill".to_owned();
    LeftOut { name: OF_FINDER.to_owned(), reason }
}

/// The folders of the outermost skills, in order; an empty path is the top.
fn tops(entries: &[Entry]) -> Vec<String> {
    let mains: BTreeSet<&str> = entries
        .iter()
        .filter(|entry| entry.kind == Kind::File)
        .filter_map(|entry| {
            let folder = entry.path.strip_suffix(MAIN_FILE)?;
            if folder.is_empty() { Some(folder) } else { folder.strip_suffix('/') }
        })
        .collect();
    let is_inside = |path: &str| {
        (!path.is_empty() && mains.contains(""))
            || path.match_indices('/').any(|(at, _)| mains.contains(&path[..at]))
    };
    mains.iter().filter(|path| !is_inside(path)).map(|path| (*path).to_owned()).collect()
}

/// The number of the skill that a path belongs to.
fn owner(tops: &[String], path: &str) -> Option<usize> {
    if tops.first().is_some_and(String::is_empty) {
        return Some(0);
    }
    let folders = path.match_indices('/').map(|(at, _)| &path[..at]).chain([path]);
    folders.filter_map(|folder| tops.binary_search_by(|top| top.as_str().cmp(folder)).ok()).next()
}

/// A path relative to the skill at `top`; `None` for its own folder.
fn within<'a>(top: &str, path: &'a str) -> Option<&'a str> {
    if top.is_empty() { Some(path) } else { path.strip_prefix(top)?.strip_prefix('/') }
}

/// Why each skill is refused whose paths, or one elsewhere, would be one path on some disk.
fn collisions(entries: &[Entry], tops: &[String]) -> Result<Vec<Option<String>>, String> {
    let mut refused: Vec<Option<String>> = vec![None; tops.len()];
    // A folder of its own is told from a file by something that no name can be.
    let mut paths: Vec<String> = entries
        .iter()
        .map(|entry| match entry.kind {
            Kind::File => entry.path.clone(),
            Kind::Folder => format!("{}/\0", entry.path),
        })
        .collect();
    let shown = |path: &str| path.strip_suffix("/\0").unwrap_or(path).to_owned();
    for _ in 0..MOST_COLLISIONS {
        let Some((a, b)) = collision(paths.iter().map(String::as_str)) else {
            return Ok(refused);
        };
        let owners: Vec<usize> = [&a, &b].into_iter().filter_map(|it| owner(tops, it)).collect();
        for number in &owners {
            refused[*number].get_or_insert_with(|| {
                format!("{:?} and {:?} would be one on some disks", shown(&a), shown(&b))
            });
        }
        paths.retain(|path| {
            *path != a && *path != b && !owner(tops, path).is_some_and(|it| owners.contains(&it))
        });
    }
    Err("has many entries that would be one on some disks".to_owned())
}

/// Why the files of a skill are too much for one.
fn too_much(files: &[Entry]) -> Option<String> {
    let bytes = files.iter().fold(0_u64, |sum, file| sum.saturating_add(file.size));
    if files.len() > MAX_FILES {
        return Some(format!("it has {} files; {MAX_FILES} is the most", files.len()));
    }
    (bytes > MAX_BYTES).then(|| format!("it has {bytes} bytes; {MAX_BYTES} is the most"))
}
