use super::*;
use crate::digest::Digest;
use crate::manifest::ManifestFile;

fn readings_of(skill_md: &[u8]) -> Vec<Reading> {
    let file = ManifestFile {
        path: "SKILL.md".to_owned(),
        size: skill_md.len() as u64,
        digest: Digest::of(skill_md),
    };
    readings("a", &Manifest::new(vec![file]).unwrap(), skill_md)
}

fn outcomes(skill_md: &str) -> [Outcome; 5] {
    let found: Vec<_> =
        readings_of(skill_md.as_bytes()).into_iter().map(|reading| reading.outcome).collect();
    found.try_into().unwrap()
}

fn messages(skill_md: &str) -> Vec<String> {
    readings_of(skill_md.as_bytes()).into_iter().map(|reading| reading.message).collect()
}

use Outcome::{Drops, Loads, Partly};

#[test]
fn all_readers_are_there_in_their_order() {
    let readings = readings_of(b"");
    let ids: Vec<_> = readings.iter().map(|reading| reading.reader.id).collect();
    assert_eq!(ids, ["strict", "yaml-1.1", "yaml-1.2", "line-based", "skills-ref"]);
    assert_eq!(outcomes(""), [Drops, Drops, Drops, Partly, Drops]);
}

#[test]
fn a_plain_skill_is_read_whole_by_all() {
    let text = "---\nname: a\ndescription: b\n---\nbody\n";
    assert_eq!(outcomes(text), [Loads; 5]);
    for reading in readings_of(text.as_bytes()) {
        assert_eq!(reading.name.as_deref(), Some("a"));
        assert_eq!(reading.description.as_deref(), Some("b"));
    }
}

#[test]
fn an_unquoted_colon_is_told_for_each_reader() {
    let text = "---\nname: a\ndescription: Use when: asked\n---\nbody\n";
    assert_eq!(outcomes(text), [Drops, Drops, Drops, Loads, Drops]);
    let stop = "at line 3, column 22: the unquoted `: ` in the value of `description`";
    assert_eq!(
        messages(text),
        [
            "leave the skill out: the value of `description` has an unquoted `: `, so the front matter is not YAML".to_owned(),
            format!("stop {stop}, and drop the skill or all of its fields"),
            format!("stop {stop}, and drop the skill or all of its fields"),
            "read the fields line by line, each of them whole".to_owned(),
            format!("refuses the skill: it stops {stop}"),
        ]
    );
    assert_eq!(readings_of(text.as_bytes())[3].description.as_deref(), Some("Use when: asked"));
}

#[test]
fn fields_on_several_lines_are_lost_to_a_reader_of_lines() {
    let text = "---\nname: a\ndescription: |\n  b\n  c\nx: y: z\n---\n";
    let reading = &readings_of(text.as_bytes())[3];
    assert_eq!(reading.outcome, Partly);
    assert_eq!(
        reading.message,
        "read the fields line by line and lose `description`, written on several lines"
    );
    assert_eq!(reading.description.as_deref(), Some("|"));
}

// The verdicts below were taken from the programs: FastMCP 4.1.7, PyYAML 6.0.4, yaml 2, js-yaml 4
// and skills-ref 0.1.1.
#[test]
fn each_reader_does_as_its_program_does() {
    let with = |fields: &str| outcomes(&format!("---\nname: a\n{fields}\n---\nbody\n"));
    assert_eq!(with("description: b\nallowed-tools: [a, b]"), [Loads, Loads, Loads, Loads, Drops]);
    assert_eq!(with("description: b\nmetadata: {a: b}"), [Loads, Loads, Loads, Loads, Drops]);
    assert_eq!(with("description: !!str b"), [Loads, Loads, Loads, Loads, Drops]);
    assert_eq!(with("description: &x b"), [Loads, Loads, Loads, Loads, Drops]);
    assert_eq!(with("description: b\ndescription: c"), [Drops, Partly, Drops, Loads, Drops]);
    assert_eq!(with("description: yes"), [Drops, Partly, Loads, Loads, Loads]);
    assert_eq!(with("description: 12"), [Drops, Partly, Partly, Loads, Loads]);
    assert_eq!(with("description: 2024-01-01"), [Drops, Partly, Loads, Loads, Loads]);
    assert_eq!(with("description: a\tb"), [Drops, Drops, Loads, Loads, Drops]);
    assert_eq!(with("description: a\u{1}b"), [Drops, Drops, Partly, Loads, Drops]);
    assert_eq!(with("description: a\u{7f}b"), [Drops, Drops, Partly, Loads, Drops]);
    assert_eq!(with("description: a --- b"), [Loads, Loads, Loads, Loads, Partly]);
    assert_eq!(with("description: b\nversion: 1"), [Loads, Loads, Loads, Loads, Partly]);
    assert_eq!(with("description: @b"), [Drops, Drops, Drops, Loads, Drops]);
    assert_eq!(with("description: ' '"), [Drops, Loads, Loads, Loads, Drops]);
    assert_eq!(with("license: x"), [Drops, Partly, Partly, Partly, Drops]);
    assert_eq!(with("description: b\nd: 2024-01-01"), [Drops, Loads, Loads, Loads, Partly]);
}

