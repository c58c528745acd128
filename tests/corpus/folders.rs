//! What lies in a skill's folder and around it: links, limits, nesting, names of files.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;

use super::{Case, Item, SAMPLE, front};

/// Bytes of the `SKILL.md` that [`Case::skill`] writes for `sample`.
fn main_size() -> u64 {
    front(&format!("name: {SAMPLE}\ndescription: What {SAMPLE} does.\n")).len() as u64
}

fn sample(what: impl Into<String>) -> Case {
    Case::new(what).skill("root/sample")
}

/// A sample with one more file.
fn with_file(path: &str) -> Case {
    sample(format!("a file {path:?}")).file(&format!("root/sample/{path}"), "x\n")
}

pub(super) fn cases() -> Vec<Case> {
    [limits(), links(), nesting(), main_files(), names(), roots()].concat()
}

fn limits() -> Vec<Case> {
    let files = |count: usize| {
        (1..count).fold(sample(format!("{count} files")), |case, number| {
            case.file(&format!("root/sample/files/{number:03}"), "")
        })
    };
    let bytes = |what: &str, total: u64| {
        sample(what).item("root/sample/large.bin", Item::Zeros(total - main_size()))
    };
    vec![
        files(512),
        files(513),
        bytes("16 MiB", 16 * 1024 * 1024),
        bytes("16 MiB and a byte", 16 * 1024 * 1024 + 1),
        Case::of(
            "a SKILL.md of 2 MiB",
            format!("{}{}", front("name: sample\ndescription: a\n"), "line\n".repeat(400_000)),
        ),
    ]
}

fn links() -> Vec<Case> {
    let outside = |case: Case| case.file("outside/secret.txt", "secret\n");
    vec![
        sample("a link to a file inside")
            .file("root/sample/a.txt", "a\n")
            .link("root/sample/b.txt", "a.txt"),
        outside(sample("a link to a file outside"))
            .link("root/sample/b.txt", "../../outside/secret.txt"),
        sample("a link to a file that is not there").link("root/sample/b.txt", "gone.txt"),
        sample("a link to itself").link("root/sample/b.txt", "b.txt"),
        sample("an absolute link").link("root/sample/b.txt", "/etc/hostname"),
        sample("a link to a folder inside")
            .file("root/sample/a/x.txt", "x\n")
            .link("root/sample/b", "a"),
        outside(sample("a link to a folder outside")).link("root/sample/b", "../../outside"),
        sample("a link to the skill's own folder").link("root/sample/b", "."),
        sample("a link to the folder above").link("root/sample/b", ".."),
        sample("a link to another skill").skill("root/other").link("root/sample/other", "../other"),
        sample("a hidden link").file("root/sample/a.txt", "a\n").link("root/sample/.b", "a.txt"),
        sample("a link deep inside")
            .file("root/sample/a/x.txt", "x\n")
            .link("root/sample/a/y.txt", "x.txt"),
        Case::new("SKILL.md is a link to a file inside")
            .file("root/sample/main.md", front("name: sample\ndescription: a\n"))
            .link("root/sample/SKILL.md", "main.md"),
        Case::new("SKILL.md is a link to a file outside")
            .file("outside/main.md", front("name: sample\ndescription: a\n"))
            .link("root/sample/SKILL.md", "../../outside/main.md"),
        Case::new("SKILL.md is a link to nothing")
            .file("root/sample/a", "")
            .link("root/sample/SKILL.md", "gone"),
        sample("the skill's folder is a link inside of the root").link("root/linked", "sample"),
        Case::new("the skill's folder is a link to one of its name outside")
            .skill("outside/sample")
            .item("root", Item::Folder)
            .link("root/sample", "../outside/sample"),
        Case::new("the skill's folder is a link to one of another name")
            .skill("outside/other")
            .item("root", Item::Folder)
            .link("root/sample", "../outside/other"),
        Case::new("the skill's folder is a link to nothing")
            .item("root", Item::Folder)
            .link("root/sample", "../gone")
            .skill("root/other"),
        Case::new("the skill's folder is a link to a file")
            .file("root/a.txt", "a\n")
            .link("root/sample", "a.txt"),
        Case::new("a folder between root and skill is a link")
            .skill("outside/team/sample")
            .item("root", Item::Folder)
            .link("root/team", "../outside/team"),
        Case::new("the root is a link").skill("outside/sample").link("root", "outside"),
        sample("a named pipe").item("root/sample/pipe", Item::Pipe),
        // A SKILL.md that is a pipe is not here: the reference waits for a writer for ever.
    ]
}

