//! The tools that read skills, and where each keeps them: a table, not code.

mod reads;

use std::collections::HashSet;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

pub use reads::{NamedBy, Precedence, ProjectRank, Reads, Said};
use serde::Deserialize;

use crate::paths::Paths;
use crate::read::read_file;

/// The table that comes with the program.
const TABLE: &str = include_str!("tools.toml");

/// Folders that a pattern of a project stands for before giving up.
const MAX_MATCHES: usize = 1_000;

/// What is in a folder without its tool: what file managers leave in any, and where Skillhold may
/// stage files.
const OF_OTHERS: [&str; 6] =
    [".DS_Store", ".localized", ".directory", "Thumbs.db", "desktop.ini", ".skillhold"];

/// Bytes of a `package.json` that is looked into.
const MAX_PACKAGE: u64 = 1024 * 1024;

/// A tool that reads skills. Folders are as the table writes them; [`Tool::roots`] and the others
/// say where they are for one person.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tool {
    /// As in `claude-code`.
    pub id: String,
    /// As in `Claude Code`.
    pub name: String,
    /// Two letters, of no other tool.
    pub monogram: String,
    #[serde(default, rename = "roots")]
    user: Vec<String>,
    #[serde(default)]
    also: Vec<String>,
    #[serde(default)]
    read_only: Vec<String>,
    #[serde(default)]
    caches: Vec<String>,
    /// Folders inside of a project, relative to it; `*` stands for any one folder.
    #[serde(default)]
    pub project: Vec<String>,
    #[serde(default)]
    detect: Vec<String>,
    #[serde(default)]
    detect_in_project: Vec<String>,
    #[serde(default)]
    by_folder: bool,
    /// The day on which its sources were read, as in `2026-11-30`.
    #[serde(default)]
    pub date: String,
    /// What sources say of how it chooses among what its folders hold.
    #[serde(default)]
    pub reads: Reads,
    /// What `serve` publishes under a name of its own.
    pub preset: Option<Preset>,
}

/// A directory provider with fixed roots, whatever the environment says.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Preset {
    /// As in `claude`.
    pub name: String,
    roots: Vec<String>,
}

impl Preset {
    /// The roots in order, the first wins.
    pub fn roots(&self, paths: &Paths) -> Vec<PathBuf> {
        self.roots.iter().filter_map(|root| expand(root, paths)).collect()
    }
}

/// A folder that a tool reads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolRoot {
    /// Where.
    pub path: PathBuf,
    /// True for the system's folders and those that come with a tool.
    pub read_only: bool,
    /// True for a cache of plug-ins: skills lie deeper in it, each under its plug-in's name.
    pub cache: bool,
}

/// Whether a tool is on this machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Detection {
    /// Its own settings are there.
    Detected,
    /// Only a folder for its skills is there.
    FolderOnly,
    /// Nothing of it is there.
    NotFound,
}

impl Tool {
    /// All folders that it reads: its own in order, then others, then those that are not written
    /// to. A folder that several spellings name comes once.
    pub fn roots(&self, paths: &Paths) -> Vec<ToolRoot> {
        self.roots_with(None, paths)
    }

    /// [`roots`](Self::roots), with the person's folders in place of its own where there are some.
    pub(crate) fn roots_with(&self, own: Option<&[PathBuf]>, paths: &Paths) -> Vec<ToolRoot> {
        let mut roots: Vec<ToolRoot> = Vec::new();
        let mut add = |path: PathBuf, read_only, cache| {
            if !roots.iter().any(|known| known.path == path) {
                roots.push(ToolRoot { path, read_only, cache });
            }
        };
        match own {
            Some(own) => own.iter().for_each(|path| add(path.clone(), false, false)),
            None => {
                expanded(&self.user, paths).for_each(|path| add(path, false, false));
            }
        }
        expanded(&self.also, paths).for_each(|path| add(path, false, false));
        expanded(&self.read_only, paths).for_each(|path| add(path, true, false));
        expanded(&self.caches, paths).for_each(|path| add(path, true, true));
        roots
    }

