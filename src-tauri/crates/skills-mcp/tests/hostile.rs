//! Servers that break each rule in turn.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod support;

use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};
use skills::digest::Digest;
use skills::entry::Entry;
use skills::origin::{Endpoint, ServerId};
use skills_mcp::{
    ClientError, Connection, ErrorKind, FileOutcome, FrontMatterCheck, Offers, Source, Verdict,
};
use support::{
    Answer, REVIEW, Store, Told, context, discovered, endpoint, entry, impatient, page, text,
};
use tokio_util::sync::CancellationToken;

async fn cannot_connect(told: &Told) -> ClientError {
    Connection::open(&endpoint(told.addr), &context()).await.expect_err("connected")
}

fn verdict<'a>(offers: &'a Offers, uri: &str) -> &'a Verdict {
    &offers.offers.iter().find(|offer| offer.uri == uri).expect("not offered").verdict
}

fn review() -> Value {
    entry("review", REVIEW.as_bytes(), &[])
}

async fn first_entry(connection: &Connection) -> Entry {
    match connection.list().await.unwrap().offers.remove(0).verdict {
        Verdict::Verifiable(entry) => entry,
        other => panic!("{other:?}"),
    }
}

async fn fetch(connection: &Connection, entry: &Entry) -> Result<skills_mcp::Fetched, ClientError> {
    let (server, store) = (ServerId("s".to_owned()), Store::default());
    connection.fetch(entry, &server, &store, &|_| {}, &CancellationToken::new()).await
}

// Connecting

#[tokio::test]
async fn nothing_at_the_address_is_unreachable() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let addr = listener.local_addr().unwrap();
    drop(listener);
    let error = Connection::open(&endpoint(addr), &context()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unreachable, "{error}");
    assert!(
        error.to_string().starts_with(&format!("cannot connect to http://{addr}/mcp: ")),
        "{error}"
    );
    assert_eq!(error.hint().as_deref(), Some("check the address, and that the server is running"));
}

#[tokio::test]
async fn what_is_no_address_is_said_to_be_none() {
    for url in
        ["not an address", "ftp://example.org/", "file:///etc/passwd", "http://a:b@127.0.0.1/"]
    {
        let error = Connection::open(&Endpoint::Http { url: url.to_owned() }, &context())
            .await
            .unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unreachable, "{error}");
        assert!(!error.to_string().contains("a:b"), "{error}");
    }
}

#[tokio::test]
async fn a_web_page_is_not_mcp() {
    let told =
        Told::new(|_, _| Answer::Raw(200, "text/html", "<!doctype html><h1>Hello</h1>".to_owned()))
            .await;
    let error = cannot_connect(&told).await;
    assert_eq!(error.kind(), ErrorKind::NotMcp, "{error}");
    assert!(error.hint().unwrap().contains("/mcp"));
}

#[tokio::test]
async fn a_page_that_is_not_there_is_not_mcp() {
    let told =
        Told::new(|_, _| Answer::Raw(404, "text/html", "<h1>Not Found</h1>".to_owned())).await;
    let error = cannot_connect(&told).await;
    assert_eq!(error.kind(), ErrorKind::NotMcp, "{error}");
    assert!(error.to_string().contains("HTTP status 404"), "{error}");
}

#[tokio::test]
async fn json_that_is_not_json_rpc_is_not_mcp() {
    let told =
        Told::new(|_, _| Answer::Raw(200, "application/json", "{\"hello\":1}".to_owned())).await;
    let error = cannot_connect(&told).await;
    assert_eq!(error.kind(), ErrorKind::NotMcp, "{error}");
}

#[tokio::test]
async fn a_broken_server_is_unreachable() {
    let told = Told::new(|_, _| Answer::Raw(503, "text/plain", "busy".to_owned())).await;
    let error = cannot_connect(&told).await;
    assert_eq!(error.kind(), ErrorKind::Unreachable, "{error}");
    assert!(error.to_string().contains("503"), "{error}");
}

#[tokio::test]
async fn a_server_that_asks_to_sign_in_refuses() {
    let told = Told::new(|_, _| Answer::Raw(401, "text/plain", "no".to_owned())).await;
    let error = cannot_connect(&told).await;
    assert_eq!(error.kind(), ErrorKind::Refused, "{error}");
}

