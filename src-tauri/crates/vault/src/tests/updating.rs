//! What is offered against what is placed, and bringing it up to that.

use super::linking::{URI, V1, V2, at, drift, is_plain, leads, link_for};
use super::*;
use crate::drift::{Drift, State};
use crate::plan::{Action, TargetStanding};
use crate::upkeep::Offered;

fn update(home: &Home, tool: &str, source: Source, on_edited: OnConflict) -> Plan {
    home.vault.plan_update(&at(home, tool), source, on_edited, &home.scanned()).unwrap()
}

fn state(home: &Home, tool: &str, offered: Offered<'_>) -> State {
    let placement = home.vault.placement(&at(home, tool)).unwrap().unwrap();
    let read = Manifest::read(&at(home, tool));
    let state = home.vault.state(&placement, None, offered);
    if let Ok(read) = read {
        assert_eq!(
            home.vault.state(&placement, Some(&read), offered),
            state,
            "as the library read it"
        );
    }
    state
}

fn copied(home: &Home, tools: &[&str]) -> SavedServer {
    let server = home.server();
    let source = home.approved(&server, URI, &V1, false);
    let targets = tools.iter().map(|tool| target(home, tool, OnConflict::Keep)).collect();
    home.apply(&home.plan(source, targets));
    server
}

#[test]
fn what_is_offered_and_what_was_changed_here_give_each_state() {
    let home = Home::new();
    let server = copied(&home, &["a"]);
    let (same, newer) = (entry(URI, &V1), home.offered(&server, URI, &V2));
    let file = at(&home, "a").join("a.txt");

    assert_eq!(state(&home, "a", Offered::Unknown), State::InSync);
    assert_eq!(state(&home, "a", Offered::Entry(&same)), State::InSync);
    assert_eq!(state(&home, "a", Offered::Absent), State::NoLongerOffered);
    let available = |approved| State::UpdateAvailable { approved };
    assert_eq!(state(&home, "a", Offered::Entry(&newer)), available(false));
    home.vault.approve(&server, &newer, false, Vec::new()).unwrap();
    assert_eq!(state(&home, "a", Offered::Entry(&newer)), available(true));

    fs::write(&file, "one\r\ntwo\r\n").unwrap();
    let endings = State::Edited { only_line_endings: true };
    assert_eq!(state(&home, "a", Offered::Entry(&same)), endings);
    fs::write(&file, "mine").unwrap();
    let edited = State::Edited { only_line_endings: false };
    assert_eq!(state(&home, "a", Offered::Unknown), edited);
    assert_eq!(state(&home, "a", Offered::Absent), edited, "the edit says more");
    assert_eq!(state(&home, "a", Offered::Entry(&newer)), State::Diverged);

    fs::rename(at(&home, "a"), home.path("away")).unwrap();
    assert_eq!(state(&home, "a", Offered::Entry(&newer)), State::Missing);
    home.write(&at(&home, "a"), &[("SKILL.md", "another")]);
    assert_eq!(state(&home, "a", Offered::Entry(&newer)), State::Replaced);
}

#[test]
fn what_was_left_out_when_it_was_installed_is_neither_an_edit_nor_an_update() {
    let home = Home::new();
    let server = home.server();
    let asks = "---\nname: pdf\ndescription: Reads PDF files\nallowed-tools: Bash\n---\nRead it.\n";
    let offered = entry(URI, &[("SKILL.md", asks)]);
    let source = home.approved(&server, URI, &[("SKILL.md", asks)], false);
    home.apply(&home.plan(source, vec![target(&home, "a", OnConflict::Keep)]));
    assert_eq!(home.tree(&at(&home, "a")), tree(&[("SKILL.md", PDF)]));
    assert_eq!(state(&home, "a", Offered::Entry(&offered)), State::InSync);
    let record = home.vault.placements().unwrap().remove(0);
    assert_eq!(record.source, offered.fingerprint());
    assert_eq!(record.installed_fingerprint(), entry(URI, &[("SKILL.md", PDF)]).fingerprint());
}

