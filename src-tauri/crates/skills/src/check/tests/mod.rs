//! One test a rule, each with what comes close and must stay silent.

mod at_once;
mod fixing;
mod folders;
mod lines;
mod properties;
mod specials;
mod twice;

use std::collections::BTreeSet;

use super::*;
use crate::digest::Digest;
use crate::manifest::ManifestFile;

pub(super) fn manifest(paths: &[&str]) -> Manifest {
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

/// The same for a good skill with these fields and a body of one line.
fn with_fields(fields: &str) -> Vec<(&'static str, u32, u32)> {
    codes_of(&format!("---\n{fields}---\nbody\n"))
}

/// The same for one more field of a good skill, which then stands on line 4.
fn with(field: &str) -> Vec<(&'static str, u32, u32)> {
    with_fields(&format!("name: a\ndescription: b\n{field}\n"))
}

fn with_body(body: &str) -> Vec<(&'static str, u32, u32)> {
    codes_of(&format!("---\nname: a\ndescription: b\n---\n{body}"))
}

fn described(description: &str) -> Vec<(&'static str, u32, u32)> {
    with_fields(&format!("name: a\ndescription: {description}\n"))
}

/// The codes of a skill called `name` in a folder of that name.
fn named(name: &str) -> Vec<&'static str> {
    let text = format!("---\nname: {name}\ndescription: b\n---\nbody\n");
    check(name, &manifest(&[]), text.as_bytes()).into_iter().map(|found| found.code).collect()
}

#[test]
fn a_good_skill_has_nothing_to_say() {
    assert_eq!(
        with_fields(
            "name: a\ndescription: b\nlicense: MIT\ncompatibility: c\nallowed-tools: Read\nmetadata:\n  x: 'y'\n"
        ),
        []
    );
}

#[test]
fn front_matter_must_be_there_and_end() {
    assert_eq!(codes_of("body\n"), [("frontmatter-missing", 1, 1)]);
    assert_eq!(codes_of("---\nname: a\n"), [("frontmatter-unclosed", 1, 1)]);
    assert_eq!(codes_of("---\n---\nbody\n"), [("frontmatter-empty", 1, 1)]);
    assert_eq!(
        codes_of("--- \nname: a\ndescription: b\n---\nbody\n"),
        [("frontmatter-delimiter", 1, 4)]
    );
    assert_eq!(with_fields("- a\n"), [("frontmatter-not-mapping", 2, 1)]);
    assert_eq!(with_fields("name: a\ndescription: b\n"), []);
}

#[test]
fn an_unquoted_colon_is_named_with_its_place() {
    let found =
        check("a", &manifest(&[]), b"---\nname: a\ndescription: Use when: asked\n---\nbody\n");
    assert_eq!(found.len(), 1);
    assert_eq!(
        found[0].place,
        Some(Place { file: "SKILL.md".into(), line: 3, column: 22, length: 1 })
    );
    assert!(found[0].help.as_deref().unwrap().contains("quotes"));
    assert!(found[0].fixable());
    assert_eq!(described("\"Use when: asked\""), []);
    assert_eq!(described("Use a:b"), []);
}

#[test]
fn yaml_must_be_whole() {
    assert_eq!(with("x: [a")[0].0, "frontmatter-yaml");
    assert_eq!(with("description: c"), [("frontmatter-duplicate-key", 4, 1)]);
    assert_eq!(with("1: c").first(), Some(&("frontmatter-key-type", 4, 1)));
    assert_eq!(with("license: 2024-01-01").first(), Some(&("frontmatter-value", 4, 10)));
    assert_eq!(with("license: '2024-01-01'"), []);
    // What only strict mode stops at.
    assert_eq!(described("\u{2028}b")[0].0, "frontmatter-yaml");
    assert_eq!(codes_of("---\nname:\ta\ndescription: b\n---\nbody\n")[0].0, "frontmatter-yaml");
}

