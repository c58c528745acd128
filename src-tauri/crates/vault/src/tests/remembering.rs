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
    let aside = home.data().join("ledger.damaged-1");
    assert_eq!(
        recovered,
        [Recovered::LedgerLost { aside: Some(aside), rebuilt: Default::default() }]
    );
    assert!(home.vault.servers().unwrap().is_empty());
    assert_eq!(home.tree(&home.root("a")), tree(&[("pdf/", ""), ("pdf/SKILL.md", PDF)]));
}

#[test]
fn choices_are_remembered_and_what_cannot_be_read_is_as_nothing_chosen() {
    use skills::library::{Choices, ToolChoice};

    let home = Home::new();
    assert_eq!(home.vault.choices().unwrap(), Choices::default());
    let mut choices = Choices::default();
    choices.folders.push(home.path("work"));
    let own = ToolChoice { on: Some(false), roots: Some(vec![home.path("mine")]) };
    choices.tools.insert("claude-code".to_owned(), own);
    home.vault.set_choices(&choices).unwrap();
    let (home, _) = home.reopen();
    assert_eq!(home.vault.choices().unwrap(), choices);
    home.vault
        .ledger()
        .execute("UPDATE settings SET value = '{' WHERE key = 'choices'", [])
        .unwrap();
    assert_eq!(home.vault.choices().unwrap(), Choices::default());
}

#[test]
fn a_damaged_row_hides_no_others_and_is_told_at_the_start() {
    let home = Home::new();
    let server = home.server();
    let files = [("SKILL.md", PDF)];
    let source = home.approved(&server, "skill://pdf/SKILL.md", &files, false);
    let targets = ["a", "b"].map(|tool| target(&home, tool, OnConflict::Replace));
    let plan = home.plan(source, targets.to_vec());
    let change = home.apply(&plan);
    let other = home.vault.add_server("other", server.endpoint.clone()).unwrap();
    let damaged = home.root("a").join("pdf");
    {
        let ledger = home.vault.ledger();
        let damage = |statement: &str, id: &str| {
            assert_eq!(ledger.execute(statement, [id]).unwrap(), 1, "{statement}");
        };
        damage("UPDATE placements SET json = '{' WHERE folder = ?1", damaged.to_str().unwrap());
        damage("UPDATE servers SET endpoint = '{' WHERE id = ?1", &other.id.0);
        damage("UPDATE activity SET json = '[]' WHERE change = ?1", &change.id);
    }
    // Else the placement would be known again from there.
    fs::remove_dir_all(home.data().join("receipts")).unwrap();
    let told = home.vault.activity(10).unwrap().len();
    let (home, recovered) = home.reopen();
    assert_eq!(recovered, [Recovered::RowsLeftOut { servers: 1, placements: 1 }]);
    assert_eq!(
        recovered[0].to_string(),
        "the record is damaged in part: 1 of the servers and 1 of the installed skills cannot be read and are not shown"
    );
    assert_eq!(home.vault.servers().unwrap(), [server]);
    let placements = home.vault.placements().unwrap();
    assert_eq!((placements.len(), &placements[0].folder), (1, &home.root("b").join("pdf")));
    assert_eq!(told, 3, "both servers and the approval");
    assert!(home.vault.placement(&damaged).is_err(), "what is not known to be ours is not changed");
}

#[test]
fn a_change_of_the_version_before_fixes_is_still_undone() {
    let home = Home::new();
    let server = home.server();
    let source = home.approved(&server, "skill://pdf/SKILL.md", &[("SKILL.md", PDF)], false);
    let change = home.apply(&home.plan(source, vec![target(&home, "a", OnConflict::Keep)]));
    {
        let ledger = home.vault.ledger();
        for statement in [
            "UPDATE change_items SET json = json_remove(json, '$.moved', '$.written')",
            "UPDATE changes SET json = json_remove(json, '$.fixed')",
        ] {
            assert_eq!(ledger.execute(statement, []).unwrap(), 1);
        }
    }
    let (home, _) = home.reopen();
    assert_eq!(results(&home.vault.undo(&change.id).unwrap()), [ItemResult::Undone]);
    assert!(home.tree(&home.root("a")).is_empty());
}

#[test]
fn an_interrupted_change_that_cannot_be_read_refuses_no_change_for_ever() {
    let home = Home::new();
    home.vault
        .ledger()
        .execute("INSERT INTO journal (step, json) VALUES ('swapping', '{')", [])
        .unwrap();
    let (home, recovered) = home.reopen();
    assert_eq!(recovered, [Recovered::StepsLost(1)]);
    assert_eq!(home.vault.activity(1).unwrap()[0].text, recovered[0].to_string());
    let server = home.server();
    let source = home.approved(&server, "skill://pdf/SKILL.md", &[("SKILL.md", PDF)], false);
    home.apply(&home.plan(source, vec![target(&home, "a", OnConflict::Keep)]));
    let (_, recovered) = home.reopen();
    assert_eq!(recovered, []);
}
