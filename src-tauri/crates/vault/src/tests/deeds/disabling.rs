//! Moving skills aside and back.

use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

use super::*;
use crate::activity::ActivityKind;
use crate::drift::Drift;

#[test]
fn a_disabled_skill_comes_back_exactly_as_it_was() {
    let home = Home::new();
    let (folder, _) = install(&home);
    fs::create_dir(folder.join("empty")).unwrap();
    let script = folder.join("b/c.txt");
    fs::set_permissions(&script, fs::Permissions::from_mode(0o750)).unwrap();
    let before = home.tree(&folder);
    let look = || {
        let metadata = fs::metadata(&script).unwrap();
        (metadata.ino(), metadata.mode(), metadata.modified().unwrap())
    };
    let (record, stamp) = (home.vault.placements().unwrap(), look());
    let change = done(&home, Deed::Disable, &[&folder]);
    assert_eq!(results(&change), [ItemResult::Disabled]);
    assert!(home.tree(&home.root("a")).is_empty());
    assert!(home.vault.placements().unwrap().is_empty(), "its record is aside with it");
    assert!(home.vault.trash().unwrap().is_empty());
    let (home, recovered) = home.reopen();
    assert_eq!(recovered, []);
    let aside = home.vault.aside().unwrap();
    assert_eq!(aside.len(), 1);
    assert_eq!((aside[0].name.as_str(), &aside[0].folder), ("pdf", &folder));
    assert_eq!((&aside[0].tools, &aside[0].change), (&vec!["a".to_owned()], &change.id));
    assert_eq!(aside[0].placement.as_ref(), record.first());
    assert_eq!(home.tree(&aside[0].kept), before);
    assert!(aside[0].kept.ends_with("pdf"));
    let enabled = done(&home, Deed::Enable, &[&folder]);
    assert_eq!(results(&enabled), [ItemResult::Enabled]);
    assert_eq!((home.tree(&folder), look()), (before, stamp));
    assert_eq!(home.vault.placements().unwrap(), record);
    assert!(home.vault.aside().unwrap().is_empty());
    assert!(!home.data().join("aside").exists());
    let told: Vec<_> = kinds(&home).into_iter().take(2).map(|row| (row.0, row.1)).collect();
    assert_eq!(
        told,
        [(ActivityKind::Enabled, "pdf".to_owned()), (ActivityKind::Disabled, "pdf".to_owned())]
    );
    home.assert_tidy();
}

#[test]
fn a_hand_made_skill_can_be_disabled_and_does_not_become_ours() {
    let home = Home::new();
    let folder = by_hand(&home, "mine");
    let planned = plan(&home, Deed::Disable, &[&folder]);
    assert_eq!((planned.items[0].ours, planned.items[0].name.as_str()), (false, "pdf"));
    assert_eq!(
        planned.items[0].message.as_deref(),
        Some("Skillhold did not place it; it is moved aside as it is")
    );
    apply(&home, &batch(&home, vec![Part::Deed(planned)]));
    assert!(!folder.exists());
    assert_eq!(home.vault.aside().unwrap()[0].placement, None);
    done(&home, Deed::Enable, &[&folder]);
    assert_eq!(home.tree(&folder), new());
    assert!(home.vault.placements().unwrap().is_empty());
}

#[test]
fn what_is_gone_cannot_be_disabled_or_enabled_with_success() {
    let home = Home::new();
    let (folder, _) = install(&home);
    let nothing = format!("no skill of {} is disabled", folder.display());
    assert_eq!(refused(&home, Deed::Enable, &folder), nothing);
    done(&home, Deed::Disable, &[&folder]);
    let missing = format!("there is nothing at {}", folder.display());
    assert_eq!(refused(&home, Deed::Disable, &folder), missing);
    let planned = plan(&home, Deed::Enable, &[&folder]);
    let kept = home.vault.aside().unwrap()[0].kept.clone();
    fs::remove_dir_all(&kept).unwrap();
    let change = apply(&home, &batch(&home, vec![Part::Deed(planned)]));
    assert_eq!(results(&change), [ItemResult::Failed]);
    let gone = format!("what was disabled is no longer at {}", kept.display());
    assert_eq!(refused(&home, Deed::Enable, &folder), gone);
    assert_eq!(home.vault.aside().unwrap().len(), 1, "nothing is forgotten by looking");
    home.assert_tidy();
}

