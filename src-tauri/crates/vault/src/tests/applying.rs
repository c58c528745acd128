//! Carrying a plan out.

use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

use super::*;
use crate::ErrorKind;
use crate::change::ApplyProgress;
use crate::plan::Action;

const URI: &str = "skill://pdf/SKILL.md";

#[test]
fn an_approved_skill_is_written_whole_and_recorded() {
    let home = Home::new();
    let server = home.server();
    let files = [
        ("SKILL.md", PDF),
        ("scripts/deep/run.sh", "#!/bin/sh\r\n"),
        (".hidden", ""),
        ("a b#.txt", "ü"),
    ];
    let source = home.approved(&server, URI, &files, false);
    let plan = home.plan(
        source,
        vec![target(&home, "a", OnConflict::Keep), target(&home, "c", OnConflict::Keep)],
    );
    let change = home.apply(&plan);
    assert_eq!(results(&change), [ItemResult::Written, ItemResult::Written]);
    let mut expected = tree(&files);
    expected.extend(tree(&[("scripts/", ""), ("scripts/deep/", "")]));
    assert_eq!(home.tree(&home.root("a").join("pdf")), expected);
    assert_eq!(home.tree(&home.root("c").join("pdf")), expected);
    assert_eq!(
        home.tree(&home.root("a")).len(),
        expected.len() + 1,
        "nothing else in the tool's folder"
    );
    let script = home.root("a").join("pdf/scripts/deep/run.sh").metadata().unwrap();
    assert_eq!(script.mode() & 0o111, 0, "a server has no executable bit to give");
    let placements = home.vault.placements().unwrap();
    assert_eq!(placements.len(), 2);
    assert_eq!(placements[0].folder, home.root("a").join("pdf"));
    assert_eq!(placements[0].installed, plan.files);
    assert_eq!(placements[0].source, plan.files.fingerprint());
    assert_eq!(placements[0].change, change.id);
    home.assert_tidy();
}

#[test]
fn the_record_holds_what_was_approved_and_what_was_written() {
    let home = Home::new();
    let server = home.server();
    let asks = "---\nname: pdf\ndescription: Reads PDF files\nallowed-tools: Bash\n---\nRead it.\n";
    let plan = home.plan(
        home.approved(&server, URI, &[("SKILL.md", asks)], false),
        vec![target(&home, "a", OnConflict::Keep)],
    );
    home.apply(&plan);
    assert_eq!(fs::read_to_string(home.root("a").join("pdf/SKILL.md")).unwrap(), PDF);
    let placement = home.vault.placement(&home.root("a").join("pdf")).unwrap().unwrap();
    assert_eq!(placement.source, entry(URI, &[("SKILL.md", asks)]).fingerprint());
    assert_eq!(placement.installed_fingerprint(), entry(URI, &[("SKILL.md", PDF)]).fingerprint());
    assert_eq!(crate::drift::Drift::on_disk(&placement), crate::drift::Drift::InSync);
}

#[test]
fn a_local_copy_keeps_the_executable_bit() {
    let home = Home::new();
    let source = home.root("a").join("pdf");
    home.write(&source, &[("SKILL.md", PDF), ("run.sh", "#!/bin/sh\n"), ("data.txt", "x")]);
    fs::set_permissions(source.join("run.sh"), fs::Permissions::from_mode(0o755)).unwrap();
    let plan = home.plan(home.local(&source), vec![target(&home, "b", OnConflict::Keep)]);
    assert_eq!(results(&home.apply(&plan)), [ItemResult::Written]);
    let mode =
        |path: &str| home.root("b").join("pdf").join(path).metadata().unwrap().mode() & 0o111;
    assert_eq!((mode("run.sh") != 0, mode("data.txt")), (true, 0));
    assert_eq!(home.tree(&source), home.tree(&home.root("b").join("pdf")));
}