    /// Its own folders of skills, in order.
    pub(crate) fn own_roots(&self, paths: &Paths) -> Vec<PathBuf> {
        expanded(&self.user, paths).collect()
    }

    /// Where a copy for it goes: its first own folder.
    pub fn install_root(&self, paths: &Paths) -> Option<PathBuf> {
        expanded(&self.user, paths).next()
    }

    /// Its folders inside of this project that are there, and whether each is one of plain names
    /// that holds the project's own sources.
    pub fn project_roots(&self, project: &Path) -> Vec<ProjectRoot> {
        let mut roots = Vec::new();
        for pattern in &self.project {
            for path in matching(project, pattern) {
                roots.push(ProjectRoot { path, user_owned: is_plain(pattern) });
            }
        }
        roots
    }

    /// Whether this project is one that the tool works in, by something other than its skills.
    pub fn is_used_in(&self, project: &Path) -> bool {
        self.detect_in_project.iter().any(|mark| {
            mark.split(" & ").all(|part| match part.split_once('#') {
                Some((file, dependency)) => depends_on(&project.join(file), dependency),
                None => fs::metadata(project.join(part)).is_ok(),
            })
        })
    }

    /// Where this folder stands among those that the table ranks, the strongest first. Folders that
    /// the person gave it stand where its own would.
    pub(crate) fn rank(
        &self,
        root: &Path,
        own: Option<&[PathBuf]>,
        paths: &Paths,
    ) -> Option<usize> {
        let is_given = own.is_some_and(|own| own.iter().any(|path| path == root));
        expanded(&self.reads.strongest, paths).position(|path| {
            path == root || (is_given && expanded(&self.user, paths).any(|own| own == path))
        })
    }

    /// What is there when the tool is.
    pub(crate) fn marks(&self, paths: &Paths) -> Vec<PathBuf> {
        expanded(&self.detect, paths).collect()
    }

    /// Looks whether it is on this machine. A folder with nothing but skills in it, its own or
    /// those of a tool that keeps them in there too, is a left-over.
    pub fn detection(&self, paths: &Paths) -> Detection {
        let mut folder = self.by_folder && expanded(&self.user, paths).any(|root| root.is_dir());
        for mark in self.marks(paths) {
            let Ok(metadata) = fs::metadata(&mark) else { continue };
            if !metadata.is_dir() {
                return Detection::Detected;
            }
            let others = names_below(&mark, paths);
            // A folder that may not be listed is more than a left-over.
            let Ok(children) = fs::read_dir(&mark) else { return Detection::Detected };
            let left_over = |name: &OsString| {
                others.contains(name) || OF_OTHERS.iter().any(|other| name == other)
            };
            if children.flatten().any(|child| !left_over(&child.file_name())) {
                return Detection::Detected;
            }
            folder = true;
        }
        if folder { Detection::FolderOnly } else { Detection::NotFound }
    }
}

/// A folder for skills inside of a project.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ProjectRoot {
    /// Where.
    pub path: PathBuf,
    /// True for a folder of a plain name, as `skills`: it holds the project's own sources, and
    /// nothing in it is ever removed in bulk.
    pub user_owned: bool,
}

/// Where any tool would keep skills or a mark of its own inside of this project, there or not, as
/// far as no other folder's name has to be known for it.
pub fn project_folders(project: &Path) -> Vec<PathBuf> {
    let marks = tools().iter().flat_map(|tool| &tool.detect_in_project);
    let marks = marks.flat_map(|mark| mark.split(" & ")).map(|part| match part.split_once('#') {
        Some((file, _)) => file,
        None => part,
    });
    let patterns = tools().iter().flat_map(|tool| &tool.project).map(String::as_str);
    let known = patterns.map(|pattern| pattern.split("/*").next().unwrap_or(pattern));
    let mut paths: Vec<PathBuf> = known.chain(marks).map(|path| project.join(path)).collect();
    paths.sort();
    paths.dedup();
    paths
}

/// Whether a project folder has a plain name, not one of a tool's own hidden folder.
fn is_plain(pattern: &str) -> bool {
    !pattern.starts_with('.')
}

