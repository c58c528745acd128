//! Taking changes back.

use super::*;
use crate::ErrorKind;

const URI: &str = "skill://pdf/SKILL.md";

#[test]
fn undo_of_a_bulk_change_puts_everything_back() {
    let home = Home::new();
    let server = home.server();
    home.write(&home.root("b").join("pdf"), &[("SKILL.md", "mine")]);
    let before = (home.tree(&home.root("a")), home.tree(&home.root("b")));
    let source = home.approved(&server, URI, &[("SKILL.md", PDF), ("x/y.txt", "y")], false);
    let targets = ["a", "b", "c"].map(|tool| target(&home, tool, OnConflict::Replace));
    let change = home.apply(&home.plan(source, targets.to_vec()));
    assert_eq!(results(&change), [ItemResult::Written, ItemResult::Replaced, ItemResult::Written]);
    let (home, _) = home.reopen();
    let undone = home.vault.undo(&change.id).unwrap();
    assert_eq!(results(&undone), [ItemResult::Undone; 3]);
    assert_eq!((home.tree(&home.root("a")), home.tree(&home.root("b"))), before);
    assert!(!home.path(".c").exists(), "the root was made for it");
    assert!(home.vault.placements().unwrap().is_empty());
    assert_eq!(home.vault.trash().unwrap().len(), 3, "what was written is kept too");
    home.assert_tidy();
    let again = home.vault.undo(&change.id).unwrap_err();
    assert_eq!(again.kind(), ErrorKind::BadInput);
    assert_eq!(home.vault.undo(&undone.id).unwrap_err().kind(), ErrorKind::BadInput);
    assert_eq!(home.vault.undo("nothing").unwrap_err().kind(), ErrorKind::Gone);
}

#[test]
fn what_was_edited_since_is_kept_and_the_others_are_taken_back() {
    let home = Home::new();
    let server = home.server();
    let source = home.approved(&server, URI, &[("SKILL.md", PDF)], false);
    let targets = ["a", "b"].map(|tool| target(&home, tool, OnConflict::Keep));
    let change = home.apply(&home.plan(source, targets.to_vec()));
    fs::write(home.root("a").join("pdf/.new"), "mine").unwrap();
    let undone = home.vault.undo(&change.id).unwrap();
    assert_eq!(results(&undone), [ItemResult::Failed, ItemResult::Undone]);
    assert_eq!(
        error(&undone, 0),
        format!(
            "{} was edited after it was installed, so it was kept",
            home.root("a").join("pdf").display()
        )
    );
    assert_eq!(
        home.tree(&home.root("a")),
        tree(&[("pdf/", ""), ("pdf/SKILL.md", PDF), ("pdf/.new", "mine")])
    );
    assert!(home.tree(&home.root("b")).is_empty());
    fs::remove_file(home.root("a").join("pdf/.new")).unwrap();
    let undone = home.vault.undo(&change.id).unwrap();
    assert_eq!(results(&undone), [ItemResult::Undone], "it can be tried again for what stayed");
    assert!(home.tree(&home.root("a")).is_empty());
}

#[test]
fn undo_of_a_replaced_install_brings_back_the_earlier_one_and_its_record() {
    let home = Home::new();
    let server = home.server();
    let first = home.approved(&server, URI, &[("SKILL.md", PDF)], false);
    let one = home.apply(&home.plan(first, vec![target(&home, "a", OnConflict::Keep)]));
    let record = home.vault.placements().unwrap();
    let second = home.approved(&server, URI, &[("SKILL.md", PDF), ("new.txt", "new")], false);
    let two = home.apply(&home.plan(second, vec![target(&home, "a", OnConflict::Replace)]));
    let early = home.vault.undo(&one.id).unwrap();
    assert_eq!(results(&early), [ItemResult::Failed], "something newer is there");
    assert_eq!(results(&home.vault.undo(&two.id).unwrap()), [ItemResult::Undone]);
    assert_eq!(home.vault.placements().unwrap(), record);
    assert_eq!(home.tree(&home.root("a")), tree(&[("pdf/", ""), ("pdf/SKILL.md", PDF)]));
    assert_eq!(results(&home.vault.undo(&one.id).unwrap()), [ItemResult::Undone]);
    assert!(home.tree(&home.root("a")).is_empty());
}

