//! Fixes that are not made, and leave everything as it was.

use super::fixing::{QUOTED, WRONG, blocked, edits, plan, quote, rename, with, wrong};
use super::*;
use crate::ErrorKind;

#[test]
fn a_folder_that_is_no_longer_as_it_was_checked_is_left_alone() {
    let home = Home::new();
    let folder = wrong(&home, "pdf");
    let seen = Manifest::read(&folder).unwrap();
    let good = plan(&home, &folder, &[quote()]);
    for (path, text) in [("b/c.txt", "d"), (".new", ""), ("SKILL.md", &*WRONG.replace("it", "on"))]
    {
        let before = home.tree(&folder);
        home.write(&folder, &[(path, text)]);
        let changed = home.tree(&folder);
        let late = home.vault.plan_fixes(&folder, &seen, &[quote()], &home.scanned()).unwrap();
        assert_eq!(late.blockers, [format!("{} changed since it was checked", folder.display())]);
        assert!(late.changed);
        for plan in [&good, &late] {
            assert_eq!(home.vault.apply_fixes(plan).unwrap_err().kind(), ErrorKind::Changed);
        }
        assert_eq!(home.tree(&folder), changed);
        fs::remove_dir_all(&folder).unwrap();
        for (path, text) in before.iter().filter(|(path, _)| !path.ends_with('/')) {
            home.write(&folder, &[(path, text)]);
        }
    }
    home.assert_tidy();
    assert!(home.vault.trash().unwrap().is_empty());
    assert!(home.vault.activity(9).unwrap().is_empty());
}

#[test]
#[cfg(unix)]
fn a_link_in_the_place_of_what_was_checked_is_not_followed() {
    let home = Home::new();
    let folder = wrong(&home, "pdf");
    let other = wrong(&home, "other");
    let whole = plan(&home, &folder, &[quote()]);
    fs::rename(&folder, folder.with_file_name("away")).unwrap();
    std::os::unix::fs::symlink(&other, &folder).unwrap();
    assert_eq!(home.vault.apply_fixes(&whole).unwrap_err().kind(), ErrorKind::Changed);
    assert_eq!(home.tree(&other), with(WRONG));
    // Nor is one in the place of a file, though its bytes are the same.
    fs::remove_file(&folder).unwrap();
    fs::rename(folder.with_file_name("away"), &folder).unwrap();
    let inner = plan(&home, &folder, &[quote()]);
    fs::remove_file(folder.join("SKILL.md")).unwrap();
    std::os::unix::fs::symlink(other.join("SKILL.md"), folder.join("SKILL.md")).unwrap();
    home.vault.apply_fixes(&inner).unwrap_err();
    assert_eq!(home.tree(&other), with(WRONG));
    assert!(folder.join("SKILL.md").is_symlink());
    home.assert_tidy();
}

#[test]
fn another_name_of_a_fixed_file_keeps_the_bytes_it_had() {
    let home = Home::new();
    let folder = wrong(&home, "pdf");
    let twin = home.root("a").join("twin.md");
    fs::hard_link(folder.join("SKILL.md"), &twin).unwrap();
    home.vault.apply_fixes(&plan(&home, &folder, &[quote()])).unwrap();
    assert_eq!(home.tree(&folder), with(QUOTED));
    assert_eq!(fs::read_to_string(&twin).unwrap(), WRONG);
}

#[test]
#[cfg(unix)]
fn that_files_have_other_names_is_said_before_they_become_files_of_their_own() {
    let home = Home::new();
    let folder = wrong(&home, "pdf");
    assert_eq!(plan(&home, &folder, &[quote()]).notes, [""; 0]);
    fs::hard_link(folder.join("b/c.txt"), home.path("twin.txt")).unwrap();
    assert_eq!(
        plan(&home, &folder, &[quote()]).notes,
        [format!(
            "{} has other names on this disk (hard links), which will be files of their own then",
            folder.join("b/c.txt").display()
        )]
    );
    // A folder that only gets another name keeps its files.
    assert_eq!(plan(&home, &folder, &[rename("x")]).notes, [""; 0]);
}

