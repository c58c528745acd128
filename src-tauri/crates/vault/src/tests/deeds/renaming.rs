//! Giving a skill another name.

use super::*;
use crate::activity::ActivityKind;
use crate::drift::Drift;
use crate::fix::FixPlan;

fn rename(home: &Home, folder: &Path, to: &str) -> FixPlan {
    let seen = Manifest::read(folder).unwrap();
    home.vault.plan_rename(folder, &seen, to, &home.scanned()).unwrap()
}

const PLANS: &str = "---\nname: plans\ndescription: Reads PDF files\n---\nRead it.\n";

#[test]
fn a_skill_gets_another_name_in_its_field_and_its_folder_and_back() {
    let home = Home::new();
    let (folder, install) = install(&home);
    let record = home.vault.placements().unwrap();
    let planned = rename(&home, &folder, "plans");
    assert_eq!(planned.blockers, Vec::<String>::new());
    assert_eq!(planned.notes, ["it came from docs and will count as edited here"]);
    let change = apply(&home, &batch(&home, vec![Part::Fix(planned)]));
    assert_eq!(results(&change), [ItemResult::Renamed]);
    let there = home.root("a").join("plans");
    assert_eq!((&change.items[0].folder, change.items[0].name.as_str()), (&there, "pdf"));
    assert!(!folder.exists());
    assert_eq!(home.tree(&there), tree(&[("SKILL.md", PLANS), ("b/", ""), ("b/c.txt", "c")]));
    let placements = home.vault.placements().unwrap();
    assert_eq!((placements[0].name.as_str(), &placements[0].folder), ("plans", &there));
    assert_eq!(Drift::on_disk(&placements[0]), Drift::Edited { only_line_endings: false });
    assert_eq!(
        kinds(&home)[0],
        (ActivityKind::Renamed, "pdf".to_owned(), "to plans in ~/.a/skills".to_owned())
    );
    assert!(home.vault.undo_problem(&install.id).unwrap().unwrap().contains("was renamed to"));
    assert_eq!(results(&undo(&home, &change)), [ItemResult::Undone]);
    assert_eq!(home.tree(&folder), new());
    assert_eq!(home.vault.placements().unwrap(), record);
    home.assert_tidy();
}

#[test]
fn an_adopted_skill_is_in_sync_under_its_new_name_and_again_after_the_undo() {
    let home = Home::new();
    let folder = home.root("a").join("pdf");
    home.write(&folder, &[("SKILL.md", PDF)]);
    done(&home, Deed::Adopt, &[&folder]);
    let record = home.vault.placements().unwrap();
    let planned = rename(&home, &folder, "plans");
    assert_eq!(planned.notes, Vec::<String>::new());
    let change = apply(&home, &batch(&home, vec![Part::Fix(planned)]));
    let placement = &home.vault.placements().unwrap()[0];
    assert_eq!(placement.folder, home.root("a").join("plans"));
    assert_eq!(Drift::on_disk(placement), Drift::InSync);
    assert_eq!(results(&undo(&home, &change)), [ItemResult::Undone]);
    assert_eq!(home.vault.placements().unwrap(), record);
    home.write(&folder, &[("notes.txt", "mine")]);
    let edited = rename(&home, &folder, "plans");
    assert_eq!(edited.notes, ["it will count as edited here"]);
}

#[test]
fn only_the_folder_is_renamed_where_the_field_says_so_already_or_says_nothing() {
    let home = Home::new();
    for text in [PLANS, "no front matter at all"] {
        let folder = home.root("a").join("pdf");
        home.write(&folder, &[("SKILL.md", text)]);
        let planned = rename(&home, &folder, "plans");
        assert_eq!((planned.blockers.len(), planned.files.len()), (0, 0));
        let change = home.vault.apply_fixes(&planned).unwrap();
        assert_eq!(results(&change), [ItemResult::Renamed]);
        let there = home.root("a").join("plans");
        assert_eq!(fs::read_to_string(there.join("SKILL.md")).unwrap(), text);
        fs::remove_dir_all(&there).unwrap();
    }
}

#[test]
fn a_name_that_is_none_or_is_taken_is_refused() {
    let home = Home::new();
    let folder = by_hand(&home, "pdf");
    by_hand(&home, "taken");
    for name in ["Plans", "-a", "a--b", "", "a/b", "a_b"] {
        let blockers = rename(&home, &folder, name).blockers;
        assert_eq!(
            blockers.last().unwrap(),
            &format!(
                "{name:?} cannot be the name of a skill: use 1 to 64 of a-z, 0-9 and single hyphens between"
            )
        );
    }
    assert_eq!(
        rename(&home, &folder, "taken").blockers,
        [format!("{} is already there", home.root("a").join("taken").display())]
    );
    assert_eq!(
        rename(&home, &folder, "pdf").blockers,
        [format!("there is nothing to change in {}", folder.display())]
    );
    let planned = rename(&home, &folder, "taken");
    assert_eq!(
        results(&apply(&home, &batch(&home, vec![Part::Fix(planned)]))),
        [ItemResult::Failed]
    );
    assert_eq!(home.tree(&folder), new());
}

#[test]
fn a_field_that_cannot_be_edited_safely_stops_the_renaming() {
    let home = Home::new();
    let folder = home.root("a").join("pdf");
    home.write(&folder, &[("SKILL.md", "---\nname: >-\n  pdf\ndescription: d\n---\n")]);
    let blockers = rename(&home, &folder, "plans").blockers;
    assert_eq!(
        blockers,
        [format!(
            "the field `name` of {} cannot be changed by itself: put right what its check says first",
            folder.join("SKILL.md").display()
        )]
    );
}
