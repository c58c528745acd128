//! Links to one canonical copy: installed, shared, updated, replaced, removed, undone.

use std::os::unix::fs::symlink;

use super::*;
use crate::drift::Drift;
use crate::link::Mode;
use crate::placement::{Origin, PlacedAs, Placement};
use crate::plan::{Action, TargetStanding};

pub(super) const URI: &str = "skill://pdf/SKILL.md";
pub(super) const V1: [(&str, &str); 2] = [("SKILL.md", PDF), ("a.txt", "one\ntwo\n")];
pub(super) const V2: [(&str, &str); 2] = [("SKILL.md", PDF), ("b.txt", "new")];

pub(super) fn link(home: &Home, tool: &str, on_conflict: OnConflict) -> Target {
    Target { mode: Mode::Link, ..target(home, tool, on_conflict) }
}

pub(super) fn link_for(home: &Home, source: Source, tools: &[&str]) -> Change {
    let targets = tools.iter().map(|tool| link(home, tool, OnConflict::Replace)).collect();
    let change = home.apply(&home.plan(source, targets));
    for item in &change.items {
        assert!(item.error.is_none(), "{:?}", item.error);
    }
    change
}

/// The folder of `pdf` in a tool's root.
pub(super) fn at(home: &Home, tool: &str) -> PathBuf {
    home.root(tool).join("pdf")
}

/// Every canonical copy in the record.
pub(super) fn copies(home: &Home) -> Vec<Placement> {
    home.vault.canonicals().unwrap()
}

/// Where the link of a tool leads; it must be one, and whole.
pub(super) fn leads(home: &Home, tool: &str) -> PathBuf {
    let folder = at(home, tool);
    let target = fs::read_link(&folder).unwrap_or_else(|_| panic!("{tool} has no link"));
    assert!(target.is_dir(), "{} dangles", folder.display());
    target
}

pub(super) fn is_plain(home: &Home, tool: &str) -> bool {
    at(home, tool).symlink_metadata().unwrap().is_dir()
}

pub(super) fn drift(home: &Home, tool: &str) -> Drift {
    Drift::on_disk(&home.vault.placement(&at(home, tool)).unwrap().unwrap())
}

/// Every placement is on the disk as it was installed, and every copy has a link.
pub(super) fn assert_agrees(home: &Home) {
    let placements = home.vault.placements().unwrap();
    for placement in &placements {
        assert_eq!(Drift::on_disk(placement), Drift::InSync, "{}", placement.folder.display());
    }
    for copy in copies(home) {
        assert!(copy.tools.is_empty());
        assert!(
            placements.iter().any(|link| link.canonical() == Some(&copy.folder)),
            "nothing leads to {}",
            copy.folder.display()
        );
    }
    let linked = home.data().join("linked");
    let on_disk = fs::read_dir(&linked).map(Iterator::count).unwrap_or_default();
    assert_eq!(on_disk, copies(home).len(), "{:?}", home.tree(&linked));
    home.assert_tidy();
}

pub(super) fn all(files: &[(&str, &str)]) -> BTreeMap<String, String> {
    tree(files)
}

#[test]
fn links_of_several_tools_lead_to_one_copy_that_is_called_as_the_skill() {
    let home = Home::new();
    let server = home.server();
    let source = home.approved(&server, URI, &V1, false);
    let plan = home
        .plan(source, vec![link(&home, "a", OnConflict::Keep), link(&home, "c", OnConflict::Keep)]);
    assert_eq!(plan.notices, [""; 0]);
    assert!(plan.items.iter().all(|item| item.mode == Mode::Link));
    let canonical = plan.items[0].canonical.clone().unwrap();
    assert_eq!(plan.items[1].canonical.as_ref(), Some(&canonical));
    assert!(!home.data().join("linked").exists(), "a plan writes nothing");

    let change = home.apply(&plan);
    assert_eq!(results(&change), [ItemResult::Written; 2]);
    assert!(change.items.iter().all(|item| item.mode == Mode::Link));
    assert_eq!((leads(&home, "a"), leads(&home, "c")), (canonical.clone(), canonical.clone()));
    assert_eq!(canonical.file_name().unwrap(), "pdf");
    assert_eq!(canonical.parent().unwrap().parent().unwrap(), home.data().join("linked"));
    assert!(!canonical.starts_with(home.data().join("blobs")));
    assert_eq!(home.tree(&canonical), all(&V1));
    let record = home.vault.placement(&at(&home, "a")).unwrap().unwrap();
    assert_eq!(record.mode, PlacedAs::Link { canonical: canonical.clone() });
    assert_eq!(record.tools, ["a"]);
    let copy = home.vault.placement(&canonical).unwrap().unwrap();
    assert_eq!((copy.mode, copy.tools.len()), (PlacedAs::Copy, 0));
    assert_agrees(&home);

    assert_eq!(results(&home.vault.undo(&change.id).unwrap()), [ItemResult::Undone; 2]);
    assert!(at(&home, "a").symlink_metadata().is_err());
    assert!(!home.path(".c").exists());
    assert!(!home.data().join("linked").exists(), "the copy goes with its last link");
    assert!(home.vault.placements().unwrap().is_empty());
    assert_agrees(&home);
}

