//! Somebody, or another program, changed what is in Skillhold's own folder: nothing of it makes
//! Skillhold remove or move what is not its own.

use serde_json::Value;

use super::*;
use crate::deed::{Deed, Subject};
use crate::placement::Found;

/// Two skills of the person, one of which was replaced, so that there is something in the trash.
fn home() -> Home {
    let home = Home::new();
    let server = home.server();
    home.write(&home.root("a").join("pdf"), &[("SKILL.md", "mine")]);
    let source = home.approved(&server, "skill://pdf/SKILL.md", &[("SKILL.md", PDF)], false);
    let plan = home.plan(source, vec![target(&home, "a", OnConflict::Replace)]);
    assert_eq!(results(&home.apply(&plan)), [ItemResult::Replaced]);
    home
}

/// A row of a table, changed.
fn row(home: &Home, table: &str, change: impl FnOnce(&mut Value)) -> Value {
    let json: String = home
        .vault
        .ledger()
        .query_row(&format!("SELECT json FROM {table} LIMIT 1"), [], |row| row.get(0))
        .unwrap();
    let mut row = serde_json::from_str(&json).unwrap();
    change(&mut row);
    row
}

fn receipt(home: &Home, kind: &str, row: &Value) -> PathBuf {
    let bytes = format!("{kind}\n{row}\n");
    let path = home.data().join("receipts").join(Digest::of(bytes.as_bytes()).hex());
    fs::write(&path, bytes).unwrap();
    path
}

/// A skill of the person outside of what tools read, in a folder that looks like one of a store.
fn foreign(home: &Home, place: &str) -> PathBuf {
    let folder = home.path(place);
    home.write(&folder, &[("SKILL.md", PDF)]);
    home.write(folder.parent().unwrap(), &[("diary.txt", "dear diary")]);
    folder
}

/// The row of a piece of trash that names this folder, as old as can be.
fn trashed_at(home: &Home, kept: &Path) -> Value {
    row(home, "trash", |row| {
        row["id"] = "keep".into();
        row["kept"] = kept.to_str().unwrap().into();
        row["at"] = "2020-01-01T00:00:00Z".into();
        row["found"] = serde_json::to_value(Found::at(kept).unwrap().0).unwrap();
    })
}

#[test]
fn trash_that_lies_in_no_folder_of_ours_is_not_removed_whatever_a_receipt_says() {
    let home = home();
    let kept = foreign(&home, "notes/trash/keep/pdf");
    let path = receipt(&home, "trash", &trashed_at(&home, &kept));
    let (home, recovered) = home.reopen();
    assert_eq!(recovered, []);
    assert!(!path.exists(), "what it says is not so");
    assert!(kept.join("SKILL.md").exists());
    assert_eq!(home.vault.trash().unwrap().len(), 1);
}

#[test]
fn trash_that_lies_in_no_folder_of_ours_is_not_removed_whatever_the_ledger_says() {
    let home = home();
    let linked = foreign(&home, "elsewhere/keep/pdf");
    std::os::unix::fs::symlink(home.path("elsewhere"), home.path("store")).unwrap();
    for kept in [
        foreign(&home, "notes/trash/keep/pdf"),
        home.path("store/keep/pdf"),
        home.data().join("trash/../../../../elsewhere/keep/pdf"),
    ] {
        let json = trashed_at(&home, &kept).to_string();
        home.vault
            .ledger()
            .execute("INSERT OR REPLACE INTO trash VALUES ('keep', ?1)", [json])
            .unwrap();
        home.vault.prune_trash(jiff::Timestamp::UNIX_EPOCH).unwrap();
        home.vault.prune_trash("2021-01-01T00:00:00Z".parse().unwrap()).unwrap();
        home.vault.empty_trash(&["keep".to_owned()]).unwrap();
        assert!(kept.join("SKILL.md").exists(), "{}", kept.display());
        assert!(linked.parent().unwrap().join("diary.txt").exists(), "{}", kept.display());
    }
}

#[test]
fn trash_is_not_removed_through_a_link_in_the_place_of_its_folder() {
    let home = home();
    let kept = home.vault.trash().unwrap().remove(0).kept;
    let own = kept.parent().unwrap();
    let folder = foreign(&home, "notes/pdf");
    fs::rename(own, home.path("moved")).unwrap();
    std::os::unix::fs::symlink(folder.parent().unwrap(), own).unwrap();
    let id = home.vault.trash().unwrap().remove(0).id;
    home.vault.empty_trash(&[id]).unwrap();
    assert!(folder.join("SKILL.md").exists());
    assert!(home.path("notes/diary.txt").exists());
    let change = home.vault.last_change().unwrap().unwrap();
    let undone = home.vault.undo(&change).unwrap();
    assert_eq!(results(&undone), [ItemResult::Failed]);
    assert!(folder.join("SKILL.md").exists(), "what a link leads to is not put back as ours");
}

