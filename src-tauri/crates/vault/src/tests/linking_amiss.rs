//! Links and what others do to them or to what they lead to.

use std::os::unix::fs::{MetadataExt, symlink};

use super::linking::{URI, V1, V2, all, assert_agrees, at, copies, drift, leads, link, link_for};
use super::*;
use crate::drift::Drift;
use crate::plan::{Action, TargetStanding};

#[test]
fn an_edit_through_a_link_is_an_edit_of_every_tool_that_shares_it() {
    let home = Home::new();
    let server = home.server();
    let source = home.approved(&server, URI, &V1, false);
    let change = link_for(&home, source.clone(), &["a", "b"]);
    fs::write(at(&home, "a").join("a.txt"), "one\r\ntwo\r\n").unwrap();
    assert_eq!(drift(&home, "b"), Drift::Edited { only_line_endings: true });
    fs::write(at(&home, "a").join("a.txt"), "mine").unwrap();
    for tool in ["a", "b"] {
        assert_eq!(drift(&home, tool), Drift::Edited { only_line_endings: false });
    }
    // What was edited is never handed to another tool as what was approved.
    home.apply(&home.plan(source, vec![link(&home, "c", OnConflict::Keep)]));
    assert_eq!(home.tree(&leads(&home, "c")), all(&V1));
    // The last link to an edited copy stays, as an edited folder does.
    let undone = home.vault.undo(&change.id).unwrap();
    assert_eq!(results(&undone), [ItemResult::Failed, ItemResult::Undone]);
    assert_eq!(fs::read_to_string(at(&home, "a").join("a.txt")).unwrap(), "mine");
    home.assert_tidy();
}

#[test]
fn a_link_whose_copy_is_gone_is_one_missing_skill_and_can_be_installed_again() {
    let home = Home::new();
    let server = home.server();
    let source = home.approved(&server, URI, &V1, false);
    link_for(&home, source.clone(), &["a", "b"]);
    let canonical = leads(&home, "a");
    fs::remove_dir_all(&canonical).unwrap();
    assert_eq!(drift(&home, "a"), Drift::Missing);
    let (home, recovered) = home.reopen();
    assert_eq!(recovered, []);
    let record = home.vault.placement(&at(&home, "a")).unwrap().unwrap();
    assert_eq!(
        record.why_missing().unwrap(),
        format!(
            "the link {} leads to {}, which is gone",
            record.folder.display(),
            canonical.display()
        )
    );
    assert_eq!(home.vault.reconcile().unwrap().len(), 3, "one broken row hides no others");

    let plan = home.plan(source, vec![link(&home, "a", OnConflict::Keep)]);
    assert_eq!(plan.items[0].standing, TargetStanding::Ours);
    assert_eq!(plan.items[0].action, Action::Replace, "there is nothing to keep");
    home.apply(&plan);
    assert_eq!(home.tree(&leads(&home, "a")), all(&V1));
    assert_eq!(drift(&home, "a"), Drift::InSync);
}

#[test]
fn what_somebody_put_in_the_place_of_a_link_is_a_replacement() {
    let home = Home::new();
    let server = home.server();
    link_for(&home, home.approved(&server, URI, &V1, false), &["a"]);
    let (folder, canonical) = (at(&home, "a"), leads(&home, "a"));
    fs::remove_file(&folder).unwrap();
    home.write(&folder, &V1);
    assert_eq!(drift(&home, "a"), Drift::Replaced, "a folder with the same bytes too");
    fs::remove_dir_all(&folder).unwrap();
    symlink(home.path("elsewhere"), &folder).unwrap();
    assert_eq!(drift(&home, "a"), Drift::Replaced);
    let item = home
        .plan(home.approved(&server, URI, &V1, false), vec![link(&home, "a", OnConflict::Replace)])
        .items
        .remove(0);
    assert_eq!((item.standing, item.action), (TargetStanding::Blocked, Action::Refuse));
    fs::remove_file(&folder).unwrap();
    assert_eq!(drift(&home, "a"), Drift::Missing);
    symlink(&canonical, &folder).unwrap();
    assert_eq!(drift(&home, "a"), Drift::InSync, "and back again");
}