#[tokio::test]
async fn redirects_are_not_followed() {
    let target = Told::with_extension(|_, _| page(vec![], None)).await;
    let to = format!("http://{}/mcp", target.addr);
    let told = Told::new(move |_, _| Answer::Redirect(to.clone())).await;
    let error = cannot_connect(&told).await;
    assert_eq!(error.kind(), ErrorKind::NotMcp, "{error}");
    assert!(error.to_string().contains("redirect"), "{error}");
    assert_eq!(target.asked.lock().unwrap().len(), 0);
}

#[tokio::test]
async fn a_server_that_never_answers_runs_into_the_time_out() {
    let told = Told::new(|_, _| Answer::Silence).await;
    let error = Connection::open(&endpoint(told.addr), &impatient()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Timeout, "{error}");
    assert!(error.to_string().ends_with("no answer within 300 ms"), "{error}");
}

#[tokio::test]
async fn an_unknown_protocol_version_is_not_spoken() {
    let told = Told::new(|method, _| match method {
        "server/discover" => Answer::Error(-32601, "no such method"),
        "initialize" => Answer::Result(json!({
            "protocolVersion": "2099-01-01",
            "capabilities": {},
            "serverInfo": { "name": "x", "version": "1" },
        })),
        _ => Answer::Raw(202, "text/plain", String::new()),
    })
    .await;
    let error = cannot_connect(&told).await;
    assert_eq!(error.kind(), ErrorKind::Protocol, "{error}");
    assert!(error.to_string().contains("2099-01-01"), "{error}");
}

#[tokio::test]
async fn the_older_handshake_is_fallen_back_to() {
    let told = Told::new(|method, _| match method {
        "server/discover" => Answer::Error(-32601, "no such method"),
        "initialize" => Answer::Result(json!({
            "protocolVersion": "2025-11-25",
            "capabilities": { "resources": {} },
            "serverInfo": { "name": "x", "version": "1" },
        })),
        "resources/list" => Answer::Result(json!({ "resources": [] })),
        _ => Answer::Raw(202, "text/plain", String::new()),
    })
    .await;
    let connection = told.connect().await;
    assert_eq!(connection.protocol(), "2025-11-25");
    assert!(connection.list().await.unwrap().offers.is_empty());
    assert_eq!(connection.source(), Source::None);
}

// Listing

#[tokio::test]
async fn one_bad_entry_is_refused_and_the_others_stand() {
    let told = Told::with_extension(|_, _| {
        page(
            vec![
                review(),
                json!({ "uri": "skill://a/SKILL.md", "frontmatter": { "name": "a" } }),
                json!({ "uri": 7 }),
                json!({
                    "uri": "skill://b/SKILL.md",
                    "frontmatter": { "name": "b", "description": "x" },
                    "resources": "dynamic",
                }),
            ],
            None,
        )
    })
    .await;
    let offers = told.connect().await.list().await.unwrap();
    assert!(matches!(verdict(&offers, "skill://review/SKILL.md"), Verdict::Verifiable(_)));
    let Verdict::Refused(rules) = verdict(&offers, "skill://a/SKILL.md") else { panic!() };
    assert_eq!(rules, &["frontmatter has no description", "resources is missing"]);
    assert!(matches!(verdict(&offers, "skill://b/SKILL.md"), Verdict::Unverifiable(_)));
    assert_eq!(offers.notices, ["an entry without a uri was left out"]);
}

#[tokio::test]
async fn a_uri_listed_twice_is_refused_both_times_also_across_pages() {
    let told = Told::with_extension(|_, params| match params["cursor"].as_str() {
        None => page(vec![review()], Some("2")),
        Some(_) => page(vec![review()], None),
    })
    .await;
    let offers = told.connect().await.list().await.unwrap();
    assert_eq!(offers.offers.len(), 2);
    assert!(offers.offers.iter().all(|offer| matches!(&offer.verdict, Verdict::Refused(_))));
}

#[tokio::test]
async fn endless_pages_end_at_the_limit_with_a_notice() {
    let count = AtomicUsize::new(0);
    let told = Told::with_extension(move |_, _| {
        let n = count.fetch_add(1, Ordering::SeqCst);
        page(vec![entry(&format!("s{n}"), b"x", &[])], Some(&format!("c{n}")))
    })
    .await;
    let offers = told.connect().await.list().await.unwrap();
    assert_eq!(offers.offers.len(), 250);
    assert_eq!(
        offers.notices,
        ["the server's list was read only in part: it has more than 250 pages"]
    );
    assert_eq!(told.times_asked("skills/list"), 250);
}

