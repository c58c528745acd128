//! Servers without the extension.

use serde_json::{Value, json};
use skills::digest::Digest;
use skills_mcp::{FileOutcome, FrontMatterCheck, Source, Verdict};

use crate::support::{Answer, Told, discovered, text};
use crate::{fetch, first_entry, verdict};

fn manifest(files: &[(&str, &[u8])]) -> Answer {
    let files: Vec<Value> = files
        .iter()
        .map(|(path, bytes)| {
            json!({ "path": path, "size": bytes.len(), "hash": Digest::of(bytes).to_string() })
        })
        .collect();
    text(&json!({ "skill": "review", "files": files }).to_string())
}

fn resources(uris: &[&str]) -> Answer {
    let list: Vec<Value> = uris
        .iter()
        .map(|uri| json!({ "uri": uri, "name": uri, "description": "Looks." }))
        .collect();
    Answer::Result(json!({ "resources": list }))
}

#[tokio::test]
async fn line_endings_that_the_server_changed_are_restored_only_where_the_digest_then_fits() {
    let told = Told::with_resources(|method, params| match (method, params["uri"].as_str()) {
        ("resources/list", _) => resources(&["skill://review/SKILL.md"]),
        (_, Some("skill://review/_manifest")) => manifest(&[
            ("SKILL.md", b"---\r\nname: review\r\n---\r\n"),
            ("cr.txt", b"a\rb"),
            ("mixed.txt", b"a\r\nb\nc"),
        ]),
        (_, Some("skill://review/SKILL.md")) => text("---\nname: review\n---\n"),
        (_, Some("skill://review/cr.txt")) => text("a\nb"),
        _ => text("a\nb\nc"),
    })
    .await;
    let connection = told.connect().await;
    let entry = first_entry(&connection).await;
    assert_eq!(entry.description(), "Looks.");
    let fetched = fetch(&connection, &entry).await.unwrap();
    assert_eq!(
        fetched.files[0].outcome,
        FileOutcome::Verified {
            bytes: b"---\r\nname: review\r\n---\r\n".to_vec(),
            line_endings_restored: true
        }
    );
    assert_eq!(
        fetched.files[1].outcome,
        FileOutcome::Verified { bytes: b"a\rb".to_vec(), line_endings_restored: true }
    );
    assert!(matches!(
        &fetched.files[2].outcome,
        FileOutcome::Mismatch { only_line_endings: true, expected_size: 6, actual_size: 5, .. }
    ));
    assert!(matches!(fetched.front_matter, FrontMatterCheck::NotDeclared));
}

#[tokio::test]
async fn a_server_that_knows_only_plain_uris_is_asked_the_encoded_one_first() {
    let told = Told::with_resources(|method, params| match (method, params["uri"].as_str()) {
        ("resources/list", _) => resources(&["skill://review/SKILL.md"]),
        (_, Some("skill://review/_manifest")) => {
            manifest(&[("SKILL.md", b"x"), ("a b.txt", b"abc")])
        }
        (_, Some("skill://review/a b.txt")) => text("abc"),
        (_, Some("skill://review/SKILL.md")) => text("x"),
        _ => Answer::Error(-32002, "unknown resource"),
    })
    .await;
    let connection = told.connect().await;
    let entry = first_entry(&connection).await;
    let file = connection.read_file(&entry, "a b.txt").await.unwrap();
    assert!(matches!(file.outcome, FileOutcome::Verified { .. }), "{file:?}");
    let asked = told.asked.lock().unwrap().clone();
    assert_eq!(
        asked[asked.len() - 2..],
        ["resources/read skill://review/a%20b.txt", "resources/read skill://review/a b.txt"]
    );
}

#[tokio::test]
async fn a_nested_skill_without_a_manifest_is_skipped_and_another_one_is_unverifiable() {
    let told = Told::with_resources(|method, params| match (method, params["uri"].as_str()) {
        ("resources/list", _) => resources(&[
            "skill://review/SKILL.md",
            "skill://review/inner/SKILL.md",
            "skill://other/SKILL.md",
            "skill://review/notes.md",
            "file:///etc/SKILL.md",
        ]),
        (_, Some("skill://review/_manifest")) => manifest(&[("SKILL.md", b"x")]),
        _ => Answer::Error(-32602, "unknown resource"),
    })
    .await;
    let connection = told.connect().await;
    let offers = connection.list().await.unwrap();
    let uris: Vec<&str> = offers.offers.iter().map(|offer| offer.uri.as_str()).collect();
    assert_eq!(uris, ["skill://review/SKILL.md", "skill://other/SKILL.md"]);
    let Verdict::Unverifiable(reason) = verdict(&offers, "skill://other/SKILL.md") else {
        panic!()
    };
    assert!(reason.contains("no manifest"), "{reason}");
    assert_eq!(connection.source(), Source::Manifests);
}

#[tokio::test]
async fn a_manifest_that_reaches_outside_is_refused() {
    let told = Told::with_resources(|method, params| match (method, params["uri"].as_str()) {
        ("resources/list", _) => resources(&["skill://review/SKILL.md"]),
        _ => manifest(&[("SKILL.md", b"x"), ("../../.ssh/authorized_keys", b"x")]),
    })
    .await;
    let offers = told.connect().await.list().await.unwrap();
    let Verdict::Refused(rules) = verdict(&offers, "skill://review/SKILL.md") else { panic!() };
    assert_eq!(rules, &["the path \"../../.ssh/authorized_keys\" has the component `.` or `..`"]);
}

#[tokio::test]
async fn a_server_without_resources_offers_no_skills() {
    let told = Told::new(|method, _| match method {
        "server/discover" => discovered(json!({ "tools": {} })),
        _ => Answer::Error(-32601, "no such method"),
    })
    .await;
    let connection = told.connect().await;
    assert!(connection.list().await.unwrap().offers.is_empty());
    assert_eq!(connection.source(), Source::None);
}
