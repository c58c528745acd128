use proptest::prelude::*;

use super::super::REQUEST_FIELDS;
use super::*;

fn left(text: &str) -> String {
    String::from_utf8(without(text.as_bytes(), REQUEST_FIELDS).unwrap().bytes).unwrap()
}

fn refused(text: &str) -> String {
    without(text.as_bytes(), REQUEST_FIELDS).unwrap_err().reason
}

#[test]
fn a_file_without_the_fields_stays_as_it_is() {
    for text in [
        "---\nname: a\n---\nbody\n",
        "no front matter, hooks: none\n",
        "---\nname: a\nmetadata:\n  hooks: x\n---\nhooks: y\n",
        "---\nname: a\ndescription: \"talks of hooks: and such\"\n---\n",
        "",
    ] {
        let kept = without(text.as_bytes(), REQUEST_FIELDS);
        assert_eq!(kept, Ok(Without { bytes: text.into(), removed: vec![] }), "{text:?}");
    }
}

#[test]
fn only_the_lines_of_the_field_go() {
    let text = "\u{feff}---\r\n# top\r\nname: a\r\nallowed-tools: Bash Read # all\r\n\r\n# below\r\ndescription: b\r\n---\r\nbody\r\n";
    assert_eq!(
        left(text),
        "\u{feff}---\r\n# top\r\nname: a\r\n\r\n# below\r\ndescription: b\r\n---\r\nbody\r\n"
    );
}

#[test]
fn block_values_go_with_their_comments() {
    let text = "---\nhooks:\n  PreToolUse:\n    # first\n    - command: rm\n  # nested\n\n# next\nname: a\nallowed-tools:\n- Bash\n- Read\n---\n";
    assert_eq!(left(text), "---\n\n# next\nname: a\n---\n");
    assert_eq!(
        left("---\nname: a\nallowed-tools: |\n  Bash\n\n  Read\n---\n"),
        "---\nname: a\n---\n"
    );
    assert_eq!(left("---\nallowed-tools: [Bash,\n  Read]\nname: a\n---\n"), "---\nname: a\n---\n");
    assert_eq!(left("---\nallowed-tools: Bash\n  Read\nname: a\n---\n"), "---\nname: a\n---\n");
}

#[test]
fn every_spelling_of_the_field_goes() {
    let text = "---\n\"allowed-tools\": a\nAllowed_Tools: b\nallowedTools: c\n'hooks' : d\nＨＯＯＫＳ: e\n? hooks\n: f\n\"h\\u006foks\": g\nname: a\n---\n";
    let kept = without(text.as_bytes(), REQUEST_FIELDS).unwrap();
    assert_eq!(kept.bytes, b"---\nname: a\n---\n");
    assert_eq!(
        kept.removed,
        ["allowed-tools", "Allowed_Tools", "allowedTools", "hooks", "ＨＯＯＫＳ"]
    );
}

#[test]
fn a_front_matter_of_nothing_else_becomes_empty() {
    assert_eq!(left("---\nhooks: x\n---\nbody"), "---\n---\nbody");
}

#[test]
fn a_kept_block_scalar_before_it_does_not_grow() {
    let text = "---\ndescription: |+\n  a\nhooks: x\n\nname: a\n---\n";
    assert_eq!(left(text), "---\ndescription: |+\n  a\nname: a\n---\n");
}

#[test]
fn what_cannot_be_cut_with_certainty_is_refused() {
    assert_eq!(refused("---\n{name: a, hooks: x}\n---\n"), "the front matter is written in braces");
    assert!(refused("---\nname: &a x\nhooks: *a\n---\n").contains("aliases"));
    assert!(refused("---\nbase: &a\n  hooks: x\n<<: *a\n---\n").contains("aliases"));
    assert!(refused("---\nbase: &a {\"h\\u006foks\": x}\n<<: *a\n---\n").contains("aliases"));
    assert!(refused("---\ndescription: a: b\nallowed-tools: Bash\n---\n").contains("not YAML"));
    assert!(refused("---\ndescription: a: b\n\"h\\x6foks\": Bash\n---\n").contains("not YAML"));
    assert!(refused("---\n- hooks: x\n---\n").contains("does not hold fields"));
}

#[test]
fn what_only_other_readers_take_for_the_field_is_refused() {
    assert!(refused("---\nname: a\n--- \nallowed-tools: Bash\n---\n").contains("ends"));
    assert!(refused("\n---\nallowed-tools: Bash\n---\n").contains("delimited"));
    assert!(refused("---\nallowed-tools: Bash\n").contains("delimited"));
    assert!(refused("---\ndescription: \"a\u{2028}hooks: x\"\n---\n").contains("some readers"));
    let bytes = b"---\nname: a\nho\xffoks: x\n---\n";
    assert!(without(bytes, REQUEST_FIELDS).unwrap_err().reason.contains("UTF-8"));
}

#[test]
fn a_byte_order_mark_before_the_first_key_hides_nothing() {
    // Readers drop one at the start of what they are given, which is the front matter alone.
    let text = "---\n\u{feff}allowed-tools: Bash\nname: a\n---\n";
    match without(text.as_bytes(), REQUEST_FIELDS) {
        Ok(left) => assert!(!String::from_utf8(left.bytes).unwrap().contains("allowed-tools")),
        Err(refused) => assert!(!refused.reason.is_empty()),
    }
}

#[test]
fn a_key_that_is_an_alias_for_the_field_is_refused() {
    assert!(refused("---\nname: &a allowed-tools\n*a : Bash\n---\n").contains("aliases"));
    // To PyYAML `*a:` is an alias and a colon; to others it is not YAML.
    assert!(refused("---\nname: &a allowed-tools\n*a: Bash\n---\n").contains("front matter"));
    assert!(refused("---\nname: &a hooks\n? *a\n: Bash\n---\n").contains("aliases"));
    assert!(refused("---\n\"<<\": {hooks: x}\nname: a\n---\n").contains("aliases"));
}