fn nesting() -> Vec<Case> {
    vec![
        sample("a skill inside of a skill").skill("root/sample/inner"),
        sample("a skill three levels inside of a skill").skill("root/sample/a/b/inner"),
        sample("a skill inside of a skill inside of a skill")
            .skill("root/sample/inner")
            .skill("root/sample/inner/core"),
        sample("a broken skill inside of a skill")
            .file("root/sample/inner/SKILL.md", "no front matter\n"),
        Case::of("a skill inside of a broken skill", "no front matter\n")
            .skill("root/sample/inner"),
        Case::new("a skill in a folder that is no skill").skill("root/team/review"),
        Case::new("a skill three folders deep").skill("root/a/b/c/review"),
        Case::new("a skill 20 folders deep").skill(&format!("root/{}review", "a/".repeat(19))),
        Case::new("two skills of one name in two folders")
            .skill("root/a/review")
            .skill("root/b/review"),
        sample("a folder that is no skill beside a skill").file("root/docs/README.md", "x\n"),
        sample("a README and an AGENTS file beside a skill")
            .file("root/README.md", "x\n")
            .file("root/AGENTS.md", "x\n"),
        Case::new("a SKILL.md at the root")
            .file("root/SKILL.md", front("name: root\ndescription: a\n")),
        sample("a SKILL.md at the root beside a skill")
            .file("root/SKILL.md", front("name: root\ndescription: a\n")),
        Case::new("a skill in a hidden folder").skill("root/.hidden/review"),
        Case::new("a skill in a Git folder").skill("root/.git/review"),
        Case::new("a skill in node_modules").skill("root/node_modules/review"),
        sample("a broken skill beside a right one").file("root/broken/SKILL.md", b"\xff"),
        sample("a nested skill with a file that the outer one names too")
            .skill("root/sample/inner")
            .file("root/sample/inner/_manifest", "x"),
        Case::new("a root without skills").item("root", Item::Folder),
        Case::new("a root that is not there"),
        Case::new("a root that is a file").file("root", "x\n"),
    ]
}

fn main_files() -> Vec<Case> {
    let text = front("name: sample\ndescription: What it does.\n");
    vec![
        Case::new("a skill.md in small letters").file("root/sample/skill.md", &text),
        Case::new("a Skill.md").file("root/sample/Skill.md", &text),
        Case::new("a SKILL.MD").file("root/sample/SKILL.MD", &text),
        Case::new("a SKILL without an ending").file("root/sample/SKILL", &text),
        Case::new("a SKILL.txt").file("root/sample/SKILL.txt", &text),
        Case::new("a README.md in place of a SKILL.md").file("root/sample/README.md", &text),
        sample("a SKILL.md and a skill.md").file("root/sample/skill.md", "x\n"),
        Case::new("SKILL.md is a folder").item("root/sample/SKILL.md", Item::Folder),
        Case::new("SKILL.md is a folder with a SKILL.md").skill("root/sample/SKILL.md"),
        Case::new("an empty folder").item("root/sample", Item::Folder),
    ]
}

