use super::*;
use crate::digest::Digest;
use crate::manifest::ManifestFile;

fn manifest(paths: &[&str]) -> Manifest {
    let file =
        |path: &&str| ManifestFile { path: (*path).to_owned(), size: 1, digest: Digest::of(b"x") };
    Manifest::new(paths.iter().chain(&["SKILL.md"]).map(file).collect()).unwrap()
}

/// Code, line and column; 0 where there is no place.
fn codes_of(text: &str) -> Vec<(&'static str, u32, u32)> {
    codes_with(text, &[])
}

fn codes_with(text: &str, paths: &[&str]) -> Vec<(&'static str, u32, u32)> {
    check("a", &manifest(paths), text.as_bytes())
        .into_iter()
        .map(|found| {
            (
                found.code,
                found.place.as_ref().map_or(0, |p| p.line),
                found.place.map_or(0, |p| p.column),
            )
        })
        .collect()
}

fn with_fields(fields: &str) -> Vec<(&'static str, u32, u32)> {
    codes_of(&format!("---\n{fields}---\nbody\n"))
}

#[test]
fn a_good_skill_has_nothing_to_say() {
    assert_eq!(
        with_fields(
            "name: a\ndescription: b\nlicense: MIT\nallowed-tools: Read\nmetadata:\n  x: 'y'\n"
        ),
        []
    );
}

#[test]
fn an_unquoted_colon_is_named_with_its_place() {
    let found =
        check("a", &manifest(&[]), b"---\nname: a\ndescription: Use when: asked\n---\nbody\n");
    assert_eq!(found.len(), 1);
    assert_eq!(
        found[0].message,
        "the value of `description` has an unquoted `: `, so the front matter is not YAML"
    );
    assert_eq!(
        found[0].place,
        Some(Place { file: "SKILL.md".into(), line: 3, column: 22, length: 1 })
    );
    assert!(found[0].help.as_deref().unwrap().contains("quotes"));
}

#[test]
fn names_are_checked_for_form_length_and_folder() {
    let ok = "description: b\n";
    assert_eq!(with_fields(ok), [("name-missing", 1, 1)]);
    assert_eq!(with_fields(&format!("name: 1\n{ok}")), [("name-type", 2, 7)]);
    assert_eq!(with_fields(&format!("name: b\n{ok}")), [("name-folder", 2, 7)]);
    assert_eq!(
        with_fields(&format!("name: A\n{ok}")),
        [("name-form", 2, 7), ("name-folder", 2, 7)]
    );
    let long = "b".repeat(65);
    assert_eq!(
        with_fields(&format!("name: {long}\n{ok}")),
        [("name-form", 2, 7), ("name-length", 2, 7), ("name-folder", 2, 7)]
    );
    // U+0430, Cyrillic.
    assert_eq!(
        with_fields(&format!("name: а\n{ok}")),
        [("name-form", 2, 7), ("name-folder", 2, 7), ("name-look-alike", 2, 7)]
    );
}

#[test]
fn descriptions_are_checked() {
    assert_eq!(with_fields("name: a\n"), [("description-missing", 1, 1)]);
    assert_eq!(with_fields("name: a\ndescription: ' '\n"), [("description-blank", 3, 14)]);
    assert_eq!(with_fields("name: a\ndescription: [b]\n"), [("description-type", 3, 14)]);
    let most = "é".repeat(1024);
    assert_eq!(with_fields(&format!("name: a\ndescription: {most}\n")), []);
    assert_eq!(
        with_fields(&format!("name: a\ndescription: {most}é\n")),
        [("description-length", 3, 14)]
    );
}

#[test]
fn other_fields_are_checked_by_type_and_spelling() {
    let with = |field: &str| with_fields(&format!("name: a\ndescription: b\n{field}\n"));
    assert_eq!(with("license: 1"), [("license-type", 4, 10)]);
    assert_eq!(with("compatibility: ''"), [("compatibility-type", 4, 16)]);
    assert_eq!(with("allowed-tools: [Read]"), [("allowed-tools-list", 4, 16)]);
    assert_eq!(with("allowed-tools: 1"), [("allowed-tools-type", 4, 16)]);
    assert_eq!(with("metadata: {x: 1}"), [("metadata-values", 4, 11)]);
    assert_eq!(with("metadata: x"), [("metadata-type", 4, 11)]);
    assert_eq!(with("allowed_tools: Read"), [("field-misspelt", 4, 1)]);
    assert_eq!(with("licence: MIT"), [("field-misspelt", 4, 1)]);
    assert_eq!(with("wholly-new: x"), [("field-unknown", 4, 1)]);
    assert_eq!(with("hooks: {}"), []);
}

#[test]
fn the_body_is_checked() {
    let head = "---\nname: a\ndescription: b\n---\n";
    assert_eq!(codes_of(head), [("body-empty", 0, 0)]);
    assert_eq!(codes_of(&format!("{head}{}", "x\n".repeat(501))), [("body-long", 0, 0)]);
    assert_eq!(codes_of(&format!("{head}<<<<<<< HEAD\nx\n=======\n>>>>>>> b\n")).len(), 2);
    assert_eq!(
        codes_of(&format!("{head}a\u{7}\0")),
        [("nul-character", 5, 3), ("control-character", 5, 2)]
    );
}

#[test]
fn links_lead_to_files_of_the_skill() {
    let text = "---\nname: a\ndescription: b\n---\n[ok](docs/x.md#top) [folder](docs) [web](https://a.b) [anchor](#x)\n[gone](./gone.md \"t\") [out](../../b)\n```\n[code](none.md)\n```\n";
    assert_eq!(codes_with(text, &["docs/x.md"]), [("link-missing", 6, 8), ("link-outside", 6, 29)]);
}

#[test]
fn files_are_checked_for_collisions_and_nested_skills() {
    let good = "---\nname: a\ndescription: b\n---\nx\n";
    assert_eq!(codes_with(good, &["README.md", "Readme.md"]), [("path-collision", 0, 0)]);
    assert_eq!(codes_with(good, &["b/SKILL.md"]), [("nested-skill", 0, 0)]);
    assert_eq!(codes_with(good, &["con.txt"]), [("path-not-portable", 0, 0)]);
    let many: Vec<String> = (0..512).map(|n| format!("f{n}")).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    assert_eq!(codes_with(good, &many), [("too-many-files", 0, 0)]);
}

#[test]
fn codes_are_kebab_case_and_come_once() {
    let mut seen: Vec<&str> = codes::ALL.iter().map(|code| code.code).collect();
    assert!(seen.iter().all(|code| {
        code.bytes().all(|b| b.is_ascii_lowercase() || b == b'-' || b.is_ascii_digit())
    }));
    seen.sort_unstable();
    let count = seen.len();
    seen.dedup();
    assert_eq!(seen.len(), count);
}

#[test]
fn a_flood_of_broken_links_is_a_few_diagnostics() {
    let text = format!("---\nname: a\ndescription: b\n---\n{}\n", "[x](y) ".repeat(20_000));
    let file = crate::manifest::ManifestFile {
        path: "SKILL.md".into(),
        size: 1,
        digest: crate::digest::Digest::of(b"x"),
    };
    let found = check("a", &Manifest::new(vec![file]).unwrap(), text.as_bytes());
    let links = found.iter().filter(|one| one.message == "there is no file `y`").count();
    assert_eq!(links, 20);
}
