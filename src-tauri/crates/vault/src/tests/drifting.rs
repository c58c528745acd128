//! What was installed against what is there.

use std::os::unix::fs::symlink;

use super::*;
use crate::drift::Drift;

/// An installed skill of two files, and its folder.
fn installed() -> (Home, PathBuf) {
    let home = Home::new();
    let server = home.server();
    let source = home.approved(
        &server,
        "skill://pdf/SKILL.md",
        &[("SKILL.md", PDF), ("a.txt", "one\ntwo\n")],
        false,
    );
    home.apply(&home.plan(source, vec![target(&home, "a", OnConflict::Keep)]));
    let folder = home.root("a").join("pdf");
    (home, folder)
}

fn drift(home: &Home) -> Drift {
    Drift::on_disk(&home.vault.placements().unwrap()[0])
}

#[test]
fn an_untouched_skill_is_in_sync_also_with_other_times() {
    let (home, folder) = installed();
    assert_eq!(drift(&home), Drift::InSync);
    fs::write(folder.join("a.txt"), "one\ntwo\n").unwrap();
    assert_eq!(drift(&home), Drift::InSync, "digests decide");
}

#[test]
fn a_changed_added_or_removed_file_is_an_edit() {
    for edit in [
        |folder: &Path| fs::write(folder.join("a.txt"), "one\n2\n").unwrap(),
        |folder: &Path| fs::write(folder.join(".hidden"), "").unwrap(),
        |folder: &Path| fs::remove_file(folder.join("a.txt")).unwrap(),
        |folder: &Path| fs::remove_file(folder.join("SKILL.md")).unwrap(),
        |folder: &Path| symlink("/etc/passwd", folder.join("link")).unwrap(),
    ] {
        let (home, folder) = installed();
        edit(&folder);
        assert_eq!(drift(&home), Drift::Edited { only_line_endings: false });
    }
}

#[test]
fn other_line_endings_alone_are_named_as_such() {
    let (home, folder) = installed();
    fs::write(folder.join("a.txt"), "one\r\ntwo\r\n").unwrap();
    assert_eq!(drift(&home), Drift::Edited { only_line_endings: true });
    fs::write(folder.join("a.txt"), "one\rtwo\r").unwrap();
    assert_eq!(drift(&home), Drift::Edited { only_line_endings: true });
    fs::write(folder.join("a.txt"), "one\r\ntwo").unwrap();
    assert_eq!(drift(&home), Drift::Edited { only_line_endings: false });
}

#[test]
fn a_missing_skill_is_a_state_and_not_a_failure() {
    let (home, folder) = installed();
    fs::remove_dir_all(&folder).unwrap();
    assert_eq!(drift(&home), Drift::Missing);
    let (home, recovered) = home.reopen();
    assert_eq!(recovered, []);
    assert_eq!(drift(&home), Drift::Missing);
    fs::remove_dir_all(home.path(".a")).unwrap();
    assert_eq!(drift(&home), Drift::Missing);
}

#[test]
fn another_thing_at_the_same_place_is_a_replacement() {
    let (home, folder) = installed();
    let other = home.path("other");
    home.write(&other, &[("SKILL.md", "another skill")]);
    fs::rename(&folder, home.path("away")).unwrap();
    symlink(home.path("away"), &folder).unwrap();
    assert_eq!(drift(&home), Drift::Replaced);
    fs::remove_file(&folder).unwrap();
    fs::write(&folder, "a file").unwrap();
    assert_eq!(drift(&home), Drift::Replaced);
    fs::remove_file(&folder).unwrap();
    fs::rename(&other, &folder).unwrap();
    assert_eq!(drift(&home), Drift::Replaced);
    fs::remove_dir_all(&folder).unwrap();
    fs::rename(home.path("away"), &folder).unwrap();
    assert_eq!(drift(&home), Drift::InSync, "and back again");
}

#[test]
fn a_new_folder_with_the_number_of_the_old_one_is_a_replacement() {
    let (home, folder) = installed();
    let mut placement = home.vault.placements().unwrap().remove(0);
    if placement.found.born.is_none() {
        return; // This disk does not remember when a folder was made.
    }
    fs::write(folder.join("a.txt"), "mine").unwrap();
    assert_eq!(Drift::on_disk(&placement), Drift::Edited { only_line_endings: false });
    placement.found.born = placement.found.born.map(|born| born - 1);
    assert_eq!(Drift::on_disk(&placement), Drift::Replaced);
    placement.found.born = None;
    assert_eq!(
        Drift::on_disk(&placement),
        Drift::Edited { only_line_endings: false },
        "rows of old"
    );
}
