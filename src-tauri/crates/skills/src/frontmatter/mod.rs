//! The front matter of a `SKILL.md`: read leniently for a person, strictly for a server, compared
//! with what a server declared, and edited without touching another byte.

mod block;
mod compare;
mod edit;
mod recover;
mod resolve;
mod tree;

use std::ops::Range;

use serde_json::{Map, Value};

use self::block::{Block, NoBlock};
pub use self::compare::same_as;
pub use self::edit::{CannotLeaveOut, Without, same_field, without};
use self::resolve::Unresolvable;
use self::tree::{Kind, Node, NotYaml};
use crate::MAIN_FILE;
use crate::check::{Diagnostic, Place, codes};
use crate::lines::{LineIndex, lines, without_last_break};

/// Fields by which a skill asks for powers; what [`same_field`] holds equal asks for the same.
pub const REQUEST_FIELDS: &[&str] = &["allowed-tools", "hooks"];

/// The most characters of a description that is taken from the body.
const FALLBACK_LENGTH: usize = 200;

/// The version of YAML under which two front matters are equal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum YamlVersion {
    /// As PyYAML reads it.
    V1_1,
    /// The core schema of YAML 1.2.
    V1_2,
}

/// A field that is not as it was declared.
#[derive(Debug, Clone, PartialEq)]
pub struct FieldDifference {
    /// Its name; empty when the whole front matter cannot be read.
    pub field: String,
    /// As the entry says; `None` where it does not have the field.
    pub declared: Option<Value>,
    /// As the file says; `None` where it does not have the field.
    pub actual: Option<Value>,
}

/// A front matter as far as it can be read, and the text below it.
#[derive(Debug, Clone, PartialEq)]
pub struct FrontMatter {
    fields: Map<String, Value>,
    places: Vec<FieldPlace>,
    body: String,
    body_line: u32,
    problems: Vec<Diagnostic>,
}

/// Where a field stands.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct FieldPlace {
    pub(crate) name: String,
    pub(crate) key: Place,
    pub(crate) value: Place,
    /// The value as it is written, where it is a scalar.
    text: Option<String>,
}

impl FrontMatter {
    /// Reads what can be read of a `SKILL.md`; never fails. A byte order mark and CRLF are fine.
    ///
    /// Values have the types that PyYAML gives them; a front matter that is not YAML gives its
    /// `key: value` lines as texts.
    pub fn read(bytes: &[u8]) -> Self {
        let text = String::from_utf8_lossy(bytes);
        let index = LineIndex::new(&text);
        let mut read = Self {
            fields: Map::new(),
            places: Vec::new(),
            body: String::new(),
            body_line: 1,
            problems: Vec::new(),
        };
        if let Err(error) = std::str::from_utf8(bytes) {
            read.problems.push(not_utf8(&index, error.valid_up_to()));
        }
        match block::find_lenient(&text) {
            Ok(block) => {
                read.body = text[block.body.clone()].to_owned();
                read.body_line = block.body_line;
                if let Err(problem) = block::find_strict(&text) {
                    read.problems.push(no_block(&index, problem));
                }
                if block.yaml.is_empty() {
                    return read;
                }
                read.read_fields(&text, &index, &block);
            }
            Err(problem) => {
                read.body = text.strip_prefix('\u{feff}').unwrap_or(&text).to_owned();
                read.problems.push(no_block(&index, problem));
            }
        }
        read
    }

