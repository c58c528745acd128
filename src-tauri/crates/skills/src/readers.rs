//! What each kind of reader makes of a `SKILL.md`.
//!
//! Nobody reads front matters alike. Five kinds stand for the rest; each follows a program that
//! can be run:
//!
//! | reader | follows |
//! |---|---|
//! | `strict` | FastMCP 4.1.7 with `experimental_skills=True`, as this crate's strict provider does |
//! | `yaml-1.1` | PyYAML, `safe_load` |
//! | `yaml-1.2` | the npm packages `yaml` 2 and `js-yaml` 4; what only one of them takes is told |
//! | `line-based` | FastMCP 4.1.7 by default: every value a text, single lines where the YAML is broken |
//! | `skills-ref` | skills-ref 0.1.1: StrictYAML, then the rules of the format |

mod skills_ref;
mod yaml;

use serde_json::Value;

use crate::check::Place;
use crate::check::publishable;
use crate::frontmatter::block::{self, NoBlock};
use crate::frontmatter::recover;
use crate::frontmatter::said;
use crate::frontmatter::tree::{self, NotYaml};
use crate::frontmatter::unquoted;
use crate::frontmatter::{FrontMatter, YamlVersion};
use crate::lines::LineIndex;
use crate::manifest::Manifest;

/// What becomes of the skill.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// It is read as it was meant.
    Loads,
    /// It is read, but not all of it, or not as it was meant, or not by every reader of the kind.
    Partly,
    /// It is not there, or is there without any of its fields.
    Drops,
}

/// A kind of reader.
#[derive(Debug, PartialEq, Eq)]
pub struct Reader {
    /// As in `yaml-1.1`; never changes its meaning.
    pub id: &'static str,
    /// What to call it before a person.
    pub name: &'static str,
}

/// What one kind of reader makes of a skill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reading {
    /// Which kind.
    pub reader: &'static Reader,
    /// What becomes of the skill.
    pub outcome: Outcome,
    /// The same in a sentence without its subject, as in `reads it whole`.
    pub message: String,
    /// The name under which the reader knows the skill, if it does.
    pub name: Option<String>,
    /// The description that the reader sees, if it does.
    pub description: Option<String>,
}

/// The kinds, in the order of the readings.
pub static READERS: [Reader; 5] = [
    Reader { id: "strict", name: "Servers in strict mode" },
    Reader { id: "yaml-1.1", name: "Tools with YAML 1.1, such as Python's" },
    Reader { id: "yaml-1.2", name: "Tools with YAML 1.2, such as JavaScript's" },
    Reader { id: "line-based", name: "Tools that fall back to single lines" },
    Reader { id: "skills-ref", name: "skills-ref, the format's own checker" },
];

static STRICT: &Reader = &READERS[0];
static YAML_1_1: &Reader = &READERS[1];
static YAML_1_2: &Reader = &READERS[2];
static LINE_BASED: &Reader = &READERS[3];
static SKILLS_REF: &Reader = &READERS[4];

/// What each kind of reader makes of the skill, always all of [`READERS`] in their order.
pub fn readings(folder_name: &str, files: &Manifest, skill_md: &[u8]) -> Vec<Reading> {
    vec![
        strict(folder_name, files, skill_md),
        yaml::read(YAML_1_1, YamlVersion::V1_1, skill_md),
        yaml::read(YAML_1_2, YamlVersion::V1_2, skill_md),
        line_based(folder_name, skill_md),
        skills_ref::read(SKILLS_REF, folder_name, skill_md),
    ]
}

impl Reading {
    fn drops(reader: &'static Reader, message: impl Into<String>) -> Self {
        let message = message.into();
        Self { reader, outcome: Outcome::Drops, message, name: None, description: None }
    }
}

fn strict(folder_name: &str, files: &Manifest, skill_md: &[u8]) -> Reading {
    let fields = publishable(skill_md, folder_name).and_then(|fields| {
        files.within_limits().map_err(|error| error.to_string()).map(|()| fields)
    });
    let fields = match fields {
        Ok(fields) => fields,
        Err(reason) => return Reading::drops(STRICT, format!("leave the skill out: {reason}")),
    };
    let text = |name: &str| fields.get(name).and_then(Value::as_str).map(str::to_owned);
    Reading {
        reader: STRICT,
        outcome: Outcome::Loads,
        message: "publish it".to_owned(),
        name: text("name"),
        description: text("description"),
    }
}

/// The reference's compatible mode: the folder names the skill, and a description is always found.
fn line_based(folder_name: &str, skill_md: &[u8]) -> Reading {
    let Ok(text) = std::str::from_utf8(skill_md) else {
        return Reading::drops(LINE_BASED, "leave the skill out: the file is not UTF-8");
    };
    let read = FrontMatter::read(skill_md);
    let (outcome, message) = match block::find_lenient(text) {
        Err(problem) => (
            Outcome::Partly,
            format!(
                "find no field, for {}, and take the description from the text",
                no_block(problem)
            ),
        ),
        Ok(block) => {
            let yaml = &text[block.yaml];
            let described = read.fields().get("description").is_some_and(|value| !value.is_null());
            match tree::parse(yaml) {
                Err(_) => match recover::torn(yaml) {
                    torn if torn.is_empty() => (
                        Outcome::Loads,
                        "read the fields line by line, each of them whole".to_owned(),
                    ),
                    torn => (
                        Outcome::Partly,
                        format!(
                            "read the fields line by line and lose {}, written on several lines",
                            listed(&torn)
                        ),
                    ),
                },
                Ok(_) if !described => (
                    Outcome::Partly,
                    "find no description and take the first line of the text".to_owned(),
                ),
                Ok(_) => (Outcome::Loads, "read it whole, every value as a text".to_owned()),
            }
        }
    };
    Reading {
        reader: LINE_BASED,
        outcome,
        message,
        name: Some(folder_name.to_owned()),
        description: Some(read.description_or_fallback(folder_name)),
    }
}

/// Names in backticks, with commas between them.
fn listed(names: &[String]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

/// Why there is no front matter, after "for".
fn no_block(problem: NoBlock) -> &'static str {
    match problem {
        NoBlock::NotOpened => "the file does not start with `---`",
        NoBlock::NotClosed => "there is no closing `---`",
        NoBlock::Untidy(_) => "something follows `---` on its line",
        NoBlock::Empty => "there is nothing between the two `---`",
    }
}

/// What stopped a reader of YAML, and where, after "stop".
fn stop(text: &str, yaml_start: usize, error: &NotYaml) -> String {
    let yaml = &text[yaml_start..];
    let found = unquoted::find(yaml, error);
    let (at, reason) = match found.as_ref().map(|found| (found.colon, &found.field)) {
        Some((Some(colon), field)) => {
            (colon, format!("the unquoted `: ` in the value of `{field}`"))
        }
        _ => (
            said::fault(yaml, error.at, &error.message),
            said::in_plain_words(&error.message).into_owned(),
        ),
    };
    let place = place(text, yaml_start + at);
    format!("at line {}, column {}: {reason}", place.line, place.column)
}

fn place(text: &str, at: usize) -> Place {
    LineIndex::new(text).place(crate::MAIN_FILE, at..at)
}

#[cfg(test)]
mod tests;
