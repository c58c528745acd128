//! What a saved server carries, and what makes it another one.

use skills::origin::{Endpoint, ServerId};

use super::*;
use crate::activity::ActivityKind;
use crate::approval::Standing;
use crate::servers::ServerValues;
use crate::{ErrorKind, VaultError};

const PDF_URI: &str = "skill://pdf/SKILL.md";

fn values() -> ServerValues {
    ServerValues {
        token: true,
        headers: vec!["X-Team".to_owned(), "X-Api-Key".to_owned()],
        variables: vec!["ZONE".to_owned()],
    }
}

fn http(url: &str) -> Endpoint {
    Endpoint::Http { url: url.to_owned() }
}

#[test]
fn names_of_values_survive_a_restart_in_their_order_and_go_with_the_server() {
    let home = Home::new();
    let server = home.server();
    assert_eq!(home.vault.server_values(&server.id).unwrap(), ServerValues::default());
    home.vault.set_server_values(&server.id, &values()).unwrap();
    let (home, _) = home.reopen();
    assert_eq!(home.vault.server_values(&server.id).unwrap(), values());
    let fewer = ServerValues { headers: vec!["X-Api-Key".to_owned()], ..ServerValues::default() };
    home.vault.set_server_values(&server.id, &fewer).unwrap();
    assert_eq!(home.vault.server_values(&server.id).unwrap(), fewer);
    home.vault.remove_server(&server.id).unwrap();
    let left: i64 = home
        .vault
        .ledger()
        .query_row("SELECT count(*) FROM server_values", [], |row| row.get(0))
        .unwrap();
    assert_eq!(left, 0);
}

#[test]
fn a_sign_in_stays_with_its_address_whatever_else_is_given() {
    let home = Home::new();
    let server = home.server();
    assert!(!home.vault.is_signed_in(&server.id).unwrap());
    home.vault.set_signed_in(&server.id, true).unwrap();
    home.vault.set_server_values(&server.id, &values()).unwrap();
    let (home, _) = home.reopen();
    assert!(home.vault.is_signed_in(&server.id).unwrap());
    assert_eq!(home.vault.server_values(&server.id).unwrap(), values());
    home.vault.set_server_endpoint(&server.id, http("https://other.example/mcp")).unwrap();
    assert!(!home.vault.is_signed_in(&server.id).unwrap());
    home.vault.set_signed_in(&server.id, true).unwrap();
    home.vault.set_signed_in(&server.id, false).unwrap();
    assert!(!home.vault.is_signed_in(&server.id).unwrap());
    assert_eq!(home.vault.server_values(&server.id).unwrap(), values());
}

#[test]
fn values_belong_to_a_server_that_is_there() {
    let home = Home::new();
    let nobody = ServerId("nobody".to_owned());
    let error = home.vault.set_server_values(&nobody, &values()).unwrap_err();
    assert!(matches!(error, VaultError::Gone { what: "server", .. }), "{error}");
    assert_eq!(home.vault.server_values(&nobody).unwrap(), ServerValues::default());
}

#[test]
fn other_headers_and_variables_leave_approvals_as_they_are() {
    let home = Home::new();
    let server = home.server();
    home.approved(&server, PDF_URI, &[("SKILL.md", PDF)], false);
    home.vault.set_server_values(&server.id, &values()).unwrap();
    assert_eq!(home.vault.approvals_of(&server).unwrap().len(), 1);
}

#[test]
fn another_address_inherits_no_approval_and_no_list() {
    let home = Home::new();
    let server = home.server();
    let entry = home.offered(&server, PDF_URI, &[("SKILL.md", PDF)]);
    home.vault.approve(&server, &entry, false, Vec::new()).unwrap();
    home.vault.remember_offers(&server.id, &serde_json::json!([])).unwrap();
    let moved =
        home.vault.set_server_endpoint(&server.id, http("http://127.0.0.1:9000/mcp")).unwrap();
    assert_eq!((moved.id.clone(), moved.label.as_str()), (server.id.clone(), "docs"));
    assert!(home.vault.approvals_of(&moved).unwrap().is_empty());
    assert_eq!(home.vault.standing(&moved, &entry).unwrap(), Standing::Unreviewed);
    assert!(home.vault.last_offers(&server.id).unwrap().is_none());
    assert_eq!(home.vault.servers().unwrap(), [moved]);
    let row = home.vault.activity(1).unwrap().remove(0);
    assert_eq!(
        (row.kind, row.text.as_str()),
        (ActivityKind::ServerChanged, "http://127.0.0.1:9000/mcp")
    );
}

#[test]
fn the_same_address_again_changes_nothing() {
    let home = Home::new();
    let server = home.server();
    home.approved(&server, PDF_URI, &[("SKILL.md", PDF)], false);
    let same = home.vault.set_server_endpoint(&server.id, server.endpoint.clone()).unwrap();
    assert_eq!(same, server);
    assert_eq!(home.vault.activity(1).unwrap()[0].kind, ActivityKind::Approved);
}

#[test]
fn the_samples_keep_their_place() {
    let home = Home::new();
    let samples = home.vault.add_server("Samples", Endpoint::Samples).unwrap();
    let error = home.vault.set_server_endpoint(&samples.id, http("http://x")).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::BadInput);
    let server = home.server();
    assert!(home.vault.set_server_endpoint(&server.id, Endpoint::Samples).is_err());
}
