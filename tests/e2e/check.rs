//! `skillhold check`, as it is called from a script.

use std::path::Path;
use std::process::Output;

use serde_json::Value;

use crate::serve::program;
use crate::support::home::Home;
use crate::support::skill::Skill;

/// The most common fault of all: a second colon in the description.
const BROKEN: &[u8] =
    b"---\nname: broken\n# stays\ndescription: Use this: always\n---\n\n# Broken\n\nStill readable.\n";
const RIGHT: &[u8] = b"---\nname: broken\n# stays\ndescription: \"Use this: always\"\n---\n\n# Broken\n\nStill readable.\n";
const AFTER: &str = "---\nname: after\ndescription: Use this: always\n---\n\n# After\n";

fn check(home: &Home, at: &Path, arguments: &[&str]) -> Output {
    program(home).arg("check").args(arguments).current_dir(at).output().unwrap()
}

fn written(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn home() -> Home {
    Home::empty()
        .with_skill("shelf", &Skill::new("broken", "").file("SKILL.md", BROKEN))
        .with_skill("shelf", &Skill::new("plain", "Reads a page. Use when asked about a page."))
        .with_skill(
            "site/.claude/skills",
            &Skill::new("notes", "Takes notes. Use when asked to take notes."),
        )
}

#[test]
fn a_fault_is_a_line_with_its_place_and_the_exit_code_says_so() {
    let home = home();
    let output = check(&home, home.path(), &["shelf"]);
    assert_eq!(output.status.code(), Some(1));
    let text = written(&output);
    let line = text.lines().find(|line| line.contains(": error ")).expect("an error");
    assert!(line.starts_with("shelf/broken/SKILL.md:4:"), "{text}");
    assert!(text.contains("\n  fixable: "), "{text}");
    let mut last = text.lines().rev();
    assert!(last.next().unwrap().starts_with("the contents were not inspected: "), "{text}");
    assert!(last.next().unwrap().starts_with("2 skills checked: 1 error, "), "{text}");

    let project = check(&home, &home.at("site"), &["."]);
    assert_eq!(project.status.code(), Some(0), "{}", written(&project));
    let both = check(&home, home.path(), &["shelf/plain", "site"]);
    assert_eq!(both.status.code(), Some(0), "{}", written(&both));
    assert!(written(&both).contains("2 skills checked: 0 errors"), "{}", written(&both));
}

#[test]
fn a_wrong_use_is_told_apart_from_a_fault() {
    let home = home().with_folder("empty");
    for wrong in
        [&[][..], &["missing"], &["empty"], &["shelf", "missing"], &["--format", "xml", "shelf"]]
    {
        let output = check(&home, home.path(), wrong);
        assert_eq!(output.status.code(), Some(2), "{wrong:?}");
        assert_eq!(written(&output), "", "{wrong:?}");
        assert!(!output.stderr.is_empty(), "{wrong:?}");
    }
}

#[test]
fn json_has_an_object_for_each_skill() {
    let home = home();
    let output = check(&home, home.path(), &["--format", "json", "shelf"]);
    assert_eq!(output.status.code(), Some(1));
    let skills: Value = serde_json::from_slice(&output.stdout).unwrap();
    let skills = skills.as_array().unwrap();
    let told: Vec<_> = skills
        .iter()
        .map(|skill| (skill["path"].as_str().unwrap(), skill["valid"].as_bool().unwrap()))
        .collect();
    assert_eq!(told, [("shelf/broken", false), ("shelf/plain", true)]);
    assert_eq!(skills[0]["files"], 1);
    assert_eq!(skills[0]["bytes"], BROKEN.len());
    assert_eq!(skills[0]["fingerprint"].as_str().unwrap().len(), 64);
    let fault = &skills[0]["diagnostics"][0];
    assert_eq!((&fault["severity"], &fault["line"]), (&"error".into(), &4.into()));
    assert_eq!((&fault["file"], &fault["fixable"]), (&"SKILL.md".into(), &true.into()));
}

#[test]
fn a_fix_changes_the_value_and_nothing_else_and_is_kept_for_undo() {
    let home = home();
    let output = check(&home, home.path(), &["--fix", "shelf"]);
    let text = written(&output);
    assert_eq!(output.status.code(), Some(0), "{text}");
    assert!(text.contains("shelf/broken: fixed: "), "{text}");
    assert!(text.contains("Activity"), "{text}");
    assert_eq!(home.files("shelf/broken")["SKILL.md"], RIGHT);
    let again = check(&home, home.path(), &["--fix", "--format", "json", "shelf"]);
    assert_eq!(again.status.code(), Some(0));
    let skills: Value = serde_json::from_slice(&again.stdout).unwrap();
    assert_eq!(skills.as_array().unwrap().len(), 2);
    assert_eq!(String::from_utf8_lossy(&again.stderr), "");
}

#[test]
fn checking_alone_writes_nothing_at_all() {
    let home = home();
    check(&home, home.path(), &["shelf", "site"]);
    assert!(!home.at(".local").exists());
    assert_eq!(home.files("shelf/broken")["SKILL.md"], BROKEN);
}

#[test]
fn every_skill_is_fixed_when_nobody_reads_what_is_said() {
    let home = home()
        .with_skill("shelf", &Skill::new("after", "").file("SKILL.md", AFTER.as_bytes()))
        .with_skill("other", &Skill::new("after", "").file("SKILL.md", AFTER.as_bytes()));
    let unread = || {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        writer
    };
    let status = program(&home)
        .args(["check", "--fix", "shelf", "other"])
        .current_dir(home.path())
        .stdout(unread())
        .stderr(unread())
        .status()
        .unwrap();
    assert_eq!(status.code(), Some(0));
    assert_eq!(home.files("shelf/broken")["SKILL.md"], RIGHT);
    for folder in ["shelf/after", "other/after"] {
        let fixed = String::from_utf8(home.files(folder)["SKILL.md"].clone()).unwrap();
        assert_eq!(fixed, AFTER.replace("Use this: always", "\"Use this: always\""), "{folder}");
    }
    let wrong = program(&home)
        .args(["check", "nothing-here"])
        .current_dir(home.path())
        .stderr(unread())
        .status()
        .unwrap();
    assert_eq!(wrong.code(), Some(2));
}

#[test]
#[cfg(unix)]
fn whoever_stands_in_a_folder_that_is_replaced_is_told_where_to_go() {
    let home = home();
    let inside = home.at("shelf/broken").canonicalize().unwrap();
    let hint = |output: &Output| {
        let text = written(output);
        text.lines().find(|line| line.starts_with("you are still in")).map(str::to_owned)
    };
    let output = check(&home, &inside, &["--fix", "."]);
    assert_eq!(home.files("shelf/broken")["SKILL.md"], RIGHT);
    assert_eq!(
        hint(&output).unwrap(),
        format!("you are still in what was there before: go to {} again", inside.display())
    );
    // A folder that only gets another name stays the same folder.
    let home = Home::empty().with_skill(
        "shelf",
        &Skill::new("Notes", "").file(
            "SKILL.md",
            b"---\nname: notes\ndescription: Takes notes. Use when asked.\n---\n\n# Notes\n",
        ),
    );
    let output = check(&home, &home.at("shelf/Notes"), &["--fix", "."]);
    assert!(home.at("shelf/notes/SKILL.md").exists(), "{}", written(&output));
    assert_eq!(hint(&output), None);
    // Nor does it matter to whoever stands elsewhere.
    let home = self::home();
    assert_eq!(hint(&check(&home, home.path(), &["--fix", "shelf"])), None);
}
