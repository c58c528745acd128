//! Removing what Skillhold placed, and nothing else.

use std::os::unix::fs::symlink;

use super::*;
use crate::activity::ActivityKind;
use crate::drift::Drift;

#[test]
fn a_removed_skill_is_whole_in_the_trash_and_comes_back_with_its_record() {
    let home = Home::new();
    let (folder, _) = install(&home);
    let record = home.vault.placements().unwrap();
    let planned = plan(&home, Deed::Remove, &[&folder]);
    let item = &planned.items[0];
    assert_eq!((item.action, item.ours, item.edited), (DeedAction::Do, true, false));
    assert_eq!((item.name.as_str(), item.message.as_deref()), ("pdf", None));
    assert_eq!(item.size, PDF.len() as u64 + 1);
    assert_eq!(home.tree(&folder), new(), "planning does nothing");
    let change = apply(&home, &batch(&home, vec![Part::Deed(planned)]));
    assert_eq!(results(&change), [ItemResult::Removed]);
    assert_eq!((change.items[0].name.as_str(), change.name.as_str()), ("pdf", "pdf"));
    assert!(home.tree(&home.root("a")).is_empty());
    assert!(home.vault.placements().unwrap().is_empty());
    let trash = home.vault.trash().unwrap();
    assert_eq!((trash.len(), home.tree(&trash[0].kept)), (1, new()));
    assert_eq!(home.vault.trash_size().unwrap(), PDF.len() as u64 + 1);
    assert_eq!(kinds(&home)[0].0, ActivityKind::Removed);
    let (home, _) = home.reopen();
    assert_eq!(home.vault.undo_problem(&change.id).unwrap(), None);
    assert_eq!(results(&undo(&home, &change)), [ItemResult::Undone]);
    assert_eq!(home.tree(&folder), new());
    assert_eq!(home.vault.placements().unwrap(), record);
    assert_eq!(Drift::on_disk(&record[0]), Drift::InSync);
    assert_eq!(home.vault.trash_size().unwrap(), 0);
    home.assert_tidy();
    assert!(!home.data().join("trash").exists());
}

#[test]
fn what_skillhold_did_not_place_is_never_removed() {
    let home = Home::new();
    let folder = by_hand(&home, "mine");
    let shown = folder.display();
    assert_eq!(
        refused(&home, Deed::Remove, &folder),
        format!("Skillhold did not place {shown}: adopt it first")
    );
    done(&home, Deed::Adopt, &[&folder]);
    let change = done(&home, Deed::Remove, &[&folder]);
    assert_eq!(results(&change), [ItemResult::Removed]);
    assert_eq!(home.tree(&home.vault.trash().unwrap()[0].kept), new());
}

#[test]
fn what_took_the_place_of_an_installed_skill_is_never_removed() {
    let home = Home::new();
    let (folder, _) = install(&home);
    fs::rename(&folder, home.path("away")).unwrap();
    home.write(&folder, &[("SKILL.md", "mine")]);
    assert_eq!(
        refused(&home, Deed::Remove, &folder),
        format!(
            "what is at {} is not what Skillhold placed there: adopt it first",
            folder.display()
        )
    );
    fs::remove_dir_all(&folder).unwrap();
    symlink(home.path("away"), &folder).unwrap();
    assert_eq!(
        refused(&home, Deed::Remove, &folder),
        format!("{} is a link that Skillhold did not make", folder.display())
    );
    assert_eq!(home.tree(&home.path("away")), new());
}

#[test]
fn an_edited_skill_is_removed_whole_and_the_preview_says_so() {
    let home = Home::new();
    let (folder, _) = install(&home);
    home.write(&folder, &[("mine.txt", "mine")]);
    let planned = plan(&home, Deed::Remove, &[&folder]);
    assert!(planned.items[0].edited);
    assert_eq!(
        planned.items[0].message.as_deref(),
        Some("it was edited after it was placed; all of it goes to the trash")
    );
    let edited = home.tree(&folder);
    let change = apply(&home, &batch(&home, vec![Part::Deed(planned)]));
    assert_eq!(home.tree(&home.vault.trash().unwrap()[0].kept), edited);
    assert_eq!(results(&undo(&home, &change)), [ItemResult::Undone]);
    assert_eq!(home.tree(&folder), edited);
    assert_eq!(
        Drift::on_disk(&home.vault.placements().unwrap()[0]),
        Drift::Edited { only_line_endings: false }
    );
}

