//! Putting right what a check says, and taking it back.

use std::ops::Range;

use skills::fix::{Fix, TextEdit};

use super::*;
use crate::activity::ActivityKind;
use crate::fix::FixPlan;

/// The name is not the folder's, and the description has an unquoted colon.
pub(super) const WRONG: &str = "---\nname: PDF\ndescription: Reads: files\n---\nRead it.\n";
/// The same with the description quoted.
pub(super) const QUOTED: &str = "---\nname: PDF\ndescription: \"Reads: files\"\n---\nRead it.\n";

/// Quotes the description of [`WRONG`].
pub(super) fn quote() -> Fix {
    edits("SKILL.md", &[(27..39, "\"Reads: files\"")])
}

pub(super) fn edits(file: &str, edits: &[(Range<usize>, &str)]) -> Fix {
    Fix::Edits {
        title: "quote the value".to_owned(),
        file: file.to_owned(),
        edits: edits
            .iter()
            .map(|(range, text)| TextEdit { range: range.clone(), replacement: (*text).to_owned() })
            .collect(),
    }
}

pub(super) fn rename(to: &str) -> Fix {
    Fix::RenameFolder { title: format!("rename the folder to {to}"), to: to.to_owned() }
}

pub(super) fn plan(home: &Home, folder: &Path, fixes: &[Fix]) -> FixPlan {
    let seen = Manifest::read(folder).unwrap();
    home.vault.plan_fixes(folder, &seen, fixes, &home.scanned()).unwrap()
}

pub(super) fn blocked(home: &Home, folder: &Path, fixes: &[Fix]) -> String {
    let plan = plan(home, folder, fixes);
    let around = folder.parent().unwrap();
    let before = home.tree(around);
    let error = home.vault.apply_fixes(&plan).unwrap_err();
    assert_eq!(error.to_string(), plan.blockers.join("; "));
    assert_eq!(home.tree(around), before);
    assert_eq!(plan.blockers.len(), 1, "{:?}", plan.blockers);
    plan.blockers[0].clone()
}

pub(super) fn wrong(home: &Home, folder: &str) -> PathBuf {
    let folder = home.root("a").join(folder);
    home.write(&folder, &[("SKILL.md", WRONG), ("b/c.txt", "c")]);
    folder
}

pub(super) fn with(skill_md: &str) -> BTreeMap<String, String> {
    tree(&[("SKILL.md", skill_md), ("b/", ""), ("b/c.txt", "c")])
}

#[test]
fn a_fix_changes_its_bytes_and_nothing_else_and_can_be_undone() {
    let home = Home::new();
    let folder = wrong(&home, "pdf");
    let plan = plan(&home, &folder, &[quote()]);
    assert_eq!(plan.blockers, Vec::<String>::new());
    assert_eq!(plan.notes, Vec::<String>::new());
    assert_eq!((plan.files.len(), &plan.rename), (1, &None));
    assert_eq!(
        (plan.files[0].path.as_str(), &*plan.files[0].before, &*plan.files[0].after),
        ("SKILL.md", WRONG.as_bytes(), QUOTED.as_bytes())
    );
    assert_eq!(plan.after.get("SKILL.md").unwrap().digest, Digest::of(QUOTED.as_bytes()));
    assert_eq!(home.tree(&folder), with(WRONG), "planning writes nothing");

    let change = home.vault.apply_fixes(&plan).unwrap();
    assert_eq!(results(&change), [ItemResult::Replaced]);
    assert_eq!(change.items[0].folder, folder);
    assert_eq!(home.tree(&folder), with(QUOTED));
    assert!(home.vault.placements().unwrap().is_empty(), "a hand-made skill stays hand-made");
    let trash = home.vault.trash().unwrap();
    assert_eq!(home.tree(&trash[0].kept), with(WRONG), "the old folder is kept");
    let row = home.vault.activity(1).unwrap().remove(0);
    assert_eq!(
        (row.kind, row.subject.as_str(), row.text.as_str(), row.change.as_deref(), row.undone),
        (
            ActivityKind::Fixed,
            "pdf",
            "in SKILL.md of ~/.a/skills/pdf",
            Some(change.id.as_str()),
            false
        )
    );
    assert_eq!(row.folders, std::slice::from_ref(&folder));
    assert_eq!(home.vault.last_change().unwrap().as_ref(), Some(&change.id));

    let undone = home.vault.undo(&change.id).unwrap();
    assert_eq!(results(&undone), [ItemResult::Undone]);
    assert_eq!(home.tree(&folder), with(WRONG));
    let rows = home.vault.activity(2).unwrap();
    assert_eq!((rows[0].kind, rows[0].text.as_str()), (ActivityKind::Undone, "in ~/.a/skills/pdf"));
    assert!(rows[1].undone);
    home.assert_tidy();
}