#[test]
fn a_shared_copy_is_one_in_our_folder_whatever_its_path_begins_with() {
    let home = home();
    let folder = foreign(&home, "notes/own/pdf");
    fs::create_dir_all(home.data().join("linked")).unwrap();
    let around = home.data().join("linked/../../../../notes/own/pdf");
    let row = row(&home, "placements", |row| {
        row["folder"] = around.to_str().unwrap().into();
        row["tools"] = Value::Array(Vec::new());
        row["found"] = serde_json::to_value(Found::at(&folder).unwrap().0).unwrap();
        row["change"] = "".into();
    });
    receipt(&home, "placement", &row);
    let (home, recovered) = home.reopen();
    assert_eq!(recovered, []);
    assert!(folder.join("SKILL.md").exists());
    // Nor does it when the ledger has it.
    home.vault
        .ledger()
        .execute(
            "INSERT INTO placements VALUES (?1, ?2)",
            [around.to_str().unwrap(), &row.to_string()],
        )
        .unwrap();
    let (_home, _) = home.reopen();
    assert!(folder.join("SKILL.md").exists());
}

#[test]
fn what_is_disabled_lies_in_a_folder_of_ours_or_is_not_put_back() {
    let home = home();
    let plan = |deed, folder: PathBuf| {
        let subject = Subject { folder, tools: vec!["a".to_owned()], user_owned: false };
        home.vault.plan_deed(deed, vec![subject], &home.scanned()).unwrap()
    };
    let batch = home
        .vault
        .plan_batch(vec![crate::batch::Part::Deed(plan(Deed::Disable, home.root("a").join("pdf")))])
        .unwrap();
    home.vault.apply_batch(&batch, &mut |_| ControlFlow::Continue(())).unwrap();
    let kept = foreign(&home, "notes/aside/keep/pdf");
    let json = row(&home, "aside", |row| {
        row["id"] = "keep".into();
        row["kept"] = kept.to_str().unwrap().into();
    });
    home.vault
        .ledger()
        .execute("INSERT INTO aside VALUES ('keep', ?1)", [json.to_string()])
        .unwrap();
    let plan = plan(Deed::Enable, kept.clone());
    assert_eq!(plan.items[0].action, crate::deed::DeedAction::Refuse);
    assert!(kept.join("SKILL.md").exists());
}

#[test]
fn a_link_in_the_place_of_the_receipts_takes_nothing_away_where_it_leads() {
    let home = home();
    let folder = foreign(&home, "notes/pdf");
    let notes = folder.parent().unwrap().to_owned();
    home.write(&notes, &[(&"a".repeat(64), "not a receipt")]);
    let receipts = home.data().join("receipts");
    fs::rename(&receipts, home.path("moved")).unwrap();
    std::os::unix::fs::symlink(&notes, &receipts).unwrap();
    let before = home.tree(&notes);
    let (home, _) = home.reopen();
    assert_eq!(home.tree(&notes), before, "nor is anything written there");
    // A change goes on without receipts.
    let change = home.vault.last_change().unwrap().unwrap();
    assert_eq!(results(&home.vault.undo(&change).unwrap()), [ItemResult::Undone]);
    assert_eq!(home.tree(&notes), before);
}

#[test]
fn files_among_the_receipts_that_are_none_stay_and_stop_nothing() {
    let home = home();
    let receipts = home.data().join("receipts");
    fs::write(receipts.join("notes.txt"), "mine").unwrap();
    let pipe = receipts.join("a".repeat(64));
    let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
    rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, mode, 0).unwrap();
    let (_home, recovered) = home.reopen();
    assert_eq!(recovered, []);
    assert_eq!(fs::read_to_string(receipts.join("notes.txt")).unwrap(), "mine");
}

#[test]
fn what_is_said_to_be_staged_is_removed_only_in_a_folder_of_ours() {
    let home = home();
    let folder = foreign(&home, "notes/own/pdf");
    let lock = home.vault.lock_changes().unwrap();
    drop(lock);
    let mut pending = crate::journal::Pending::of(
        &crate::change::ChangeHead::new("pdf".to_owned()),
        0,
        crate::change::About::of(
            crate::change::Act::Place,
            &home.vault.placements().unwrap().remove(0),
        ),
        &home.root("a").join("new"),
        &home.data(),
    );
    pending.incoming = Some(crate::journal::Incoming {
        path: folder.clone(),
        staging: folder.parent().map(Path::to_owned),
        trash: None,
        aside: None,
        found: None,
    });
    pending.write(&home.vault.ledger(), crate::journal::Phase::Staging).unwrap();
    let (_home, recovered) = home.reopen();
    assert!(matches!(recovered[..], [Recovered::Waiting { .. }]), "{recovered:?}");
    assert!(folder.join("SKILL.md").exists());
}

#[test]
fn verified_bytes_are_removed_only_in_a_folder_of_ours() {
    let home = home();
    let server = home.vault.servers().unwrap().remove(0);
    let folder = foreign(&home, "notes/pdf");
    let notes = folder.parent().unwrap();
    let blobs = home.data().join("blobs");
    let own = fs::read_dir(&blobs).unwrap().next().unwrap().unwrap().path();
    fs::rename(&own, home.path("moved")).unwrap();
    std::os::unix::fs::symlink(notes, &own).unwrap();
    home.vault.blobs().keep_only(&server.id, &std::collections::HashSet::new()).unwrap();
    assert!(notes.join("diary.txt").exists());
    home.vault.blobs().forget(&server.id).unwrap();
    assert!(notes.join("diary.txt").exists());
}
