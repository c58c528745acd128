//! What PyYAML and most other readers take and the parser here does not: the text is mended before
//! it is parsed, and places are counted back to what was written.

use std::borrow::Cow;
use std::collections::HashSet;

use saphyr_parser::ScanError;

/// How often one text is mended before it is held to be broken; keeps reading linear.
const MAX_MENDINGS: usize = 32;

/// Blanks that bring any line in far enough; who indents further is not helped.
const INDENT: usize = 80;

/// A text that the parser takes, and how its places stand in the written one.
pub(crate) struct Mended<'a> {
    text: Cow<'a, str>,
    /// Where the mended text has more or fewer bytes, in order of places.
    changes: Vec<Change>,
    /// Stands for a byte order mark inside of the text.
    stand_in: Option<char>,
    mendings: usize,
}

/// In the mended text, `added` bytes from `at` on stand for `removed` bytes of the written one.
#[derive(Clone, Copy)]
struct Change {
    at: usize,
    /// Where that is in the written text.
    written: usize,
    added: usize,
    removed: usize,
}

impl<'a> Mended<'a> {
    /// The text as it is, but for byte order marks after its start: PyYAML takes them for letters.
    pub(crate) fn new(yaml: &'a str) -> Self {
        let mut mended =
            Self { text: Cow::Borrowed(yaml), changes: Vec::new(), stand_in: None, mendings: 0 };
        let inside = yaml.strip_prefix('\u{feff}').unwrap_or(yaml);
        if inside.contains('\u{feff}') {
            // As long in bytes, and not a letter that the text has.
            mended.stand_in = ('\u{e000}'..='\u{f8ff}').find(|c| !yaml.contains(*c));
            if let Some(c) = mended.stand_in {
                let start = yaml.len() - inside.len();
                let inside = inside.replace('\u{feff}', c.encode_utf8(&mut [0; 4]));
                mended.text = Cow::Owned(format!("{}{inside}", &yaml[..start]));
            }
        }
        mended
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// A text of the mended tree as it was written.
    pub(crate) fn restored(&self, text: &str) -> String {
        match self.stand_in {
            Some(c) => text.replace(c, "\u{feff}"),
            None => text.to_owned(),
        }
    }

    /// A place in the mended text as one in the written text.
    pub(crate) fn place(&self, at: usize) -> usize {
        let before = self.changes.partition_point(|change| change.at < at);
        let Some(change) = before.checked_sub(1).map(|last| self.changes[last]) else { return at };
        let inside = at - change.at;
        if inside < change.added {
            change.written + inside.min(change.removed)
        } else {
            change.written + change.removed + inside - change.added
        }
    }

    /// Mends what the parser stopped at, `at` in bytes of the mended text; false when it cannot.
    pub(crate) fn mend(&mut self, error: &ScanError, at: usize) -> bool {
        if self.mendings == MAX_MENDINGS {
            return false;
        }
        self.mendings += 1;
        match error.info() {
            "invalid indentation in quoted scalar" => self.indent_quoted(at),
            "while parsing a quoted scalar, found invalid Unicode character escape code" => {
                self.mend_escapes(at)
            }
            "tab cannot be used as indentation" => {
                let start = self.text[..at].rfind(['\n', '\r']).map_or(0, |before| before + 1);
                self.indent(start)
            }
            "invalid indentation in flow construct" | "invalid indentation" => self.indent(at),
            "':' may not precede any of `[{` in flow mapping" => {
                let after = at + self.text[at..].find(['[', '{']).unwrap_or(0);
                let colon = self.text[..after].ends_with(':');
                if colon {
                    self.replace([(after, 0, " ".to_owned())]);
                }
                colon
            }
            "comments must be separated from other tokens by whitespace" => {
                let header = |c: char| c.is_ascii_digit() || matches!(c, '-' | '+');
                // Not after the mark of a block: PyYAML wants the blank there too.
                let comment = self.text[at..].starts_with('#')
                    && !self.text[..at].trim_end_matches(header).ends_with(['|', '>']);
                if comment {
                    self.replace([(at, 0, " ".to_owned())]);
                }
                comment
            }
            _ => false,
        }
    }

    fn indent(&mut self, at: usize) -> bool {
        // Where this did not help it does not help twice.
        let done = self.changes.iter().any(|change| change.at + change.added == at);
        if !done {
            self.replace([(at, 0, " ".repeat(INDENT))]);
        }
        !done
    }

    /// The lines of the quoted scalar that starts here.
    fn indent_quoted(&mut self, at: usize) -> bool {
        let Some(end) = end_of_quoted(&self.text, at) else { return false };
        let starts: Vec<usize> = self.text[at..end]
            .match_indices(['\n', '\r'])
            .map(|(found, _)| at + found + 1)
            .filter(|start| {
                let line = &self.text[*start..];
                let marks = line.strip_prefix("---").or_else(|| line.strip_prefix("..."));
                !line.starts_with(['\n', '\r'])
                    && marks.is_none_or(|after| !after.starts_with(char::is_whitespace))
            })
            .collect();
        let done: HashSet<usize> =
            self.changes.iter().flat_map(|change| [change.at, change.at + change.added]).collect();
        let starts: Vec<usize> = starts.into_iter().filter(|start| !done.contains(start)).collect();
        self.replace(starts.iter().map(|start| (*start, 0, " ".repeat(INDENT))));
        !starts.is_empty()
    }

    /// Surrogates by escape: a pair is one character, and what is left alone cannot be held.
    fn mend_escapes(&mut self, at: usize) -> bool {
        let Some(end) = end_of_quoted(&self.text, at) else { return false };
        let found = surrogates(&self.text[at..end]);
        self.replace(found.iter().map(|surrogate| {
            let written = match surrogate.pair {
                Some(c) => format!("\\U{:08x}", u32::from(c)),
                None if surrogate.len == 6 => "\\ufffd".to_owned(),
                None => "\\U0000fffd".to_owned(),
            };
            (at + surrogate.at, surrogate.len, written)
        }));
        !found.is_empty()
    }

    /// Puts texts in the place of so many bytes from a place on; in order of places. One pass,
    /// however many there are.
    fn replace(&mut self, edits: impl IntoIterator<Item = (usize, usize, String)>) {
        let mut text = String::with_capacity(self.text.len() * 2);
        let mut changes = Vec::new();
        let mut known = self.changes.iter().copied().peekable();
        let mut from = 0;
        for (at, removed, added) in edits {
            while let Some(change) = known.next_if(|change| change.at < at) {
                changes
                    .push(Change { at: (text.len() + change.at).saturating_sub(from), ..change });
            }
            text.push_str(&self.text[from..at]);
            changes.push(Change { at: text.len(), written: 0, added: added.len(), removed });
            text.push_str(&added);
            from = at + removed;
        }
        changes.extend(
            known.map(|change| Change {
                at: (text.len() + change.at).saturating_sub(from),
                ..change
            }),
        );
        text.push_str(&self.text[from..]);
        let (mut longer, mut shorter) = (0, 0);
        for change in &mut changes {
            change.written = (change.at + shorter).saturating_sub(longer);
            longer += change.added;
            shorter += change.removed;
        }
        self.text = Cow::Owned(text);
        self.changes = changes;
    }
}

/// Where the quoted scalar that starts here ends, behind its last quote.
pub(crate) fn end_of_quoted(text: &str, at: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let quote = *bytes.get(at)?;
    let mut place = at + 1;
    loop {
        match (*bytes.get(place)?, quote) {
            (b'\\', b'"') => place += 2,
            (b'\'', b'\'') if bytes.get(place + 1) == Some(&b'\'') => place += 2,
            (byte, quote) if byte == quote => return Some(place + 1),
            _ => place += 1,
        }
    }
}

/// A surrogate, or a pair of them, by escape in a double-quoted scalar.
pub(crate) struct Surrogate {
    /// In bytes of the scalar's source.
    pub(crate) at: usize,
    pub(crate) len: usize,
    /// The character of a pair.
    pub(crate) pair: Option<char>,
}

/// The surrogates by escape in the source of a double-quoted scalar.
pub(crate) fn surrogates(source: &str) -> Vec<Surrogate> {
    let mut found: Vec<Surrogate> = Vec::new();
    let mut high: Option<(usize, u32)> = None;
    let mut at = 0;
    while let Some(next) = source[at..].find('\\').map(|next| at + next) {
        let digits = match source.as_bytes().get(next + 1) {
            Some(b'u') => 4,
            Some(b'U') => 8,
            _ => 0,
        };
        let len = 2 + digits;
        let code = source
            .get(next + 2..next + len)
            .filter(|_| digits > 0)
            .and_then(|digits| u32::from_str_radix(digits, 16).ok());
        match (code, high.take()) {
            (Some(low @ 0xdc00..=0xdfff), Some((start, first)))
                if start + 6 == next && digits == 4 =>
            {
                found.pop();
                let code = 0x1_0000 + ((first - 0xd800) << 10) + (low - 0xdc00);
                found.push(Surrogate { at: start, len: 12, pair: char::from_u32(code) });
            }
            (Some(code @ 0xd800..=0xdfff), _) => {
                high = (digits == 4 && code < 0xdc00).then_some((next, code));
                found.push(Surrogate { at: next, len, pair: None });
            }
            _ => {}
        }
        at = next + if code.is_some() { len } else { 2 };
        // A character after the backslash may be of several bytes.
        while at < source.len() && !source.is_char_boundary(at) {
            at += 1;
        }
        if at >= source.len() {
            break;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Map, Value, json};

    use super::super::FrontMatter;

    fn strict(yaml: &str) -> Option<Value> {
        FrontMatter::strict(format!("---\n{yaml}\n---\n").as_bytes()).ok().map(Value::Object)
    }

    #[test]
    fn a_byte_order_mark_inside_is_a_letter() {
        let expected = json!({"a": "x\u{feff}y", "b": "\u{feff}"});
        assert_eq!(strict("a: x\u{feff}y\nb: \"\u{feff}\""), Some(expected));
    }

    #[test]
    fn quoted_lines_may_start_at_the_margin() {
        assert_eq!(strict("a: \"x\ny\"\nb: 'z\n\n\tw'"), Some(json!({"a": "x y", "b": "z\nw"})));
        assert_eq!(strict("m:\n  a: 'x\n y'\n  b: c"), Some(json!({"m": {"a": "x y", "b": "c"}})));
        assert_eq!(strict("a: \"x\n--- y\"\n"), None);
    }

    #[test]
    fn a_line_is_mended_once_for_a_tab_and_once_for_its_margin() {
        for yaml in ["a: \"x\n\ty\nz\"", "m:\n  a: 'x\n\ty\nz\n\tw'\n  b: [c,\n\"d\ne\"]"] {
            assert!(strict(yaml).is_some(), "{yaml:?}");
        }
    }

    #[test]
    fn lines_in_brackets_may_start_at_the_margin() {
        assert_eq!(
            strict("a: [x,\ny\n]\nb: {\nc: d}"),
            Some(json!({"a": ["x", "y"], "b": {"c": "d"}}))
        );
        assert_eq!(
            strict("m:\n    a: [x,\n  y\n]\n    b: c"),
            Some(json!({"m": {"a": ["x", "y"], "b": "c"}}))
        );
    }

    #[test]
    fn brackets_may_follow_a_colon_at_once() {
        assert_eq!(
            strict("a: {b:{}, 'c':[d], e :{f:[]}}\ng: [h :{}]"),
            Some(json!({"a": {"b": {}, "c": ["d"], "e": {"f": []}}, "g": [{"h": {}}]}))
        );
    }

    #[test]
    fn a_comment_may_follow_a_quote_at_once() {
        assert_eq!(strict("a: \"x\"#c\nb: [y]#d"), Some(json!({"a": "x", "b": ["y"]})));
        assert_eq!(strict("a: ''#\t\nb: [y]#\td"), Some(json!({"a": "", "b": ["y"]})));
        assert_eq!(strict("a: [b]#\td, x\ty"), Some(json!({"a": ["b"]})));
        assert_eq!(strict("a: b]#\tc"), None);
    }

    #[test]
    fn a_pair_of_surrogates_is_one_character_and_a_lone_one_has_no_json_value() {
        assert_eq!(strict(r#"a: "x\ud83d\ude00y""#), Some(json!({"a": "x😀y"})));
        assert_eq!(strict(r#"a: "\ud800""#), None);
        assert_eq!(strict(r#"a: "\\ud800 é\é""#), None);
        assert_eq!(strict(r#"a: "\\ud800 é""#), Some(json!({"a": "\\ud800 é"})));
        let read = FrontMatter::read(b"---\nname: \"a\\udfff\"\n---\n");
        assert_eq!(read.texts()["name"], json!("a\u{fffd}"));
    }

    #[test]
    fn places_are_counted_as_written() {
        let text = "---\na: \"x\ny\"#c\nb: \"\\ud83d\\ude00\" \nc: d\n---\n";
        let read = FrontMatter::read(text.as_bytes());
        let values: Vec<_> =
            read.field_sources().iter().map(|source| &text[source.value.clone()]).collect();
        assert_eq!(values, ["\"x\ny\"", "\"\\ud83d\\ude00\"", "d"]);
    }

    /// A field in quotes over several lines, its value, and what stands around it.
    fn quoted_over_lines() -> impl Strategy<Value = (String, Value)> {
        let line =
            ("[a-zé]{1,4}", prop::sample::select(vec!["", " ", "\t", " \t", "\t\t ", "     "]));
        let lines = prop::collection::vec(line, 1..5);
        let around =
            prop::sample::select(vec![("", ""), ("", "#c"), ("[x,\n", "\n]"), ("[", "]#c\td")]);
        (lines, any::<bool>(), around, any::<bool>()).prop_map(|(lines, double, around, pair)| {
            let mut words: Vec<&str> = lines.iter().map(|(word, _)| word.as_str()).collect();
            let mut source: Vec<String> = lines
                .iter()
                .enumerate()
                .map(
                    |(at, (word, indent))| {
                        if at == 0 { word.clone() } else { format!("{indent}{word}") }
                    },
                )
                .collect();
            if double && pair {
                words.push("😀");
                source.push("\\ud83d\\ude00".to_owned());
            }
            let quote = if double { '"' } else { '\'' };
            let source = format!("{}{quote}{}{quote}{}", around.0, source.join("\n"), around.1);
            let text = json!(words.join(" "));
            let value = match around.0 {
                "" => text,
                "[" => json!([text]),
                _ => json!(["x", text]),
            };
            (source, value)
        })
    }

    proptest! {
        #[test]
        fn quoted_lines_are_joined_whatever_their_margin(
            fields in prop::collection::vec(quoted_over_lines(), 1..4),
            nested in any::<bool>(),
            ends in prop::sample::select(vec!["\n", "\r\n"]),
        ) {
            let mut yaml = if nested { "m:\n".to_owned() } else { String::new() };
            let mut expected = Map::new();
            for (at, (source, value)) in fields.iter().enumerate() {
                let indent = if nested { "  " } else { "" };
                yaml += &format!("{indent}f{at}: {source}\n");
                expected.insert(format!("f{at}"), value.clone());
            }
            let mut expected = Value::Object(expected);
            if nested {
                expected = json!({"m": expected});
            }
            expected["last"] = json!("end é");
            let text = format!("---\n{yaml}last: end é # c\n---\n").replace('\n', ends);
            let read = FrontMatter::read(text.as_bytes());
            prop_assert_eq!(
                FrontMatter::strict(text.as_bytes()).ok().map(Value::Object),
                Some(expected),
                "{}", text
            );
            let last = read.field_sources().last().unwrap();
            prop_assert_eq!(&text[last.key.clone()], "last");
            prop_assert_eq!(&text[last.value.clone()], "end é");
        }
    }
}