#[test]
fn a_new_name_and_edits_are_one_change_and_undone_as_one() {
    let home = Home::new();
    let folder = wrong(&home, "documents");
    let there = home.root("a").join("pdf");
    let fixes = [quote(), edits("SKILL.md", &[(10..13, "pdf")]), rename("pdf")];
    let plan = plan(&home, &folder, &fixes);
    let rename = plan.rename.clone().unwrap();
    assert_eq!(
        (rename.from.as_str(), rename.to.as_str(), &rename.folder),
        ("documents", "pdf", &there)
    );
    assert_eq!((plan.name().as_str(), plan.target()), ("documents", there.as_path()));
    let change = home.vault.apply_fixes(&plan).unwrap();
    assert_eq!(results(&change), [ItemResult::Replaced]);
    assert_eq!(change.items[0].folder, there);
    assert!(!folder.exists());
    assert_eq!(home.tree(&there), with(&QUOTED.replace("name: PDF", "name: pdf")));
    let row = home.vault.activity(1).unwrap().remove(0);
    assert_eq!(row.text, "in SKILL.md of ~/.a/skills/documents, renamed to pdf");
    assert_eq!(row.folders, [there.clone(), folder.clone()]);
    let undone = home.vault.undo(&change.id).unwrap();
    assert_eq!((results(&undone), &undone.items[0].folder), (vec![ItemResult::Undone], &folder));
    assert!(!there.exists());
    assert_eq!(home.tree(&folder), with(WRONG));
    home.assert_tidy();
}

#[test]
fn a_folder_that_only_gets_another_name_is_the_same_folder() {
    let home = Home::new();
    let folder = wrong(&home, "documents");
    let there = home.root("a").join("pdf");
    let inode = crate::disk::inode(&folder);
    let change = home.vault.apply_fixes(&plan(&home, &folder, &[rename("pdf")])).unwrap();
    assert_eq!(results(&change), [ItemResult::Renamed]);
    assert!(!folder.exists());
    assert_eq!((crate::disk::inode(&there), home.tree(&there)), (inode, with(WRONG)));
    assert!(home.vault.trash().unwrap().is_empty());
    assert_eq!(home.vault.activity(1).unwrap()[0].text, "by renaming ~/.a/skills/documents to pdf");
    assert_eq!(results(&home.vault.undo(&change.id).unwrap()), [ItemResult::Undone]);
    assert_eq!((crate::disk::inode(&folder), there.exists()), (inode, false));
    assert!(home.vault.trash().unwrap().is_empty());
}

#[test]
fn a_folder_may_get_its_own_name_in_another_case() {
    let home = Home::new();
    let folder = wrong(&home, "PDF");
    let change = home.vault.apply_fixes(&plan(&home, &folder, &[rename("pdf")])).unwrap();
    assert_eq!(home.tree(&home.root("a")).keys().next().unwrap(), "pdf/");
    assert_eq!(results(&home.vault.undo(&change.id).unwrap()), [ItemResult::Undone]);
    assert_eq!(home.tree(&home.root("a")).keys().next().unwrap(), "PDF/");
}

#[cfg(unix)]
#[test]
fn permissions_empty_folders_and_times_are_kept() {
    use std::os::unix::fs::PermissionsExt;

    let home = Home::new();
    let folder = wrong(&home, "pdf");
    fs::create_dir_all(folder.join(".git/refs/tags")).unwrap();
    home.write(&folder, &[("run.sh", "#!/bin/sh\n"), ("closed/x", "x")]);
    let mode = |path: &str, mode: u32| {
        fs::set_permissions(folder.join(path), fs::Permissions::from_mode(mode)).unwrap();
    };
    mode("run.sh", 0o755);
    mode("SKILL.md", 0o640);
    mode("b/c.txt", 0o444);
    mode("closed", 0o555);
    mode("", 0o750);
    let modes = || {
        ["run.sh", "SKILL.md", "b/c.txt", "closed", "", ".git/refs/tags"]
            .map(|path| folder.join(path).metadata().unwrap().permissions().mode() & 0o7777)
    };
    let before = (modes(), folder.join("run.sh").metadata().unwrap().modified().unwrap());
    let change = home.vault.apply_fixes(&plan(&home, &folder, &[quote()])).unwrap();
    assert_eq!(before.0[..5], [0o755, 0o640, 0o444, 0o555, 0o750]);
    assert_eq!((modes(), folder.join("run.sh").metadata().unwrap().modified().unwrap()), before);
    assert_eq!(fs::read_to_string(folder.join("SKILL.md")).unwrap(), QUOTED);
    assert_eq!(results(&home.vault.undo(&change.id).unwrap()), [ItemResult::Undone]);
    assert_eq!(modes(), before.0);
    home.vault.prune_trash(jiff::Timestamp::MAX).unwrap();
    assert!(home.tree(&home.data().join("trash")).is_empty(), "closed folders can be pruned");
}