#[test]
fn what_is_replaced_is_kept_whole() {
    let home = Home::new();
    let server = home.server();
    home.write(
        &home.root("a").join("pdf"),
        &[("SKILL.md", "mine"), ("deep/notes.txt", "mine too")],
    );
    let plan = home.plan(
        home.approved(&server, URI, &[("SKILL.md", PDF)], false),
        vec![target(&home, "a", OnConflict::Replace)],
    );
    assert_eq!(results(&home.apply(&plan)), [ItemResult::Replaced]);
    assert_eq!(home.tree(&home.root("a")), tree(&[("pdf/", ""), ("pdf/SKILL.md", PDF)]));
    let trash = home.vault.trash().unwrap();
    assert_eq!(trash.len(), 1);
    assert_eq!((trash[0].size, &trash[0].folder), (12, &home.root("a").join("pdf")));
    assert_eq!(
        home.tree(&trash[0].kept),
        tree(&[("SKILL.md", "mine"), ("deep/", ""), ("deep/notes.txt", "mine too")])
    );
    home.assert_tidy();
}

#[test]
fn a_skill_of_the_same_name_is_kept_unless_the_person_says_otherwise() {
    let home = Home::new();
    let server = home.server();
    home.write(&home.root("a").join("pdf"), &[("SKILL.md", "mine")]);
    let plan = home.plan(
        home.approved(&server, URI, &[("SKILL.md", PDF)], false),
        vec![target(&home, "a", OnConflict::Keep)],
    );
    assert_eq!(results(&home.apply(&plan)), [ItemResult::Kept]);
    assert_eq!(home.tree(&home.root("a")), tree(&[("pdf/", ""), ("pdf/SKILL.md", "mine")]));
    assert!(home.vault.placements().unwrap().is_empty());
}

#[test]
fn an_item_that_changed_since_the_preview_fails_and_the_others_go_on() {
    let home = Home::new();
    let server = home.server();
    let source = home.approved(&server, URI, &[("SKILL.md", PDF)], false);
    home.write(&home.root("b").join("pdf"), &[("SKILL.md", "mine")]);
    let targets = ["a", "b", "c"].map(|tool| target(&home, tool, OnConflict::Replace));
    let plan = home.plan(source, targets.to_vec());
    home.write(&home.root("a").join("pdf"), &[("SKILL.md", "new here")]);
    fs::write(home.root("b").join("pdf/SKILL.md"), "edited").unwrap();
    let change = home.apply(&plan);
    assert_eq!(results(&change), [ItemResult::Failed, ItemResult::Failed, ItemResult::Written]);
    for at in [0, 1] {
        assert_eq!(
            error(&change, at),
            format!("{} changed since the preview", change.items[at].folder.display())
        );
        assert_eq!(change.items[at].error.as_ref().unwrap().kind(), ErrorKind::Changed);
    }
    assert_eq!(fs::read_to_string(home.root("a").join("pdf/SKILL.md")).unwrap(), "new here");
    assert_eq!(fs::read_to_string(home.root("b").join("pdf/SKILL.md")).unwrap(), "edited");
    home.assert_tidy();
}

#[test]
fn a_dead_or_emptied_source_touches_no_target() {
    for emptied in [false, true] {
        let home = Home::new();
        let source = home.path("source/pdf");
        home.write(&source, &[("SKILL.md", PDF), ("a.txt", "a")]);
        home.write(&home.root("a").join("pdf"), &[("SKILL.md", "mine")]);
        let plan = home.plan(home.local(&source), vec![target(&home, "a", OnConflict::Replace)]);
        fs::remove_dir_all(&source).unwrap();
        if emptied {
            fs::create_dir(&source).unwrap();
        }
        let change = home.apply(&plan);
        assert_eq!(results(&change), [ItemResult::Failed]);
        assert!(
            error(&change, 0).starts_with("changed since the preview"),
            "{}",
            error(&change, 0)
        );
        assert_eq!(home.tree(&home.root("a")), tree(&[("pdf/", ""), ("pdf/SKILL.md", "mine")]));
        home.assert_tidy();
    }
}

