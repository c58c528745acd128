//! Leaving fields out of a front matter without touching another byte.

use std::ops::Range;

use regex::Regex;
use unicode_normalization::UnicodeNormalization;

use super::block::{self, Block};
use super::resolve;
use super::tree::{self, Kind, Node};
use crate::lines::{lines, lines_at};

/// Breaks that some readers of YAML end a line at, and ours does not.
const OTHER_BREAKS: [char; 3] = ['\u{85}', '\u{2028}', '\u{2029}'];

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

/// True when both names ask for the same to some reader: compared without case, composition, and
/// what stands between words, so that `allowed_tools` and `allowedTools` are `allowed-tools`.
pub fn same_field(a: &str, b: &str) -> bool {
    let folded = |name: &str| -> String {
        name.nfkc()
            .flat_map(char::to_lowercase)
            .filter(|c| !c.is_whitespace() && !matches!(c, '-' | '_'))
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
        // Readers that drop the bytes that are not UTF-8 see what is left.
        let left = String::from_utf8_lossy(skill_md).replace('\u{fffd}', "");
        return unless_mentioned(front(&left), "the file is not UTF-8");
    };
    let Ok(block) = block::find_lenient(text) else {
        return unless_mentioned(
            front(text),
            "the front matter is not delimited by two lines `---`",
        );
    };
    if let Ok(strict) = block::find_strict(text)
        && strict.yaml.end > block.yaml.end
        && mentions(&text[block.yaml.end..strict.yaml.end], fields)
    {
        return Err(cannot("readers differ in where the front matter ends".to_owned()));
    }
    let yaml = &text[block.yaml.clone()];
    let pairs = match tree::parse(yaml) {
        Ok(Some(root)) if root.has_alias() => {
            let reason =
                "the front matter has aliases or merge keys, which readers expand differently";
            return if root.any_key(&mut |key| fields.iter().any(|field| same_field(key, field))) {
                Err(cannot(reason.to_owned()))
            } else {
                unless_mentioned(yaml, reason)
            };
        }
        Ok(Some(Node { kind: Kind::Mapping { pairs, flow }, .. })) => {
            if flow && pairs.iter().any(|(key, _)| is_one_of(key, fields)) {
                return Err(cannot("the front matter is written in braces".to_owned()));
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
    for line in stray_lines(yaml, &pairs, &leaving) {
        if fields.iter().any(|field| same_field(line, field)) {
            return Err(cannot(
                "a line inside of another value reads as the field to some readers".to_owned(),
            ));
        }
    }
    if leaving.is_empty() {
        return Ok(unchanged());
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
            return Ok(Without { bytes: edited.into_bytes(), removed });
        }
    }
    Err(cannot("the other fields would not stay as they are".to_owned()))
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
    let folded: String = text.nfkc().collect();
    // A quoted key with an escape could be any name.
    let escaped = r#""[^"\n]*\\[^"\n]*"\s*:"#.to_owned();
    let patterns = fields.iter().map(|field| {
        let words: Vec<String> = field.split(['-', '_', ' ']).map(regex::escape).collect();
        let name = words.join(r"[-_\s]*");
        format!(r#"(?i)(?:^|[^\p{{L}}\p{{N}}])(?:{name}["'\s]*:|\?\s*["']?{name})"#)
    });
    patterns
        .chain([escaped])
        .any(|pattern| Regex::new(&pattern).map_or(true, |pattern| pattern.is_match(&folded)))
}

/// What could be keys to some reader: starts of lines at the margin, but for the leaving keys.
fn stray_lines<'a>(yaml: &'a str, pairs: &[(Node, Node)], leaving: &[usize]) -> Vec<&'a str> {
    let known: Vec<usize> =
        leaving.iter().map(|at| line_start(yaml, pairs[*at].0.range.start)).collect();
    let mut stray = Vec::new();
    for (start, line) in lines_at(yaml) {
        for (number, part) in line.split(OTHER_BREAKS).enumerate() {
            let at_margin = !part.starts_with([' ', '\t', '#']);
            if at_margin && (number > 0 || !known.contains(&start)) {
                // Only a key in first place counts, not one further along the line.
                let key = part.split(':').next().unwrap_or_default();
                stray.push(key.trim_matches(['"', '\'', '?', ' ', '\t']));
            }
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
            Kind::Alias => true,
            Kind::Scalar { .. } => false,
            Kind::Sequence(items) => items.iter().any(Self::has_alias),
            Kind::Mapping { pairs, .. } => pairs
                .iter()
                .any(|(key, value)| resolve::is_merge(key) || key.has_alias() || value.has_alias()),
        }
    }

    /// Whether any key, however deep, is one that `wanted` accepts.
    fn any_key(&self, wanted: &mut impl FnMut(&str) -> bool) -> bool {
        match &self.kind {
            Kind::Alias | Kind::Scalar { .. } => false,
            Kind::Sequence(items) => items.iter().any(|item| item.any_key(wanted)),
            Kind::Mapping { pairs, .. } => pairs.iter().any(|(key, value)| {
                key.text().is_some_and(&mut *wanted) || key.any_key(wanted) || value.any_key(wanted)
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::REQUEST_FIELDS;
    use super::*;

    fn left(text: &str) -> String {
        String::from_utf8(without(text.as_bytes(), REQUEST_FIELDS).unwrap().bytes).unwrap()
    }

    fn refused(text: &str) -> String {
        without(text.as_bytes(), REQUEST_FIELDS).unwrap_err().reason
    }

    #[test]
    fn a_file_without_the_fields_stays_as_it_is() {
        for text in [
            "---\nname: a\n---\nbody\n",
            "no front matter, hooks: none\n",
            "---\nname: a\nmetadata:\n  hooks: x\n---\nhooks: y\n",
            "---\nname: a\ndescription: \"talks of hooks: and such\"\n---\n",
            "",
        ] {
            let kept = without(text.as_bytes(), REQUEST_FIELDS);
            assert_eq!(kept, Ok(Without { bytes: text.into(), removed: vec![] }), "{text:?}");
        }
    }

    #[test]
    fn only_the_lines_of_the_field_go() {
        let text = "\u{feff}---\r\n# top\r\nname: a\r\nallowed-tools: Bash Read # all\r\n\r\n# below\r\ndescription: b\r\n---\r\nbody\r\n";
        assert_eq!(
            left(text),
            "\u{feff}---\r\n# top\r\nname: a\r\n\r\n# below\r\ndescription: b\r\n---\r\nbody\r\n"
        );
    }

    #[test]
    fn block_values_go_with_their_comments() {
        let text = "---\nhooks:\n  PreToolUse:\n    # first\n    - command: rm\n  # nested\n\n# next\nname: a\nallowed-tools:\n- Bash\n- Read\n---\n";
        assert_eq!(left(text), "---\n\n# next\nname: a\n---\n");
        assert_eq!(
            left("---\nname: a\nallowed-tools: |\n  Bash\n\n  Read\n---\n"),
            "---\nname: a\n---\n"
        );
        assert_eq!(
            left("---\nallowed-tools: [Bash,\n  Read]\nname: a\n---\n"),
            "---\nname: a\n---\n"
        );
        assert_eq!(left("---\nallowed-tools: Bash\n  Read\nname: a\n---\n"), "---\nname: a\n---\n");
    }

    #[test]
    fn every_spelling_of_the_field_goes() {
        let text = "---\n\"allowed-tools\": a\nAllowed_Tools: b\nallowedTools: c\n'hooks' : d\nＨＯＯＫＳ: e\n? hooks\n: f\n\"h\\u006foks\": g\nname: a\n---\n";
        let kept = without(text.as_bytes(), REQUEST_FIELDS).unwrap();
        assert_eq!(kept.bytes, b"---\nname: a\n---\n");
        assert_eq!(
            kept.removed,
            ["allowed-tools", "Allowed_Tools", "allowedTools", "hooks", "ＨＯＯＫＳ"]
        );
    }

    #[test]
    fn a_front_matter_of_nothing_else_becomes_empty() {
        assert_eq!(left("---\nhooks: x\n---\nbody"), "---\n---\nbody");
    }

    #[test]
    fn a_kept_block_scalar_before_it_does_not_grow() {
        let text = "---\ndescription: |+\n  a\nhooks: x\n\nname: a\n---\n";
        assert_eq!(left(text), "---\ndescription: |+\n  a\nname: a\n---\n");
    }

    #[test]
    fn what_cannot_be_cut_with_certainty_is_refused() {
        assert_eq!(
            refused("---\n{name: a, hooks: x}\n---\n"),
            "the front matter is written in braces"
        );
        assert!(refused("---\nname: &a x\nhooks: *a\n---\n").contains("aliases"));
        assert!(refused("---\nbase: &a\n  hooks: x\n<<: *a\n---\n").contains("aliases"));
        assert!(refused("---\nbase: &a {\"h\\u006foks\": x}\n<<: *a\n---\n").contains("aliases"));
        assert!(refused("---\ndescription: a: b\nallowed-tools: Bash\n---\n").contains("not YAML"));
        assert!(refused("---\ndescription: a: b\n\"h\\x6foks\": Bash\n---\n").contains("not YAML"));
        assert!(refused("---\n- hooks: x\n---\n").contains("does not hold fields"));
    }

    #[test]
    fn what_only_other_readers_take_for_the_field_is_refused() {
        assert!(refused("---\nname: a\n--- \nallowed-tools: Bash\n---\n").contains("ends"));
        assert!(refused("\n---\nallowed-tools: Bash\n---\n").contains("delimited"));
        assert!(refused("---\nallowed-tools: Bash\n").contains("delimited"));
        assert!(refused("---\ndescription: \"a\u{2028}hooks: x\"\n---\n").contains("some readers"));
        let bytes = b"---\nname: a\nho\xffoks: x\n---\n";
        assert!(without(bytes, REQUEST_FIELDS).unwrap_err().reason.contains("UTF-8"));
    }

    proptest! {
        #[test]
        fn it_never_panics(text in "(---\n)?[-a-z:#\\[\\]{}&*!|>'\"%@`?, \n\r\té\u{2028}]{0,60}(\n---\n)?[a-z]{0,4}") {
            let _ = without(text.as_bytes(), REQUEST_FIELDS);
        }

        #[test]
        fn all_other_bytes_stay(
            before in prop::collection::vec("(n[a-z]{0,5}: [a-z]{1,8}( #c)?|# [a-z]{0,5}|)", 0..5),
            field in "(allowed-tools: Bash|hooks:\n  a:\n  - b|allowed_tools: \\[a, b\\])",
            after in prop::collection::vec("(m[a-z]{0,5}: \"[a-z]{1,8}\"|# [a-z]{0,5}|)", 0..5),
            crlf in any::<bool>(),
        ) {
            let join = |parts: &[String]| parts.iter().map(|part| format!("{part}\n")).collect::<String>();
            let breaks = |text: String| if crlf { text.replace('\n', "\r\n") } else { text };
            let (before, after) = (join(&before), join(&after));
            let text = breaks(format!("---\n{before}{field}\n{after}---\nbody\n"));
            let expected = breaks(format!("---\n{before}{after}---\nbody\n"));
            prop_assert_eq!(left(&text), expected);
        }
    }
}
