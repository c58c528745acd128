//! What can be saved of a front matter that is not YAML: `key: value` lines, as the reference's
//! compatible mode reads them.

use std::ops::Range;

use serde_json::{Map, Value};

use super::tree::NotYaml;
use crate::lines::{lines, lines_at, without_last_break};

/// Each line with a colon as a field: what is before the first colon, and what is after it as a
/// text without its quotes, or as a list of texts where it stands in brackets.
pub(super) fn fields(yaml: &str) -> Map<String, Value> {
    let mut fields = Map::new();
    for line in lines(yaml) {
        let Some((key, value)) = line.split_once(':') else { continue };
        fields.insert(key.trim().to_owned(), self::value(value.trim()));
    }
    fields
}

fn value(text: &str) -> Value {
    let text = between(text, '"', '"').or_else(|| between(text, '\'', '\'')).unwrap_or(text);
    match between(text, '[', ']') {
        Some(items) => items
            .split(',')
            .map(str::trim)
            .filter(|item| !item.is_empty())
            .map(|item| Value::from(item.trim_matches(['"', '\''])))
            .collect(),
        None => Value::from(text),
    }
}

fn between(text: &str, open: char, close: char) -> Option<&str> {
    text.strip_prefix(open)?.strip_suffix(close)
}

/// An unquoted `: ` in a plain value: the field's name and where the colon is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct UnquotedColon {
    pub(super) field: String,
    pub(super) colon: Range<usize>,
}

/// Finds the `: ` that made the parser stop: the first one in a plain value up to the line of the
/// error.
pub(super) fn unquoted_colon(yaml: &str, error: &NotYaml) -> Option<UnquotedColon> {
    let mut field: Option<&str> = None;
    for (start, line) in lines_at(yaml) {
        if start > error.at {
            return None;
        }
        let text = without_last_break(line);
        let value = match text.starts_with([' ', '\t']) {
            true => 0,
            false => {
                field = None;
                let Some((key, rest)) = text.split_once(':') else { continue };
                let plain = rest.trim_start();
                if plain
                    .starts_with(['"', '\'', '|', '>', '[', '{', '&', '*', '!', '#', '%', '@', '`'])
                    || plain.is_empty()
                {
                    continue;
                }
                field = Some(key.trim_matches([' ', '"', '\'']));
                key.len() + 1
            }
        };
        let (Some(name), rest) = (field, &text[value..]) else { continue };
        let rest = rest.split_once(" #").map_or(rest, |(value, _)| value);
        let colon = rest.match_indices(':').map(|(at, _)| at).find(|colon| {
            let after = &rest[colon + 1..];
            after.is_empty() || after.starts_with([' ', '\t'])
        });
        if let Some(colon) = colon {
            let colon = start + value + colon;
            return Some(UnquotedColon { field: name.to_owned(), colon: colon..colon + 1 });
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn lines_with_a_colon_become_texts_and_lists() {
        let yaml =
            "name: a\ndescription: Use when: asked\nlist: [a, 'b', ]\nquoted: \"x: y\"\nno colon\n";
        assert_eq!(
            Value::Object(fields(yaml)),
            json!({"name": "a", "description": "Use when: asked", "list": ["a", "b"], "quoted": "x: y"})
        );
    }

    #[test]
    fn the_colon_that_stops_the_parser_is_found() {
        let find = |yaml: &str| {
            let error = super::super::tree::parse(yaml).unwrap_err();
            unquoted_colon(yaml, &error).map(|found| (found.field, found.colon.start))
        };
        assert_eq!(
            find("name: a\ndescription: Use when: asked\n"),
            Some(("description".into(), 29))
        );
        assert_eq!(find("description: Use\n  when: asked\n"), Some(("description".into(), 23)));
        assert_eq!(find("name: [a\n"), None);
    }
}