#[test]
fn values_that_yaml_versions_read_differently_are_named() {
    assert_eq!(with("model: yes"), [("yaml-versions-differ", 4, 8), ("field-of-tool", 4, 1)]);
    assert_eq!(with("metadata:\n  x: 012")[1], ("yaml-versions-differ", 5, 6));
    assert_eq!(with("model: 'yes'"), [("field-of-tool", 4, 1)]);
    assert_eq!(with("model: true"), [("field-of-tool", 4, 1)]);
}

#[test]
fn text_must_be_utf_8_without_hidden_ends() {
    let found = check("a", &manifest(&[]), b"---\nname: a\ndescription: b\n---\n\xff\n");
    assert_eq!(found[0].code, "not-utf8");
    assert_eq!(with_body("a\u{7}\0"), [("control-character", 5, 2), ("nul-character", 5, 3)]);
    assert_eq!(with_body("a\tb\n"), []);
}

#[test]
fn a_byte_order_mark_is_a_warning() {
    assert_eq!(
        codes_of("\u{feff}---\nname: a\ndescription: b\n---\nbody\n"),
        [("byte-order-mark", 1, 1)]
    );
}

#[test]
fn lines_end_in_one_way() {
    let text = "---\nname: a\ndescription: b\n---\nbody\n";
    assert_eq!(codes_of(&text.replace('\n', "\r\n")), []);
    assert_eq!(codes_of(&format!("{text}x\r\n")), [("line-endings", 6, 2)]);
    assert_eq!(codes_of(&text.replace('\n', "\r"))[1], ("line-endings", 1, 4));
}

#[test]
fn an_unfinished_merge_is_named_where_it_is() {
    assert_eq!(
        with_body("<<<<<<< HEAD\nx\n=======\n>>>>>>> b\n"),
        [("merge-marker", 5, 1), ("merge-marker", 8, 1)]
    );
    assert_eq!(with_body("Title\n=======\n>>>>>>>\n<<<<<< x\n"), []);
}

#[test]
fn names_are_there_and_texts() {
    let ok = "description: b\n";
    assert_eq!(with_fields(ok), [("name-missing", 1, 1)]);
    assert_eq!(with_fields(&format!("name:\n{ok}"))[0].0, "name-missing");
    assert_eq!(
        with_fields(&format!("name: 1\n{ok}")),
        [("name-folder", 2, 7), ("name-type", 2, 7)]
    );
    assert_eq!(with_fields(&format!("name: \"a\"\n{ok}")), []);
}

#[test]
fn a_front_matter_without_fields_lacks_name_and_description() {
    let in_braces = ("flow-style", 2, 1);
    let missing = [("description-missing", 1, 1), ("name-missing", 1, 1)];
    for fields in ["{}\n", "{\n}\n", "!!map {}\n", "# c\n{} # d\n"] {
        let found = with_fields(fields);
        assert_eq!(found[..2], missing, "{fields}");
        assert_eq!((found.len(), found[2].0), (3, "flow-style"), "{fields}");
        assert!(publishable(format!("---\n{fields}---\n").as_bytes(), "a").is_err());
    }
    assert_eq!(with_fields("{name: a, description: [b]}\n")[1..], [in_braces]);
    assert_eq!(with_fields("{name: a, description: b}\n"), [in_braces]);
    // What could not be read is told, and not that it is missing.
    assert_eq!(with_fields(""), [("frontmatter-empty", 1, 1)]);
    assert_eq!(with_fields("[]\n"), [("frontmatter-not-mapping", 2, 1)]);
}

#[test]
fn names_have_a_form_and_a_length() {
    for name in ["A", "a_b", "-a", "a-", "a--b", "a b", "é", "'a '", "''"] {
        let found = with_fields(&format!("name: {name}\ndescription: b\n"));
        assert!(found.contains(&("name-form", 2, 7)), "{name}");
    }
    assert_eq!(named(&"b".repeat(64)), [""; 0]);
    assert_eq!(named(&"b".repeat(65)), ["name-length"]);
    assert_eq!(named("a-1-b"), [""; 0]);
}

