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

fn strict_code(bytes: &[u8]) -> Option<&'static str> {
    FrontMatter::strict(bytes).err().map(|problem| problem.code)
}

/// The file with the first fix of each of its problems made.
fn fixed(text: &str) -> String {
    let read = FrontMatter::read(text.as_bytes());
    let mut edits: Vec<_> = read
        .problems()
        .iter()
        .filter_map(|problem| match problem.fixes.first() {
            Some(crate::fix::Fix::Edits { edits, .. }) => Some(edits.clone()),
            _ => None,
        })
        .flatten()
        .collect();
    edits.sort_by_key(|edit| edit.range.start);
    String::from_utf8(crate::fix::edited(text.as_bytes(), &edits).unwrap()).unwrap()
}

#[test]
fn a_lone_cr_ends_a_line_and_strict_readers_do_not_take_it() {
    let text = "---\rname: a\rdescription: b\r---\rbody";
    assert_eq!(fields(text), json!({"name": "a", "description": "b"}));
    assert_eq!(problems(text), [("frontmatter-delimiter", 1, 4)]);
    assert_eq!(strict_code(text.as_bytes()), Some("frontmatter-delimiter"));
    assert_eq!(fixed(text), "---\nname: a\ndescription: b\n---\nbody");
    assert_eq!(strict_code(b"---\na: b\n---\r"), Some("frontmatter-delimiter"));
}

#[test]
fn a_file_may_end_behind_its_delimiter() {
    let read = FrontMatter::read(b"---\nname: a\n---");
    assert_eq!(read.fields()["name"], json!("a"));
    assert_eq!(read.body(), "");
    assert_eq!(read.problems(), []);
    assert_eq!(strict_code(b"---\nname: a\n---"), None);
}

#[test]
fn blanks_behind_the_delimiters_are_trimmed_by_the_fix() {
    let text = "---  \r\nname: a \r\n---\t\r\nbody  \r\n";
    assert_eq!(problems(text), [("frontmatter-delimiter", 1, 4)]);
    assert_eq!(fixed(text), "---\r\nname: a \r\n---\r\nbody  \r\n");
    assert_eq!(problems(&fixed(text)), []);
}

#[test]
fn an_unclosed_front_matter_is_all_body() {
    let read = FrontMatter::read(b"---\nname: a\n");
    assert!(read.fields().is_empty());
    assert_eq!(read.body(), "---\nname: a\n");
    assert_eq!(strict_code(b"---\nname: a\n"), Some("frontmatter-unclosed"));
}

#[test]
fn an_empty_block_has_no_fields() {
    for text in ["---\n---\nbody", "---\n\n---\nbody", "---\n# c\n---\nbody"] {
        let read = FrontMatter::read(text.as_bytes());
        assert!(read.fields().is_empty());
        assert_eq!(read.body(), "body");
        assert_eq!(read.problems()[0].code, "frontmatter-empty");
        assert_eq!(strict_code(text.as_bytes()), Some("frontmatter-empty"));
    }
}

#[test]
fn merge_markers_leave_the_lines_around_them() {
    let text =
        "---\nname: a\n<<<<<<< HEAD\ndescription: b\n=======\ndescription: c\n>>>>>>> x\n---\n";
    assert_eq!(fields(text), json!({"name": "a", "description": "c"}));
    assert_eq!(problems(text)[0].0, "frontmatter-yaml");
    assert_eq!(strict_code(text.as_bytes()), Some("frontmatter-yaml"));
}

#[test]
fn a_control_character_or_nul_leaves_the_lines() {
    for c in ['\u{1}', '\0', '\u{7f}', '\u{9b}'] {
        let text = format!("---\nname: a\ndescription: b{c}c\n---\n");
        assert_eq!(fields(&text), json!({"name": "a", "description": format!("b{c}c")}));
        assert_eq!(problems(&text), [("frontmatter-yaml", 3, 15)]);
        assert_eq!(strict_code(text.as_bytes()), Some("frontmatter-yaml"));
    }
}

