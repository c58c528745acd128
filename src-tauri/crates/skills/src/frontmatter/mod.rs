//! The front matter of a `SKILL.md`: read leniently for a person, strictly for a server, compared
//! with what a server declared, and edited without touching another byte.
//!
//! One parser of YAML with places is behind all of it; where it and PyYAML differ, PyYAML is
//! followed (`mended`, `pyyaml`). What is not plain is read as this table says:
//!
//! | in the file | [`FrontMatter::read`] | [`FrontMatter::strict`] |
//! |---|---|---|
//! | byte order mark before `---` | read | read |
//! | byte order mark further on | a letter | a letter |
//! | CRLF | read | read |
//! | lone CR | ends a line; `frontmatter-delimiter`, fix: LF | refused where it ends a delimiter |
//! | no line break at the end | read | read |
//! | blanks after `---` | read; `frontmatter-delimiter`, fix: trim | refused |
//! | nothing, or only comments, between the delimiters | no fields, `frontmatter-empty` | refused |
//! | no closing `---` | no fields, all is body, `frontmatter-unclosed` | refused |
//! | merge markers | lines with a colon as texts, `frontmatter-yaml` | refused |
//! | control character, NUL | lines with a colon as texts, `frontmatter-yaml` | refused |
//! | not UTF-8 | U+FFFD in its place, `not-utf8`, no fixes | refused |
//! | U+0085, U+2028, U+2029 | letters, `frontmatter-yaml` | refused: they end lines to PyYAML only |
//! | half a character by escape, `"\ud800"` | U+FFFD, `frontmatter-yaml` | refused |
//! | not YAML, `a: b: c` | lines with a colon as texts; each place, fix: quotes | refused |
//! | more than 256 KiB or 10,000 values | lines with a colon as texts, `frontmatter-yaml` | refused |
//!
//! Where the reference is not followed: an opening line is `---` and blanks, never `----` or
//! `---x`; an empty block ends at once instead of at the next `---`; a file may end right behind
//! its closing `---`; a pair of surrogates by escape is one character. Where readers of YAML 1.1 and
//! 1.2 see different values or one kind sees none, and quotes would not help, strict mode refuses
//! what the reference takes: `[-]`, `[?a]`, `&a?b c`, and the header of a block at the margin of its
//! key.

pub(crate) mod block;
mod compare;
mod edit;
mod mended;
mod problems;
pub(crate) mod pyyaml;
mod quote;
pub(crate) mod recover;
pub(crate) mod resolve;
pub(crate) mod said;
mod source;
mod texts;
pub(crate) mod tree;
mod twice;
pub(crate) mod unquoted;

use std::borrow::Cow;
use std::ops::Range;

use serde_json::{Map, Value};

use self::block::NoBlock;
pub use self::compare::same_as;
pub use self::edit::{CannotLeaveOut, Without, same_field, without};
use self::problems::Text;
pub use self::quote::quoted;
use self::resolve::Unresolvable;
pub(crate) use self::source::{FieldSource, Style};
use self::tree::{Kind, Node, NotYaml};
use crate::check::{Diagnostic, Place};
use crate::lines::{lines, without_last_break};

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
    texts: Map<String, Value>,
    /// The fields that are judged, where they are not those above.
    judged: Option<Map<String, Value>>,
    /// Whether lines stand for what could not be parsed.
    by_lines: bool,
    places: Vec<FieldPlace>,
    sources: Vec<FieldSource>,
    /// Where all of it stands in braces.
    braces: Option<Place>,
    /// The fields whose keys come twice, however deep; in bytes of the file.
    twice: Vec<Range<usize>>,
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
}

impl FrontMatter {
    /// Reads what can be read of a `SKILL.md`; never fails. A byte order mark and CRLF are fine.
    ///
    /// Values have the types that PyYAML gives them; a front matter that is not YAML gives its
    /// `key: value` lines as texts.
    pub fn read(bytes: &[u8]) -> Self {
        let text = String::from_utf8_lossy(bytes);
        let mut spots = Text::new(&text, matches!(text, Cow::Borrowed(_)));
        let mut read = Self {
            fields: Map::new(),
            texts: Map::new(),
            judged: None,
            by_lines: false,
            places: Vec::new(),
            sources: Vec::new(),
            braces: None,
            twice: Vec::new(),
            body: String::new(),
            body_line: 1,
            problems: Vec::new(),
        };
        if let Err(error) = std::str::from_utf8(bytes) {
            read.problems.push(spots.not_utf8(error.valid_up_to()));
        }
        match block::find_lenient(&text) {
            Ok(block) => {
                read.body = text[block.body.clone()].to_owned();
                read.body_line = block.body_line;
                match block::find_strict(&text) {
                    Err(problem) => read.problems.push(spots.no_block(problem)),
                    // To strict readers it goes on: if that is not right, its end is to blame.
                    Ok(strict) if strict != block => {
                        if Self::strict(bytes).is_err() {
                            let closing = NoBlock::Untidy(block.body_line - 1);
                            read.problems.push(spots.no_block(closing));
                        }
                    }
                    Ok(_) => {}
                }
                spots.offset = block.yaml.start;
                let yaml = without_last_break(&text[block.yaml.clone()]);
                if !block.yaml.is_empty() {
                    read.read_fields(yaml, &spots);
                }
            }
            Err(problem) => {
                read.body = text.strip_prefix('\u{feff}').unwrap_or(&text).to_owned();
                read.problems.push(spots.no_block(problem));
            }
        }
        read
    }

