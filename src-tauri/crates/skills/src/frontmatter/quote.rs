//! Writing a text as a YAML scalar.

use std::fmt::Write as _;

/// The text as a YAML scalar in quotes on one line, which every reader of YAML takes as exactly
/// this text. Where the text allows, readers that only look at lines and take the outer quotes off
/// do so too: double quotes unless it has some or a backslash, else single ones, and escapes only
/// for what cannot stand in a line.
pub fn quoted(text: &str) -> String {
    if text.chars().any(must_be_escaped) {
        return escaped(text);
    }
    in_quotes(text)
}

/// Source text of a plain value, which may run over several lines, in quotes: what it folds to
/// stays the same.
pub(super) fn in_quotes(source: &str) -> String {
    if source.contains(['"', '\\']) {
        format!("'{}'", source.replace('\'', "''"))
    } else {
        format!("\"{source}\"")
    }
}

/// Line breaks to some reader, and characters that PyYAML does not let stand.
fn must_be_escaped(c: char) -> bool {
    c.is_control() || matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}')
}

fn escaped(text: &str) -> String {
    let mut scalar = String::with_capacity(text.len() + 8);
    scalar.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => scalar.extend(['\\', c]),
            '\n' => scalar.push_str("\\n"),
            '\r' => scalar.push_str("\\r"),
            '\t' => scalar.push_str("\\t"),
            c if must_be_escaped(c) => {
                let code = u32::from(c);
                // Writing to a text cannot fail.
                let _ = match code {
                    ..=0xff => write!(scalar, "\\x{code:02x}"),
                    _ => write!(scalar, "\\u{code:04x}"),
                };
            }
            c => scalar.push(c),
        }
    }
    scalar.push('"');
    scalar
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::super::{FrontMatter, YamlVersion, same_as};
    use super::*;

    #[test]
    fn the_quotes_are_those_that_need_no_escape() {
        assert_eq!(quoted(""), "\"\"");
        assert_eq!(quoted("yes"), "\"yes\"");
        assert_eq!(quoted("Use when: asked # x"), "\"Use when: asked # x\"");
        assert_eq!(quoted("it's"), "\"it's\"");
        assert_eq!(quoted("say \"x\""), "'say \"x\"'");
        assert_eq!(quoted(r"C:\x"), r"'C:\x'");
        assert_eq!(quoted("it's \"x\""), "'it''s \"x\"'");
    }

    #[test]
    fn what_cannot_stand_in_a_line_is_escaped() {
        assert_eq!(quoted("a\nb\r\tc"), r#""a\nb\r\tc""#);
        assert_eq!(quoted("\"\\\u{1}"), r#""\"\\\x01""#);
        assert_eq!(quoted("\u{7f}\u{85}\u{2028}\u{feff}"), r#""\x7f\x85\u2028\ufeff""#);
        assert_eq!(quoted("é😀"), "\"é😀\"");
    }

    proptest! {
        #[test]
        fn a_quoted_text_reads_as_itself_under_both_versions(text in any::<String>()) {
            let file = format!("---\na: {}\n---\n", quoted(&text));
            let read = FrontMatter::read(file.as_bytes());
            prop_assert_eq!(read.problems(), []);
            prop_assert_eq!(read.fields().get("a"), Some(&Value::from(text.clone())));
            let strict = FrontMatter::strict(file.as_bytes());
            prop_assert_eq!(strict.ok().map(Value::Object), Some(json!({"a": text})));
            let Value::Object(declared) = json!({"a": text}) else { unreachable!() };
            prop_assert_eq!(same_as(file.as_bytes(), &declared), Ok(YamlVersion::V1_1));
        }
    }
}
