//! From YAML scalars to JSON values, under YAML 1.1 as PyYAML resolves it or the core schema of 1.2.

use saphyr_parser::ScalarStyle;
use serde_json::{Map, Number, Value};

use super::YamlVersion;
use super::tree::{Kind, Node};
use crate::pattern::{Pattern, compile};

/// Why a value is none of JSON's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unresolvable {
    Alias,
    Merge,
    Timestamp,
    NonFinite,
    /// Binary, sets, and what applications define.
    Tag,
    /// `=`, `<<`, and numbers without a digit such as `0x_`.
    Mark,
    KeyNotString,
    DuplicateKey,
}

impl Unresolvable {
    pub(crate) fn reason(self) -> &'static str {
        match self {
            Self::Alias => "an alias, which not every reader expands",
            Self::Merge => "a merge key `<<`, which not every reader expands",
            Self::Timestamp => "a date, which has no JSON value",
            Self::NonFinite => "a number that is not finite",
            Self::Tag => "a tag without a JSON value",
            Self::Mark => "a mark of YAML 1.1, which has no JSON value",
            Self::KeyNotString => "a key that is not a string",
            Self::DuplicateKey => "a key that comes twice",
        }
    }
}

/// Of one field, so many parts without a JSON value are told.
const MAX_FAILURES: usize = 20;

/// A value that is none of JSON's: which and where, in bytes of the parsed text.
pub(crate) type Failure = (Unresolvable, std::ops::Range<usize>);

/// The JSON value of a node; every key must be a string and come once.
pub(crate) fn value(node: &Node, version: YamlVersion) -> Result<Value, Failure> {
    let fail = |reason| Err((reason, node.range.clone()));
    match &node.kind {
        Kind::Alias(_) => fail(Unresolvable::Alias),
        Kind::Scalar { text, style } => {
            let implicit = *style == ScalarStyle::Plain;
            scalar(text, implicit, node.tag.as_deref(), version).or_else(fail)
        }
        Kind::Sequence(items) => match node.tag.as_deref() {
            None | Some("!" | "tag:yaml.org,2002:seq") => items
                .iter()
                .map(|item| value(item, version))
                .collect::<Result<_, _>>()
                .map(Value::Array),
            Some(_) => fail(Unresolvable::Tag),
        },
        Kind::Mapping { pairs, .. } => match node.tag.as_deref() {
            Some(tag) if !is_tag_of_mappings(tag) => fail(Unresolvable::Tag),
            _ => mapping(pairs, version).map(Value::Object),
        },
    }
}

/// The value of a node as far as it has one, and of everything in it that has none why and where:
/// that is then a text as it is written, and of keys that come twice the last one counts. `path`
/// holds the names of the fields around it.
pub(crate) fn as_far_as_it_goes(
    node: &Node,
    yaml: &str,
    path: &mut Vec<String>,
    found: &mut Vec<(Failure, String)>,
) -> Value {
    // Only what is told needs its path.
    let fail = |found: &mut Vec<_>, failure, path: &[String]| {
        if found.len() < MAX_FAILURES {
            found.push((failure, path.join(".")));
        }
    };
    let raw = |node: &Node| yaml.get(node.range.clone()).unwrap_or_default().to_owned();
    match &node.kind {
        Kind::Alias(_) | Kind::Scalar { .. } => {
            value(node, YamlVersion::V1_1).unwrap_or_else(|failure| {
                fail(found, failure, path);
                Value::String(raw(node))
            })
        }
        Kind::Sequence(items) => {
            if !matches!(node.tag.as_deref(), None | Some("!" | "tag:yaml.org,2002:seq")) {
                fail(found, (Unresolvable::Tag, node.range.clone()), path);
            }
            items.iter().map(|item| as_far_as_it_goes(item, yaml, path, found)).collect()
        }
        Kind::Mapping { pairs, .. } => {
            if node.tag.as_deref().is_some_and(|tag| !is_tag_of_mappings(tag)) {
                fail(found, (Unresolvable::Tag, node.range.clone()), path);
            }
            let mut map = Map::new();
            for (key, field) in pairs {
                let name = key_name(key, YamlVersion::V1_1).unwrap_or_else(|(reason, range)| {
                    let reason = match reason {
                        Unresolvable::Merge => Unresolvable::Merge,
                        _ => Unresolvable::KeyNotString,
                    };
                    fail(found, (reason, range), path);
                    raw(key)
                });
                path.push(name.clone());
                let field = as_far_as_it_goes(field, yaml, path, found);
                if map.insert(name, field).is_some() {
                    fail(found, (Unresolvable::DuplicateKey, key.range.clone()), path);
                }
                path.pop();
            }
            Value::Object(map)
        }
    }
}