#[test]
fn what_is_not_utf_8_is_replaced_and_never_fixed() {
    let read = FrontMatter::read(b"---\nname: a\xff\ndescription: b: c\n---\n");
    assert_eq!(read.fields()["name"], json!("a\u{fffd}"));
    let codes: Vec<_> = read.problems().iter().map(|problem| problem.code).collect();
    assert_eq!(codes, ["not-utf8", "frontmatter-unquoted-colon"]);
    assert!(read.problems().iter().all(|problem| problem.fixes.is_empty()));
    assert_eq!(strict_code(b"---\na: \xff\n---\n"), Some("not-utf8"));
}

#[test]
fn an_unquoted_colon_is_fixed_by_quoting_exactly_that_value() {
    let text =
        "---\n# why\nname: a\ndescription: Use when: asked # c\nother:  [ x ]\n---\nbody: x: y\n";
    let after = "---\n# why\nname: a\ndescription: \"Use when: asked\" # c\nother:  [ x ]\n---\nbody: x: y\n";
    assert_eq!(fixed(text), after);
    assert_eq!(problems(after), []);
    assert_eq!(fields(after)["description"], json!("Use when: asked"));
    let two = "---\na: b: c\nd: e: f\n---\n";
    assert_eq!(problems(two).len(), 2);
    assert_eq!(fixed(two), "---\na: \"b: c\"\nd: \"e: f\"\n---\n");
}

#[test]
fn values_without_a_json_value_and_keys_of_other_types_are_fixed_by_quotes() {
    assert_eq!(
        fixed("---\nd: 2024-01-01 # c\ne: .inf\n1: x\nl: [2024-01-02]\n---\n"),
        "---\nd: \"2024-01-01\" # c\ne: \".inf\"\n\"1\": x\nl: [\"2024-01-02\"]\n---\n"
    );
    for text in ["---\na: &x 1\nb: *x\n---\n", "---\na: !own x\n---\n", "---\n<<: {a: b}\n---\n"] {
        assert_eq!(fixed(text), text);
    }
}

#[test]
fn what_pyyaml_refuses_strict_refuses() {
    for yaml in [
        "...\na: b",
        "# c\n...\na: b",
        "a: [|x]",
        "a: [:b]",
        "a: {b\n : c}",
        "a: {[b]: c}",
        "\"a\"\t: b",
        "a: |\t\n  b",
        "a: |#c\n  b",
        ": b",
        "a: &x*y b",
        "a: \"\\ud800\"",
    ] {
        let text = format!("---\n{yaml}\n---\n");
        assert!(strict_code(text.as_bytes()).is_some(), "{yaml:?}");
        assert!(!FrontMatter::read(text.as_bytes()).problems().is_empty(), "{yaml:?}");
    }
}

#[test]
fn a_last_line_that_is_only_indentation_adds_nothing_to_a_block() {
    for (yaml, value) in [
        ("d: |\n  a\n  ", "a\n"),
        ("d: |\n  a\n\n  ", "a\n"),
        ("d: >+\n    ", ""),
        ("d: |+\n  a\n ", "a\n"),
        ("d: |\n  a\n   ", "a\n "),
        ("d: >1\n  \n ", " \n"),
    ] {
        assert_eq!(fields(&format!("---\n{yaml}\n---\n")), json!({"d": value}), "{yaml:?}");
    }
}

#[test]
fn texts_are_those_of_the_reference_s_compatible_mode() {
    let texts = |yaml: &str| {
        Value::Object(FrontMatter::read(format!("---\n{yaml}\n---\n").as_bytes()).texts().clone())
    };
    assert_eq!(
        texts("v: 1.10\nd: 2024-01-01\ny: yes\nn:\nl: [1, ~]\na: &x {k: no}\nb: *x\n<<: z"),
        json!({"v": "1.10", "d": "2024-01-01", "y": "yes", "n": "", "l": ["1", "~"],
            "a": {"k": "no"}, "b": {"k": "no"}, "<<": "z"})
    );
    assert_eq!(texts("d: {{x}}"), json!({"d": "{{x}}"}));
    assert_eq!(texts("d: a\tb\nl: [x, 'y']"), json!({"d": "a\tb", "l": ["x", "y"]}));
    assert_eq!(texts("d: \""), json!({"d": ""}));
}

