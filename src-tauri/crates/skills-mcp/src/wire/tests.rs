#![allow(clippy::unwrap_used, clippy::panic)]

use proptest::prelude::*;
use serde_json::json;

use super::*;

#[path = "tests/told.rs"]
mod told_rules;

const DIGEST: &str = "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

fn resource(uri: &str) -> Value {
    json!({ "uri": uri, "digest": DIGEST, "size": 3 })
}

/// A good entry with these further resources.
fn entry(more: &[Value]) -> Value {
    let mut resources = vec![resource("skill://team/review/SKILL.md")];
    resources.extend_from_slice(more);
    json!({
        "uri": "skill://team/review/SKILL.md",
        "frontmatter": { "name": "review", "description": "Looks at changes.", "x": [1] },
        "resources": resources,
    })
}

fn with(field: &str, value: Value) -> Value {
    let mut entry = entry(&[]);
    entry[field] = value;
    entry
}

fn without(field: &str) -> Value {
    let mut entry = entry(&[]);
    entry.as_object_mut().unwrap().remove(field);
    entry
}

/// The rules that the entry breaks, joined.
fn refused(value: &Value) -> String {
    match entry_offer(value).unwrap().verdict {
        Verdict::Refused(rules) => told(&rules),
        other => panic!("not refused: {other:?}"),
    }
}

fn manifest(uri: &str, value: Value) -> Verdict {
    manifest_offer(uri, Some("From the resource."), &serde_json::to_vec(&value).unwrap()).verdict
}

#[test]
fn a_good_entry_is_verifiable_with_its_files_in_order() {
    let offer = entry_offer(&entry(&[
        resource("skill://team/review/b%20c.md"),
        resource("skill://team/review/a/d.md"),
    ]))
    .unwrap();
    assert_eq!(offer.uri, "skill://team/review/SKILL.md");
    assert_eq!((offer.name.as_str(), offer.description.as_str()), ("review", "Looks at changes."));
    let Verdict::Verifiable(entry) = offer.verdict else { panic!("{:?}", offer.verdict) };
    let paths: Vec<&str> = entry.files().iter().map(|file| file.path.as_str()).collect();
    assert_eq!(paths, ["SKILL.md", "a/d.md", "b c.md"]);
    assert_eq!(entry.files()[2].uri, "skill://team/review/b%20c.md");
    assert_eq!(entry.front_matter().unwrap()["x"], json!([1]));
}

#[test]
fn a_dynamic_skill_is_unverifiable() {
    let offer = entry_offer(&with("resources", json!("dynamic"))).unwrap();
    assert!(matches!(offer.verdict, Verdict::Unverifiable(_)));
}

#[test]
fn a_dynamic_skill_that_breaks_a_rule_is_refused() {
    let mut value = with("resources", json!("dynamic"));
    value["frontmatter"]["name"] = json!("other");
    assert!(refused(&value).contains("is not the last part of the skill's path"));
}

#[test]
fn resources_must_be_a_list_or_the_word_dynamic() {
    assert_eq!(refused(&without("resources")), "resources is missing");
    assert_eq!(
        refused(&with("resources", json!("none"))),
        "resources is a text, not a list of files or \"dynamic\""
    );
    assert!(refused(&with("resources", json!({}))).contains("an object"));
    assert!(refused(&with("resources", json!(null))).contains("null"));
}

#[test]
fn front_matter_must_be_an_object_with_name_and_description() {
    assert_eq!(refused(&without("frontmatter")), "frontmatter is missing");
    assert_eq!(refused(&with("frontmatter", json!([]))), "frontmatter is a list, not an object");
    assert_eq!(
        refused(&with("frontmatter", json!({ "name": "review" }))),
        "frontmatter has no description"
    );
    assert_eq!(
        refused(&with("frontmatter", json!({ "description": "d" }))),
        "frontmatter has no name"
    );
    assert!(
        refused(&with("frontmatter", json!({ "name": 1, "description": "d" })))
            .contains("name in frontmatter is not a text")
    );
    assert!(
        refused(&with("frontmatter", json!({ "name": "review", "description": false })))
            .contains("description in frontmatter is not a text")
    );
}