#[test]
fn an_approval_that_went_after_the_preview_stops_the_install() {
    let home = Home::new();
    let server = home.server();
    let source = home.approved(&server, URI, &[("SKILL.md", PDF)], false);
    let plan = home.plan(source, vec![target(&home, "a", OnConflict::Keep)]);
    home.vault.notice(&server, &entry(URI, &[("SKILL.md", "other")])).unwrap();
    let change = home.apply(&plan);
    assert_eq!(results(&change), [ItemResult::Failed]);
    assert_eq!(change.items[0].error.as_ref().unwrap().kind(), ErrorKind::NotApproved);
    assert!(home.tree(&home.root("a")).is_empty());
}

#[test]
fn an_approval_that_goes_while_items_are_written_stops_the_next_one() {
    let home = Home::new();
    let server = home.server();
    let source = home.approved(&server, URI, &[("SKILL.md", PDF)], false);
    let plan = home.plan(
        source,
        vec![target(&home, "a", OnConflict::Keep), target(&home, "b", OnConflict::Keep)],
    );
    let other = entry(URI, &[("SKILL.md", "other")]);
    let change = home
        .vault
        .apply(&plan, &mut |_| {
            home.vault.notice(&server, &other).unwrap();
            ControlFlow::Continue(())
        })
        .unwrap();
    assert_eq!(results(&change), [ItemResult::Written, ItemResult::Failed]);
    assert!(home.tree(&home.root("b")).is_empty());
}

#[test]
fn a_grant_that_went_after_the_preview_stops_the_install() {
    let home = Home::new();
    let server = home.server();
    let asks = "---\nname: pdf\ndescription: x\nallowed-tools: Bash\n---\n";
    let source = home.approved(&server, URI, &[("SKILL.md", asks)], true);
    let plan = home.plan(source, vec![target(&home, "a", OnConflict::Keep)]);
    home.approved(&server, URI, &[("SKILL.md", asks)], false);
    assert_eq!(results(&home.apply(&plan)), [ItemResult::Failed]);
    assert!(home.tree(&home.root("a")).is_empty());
}

#[test]
fn a_plan_that_is_not_as_it_was_made_is_refused() {
    let home = Home::new();
    let server = home.server();
    let source = home.approved(&server, URI, &[("SKILL.md", PDF)], false);
    let mut plan = home.plan(source, vec![target(&home, "a", OnConflict::Keep)]);
    plan.items[0].folder = home.path("elsewhere/pdf");
    let error = home.vault.apply(&plan, &mut |_| ControlFlow::Continue(())).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::BadInput);
    plan.id = plan.computed_id().unwrap();
    assert_eq!(results(&home.apply(&plan)), [ItemResult::Failed]);
    assert!(!home.path("elsewhere").exists());
}

#[test]
fn a_plan_with_blockers_is_refused_as_a_whole() {
    let home = Home::new();
    let server = home.server();
    let entry = home.offered(&server, URI, &[("SKILL.md", PDF)]);
    let source =
        Source::Approved { server, entry: Box::new(entry), executable: Default::default() };
    let plan = home.plan(source, vec![target(&home, "a", OnConflict::Keep)]);
    let error = home.vault.apply(&plan, &mut |_| ControlFlow::Continue(())).unwrap_err();
    assert_eq!(
        (error.kind(), error.to_string().as_str()),
        (ErrorKind::NotApproved, "pdf from docs is not approved")
    );
}

#[test]
fn a_refused_item_says_why_and_the_others_go_on() {
    let home = Home::new();
    let server = home.server();
    fs::write(home.root("a").join("pdf"), "a file").unwrap();
    let source = home.approved(&server, URI, &[("SKILL.md", PDF)], false);
    let plan = home.plan(
        source,
        vec![target(&home, "a", OnConflict::Replace), target(&home, "b", OnConflict::Keep)],
    );
    let change = home.apply(&plan);
    assert_eq!(results(&change), [ItemResult::Failed, ItemResult::Written]);
    assert!(error(&change, 0).ends_with("is there and is not a folder"));
}

