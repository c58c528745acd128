//! Folders of tools that are not on this machine: offered, and read once the person says so.

use crate::support::home::Home;
use crate::support::skill::Skill;
use crate::window::{Window, eventually};

fn home() -> Home {
    Home::empty()
        .with_tool("claude-code")
        .with_skill(".claude/skills", &Skill::new("reading", "Reads a page."))
        .with_skill(".cursor/skills", &Skill::new("left-behind", "Of a tool that is gone."))
}

#[test]
fn a_folder_that_a_tool_left_behind_is_read_from_the_first_screen_in_two_clicks() {
    let home = home();
    let window = Window::open(&home);
    window.sees("Found 1 skill in 1 tool.");
    window.sees("A folder that is not read");
    window.picture("welcome-unread");
    window.click("button", "Switch on Cursor");
    window.sees("Found 2 skills in 2 tools.");
    window.click("button", "Go to the library");
    window.find("option", "left-behind");
    window.find("option", "reading");
}

#[test]
fn in_the_library_it_is_switched_on_followed_and_stays_on() {
    let home = home();
    let window = Window::open(&home);
    window.click("button", "Go to the library");
    window.find("option", "reading");
    window.sees("~/.cursor/skills");
    assert!(!window.has("option", "left-behind"));
    window.picture("library-unread");
    window.click("button", "Switch on Cursor");
    window.find("option", "left-behind");
    window.sees_no("A folder that is not read");
    Skill::new("arriving", "Came later.").write_under(&home.at(".cursor/skills"));
    window.find("option", "arriving");
    drop(window);

    let window = Window::open(&home);
    window.find("option", "left-behind");
}

#[test]
fn once_left_off_it_is_not_asked_about_again_and_the_settings_read_it() {
    let home = home();
    let window = Window::open(&home);
    window.click("button", "Go to the library");
    window.click("button", "Keep off");
    window.sees_no("A folder that is not read");
    window.click_part("button", "Settings");
    window.sees("folder only");
    window.choose("Whether the folders of Cursor are read", "On");
    window.picture("settings-tools");
    window.click("radio", "Dark");
    window.picture("settings-tools-dark");
    window.click_part("button", "Library");
    window.click("option", "left-behind");
    window.click_part("tab", "Where");
    window.sees("Cursor reads this folder");
    window.picture("where-dark");
}

#[test]
fn what_is_copied_for_a_tool_that_is_not_here_is_shown_and_undo_takes_both_back() {
    let home = home();
    let window = Window::open(&home);
    window.click("button", "Go to the library");
    window.click("option", "reading");
    window.click("button", "Copy to…");
    window.click_part("button", "not found or switched off");
    window.sees("Not found on this machine");
    window.tick("Qwen Code");
    window.picture("copy-not-found");
    window.click("button", "Copy to 1 tool");
    window.sees("1 tool has it now");
    window.click_in("dialog footer", "button", "Close");
    window.find_part("button", "Qwen Code");
    window.press(&[crate::webdriver::key::CONTROL, 'z']);
    eventually("the copy is taken back", || home.files(".qwen/skills").is_empty());
    window.sees_no("Qwen Code");
}
