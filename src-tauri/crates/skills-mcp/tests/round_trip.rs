//! Our server and our client, over each transport.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod support;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Barrier, Mutex};
use std::time::Duration;

use skills::origin::{Endpoint, ServerId};
use skills::provider::{Content, Entries, Listing, Provider, ReadError};
use skills_mcp::samples::{SAMPLE_URIS, Samples};
use skills_mcp::server::{ServeOptions, Token, serve_stdio};
use skills_mcp::{
    ClientContext, Connection, ErrorKind, FetchProgress, FileOutcome, FrontMatterCheck, Source,
    Verdict,
};
use support::{Memory, Store, context, endpoint, served, served_at};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

async fn entry_of(connection: &Connection, uri: &str) -> skills::entry::Entry {
    let offers = connection.list().await.unwrap();
    let offer = offers.offers.into_iter().find(|offer| offer.uri == uri).expect("not offered");
    match offer.verdict {
        Verdict::Verifiable(entry) => entry,
        other => panic!("{other:?}"),
    }
}

/// Fetches the skill and compares every byte with what the provider has.
async fn fetches_every_byte(connection: &Connection) -> FrontMatterCheck {
    let entry = entry_of(connection, "skill://review/SKILL.md").await;
    let store = Store::default();
    let fetched = connection
        .fetch(&entry, &ServerId("s".to_owned()), &store, &|_| {}, &CancellationToken::new())
        .await
        .unwrap();
    let files = fetched.verified().unwrap_or_else(|| panic!("{fetched:?}"));
    let expected: std::collections::BTreeMap<String, Vec<u8>> = Memory::new(true)
        .files
        .into_iter()
        .map(|(path, bytes)| (path.strip_prefix("review/").unwrap().to_owned(), bytes))
        .collect();
    assert_eq!(files, expected);
    fetched.front_matter
}

#[tokio::test]
async fn over_http_with_the_extension_every_byte_arrives() {
    let (addr, _guard) = served(Memory::shared(true), ServeOptions::default()).await;
    let connection = Connection::open(&endpoint(addr), &context()).await.unwrap();
    assert_eq!(connection.protocol(), "2026-07-28");
    assert_eq!(connection.source(), Source::Extension);
    let check = fetches_every_byte(&connection).await;
    assert!(matches!(check, FrontMatterCheck::Same(_)), "{check:?}");
    connection.close().await;
}

#[tokio::test]
async fn over_http_with_manifests_every_byte_arrives() {
    let (addr, _guard) = served(Memory::shared(false), ServeOptions::default()).await;
    let connection = Connection::open(&endpoint(addr), &context()).await.unwrap();
    let check = fetches_every_byte(&connection).await;
    assert_eq!(connection.source(), Source::Manifests);
    assert!(matches!(check, FrontMatterCheck::NotDeclared), "{check:?}");
}

#[tokio::test]
async fn nested_skills_have_entries_of_their_own() {
    let (addr, _guard) = served(Memory::shared(true), ServeOptions::default()).await;
    let connection = Connection::open(&endpoint(addr), &context()).await.unwrap();
    let uris: Vec<String> =
        connection.list().await.unwrap().offers.into_iter().map(|offer| offer.uri).collect();
    assert_eq!(uris, ["skill://review/SKILL.md", "skill://review/inner/SKILL.md"]);
}

#[tokio::test]
async fn lists_in_pages_are_put_together() {
    let options = ServeOptions { page_size: Some(1), ..ServeOptions::default() };
    let (addr, _guard) = served(Memory::shared(true), options).await;
    let connection = Connection::open(&endpoint(addr), &context()).await.unwrap();
    let offers = connection.list().await.unwrap();
    assert_eq!(offers.offers.len(), 2);
    assert!(offers.notices.is_empty());
}