#[test]
fn stopping_leaves_the_item_it_is_at_as_it_was_and_begins_no_other() {
    let home = Home::new();
    let server = home.server();
    let source =
        home.approved(&server, URI, &[("SKILL.md", PDF), ("a.txt", "a"), ("b.txt", "b")], false);
    home.write(&home.root("b").join("pdf"), &[("SKILL.md", "mine")]);
    let targets = ["a", "b", "c"].map(|tool| target(&home, tool, OnConflict::Replace));
    let plan = home.plan(source, targets.to_vec());
    let mut calls: Vec<ApplyProgress> = Vec::new();
    let change = home
        .vault
        .apply(&plan, &mut |now| {
            calls.push(now);
            if calls.len() == 6 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })
        .unwrap();
    assert_eq!(results(&change), [ItemResult::Written, ItemResult::Failed, ItemResult::Failed]);
    assert_eq!(change.items[1].error.as_ref().unwrap().kind(), ErrorKind::Cancelled);
    assert_eq!(change.items[2].error.as_ref().unwrap().kind(), ErrorKind::Cancelled);
    assert_eq!(home.tree(&home.root("b")), tree(&[("pdf/", ""), ("pdf/SKILL.md", "mine")]));
    assert!(!home.path(".c").exists());
    let seen: Vec<_> = calls.iter().map(|now| (now.file.as_deref(), now.done, now.of)).collect();
    assert_eq!(
        seen,
        [
            (Some("SKILL.md"), 0, 9),
            (Some("a.txt"), 1, 9),
            (Some("b.txt"), 2, 9),
            (None, 3, 9),
            (Some("SKILL.md"), 3, 9),
            (Some("a.txt"), 4, 9),
        ]
    );
    home.assert_tidy();
}

#[test]
fn a_missing_root_is_made_and_goes_again_when_the_item_is_stopped() {
    let home = Home::new();
    let server = home.server();
    let source = home.approved(&server, URI, &[("SKILL.md", PDF)], false);
    let plan = home.plan(source, vec![target(&home, "c", OnConflict::Keep)]);
    home.vault.apply(&plan, &mut |_| ControlFlow::Break(())).unwrap();
    assert!(!home.path(".c").exists());
    home.apply(&plan);
    assert!(home.root("c").join("pdf/SKILL.md").is_file());
}

#[test]
fn a_second_process_that_applies_at_the_same_time_is_told_so() {
    let home = Home::new();
    let server = home.server();
    let source = home.approved(&server, URI, &[("SKILL.md", PDF)], false);
    let plan = home.plan(source, vec![target(&home, "a", OnConflict::Keep)]);
    let mut second = None;
    home.vault
        .apply(&plan, &mut |_| {
            if second.is_none() {
                let (other, recovered) = Vault::open(&Paths::under(home.dir.path())).unwrap();
                assert_eq!(recovered, [], "what the first is doing is not taken for a crash");
                second = Some(other.apply(&plan, &mut |_| ControlFlow::Continue(())).unwrap_err());
            }
            ControlFlow::Continue(())
        })
        .unwrap();
    assert_eq!(second.unwrap().kind(), ErrorKind::Busy);
    assert!(home.root("a").join("pdf/SKILL.md").is_file());
}

#[test]
fn nothing_is_staged_inside_a_folder_that_a_tool_scans() {
    let home = Home::new();
    let server = home.server();
    let source = home.approved(&server, URI, &[("SKILL.md", PDF)], false);
    let plan = home.plan(source, vec![target(&home, "a", OnConflict::Keep)]);
    home.vault
        .apply(&plan, &mut |_| {
            assert!(home.tree(&home.root("a")).is_empty());
            ControlFlow::Continue(())
        })
        .unwrap();
    assert_eq!(home.tree(&home.root("a")).len(), 2);
}

