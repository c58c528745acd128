//! Plain values that YAML takes for something else than the text that stands there.

use super::fixing::fixed;
use super::*;

/// What PyYAML does not read as a text.
const NO_TEXTS: &[&str] = &[
    "yes",
    "Yes",
    "YES",
    "no",
    "No",
    "NO",
    "on",
    "On",
    "ON",
    "off",
    "Off",
    "OFF",
    "true",
    "True",
    "TRUE",
    "false",
    "False",
    "FALSE",
    "~",
    "null",
    "Null",
    "NULL",
    "0",
    "12",
    "-12",
    "+12",
    "012",
    "-017",
    "1_000",
    "0b101",
    "-0b1",
    "0x1F",
    "12:30:45",
    "-1:30",
    "190:20:30.15",
    "1.5",
    "1.",
    ".5",
    "-1.5",
    "1.0e+3",
    "1_0.5",
    ".inf",
    "-.inf",
    "+.INF",
    ".nan",
    ".NaN",
    "2024-01-01",
    "2024-1-1 1:00:00",
    "2024-01-01T10:00:00Z",
    "2024-13-45",
    "=",
    "<<",
    "0x_",
    "0b_",
    "18446744073709551616",
];

/// What stands for no value at all.
const NOTHING: &[&str] = &["~", "null", "Null", "NULL"];

/// What is a text to PyYAML and not to readers of YAML 1.2.
const TEXTS_IN_1_1: &[&str] = &["08", "09.5", "0o17", "1e3", "1.0e3", "+.5", "-.5"];

/// What is a text to everybody.
const TEXTS: &[&str] =
    &["y", "Y", "n", "N", "yEs", "tRue", "nUll", "2024-1-1", "24-01-01", "1.2.3", "inf", "0b2"];

/// The code, and what the first fix makes of the line, which is the fourth of the file.
fn mended(field: &str, line: usize) -> Vec<(String, &'static str, Option<String>)> {
    let name = if field.starts_with("name:") { "" } else { "name: a\n" };
    let description = if field.starts_with("description:") { "" } else { "description: b\n" };
    let text = format!("---\n{name}{description}{field}\n---\nbody\n");
    let number = line - usize::from(name.is_empty()) - usize::from(description.is_empty());
    check("a", &manifest(&[]), text.as_bytes())
        .into_iter()
        .filter(|one| one.place.as_ref().is_some_and(|place| place.line as usize == number))
        .map(|one| {
            let after = fixed("a", &text, one.code);
            let line = after.and_then(|after| after.lines().nth(number - 1).map(str::to_owned));
            (one.message, one.code, line)
        })
        .collect()
}

/// Whether some diagnostic of this line has a fix that makes it this.
#[track_caller]
fn assert_quoted(field: &str, line: usize, expected: &str) {
    let found = mended(field, line);
    let is_it = |(_, _, after): &(String, &str, Option<String>)| after.as_deref() == Some(expected);
    assert!(found.iter().any(is_it), "{field}: {found:#?}");
}

#[test]
fn whatever_is_not_the_text_to_tools_can_be_put_in_quotes() {
    for value in NO_TEXTS.iter().chain(TEXTS_IN_1_1) {
        let describes = !NOTHING.contains(value);
        let fields = ["license", "compatibility", "allowed-tools"];
        for field in fields.into_iter().chain(describes.then_some("description")) {
            let line = format!("{field}: {value}");
            assert_quoted(&line, 4, &format!("{field}: \"{value}\""));
        }
        let metadata = |value: &str| format!("metadata:\n  v: {value}");
        assert_quoted(&metadata(value), 5, &format!("  v: \"{value}\""));
        let flow = |value: &str| format!("metadata: {{w: x, v: {value}}}");
        assert_quoted(&flow(value), 4, &flow(&format!("\"{value}\"")));
        let list = |value: &str| format!("allowed-tools: [Read, {value}]");
        assert_quoted(&list(value), 4, &list(&format!("\"{value}\"")));
    }
}

#[test]
fn a_name_that_is_not_a_text_to_tools_can_be_put_in_quotes() {
    for value in NO_TEXTS {
        let text = format!("---\nname: {value}\ndescription: b\n---\nbody\n");
        let found = check(value, &manifest(&[]), text.as_bytes());
        let quoted = found.iter().filter(|one| one.code != "name-form").any(|one| {
            let after = fixed(value, &text, one.code);
            after.is_some_and(|after| after.starts_with(&format!("---\nname: \"{value}\"\n")))
        });
        assert!(quoted, "{value}: {found:#?}");
    }
}

#[test]
fn what_is_a_text_to_everybody_is_left_alone() {
    for value in TEXTS {
        for field in ["description", "license", "compatibility", "allowed-tools"] {
            assert_eq!(mended(&format!("{field}: {value}"), 4), [], "{field}: {value}");
        }
        assert_eq!(mended(&format!("metadata:\n  v: {value}"), 5), [], "{value}");
    }
}

#[test]
fn it_is_said_what_tools_take_a_value_for() {
    let said = |field: &str| {
        let found = mended(field, 4).into_iter().find(|(_, code, _)| *code != "flow-style");
        found.unwrap().0
    };
    for (field, message) in [
        ("license: 012", "`license` is not a text: `012` is read as the number 10"),
        ("license: on", "`license` is not a text: `on` is read as true"),
        ("license: ~", "`license` is not a text: `~` is read as nothing"),
        ("license: 12:30:45", "`license` is not a text: `12:30:45` is read as the number 45045"),
        ("license:", "`license` is nothing, not a text"),
        ("license: [a]", "`license` is a list, not a text"),
        ("license: 2024-01-01", "`license` has a date, which has no JSON value"),
        ("license: =", "`license` has a mark of YAML 1.1, which has no JSON value"),
        ("description: off", "`description` is not a text: `off` is read as false"),
        ("allowed-tools: 1_0", "`allowed-tools` is not a text: `1_0` is read as the number 10"),
        ("compatibility: .5", "`compatibility` is not a text: `.5` is read as the number 0.5"),
        ("metadata: {v: 0x1F}", "`metadata.v` is not a text: `0x1F` is read as the number 31"),
    ] {
        assert_eq!(said(field), message);
    }
}

#[test]
fn every_value_without_a_json_value_is_told_and_the_others_are_judged() {
    assert_eq!(
        with("metadata:\n  v: 2024-01-01\n  w: .inf\n  x: 1\n  y: z"),
        [
            ("frontmatter-value", 5, 6),
            ("frontmatter-value", 6, 6),
            ("yaml-versions-differ", 5, 6),
            ("metadata-values", 7, 6),
        ]
    );
    assert_eq!(with("metadata: {1: a}")[0], ("frontmatter-key-type", 4, 12));
    let many = format!("x: [{}.inf]", ".nan, ".repeat(5_000));
    assert!(with(&many).len() <= 41);
}

#[test]
fn a_description_of_nothing_is_not_made_a_description() {
    for value in NOTHING {
        let found = mended(&format!("description: {value}"), 4);
        let fixes: Vec<_> = found.iter().filter_map(|(_, _, after)| after.as_deref()).collect();
        assert_eq!(fixes, [""; 0], "{value}: {found:#?}");
        assert!(found.iter().any(|(_, code, _)| *code == "description-type"), "{value}");
    }
}
