//! skills-ref 0.1.1: a stricter YAML without flow style, tags, anchors and doubled keys, in which
//! every value is a text, then the rules of the format.

use serde_json::Value;
use unicode_normalization::UnicodeNormalization;

use super::{Outcome, Reader, Reading, listed, place, stop};
use crate::frontmatter::tree::{self, Kind, Node, NotYaml};
use crate::frontmatter::{pyyaml, resolve};

/// The fields it knows.
const FIELDS: &[&str] =
    &["name", "description", "license", "allowed-tools", "metadata", "compatibility"];

pub(super) fn read(reader: &'static Reader, folder_name: &str, skill_md: &[u8]) -> Reading {
    let refuses = |reason: String| Reading::drops(reader, format!("refuses the skill: {reason}"));
    let Ok(text) = std::str::from_utf8(skill_md) else {
        return refuses("the file is not UTF-8".to_owned());
    };
    if text.starts_with('\u{feff}') {
        return refuses("a byte order mark stands before `---`".to_owned());
    }
    // It splits at the first two `---`, wherever they stand.
    let Some(rest) = text.strip_prefix("---") else {
        return refuses("the file does not start with `---`".to_owned());
    };
    let Some((yaml, _)) = rest.split_once("---") else {
        return refuses("there is no closing `---`".to_owned());
    };
    let stopped = |error: &NotYaml| refuses(format!("it stops {}", stop(text, 3, error)));
    let root = match tree::parse(yaml) {
        Ok(root) => root,
        Err(error) => return stopped(&error),
    };
    if let Some(refusal) = pyyaml::refusal_by_ruamel(yaml, root.as_ref()) {
        return stopped(&refusal);
    }
    let Some(root @ Node { kind: Kind::Mapping { .. }, .. }) = root else {
        return refuses("the front matter does not hold fields".to_owned());
    };
    if let Some(error) = not_strict(&root, yaml) {
        return stopped(&error);
    }
    let Kind::Mapping { pairs, .. } = &root.kind else { return refuses(String::new()) };
    // What is merged is lost.
    let pairs: Vec<_> = pairs.iter().filter(|(key, _)| !resolve::is_merge(key)).collect();
    let get = |field: &str| {
        let is_it = |key: &Node| matches!(&key.kind, Kind::Scalar { text, .. } if text == field);
        pairs.iter().find(|(key, _)| is_it(key)).map(|(_, value)| as_texts(value))
    };
    let mut wrong = Vec::new();
    let trimmed = |field: &str, wrong: &mut Vec<String>| match get(field) {
        None => {
            wrong.push(format!("there is no `{field}`"));
            None
        }
        Some(Value::String(text)) if !text.trim().is_empty() => Some(text),
        Some(_) => {
            wrong.push(format!("`{field}` is not a text or is blank"));
            None
        }
    };
    let mut unknown: Vec<String> = pairs
        .iter()
        .filter_map(|(key, _)| match &key.kind {
            Kind::Scalar { text, .. } if !FIELDS.contains(&text.as_str()) => Some(text.clone()),
            _ => None,
        })
        .collect();
    unknown.sort();
    let name = trimmed("name", &mut wrong);
    let description = trimmed("description", &mut wrong);
    if !wrong.is_empty() {
        return refuses(wrong.join("; "));
    }
    if let Some(name) = &name {
        name_rules(name, folder_name, &mut wrong);
    }
    if let Some(length) = description.as_ref().map(|text| text.chars().count())
        && length > 1024
    {
        wrong.push(format!("the description has {length} characters; 1,024 is the most"));
    }
    match get("compatibility") {
        None => {}
        Some(Value::String(text)) if text.chars().count() <= 500 => {}
        Some(_) => wrong.push("`compatibility` is not a text of at most 500 characters".to_owned()),
    }
    if !unknown.is_empty() {
        wrong.push(format!("it does not know {}", listed(&unknown)));
    }
    // What it splits off too early is lost without a word.
    let closes_early = !yaml.ends_with(['\n', '\r']);
    let (outcome, message) = match wrong.is_empty() {
        true if closes_early => {
            let line = place(text, 3 + yaml.len()).line;
            (Outcome::Partly, format!("ends the front matter at the `---` inside line {line}"))
        }
        true => (Outcome::Loads, "finds nothing wrong".to_owned()),
        false => (Outcome::Partly, format!("reads it and finds it invalid: {}", wrong.join("; "))),
    };
    let stripped = |text: Option<String>| text.map(|text| text.trim().to_owned());
    Reading { reader, outcome, message, name: stripped(name), description: stripped(description) }
}

