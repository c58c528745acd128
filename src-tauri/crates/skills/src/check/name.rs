//! Rules for the name of a skill.

use serde_json::Value;

use super::mending::Mender;
use super::publish::NAME;
use super::{Diagnostic, MAX_VALUE, codes, fields, shortened};
use crate::fix::Fix;
use crate::frontmatter::FrontMatter;
use crate::path::{PathRule, check_portable};

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

/// Words that uploads to Claude refuse in a name.
const VENDOR_WORDS: &[&str] = &["claude", "anthropic"];

pub(super) fn judge(
    folder_name: &str,
    read: &FrontMatter,
    mender: Option<&Mender<'_>>,
    found: &mut Vec<Diagnostic>,
) {
    let place = || fields::value_place(read, "name");
    let folder_is_name = is_name(folder_name);
    let value = read.judged().get("name");
    let name = match value {
        None => {
            let mut missing = codes::NAME_MISSING.say("there is no `name`", fields::first_place());
            if let Some(mender) = mender.filter(|_| folder_is_name) {
                missing.fixes.extend(mender.add(&codes::NAME_MISSING, "name", folder_name));
            }
            found.push(missing);
            return;
        }
        Some(Value::Null) if read.text("name").is_none_or(str::is_empty) => {
            found.push(codes::NAME_MISSING.say("`name` has no value", place()));
            return;
        }
        Some(Value::String(name)) => name,
        Some(value) => {
            let mut wrong = codes::NAME_TYPE.say(fields::no_text(read, "name", value), place());
            wrong.fixes.extend(fields::quote(mender, &codes::NAME_TYPE, "name"));
            found.push(wrong);
            // What would be wrong with it in quotes, too.
            let Some(text) = read.text("name") else { return };
            text
        }
    };
    let is_text = value.is_some_and(Value::is_string);
    let shown = shortened(name, MAX_VALUE);
    let folders = |rule| {
        let mender = mender.filter(|_| folder_is_name && name != folder_name)?;
        mender.set(rule, &format!("change `name` to `{folder_name}`"), "name", folder_name)
    };
    if name.chars().count() > NAME {
        let message = format!("`name` has {} characters; {NAME} is the most", name.chars().count());
        let mut long = codes::NAME_LENGTH.say(message, place());
        long.fixes.extend(folders(&codes::NAME_LENGTH));
        found.push(long);
    }
    if !has_form(name) {
        let mut wrong = codes::NAME_FORM.say(format!("{shown:?} {}", broken_form(name)), place());
        let trimmed = name.trim();
        if let Some(mender) = mender.filter(|_| is_name(trimmed)) {
            let title = "remove the blanks around the name";
            wrong.fixes.extend(mender.set(&codes::NAME_FORM, title, "name", trimmed));
        }
        if trimmed != folder_name {
            wrong.fixes.extend(folders(&codes::NAME_FORM));
        }
        found.push(wrong);
    }
    if let Some((other, letter)) =
        LOOK_ALIKES.iter().find(|(other, _)| name.contains(*other) || folder_name.contains(*other))
    {
        let message =
            format!("the name has U+{:04X}, which looks like `{letter}`", u32::from(*other));
        found.push(codes::NAME_LOOK_ALIKE.say(message, place()));
    }
    if name != folder_name {
        let message = format!("the field `name` is {shown:?} and the folder is {folder_name:?}");
        let mut differs = codes::NAME_FOLDER.say(message, place());
        differs.fixes.extend(folders(&codes::NAME_FOLDER));
        // Where tools may find another name, or none, the folder stays as it is.
        let is_sure = is_text && mender.is_some_and(|mender| mender.source("name").is_some());
        if is_sure && is_name(name) && !is_reserved(name) {
            let title = format!("rename the folder to `{name}`");
            differs.fixes.push(Fix::RenameFolder { title, to: name.to_owned() });
        }
        found.push(differs);
    }
    if is_reserved(name) || is_reserved(folder_name) {
        let message = format!("{shown:?} is a name that Windows keeps for a device");
        found.push(codes::NAME_RESERVED.say(message, place()));
    }
    if let Some(word) = VENDOR_WORDS.iter().find(|word| name.contains(**word)) {
        found.push(codes::NAME_VENDOR.say(format!("the name has the word `{word}`"), place()));
    }
}

/// True for 1 to 64 of `a-z0-9-` without a hyphen at an end or doubled.
pub(crate) fn is_name(name: &str) -> bool {
    has_form(name) && name.len() <= NAME
}

fn has_form(name: &str) -> bool {
    !name.is_empty()
        && name.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-'))
        && !name.starts_with('-')
        && !name.ends_with('-')
        && !name.contains("--")
}

/// Which rule of form it breaks.
fn broken_form(name: &str) -> String {
    let bad = name.chars().find(|c| !matches!(c, 'a'..='z' | '0'..='9' | '-'));
    match bad {
        _ if name.trim().is_empty() => "is blank".to_owned(),
        Some(c) if c.is_uppercase() => "has capital letters".to_owned(),
        Some(c) if c.is_whitespace() => "has a blank".to_owned(),
        Some(c) => format!("has the character {c:?}"),
        None if name.contains("--") => "has two hyphens in a row".to_owned(),
        None => "has a hyphen at an end".to_owned(),
    }
}

fn is_reserved(name: &str) -> bool {
    check_portable(name).is_err_and(|problem| problem.rule == PathRule::ReservedName)
}