    fn read_fields(&mut self, yaml: &str, spots: &Text<'_>) {
        let root = match tree::parse(yaml) {
            Ok(root) => root,
            Err(error) => {
                self.problems.extend(spots.not_yaml(yaml, error));
                self.take_top_lines(yaml, spots);
                self.take_lines(yaml);
                return;
            }
        };
        let refused = pyyaml::refusal(yaml, root.as_ref());
        if let Some(reason) = refused_in_strict(refused.clone(), yaml, root.as_ref()) {
            self.problems.push(spots.refused(&reason));
        }
        match &root {
            Some(Node { kind: Kind::Mapping { pairs, flow }, tag, range, .. }) => {
                self.braces = flow.then(|| spots.place(range));
                self.take_pairs(pairs, yaml, spots);
                if tag.as_deref().is_some_and(|tag| !resolve::is_tag_of_mappings(tag)) {
                    self.problems.push(spots.unresolvable(yaml, Unresolvable::Tag, "", range));
                }
            }
            Some(node) => self.problems.push(spots.not_mapping(&node.range)),
            None => self.problems.push(spots.no_block(NoBlock::Empty)),
        }
        if refused.is_some() {
            self.judged = Some(self.fields.clone());
            self.take_lines(yaml);
        }
    }

    /// Takes for judging what a person sees for the fields of the front matter itself.
    fn take_top_lines(&mut self, yaml: &str, spots: &Text<'_>) {
        let mut judged = Map::new();
        for line in recover::top_lines(yaml) {
            self.places.push(FieldPlace {
                name: line.name.to_owned(),
                key: spots.place(&line.key),
                value: spots.place(&line.value),
            });
            judged.insert(line.name.to_owned(), line.text.map_or(Value::Null, Value::from));
        }
        self.judged = Some(judged);
        self.by_lines = true;
    }

    /// Takes what a reader of lines finds.
    fn take_lines(&mut self, yaml: &str) {
        self.fields = recover::fields(yaml);
        self.texts = self.fields.clone();
    }

    fn take_pairs(&mut self, pairs: &[(Node, Node)], yaml: &str, spots: &Text<'_>) {
        self.texts = texts::texts(pairs, yaml).unwrap_or_else(|| recover::fields(yaml));
        self.twice = twice::fields(pairs)
            .into_iter()
            .map(|range| range.start + spots.offset..range.end + spots.offset)
            .collect();
        for (key, value) in pairs {
            let raw = |node: &Node| yaml.get(node.range.clone()).unwrap_or_default().to_owned();
            let name = match (resolve::value(key, YamlVersion::V1_1), resolve::is_merge(key)) {
                (Ok(Value::String(name)), false) => name,
                (_, merge) => {
                    let reason =
                        if merge { Unresolvable::Merge } else { Unresolvable::KeyNotString };
                    self.problems.push(spots.unresolvable(yaml, reason, "", &key.range));
                    raw(key)
                }
            };
            let mut failures = Vec::new();
            let mut path = vec![name.clone()];
            let read = resolve::as_far_as_it_goes(value, yaml, &mut path, &mut failures);
            for ((reason, range), field) in failures {
                self.problems.push(spots.unresolvable(yaml, reason, &field, &range));
            }
            if spots.is_exact {
                self.sources.push(FieldSource::of(key, value, yaml, spots.offset));
            }
            self.places.push(FieldPlace {
                name: name.clone(),
                key: spots.place(&key.range),
                value: spots.place(&value.range),
            });
            if self.fields.insert(name.clone(), read).is_some() {
                let reason = Unresolvable::DuplicateKey;
                self.problems.push(spots.unresolvable(yaml, reason, &name, &key.range));
            }
        }
    }

