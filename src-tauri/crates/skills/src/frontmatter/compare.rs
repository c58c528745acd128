//! Whether a `SKILL.md` says what was declared of it.

use std::collections::HashSet;

use serde_json::{Map, Value};

use super::resolve;
use super::tree::{self, Kind, Node};
use super::{FieldDifference, YamlVersion, block};
use crate::lines::without_last_break;

/// Compares the front matter of a `SKILL.md` with the one that was declared, field by field.
///
/// Equal means equal under YAML 1.1 or 1.2, and with or without the line break before the closing
/// delimiter, which decides whether a block scalar in last place ends with one.
///
/// # Errors
/// The fields that differ, in the file's order and then the declared ones that it lacks; one
/// difference with an empty name when the file has no front matter that can be read.
pub fn same_as(
    skill_md: &[u8],
    declared: &Map<String, Value>,
) -> Result<YamlVersion, Vec<FieldDifference>> {
    let unreadable = || {
        vec![FieldDifference {
            field: String::new(),
            declared: Some(Value::Object(declared.clone())),
            actual: None,
        }]
    };
    let text = std::str::from_utf8(skill_md).map_err(|_| unreadable())?;
    let block = block::find_lenient(text).map_err(|_| unreadable())?;
    let yaml = &text[block.yaml];
    let mut fewest: Option<Vec<FieldDifference>> = None;
    for version in [YamlVersion::V1_1, YamlVersion::V1_2] {
        for yaml in [without_last_break(yaml), yaml] {
            let Ok(Some(Node { kind: Kind::Mapping { pairs, .. }, .. })) = tree::parse(yaml) else {
                continue;
            };
            let found = differences(yaml, &pairs, declared, version);
            if found.is_empty() {
                return Ok(version);
            }
            if fewest.as_ref().is_none_or(|fewest| found.len() < fewest.len()) {
                fewest = Some(found);
            }
        }
    }
    Err(fewest.unwrap_or_else(unreadable))
}

fn differences(
    yaml: &str,
    pairs: &[(Node, Node)],
    declared: &Map<String, Value>,
    version: YamlVersion,
) -> Vec<FieldDifference> {
    let mut found = Vec::new();
    let mut seen: HashSet<String> = HashSet::new();
    for (key, value) in pairs {
        // What has no JSON value equals nothing that can be declared; its text says what it is.
        let raw = |node: &Node| Value::from(yaml.get(node.range.clone()).unwrap_or_default());
        let name = match resolve::value(key, version) {
            Ok(Value::String(name)) if !resolve::is_merge(key) => name,
            _ => {
                let field = raw(key).as_str().unwrap_or_default().to_owned();
                found.push(FieldDifference { field, declared: None, actual: Some(raw(value)) });
                continue;
            }
        };
        let actual = resolve::value(value, version);
        let expected = declared.get(&name);
        let equal = match (&actual, expected) {
            (Ok(actual), Some(expected)) => !seen.contains(&name) && equal(actual, expected),
            _ => false,
        };
        if !equal {
            found.push(FieldDifference {
                field: name.clone(),
                declared: expected.cloned(),
                actual: Some(actual.unwrap_or_else(|_| raw(value))),
            });
        }
        seen.insert(name);
    }
    for (name, expected) in declared {
        if !seen.contains(name) {
            found.push(FieldDifference {
                field: name.clone(),
                declared: Some(expected.clone()),
                actual: None,
            });
        }
    }
    found
}

/// Equal as JSON values: numbers by value, however they are written; objects in any order.
fn equal(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => {
            a == b || ((a.is_f64() || b.is_f64()) && a.as_f64() == b.as_f64())
        }
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| equal(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| equal(a, b)))
        }
        _ => a == b,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn compare(text: &str, declared: Value) -> Result<YamlVersion, Vec<FieldDifference>> {
        let Value::Object(declared) = declared else { panic!("an object") };
        same_as(text.as_bytes(), &declared)
    }

    #[test]
    fn either_version_of_yaml_will_do() {
        let text = "---\nname: a\nflag: yes\n---\n";
        assert_eq!(compare(text, json!({"name": "a", "flag": true})), Ok(YamlVersion::V1_1));
        assert_eq!(compare(text, json!({"flag": "yes", "name": "a"})), Ok(YamlVersion::V1_2));
        assert_eq!(
            compare("---\nd: 2024-01-01\n---\n", json!({"d": "2024-01-01"})),
            Ok(YamlVersion::V1_2)
        );
        assert!(compare("---\na: yes\nb: yes\n---\n", json!({"a": true, "b": "yes"})).is_err());
    }

    #[test]
    fn the_last_line_break_may_be_there_or_not() {
        let text = "---\r\nname: a\r\ndescription: >\r\n  b\r\n  c\r\n---\r\n";
        assert!(compare(text, json!({"name": "a", "description": "b c"})).is_ok());
        assert!(compare(text, json!({"name": "a", "description": "b c\n"})).is_ok());
        assert!(compare(text, json!({"name": "a", "description": "b c\n\n"})).is_err());
    }

    #[test]
    fn each_field_that_differs_is_named() {
        let found =
            compare("---\nname: a\nhooks: x\n---\n", json!({"name": "b", "license": "MIT"}))
                .unwrap_err();
        let difference = |field: &str, declared: Value, actual: Value| FieldDifference {
            field: field.into(),
            declared: Some(declared).filter(|value| !value.is_null()),
            actual: Some(actual).filter(|value| !value.is_null()),
        };
        assert_eq!(
            found,
            [
                difference("name", json!("b"), json!("a")),
                difference("hooks", json!(null), json!("x")),
                difference("license", json!("MIT"), json!(null)),
            ]
        );
    }

    #[test]
    fn aliases_doubled_keys_and_broken_yaml_equal_nothing() {
        assert!(compare("---\na: &x 1\nb: *x\n---\n", json!({"a": 1, "b": 1})).is_err());
        assert!(compare("---\na: 1\na: 1\n---\n", json!({"a": 1})).is_err());
        assert_eq!(compare("---\na: b: c\n---\n", json!({"a": "b: c"})).unwrap_err()[0].field, "");
        assert!(compare("no front matter", json!({})).is_err());
    }

    #[test]
    fn numbers_are_equal_by_value() {
        assert!(compare("---\na: 1.0\n---\n", json!({"a": 1})).is_ok());
        assert!(compare("---\na: 1\n---\n", json!({"a": "1"})).is_err());
    }
}
