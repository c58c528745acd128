//! Leaving fields out of a front matter without touching another byte.

use std::collections::HashSet;
use std::ops::Range;

use unicode_normalization::UnicodeNormalization;

use super::block::{self, Block};
use super::resolve;
use super::tree::{self, Kind, Node};
use crate::inspect::is_hidden;
use crate::lines::{lines, lines_at};
use crate::pattern::{Pattern, compile};

/// Breaks that some readers of YAML end a line at, and ours does not; and the byte order mark,
/// which some drop where the front matter starts.
const READ_OTHERWISE: [char; 4] = ['\u{85}', '\u{2028}', '\u{2029}', '\u{feff}'];

/// A `SKILL.md` without some fields.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Without {
    /// The file; unchanged when nothing was removed.
    pub bytes: Vec<u8>,
    /// The names of the removed fields as they were spelt.
    pub removed: Vec<String>,
}

/// Why fields cannot be left out.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("cannot leave out {fields}: {reason}")]
pub struct CannotLeaveOut {
    /// The fields that were to go.
    pub fields: String,
    /// Why not.
    pub reason: String,
}

/// True when both names ask for the same to some reader: compared without case, composition,
/// characters that do not show, and what stands between words, so that `allowed_tools` and
/// `allowedTools` are `allowed-tools`.
pub fn same_field(a: &str, b: &str) -> bool {
    let folded = |name: &str| -> String {
        name.nfkc()
            .flat_map(char::to_lowercase)
            .filter(|c| !is_between_words(*c) && !is_hidden(*c))
            .collect()
    };
    folded(a) == folded(b)
}

/// Leaves top-level fields out and keeps every other byte. Fields are matched by [`same_field`].
///
/// A removed field takes along its value and the comments inside of it; comments and empty lines
/// below it stay. The result was parsed again: the fields are gone and all others are as before.
///
/// # Errors
/// When that cannot be done, or not be proven to have been done, or when another reader could
/// still find one of the fields.
pub fn without(skill_md: &[u8], fields: &[&str]) -> Result<Without, CannotLeaveOut> {
    let cannot = |reason: String| CannotLeaveOut { fields: fields.join(", "), reason };
    let unchanged = || Without { bytes: skill_md.to_vec(), removed: Vec::new() };
    let unless_mentioned = |text: &str, reason: &str| match mentions(text, fields) {
        true => Err(cannot(reason.to_owned())),
        false => Ok(unchanged()),
    };
    let Ok(text) = std::str::from_utf8(skill_md) else {
        // Readers that drop the bytes that are not UTF-8 see what is left; so do those of UTF-16.
        let left = String::from_utf8_lossy(skill_md).replace(['\u{fffd}', '\0'], "");
        return unless_mentioned(front(&left), "the file is not UTF-8");
    };
    if text.contains('\0') && mentions(front(&text.replace('\0', "")), fields) {
        return Err(cannot("the file has NUL characters, as in UTF-16".to_owned()));
    }
    let Ok(block) = block::find_lenient(text) else {
        return unless_mentioned(
            front(text),
            "the front matter is not delimited by two lines `---`",
        );
    };
    let ends = block::other_ends(text).into_iter().max().unwrap_or_default();
    if ends > block.yaml.end && mentions(&text[block.yaml.end..ends], fields) {
        return Err(cannot("readers differ in where the front matter ends".to_owned()));
    }
    let yaml = &text[block.yaml.clone()];
    if yaml.strip_prefix('\u{feff}').unwrap_or(yaml).contains('\u{feff}') {
        let reason = "the front matter has a byte order mark in it, which readers take differently";
        return unless_mentioned(yaml, reason);
    }
    let pairs = match tree::parse(yaml) {
        Ok(Some(root)) if root.has_alias() => {
            let reason =
                "the front matter has aliases or merge keys, which readers expand differently";
            // An alias may stand for a key, so the name may be a value elsewhere.
            return if root.any_text(&|text| fields.iter().any(|field| same_field(text, field))) {
                Err(cannot(reason.to_owned()))
            } else {
                unless_mentioned(yaml, reason)
            };
        }
        Ok(Some(Node { kind: Kind::Mapping { pairs, flow }, .. })) => {
            let named = |key: &Node| {
                key.any_text(&|text| fields.iter().any(|field| same_field(text, field)))
            };
            if flow && pairs.iter().any(|(key, _)| named(key)) {
                return Err(cannot("the front matter is written in braces".to_owned()));
            }
            // Some readers make a text of a list.
            if pairs.iter().any(|(key, _)| key.text().is_none() && named(key)) {
                return Err(cannot("a key of the front matter is not a text".to_owned()));
            }
            pairs
        }
        Ok(None) => Vec::new(),
        Ok(Some(_)) => return unless_mentioned(yaml, "the front matter does not hold fields"),
        Err(error) => {
            return unless_mentioned(
                yaml,
                &format!("the front matter is not YAML: {}", error.message),
            );
        }
    };
    let leaving: Vec<usize> =
        (0..pairs.len()).filter(|at| is_one_of(&pairs[*at].0, fields)).collect();
    let stray = "a line inside of another value reads as the field to some readers";
    if stray_lines(yaml, &pairs, &leaving)
        .iter()
        .any(|line| fields.iter().any(|field| same_field(line, field)))
    {
        return Err(cannot(stray.to_owned()));
    }
    if leaving.is_empty() {
        return if is_read_otherwise(yaml) && mentions(yaml, fields) {
            Err(cannot(stray.to_owned()))
        } else {
            Ok(unchanged())
        };
    }
    let mut removed: Vec<String> = Vec::new();
    for name in leaving.iter().filter_map(|at| pairs[*at].0.text()) {
        if !removed.iter().any(|known| known == name) {
            removed.push(name.to_owned());
        }
    }
    // With a block scalar before it, what stays behind could become part of that: then all goes.
    for keep_tail in [true, false] {
        let edited = cut(text, &block, &pairs, &leaving, keep_tail);
        if leaves_the_rest(text, &block, &pairs, &leaving, &edited) {
            // Without its last field a front matter may end elsewhere, or read otherwise.
            return match without(edited.as_bytes(), fields)? {
                again if again.removed.is_empty() => {
                    Ok(Without { bytes: edited.into_bytes(), removed })
                }
                _ => Err(cannot(stray.to_owned())),
            };
        }
    }
    Err(cannot("the other fields would not stay as they are".to_owned()))
}

