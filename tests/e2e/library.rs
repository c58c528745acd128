//! What is on the disk, what is wrong with it, and copying it from tool to tool.

use std::fs;

use crate::support::home::Home;
use crate::support::skill::Skill;
use crate::window::{Window, eventually};

/// Two tools, skills in one of them, and the welcome behind us.
fn library(home: &Home) -> Window {
    let window = Window::open(home);
    window.click("button", "Go to the library");
    window
}

fn home_with_tools() -> Home {
    Home::empty()
        .with_tool("claude-code")
        .with_tool("cursor")
        .with_skill(
            ".claude/skills",
            &Skill::new("reading", "Reads a page and says what it is about."),
        )
        .with_skill(
            ".claude/skills",
            &Skill::new("writing", "Writes.").file("scripts/run.sh", b"echo hi\n"),
        )
}

#[test]
fn every_skill_is_one_row_that_says_what_is_wrong_with_it() {
    let main =
        |name: &str, rest: &str| format!("---\nname: {name}\n{rest}---\n\n# {name}\n").into_bytes();
    let review = "# Code review\n\nRead the change as its **next reader** will.\n\n\
                  1. What does it do, and does the description say so?\n\
                  2. What could break? Look at `errors`, limits and what happens twice.\n\
                  3. Is there a test whose name says what is promised?\n\n\
                  Use [the checklist](references/checklist.md). Say what is good, too.\n";
    let code_review = Skill::new("code-review", "")
        .file(
            "SKILL.md",
            format!(
                "---\nname: code-review\ndescription: Review a change for correctness, clarity and tests. \
                 Use when asked to look at a diff or a pull request.\nlicense: MIT\n---\n\n{review}"
            )
            .as_bytes(),
        )
        .file("references/checklist.md", b"- names\n- errors\n- limits\n")
        .file("scripts/changed-files.sh", b"#!/bin/sh\ngit diff --name-only \"$1\"\n");
    let sql = Skill::new(
        "sql-style",
        "Write SQL that a colleague can read. Use for queries and migrations.",
    );
    let home = Home::empty()
        .with_tool("claude-code")
        .with_tool("cursor")
        .with_tool("codex")
        .with_tool("gemini-cli")
        .with_skill(".claude/skills", &code_review)
        .with_skill(".claude/skills", &sql)
        .with_skill(
            ".claude/skills",
            &Skill::new("commit-messages", "Write a commit message that says why."),
        )
        .with_skill(
            ".codex/skills",
            &sql.clone().file("SKILL.md", &main("sql-style", "description: Another one.\n")),
        )
        .with_skill(
            ".codex/skills",
            &Skill::new("accessibility", "Check a page with the keyboard and a screen reader."),
        )
        .with_skill(
            ".gemini/skills",
            &Skill::new("release-notes", "")
                .file("SKILL.md", &main("release-notes", "description: Use this: always\n")),
        );
    let window = library(&home);
    window.row_says("release-notes", "invalid");
    window.row_says("sql-style", "diverged");
    for name in ["accessibility", "code-review", "commit-messages"] {
        window.find("option", name);
    }
    window.sees("5 skills");
    window.click("option", "code-review");
    window.sees("next reader");
    window.picture("library-light");
}

#[test]
fn the_list_follows_the_disk_without_a_click() {
    let home = home_with_tools();
    let window = library(&home);
    window.find("option", "reading");
    window.find("option", "writing");

    let home = home
        .with_skill(".cursor/skills", &Skill::new("arriving", "Came while the window was open."));
    window.find("option", "arriving");
    window.sees("Came while the window was open.");

    fs::remove_dir_all(home.at(".claude/skills/writing")).unwrap();
    eventually("the removed skill leaves the list", || !window.has("option", "writing"));

    let text = "---\nname: reading\ndescription: Says something else now.\n---\n";
    fs::write(home.at(".claude/skills/reading/SKILL.md"), text).unwrap();
    window.sees("Says something else now.");
}

