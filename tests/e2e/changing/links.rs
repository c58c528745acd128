//! One copy for several tools, which have links to it.

use std::fs;

use super::{Publisher, approve, install, library, skill, whole};
use crate::support::home::Home;
use crate::window::eventually;

#[test]
fn two_tools_share_one_copy_behind_links_which_goes_with_the_last_of_them() {
    let home = Home::empty().with_tool("claude-code").with_tool("cursor");
    let publisher = Publisher::of(&[skill("notes", "one\ntwo\n")]);
    let window = library(&home);
    publisher.add_to(&window, "Shelf");
    approve(&window, "notes");
    window.show("notes");
    window.click("button", "Install…");
    window.tick("Claude Code");
    window.choose("How Claude Code gets it", "Link");
    window.sees("A link leads to one copy that all links share.");
    window.pictures("install-link");
    window.click_in("dialog footer", "button", "Cancel");
    install(&window, "notes", &["Claude Code", "Cursor"], true);

    let links = [".claude/skills/notes", ".cursor/skills/notes"].map(|path| home.at(path));
    let copy = fs::read_link(&links[0]).unwrap();
    assert_eq!(fs::read_link(&links[1]).unwrap(), copy);
    let linked = home.at(".local/share/skillhold/linked").canonicalize().unwrap();
    assert!(copy.starts_with(&linked) && copy.ends_with("notes"), "{}", copy.display());
    let before = whole(&copy);

    window.click_in("nav", "button", "Library");
    window.show("notes");
    window.click_part("tab", "Where");
    window.sees("that leads to");
    window.pictures("where-linked");
    fs::write(links[1].join("steps.txt"), "one\nmine\n").unwrap();
    window.row_says("notes", "edited");
    fs::write(links[0].join("steps.txt"), "one\ntwo\n").unwrap();
    eventually("it is as it was installed", || {
        !window.text().lines().any(|line| line.trim() == "edited")
    });
    let before_edit: Vec<_> = before.iter().map(|(path, found)| (path, &found.3)).collect();
    assert_eq!(
        whole(&copy)
            .iter()
            .map(|(path, found)| (path.clone(), found.3.clone()))
            .collect::<Vec<_>>(),
        before_edit
            .into_iter()
            .map(|(path, bytes)| (path.clone(), bytes.clone()))
            .collect::<Vec<_>>(),
    );

    let before = whole(&copy);
    window.menu("Remove…");
    window.find("heading", "Remove “notes”");
    window.sees("only this link goes");
    window.pictures("remove-links");
    window.do_it("Remove", "2 folders moved into the trash");
    assert!(links.iter().all(|link| fs::symlink_metadata(link).is_err()));
    assert!(!copy.exists(), "the copy goes with its last link");
    window.do_it("Undo", "Everything is as it was before");
    assert!(links.iter().all(|link| fs::read_link(link).is_ok_and(|to| to == copy)));
    assert_eq!(whole(&copy), before);
    window.close_dialog();

    // What others do to one link is nothing to the other.
    fs::remove_file(&links[0]).unwrap();
    window.show("notes");
    eventually("the other is all that is left", || {
        window.has("option", "notes") && fs::read_link(&links[1]).is_ok()
    });
    window.menu("Remove…");
    window.do_it("Remove", "moved into the trash");
    assert!(fs::symlink_metadata(&links[1]).is_err());
}
