//! Values that should stand in quotes and do not, so that a front matter is not YAML.

use std::ops::Range;

use super::mended::end_of_quoted;
use super::pyyaml;
use super::quote::in_quotes;
use super::tree::{self, NotYaml};
use crate::lines::{lines_at, without_last_break};

/// How many places of one front matter are told; keeps reading linear.
const MAX_PLACES: usize = 16;

/// A value without quotes at which readers of YAML stop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Unquoted {
    pub(crate) field: String,
    /// The colon with a blank after it, if that is why.
    pub(crate) colon: Option<usize>,
    /// The whole value as it is written, without a comment behind it.
    pub(crate) value: Range<usize>,
}

/// A place at which readers of YAML stop, in bytes of what was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Stopped {
    pub(crate) error: NotYaml,
    /// The value that is to blame.
    pub(crate) unquoted: Option<Unquoted>,
    /// The value in quotes, where they help.
    pub(crate) quoted: Option<String>,
}

/// The places at which a reader stops, each found after the one before it was put in quotes; at the
/// end, where all are, what PyYAML stops at then.
pub(crate) fn stops(yaml: &str, error: NotYaml) -> Vec<Stopped> {
    let mut found = Vec::new();
    let mut work = yaml.to_owned();
    let mut error = Some(error);
    let mut quotes: Vec<InQuotes> = Vec::new();
    let mut rest = None;
    while let Some(stop) = error.take() {
        let done = quotes.last().map_or(0, |last| last.now.end);
        let unquoted = find(&work, &stop).filter(|found| found.value.start >= done);
        let mut stopped = Stopped {
            error: NotYaml { at: as_written(&quotes, stop.at), message: stop.message },
            unquoted: None,
            quoted: None,
        };
        if let Some(unquoted) = unquoted {
            let value = unquoted.value.clone();
            let written = as_written(&quotes, value.start)..as_written(&quotes, value.end);
            // With a colon in it, the name may be one that lacks the blank behind its own.
            if !unquoted.field.contains(':') {
                let in_quotes = in_quotes(&work[value.clone()]);
                let end = value.start + in_quotes.len();
                work.replace_range(value.clone(), &in_quotes);
                // Further on than it was, so that it was this value that stopped the reader.
                let before = if stop.at < value.end { end } else { stop.at - value.end + end };
                let after = stop_of(&work);
                if after.as_ref().is_none_or(|after| after.0.at > before || after.1) {
                    quotes.push(InQuotes { now: value.start..end, written: written.clone() });
                    stopped.quoted = Some(in_quotes);
                    match after {
                        Some((after, false)) => error = Some(after),
                        Some((NotYaml { at, message }, true)) => {
                            rest = Some(NotYaml { at: as_written(&quotes, at), message });
                        }
                        None => {}
                    }
                }
            }
            let colon = unquoted.colon.map(|colon| written.start + (colon - value.start));
            stopped.unquoted = Some(Unquoted { colon, value: written, ..unquoted });
        }
        found.push(stopped);
        if found.len() == MAX_PLACES {
            break;
        }
    }
    found.extend(rest.map(|error| Stopped { error, unquoted: None, quoted: None }));
    found
}

/// A value that was put in quotes.
struct InQuotes {
    now: Range<usize>,
    written: Range<usize>,
}

/// A place in the text with these values in quotes, which are in order, as one in the written text.
fn as_written(quotes: &[InQuotes], at: usize) -> usize {
    let before = quotes.partition_point(|quotes| quotes.now.start < at);
    match before.checked_sub(1).map(|last| &quotes[last]) {
        None => at,
        Some(InQuotes { now, written }) if at < now.end => written.start,
        Some(InQuotes { now, written }) => written.end + (at - now.end),
    }
}

/// Where the next reader stops: the parser, or where that does not, PyYAML, for which it is true.
fn stop_of(yaml: &str) -> Option<(NotYaml, bool)> {
    match tree::parse(yaml) {
        Ok(root) => pyyaml::refusal(yaml, root.as_ref()).map(|refusal| (refusal, true)),
        Err(error) => Some((error, false)),
    }
}

