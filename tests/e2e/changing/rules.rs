//! What the person rules: from where nothing comes, what stands for a review, and what was rejected.

use super::{Publisher, approve, install, library, skill};
use crate::support::home::Home;
use crate::window::{Window, eventually};

#[test]
fn from_a_server_that_is_barred_nothing_is_installed_until_it_is_let_again() {
    let home = Home::empty().with_tool("claude-code");
    let publisher = Publisher::of(&[skill("notes", "one\n")]);
    let window = library(&home);
    publisher.add_to(&window, "Shelf");
    window.find("option", "notes");
    window.tick("Never install from this server");
    window.pictures("server-never");
    approve(&window, "notes");
    window.sees("Nothing is installed from Shelf: you chose so for this server.");
    assert!(!window.has("button", "Install…"));
    window.pictures("never-install");
    drop(window);

    let window = Window::open(&home);
    window.click_in("nav", "button", "Shelf");
    window.show("notes");
    window.sees("Nothing is installed from Shelf: you chose so for this server.");
    window.click("button", "Show the server");
    window.click("checkbox", "Never install from this server");
    window.row_says("notes", "approved");
    install(&window, "notes", &["Claude Code"], false);
    assert_eq!(home.files(".claude/skills/notes")["steps.txt"], b"one\n");
}

#[test]
fn the_same_content_from_another_server_is_accepted_by_a_click_where_that_is_allowed() {
    let home = Home::empty().with_tool("claude-code");
    let skills = [skill("notes", "one\n")];
    let (first, second) = (Publisher::of(&skills), Publisher::of(&skills));
    let window = library(&home);
    first.add_to(&window, "First");
    approve(&window, "notes");
    second.add_to(&window, "Second");
    window.row_says("notes", "new");
    window.show("notes");
    window.find("button", "Review…");
    assert!(!window.has("button", "Accept"));

    window.click_in("nav", "button", "Settings");
    window.click("radio", "Accept the same content from another server");
    window.pictures("settings-approvals");
    window.click_in("nav", "button", "Second");
    window.show("notes");
    window.sees("Exactly this content is approved from “First”");
    window.row_says("notes", "new");
    window.pictures("accept-same");
    window.click("button", "Accept");
    window.row_says("notes", "approved");
    window.click_part("button", "Activity");
    window.sees("the same content as approved from First");

    // Other content is reviewed as ever.
    second.publish(&skill("notes", "two\n"));
    window.click_in("nav", "button", "Second");
    window.row_says("notes", "changed");
    window.show("notes");
    window.find("button", "Review…");
    assert!(!window.has("button", "Accept"));
}

#[test]
fn what_was_rejected_stays_rejected_and_says_so_until_it_is_other_content() {
    let home = Home::empty().with_tool("claude-code");
    let publisher = Publisher::of(&[skill("notes", "one\n")]);
    let window = library(&home);
    publisher.add_to(&window, "Shelf");
    window.show("notes");
    window.click("button", "Review…");
    window.click("button", "Reject");
    window.row_says("notes", "rejected");

    publisher.publish(&skill("notes", "two\n"));
    eventually("other content is to be reviewed", || {
        window.text().lines().any(|line| ["new", "changed"].contains(&line.trim()))
    });
    publisher.publish(&skill("notes", "one\n"));
    window.row_says("notes", "rejected");
    window.show("notes");
    window.sees("exactly as it is offered now");
    window.sees("Shelf offers it again without a change. It stays rejected unless you approve it.");
    window.pictures("rejected-again");
    assert!(!window.has("button", "Install…"));
    drop(window);

    let window = Window::open(&home);
    window.click_in("nav", "button", "Shelf");
    window.row_says("notes", "rejected");
}
