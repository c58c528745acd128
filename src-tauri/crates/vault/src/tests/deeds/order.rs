//! Changes are taken back in any order that makes sense.

use super::*;

/// What stands against undoing it, which the look and the attempt agree on.
fn stuck(home: &Home, change: &Change) -> String {
    let problem = home.vault.undo_problem(&change.id).unwrap().unwrap();
    let undone = undo(home, change);
    assert_eq!(results(&undone), [ItemResult::Failed]);
    assert_eq!(error(&undone, 0), problem);
    problem
}

#[test]
fn a_change_of_a_folder_that_was_changed_since_names_the_later_one() {
    let home = Home::new();
    let (folder, one) = install(&home);
    let two = done(&home, Deed::Disable, &[&folder]);
    let three = done(&home, Deed::Enable, &[&folder]);
    let first = format!("{} was enabled since: undo the change of pdf of ", folder.display());
    assert!(stuck(&home, &one).starts_with(&first));
    assert!(stuck(&home, &two).starts_with(&first));
    assert_eq!(results(&undo(&home, &three)), [ItemResult::Undone]);
    assert!(stuck(&home, &one).contains("was disabled since"));
    assert_eq!(results(&undo(&home, &two)), [ItemResult::Undone]);
    assert_eq!(home.tree(&folder), new());
    assert_eq!(results(&undo(&home, &one)), [ItemResult::Undone]);
    assert!(home.tree(&home.root("a")).is_empty());
    assert!(home.vault.placements().unwrap().is_empty());
    home.assert_tidy();
}

#[test]
fn changes_of_other_folders_are_undone_in_any_order() {
    let home = Home::new();
    let folders: Vec<PathBuf> =
        ["one", "two", "three"].map(|name| by_hand(&home, name)).into_iter().collect();
    let before = home.tree(&home.root("a"));
    let changes: Vec<Change> =
        folders.iter().map(|folder| done(&home, Deed::Disable, &[folder])).collect();
    let (home, _) = home.reopen();
    for at in [1, 0, 2] {
        assert_eq!(home.vault.undo_problem(&changes[at].id).unwrap(), None);
        assert_eq!(results(&undo(&home, &changes[at])), [ItemResult::Undone]);
    }
    assert_eq!(home.tree(&home.root("a")), before);
}

#[test]
fn an_install_that_was_replaced_says_that_the_replacement_comes_first() {
    let home = Home::new();
    let (folder, one) = install(&home);
    let other = home.path("other/pdf");
    home.write(&other, &[("SKILL.md", "---\nname: pdf\ndescription: d\n---\n")]);
    let plan = home.plan(home.local(&other), vec![target(&home, "a", OnConflict::Replace)]);
    let two = home.apply(&plan);
    assert!(stuck(&home, &one).contains("was placed since"));
    assert_eq!(results(&undo(&home, &two)), [ItemResult::Undone]);
    assert_eq!(results(&undo(&home, &one)), [ItemResult::Undone]);
    assert!(!folder.exists());
}

#[test]
fn a_change_inside_a_folder_is_a_later_change_of_it() {
    let home = Home::new();
    let outer = by_hand(&home, "outer");
    let one = done(&home, Deed::Adopt, &[&outer]);
    let inner = home.path("inner");
    home.write(&inner, &NEW);
    let mut to = target(&home, "a", OnConflict::Keep);
    to.root = outer.join("skills");
    let plan = home.vault.plan(home.local(&inner), vec![to], &[]).unwrap();
    let two = home.vault.apply(&plan, &mut |_| ControlFlow::Continue(())).unwrap();
    assert_eq!(results(&two), [ItemResult::Written]);
    assert!(stuck(&home, &one).starts_with(&outer.join("skills/inner").display().to_string()));
    assert_eq!(results(&undo(&home, &two)), [ItemResult::Undone]);
    assert_eq!(results(&undo(&home, &one)), [ItemResult::Undone]);
    assert_eq!(home.tree(&outer), new());
}

