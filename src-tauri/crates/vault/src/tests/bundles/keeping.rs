//! What becomes of imported files: they are a server's, and nobody changes them.

use super::*;
use crate::activity::ActivityKind;

fn zip() -> Zip {
    Zip::plain(&[("pdf/SKILL.md", PDF)])
}

fn content(imported: &Imported) -> skills::digest::Fingerprint {
    match &imported.server.endpoint {
        Endpoint::Imported { content, .. } => *content,
        other => panic!("{other:?}"),
    }
}

#[test]
fn an_import_is_a_server_with_its_content_as_identity() {
    let home = Home::new();
    let imported = home.import("team.zip", zip()).unwrap();
    assert!(!imported.already);
    assert_eq!(imported.server.label, "team");
    assert!(imported.server.enabled);
    assert_eq!(imported.server.endpoint.identity(), format!("imported {}", content(&imported)));
    assert_eq!(imported.server.endpoint.shown(), "imported from a file");
    assert_eq!(home.vault.servers().unwrap(), std::slice::from_ref(&imported.server));
    let activity = home.vault.activity(9).unwrap();
    assert_eq!(activity.len(), 1);
    assert_eq!(activity[0].kind, ActivityKind::Imported);
    assert_eq!((activity[0].subject.as_str(), activity[0].text.as_str()), ("team", "1 skill"));
    home.assert_tidy();
}

#[test]
fn the_same_content_twice_is_the_server_of_before_and_nothing_is_doubled() {
    let home = Home::new();
    let first = home.import("team.zip", zip()).unwrap();
    let before = home.tree(&home.data().join("imported"));
    let again = home.import("other name.skill", zip()).unwrap();
    assert!(again.already);
    assert_eq!(again.server, first.server);
    assert_eq!(home.tree(&home.data().join("imported")), before);
    assert_eq!(home.vault.activity(9).unwrap().len(), 1);
}

#[test]
fn newer_content_under_the_same_label_is_another_server_and_inherits_no_approval() {
    let home = Home::new();
    let first = home.import("team.zip", zip()).unwrap();
    let uri = "skill://pdf/SKILL.md";
    home.approved(&first.server, uri, &[("SKILL.md", PDF)], false);
    let newer = Zip::plain(&[("pdf/SKILL.md", PDF), ("pdf/more", "x")]);
    let second = home.import("team.zip", newer).unwrap();
    assert!(!second.already);
    assert_ne!(second.server.id, first.server.id);
    assert_ne!(second.server.endpoint.identity(), first.server.endpoint.identity());
    assert_eq!(home.vault.approvals_of(&first.server).unwrap().len(), 1);
    assert_eq!(home.vault.approvals_of(&second.server).unwrap(), []);
}

#[test]
fn removing_the_server_removes_what_was_imported_and_nothing_else() {
    let home = Home::new();
    let first = home.import("a.zip", zip()).unwrap();
    let second = home.import("b.zip", Zip::plain(&[("a/SKILL.md", &main_of("a"))])).unwrap();
    home.vault.remove_server(&first.server.id).unwrap();
    assert_eq!(
        home.vault.imported_skills(&content(&first)).unwrap_err(),
        "the imported files are no longer there"
    );
    assert!(home.vault.imported_skills(&content(&second)).is_ok());
    home.vault.remove_server(&second.server.id).unwrap();
    home.assert_nothing_imported();
}

#[test]
fn imported_files_that_somebody_changed_are_not_served_and_an_import_mends_them() {
    let home = Home::new();
    let imported = home.import("a.zip", zip()).unwrap();
    let folder = home.vault.imported_skills(&content(&imported)).unwrap();
    fs::write(folder.join("pdf/SKILL.md"), "other").unwrap();
    let changed = home.vault.imported_skills(&content(&imported)).unwrap_err();
    assert_eq!(changed, "the imported files were changed since");
    fs::write(folder.join("pdf/SKILL.md"), PDF).unwrap();
    fs::write(folder.join("pdf/more"), "x").unwrap();
    assert!(home.vault.imported_skills(&content(&imported)).is_err());
    fs::remove_file(folder.join("pdf/more")).unwrap();
    fs::write(folder.join("loose"), "x").unwrap();
    assert!(home.vault.imported_skills(&content(&imported)).is_err());
    let again = home.import("a.zip", zip()).unwrap();
    assert!(again.already);
    assert_eq!(home.vault.imported_skills(&content(&imported)).unwrap(), folder);
    assert_eq!(home.imported().len(), 1);
}

#[test]
fn files_whose_server_the_record_lost_come_in_again_once() {
    let home = Home::new();
    let first = home.import("a.zip", zip()).unwrap();
    home.vault.ledger().execute("DELETE FROM servers", []).unwrap();
    let again = home.import("a.zip", zip()).unwrap();
    assert!(!again.already);
    assert_ne!(again.server.id, first.server.id);
    assert_eq!(fs::read_dir(home.data().join("imported")).unwrap().count(), 1);
    assert!(home.vault.imported_skills(&content(&again)).is_ok());
}

#[test]
fn an_imported_server_keeps_its_endpoint() {
    let home = Home::new();
    let imported = home.import("a.zip", zip()).unwrap();
    let http = Endpoint::Http { url: "http://127.0.0.1:1/mcp".to_owned() };
    let server = home.server();
    for (id, endpoint) in
        [(&imported.server.id, http), (&server.id, imported.server.endpoint.clone())]
    {
        let error = home.vault.set_server_endpoint(id, endpoint).unwrap_err();
        assert_eq!(error.to_string(), "imported skills have no address");
    }
}

#[test]
fn what_an_interrupted_import_had_staged_goes_at_the_next_start() {
    let home = Home::new();
    let imported = home.import("a.zip", zip()).unwrap();
    let left = home.data().join("imported/.staging-1");
    home.write(&left, &[("skills/pdf/SKILL.md", "half")]);
    let (home, recovered) = home.reopen();
    assert_eq!(recovered, []);
    assert!(!left.exists());
    assert!(home.vault.imported_skills(&content(&imported)).is_ok());
}

#[test]
fn an_import_waits_for_no_other_change() {
    let home = Home::new();
    let path = home.file("a.zip", &zip().bytes());
    let lock = home.vault.lock_changes().unwrap();
    assert!(matches!(home.vault.import_file(&path, "a"), Err(VaultError::Busy)));
    drop(lock);
    home.assert_nothing_imported();
    assert!(home.vault.import_file(&path, "a").is_ok());
}

#[test]
fn an_import_that_cannot_be_written_leaves_everything_as_it_was() {
    let home = Home::new();
    let path = home.file("a.zip", &zip().bytes());
    fs::write(home.data().join("imported"), "in the way").unwrap();
    assert!(matches!(home.vault.import_file(&path, "a"), Err(VaultError::Disk { .. })));
    assert_eq!(home.vault.servers().unwrap(), []);
    assert_eq!(fs::read_to_string(home.data().join("imported")).unwrap(), "in the way");
}

#[test]
fn a_label_that_is_blank_imports_nothing() {
    let home = Home::new();
    let path = home.file("a.zip", &zip().bytes());
    let error = home.vault.import_file(&path, "  ").unwrap_err();
    assert_eq!(error.to_string(), "a server needs a label");
    home.assert_nothing_imported();
}