#[test]
fn a_plan_survives_being_written_and_read() {
    let home = Home::new();
    let folder = wrong(&home, "documents");
    let plan = plan(&home, &folder, &[quote(), rename("pdf")]);
    let read: FixPlan = serde_json::from_str(&serde_json::to_string(&plan).unwrap()).unwrap();
    assert_eq!(read, plan);
    home.vault.apply_fixes(&read).unwrap();
}

#[test]
fn two_diagnostics_that_ask_for_the_same_edit_get_it_once() {
    let home = Home::new();
    let folder = wrong(&home, "pdf");
    home.vault.apply_fixes(&plan(&home, &folder, &[quote(), quote()])).unwrap();
    assert_eq!(home.tree(&folder), with(QUOTED));
}

#[cfg(unix)]
#[test]
fn nothing_is_changed_through_a_linked_folder_and_where_it_leads_is_said() {
    let home = Home::new();
    let real = home.path("work/pdf");
    home.write(&real, &[("SKILL.md", WRONG), ("b/c.txt", "c")]);
    let link = home.root("a").join("pdf");
    std::os::unix::fs::symlink(&real, &link).unwrap();
    for written in [link.clone(), link.join(""), link.join(".")] {
        for fix in [quote(), rename("x")] {
            assert_eq!(
                blocked(&home, &written, &[fix]),
                format!(
                    "{} is a link, and nothing is changed through it: fix {}, where it leads",
                    written.display(),
                    real.display()
                )
            );
        }
    }
    assert_eq!(home.tree(&real), with(WRONG));
    let change = home.vault.apply_fixes(&plan(&home, &real, &[quote()])).unwrap();
    assert!(link.symlink_metadata().unwrap().is_symlink());
    assert_eq!(home.tree(&link), with(QUOTED));
    assert_eq!(results(&home.vault.undo(&change.id).unwrap()), [ItemResult::Undone]);
    assert_eq!(home.tree(&real), with(WRONG));
    assert_eq!(
        blocked(&home, &real, &[rename("x")]),
        format!("{} is a link to {} and would lead nowhere", link.display(), real.display())
    );
}

#[test]
fn a_skill_anywhere_on_the_disk_is_fixed_and_undone() {
    let home = Home::new();
    let elsewhere = tempfile::tempdir().unwrap();
    let folder = elsewhere.path().canonicalize().unwrap().join("documents");
    home.write(&folder, &[("SKILL.md", WRONG)]);
    let seen = Manifest::read(&folder).unwrap();
    let plan = home.vault.plan_fixes(&folder, &seen, &[quote(), rename("pdf")], &[]).unwrap();
    let change = home.vault.apply_fixes(&plan).unwrap();
    assert_eq!(
        home.tree(elsewhere.path()),
        tree(&[("pdf/", ""), ("pdf/SKILL.md", QUOTED)]),
        "nothing of ours is left beside it"
    );
    assert_eq!(results(&home.vault.undo(&change.id).unwrap()), [ItemResult::Undone]);
    assert_eq!(
        home.tree(elsewhere.path()),
        tree(&[("documents/", ""), ("documents/SKILL.md", WRONG)])
    );
}

/// A disk besides the one of the home, where this machine has one.
#[cfg(target_os = "linux")]
fn other_disk(home: &Home) -> Option<tempfile::TempDir> {
    let dir = tempfile::tempdir_in("/dev/shm").ok()?;
    (crate::disk::device(dir.path()) != crate::disk::device(&home.data())).then_some(dir)
}