    fn read_fields(&mut self, text: &str, index: &LineIndex<'_>, block: &Block) {
        let yaml = without_last_break(&text[block.yaml.clone()]);
        let place = |range: &Range<usize>| {
            index.place(MAIN_FILE, block.yaml.start + range.start..block.yaml.start + range.end)
        };
        let pairs = match tree::parse(yaml) {
            Ok(Some(Node { kind: Kind::Mapping { pairs, .. }, .. })) => pairs,
            Ok(None) => {
                self.problems.push(no_block(index, NoBlock::Empty));
                return;
            }
            Ok(Some(node)) => {
                self.problems.push(not_mapping(place(&node.range)));
                return;
            }
            Err(error) => {
                self.problems.push(not_yaml(yaml, &error, place));
                self.fields = recover::fields(yaml);
                return;
            }
        };
        for (key, value) in &pairs {
            let raw = |node: &Node| yaml.get(node.range.clone()).unwrap_or_default().to_owned();
            let name = match (resolve::value(key, YamlVersion::V1_1), resolve::is_merge(key)) {
                (Ok(Value::String(name)), false) => name,
                (_, merge) => {
                    let reason =
                        if merge { Unresolvable::Merge } else { Unresolvable::KeyNotString };
                    self.problems.push(unresolvable(reason, "", place(&key.range)));
                    raw(key)
                }
            };
            let read =
                resolve::value(value, YamlVersion::V1_1).unwrap_or_else(|(reason, range)| {
                    self.problems.push(unresolvable(reason, &name, place(&range)));
                    Value::String(raw(value))
                });
            let text = match &value.kind {
                Kind::Scalar { text, .. } => Some(text.clone()),
                _ => None,
            };
            self.places.push(FieldPlace {
                name: name.clone(),
                key: place(&key.range),
                value: place(&value.range),
                text,
            });
            if self.fields.insert(name.clone(), read).is_some() {
                self.problems.push(unresolvable(
                    Unresolvable::DuplicateKey,
                    &name,
                    place(&key.range),
                ));
            }
        }
    }

    /// The fields by the strict rules, as JSON: delimiters exactly `---`, one mapping, each key a
    /// string and there once, no aliases, merge keys, dates, binary values, other tags, or numbers
    /// that are not finite. Values are those that PyYAML gives.
    ///
    /// # Errors
    /// The first rule that is broken, with its place.
    pub fn strict(bytes: &[u8]) -> Result<Map<String, Value>, Diagnostic> {
        let text = match std::str::from_utf8(bytes) {
            Ok(text) => text,
            Err(error) => {
                let lossy = String::from_utf8_lossy(bytes);
                return Err(not_utf8(&LineIndex::new(&lossy), error.valid_up_to()));
            }
        };
        let index = LineIndex::new(text);
        let block = block::find_strict(text).map_err(|problem| no_block(&index, problem))?;
        let yaml = without_last_break(&text[block.yaml.clone()]);
        let place = |range: &Range<usize>| {
            index.place(MAIN_FILE, block.yaml.start + range.start..block.yaml.start + range.end)
        };
        if let Some((at, c)) = yaml.char_indices().find(|(_, c)| is_unusual(*c)) {
            let message = format!("the character {c:?}, which readers of YAML take differently");
            return Err(not_yaml(yaml, &NotYaml { at, message }, place));
        }
        match tree::parse(yaml) {
            Ok(Some(node @ Node { kind: Kind::Mapping { .. }, .. })) => {
                if let Some(at) = node.loose_tab(yaml) {
                    let message = "a tab outside of quotes, which PyYAML does not read".to_owned();
                    return Err(not_yaml(yaml, &NotYaml { at, message }, place));
                }
                match resolve::value(&node, YamlVersion::V1_1) {
                    Ok(Value::Object(fields)) => Ok(fields),
                    Ok(_) => Err(not_mapping(place(&node.range))),
                    Err((reason, range)) => {
                        let field = match reason {
                            Unresolvable::DuplicateKey => {
                                yaml.get(range.clone()).unwrap_or_default()
                            }
                            _ => "",
                        };
                        Err(unresolvable(reason, field, place(&range)))
                    }
                }
            }
            Ok(Some(node)) => Err(not_mapping(place(&node.range))),
            Ok(None) => Err(no_block(&index, NoBlock::Empty)),
            Err(error) => Err(not_yaml(yaml, &error, place)),
        }
    }

    /// The fields in the author's order.
    pub fn fields(&self) -> &Map<String, Value> {
        &self.fields
    }

    /// The Markdown below the front matter; the whole text where there is none.
    pub fn body(&self) -> &str {
        &self.body
    }