#[test]
fn what_was_edited_after_it_was_enabled_is_kept() {
    let home = Home::new();
    let (folder, _) = install(&home);
    done(&home, Deed::Disable, &[&folder]);
    let change = done(&home, Deed::Enable, &[&folder]);
    home.write(&folder, &[("mine.txt", "mine")]);
    assert_eq!(home.vault.undo_problem(&change.id).unwrap(), None, "no file is read for that");
    let undone = undo(&home, &change);
    assert_eq!(
        error(&undone, 0),
        format!("{} was changed after it was enabled, so it was kept", folder.display())
    );
    fs::remove_file(folder.join("mine.txt")).unwrap();
    assert_eq!(results(&undo(&home, &change)), [ItemResult::Undone]);
    assert!(!folder.exists());
    assert_eq!(home.tree(&home.vault.aside().unwrap()[0].kept), new());
    fs::remove_dir_all(&home.vault.aside().unwrap()[0].kept).unwrap();
    let disabled = home.vault.last_change().unwrap().unwrap();
    assert_eq!(
        home.vault.undo_problem(&disabled).unwrap(),
        Some(format!(
            "what was at {} is no longer where disabled skills are kept",
            folder.display()
        ))
    );
}

#[test]
fn an_enabled_skill_that_the_person_removed_counts_as_taken_back() {
    let home = Home::new();
    let (folder, _) = install(&home);
    done(&home, Deed::Disable, &[&folder]);
    let change = done(&home, Deed::Enable, &[&folder]);
    fs::remove_dir_all(&folder).unwrap();
    assert_eq!(results(&undo(&home, &change)), [ItemResult::AlreadyGone]);
    assert!(home.vault.aside().unwrap().is_empty());
    assert!(home.vault.placements().unwrap().is_empty());
}

#[test]
fn what_left_the_trash_can_no_longer_be_undone_and_says_why_without_reading() {
    let home = Home::new();
    let (folder, _) = install(&home);
    let change = done(&home, Deed::Remove, &[&folder]);
    home.vault.prune_trash(jiff::Timestamp::MAX).unwrap();
    assert_eq!(
        stuck(&home, &change),
        format!("what was at {} is no longer in the trash", folder.display())
    );
    let error = home.vault.undo_problem("nothing").unwrap_err();
    assert_eq!(error.kind(), crate::ErrorKind::Gone);
}

#[test]
fn the_last_hundred_changes_are_undone_after_a_restart() {
    let home = Home::new();
    let folders: Vec<PathBuf> =
        (0..5).map(|number| by_hand(&home, &format!("skill-{number}"))).collect();
    let before = home.tree(&home.root("a"));
    let mut changes = Vec::new();
    for _ in 0..5 {
        for deed in [Deed::Adopt, Deed::Disable, Deed::Enable, Deed::Remove] {
            for folder in &folders {
                changes.push((folder, done(&home, deed, &[folder])));
            }
        }
        for (_, change) in changes.iter().rev().take(5) {
            undo(&home, change);
        }
        changes.truncate(changes.len() - 5);
        // Out of the record again, so that they can be adopted anew.
        for (_, change) in changes.iter().rev().take(15) {
            assert_eq!(results(&undo(&home, change)), [ItemResult::Undone]);
        }
        for deed in [Deed::Disable, Deed::Enable, Deed::Disable, Deed::Enable] {
            for folder in &folders {
                changes.push((folder, done(&home, deed, &[folder])));
            }
        }
    }
    assert!(changes.iter().all(|(_, change)| results(change) != [ItemResult::Failed]));
    let (home, _) = home.reopen();
    let open: Vec<_> = home
        .vault
        .activity(1000)
        .unwrap()
        .into_iter()
        .filter(|row| !row.undone)
        .filter_map(|row| row.change)
        .collect();
    assert_eq!(open.len(), 100);
    // Each folder's newest first; the folders one after the other.
    for folder in folders.iter().rev() {
        for (of, change) in changes.iter().rev() {
            let shown = home.vault.activity(1000).unwrap();
            let is_open =
                shown.iter().any(|row| row.change.as_ref() == Some(&change.id) && !row.undone);
            if *of == folder && is_open {
                assert_eq!(home.vault.undo_problem(&change.id).unwrap(), None);
                assert_eq!(results(&undo(&home, change)), [ItemResult::Undone]);
            }
        }
    }
    assert_eq!(home.vault.last_change().unwrap(), None);
    assert_eq!(home.tree(&home.root("a")), before);
    assert!(home.vault.aside().unwrap().is_empty());
}

