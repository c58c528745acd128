//! The rules for single fields, and both sides of each.

use super::{Case, front};

/// A skill whose folder has this name and whose `name` is written like this.
fn named(what: &str, folder: &str, name: &str) -> Case {
    let text = front(&format!("name: {name}\ndescription: What it does.\n"));
    Case::new(what).file(&format!("root/{folder}/SKILL.md"), text)
}

/// The same, folder and field being equal.
fn called(what: &str, name: &str) -> Case {
    named(what, name, name)
}

fn described(what: &str, description: &str) -> Case {
    Case::of(what, front(&format!("name: sample\ndescription: {description}\n")))
}

pub(super) fn cases() -> Vec<Case> {
    [names(), descriptions(), others()].concat()
}

fn names() -> Vec<Case> {
    let mut cases = vec![
        called("a name of one letter", "a"),
        called("a name of one digit in the folder alone", "7"),
        named("a name of one digit in quotes", "7", "'7'"),
        named("a name of digits with a leading zero", "007", "007"),
        named("a name that YAML 1.1 takes for a boolean", "on", "on"),
        named("a name that is a date", "2024-01-01", "2024-01-01"),
        called("a name of 64 characters", &"a".repeat(64)),
        called("a name of 65 characters", &"a".repeat(65)),
        called("a name with a hyphen", "a-b"),
        called("a name with digits", "a1-2b"),
        called("a name with a leading hyphen", "-a"),
        called("a name with a trailing hyphen", "a-"),
        called("a name of one hyphen", "-"),
        named("a name of one hyphen in quotes", "-", "'-'"),
        called("a name with a doubled hyphen", "a--b"),
        called("a name with capital letters", "Sample"),
        called("a name in capital letters", "SAMPLE"),
        called("a name with an underscore", "a_b"),
        called("a name with a dot", "a.b"),
        called("a name with a blank", "a b"),
        called("a name with a colon", "a:b"),
        called("a name with a plus sign", "a+b"),
        called("a name with a percent sign", "a%20b"),
        called("a name with an at sign", "a@b"),
        called("a name with a quotation mark", "a\"b"),
        named("a name with a slash", "b", "a/b"),
        called("a name with a back-slash", "a\\b"),
        called("a name with an accent", "café"),
        called("a name with a decomposed accent", "cafe\u{301}"),
        named("a decomposed folder and a composed name", "cafe\u{301}", "café"),
        called("a name of Chinese characters", "技能"),
        called("a name of full-width letters", "ａｂｃ"),
        named("a name of full-width letters and a plain folder", "abc", "ａｂｃ"),
        called("a name with a ligature", "ﬁle"),
        named("a name with a ligature and a plain folder", "file", "ﬁle"),
        called("a name with the Kelvin sign", "\u{212a}elvin"),
        called("a name with a sharp s", "straße"),
        called("a name with a dotless i", "sımple"),
        called("a name with a superscript digit", "a²"),
        called("a name with a Roman numeral", "a\u{2167}"),
        called("a name with a look-alike letter", "sаmple"),
        called("a name with a Greek final sigma", "ως"),
        called("a name with an Arabic digit", "a٣"),
        called("a name with an emoji", "a🦀"),
        called("a name with a zero-width space", "a\u{200b}b"),
        called("a name with a non-breaking hyphen", "a\u{2011}b"),
        called("a name from right to left", "שלום"),
        called("a name with a variation selector", "a\u{fe0f}"),
        named("a name that is not the folder's", "sample", "other"),
        named("a name that is the folder's in other letters", "Sample", "sample"),
        named("a folder in small letters and a name in capital ones", "sample", "Sample"),
        named("a folder with a leading dot", ".sample", "sample"),
        named("a folder with a blank at its end", "sample ", "sample"),
        named("a folder with a percent sign", "sam%70le", "sample"),
        named("a folder with a question mark", "sample?", "sample"),
        called("a reserved name of Windows", "con"),
        called("a reserved name of Windows with a digit", "com1"),
        named("a name of blanks", "sample", "'   '"),
        named("an empty name", "sample", "''"),
        named("a name with no value", "sample", ""),
        named("a name with blanks around it", "sample", "' sample '"),
        named("a name with a line break at its end", "sample", "\"sample\\n\""),
        named("a name as a literal scalar", "sample", "|\n  sample"),
        named("a name as a stripped literal scalar", "sample", "|-\n  sample"),
        named("a name with an information separator at its end", "sample", "\"sample\\x1c\""),
        named("a name as a list", "sample", "[sample]"),
        named("a name as a mapping", "sample", "{a: sample}"),
        named("a name as null", "sample", "null"),
        named("a name of a tilde", "sample", "~"),
        named("a name of 65 characters in another folder", "sample", &"b".repeat(65)),
        named("a name of 64 emoji", "sample", &"🦀".repeat(64)),
        named(
            "a name of 64 and an accent that composes",
            "sample",
            &format!("{}e\u{301}", "a".repeat(63)),
        ),
    ];
    cases.push(Case::of("no name", front("description: What it does.\n")));
    cases.push(Case::of("no name and no description", front("license: MIT\n")));
    cases
}

