//! What is read, when, how much of it, and how much at once.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::json;
use skills::blobs::{Blobs, BlobsError};
use skills::digest::Digest;
use skills::origin::ServerId;
use skills_mcp::{Connection, ErrorKind, FetchProgress, FileOutcome};
use tokio_util::sync::CancellationToken;

use crate::support::{Answer, REVIEW, Store, Told, context, endpoint, page, text};
use crate::{listed, review, server};

const FILES: &[(&str, &[u8])] = &[("a", b"aa"), ("b", b"bb"), ("c", b"cc")];

fn answer(uri: Option<&str>) -> Answer {
    match uri {
        Some("skill://review/SKILL.md") => text(REVIEW),
        Some("skill://review/a") => text("aa"),
        Some("skill://review/b") => text("bb"),
        Some("skill://review/c") => text("cc"),
        _ => Answer::Error(-32602, "unknown"),
    }
}

async fn honest() -> Told {
    Told::with_extension(|method, params| match method {
        "skills/list" => page(vec![review(FILES)], None),
        _ => answer(params["uri"].as_str()),
    })
    .await
}

fn reads(told: &Told) -> Vec<String> {
    let asked = told.asked.lock().unwrap();
    let reads = asked.iter().filter_map(|asked| asked.strip_prefix("resources/read "));
    reads.map(str::to_owned).collect()
}

#[tokio::test]
async fn a_list_reads_no_file_and_opening_one_reads_that_one_and_once() {
    let told = honest().await;
    let connection = told.connect().await;
    let entry = listed(&connection).await;
    assert_eq!(reads(&told), Vec::<String>::new());
    let store = Store::default();
    for _ in 0..2 {
        let opened = connection.open_file(&entry, "b", &server(), &store).await.unwrap();
        assert!(matches!(&opened.outcome, FileOutcome::Verified { bytes, .. } if bytes == b"bb"));
    }
    assert_eq!(reads(&told), ["skill://review/b"]);
    let none = connection.open_file(&entry, "d", &server(), &store).await.unwrap_err();
    assert_eq!(none.kind(), ErrorKind::Refused);
    // A review then reads the others only.
    let cancel = CancellationToken::new();
    let fetched = connection.fetch(&entry, &server(), &store, &|_| {}, &cancel).await.unwrap();
    assert!(fetched.is_verified());
    let mut others = reads(&told).split_off(1);
    others.sort();
    assert_eq!(others, ["skill://review/SKILL.md", "skill://review/a", "skill://review/c"]);
}

#[tokio::test]
async fn bytes_in_the_store_that_are_no_longer_right_are_read_again() {
    let told = honest().await;
    let connection = told.connect().await;
    let entry = listed(&connection).await;
    let store = Store::default();
    connection.open_file(&entry, "a", &server(), &store).await.unwrap();
    store.kept.lock().unwrap().insert(Digest::of(b"aa"), b"zz".to_vec());
    let opened = connection.open_file(&entry, "a", &server(), &store).await.unwrap();
    assert!(matches!(&opened.outcome, FileOutcome::Verified { bytes, .. } if bytes == b"aa"));
    assert_eq!(reads(&told).len(), 2);
}

#[tokio::test]
async fn a_fetch_that_was_stopped_goes_on_where_it_was() {
    let cancel = CancellationToken::new();
    let (stop, count) = (cancel.clone(), AtomicUsize::new(0));
    let told = Told::with_extension(move |method, params| match method {
        "skills/list" => page(vec![review(FILES)], None),
        // The first time that `c` is asked for, nothing comes.
        _ if params["uri"] == "skill://review/c" && count.fetch_add(1, Ordering::SeqCst) == 0 => {
            Answer::Silence
        }
        _ => answer(params["uri"].as_str()),
    })
    .await;
    let connection = told.connect().await;
    let entry = listed(&connection).await;
    let store = Store::default();
    let until_three = move |so_far: FetchProgress| {
        if so_far.files_done == 3 {
            stop.cancel();
        }
    };
    let stopped = connection.fetch(&entry, &server(), &store, &until_three, &cancel).await;
    assert_eq!(stopped.unwrap_err().kind(), ErrorKind::Cancelled);
    let progress = Mutex::new(Vec::new());
    let told_of = |so_far: FetchProgress| {
        progress.lock().unwrap().push((so_far.files_done, so_far.bytes_done));
    };
    let again = CancellationToken::new();
    let fetched = connection.fetch(&entry, &server(), &store, &told_of, &again).await.unwrap();
    assert!(fetched.is_verified());
    assert_eq!(reads(&told).len(), 5, "four files, and one of them twice");
    let paths: Vec<&str> = fetched.files.iter().map(|file| file.path.as_str()).collect();
    assert_eq!(paths, ["SKILL.md", "a", "b", "c"]);
    let all = REVIEW.len() as u64 + 6;
    let progress = progress.into_inner().unwrap();
    assert_eq!((progress[0], progress.len(), progress[4]), ((0, 0), 5, (4, all)));
}