#[test]
fn what_took_the_place_of_a_link_after_the_preview_is_left_alone() {
    let home = Home::new();
    let server = home.server();
    link_for(&home, home.approved(&server, URI, &V1, false), &["a", "b"]);
    let plan = home
        .plan(home.approved(&server, URI, &V2, false), vec![link(&home, "a", OnConflict::Replace)]);
    fs::remove_file(at(&home, "a")).unwrap();
    home.write(&at(&home, "a"), &[("SKILL.md", "mine")]);
    let change = home.apply(&plan);
    assert_eq!(
        error(&change, 0),
        format!("{} changed since the preview", at(&home, "a").display())
    );
    assert_eq!(home.tree(&at(&home, "a")), all(&[("SKILL.md", "mine")]));
    assert_eq!(home.tree(&leads(&home, "b")), all(&V1));
    assert_eq!(copies(&home).len(), 1, "what was made for the link that was not is gone");
    home.assert_tidy();
}

#[test]
fn nothing_is_ever_removed_through_a_link() {
    let home = Home::new();
    let server = home.server();
    let source = home.approved(&server, URI, &V1, false);
    let change = link_for(&home, source, &["a", "b"]);
    let canonical = leads(&home, "b");
    let inode = canonical.metadata().unwrap().ino();
    home.vault.undo(&change.id).unwrap();
    let kept = home.vault.trash().unwrap();
    let links = kept.iter().filter(|kept| kept.found.link.is_some()).count();
    assert_eq!((links, kept.len()), (2, 3), "two links and their copy");
    assert!(kept.iter().all(|kept| kept.found.link.is_none() || kept.size == 0));
    // A link of the trash that leads to something of the person is removed as a link.
    home.write(&canonical, &[("SKILL.md", "somebody's")]);
    home.vault.prune_trash(jiff::Timestamp::MAX).unwrap();
    assert!(home.vault.trash().unwrap().is_empty());
    assert_eq!(home.tree(&canonical), all(&[("SKILL.md", "somebody's")]));
    assert_ne!(canonical.metadata().unwrap().ino(), inode);
}

#[test]
fn links_outlive_the_loss_of_the_record() {
    let home = Home::new();
    let server = home.server();
    link_for(&home, home.approved(&server, URI, &V1, false), &["a", "b"]);
    let copy = leads(&home, "a");
    let Home { dir, vault } = home;
    drop(vault);
    for entry in fs::read_dir(dir.path().join(".local/share/skillhold")).unwrap() {
        let path = entry.unwrap().path();
        if path.file_name().unwrap().to_string_lossy().starts_with("ledger") {
            fs::write(path, "not a database".repeat(400)).unwrap();
        }
    }
    let (vault, _) = Vault::open(&Paths::under(dir.path())).unwrap();
    let home = Home { dir, vault };
    assert_eq!((leads(&home, "a"), leads(&home, "b")), (copy.clone(), copy.clone()));
    assert_eq!(home.tree(&copy), all(&V1));
    assert_eq!(copies(&home).len(), 1);
    assert_agrees(&home);
}

#[test]
fn a_damaged_row_puts_no_copy_away_that_a_link_may_lead_to() {
    let home = Home::new();
    let server = home.server();
    link_for(&home, home.approved(&server, URI, &V1, false), &["a"]);
    let copy = leads(&home, "a");
    let damaged = home.vault.ledger().execute(
        "UPDATE placements SET json = 'x' WHERE json_extract(json, '$.mode.canonical') NOT NULL",
        [],
    );
    assert_eq!(damaged.unwrap(), 1);
    home.apply(
        &home.plan(
            home.approved(&server, URI, &V2, false),
            vec![target(&home, "b", OnConflict::Keep)],
        ),
    );
    assert_eq!(home.tree(&copy), all(&V1));
    assert_eq!(leads(&home, "a"), copy);
}

#[test]
fn stopping_before_the_links_leaves_no_copy() {
    let home = Home::new();
    let server = home.server();
    let source = home.approved(&server, URI, &V1, false);
    let plan = home.plan(source, vec![link(&home, "a", OnConflict::Keep)]);
    // The copy is written; the link is not begun any more.
    let change = home
        .vault
        .apply(&plan, &mut |progress| {
            let begun = progress.done == 2 && progress.file.is_none();
            if begun { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })
        .unwrap();
    assert_eq!(results(&change), [ItemResult::Failed]);
    assert!(at(&home, "a").symlink_metadata().is_err());
    assert!(copies(&home).is_empty() && home.vault.trash().unwrap().is_empty());
    assert_agrees(&home);
}
