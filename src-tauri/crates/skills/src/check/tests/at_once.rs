//! Fixes that are made at once, as `check --fix` makes them.

use super::fixing::fixed;
use super::properties::all_made;
use super::*;
use crate::MAIN_FILE;
use crate::check::together::together;
use crate::fix::TextEdit;

fn titles(text: &str) -> Vec<String> {
    let found = check("a", &manifest(&[]), text.as_bytes());
    let fixes = together("a", text.as_bytes(), &found);
    fixes.iter().map(|fix| fix.title().to_owned()).collect()
}

#[track_caller]
fn assert_made(before: &str, after: &str) {
    let (_, bytes) = all_made("a", before.as_bytes()).unwrap();
    assert_eq!(String::from_utf8(bytes).unwrap(), after);
}

fn told(text: &str) -> Vec<(&'static str, u32, bool)> {
    check("a", &manifest(&[]), text.as_bytes())
        .iter()
        .filter(|one| one.severity == Severity::Error)
        .map(|one| (one.code, one.place.as_ref().map_or(0, |place| place.line), one.fixable()))
        .collect()
}

#[test]
fn of_two_misspelt_fields_that_mean_one_neither_is_changed() {
    let text = "---\nname: a\ndescripton: Use when b.\ndescriptio: Use when c.\nallowed_tools: Read\nAllowedTools: Read\n---\nbody\n";
    assert_eq!(titles(text), [""; 0]);
    assert_made(text, text);
    let text = "---\nname: a\ndescription: b\nLicense: MIT\nlicence: MIT\n---\nbody\n";
    assert_eq!(titles(text), [""; 0]);
}

#[test]
fn fixes_that_are_right_alone_and_wrong_at_once_are_made_one_by_one() {
    let text = "---\nname: a\ndescription: b\nlicence: MIT\nlicenze: x\n---\nbody\n";
    let edit = |from: usize| {
        let edits = vec![TextEdit { range: from..from + 7, replacement: "license".to_owned() }];
        Fix::Edits { title: format!("{from}"), file: MAIN_FILE.to_owned(), edits }
    };
    let fixable = |fix: Fix| {
        let mut one = codes::FIELD_MISSPELT.say("m", None);
        one.fixes.push(fix);
        one
    };
    let (one, other) = (text.find("licence").unwrap(), text.find("licenze").unwrap());
    let found = [fixable(edit(one)), fixable(edit(other))];
    assert_eq!(together("a", text.as_bytes(), &found), [edit(one)]);
}

#[test]
fn of_fixes_that_touch_the_first_is_made_and_the_same_one_once() {
    let rename = |to: &str| Fix::RenameFolder { title: "t".into(), to: to.into() };
    let edit = |range: std::ops::Range<usize>| {
        let edits = vec![TextEdit { range, replacement: "x".to_owned() }];
        Fix::Edits { title: "t".into(), file: MAIN_FILE.to_owned(), edits }
    };
    let text = "---\nname: b\ndescription: cccccccccc\n---\nbody\n";
    let at = text.find("cc").unwrap();
    let (one, touching, apart) = (edit(at..at + 2), edit(at + 2..at + 3), edit(at + 5..at + 6));
    let found: Vec<Diagnostic> = [
        vec![one.clone(), apart.clone()],
        vec![],
        vec![one.clone()],
        vec![touching],
        vec![rename("b")],
        vec![apart.clone()],
        vec![rename("c")],
    ]
    .into_iter()
    .map(|fixes| Diagnostic { fixes, ..codes::NAME_FOLDER.say("m", None) })
    .collect();
    assert_eq!(together("a", text.as_bytes(), &found), [one, rename("b"), apart]);
}

#[test]
fn a_value_is_told_and_quoted_once_where_the_closing_line_has_a_blank() {
    for end in ["\n", "\r\n"] {
        let text = |value: &str, closer: &str| {
            format!("---\nname: a\ndescription: {value}\n{closer}\nkey: v: x\n---\n")
                .replace('\n', end)
        };
        let before = text("a: b: c #d", "--- ");
        assert_eq!(
            told(&before),
            [("frontmatter-unquoted-colon", 3, true), ("frontmatter-delimiter", 4, true)]
        );
        assert_made(&before, &text("\"a: b: c\" #d", "---"));
    }
    let text = |value: &str, closer: &str| {
        format!("---\nname: a\ndescription: {value}\n{closer}\n# T\nN: this: that\n\n---\nmore\n")
    };
    assert_made(&text("Use when: x", "--- "), &text("\"Use when: x\"", "---"));
}