    /// The fields by the strict rules, as JSON: delimiters exactly `---`, one mapping, each key a
    /// string and there once, no aliases, merge keys, dates, binary values, other tags, or numbers
    /// that are not finite. Values are those that PyYAML gives.
    ///
    /// # Errors
    /// The first rule that is broken, with its place.
    pub fn strict(bytes: &[u8]) -> Result<Map<String, Value>, Box<Diagnostic>> {
        let text = match std::str::from_utf8(bytes) {
            Ok(text) => text,
            Err(error) => {
                let text = String::from_utf8_lossy(bytes);
                return Err(Box::new(Text::new(&text, false).not_utf8(error.valid_up_to())));
            }
        };
        let mut spots = Text::new(text, true);
        let block = block::find_strict(text).map_err(|problem| spots.no_block(problem))?;
        spots.offset = block.yaml.start;
        let yaml = without_last_break(&text[block.yaml]);
        let root = match tree::parse(yaml) {
            Ok(root) => root,
            Err(error) => {
                let mut found = spots.not_yaml(yaml, error.clone()).into_iter();
                return Err(Box::new(found.next().unwrap_or_else(|| spots.refused(&error))));
            }
        };
        let refused = pyyaml::refusal(yaml, root.as_ref());
        if let Some(reason) = refused_in_strict(refused, yaml, root.as_ref()) {
            return Err(Box::new(spots.refused(&reason)));
        }
        let node = match root {
            Some(node @ Node { kind: Kind::Mapping { .. }, .. }) => node,
            Some(node) => return Err(Box::new(spots.not_mapping(&node.range))),
            None => return Err(Box::new(spots.no_block(NoBlock::Empty))),
        };
        match resolve::value(&node, YamlVersion::V1_1) {
            Ok(Value::Object(fields)) => Ok(fields),
            Ok(_) => Err(Box::new(spots.not_mapping(&node.range))),
            Err((reason, range)) => {
                let field = match reason {
                    Unresolvable::DuplicateKey => yaml.get(range.clone()).unwrap_or_default(),
                    _ => "",
                };
                Err(Box::new(spots.unresolvable(yaml, reason, field, &range)))
            }
        }
    }

    /// The fields in the author's order.
    pub fn fields(&self) -> &Map<String, Value> {
        &self.fields
    }

    /// The fields as far as rules can be asked of them: where the front matter is not YAML, those
    /// that stand in it and not in another field, null for what goes on below its line.
    pub(crate) fn judged(&self) -> &Map<String, Value> {
        self.judged.as_ref().unwrap_or(&self.fields)
    }

    /// Whether the front matter is not YAML, so that only its lines can be judged.
    pub(crate) fn is_by_lines(&self) -> bool {
        self.by_lines
    }

    /// Whether something keeps readers from the fields, so that what is wrong with them may not show.
    pub(crate) fn is_masked(&self) -> bool {
        self.judged.is_some()
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

    /// The fields as they are written, in the file's order; none where the front matter is not YAML
    /// or the file is not UTF-8.
    pub(crate) fn field_sources(&self) -> &[FieldSource] {
        &self.sources
    }

    /// Where the braces stand, if all of the front matter is in braces.
    pub(crate) fn braces(&self) -> Option<&Place> {
        self.braces.as_ref()
    }

    /// Whether these bytes of the file are, or are inside of, a field whose key comes twice.
    pub(crate) fn comes_twice(&self, range: &Range<usize>) -> bool {
        self.twice.iter().any(|twice| twice.start < range.end && range.start < twice.end)
    }

    /// Where the field of this name stands; the last one, whose value counts.
    pub(crate) fn place(&self, name: &str) -> Option<&FieldPlace> {
        self.places.iter().rev().find(|place| place.name == name)
    }

    /// The fields as the reference's compatible mode has them: every scalar the text that it is
    /// written as, aliases written out; where PyYAML stops, its lines.
    pub fn texts(&self) -> &Map<String, Value> {
        &self.texts
    }

    /// A field's value if it is a text, a number or the like, as it is written.
    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        self.texts.get(name)?.as_str()
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

/// The first place at which the strict rules refuse what parsed to this tree.
fn refused_in_strict(
    by_pyyaml: Option<NotYaml>,
    yaml: &str,
    root: Option<&Node>,
) -> Option<NotYaml> {
    let doubtful = pyyaml::doubtful(yaml, root);
    by_pyyaml.into_iter().chain(doubtful).min_by_key(|refusal| refusal.at)
}

#[cfg(test)]
mod tests;