#[test]
fn texts_are_lines_where_pyyaml_stops() {
    let texts = |yaml: &str| {
        Value::Object(FrontMatter::read(format!("---\n{yaml}\n---\n").as_bytes()).texts().clone())
    };
    for (yaml, expected) in [
        ("a: &x b\nc: &x d\ne: *x", json!({"a": "&x b", "c": "&x d", "e": "*x"})),
        ("a: !!str &x b\nc:\n  - &x d", json!({"a": "!!str &x b", "c": ""})),
        ("v: &a [*a]", json!({"v": "&a [*a]"})),
        ("v: &a {b: [*a]}", json!({"v": "&a {b: [*a]}"})),
        ("v: {: b}", json!({"v": "{: b}"})),
        ("v: [: b]", json!({"v": [": b"]})),
        ("v: {a, : b}", json!({"v": "{a, : b}"})),
    ] {
        assert_eq!(texts(yaml), expected, "{yaml}");
    }
    assert_eq!(texts("v: &a [&b c, *b]\nw: *a"), json!({"v": ["c", "c"], "w": ["c", "c"]}));
}

#[test]
fn what_only_pyyaml_stops_at_is_refused() {
    let refused =
        |yaml: &str| FrontMatter::strict(format!("---\n{yaml}\n---\n").as_bytes()).is_err();
    for yaml in [
        "a: [b?, c]",
        "a: [?b]",
        "a: {b: !}",
        "a: [!!str, b]",
        "a: [!!str]",
        "a: &x% b",
        "a: &x?b c",
        "a: [[{'q'\n : x}]]",
        "a: !!map {'q'\n : x}",
        ": a",
    ] {
        assert!(refused(yaml), "{yaml}");
    }
    for yaml in ["a: b?", "a: ['b?']", "a: [! b]", "a: !<tag:yaml.org,2002:str> b", "a: !!seq [b]"]
    {
        assert!(!refused(yaml), "{yaml}");
    }
}

#[test]
fn an_anchor_that_is_set_twice_is_refused() {
    for yaml in ["a: &x b\nc: &x d", "a: &x b\nc: !!str &x d", "a: &x\n  - &x b", "&x a: &x b"] {
        let text = format!("---\n{yaml}\n---\n");
        let refused = FrontMatter::strict(text.as_bytes()).unwrap_err();
        assert_eq!(
            refused.message, "the front matter is not YAML: an anchor whose name was given before",
            "{yaml}"
        );
        assert_eq!(FrontMatter::read(text.as_bytes()).problems(), [*refused], "{yaml}");
    }
    assert!(FrontMatter::strict(b"---\na: &x b\nc: &xy d\n---\n").is_ok());
}

/// Front matters with everything that the parser and its mending have a case for.
const WRITTEN: &[&str] = &[
    "name: sample\ndescription: What it does.\n",
    "\u{feff}description: >-\n  Folded text\n  here\n\n  more\nname: \u{feff}x\n",
    "description: |\n  One\n    two\n\tthree\nb: |2+\n   c\n\n",
    "allowed-tools: [Read, 'Write'\n, \"Bash\"]#c\nmetadata: {a:{}, b: 'c'}\n",
    "metadata:\n  a: \"x\n\ty\nz\"\n  b:\n    - c\n    - d: e\n      f: g\nlicense: 'MIT' # c\n",
    "a: &x [b, c]\nc: &y d\ne: *y\n? f\n: !!str g\n",
    "a: \"x\ny\"#c\nb: [c,\nd]\ne: {f: g,\n'h': i}\n",
    "é: ''\nb: 'it''s'\nc: \"\\x41\\ud83d\\ude00\n\\\n  d\"\n",
    "m:\n    a: [x,\n  y\n]\n    b: \"\\ud800\"\nhooks:\n- a: b\n",
];

