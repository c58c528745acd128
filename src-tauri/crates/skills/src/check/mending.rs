//! Fixes of front matter: made as edits, tried, and kept only if they do what they should.

use std::cell::{Cell, OnceCell};
use std::collections::BTreeMap;
use std::ops::Range;

use serde_json::Value;

use super::together::broken;
use super::{Place, Rule};
use crate::MAIN_FILE;
use crate::fix::{Fix, TextEdit, edited};
use crate::frontmatter::{FieldSource, FrontMatter, Style, quoted};
use crate::lines::LineIndex;

/// The most bytes of front matter that are read again for all fixes of one file.
const MAX_READ: usize = 4 * 1024 * 1024;

/// Makes fixes for one `SKILL.md`.
pub(super) struct Mender<'a> {
    folder_name: &'a str,
    /// The file up to the body: nothing else is edited, so nothing else need be read again.
    head: &'a str,
    read: &'a FrontMatter,
    index: LineIndex<'a>,
    /// How often each rule is broken as it is; counted for the first fix that is tried.
    broken: OnceCell<BTreeMap<&'static str, usize>>,
    /// How many bytes may still be read again.
    left: Cell<usize>,
}

/// What a fix may change of the values.
pub(super) enum Change<'a> {
    /// Types of values, and no letter of any.
    Quoted,
    /// The value of this field.
    Set(&'a str, Value),
    /// The name of this field.
    Renamed(&'a str, &'a str),
    /// A new field in first place.
    Added(&'a str, Value),
    /// Nothing.
    Nothing,
}

impl<'a> Mender<'a> {
    /// `None` where the file is not UTF-8.
    pub(super) fn new(
        folder_name: &'a str,
        skill_md: &'a [u8],
        read: &'a FrontMatter,
    ) -> Option<Self> {
        let text = std::str::from_utf8(skill_md).ok()?;
        let head = &text[..text.len().checked_sub(read.body().len())?];
        let index = LineIndex::new(head);
        Some(Self {
            folder_name,
            head,
            read,
            index,
            broken: OnceCell::new(),
            left: Cell::new(MAX_READ),
        })
    }

    /// Where these bytes of the file are.
    pub(super) fn place(&self, range: Range<usize>) -> Place {
        self.index.place(MAIN_FILE, range)
    }

    /// The field as it is written, if it comes once and the front matter is YAML.
    pub(super) fn source(&self, name: &str) -> Option<&'a FieldSource> {
        let mut found = self.read.field_sources().iter().filter(|source| source.name == name);
        found.next().filter(|source| !self.read.comes_twice(&source.key))
    }

    /// The bytes of a value up to its last quote, bracket or item, without a comment behind it.
    fn written(&self, source: &FieldSource) -> Option<Range<usize>> {
        let start = source.value.start;
        let text = self.head.get(source.value.clone())?;
        let end = match source.style {
            Style::Single | Style::Double => start + quote_end(text)?,
            Style::FlowSequence | Style::FlowMapping => start + flow_end(text)?,
            // The parser ends a list at the margin with the key that follows.
            Style::BlockSequence => self.written(source.items.last()?)?.end,
            _ => source.value.end,
        };
        Some(start..end)
    }

    /// Puts a number, a truth value or the like in quotes.
    pub(super) fn quote(&self, rule: &Rule, source: &FieldSource) -> Option<Fix> {
        let edit = self.in_quotes(source)?;
        self.tried(rule, "quote the value", vec![edit], &Change::Quoted)
    }

    /// The same for all of these values at once.
    pub(super) fn quote_all(&self, rule: &Rule, sources: &[&FieldSource]) -> Option<Fix> {
        let edits = sources.iter().map(|source| self.in_quotes(source)).collect::<Option<_>>()?;
        self.tried(rule, "quote the values", edits, &Change::Quoted)
    }

    fn in_quotes(&self, source: &FieldSource) -> Option<TextEdit> {
        let text = source.text.as_deref().filter(|text| !text.is_empty())?;
        let plain = source.style == Style::Plain && !source.tagged;
        let range = self.written(source).filter(|_| plain)?;
        Some(TextEdit { range, replacement: quoted(text) })
    }

    /// Gives a scalar another text, in the quotes that it has.
    pub(super) fn set(&self, rule: &Rule, title: &str, field: &str, text: &str) -> Option<Fix> {
        let source = self.source(field)?;
        if source.tagged || source.value.is_empty() {
            return None;
        }
        let range = self.written(source)?;
        let change = Change::Set(field, Value::from(text));
        let as_it_is = match source.style {
            Style::Plain => Some(text.to_owned()),
            Style::Single => Some(format!("'{}'", text.replace('\'', "''"))),
            Style::Double => None,
            _ => return None,
        };
        as_it_is.into_iter().chain([quoted(text)]).find_map(|replacement| {
            let edit = TextEdit { range: range.clone(), replacement };
            self.tried(rule, title, vec![edit], &change)
        })
    }

    /// Writes a list of texts as one text with spaces between them.
    pub(super) fn join(&self, rule: &Rule, field: &str, items: &[&str]) -> Option<Fix> {
        let source = self.source(field)?;
        let value = self.written(source)?;
        let written = self.head.get(value.clone())?;
        // A comment inside would be lost, and an item with a blank would become two.
        if written.contains('#') || source.tagged || items.is_empty() {
            return None;
        }
        if items.iter().any(|item| item.is_empty() || has_loose_blank(item)) {
            return None;
        }
        let text = items.join(" ");
        let change = Change::Set(field, Value::from(text.as_str()));
        // From just behind the colon, for a list may start on a line of its own.
        let between = self.head.get(source.key.end..value.start)?;
        let colon = between.find(':')?;
        // Of a list at the margin, what is said to be its start is that of its first item.
        let is_list = source.style == Style::BlockSequence;
        match between[colon + 1..].trim() {
            "" => {}
            "-" if is_list => {}
            _ => return None,
        }
        let range = source.key.end + colon + 1..value.end;
        [text.clone(), quoted(&text)].into_iter().find_map(|text| {
            let edit = TextEdit { range: range.clone(), replacement: format!(" {text}") };
            self.tried(rule, "write the list as one text", vec![edit], &change)
        })
    }

    /// Spells a field's name as `known`.
    pub(super) fn rename(&self, rule: &Rule, field: &str, known: &str) -> Option<Fix> {
        let source = self.source(field)?;
        if self.read.fields().contains_key(known) {
            return None;
        }
        let edit = TextEdit { range: source.key.clone(), replacement: known.to_owned() };
        let title = format!("change it to `{known}`");
        self.tried(rule, &title, vec![edit], &Change::Renamed(field, known))
    }

    /// Adds a field with a text on a line before all others.
    pub(super) fn add(&self, rule: &Rule, field: &str, text: &str) -> Option<Fix> {
        let first = self.read.field_sources().first()?.key.start;
        let before = self.head.get(..first)?;
        let line_break = ["\r\n", "\n"].into_iter().find(|end| before.ends_with(end))?;
        let change = Change::Added(field, Value::from(text));
        [text.to_owned(), quoted(text)].into_iter().find_map(|text| {
            let replacement = format!("{field}: {text}{line_break}");
            let edit = TextEdit { range: first..first, replacement };
            self.tried(rule, &format!("add `{field}`"), vec![edit], &change)
        })
    }

    /// The edits as a fix, if with them the rule is broken less often, no other more often, and
    /// every value that is not meant to change stays.
    pub(super) fn tried(
        &self,
        rule: &Rule,
        title: &str,
        edits: Vec<TextEdit>,
        change: &Change<'_>,
    ) -> Option<Fix> {
        self.left.set(self.left.get().checked_sub(self.head.len())?);
        let before =
            self.broken.get_or_init(|| broken(self.folder_name, self.head.as_bytes(), self.read));
        let head = edited(self.head.as_bytes(), &edits).ok()?;
        let after = FrontMatter::read(&head);
        let left = broken(self.folder_name, &head, &after);
        let count = |counts: &BTreeMap<_, usize>, code| counts.get(code).copied().unwrap_or(0);
        // What is not about the front matter is not counted on either side.
        let better =
            !before.contains_key(rule.code) || count(&left, rule.code) < count(before, rule.code);
        let none_worse = left.iter().all(|(code, left)| *left <= count(before, code));
        (better && none_worse && after.body().is_empty() && self.kept(&after, change))
            .then(|| Fix::Edits { title: title.to_owned(), file: MAIN_FILE.to_owned(), edits })
    }

    /// The same for edits also below the front matter, of which those above it are tried.
    pub(super) fn tried_everywhere(
        &self,
        rule: &Rule,
        title: &str,
        edits: Vec<TextEdit>,
    ) -> Option<Fix> {
        let above =
            edits.iter().take_while(|edit| edit.range.end <= self.head.len()).cloned().collect();
        self.tried(rule, title, above, &Change::Nothing)?;
        Some(Fix::Edits { title: title.to_owned(), file: MAIN_FILE.to_owned(), edits })
    }

    fn kept(&self, after: &FrontMatter, change: &Change<'_>) -> bool {
        let before = self.read.fields();
        let mut left = after.fields().iter();
        let mut rest = before.iter();
        match change {
            Change::Nothing => before == after.fields(),
            Change::Quoted => {
                texts(self.read.field_sources()) == texts(after.field_sources())
                    && before.keys().eq(after.fields().keys())
            }
            Change::Set(field, value) => before
                .iter()
                .map(|(name, old)| (name, if name == field { value } else { old }))
                .eq(left),
            Change::Renamed(field, known) => rest
                .by_ref()
                .map(|(name, value)| (if name == field { *known } else { name.as_str() }, value))
                .eq(left.map(|(name, value)| (name.as_str(), value))),
            Change::Added(field, value) => {
                left.next().is_some_and(|(name, found)| name == field && found == value)
                    && rest.eq(left)
            }
        }
    }
}

