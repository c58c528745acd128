//! The faults in finding and reading skills that people have reported of such programs, each as the
//! right behaviour, through the crate's public face.

use std::fs;
use std::sync::Arc;

use skills::check::{Diagnostic, Place, check_folder};
use skills::fix::{Fix, edited};
use skills::folder::{FolderKind, kind_of};
use skills::library::{Library, LocalSkill, Snapshot};
use skills::paths::Paths;
use skills::provider::{DirectoryProvider, Mode, Options, Provider, SupportingFiles};
use skills::readers::{Outcome, readings};

use crate::support::home::Home;
use crate::support::skill::Skill;

/// Where Claude Code keeps skills.
const ROOT: &str = ".claude/skills";

/// A skill whose `SKILL.md` is exactly this.
fn of(name: &str, skill_md: &[u8]) -> Skill {
    Skill::new(name, "").file("SKILL.md", skill_md)
}

/// The library of a person who has Claude Code.
fn scanned(home: &Home) -> Arc<Snapshot> {
    home.install("claude-code");
    Library::new(Paths::under(home.path())).rescan()
}

fn found<'a>(diagnostics: &'a [Diagnostic], code: &str) -> &'a Diagnostic {
    diagnostics
        .iter()
        .find(|diagnostic| diagnostic.code == code)
        .unwrap_or_else(|| panic!("{code} is not among {diagnostics:#?}"))
}

fn names(skills: &[LocalSkill]) -> Vec<&str> {
    skills.iter().map(|skill| skill.name.as_str()).collect()
}

#[test]
fn an_unquoted_colon_is_told_at_its_place_with_what_readers_make_of_it_and_a_fix_of_the_value_alone()
 {
    let text = "---\n# mine\nname:   pdf\ndescription: Use when: somebody asks # really\nlicense: 'MIT'\n---\n\nText.\n";
    let home = Home::empty().with_skill(ROOT, &of("pdf", text.as_bytes()));
    let dir = home.at(ROOT).join("pdf");
    let checked = check_folder(&dir);
    assert!(!checked.valid);
    let colon = found(&checked.diagnostics, "frontmatter-unquoted-colon");
    let place = colon.place.as_ref().unwrap();
    assert_eq!((place.file.as_str(), place.line, place.column), ("SKILL.md", 4, 22));

    let manifest = checked.manifest.unwrap();
    let outcome = |text: &str, id: &str| {
        let readings = readings("pdf", &manifest, text.as_bytes());
        readings.into_iter().find(|reading| reading.reader.id == id).unwrap().outcome
    };
    for id in ["strict", "yaml-1.1", "yaml-1.2", "skills-ref"] {
        assert_eq!(outcome(text, id), Outcome::Drops, "{id}");
    }
    assert_ne!(outcome(text, "line-based"), Outcome::Drops);

    let Some(Fix::Edits { file, edits, .. }) = colon.fixes.first() else {
        panic!("no fix of the text: {colon:?}")
    };
    assert_eq!(file, "SKILL.md");
    let after = String::from_utf8(edited(text.as_bytes(), edits).unwrap()).unwrap();
    let changed: Vec<(&str, &str)> =
        text.lines().zip(after.lines()).filter(|(before, after)| before != after).collect();
    let [(before, after_line)] = changed[..] else { panic!("{changed:?}") };
    assert_eq!(before, "description: Use when: somebody asks # really");
    assert!(after_line.ends_with(" # really"), "{after_line}");
    assert_eq!(text.lines().count(), after.lines().count());
    fs::write(dir.join("SKILL.md"), &after).unwrap();
    let checked = check_folder(&dir);
    assert!(checked.valid, "{:#?}", checked.diagnostics);
    assert_eq!(checked.description, "Use when: somebody asks");
    assert_eq!(outcome(&after, "yaml-1.2"), Outcome::Loads);
}

#[test]
fn a_byte_order_mark_and_crlf_are_both_read() {
    let text = "\u{feff}---\r\nname: pdf\r\ndescription: Reads PDFs.\r\n---\r\n\r\nText.\r\n";
    let home = Home::empty().with_skill(ROOT, &of("pdf", text.as_bytes()));
    let snapshot = scanned(&home);
    let [skill] = &snapshot.skills[..] else { panic!("{:?}", snapshot.skills) };
    assert_eq!((skill.name.as_str(), skill.description.as_str()), ("pdf", "Reads PDFs."));
    let checked = check_folder(&home.at(ROOT).join("pdf"));
    assert!(checked.valid, "{:#?}", checked.diagnostics);
}