#[test]
fn a_skill_shows_its_text_its_files_its_digests_and_what_is_wrong_with_it() {
    // The second colon makes the description no YAML: the most common fault of all.
    let broken = "---\nname: broken\ndescription: Use this: always\n---\n\n# Broken\n\nStill **readable**.\n";
    let home = home_with_tools().with_skill(
        ".claude/skills",
        &Skill::new("broken", "").file("SKILL.md", broken.as_bytes()).file("empty.txt", b""),
    );
    let window = library(&home);
    window.row_says("broken", "invalid");
    window.click("option", "broken");
    window.sees("readable");
    window.picture("library-invalid");

    window.click_part("tab", "Files");
    window.sees("empty.txt");
    window.click_part("tab", "Manifest");
    // The digest of no bytes, which anybody can look up.
    let page = window.wait_text("e3b0c442");
    assert!(page.contains("SKILL.md"), "{page}");
    window.picture("manifest");
    window.click_part("tab", "Checks");
    window.sees("SKILL.md:3:");
    window.picture("checks");
}

#[test]
fn a_skill_is_copied_to_another_tool_and_taken_back() {
    let home = home_with_tools();
    let window = library(&home);
    window.click("option", "writing");
    window.click("button", "Copy to…");
    window.find("heading", "Copy “writing”");
    window.tick("Cursor");
    window.sees("nothing there yet");
    window.click("button", "Copy to 1 tool");
    window.sees("1 tool has it now");
    assert_eq!(home.files(".cursor/skills/writing"), home.files(".claude/skills/writing"));
    assert_eq!(home.files(".cursor/skills/writing")["scripts/run.sh"], b"echo hi\n");
    window.click_in("dialog footer", "button", "Close");

    window.press(&[crate::webdriver::key::CONTROL, 'z']);
    eventually("the copy is taken back", || home.files(".cursor/skills").is_empty());
    assert_eq!(home.files(".claude/skills/writing").len(), 2);
}

#[test]
fn other_content_of_the_same_name_is_kept_unless_replaced_and_comes_back_with_undo() {
    let own = Skill::new("writing", "Mine, and by hand.");
    let home = home_with_tools().with_skill(".cursor/skills", &own);
    let window = library(&home);
    window.click("option", "writing");
    // The list has one row for both; the copy of Claude Code is the one to be copied.
    window.find_part("combobox", "Which copy");
    let copy = window.script(
        "return [...document.querySelectorAll('main select option')].map((one) => one.label).find((one) => one.includes('.claude'))",
    );
    window.choose("Which copy", copy.as_str().expect("a copy in Claude Code"));
    window.sees("Writes.");
    window.click("button", "Copy to…");
    window.tick("Cursor");
    window.sees("different content, not ours");
    window.sees("Nothing would be written.");
    assert_eq!(home.files(".cursor/skills/writing"), own.files);
    window.picture("conflict");

    window.choose("What to do in Cursor", "Replace, backup kept");
    window.click("button", "Copy to 1 tool");
    window.sees("replaced, backup kept");
    assert_eq!(home.files(".cursor/skills/writing"), home.files(".claude/skills/writing"));
    window.click("button", "Undo");
    window.sees("Everything is as it was before");
    assert_eq!(home.files(".cursor/skills/writing"), own.files);
}

#[test]
fn a_target_that_cannot_be_written_is_said_so_and_nothing_is_lost() {
    let home = home_with_tools();
    // A file where the folder of skills should be stops root, too, as permissions would not.
    fs::write(home.at(".cursor/skills"), "not a folder").unwrap();
    let window = library(&home);
    window.click("option", "writing");
    window.click("button", "Copy to…");
    window.sees("cannot be written");
    window.picture("not-writable");
    assert_eq!(fs::read(home.at(".cursor/skills")).unwrap(), b"not a folder");
}