fn descriptions() -> Vec<Case> {
    let mut cases = vec![
        Case::of("no description", front("name: sample\n")),
        described("a description of one character", "a"),
        described("a description as a list", "[a, b]"),
        described("a description as a mapping", "{a: b}"),
        described("a description as a block list", "\n  - a\n  - b"),
        described("a description as a folded scalar", ">\n  What it does\n  and when.\n\n  More"),
        described("a description with a line break at its end", "\"a\\n\""),
        described("a description with blanks around it", "\"  a  \""),
        described("a description of one no-break space", "\"\u{a0}\""),
        described("a description with an angle bracket", "\"<a> & </a>\""),
        described("a description of 1.5", "1.5"),
        described("a description with an anchor", "&a What it does."),
        described("a description with a tag", "!!str What it does."),
        described("a description with an unknown tag", "!a What it does."),
        described("a description of an alias", "*a"),
    ];
    for (what, letter) in [
        ("letters", "a"),
        ("accented letters", "é"),
        ("decomposed letters", "e\u{301}"),
        ("emoji", "🦀"),
        ("Chinese characters", "技"),
    ] {
        let width = letter.chars().count();
        for length in [1024, 1025] {
            let text: String = letter.repeat(length / width + 1).chars().take(length).collect();
            cases.push(described(&format!("a description of {length} characters, {what}"), &text));
        }
    }
    let text = "a".repeat(1024);
    cases.push(described("1,024 characters in quotes", &format!("\"{text}\"")));
    cases.push(described("1,024 characters and a line break", &format!("\"{text}\\n\"")));
    cases.push(described(
        "1,024 characters as a literal scalar in last place",
        &format!("|\n  {text}"),
    ));
    cases.push(Case::of(
        "1,024 characters as a literal scalar before another field",
        front(&format!("name: sample\ndescription: |\n  {text}\nlicense: MIT\n")),
    ));
    cases.push(described("1,024 blanks and a letter", &format!("\"{}a\"", " ".repeat(1024))));
    cases
}

fn others() -> Vec<Case> {
    let mut cases = Vec::new();
    // Each of them with each type; strict mode, the format and skills-ref draw the line elsewhere.
    for field in ["license", "compatibility", "allowed-tools", "metadata", "version", "hooks"] {
        for (what, value) in [
            ("a text", " MIT"),
            ("an empty text", " ''"),
            ("a text of blanks", " '  '"),
            ("nothing", ""),
            ("null", " null"),
            ("a number", " 12"),
            ("a float", " 1.5"),
            ("a boolean", " true"),
            ("a YAML 1.1 boolean", " yes"),
            ("a date", " 2024-01-01"),
            ("an empty list", " []"),
            ("a list of texts", " [Read, Grep]"),
            ("a block list of texts", "\n  - Read\n  - Bash(git:*)"),
            ("a list of numbers", " [1, 2]"),
            ("a list of texts and a number", " [Read, 2]"),
            ("a list with null", " [Read, ~]"),
            ("a list of lists", " [[Read]]"),
            ("an empty mapping", " {}"),
            ("a mapping of texts", "\n  author: a\n  version: '1.0'"),
            ("a mapping with a number", "\n  version: 1.0"),
            ("a mapping with a boolean", "\n  internal: yes"),
            ("a mapping with null", "\n  author:"),
            ("a mapping with a list", "\n  tags: [a, b]"),
            ("a mapping with a mapping", "\n  a:\n    b: c"),
            ("a mapping with a date", "\n  updated: 2024-01-01"),
            ("a mapping with a number as a key", "\n  1: a"),
        ] {
            cases.push(Case::with_fields(
                format!("`{field}` as {what}"),
                &format!("{field}:{value}\n"),
            ));
        }
    }
    for length in [1, 499, 500, 501] {
        for (what, letter) in [("letters", "a"), ("emoji", "🦀")] {
            cases.push(Case::with_fields(
                format!("`compatibility` of {length} {what}"),
                &format!("compatibility: {}\n", letter.repeat(length)),
            ));
        }
    }
    cases.push(Case::with_fields(
        "`compatibility` of 500 letters and a line break",
        &format!("compatibility: |\n  {}\nlicense: MIT\n", "a".repeat(500)),
    ));
    for value in [
        "Read Grep Glob",
        "Read, Grep, Glob",
        "Bash(git:*) Bash(jq:*)",
        "Bash(git: *)",
        "*",
        "'*'",
        "[Bash(git:*), Read]",
        "[Bash(git: *), Read]",
    ] {
        cases.push(Case::with_fields(
            format!("`allowed-tools` of {value}"),
            &format!("allowed-tools: {value}\n"),
        ));
    }
    for field in [
        "allowed_tools",
        "allowedTools",
        "Allowed-Tools",
        "tools",
        "descripton",
        "Description",
        "NAME",
        "licence",
        "License",
        "compatability",
        "meta-data",
        "Metadata",
        "tags",
        "author",
        "when_to_use",
        "model",
        "argument-hint",
        "user-invocable",
        "disable-model-invocation",
        "globs",
        "alwaysApply",
        "x-own",
        "metadata.author",
        "$schema",
        "_private",
    ] {
        cases.push(Case::with_fields(
            format!("an unknown field `{field}`"),
            &format!("{field}: a\n"),
        ));
    }
    cases.push(Case::with_fields(
        "every field of the format",
        "license: MIT\ncompatibility: Any\nallowed-tools: Read\nmetadata:\n  author: a\n",
    ));
    cases.push(Case::with_fields(
        "several rules broken at once",
        "license: 1\nmetadata: []\nallowed-tools: 2\n",
    ));
    cases
}