fn names() -> Vec<Case> {
    let long = "n".repeat(255);
    let mut cases: Vec<Case> = [
        ".hidden",
        ".env",
        ".git/config",
        ".DS_Store",
        "__pycache__/a.pyc",
        "_manifest",
        "docs/_manifest",
        "a name with spaces.md",
        " leading",
        "trailing ",
        "trailing.",
        "-dash",
        "~tilde",
        "..dots",
        "...",
        "a%20b",
        "a%2fb",
        "a%b",
        "a#b",
        "a?b",
        "a&b",
        "a+b",
        "a=b",
        "a;b",
        "a,b",
        "a'b",
        "a\"b",
        "a<b>",
        "a|b",
        "a*b",
        "a:b",
        "a@b",
        "a\\b",
        "a\nb",
        "a\tb",
        "a\u{7f}b",
        "a\u{1b}b",
        "a[b]",
        "a{b}",
        "a^b`c",
        "café",
        "cafe\u{301}",
        "日本語.md",
        "🦀.md",
        "שלום.txt",
        "a\u{202e}b",
        "a\u{200b}b",
        "\u{feff}a",
        "con.txt",
        "nul",
        "AUX",
        "SKILL.md.bak",
        "scripts/run.sh",
        "a/b/c/d/e/f/g/h.txt",
        long.as_str(),
    ]
    .into_iter()
    .map(with_file)
    .collect();
    cases.extend([
        sample("two files that differ in case")
            .file("root/sample/Readme.md", "a\n")
            .file("root/sample/README.md", "b\n"),
        sample("two files that differ in composition")
            .file("root/sample/café", "a\n")
            .file("root/sample/cafe\u{301}", "b\n"),
        sample("a file and a folder in the order of bytes and of components")
            .file("root/sample/a/x", "")
            .file("root/sample/a.txt", "")
            .file("root/sample/a-b", ""),
        sample("a supporting file without bytes").file("root/sample/empty", ""),
        sample("an empty folder inside").item("root/sample/empty", Item::Folder),
        sample("a binary file").file("root/sample/a.bin", b"\0\xff\xfe"),
        sample("a text file with CRLF").file("root/sample/a.txt", "a\r\nb\r\n"),
        sample("a text file that is not UTF-8").file("root/sample/a.txt", b"caf\xe9\n"),
        sample("a file 40 folders deep").file(&format!("root/sample/{}x", "d/".repeat(40)), "x"),
        sample("a file 70 folders deep").file(&format!("root/sample/{}x", "d/".repeat(70)), "x"),
        sample("a file whose name is not UTF-8")
            .item(OsString::from_vec(b"root/sample/caf\xe9".to_vec()), Item::File(b"x".to_vec())),
        Case::new("a skill whose folder's name is not UTF-8").item(
            OsString::from_vec(b"root/caf\xe9/SKILL.md".to_vec()),
            Item::File(front("name: caf\ndescription: a\n").into_bytes()),
        ),
    ]);
    cases
}

fn roots() -> Vec<Case> {
    let two = ["first", "second"];
    vec![
        Case::new("two roots").skill("first/a").skill("second/b").roots(&two),
        Case::new("equal skills in two roots")
            .skill("first/sample")
            .skill("second/sample")
            .roots(&two),
        Case::new("different skills of one name in two roots")
            .skill("first/sample")
            .file("second/sample/SKILL.md", front("name: sample\ndescription: Another.\n"))
            .roots(&two),
        Case::new("equal nested skills in two roots")
            .skill("first/a/review")
            .skill("second/a/review")
            .skill("second/b")
            .roots(&two),
        Case::new("a nested and a plain skill of one name in two roots")
            .skill("first/review")
            .skill("second/a/review")
            .roots(&two),
        Case::new("a broken skill before a right one of its name")
            .file("first/sample/SKILL.md", b"\xff")
            .skill("second/sample")
            .roots(&two),
        Case::new("two roots of which one is not there").skill("second/sample").roots(&two),
        Case::new("one root twice").skill("first/sample").roots(&["first", "first"]),
        Case::new("one root in two spellings")
            .skill("first/sample")
            .roots(&["first", "first/../first"]),
        Case::new("a root inside of a root").skill("first/a/review").roots(&["first", "first/a"]),
        Case::new("a nested duplicate makes the outer skill unreadable")
            .skill("first/outer")
            .skill("first/outer/inner")
            .skill("second/outer/inner")
            .roots(&two),
    ]
}