#[test]
fn a_plan_that_was_tampered_with_is_not_carried_out() {
    let home = Home::new();
    let folder = wrong(&home, "pdf");
    let mut plan = plan(&home, &folder, &[quote()]);
    plan.files[0].after = b"other".to_vec();
    assert_eq!(home.vault.apply_fixes(&plan).unwrap_err().kind(), ErrorKind::Changed);
    assert_eq!(home.tree(&folder), with(WRONG));
}

#[test]
fn edits_that_do_not_fit_are_refused() {
    let home = Home::new();
    let folder = wrong(&home, "pdf");
    let main = folder.join("SKILL.md");
    let misfit = format!("the fixes of {} do not fit it: check it again", main.display());
    assert_eq!(blocked(&home, &folder, &[edits("SKILL.md", &[(5..999, "")])]), misfit);
    let overlapping = [quote(), edits("SKILL.md", &[(30..31, "x")])];
    assert_eq!(blocked(&home, &folder, &overlapping), misfit);
    for file in ["../pdf/SKILL.md", "gone.md", "/etc/passwd", ""] {
        assert_eq!(
            blocked(&home, &folder, &[edits(file, &[(0..0, "x")])]),
            format!("{file} is not among the files of the skill")
        );
    }
    assert_eq!(
        blocked(&home, &folder, &[edits("SKILL.md", &[(0..3, "---")])]),
        format!("there is nothing to change in {}", folder.display())
    );
    home.write(&folder, &[("SKILL.md", "---\nname: é\n---\n")]);
    assert_eq!(
        blocked(&home, &folder, &[edits("SKILL.md", &[(10..11, "")])]),
        misfit,
        "half a character"
    );
}

#[test]
fn a_name_that_is_taken_or_not_portable_is_refused() {
    let home = Home::new();
    let folder = wrong(&home, "documents");
    home.write(&home.root("a").join("pdf"), &[("SKILL.md", PDF)]);
    home.write(&home.root("a").join("Caf\u{e9}"), &[("SKILL.md", PDF)]);
    let a = home.root("a");
    assert_eq!(
        blocked(&home, &folder, &[rename("pdf")]),
        format!("{} is already there", a.join("pdf").display())
    );
    assert_eq!(
        blocked(&home, &folder, &[rename("cafe\u{301}")]),
        format!(
            "{} is already there, which is the same name as cafe\u{301} on many disks",
            a.join("Caf\u{e9}").display()
        )
    );
    for (to, why) in [
        ("../b", "\"../b\" is not the name of one folder"),
        ("a/b", "\"a/b\" is not the name of one folder"),
        ("..", "\"..\" has the component `.` or `..`"),
        ("", "\"\" has an empty component"),
        ("con", "\"con\" has a name that Windows keeps for a device"),
        ("a\\b", "\"a\\\\b\" has the character '\\\\'"),
        ("pdf.", "\"pdf.\" has a name that ends with a dot or a space"),
        (".skillhold", ".skillhold is a name that Skillhold keeps for itself"),
    ] {
        assert_eq!(blocked(&home, &folder, &[rename(to)]), why);
    }
    assert_eq!(
        blocked(&home, &folder, &[rename("x"), rename("y")]),
        "the folder cannot be called both \"x\" and \"y\""
    );
    assert_eq!(
        blocked(&home, &folder, &[rename("documents")]),
        format!("there is nothing to change in {}", folder.display())
    );
}

#[test]
fn a_name_that_is_taken_after_the_preview_is_not_replaced() {
    let home = Home::new();
    let folder = wrong(&home, "documents");
    for fixes in [vec![rename("pdf")], vec![quote(), rename("pdf")]] {
        let plan = plan(&home, &folder, &fixes);
        home.write(&home.root("a").join("pdf"), &[("SKILL.md", "mine")]);
        assert_eq!(home.vault.apply_fixes(&plan).unwrap_err().kind(), ErrorKind::Changed);
        assert_eq!(home.tree(&folder), with(WRONG));
        assert_eq!(home.tree(&home.root("a").join("pdf")), tree(&[("SKILL.md", "mine")]));
        fs::remove_dir_all(home.root("a").join("pdf")).unwrap();
    }
    home.assert_tidy();
}