/// One of these with up to four places cut, copied or written over.
fn edited_front_matter() -> impl Strategy<Value = String> {
    let pieces = prop::sample::select(vec![
        "", "'", "\"", "\n", "\r\n", "\r", "\n ", "\n\t", "\t", " ", ": ", ":", "#", " #", "- ",
        "[", "]", "{", "}", ",", "&a ", "*a", "|\n", ">-\n", "!", "!!str ", "? ", "%", "é", "12",
        "\\", "\\ud83d", "\u{feff}", "\u{2028}", "''", "---", "\n---\n", "<<: ",
    ]);
    let edit = (any::<prop::sample::Index>(), 0_usize..4, pieces);
    (prop::sample::select(WRITTEN), prop::collection::vec(edit, 0..5)).prop_map(
        |(written, edits)| {
            let mut text: Vec<char> = format!("---\n{written}---\nbody\n").chars().collect();
            for (at, cut, piece) in edits {
                let at = at.index(text.len());
                let end = (at + cut).min(text.len());
                text.splice(at..end, piece.chars());
            }
            text.into_iter().collect()
        },
    )
}

proptest! {
    #[test]
    fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = (FrontMatter::read(&bytes), FrontMatter::strict(&bytes));
        let _ = (same_as(&bytes, &Map::new()), without(&bytes, REQUEST_FIELDS));
    }

    #[test]
    fn an_error_is_said_exactly_where_strict_refuses(
        yaml in "(name|description|a|\"b\"|1): [-a-z:#\\[\\]{}&*!|>'\"%@`?, \n\t\u{1}é0-9\u{feff}\\\\]{0,40}\n?"
    ) {
        let text = format!("---\n{yaml}\n---\n");
        let read = FrontMatter::read(text.as_bytes());
        let is_wrong = FrontMatter::strict(text.as_bytes()).is_err();
        prop_assert_eq!(is_wrong, !read.problems().is_empty());
    }

    #[test]
    fn a_quote_fix_leaves_the_other_fields_alone(
        value in "[a-z@`*\"']{1,6}( [a-z]{1,5}:?){0,4}( #c)?", other in "[a-z]{1,8}"
    ) {
        let text = format!("---\nother: {other}x\nbroken: {value}\nlast: [x]\n---\nbody\n");
        let read = FrontMatter::read(text.as_bytes());
        let fixable = read.problems().iter().any(|problem| !problem.fixes.is_empty());
        if fixable {
            let after = fixed(&text);
            prop_assert_eq!(problems(&after), []);
            let after = fields(&after);
            prop_assert_eq!(&after["other"], &json!(format!("{other}x")));
            prop_assert_eq!(&after["last"], &json!(["x"]));
        }
    }

    #[test]
    fn reading_never_panics(text in "(\u{feff})?(---\n)?[-a-z:#\\[\\]{}&*!|>'\"%@`?, \n\r\té\u{0}0-9]{0,80}(\n---\n)?[a-z]{0,4}") {
        let _ = FrontMatter::read(text.as_bytes());
        let _ = FrontMatter::strict(text.as_bytes());
        let _ = same_as(text.as_bytes(), &Map::new());
    }

    #[test]
    fn an_edited_front_matter_is_read_with_places_in_the_file(text in edited_front_matter()) {
        let bytes = text.as_bytes();
        let read = FrontMatter::read(bytes);
        let strict = FrontMatter::strict(bytes);
        prop_assert_eq!(strict.is_err(), !read.problems().is_empty());
        let mut waiting: Vec<_> = read.field_sources().iter().collect();
        while let Some(source) = waiting.pop() {
            prop_assert!(text.get(source.key.clone()).is_some(), "{:?}", source);
            let value = text.get(source.value.clone());
            prop_assert!(value.is_some(), "{:?}", source);
            if source.style == Style::Plain
                && !source.tagged
                && source.text.as_deref().is_some_and(|text| !text.contains([' ', '\n']))
            {
                prop_assert_eq!(value, source.text.as_deref(), "{:?}", source);
            }
            waiting.extend(&source.items);
        }
        if let Ok(fields) = strict {
            prop_assert_eq!(read.fields(), &fields);
            let same = same_as(bytes, &fields);
            prop_assert!(same.is_ok(), "{:?}", same);
        }
        let _ = without(bytes, REQUEST_FIELDS);
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
