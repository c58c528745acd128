//! Rules for the fields of a front matter.

use serde_json::Value;

use super::{Diagnostic, Place, codes};
use crate::MAIN_FILE;
use crate::frontmatter::{FrontMatter, same_field};

/// The fields of the format.
const FORMAT: &[&str] =
    &["name", "description", "license", "compatibility", "metadata", "allowed-tools"];

/// Fields that well-known tools define for themselves.
const OF_TOOLS: &[&str] = &[
    "agent",
    "argument-hint",
    "arguments",
    "context",
    "disable-model-invocation",
    "effort",
    "hooks",
    "mode",
    "model",
    "paths",
    "shell",
    "user-invocable",
    "version",
    "when_to_use",
];

/// Letters of other scripts that look like those a name may have.
const LOOK_ALIKES: &[(char, char)] = &[
    ('а', 'a'),
    ('с', 'c'),
    ('ԁ', 'd'),
    ('е', 'e'),
    ('һ', 'h'),
    ('і', 'i'),
    ('ј', 'j'),
    ('ӏ', 'l'),
    ('о', 'o'),
    ('р', 'p'),
    ('ԛ', 'q'),
    ('ѕ', 's'),
    ('ԝ', 'w'),
    ('х', 'x'),
    ('у', 'y'),
    ('α', 'a'),
    ('ο', 'o'),
    ('ν', 'v'),
    ('ρ', 'p'),
    ('ι', 'i'),
    ('κ', 'k'),
    ('υ', 'u'),
    ('ı', 'i'),
    ('ɡ', 'g'),
    ('‐', '-'),
    ('‑', '-'),
    ('–', '-'),
    ('—', '-'),
    ('−', '-'),
];

/// The most characters of a name, a description and a compatibility.
const NAME: usize = 64;
const DESCRIPTION: usize = 1024;
const COMPATIBILITY: usize = 500;

pub(super) fn check(folder_name: &str, read: &FrontMatter, found: &mut Vec<Diagnostic>) {
    let fields = read.fields();
    name(folder_name, read, found);
    description(read, found);
    if fields.get("license").is_some_and(|value| !value.is_string()) {
        found
            .push(codes::LICENSE_TYPE.say("`license` is not a text", value_place(read, "license")));
    }
    if let Some(value) = fields.get("compatibility")
        && value.as_str().is_none_or(|text| text.is_empty() || text.chars().count() > COMPATIBILITY)
    {
        let message = "`compatibility` is not a text of 1 to 500 characters";
        found.push(codes::COMPATIBILITY_TYPE.say(message, value_place(read, "compatibility")));
    }
    match fields.get("allowed-tools") {
        None | Some(Value::String(_)) => {}
        Some(Value::Array(items)) if items.iter().all(Value::is_string) => {
            let message = "`allowed-tools` is a list: some readers refuse the skill";
            found.push(codes::ALLOWED_TOOLS_LIST.say(message, value_place(read, "allowed-tools")));
        }
        Some(_) => {
            let message = "`allowed-tools` is neither a text nor a list of texts";
            found.push(codes::ALLOWED_TOOLS_TYPE.say(message, value_place(read, "allowed-tools")));
        }
    }
    match fields.get("metadata") {
        None => {}
        Some(Value::Object(values)) => {
            for name in values.iter().filter(|(_, value)| !value.is_string()).map(|(name, _)| name)
            {
                let message = format!("`metadata.{name}` is not a text");
                found.push(codes::METADATA_VALUES.say(message, value_place(read, "metadata")));
            }
        }
        Some(_) => {
            found.push(
                codes::METADATA_TYPE
                    .say("`metadata` does not hold fields", value_place(read, "metadata")),
            );
        }
    }
    for name in fields
        .keys()
        .filter(|name| !FORMAT.contains(&name.as_str()) && !OF_TOOLS.contains(&name.as_str()))
    {
        unknown(name, read, found);
    }
}

fn name(folder_name: &str, read: &FrontMatter, found: &mut Vec<Diagnostic>) {
    let place = || value_place(read, "name");
    let name = match read.fields().get("name") {
        None | Some(Value::Null) => {
            found.push(codes::NAME_MISSING.say("there is no `name`", first_place()));
            return;
        }
        Some(Value::String(name)) => name,
        Some(_) => {
            found.push(codes::NAME_TYPE.say("`name` is not a text", place()));
            return;
        }
    };
    if name.chars().count() > NAME {
        found.push(
            codes::NAME_LENGTH
                .say(format!("`name` has {} characters", name.chars().count()), place()),
        );
    }
    if !is_name(name) {
        found.push(codes::NAME_FORM.say(format!("{name:?} is not a name of a skill"), place()));
    }
    if let Some((other, letter)) =
        LOOK_ALIKES.iter().find(|(other, _)| name.contains(*other) || folder_name.contains(*other))
    {
        let message =
            format!("the name has U+{:04X}, which looks like `{letter}`", u32::from(*other));
        found.push(codes::NAME_LOOK_ALIKE.say(message, place()));
    }
    if name != folder_name {
        let message = format!("the field `name` is {name:?} and the folder is {folder_name:?}");
        found.push(codes::NAME_FOLDER.say(message, place()));
    }
}

/// True for 1 to 64 of `a-z0-9-` without a hyphen at an end or doubled.
pub(crate) fn is_name(name: &str) -> bool {
    (1..=NAME).contains(&name.len())
        && name.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-'))
        && !name.starts_with('-')
        && !name.ends_with('-')
        && !name.contains("--")
}

fn description(read: &FrontMatter, found: &mut Vec<Diagnostic>) {
    let place = || value_place(read, "description");
    match read.fields().get("description") {
        None => {
            found.push(codes::DESCRIPTION_MISSING.say("there is no `description`", first_place()))
        }
        Some(Value::Null) => {
            found.push(codes::DESCRIPTION_BLANK.say("`description` is blank", place()))
        }
        Some(Value::String(text)) if text.trim().is_empty() => {
            found.push(codes::DESCRIPTION_BLANK.say("`description` is blank", place()));
        }
        Some(Value::String(text)) => {
            let length = text.chars().count();
            if length > DESCRIPTION {
                let message = format!("`description` has {length} characters; 1,024 is the most");
                found.push(codes::DESCRIPTION_LENGTH.say(message, place()));
            }
        }
        Some(_) => found.push(codes::DESCRIPTION_TYPE.say("`description` is not a text", place())),
    }
}

fn unknown(name: &str, read: &FrontMatter, found: &mut Vec<Diagnostic>) {
    let place = read.place(name).map(|field| field.key.clone());
    let meant = FORMAT
        .iter()
        .chain(OF_TOOLS)
        .find(|known| same_field(known, name))
        .or_else(|| FORMAT.iter().find(|known| distance(known, &name.to_lowercase()) <= 2));
    found.push(match meant {
        Some(known) => codes::FIELD_MISSPELT
            .say(format!("`{name}` is not a field; did you mean `{known}`?"), place),
        None => codes::FIELD_UNKNOWN.say(format!("`{name}` is not a field of the format"), place),
    });
}

/// How many letters must be changed, added or removed.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().take(40).collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, letter) in a.chars().take(40).enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, other) in b.iter().enumerate() {
            let changed = diagonal + usize::from(letter != *other);
            diagonal = row[j + 1];
            row[j + 1] = changed.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

fn value_place(read: &FrontMatter, name: &str) -> Option<Place> {
    read.place(name).map(|field| field.value.clone())
}

fn first_place() -> Option<Place> {
    Some(Place { file: MAIN_FILE.to_owned(), line: 1, column: 1, length: 0 })
}
