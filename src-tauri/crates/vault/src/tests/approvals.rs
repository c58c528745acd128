//! What an approval is bound to, and how it ends.

use skills::origin::Endpoint;

use super::*;
use crate::ErrorKind;
use crate::activity::ActivityKind;
use crate::approval::Standing;

const URI: &str = "skill://pdf/SKILL.md";

fn is_approved(home: &Home, server: &SavedServer, entry: &Entry) -> bool {
    matches!(home.vault.standing(server, entry).unwrap(), Standing::Approved(_))
}

#[test]
fn an_approval_survives_a_restart_with_what_was_seen() {
    let home = Home::new();
    let server = home.server();
    let entry = home.offered(&server, URI, &[("SKILL.md", PDF), ("a.txt", "a")]);
    assert_eq!(home.vault.standing(&server, &entry).unwrap(), Standing::Unreviewed);
    let approval =
        home.vault.approve(&server, &entry, true, vec!["hidden-characters".to_owned()]).unwrap();
    home.vault.set_note(approval.id, Some("read twice")).unwrap();
    let (home, _) = home.reopen();
    let Standing::Approved(read) = home.vault.standing(&server, &entry).unwrap() else {
        panic!("not approved")
    };
    assert_eq!(read.note.as_deref(), Some("read twice"));
    assert_eq!(crate::approval::Approval { note: None, ..read.clone() }, approval);
    assert_eq!(read.files, entry.files());
    assert_eq!(home.vault.approvals_of(&server).unwrap(), [read]);
}

#[test]
fn only_what_was_fetched_whole_can_be_approved() {
    let home = Home::new();
    let server = home.server();
    home.offered(&server, URI, &[("SKILL.md", PDF)]);
    let entry = super::entry(URI, &[("SKILL.md", PDF), ("a.txt", "a"), ("b.txt", "b")]);
    let error = home.vault.approve(&server, &entry, false, Vec::new()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "pdf cannot be approved: a.txt, b.txt was not fetched and verified"
    );
    assert_eq!(home.vault.standing(&server, &entry).unwrap(), Standing::Unreviewed);
}

#[test]
fn front_matter_that_is_not_what_was_declared_cannot_be_approved() {
    let home = Home::new();
    let server = home.server();
    let served = home.offered(&server, URI, &[("SKILL.md", PDF)]);
    let declared = |description: &str| {
        let fields = serde_json::json!({ "name": "pdf", "description": description });
        let fields = fields.as_object().unwrap().clone();
        Entry::new(served.uri().clone(), Some(fields), None, served.files().to_vec()).unwrap()
    };
    let error = home.vault.approve(&server, &declared("Harmless"), false, Vec::new()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "pdf cannot be approved: its front matter is not what docs declared: description"
    );
    home.vault.approve(&server, &declared("Reads PDF files"), false, Vec::new()).unwrap();
}

#[test]
fn content_changed_between_approval_and_use_is_not_approved() {
    let home = Home::new();
    let server = home.server();
    let approved = home.offered(&server, URI, &[("SKILL.md", PDF), ("a.txt", "a")]);
    home.vault.approve(&server, &approved, false, Vec::new()).unwrap();
    for other in [
        home.offered(&server, URI, &[("SKILL.md", PDF), ("a.txt", "b")]),
        home.offered(&server, URI, &[("SKILL.md", PDF)]),
        home.offered(&server, URI, &[("SKILL.md", PDF), ("a.txt", "a"), ("b.txt", "")]),
        home.offered(&server, URI, &[("SKILL.md", PDF), ("A.txt", "a")]),
    ] {
        assert!(matches!(home.vault.standing(&server, &other).unwrap(), Standing::Changed { .. }));
    }
    assert!(is_approved(&home, &server, &approved));
}

#[test]
fn the_same_bytes_under_another_uri_of_a_file_are_not_what_was_approved() {
    let home = Home::new();
    let server = home.server();
    home.vault
        .approve(
            &server,
            &home.offered(&server, URI, &[("SKILL.md", PDF), ("a.txt", "a")]),
            false,
            Vec::new(),
        )
        .unwrap();
    let uri = SkillUri::parse(URI).unwrap();
    let mut files =
        home.offered(&server, URI, &[("SKILL.md", PDF), ("a.txt", "a")]).files().to_vec();
    files[1].uri = "skill://pdf/%61.txt".to_owned();
    let respelt = Entry::new(uri, None, None, files).unwrap();
    assert!(home.vault.notice(&server, &respelt).unwrap());
}