#[test]
fn the_name_is_that_of_the_folder() {
    let found = check("a", &manifest(&[]), b"---\nname: b\ndescription: b\n---\nbody\n");
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].code, found[0].severity), ("name-folder", Severity::Error));
    assert_eq!(found[0].message, "the field `name` is \"b\" and the folder is \"a\"");
    assert_eq!(found[0].fixes.len(), 2);
}

#[test]
fn letters_of_other_scripts_are_named() {
    // U+0430, Cyrillic.
    let found = with_fields("name: \u{430}\ndescription: b\n");
    assert_eq!(found[2], ("name-look-alike", 2, 7));
    assert!(!named("日本").contains(&"name-look-alike"));
}

#[test]
fn names_of_devices_and_vendors_are_named() {
    assert_eq!(named("con"), ["name-reserved"]);
    assert_eq!(named("lpt1"), ["name-reserved"]);
    assert_eq!(named("console"), [""; 0]);
    assert_eq!(named("claude-helper"), ["name-vendor-word"]);
    assert_eq!(named("cloud-helper"), [""; 0]);
}

#[test]
fn descriptions_are_there_and_say_something() {
    assert_eq!(with_fields("name: a\n"), [("description-missing", 1, 1)]);
    assert_eq!(described("").first().map(|one| one.0), Some("description-blank"));
    assert_eq!(described("' '")[0], ("description-blank", 3, 14));
    assert_eq!(described("12"), [("description-type", 3, 14)]);
    let most = "é".repeat(1024);
    assert_eq!(described(&most), []);
    assert_eq!(described(&format!("{most}é")), [("description-length", 3, 14)]);
}

#[test]
fn blanks_around_a_description_are_named_in_quotes_only() {
    assert_eq!(described("\" b\""), [("description-blanks", 3, 14)]);
    assert_eq!(described("'b '"), [("description-blanks", 3, 14)]);
    assert_eq!(described("|\n  b"), []);
    assert_eq!(described("b  "), []);
}

#[test]
fn a_description_says_when_and_that_is_asked_of_english_only() {
    assert_eq!(
        described("Extracts text and tables from PDF files."),
        [("description-when", 3, 14)]
    );
    for silent in [
        "Extracts text and tables from PDF files. Use when working with PDFs.",
        "Extracts text of PDF files, whenever the user mentions them",
        "A guide for creating the slides of a talk",
        "Extrae texto de archivos PDF",
        "Extrahiert Texte aus PDF-Dateien",
        "从PDF文件中提取文本",
        "b",
    ] {
        assert_eq!(described(silent), [], "{silent}");
    }
}

#[test]
fn tags_in_a_description_are_named() {
    assert_eq!(described("Use <b>now</b>"), [("description-tags", 3, 14)]);
    assert_eq!(described("Use <system>"), [("description-tags", 3, 14)]);
    assert_eq!(described("Use 1 < 2 > 0 or a <-> b or <name of file>"), []);
}

#[test]
fn unknown_fields_are_warnings_that_say_what_was_meant() {
    assert_eq!(with("allowed_tools: Read"), [("field-misspelt", 4, 1)]);
    assert_eq!(with("licence: MIT"), [("field-misspelt", 4, 1)]);
    assert_eq!(with("License: MIT"), [("field-misspelt", 4, 1)]);
    assert_eq!(with("wholly-new: x"), [("field-unknown", 4, 1)]);
    let found =
        check("a", &manifest(&[]), b"---\nname: a\ndescription: b\nlicence: MIT\n---\nbody\n");
    assert_eq!(found[0].message, "`licence` is not a field; did you mean `license`?");
    assert_eq!(found[0].severity, Severity::Warning);
    assert_eq!(with("hooks: x"), [("field-of-tool", 4, 1)]);
    assert_eq!(with("license: MIT"), []);
}