#[test]
fn a_copy_that_the_person_removed_is_undone_by_putting_the_old_one_back() {
    let home = Home::new();
    let server = home.server();
    home.write(&home.root("b").join("pdf"), &[("SKILL.md", "mine")]);
    let source = home.approved(&server, URI, &[("SKILL.md", PDF)], false);
    let targets = ["a", "b"].map(|tool| target(&home, tool, OnConflict::Replace));
    let change = home.apply(&home.plan(source, targets.to_vec()));
    fs::remove_dir_all(home.root("a").join("pdf")).unwrap();
    fs::remove_dir_all(home.root("b").join("pdf")).unwrap();
    assert_eq!(
        results(&home.vault.undo(&change.id).unwrap()),
        [ItemResult::AlreadyGone, ItemResult::Undone]
    );
    assert!(home.tree(&home.root("a")).is_empty());
    assert_eq!(home.tree(&home.root("b")), tree(&[("pdf/", ""), ("pdf/SKILL.md", "mine")]));
    assert!(home.vault.placements().unwrap().is_empty());
}

#[test]
fn what_is_gone_from_the_trash_can_no_longer_be_put_back_and_nothing_is_lost_for_it() {
    let home = Home::new();
    let server = home.server();
    home.write(&home.root("a").join("pdf"), &[("SKILL.md", "mine")]);
    let source = home.approved(&server, URI, &[("SKILL.md", PDF)], false);
    let change = home.apply(&home.plan(source, vec![target(&home, "a", OnConflict::Replace)]));
    assert_eq!(home.vault.prune_trash(jiff::Timestamp::UNIX_EPOCH).unwrap(), 0);
    assert_eq!(home.vault.prune_trash(jiff::Timestamp::MAX).unwrap(), 4);
    assert!(home.vault.trash().unwrap().is_empty());
    let undone = home.vault.undo(&change.id).unwrap();
    assert_eq!(
        error(&undone, 0),
        format!("what was at {} is no longer in the trash", home.root("a").join("pdf").display())
    );
    assert_eq!(home.tree(&home.root("a")), tree(&[("pdf/", ""), ("pdf/SKILL.md", PDF)]));
}

#[test]
fn a_root_that_was_made_stays_when_something_else_lives_in_it_now() {
    let home = Home::new();
    let server = home.server();
    let source = home.approved(&server, URI, &[("SKILL.md", PDF)], false);
    let change = home.apply(&home.plan(source, vec![target(&home, "c", OnConflict::Keep)]));
    home.write(&home.root("c").join("mine"), &[("SKILL.md", "mine")]);
    assert_eq!(results(&home.vault.undo(&change.id).unwrap()), [ItemResult::Undone]);
    assert_eq!(home.tree(&home.root("c")), tree(&[("mine/", ""), ("mine/SKILL.md", "mine")]));
}

/// Makes everything in the trash this many days older.
fn age(home: &Home, days: i64) {
    let all = home.vault.trash().unwrap();
    let ledger = home.vault.ledger();
    for mut trashed in all {
        trashed.at =
            trashed.at.saturating_sub(jiff::SignedDuration::from_hours(days * 24)).unwrap();
        crate::trash::add(&ledger, &trashed).unwrap();
    }
}

#[test]
fn what_is_in_the_trash_for_thirty_days_goes_when_the_vault_is_opened() {
    let home = Home::new();
    let server = home.server();
    home.write(&home.root("a").join("pdf"), &[("SKILL.md", "mine")]);
    let source = home.approved(&server, URI, &[("SKILL.md", PDF)], false);
    let change = home.apply(&home.plan(source, vec![target(&home, "a", OnConflict::Replace)]));
    age(&home, 29);
    let (home, _) = home.reopen();
    assert_eq!(home.vault.trash().unwrap().len(), 1);
    age(&home, 2);
    let (home, recovered) = home.reopen();
    assert_eq!(recovered, []);
    assert!(home.vault.trash().unwrap().is_empty());
    assert!(home.tree(&home.data().join("trash")).is_empty());
    let undone = home.vault.undo(&change.id).unwrap();
    assert_eq!(results(&undone), [ItemResult::Failed]);
    assert!(error(&undone, 0).contains("trash"), "{}", error(&undone, 0));
    assert_eq!(fs::read_to_string(home.root("a").join("pdf/SKILL.md")).unwrap(), PDF);
}

#[test]
fn what_is_kept_on_a_disk_that_is_away_is_not_forgotten() {
    let home = Home::new();
    let server = home.server();
    home.write(&home.root("a").join("pdf"), &[("SKILL.md", "mine")]);
    let source = home.approved(&server, URI, &[("SKILL.md", PDF)], false);
    home.apply(&home.plan(source, vec![target(&home, "a", OnConflict::Replace)]));
    {
        let mut trashed = home.vault.trash().unwrap().remove(0);
        let ledger = home.vault.ledger();
        trashed.kept = home.path("unplugged/.skillhold/trash/x/pdf");
        crate::trash::add(&ledger, &trashed).unwrap();
    }
    age(&home, 31);
    let (home, _) = home.reopen();
    assert_eq!(home.vault.trash().unwrap().len(), 1);
}
