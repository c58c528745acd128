//! Which files may hold servers, by tool and system. A table: adding a tool is adding an entry.

use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use skills::paths::Paths;

use super::shape::Shape;

const TABLE: &str = include_str!("places.toml");

/// The most folders that one `*` is taken for.
const MOST_FOLDERS: usize = 32;

/// A kind of system, which decides where files are looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Platform {
    /// Linux and other systems with the same habits.
    Linux,
    /// macOS.
    MacOs,
    /// Windows.
    Windows,
}

impl Platform {
    /// The one that this program was built for.
    pub const HERE: Self = if cfg!(target_os = "macos") {
        Self::MacOs
    } else if cfg!(windows) {
        Self::Windows
    } else {
        Self::Linux
    };
}

/// One file that may hold servers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) tool: String,
    pub(super) name: String,
    pub(super) shape: Shape,
    pub(super) file: PathBuf,
    /// The project that it belongs to.
    pub(super) project: Option<PathBuf>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    #[expect(dead_code, reason = "for the reader of the table")]
    date: String,
    place: Vec<Entry>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    tool: String,
    name: String,
    shape: Shape,
    #[serde(default)]
    user: Vec<String>,
    #[serde(default)]
    linux: Vec<String>,
    #[serde(default)]
    macos: Vec<String>,
    #[serde(default)]
    windows: Vec<String>,
    #[serde(default)]
    project: Vec<String>,
    #[expect(dead_code, reason = "for the reader of the table")]
    source: String,
}

/// All files where servers may be: the person's, in the order of the table, then those of projects.
pub(super) fn places(paths: &Paths, platform: Platform, projects: &[PathBuf]) -> Vec<Place> {
    let table = match toml::from_str::<Table>(TABLE) {
        Ok(table) => table.place,
        Err(error) => {
            tracing::error!(%error, "the table of settings cannot be read");
            return Vec::new();
        }
    };
    let mut places = Vec::new();
    for entry in &table {
        let own = match platform {
            Platform::Linux => &entry.linux,
            Platform::MacOs => &entry.macos,
            Platform::Windows => &entry.windows,
        };
        for pattern in entry.user.iter().chain(own) {
            for file in files(&resolved(paths, pattern)) {
                places.push(entry.place(file, None));
            }
        }
    }
    for project in projects {
        for entry in &table {
            for inside in &entry.project {
                places.push(entry.place(project.join(inside), Some(project.clone())));
            }
        }
    }
    places
}

impl Entry {
    fn place(&self, file: PathBuf, project: Option<PathBuf>) -> Place {
        Place { tool: self.tool.clone(), name: self.name.clone(), shape: self.shape, file, project }
    }
}

/// The path that a pattern of the table means, but for its `*`.
fn resolved(paths: &Paths, pattern: &str) -> PathBuf {
    if let Some((variable, default, rest)) = variable(pattern) {
        let folder = match variable {
            "XDG_CONFIG_HOME" => paths.config().to_owned(),
            _ => paths.tool_folder(variable).unwrap_or_else(|| resolved(paths, default)),
        };
        return folder.join(rest);
    }
    match pattern.strip_prefix('~') {
        Some(rest) => paths.home().join(rest.trim_start_matches('/')),
        None => PathBuf::from(pattern),
    }
}

/// `${NAME:-default}/rest` as its three parts.
fn variable(pattern: &str) -> Option<(&str, &str, &str)> {
    let (inside, rest) = pattern.strip_prefix("${")?.split_once('}')?;
    let (name, default) = inside.split_once(":-")?;
    Some((name, default, rest.trim_start_matches('/')))
}

/// The files that a path means, where one of its folders may hold a `*`; at least one, so that it
/// can be said where was looked.
fn files(path: &Path) -> Vec<PathBuf> {
    let parts: Vec<_> = path.components().collect();
    let is_pattern = |part: &std::path::Component<'_>| {
        part.as_os_str().to_str().is_some_and(|it| it.contains('*'))
    };
    let Some(at) = parts.iter().position(is_pattern) else { return vec![path.to_owned()] };
    let above: PathBuf = parts[..at].iter().collect();
    let below: PathBuf = parts[at + 1..].iter().collect();
    let pattern = parts[at].as_os_str().to_string_lossy();
    let (start, end) = pattern.split_once('*').unwrap_or((&pattern, ""));
    let mut found: Vec<PathBuf> = fs::read_dir(&above)
        .into_iter()
        .flatten()
        .filter_map(Result::ok)
        .filter(|entry| {
            let name = entry.file_name();
            let name = name.to_string_lossy();
            name.len() >= start.len() + end.len() && name.starts_with(start) && name.ends_with(end)
        })
        .map(|entry| entry.path().join(&below))
        .filter(|file| file.is_file())
        .take(MOST_FOLDERS)
        .collect();
    found.sort();
    if found.is_empty() { vec![path.to_owned()] } else { found }
}