#[tokio::test]
async fn one_entry_can_be_got_by_its_uri_and_an_unknown_one_is_refused() {
    for strict in [true, false] {
        let (addr, _guard) = served(Memory::shared(strict), ServeOptions::default()).await;
        let connection = Connection::open(&endpoint(addr), &context()).await.unwrap();
        let entry = connection.get_verifiable("skill://review/SKILL.md").await.unwrap();
        assert_eq!(entry.files().len(), 8);
        let error = connection.get("skill://nothing/SKILL.md").await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Refused, "{error}");
    }
}

#[tokio::test]
async fn what_the_store_has_is_not_read_again_and_progress_is_told() {
    let (addr, _guard) = served(Memory::shared(true), ServeOptions::default()).await;
    let connection = Connection::open(&endpoint(addr), &context()).await.unwrap();
    let entry = entry_of(&connection, "skill://review/SKILL.md").await;
    let store = Store::default();
    let server = ServerId("s".to_owned());
    let told: Mutex<Vec<FetchProgress>> = Mutex::default();
    let progress = |now| told.lock().unwrap().push(now);
    for _ in 0..2 {
        connection
            .fetch(&entry, &server, &store, &progress, &CancellationToken::new())
            .await
            .unwrap();
    }
    assert_eq!(store.puts.load(Ordering::SeqCst), 8);
    let told = told.into_inner().unwrap();
    assert_eq!(told.len(), 18);
    let total = entry.manifest().total_size();
    assert_eq!(told[0], FetchProgress { files_done: 0, files: 8, bytes_done: 0, bytes: total });
    assert_eq!(told[8], FetchProgress { files_done: 8, files: 8, bytes_done: total, bytes: total });
}

#[tokio::test]
async fn a_store_that_lies_is_not_believed() {
    let (addr, _guard) = served(Memory::shared(true), ServeOptions::default()).await;
    let connection = Connection::open(&endpoint(addr), &context()).await.unwrap();
    let entry = entry_of(&connection, "skill://review/SKILL.md").await;
    let store = Store::default();
    for file in entry.files() {
        store.kept.lock().unwrap().insert(file.digest, b"something else".to_vec());
    }
    let fetched = connection
        .fetch(&entry, &ServerId("s".to_owned()), &store, &|_| {}, &CancellationToken::new())
        .await
        .unwrap();
    assert_eq!(fetched.verified().unwrap()["crlf.txt"], b"one\r\ntwo\r\n");
}

#[tokio::test]
async fn only_listed_files_are_read() {
    let (addr, _guard) = served(Memory::shared(true), ServeOptions::default()).await;
    let connection = Connection::open(&endpoint(addr), &context()).await.unwrap();
    let entry = entry_of(&connection, "skill://review/SKILL.md").await;
    let file = connection.read_file(&entry, "a name/with # and %41.txt").await.unwrap();
    assert_eq!(
        file.outcome,
        FileOutcome::Verified { bytes: b"odd".to_vec(), line_endings_restored: false }
    );
    let error = connection.read_file(&entry, "../SKILL.md").await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Refused);
}

fn tokens(secret: &str) -> Vec<Token> {
    let (identity, secret) = ("a".to_owned(), secret.to_owned());
    vec![Token { identity, secret, scopes: Vec::new() }]
}

#[tokio::test]
async fn a_token_is_asked_for_and_taken() {
    let options = ServeOptions { tokens: tokens("open sesame"), ..ServeOptions::default() };
    let (addr, _guard) = served(Memory::shared(true), options).await;
    let error = Connection::open(&endpoint(addr), &context()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::SignIn, "{error}");
    let wrong = ClientContext { token: Some("open barley".to_owned()), ..context() };
    let error = Connection::open(&endpoint(addr), &wrong).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::SignIn, "{error}");
    let right = ClientContext { token: Some("open sesame".to_owned()), ..context() };
    let connection = Connection::open(&endpoint(addr), &right).await.unwrap();
    assert_eq!(connection.list().await.unwrap().offers.len(), 2);
}