/// A value in a few words.
pub(crate) fn in_words(value: &Value) -> String {
    match value {
        Value::Null => "nothing".to_owned(),
        Value::Bool(value) => value.to_string(),
        Value::Number(number) => format!("the number {number}"),
        Value::String(text) => format!("the text {text:?}"),
        Value::Array(_) => "a list".to_owned(),
        Value::Object(_) => "fields".to_owned(),
    }
}

/// The object of these pairs.
pub(crate) fn mapping(
    pairs: &[(Node, Node)],
    version: YamlVersion,
) -> Result<Map<String, Value>, Failure> {
    let mut map = Map::new();
    for (key, field) in pairs {
        let name = key_name(key, version)?;
        if map.contains_key(&name) {
            return Err((Unresolvable::DuplicateKey, key.range.clone()));
        }
        map.insert(name, value(field, version)?);
    }
    Ok(map)
}

fn key_name(key: &Node, version: YamlVersion) -> Result<String, Failure> {
    if is_merge(key) {
        return Err((Unresolvable::Merge, key.range.clone()));
    }
    match value(key, version)? {
        Value::String(name) => Ok(name),
        _ => Err((Unresolvable::KeyNotString, key.range.clone())),
    }
}

/// True for a plain `<<`.
pub(crate) fn is_merge(key: &Node) -> bool {
    match &key.kind {
        Kind::Scalar { text, style } => {
            (text == "<<" && *style == ScalarStyle::Plain && key.tag.is_none())
                || key.tag.as_deref() == Some("tag:yaml.org,2002:merge")
        }
        _ => false,
    }
}

fn scalar(
    text: &str,
    implicit: bool,
    tag: Option<&str>,
    version: YamlVersion,
) -> Result<Value, Unresolvable> {
    let string = || Ok(Value::String(text.to_owned()));
    match tag {
        None | Some("!") if !implicit => string(),
        // To PyYAML a lone `!` is no tag.
        Some("!") if version == YamlVersion::V1_1 => plain_1_1(text),
        None => match version {
            YamlVersion::V1_1 => plain_1_1(text),
            YamlVersion::V1_2 => plain_1_2(text),
        },
        Some("!" | "tag:yaml.org,2002:str") => string(),
        // PyYAML does not look at what stands there.
        Some("tag:yaml.org,2002:null") if version == YamlVersion::V1_1 => Ok(Value::Null),
        Some(tag) => {
            let value = match version {
                YamlVersion::V1_1 => plain_1_1(text),
                YamlVersion::V1_2 => plain_1_2(text),
            }?;
            match (tag, value) {
                ("tag:yaml.org,2002:null", Value::Null) => Ok(Value::Null),
                ("tag:yaml.org,2002:bool", Value::Bool(value)) => Ok(Value::Bool(value)),
                ("tag:yaml.org,2002:int", Value::Number(number)) if !number.is_f64() => {
                    Ok(Value::Number(number))
                }
                ("tag:yaml.org,2002:float", Value::Number(number)) => {
                    finite(number.as_f64().unwrap_or(f64::NAN))
                }
                _ => Err(Unresolvable::Tag),
            }
        }
    }
}

static BOOL_1_1: Pattern = Pattern::new(|| {
    compile("^(?:(yes|Yes|YES|true|True|TRUE|on|On|ON)|no|No|NO|false|False|FALSE|off|Off|OFF)$")
});
static FLOAT_1_1: Pattern = Pattern::new(|| {
    compile(
        r"^(?:[-+]?[0-9][0-9_]*\.[0-9_]*(?:[eE][-+][0-9]+)?|\.[0-9][0-9_]*(?:[eE][-+][0-9]+)?|[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+\.[0-9_]*)$",
    )
});
static NON_FINITE: Pattern =
    Pattern::new(|| compile(r"^(?:[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$"));