/// Every name and text, however deep.
fn texts(sources: &[FieldSource]) -> Vec<(&str, Option<&str>)> {
    let mut found = Vec::new();
    let mut waiting: Vec<&FieldSource> = sources.iter().rev().collect();
    while let Some(source) = waiting.pop() {
        found.push((source.name.as_str(), source.text.as_deref()));
        waiting.extend(source.items.iter().rev());
    }
    found
}

/// Where the scalar in quotes that a text starts with ends.
fn quote_end(text: &str) -> Option<usize> {
    let quote = text.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    let mut chars = text.char_indices().skip(1).peekable();
    while let Some((at, c)) = chars.next() {
        match c {
            '\\' if quote == '"' => drop(chars.next()),
            c if c == quote => match chars.peek() {
                Some((_, next)) if quote == '\'' && *next == quote => drop(chars.next()),
                _ => return Some(at + 1),
            },
            _ => {}
        }
    }
    None
}

/// Where the brackets or braces that a text starts with end.
fn flow_end(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let starts_quote =
            matches!(c, '"' | '\'') && text[..at].trim_end().ends_with(['[', '{', ',', ':']);
        match c {
            '[' | '{' => depth += 1,
            ']' | '}' => depth = depth.checked_sub(1)?,
            '#' if text[..at].ends_with([' ', '\t', '\n', '\r']) => return None,
            _ if starts_quote => {
                at += quote_end(&text[at..])?;
                continue;
            }
            _ => {}
        }
        at += c.len_utf8();
        if depth == 0 {
            return Some(at);
        }
    }
    None
}

/// Whether there is a blank that is not in parentheses, as in `Bash(git add:*)`.
pub(super) fn has_loose_blank(item: &str) -> bool {
    let mut depth = 0_usize;
    item.chars().any(|c| {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0 && c.is_whitespace()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_ends_with_its_quotes_or_brackets() {
        assert_eq!(quote_end("\"a\\\"b\" # \"c\""), Some(6));
        assert_eq!(quote_end("'a''b' # 'c'"), Some(6));
        assert_eq!(quote_end("'a"), None);
        assert_eq!(flow_end("[a, ']', {b: \"}\"}] # ]"), Some(18));
        assert_eq!(flow_end("[a, # ]\n b]"), None);
        assert_eq!(flow_end("[it's]"), Some(6));
    }
}