#[tokio::test]
async fn sixteen_files_are_read_at_once_and_not_one_more() {
    let files: Vec<(String, Vec<u8>)> =
        (0..40).map(|n| (format!("f{n:02}"), b"x".to_vec())).collect();
    let told = Told::with_extension(move |method, params| {
        let files: Vec<(&str, &[u8])> =
            files.iter().map(|(path, bytes)| (path.as_str(), bytes.as_slice())).collect();
        match (method, params["uri"].as_str()) {
            ("skills/list", _) => page(vec![review(&files)], None),
            (_, uri @ Some("skill://review/SKILL.md")) => answer(uri),
            _ => Answer::Silence,
        }
    })
    .await;
    let connection = told.connect().await;
    let entry = listed(&connection).await;
    let (store, cancel) = (Store::default(), CancellationToken::new());
    let server = server();
    let fetch = connection.fetch(&entry, &server, &store, &|_| {}, &cancel);
    let watch = async {
        while reads(&told).len() < 17 {
            tokio::task::yield_now().await;
        }
        for _ in 0..1000 {
            tokio::task::yield_now().await;
        }
        cancel.cancel();
    };
    let (stopped, ()) = tokio::join!(fetch, watch);
    assert_eq!(stopped.unwrap_err().kind(), ErrorKind::Cancelled);
    let mut asked = reads(&told);
    // The SKILL.md comes first and alone, and the other files in their order.
    assert_eq!(asked.remove(0), "skill://review/SKILL.md");
    asked.sort();
    assert_eq!(asked.len(), 16);
    assert_eq!(
        (asked[0].as_str(), asked[15].as_str()),
        ("skill://review/f00", "skill://review/f15")
    );
}

#[tokio::test]
async fn a_server_that_is_asked_too_much_is_asked_again_with_less_at_once() {
    let count = AtomicUsize::new(0);
    let told = Told::with_extension(move |method, params| match method {
        "skills/list" => page(vec![review(FILES)], None),
        _ if count.fetch_add(1, Ordering::SeqCst) < 2 => {
            Answer::Raw(503, "text/plain", "busy".to_owned())
        }
        _ => answer(params["uri"].as_str()),
    })
    .await;
    let connection = told.connect().await;
    let entry = listed(&connection).await;
    let (store, cancel) = (Store::default(), CancellationToken::new());
    let fetched = connection.fetch(&entry, &server(), &store, &|_| {}, &cancel).await.unwrap();
    assert!(fetched.is_verified());
    assert_eq!(reads(&told).len(), 6);
}

#[tokio::test]
async fn a_file_that_was_late_once_is_asked_for_again_and_one_that_never_comes_is_not_twice() {
    for (silent, comes) in [(1, true), (2, false)] {
        let count = AtomicUsize::new(0);
        let told = Told::with_extension(move |method, params| match method {
            "skills/list" => page(vec![review(FILES)], None),
            _ if params["uri"] == "skill://review/c"
                && count.fetch_add(1, Ordering::SeqCst) < silent =>
            {
                Answer::Silence
            }
            _ => answer(params["uri"].as_str()),
        })
        .await;
        let mut context = context();
        context.timeouts.call = Duration::from_millis(1500);
        let connection = Connection::open(&endpoint(told.addr), &context).await.unwrap();
        let entry = listed(&connection).await;
        let (store, cancel) = (Store::default(), CancellationToken::new());
        let fetched = connection.fetch(&entry, &server(), &store, &|_| {}, &cancel).await;
        assert_eq!(told.times_asked("resources/read skill://review/c"), 2);
        match fetched {
            Ok(fetched) => assert!(comes && fetched.is_verified()),
            Err(error) => assert!(!comes && error.kind() == ErrorKind::Timeout, "{error}"),
        }
    }
}

#[tokio::test]
async fn an_answer_far_larger_than_declared_is_cut_off() {
    // 2 bytes are declared: six for each, and 64 KiB for all else, is the most.
    let most = 2 * 6 + 65_536;
    let answer = |bytes: usize| {
        let body = |fill: usize| {
            let content =
                json!({ "uri": "x", "text": "aa", "_meta": { "fill": " ".repeat(fill) } });
            json!({ "jsonrpc": "2.0", "id": 2, "result": { "contents": [content] } }).to_string()
        };
        body(bytes - body(0).len())
    };
    for (bytes, within) in [(most, true), (most + 1, false)] {
        let told = Told::with_extension(move |method, params| match method {
            "skills/list" => page(vec![review(FILES)], None),
            _ if params["uri"] == "skill://review/a" => {
                Answer::Raw(200, "application/json", answer(bytes))
            }
            _ => Answer::Error(-32602, "unknown"),
        })
        .await;
        let connection = told.connect().await;
        let entry = listed(&connection).await;
        let outcome = connection.read_file(&entry, "a").await.unwrap().outcome;
        match outcome {
            FileOutcome::Verified { .. } => assert!(within),
            FileOutcome::Failed(reason) => {
                assert_eq!(reason, format!("the answer is larger than {most} bytes"));
                assert!(!within);
            }
            other => panic!("{other:?}"),
        }
    }
}