#[test]
fn what_is_installed_later_shares_the_copy_and_each_link_goes_by_itself() {
    let home = Home::new();
    let server = home.server();
    let source = home.approved(&server, URI, &V1, false);
    let first = link_for(&home, source.clone(), &["a"]);
    let second = link_for(&home, source, &["b"]);
    assert_eq!(leads(&home, "a"), leads(&home, "b"));
    assert_eq!(copies(&home).len(), 1);
    home.vault.undo(&first.id).unwrap();
    assert!(at(&home, "a").symlink_metadata().is_err());
    assert_eq!(home.tree(&leads(&home, "b")), all(&V1));
    assert_agrees(&home);
    home.vault.undo(&second.id).unwrap();
    assert!(copies(&home).is_empty());
    assert_agrees(&home);
}

#[test]
fn the_same_content_of_another_server_or_under_another_name_has_a_copy_of_its_own() {
    let home = Home::new();
    let (one, other) = (home.server(), home.server());
    link_for(&home, home.approved(&one, URI, &V1, false), &["a"]);
    link_for(&home, home.approved(&other, URI, &V1, false), &["b"]);
    assert_ne!(leads(&home, "a"), leads(&home, "b"));
    let source = home.approved(&one, URI, &V1, false);
    let named = Target { name: Some("pdf-2".to_owned()), ..link(&home, "b", OnConflict::Keep) };
    home.apply(&home.plan(source, vec![named]));
    let target = fs::read_link(home.root("b").join("pdf-2")).unwrap();
    assert_eq!(target.file_name().unwrap(), "pdf-2", "tools may go by the real folder's name");
    assert_eq!(copies(&home).len(), 3);
    assert_agrees(&home);
}

#[test]
fn a_copy_becomes_a_link_and_a_link_a_copy_and_undo_brings_each_back() {
    let home = Home::new();
    let server = home.server();
    let source = home.approved(&server, URI, &V1, false);
    home.apply(&home.plan(source.clone(), vec![target(&home, "a", OnConflict::Keep)]));
    let keep = home.plan(source.clone(), vec![link(&home, "a", OnConflict::Keep)]).items.remove(0);
    assert_eq!((keep.standing, keep.action), (TargetStanding::Identical, Action::Keep));
    assert_eq!(keep.message.unwrap(), "the same bytes are already there, as a copy");

    let to_link = link_for(&home, source.clone(), &["a"]);
    assert_eq!(results(&to_link), [ItemResult::Replaced]);
    let canonical = leads(&home, "a");
    assert_agrees(&home);

    let back = home.plan(source.clone(), vec![target(&home, "a", OnConflict::Replace)]);
    assert_eq!(
        back.items[0].message.as_deref(),
        Some("the same bytes are already there as a link; a copy takes its place")
    );
    assert_eq!(back.items[0].mode, Mode::Copy);
    let to_copy = home.apply(&back);
    assert!(is_plain(&home, "a"));
    assert_eq!(home.tree(&at(&home, "a")), all(&V1));
    assert!(!canonical.exists(), "nothing leads to it");
    assert_agrees(&home);

    home.vault.undo(&to_copy.id).unwrap();
    assert_eq!(leads(&home, "a"), canonical, "with what it leads to");
    assert_eq!(home.tree(&canonical), all(&V1));
    assert_agrees(&home);
    home.vault.undo(&to_link.id).unwrap();
    assert!(is_plain(&home, "a"));
    assert_eq!(home.tree(&at(&home, "a")), all(&V1));
    assert!(copies(&home).is_empty());
    assert_agrees(&home);
}

