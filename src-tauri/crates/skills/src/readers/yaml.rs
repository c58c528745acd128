//! Readers that give the front matter to a parser of YAML.

use serde_json::Value;

use super::{Outcome, Reader, Reading, no_block, stop};
use crate::frontmatter::YamlVersion;
use crate::frontmatter::block;
use crate::frontmatter::pyyaml;
use crate::frontmatter::resolve::{self, Unresolvable, in_words};
use crate::frontmatter::tree::{self, Kind, Node};

pub(super) fn read(reader: &'static Reader, version: YamlVersion, skill_md: &[u8]) -> Reading {
    let is_1_1 = version == YamlVersion::V1_1;
    let mut doubts: Vec<String> = Vec::new();
    let text = match std::str::from_utf8(skill_md) {
        Ok(text) => text.to_owned(),
        Err(_) if is_1_1 => {
            return Reading::drops(reader, "drop the skill: the file is not UTF-8");
        }
        Err(_) => {
            doubts.push("read what is not UTF-8 as `\u{fffd}`".to_owned());
            String::from_utf8_lossy(skill_md).into_owned()
        }
    };
    let found = match block::find_lenient(&text) {
        Ok(found) => found,
        Err(problem) => {
            return Reading::drops(reader, format!("find no fields, for {}", no_block(problem)));
        }
    };
    if block::find_strict(&text).is_err() && !found.yaml.is_empty() {
        doubts.push(
            "not all find the front matter, for its `---` is not alone on its line".to_owned(),
        );
    }
    if is_1_1 && text.starts_with('\u{feff}') {
        doubts.push("not all find the front matter behind the byte order mark".to_owned());
    }
    let yaml = &text[found.yaml.clone()];
    let drops = |reason: String| {
        Reading::drops(reader, format!("stop {reason}, and drop the skill or all of its fields"))
    };
    let root = match tree::parse(yaml) {
        Err(error) => return drops(stop(&text, found.yaml.start, &error)),
        Ok(root) => root,
    };
    if let Some(refusal) = pyyaml::refusal(yaml, root.as_ref()) {
        if is_1_1 {
            return drops(stop(&text, found.yaml.start, &refusal));
        }
        if yaml.chars().any(|c| c.is_control() && !matches!(c, '\n' | '\r' | '\t' | '\u{85}')) {
            doubts.push("some stop at a control character in the front matter".to_owned());
        }
    }
    let Some(Node { kind: Kind::Mapping { pairs, .. }, .. }) = root else {
        return Reading::drops(reader, "find no fields in the front matter");
    };
    if is_1_1 && pyyaml::own_break(yaml) {
        doubts.push("end a line at U+0085, U+2028 or U+2029, where others read on".to_owned());
    }
    let no_value = pairs.iter().map(|(_, value)| value).find(|value| {
        let known = |tag: &str| {
            ["binary", "set", "omap", "pairs", "timestamp"]
                .iter()
                .any(|name| tag.strip_prefix("tag:yaml.org,2002:") == Some(name))
        };
        is_1_1
            && matches!(
                resolve::value(value, version),
                Err((Unresolvable::Tag | Unresolvable::Mark, _))
            )
            && !value.tag.as_deref().is_some_and(known)
    });
    if let Some(value) = no_value {
        let message = "a value of a type that they cannot make".to_owned();
        let error = tree::NotYaml { at: value.range.start, message };
        return drops(stop(&text, found.yaml.start, &error));
    }
    let twice = first_double(&pairs);
    if let Some(key) = &twice
        && !is_1_1
    {
        let error =
            tree::NotYaml { at: key.range.start, message: "a field that comes twice".into() };
        return drops(stop(&text, found.yaml.start, &error));
    }
    let mut reading = Reading {
        reader,
        outcome: Outcome::Loads,
        message: String::new(),
        name: None,
        description: None,
    };
    if twice.is_some() {
        doubts.push("take the last of the fields that come twice".to_owned());
    }
    for (field, into) in [("name", &mut reading.name), ("description", &mut reading.description)] {
        match last(&pairs, field).map(|value| resolve::value(value, version)) {
            None => doubts.push(format!("find no `{field}`")),
            Some(Ok(Value::String(text))) => *into = Some(text),
            Some(Ok(value)) => doubts.push(format!("take `{field}` for {}", in_words(&value))),
            Some(Err((Unresolvable::Timestamp, _))) => {
                doubts.push(format!("take `{field}` for a date"));
            }
            Some(Err((Unresolvable::NonFinite, _))) => {
                doubts.push(format!("take `{field}` for a number"));
            }
            Some(Err((reason, _))) => {
                doubts.push(format!("find in `{field}` {}", reason.reason()));
            }
        }
    }
    let others = others_read_otherwise(&pairs, version);
    if doubts.is_empty() {
        reading.message = match others.is_empty() {
            true => "read it whole".to_owned(),
            false => format!("read it whole, {}", others.join(", ")),
        };
    } else {
        reading.outcome = Outcome::Partly;
        doubts.extend(others);
        reading.message = doubts.join("; ");
    }
    reading
}

fn last<'a>(pairs: &'a [(Node, Node)], field: &str) -> Option<&'a Node> {
    let is_it = |key: &Node| matches!(&key.kind, Kind::Scalar { text, .. } if text == field);
    pairs.iter().rev().find(|(key, _)| is_it(key)).map(|(_, value)| value)
}

fn first_double(pairs: &[(Node, Node)]) -> Option<&Node> {
    let mut seen = std::collections::HashSet::new();
    pairs.iter().map(|(key, _)| key).find(|key| match &key.kind {
        Kind::Scalar { text, .. } => !seen.insert(text.as_str()),
        _ => false,
    })
}

/// What this version makes of fields, but for name and description, that the other one reads
/// differently: `model` as true, say.
fn others_read_otherwise(pairs: &[(Node, Node)], version: YamlVersion) -> Vec<String> {
    let other = match version {
        YamlVersion::V1_1 => YamlVersion::V1_2,
        YamlVersion::V1_2 => YamlVersion::V1_1,
    };
    pairs
        .iter()
        .filter_map(|(key, value)| {
            let Kind::Scalar { text: name, .. } = &key.kind else { return None };
            if matches!(name.as_str(), "name" | "description") {
                return None;
            }
            let (here, there) = (resolve::value(value, version), resolve::value(value, other));
            let as_what = match (&here, &there) {
                (Ok(here), Ok(there)) if here == there => return None,
                (Err(_), Err(_)) => return None,
                (Ok(value), _) => in_words(value),
                (Err((Unresolvable::Timestamp, _)), _) => "a date".to_owned(),
                (Err(_), _) => "no JSON value".to_owned(),
            };
            Some(format!("`{name}` as {as_what}"))
        })
        .collect()
}
