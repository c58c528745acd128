//! What is said of a broken rule, and where the limits of names and paths lie.

use serde_json::{Value, json};

use super::{entry, resource, with};
use crate::wire::{Verdict, entry_offer};

#[test]
fn each_broken_rule_says_what_was_expected_and_what_came() {
    let file = |field: &str, value: Value| {
        let mut file = resource("skill://team/review/a");
        file[field] = value;
        entry(&[file])
    };
    let named = |name: Value| with("frontmatter", json!({ "name": name, "description": "d" }));
    for (value, code, expected, actual) in [
        (
            file("digest", json!("sha256:ba78")),
            "digest-form",
            "`sha256:` and 64 lowercase hexadecimal digits",
            "\"sha256:ba78\"",
        ),
        (
            file("digest", json!(null)),
            "digest-form",
            "`sha256:` and 64 lowercase hexadecimal digits",
            "null",
        ),
        (file("size", json!(-1)), "size-form", "a whole number of bytes", "-1"),
        (file("size", json!(0.5)), "size-form", "a whole number of bytes", "0.5"),
        (
            file("uri", json!("file:///etc/passwd")),
            "foreign-uri",
            "a uri inside \"skill://team/review/\"",
            "\"file:///etc/passwd\"",
        ),
        (file("uri", json!(7)), "resource-uri", "a uri", "7"),
        (named(json!("other")), "name-path", "\"review\"", "\"other\""),
        (named(json!("")), "frontmatter-name", "a text that is not empty", "\"\""),
        (
            named(json!("n".repeat(257))),
            "frontmatter-name",
            "at most 256 characters",
            "257 characters",
        ),
        (with("_meta", json!([])), "meta", "an object, or no _meta", "a list"),
        (with("_meta", json!(null)), "meta", "an object, or no _meta", "null"),
        (
            with("resources", json!("static")),
            "resources",
            "a list of files or \"dynamic\"",
            "\"static\"",
        ),
        (
            with("resources", json!([resource("skill://team/review/a")])),
            "own-skill-md",
            "\"skill://team/review/SKILL.md\"",
            "1 files without it",
        ),
        (
            entry(&[resource("skill://team/review/a"), resource("skill://team/review/a")]),
            "listed-twice",
            "each file once",
            "\"skill://team/review/a\"",
        ),
        (
            entry(&[resource("skill://team/review/con")]),
            "path",
            "a path that every system can write",
            "\"con\"",
        ),
        (
            entry(&[
                resource("skill://team/review/e%CC%81"),
                resource("skill://team/review/%C3%A9"),
            ]),
            "same-name",
            "names that every file system tells apart",
            "\"e\\u{301}\" and \"é\"",
        ),
    ] {
        let Verdict::Refused(rules) = entry_offer(&value).unwrap().verdict else {
            panic!("not refused: {value}")
        };
        assert_eq!(rules.len(), 1, "{rules:?}");
        let rule = &rules[0];
        assert_eq!(
            (rule.code, rule.expected.as_str(), rule.actual.as_str()),
            (code, expected, actual),
            "{value}"
        );
    }
}

#[test]
fn the_longest_name_path_and_uri_are_taken_and_one_more_is_not() {
    // 64 folders deep, the file itself counted.
    let deep = |depth: usize| vec!["d"; depth].join("/");
    let at = |path: &str| entry(&[resource(&format!("skill://team/review/{path}"))]);
    let taken =
        |value: &Value| matches!(entry_offer(value).unwrap().verdict, Verdict::Verifiable(_));
    assert!(taken(&at(&deep(64))));
    assert!(!taken(&at(&deep(65))));
    let long = |length: usize| {
        let mut path = vec!["p".repeat(200); 3].join("/");
        path.push('/');
        path.push_str(&"p".repeat(length - path.len()));
        path
    };
    assert!(taken(&at(&long(768))));
    assert!(!taken(&at(&long(769))));
    let name = "n".repeat(255);
    let whole = |name: &str| {
        let uri = format!("skill://{name}/SKILL.md");
        json!({
            "uri": uri,
            "frontmatter": { "name": name, "description": "d" },
            "resources": [resource(&uri)],
        })
    };
    assert!(taken(&whole(&name)));
    assert!(!taken(&whole(&"n".repeat(256))));
    let uri =
        |bytes: usize| json!({ "uri": format!("skill://{}/SKILL.md", "u".repeat(bytes - 17)) });
    assert!(entry_offer(&uri(4096)).is_ok());
    assert!(entry_offer(&uri(4097)).is_err());
}

#[test]
fn keys_that_no_rule_names_are_ignored() {
    let mut value = entry(&[]);
    value["extra"] = json!({ "uri": "file:///etc/passwd" });
    value["_meta"] = json!({ "x": 1 });
    value["resources"][0]["mode"] = json!("0755");
    assert!(matches!(entry_offer(&value).unwrap().verdict, Verdict::Verifiable(_)));
}

#[test]
fn a_description_is_shown_to_the_8192th_character() {
    let shown = |characters: usize| {
        let description = "d".repeat(characters);
        let value = with("frontmatter", json!({ "name": "review", "description": description }));
        entry_offer(&value).unwrap().description
    };
    assert_eq!(shown(8192), "d".repeat(8192));
    assert_eq!(shown(8193), format!("{}…", "d".repeat(8192)));
}
