//! Removing, adopting, disabling, enabling and renaming.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::time::{Duration, UNIX_EPOCH};

use super::{library, skill, whole};
use crate::support::home::Home;
use crate::window::{Window, eventually};

/// Odd bits and an old time, which a copy would not have.
fn age(file: &Path) {
    fs::set_permissions(file, fs::Permissions::from_mode(0o751)).unwrap();
    let then = UNIX_EPOCH + Duration::from_nanos(1_500_000_000_123_456_789);
    fs::File::options().write(true).open(file).unwrap().set_modified(then).unwrap();
}

fn home_with(names: &[&str]) -> Home {
    let mut home = Home::empty().with_tool("claude-code").with_tool("cursor");
    for name in names {
        home = home.with_skill(".claude/skills", &skill(name, "one\r\ntwo\r\n"));
        age(&home.at(&format!(".claude/skills/{name}/steps.txt")));
    }
    home
}

fn adopt(window: &Window, name: &str) {
    window.show(name);
    window.menu("Adopt…");
    window.find("heading", &format!("Adopt “{name}”"));
    window.do_it("Adopt", "1 folder adopted");
    window.close_dialog();
}

#[test]
fn several_skills_are_removed_at_once_and_come_back_with_every_bit_and_time() {
    let home = home_with(&["alpha", "beta", "by-hand"]);
    let folder = |name: &str| home.at(&format!(".claude/skills/{name}"));
    let before = ["alpha", "beta", "by-hand"].map(|name| whole(&folder(name)));
    let window = library(&home);
    window.show("alpha");
    window.select_too(&["beta"]);
    window.sees("2 skills selected");
    window.click("button", "Adopt…");
    window.pictures("adopt-several");
    window.do_it("Adopt 2 skills", "2 folders adopted");
    window.close_dialog();
    assert_eq!(whole(&folder("alpha")), before[0], "adopting changes nothing on the disk");

    window.show("alpha");
    window.select_too(&["beta", "by-hand"]);
    window.sees("3 skills selected");
    window.sees("1 was not placed by Skillhold");
    window.pictures("selection");
    window.click("button", "Remove…");
    window.find("heading", "Remove 2 skills");
    window.sees("Claude Code and Cursor lose it");
    window.pictures("remove-several");
    window.do_it("Remove 2 skills", "2 folders moved into the trash");
    window.pictures("removed-several");
    assert!(!folder("alpha").exists() && !folder("beta").exists());
    assert_eq!(whole(&folder("by-hand")), before[2]);
    let kept = home.files(".local/share/skillhold/trash");
    assert_eq!(kept.values().filter(|bytes| *bytes == b"one\r\ntwo\r\n").count(), 2, "{kept:?}");

    window.do_it("Undo", "Everything is as it was before");
    assert_eq!(["alpha", "beta", "by-hand"].map(|name| whole(&folder(name))), before);
    assert!(home.files(".local/share/skillhold/trash").is_empty());
    window.close_dialog();
    window.find("option", "alpha");

    // Once more, and taken back from the trash itself, after a restart.
    window.show("alpha");
    window.menu("Remove…");
    window.find("heading", "Remove “alpha”");
    window.do_it("Remove", "1 folder moved into the trash");
    window.close_dialog();
    drop(window);
    let window = Window::open(&home);
    window.click_part("button", "Activity");
    window.click_part("tab", "Trash");
    window.sees("~/.claude/skills/alpha");
    window.pictures("trash");
    window.click_part("button", "Undo the change that moved alpha");
    eventually("it is back", || whole(&folder("alpha")) == before[0]);
    window.sees("The trash is empty");
}

#[test]
fn what_skillhold_did_not_place_is_not_removed_and_adopting_is_offered() {
    let home = home_with(&["by-hand"]);
    let folder = home.at(".claude/skills/by-hand");
    let before = whole(&folder);
    let window = library(&home);
    window.show("by-hand");
    window.menu("Remove…");
    window.sees("Nothing here can be removed by Skillhold");
    window.sees("Adopt takes it into the record");
    window.pictures("remove-not-ours");
    assert!(!window.has("button", "Remove"));
    window.click_in("dialog footer", "button", "Adopt…");
    window.find("heading", "Adopt “by-hand”");
    window.do_it("Adopt", "1 folder adopted");
    window.close_dialog();
    assert_eq!(whole(&folder), before);
    window.menu("Remove…");
    window.find("heading", "Remove “by-hand”");
    window.do_it("Remove", "1 folder moved into the trash");
    assert!(!folder.exists());
}

#[test]
fn a_disabled_skill_is_away_says_so_and_is_put_back_exactly_after_a_restart() {
    let home = home_with(&["by-hand", "other"]);
    let folder = home.at(".claude/skills/by-hand");
    let before = whole(&folder);
    let window = library(&home);
    adopt(&window, "by-hand");

    let disable = |window: &Window| {
        window.show("by-hand");
        window.menu("Disable…");
        window.find("heading", "Disable “by-hand”");
        window.pictures("disable");
        window.do_it("Disable", "1 folder moved aside");
        window.close_dialog();
        window.row_says("by-hand", "disabled");
        assert!(!folder.exists());
        window.click_in("nav", "button", "Claude Code");
        window.row_says("by-hand", "disabled");
        window.show("by-hand");
        window.sees("This skill is disabled: no tool sees it.");
        window.pictures("disabled");
    };
    let enable = |window: &Window| {
        window.show("by-hand");
        window.click("button", "Enable…");
        window.find("heading", "Enable “by-hand”");
        window.do_it("Enable", "1 folder put back");
        window.close_dialog();
        assert_eq!(whole(&folder), before);
        window.sees_no("This skill is disabled: no tool sees it.");
    };
    disable(&window);
    enable(&window);
    window.click_in("nav", "button", "Library");
    disable(&window);
    drop(window);

    let window = Window::open(&home);
    window.row_says("by-hand", "disabled");
    assert!(!folder.exists());
    window.click_in("nav", "button", "Claude Code");
    window.row_says("by-hand", "disabled");
    enable(&window);
    // It is still in the record: it can be removed.
    window.menu("Remove…");
    window.find("heading", "Remove “by-hand”");
}

#[test]
fn a_skill_is_renamed_with_its_folder_and_named_back() {
    let home = home_with(&["by-hand"]);
    let old = home.at(".claude/skills/by-hand");
    let before = whole(&old);
    let window = library(&home);
    window.show("by-hand");
    window.menu("Rename…");
    window.find("heading", "Rename “by-hand”");
    window.fill("textbox", "New name", "Not A Name");
    window.sees("Use 1 to 64 of a–z, 0–9 and single hyphens.");
    window.fill("textbox", "New name", "by-heart");
    window.pictures("rename");
    window.do_it("Rename to by-heart", "1 skill renamed");
    window.close_dialog();
    let files = home.files(".claude/skills");
    assert_eq!(files.keys().collect::<Vec<_>>(), ["by-heart/SKILL.md", "by-heart/steps.txt"]);
    assert!(files["by-heart/SKILL.md"].starts_with(b"---\nname: by-heart\n"));
    assert_eq!(files["by-heart/steps.txt"], b"one\r\ntwo\r\n");
    window.find("option", "by-heart");
    window.click_part("button", "Activity");
    window.sees("Renamed");
    window.click_part("button", "Undo: ");
    eventually("it has its own name again", || whole(&old) == before);
    assert!(!home.at(".claude/skills/by-heart").exists());
}
