//! The tools that read skills, and where each keeps them: a table, not code.

use std::collections::HashSet;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use serde::Deserialize;

use crate::paths::Paths;

/// The table that comes with the program.
const TABLE: &str = include_str!("tools.toml");

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
    /// Folders inside of a project, relative to it.
    #[serde(default)]
    pub project: Vec<String>,
    #[serde(default)]
    detect: Vec<String>,
    #[serde(default)]
    by_folder: bool,
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
        let mut roots: Vec<ToolRoot> = Vec::new();
        let writable = self.user.iter().chain(&self.also).map(|root| (root, false));
        for (root, read_only) in writable.chain(self.read_only.iter().map(|root| (root, true))) {
            if let Some(path) = expand(root, paths)
                && !roots.iter().any(|known| known.path == path)
            {
                roots.push(ToolRoot { path, read_only });
            }
        }
        roots
    }

    /// Where a copy for it goes: its first own folder.
    pub fn install_root(&self, paths: &Paths) -> Option<PathBuf> {
        self.user.iter().find_map(|root| expand(root, paths))
    }

    /// What is there when the tool is.
    pub(crate) fn marks(&self, paths: &Paths) -> Vec<PathBuf> {
        self.detect.iter().filter_map(|mark| expand(mark, paths)).collect()
    }

    /// Looks whether it is on this machine. A folder with nothing but skills in it, its own or
    /// those of a tool that keeps them in there too, is a left-over.
    pub fn detection(&self, paths: &Paths) -> Detection {
        let mut folder = self.by_folder
            && self.user.iter().filter_map(|root| expand(root, paths)).any(|root| root.is_dir());
        for mark in self.marks(paths) {
            let Ok(metadata) = fs::metadata(&mark) else { continue };
            if !metadata.is_dir() {
                return Detection::Detected;
            }
            let others = names_below(&mark, paths);
            // A folder that may not be listed is more than a left-over.
            let Ok(children) = fs::read_dir(&mark) else { return Detection::Detected };
            if children.flatten().any(|child| !others.contains(&child.file_name())) {
                return Detection::Detected;
            }
            folder = true;
        }
        if folder { Detection::FolderOnly } else { Detection::NotFound }
    }
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
    struct Table {
        tool: Vec<Tool>,
    }
    toml::from_str(text).map(|table: Table| table.tool)
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
mod tests {
    use super::*;

    fn home() -> (tempfile::TempDir, Paths) {
        let dir = tempfile::tempdir().unwrap();
        let paths = Paths::under(dir.path());
        (dir, paths)
    }

    fn shown(roots: &[PathBuf], paths: &Paths) -> Vec<String> {
        roots.iter().map(|root| paths.display(root)).collect()
    }

    #[test]
    fn the_table_is_read_and_ids_and_monograms_come_once() {
        let tools = read_table(TABLE).unwrap();
        assert_eq!(tools.len(), 95);
        for tool in &tools {
            assert!(
                tool.id.bytes().all(|b| matches!(b, b'a'..=b'z' | b'0'..=b'9' | b'-')),
                "{}",
                tool.id
            );
            assert_eq!(tool.monogram.chars().count(), 2, "{}", tool.id);
            assert_eq!(tools.iter().filter(|other| other.id == tool.id).count(), 1);
            assert_eq!(tools.iter().filter(|other| other.monogram == tool.monogram).count(), 1);
            assert!(!tool.user.iter().any(|root| root.starts_with("/etc")), "{}", tool.id);
        }
    }

    #[test]
    fn the_eight_presets_have_exactly_the_roots_of_the_reference() {
        let (_dir, paths) = home();
        let roots = |name: &str| shown(&preset(name).unwrap().roots(&paths), &paths);
        assert_eq!(roots("claude"), ["~/.claude/skills"]);
        assert_eq!(roots("cursor"), ["~/.cursor/skills"]);
        assert_eq!(roots("vscode"), ["~/.copilot/skills"]);
        assert_eq!(roots("copilot"), ["~/.copilot/skills"]);
        assert_eq!(roots("codex"), ["~/etc/codex/skills", "~/.codex/skills"]);
        assert_eq!(roots("gemini"), ["~/.gemini/skills"]);
        assert_eq!(roots("goose"), ["~/.config/agents/skills"]);
        assert_eq!(roots("opencode"), ["~/.config/opencode/skills"]);
        assert_eq!(tools().iter().filter(|tool| tool.preset.is_some()).count(), 8);
    }

    #[test]
    fn copies_never_go_to_the_systems_folders() {
        let (_dir, paths) = home();
        let codex = tool("codex").unwrap();
        assert_eq!(paths.display(&codex.install_root(&paths).unwrap()), "~/.codex/skills");
        let read_only: Vec<_> = codex
            .roots(&paths)
            .into_iter()
            .filter(|root| root.read_only)
            .map(|root| paths.display(&root.path))
            .collect();
        assert_eq!(read_only, ["~/etc/codex/skills", "~/.codex/skills/.system"]);
    }

    #[test]
    fn a_left_over_folder_is_no_tool() {
        let (dir, paths) = home();
        let claude = tool("claude-code").unwrap();
        assert_eq!(claude.detection(&paths), Detection::NotFound);
        fs::create_dir_all(dir.path().join(".claude/skills")).unwrap();
        assert_eq!(claude.detection(&paths), Detection::FolderOnly);
        fs::write(dir.path().join(".claude/settings.json"), "{}").unwrap();
        assert_eq!(claude.detection(&paths), Detection::Detected);
    }

    #[test]
    fn another_tool_in_the_same_folder_is_not_this_one() {
        let (dir, paths) = home();
        fs::create_dir_all(dir.path().join(".gemini/antigravity/cache")).unwrap();
        assert_eq!(tool("gemini-cli").unwrap().detection(&paths), Detection::FolderOnly);
        assert_eq!(tool("antigravity").unwrap().detection(&paths), Detection::Detected);
    }

    #[test]
    fn a_shared_folder_finds_only_the_universal_entry() {
        let (dir, paths) = home();
        fs::create_dir_all(dir.path().join(".agents/skills")).unwrap();
        let found: Vec<_> = tools()
            .iter()
            .filter(|tool| tool.detection(&paths) != Detection::NotFound)
            .map(|tool| tool.id.as_str())
            .collect();
        assert_eq!(found, ["universal"]);
    }
}
