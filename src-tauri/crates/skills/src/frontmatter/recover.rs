//! What can be saved of a front matter that is not YAML: `key: value` lines, as the reference's
//! compatible mode reads them.

use std::ops::Range;

use serde_json::{Map, Value};

use crate::lines::{lines, lines_at, without_last_break};

/// Lines that are looked at, and items of one list that are told apart: no author writes that many,
/// and each takes many times its bytes.
const MAX_LINES: usize = 10_000;

/// A field of a front matter that is not YAML, as a person sees it.
pub(super) struct Line<'a> {
    pub(super) name: &'a str,
    /// In bytes of the front matter.
    pub(super) key: Range<usize>,
    pub(super) value: Range<usize>,
    /// Without quotes and comment; `None` where it goes on below, so that there is no telling.
    pub(super) text: Option<&'a str>,
}

/// The fields that stand as far in as the first one, and not those of other fields.
pub(super) fn top_lines(yaml: &str) -> Vec<Line<'_>> {
    let mut found: Vec<Line<'_>> = Vec::new();
    let mut margin = None;
    for (start, line) in lines_at(yaml).take(MAX_LINES) {
        let line = without_last_break(line);
        let text = line.trim_start_matches([' ', '\t']);
        if text.trim().is_empty() || text.starts_with('#') {
            continue;
        }
        let indent = line.len() - text.len();
        let is_inside = indent != *margin.get_or_insert(indent) || text.starts_with("- ");
        let Some((key, value)) = text.split_once(':').filter(|_| !is_inside) else {
            if let Some(last) = found.last_mut() {
                last.text = None;
            }
            continue;
        };
        let at = start + indent + key.len() + 1 + (value.len() - value.trim_start().len());
        let value = value.trim();
        let bare = |quote| between(value, quote, quote);
        let text = bare('"').or_else(|| bare('\'')).unwrap_or_else(|| {
            value.find(" #").map_or(value, |comment| value[..comment].trim_end())
        });
        found.push(Line {
            name: key.trim().trim_matches(['"', '\'']),
            key: start + indent..start + indent + key.trim_end().len(),
            value: at..at + value.len(),
            text: Some(text),
        });
    }
    found
}

/// Each line with a colon as a field: what is before the first colon, and what is after it as a
/// text without its quotes, or as a list of texts where it stands in brackets.
pub(crate) fn fields(yaml: &str) -> Map<String, Value> {
    let mut fields = Map::new();
    for line in lines(yaml).take(MAX_LINES) {
        let Some((key, value)) = line.split_once(':') else { continue };
        fields.insert(key.trim().to_owned(), self::value(value.trim()));
    }
    fields
}

/// The fields whose values are written on several lines, of which [`fields`] keeps the first.
pub(crate) fn torn(yaml: &str) -> Vec<String> {
    let mut torn: Vec<String> = Vec::new();
    let mut field = None;
    for line in lines(yaml).take(MAX_LINES) {
        let text = line.trim();
        if text.is_empty() || text.starts_with('#') {
            continue;
        }
        let is_inside = line.starts_with([' ', '\t']) || text.starts_with("- ");
        match (line.split_once(':'), field) {
            (Some((key, _)), _) if !is_inside => field = Some(key.trim()),
            (_, Some(key)) if torn.last().is_none_or(|last| last != key) => {
                torn.push(key.to_owned());
            }
            _ => {}
        }
    }
    torn
}

fn value(text: &str) -> Value {
    let text = between(text, '"', '"').or_else(|| between(text, '\'', '\'')).unwrap_or(text);
    match between(text, '[', ']') {
        Some(items) if items.split(',').nth(MAX_LINES).is_none() => items
            .split(',')
            .map(str::trim)
            .filter(|item| !item.is_empty())
            .map(|item| Value::from(item.trim_matches(['"', '\''])))
            .collect(),
        _ => Value::from(text),
    }
}

fn between(text: &str, open: char, close: char) -> Option<&str> {
    // The one quote is first and last.
    if open == close && text.chars().eq([open]) {
        return Some("");
    }
    text.strip_prefix(open)?.strip_suffix(close)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_no_author_writes_is_not_taken_apart() {
        let most = format!("a: [{}x]\n", "x,".repeat(MAX_LINES - 1));
        assert_eq!(fields(&most)["a"].as_array().unwrap().len(), MAX_LINES);
        assert!(fields(&format!("a: [{}x]\n", "x,".repeat(MAX_LINES)))["a"].is_string());
        let many: String = (0..=MAX_LINES).map(|n| format!("f{n}: x\n")).collect();
        assert_eq!(fields(&many).len(), MAX_LINES);
    }

    #[test]
    fn lines_with_a_colon_become_texts_and_lists() {
        let yaml =
            "name: a\ndescription: Use when: asked\nlist: [a, 'b', ]\nquoted: \"x: y\"\nno colon\n";
        assert_eq!(
            Value::Object(fields(yaml)),
            json!({"name": "a", "description": "Use when: asked", "list": ["a", "b"], "quoted": "x: y"})
        );
    }
}