#[tokio::test]
async fn a_message_of_thirty_two_mebibytes_is_taken_and_one_more_byte_is_not() {
    for (bytes, taken) in [(33_554_432, true), (33_554_433, false)] {
        let told = Told::with_extension(move |_, _| {
            let list = json!({ "jsonrpc": "2.0", "id": 1, "result": { "skills": [] } }).to_string();
            let fill = " ".repeat(bytes - list.len());
            Answer::Raw(200, "application/json", list + &fill)
        })
        .await;
        let listed = told.connect().await.list().await;
        assert_eq!(listed.is_ok(), taken, "{listed:?}");
    }
}

#[tokio::test]
async fn an_answer_that_does_not_begin_in_time_is_given_up() {
    let told = Told::with_extension(|method, _| match method {
        "skills/list" => page(vec![review(FILES)], None),
        _ => Answer::Silence,
    })
    .await;
    let mut context = context();
    context.timeouts.first_byte = Duration::from_millis(200);
    let connection = Connection::open(&endpoint(told.addr), &context).await.unwrap();
    let entry = listed(&connection).await;
    let error = connection.read_file(&entry, "a").await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Timeout, "{error}");
}

#[tokio::test]
async fn a_whole_fetch_has_a_time_of_its_own() {
    let told = Told::with_extension(|method, _| match method {
        "skills/list" => page(vec![review(FILES)], None),
        _ => Answer::Silence,
    })
    .await;
    let mut context = context();
    context.timeouts.fetch = Duration::from_millis(200);
    let connection = Connection::open(&endpoint(told.addr), &context).await.unwrap();
    let entry = listed(&connection).await;
    let (store, cancel) = (Store::default(), CancellationToken::new());
    let error = connection.fetch(&entry, &server(), &store, &|_| {}, &cancel).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Timeout);
    assert!(error.to_string().ends_with("no answer within 200 ms"), "{error}");
}

/// A store that says that it holds this much already.
struct Full(u64, Store);

impl Blobs for Full {
    fn get(&self, server: &ServerId, digest: &Digest) -> Result<Option<Vec<u8>>, BlobsError> {
        self.1.get(server, digest)
    }

    fn put(&self, server: &ServerId, bytes: &[u8]) -> Result<Digest, BlobsError> {
        self.1.put(server, bytes)
    }

    fn stored(&self, _: &ServerId) -> Result<u64, BlobsError> {
        Ok(self.0)
    }
}

#[tokio::test]
async fn no_more_than_a_gibibyte_is_kept_of_one_server() {
    let told = honest().await;
    let connection = told.connect().await;
    let entry = listed(&connection).await;
    let room = 1_073_741_824 - entry.manifest().total_size();
    let cancel = CancellationToken::new();
    let fits = Full(room, Store::default());
    assert!(connection.fetch(&entry, &server(), &fits, &|_| {}, &cancel).await.is_ok());
    let before = reads(&told).len();
    let full = Full(room + 1, Store::default());
    let error = connection.fetch(&entry, &server(), &full, &|_| {}, &cancel).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Refused);
    assert!(error.to_string().ends_with("1073741824 is the most"), "{error}");
    assert_eq!(reads(&told).len(), before, "nothing was asked for");
}

#[tokio::test]
async fn how_long_a_list_stays_good_is_the_least_of_its_pages() {
    let told = Told::with_extension(|_, params| {
        let (ttl, next) = match params["cursor"].as_str() {
            None => (90_000, Some("2")),
            Some(_) => (30_000, None),
        };
        let mut page = json!({
            "resultType": "complete", "ttlMs": ttl, "cacheScope": "public", "skills": [],
        });
        if let Some(next) = next {
            page["nextCursor"] = json!(next);
        }
        Answer::Result(page)
    })
    .await;
    assert_eq!(told.connect().await.list().await.unwrap().good_for_ms, Some(30_000));
}

#[tokio::test]
async fn a_server_that_nobody_waits_for_any_more_is_told_so() {
    let told = Told::with_extension(|method, _| match method {
        "skills/list" => page(vec![review(FILES)], None),
        "resources/read" => Answer::Silence,
        _ => Answer::Raw(202, "text/plain", String::new()),
    })
    .await;
    let connection = Arc::new(told.connect().await);
    let entry = listed(&connection).await;
    let cancel = CancellationToken::new();
    let (asking, stop) = (Arc::clone(&connection), cancel.clone());
    let fetch = tokio::spawn(async move {
        let store = Store::default();
        asking.fetch(&entry, &server(), &store, &|_| {}, &stop).await
    });
    while reads(&told).is_empty() {
        tokio::task::yield_now().await;
    }
    cancel.cancel();
    assert_eq!(fetch.await.unwrap().unwrap_err().kind(), ErrorKind::Cancelled);
}