/// The value that made the parser stop: the first one with a `: ` in it up to the line of the
/// error, else the one in which the error is, where quotes may help.
pub(crate) fn find(yaml: &str, error: &NotYaml) -> Option<Unquoted> {
    let mut last = None;
    for entry in entries(yaml).into_iter().take_while(|entry| entry.line <= error.at) {
        if entry.is_plain()
            && let Some(colon) = entry.colon()
        {
            return Some(Unquoted {
                field: entry.name.to_owned(),
                colon: Some(entry.value.start + colon),
                value: entry.value,
            });
        }
        last = Some(entry);
    }
    last.filter(|entry| entry.value.end + 2 >= error.at && entry.may_be_quoted())
        .map(|entry| Unquoted { field: entry.name.to_owned(), colon: None, value: entry.value })
}

/// A `key: value` as a person sees it.
struct Entry<'a> {
    name: &'a str,
    /// Where its line starts.
    line: usize,
    /// How far in the key stands.
    margin: usize,
    value: Range<usize>,
    source: &'a str,
    /// A comment stands behind it, so that it cannot go on below.
    has_comment: bool,
    /// It goes on below a comment all the same.
    is_torn: bool,
}

impl<'a> Entry<'a> {
    /// Reads the line that starts at this byte.
    fn of(line: usize, text: &'a str) -> Option<Self> {
        let mut rest = text.trim_start_matches([' ', '\t']);
        while let Some(item) = rest.strip_prefix("- ") {
            rest = item.trim_start_matches([' ', '\t']);
        }
        let margin = text.len() - rest.len();
        let colon = colon_in(rest, 0)?;
        let name = rest[..colon].trim_matches([' ', '\t', '"', '\'']);
        let after = &rest[colon + 1..];
        let start = margin + colon + 1 + (after.len() - after.trim_start().len());
        let mut entry = Self {
            name,
            line,
            margin,
            value: line + start..line + start,
            source: "",
            has_comment: false,
            is_torn: false,
        };
        entry.take(&text[start..], line + start);
        (!rest.starts_with('#')).then_some(entry)
    }

    /// Takes the text of a line up to its comment.
    fn take(&mut self, text: &str, at: usize) {
        let starts_quote = |text: &str| text.starts_with(['"', '\'']);
        // In quotes there are no comments, but there may be one behind them.
        let from = match (starts_quote(self.source), starts_quote(text)) {
            (true, _) => None,
            (false, true) => end_of_quoted(text, 0),
            (false, false) => Some(0),
        };
        let comment = from.and_then(|from| {
            let marks = [" #", "\t#"].iter().filter_map(|mark| text[from..].find(mark));
            marks.min().map(|at| from + at)
        });
        let text = match comment {
            Some(comment) => {
                self.has_comment = true;
                &text[..comment]
            }
            _ => text,
        };
        self.value.end = at + text.trim_end().len();
    }

    fn is_plain(&self) -> bool {
        !self.source.is_empty()
            && !self.is_torn
            && !self
                .source
                .starts_with(['"', '\'', '|', '>', '[', '{', '&', '*', '!', '#', '%', '@', '`'])
    }

    /// Where a colon with a blank after it is in the value.
    fn colon(&self) -> Option<usize> {
        colon_in(self.source, 0)
    }

    /// Whether quotes around the whole are what its author meant.
    fn may_be_quoted(&self) -> bool {
        let source = self.source;
        if self.is_torn {
            return false;
        }
        let goes_on = |close: char| {
            source[1..].rfind(close).is_some_and(|at| !source[at + 2..].trim().is_empty())
        };
        match source.chars().next() {
            Some('@' | '`' | '%' | '*' | '&' | '!') => true,
            Some('-') => source.starts_with("- "),
            Some('"') => goes_on('"'),
            Some('\'') => goes_on('\''),
            Some('[') => goes_on(']'),
            Some('{') => goes_on('}'),
            _ => false,
        }
    }
}

/// The first colon with a blank or nothing after it.
fn colon_in(text: &str, from: usize) -> Option<usize> {
    text[from..].match_indices(':').map(|(at, _)| from + at).find(|at| {
        let after = &text[at + 1..];
        after.is_empty() || after.starts_with([' ', '\t', '\n', '\r'])
    })
}

