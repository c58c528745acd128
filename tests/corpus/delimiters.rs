//! Where a front matter begins and ends, and how the file's text is encoded.

use super::{BODY, Case, front};

const FIELDS: &str = "name: sample\ndescription: What it does.\n";

pub(super) fn cases() -> Vec<Case> {
    let plain = front(FIELDS);
    let fields = FIELDS.trim_end();
    let mut cases = vec![
        Case::of("a plain skill", &plain),
        Case::of("a byte order mark", format!("\u{feff}{plain}")),
        Case::of("two byte order marks", format!("\u{feff}\u{feff}{plain}")),
        Case::of(
            "a byte order mark after the opening delimiter",
            format!("---\n\u{feff}{fields}\n---\n{BODY}"),
        ),
        Case::of(
            "a byte order mark in the middle of a value",
            front("name: sample\ndescription: What\u{feff} it does.\n"),
        ),
        Case::of("CRLF", plain.replace('\n', "\r\n")),
        Case::of("CRLF with a byte order mark", format!("\u{feff}{}", plain.replace('\n', "\r\n"))),
        Case::of("lone CR", plain.replace('\n', "\r")),
        Case::of(
            "CRLF with a block scalar",
            front("name: sample\ndescription: |\n  One.\n\n  Two.\nlicense: MIT\n")
                .replace('\n', "\r\n"),
        ),
        Case::of(
            "lone CR inside of an LF front matter",
            front("name: sample\rdescription: What it does.\n"),
        ),
        Case::of(
            "lone CR inside of a quoted value",
            front("name: sample\ndescription: \"What\rit does.\"\n"),
        ),
        Case::of("lone CR before the closing delimiter", format!("---\n{fields}\r---\n{BODY}")),
        Case::of("CR CR LF line ends", plain.replace('\n', "\r\r\n")),
        Case::of(
            "LF delimiters around CRLF fields",
            format!("---\n{}---\n{BODY}", FIELDS.replace('\n', "\r\n")),
        ),
        Case::of("CRLF delimiters around LF fields", format!("---\r\n{fields}\r\n---\r\n{BODY}")),
        Case::of("no line break after the closing delimiter", format!("---\n{FIELDS}---")),
        Case::of("a lone CR after the closing delimiter", format!("---\n{FIELDS}---\r")),
        Case::of("nothing after the closing delimiter", format!("---\n{FIELDS}---\n")),
        Case::of(
            "only blank lines after the closing delimiter",
            format!("---\n{FIELDS}---\n\n \n\n"),
        ),
        Case::of("no line break at the end of the body", plain.trim_end()),
        Case::of(
            "a description as a literal scalar in last place",
            front("name: sample\ndescription: |\n  What it does.\n"),
        ),
        Case::of(
            "a description as a folded scalar in last place",
            front("name: sample\ndescription: >\n  What it\n  does.\n"),
        ),
        Case::of(
            "a block scalar before a closing delimiter without a line break",
            "---\nname: sample\ndescription: |\n  What it does.\n---",
        ),
        Case::of("a missing closing delimiter", format!("---\n{FIELDS}{BODY}")),
        Case::of("a missing opening delimiter", format!("{FIELDS}---\n{BODY}")),
        Case::of("no front matter", BODY),
        Case::of("no front matter and no heading", "What the sample does.\n"),
        Case::of("an empty file", ""),
        Case::of("a file with one line break", "\n"),
        Case::of("a file with a byte order mark alone", "\u{feff}"),
        Case::of("one delimiter and nothing else", "---"),
        Case::of("one delimiter line and nothing else", "---\n"),
        Case::of("two delimiters on one line", "------\n"),
        Case::of("an empty block", format!("---\n---\n{BODY}")),
        Case::of("an empty block at the end of the file", "---\n---"),
        Case::of("a block with a blank line", format!("---\n\n---\n{BODY}")),
        Case::of("a block with spaces alone", format!("---\n   \n---\n{BODY}")),
        Case::of("a block with a comment alone", format!("---\n# nothing\n---\n{BODY}")),
        Case::of("a block with two blank lines", format!("---\n\n\n---\n{BODY}")),
        Case::of("two blocks", format!("---\n{FIELDS}---\n---\nname: other\n---\n{BODY}")),
        Case::of("a blank line before the opening delimiter", format!("\n{plain}")),
        Case::of("a comment before the opening delimiter", format!("<!-- x -->\n{plain}")),
        Case::of("a space before the opening delimiter", format!(" {plain}")),
        Case::of("four dashes as the opening delimiter", format!("-{plain}")),
        Case::of("four dashes as the closing delimiter", format!("---\n{FIELDS}----\n{BODY}")),
        Case::of("four dashes as both delimiters", format!("----\n{FIELDS}----\n{BODY}")),
        Case::of("two dashes as the opening delimiter", &plain[1..]),
        Case::of(
            "a comment after the opening delimiter",
            format!("--- # fields\n{FIELDS}---\n{BODY}"),
        ),
        Case::of(
            "a field on the line of the opening delimiter",
            format!("---name: sample\ndescription: What it does.\n---\n{BODY}"),
        ),
        Case::of(
            "a field a space after the opening delimiter",
            format!("--- name: sample\ndescription: What it does.\n---\n{BODY}"),
        ),
        Case::of("a word after the closing delimiter", format!("---\n{FIELDS}--- end\n{BODY}")),
        Case::of("a space before the closing delimiter", format!("---\n{FIELDS} ---\n{BODY}")),
        Case::of("dots as the closing delimiter", format!("---\n{FIELDS}...\n{BODY}")),
        Case::of("dots before the closing delimiter", format!("---\n{FIELDS}...\n---\n{BODY}")),
        Case::of("plus signs as delimiters", format!("+++\nname = \"sample\"\n+++\n{BODY}")),
        Case::of("a rule in the body", format!("{plain}\n---\n\nMore.\n")),
        Case::of(
            "a rule in the body and no closing delimiter",
            format!("---\n{FIELDS}{BODY}\n---\n\nMore.\n"),
        ),
        Case::of(
            "a delimiter line inside of a block scalar",
            front("name: sample\ndescription: |\n  One.\n---\n  Two.\n"),
        ),
        Case::of(
            "an indented delimiter line inside of a block scalar",
            front("name: sample\ndescription: |\n  One.\n  ---\n  Two.\n"),
        ),
        Case::of(
            "three dashes inside of a plain value",
            front("name: sample\ndescription: one --- two\n"),
        ),
        Case::of(
            "three dashes inside of a quoted value",
            front("name: sample\ndescription: \"one---two\"\n"),
        ),
        Case::of("three dashes as a whole value", front("name: sample\ndescription: ---\n")),
        Case::of("fields in a code block", format!("```yaml\n{FIELDS}```\n{BODY}")),
        Case::of(
            "a document end and a second document",
            front("name: sample\ndescription: What it does.\n...\nname: other\n"),
        ),
        Case::of("a YAML directive", format!("---\n%YAML 1.1\n---\n{FIELDS}---\n{BODY}")),
        Case::of("UTF-16", utf_16(&plain)),
        Case::of(
            "Latin-1 in the description",
            [b"---\nname: sample\ndescription: caf\xe9\n---\n", BODY.as_bytes()].concat(),
        ),
        Case::of("Latin-1 in the body", [plain.as_bytes(), b"caf\xe9\n"].concat()),
        Case::of("an overlong encoding in the body", [plain.as_bytes(), b"\xc0\xaf\n"].concat()),
        Case::of(
            "an encoded surrogate in the body",
            [plain.as_bytes(), b"\xed\xa0\x80\n"].concat(),
        ),
        Case::of("a sequence that is cut off at the end", [plain.as_bytes(), b"\xe2\x82"].concat()),
        Case::of("NUL in the body", format!("{plain}\0\n")),
        Case::of("NUL in the description", front("name: sample\ndescription: a\0b\n")),
        Case::of(
            "merge markers around fields",
            front(
                "name: sample\n<<<<<<< HEAD\ndescription: Ours.\n=======\ndescription: Theirs.\n>>>>>>> branch\n",
            ),
        ),
        Case::of(
            "merge markers around everything",
            format!("<<<<<<< HEAD\n{plain}=======\n{plain}>>>>>>> branch\n"),
        ),
        Case::of(
            "merge markers in the body",
            format!("{plain}<<<<<<< HEAD\nOurs.\n=======\nTheirs.\n>>>>>>> branch\n"),
        ),
    ];
    for (what, blank) in [
        ("a space", " "),
        ("a tab", "\t"),
        ("a form feed", "\u{c}"),
        ("a vertical tab", "\u{b}"),
        ("a no-break space", "\u{a0}"),
        ("an information separator", "\u{1c}"),
        ("a next line character", "\u{85}"),
        ("a line separator", "\u{2028}"),
        ("an ideographic space", "\u{3000}"),
        ("a zero-width space", "\u{200b}"),
    ] {
        let opened = format!("---{blank}\n{FIELDS}---\n{BODY}");
        cases.push(Case::of(format!("{what} after the opening delimiter"), opened));
        let closed = format!("---\n{FIELDS}---{blank}\n{BODY}");
        cases.push(Case::of(format!("{what} after the closing delimiter"), closed));
    }
    let bodies = [
        ("a body that begins with a paragraph", "\nFirst line.\nSecond line.\n".to_owned()),
        ("a body of a heading alone", "# Heading\n".to_owned()),
        ("a body of a heading of level three", "### Heading\n".to_owned()),
        ("a body of hashes alone", "###\n\nText.\n".to_owned()),
        ("a body of a hash that is no heading", "#hash\n".to_owned()),
        ("a body that begins with a comment", "<!-- hidden -->\nText.\n".to_owned()),
        ("a body of blanks alone", " \n\t\n \n".to_owned()),
        ("a body that begins with a no-break space", "\u{a0}Text.\n".to_owned()),
        ("a body that begins with an information separator", "\u{1f}\nText.\n".to_owned()),
        ("a body that begins with a zero-width space", "\u{200b}\nText.\n".to_owned()),
        ("a body that begins with a form feed", "\u{c}Text.\u{c}More.\n".to_owned()),
        ("a body with a line separator in its first line", "One.\u{2028}Two.\n".to_owned()),
        ("a body with a next line character in its first line", "One.\u{85}Two.\n".to_owned()),
        ("a body with lone CR", "One.\rTwo.\r".to_owned()),
        ("a first line of 200 characters", format!("{}\n", "x".repeat(200))),
        ("a first line of 201 characters", format!("{}\n", "x".repeat(201))),
        ("a first line of 201 emoji", format!("{}\n", "🦀".repeat(201))),
        ("a heading of 201 characters", format!("# {}\n", "x".repeat(201))),
        ("a first line cut at a space", format!("{} y\n", "x".repeat(199))),
        ("a body of one emoji", "🦀".to_owned()),
        ("a body from right to left", "تصف هذه المهارة\n".to_owned()),
    ];
    for (what, body) in bodies {
        cases.push(Case::of(
            format!("no description and {what}"),
            format!("---\nname: sample\n---\n{body}"),
        ));
    }
    cases
}

fn utf_16(text: &str) -> Vec<u8> {
    std::iter::once(0xfeff).chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect()
}