#[test]
fn what_was_written_to_where_it_is_kept_comes_back_with_that() {
    let home = Home::new();
    let (folder, _) = install(&home);
    for deed in [Deed::Remove, Deed::Disable] {
        let change = done(&home, deed, &[&folder]);
        let trashed = home.vault.trash().unwrap().into_iter().map(|trashed| trashed.kept);
        let aside = home.vault.aside().unwrap().into_iter().map(|aside| aside.kept);
        let kept = trashed.chain(aside).next().unwrap();
        // As an editor does that still has the file open.
        fs::write(kept.join("b/c.txt"), "mine").unwrap();
        assert_eq!(results(&undo(&home, &change)), [ItemResult::Undone], "{deed:?}");
        assert_eq!(fs::read_to_string(folder.join("b/c.txt")).unwrap(), "mine");
        fs::write(folder.join("b/c.txt"), "c").unwrap();
        let change = done(&home, deed, &[&folder]);
        let kept = kept.parent().unwrap().parent().unwrap().read_dir().unwrap().next().unwrap();
        let kept = kept.unwrap().path().join("pdf");
        std::os::unix::fs::symlink("/etc/passwd", kept.join("link")).unwrap();
        let undone = undo(&home, &change);
        assert!(error(&undone, 0).contains("link"), "{}", error(&undone, 0));
        fs::remove_file(kept.join("link")).unwrap();
        assert_eq!(results(&undo(&home, &change)), [ItemResult::Undone], "{deed:?}");
    }
}

#[test]
fn a_record_that_cannot_be_read_is_a_problem_of_that_change_alone() {
    let home = Home::new();
    let (one, two) = (by_hand(&home, "one"), by_hand(&home, "two"));
    let (first, second) = (done(&home, Deed::Adopt, &[&one]), done(&home, Deed::Adopt, &[&two]));
    let damage = "UPDATE placements SET json = '{' WHERE folder = ?1";
    home.vault.ledger().execute(damage, [one.to_str().unwrap()]).unwrap();
    let problem = "the record of approvals and placements holds a row that cannot be read";
    assert_eq!(home.vault.undo_problem(&first.id).unwrap().as_deref(), Some(problem));
    assert_eq!(home.vault.undo_problem(&second.id).unwrap(), None);
}

#[test]
fn what_is_kept_on_a_disk_that_is_away_says_so_and_comes_back_with_it() {
    let home = Home::new();
    let Ok(other) = tempfile::tempdir_in("/dev/shm") else { return };
    let disk = other.path().canonicalize().unwrap();
    let root = disk.join("tool/skills");
    if crate::disk::device(&root) == crate::disk::device(&home.data()) {
        return;
    }
    let folder = root.join("mine");
    home.write(&folder, &NEW);
    let plan = |deed| {
        home.vault.plan_deed(deed, vec![subject(&folder)], std::slice::from_ref(&root)).unwrap()
    };
    let change = apply(&home, &batch(&home, vec![Part::Deed(plan(Deed::Disable))]));
    let (store, away) = (disk.join(".skillhold"), disk.join("away"));
    fs::rename(&store, &away).unwrap();
    let says = format!("{} is not there, where it is kept", store.display());
    assert_eq!(home.vault.undo_problem(&change.id).unwrap().as_ref(), Some(&says));
    assert_eq!(plan(Deed::Enable).items[0].message.as_ref(), Some(&says));
    fs::rename(&away, &store).unwrap();
    assert_eq!(results(&undo(&home, &change)), [ItemResult::Undone]);
    assert_eq!(home.tree(&folder), new());
}
