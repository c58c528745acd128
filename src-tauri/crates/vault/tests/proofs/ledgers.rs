//! Records of earlier versions, and records that are damaged.

use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use rusqlite::Connection;
use skills::origin::ServerId;
use vault::approval::Standing;
use vault::batch::Part;
use vault::change::ItemResult;
use vault::deed::{Deed, Subject};
use vault::drift::Drift;
use vault::plan::OnConflict;
use vault::settings::Theme;
use vault::{Rebuilt, Recovered};

use crate::support::{Home, PDF, State, URI, entry, scratch, tree, write};

/// A version, its record, and how many rows each of its tables has.
type Earlier = (i64, &'static str, &'static [(&'static str, i64)]);

const EARLIER: &[Earlier] = &[
    (
        1,
        include_str!("ledgers/1.sql"),
        &[
            ("servers", 1),
            ("offers", 1),
            ("approvals", 2),
            ("rejections", 1),
            ("placements", 1),
            ("changes", 3),
            ("change_items", 3),
            ("trash", 2),
            ("journal", 1),
            ("activity", 7),
            ("settings", 1),
        ],
    ),
    (
        2,
        include_str!("ledgers/2.sql"),
        &[
            ("servers", 1),
            ("server_values", 2),
            ("offers", 1),
            ("approvals", 2),
            ("rejections", 1),
            ("placements", 1),
            ("changes", 4),
            ("change_items", 4),
            ("trash", 3),
            ("journal", 1),
            ("activity", 8),
            ("settings", 1),
        ],
    ),
];

const NEWEST: i64 = 3;
const SERVER: &str = "00000000-0000-4000-8000-000000000001";
const DOC: &str = "---\nname: doc\ndescription: Reads documents\n---\nRead it.\n";
const QUOTED: &str = "---\nname: PDF\ndescription: \"Reads: files\"\n---\nRead it.\n";
const WRONG: &str = "---\nname: PDF\ndescription: Reads: files\n---\nRead it.\n";

/// A home as an earlier version left it, with a change that was interrupted after its swap.
fn earlier(dir: &Path, sql: &str) -> PathBuf {
    let home = dir.canonicalize().unwrap();
    write(&home.join(".a/skills/pdf"), &[("SKILL.md", PDF), ("b/c.txt", "c\n")]);
    write(&home.join(".b/skills/doc"), &[("SKILL.md", DOC)]);
    write(&home.join(".b/skills/docs"), &[("SKILL.md", QUOTED)]);
    let data = home.join(".local/share/skillhold");
    let trash =
        |number: &str| data.join("trash").join(format!("000000000000000000000000000000{number}"));
    write(&trash("a6").join("pdf"), &[("SKILL.md", "mine\n"), ("notes.txt", "mine too\n")]);
    write(&trash("a7").join("pdf"), &[("SKILL.md", PDF), ("b/c.txt", "c\n")]);
    if sql.contains("user_version = 2") {
        write(&trash("a8").join("documents"), &[("SKILL.md", WRONG)]);
    }
    let ledger = Connection::open(data.join("ledger.sqlite")).unwrap();
    ledger.execute_batch(&sql.replace("@HOME@", home.to_str().unwrap())).unwrap();
    data
}

fn number(ledger: &Connection, sql: &str) -> i64 {
    ledger.query_row(sql, [], |row| row.get(0)).unwrap()
}

#[test]
fn a_record_of_each_earlier_version_is_brought_up_to_date_with_its_rows() {
    for &(version, sql, tables) in EARLIER {
        let dir = scratch();
        let data = earlier(dir.path(), sql);
        let (home, recovered) = Home::open(dir.path());
        let folder = home.skill("b", "doc");
        assert_eq!(recovered, [Recovered::Finished { name: "doc".to_owned(), folder }]);
        let ledger = Connection::open(data.join("ledger.sqlite")).unwrap();
        assert_eq!(number(&ledger, "PRAGMA user_version"), NEWEST);
        let backup =
            Connection::open(data.join(format!("ledger.before-{}-1", version + 1))).unwrap();
        assert_eq!(number(&backup, "PRAGMA user_version"), version);
        for (table, rows) in tables {
            assert_eq!(number(&backup, &format!("SELECT count(*) FROM {table}")), *rows, "{table}");
        }

        let vault = &home.vault;
        let server = vault.server(&ServerId(SERVER.to_owned())).unwrap();
        assert_eq!((server.label.as_str(), server.enabled), ("docs", true));
        let values = vault.server_values(&server.id).unwrap();
        assert_eq!(values.token, version >= 2);
        assert!(vault.last_offers(&server.id).unwrap().is_some());
        let standing = |uri: &str, files: &[(&str, &str)]| {
            vault.standing(&server, &entry(uri, files)).unwrap()
        };
        let Standing::Approved(approval) = standing(URI, &[("SKILL.md", PDF), ("b/c.txt", "c\n")])
        else {
            panic!("the approval is lost");
        };
        assert!(approval.granted);
        let csv = "---\nname: csv\ndescription: Reads CSV files\n---\nNo.\n";
        let rejected = standing("skill://csv/SKILL.md", &[("SKILL.md", csv)]);
        assert!(matches!(rejected, Standing::Rejected { .. }), "{rejected:?}");
        assert_eq!(vault.settings().unwrap().theme, Theme::Dark);
        let placements = vault.placements().unwrap();
        let drift: Vec<_> = placements
            .iter()
            .map(|placement| (placement.folder.clone(), Drift::on_disk(placement)))
            .collect();
        let in_sync = |tool, name| (home.skill(tool, name), Drift::InSync);
        assert_eq!(drift, [in_sync("a", "pdf"), in_sync("b", "doc")]);
        assert_eq!(vault.trash().unwrap().len() as i64, version + 1);
        assert_eq!(home.problems(), [] as [String; 0]);

        // What was done then can be undone now.
        let change = |number: &str| format!("000000000000000000000000000000{number}");
        let undone = vault.undo(&change("a2")).unwrap();
        assert_eq!(undone.items[0].result, ItemResult::Undone, "{undone:?}");
        let main = |folder: PathBuf| fs::read_to_string(folder.join("SKILL.md")).unwrap();
        assert_eq!(main(home.skill("a", "pdf")), "mine\n");
        assert!(vault.undo(&change("a3")).is_err(), "it was undone before");
        if version >= 2 {
            let undone = vault.undo(&change("a5")).unwrap();
            assert_eq!(undone.items[0].result, ItemResult::Undone, "{undone:?}");
            assert_eq!(main(home.skill("b", "documents")), WRONG);
        }
        assert_eq!(home.problems(), [] as [String; 0]);
        drop(home);
        let (home, recovered) = Home::open(dir.path());
        assert_eq!(recovered, []);
        assert!(!data.join("ledger.before-4-1").exists());
        assert_eq!(home.problems(), [] as [String; 0]);
    }
}

/// A home with two placements, one of them edited since, two in the trash, one disabled.
fn used(dir: &Path) -> (Home, State) {
    let home = Home::new(dir);
    write(&home.skill("a", "pdf"), &[("SKILL.md", "mine"), ("notes.txt", "mine too")]);
    let source = home.approved(URI, &[("SKILL.md", PDF), ("a.txt", "a")]);
    home.place(source, &["a", "b", "c"], OnConflict::Replace);
    fs::write(home.skill("b", "pdf").join("a.txt"), "edited").unwrap();
    deed(&home, Deed::Disable, home.skill("c", "pdf"));
    write(&home.skill("c", "pdf"), &[("SKILL.md", "another")]);
    deed(&home, Deed::Adopt, home.skill("c", "pdf"));
    deed(&home, Deed::Remove, home.skill("c", "pdf"));
    let state = home.state();
    assert_eq!((state.placed.len(), state.trash.len(), state.aside.len()), (2, 2, 1));
    (home, state)
}

fn deed(home: &Home, deed: Deed, folder: PathBuf) {
    let subject = Subject { folder, tools: vec!["c".to_owned()], user_owned: false };
    let plan = home.vault.plan_deed(deed, vec![subject], &home.scanned()).unwrap();
    let batch = home.vault.plan_batch(vec![Part::Deed(plan)]).unwrap();
    let change = home.vault.apply_batch(&batch, &mut |_| ControlFlow::Continue(())).unwrap();
    assert!(change.items[0].error.is_none(), "{change:?}");
}

/// A way to damage the file of a record.
type Damage = fn(&Path);

const DAMAGES: &[(&str, Damage)] = &[
    ("no database", |ledger| fs::write(ledger, "no database at all ".repeat(500)).unwrap()),
    ("header", |ledger| overwrite(ledger, 0, &[0; 100])),
    ("first page", |ledger| overwrite(ledger, 100, &[0xff; 3000])),
    ("a page in the middle", |ledger| {
        let pages = fs::metadata(ledger).unwrap().len() / 4096;
        overwrite(ledger, pages / 2 * 4096, &[0xff; 4096]);
    }),
    ("cut", |ledger| {
        let file = fs::File::options().write(true).open(ledger).unwrap();
        file.set_len(fs::metadata(ledger).unwrap().len() / 2).unwrap();
    }),
    ("empty", |ledger| fs::write(ledger, "").unwrap()),
    ("gone", |ledger| fs::remove_file(ledger).unwrap()),
];

fn overwrite(path: &Path, at: u64, bytes: &[u8]) {
    use std::os::unix::fs::FileExt;
    fs::File::options().write(true).open(path).unwrap().write_all_at(bytes, at).unwrap();
}

#[test]
fn after_a_damaged_record_what_is_whose_is_known_again_and_the_rest_is_said_to_be_lost() {
    for (name, damage) in DAMAGES {
        let dir = scratch();
        let (home, state) = used(dir.path());
        let data = home.data();
        drop(home);
        let ledger = data.join("ledger.sqlite");
        damage(&ledger);
        let damaged = fs::read(&ledger).unwrap_or_default();
        let (home, recovered) = Home::open(dir.path());
        let aside = Some(data.join("ledger.damaged-1")).filter(|_| !damaged.is_empty());
        let rebuilt = Rebuilt { placements: 2, trash: 2, aside: 1 };
        assert_eq!(recovered, [Recovered::LedgerLost { aside: aside.clone(), rebuilt }], "{name}");
        if let Some(aside) = aside {
            assert_eq!(fs::read(aside).unwrap(), damaged, "{name}");
        }
        assert_eq!(home.state(), state, "{name}");
        assert_eq!(home.problems(), [] as [String; 0], "{name}");
        assert!(home.vault.servers().unwrap().is_empty(), "{name}");
        let (kind, text) = home.told();
        assert_eq!(kind, "Recovered", "{name}");
        assert!(
            text.ends_with(
                "a new one was begun: 2 installed skills, 2 in the trash and 1 disabled are known again; \
                 servers, approvals, settings and what could be undone are lost"
            ),
            "{name}: {text}"
        );
        // What is known can be worked with: the disabled one comes back, and the edited one stays.
        deed(&home, Deed::Enable, home.skill("c", "pdf"));
        assert!(home.skill("c", "pdf").join("a.txt").is_file(), "{name}");
        deed(&home, Deed::Remove, home.skill("a", "pdf"));
        assert_eq!(tree(&home.root("a")).len(), 0, "{name}");
        assert_eq!(home.vault.placements().unwrap().len(), 2, "{name}");
        assert_eq!(home.problems(), [] as [String; 0], "{name}");
        drop(home);
        assert_eq!(Home::open(dir.path()).1, [], "{name}: it is told once");
    }
}

#[test]
fn what_is_not_as_a_receipt_says_is_not_taken_for_ours() {
    let dir = scratch();
    let (home, _) = used(dir.path());
    let data = home.data();
    // Somebody puts another skill there while the record is lost.
    let folder = home.skill("a", "pdf");
    drop(home);
    fs::remove_file(data.join("ledger.sqlite")).unwrap();
    fs::rename(&folder, folder.with_file_name("kept")).unwrap();
    write(&folder, &[("SKILL.md", "somebody else's")]);
    for receipt in fs::read_dir(data.join("receipts")).unwrap() {
        // A torn receipt counts for nothing.
        let path = receipt.unwrap().path();
        let text = fs::read_to_string(&path).unwrap();
        if text.starts_with("aside") {
            fs::write(&path, &text[..text.len() / 2]).unwrap();
        }
    }
    fs::write(data.join("receipts/notes.txt"), "no receipt").unwrap();
    let (home, recovered) = Home::open(dir.path());
    let rebuilt = Rebuilt { placements: 1, trash: 2, aside: 0 };
    assert_eq!(recovered, [Recovered::LedgerLost { aside: None, rebuilt }]);
    let placements = home.vault.placements().unwrap();
    assert_eq!(placements.len(), 1);
    assert_eq!(placements[0].folder, home.skill("b", "pdf"));
    assert_eq!(fs::read_to_string(folder.join("SKILL.md")).unwrap(), "somebody else's");
    // What no receipt tells of any more stays where it is.
    assert_eq!(fs::read_dir(data.join("aside")).unwrap().count(), 1);
}

#[test]
fn a_row_that_cannot_be_read_is_known_again_by_its_receipt() {
    let dir = scratch();
    let (home, state) = used(dir.path());
    let data = home.data();
    drop(home);
    let ledger = Connection::open(data.join("ledger.sqlite")).unwrap();
    ledger.execute("UPDATE placements SET json = '{' WHERE folder LIKE '%/.a/%'", []).unwrap();
    ledger.execute("UPDATE trash SET json = substr(json, 2)", []).unwrap();
    drop(ledger);
    let (home, recovered) = Home::open(dir.path());
    let rebuilt = Rebuilt { placements: 1, trash: 2, aside: 0 };
    assert_eq!(recovered, [Recovered::Rebuilt(rebuilt)]);
    assert_eq!(home.state(), state);
    assert_eq!(home.vault.servers().unwrap().len(), 1);
}

#[test]
fn a_record_without_receipts_gets_them_at_the_next_start() {
    let dir = scratch();
    let (home, state) = used(dir.path());
    let data = home.data();
    drop(home);
    fs::remove_dir_all(data.join("receipts")).unwrap();
    let (home, recovered) = Home::open(dir.path());
    assert_eq!(recovered, []);
    assert_eq!(home.state(), state);
    assert_eq!(home.problems(), [] as [String; 0]);
}

/// What SQLite writes before it is in the file itself is cut anywhere, as by a disk that lost its
/// last writes: whatever the record has lost, nothing of the person's is.
#[test]
fn a_record_that_lost_its_last_steps_loses_no_skill() {
    const FRAME: usize = 24 + 4096;
    for frame in (0..).step_by(2) {
        let dir = scratch();
        let (home, state) = used(dir.path());
        let ledger = home.data().join("ledger.sqlite");
        let log = home.data().join("ledger.sqlite-wal");
        let (ledger_then, log_then) = (fs::read(&ledger).unwrap(), fs::read(&log).unwrap());
        drop(home);
        let cut = 32 + frame * FRAME + FRAME / 2;
        if cut > log_then.len() {
            assert!(frame > 60, "{frame}");
            break;
        }
        fs::write(&ledger, &ledger_then).unwrap();
        fs::write(&log, &log_then[..cut]).unwrap();
        let (home, recovered) = Home::open(dir.path());
        let now = home.state();
        let what = format!("cut at {cut} of {}: {recovered:?}", log_then.len());
        assert_eq!(now.tools, state.tools, "{what}");
        for placed in &state.placed {
            assert!(now.placed.contains(placed), "{what}: {placed:?} is not known");
        }
        assert_eq!(now.trash, state.trash, "{what}");
        assert_eq!(now.aside, state.aside, "{what}");
        assert_eq!(home.problems(), [] as [String; 0], "{what}");
    }
}
