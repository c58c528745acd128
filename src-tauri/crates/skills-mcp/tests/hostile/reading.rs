//! Files whose bytes are not those that were declared.

use serde_json::json;
use skills::origin::ServerId;
use skills_mcp::{Connection, ErrorKind, FileOutcome, FrontMatterCheck};
use tokio_util::sync::CancellationToken;

use crate::support::{Answer, REVIEW, Store, Told, context, endpoint, entry, page, text};
use crate::{fetch, first_entry, review};

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