#[test]
fn a_name_that_is_not_the_last_segment_is_refused() {
    let rule = refused(&with("frontmatter", json!({ "name": "other", "description": "d" })));
    assert_eq!(rule, "the name \"other\" is not the last part of the skill's path, \"review\"");
}

#[test]
fn a_digest_of_another_form_is_refused() {
    for digest in [
        json!("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        json!("sha256:BA7816BF8F01CFEA414140DE5DAE2223B00361A396177A9CB410FF61F20015AD"),
        json!("sha256:ba78"),
        json!("md5:900150983cd24fb0d6963f7d28e17f72"),
        json!(7),
    ] {
        let bad = json!({ "uri": "skill://team/review/a", "digest": digest, "size": 3 });
        assert!(refused(&entry(&[bad])).contains("64 lowercase hexadecimal digits"), "{digest}");
    }
    let none = json!({ "uri": "skill://team/review/a", "size": 3 });
    assert_eq!(refused(&entry(&[none])), "\"skill://team/review/a\" has no digest");
}

#[test]
fn a_size_that_is_not_a_whole_number_is_refused() {
    for size in [json!(-1), json!(1.5), json!(0.0), json!(1e308), json!("3"), json!(null)] {
        let bad = json!({ "uri": "skill://team/review/a", "digest": DIGEST, "size": size });
        assert!(refused(&entry(&[bad])).contains("not a whole number of bytes"), "{size}");
    }
    let none = json!({ "uri": "skill://team/review/a", "digest": DIGEST });
    assert_eq!(refused(&entry(&[none])), "\"skill://team/review/a\" has no size");
}

#[test]
fn a_missing_own_skill_md_is_refused() {
    let value = with("resources", json!([resource("skill://team/review/a.md")]));
    assert_eq!(refused(&value), "its own SKILL.md is not among its files");
    assert_eq!(refused(&with("resources", json!([]))), "its own SKILL.md is not among its files");
}

#[test]
fn its_skill_md_under_another_spelling_is_refused() {
    let value = with("resources", json!([resource("skill://team/revie%77/SKILL.md")]));
    assert!(refused(&value).starts_with("its own SKILL.md is listed as"));
}

#[test]
fn a_file_listed_twice_is_refused_under_any_spelling() {
    let twice =
        entry(&[resource("skill://team/review/a.md"), resource("skill://team/review/%61.md")]);
    assert_eq!(refused(&twice), "\"a.md\" is listed twice");
}

#[test]
fn files_outside_the_skill_are_refused() {
    for uri in [
        "skill://team/other/a.md",
        "skill://team/review2/a.md",
        "skill://team/review",
        "file:///etc/passwd",
        "https://example.org/a.md",
        "other://team/review/a.md",
        "a.md",
        "",
    ] {
        assert!(!refused(&entry(&[resource(uri)])).is_empty(), "{uri}");
    }
}

#[test]
fn paths_that_could_leave_the_folder_are_refused() {
    for tail in [
        "../x",
        "..%2fx",
        "a%2f..%2fx",
        "..%5cx",
        "C:%5cx",
        "%00",
        "a//b",
        "./a",
        "a/%2e%2e/b",
        "C:x",
        "con",
        "NUL.txt",
        "a.",
        "a%20",
        "%0a",
        "x%3fy",
        "%ff",
    ] {
        let uri = format!("skill://team/review/{tail}");
        assert!(!refused(&entry(&[resource(&uri)])).is_empty(), "{tail}");
    }
}

#[test]
fn a_query_or_fragment_is_no_part_of_a_path() {
    assert!(
        refused(&entry(&[resource("skill://team/review/a?b")])).contains("query or a fragment")
    );
    assert!(
        refused(&entry(&[resource("skill://team/review/a#b")])).contains("query or a fragment")
    );
}

#[test]
fn names_that_only_some_file_systems_tell_apart_are_refused() {
    let both = entry(&[
        resource("skill://team/review/Readme.md"),
        resource("skill://team/review/README.md"),
    ]);
    assert!(refused(&both).contains("cannot both exist on every file system"));
    let clash = entry(&[resource("skill://team/review/a"), resource("skill://team/review/a/b")]);
    assert!(refused(&clash).contains("cannot both exist"));
}

#[test]
fn skill_uris_that_name_no_skill_on_the_server_are_refused() {
    for uri in [
        "file:///home/me/review/SKILL.md",
        "https://example.org/review/SKILL.md",
        "skill://SKILL.md",
        "skill://review/skill.md",
        "skill://../review/SKILL.md",
        "skill://a/../review/SKILL.md",
        "review/SKILL.md",
    ] {
        assert!(!refused(&with("uri", json!(uri))).is_empty(), "{uri}");
    }
}

#[test]
fn the_limits_hold_to_the_file_and_to_the_byte() {
    let files = |count: usize| {
        let list: Vec<Value> =
            (1..count).map(|n| resource(&format!("skill://team/review/{n}"))).collect();
        entry(&list)
    };
    assert!(matches!(entry_offer(&files(512)).unwrap().verdict, Verdict::Verifiable(_)));
    assert_eq!(refused(&files(513)), "the skill has 513 files; 512 is the most");

    let bytes = |size: u64| {
        entry(&[json!({ "uri": "skill://team/review/a", "digest": DIGEST, "size": size })])
    };
    assert!(matches!(entry_offer(&bytes(16_777_213)).unwrap().verdict, Verdict::Verifiable(_)));
    assert_eq!(refused(&bytes(16_777_214)), "the skill has 16777217 bytes; 16777216 is the most");
    assert!(refused(&bytes(u64::MAX)).contains("is the most"));
}

#[test]
fn many_broken_rules_are_counted_not_all_told() {
    let bad: Vec<Value> = (0..100).map(|n| json!({ "uri": format!("other://{n}") })).collect();
    let Verdict::Refused(rules) = entry_offer(&entry(&bad)).unwrap().verdict else { panic!() };
    assert_eq!(rules.len(), 21);
    assert_eq!(rules[20].message, "and 280 more");
}

#[test]
fn an_entry_without_a_uri_is_a_notice() {
    assert_eq!(entry_offer(&without("uri")).unwrap_err(), "an entry without a uri was left out");
    assert!(entry_offer(&json!("x")).is_err());
    assert!(entry_offer(&json!({ "uri": 1 })).is_err());
    let long = format!("skill://{}/SKILL.md", "a".repeat(5000));
    assert!(entry_offer(&json!({ "uri": long })).unwrap_err().contains("5017 bytes"));
}

#[test]
fn a_uri_that_comes_twice_is_refused_both_times() {
    let mut offers = vec![entry_offer(&entry(&[])).unwrap(), entry_offer(&entry(&[])).unwrap()];
    let other = json!({
        "uri": "skill://b/SKILL.md",
        "frontmatter": { "name": "b", "description": "" },
        "resources": [resource("skill://b/SKILL.md")],
    });
    offers.push(entry_offer(&other).unwrap());
    refuse_repeated(&mut offers);
    assert!(
        matches!(&offers[0].verdict, Verdict::Refused(rules) if rules[0].code == "repeated-uri")
    );
    assert!(matches!(&offers[1].verdict, Verdict::Refused(_)));
    assert!(matches!(&offers[2].verdict, Verdict::Verifiable(_)));
}

#[test]
fn a_manifest_becomes_an_entry_with_encoded_uris_and_no_front_matter() {
    let verdict = manifest(
        "skill://pdf/SKILL.md",
        json!({ "skill": "pdf", "files": [
            { "path": "SKILL.md", "size": 3, "hash": DIGEST },
            { "path": "a b/#1.md", "size": 3, "hash": DIGEST },
        ]}),
    );
    let Verdict::Verifiable(entry) = verdict else { panic!("{verdict:?}") };
    assert_eq!(entry.front_matter(), None);
    assert_eq!(entry.description(), "From the resource.");
    assert_eq!(entry.files()[1].uri, "skill://pdf/a%20b/%231.md");
}

#[test]
fn broken_manifests_are_refused() {
    let main = json!({ "path": "SKILL.md", "size": 3, "hash": DIGEST });
    for (value, rule) in [
        (json!([]), "no list of files"),
        (json!({ "files": {} }), "no list of files"),
        (json!({ "files": [] }), "SKILL.md is not among its files"),
        (json!({ "files": [main, { "size": 3, "hash": DIGEST }] }), "has no path"),
        (json!({ "files": [main, { "path": "../x", "size": 3, "hash": DIGEST }] }), "`.` or `..`"),
        (
            json!({ "files": [main, { "path": "/etc/x", "size": 3, "hash": DIGEST }] }),
            "empty component",
        ),
        (json!({ "files": [main, { "path": "a", "size": 3, "hash": "x" }] }), "64 lowercase"),
        (json!({ "files": [main, main] }), "listed twice"),
    ] {
        let Verdict::Refused(rules) = manifest("skill://pdf/SKILL.md", value.clone()) else {
            panic!("not refused: {value}")
        };
        assert!(told(&rules).contains(rule), "{rules:?}");
    }
    let offer = manifest_offer("skill://pdf/SKILL.md", None, b"<html>");
    assert!(
        matches!(offer.verdict, Verdict::Refused(rules) if rules[0].message.contains("not JSON"))
    );
}

#[test]
fn a_path_of_very_many_folders_is_refused_at_once() {
    let deep = vec!["a"; 200_000].join("/");
    let file = |path: &str| json!({ "path": path, "size": 3, "hash": DIGEST });
    let manifest = json!({ "files": [file("SKILL.md"), file(&deep), file(&format!("{deep}/b"))] });
    let offer = manifest_offer("skill://a/SKILL.md", None, manifest.to_string().as_bytes());
    let Verdict::Refused(rules) = offer.verdict else { panic!() };
    assert!(rules[0].message.ends_with("has more than 768 bytes"), "{rules:?}");
    assert!(rules.iter().all(|rule| rule.message.len() + rule.actual.len() < 800));
}

#[test]
fn a_nested_skill_is_cut_out_of_the_outer_one() {
    let Verdict::Verifiable(outer) = entry_offer(&entry(&[
        resource("skill://team/review/inner/SKILL.md"),
        resource("skill://team/review/inner/a.md"),
        resource("skill://team/review/inner2/b.md"),
    ]))
    .unwrap()
    .verdict
    else {
        panic!()
    };
    let inner = nested_entry(&outer, "inner/SKILL.md").unwrap();
    assert_eq!(inner.uri().as_str(), "skill://team/review/inner/SKILL.md");
    let paths: Vec<&str> = inner.files().iter().map(|file| file.path.as_str()).collect();
    assert_eq!(paths, ["SKILL.md", "a.md"]);
    assert_eq!(inner.front_matter(), None);
    assert!(nested_entry(&outer, "SKILL.md").is_none());
    assert!(nested_entry(&outer, "inner2/SKILL.md").is_none());
    assert!(nested_entry(&outer, "inner/a.md").is_none());
}

proptest! {
    #[test]
    fn no_resource_uri_makes_a_path_that_leaves_the_folder(tail in "[a-zA-Z0-9./%\\\\:?#]{0,24}") {
        let offer = entry_offer(&entry(&[resource(&format!("skill://team/review/{tail}"))])).unwrap();
        if let Verdict::Verifiable(entry) = offer.verdict {
            for file in entry.files() {
                prop_assert!(!file.path.starts_with('/'));
                prop_assert!(!file.path.contains(['\\', ':', '\0']));
                prop_assert!(file.path.split('/').all(|part| !matches!(part, "" | "." | "..")));
            }
        }
    }

    #[test]
    fn any_text_for_a_uri_gives_an_answer(uri in ".{0,80}") {
        let _ = entry_offer(&with("uri", json!(uri)));
    }
}