#[test]
fn a_copy_of_a_folder_is_compared_with_that_folder() {
    let home = Home::new();
    let source = home.path("mine/pdf");
    home.write(&source, &V1);
    home.apply(&home.plan(home.local(&source), vec![target(&home, "a", OnConflict::Keep)]));
    let offered = Manifest::read(&source).unwrap();
    assert_eq!(state(&home, "a", Offered::Folder(&offered)), State::InSync);
    fs::write(source.join("a.txt"), "two").unwrap();
    let offered = Manifest::read(&source).unwrap();
    let update_available = State::UpdateAvailable { approved: true };
    assert_eq!(state(&home, "a", Offered::Folder(&offered)), update_available);
}

#[test]
fn an_untouched_skill_is_updated_in_its_folder_and_undo_brings_the_old_one() {
    let home = Home::new();
    let server = copied(&home, &["a", "b"]);
    let plan = update(&home, "a", home.approved(&server, URI, &V2, false), OnConflict::Keep);
    assert_eq!((plan.items.len(), plan.writes()), (1, 1));
    assert_eq!(plan.items[0].action, Action::Replace);
    assert_eq!(plan.items[0].tools, ["a"]);
    let change = home.apply(&plan);
    assert_eq!(home.tree(&at(&home, "a")), tree(&V2));
    assert_eq!(home.tree(&at(&home, "b")), tree(&V1), "only what was chosen");
    home.vault.undo(&change.id).unwrap();
    assert_eq!(home.tree(&at(&home, "a")), tree(&V1));
    assert_eq!(drift(&home, "a"), Drift::InSync);
}

#[test]
fn an_edited_skill_is_kept_by_an_update_and_replaced_with_a_backup_when_asked() {
    let home = Home::new();
    let server = copied(&home, &["a"]);
    fs::write(at(&home, "a").join("a.txt"), "mine").unwrap();
    let source = home.approved(&server, URI, &V2, false);

    let keep = update(&home, "a", source.clone(), OnConflict::Keep);
    let item = &keep.items[0];
    assert_eq!((item.standing, item.action), (TargetStanding::Ours, Action::Keep));
    assert!(item.edited);
    assert_eq!(item.message.as_deref(), Some("it was edited after it was installed; it is kept"));
    assert_eq!(results(&home.apply(&keep)), [ItemResult::Kept]);
    assert_eq!(fs::read_to_string(at(&home, "a").join("a.txt")).unwrap(), "mine");

    let take = update(&home, "a", source, OnConflict::Replace);
    assert_eq!(take.items[0].action, Action::Replace);
    let change = home.apply(&take);
    assert_eq!(home.tree(&at(&home, "a")), tree(&V2));
    let kept = home.vault.trash().unwrap().remove(0).kept;
    assert_eq!(fs::read_to_string(kept.join("a.txt")).unwrap(), "mine");
    home.vault.undo(&change.id).unwrap();
    assert_eq!(fs::read_to_string(at(&home, "a").join("a.txt")).unwrap(), "mine");
    assert_eq!(drift(&home, "a"), Drift::Edited { only_line_endings: false });
}

#[test]
fn line_endings_alone_are_named_as_the_reason_for_keeping() {
    let home = Home::new();
    let server = copied(&home, &["a"]);
    fs::write(at(&home, "a").join("a.txt"), "one\r\ntwo\r\n").unwrap();
    let plan = update(&home, "a", home.approved(&server, URI, &V2, false), OnConflict::Keep);
    assert_eq!(
        plan.items[0].message.as_deref(),
        Some("only its line endings were changed after it was installed; it is kept")
    );
}