#[test]
fn a_name_that_is_not_the_folders_is_told_with_both_and_can_be_fixed_either_way() {
    let home = Home::empty()
        .with_skill(ROOT, &of("pdf-tools", &Skill::new("pdf", "Reads.").files["SKILL.md"]));
    let checked = check_folder(&home.at(ROOT).join("pdf-tools"));
    let told = found(&checked.diagnostics, "name-folder");
    assert!(told.message.contains("\"pdf\"") && told.message.contains("\"pdf-tools\""), "{told:?}");
    assert_eq!(told.place.as_ref().map(|place| (place.line, place.column)), Some((2, 7)));
    let renames =
        told.fixes.iter().any(|fix| matches!(fix, Fix::RenameFolder { to, .. } if to == "pdf"));
    let edits =
        told.fixes.iter().any(|fix| matches!(fix, Fix::Edits { file, .. } if file == "SKILL.md"));
    assert!(renames && edits, "{:?}", told.fixes);
}

#[test]
fn nested_skills_are_found_as_deep_as_the_mode_says_and_what_is_left_out_has_its_reason() {
    let home = Home::empty()
        .with_skill("skills", &Skill::new("outer", "Has another."))
        .with_skill("skills/outer", &Skill::new("inner", "Is in another."))
        .with_skill("skills/team/deep", &Skill::new("review", "Lies deep."))
        .with_skill("skills", &of("broken", b"\xff"));
    let uris = |mode: Mode| -> Vec<String> {
        let options = Options { mode, ..Options::default() };
        let provider = DirectoryProvider::new(vec![home.at("skills")], options);
        let resources = provider.list().resources;
        resources.into_iter().map(|one| one.uri).filter(|uri| uri.ends_with("/SKILL.md")).collect()
    };
    assert_eq!(uris(Mode::Compatible), ["skill://outer/SKILL.md"]);
    assert_eq!(
        uris(Mode::Strict),
        [
            "skill://broken/SKILL.md",
            "skill://outer/SKILL.md",
            "skill://outer/inner/SKILL.md",
            "skill://team/deep/review/SKILL.md",
        ]
    );
    let strict = Options { mode: Mode::Strict, ..Options::default() };
    let entries = DirectoryProvider::new(vec![home.at("skills")], strict).entries().unwrap();
    let published: Vec<&str> = entries.entries.iter().map(|entry| entry.uri().as_str()).collect();
    assert_eq!(
        published,
        [
            "skill://outer/SKILL.md",
            "skill://outer/inner/SKILL.md",
            "skill://team/deep/review/SKILL.md"
        ]
    );
    let [warning] = &entries.warnings[..] else { panic!("{:?}", entries.warnings) };
    assert!(warning.contains("\"broken\"") && warning.contains("not UTF-8"), "{warning}");
}

#[test]
fn a_folder_that_is_added_is_a_skill_a_folder_of_skills_or_a_project() {
    let home = Home::empty()
        .with_skill("one", &Skill::new("pdf", "Reads."))
        .with_skill("many", &Skill::new("pdf", "Reads."))
        .with_skill("many", &Skill::new("docx", "Writes."))
        .with_skill("project/.claude/skills", &Skill::new("pdf", "Reads."))
        .with_folder("project/src")
        .with_folder("nothing");
    assert_eq!(kind_of(&home.at("one/pdf")).unwrap(), FolderKind::Skill);
    assert_eq!(kind_of(&home.at("many")).unwrap(), FolderKind::Skills);
    let FolderKind::Project { roots } = kind_of(&home.at("project")).unwrap() else {
        panic!("a project")
    };
    let (_, tools) = roots
        .iter()
        .find(|(root, _)| root.ends_with(".claude/skills"))
        .unwrap_or_else(|| panic!("{roots:?}"));
    assert!(tools.iter().any(|tool| tool.starts_with("claude")), "{tools:?}");
    assert_eq!(kind_of(&home.at("nothing")).unwrap(), FolderKind::Empty);
    assert!(kind_of(&home.at("gone")).is_err());
}