fn entries(yaml: &str) -> Vec<Entry<'_>> {
    let mut entries: Vec<Entry<'_>> = Vec::new();
    let mut open = false;
    for (start, line) in lines_at(yaml) {
        let text = without_last_break(line);
        let inner = text.trim_start_matches([' ', '\t']);
        if inner.is_empty() {
            continue;
        }
        if open && let Some(last) = entries.last_mut() {
            let margin = text.len() - inner.len();
            if margin > last.margin && !last.source.is_empty() {
                if inner.starts_with('#') {
                    last.has_comment = true;
                } else if last.has_comment {
                    last.is_torn = true;
                } else if !last.source.starts_with(['|', '>']) {
                    last.take(inner, start + margin);
                    last.source = &yaml[last.value.clone()];
                }
                continue;
            }
        }
        let entry = Entry::of(start, text);
        open = entry.is_some();
        entries.extend(entry.map(|entry| Entry { source: &yaml[entry.value.clone()], ..entry }));
    }
    entries
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(yaml: &str) -> Vec<(String, Option<usize>, String, Option<String>)> {
        let error = tree::parse(yaml).unwrap_err();
        stops(yaml, error)
            .into_iter()
            .filter_map(|stop| {
                let found = stop.unquoted?;
                Some((found.field, found.colon, yaml[found.value].to_owned(), stop.quoted))
            })
            .collect()
    }

    fn one(yaml: &str) -> (String, String) {
        let [(_, _, value, quoted)] = &all(yaml)[..] else { panic!("{:?}", all(yaml)) };
        (value.clone(), quoted.clone().unwrap())
    }

    #[test]
    fn the_value_with_the_colon_is_found_whole() {
        let found = all("name: a\ndescription: Use when: asked  # c\nlicense: x\n");
        let expected = (
            "description".to_owned(),
            Some(29),
            "Use when: asked".to_owned(),
            Some("\"Use when: asked\"".to_owned()),
        );
        assert_eq!(found, [expected]);
        assert_eq!(one("a: say \"x\": y"), ("say \"x\": y".into(), "'say \"x\": y'".into()));
        assert_eq!(one("a: it's \"x\": y").1, "'it''s \"x\": y'");
        assert_eq!(one("a: ends with:"), ("ends with:".into(), "\"ends with:\"".into()));
    }

    #[test]
    fn a_value_of_several_lines_is_quoted_from_its_start_to_its_end() {
        let (value, quoted) = one("a: Use\n  when: asked\n\n  twice\nb: c\n");
        assert_eq!(value, "Use\n  when: asked\n\n  twice");
        assert_eq!(quoted, "\"Use\n  when: asked\n\n  twice\"");
    }

    #[test]
    fn every_such_value_is_found_also_inside_of_fields_and_lists() {
        let found = all("a: b: c\nm:\n  k: d: e\n  l: f\ns:\n  - n: g: h\nlast: i: j\n");
        let values: Vec<_> =
            found.iter().map(|(field, _, value, _)| (field.as_str(), value.as_str())).collect();
        assert_eq!(values, [("a", "b: c"), ("k", "d: e"), ("n", "g: h"), ("last", "i: j")]);
        assert!(found.iter().all(|(_, _, _, quoted)| quoted.is_some()));
    }

    #[test]
    fn marks_that_start_a_value_are_quoted_too() {
        for value in [
            "@me does",
            "`x` does",
            "%d of",
            "*bold* text",
            "[Beta] x",
            "{x} y",
            "\"A\" b",
            "- x",
            "!x y: z",
            "'a' b",
        ] {
            let (found, quoted) = one(&format!("name: n\na: {value}\nb: c\n"));
            assert_eq!(found, value);
            assert_eq!(quoted[1..quoted.len() - 1].replace("''", "'"), value);
        }
    }

    #[test]
    fn what_quotes_do_not_help_or_what_is_not_plain_is_left_alone() {
        for yaml in [
            "a: [b\n",
            "a: \"b\n",
            "a: 'b\nc: d: e'x\n",
            "a: b\n  c: d # e\n  f\n",
            "a\nb: c\n",
            "a: |\n  b: c: d\n e\n",
        ] {
            let error = tree::parse(yaml).unwrap_err();
            assert!(stops(yaml, error).iter().all(|stop| stop.quoted.is_none()), "{yaml:?}");
        }
    }
}