#[cfg(unix)]
#[test]
fn what_is_read_only_is_not_fixed() {
    use std::os::unix::fs::PermissionsExt;

    let home = Home::new();
    let folder = wrong(&home, "pdf");
    let root = home.root("a");
    for path in [root.clone(), folder.clone(), folder.join("SKILL.md")] {
        let before = path.metadata().unwrap().permissions();
        fs::set_permissions(&path, fs::Permissions::from_mode(before.mode() & !0o222)).unwrap();
        let shown = format!("{} is read-only", path.display());
        assert_eq!(blocked(&home, &folder, &[quote()]), shown);
        fs::set_permissions(&path, before).unwrap();
    }
}

#[test]
fn own_data_and_what_cannot_be_resolved_are_refused() {
    let home = Home::new();
    let inside = home.data().join("trash/x/pdf");
    home.write(&inside, &[("SKILL.md", WRONG)]);
    assert_eq!(
        blocked(&home, &inside, &[quote()]),
        format!(
            "{} and Skillhold's own folder {} overlap",
            inside.display(),
            home.data().display()
        )
    );
    let beside = home.path("disk/.skillhold/trash/x/pdf");
    home.write(&beside, &[("SKILL.md", WRONG)]);
    assert_eq!(
        blocked(&home, &beside, &[quote()]),
        format!("{} lies in a folder in which Skillhold keeps things", beside.display())
    );
    let seen = Manifest::read(&inside).unwrap();
    let refused = |folder: &Path| {
        home.vault
            .plan_fixes(folder, &seen, &[quote()], &home.scanned())
            .unwrap()
            .blockers
            .remove(0)
    };
    assert!(refused(&home.path("gone")).starts_with("cannot resolve "));
    assert_eq!(refused(Path::new("pdf")), "pdf is not an absolute path");
    assert_eq!(refused(Path::new("/")), "/ cannot be the folder of a skill");
    assert_eq!(
        refused(&home.path(".a")),
        format!(
            "{} holds {}, which a tool scans, so it is not changed as a whole",
            home.path(".a").display(),
            home.root("a").display()
        )
    );
}

#[test]
fn a_folder_that_was_added_by_itself_is_edited_and_not_renamed() {
    let home = Home::new();
    let folder = home.path("work/pdf");
    home.write(&folder, &[("SKILL.md", WRONG)]);
    let seen = Manifest::read(&folder).unwrap();
    let plan =
        |fix| home.vault.plan_fixes(&folder, &seen, &[fix], std::slice::from_ref(&folder)).unwrap();
    assert_eq!(
        plan(rename("x")).blockers,
        [format!(
            "{} is itself a folder that is scanned: rename it yourself and add it again",
            folder.display()
        )]
    );
    home.vault.apply_fixes(&plan(quote())).unwrap();
    assert_eq!(home.tree(&folder), tree(&[("SKILL.md", QUOTED)]));
}

#[test]
fn two_changes_at_once_are_refused() {
    let home = Home::new();
    let folder = wrong(&home, "pdf");
    let plan = plan(&home, &folder, &[quote()]);
    let lock = home.vault.lock_changes().unwrap();
    assert_eq!(home.vault.apply_fixes(&plan).unwrap_err().kind(), ErrorKind::Busy);
    drop(lock);
    home.vault.apply_fixes(&plan).unwrap();
}

#[test]
fn a_folder_in_which_something_is_installed_is_not_renamed() {
    let home = Home::new();
    let server = home.server();
    let folder = home.path("work/documents");
    home.write(&folder, &[("SKILL.md", WRONG)]);
    let source = home.approved(&server, "skill://pdf/SKILL.md", &[("SKILL.md", PDF)], false);
    let mut inside = target(&home, "a", OnConflict::Keep);
    inside.root = folder.join(".a/skills");
    home.apply(&home.plan(source, vec![inside]));
    assert_eq!(
        blocked(&home, &folder, &[rename("x")]),
        format!(
            "{} holds {}, which Skillhold installed there, so it is not renamed",
            folder.display(),
            folder.join(".a/skills/pdf").display()
        )
    );
}
