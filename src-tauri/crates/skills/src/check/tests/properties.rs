//! What holds of every fix, whatever the file.

use proptest::prelude::*;

use super::*;
use crate::fix::edited;

/// How often each code comes.
fn counts(found: &[Diagnostic]) -> std::collections::BTreeMap<&'static str, usize> {
    let mut counts = std::collections::BTreeMap::new();
    for one in found {
        *counts.entry(one.code).or_default() += 1;
    }
    counts
}

/// Whether a fix does what it should: its diagnostic goes away, none is added, and the values of
/// all fields but one stay.
fn holds(folder: &str, bytes: &[u8]) -> Result<usize, String> {
    let before = check(folder, &manifest(&[]), bytes);
    let fields = FrontMatter::read(bytes);
    let mut tried = 0;
    for one in &before {
        for fix in &one.fixes {
            tried += 1;
            let (folder, after) = match fix {
                Fix::Edits { edits, .. } => {
                    (folder, edited(bytes, edits).map_err(|error| error.to_string())?)
                }
                Fix::RenameFolder { to, .. } => (to.as_str(), bytes.to_vec()),
            };
            let told = |what: &str| {
                let after = String::from_utf8_lossy(&after);
                Err(format!("{what}: {} {:?}\n{after:?}", one.code, fix))
            };
            let (before, left) = (counts(&before), counts(&check(folder, &manifest(&[]), &after)));
            if left.get(one.code).copied().unwrap_or(0) >= before[one.code] {
                return told("the diagnostic stays");
            }
            // What is wrong with single values shows only once the whole can be read.
            let masked = before.contains_key("frontmatter-unquoted-colon")
                || before.contains_key("frontmatter-yaml");
            if masked {
                continue;
            }
            if left.iter().any(|(code, left)| before.get(code).is_none_or(|had| had < left)) {
                return told("a diagnostic is added");
            }
            let after = FrontMatter::read(&after);
            if lines_of(after.body()) != lines_of(fields.body()) {
                return told("the body changes");
            }
            let changed = fields
                .fields()
                .iter()
                .filter(|(name, value)| after.fields().get(*name) != Some(value))
                .count();
            let added =
                after.fields().keys().filter(|name| !fields.fields().contains_key(*name)).count();
            if changed > 1 || added > 1 {
                return told("other fields change");
            }
        }
    }
    Ok(tried)
}

/// What keeps a front matter from being read.
const OF_READING: &[&str] = &["frontmatter-unquoted-colon", "frontmatter-yaml"];

/// The folder's name and the file after all fixes that can be made at once, as often as there are
/// some; or what they should not have done.
pub(super) fn all_made(folder: &str, bytes: &[u8]) -> Result<(String, Vec<u8>), String> {
    let (mut folder, mut bytes) = (folder.to_owned(), bytes.to_vec());
    for _ in 0..16 {
        let found = check(&folder, &manifest(&[]), &bytes);
        let fixes = crate::check::together::together(&folder, &bytes, &found);
        if fixes.is_empty() {
            let first = found.iter().find(|one| one.fixable());
            return match first {
                None => Ok((folder, bytes)),
                Some(one) => Err(format!("{} is fixable and is not fixed", one.code)),
            };
        }
        let mut edits = Vec::new();
        let mut name = folder.clone();
        for fix in &fixes {
            match fix {
                Fix::Edits { edits: some, .. } => edits.extend(some.iter().cloned()),
                Fix::RenameFolder { to, .. } => name.clone_from(to),
            }
        }
        edits.sort_by_key(|edit| edit.range.start);
        let after = edited(&bytes, &edits).map_err(|error| error.to_string())?;
        let told = |what: &str| {
            let (before, after) =
                (String::from_utf8_lossy(&bytes), String::from_utf8_lossy(&after));
            Err(format!("{what}: {fixes:?}\n{before:?}\n{after:?}"))
        };
        let (before, left) = (counts(&found), counts(&check(&name, &manifest(&[]), &after)));
        let masked = OF_READING.iter().any(|code| before.contains_key(code));
        let more = |(code, left): (&&'static str, &usize)| {
            before.get(code).is_none_or(|had| had < left)
                && (!masked || OF_READING.contains(code) || code.contains("delimiter"))
        };
        if left.iter().any(more) {
            return told("a diagnostic is added");
        }
        let (read, now) = (FrontMatter::read(&bytes), FrontMatter::read(&after));
        if lines_of(read.body()) != lines_of(now.body()) {
            return told("the body changes");
        }
        // Each fix changes one field, or one becomes another.
        let changed =
            read.fields().iter().filter(|(name, value)| now.fields().get(*name) != Some(value));
        if !masked && changed.count() > fixes.len() {
            return told("other fields change");
        }
        (folder, bytes) = (name, after);
    }
    Err("it takes more than 16 rounds".to_owned())
}

