//! Batches of messages, which 2025-03-26 has.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};
use skills::provider::{Content, Entries, Listing, Provider, ReadError};
use skills_mcp::server::{ServeOptions, serve_stream};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, ReadHalf, WriteHalf};
use tokio_util::sync::CancellationToken;

use crate::callers::{As, LONG, answer, provider, root};
use crate::support::{Memory, served};

const OF_BATCHES: &str = "2025-03-26";

fn read(id: impl Into<Value>, uri: &str) -> Value {
    let id: Value = id.into();
    json!({ "jsonrpc": "2.0", "id": id, "method": "resources/read", "params": { "uri": uri } })
}

fn notification() -> Value {
    json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })
}

/// The ids, each with its error or nothing.
fn outcomes(answers: &Value) -> Vec<(Value, Option<i64>)> {
    let answers = answers.as_array().unwrap_or_else(|| panic!("{answers}"));
    let mut outcomes: Vec<_> = answers
        .iter()
        .map(|answer| {
            assert_eq!(answer["jsonrpc"], "2.0", "{answer}");
            assert!(answer["result"].is_object() || answer["error"].is_object(), "{answer}");
            (answer["id"].clone(), answer["error"]["code"].as_i64())
        })
        .collect();
    outcomes.sort_by_key(|(id, _)| id.to_string());
    outcomes
}