#[test]
fn what_is_in_the_way_of_a_disabled_skill_is_named_and_kept() {
    let home = Home::new();
    let (folder, _) = install(&home);
    done(&home, Deed::Disable, &[&folder]);
    let planned = plan(&home, Deed::Enable, &[&folder]);
    home.write(&folder, &[("SKILL.md", "mine")]);
    let taken = format!("there is something else at {} now", folder.display());
    assert_eq!(refused(&home, Deed::Enable, &folder), taken);
    let change = apply(&home, &batch(&home, vec![Part::Deed(planned)]));
    assert_eq!(results(&change), [ItemResult::Failed]);
    assert_eq!(home.tree(&folder), tree(&[("SKILL.md", "mine")]));
    fs::remove_dir_all(&folder).unwrap();
    home.write(&home.root("a").join("PDF"), &[("SKILL.md", "mine")]);
    assert_eq!(
        refused(&home, Deed::Enable, &folder),
        "PDF is already there, which is the same name on many disks"
    );
    fs::remove_dir_all(home.root("a").join("PDF")).unwrap();
    assert_eq!(results(&done(&home, Deed::Enable, &[&folder])), [ItemResult::Enabled]);
}

#[test]
fn two_skills_of_one_folder_can_be_aside_and_the_named_one_comes_back() {
    let home = Home::new();
    let folder = by_hand(&home, "pdf");
    done(&home, Deed::Disable, &[&folder]);
    home.write(&folder, &[("SKILL.md", "second")]);
    done(&home, Deed::Disable, &[&folder]);
    let aside = home.vault.aside().unwrap();
    let both = plan(&home, Deed::Enable, &[&aside[0].kept, &aside[1].kept]);
    assert_eq!(both.items[0].action, DeedAction::Do);
    assert_eq!(
        both.items[1].message.as_deref(),
        Some(
            format!(
                "pdf is to be enabled at {} already: one thing at a time is done with a folder",
                folder.display()
            )
            .as_str()
        )
    );
    done(&home, Deed::Enable, &[&aside[0].kept]);
    assert_eq!(home.tree(&folder), new());
    fs::remove_dir_all(&folder).unwrap();
    done(&home, Deed::Enable, &[&folder]);
    assert_eq!(home.tree(&folder), tree(&[("SKILL.md", "second")]));
}

#[test]
fn a_disabled_skill_comes_back_where_the_tools_root_vanished() {
    let home = Home::new();
    let (folder, _) = install(&home);
    done(&home, Deed::Disable, &[&folder]);
    fs::remove_dir_all(home.path(".a")).unwrap();
    let planned = plan(&home, Deed::Enable, &[&folder]);
    assert_eq!(
        planned.items[0].message,
        Some(format!("{} is made again for it", home.path(".a").display()))
    );
    let change = apply(&home, &batch(&home, vec![Part::Deed(planned)]));
    assert_eq!(results(&change), [ItemResult::Enabled]);
    assert_eq!(home.tree(&folder), new());
    assert_eq!(results(&undo(&home, &change)), [ItemResult::Undone]);
    assert!(!home.path(".a").exists(), "what was made for it goes with it");
    assert_eq!(home.vault.aside().unwrap().len(), 1);
}

#[test]
fn a_disabled_skill_does_not_come_back_through_a_root_that_leads_elsewhere_now() {
    let home = Home::new();
    let (folder, _) = install(&home);
    done(&home, Deed::Disable, &[&folder]);
    fs::rename(home.root("a"), home.path("elsewhere")).unwrap();
    symlink(home.path("elsewhere"), home.root("a")).unwrap();
    let kept = home.vault.aside().unwrap()[0].kept.clone();
    assert_eq!(
        refused(&home, Deed::Enable, &kept),
        format!("{} leads to {} now", home.root("a").display(), home.path("elsewhere").display())
    );
}