#[test]
fn removing_what_is_gone_already_takes_it_out_of_the_record_and_can_be_undone() {
    let home = Home::new();
    let (folder, _) = install(&home);
    let record = home.vault.placements().unwrap();
    fs::remove_dir_all(home.path(".a")).unwrap();
    let planned = plan(&home, Deed::Remove, &[&folder]);
    assert_eq!(
        planned.items[0].message.as_deref(),
        Some("it is not there any more: only the record of it goes")
    );
    let change = apply(&home, &batch(&home, vec![Part::Deed(planned)]));
    assert_eq!(results(&change), [ItemResult::Forgotten]);
    assert!(home.vault.placements().unwrap().is_empty());
    assert!(home.vault.trash().unwrap().is_empty());
    assert_eq!(results(&undo(&home, &change)), [ItemResult::AlreadyGone]);
    assert_eq!(home.vault.placements().unwrap(), record);
    assert!(!home.path(".a").exists());
    home.assert_tidy();
}

#[test]
fn what_changed_since_the_preview_is_not_removed() {
    let home = Home::new();
    let (folder, _) = install(&home);
    let planned = plan(&home, Deed::Remove, &[&folder]);
    home.write(&folder, &[("new.txt", "mine")]);
    let change = apply(&home, &batch(&home, vec![Part::Deed(planned.clone())]));
    assert_eq!(error(&change, 0), format!("{} changed since the preview", folder.display()));
    fs::remove_file(folder.join("new.txt")).unwrap();
    fs::rename(&folder, home.path("away")).unwrap();
    let change = apply(&home, &batch(&home, vec![Part::Deed(planned)]));
    assert_eq!(results(&change), [ItemResult::Failed]);
    assert_eq!(home.vault.placements().unwrap().len(), 1);
    assert!(home.vault.last_change().unwrap().is_some(), "the install is still the last change");
    home.assert_tidy();
}

#[test]
fn a_removed_skill_is_not_put_back_over_something_else() {
    let home = Home::new();
    let (folder, _) = install(&home);
    let change = done(&home, Deed::Remove, &[&folder]);
    home.write(&folder, &[("SKILL.md", "mine")]);
    let taken = format!("there is something else at {} now", folder.display());
    assert_eq!(home.vault.undo_problem(&change.id).unwrap(), Some(taken.clone()));
    let undone = undo(&home, &change);
    assert_eq!(error(&undone, 0), taken);
    assert_eq!(home.tree(&folder), tree(&[("SKILL.md", "mine")]));
    fs::remove_dir_all(&folder).unwrap();
    assert_eq!(results(&undo(&home, &change)), [ItemResult::Undone]);
    assert_eq!(home.tree(&folder), new());
}

#[test]
fn a_removed_skill_comes_back_where_its_root_is_gone_too() {
    let home = Home::new();
    let (folder, _) = install(&home);
    let change = done(&home, Deed::Remove, &[&folder]);
    fs::remove_dir_all(home.path(".a")).unwrap();
    assert_eq!(results(&undo(&home, &change)), [ItemResult::Undone]);
    assert_eq!(home.tree(&folder), new());
}

#[test]
fn a_skill_that_holds_another_placement_is_not_removed_and_names_it() {
    let home = Home::new();
    let (folder, _) = install(&home);
    let inner = folder.join("b/inner");
    home.write(&inner, &NEW);
    let shown = folder.display();
    assert_eq!(
        refused(&home, Deed::Disable, &inner),
        format!("{} is a part of the skill {shown}", inner.display())
    );
    assert_eq!(
        refused(&home, Deed::Adopt, &inner),
        format!("{} is a part of the skill {shown}", inner.display())
    );
    let outer = by_hand(&home, "outer");
    home.write(&outer.join("inner"), &NEW);
    let mut record = home.vault.placement(&folder).unwrap().unwrap();
    record.folder = outer.join("inner");
    crate::placement::record(&home.vault.ledger(), &record.folder, Some(&record)).unwrap();
    let holds = format!(
        "{} holds {}, which Skillhold placed there: see to that first",
        outer.display(),
        outer.join("inner").display()
    );
    assert_eq!(refused(&home, Deed::Disable, &outer), holds);
    assert_eq!(refused(&home, Deed::Adopt, &outer), holds);
}