fn name_rules(name: &str, folder_name: &str, wrong: &mut Vec<String>) {
    let name: String = name.trim().nfkc().collect();
    let length = name.chars().count();
    if length > 64 {
        wrong.push(format!("the name has {length} characters; 64 is the most"));
    }
    if name != name.to_lowercase() {
        wrong.push("the name has capital letters".to_owned());
    }
    if name.starts_with('-') || name.ends_with('-') {
        wrong.push("the name has a hyphen at an end".to_owned());
    }
    if name.contains("--") {
        wrong.push("the name has a doubled hyphen".to_owned());
    }
    if !name.chars().all(|c| c.is_alphanumeric() || c == '-') {
        wrong.push("the name has other characters than letters, digits and hyphens".to_owned());
    }
    if folder_name.nfkc().ne(name.chars()) {
        wrong.push(format!("the folder is {folder_name:?}"));
    }
}

/// The first thing that StrictYAML does not allow.
fn not_strict(node: &Node, yaml: &str) -> Option<NotYaml> {
    let at = node.range.start;
    let refuse = |message: &str| Some(NotYaml { at, message: message.to_owned() });
    if node.tag.is_some() {
        return refuse("a tag, which StrictYAML does not allow");
    }
    if node.anchor != 0 || matches!(node.kind, Kind::Alias(_)) {
        return refuse("an anchor or alias, which StrictYAML does not allow");
    }
    match &node.kind {
        Kind::Mapping { flow: true, .. } => refuse("braces, which StrictYAML does not allow"),
        Kind::Sequence(_) if yaml[at..].starts_with('[') => {
            refuse("a list in brackets, which StrictYAML does not allow")
        }
        Kind::Sequence(items) => items.iter().find_map(|item| not_strict(item, yaml)),
        Kind::Mapping { pairs, .. } => {
            let mut seen = std::collections::HashSet::new();
            pairs.iter().find_map(|(key, value)| {
                if let Kind::Scalar { text, .. } = &key.kind
                    && !seen.insert(text.as_str())
                {
                    return Some(NotYaml {
                        at: key.range.start,
                        message: format!("the field `{text}` comes twice"),
                    });
                }
                let is_merged = |value: &Node| match &value.kind {
                    Kind::Mapping { .. } => true,
                    Kind::Sequence(items) => {
                        items.iter().all(|item| matches!(item.kind, Kind::Mapping { .. }))
                    }
                    Kind::Scalar { .. } | Kind::Alias(_) => false,
                };
                if resolve::is_merge(key) && !is_merged(value) {
                    return Some(NotYaml {
                        at: key.range.start,
                        message: "a merge of what does not hold fields".to_owned(),
                    });
                }
                not_strict(key, yaml).or_else(|| not_strict(value, yaml))
            })
        }
        Kind::Scalar { .. } | Kind::Alias(_) => None,
    }
}

/// A value with every scalar a text.
fn as_texts(node: &Node) -> Value {
    match &node.kind {
        Kind::Scalar { text, .. } => Value::String(text.clone()),
        Kind::Sequence(items) => items.iter().map(as_texts).collect(),
        Kind::Mapping { .. } | Kind::Alias(_) => Value::Object(serde_json::Map::new()),
    }
}