/// Whether it has characters that other readers take for line breaks, drop, or stop at, or marks
/// the end of a document.
fn is_read_otherwise(yaml: &str) -> bool {
    lines(yaml).any(|line| line.starts_with("..."))
        || yaml.contains(|c: char| {
            READ_OTHERWISE.contains(&c) || (c.is_control() && !matches!(c, '\n' | '\r'))
        })
}

fn is_one_of(key: &Node, fields: &[&str]) -> bool {
    key.text().is_some_and(|name| fields.iter().any(|field| same_field(name, field)))
}

/// The text if readers could take its start for a front matter, else nothing.
fn front(text: &str) -> &str {
    let start = text.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
    if start.starts_with("---") { start } else { "" }
}

/// Whether a text that is no tree seems to set one of the fields.
fn mentions(text: &str, fields: &[&str]) -> bool {
    if text.is_empty() {
        return false;
    }
    let folded: String = text
        .nfkc()
        .map(|c| if READ_OTHERWISE[..3].contains(&c) { '\n' } else { c })
        .filter(|c| !is_hidden(*c))
        .flat_map(char::to_lowercase)
        .collect();
    // A quoted key with an escape could be any name, and so could a key of several lines.
    static ANY_KEY: Pattern =
        Pattern::new(|| compile(r#"(?m)"[^"\n]*\\[^"\n]*"\s*:|^[ \t]*\?(?:\s|$)"#));
    static ANCHOR: Pattern = Pattern::new(|| compile(r"(?m)(?:^|[\s\[{,:])&[^\s&]"));
    static ALIAS: Pattern = Pattern::new(|| compile(r"(?m)(?:^|[\s\[{,?])\*[^\s*]"));
    if ANY_KEY.is_match(&folded) {
        return true;
    }
    // With an anchor and an alias, the name and its colon may be far from each other.
    let aliases = ANCHOR.is_match(&folded) && ALIAS.is_match(&folded);
    let sets = |after: &str| {
        if aliases {
            return !after.starts_with(char::is_alphanumeric);
        }
        let after = after.trim_start_matches(|c: char| c.is_whitespace() || "\"'".contains(c));
        after.strip_prefix(']').unwrap_or(after).trim_start().starts_with(':')
    };
    fields.iter().any(|field| {
        let name: Vec<char> = field.chars().filter(|c| !is_between_words(*c)).collect();
        let mut before = None;
        folded.char_indices().any(|(at, c)| {
            let starts = before.replace(c).is_none_or(|before: char| !before.is_alphanumeric());
            starts && after_name(&folded[at..], &name).is_some_and(sets)
        })
    })
}

fn is_between_words(c: char) -> bool {
    c.is_whitespace() || matches!(c, '-' | '_')
}

/// What follows a name that a text starts with, whatever stands between its words.
fn after_name<'a>(text: &'a str, name: &[char]) -> Option<&'a str> {
    let mut chars = text.chars();
    for (at, wanted) in name.iter().enumerate() {
        let next = match at {
            0 => chars.next(),
            _ => chars.find(|c| !is_between_words(*c)),
        };
        if next != Some(*wanted) {
            return None;
        }
    }
    Some(chars.as_str())
}