#[tokio::test]
async fn a_list_that_goes_round_in_a_circle_ends() {
    let told = Told::with_extension(|_, params| match params["cursor"].as_str() {
        Some("a") => page(vec![], Some("b")),
        _ => page(vec![], Some("a")),
    })
    .await;
    let offers = told.connect().await.list().await.unwrap();
    assert_eq!(
        offers.notices,
        ["the server's list was read only in part: the server goes round in a circle"]
    );
    assert_eq!(told.times_asked("skills/list"), 3);
}

#[tokio::test]
async fn more_entries_than_the_limit_are_left_out_with_a_notice() {
    let told = Told::with_extension(|_, _| {
        page(
            (0..10_001).map(|n| json!({ "uri": format!("skill://s{n}/SKILL.md") })).collect(),
            None,
        )
    })
    .await;
    let offers = told.connect().await.list().await.unwrap();
    assert_eq!(offers.offers.len(), 10_000);
    assert_eq!(
        offers.notices,
        ["the server's list was read only in part: it is longer than 10000 entries"]
    );
}

#[tokio::test]
async fn a_flood_of_nonsense_is_a_few_notices() {
    let told = Told::with_extension(|_, _| page(vec![json!({}); 5000], None)).await;
    let offers = told.connect().await.list().await.unwrap();
    assert!(offers.offers.is_empty());
    assert_eq!(
        offers.notices,
        ["an entry without a uri was left out", "and 4999 more of this kind"]
    );
}

#[tokio::test]
async fn a_list_that_is_none_is_a_broken_rule_of_the_protocol() {
    for result in [json!({ "skills": 7 }), json!({ "x": 1 }), json!([1]), json!("x")] {
        let told = Told::with_extension(move |_, _| Answer::Result(result.clone())).await;
        let error = told.connect().await.list().await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Protocol, "{error}");
    }
}

#[tokio::test]
async fn an_error_of_the_server_is_told_in_its_words_on_one_line() {
    let told = Told::with_extension(|_, _| Answer::Error(-32603, "out of\n\u{1b}[31mcheese")).await;
    let error = told.connect().await.list().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Refused);
    assert_eq!(
        error.to_string(),
        format!(
            "cannot list the skills of http://{}/mcp: the server answered with error -32603: out of [31mcheese",
            told.addr
        )
    );
}

#[tokio::test]
async fn a_list_that_never_comes_runs_into_the_time_out() {
    let told = Told::with_extension(|_, _| Answer::Silence).await;
    let mut context = context();
    context.timeouts.call = std::time::Duration::from_millis(200);
    let connection = Connection::open(&endpoint(told.addr), &context).await.unwrap();
    let error = connection.list().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Timeout, "{error}");
}

#[tokio::test]
async fn an_answer_over_the_message_limit_is_refused() {
    let told = Told::with_extension(|_, _| {
        Answer::Raw(200, "application/json", " ".repeat(32 * 1024 * 1024 + 1))
    })
    .await;
    let error = told.connect().await.list().await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Protocol, "{error}");
}

// Getting one entry

#[tokio::test]
async fn the_answer_to_a_get_must_be_about_the_asked_skill() {
    let told = Told::with_extension(|_, _| {
        Answer::Result(json!({
            "resultType": "complete", "ttlMs": 0, "cacheScope": "private", "skill": review(),
        }))
    })
    .await;
    let connection = told.connect().await;
    let offer = connection.get("skill://review/SKILL.md").await.unwrap();
    assert!(matches!(offer.verdict, Verdict::Verifiable(_)));
    let error = connection.get("skill://other/SKILL.md").await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Protocol);
    assert!(error.to_string().ends_with("the answer is about another skill"), "{error}");
}

// Reading

#[tokio::test]
async fn a_wrong_digest_shows_what_was_expected_and_what_came() {
    let told = Told::with_extension(|method, _| match method {
        "skills/list" => page(vec![entry("review", REVIEW.as_bytes(), &[("a.txt", b"abc")])], None),
        _ => text("abd"),
    })
    .await;
    let connection = told.connect().await;
    let entry = first_entry(&connection).await;
    let file = connection.read_file(&entry, "a.txt").await.unwrap();
    assert_eq!(
        file.outcome,
        FileOutcome::Mismatch {
            expected_size: 3,
            expected: "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
                .parse()
                .unwrap(),
            actual_size: 3,
            actual: "sha256:a52d159f262b2c6ddb724a61840befc36eb30c88877a4030b65cbe86298449c9"
                .parse()
                .unwrap(),
            bytes: b"abd".to_vec(),
            only_line_endings: false,
        }
    );
    let fetched = fetch(&connection, &entry).await.unwrap();
    assert!(fetched.verified().is_none());
    assert!(matches!(fetched.front_matter, FrontMatterCheck::NotChecked));
}