/// A folder on another disk than the temporary one, where this machine has one.
fn other_disk(home: &Home) -> Option<tempfile::TempDir> {
    let other = tempfile::tempdir_in("/dev/shm").ok()?;
    (crate::disk::device(other.path()) != crate::disk::device(home.dir.path())).then_some(other)
}

#[test]
fn on_another_disk_staging_and_trash_lie_hidden_beside_the_tools_folder() {
    let home = Home::new();
    let Some(other) = other_disk(&home) else { return };
    let server = home.server();
    let root = other.path().canonicalize().unwrap().join("tool/skills");
    home.write(&root.join("pdf"), &[("SKILL.md", "mine")]);
    let target = Target {
        tool: "x".to_owned(),
        root: root.clone(),
        name: None,
        on_conflict: OnConflict::Replace,
        mode: Mode::Copy,
    };
    let source = home.approved(&server, URI, &[("SKILL.md", PDF)], false);
    let plan =
        home.vault.plan(source.clone(), vec![target.clone()], std::slice::from_ref(&root)).unwrap();
    let change = home.apply(&plan);
    assert_eq!(results(&change), [ItemResult::Replaced]);
    let trash = home.vault.trash().unwrap();
    assert!(
        trash[0].kept.starts_with(other.path().canonicalize().unwrap().join(".skillhold/trash"))
    );
    assert_eq!(results(&home.vault.undo(&change.id).unwrap()), [ItemResult::Undone]);
    assert_eq!(home.tree(&root), tree(&[("pdf/", ""), ("pdf/SKILL.md", "mine")]));
    home.vault.prune_trash(jiff::Timestamp::MAX).unwrap();
    let scanned = [root.clone(), PathBuf::from("/dev/shm")];
    let plan = home.vault.plan(source, vec![target], &scanned).unwrap();
    assert_eq!(plan.items[0].action, Action::Refuse);
    assert!(plan.items[0].message.as_ref().unwrap().starts_with("there is no place on the disk"));
}

#[test]
fn a_link_where_staging_would_lie_is_not_followed() {
    let home = Home::new();
    let Some(other) = other_disk(&home) else { return };
    let server = home.server();
    let base = other.path().canonicalize().unwrap();
    let root = base.join("tool/skills");
    fs::create_dir_all(&root).unwrap();
    symlink(&root, base.join(".skillhold")).unwrap();
    let target = Target {
        tool: "x".to_owned(),
        root: root.clone(),
        name: None,
        on_conflict: OnConflict::Replace,
        mode: Mode::Copy,
    };
    let source = home.approved(&server, URI, &[("SKILL.md", PDF)], false);
    let plan = home.vault.plan(source, vec![target], std::slice::from_ref(&root)).unwrap();
    home.vault
        .apply(&plan, &mut |_| {
            assert!(home.tree(&root).is_empty());
            ControlFlow::Continue(())
        })
        .unwrap();
    assert!(root.join("pdf/SKILL.md").is_file());
    assert!(!base.join("tool/.skillhold").exists(), "nothing was left beside it");
}

#[test]
fn a_folder_of_somebody_else_where_staging_would_lie_is_not_used() {
    let home = Home::new();
    let Some(other) = other_disk(&home) else { return };
    let base = other.path().canonicalize().unwrap();
    let root = base.join("tool/skills");
    fs::create_dir_all(&root).unwrap();
    fs::create_dir(base.join(".skillhold")).unwrap();
    if std::os::unix::fs::chown(base.join(".skillhold"), Some(12_345), None).is_err() {
        return; // only the administrator may give folders away
    }
    let data = home.data();
    let ground = crate::target::Ground::of(&data, std::slice::from_ref(&root));
    assert_eq!(ground.store_for(&root), Some(base.join("tool/.skillhold")));
}