static INT_1_1: Pattern = Pattern::new(|| {
    compile(
        r"^(?:[-+]?0b[0-1_]+|[-+]?0[0-7_]+|[-+]?(?:0|[1-9][0-9_]*)|[-+]?0x[0-9a-fA-F_]+|[-+]?[1-9][0-9_]*(?::[0-5]?[0-9])+)$",
    )
});
static TIMESTAMP: Pattern = Pattern::new(|| {
    compile(
        r"^(?:[0-9]{4}-[0-9]{2}-[0-9]{2}|[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:[Tt]|[ \t]+)[0-9]{1,2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]*)?(?:[ \t]*(?:Z|[-+][0-9]{1,2}(?::[0-9]{2})?))?)$",
    )
});
static INT_1_2: Pattern = Pattern::new(|| compile(r"^(?:[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+)$"));
static FLOAT_1_2: Pattern =
    Pattern::new(|| compile(r"^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$"));

/// Whether a mapping of this tag is what it is without.
pub(crate) fn is_tag_of_mappings(tag: &str) -> bool {
    matches!(tag, "!" | "tag:yaml.org,2002:map")
}

/// Whether a plain scalar of this text is something else than a text.
pub(crate) fn is_no_text(text: &str, version: YamlVersion) -> bool {
    !matches!(scalar(text, true, None, version), Ok(Value::String(_)))
}

fn plain_1_1(text: &str) -> Result<Value, Unresolvable> {
    if matches!(text, "" | "~" | "null" | "Null" | "NULL") {
        return Ok(Value::Null);
    }
    if let Some(found) = BOOL_1_1.captures(text) {
        return Ok(Value::Bool(found.get(1).is_some()));
    }
    if NON_FINITE.is_match(text) {
        return Err(Unresolvable::NonFinite);
    }
    if FLOAT_1_1.is_match(text) {
        let digits = text.replace('_', "");
        return match digits.contains(':') {
            true => finite(sexagesimal(&digits)),
            false => finite(digits.parse().unwrap_or(f64::NAN)),
        };
    }
    if INT_1_1.is_match(text) {
        let digits = text.replace('_', "");
        let (sign, digits) = signed(&digits);
        return if digits.contains(':') {
            finite_integer(sign * sexagesimal(digits))
        } else if let Some(binary) = digits.strip_prefix("0b") {
            integer(sign, binary, 2)
        } else if let Some(hexadecimal) = digits.strip_prefix("0x") {
            integer(sign, hexadecimal, 16)
        } else if digits.len() > 1 && digits.starts_with('0') {
            integer(sign, digits, 8)
        } else {
            integer(sign, digits, 10)
        };
    }
    if TIMESTAMP.is_match(text) {
        return Err(Unresolvable::Timestamp);
    }
    if matches!(text, "<<" | "=") {
        return Err(Unresolvable::Mark);
    }
    Ok(Value::String(text.to_owned()))
}

fn plain_1_2(text: &str) -> Result<Value, Unresolvable> {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Ok(Value::Null),
        "true" | "True" | "TRUE" => return Ok(Value::Bool(true)),
        "false" | "False" | "FALSE" => return Ok(Value::Bool(false)),
        _ => {}
    }
    if NON_FINITE.is_match(text) {
        return Err(Unresolvable::NonFinite);
    }
    if INT_1_2.is_match(text) {
        let (sign, digits) = signed(text);
        return if let Some(octal) = digits.strip_prefix("0o") {
            integer(sign, octal, 8)
        } else if let Some(hexadecimal) = digits.strip_prefix("0x") {
            integer(sign, hexadecimal, 16)
        } else {
            integer(sign, digits, 10)
        };
    }
    if FLOAT_1_2.is_match(text) {
        return finite(text.parse().unwrap_or(f64::NAN));
    }
    Ok(Value::String(text.to_owned()))
}

fn signed(text: &str) -> (f64, &str) {
    match text.strip_prefix('-') {
        Some(digits) => (-1.0, digits),
        None => (1.0, text.strip_prefix('+').unwrap_or(text)),
    }
}

/// A whole number; beyond 64 bits as the nearest float, which is what JSON readers make of it.
fn integer(sign: f64, digits: &str, radix: u32) -> Result<Value, Unresolvable> {
    if digits.is_empty() {
        return Err(Unresolvable::Mark);
    }
    let negative = sign < 0.0;
    match u64::from_str_radix(digits, radix) {
        Ok(value) if !negative => Ok(Value::from(value)),
        Ok(value) => match i64::try_from(-i128::from(value)) {
            Ok(value) => Ok(Value::from(value)),
            Err(_) => finite(-(value as f64)),
        },
        Err(_) => {
            let radix_float = f64::from(radix);
            let value = digits
                .chars()
                .filter_map(|digit| digit.to_digit(radix))
                .fold(0.0, |sum, digit| sum * radix_float + f64::from(digit));
            let value = if radix == 10 { digits.parse().unwrap_or(f64::NAN) } else { value };
            finite(sign * value)
        }
    }
}