#[test]
fn a_key_that_is_a_list_of_the_field_is_refused() {
    // js-yaml makes a text of such a key.
    assert!(refused("---\n[allowed-tools]: Bash\nname: a\n---\n").contains("not a text"));
    assert!(refused("---\nname: a\n? - hooks\n: Bash\n---\n").contains("not a text"));
    assert!(refused("---\n{[hooks]: Bash}\n---\n").contains("braces"));
}

#[test]
fn a_field_behind_another_kind_of_line_break_is_refused_wherever_it_stands() {
    for text in [
        "---\n name: a # c\u{2028} allowed-tools: Bash\n---\n",
        "---\nname: a # c\u{85}\"h\\u006foks\": Bash\n---\n",
        "---\nname: a # c\u{2029}!!str hooks: Bash\n---\n",
        "---\nname: a # c\u{2028}? hooks\u{2028}: Bash\n---\n",
    ] {
        assert!(refused(text).contains("some readers"), "{text:?}");
    }
}

#[test]
fn a_closing_delimiter_that_only_some_readers_see_is_no_end() {
    for text in [
        "---\nname: a\n# c\r---\r\nallowed-tools: Bash\n---\n",
        "---\nname: a\n# c\r---\nallowed-tools: Bash\n---\n",
        "---\nname: a\n---\t\nhooks: Bash\n---\n",
        "---\n---\nhooks: Bash\n---\n",
        "---\r\n--- \r\nname: a\r\nhooks: Bash\r\n---body\r\n",
    ] {
        assert!(refused(text).contains("ends"), "{text:?}");
    }
}

#[test]
fn what_a_reader_of_utf_16_would_find_is_refused() {
    let text = "---\nname: a\nallowed-tools: Bash\n---\n";
    let little: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let big: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
    for bytes in [
        little.clone(),
        big.clone(),
        [&b"\xff\xfe"[..], &little].concat(),
        [&b"\xfe\xff"[..], &big].concat(),
    ] {
        assert!(without(&bytes, REQUEST_FIELDS).is_err(), "{bytes:?}");
    }
}

#[test]
fn what_is_no_yaml_to_us_may_hide_the_field_from_us_only() {
    for text in [
        "---\nd: a: b\n? |-\n  hooks\n: Bash\n---\n",
        "---\nd: a: b\n? !!str hooks\n: Bash\n---\n",
        "---\nd: a: b\n? \"hoo\\\n  ks\"\n: Bash\n---\n",
        "---\nd: a: b\n[hooks]: Bash\n---\n",
        "---\nd: a: b\nhooks\u{200b}: Bash\n---\n",
    ] {
        assert!(refused(text).contains("not YAML"), "{text:?}");
    }
    let fine = "---\ndescription: use when: adding hooks to a form\n---\n";
    assert_eq!(left(fine), fine);
}

#[test]
fn characters_without_width_do_not_make_another_field() {
    assert_eq!(
        left("---\nallowed\u{ad}-too\u{200b}ls: Bash\nname: a\n---\n"),
        "---\nname: a\n---\n"
    );
    assert_eq!(left("---\nho\u{e0001}oks: Bash\nname: a\n---\n"), "---\nname: a\n---\n");
}

#[test]
fn a_mark_of_the_end_of_a_document_hides_no_line() {
    // PyYAML stops at it, and the lines are then read one by one.
    let text = "---\n...\nname: a\ndescription: b\n  hooks:1 # c\n---\n";
    assert!(refused(text).contains("some readers"));
}

#[test]
fn a_front_matter_that_becomes_empty_does_not_make_one_of_what_follows() {
    assert!(refused("---\nhooks: x\n---\nallowed-tools: Bash\n---\n").contains("ends"));
    assert_eq!(left("---\nhooks: x\n---\nbody\n---\n"), "---\n---\nbody\n---\n");
}

#[test]
fn horizontal_rules_and_talk_in_the_body_are_no_front_matter() {
    let text = "---\nname: a\n---\n# Body\n\n---\n\nallowed-tools: is a field\n\n---\n";
    assert_eq!(left(text), text);
    let crlf = text.replace('\n', "\r\n");
    assert_eq!(left(&crlf), crlf);
    let classic = text.replace('\n', "\r");
    assert_eq!(left(&classic), classic);
}

proptest! {
    #[test]
    fn it_never_panics(text in "(---\n)?[-a-z:#\\[\\]{}&*!|>'\"%@`?, \n\r\té\u{2028}]{0,60}(\n---\n)?[a-z]{0,4}") {
        let _ = without(text.as_bytes(), REQUEST_FIELDS);
    }

    #[test]
    fn all_other_bytes_stay(
        before in prop::collection::vec("(n[a-z]{0,5}: [a-z]{1,8}( #c)?|# [a-z]{0,5}|)", 0..5),
        field in "(allowed-tools: Bash|hooks:\n  a:\n  - b|allowed_tools: \\[a, b\\])",
        after in prop::collection::vec("(m[a-z]{0,5}: \"[a-z]{1,8}\"|# [a-z]{0,5}|)", 0..5),
        crlf in any::<bool>(),
    ) {
        let join = |parts: &[String]| parts.iter().map(|part| format!("{part}\n")).collect::<String>();
        let breaks = |text: String| if crlf { text.replace('\n', "\r\n") } else { text };
        let (before, after) = (join(&before), join(&after));
        let text = breaks(format!("---\n{before}{field}\n{after}---\nbody\n"));
        let expected = breaks(format!("---\n{before}{after}---\nbody\n"));
        prop_assert_eq!(left(&text), expected);
    }
}