#[test]
fn skills_ref_takes_a_value_without_a_key_and_merges_only_fields() {
    let outcome =
        |field: &str| outcomes(&format!("---\nname: a\ndescription: b\n{field}\n---\n"))[4];
    assert_eq!(outcome(": a"), Outcome::Partly);
    assert_eq!(outcome("<<: a"), Outcome::Drops);
    assert_eq!(outcome("<<:\n- a"), Outcome::Drops);
    assert_eq!(outcome("metadata:\n  <<: a"), Outcome::Drops);
    assert_eq!(outcome("<<:\n  a: b"), Outcome::Loads);
    assert_eq!(outcome("'<<': a"), Outcome::Partly);
}

#[test]
fn skills_ref_sees_texts_and_ends_at_the_first_dashes() {
    let seen = |fields: &str| {
        let text = format!("---\nname: a\n{fields}\n---\nbody\n");
        readings_of(text.as_bytes()).pop().and_then(|reading| reading.description)
    };
    assert_eq!(seen("description: yes").as_deref(), Some("yes"));
    assert_eq!(seen("description: null").as_deref(), Some("null"));
    assert_eq!(seen("description: >\n  a\n  b").as_deref(), Some("a b"));
    assert_eq!(seen("description: a --- b").as_deref(), Some("a"));
}

#[test]
fn a_byte_order_mark_and_other_line_ends_are_told() {
    let text = "---\nname: a\ndescription: b\n---\n";
    assert_eq!(outcomes(&format!("\u{feff}{text}")), [Loads, Partly, Loads, Loads, Drops]);
    assert_eq!(outcomes(&text.replace('\n', "\r\n")), [Loads; 5]);
    assert_eq!(outcomes(&text.replace('\n', "\r")), [Drops, Partly, Partly, Loads, Loads]);
    assert_eq!(outcomes(&text.replace("---\n", "--- \n")), [Drops, Partly, Partly, Loads, Loads]);
    let outcomes: Vec<_> = readings_of(b"---\nname: a\ndescription: \xff\n---\n")
        .into_iter()
        .map(|reading| reading.outcome)
        .collect();
    assert_eq!(outcomes, [Drops, Drops, Partly, Drops, Drops]);
}

#[test]
fn a_name_that_is_not_the_folder_s_is_told_rule_by_rule() {
    let text = "---\nname: B\ndescription: b\n---\n";
    let readings = readings_of(text.as_bytes());
    assert_eq!(readings[0].outcome, Drops);
    assert_eq!(readings[1].name.as_deref(), Some("B"));
    assert_eq!(readings[3].name.as_deref(), Some("a"));
    assert_eq!(
        readings[4].message,
        "reads it and finds it invalid: the name has capital letters; the folder is \"a\""
    );
}

#[test]
fn a_value_that_the_versions_read_differently_is_told() {
    let text = "---\nname: a\ndescription: b\nauto: yes\n---\n";
    assert_eq!(messages(text)[1], "read it whole, `auto` as true");
    assert_eq!(messages(text)[2], "read it whole, `auto` as the text \"yes\"");
}