#[test]
fn another_version_for_one_tool_leaves_the_links_of_the_others() {
    let home = Home::new();
    let server = home.server();
    link_for(&home, home.approved(&server, URI, &V1, false), &["a", "b"]);
    let old = leads(&home, "b");
    let change = link_for(&home, home.approved(&server, URI, &V2, false), &["a"]);
    assert_ne!(leads(&home, "a"), old);
    assert_eq!(leads(&home, "b"), old);
    assert_eq!(home.tree(&leads(&home, "a")), all(&V2));
    assert_eq!(home.tree(&old), all(&V1));
    assert_agrees(&home);
    home.vault.undo(&change.id).unwrap();
    assert_eq!(leads(&home, "a"), old);
    assert_eq!(copies(&home).len(), 1);
    assert_agrees(&home);
}

#[test]
fn a_folder_of_somebody_else_gives_way_to_a_link_and_comes_back() {
    let home = Home::new();
    let server = home.server();
    home.write(&at(&home, "a"), &[("SKILL.md", "mine")]);
    let change = link_for(&home, home.approved(&server, URI, &V1, false), &["a"]);
    assert_eq!(home.tree(&leads(&home, "a")), all(&V1));
    home.vault.undo(&change.id).unwrap();
    assert_eq!(home.tree(&at(&home, "a")), all(&[("SKILL.md", "mine")]));
    assert_agrees(&home);
}

#[test]
fn a_root_that_is_a_link_gets_links_in_the_folder_that_it_leads_to() {
    let home = Home::new();
    let server = home.server();
    fs::create_dir_all(home.path("dotfiles/skills")).unwrap();
    fs::remove_dir_all(home.root("b")).unwrap();
    symlink(home.path("dotfiles/skills"), home.root("b")).unwrap();
    let change = link_for(&home, home.approved(&server, URI, &V1, false), &["b"]);
    let folder = home.path("dotfiles/skills/pdf");
    assert_eq!(change.items[0].folder, folder);
    assert!(folder.symlink_metadata().unwrap().is_symlink());
    assert_agrees(&home);
    home.vault.undo(&change.id).unwrap();
    assert!(home.root("b").symlink_metadata().unwrap().is_symlink());
    assert!(folder.symlink_metadata().is_err());
    assert_agrees(&home);
}

#[test]
fn a_disk_without_links_is_tried_once_and_gets_copies_with_one_notice() {
    let home = Home::new();
    let server = home.server();
    let disk = crate::disk::device(&home.root("a")).unwrap();
    home.vault.disks().insert(disk, false);
    let source = home.approved(&server, URI, &V1, false);
    let targets = vec![link(&home, "a", OnConflict::Keep), link(&home, "b", OnConflict::Keep)];
    let plan = home.plan(source, targets);
    assert_eq!(
        plan.notices,
        [format!(
            "the disk of {} takes no links, so what is placed there is a copy",
            home.root("a").display()
        )]
    );
    assert!(plan.items.iter().all(|item| item.mode == Mode::Copy && item.canonical.is_none()));
    let change = home.apply(&plan);
    assert!(change.items.iter().all(|item| item.mode == Mode::Copy));
    assert!(is_plain(&home, "a") && is_plain(&home, "b"));
    let record = home.vault.placement(&at(&home, "b")).unwrap().unwrap();
    assert_eq!(record.mode, PlacedAs::Copy);
    assert_agrees(&home);
}

#[test]
fn trying_out_links_leaves_nothing_and_is_remembered() {
    let home = Home::new();
    let names = || {
        let entries = fs::read_dir(home.data()).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        names.filter(|name| !name.starts_with("ledger")).collect::<std::collections::BTreeSet<_>>()
    };
    let server = home.server();
    let source = home.approved(&server, URI, &V1, false);
    let before = names();
    home.plan(source, vec![link(&home, "a", OnConflict::Keep)]);
    assert_eq!(names(), before);
    assert_eq!(home.vault.disks().values().collect::<Vec<_>>(), [&true]);
}

#[test]
fn a_linked_skill_copied_to_another_tool_shares_the_copy_or_becomes_a_folder() {
    let home = Home::new();
    let server = home.server();
    link_for(&home, home.approved(&server, URI, &V1, false), &["a"]);
    let local = home.local(&at(&home, "a"));
    link_for(&home, local.clone(), &["b"]);
    assert_eq!(leads(&home, "a"), leads(&home, "b"));
    let record = home.vault.placement(&at(&home, "b")).unwrap().unwrap();
    assert!(matches!(record.origin, Origin::Server { .. }), "known by the copy");
    home.apply(&home.plan(local, vec![target(&home, "c", OnConflict::Keep)]));
    assert!(is_plain(&home, "c"));
    let record = home.vault.placement(&at(&home, "c")).unwrap().unwrap();
    assert_eq!(record.origin, Origin::Folder { path: at(&home, "a") });
    assert_agrees(&home);
}