#[tokio::test]
async fn a_restarted_http_server_just_works() {
    let (addr, guard) = served(Memory::shared(true), ServeOptions::default()).await;
    let connection = Connection::open(&endpoint(addr), &context()).await.unwrap();
    drop(guard);
    let error = loop {
        match connection.list().await {
            Ok(_) => tokio::task::yield_now().await,
            Err(error) => break error,
        }
    };
    assert!(matches!(error.kind(), ErrorKind::Unreachable | ErrorKind::Closed), "{error}");
    let (_, _guard) = served_at(addr, Memory::shared(true), ServeOptions::default()).await;
    assert_eq!(connection.list().await.unwrap().offers.len(), 2);
}

#[tokio::test]
async fn a_changed_list_and_the_end_of_the_server_are_news() {
    let (change, changes) = watch::channel(0);
    let options = ServeOptions { changes: Some(changes), ..ServeOptions::default() };
    let (addr, guard) = served(Memory::shared(true), options).await;
    let connection = Connection::open(&endpoint(addr), &context()).await.unwrap();
    let mut news = connection.changes();
    let soon = Duration::from_secs(20);
    change.send_modify(|count| *count += 1);
    tokio::time::timeout(soon, news.changed()).await.unwrap().unwrap();
    drop(guard);
    tokio::time::timeout(soon, news.changed()).await.unwrap().unwrap();
}

