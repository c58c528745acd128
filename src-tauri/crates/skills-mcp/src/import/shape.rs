//! Where in a tool's settings its servers stand, and how the tool spells what it fills in.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::{Map, Value};

use super::blanks::Spelling;
use super::limits::{NAME_CHARS, SERVERS};
use super::server::{self, Around, kind};
use super::tree::{Language, Tree};
use super::{Found, Servers};
use crate::limits::shorten;

/// A kind of settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Shape {
    /// `mcpServers`, as most tools have it.
    McpServers,
    /// The same, and again for each project.
    ClaudeCode,
    /// `servers` and `inputs`.
    #[serde(rename = "vscode")]
    VsCode,
    /// The same below `mcp`.
    #[serde(rename = "vscode-settings")]
    VsCodeSettings,
    /// `mcp_servers`, in TOML.
    Codex,
    /// `mcpServers`, and names that are switched off below `mcp`.
    Gemini,
    /// `extensions`, in YAML.
    Goose,
    /// `mcp`, or `mcp.servers` from its second version on.
    #[serde(rename = "opencode")]
    OpenCode,
    /// Nothing but servers, by name.
    #[serde(rename = "opencode-map")]
    Bare,
}

impl Shape {
    pub(super) fn language(self) -> Language {
        match self {
            Self::Codex => Language::Toml,
            Self::Goose => Language::Yaml,
            _ => Language::Json,
        }
    }

    fn spelling<'a>(self, home: &'a Path, project: Option<&'a Path>) -> Spelling<'a> {
        Spelling {
            dollar: self == Self::Gemini,
            braces: matches!(self, Self::OpenCode | Self::Bare),
            home,
            project,
        }
    }
}

/// A table of servers in the settings.
struct Group<'a> {
    servers: &'a Value,
    project: Option<PathBuf>,
}

/// The servers of all projects.
fn whole(servers: Option<&Value>) -> Vec<Group<'_>> {
    servers.into_iter().map(|servers| Group { servers, project: None }).collect()
}

/// The servers of settings of this shape, in their order.
pub(super) fn servers(
    shape: Shape,
    tree: &Tree,
    home: &Path,
    project: Option<&Path>,
) -> Result<Servers, String> {
    let root = match &tree.root {
        Value::Null => return Ok(Servers::default()),
        Value::Object(root) => root,
        other => return Err(format!("it holds {}, not a table of settings", kind(other))),
    };
    let at = |keys: &[&str]| find(root, keys);
    let groups = match shape {
        Shape::McpServers | Shape::Gemini => whole(at(&["mcpServers"])),
        Shape::ClaudeCode => {
            let mut groups = whole(at(&["mcpServers"]));
            let projects = at(&["projects"]).and_then(Value::as_object);
            for (folder, settings) in projects.into_iter().flatten() {
                if let Some(servers) = settings.get("mcpServers").filter(|it| !it.is_null()) {
                    groups.push(Group { servers, project: Some(PathBuf::from(folder)) });
                }
            }
            groups
        }
        Shape::VsCode => whole(at(&["servers"])),
        Shape::VsCodeSettings => whole(at(&["mcp", "servers"]).or_else(|| at(&["mcp.servers"]))),
        Shape::Codex => whole(at(&["mcp_servers"])),
        Shape::Goose => whole(at(&["extensions"])),
        Shape::OpenCode => whole(match at(&["mcp", "servers"]) {
            Some(second) if !looks_like_server(second) => Some(second),
            _ => at(&["mcp"]),
        }),
        Shape::Bare => return Ok(list(shape, tree, root, &[], home, project)),
    };
    let inputs = match shape {
        Shape::VsCode => at(&["inputs"]),
        Shape::VsCodeSettings => at(&["mcp", "inputs"]),
        _ => None,
    };
    let inputs = inputs.and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let mut all = Servers::default();
    for group in groups {
        let Value::Object(servers) = group.servers else {
            return Err(format!("where its servers should stand is {}", kind(group.servers)));
        };
        let project = group.project.as_deref().or(project);
        let mut more = list(shape, tree, servers, inputs, home, project);
        all.found.append(&mut more.found);
        all.left_out += more.left_out;
    }
    if shape == Shape::Gemini {
        switch_off(&mut all.found, at(&["mcp", "excluded"]));
    }
    let over = all.found.len().saturating_sub(SERVERS);
    all.found.truncate(SERVERS);
    all.left_out += over;
    Ok(all)
}

fn find<'a>(root: &'a Map<String, Value>, keys: &[&str]) -> Option<&'a Value> {
    let (first, rest) = keys.split_first()?;
    let found = rest.iter().try_fold(root.get(*first)?, |value, key| value.get(*key))?;
    (!found.is_null()).then_some(found)
}

fn list(
    shape: Shape,
    tree: &Tree,
    servers: &Map<String, Value>,
    inputs: &[Value],
    home: &Path,
    project: Option<&Path>,
) -> Servers {
    let by_id = inputs
        .iter()
        .filter_map(Value::as_object)
        .filter_map(|input| Some((input.get("id")?.as_str()?, input)))
        .collect::<HashMap<_, _>>();
    let around = Around { spelling: shape.spelling(home, project), inputs: by_id };
    let mut found = Vec::new();
    for (name, settings) in servers.iter().take(SERVERS) {
        let mut one = one(name, settings, &around);
        one.project = project.map(Path::to_owned);
        if tree.twice.contains(name) {
            one.notes.push("This name stands there twice; the last one counts.".to_owned());
        }
        found.push(one);
    }
    Servers { found, left_out: servers.len().saturating_sub(SERVERS) }
}

/// One server and whether its tool has it switched off.
pub(super) fn one(name: &str, settings: &Value, around: &Around<'_>) -> Found {
    let flag = |key: &str| settings.get(key).and_then(Value::as_bool);
    Found {
        name: shorten(name.trim(), NAME_CHARS),
        project: None,
        disabled: flag("disabled") == Some(true) || flag("enabled") == Some(false),
        notes: Vec::new(),
        draft: server::read(settings, around),
    }
}

fn switch_off(found: &mut [Found], names: Option<&Value>) {
    let names: HashSet<&str> =
        names.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect();
    for server in found {
        server.disabled |= names.contains(server.name.as_str());
    }
}

/// Whether a table is one server, and not several by name.
pub(super) fn looks_like_server(value: &Value) -> bool {
    let is = |key: &str| matches!(value.get(key), Some(Value::String(_) | Value::Array(_)));
    ["command", "cmd", "url", "uri", "httpUrl", "serverUrl"].into_iter().any(is)
}

/// What kind of settings a text holds that comes from nowhere in particular.
pub(super) fn recognised(root: &Map<String, Value>) -> Option<Shape> {
    let has = |keys: &[&str]| find(root, keys).is_some_and(Value::is_object);
    if has(&["mcpServers"]) || root.get("projects").is_some() && !root.contains_key("servers") {
        Some(Shape::ClaudeCode)
    } else if has(&["servers"]) {
        Some(Shape::VsCode)
    } else if has(&["mcp_servers"]) {
        Some(Shape::Codex)
    } else if has(&["extensions"]) {
        Some(Shape::Goose)
    } else if has(&["mcp", "inputs"]) || find(root, &["mcp", "inputs"]).is_some() {
        Some(Shape::VsCodeSettings)
    } else if has(&["mcp"]) {
        Some(Shape::OpenCode)
    } else {
        let all_tables = !root.is_empty() && root.values().all(Value::is_object);
        (all_tables && root.values().any(looks_like_server)).then_some(Shape::Bare)
    }
}