#[test]
fn other_fields_have_their_types() {
    assert_eq!(with("license: 1"), [("license-type", 4, 10)]);
    assert_eq!(with("compatibility: ''"), [("compatibility-type", 4, 16)]);
    assert_eq!(with(&format!("compatibility: {}", "é".repeat(500))), []);
    assert_eq!(
        with(&format!("compatibility: {}", "é".repeat(501))),
        [("compatibility-type", 4, 16)]
    );
    assert_eq!(with("metadata: x"), [("metadata-type", 4, 11)]);
    assert_eq!(with("metadata:\n  x: 1"), [("metadata-values", 5, 6)]);
    assert_eq!(with("metadata:\n  x: '1'"), []);
}

#[test]
fn allowed_tools_are_one_text_without_wildcards() {
    assert_eq!(with("allowed-tools:\n  - Read"), [("allowed-tools-list", 5, 3)]);
    assert_eq!(with("allowed-tools: 1"), [("allowed-tools-type", 4, 16)]);
    assert_eq!(with("allowed-tools: Read Bash(*)"), [("allowed-tools-wildcard", 4, 16)]);
    assert_eq!(with("allowed-tools: '*'"), [("allowed-tools-wildcard", 4, 16)]);
    assert_eq!(with("allowed-tools: Bash(git:*) Read"), []);
}

#[test]
fn what_the_formats_own_validator_refuses_is_named() {
    assert_eq!(with("metadata: {x: 'y'}"), [("flow-style", 4, 11)]);
    assert_eq!(
        with("allowed-tools: [Read]"),
        [("allowed-tools-list", 4, 16), ("flow-style", 4, 16)]
    );
    assert_eq!(with("license: a---b"), [("frontmatter-dashes", 4, 11)]);
    assert_eq!(with("license: a--b"), []);
    assert_eq!(with_body("---\n\nx --- y\n"), []);
}

#[test]
fn a_body_is_there_and_not_too_long() {
    assert_eq!(with_body(""), [("body-empty", 5, 1)]);
    assert_eq!(with_body(" \n\n"), [("body-empty", 5, 1)]);
    assert_eq!(with_body(&"x\n".repeat(500)), []);
    assert_eq!(with_body(&"x\n".repeat(501)), [("body-long", 505, 1)]);
    assert_eq!(with_body(&"x".repeat(20_000)), []);
    assert_eq!(with_body(&"x".repeat(20_001)), [("body-tokens", 5, 1)]);
}

#[test]
fn links_lead_to_files_of_the_skill() {
    let text = "---\nname: a\ndescription: b\n---\n[ok](docs/x.md#top) [folder](docs) [web](https://a.b) [anchor](#x)\n[gone](./gone.md \"t\") [out](../../b) [abs](/etc/x)\n```\n[code](none.md)\n```\n";
    assert_eq!(
        codes_with(text, &["docs/x.md"]),
        [("link-missing", 6, 8), ("link-outside", 6, 29), ("link-absolute", 6, 44)]
    );
}

#[test]
fn links_lead_one_level_deep() {
    let text = "---\nname: a\ndescription: b\n---\n[a](a/b.md) [b](a/b/c.md)\n";
    assert_eq!(codes_with(text, &["a/b.md", "a/b/c.md"]), [("link-deep", 5, 17)]);
}

#[test]
fn paths_are_portable_and_do_not_collide() {
    let good = "---\nname: a\ndescription: b\n---\nx\n";
    assert_eq!(codes_with(good, &["README.md", "Readme.md"]), [("path-collision", 1, 1)]);
    assert_eq!(
        codes_with(good, &["A", "a", "b/C", "b/c", "b/\u{e9}", "b/e\u{301}"]),
        [("path-collision", 1, 1); 3]
    );
    assert_eq!(codes_with(good, &["caf\u{e9}", "cafe\u{301}"]), [("path-collision", 1, 1)]);
    assert_eq!(codes_with(good, &["con.txt"]), [("path-not-portable", 1, 1)]);
    assert_eq!(codes_with(good, &["README.md", "docs/Readme.md", "console.txt"]), []);
}

