//! Servers, settings, activity.

use skills::blobs::Blobs;
use skills::origin::{Endpoint, ServerId};

use super::*;
use crate::activity::ActivityKind;
use crate::settings::{Settings, Theme};
use crate::{ErrorKind, VaultError};

#[test]
fn servers_come_in_the_order_they_were_added_and_survive_a_restart() {
    let home = Home::new();
    let first = home.server();
    let command = Endpoint::Command {
        program: "srv".to_owned(),
        args: vec!["-x".to_owned(), "a b".to_owned()],
    };
    let second = home.vault.add_server("  local ", command.clone()).unwrap();
    assert_eq!(second.label, "local");
    home.vault.rename_server(&first.id, "manuals").unwrap();
    home.vault.set_server_enabled(&second.id, false).unwrap();
    let (home, _) = home.reopen();
    let servers = home.vault.servers().unwrap();
    let seen: Vec<_> =
        servers.iter().map(|server| (server.label.as_str(), server.enabled)).collect();
    assert_eq!(seen, [("manuals", true), ("local", false)]);
    assert_eq!(servers[0].id, first.id);
    assert_eq!(servers[1].endpoint, command);
}

#[test]
fn a_server_needs_a_label() {
    let home = Home::new();
    let error = home.vault.add_server(" \t", Endpoint::Samples).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::BadInput);
    assert!(home.vault.servers().unwrap().is_empty());
}

#[test]
fn a_server_that_is_not_there_is_named() {
    let home = Home::new();
    let id = ServerId("nobody".to_owned());
    for error in [
        home.vault.rename_server(&id, "x").unwrap_err(),
        home.vault.remove_server(&id).unwrap_err(),
        home.vault.set_server_enabled(&id, true).unwrap_err(),
    ] {
        assert!(matches!(error, VaultError::Gone { what: "server", .. }), "{error}");
    }
}

#[test]
fn removing_a_server_takes_its_approvals_offers_and_bytes_and_leaves_what_was_installed() {
    let home = Home::new();
    let server = home.server();
    let source = home.approved(&server, "skill://pdf/SKILL.md", &[("SKILL.md", PDF)], false);
    home.vault
        .remember_offers(&server.id, &serde_json::json!([{ "uri": "skill://pdf/SKILL.md" }]))
        .unwrap();
    assert_eq!(
        home.vault.last_offers(&server.id).unwrap().unwrap().json[0]["uri"],
        "skill://pdf/SKILL.md"
    );
    let plan = home.plan(source, vec![target(&home, "a", OnConflict::Keep)]);
    home.apply(&plan);
    home.vault.remove_server(&server.id).unwrap();
    assert!(home.vault.servers().unwrap().is_empty());
    assert!(home.vault.approvals_of(&server).unwrap().is_empty());
    assert!(home.vault.last_offers(&server.id).unwrap().is_none());
    assert_eq!(home.vault.get(&server.id, &Digest::of(PDF.as_bytes())).unwrap(), None);
    assert_eq!(home.tree(&home.root("a")), tree(&[("pdf/", ""), ("pdf/SKILL.md", PDF)]));
    let placements = home.vault.placements().unwrap();
    assert!(
        matches!(&placements[0].origin, crate::placement::Origin::Server { label, .. } if label == "docs")
    );
}

#[test]
fn settings_have_defaults_and_survive_a_restart() {
    let home = Home::new();
    let fresh =
        Settings { theme: Theme::System, samples: true, samples_changed: false, welcomed: false };
    assert_eq!(home.vault.settings().unwrap(), fresh);
    home.vault.set_theme(Theme::Dark).unwrap();
    home.vault.set_samples(false).unwrap();
    home.vault.set_samples_changed(true).unwrap();
    home.vault.set_welcomed(true).unwrap();
    let (home, _) = home.reopen();
    let set =
        Settings { theme: Theme::Dark, samples: false, samples_changed: true, welcomed: true };
    assert_eq!(home.vault.settings().unwrap(), set);
}

#[test]
fn activity_comes_newest_first_with_fingerprint_and_what_can_be_undone() {
    let home = Home::new();
    let server = home.server();
    let source = home.approved(&server, "skill://pdf/SKILL.md", &[("SKILL.md", PDF)], false);
    let plan = home.plan(
        source,
        vec![target(&home, "a", OnConflict::Keep), target(&home, "b", OnConflict::Keep)],
    );
    let change = home.apply(&plan);
    let rows = home.vault.activity(10).unwrap();
    let kinds: Vec<_> = rows.iter().map(|row| row.kind).collect();
    assert_eq!(kinds, [ActivityKind::Installed, ActivityKind::Approved, ActivityKind::ServerAdded]);
    assert_eq!(rows[0].subject, "pdf");
    assert_eq!(rows[0].text, "from docs into 2 folders");
    assert_eq!(rows[0].fingerprint, Some(plan.files.fingerprint()));
    assert_eq!(rows[0].folders, [home.root("a").join("pdf"), home.root("b").join("pdf")]);
    assert_eq!((rows[0].change.as_ref(), rows[0].undone), (Some(&change.id), false));
    assert_eq!(home.vault.last_change().unwrap(), Some(change.id.clone()));
    home.vault.undo(&change.id).unwrap();
    let rows = home.vault.activity(2).unwrap();
    assert_eq!(
        (rows[0].kind, rows[0].change.as_ref(), rows[0].undone),
        (ActivityKind::Undone, None, false)
    );
    assert_eq!(
        (rows[1].kind, rows[1].change.as_ref(), rows[1].undone),
        (ActivityKind::Installed, Some(&change.id), true)
    );
    assert_eq!(home.vault.last_change().unwrap(), None);
}

#[test]
fn a_damaged_ledger_is_reported_and_the_skills_stay() {
    let home = Home::new();
    home.write(&home.root("a").join("pdf"), &[("SKILL.md", PDF)]);
    let ledger = home.data().join("ledger.sqlite");
    let Home { dir, vault } = home;
    drop(vault);
    fs::write(&ledger, "this is no database at all, and long enough to have a header".repeat(100))
        .unwrap();
    let (vault, recovered) = Vault::open(&Paths::under(dir.path())).unwrap();
    let home = Home { dir, vault };
    assert_eq!(recovered, [Recovered::LedgerSetAside(home.data().join("ledger.damaged-1"))]);
    assert!(home.vault.servers().unwrap().is_empty());
    assert_eq!(home.tree(&home.root("a")), tree(&[("pdf/", ""), ("pdf/SKILL.md", PDF)]));
}