#[test]
fn a_folder_that_holds_one_that_is_scanned_is_not_moved() {
    let home = Home::new();
    let (folder, _) = install(&home);
    let mut scanned = home.scanned();
    scanned.push(folder.join("b"));
    for deed in [Deed::Remove, Deed::Disable] {
        let plan = home.vault.plan_deed(deed, vec![subject(&folder)], &scanned).unwrap();
        assert_eq!(
            plan.items[0].message,
            Some(format!(
                "{} holds {}, which a tool scans, so it is not changed as a whole",
                folder.display(),
                folder.join("b").display()
            ))
        );
    }
}

#[test]
fn a_root_that_is_a_link_is_followed_to_the_real_folder() {
    let home = Home::new();
    let (folder, _) = install(&home);
    let linked = home.path("linked");
    symlink(home.root("a"), &linked).unwrap();
    let planned = plan(&home, Deed::Remove, &[&linked.join("pdf"), &folder]);
    assert_eq!(planned.items.len(), 1, "they are one folder");
    assert_eq!(planned.items[0].folder, folder);
    let change = apply(&home, &batch(&home, vec![Part::Deed(planned)]));
    assert_eq!(results(&change), [ItemResult::Removed]);
    assert!(linked.is_symlink());
}

#[test]
fn a_link_elsewhere_that_would_lead_nowhere_is_named() {
    let home = Home::new();
    let (folder, _) = install(&home);
    let link = home.root("b").join("pdf");
    symlink(&folder, &link).unwrap();
    let says =
        format!("{} is a link to {} and leads nowhere then", link.display(), folder.display());
    for deed in [Deed::Remove, Deed::Disable] {
        assert_eq!(plan(&home, deed, &[&folder]).items[0].message.as_ref(), Some(&says));
    }
    assert_eq!(
        refused(&home, Deed::Disable, &link),
        format!("{} is a link that Skillhold did not make", link.display())
    );
}

#[test]
fn a_path_that_cannot_be_resolved_is_refused() {
    let home = Home::new();
    assert_eq!(
        refused(&home, Deed::Disable, Path::new("skills/pdf")),
        "skills is not an absolute path"
    );
    assert_eq!(refused(&home, Deed::Disable, Path::new("/")), "/ cannot be the folder of a skill");
    let loops = home.path("loop");
    symlink(&loops, &loops).unwrap();
    assert!(refused(&home, Deed::Remove, &loops.join("pdf")).starts_with("cannot resolve "));
}

#[test]
fn skillholds_own_folders_are_never_dealt_with_as_skills() {
    let home = Home::new();
    let (folder, _) = install(&home);
    done(&home, Deed::Remove, &[&folder]);
    let kept = home.vault.trash().unwrap()[0].kept.clone();
    for deed in [Deed::Disable, Deed::Adopt] {
        let message = refused(&home, deed, &kept);
        assert!(message.contains("and Skillhold's own folder"), "{message}");
    }
}

#[test]
fn the_trash_gives_way_only_to_what_was_named() {
    let home = Home::new();
    let (folder, _) = install(&home);
    let one = done(&home, Deed::Remove, &[&folder]);
    let (_, _) = install(&home);
    done(&home, Deed::Remove, &[&folder]);
    let trash = home.vault.trash().unwrap();
    let size = PDF.len() as u64 + 1;
    assert_eq!(home.vault.trash_size().unwrap(), 2 * size);
    assert_eq!(home.vault.empty_trash(&[trash[0].id.clone()]).unwrap(), size);
    assert_eq!(home.vault.trash().unwrap(), trash[1..]);
    assert!(!trash[0].kept.exists());
    assert_eq!(home.tree(&trash[1].kept), new());
    let problem = home.vault.undo_problem(&one.id).unwrap().unwrap();
    assert!(problem.contains("was removed since"), "{problem}");
}