#[test]
fn an_edit_between_preview_and_update_is_not_overwritten() {
    let home = Home::new();
    let server = copied(&home, &["a"]);
    let plan = update(&home, "a", home.approved(&server, URI, &V2, false), OnConflict::Keep);
    fs::write(at(&home, "a").join("a.txt"), "mine").unwrap();
    let change = home.apply(&plan);
    assert_eq!(results(&change), [ItemResult::Failed]);
    assert_eq!(fs::read_to_string(at(&home, "a").join("a.txt")).unwrap(), "mine");
}

#[test]
fn what_was_put_in_the_place_of_a_skill_is_not_updated() {
    let home = Home::new();
    let server = copied(&home, &["a"]);
    fs::rename(at(&home, "a"), home.path("away")).unwrap();
    home.write(&at(&home, "a"), &[("SKILL.md", "another")]);
    let plan = update(&home, "a", home.approved(&server, URI, &V2, false), OnConflict::Keep);
    let item = &plan.items[0];
    assert_eq!((item.standing, item.action), (TargetStanding::Foreign, Action::Keep));
    assert_eq!(
        item.message.as_deref(),
        Some("something else is there than what was installed; it is kept")
    );
}

#[test]
fn a_missing_skill_is_installed_again_by_an_update() {
    let home = Home::new();
    let server = copied(&home, &["a"]);
    fs::remove_dir_all(at(&home, "a")).unwrap();
    let plan = update(&home, "a", home.approved(&server, URI, &V2, false), OnConflict::Keep);
    assert_eq!(plan.items[0].action, Action::Write);
    home.apply(&plan);
    assert_eq!(home.tree(&at(&home, "a")), tree(&V2));
}

#[test]
fn an_update_behind_links_names_every_tool_and_changes_the_copy_alone() {
    let home = Home::new();
    let server = home.server();
    link_for(&home, home.approved(&server, URI, &V1, false), &["b", "a"]);
    let canonical = leads(&home, "a");
    let inode = crate::disk::inode(&at(&home, "a"));
    let plan = update(&home, "a", home.approved(&server, URI, &V2, false), OnConflict::Keep);
    assert_eq!(plan.items.len(), 1);
    assert_eq!(plan.items[0].tools, ["a", "b"]);
    assert_eq!(plan.notices, [""; 0]);
    assert_eq!(plan.items[0].folder, canonical);
    assert_eq!(plan.items[0].mode, Mode::Link);
    let change = home.apply(&plan);
    assert_eq!(crate::disk::inode(&at(&home, "a")), inode, "the link itself stays");
    let told = home.vault.activity(1).unwrap().remove(0);
    assert_eq!(told.text, "from docs into 2 folders");
    assert_eq!(told.folders, [at(&home, "a"), at(&home, "b")]);
    for tool in ["a", "b"] {
        assert_eq!(leads(&home, tool), canonical);
        assert_eq!(home.tree(&at(&home, tool)), tree(&V2));
        assert_eq!(drift(&home, tool), Drift::InSync);
        let record = home.vault.placement(&at(&home, tool)).unwrap().unwrap();
        assert_eq!(record.source, entry(URI, &V2).fingerprint(), "known of each link");
    }
    home.vault.undo(&change.id).unwrap();
    assert_eq!(home.tree(&at(&home, "b")), tree(&V1));
    assert_eq!(state(&home, "b", Offered::Entry(&entry(URI, &V1))), State::InSync);
    super::linking::assert_agrees(&home);
}

#[test]
fn an_edited_copy_behind_links_is_kept_by_an_update_unless_it_is_to_be_replaced() {
    let home = Home::new();
    let server = home.server();
    link_for(&home, home.approved(&server, URI, &V1, false), &["a", "b"]);
    fs::write(at(&home, "a").join("a.txt"), "mine").unwrap();
    let source = home.approved(&server, URI, &V2, false);
    let keep = update(&home, "b", source.clone(), OnConflict::Keep);
    assert_eq!(keep.items[0].action, Action::Keep);
    assert!(keep.items[0].edited);
    home.apply(&update(&home, "b", source, OnConflict::Replace));
    assert_eq!(home.tree(&at(&home, "a")), tree(&V2));
    let kept = home.vault.trash().unwrap().remove(0).kept;
    assert_eq!(fs::read_to_string(kept.join("a.txt")).unwrap(), "mine");
}

