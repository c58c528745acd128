//! Copies that nobody approved: whole, undoable, and never where a tool looks.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use skills::digest::Digest;
use skills::manifest::{Manifest, ManifestFile};
use skills::origin::ServerId;
use skills::paths::Paths;

use crate::change::ItemResult;
use crate::link::Mode;
use crate::placement::Origin;
use crate::plan::{Action, OnConflict, Plan, Source, Target, TargetStanding};
use crate::vault::Vault;

fn source(files: &[(&str, &[u8])]) -> Source {
    let contents: BTreeMap<String, Vec<u8>> =
        files.iter().map(|(path, bytes)| ((*path).to_owned(), bytes.to_vec())).collect();
    let listed = contents.iter().map(|(path, bytes)| ManifestFile {
        path: path.clone(),
        size: bytes.len() as u64,
        digest: Digest::of(bytes),
    });
    Source::Unapproved {
        origin: Origin::Server {
            server: ServerId(String::new()),
            label: "example.org".to_owned(),
            address: "https://example.org/mcp".to_owned(),
            uri: "skill://pdf/SKILL.md".to_owned(),
        },
        name: "pdf".to_owned(),
        files: Manifest::new(listed.collect()).unwrap(),
        contents,
    }
}

fn pdf() -> Source {
    source(&[("SKILL.md", b"---\nname: pdf\n---\n"), ("a/b.sh", b"echo\n")])
}

fn plan(vault: &Vault, home: &Path, source: Source, root: &str, conflict: OnConflict) -> Plan {
    let target = Target {
        tool: String::new(),
        root: home.join(root),
        name: None,
        on_conflict: conflict,
        mode: Mode::Copy,
    };
    vault.plan(source, vec![target], &[home.join(".claude/skills")]).unwrap()
}

fn opened(home: &Path) -> Vault {
    fs::create_dir_all(home.join(".claude/skills")).unwrap();
    Vault::open(&Paths::under(home)).unwrap().0
}

fn apply(vault: &Vault, plan: &Plan) -> ItemResult {
    let mut go_on = |_| std::ops::ControlFlow::Continue(());
    vault.apply(plan, &mut go_on).unwrap().items[0].result
}

#[test]
fn a_copy_is_written_whole_and_can_be_taken_back() {
    let home = tempfile::tempdir().unwrap();
    let vault = opened(home.path());
    let plan = plan(&vault, home.path(), pdf(), "out/here", OnConflict::Keep);
    assert_eq!(plan.blockers, Vec::<String>::new());
    assert_eq!(plan.items[0].action, Action::Write);
    assert_eq!(apply(&vault, &plan), ItemResult::Written);
    let folder = home.path().join("out/here/pdf");
    assert_eq!(fs::read(folder.join("a/b.sh")).unwrap(), b"echo\n");
    vault.undo(&vault.last_change().unwrap().unwrap()).unwrap();
    assert!(!folder.exists());
}

#[test]
fn a_folder_that_a_tool_scans_or_that_has_one_inside_is_refused_by_real_path() {
    let home = tempfile::tempdir().unwrap();
    let vault = opened(home.path());
    let roots = [".claude/skills", ".claude/skills/deeper", ".claude", "."];
    #[cfg(unix)]
    let roots = {
        std::os::unix::fs::symlink(home.path().join(".claude/skills"), home.path().join("link"))
            .unwrap();
        roots.into_iter().chain(["link", "link/deeper"])
    };
    for root in roots {
        let plan = plan(&vault, home.path(), pdf(), root, OnConflict::Replace);
        assert_eq!(plan.items[0].standing, TargetStanding::Blocked, "{root}");
        assert_eq!(plan.items[0].action, Action::Refuse, "{root}");
        assert_eq!(apply(&vault, &plan), ItemResult::Failed);
    }
    assert!(fs::read_dir(home.path().join(".claude/skills")).unwrap().next().is_none());
    // The program's own folder is no place either.
    let own = plan(&vault, home.path(), pdf(), ".local/share/skillhold/x", OnConflict::Keep);
    assert_eq!(own.items[0].action, Action::Refuse);
}

#[test]
fn what_is_there_is_kept_unless_it_is_to_be_replaced_and_then_comes_back_by_undo() {
    let home = tempfile::tempdir().unwrap();
    let vault = opened(home.path());
    let there = home.path().join("out/pdf");
    fs::create_dir_all(&there).unwrap();
    fs::write(there.join("mine.txt"), "mine").unwrap();
    fs::write(there.join("SKILL.md"), "mine").unwrap();
    let kept = plan(&vault, home.path(), pdf(), "out", OnConflict::Keep);
    assert_eq!(kept.items[0].action, Action::Keep);
    let replaced = plan(&vault, home.path(), pdf(), "out", OnConflict::Replace);
    assert_eq!(apply(&vault, &replaced), ItemResult::Replaced);
    assert!(!there.join("mine.txt").exists());
    vault.undo(&vault.last_change().unwrap().unwrap()).unwrap();
    assert_eq!(fs::read(there.join("mine.txt")).unwrap(), b"mine");
}

#[test]
fn bytes_that_are_not_those_of_the_plan_are_not_written() {
    let home = tempfile::tempdir().unwrap();
    let vault = opened(home.path());
    let Source::Unapproved { origin, name, files, mut contents } = pdf() else { panic!() };
    contents.insert("a/b.sh".to_owned(), b"evil\n".to_vec());
    let other = Source::Unapproved { origin, name, files, contents };
    let plan = plan(&vault, home.path(), other, "out", OnConflict::Keep);
    assert_eq!(plan.blockers, ["the bytes are not those of the plan"]);
    assert!(vault.apply(&plan, &mut |_| std::ops::ControlFlow::Continue(())).is_err());
    // A plan that was stored has no bytes any more.
    let stored = serde_json::to_string(&pdf()).unwrap();
    let Source::Unapproved { contents, .. } = serde_json::from_str(&stored).unwrap() else {
        panic!()
    };
    assert!(contents.is_empty());
}

#[test]
fn names_that_not_every_system_can_write_are_a_blocker() {
    let home = tempfile::tempdir().unwrap();
    let vault = opened(home.path());
    for path in ["con", "../x", "a/../../x", "x:y"] {
        let source = source(&[("SKILL.md", b"x"), (path, b"x")]);
        let plan = plan(&vault, home.path(), source, "out", OnConflict::Keep);
        assert_eq!(plan.blockers.len(), 1, "{path}");
    }
}

#[test]
fn room_is_made_of_what_belongs_to_no_approval() {
    let home = super::Home::new();
    let server = home.server();
    let approved = home.offered(&server, "skill://pdf/SKILL.md", &[("SKILL.md", super::PDF)]);
    home.vault.approve(&server, &approved, false, Vec::new()).unwrap();
    let looked_at = super::entry("skill://b/SKILL.md", &[("SKILL.md", "other bytes")]);
    skills::blobs::Blobs::put(&home.vault, &server.id, b"other bytes").unwrap();
    assert_eq!(home.vault.make_room(&server.id).unwrap(), 11);
    let kept = |entry: &skills::entry::Entry| {
        let digest = entry.files()[0].digest;
        skills::blobs::Blobs::get(&home.vault, &server.id, &digest).unwrap().is_some()
    };
    assert!(kept(&approved) && !kept(&looked_at));
    assert!(matches!(
        home.vault.standing(&server, &approved).unwrap(),
        crate::approval::Standing::Approved(_)
    ));
}
