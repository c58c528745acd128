use proptest::prelude::*;
use serde_json::json;

use super::*;

fn fields(text: &str) -> Value {
    Value::Object(FrontMatter::read(text.as_bytes()).fields)
}

fn problems(text: &str) -> Vec<(&'static str, u32, u32)> {
    let read = FrontMatter::read(text.as_bytes());
    read.problems
        .iter()
        .map(|problem| {
            let place = problem.place.as_ref().unwrap();
            (problem.code, place.line, place.column)
        })
        .collect()
}

#[test]
fn a_bom_and_a_crlf_front_matter_are_read() {
    let read =
        FrontMatter::read(b"\xef\xbb\xbf---\r\nname: a\r\ndescription: b\r\n---\r\n# Body\r\n");
    assert_eq!(Value::Object(read.fields.clone()), json!({"name": "a", "description": "b"}));
    assert_eq!(read.body(), "# Body\r\n");
    assert_eq!(read.body_line(), 5);
    assert_eq!(read.problems(), []);
}

#[test]
fn values_have_the_types_of_pyyaml() {
    assert_eq!(
        fields("---\na: yes\nb: 0755\nc: [x, 1.5, ~]\nd: {e: 'f'}\ng: \"1\"\n---\n"),
        json!({"a": true, "b": 493, "c": ["x", 1.5, null], "d": {"e": "f"}, "g": "1"})
    );
    assert_eq!(fields("---\nd: 2024-01-01\n---\n"), json!({"d": "2024-01-01"}));
}

#[test]
fn broken_yaml_gives_its_lines_as_texts() {
    let text = "---\nname: a\ndescription: Use when: asked\n---\nbody\n";
    assert_eq!(fields(text), json!({"name": "a", "description": "Use when: asked"}));
    assert_eq!(problems(text), [("frontmatter-unquoted-colon", 3, 22)]);
    assert_eq!(problems("---\nname: [a\n---\n")[0].0, "frontmatter-yaml");
}

#[test]
fn each_problem_has_its_code_and_place() {
    assert_eq!(problems("# Title\n"), [("frontmatter-missing", 1, 1)]);
    assert_eq!(problems("---\nname: a\n"), [("frontmatter-unclosed", 1, 1)]);
    assert_eq!(problems("---\nname: a\n--- \n"), [("frontmatter-delimiter", 3, 4)]);
    assert_eq!(problems("---\n---\n"), [("frontmatter-empty", 1, 1)]);
    assert_eq!(problems("---\n# x\n---\n"), [("frontmatter-empty", 1, 1)]);
    assert_eq!(problems("---\n- a\n---\n"), [("frontmatter-not-mapping", 2, 1)]);
    assert_eq!(problems("---\na: 1\na: 2\n---\n"), [("frontmatter-duplicate-key", 3, 1)]);
    assert_eq!(problems("---\n1: a\n---\n"), [("frontmatter-key-type", 2, 1)]);
    assert_eq!(problems("---\na: &x 1\nb: *x\n---\n"), [("frontmatter-value", 3, 4)]);
    let read = FrontMatter::read(b"---\nname: \xff\n---\n");
    assert_eq!(read.problems()[0].code, "not-utf8");
}

#[test]
fn strict_refuses_what_the_reference_refuses() {
    let code = |text: &str| FrontMatter::strict(text.as_bytes()).map_err(|error| error.code);
    assert_eq!(
        code("---\nname: a\nx: 1\n---\nb").map(Value::Object),
        Ok(json!({"name": "a", "x": 1}))
    );
    assert_eq!(code("--- \nname: a\n---\n"), Err("frontmatter-delimiter"));
    assert_eq!(code("---\n---\n"), Err("frontmatter-empty"));
    assert_eq!(code("---\n- a\n---\n"), Err("frontmatter-not-mapping"));
    assert_eq!(code("---\na: {b: 1, b: 2}\n---\n"), Err("frontmatter-duplicate-key"));
    assert_eq!(code("---\na: {1: 2}\n---\n"), Err("frontmatter-key-type"));
    for value in
        ["2024-01-01", ".inf", "!!binary aGk=", "!!set {a}", "!own x", "*x", "{<<: {a: 1}}"]
    {
        assert!(code(&format!("---\na: {value}\n---\n")).is_err(), "{value}");
    }
    for text in [
        "---\ra: b\r---\r",
        "---\na: b\r---\n",
        "---\na: x\u{1}y\n---\n",
        "---\na: x\ty\n---\n",
        "---\na:\t\"x\"\n---\n",
        "---\na: [x,\ty]\n---\n",
        "---\na: x\u{7f}y\n---\n",
        "---\na: x\u{85}y\n---\n",
        "---\na: \u{2028}x\n---\n",
    ] {
        assert!(code(text).is_err(), "{text:?}");
    }
    let tabs = "---\n# a\tb\na: \"x\ty # z\"\nb: |\n  x\ty\nc: d # e\tf\n---\n";
    assert_eq!(
        code(tabs).map(Value::Object),
        Ok(json!({"a": "x\ty # z", "b": "x\ty\n", "c": "d"}))
    );
    assert_eq!(code("---\na: !\n---\n").map(Value::Object), Ok(json!({"a": null})));
    assert_eq!(FrontMatter::strict(b"---\na: \xff\n---\n").unwrap_err().code, "not-utf8");
}

#[test]
fn a_block_scalar_in_last_place_loses_its_line_break_as_in_pyyaml() {
    assert_eq!(fields("---\ndescription: >\n  a\n  b\n---\n"), json!({"description": "a b"}));
    assert_eq!(fields("---\na: |\n  b\nc: d\n---\n"), json!({"a": "b\n", "c": "d"}));
}

#[test]
fn the_description_falls_back_as_in_the_reference() {
    let description = |text: &str| FrontMatter::read(text.as_bytes()).description_or_fallback("x");
    assert_eq!(description("---\ndescription: a\n---\nb"), "a");
    assert_eq!(description("---\ndescription: 12\n---\nb"), "12");
    assert_eq!(description("---\ndescription: [a]\n---\n\n## Title #1 \nb"), "Title #1");
    assert_eq!(description("---\nname: a\n---\n\n  first line\n"), "first line");
    assert_eq!(description("---\nname: a\n---\n#\nsecond"), "Skill: x");
    assert_eq!(description(""), "Skill: x");
    assert_eq!(description(&"é".repeat(300)), "é".repeat(200));
}

proptest! {
    #[test]
    fn reading_never_panics(text in "(\u{feff})?(---\n)?[-a-z:#\\[\\]{}&*!|>'\"%@`?, \n\r\té\u{0}0-9]{0,80}(\n---\n)?[a-z]{0,4}") {
        let _ = FrontMatter::read(text.as_bytes());
        let _ = FrontMatter::strict(text.as_bytes());
        let _ = same_as(text.as_bytes(), &Map::new());
    }

    #[test]
    fn reading_bytes_never_panics(bytes in prop::collection::vec(any::<u8>(), 0..100)) {
        let mut text = b"---\n".to_vec();
        text.extend(bytes);
        text.extend(b"\n---\n");
        let _ = FrontMatter::read(&text);
        let _ = FrontMatter::strict(&text);
    }
}