#[test]
fn a_revoked_approval_stays_revoked_when_the_server_goes_back() {
    let home = Home::new();
    let server = home.server();
    let first = home.offered(&server, URI, &[("SKILL.md", PDF)]);
    let second =
        home.offered(&server, URI, &[("SKILL.md", "---\nname: pdf\ndescription: Other\n---\n")]);
    let approval = home.vault.approve(&server, &first, false, Vec::new()).unwrap();
    assert!(!home.vault.notice(&server, &first).unwrap());
    assert!(home.vault.notice(&server, &second).unwrap());
    assert!(!home.vault.notice(&server, &second).unwrap(), "it is revoked once");
    assert!(!home.vault.notice(&server, &first).unwrap());
    let (home, _) = home.reopen();
    let Standing::Changed { approval: old, .. } = home.vault.standing(&server, &first).unwrap()
    else {
        panic!("not changed")
    };
    assert_eq!(old, approval);
    assert!(home.vault.approvals_of(&server).unwrap().is_empty());
    assert_eq!(home.vault.activity(1).unwrap()[0].kind, ActivityKind::Revoked);
    home.vault.approve(&server, &first, false, Vec::new()).unwrap();
    assert!(is_approved(&home, &server, &first));
}

#[test]
fn looking_at_the_standing_changes_nothing() {
    let home = Home::new();
    let server = home.server();
    let first = home.offered(&server, URI, &[("SKILL.md", PDF)]);
    home.vault.approve(&server, &first, false, Vec::new()).unwrap();
    home.vault.standing(&server, &home.offered(&server, URI, &[("SKILL.md", "x")])).unwrap();
    assert!(is_approved(&home, &server, &first));
}

#[test]
fn a_rejected_fingerprint_stays_rejected_and_other_content_is_unreviewed() {
    let home = Home::new();
    let server = home.server();
    let bad = home.offered(&server, URI, &[("SKILL.md", PDF)]);
    let better =
        home.offered(&server, URI, &[("SKILL.md", "---\nname: pdf\ndescription: Better\n---\n")]);
    home.vault.approve(&server, &bad, false, Vec::new()).unwrap();
    home.vault.reject(&server, &bad).unwrap();
    assert_eq!(home.vault.standing(&server, &better).unwrap(), Standing::Unreviewed);
    home.vault.approve(&server, &better, false, Vec::new()).unwrap();
    home.vault.notice(&server, &bad).unwrap();
    let (home, _) = home.reopen();
    assert!(matches!(home.vault.standing(&server, &bad).unwrap(), Standing::Rejected { .. }));
    home.vault.approve(&server, &bad, false, Vec::new()).unwrap();
    assert!(is_approved(&home, &server, &bad), "the person may think again");
}

#[test]
fn another_server_or_another_endpoint_inherits_no_approval_and_no_rejection() {
    let home = Home::new();
    let server = home.server();
    let twin = home.server();
    let good = home.offered(&server, URI, &[("SKILL.md", PDF)]);
    let bad = home.offered(&server, "skill://bad/SKILL.md", &[("SKILL.md", "x")]);
    home.vault.approve(&server, &good, false, Vec::new()).unwrap();
    home.vault.reject(&server, &bad).unwrap();
    let moved = SavedServer {
        endpoint: Endpoint::Http { url: "http://127.0.0.1:8001/mcp".to_owned() },
        ..server.clone()
    };
    for other in [&twin, &moved] {
        assert_eq!(home.vault.standing(other, &good).unwrap(), Standing::Unreviewed);
        assert_eq!(home.vault.standing(other, &bad).unwrap(), Standing::Unreviewed);
    }
    let renamed = SavedServer { label: "else".to_owned(), ..server };
    assert!(is_approved(&home, &renamed, &good), "a label is only a label");
}

#[test]
fn nothing_is_approved_for_a_server_as_the_record_does_not_know_it() {
    let home = Home::new();
    let server = home.server();
    let good = home.offered(&server, URI, &[("SKILL.md", PDF)]);
    let moved = SavedServer { endpoint: Endpoint::Samples, ..server.clone() };
    assert_eq!(
        home.vault.approve(&moved, &good, false, Vec::new()).unwrap_err().kind(),
        ErrorKind::BadInput
    );
    home.vault.remove_server(&server.id).unwrap();
    assert_eq!(
        home.vault.approve(&server, &good, false, Vec::new()).unwrap_err().kind(),
        ErrorKind::Gone
    );
    assert_eq!(home.vault.reject(&server, &good).unwrap_err().kind(), ErrorKind::Gone);
}
