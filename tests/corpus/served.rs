//! What is served to the reference's clients and to ours: everything about folders, and what is
//! made for serving alone.
#![allow(dead_code, reason = "one of the test programs compares serving")]

use std::collections::BTreeSet;

use super::{Case, Item, SAMPLE, folders, front};

/// What happens to a case's folders after the first look.
#[derive(Debug, Clone, Default)]
pub(crate) struct After {
    /// Path in the case's own folder and text.
    pub(crate) write: Vec<(&'static str, String)>,
    /// Paths in the case's own folder.
    pub(crate) remove: Vec<&'static str>,
}

impl After {
    fn write(mut self, path: &'static str, text: impl Into<String>) -> Self {
        self.write.push((path, text.into()));
        self
    }

    fn remove(mut self, path: &'static str) -> Self {
        self.remove.push(path);
        self
    }
}

fn sample(what: &str) -> Case {
    Case::new(what).skill("root/sample")
}

fn main_of(name: &str, description: &str) -> String {
    front(&format!("name: {name}\ndescription: {description}\n"))
}

/// Every case, with what happens to it where anything does.
pub(crate) fn served() -> Vec<(Case, Option<After>)> {
    let still = [folders::cases(), front_matters(), descriptions(), files()].concat();
    let mut cases: Vec<(Case, Option<After>)> =
        still.into_iter().map(|case| (case, None)).collect();
    cases.extend(changes().into_iter().map(|(case, after)| (case, Some(after))));
    let mut names = BTreeSet::new();
    for (number, (case, _)) in cases.iter_mut().enumerate() {
        assert!(names.insert(case.name.clone()), "two cases are called {:?}", case.name);
        case.folder = format!("{number:03}");
    }
    cases
}

/// One for each rule by which strict mode leaves a skill out of its list.
fn front_matters() -> Vec<Case> {
    let text = |what: &str, bytes: &[u8]| Case::of(what, bytes);
    let fields = |what: &str, lines: &str| Case::of(what, front(lines));
    let sample = |what: &str, lines: &str| {
        Case::of(what, front(&format!("name: {SAMPLE}\ndescription: What it does.\n{lines}")))
    };
    let description = |what: &str, text: &str| Case::of(what, main_of(SAMPLE, text));
    vec![
        text("served: an empty SKILL.md", b""),
        text("served: a SKILL.md of blank lines", b"\n\n \n"),
        text(
            "served: a SKILL.md that is not UTF-8",
            b"---\nname: sample\ndescription: \xff\n---\n",
        ),
        text("served: a SKILL.md that is binary", b"\0\x01\x02\xff"),
        text("served: no front matter", b"# Sample\n\nWhat it does.\n"),
        text("served: an empty front matter", b"---\n---\n\nBody.\n"),
        text("served: a front matter that does not end", b"---\nname: sample\ndescription: a\n"),
        text(
            "served: a blank before the front matter",
            b"\n---\nname: sample\ndescription: a\n---\n",
        ),
        text(
            "served: a delimiter with a blank after it",
            b"---\nname: sample\ndescription: a\n--- \n",
        ),
        text(
            "served: CRLF",
            b"---\r\nname: sample\r\ndescription: What it does.\r\n---\r\n\r\nBody.\r\n",
        ),
        text("served: a BOM", b"\xef\xbb\xbf---\nname: sample\ndescription: What it does.\n---\n"),
        text(
            "served: a BOM and CRLF",
            b"\xef\xbb\xbf---\r\nname: sample\r\ndescription: What it does.\r\n---\r\nBody.\r\n",
        ),
        fields("served: a front matter that is a list", "- name\n- description\n"),
        fields("served: a front matter that is broken", "name: sample\ndescription: [a\n"),
        fields("served: a colon in the description", "name: sample\ndescription: a: b\n"),
        sample("served: a key twice", "license: MIT\nlicense: MIT\n"),
        sample("served: an alias", "metadata: {a: &x b, c: *x}\n"),
        sample("served: a merge", "metadata: {<<: {a: b}}\n"),
        sample("served: a timestamp", "metadata: {a: 2026-01-01}\n"),
        sample("served: a binary value", "metadata: {a: !!binary aGk=}\n"),
        sample("served: a set", "metadata: !!set {a}\n"),
        sample("served: a number that is not finite", "metadata: {a: .nan}\n"),
        sample("served: a key that is a number", "metadata: {1: a}\n"),
        sample("served: a field that nobody knows", "colour: [red, {shade: 3}, null, 1.5, true]\n"),
        fields("served: no name", "description: What it does.\n"),
        fields("served: a name that is a number", "name: 12\ndescription: What it does.\n"),
        fields("served: the name of another folder", "name: other\ndescription: What it does.\n"),
        fields("served: no description", "name: sample\n"),
        description("served: a blank description", "'  '"),
        description("served: a description that is a list", "[a, b]"),
        description("served: a description of 1,024 characters", &"x".repeat(1024)),
        description("served: a description of 1,025 characters", &"x".repeat(1025)),
        description("served: a description of 1,024 letters of two bytes", &"é".repeat(1024)),
        sample("served: a license that is a number", "license: 2\n"),
        sample("served: tools that are a number", "allowed-tools: 2\n"),
        sample("served: tools that are a text", "allowed-tools: Read Bash(git:*)\n"),
        sample("served: tools that are a list", "allowed-tools: [Read, Bash]\n"),
        sample("served: tools that are a list with a number", "allowed-tools: [Read, 2]\n"),
        sample("served: a compatibility that is empty", "compatibility: ''\n"),
        sample(
            "served: a compatibility of 500 characters",
            &format!("compatibility: {}\n", "x".repeat(500)),
        ),
        sample(
            "served: a compatibility of 501 characters",
            &format!("compatibility: {}\n", "x".repeat(501)),
        ),
        sample("served: metadata that are a list", "metadata: [a]\n"),
        sample("served: metadata with a text", "metadata: {version: '1.0'}\n"),
        sample("served: metadata with a number", "metadata: {version: 1}\n"),
        Case::new("served: a name with two hyphens")
            .file("root/a--b/SKILL.md", main_of("a--b", "a")),
        Case::new("served: a name with a hyphen at its end")
            .file("root/a-/SKILL.md", main_of("a-", "a")),
        Case::new("served: a name in capital letters")
            .file("root/Sample/SKILL.md", main_of("Sample", "a")),
        Case::new("served: a name with blanks")
            .file("root/my sample/SKILL.md", main_of("my sample", "a"))
            .file("root/my sample/a file.txt", "x\n"),
        Case::new("served: a name that is not ASCII")
            .file("root/prüfung/SKILL.md", main_of("prüfung", "a")),
        Case::new("served: a name with a percent sign")
            .file("root/a%20b/SKILL.md", main_of("a%20b", "a")),
        Case::new("served: a name with a number sign")
            .file("root/a#b/SKILL.md", main_of("a#b", "a")),
        Case::new("served: a name with a question mark")
            .file("root/a?b/SKILL.md", main_of("a?b", "a")),
        Case::new("served: a name with a colon").file("root/a:b/SKILL.md", main_of("a:b", "a")),
        Case::new("served: a name of 64 characters").skill(&format!("root/{}", "n".repeat(64))),
        Case::new("served: a name of 65 characters").skill(&format!("root/{}", "n".repeat(65))),
    ]
}

/// Where the description comes from.
fn descriptions() -> Vec<Case> {
    let body = |what: &str, body: &str| Case::of(what, format!("---\nname: sample\n---\n{body}"));
    vec![
        body("served: described by a heading", "\n## What it does ##\n\nMore.\n"),
        body("served: described by a line", "\n\n  What it does.  \n\nMore.\n"),
        body("served: described by a line of 250 characters", &format!("{}\n", "é".repeat(250))),
        body("served: described by an empty heading", "#\n\nMore.\n"),
        body("served: described by nothing", ""),
        Case::of(
            "served: described by a folded scalar",
            front("name: sample\ndescription: >\n  One\n  two.\nlicense: MIT\n"),
        ),
        Case::of(
            "served: described by a literal scalar",
            front("name: sample\ndescription: |\n  One\n  two.\nlicense: MIT\n"),
        ),
        Case::of(
            "served: described in quotes",
            front("name: sample\ndescription: \"It \\\"does\\\" \\u00e9.\"\n"),
        ),
    ]
}

fn files() -> Vec<Case> {
    let kinds = [
        "a.html", "a.css", "a.csv", "a.js", "a.ts", "a.py", "a.sh", "a.yaml", "a.toml", "a.xml",
        "a.json", "a.svg", "a.png", "a.pdf", "a.zip", "a.rs", "a.TXT", "LICENSE", "Makefile",
        "a.tar.gz",
    ];
    let kinds = kinds.into_iter().fold(sample("served: a file of each kind"), |case, name| {
        case.file(&format!("root/sample/{name}"), "text\n")
    });
    vec![
        kinds,
        sample("served: text with a BOM").file("root/sample/a.txt", b"\xef\xbb\xbftext\n"),
        sample("served: text with lone carriage returns").file("root/sample/a.txt", "a\rb\r"),
        sample("served: text with all three line ends").file("root/sample/a.txt", "a\r\nb\rc\n"),
        sample("served: text with NUL").file("root/sample/a.txt", b"a\0b\n"),
        sample("served: Markdown that is not UTF-8").file("root/sample/a.md", b"caf\xe9\n"),
        sample("served: JSON").file("root/sample/a.json", "{\"a\": 1}\n"),
        sample("served: JSON that is not UTF-8").file("root/sample/a.json", b"\"\xff\"\n"),
        sample("served: a file of a mebibyte").item("root/sample/a.bin", Item::Zeros(1024 * 1024)),
        sample("served: a file in three folders").file("root/sample/a/b/c/d.txt", "x\n"),
        sample("served: files in order of components")
            .file("root/sample/b/a.txt", "")
            .file("root/sample/b-a.txt", "")
            .file("root/sample/b.txt", "")
            .file("root/sample/B.txt", ""),
        sample("served: a SKILL.md in a folder of a skill, of another name")
            .file("root/sample/docs/SKILL.md", main_of("other", "a")),
        sample("served: a folder called _manifest").file("root/sample/_manifest/a.txt", "x\n"),
        sample("served: a real _manifest in a nested skill")
            .skill("root/sample/inner")
            .file("root/sample/inner/_manifest", "x"),
        Case::new("served: a skill called _manifest").skill("root/_manifest"),
        Case::new("served: ten skills")
            .skill("root/s0")
            .skill("root/s1")
            .skill("root/s2")
            .skill("root/s3")
            .skill("root/s4")
            .skill("root/s5")
            .skill("root/s6")
            .skill("root/s7")
            .skill("root/s8")
            .skill("root/s9"),
        Case::new("served: three roots of one skill")
            .skill("first/sample")
            .skill("second/sample")
            .file("second/sample/more.txt", "x\n")
            .skill("third/sample")
            .roots(&["first", "second", "third"]),
        Case::new("served: a name in two roots, and another in one")
            .skill("first/sample")
            .skill("second/sample")
            .skill("second/other")
            .roots(&["first", "second"]),
        sample("served: a chain of links")
            .file("root/sample/a.txt", "a\n")
            .link("root/sample/b.txt", "a.txt")
            .link("root/sample/c.txt", "b.txt"),
        sample("served: a link out and back in")
            .file("root/sample/a.txt", "a\n")
            .link("root/sample/b.txt", "../sample/a.txt"),
        Case::new("served: two links to one skill")
            .skill("outside/sample")
            .item("root", Item::Folder)
            .link("root/first", "../outside/sample")
            .link("root/second", "../outside/sample"),
    ]
}

/// The folders as they are, and what happens then.
fn changes() -> Vec<(Case, After)> {
    let after = After::default;
    vec![
        (
            sample("changed: a description"),
            after().write("root/sample/SKILL.md", main_of(SAMPLE, "Something else.")),
        ),
        (
            sample("changed: a file").file("root/sample/a.txt", "before\n"),
            after().write("root/sample/a.txt", "after, and longer\n"),
        ),
        (sample("changed: a file more"), after().write("root/sample/b.txt", "more\n")),
        (
            sample("changed: a file less").file("root/sample/a.txt", "a\n"),
            after().remove("root/sample/a.txt"),
        ),
        (
            sample("changed: a skill more"),
            after().write("root/other/SKILL.md", main_of("other", "Another.")),
        ),
        (sample("changed: a skill less").skill("root/other"), after().remove("root/other")),
        (sample("changed: every skill less"), after().remove("root/sample")),
        (
            sample("changed: a right skill becomes broken"),
            after().write("root/sample/SKILL.md", "no front matter\n"),
        ),
        (
            Case::of("changed: a broken skill becomes right", "no front matter\n"),
            after().write("root/sample/SKILL.md", main_of(SAMPLE, "Mended.")),
        ),
        (
            sample("changed: a SKILL.md less").file("root/sample/a.txt", "a\n"),
            after().remove("root/sample/SKILL.md"),
        ),
        (
            Case::new("changed: a root comes to be"),
            after().write("root/sample/SKILL.md", main_of(SAMPLE, "New.")),
        ),
        (
            Case::new("changed: an earlier root gets the skill")
                .item("first", Item::Folder)
                .skill("second/sample")
                .roots(&["first", "second"]),
            after().write("first/sample/SKILL.md", main_of(SAMPLE, "First.")),
        ),
        (
            Case::new("changed: a duplicate goes")
                .skill("first/sample")
                .skill("second/sample")
                .roots(&["first", "second"]),
            after().remove("first/sample"),
        ),
        (
            sample("changed: a nested skill more").file("root/sample/inner/a.txt", "a\n"),
            after().write("root/sample/inner/SKILL.md", main_of("inner", "Inside.")),
        ),
    ]
}