#[test]
fn files_that_no_uri_reaches_are_errors() {
    let good = "---\nname: a\ndescription: b\n---\nx\n";
    assert_eq!(codes_with(good, &["_manifest"]), [("path-no-uri", 1, 1)]);
    assert_eq!(codes_with(good, &["a\\b"]), [("path-no-uri", 1, 1), ("path-not-portable", 1, 1)]);
    assert_eq!(codes_with(good, &["docs/_manifest"]), []);
}

#[test]
fn nested_skills_are_named() {
    let good = "---\nname: a\ndescription: b\n---\nx\n";
    assert_eq!(codes_with(good, &["b/SKILL.md"]), [("nested-skill", 1, 1)]);
    assert_eq!(codes_with(good, &["b/MY-SKILL.md"]), []);
}

#[test]
fn both_sides_of_the_limits_are_known() {
    let good = "---\nname: a\ndescription: b\n---\nx\n";
    let many: Vec<String> = (0..512).map(|n| format!("f{n}")).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    assert_eq!(codes_with(good, &many[1..]), []);
    assert_eq!(codes_with(good, &many), [("too-many-files", 0, 0)]);
    let of = |size| {
        let file = ManifestFile { path: "SKILL.md".into(), size, digest: Digest::of(b"x") };
        let found = check("a", &Manifest::new(vec![file]).unwrap(), good.as_bytes());
        found.into_iter().map(|one| one.code).collect::<Vec<_>>()
    };
    assert_eq!(of(16 * 1024 * 1024), [""; 0]);
    assert_eq!(of(16 * 1024 * 1024 + 1), ["too-many-bytes"]);
}

#[test]
fn every_rule_is_stated_in_full_and_once() {
    let codes: BTreeSet<&str> = rules().iter().map(|rule| rule.code).collect();
    assert_eq!(codes.len(), rules().len());
    for rule in rules() {
        let kebab = |b: u8| b.is_ascii_lowercase() || b == b'-' || b.is_ascii_digit();
        assert!(rule.code.bytes().all(kebab), "{}", rule.code);
        assert!(rule.message.ends_with('.'), "{}", rule.code);
        assert!(!rule.help.is_empty() && !rule.help.ends_with('.'), "{}", rule.code);
        assert!(!rule.source.is_empty(), "{}", rule.code);
    }
}

#[test]
fn a_flood_of_one_fault_is_a_few_diagnostics() {
    let count =
        |text: &str, code: &str| codes_of(text).iter().filter(|found| found.0 == code).count();
    let head = "---\nname: a\ndescription: b\n---\n";
    assert_eq!(count(&format!("{head}{}\n", "[x](y) ".repeat(20_000)), "link-missing"), 20);
    assert_eq!(count(&format!("{head}{}\n", "\u{1}".repeat(20_000)), "control-character"), 20);
    assert_eq!(count(&format!("{head}{}\n", "<<<<<<< a\n".repeat(999)), "merge-marker"), 20);
    let numbers: String = (0..500).map(|n| format!("  k{n}: {n}\n")).collect();
    let text = format!("---\nname: a\ndescription: b\nmetadata:\n{numbers}---\nx\n");
    assert_eq!(count(&text, "metadata-values"), 20);
    let unknown: String = (0..500).map(|n| format!("zzzzzzzz{n}: x\n")).collect();
    let text = format!("---\nname: a\ndescription: b\n{unknown}---\nx\n");
    assert_eq!(count(&text, "field-unknown"), 20);
}

#[test]
fn a_front_matter_at_its_limit_costs_no_more_than_its_length() {
    let text = |lines: usize| {
        let long = format!("# {}\n", "x".repeat(98)).repeat(lines);
        let numbers: String = (0..40).map(|n| format!("  k{n}: {n}\n")).collect();
        format!("---\nname: a\ndescription: b\nmetadata:\n{numbers}{long}---\nx\n")
    };
    let fixable = |text: &str| {
        let found = check("a", &manifest(&[]), text.as_bytes());
        found.iter().filter(|one| one.fixable()).count()
    };
    assert_eq!(fixable(&text(1)), 20);
    // 4 MiB are read again at most: of about 252 KiB sixteen times.
    assert_eq!(fixable(&text(2_550)), 16);
}
