//! What can be saved of a front matter that is not YAML: `key: value` lines, as the reference's
//! compatible mode reads them.

use serde_json::{Map, Value};

use crate::lines::lines;

/// Each line with a colon as a field: what is before the first colon, and what is after it as a
/// text without its quotes, or as a list of texts where it stands in brackets.
pub(crate) fn fields(yaml: &str) -> Map<String, Value> {
    let mut fields = Map::new();
    for line in lines(yaml) {
        let Some((key, value)) = line.split_once(':') else { continue };
        fields.insert(key.trim().to_owned(), self::value(value.trim()));
    }
    fields
}

/// The fields whose values are written on several lines, of which [`fields`] keeps the first.
pub(crate) fn torn(yaml: &str) -> Vec<String> {
    let mut torn: Vec<String> = Vec::new();
    let mut field = None;
    for line in lines(yaml) {
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
    fn lines_with_a_colon_become_texts_and_lists() {
        let yaml =
            "name: a\ndescription: Use when: asked\nlist: [a, 'b', ]\nquoted: \"x: y\"\nno colon\n";
        assert_eq!(
            Value::Object(fields(yaml)),
            json!({"name": "a", "description": "Use when: asked", "list": ["a", "b"], "quoted": "x: y"})
        );
    }
}