/// `12:30:45` as 45045.
fn sexagesimal(text: &str) -> f64 {
    let (sign, digits) = signed(text);
    sign * digits.split(':').fold(0.0, |sum, part| sum * 60.0 + part.parse().unwrap_or(0.0))
}

fn finite_integer(value: f64) -> Result<Value, Unresolvable> {
    if value.abs() < 9_007_199_254_740_992.0 {
        Ok(Value::from(value as i64))
    } else {
        finite(value)
    }
}

fn finite(value: f64) -> Result<Value, Unresolvable> {
    Number::from_f64(value).map(Value::Number).ok_or(Unresolvable::NonFinite)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn in_1_1(text: &str) -> Result<Value, Unresolvable> {
        scalar(text, true, None, YamlVersion::V1_1)
    }

    fn in_1_2(text: &str) -> Result<Value, Unresolvable> {
        scalar(text, true, None, YamlVersion::V1_2)
    }

    #[test]
    fn yaml_1_1_resolves_as_pyyaml_does() {
        for (text, value) in [
            ("yes", json!(true)),
            ("Off", json!(false)),
            ("y", json!("y")),
            ("0755", json!(493)),
            ("0o755", json!("0o755")),
            ("08", json!("08")),
            ("0b101", json!(5)),
            ("-0x1F", json!(-31)),
            ("1_000", json!(1000)),
            ("12:30:45", json!(45045)),
            ("1e3", json!("1e3")),
            ("1.0e+3", json!(1000.0)),
            ("1.10", json!(1.1)),
            ("+.5", json!("+.5")),
            (".5", json!(0.5)),
            ("190:20:30.15", json!(685_230.15)),
            ("~", json!(null)),
            ("", json!(null)),
            ("NULL", json!(null)),
            ("18446744073709551615", json!(18_446_744_073_709_551_615_u64)),
            ("-9223372036854775808", json!(i64::MIN)),
            ("100000000000000000000", json!(1e20)),
            ("2024-1-1", json!("2024-1-1")),
        ] {
            assert_eq!(in_1_1(text), Ok(value), "{text}");
        }
        assert_eq!(in_1_1("2024-01-01"), Err(Unresolvable::Timestamp));
        assert_eq!(in_1_1("2024-1-1 10:00:00 +2"), Err(Unresolvable::Timestamp));
        assert_eq!(in_1_1("-.inf"), Err(Unresolvable::NonFinite));
        assert_eq!(in_1_1("="), Err(Unresolvable::Mark));
        assert_eq!(in_1_1("0x_"), Err(Unresolvable::Mark));
    }

    #[test]
    fn yaml_1_2_resolves_by_its_core_schema() {
        for (text, value) in [
            ("yes", json!("yes")),
            ("true", json!(true)),
            ("0755", json!(755)),
            ("0o755", json!(493)),
            ("1e3", json!(1000.0)),
            ("12:30:45", json!("12:30:45")),
            ("1_000", json!("1_000")),
            ("2024-01-01", json!("2024-01-01")),
            ("0x1f", json!(31)),
        ] {
            assert_eq!(in_1_2(text), Ok(value), "{text}");
        }
    }

    #[test]
    fn tags_decide_the_type_or_are_refused() {
        let tagged = |text, tag| scalar(text, true, Some(tag), YamlVersion::V1_1);
        assert_eq!(tagged("12", "tag:yaml.org,2002:str"), Ok(json!("12")));
        assert_eq!(tagged("12", "!"), Ok(json!(12)));
        assert_eq!(scalar("12", true, Some("!"), YamlVersion::V1_2), Ok(json!("12")));
        assert_eq!(scalar("12", false, Some("!"), YamlVersion::V1_1), Ok(json!("12")));
        assert_eq!(tagged("12", "tag:yaml.org,2002:float"), Ok(json!(12.0)));
        assert_eq!(tagged("x", "tag:yaml.org,2002:int"), Err(Unresolvable::Tag));
        assert_eq!(tagged("aGk=", "tag:yaml.org,2002:binary"), Err(Unresolvable::Tag));
        assert_eq!(scalar("12", false, None, YamlVersion::V1_1), Ok(json!("12")));
    }
}