#[test]
fn what_nobody_approved_is_not_linked() {
    let home = Home::new();
    let source = home.path("source/pdf");
    home.write(&source, &V1);
    let Source::Local { manifest, .. } = home.local(&source) else { unreachable!() };
    let contents = V1.iter().map(|(path, text)| ((*path).to_owned(), text.as_bytes().to_vec()));
    let source = Source::Unapproved {
        origin: Origin::Adopted,
        name: "pdf".to_owned(),
        files: manifest,
        contents: contents.collect(),
    };
    let target = Target { root: home.path("export"), ..link(&home, "x", OnConflict::Keep) };
    let plan = home.plan(source, vec![target]);
    assert_eq!(plan.items[0].mode, Mode::Copy);
    assert_eq!(plan.notices, [""; 0]);
}

#[test]
fn rows_from_before_links_read_as_copies() {
    let home = Home::new();
    let server = home.server();
    let source = home.approved(&server, URI, &V1, false);
    let plan = home.plan(source, vec![target(&home, "a", OnConflict::Keep)]);
    home.apply(&plan);
    let mut placement = home.vault.placements().unwrap().remove(0);
    placement.found.born = None;
    let mut row = serde_json::to_value(&placement).unwrap();
    for key in ["mode", "executable"] {
        row.as_object_mut().unwrap().remove(key).unwrap();
    }
    for key in ["link", "born"] {
        row["found"].as_object_mut().unwrap().remove(key).unwrap();
    }
    assert_eq!(serde_json::from_value::<Placement>(row).unwrap(), placement);
}

#[test]
fn a_root_on_another_disk_gets_links_to_the_copy_in_the_data_folder() {
    let home = Home::new();
    let Ok(other) = tempfile::tempdir_in("/dev/shm") else { return };
    let root = other.path().canonicalize().unwrap().join("tool/skills");
    fs::create_dir_all(&root).unwrap();
    let server = home.server();
    let source = home.approved(&server, URI, &V1, false);
    let target = Target { root: root.clone(), ..link(&home, "x", OnConflict::Keep) };
    let plan = home.vault.plan(source, vec![target], std::slice::from_ref(&root)).unwrap();
    let change = home.apply(&plan);
    assert_eq!(results(&change), [ItemResult::Written]);
    let copy = fs::read_link(root.join("pdf")).unwrap();
    assert!(copy.starts_with(home.data()));
    assert_eq!(home.tree(&root.join("pdf")), all(&V1));
    home.vault.undo(&change.id).unwrap();
    assert!(home.tree(&root).is_empty());
    assert!(!copy.exists());
    home.assert_tidy();
}

#[test]
fn a_plan_with_links_reads_back_the_same_and_is_the_same_when_made_again() {
    let home = Home::new();
    let server = home.server();
    let source = home.approved(&server, URI, &V1, false);
    let targets = vec![link(&home, "a", OnConflict::Keep), link(&home, "b", OnConflict::Keep)];
    let plan = home.plan(source.clone(), targets.clone());
    let read: Plan = serde_json::from_str(&serde_json::to_string(&plan).unwrap()).unwrap();
    assert_eq!(read, plan);
    assert_eq!(home.plan(source.clone(), targets.clone()), plan);
    assert_eq!(results(&home.apply(&read)), [ItemResult::Written; 2]);
    let again = home.plan(source, targets);
    assert!(again.items.iter().all(|item| item.action == Action::Keep));
    assert_eq!(again.items[0].canonical, plan.items[0].canonical);
}

#[test]
fn a_skill_made_by_hand_becomes_a_link_to_its_content_and_comes_back() {
    let home = Home::new();
    home.write(&at(&home, "a"), &V1);
    let change = link_for(&home, home.local(&at(&home, "a")), &["a", "b"]);
    assert_eq!(leads(&home, "a"), leads(&home, "b"));
    assert_eq!(home.tree(&leads(&home, "a")), all(&V1));
    assert_agrees(&home);
    home.vault.undo(&change.id).unwrap();
    assert!(is_plain(&home, "a"));
    assert_eq!(home.tree(&at(&home, "a")), all(&V1));
    assert!(at(&home, "b").symlink_metadata().is_err());
    assert_agrees(&home);
}