fn lines_of(text: &str) -> Vec<&str> {
    crate::lines::lines(text).map(crate::lines::without_last_break).collect()
}

const NAMES: &[&str] =
    &["a", "b", "'a '", "\" a\"", "A", "12", "yes", "", "|\n  a", "&x a", "!!str a"];

const RESTS: &[&str] = &[
    "description: Use when: asked",
    "description: ' b '",
    "description: >\n  b\n  c",
    "description: 12\nlicense: 1_0",
    "description: b\nallowed-tools: [Read, 'Write']\nmetadata: {a: 1, b: yes, c: x}",
    "description: b\nallowed-tools:\n- Read\n- Bash(git add:*)\n# c\nlicense: on # d",
    "description: b\nallowed_tools:\n  - Read\nlicence: 'MIT'\nLicense: 1",
    "description: b\nuser-invocable: off\nmetadata:\n  v: 1.0\n  w: {x: [no, 012]}",
];

#[test]
fn every_fix_of_these_files_does_what_it_should() {
    let mut tried = 0;
    for (at, folder) in ["a", "on", "My Skill"].into_iter().enumerate() {
        for (name_at, name) in NAMES.iter().enumerate() {
            for (rest_at, rest) in RESTS.iter().enumerate() {
                // Each pair comes with other line ends and marks in the next folder.
                let way = at + name_at + rest_at;
                let end = if way % 2 == 0 { "\n" } else { "\r\n" };
                let text = format!("---\nname: {name}\n{rest}\n---\nbody\n\nmore");
                let text = text.replace('\n', end);
                let text = match way % 4 {
                    0 | 1 => format!("\u{feff}{text}\r\n"),
                    _ => text + "\nx\r",
                };
                tried += holds(folder, text.as_bytes()).unwrap();
            }
        }
    }
    assert!(tried > 500, "{tried}");
}

fn line() -> impl Strategy<Value = String> {
    let value = prop_oneof![
        Just("yes".to_owned()),
        Just("1_0".to_owned()),
        Just("[Read, Write]".to_owned()),
        Just("\n  - Read\n  - Write # c".to_owned()),
        Just("{a: 1, b: no}".to_owned()),
        Just("\n  a: 1.0\n  b: \"x\"".to_owned()),
        Just("|\n  x\n   y\n".to_owned()),
        "[a-c1: '\"#\\-]{0,8}",
        "\"[a-c ]{0,4}\"",
        "' ?[a-c]{0,4} ?'",
    ];
    let key = prop_oneof![
        Just("name"),
        Just("description"),
        Just("license"),
        Just("licence"),
        Just("allowed-tools"),
        Just("allowed_tools"),
        Just("compatibility"),
        Just("metadata"),
        Just("model"),
        Just("user-invocable"),
        Just("\"Name\""),
        Just("# comment"),
    ];
    (key, value).prop_map(|(key, value)| format!("{key}: {value}\n"))
}