#[tokio::test]
async fn a_large_binary_within_the_limits_arrives() {
    let mut memory = Memory::new(true);
    let large: Vec<u8> =
        (0..13_000_000_u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    memory.files.insert("review/large.bin".to_owned(), large.clone());
    let (addr, _guard) = served(Arc::new(memory), ServeOptions::default()).await;
    let connection = Connection::open(&endpoint(addr), &context()).await.unwrap();
    let entry = entry_of(&connection, "skill://review/SKILL.md").await;
    let file = connection.read_file(&entry, "large.bin").await.unwrap();
    assert!(matches!(file.outcome, FileOutcome::Verified { bytes, .. } if bytes == large));
}

/// Lets the SKILL.md come at once, and any other read end only when sixteen of them wait; remembers
/// the most that ever did.
struct InSixteens {
    memory: Memory,
    gate: Barrier,
    now: AtomicUsize,
    most: AtomicUsize,
}

impl Provider for InSixteens {
    fn list(&self) -> Listing {
        self.memory.list()
    }

    fn read(&self, uri: &str) -> Result<Content, ReadError> {
        self.most.fetch_max(self.now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
        if uri != "skill://review/SKILL.md" {
            self.gate.wait();
        }
        self.now.fetch_sub(1, Ordering::SeqCst);
        self.memory.read(uri)
    }

    fn entries(&self) -> Option<Entries> {
        self.memory.entries()
    }
}

#[tokio::test]
async fn sixteen_files_are_read_at_once_and_no_more() {
    let mut memory = Memory::new(true);
    for n in 0..25 {
        memory.files.insert(format!("review/more/{n}"), vec![n]);
    }
    let provider = Arc::new(InSixteens {
        memory,
        gate: Barrier::new(16),
        now: AtomicUsize::new(0),
        most: AtomicUsize::new(0),
    });
    let shared = Arc::clone(&provider) as Arc<dyn Provider>;
    let (addr, _guard) = served(shared, ServeOptions::default()).await;
    let connection = Connection::open(&endpoint(addr), &context()).await.unwrap();
    let entry = entry_of(&connection, "skill://review/SKILL.md").await;
    assert_eq!(entry.files().len(), 33);
    let fetched = connection
        .fetch(
            &entry,
            &ServerId("s".to_owned()),
            &Store::default(),
            &|_| {},
            &CancellationToken::new(),
        )
        .await
        .unwrap();
    assert!(fetched.verified().is_some());
    assert_eq!(provider.most.load(Ordering::SeqCst), 16);
}

#[test]
fn secrets_are_not_written_to_logs() {
    let token = Some("s3cret".to_owned());
    let client = ClientContext { token, ..ClientContext::default() };
    assert!(!format!("{client:?}").contains("s3cret"));
    let server = ServeOptions { tokens: tokens("s3cret"), ..ServeOptions::default() };
    assert!(!format!("{server:?}").contains("s3cret"));
}

fn samples() -> (Arc<Samples>, ClientContext) {
    let samples = Arc::new(Samples::new(false));
    let context = ClientContext { samples: Some(Arc::clone(&samples)), ..context() };
    (samples, context)
}

#[tokio::test]
async fn the_samples_are_listed_and_fetched_through_the_protocol() {
    let (_, context) = samples();
    let connection = Connection::open(&Endpoint::Samples, &context).await.unwrap();
    assert_eq!(connection.protocol(), "2026-07-28");
    let offers = connection.list().await.unwrap();
    let uris: Vec<&str> = offers.offers.iter().map(|offer| offer.uri.as_str()).collect();
    assert_eq!(uris, SAMPLE_URIS);
    for uri in SAMPLE_URIS {
        let entry = entry_of(&connection, uri).await;
        let fetched = connection
            .fetch(
                &entry,
                &ServerId("x".to_owned()),
                &Store::default(),
                &|_| {},
                &CancellationToken::new(),
            )
            .await
            .unwrap();
        assert!(fetched.verified().is_some(), "{uri}: {:?}", fetched.front_matter);
        assert!(matches!(fetched.front_matter, FrontMatterCheck::Same(_)), "{uri}");
    }
    connection.close().await;
}

#[tokio::test]
async fn the_samples_tell_of_the_one_change() {
    let (samples, context) = samples();
    let connection = Connection::open(&Endpoint::Samples, &context).await.unwrap();
    let uri = "skill://style-guide/SKILL.md";
    let before = entry_of(&connection, uri).await.fingerprint();
    let mut changes = connection.changes();
    changes.mark_unchanged();
    assert!(samples.mark_approved(uri));
    tokio::time::timeout(Duration::from_secs(20), changes.changed()).await.unwrap().unwrap();
    assert_ne!(entry_of(&connection, uri).await.fingerprint(), before);
}

#[tokio::test]
async fn the_samples_can_be_switched_off() {
    let error = Connection::open(&Endpoint::Samples, &context()).await.unwrap_err();
    assert_eq!(error.to_string(), "cannot connect to the samples: they are switched off");
    assert!(error.hint().is_some());
}

#[tokio::test]
async fn a_fetch_is_cancelled_at_once() {
    let (_, context) = samples();
    let connection = Connection::open(&Endpoint::Samples, &context).await.unwrap();
    let entry = entry_of(&connection, "skill://csv-report/SKILL.md").await;
    let cancel = CancellationToken::new();
    cancel.cancel();
    let error = connection
        .fetch(&entry, &ServerId("x".to_owned()), &Store::default(), &|_| {}, &cancel)
        .await
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Cancelled);
}

/// Not a test by itself: the program that the next test starts.
#[tokio::test]
#[ignore = "started by another test as a server on standard input and output"]
async fn serves_on_standard_input_and_output() {
    serve_stdio(Memory::shared(true), ServeOptions::default(), CancellationToken::new())
        .await
        .unwrap();
}

#[tokio::test]
async fn a_started_program_is_reached_listed_and_ended() {
    let program = std::env::current_exe().unwrap().to_str().unwrap().to_owned();
    let args = ["--ignored", "--exact", "--nocapture", "serves_on_standard_input_and_output"]
        .map(str::to_owned)
        .to_vec();
    let connection =
        Connection::open(&Endpoint::Command { program, args }, &context()).await.unwrap();
    assert_eq!(connection.source(), Source::Extension);
    fetches_every_byte(&connection).await;
    assert!(!connection.is_closed());
    let mut changes = connection.changes();
    connection.close().await;
    // The end of the connection is news too.
    changes.changed().await.unwrap();
}
