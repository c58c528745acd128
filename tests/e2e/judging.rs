//! Saying exactly what is wrong with a skill, putting it right, and looking in other places.

use std::fs;

use crate::support::home::Home;
use crate::support::skill::Skill;
use crate::webdriver::key;
use crate::window::{Window, eventually};

/// The second colon makes the description no YAML: the most common fault of all.
const BROKEN: &str = "---\nname: broken\n# stays\ndescription: Use this: always\n---\n\n# Broken\n\nStill **readable**.\n";
const RIGHT: &str = "---\nname: broken\n# stays\ndescription: \"Use this: always\"\n---\n\n# Broken\n\nStill **readable**.\n";

#[test]
fn a_fault_is_shown_at_its_place_fixed_with_one_click_and_taken_back() {
    let broken = Skill::new("broken", "")
        .file("SKILL.md", BROKEN.as_bytes())
        .file("notes.txt", b"kept as it is\r\n");
    let home = Home::empty()
        .with_tool("claude-code")
        .with_tool("cursor")
        .with_skill(".claude/skills", &broken);
    let main = home.at(".claude/skills/broken/SKILL.md");
    let is = |text: &str| fs::read_to_string(&main).is_ok_and(|now| now == text);
    let window = Window::open(&home);
    window.click("button", "Go to the library");
    window.row_says("broken", "invalid");
    window.click("option", "broken");
    window.click_part("tab", "Checks");
    window.sees("SKILL.md:4:22");
    // The same file is nothing to one kind of reader and whole to another.
    window.sees("Servers in strict mode");
    window.sees("drops it");
    window.sees("Tools that fall back to single lines");
    window.sees("\"Use this: always\"");
    window.picture("fix");

    window.click_part("button", "Quote the value");
    eventually("the value is quoted, and nothing else is changed", || is(RIGHT));
    assert_eq!(home.files(".claude/skills/broken")["notes.txt"], b"kept as it is\r\n");
    window.sees_no("SKILL.md:4:22");
    window.picture("fixed");

    window.press(&[key::CONTROL, 'z']);
    eventually("the fix is taken back", || is(BROKEN));
    window.row_says("broken", "invalid");
    window.sees("SKILL.md:4:22");
}

#[test]
fn a_folder_that_has_another_name_than_its_skill_is_renamed_and_named_back() {
    let skill = Skill::new("notes", "Takes notes. Use when asked to take notes.");
    let moved = Skill { name: "Other".to_owned(), ..skill };
    let home = Home::empty()
        .with_tool("claude-code")
        .with_tool("cursor")
        .with_skill(".claude/skills", &moved);
    let window = Window::open(&home);
    window.click("button", "Go to the library");
    window.click("option", "notes");
    window.click_part("tab", "Checks");
    window.click_part("button", "Rename the folder to");
    eventually("the folder has the skill's name", || {
        home.files(".claude/skills").keys().eq(["notes/SKILL.md"])
    });
    window.sees("~/.claude/skills/notes");
    window.press(&[key::CONTROL, 'z']);
    eventually("the folder has its own name again", || {
        home.files(".claude/skills").keys().eq(["Other/SKILL.md"])
    });
}

#[test]
fn a_project_on_the_command_line_shows_the_skills_that_tools_keep_in_it() {
    let home = Home::empty()
        .with_tool("claude-code")
        .with_skill(
            "work/site/.claude/skills",
            &Skill::new("releasing", "Releases the site. Use when asked to release it."),
        )
        .with_skill(".claude/skills", &Skill::new("own", "One of the person's own."));
    let site = home.at("work/site");
    let window = Window::open_with(&home, &[&site]);
    window.click("button", "Go to the library");
    window.find("option", "own");
    window.click("option", "releasing");
    window.sees("~/work/site/.claude/skills/releasing");
    window.click_part("tab", "Where");
    window.sees("Claude Code");
    window.picture("project");
}

#[test]
fn what_is_added_and_which_tools_are_read_is_set_in_the_settings() {
    let home = Home::empty()
        .with_tool("claude-code")
        .with_skill("shelf", &Skill::new("apart", "Lies in a folder of its own."))
        .with_skill(".claude/skills", &Skill::new("own", "One of the person's own."));
    let shelf = home.at("shelf");
    let window = Window::open_with(&home, &[&shelf]);
    window.click("button", "Go to the library");
    window.find("option", "apart");
    window.click_part("button", "Settings");
    window.sees("~/shelf");
    window.sees("folder of skills");
    window.choose("Whether the folders of Claude Code are read", "Off");
    window.picture("settings-folders");
    window.click_part("button", "Remove");
    window.sees("No folder was added.");
    window.click_part("button", "Library");
    eventually("neither is shown any more", || {
        !window.has("option", "apart") && !window.has("option", "own")
    });
    assert!(shelf.join("apart/SKILL.md").exists());
}
