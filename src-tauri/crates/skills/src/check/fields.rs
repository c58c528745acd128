//! Rules for the fields of a front matter.

use serde_json::Value;

use super::mending::Mender;
use super::publish::{COMPATIBILITY, are_tools, is_compatibility};
use super::{
    Diagnostic, MAX_PLACES, Place, Rule, Severity, codes, description, name, short_key, spelling,
};
use crate::MAIN_FILE;
use crate::fix::{Fix, TextEdit};
use crate::frontmatter::resolve::in_words;
use crate::frontmatter::{FieldSource, FrontMatter, Style};

/// The fields of the format.
pub(super) const FORMAT: &[&str] =
    &["name", "description", "license", "compatibility", "metadata", "allowed-tools"];

/// Fields that well-known tools define for themselves.
pub(super) const OF_TOOLS: &[&str] = &[
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

/// Fields of tools that hold a truth value, which quotes would make a text.
const TRUTHS: &[&str] = &["disable-model-invocation", "user-invocable"];

/// The most characters of a value that a message repeats.
const MAX_SHOWN: usize = 40;

/// Says what is wrong with the fields, each with the fixes that were tried on a copy.
pub(super) fn check(
    folder_name: &str,
    skill_md: &[u8],
    read: &FrontMatter,
    found: &mut Vec<Diagnostic>,
) {
    let mender = Mender::new(folder_name, skill_md, read);
    judge(folder_name, read, mender.as_ref(), found);
    if let Some(mender) = &mender {
        versions(read, mender, found);
        flow_styles(read, mender, found);
    }
}

/// Says what is wrong with the names and values of fields, without fixes where nothing mends.
pub(super) fn judge(
    folder_name: &str,
    read: &FrontMatter,
    mender: Option<&Mender<'_>>,
    found: &mut Vec<Diagnostic>,
) {
    let fields = read.judged();
    // Where nothing could be read that is said, and no more can be.
    let is_unread = read.problems().iter().any(|one| one.severity == Severity::Error);
    if fields.is_empty() && is_unread {
        return;
    }
    // Of what goes on below its line there is no telling.
    let is_told = |field: &str| !read.is_by_lines() || fields.get(field) != Some(&Value::Null);
    if is_told("name") {
        name::judge(folder_name, read, mender, found);
    }
    if is_told("description") {
        description::judge(read, mender, found);
    }
    if !read.is_by_lines() {
        types(fields, read, mender, found);
    }
    let others: Vec<&String> =
        fields.keys().filter(|name| !FORMAT.contains(&name.as_str())).take(most(mender)).collect();
    for name in &others {
        spelling::judge(name, &others, read, mender, found);
    }
}

/// The types of the other fields of the format.
fn types(
    fields: &serde_json::Map<String, Value>,
    read: &FrontMatter,
    mender: Option<&Mender<'_>>,
    found: &mut Vec<Diagnostic>,
) {
    if let Some(value) = fields.get("license").filter(|value| !value.is_string()) {
        let message = no_text(read, "license", value);
        let mut wrong = codes::LICENSE_TYPE.say(message, value_place(read, "license"));
        wrong.fixes.extend(quote(mender, &codes::LICENSE_TYPE, "license"));
        found.push(wrong);
    }
    if let Some(value) = fields.get("compatibility").filter(|value| !is_compatibility(value)) {
        let message = match value.as_str() {
            Some("") => "`compatibility` is empty".to_owned(),
            Some(text) => format!(
                "`compatibility` has {} characters; {COMPATIBILITY} is the most",
                text.chars().count()
            ),
            None => no_text(read, "compatibility", value),
        };
        let place = value_place(read, "compatibility");
        let mut wrong = codes::COMPATIBILITY_TYPE.say(message, place);
        wrong.fixes.extend(quote(mender, &codes::COMPATIBILITY_TYPE, "compatibility"));
        found.push(wrong);
    }
    if let Some(value) = fields.get("allowed-tools") {
        allowed_tools(value, read, mender, found);
    }
    match fields.get("metadata") {
        None => {}
        Some(Value::Object(values)) => metadata(values, read, mender, found),
        Some(_) => {
            let place = value_place(read, "metadata");
            found.push(codes::METADATA_TYPE.say("`metadata` does not hold fields", place));
        }
    }
}

fn allowed_tools(
    value: &Value,
    read: &FrontMatter,
    mender: Option<&Mender<'_>>,
    found: &mut Vec<Diagnostic>,
) {
    let place = || value_place(read, "allowed-tools");
    let right = are_tools(value);
    if !right {
        let message = match value {
            Value::Array(_) => "`allowed-tools` is a list with something that is not a text".into(),
            value => no_text(read, "allowed-tools", value),
        };
        let mut wrong = codes::ALLOWED_TOOLS_TYPE.say(message, place());
        wrong.fixes.extend(quoted_tools(value, mender));
        found.push(wrong);
    }
    let items: Vec<&str> = match value {
        Value::Array(items) => items.iter().filter_map(Value::as_str).collect(),
        value => value.as_str().into_iter().collect(),
    };
    if value.is_array() {
        let message = "`allowed-tools` is a list: some readers refuse the skill";
        let mut list = codes::ALLOWED_TOOLS_LIST.say(message, place());
        if let Some(mender) = mender.filter(|_| right) {
            list.fixes.extend(mender.join(&codes::ALLOWED_TOOLS_LIST, "allowed-tools", &items));
        }
        found.push(list);
    }
    let wildcard = items.iter().flat_map(|item| tools(item)).find(|tool| allows_all(tool));
    if let Some(tool) = wildcard {
        let message = format!("`{tool}` in `allowed-tools` allows everything of its kind");
        found.push(codes::ALLOWED_TOOLS_WILDCARD.say(message, place()));
    }
}

/// Puts what is not a text in quotes.
fn quoted_tools(value: &Value, mender: Option<&Mender<'_>>) -> Option<Fix> {
    let mender = mender?;
    let source = mender.source("allowed-tools")?;
    let rule = &codes::ALLOWED_TOOLS_TYPE;
    let Value::Array(values) = value else { return mender.quote(rule, source) };
    let wrong: Vec<&FieldSource> = source
        .items
        .iter()
        .zip(values)
        .filter(|(_, value)| !value.is_string())
        .map(|(item, _)| item)
        .collect();
    mender.quote_all(rule, &wrong)
}

/// The single tools of a text: what blanks and commas part, but for those in parentheses.
fn tools(text: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0_usize;
    text.split(move |c: char| {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0 && (c.is_whitespace() || c == ',')
    })
    .filter(|tool| !tool.is_empty())
}

/// `*`, `mcp__server__*` and `Bash(*)`, but not `Bash(git:*)`.
fn allows_all(tool: &str) -> bool {
    let (name, argument) = tool.split_once('(').unwrap_or((tool, ""));
    let argument = argument.trim_end_matches(')');
    name.contains('*') || argument.contains('*') && argument.chars().all(|c| "*:/ ".contains(c))
}

fn metadata(
    values: &serde_json::Map<String, Value>,
    read: &FrontMatter,
    mender: Option<&Mender<'_>>,
    found: &mut Vec<Diagnostic>,
) {
    let sources = mender.and_then(|mender| mender.source("metadata"));
    for (name, value) in values.iter().filter(|(_, value)| !value.is_string()).take(most(mender)) {
        let written = read.texts().get("metadata").and_then(|fields| fields.get(name));
        let message = not_a_text(
            &format!("metadata.{}", short_key(name)),
            value,
            written.and_then(Value::as_str).unwrap_or_default(),
        );
        let source = sources.and_then(|all| all.items.iter().find(|item| item.name == *name));
        let place = match (mender, source) {
            (Some(mender), Some(source)) => Some(mender.place(source.value.clone())),
            _ => value_place(read, "metadata"),
        };
        let mut wrong = codes::METADATA_VALUES.say(message, place);
        if let (Some(mender), Some(source)) = (mender, source) {
            wrong.fixes.extend(mender.quote(&codes::METADATA_VALUES, source));
        }
        found.push(wrong);
    }
}

/// How many places are named: all of them where they are only counted.
fn most(mender: Option<&Mender<'_>>) -> usize {
    if mender.is_some() { MAX_PLACES } else { usize::MAX }
}

/// Plain values that YAML 1.1 and 1.2 read differently.
fn versions(read: &FrontMatter, mender: &Mender<'_>, found: &mut Vec<Diagnostic>) {
    let mut left = MAX_PLACES;
    for field in read.field_sources().iter().filter(|field| field.differs_in_1_2) {
        let mut waiting = vec![field];
        while let Some(source) = waiting.pop() {
            if !source.items.is_empty() {
                waiting.extend(source.items.iter().rev().filter(|item| item.differs_in_1_2));
                continue;
            }
            let Some(text) = source.text.as_deref() else { continue };
            if left == 0 {
                return;
            }
            left -= 1;
            let shown = short_key(text);
            let message = format!("YAML 1.1 and 1.2 read `{shown}` as different values");
            let place = Some(mender.place(source.value.clone()));
            let mut differs = codes::YAML_VERSIONS_DIFFER.say(message, place);
            differs.fixes.extend(same_in_both(field, source, text, mender));
            found.push(differs);
        }
    }
}

/// Quotes a value, or writes a truth value as both versions do.
fn same_in_both(
    field: &FieldSource,
    source: &FieldSource,
    text: &str,
    mender: &Mender<'_>,
) -> Option<Fix> {
    let rule = &codes::YAML_VERSIONS_DIFFER;
    if !TRUTHS.contains(&field.name.as_str()) {
        return mender.quote(rule, source);
    }
    let truth = match text.to_ascii_lowercase().as_str() {
        "yes" | "on" => "true",
        "no" | "off" => "false",
        _ => return None,
    };
    let edit = TextEdit { range: source.value.clone(), replacement: truth.to_owned() };
    mender.tried(rule, &format!("write `{truth}`"), vec![edit], &super::mending::Change::Nothing)
}

/// Lists in brackets and fields in braces, which the YAML of the format's validator lacks.
fn flow_styles(read: &FrontMatter, mender: &Mender<'_>, found: &mut Vec<Diagnostic>) {
    if let Some(place) = read.braces() {
        let message = "the front matter is written in braces";
        found.push(codes::FLOW_STYLE.say(message, Some(place.clone())));
        return;
    }
    let mut waiting: Vec<&FieldSource> = read.field_sources().iter().rev().collect();
    let mut left = MAX_PLACES;
    while let Some(source) = waiting.pop().filter(|_| left > 0) {
        match source.style {
            Style::FlowSequence | Style::FlowMapping => {
                left -= 1;
                let what = if source.style == Style::FlowMapping { "braces" } else { "brackets" };
                let place = Some(mender.place(source.value.clone()));
                found.push(codes::FLOW_STYLE.say(format!("a value is written in {what}"), place));
            }
            _ => waiting.extend(source.items.iter().rev()),
        }
    }
}

/// That the value of a field is not a text, and what tools take it for.
pub(super) fn no_text(read: &FrontMatter, field: &str, value: &Value) -> String {
    not_a_text(field, value, read.text(field).unwrap_or_default())
}

fn not_a_text(field: &str, value: &Value, written: &str) -> String {
    let read_as = in_words(value);
    match written.chars().count() {
        0 => format!("`{field}` is {read_as}, not a text"),
        1..=MAX_SHOWN => format!("`{field}` is not a text: `{written}` is read as {read_as}"),
        _ => format!("`{field}` is not a text: it is read as {read_as}"),
    }
}

/// Puts the value of a field in quotes.
pub(super) fn quote(mender: Option<&Mender<'_>>, rule: &Rule, field: &str) -> Option<Fix> {
    let mender = mender?;
    mender.quote(rule, mender.source(field)?)
}

pub(super) fn value_place(read: &FrontMatter, name: &str) -> Option<Place> {
    read.place(name).map(|field| field.value.clone())
}

pub(super) fn first_place() -> Option<Place> {
    Some(Place { file: MAIN_FILE.to_owned(), line: 1, column: 1, length: 0 })
}

#[cfg(test)]
mod tests {
    use super::super::mending::has_loose_blank;
    use super::*;

    #[test]
    fn tools_are_parted_outside_of_parentheses() {
        let found: Vec<&str> = tools("Bash(git add:*), Read  Write").collect();
        assert_eq!(found, ["Bash(git add:*)", "Read", "Write"]);
        assert!(!has_loose_blank("Bash(git add:*)"));
        assert!(has_loose_blank("Read Write"));
    }

    #[test]
    fn only_a_wildcard_alone_allows_all() {
        for tool in ["*", "Bash(*)", "Bash(*:*)", "mcp__github__*", "Read(/**)"] {
            assert!(allows_all(tool), "{tool}");
        }
        for tool in ["Bash", "Bash(git:*)", "Read(src/**)", "Bash()", "Bash(:)"] {
            assert!(!allows_all(tool), "{tool}");
        }
    }
}
