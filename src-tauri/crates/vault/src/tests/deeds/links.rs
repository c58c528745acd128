//! Deeds with skills that are links to a shared copy.

use super::*;
use crate::drift::Drift;
use crate::link::Mode;

/// Installs [`NEW`] as links for `a` and `b`; their folders and the copy that they lead to.
fn linked(home: &Home) -> (PathBuf, PathBuf, PathBuf, Change) {
    let server = home.server();
    let source = home.approved(&server, "skill://pdf/SKILL.md", &NEW, false);
    let link = |tool| Target { mode: Mode::Link, ..target(home, tool, OnConflict::Keep) };
    let change = home.apply(&home.plan(source, vec![link("a"), link("b")]));
    assert_eq!(results(&change), [ItemResult::Written; 2]);
    let (a, b) = (home.root("a").join("pdf"), home.root("b").join("pdf"));
    let copy = home.vault.placement(&a).unwrap().unwrap().canonical().unwrap().to_owned();
    (a, b, copy, change)
}

fn is_link(folder: &Path, copy: &Path) -> bool {
    fs::read_link(folder).is_ok_and(|leads| leads == copy)
}

#[test]
fn removing_a_link_leaves_the_copy_until_its_last_link_goes() {
    let home = Home::new();
    let (a, b, copy, _) = linked(&home);
    let record = home.vault.placements().unwrap();
    let one = done(&home, Deed::Remove, &[&a]);
    assert_eq!(results(&one), [ItemResult::Removed]);
    assert!(a.symlink_metadata().is_err() && is_link(&b, &copy));
    assert_eq!(home.tree(&copy), new());
    let two = done(&home, Deed::Remove, &[&b]);
    assert_eq!(results(&two), [ItemResult::Removed]);
    assert!(!copy.exists(), "it went with its last link");
    assert!(home.vault.placements().unwrap().is_empty());
    let (home, _) = home.reopen();
    assert_eq!(results(&undo(&home, &two)), [ItemResult::Undone]);
    assert_eq!(home.tree(&copy), new());
    assert_eq!(results(&undo(&home, &one)), [ItemResult::Undone]);
    assert!(is_link(&a, &copy) && is_link(&b, &copy));
    let back: Vec<_> = home.vault.placements().unwrap();
    assert_eq!(
        back.iter().map(|placement| (&placement.folder, &placement.mode)).collect::<Vec<_>>(),
        record.iter().map(|placement| (&placement.folder, &placement.mode)).collect::<Vec<_>>()
    );
    assert!(back.iter().all(|placement| Drift::on_disk(placement) == Drift::InSync));
    assert!(home.vault.trash().unwrap().is_empty());
    home.assert_tidy();
}

#[test]
fn both_links_removed_at_once_take_the_copy_along_and_bring_it_back() {
    let home = Home::new();
    let (a, b, copy, install) = linked(&home);
    let change = done(&home, Deed::Remove, &[&a, &b]);
    assert_eq!(results(&change), [ItemResult::Removed; 2]);
    assert!(!copy.exists());
    assert_eq!(results(&undo(&home, &change)), [ItemResult::Undone; 2]);
    assert!(is_link(&a, &copy) && is_link(&b, &copy));
    assert_eq!(home.tree(&copy), new());
    assert_eq!(results(&undo(&home, &install)), [ItemResult::Undone; 2]);
    assert!(!copy.exists() && home.vault.placements().unwrap().is_empty());
    home.assert_tidy();
}

#[test]
fn an_edited_copy_goes_to_the_trash_with_its_last_link_and_the_preview_says_so() {
    let home = Home::new();
    let (a, b, copy, _) = linked(&home);
    home.write(&copy, &[("mine.txt", "mine")]);
    let planned = plan(&home, Deed::Remove, &[&a, &b]);
    assert!(planned.items.iter().all(|item| item.message.is_none()), "the other link keeps it");
    let change = apply(&home, &batch(&home, vec![Part::Deed(planned)]));
    assert_eq!(results(&change), [ItemResult::Removed; 2], "what there is to say is no obstacle");
    let kept = home.vault.trash().unwrap();
    let whole = kept.iter().find(|trashed| trashed.folder == copy).unwrap();
    assert_eq!(fs::read_to_string(whole.kept.join("mine.txt")).unwrap(), "mine");
    assert_eq!(results(&undo(&home, &change)), [ItemResult::Undone; 2]);
    assert_eq!(fs::read_to_string(a.join("mine.txt")).unwrap(), "mine");
    done(&home, Deed::Remove, &[&a]);
    assert_eq!(
        plan(&home, Deed::Remove, &[&b]).items[0].message,
        Some(format!(
            "{} was edited, and goes to the trash with the last link to it",
            copy.display()
        ))
    );
}

