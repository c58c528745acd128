//! What a server has newer, beside what was edited here.

use std::fs;

use super::{Publisher, approve, install, library, skill};
use crate::support::home::Home;
use crate::window::eventually;

#[test]
fn an_update_is_approved_and_taken_and_an_edited_copy_is_kept_until_the_person_says_so() {
    let home = Home::empty().with_tool("claude-code");
    let publisher = Publisher::of(&[skill("drafts", "one\ntwo\n"), skill("notes", "one\ntwo\n")]);
    let window = library(&home);
    publisher.add_to(&window, "Shelf");
    for name in ["drafts", "notes"] {
        approve(&window, name);
        install(&window, name, &["Claude Code"], false);
    }
    let steps = |name: &str| home.at(&format!(".claude/skills/{name}/steps.txt"));
    let says = |name: &str| fs::read_to_string(steps(name)).unwrap_or_default();
    fs::write(steps("drafts"), "one\nmine\n").unwrap();
    window.click_in("nav", "button", "Library");
    window.row_says("drafts", "edited");

    for name in ["drafts", "notes"] {
        publisher.publish(&skill(name, "one\nthree\n"));
    }
    window.click_in("nav", "button", "Shelf");
    for name in ["drafts", "notes"] {
        window.row_says(name, "changed");
        window.show(name);
        window.click("button", "Review…");
        window.sees("Changed since you approved it");
        window.click("button", "Approve");
        window.row_says(name, "approved");
    }
    assert_eq!((says("drafts").as_str(), says("notes").as_str()), ("one\nmine\n", "one\ntwo\n"));

    window.click_in("nav", "button", "Library");
    window.row_says("notes", "update");
    window.row_says("drafts", "diverged");
    window.show("notes");
    window.click("button", "Update…");
    window.find("heading", "Update “notes”");
    window.pictures("update");
    window.do_it("Update", "1 folder updated");
    assert_eq!(says("notes"), "one\nthree\n");
    window.close_dialog();

    window.show("drafts");
    window.click_part("tab", "Where");
    window.sees("It was edited here, and its source has something else now.");
    window.pictures("where-diverged");
    window.click("button", "Update…");
    window.find("heading", "Update “drafts”");
    window.sees("Nothing would change.");
    window.pictures("update-edited");
    assert!(!window.enabled("button", "Update"));

    window.click("button", "See the difference");
    window.find("heading", "Compare “drafts”");
    window.sees("steps.txt");
    window.wait_text("mine");
    window.wait_text("three");
    window.pictures("compare");
    window.press(&[crate::webdriver::key::ESCAPE]);
    window.find("heading", "Update “drafts”");

    window.choose("What to do with the edits in", "Take what is offered; mine goes into the trash");
    window.do_it("Update in", "1 folder updated");
    assert_eq!(says("drafts"), "one\nthree\n");
    window.pictures("updated");
    window.do_it("Undo", "Everything is as it was before");
    eventually("the edit is back", || says("drafts") == "one\nmine\n");
    window.close_dialog();
    window.row_says("drafts", "diverged");
    assert_eq!(says("notes"), "one\nthree\n");
}
