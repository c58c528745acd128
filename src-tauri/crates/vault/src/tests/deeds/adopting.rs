//! Taking what is there into the record.

use super::*;
use crate::activity::ActivityKind;
use crate::drift::Drift;
use crate::placement::Origin;

#[test]
fn an_adopted_skill_is_in_the_record_and_not_touched() {
    let home = Home::new();
    let folder = by_hand(&home, "mine");
    let inode = crate::disk::inode(&folder);
    let change = done(&home, Deed::Adopt, &[&folder]);
    assert_eq!(results(&change), [ItemResult::Adopted]);
    assert_eq!((home.tree(&folder), crate::disk::inode(&folder)), (new(), inode));
    let placement = home.vault.placement(&folder).unwrap().unwrap();
    assert_eq!((placement.name.as_str(), &placement.origin), ("pdf", &Origin::Adopted));
    assert_eq!(
        (placement.tools.as_slice(), &placement.change),
        (&["a".to_owned()][..], &change.id)
    );
    assert_eq!(placement.source, placement.installed_fingerprint());
    assert_eq!(Drift::on_disk(&placement), Drift::InSync);
    assert_eq!(
        kinds(&home)[0],
        (ActivityKind::Adopted, "pdf".to_owned(), "in ~/.a/skills/mine".to_owned())
    );
    let again = plan(&home, Deed::Adopt, &[&folder]);
    assert_eq!(again.items[0].action, DeedAction::Keep);
    assert_eq!(results(&done(&home, Deed::Adopt, &[&folder])), [ItemResult::Kept]);
    home.assert_tidy();
}

#[test]
fn undoing_an_adoption_forgets_it_and_leaves_every_byte() {
    let home = Home::new();
    let folder = by_hand(&home, "mine");
    let change = done(&home, Deed::Adopt, &[&folder]);
    home.write(&folder, &[("later.txt", "mine")]);
    let before = home.tree(&folder);
    assert_eq!(home.vault.undo_problem(&change.id).unwrap(), None);
    assert_eq!(results(&undo(&home, &change)), [ItemResult::Undone]);
    assert!(home.vault.placements().unwrap().is_empty());
    assert_eq!(home.tree(&folder), before);
    let change = done(&home, Deed::Adopt, &[&folder]);
    fs::remove_dir_all(&folder).unwrap();
    assert_eq!(results(&undo(&home, &change)), [ItemResult::Undone]);
    assert!(home.vault.placements().unwrap().is_empty());
}

#[test]
fn what_changed_or_went_since_the_preview_is_not_adopted() {
    let home = Home::new();
    let folder = by_hand(&home, "mine");
    let planned = plan(&home, Deed::Adopt, &[&folder]);
    home.write(&folder, &[("new.txt", "mine")]);
    let change = apply(&home, &batch(&home, vec![Part::Deed(planned)]));
    assert_eq!(error(&change, 0), format!("{} changed since the preview", folder.display()));
    fs::remove_dir_all(&folder).unwrap();
    assert_eq!(
        refused(&home, Deed::Adopt, &folder),
        format!("there is nothing at {}", folder.display())
    );
    assert!(home.vault.placements().unwrap().is_empty());
    assert_eq!(home.vault.last_change().unwrap(), None);
}

#[test]
fn adopting_what_took_the_place_of_an_installed_skill_changes_the_record_and_back() {
    let home = Home::new();
    let (folder, _) = install(&home);
    let record = home.vault.placements().unwrap();
    fs::rename(&folder, home.path("away")).unwrap();
    home.write(&folder, &[("SKILL.md", "---\nname: other\ndescription: d\n---\n")]);
    let before = home.tree(&folder);
    let planned = plan(&home, Deed::Adopt, &[&folder]);
    assert_eq!(planned.items[0].name, "other");
    assert_eq!(
        planned.items[0].message.as_deref(),
        Some("something else was placed there before, and the record of that goes")
    );
    let change = apply(&home, &batch(&home, vec![Part::Deed(planned)]));
    assert_eq!(home.vault.placements().unwrap()[0].origin, Origin::Adopted);
    assert_eq!(results(&undo(&home, &change)), [ItemResult::Undone]);
    assert_eq!(home.vault.placements().unwrap(), record);
    assert_eq!(home.tree(&folder), before);
}

#[test]
fn a_skill_that_calls_itself_by_no_name_is_called_as_its_folder() {
    let home = Home::new();
    for (folder, text) in [("one", "no front matter"), ("two", "---\nname: \"Two!\"\n---\n")] {
        let folder = home.root("a").join(folder);
        home.write(&folder, &[("SKILL.md", text)]);
        let change = done(&home, Deed::Adopt, &[&folder]);
        let name = folder.file_name().unwrap().to_str().unwrap();
        assert_eq!((results(&change), change.name.as_str()), (vec![ItemResult::Adopted], name));
    }
}