#[cfg(target_os = "linux")]
#[test]
fn on_another_disk_the_old_folder_is_kept_there() {
    let home = Home::new();
    let Some(disk) = other_disk(&home) else { return };
    let root = disk.path().canonicalize().unwrap().join("project/skills");
    let folder = root.join("pdf");
    home.write(&folder, &[("SKILL.md", WRONG)]);
    let seen = Manifest::read(&folder).unwrap();
    let plan =
        home.vault.plan_fixes(&folder, &seen, &[quote()], std::slice::from_ref(&root)).unwrap();
    let change = home.vault.apply_fixes(&plan).unwrap();
    assert_eq!(home.tree(&folder), tree(&[("SKILL.md", QUOTED)]));
    let kept = home.vault.trash().unwrap()[0].kept.clone();
    assert!(kept.starts_with(disk.path().canonicalize().unwrap()), "{}", kept.display());
    assert!(!kept.starts_with(&root), "{}", kept.display());
    assert_eq!(results(&home.vault.undo(&change.id).unwrap()), [ItemResult::Undone]);
    assert_eq!(home.tree(&folder), tree(&[("SKILL.md", WRONG)]));
}

#[cfg(target_os = "linux")]
#[test]
fn in_a_project_on_another_disk_nothing_is_kept_inside_of_the_project() {
    let home = Home::new();
    let Some(disk) = other_disk(&home) else { return };
    let project = disk.path().canonicalize().unwrap().join("project");
    let folder = project.join(".a/skills/pdf");
    home.write(&folder, &[("SKILL.md", WRONG)]);
    let seen = Manifest::read(&folder).unwrap();
    let scanned = [project.clone(), project.join(".a/skills")];
    let plan = home.vault.plan_fixes(&folder, &seen, &[quote()], &scanned).unwrap();
    let change = home.vault.apply_fixes(&plan).unwrap();
    assert_eq!(home.tree(&folder), tree(&[("SKILL.md", QUOTED)]));
    let kept = home.vault.trash().unwrap()[0].kept.clone();
    assert!(kept.starts_with(disk.path().canonicalize().unwrap().join(".skillhold")));
    assert_eq!(results(&home.vault.undo(&change.id).unwrap()), [ItemResult::Undone]);
}

#[cfg(target_os = "linux")]
#[test]
fn what_programs_attached_to_files_is_kept() {
    use rustix::fs::{XattrFlags, getxattr, setxattr};

    let home = Home::new();
    let folder = wrong(&home, "pdf");
    let places = ["SKILL.md", "b/c.txt", "b"].map(|path| folder.join(path));
    let set = |place| setxattr(place, "user.note", b"mine", XattrFlags::empty());
    if places.iter().any(|place| set(place).is_err()) {
        return; // a disk without such attributes
    }
    home.vault.apply_fixes(&plan(&home, &folder, &[quote()])).unwrap();
    assert_eq!(home.tree(&folder), with(QUOTED));
    for place in &places {
        let mut value = [0; 8];
        let length = getxattr(place, "user.note", &mut value).unwrap();
        assert_eq!(&value[..length], b"mine", "{}", place.display());
    }
}

#[cfg(target_os = "linux")]
#[test]
fn at_the_top_of_a_disk_things_are_kept_in_the_root_where_no_tool_scans_it() {
    let home = Home::new();
    let top = Path::new("/dev/shm");
    if !crate::disk::is_writable(top)
        || crate::disk::device(top) == crate::disk::device(&home.data())
    {
        return;
    }
    let data = home.data();
    let store = |scanned: &[PathBuf]| crate::target::Ground::of(&data, scanned).store_for_fix(top);
    assert_eq!(store(&[]), Some(top.join(".skillhold")));
    assert_eq!(store(&[top.to_owned()]), None);
}

#[cfg(unix)]
#[test]
fn the_owner_of_each_file_stays_its_owner() {
    use std::os::unix::fs::{MetadataExt, chown};

    let home = Home::new();
    let folder = wrong(&home, "pdf");
    let places = ["SKILL.md", "b/c.txt", "b"].map(|path| folder.join(path));
    if places.iter().any(|place| chown(place, Some(12_345), Some(23_456)).is_err()) {
        return; // only the administrator may give files away
    }
    home.vault.apply_fixes(&plan(&home, &folder, &[quote()])).unwrap();
    assert_eq!(home.tree(&folder), with(QUOTED));
    for place in &places {
        let now = place.metadata().unwrap();
        assert_eq!((now.uid(), now.gid()), (12_345, 23_456), "{}", place.display());
    }
}