/// Fields that are misspelt, and come twice, with values of all kinds that readers stop at.
fn odd_line() -> impl Strategy<Value = String> {
    const KEYS: &[&str] = &[
        "name",
        "Name",
        "nam",
        "description",
        "descripton",
        "descriptio",
        "Description",
        "license",
        "licence",
        "License",
        "allowed-tools",
        "allowed_tools",
        "AllowedTools",
        "metadata",
        "description:a",
        "'license'",
        "\"name\"",
        "user_invocable",
        "user-invocable",
        "? name",
    ];
    const VALUES: &[&str] = &[
        "a",
        "b",
        "yes",
        "1_0",
        "2020-01-01",
        ".inf",
        "a: b",
        "a: b: c #d",
        "\"a\" b # c",
        "'a' : b",
        "' b '",
        "[Read, Write]",
        "[a, b",
        "{a: 1, b: no}",
        "@me",
        "`x`",
        "%d",
        "- x",
        "*b* c",
        "x\u{2028}y: z",
        "x\u{85}y: z",
        "' x\u{2029}'",
        "tab\there",
        "tab\t: x",
        "\n  v: 1\n  w: yes",
        "\n  a: b: c\n  d: 1",
        "\n  - Read\n  - Write",
        ">\n  f: x\n  g",
        "x\n  y: z",
        "!!str 5",
        "&k x",
        "*k",
        "\"x\\q\"",
        "\"open",
        "a # 'b",
        "\u{feff}x: y",
        "- a: b",
        "\"a: b: c\" #d",
    ];
    let key = proptest::sample::select(KEYS);
    let value = proptest::sample::select(VALUES);
    let colon = proptest::sample::select(vec![": ", ": ", ": ", ":\t", ":", ": \t", " : "]);
    let line = (key, colon, value).prop_map(|(key, colon, value)| format!("{key}{colon}{value}\n"));
    prop_oneof![
        8 => line,
        1 => proptest::sample::select(vec!["# c: d\n", "\n", "...\n", "\tTab: x\n", "  in: x\n", "no colon\n"])
            .prop_map(str::to_owned),
    ]
}

proptest! {
    // Each case checks many files.
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn every_fix_does_what_it_should(
        folder in prop_oneof![Just("a".to_owned()), "[a-c1-]{1,3}", "[A-C ]{1,2}"],
        lines in proptest::collection::vec(line(), 0..6),
        ends in proptest::sample::select(vec!["\n", "\r\n"]),
        tail in prop_oneof![Just(""), Just("x\r"), Just("y\r\n"), Just("[z](z.md)\n")],
    ) {
        let text = format!("---\n{}---\nbody\n", lines.concat()).replace('\n', ends) + tail;
        if let Err(what) = all_made(&folder, text.as_bytes()) {
            prop_assert!(false, "{}", what);
        }
        if let Err(what) = holds(&folder, text.as_bytes()) {
            prop_assert!(false, "{}", what);
        }
    }

    #[test]
    fn all_fixes_at_once_do_what_they_should(
        folder in prop_oneof![Just("a".to_owned()), "[A-C ]{1,2}"],
        lines in proptest::collection::vec(odd_line(), 0..7),
        ends in proptest::sample::select(vec!["\n", "\n", "\r\n", "\r"]),
        opener in proptest::sample::select(vec!["---", "---", "---", "\u{feff}---", "--- ", "---\t"]),
        closer in proptest::sample::select(vec!["---", "---", "--- ", "---\t", "...", "---x"]),
        tail in proptest::sample::select(vec!["", "x\r", "key: v: x\n---\n", "\n---\n\nmore\n"]),
    ) {
        let text = format!("{opener}\n{}{closer}\nbody\n{tail}", lines.concat()).replace('\n', ends);
        if let Err(what) = all_made(&folder, text.as_bytes()) {
            prop_assert!(false, "{}", what);
        }
    }

    #[test]
    fn no_bytes_make_a_check_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let _ = holds("a", &bytes);
        let text = [b"---\n".as_slice(), &bytes, b"\n---\n"].concat();
        let _ = holds("a", &text);
    }

    #[test]
    fn valid_fields_have_no_error_and_others_have(lines in proptest::collection::vec(line(), 0..6)) {
        let text = format!("---\nname: a\n{}---\nbody\n", lines.concat());
        let found = check("a", &manifest(&[]), text.as_bytes());
        let error = found.iter().any(|one| one.severity == Severity::Error);
        prop_assert_eq!(publishable(text.as_bytes(), "a").is_err(), error, "{:?}", found);
    }
}