#[test]
fn whatever_is_listed_can_be_opened() {
    let home = Home::empty().with_skill(
        "skills",
        &[
            "a b.md",
            "a%20b.md",
            "a%2fb.md",
            "a#b",
            "a?b",
            "é.txt",
            "e\u{301}.txt",
            ".env",
            "..a",
            "-",
            "d/e/f",
        ]
        .iter()
        .fold(Skill::new("odd", "Odd names."), |skill, path| skill.file(path, path.as_bytes())),
    );
    for mode in [Mode::Compatible, Mode::Strict] {
        let options =
            Options { mode, supporting_files: SupportingFiles::Resources, ..Options::default() };
        let provider = DirectoryProvider::new(vec![home.at("skills")], options);
        let resources = provider.list().resources;
        assert_eq!(resources.len(), 13, "{mode:?}: {resources:?}");
        for resource in &resources {
            let content = provider
                .read(&resource.uri)
                .unwrap_or_else(|error| panic!("{mode:?}: {} is listed: {error}", resource.uri));
            if let Some(path) =
                resource.name.strip_prefix("odd/").filter(|path| !path.starts_with(['S', '_']))
            {
                assert_eq!(content.bytes, path.as_bytes(), "{mode:?}: {}", resource.uri);
            }
        }
        for entry in provider.entries().into_iter().flat_map(|entries| entries.entries) {
            for file in entry.files() {
                assert_eq!(
                    provider.read(&file.uri).unwrap().bytes.len() as u64,
                    file.size,
                    "{}",
                    file.uri
                );
            }
        }
    }
}

#[test]
fn files_and_folders_without_a_main_file_are_no_skills() {
    let home = Home::empty()
        .with_skill(ROOT, &Skill::new("pdf", "Reads."))
        .with_folder(&format!("{ROOT}/docs"))
        .with_folder(&format!("{ROOT}/empty"));
    fs::write(home.at(ROOT).join("README.md"), "---\nname: readme\ndescription: No.\n---\n")
        .unwrap();
    fs::write(home.at(ROOT).join("AGENTS.md"), "# Agents\n").unwrap();
    fs::write(home.at(ROOT).join("docs/README.md"), "# Docs\n").unwrap();
    assert_eq!(names(&scanned(&home).skills), ["pdf"]);
}

#[test]
fn a_main_file_that_cannot_be_read_rightly_is_a_row_with_its_message_and_the_rest_stands() {
    let text =
        |body: &str| format!("---\nname: x\ndescription: Says it.\n---\n\n{body}\n").into_bytes();
    let rows: [(&str, Vec<u8>, &str, Place); 5] = [
        (
            "merged",
            text("<<<<<<< HEAD\nours\n=======\ntheirs\n>>>>>>> b"),
            "merge-marker",
            place(6, 1),
        ),
        ("bell", text("a\u{7}b"), "control-character", place(6, 2)),
        ("nul", text("ab\0"), "nul-character", place(6, 3)),
        ("latin", [text("").as_slice(), b"caf\xe9\n"].concat(), "not-utf8", place(7, 4)),
        ("broken", b"---\nname: [\n---\n".to_vec(), "frontmatter-yaml", place(2, 0)),
    ];
    let home = rows.iter().fold(
        Home::empty().with_skill(ROOT, &Skill::new("right", "Reads.")),
        |home, (name, bytes, ..)| home.with_skill(ROOT, &of(name, bytes)),
    );
    let snapshot = scanned(&home);
    assert_eq!(snapshot.skills.len(), 6);
    for (folder, _, code, place) in &rows {
        let row = snapshot.skills.iter().find(|row| row.folder_name == *folder).unwrap();
        let told = found(&row.diagnostics, code);
        assert!(!told.message.is_empty() && told.help.is_some(), "{told:?}");
        let at = told.place.as_ref().unwrap_or_else(|| panic!("{told:?}"));
        assert_eq!((at.file.as_str(), at.line), ("SKILL.md", place.line), "{told:?}");
        if place.column > 0 {
            assert_eq!(at.column, place.column, "{told:?}");
        }
    }
    let right = snapshot.skills.iter().find(|row| row.folder_name == "right").unwrap();
    assert!(right.manifest.is_ok());
}

/// A point in a `SKILL.md`.
fn place(line: u32, column: u32) -> Place {
    Place { file: "SKILL.md".to_owned(), line, column, length: 0 }
}

#[cfg(target_os = "linux")]
#[test]
fn a_main_file_that_is_a_pipe_is_never_waited_for() {
    use rustix::fs::{CWD, FileType, Mode, mknodat};
    let home = Home::empty().with_folder("skills/pipe");
    mknodat(CWD, home.at("skills/pipe/SKILL.md"), FileType::Fifo, Mode::RUSR | Mode::WUSR, 0)
        .unwrap();
    let checked = check_folder(&home.at("skills/pipe"));
    assert!(!checked.valid);
    found(&checked.diagnostics, "file-special");
    let provider = DirectoryProvider::new(vec![home.at("skills")], Options::default());
    assert_eq!(provider.list().resources, []);
}