/// What could be keys to some reader: starts of lines no further in than the first key, but for
/// the leaving keys.
fn stray_lines<'a>(yaml: &'a str, pairs: &[(Node, Node)], leaving: &[usize]) -> Vec<&'a str> {
    let known: HashSet<usize> =
        leaving.iter().map(|at| line_start(yaml, pairs[*at].0.range.start)).collect();
    let margin = pairs
        .first()
        .map_or(0, |(key, _)| key.range.start.saturating_sub(line_start(yaml, key.range.start)));
    let mut stray = Vec::new();
    for (start, line) in lines_at(yaml) {
        let text = line.trim_start_matches([' ', '\t']);
        if line.len() - text.len() <= margin && !text.starts_with('#') && !known.contains(&start) {
            // Only a key in first place counts, not one further along the line.
            let key = text.split(':').next().unwrap_or_default();
            stray.push(key.trim_matches(['"', '\'', '?', ' ', '\t']));
        }
    }
    stray
}

fn line_start(text: &str, at: usize) -> usize {
    text[..at].rfind(['\n', '\r']).map_or(0, |before| before + 1)
}

/// The text without the lines of the leaving fields.
fn cut(
    text: &str,
    block: &Block,
    pairs: &[(Node, Node)],
    leaving: &[usize],
    keep_tail: bool,
) -> String {
    let yaml = &text[block.yaml.clone()];
    let mut edited = text[..block.yaml.start].to_owned();
    let mut kept_from = 0;
    for at in leaving {
        let start = line_start(yaml, pairs[*at].0.range.start).max(kept_from);
        let next =
            pairs.get(at + 1).map_or(yaml.len(), |(key, _)| line_start(yaml, key.range.start));
        let end =
            if keep_tail { without_tail(yaml, start..next.max(start)) } else { next.max(start) };
        edited.push_str(&yaml[kept_from..start]);
        kept_from = end;
    }
    edited.push_str(&yaml[kept_from..]);
    edited.push_str(&text[block.yaml.end..]);
    edited
}

/// Where the empty lines and the comments at the margin start that end these lines.
fn without_tail(yaml: &str, field: Range<usize>) -> usize {
    let mut at = field.start;
    let mut end = field.start;
    for line in lines(&yaml[field]) {
        at += line.len();
        if !line.trim().is_empty() && !line.starts_with('#') {
            end = at;
        }
    }
    end
}

/// Parses what the cut left and compares it with what should be left.
fn leaves_the_rest(
    text: &str,
    block: &Block,
    pairs: &[(Node, Node)],
    leaving: &[usize],
    edited: &str,
) -> bool {
    let Ok(after) = block::find_lenient(edited) else { return false };
    if text[block.body.clone()] != edited[after.body.clone()] {
        return false;
    }
    let left = match tree::parse(&edited[after.yaml]) {
        Ok(Some(Node { kind: Kind::Mapping { pairs, .. }, .. })) => pairs,
        Ok(None) => Vec::new(),
        _ => return false,
    };
    let mut expected =
        pairs.iter().enumerate().filter(|(at, _)| !leaving.contains(at)).map(|(_, pair)| pair);
    let equal = left.iter().all(|(key, value)| {
        expected.next().is_some_and(|(key_before, value_before)| {
            key.same(key_before) && value.same(value_before)
        })
    });
    equal && expected.next().is_none()
}

impl Node {
    /// The text of a scalar.
    fn text(&self) -> Option<&str> {
        match &self.kind {
            Kind::Scalar { text, .. } => Some(text),
            _ => None,
        }
    }

    /// Equal but for the position.
    fn same(&self, other: &Self) -> bool {
        self.tag == other.tag
            && match (&self.kind, &other.kind) {
                (Kind::Sequence(a), Kind::Sequence(b)) => {
                    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.same(b))
                }
                (Kind::Mapping { pairs: a, .. }, Kind::Mapping { pairs: b, .. }) => {
                    a.len() == b.len()
                        && a.iter().zip(b).all(|(a, b)| a.0.same(&b.0) && a.1.same(&b.1))
                }
                (a, b) => a == b,
            }
    }

    fn has_alias(&self) -> bool {
        match &self.kind {
            Kind::Alias(_) => true,
            Kind::Scalar { .. } => false,
            Kind::Sequence(items) => items.iter().any(Self::has_alias),
            Kind::Mapping { pairs, .. } => pairs.iter().any(|(key, value)| {
                // Some readers merge for a quoted key too.
                let merges = resolve::is_merge(key) || key.text() == Some("<<");
                merges || key.has_alias() || value.has_alias()
            }),
        }
    }

    /// Whether any text in it, however deep, is one that `wanted` accepts.
    fn any_text(&self, wanted: &impl Fn(&str) -> bool) -> bool {
        match &self.kind {
            Kind::Alias(_) => false,
            Kind::Scalar { text, .. } => wanted(text),
            Kind::Sequence(items) => items.iter().any(|item| item.any_text(wanted)),
            Kind::Mapping { pairs, .. } => {
                pairs.iter().any(|(key, value)| key.any_text(wanted) || value.any_text(wanted))
            }
        }
    }
}

#[cfg(test)]
mod tests;
