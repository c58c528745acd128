//! What a person pastes: settings of any known tool or a part of them, an address, or a command line.

use std::collections::HashMap;
use std::path::Path;

use serde_json::{Map, Value, json};

use super::Servers;
use super::blanks::Spelling;
use super::command;
use super::limits::{FILE_BYTES, NAME_CHARS};
use super::server::Around;
use super::shape::{self, Shape, looks_like_server};
use super::tree::{self, Language, Tree, Unreadable};
use crate::limits::shorten;

/// The servers in a text.
///
/// # Errors
/// When it is none of the known forms, or is broken; the reason never quotes it.
pub fn pasted(text: &str, home: &Path) -> Result<Servers, Unreadable> {
    if text.len() as u64 > FILE_BYTES {
        return Err(Unreadable::plain(format!("it has more than {} MiB", FILE_BYTES >> 20)));
    }
    let text = text.trim_start_matches('\u{feff}').trim();
    let text = unfenced(text).trim();
    if text.is_empty() {
        return Err(Unreadable::plain("there is nothing in it"));
    }
    let around = Around {
        spelling: Spelling { dollar: false, braces: true, home, project: None },
        inputs: HashMap::new(),
    };
    let one = |name: &str, settings: &Value| {
        let found = vec![shape::one(name, settings, &around)];
        Ok(Servers { found, left_out: 0 })
    };
    if is_address(text) {
        return one(&host(text), &json!({ "url": text }));
    }
    let tree = match language(text) {
        Some(Written::Braced) => tree::read(text, Language::Json)?,
        Some(Written::Member) => {
            tree::read(&format!("{{{}}}", text.trim_end_matches(',')), Language::Json)?
        }
        Some(Written::Toml) => tree::read(text, Language::Toml)?,
        Some(Written::Yaml) => tree::read(text, Language::Yaml)?,
        None => {
            let (name, settings) = command::read(text).map_err(Unreadable::plain)?;
            return one(&name, &settings);
        }
    };
    let Value::Object(root) = &tree.root else { return Err(unknown()) };
    if let Some(shape) = shape::recognised(root) {
        let servers = shape::servers(shape, &tree, home, None).map_err(Unreadable::plain)?;
        return if servers.found.is_empty() {
            Err(Unreadable::plain("it has a place for servers and none in it"))
        } else {
            Ok(servers)
        };
    }
    if looks_like_server(&tree.root) {
        return one(&own_name(root), &tree.root);
    }
    nested(&tree, home).unwrap_or_else(|| Err(unknown()))
}

fn unknown() -> Unreadable {
    Unreadable::plain(
        "it is none of the forms that are known: settings with mcpServers, servers, mcp, \
         mcp_servers or extensions, a single server, an address, or a command line",
    )
}

/// Servers in one table below another one, as `{"name": {"mcpServers": {…}}}`.
fn nested(tree: &Tree, home: &Path) -> Option<Result<Servers, Unreadable>> {
    let Value::Object(root) = &tree.root else { return None };
    let inner = root.values().find_map(|value| {
        let table = value.as_object()?;
        shape::recognised(table).filter(|shape| *shape != Shape::Bare)?;
        Some(value.clone())
    })?;
    let shape = shape::recognised(inner.as_object()?)?;
    let tree = Tree { root: inner, twice: tree.twice.clone() };
    Some(shape::servers(shape, &tree, home, None).map_err(Unreadable::plain))
}

/// Without the fence of Markdown around it.
fn unfenced(text: &str) -> &str {
    let fenced = text.strip_prefix("```").and_then(|rest| {
        let (_, inside) = rest.split_once('\n')?;
        inside.trim_end().strip_suffix("```")
    });
    fenced.unwrap_or(text)
}

fn is_address(text: &str) -> bool {
    let starts =
        |start: &str| text.get(..start.len()).is_some_and(|it| it.eq_ignore_ascii_case(start));
    (starts("http://") || starts("https://")) && !text.contains(char::is_whitespace)
}

/// What an address is called until the person gives it another name.
pub(super) fn host(url: &str) -> String {
    let host = url::Url::parse(url).ok().and_then(|url| url.host_str().map(str::to_owned));
    host.unwrap_or_else(|| shorten(url, NAME_CHARS))
}

/// What a server without a name around it is called: what it says itself, else its host or program.
fn own_name(settings: &Map<String, Value>) -> String {
    let text = |key: &str| settings.get(key).and_then(Value::as_str).filter(|it| !it.is_empty());
    if let Some(name) = text("name") {
        return name.to_owned();
    }
    if let Some(url) = ["httpUrl", "serverUrl", "url", "uri"].into_iter().find_map(text) {
        return host(url);
    }
    let command = settings.get("command").or_else(|| settings.get("cmd"));
    let mut words: Vec<&str> = match command {
        Some(Value::Array(words)) => words.iter().filter_map(Value::as_str).collect(),
        Some(Value::String(word)) => vec![word],
        _ => Vec::new(),
    };
    if let Some(Value::Array(more)) = settings.get("args") {
        words.extend(more.iter().filter_map(Value::as_str));
    }
    command::name_of(&words)
}

enum Written {
    /// JSON as it should be.
    Braced,
    /// `"name": {…}`, as in a part of a JSON file.
    Member,
    Toml,
    Yaml,
}

/// How a text is written, by how it begins; `None` for what can only be a command line.
fn language(text: &str) -> Option<Written> {
    let meaningful = |line: &&str| !line.is_empty() && !line.starts_with('#');
    let is_comment = text.starts_with("//") || text.starts_with("/*");
    let first = text.lines().map(str::trim).find(meaningful).unwrap_or(text);
    if text.starts_with('{') || is_comment {
        Some(Written::Braced)
    } else if first.starts_with('"') && first.contains("\":") {
        Some(Written::Member)
    } else if first.starts_with('[') && first.ends_with(']') || is_toml_pair(first) {
        Some(Written::Toml)
    } else if first.ends_with(':') || is_yaml_pair(first) {
        Some(Written::Yaml)
    } else {
        None
    }
}

/// `key = value`, with a space before the sign, which a command line's `KEY=value` has not.
fn is_toml_pair(line: &str) -> bool {
    line.split_once(" = ").is_some_and(|(key, _)| is_key(key))
}

fn is_yaml_pair(line: &str) -> bool {
    line.split_once(": ").is_some_and(|(key, _)| is_key(key))
}

fn is_key(key: &str) -> bool {
    !key.is_empty() && key.chars().all(|c| c.is_alphanumeric() || "_-.\"".contains(c))
}
