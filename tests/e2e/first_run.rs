//! The first run, without any server at hand: the samples, from the welcome to a tool's folder.

use std::collections::BTreeMap;

use crate::support::home::Home;
use crate::support::skill::Skill;
use crate::window::Window;

fn home_with_tools() -> Home {
    Home::empty().with_tool("claude-code").with_tool("cursor").with_skill(
        ".claude/skills",
        &Skill::new("reading", "Reads a page and says what it is about."),
    )
}

/// The window with the samples in its list.
fn samples(home: &Home) -> Window {
    let window = Window::open(home);
    window.click("button", "Look at the samples");
    window.row_says("meeting-notes", "new");
    window
}

/// Reviews one of the samples and approves it as it is.
fn approve(window: &Window, name: &str) {
    window.click("option", name);
    window.click("button", "Review…");
    window.find("heading", &format!("Review “{name}”"));
    window.click("button", "Approve");
    window.sees_no(&format!("Review “{name}”"));
}

#[test]
fn a_sample_is_reviewed_approved_installed_in_two_tools_and_taken_back() {
    let home = home_with_tools();
    let window = Window::open(&home);
    window.sees("Welcome to Skillhold");
    window.sees("Found 1 skill in 2 tools.");
    window.sees("Claude Code");
    window.sees("Cursor");
    window.picture("welcome");
    window.click("button", "Look at the samples");
    for name in ["csv-report", "meeting-notes", "release-helper", "style-guide"] {
        window.row_says(name, "new");
    }
    window.picture("samples");

    window.click("option", "meeting-notes");
    window.click("button", "Review…");
    window.find("heading", "Review “meeting-notes”");
    window.sees("Inspection: nothing found by 78 rules.");
    window.sees("checks hold");
    window.sees("Approves exactly this content from Samples.");
    window.wait_text("verified");
    window.picture("review");
    window.click("button", "Approve");
    window.sees("Approved “meeting-notes”");
    window.row_says("meeting-notes", "approved");

    window.click("button", "Install…");
    window.find("heading", "Install “meeting-notes”");
    window.tick("Claude Code");
    window.tick("Cursor");
    window.picture("install");
    window.click("button", "Install into 2 tools");
    window.sees("2 tools have it now");
    window.sees("written and checked");
    window.picture("installed");
    let claude = home.files(".claude/skills/meeting-notes");
    assert!(claude["SKILL.md"].starts_with(b"---\nname: meeting-notes\n"), "{claude:?}");
    assert_eq!(home.files(".cursor/skills/meeting-notes"), claude);

    window.click("button", "Undo");
    window.sees("Everything is as it was before");
    window.click_in("dialog footer", "button", "Close");
    assert_eq!(home.files(".cursor/skills"), BTreeMap::new());
    assert_eq!(home.files(".claude/skills").into_keys().collect::<Vec<_>>(), ["reading/SKILL.md"]);
    window.click_part("button", "Activity");
    window.sees("Undone");
    window.picture("activity");
}

#[test]
fn a_sample_that_changes_after_its_approval_is_no_longer_approved() {
    let home = home_with_tools();
    let window = samples(&home);
    approve(&window, "style-guide");
    window.row_says("style-guide", "changed");
    window.sees("The server changed this skill, so the approval ended");
    window.picture("changed");
    window.click("button", "Review…");
    window.sees("Changed since you approved it");
    window.picture("review-changed");
    window.click("button", "Approve");
    window.row_says("style-guide", "approved");
}

#[test]
fn a_sample_that_asks_for_tools_waits_for_a_look_and_is_installed_without_them() {
    let home = home_with_tools();
    let window = samples(&home);
    window.click("option", "release-helper");
    window.click("button", "Review…");
    window.sees("Approve waits for");
    assert!(!window.enabled("button", "Approve"));
    window.picture("review-grave");
    while window.tick_next("I have seen this") {}
    window.click("button", "Approve");
    window.row_says("release-helper", "approved");

    window.click("button", "Install…");
    window.tick("Claude Code");
    window.sees("will be left out");
    window.picture("install-left-out");
    window.click("button", "Install into 1 tool");
    window.sees("1 tool has it now");
    let installed = home.files(".claude/skills/release-helper");
    let main = String::from_utf8_lossy(&installed["SKILL.md"]).into_owned();
    assert!(main.starts_with("---\nname: release-helper\n"), "{main}");
    assert!(!main.contains("\nallowed-tools:"), "{main}");
    assert!(!main.contains("\nhooks:"), "{main}");
}

#[test]
fn an_approval_and_a_rejection_are_still_there_after_a_restart() {
    let home = home_with_tools();
    let window = samples(&home);
    approve(&window, "meeting-notes");
    window.click("option", "csv-report");
    window.click("button", "Review…");
    window.click("button", "Reject");
    window.row_says("csv-report", "rejected");
    drop(window);

    let window = Window::open(&home);
    window.click_in("nav", "button", "Samples");
    window.row_says("meeting-notes", "approved");
    window.row_says("csv-report", "rejected");
    window.row_says("style-guide", "new");
}

#[test]
fn the_samples_can_be_switched_off() {
    let home = home_with_tools();
    let window = samples(&home);
    window.click_part("button", "Settings");
    window.click("checkbox", "Offer the built-in Samples server");
    window.sees_no("Samples\n");
    window.picture("settings");
    drop(window);
    let window = Window::open(&home);
    window.find_part("button", "Library");
    assert!(!window.has("button", "Samples"));
}