/// Messages of every kind, and what they come to.
fn mixed() -> (Value, Vec<(Value, Option<i64>)>) {
    let batch = json!([
        notification(),
        read(1, "skill://review/crlf.txt"),
        read("two", "skill://review/none.txt"),
        { "jsonrpc": "2.0", "id": 3, "method": "strange/method" },
        { "jsonrpc": "2.0", "id": 4, "method": "resources/read", "params": { "uri": 5 } },
        7,
        { "jsonrpc": "2.0", "id": 5, "result": {} },
        { "jsonrpc": "2.0", "id": 6, "method": "ping" },
        { "jsonrpc": "2.0", "id": 7, "method": "resources/list", "params": { "_meta": {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28" } } },
    ]);
    let outcomes = vec![
        (json!("two"), Some(-32002)),
        (json!(1), None),
        (json!(3), Some(-32601)),
        (json!(4), Some(-32602)),
        (json!(6), None),
        (json!(7), Some(-32600)),
        (Value::Null, Some(-32600)),
    ];
    (batch, outcomes)
}

#[tokio::test]
async fn a_batch_over_http_is_answered_by_an_array_in_a_session_and_without() {
    let (addr, _guard) = served(Memory::shared(true), ServeOptions::default()).await;
    let me = As { addr, token: "" };
    let (session, _) = me.hello(OF_BATCHES).await;
    for session in [session.as_deref(), None] {
        let (batch, expected) = mixed();
        let response = me.older(session, OF_BATCHES, batch).await;
        assert_eq!(response.status(), 200);
        assert_eq!(response.headers()["content-type"], "application/json");
        assert_eq!(outcomes(&answer(response).await), expected, "{session:?}");
        let silent = me.older(session, OF_BATCHES, json!([notification(), notification()])).await;
        assert_eq!(silent.status(), 202);
        assert_eq!(silent.text().await.unwrap(), "");
    }
    // Who says no version is of 2025-03-26.
    let response = me.post(&[], json!([read(1, "skill://review/bom.txt")]).to_string()).await;
    assert_eq!(outcomes(&answer(response).await), [(json!(1), None)]);
}

/// Batches that are refused as a whole, each with what is said.
fn refused() -> Vec<(Value, &'static str)> {
    let hello = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {} });
    let ping = json!({ "jsonrpc": "2.0", "id": 2, "method": "ping" });
    vec![
        (json!([]), "a batch has at least one message"),
        (json!([ping, hello]), "initialize does not go into a batch"),
        (Value::Array(vec![ping; 65]), "a batch has 64 messages at most"),
    ]
}

const OTHERS: &str = "only 2025-03-26 has batches of messages; send each by itself";

#[tokio::test]
async fn what_is_no_batch_is_refused_whole_over_http() {
    let (addr, _guard) = served(Memory::shared(true), ServeOptions::default()).await;
    let me = As { addr, token: "" };
    let (session, _) = me.hello(OF_BATCHES).await;
    for session in [session.as_deref(), None] {
        for (batch, why) in refused() {
            let response = me.older(session, OF_BATCHES, batch).await;
            assert_eq!(response.status(), 400, "{why}");
            let said = answer(response).await;
            let error = json!({ "code": -32600, "message": why });
            assert_eq!(said, json!({ "jsonrpc": "2.0", "id": null, "error": error }));
        }
    }
    let full = Value::Array(vec![json!({ "jsonrpc": "2.0", "id": 2, "method": "ping" }); 64]);
    assert_eq!(outcomes(&answer(me.older(None, OF_BATCHES, full).await).await).len(), 64);
}

#[tokio::test]
async fn other_versions_have_no_batches_over_http() {
    let (addr, _guard) = served(Memory::shared(true), ServeOptions::default()).await;
    let me = As { addr, token: "" };
    let batch = || json!([read(1, "skill://review/bom.txt")]);
    for version in ["2025-06-18", "2025-11-25", "2026-07-28"] {
        let said = me.older(None, version, batch()).await;
        assert_eq!(said.status(), 400, "{version}");
        assert_eq!(answer(said).await["error"]["message"], OTHERS);
    }
    // Nor does a session of another version when it does not say which.
    let (session, _) = me.hello("2025-06-18").await;
    let session = [("mcp-session-id", session.as_deref().unwrap())];
    let said = me.post(&session, batch().to_string()).await;
    assert_eq!(answer(said).await["error"]["message"], OTHERS);
}

#[tokio::test]
async fn a_batch_of_an_unknown_session_is_refused_as_one_message_is() {
    let (addr, _guard) = served(Memory::shared(true), ServeOptions::default()).await;
    let me = As { addr, token: "" };
    let batch = json!([read(1, "skill://review/bom.txt")]);
    assert_eq!(me.older(Some("none"), OF_BATCHES, batch).await.status(), 404);
}

/// A client on a pair of streams.
struct Line {
    read: BufReader<ReadHalf<DuplexStream>>,
    write: WriteHalf<DuplexStream>,
}

impl Line {
    async fn to(version: &str) -> Self {
        let (client, server) = tokio::io::duplex(1 << 22);
        let (read, write) = tokio::io::split(server);
        let (options, shutdown) = (ServeOptions::default(), CancellationToken::new());
        tokio::spawn(serve_stream(Memory::shared(true), read, write, options, shutdown));
        let (read, write) = tokio::io::split(client);
        let mut line = Self { read: BufReader::new(read), write };
        line.send(&json!({
            "jsonrpc": "2.0", "id": 0, "method": "initialize",
            "params": {
                "protocolVersion": version, "capabilities": {},
                "clientInfo": { "name": "old", "version": "1" },
            },
        }))
        .await;
        assert_eq!(line.next().await["result"]["protocolVersion"], version);
        line.send(&notification()).await;
        line
    }

    async fn send(&mut self, message: &Value) {
        self.write.write_all(format!("{message}\n").as_bytes()).await.unwrap();
    }

    async fn next(&mut self) -> Value {
        let mut line = String::new();
        tokio::time::timeout(LONG, self.read.read_line(&mut line)).await.unwrap().unwrap();
        serde_json::from_str(&line).unwrap_or_else(|_| panic!("{line}"))
    }
}

#[tokio::test]
async fn a_batch_on_a_line_is_answered_by_an_array_on_a_line() {
    let mut line = Line::to(OF_BATCHES).await;
    let (batch, expected) = mixed();
    line.send(&batch).await;
    assert_eq!(outcomes(&line.next().await), expected);
    // Nothing is said to notifications: the next answer is to the next question.
    line.send(&json!([notification(), notification()])).await;
    line.send(&read("alone", "skill://review/bom.txt")).await;
    assert_eq!(line.next().await["id"], "alone");
    for (batch, why) in refused() {
        line.send(&batch).await;
        let said = line.next().await;
        let error = json!({ "code": -32600, "message": why });
        assert_eq!(said, json!({ "jsonrpc": "2.0", "id": null, "error": error }));
    }
    line.send(&json!([read(1, "skill://review/none"), 8])).await;
    let expected = [(json!(1), Some(-32002)), (Value::Null, Some(-32600))];
    assert_eq!(outcomes(&line.next().await), expected);
}

#[tokio::test]
async fn an_id_that_comes_twice_on_a_line_is_answered_twice() {
    let mut line = Line::to(OF_BATCHES).await;
    let same = || read(7, "skill://review/bom.txt");
    line.send(&json!([same(), same(), read(8, "skill://review/bom.txt")])).await;
    let expected = [(json!(7), Some(-32600)), (json!(7), None), (json!(8), None)];
    let mut got = outcomes(&line.next().await);
    got.sort_by_key(|(id, code)| (id.to_string(), code.is_none()));
    assert_eq!(got, expected);
    // It is free again.
    line.send(&same()).await;
    assert!(line.next().await["result"].is_object());
}

#[tokio::test]
async fn a_cursor_that_is_no_text_is_refused_on_a_line_too() {
    let mut line = Line::to(OF_BATCHES).await;
    for method in ["skills/list", "resources/list", "resources/templates/list"] {
        let list = |cursor: Value| json!({ "jsonrpc": "2.0", "id": 7, "method": method, "params": { "cursor": cursor } });
        line.send(&list(json!(5))).await;
        let said = line.next().await;
        assert_eq!((&said["id"], &said["error"]["code"]), (&json!(7), &json!(-32602)), "{said}");
        line.send(&json!([list(json!(5))])).await;
        assert_eq!(outcomes(&line.next().await), [(json!(7), Some(-32602))]);
        line.send(&list(Value::Null)).await;
        assert!(line.next().await["result"].is_object());
    }
}

/// Counts what is read: files of 20 MiB.
#[derive(Default)]
struct Large(AtomicUsize);

impl Provider for Large {
    fn list(&self) -> Listing {
        Listing::default()
    }

    fn read(&self, _: &str) -> Result<Content, ReadError> {
        self.0.fetch_add(1, Ordering::SeqCst);
        Ok(Content { bytes: vec![b'x'; 20 << 20], mime_type: "text/plain" })
    }

    fn read_within(&self, uri: &str, most: u64) -> Result<Content, ReadError> {
        match 20 << 20 {
            size if size > most => Err(ReadError::Larger { uri: uri.to_owned(), size }),
            _ => self.read(uri),
        }
    }

    fn entries(&self) -> Option<Entries> {
        None
    }
}

#[tokio::test]
async fn once_an_answer_has_no_room_in_a_batch_nothing_more_is_read() {
    let large = Arc::new(Large::default());
    let provider = Arc::clone(&large) as Arc<dyn Provider>;
    let (addr, _guard) = served(provider, ServeOptions::default()).await;
    let batch: Vec<Value> = (0..6).map(|id| read(id, "skill://a/b")).collect();
    let me = As { addr, token: "" };
    let answers = answer(me.older(None, OF_BATCHES, Value::Array(batch)).await).await;
    let refused = |id: i64| (json!(id), Some(-32603));
    let expected = [(json!(0), None), refused(1), refused(2), refused(3), refused(4), refused(5)];
    assert_eq!(outcomes(&answers), expected);
    assert_eq!(large.0.load(Ordering::SeqCst), 2);
}

#[tokio::test]
async fn other_versions_have_no_batches_on_a_line() {
    for version in ["2025-06-18", "2025-11-25"] {
        let mut line = Line::to(version).await;
        line.send(&json!([read(1, "skill://review/bom.txt")])).await;
        assert_eq!(line.next().await["error"]["message"], OTHERS);
        line.send(&read(2, "skill://review/bom.txt")).await;
        assert_eq!(line.next().await["id"], 2);
    }
}

#[tokio::test]
async fn a_line_that_is_too_long_or_no_message_is_answered_and_the_next_one_too() {
    let mut line = Line::to("2025-06-18").await;
    line.send(&read(1, &"x".repeat(2 << 20))).await;
    let said = line.next().await;
    assert_eq!(said["error"]["message"], "a message has 1 MiB at most");
    // However much of what follows has come with its end.
    for (length, said) in [(1 << 20, 1), ((1 << 20) + 1, 2)] {
        let long = " ".repeat(length);
        let both = format!("{long}\n{}\n", read("after", "skill://review/bom.txt"));
        line.write.write_all(both.as_bytes()).await.unwrap();
        for _ in 1..said {
            assert_eq!(line.next().await["error"]["message"], "a message has 1 MiB at most");
        }
        assert_eq!(line.next().await["id"], "after");
    }
    line.send(&json!({ "jsonrpc": "2.0", "id": 2 })).await;
    let said = line.next().await;
    assert_eq!((&said["id"], &said["error"]["code"]), (&json!(2), &json!(-32600)));
    // What other programs notify each other of.
    line.send(&json!({ "jsonrpc": "2.0", "method": "$/strange", "params": 7 })).await;
    line.send(&read(3, "skill://review/bom.txt")).await;
    assert_eq!(line.next().await["id"], 3);
}

#[tokio::test]
async fn a_skill_is_asked_for_by_any_spelling_in_a_batch_too() {
    let root = root();
    let (addr, _guard) = served(provider(root.path()), ServeOptions::default()).await;
    let get = json!([{ "jsonrpc": "2.0", "id": 1, "method": "skills/get",
        "params": { "uri": "skill://c%6Fmmon/SKILL.md" } }]);
    let me = As { addr, token: "" };
    let got = answer(me.older(None, OF_BATCHES, get).await).await;
    assert_eq!(got[0]["result"]["skill"]["uri"], "skill://common/SKILL.md", "{got}");
}