/// Folders that are there below `base` and match the pattern, at most [`MAX_MATCHES`].
fn matching(base: &Path, pattern: &str) -> Vec<PathBuf> {
    let mut found = vec![base.to_owned()];
    for part in pattern.split('/') {
        found = found
            .into_iter()
            .flat_map(|folder| match part {
                "*" => folders_in(&folder),
                part => vec![folder.join(part)],
            })
            .take(MAX_MATCHES)
            .collect();
    }
    found.retain(|folder| folder.is_dir());
    found
}

fn folders_in(folder: &Path) -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> = fs::read_dir(folder)
        .map(|children| children.flatten().map(|child| child.path()).take(MAX_MATCHES).collect())
        .unwrap_or_default();
    folders.sort();
    folders
}

/// Whether a `package.json` names this dependency.
fn depends_on(file: &Path, dependency: &str) -> bool {
    let Ok(bytes) = read_file(file, MAX_PACKAGE) else { return false };
    if bytes.len() as u64 > MAX_PACKAGE {
        return false;
    }
    let Ok(package) = serde_json::from_slice::<serde_json::Value>(&bytes) else { return false };
    ["dependencies", "devDependencies"]
        .iter()
        .any(|key| package.get(key).and_then(|list| list.get(dependency)).is_some())
}

/// Names in this folder that lead to folders of skills or to another tool's own folder.
fn names_below(folder: &Path, paths: &Paths) -> HashSet<OsString> {
    tools()
        .iter()
        .flat_map(|tool| tool.user.iter().chain(&tool.also).chain(&tool.detect))
        .filter_map(|pattern| expand(pattern, paths))
        .filter_map(|path| {
            path.strip_prefix(folder)
                .ok()?
                .components()
                .next()
                .map(|part| part.as_os_str().to_owned())
        })
        .collect()
}

/// Every known tool, in the table's order.
pub fn tools() -> &'static [Tool] {
    static TOOLS: LazyLock<Vec<Tool>> = LazyLock::new(|| {
        read_table(TABLE).unwrap_or_else(|error| {
            tracing::error!(%error, "the table of tools cannot be read");
            Vec::new()
        })
    });
    &TOOLS
}

/// The tool with this id.
pub fn tool(id: &str) -> Option<&'static Tool> {
    tools().iter().find(|tool| tool.id == id)
}

/// The preset with this name, as in `claude`.
pub fn preset(name: &str) -> Option<&'static Preset> {
    tools().iter().filter_map(|tool| tool.preset.as_ref()).find(|preset| preset.name == name)
}

fn read_table(text: &str) -> Result<Vec<Tool>, toml::de::Error> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Table {
        date: String,
        tool: Vec<Tool>,
    }
    let Table { date, mut tool } = toml::from_str(text)?;
    for tool in &mut tool {
        if tool.date.is_empty() {
            tool.date.clone_from(&date);
        }
    }
    Ok(tool)
}

fn expanded<'a>(patterns: &'a [String], paths: &'a Paths) -> impl Iterator<Item = PathBuf> + 'a {
    patterns.iter().filter_map(|pattern| expand(pattern, paths))
}

/// `~/x`, `${NAME:-~/x}/y`, `${NAME}/y` or an absolute path; `None` where a variable is needed
/// and not set.
fn expand(pattern: &str, paths: &Paths) -> Option<PathBuf> {
    if let Some(rest) = pattern.strip_prefix("${") {
        let (variable, rest) = rest.split_once('}')?;
        let (name, default) = match variable.split_once(":-") {
            Some((name, default)) => (name, Some(default)),
            None => (variable, None),
        };
        let base = match name {
            "XDG_CONFIG_HOME" => Some(paths.config().to_owned()),
            name => paths.tool_folder(name).or_else(|| expand(default?, paths)),
        }?;
        return Some(join(base, rest));
    }
    match pattern.strip_prefix('~') {
        Some(rest) => Some(join(paths.home().to_owned(), rest)),
        None => Some(paths.system(Path::new(pattern))),
    }
}

fn join(mut base: PathBuf, rest: &str) -> PathBuf {
    base.extend(rest.split('/').filter(|part| !part.is_empty()));
    base
}

#[cfg(test)]
mod tests;