    /// The line, from 1, on which the body starts.
    pub fn body_line(&self) -> u32 {
        self.body_line
    }

    /// What was wrong while reading.
    pub fn problems(&self) -> &[Diagnostic] {
        &self.problems
    }

    /// Where the field of this name stands; the last one, whose value counts.
    pub(crate) fn place(&self, name: &str) -> Option<&FieldPlace> {
        self.places.iter().rev().find(|place| place.name == name)
    }

    /// A field's value if it is a text, a number or the like, as it is written.
    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        match self.place(name) {
            Some(place) => place.text.as_deref(),
            None => self.fields.get(name)?.as_str(),
        }
    }

    /// The description; else the first line of text of the body, without `#` and at most 200
    /// characters long; else `Skill: NAME`.
    pub fn description_or_fallback(&self, name: &str) -> String {
        if let Some(description) = self.text("description").filter(|text| !text.is_empty()) {
            return description.to_owned();
        }
        let line =
            lines(&self.body).map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
        let line = if line.starts_with('#') { line.trim_start_matches('#').trim() } else { line };
        match line {
            "" => format!("Skill: {name}"),
            line => line.chars().take(FALLBACK_LENGTH).collect(),
        }
    }
}

/// Characters that PyYAML refuses or ends a line at, and others do not.
fn is_unusual(c: char) -> bool {
    (c.is_control() && !matches!(c, '\n' | '\r' | '\t'))
        || matches!(c, '\u{2028}' | '\u{2029}' | '\u{fffe}' | '\u{ffff}')
}

fn not_utf8(index: &LineIndex<'_>, at: usize) -> Diagnostic {
    codes::NOT_UTF8.say("the file is not UTF-8", Some(index.place(MAIN_FILE, at..at + 1)))
}

fn no_block(index: &LineIndex<'_>, problem: NoBlock) -> Diagnostic {
    let first = || Some(index.place(MAIN_FILE, 0..0));
    match problem {
        NoBlock::NotOpened => codes::FRONT_MATTER_MISSING.say("there is no front matter", first()),
        NoBlock::NotClosed => {
            codes::FRONT_MATTER_UNCLOSED.say("the front matter has no closing `---`", first())
        }
        NoBlock::Untidy(line) => {
            let place = Place { file: MAIN_FILE.to_owned(), line, column: 4, length: 1 };
            codes::FRONT_MATTER_DELIMITER.say("something follows `---` on its line", Some(place))
        }
        NoBlock::Empty => codes::FRONT_MATTER_EMPTY.say("the front matter is empty", first()),
    }
}

fn not_mapping(place: Place) -> Diagnostic {
    codes::FRONT_MATTER_NOT_MAPPING.say("the front matter does not hold fields", Some(place))
}

fn not_yaml(yaml: &str, error: &NotYaml, place: impl Fn(&Range<usize>) -> Place) -> Diagnostic {
    match recover::unquoted_colon(yaml, error) {
        Some(found) => codes::FRONT_MATTER_COLON.say(
            format!(
                "the value of `{}` has an unquoted `: `, so the front matter is not YAML",
                found.field
            ),
            Some(place(&found.colon)),
        ),
        None => codes::FRONT_MATTER_YAML.say(
            format!("the front matter is not YAML: {}", error.message),
            Some(place(&(error.at..error.at))),
        ),
    }
}

fn unresolvable(reason: Unresolvable, field: &str, place: Place) -> Diagnostic {
    let code = match reason {
        Unresolvable::DuplicateKey => &codes::FRONT_MATTER_DUPLICATE,
        Unresolvable::KeyNotString => &codes::FRONT_MATTER_KEY,
        _ => &codes::FRONT_MATTER_VALUE,
    };
    let message = match (reason, field) {
        (Unresolvable::DuplicateKey, field) => format!("the field `{field}` comes twice"),
        (_, "") => format!("the front matter has {}", reason.reason()),
        (_, field) => format!("`{field}` has {}", reason.reason()),
    };
    code.say(message, Some(place))
}

#[cfg(test)]
mod tests;