#[test]
fn nothing_below_the_front_matter_is_quoted() {
    let text = |closer: &str| format!("---\nname: a\ndescription: b\n{closer}\nkey: v: x\n---\n");
    assert_eq!(told(&text("--- ")), [("frontmatter-delimiter", 4, true)]);
    assert_made(&text("--- "), &text("---"));
}

#[test]
fn a_tab_behind_a_colon_is_told_before_the_value_is_quoted() {
    let before = "---\nname: a\ndescription: b\nkey:\ta: b\n---\nbody\n";
    assert_eq!(
        told(before),
        [("frontmatter-yaml", 4, false), ("frontmatter-unquoted-colon", 4, true)]
    );
    let after = before.replace("a: b\n---", "\"a: b\"\n---");
    assert_made(before, &after);
    assert_eq!(told(&after), [("frontmatter-yaml", 4, false)]);
}

#[test]
fn a_comment_behind_quotes_does_not_come_into_them() {
    let fields = |value: &str| format!("---\nname: a\ndescription: {value}\n---\nbody\n");
    assert_made(&fields("\"A\" b # c"), &fields("'\"A\" b' # c"));
    assert_made(&fields("'A' b # say 'c' d"), &fields("\"'A' b\" # say 'c' d"));
}

#[test]
fn a_name_that_lacks_the_blank_behind_its_colon_is_left_to_the_author() {
    let text = "---\nname: a\ndescription: b\ndescription:a: b: c\n---\nbody\n";
    assert_made(text, text);
    let text = "---\nname: a\ndescription:a: b: c\n---\nbody\n";
    assert_made(text, text);
}

#[test]
fn where_readers_differ_in_where_a_line_ends_no_field_is_changed() {
    for mark in ['\u{85}', '\u{2028}', '\u{2029}'] {
        for line in [
            format!("description: Use: x{mark}y: z"),
            format!("description: ' Use{mark}y: z'"),
            format!("licence: x{mark}y\ndescription: b"),
            format!("description: b\nlicense: 1{mark}"),
        ] {
            let text = format!("---\nname: b\n{line}\n---\nbody\n");
            assert_made(&text, &text);
            // The ends of lines are nobody's field.
            let crlf = format!("---\r\nname: b\n{line}\n---\nbody\n");
            assert_made(&crlf, &text);
        }
    }
}

#[test]
fn a_message_repeats_no_more_of_a_text_than_can_be_read() {
    let long = "k".repeat(100_000);
    let digits = "1_".repeat(50_000);
    for text in [
        format!("{long}: v"),
        format!("{long}: v: w"),
        format!("{long}: .inf\n{long}: x"),
        format!("metadata:\n  {long}: 1"),
        format!("metadata:\n  {long}:\n    {long}: 2024-01-01"),
        format!("license: {digits}1"),
        format!("{long}: @x"),
        format!("name: {long}"),
        format!("name: a\n---\n[x]({long}) [y](../{long}) [z](/{long}) [d](a/b/{long})"),
    ] {
        let text = format!("---\n{text}\ndescription: b\n---\n");
        let found = check("a", &manifest(&[]), text.as_bytes());
        let longest = found.iter().map(|one| one.message.chars().count()).max().unwrap_or(0);
        assert!(longest < 400, "{longest} of {}", &text[..40]);
    }
    let found = check("a", &manifest(&[]), format!("---\n{long}: v\n---\n").as_bytes());
    let unknown = found.iter().find(|one| one.code == "field-unknown").unwrap();
    assert_eq!(unknown.message, format!("`{}…` is not a field of the format", &long[..60]));
}

#[test]
fn the_first_fix_alone_still_does_what_it_did() {
    let text = "---\nname: a\ndescription: Use when: asked # c\n---\nbody\n";
    assert_eq!(
        fixed("a", text, "frontmatter-unquoted-colon").as_deref(),
        Some("---\nname: a\ndescription: \"Use when: asked\" # c\n---\nbody\n")
    );
}