#[test]
fn links_whose_copy_is_gone_get_it_back_by_an_update() {
    let home = Home::new();
    let server = home.server();
    link_for(&home, home.approved(&server, URI, &V1, false), &["a", "b"]);
    fs::remove_dir_all(leads(&home, "a").parent().unwrap()).unwrap();
    home.apply(&update(&home, "a", home.approved(&server, URI, &V2, false), OnConflict::Keep));
    for tool in ["a", "b"] {
        assert_eq!(home.tree(&leads(&home, tool)), tree(&V2));
    }
    super::linking::assert_agrees(&home);
}

#[test]
fn executable_files_are_chosen_recorded_and_kept_by_updates() {
    use std::os::unix::fs::PermissionsExt;

    let home = Home::new();
    let server = home.server();
    let files = [("SKILL.md", PDF), ("run.sh", "#!/bin/sh\n"), ("other.sh", "#!/bin/sh\n")];
    let Source::Approved { server: saved, entry, .. } = home.approved(&server, URI, &files, false)
    else {
        unreachable!()
    };
    let chosen = |paths: &[&str]| Source::Approved {
        server: saved.clone(),
        entry: entry.clone(),
        executable: paths.iter().map(|path| (*path).to_owned()).collect(),
    };
    let bits = |path: &str| {
        let metadata = fs::metadata(at(&home, "a").join(path)).unwrap();
        metadata.permissions().mode() & 0o111 != 0
    };
    let wrong = home.plan(chosen(&["absent.sh"]), vec![target(&home, "a", OnConflict::Keep)]);
    assert_eq!(wrong.blockers, ["absent.sh is no file of pdf"]);

    home.apply(&home.plan(chosen(&[]), vec![target(&home, "a", OnConflict::Keep)]));
    assert!(!bits("run.sh"), "a server says of none");
    let again = home.plan(chosen(&["run.sh"]), vec![target(&home, "a", OnConflict::Replace)]);
    assert_eq!(
        again.items[0].message.as_deref(),
        Some("the same bytes are already there, and which of them are executable changes")
    );
    home.apply(&again);
    assert!(bits("run.sh") && !bits("other.sh") && !bits("SKILL.md"));
    let record = home.vault.placements().unwrap().remove(0);
    assert_eq!(record.executable.into_iter().collect::<Vec<_>>(), ["run.sh"]);

    let files = [("SKILL.md", PDF), ("run.sh", "#!/bin/sh\nnew\n")];
    home.apply(&update(&home, "a", home.approved(&server, URI, &files, false), OnConflict::Keep));
    assert_eq!(home.tree(&at(&home, "a")), tree(&files));
    assert!(bits("run.sh"));

    // Between folders the bit is kept, in a copy and behind a link.
    home.apply(&home.plan(home.local(&at(&home, "a")), vec![target(&home, "b", OnConflict::Keep)]));
    link_for(&home, home.local(&at(&home, "a")), &["c"]);
    for tool in ["b", "c"] {
        let metadata = fs::metadata(at(&home, tool).join("run.sh")).unwrap();
        assert_ne!(metadata.permissions().mode() & 0o111, 0, "{tool}");
    }
    assert!(is_plain(&home, "b") && !is_plain(&home, "c"));
}

#[test]
fn a_folder_that_is_not_in_the_record_is_not_updated() {
    let home = Home::new();
    let server = home.server();
    home.write(&at(&home, "a"), &[("SKILL.md", "mine")]);
    let source = home.approved(&server, URI, &V2, false);
    let error = home
        .vault
        .plan_update(&at(&home, "a"), source, OnConflict::Replace, &home.scanned())
        .unwrap_err();
    assert_eq!(error.to_string(), format!("there is no placement {}", at(&home, "a").display()));
}