#[tokio::test]
async fn mismatching_bytes_never_reach_the_store() {
    let told = Told::with_extension(|method, _| match method {
        "skills/list" => page(vec![review()], None),
        _ => text("other"),
    })
    .await;
    let connection = told.connect().await;
    let entry = first_entry(&connection).await;
    let store = Store::default();
    connection
        .fetch(&entry, &ServerId("s".to_owned()), &store, &|_| {}, &CancellationToken::new())
        .await
        .unwrap();
    assert!(store.kept.lock().unwrap().is_empty());
}

#[tokio::test]
async fn a_front_matter_that_differs_from_the_entry_verifies_nothing() {
    let told = Told::with_extension(|method, _| match method {
        "skills/list" => {
            let mut entry = review();
            entry["frontmatter"]["description"] = json!("Only reads.");
            page(vec![entry], None)
        }
        _ => text(REVIEW),
    })
    .await;
    let connection = told.connect().await;
    let entry = first_entry(&connection).await;
    let fetched = fetch(&connection, &entry).await.unwrap();
    let FrontMatterCheck::Differs(differences) = &fetched.front_matter else {
        panic!("{:?}", fetched.front_matter)
    };
    assert_eq!(differences.len(), 1);
    assert_eq!(differences[0].field, "description");
    assert_eq!(differences[0].declared, Some(json!("Only reads.")));
    assert_eq!(differences[0].actual, Some(json!("Looks at changes.")));
    assert!(fetched.verified().is_none());
}

#[tokio::test]
async fn answers_that_are_no_single_file_fail_the_file_and_not_the_rest() {
    let told = Told::with_extension(|method, params| match (method, params["uri"].as_str()) {
        ("skills/list", _) => page(
            vec![entry(
                "review",
                REVIEW.as_bytes(),
                &[("a", b"abc"), ("b", b"abc"), ("c", b"abc"), ("d", b"abc")],
            )],
            None,
        ),
        (_, Some("skill://review/a")) => Answer::Result(json!({ "contents": [] })),
        (_, Some("skill://review/b")) => {
            Answer::Result(json!({ "contents": [{ "uri": "x", "blob": "%%%" }] }))
        }
        (_, Some("skill://review/c")) => Answer::Error(-32602, "not here"),
        (_, Some("skill://review/d")) => {
            Answer::Result(json!({ "contents": [{ "uri": "x", "blob": "YWJj" }] }))
        }
        _ => text(REVIEW),
    })
    .await;
    let connection = told.connect().await;
    let entry = first_entry(&connection).await;
    let fetched = fetch(&connection, &entry).await.unwrap();
    let failed: Vec<(&str, &str)> = fetched
        .files
        .iter()
        .filter_map(|file| match &file.outcome {
            FileOutcome::Failed(reason) => Some((file.path.as_str(), reason.as_str())),
            _ => None,
        })
        .collect();
    assert_eq!(
        failed,
        [
            ("a", "the server answered with 0 contents for one file"),
            ("b", "its bytes are not base64"),
            ("c", "the server answered with error -32602: not here"),
        ]
    );
    assert!(
        matches!(&fetched.files[4].outcome, FileOutcome::Verified { bytes, .. } if bytes == b"abc")
    );
    assert!(fetched.verified().is_none());
}

#[tokio::test]
async fn a_file_that_never_comes_ends_the_fetch() {
    let told = Told::with_extension(|method, _| match method {
        "skills/list" => page(vec![review()], None),
        _ => Answer::Silence,
    })
    .await;
    let mut context = context();
    context.timeouts.call = std::time::Duration::from_millis(200);
    let connection = Connection::open(&endpoint(told.addr), &context).await.unwrap();
    let entry = first_entry(&connection).await;
    let error = fetch(&connection, &entry).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Timeout, "{error}");
}

#[tokio::test]
async fn cancelling_does_not_wait_for_the_server() {
    let cancel = CancellationToken::new();
    let asked = cancel.clone();
    let told = Told::with_extension(move |method, _| match method {
        "skills/list" => page(vec![review()], None),
        _ => {
            asked.cancel();
            Answer::Silence
        }
    })
    .await;
    let connection = told.connect().await;
    let entry = first_entry(&connection).await;
    let (server, store) = (ServerId("s".to_owned()), Store::default());
    let error = connection.fetch(&entry, &server, &store, &|_| {}, &cancel).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Cancelled);
}

// Servers without the extension

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
