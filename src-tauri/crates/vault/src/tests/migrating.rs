//! A ledger of an earlier version is brought up to date with all that is in it.

use rusqlite::Connection;

use super::*;
use crate::drift::Drift;

/// What version 2 wrote of one install, of a fix that renamed, of its undo, and of an install that
/// was interrupted. `HOME` stands for the home.
const ROWS: &str = include_str!("migrating/2.sql");

/// A home with a ledger of version 2.
fn home_of_version_2() -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let real = dir.path().canonicalize().unwrap();
    let data = real.join(".local/share/skillhold");
    fs::create_dir_all(&data).unwrap();
    let ledger = Connection::open(data.join("ledger.sqlite")).unwrap();
    ledger.execute_batch(include_str!("../ledger/1.sql")).unwrap();
    ledger.execute_batch(include_str!("../ledger/2.sql")).unwrap();
    ledger.pragma_update(None, "user_version", 2).unwrap();
    ledger.execute_batch(&ROWS.replace("HOME", real.to_str().unwrap())).unwrap();
    let skill = real.join(".a/skills/pdf");
    fs::create_dir_all(&skill).unwrap();
    fs::write(skill.join("SKILL.md"), PDF).unwrap();
    let fixed = real.join(".b/skills/fixed");
    fs::create_dir_all(&fixed).unwrap();
    fs::write(fixed.join("SKILL.md"), PDF).unwrap();
    (dir, data)
}

#[test]
fn a_ledger_of_version_2_keeps_its_changes_and_they_can_be_undone() {
    let (dir, data) = home_of_version_2();
    let (vault, recovered) = Vault::open(&Paths::under(dir.path())).unwrap();
    let home = Home { dir, vault };
    let interrupted = home.root("a").join("docx");
    assert_eq!(
        recovered,
        [Recovered::TakenBack { name: "docx".to_owned(), folder: interrupted.clone() }]
    );
    assert!(data.join("ledger.before-3-1").exists(), "there is a backup");
    assert!(!interrupted.exists());
    let placements = home.vault.placements().unwrap();
    assert_eq!(placements.len(), 1);
    assert_eq!(Drift::on_disk(&placements[0]), Drift::InSync);
    assert_eq!(home.vault.last_change().unwrap().as_deref(), Some("change-2"));
    assert_eq!(home.vault.undo_problem("change-2").unwrap(), None);
    assert_eq!(results(&home.vault.undo("change-2").unwrap()), [ItemResult::Undone]);
    assert!(home.root("b").join("wrong").is_dir() && !home.root("b").join("fixed").exists());
    let undone = home.vault.undo("change-1").unwrap();
    assert_eq!((undone.name.as_str(), results(&undone)), ("pdf", vec![ItemResult::Undone]));
    assert_eq!(undone.items[0].name, "pdf");
    assert!(home.tree(&home.root("a")).is_empty());
    assert!(home.vault.placements().unwrap().is_empty());
    assert_eq!(home.vault.last_change().unwrap(), None);
    let told = &home.vault.activity(10).unwrap()[0];
    assert_eq!((told.subject.as_str(), told.text.as_str()), ("pdf", "in ~/.a/skills/pdf"));
    home.assert_tidy();
}

#[test]
fn a_change_that_cannot_be_read_is_left_out_and_stops_no_migration() {
    let (dir, data) = home_of_version_2();
    let ledger = Connection::open(data.join("ledger.sqlite")).unwrap();
    ledger.execute("UPDATE change_items SET json = '{' WHERE change = 'change-2'", []).unwrap();
    ledger.execute("UPDATE journal SET json = '{'", []).unwrap();
    drop(ledger);
    let (vault, _) = Vault::open(&Paths::under(dir.path())).unwrap();
    assert_eq!(vault.last_change().unwrap().as_deref(), Some("change-1"));
    let backup = Connection::open(data.join("ledger.before-3-1")).unwrap();
    let kept: i64 =
        backup.query_row("SELECT count(*) FROM change_items", [], |row| row.get(0)).unwrap();
    assert_eq!(kept, 2);
}
