//! Taking fixes back, and what the record says before and after.

use super::fixing::{QUOTED, WRONG, edits, plan, quote, rename, with, wrong};
use super::*;
use crate::ErrorKind;
use crate::drift::Drift;

#[test]
fn what_was_changed_after_a_fix_is_not_taken_back() {
    let home = Home::new();
    let folder = wrong(&home, "pdf");
    let change = home.vault.apply_fixes(&plan(&home, &folder, &[quote()])).unwrap();
    home.write(&folder, &[("mine.txt", "mine")]);
    let undone = home.vault.undo(&change.id).unwrap();
    assert_eq!(results(&undone), [ItemResult::Failed]);
    assert_eq!(
        error(&undone, 0),
        format!("{} was changed after it was fixed, so it was kept", folder.display())
    );
    fs::remove_file(folder.join("mine.txt")).unwrap();
    assert_eq!(results(&home.vault.undo(&change.id).unwrap()), [ItemResult::Undone]);
    assert_eq!(home.tree(&folder), with(WRONG));
}

#[test]
fn a_folder_is_not_renamed_back_onto_something_else() {
    let home = Home::new();
    for fixes in [vec![rename("pdf")], vec![quote(), rename("pdf")]] {
        let folder = wrong(&home, "documents");
        let change = home.vault.apply_fixes(&plan(&home, &folder, &fixes)).unwrap();
        let fixed = home.tree(&home.root("a").join("pdf"));
        home.write(&folder, &[("SKILL.md", "mine")]);
        let undone = home.vault.undo(&change.id).unwrap();
        assert_eq!(
            error(&undone, 0),
            format!("there is something else at {} now", folder.display())
        );
        assert_eq!(home.tree(&folder), tree(&[("SKILL.md", "mine")]));
        assert_eq!(home.tree(&home.root("a").join("pdf")), fixed);
        fs::remove_dir_all(&folder).unwrap();
        assert_eq!(results(&home.vault.undo(&change.id).unwrap()), [ItemResult::Undone]);
        assert_eq!(home.tree(&folder), with(WRONG));
        fs::remove_dir_all(&folder).unwrap();
    }
    home.assert_tidy();
}

#[test]
fn fixes_of_one_folder_are_undone_newest_first() {
    let home = Home::new();
    let folder = wrong(&home, "pdf");
    let one = home.vault.apply_fixes(&plan(&home, &folder, &[quote()])).unwrap();
    let name = edits("SKILL.md", &[(10..13, "pdf")]);
    let two = home.vault.apply_fixes(&plan(&home, &folder, &[name])).unwrap();
    assert_eq!(results(&home.vault.undo(&one.id).unwrap()), [ItemResult::Failed]);
    assert_eq!(results(&home.vault.undo(&two.id).unwrap()), [ItemResult::Undone]);
    assert_eq!(home.tree(&folder), with(QUOTED));
    assert_eq!(results(&home.vault.undo(&one.id).unwrap()), [ItemResult::Undone]);
    assert_eq!(home.tree(&folder), with(WRONG));
}

#[test]
fn a_fix_is_undone_after_an_install_over_it_was() {
    let home = Home::new();
    let server = home.server();
    let folder = wrong(&home, "pdf");
    let fix = home.vault.apply_fixes(&plan(&home, &folder, &[quote()])).unwrap();
    let source = home.approved(&server, "skill://pdf/SKILL.md", &[("SKILL.md", PDF)], false);
    let install = home.apply(&home.plan(source, vec![target(&home, "a", OnConflict::Replace)]));
    let undone = home.vault.undo(&fix.id).unwrap();
    assert_eq!(undone.items[0].error.as_ref().unwrap().kind(), ErrorKind::Changed);
    assert_eq!(home.tree(&folder), tree(&[("SKILL.md", PDF)]));
    assert_eq!(results(&home.vault.undo(&install.id).unwrap()), [ItemResult::Undone]);
    assert_eq!(results(&home.vault.undo(&fix.id).unwrap()), [ItemResult::Undone]);
    assert_eq!(home.tree(&folder), with(WRONG));
}