#[test]
fn a_disabled_link_keeps_its_copy_and_comes_back_to_it() {
    let home = Home::new();
    let (a, b, copy, _) = linked(&home);
    done(&home, Deed::Remove, &[&b]);
    let change = done(&home, Deed::Disable, &[&a]);
    assert_eq!(results(&change), [ItemResult::Disabled]);
    assert!(a.symlink_metadata().is_err());
    let (home, recovered) = home.reopen();
    assert_eq!(recovered, []);
    assert_eq!(home.tree(&copy), new(), "a disabled link needs it");
    assert!(is_link(&home.vault.aside().unwrap()[0].kept, &copy));
    let enabled = done(&home, Deed::Enable, &[&a]);
    assert_eq!(results(&enabled), [ItemResult::Enabled]);
    assert!(is_link(&a, &copy));
    assert_eq!(results(&undo(&home, &enabled)), [ItemResult::Undone]);
    assert_eq!(results(&undo(&home, &change)), [ItemResult::Undone]);
    assert!(is_link(&a, &copy));
    assert_eq!(Drift::on_disk(&home.vault.placement(&a).unwrap().unwrap()), Drift::InSync);
    home.assert_tidy();
}

#[test]
fn a_link_of_ours_that_leads_nowhere_can_be_removed() {
    let home = Home::new();
    let (a, _, copy, _) = linked(&home);
    fs::remove_dir_all(&copy).unwrap();
    let planned = plan(&home, Deed::Remove, &[&a]);
    assert_eq!((planned.items[0].action, planned.items[0].ours), (DeedAction::Do, true));
    let change = apply(&home, &batch(&home, vec![Part::Deed(planned)]));
    assert_eq!(results(&change), [ItemResult::Removed]);
    assert!(a.symlink_metadata().is_err());
}

#[test]
fn a_link_that_was_turned_elsewhere_is_not_ours_any_more() {
    let home = Home::new();
    let (a, _, copy, _) = linked(&home);
    let mine = home.path("mine");
    home.write(&mine, &NEW);
    fs::remove_file(&a).unwrap();
    std::os::unix::fs::symlink(&mine, &a).unwrap();
    let foreign = format!("{} is a link that Skillhold did not make", a.display());
    for deed in [Deed::Remove, Deed::Disable, Deed::Adopt] {
        assert_eq!(refused(&home, deed, &a), foreign);
    }
    assert_eq!((home.tree(&mine), home.tree(&copy)), (new(), new()));
}

#[test]
fn the_copy_itself_is_not_dealt_with_as_a_skill() {
    let home = Home::new();
    let (_, _, copy, _) = linked(&home);
    for deed in [Deed::Remove, Deed::Disable] {
        let message = refused(&home, deed, &copy);
        assert!(message.contains("Skillhold's own folder"), "{message}");
    }
}

#[test]
fn two_links_of_one_batch_share_a_copy() {
    let home = Home::new();
    let server = home.server();
    let source = home.approved(&server, "skill://pdf/SKILL.md", &NEW, false);
    let link = |tool| Target { mode: Mode::Link, ..target(&home, tool, OnConflict::Keep) };
    let parts = ["a", "b"].map(|tool| Part::Place(home.plan(source.clone(), vec![link(tool)])));
    let change = apply(&home, &batch(&home, parts.into()));
    assert_eq!(results(&change), [ItemResult::Written; 2]);
    let copies: Vec<_> = home.vault.placements().unwrap();
    assert_eq!(copies.len(), 3, "two links and their copy");
    assert_eq!(results(&undo(&home, &change)), [ItemResult::Undone; 2]);
    assert!(home.vault.placements().unwrap().is_empty());
    home.assert_tidy();
}
