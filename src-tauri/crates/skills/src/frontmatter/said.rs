//! What the parser says of a text that is not YAML, in words for whoever wrote it.

use std::borrow::Cow;

use crate::lines::lines_at;

/// What the parser says, and the same in plain words.
const PLAIN: &[(&str, &str)] = &[
    (NO_COLON[0], "a line without a colon and a space after it, which is no field"),
    (NO_COLON[1], "a line without a colon and a space after it, which is no field"),
    (AFTER_TABS[0], "a tab after a colon in place of a space"),
    (AFTER_TABS[1], "a tab after a dash in place of a space"),
    ("tab cannot be used as indentation", "a tab where a line is indented, in place of spaces"),
    ("tabs disallowed in this context", "a tab in place of spaces"),
    (
        "tabs disallowed within this context (block indentation)",
        "a tab where a line is indented, in place of spaces",
    ),
    ("while scanning a plain scalar, found a tab", "a tab in place of spaces"),
    ("a block scalar content cannot start with a tab", "a tab where a text is indented"),
    (
        "while scanning a quoted scalar, found unexpected end of stream",
        "a quotation mark that is not closed",
    ),
    ("invalid indentation in quoted scalar", "a quotation mark that is not closed"),
    (
        "while scanning a quoted scalar, found unexpected document indicator",
        "a quotation mark that is not closed before `---` or `...`",
    ),
    ("invalid trailing content after double-quoted scalar", "text behind a closing quotation mark"),
    (
        "while parsing a quoted scalar, found unknown escape character",
        "a backslash in double quotes that starts no escape",
    ),
    (
        "while parsing a flow sequence, expected ',' or ']'",
        "a `[` that is not closed, or a comma that is missing before this",
    ),
    (
        "while parsing a flow mapping, did not find expected ',' or '}'",
        "a `{` that is not closed, or a comma that is missing before this",
    ),
    ("misplaced bracket", "a closing bracket without an opening one"),
    ("mapping values are not allowed in this context", "a colon where no field can be"),
    ("illegal placement of ':' indicator", "a colon where no field can be"),
    (
        "block sequence entries are not allowed in this context",
        "an item of a list where none can be",
    ),
    (
        "while parsing a block mapping, did not find expected key",
        "a line that is no field, or stands further in or out than the others",
    ),
    (
        "while parsing a block collection, did not find expected '-' indicator",
        "a line among the items of a list that does not start with `- `",
    ),
    ("invalid indentation", "a line that stands too far out"),
    ("wrongly indented line in block scalar", "a line of a text that stands too far out"),
    ("while parsing node, found unknown anchor", "an alias for which there is no anchor"),
    ("comment intercepting the multiline text", "a comment between the lines of one value"),
];

/// Of a key that is never one, found out only at what follows.
const NO_COLON: [&str; 2] = ["simple key expect ':'", "simple key expected"];

/// Of tabs, found out behind them.
const AFTER_TABS: [&str; 2] = [
    "':' must be followed by a valid YAML whitespace",
    "'-' must be followed by a valid YAML whitespace",
];

/// The message in plain words, where there are better ones than the parser's.
pub(crate) fn in_plain_words(message: &str) -> Cow<'_, str> {
    if let Some(rest) = message.strip_prefix("unexpected character: `") {
        let c = rest.trim_end_matches('\'');
        return format!("a value that starts with `{c}` and stands in no quotes").into();
    }
    let plain = PLAIN.iter().find(|(said, _)| *said == message).map(|(_, plain)| *plain);
    plain.unwrap_or(message).into()
}

/// Where the fault is that the parser found out at this byte.
pub(crate) fn fault(yaml: &str, at: usize, message: &str) -> usize {
    if AFTER_TABS.contains(&message) {
        return yaml.get(..at).map_or(at, |before| before.trim_end_matches('\t').len());
    }
    if !NO_COLON.contains(&message) {
        return at;
    }
    // The line that was to be a field is the last one before.
    let before = lines_at(yaml.get(..at).unwrap_or(yaml)).filter(|(_, line)| {
        let text = line.trim();
        !text.is_empty() && !text.starts_with('#')
    });
    let last = before.last();
    last.map_or(at, |(start, line)| start + line.len() - line.trim_start().len())
}

#[cfg(test)]
mod tests {
    use super::super::FrontMatter;

    /// Message, line and column of the first problem.
    fn said(yaml: &str) -> (String, u32, u32) {
        let text = format!("---\n{yaml}---\n");
        let problem = FrontMatter::strict(text.as_bytes()).unwrap_err();
        let place = problem.place.unwrap();
        let message = problem.message.replace("the front matter is not YAML: ", "");
        (message, place.line, place.column)
    }

    #[test]
    fn common_faults_are_told_in_plain_words_where_they_are() {
        for (yaml, message, line, column) in [
            (
                "a: b\n<<<<<<< HEAD\nc: d\n",
                "a line without a colon and a space after it, which is no field",
                3,
                1,
            ),
            ("a: b\nc d\n", "a line without a colon and a space after it, which is no field", 3, 1),
            ("a:\tb\n", "a tab after a colon in place of a space", 2, 3),
            ("a: \"b\nc: d\n", "a quotation mark that is not closed", 2, 4),
            ("a: [b\nc: d\n", "a colon where no field can be", 3, 2),
            ("a: b\n]\n", "a closing bracket without an opening one", 3, 1),
            ("a: \"\\q\"\n", "a backslash in double quotes that starts no escape", 2, 4),
        ] {
            assert_eq!(said(yaml), (message.to_owned(), line, column), "{yaml:?}");
        }
    }
}