#[test]
fn what_is_disabled_is_never_pruned() {
    let home = Home::new();
    let (folder, _) = install(&home);
    done(&home, Deed::Disable, &[&folder]);
    assert_eq!(home.vault.prune_trash(jiff::Timestamp::MAX).unwrap(), 0);
    assert_eq!(home.vault.trash_size().unwrap(), 0);
    let ids: Vec<String> = home.vault.aside().unwrap().into_iter().map(|one| one.id).collect();
    assert_eq!(home.vault.empty_trash(&ids).unwrap(), 0);
    let (home, _) = home.reopen();
    assert_eq!(home.tree(&home.vault.aside().unwrap()[0].kept), new());
    done(&home, Deed::Enable, &[&folder]);
    assert_eq!(home.tree(&folder), new());
}

#[test]
fn what_was_changed_while_it_was_disabled_comes_back_as_it_is_and_says_so() {
    let home = Home::new();
    let (folder, _) = install(&home);
    done(&home, Deed::Disable, &[&folder]);
    let kept = home.vault.aside().unwrap()[0].kept.clone();
    home.write(&kept, &[("mine.txt", "mine")]);
    let planned = plan(&home, Deed::Enable, &[&folder]);
    assert_eq!(planned.items[0].message.as_deref(), Some("it was changed while it was disabled"));
    apply(&home, &batch(&home, vec![Part::Deed(planned)]));
    assert_eq!(fs::read_to_string(folder.join("mine.txt")).unwrap(), "mine");
    assert_eq!(
        Drift::on_disk(&home.vault.placements().unwrap()[0]),
        Drift::Edited { only_line_endings: false }
    );
}

#[test]
fn a_skill_on_another_disk_is_kept_aside_there() {
    let home = Home::new();
    let Ok(other) = tempfile::tempdir_in("/dev/shm") else { return };
    let root = other.path().canonicalize().unwrap().join("tool/skills");
    if crate::disk::device(&root) == crate::disk::device(&home.data()) {
        return;
    }
    let folder = root.join("mine");
    home.write(&folder, &NEW);
    let scanned = [root.clone()];
    let planned = home.vault.plan_deed(Deed::Disable, vec![subject(&folder)], &scanned).unwrap();
    apply(&home, &batch(&home, vec![Part::Deed(planned)]));
    let aside = home.vault.aside().unwrap();
    assert!(
        aside[0].kept.starts_with(other.path().canonicalize().unwrap().join(".skillhold/aside"))
    );
    let planned = home.vault.plan_deed(Deed::Enable, vec![subject(&folder)], &scanned).unwrap();
    let change = apply(&home, &batch(&home, vec![Part::Deed(planned)]));
    assert_eq!(results(&change), [ItemResult::Enabled]);
    assert_eq!(home.tree(&folder), new());
    assert!(!other.path().join(".skillhold").exists());
}

#[test]
fn a_read_only_root_is_left_alone() {
    let home = Home::new();
    let folder = by_hand(&home, "mine");
    let root = home.root("a");
    let mode = fs::metadata(&root).unwrap().permissions().mode();
    fs::set_permissions(&root, fs::Permissions::from_mode(0o555)).unwrap();
    let message = refused(&home, Deed::Disable, &folder);
    fs::set_permissions(&root, fs::Permissions::from_mode(mode)).unwrap();
    assert_eq!(message, format!("{} is read-only", root.display()));
}

#[test]
fn a_skill_that_holds_links_is_left_where_it_is() {
    let home = Home::new();
    let folder = by_hand(&home, "mine");
    symlink("/etc/passwd", folder.join("link")).unwrap();
    let message = refused(&home, Deed::Disable, &folder);
    assert!(message.contains("link"), "{message}");
}