/// An installed skill whose description has an unquoted colon.
fn installed(home: &Home) -> (PathBuf, Change) {
    let server = home.server();
    let files = [("SKILL.md", WRONG), ("b/c.txt", "c")];
    let source = home.approved(&server, "skill://pdf/SKILL.md", &files, false);
    let change = home.apply(&home.plan(source, vec![target(home, "a", OnConflict::Keep)]));
    (home.root("a").join("pdf"), change)
}

fn drift(home: &Home) -> Vec<(PathBuf, Drift)> {
    let all = home.vault.placements().unwrap();
    all.iter().map(|one| (one.folder.clone(), Drift::on_disk(one))).collect()
}

const EDITED: Drift = Drift::Edited { only_line_endings: false };

#[test]
fn an_installed_skill_that_is_fixed_counts_as_edited_here() {
    let home = Home::new();
    let (folder, install) = installed(&home);
    let record = home.vault.placements().unwrap();
    let plan = plan(&home, &folder, &[quote()]);
    assert_eq!(plan.notes, ["it came from docs and will count as edited here"]);
    let fix = home.vault.apply_fixes(&plan).unwrap();
    assert_eq!(drift(&home), [(folder.clone(), EDITED)]);
    let undone = home.vault.undo(&install.id).unwrap();
    let first = format!("{} was fixed since: undo the change of pdf of ", folder.display());
    assert!(error(&undone, 0).starts_with(&first), "{}", error(&undone, 0));
    assert_eq!(home.tree(&folder), with(QUOTED));
    assert_eq!(results(&home.vault.undo(&fix.id).unwrap()), [ItemResult::Undone]);
    assert_eq!(home.vault.placements().unwrap(), record);
    assert_eq!(drift(&home), [(folder, Drift::InSync)]);
    assert_eq!(results(&home.vault.undo(&install.id).unwrap()), [ItemResult::Undone]);
    assert!(home.tree(&home.root("a")).is_empty());
}

#[test]
fn an_installed_skill_keeps_its_record_under_another_name() {
    let home = Home::new();
    let (folder, install) = installed(&home);
    let record = home.vault.placements().unwrap();
    let there = home.root("a").join("documents");
    for (fixes, is) in
        [(vec![rename("documents")], Drift::InSync), (vec![quote(), rename("documents")], EDITED)]
    {
        let fix = home.vault.apply_fixes(&plan(&home, &folder, &fixes)).unwrap();
        assert_eq!(drift(&home), [(there.clone(), is)]);
        let undone = home.vault.undo(&install.id).unwrap();
        let first = format!("{} was renamed to {} since: ", folder.display(), there.display());
        assert!(error(&undone, 0).starts_with(&first), "{}", error(&undone, 0));
        assert_eq!(results(&home.vault.undo(&fix.id).unwrap()), [ItemResult::Undone]);
        assert_eq!(home.vault.placements().unwrap(), record);
        assert_eq!(drift(&home), [(folder.clone(), Drift::InSync)]);
    }
    assert_eq!(results(&home.vault.undo(&install.id).unwrap()), [ItemResult::Undone]);
    assert!(home.tree(&home.root("a")).is_empty());
}

#[test]
fn something_else_in_the_place_of_an_installed_skill_does_not_become_ours_by_a_fix() {
    let home = Home::new();
    let (folder, _) = installed(&home);
    fs::rename(&folder, home.path("away")).unwrap();
    home.write(&folder, &[("SKILL.md", &WRONG.replace("it", "on"))]);
    let record = home.vault.placements().unwrap();
    assert_eq!(drift(&home), [(folder.clone(), Drift::Replaced)]);
    let fix = home.vault.apply_fixes(&plan(&home, &folder, &[quote()])).unwrap();
    assert_eq!(drift(&home), [(folder.clone(), Drift::Replaced)]);
    home.vault.undo(&fix.id).unwrap();
    let fix = home.vault.apply_fixes(&plan(&home, &folder, &[rename("documents")])).unwrap();
    assert_eq!(drift(&home), [(folder.clone(), Drift::Missing)]);
    assert_eq!(results(&home.vault.undo(&fix.id).unwrap()), [ItemResult::Undone]);
    assert_eq!(home.vault.placements().unwrap(), record);
}
