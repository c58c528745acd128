//! Skills in one file, from one machine to another, through the system's own dialogs.

use std::fs;

use super::{Publisher, install, library, skill};
use crate::support::home::Home;
use crate::window::eventually;

#[test]
fn two_skills_go_to_another_machine_in_a_file_and_are_reviewed_there_as_any_others() {
    let here = Home::empty()
        .with_tool("claude-code")
        .with_folder("Documents")
        .with_skill(".claude/skills", &skill("beta", "two\n"));
    let publisher = Publisher::of(&[skill("alpha", "one\r\n")]);
    let window = library(&here);
    publisher.add_to(&window, "Shelf");
    window.show("alpha");
    window.click("button", "Review…");
    window.fill("textbox", "Note", "Read by two of us");
    window.click("button", "Approve");
    window.row_says("alpha", "approved");
    install(&window, "alpha", &["Claude Code"], false);
    window.click_in("nav", "button", "Library");
    window.show("alpha");
    window.select_too(&["beta"]);
    let file = here.at("Documents/team.zip");
    window.click("button", "Export…");
    window.answer_dialog("Export skills into a file", &file);
    window.sees("Exported 2 skills into");
    window.pictures("exported");
    assert!(fs::read(&file).unwrap().starts_with(b"PK"));
    drop(window);

    let there = Home::empty().with_tool("claude-code").with_folder("Downloads");
    let brought = there.at("Downloads/team.zip");
    fs::copy(&file, &brought).unwrap();
    let window = library(&there);
    window.click_in("nav", "button", "Import skills…");
    window.find("heading", "Import skills");
    window.pictures("import-skills");
    window.click("button", "Choose a file…");
    window.answer_dialog("Import skills from a file", &brought);
    window.sees("2 skills were imported from “team”");
    window.pictures("imported-skills");
    assert_eq!(there.files(".claude/skills").len(), 0);
    window.click("button", "Show them");
    window.row_says("alpha", "new");
    window.row_says("beta", "new");
    window.show("alpha");
    window.click("button", "Review…");
    window.find("heading", "Review “alpha”");
    window.sees("What the bundle says");
    window.sees("Shelf, ");
    window.sees("Their note: Read by two of us");
    window.sees("This is no approval");
    window.pictures("review-bundle");
    window.click("button", "Approve");
    window.row_says("alpha", "approved");
    window.row_says("beta", "new");
    install(&window, "alpha", &["Claude Code"], false);
    assert_eq!(there.files(".claude/skills/alpha"), here.files(".claude/skills/alpha"));

    window.click_in("nav", "button", "Import skills…");
    window.click("button", "Choose a file…");
    window.answer_dialog("Import skills from a file", &brought);
    window.sees("The same content was imported before");
    eventually("nothing else came", || there.files(".claude/skills").len() == 2);
}
