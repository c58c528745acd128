//! One server and several callers: what each may see, what each is told, and what none can do to
//! the others.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::disallowed_methods)]

mod support;

use std::net::SocketAddr;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use skills::provider::policy::{Action, Caller, Policy};
use skills::provider::{DirectoryProvider, Mode, Options, Provider};
use skills_mcp::server::{
    ClientEvent, Observer, ServeOptions, Served, Token, Transport, serve_http, serve_stream,
};
use support::{Memory, served};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;
use tokio::sync::{oneshot, watch};
use tokio_util::sync::CancellationToken;

/// No test waits so long unless it fails.
const LONG: Duration = Duration::from_secs(60);

fn client() -> reqwest::Client {
    reqwest::Client::builder().no_proxy().build().unwrap()
}

/// Who asks, and how.
#[derive(Clone, Copy)]
struct As<'a> {
    addr: SocketAddr,
    token: &'a str,
}

impl As<'_> {
    async fn post(self, headers: &[(&str, &str)], body: String) -> reqwest::Response {
        let mut request = client()
            .post(format!("http://{}/mcp", self.addr))
            .header("accept", "application/json, text/event-stream")
            .header("content-type", "application/json")
            .body(body);
        if !self.token.is_empty() {
            request = request.bearer_auth(self.token);
        }
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        request.send().await.unwrap()
    }

    /// One request of 2026-07-28.
    async fn ask(self, method: &str, mut params: Value) -> reqwest::Response {
        let name = params["uri"].as_str().unwrap_or_default().to_owned();
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": { "name": "evil\u{1b}\ntest", "version": "1" },
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        let mut headers = vec![("mcp-protocol-version", "2026-07-28"), ("mcp-method", method)];
        if method == "resources/read" {
            headers.push(("mcp-name", &name));
        }
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        self.post(&headers, body.to_string()).await
    }

    async fn call(self, method: &str, params: Value) -> Value {
        answer(self.ask(method, params).await).await
    }

    /// What one field of every item of a list says.
    async fn list(self, method: &str, items: &str, field: &str, params: Value) -> Vec<String> {
        let answer = self.call(method, params).await;
        let items = answer["result"][items].as_array().unwrap_or_else(|| panic!("{answer}"));
        items.iter().map(|item| item[field].as_str().unwrap().to_owned()).collect()
    }

    /// One request of an older client, in a session where there is one.
    async fn older(
        self,
        session: Option<&str>,
        version: &str,
        message: Value,
    ) -> reqwest::Response {
        let mut headers = vec![("mcp-protocol-version", version)];
        if let Some(session) = session {
            headers.push(("mcp-session-id", session));
        }
        self.post(&headers, message.to_string()).await
    }

    /// Shakes hands; gives the session and what the server said.
    async fn hello(self, version: &str) -> (Option<String>, Value) {
        let hello = json!({
            "jsonrpc": "2.0", "id": 1, "method": "initialize",
            "params": {
                "protocolVersion": version, "capabilities": {},
                "clientInfo": { "name": "old", "version": "1" },
            },
        });
        let response = self.post(&[], hello.to_string()).await;
        let session = response.headers().get("mcp-session-id");
        let session = session.map(|session| session.to_str().unwrap().to_owned());
        (session, answer(response).await)
    }
}

/// The message in an answer of either kind.
async fn answer(response: reqwest::Response) -> Value {
    let text = response.text().await.unwrap();
    let json = text.lines().find_map(|line| line.strip_prefix("data: ")).unwrap_or(&text);
    serde_json::from_str(json).unwrap_or_else(|_| panic!("{text}"))
}

/// The next message of a stream of events.
async fn next(response: &mut reqwest::Response, rest: &mut String) -> Value {
    loop {
        if let Some(at) = rest.find("\n\n") {
            let event: String = rest.drain(..at + 2).collect();
            let data = event.lines().find_map(|line| line.strip_prefix("data: "));
            if let Some(data) = data {
                return serde_json::from_str(data).unwrap();
            }
            continue;
        }
        let chunk = tokio::time::timeout(LONG, response.chunk()).await.unwrap().unwrap();
        rest.push_str(std::str::from_utf8(&chunk.expect("the stream ended")).unwrap());
    }
}

fn write(root: &Path, path: &str, text: &str) {
    let path = root.join(path);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

/// A root with the skills `common`, `hidden` and `mixed`.
fn root() -> tempfile::TempDir {
    let root = tempfile::tempdir().unwrap();
    for name in ["common", "hidden", "mixed"] {
        let main = format!("---\nname: {name}\ndescription: Does it.\n---\nBody.\n");
        write(root.path(), &format!("{name}/SKILL.md"), &main);
        write(root.path(), &format!("{name}/docs/a.md"), "a\n");
    }
    write(root.path(), "mixed/private/key.txt", "secret\n");
    root
}

fn provider(root: &Path) -> Arc<dyn Provider> {
    let options = Options { mode: Mode::Strict, ..Options::default() };
    Arc::new(DirectoryProvider::new(vec![root.to_owned()], options))
}

/// `all` sees everything, anybody else not `hidden` and not what is private in `mixed`.
struct Two;

impl Policy for Two {
    fn allows(&self, caller: &Caller, _: Action, uri: &str) -> bool {
        let hidden = uri == "skill://hidden" || uri.starts_with("skill://hidden/");
        let private = uri.starts_with("skill://mixed/private");
        caller.identity.as_deref() == Some("all") || !(hidden || private)
    }
}

fn two(changes: Option<watch::Receiver<u64>>) -> ServeOptions {
    let token = |identity: &str| Token {
        identity: identity.to_owned(),
        secret: format!("{identity}-secret"),
        scopes: Vec::new(),
    };
    ServeOptions {
        tokens: vec![token("all"), token("some")],
        policy: Some(Arc::new(Two)),
        changes,
        ..ServeOptions::default()
    }
}

fn both(addr: SocketAddr) -> (As<'static>, As<'static>) {
    (As { addr, token: "all-secret" }, As { addr, token: "some-secret" })
}

#[tokio::test]
async fn two_tokens_see_different_listings_templates_reads_folders_and_entries() {
    let root = root();
    let (addr, _guard) = served(provider(root.path()), two(None)).await;
    let (all, some) = both(addr);

    let listed = |who: As<'static>| who.list("resources/list", "resources", "uri", json!({}));
    let of_all = listed(all).await;
    assert!(of_all.iter().any(|uri| uri == "skill://hidden/SKILL.md"), "{of_all:?}");
    let of_some = listed(some).await;
    assert!(of_some.iter().any(|uri| uri == "skill://common/SKILL.md"), "{of_some:?}");
    assert!(of_some.iter().all(|uri| !uri.contains("hidden")), "{of_some:?}");

    let templates = |who: As<'static>| {
        who.list("resources/templates/list", "resourceTemplates", "uriTemplate", json!({}))
    };
    let hidden = "skill://hidden/{path*}".to_owned();
    assert!(templates(all).await.contains(&hidden));
    assert!(!templates(some).await.contains(&hidden));

    let skills = |who: As<'static>| who.list("skills/list", "skills", "uri", json!({}));
    assert_eq!(
        skills(all).await,
        ["skill://common/SKILL.md", "skill://hidden/SKILL.md", "skill://mixed/SKILL.md"]
    );
    // One file of `mixed` may not be read, so it is no entry at all.
    assert_eq!(skills(some).await, ["skill://common/SKILL.md"]);

    for (method, uri) in [
        ("resources/read", "skill://hidden/SKILL.md"),
        ("resources/read", "skill://hidden/docs/a.md"),
        ("resources/read", "skill://mixed/private/key.txt"),
        ("resources/read", "skill://mixed/pri%76ate/key.txt"),
        ("skills/get", "skill://hidden/SKILL.md"),
        ("skills/get", "skill://mixed/SKILL.md"),
        ("resources/directory/read", "skill://hidden"),
        ("resources/directory/read", "skill://mixed/private"),
    ] {
        let answer = some.call(method, json!({ "uri": uri })).await;
        assert_eq!(answer["error"]["code"], -32602, "{method} {uri}: {answer}");
        let nothing = uri.replace("hidden", "nothing").replace("mixed", "nothing");
        let absent = some.call(method, json!({ "uri": nothing })).await;
        assert_eq!(
            answer["error"]["message"].as_str().unwrap().replace(uri, ""),
            absent["error"]["message"].as_str().unwrap().replace(&nothing, ""),
            "{method}"
        );
        if method != "skills/get" && !uri.contains('%') {
            let answer = all.call(method, json!({ "uri": uri })).await;
            assert!(answer["result"].is_object(), "{method} {uri}: {answer}");
        }
    }

    let children = |who: As<'static>| {
        who.list("resources/directory/read", "resources", "uri", json!({ "uri": "skill://mixed" }))
    };
    let private = "skill://mixed/private".to_owned();
    assert!(children(all).await.contains(&private));
    assert!(!children(some).await.contains(&private));
}

#[tokio::test]
async fn a_cursor_of_one_caller_is_invalid_for_another_who_may_not_see_what_it_names() {
    let root = root();
    let options = ServeOptions { page_size: Some(2), ..two(None) };
    let (addr, _guard) = served(provider(root.path()), options).await;
    let (all, some) = both(addr);
    let first = all.call("skills/list", json!({})).await;
    assert_eq!(first["result"]["skills"].as_array().unwrap().len(), 2);
    let cursor = json!({ "cursor": first["result"]["nextCursor"] });
    let second = all.call("skills/list", cursor.clone()).await;
    assert_eq!(second["result"]["skills"][0]["uri"], "skill://mixed/SKILL.md");
    assert_eq!(second["result"].get("nextCursor"), None);
    let foreign = some.call("skills/list", cursor).await;
    let unknown = some.call("skills/list", json!({ "cursor": "bm9uZQ" })).await;
    assert_eq!(foreign["error"]["code"], -32602);
    assert_eq!(foreign["error"], unknown["error"]);
}

#[tokio::test]
async fn a_listener_is_told_of_the_resources_that_changed_and_that_it_may_see() {
    let root = root();
    let (changes, feed) = watch::channel(0);
    let (addr, _guard) = served(provider(root.path()), two(Some(feed))).await;
    let (all, some) = both(addr);
    let uris = json!([
        "skill://common/docs/a.md",
        "skill://hidden/docs/a.md",
        "skill://mixed/docs/a.md",
        "skill://mixed/docs/later.md",
    ]);
    let filter = json!({ "notifications": {
        "resourceSubscriptions": uris, "resourcesListChanged": true,
    } });
    let mut of_all = all.ask("subscriptions/listen", filter.clone()).await;
    let mut of_some = some.ask("subscriptions/listen", filter).await;
    let (mut rest, mut rest_of_some) = (String::new(), String::new());
    for (stream, rest) in [(&mut of_all, &mut rest), (&mut of_some, &mut rest_of_some)] {
        let told = next(stream, rest).await;
        assert_eq!(told["method"], "notifications/subscriptions/acknowledged");
        assert_eq!(told["params"]["notifications"]["resourceSubscriptions"], uris);
    }
    write(root.path(), "hidden/docs/a.md", "another\n");
    write(root.path(), "mixed/docs/a.md", "another\n");
    write(root.path(), "mixed/docs/later.md", "new\n");
    changes.send_modify(|count| *count += 1);
    let told = async |stream: &mut reqwest::Response, rest: &mut String, count: usize| {
        let list = next(stream, rest).await;
        assert_eq!(list["method"], "notifications/resources/list_changed");
        let mut uris = Vec::new();
        for _ in 0..count {
            let told = next(stream, rest).await;
            assert_eq!(told["method"], "notifications/resources/updated");
            uris.push(told["params"]["uri"].as_str().unwrap().to_owned());
        }
        uris
    };
    assert_eq!(
        told(&mut of_all, &mut rest, 3).await,
        ["skill://hidden/docs/a.md", "skill://mixed/docs/a.md", "skill://mixed/docs/later.md"]
    );
    assert_eq!(
        told(&mut of_some, &mut rest_of_some, 2).await,
        ["skill://mixed/docs/a.md", "skill://mixed/docs/later.md"]
    );
    // Had there been more, it would come before what is told of the next change.
    write(root.path(), "common/docs/a.md", "another\n");
    changes.send_modify(|count| *count += 1);
    assert_eq!(told(&mut of_some, &mut rest_of_some, 1).await, ["skill://common/docs/a.md"]);
}

#[tokio::test]
async fn every_older_version_shakes_hands_over_http_and_gets_the_extension() {
    let root = root();
    let (addr, _guard) = served(provider(root.path()), ServeOptions::default()).await;
    let me = As { addr, token: "" };
    for version in ["2025-11-25", "2025-06-18", "2025-03-26"] {
        let (session, hello) = me.hello(version).await;
        assert_eq!(hello["result"]["protocolVersion"], version);
        assert_eq!(
            hello["result"]["capabilities"]["extensions"]["io.modelcontextprotocol/skills"],
            json!({ "directoryRead": true })
        );
        let ready = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
        assert_eq!(me.older(session.as_deref(), version, ready).await.status(), 202);
        // In the session, and without it.
        for session in [session.as_deref(), None] {
            let request = |method: &str, params: Value| json!({ "jsonrpc": "2.0", "id": 2, "method": method, "params": params });
            let list = request("skills/list", json!({}));
            let listed = answer(me.older(session, version, list).await).await;
            assert_eq!(listed["result"]["skills"][0]["uri"], "skill://common/SKILL.md");
            assert_eq!(listed["result"].get("ttlMs"), None);
            let uri = json!({ "uri": "skill://common/docs/a.md" });
            let read = request("resources/read", uri);
            let read = answer(me.older(session, version, read).await).await;
            assert_eq!(read["result"]["contents"][0]["text"], "a\n");
            let none = request("resources/read", json!({ "uri": "skill://common/none" }));
            let none = answer(me.older(session, version, none).await).await;
            assert_eq!(none["error"]["code"], -32002);
        }
    }
}

#[tokio::test]
async fn a_session_is_its_owners_and_tells_what_that_caller_subscribed_to() {
    let root = root();
    let (changes, feed) = watch::channel(0);
    let (addr, _guard) = served(provider(root.path()), two(Some(feed))).await;
    let (all, some) = both(addr);
    let receivers = changes.receiver_count();
    let version = "2025-11-25";
    let (session, hello) = some.hello(version).await;
    let session = session.unwrap();
    let told = &hello["result"]["capabilities"]["resources"];
    assert_eq!(*told, json!({ "subscribe": true, "listChanged": true }));
    let ready = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    let foreign = all.older(Some(&session), version, ready.clone()).await;
    assert_eq!(foreign.status(), 404);
    assert_eq!(some.older(Some(&session), version, ready).await.status(), 202);

    let subscribe = |uri: &str| json!({ "jsonrpc": "2.0", "id": 3, "method": "resources/subscribe", "params": { "uri": uri } });
    for uri in ["skill://common/docs/a.md", "skill://mixed/docs/a.md"] {
        let done = answer(some.older(Some(&session), version, subscribe(uri)).await).await;
        assert_eq!(done["result"], json!({}), "{done}");
    }
    let hidden = subscribe("skill://hidden/docs/a.md");
    let refused = answer(some.older(Some(&session), version, hidden).await).await;
    assert_eq!(refused["error"]["code"], -32002);
    let alone = some.older(None, version, subscribe("skill://common/docs/a.md")).await;
    assert_eq!(answer(alone).await["error"]["code"], -32601);
    let unsubscribe = json!({
        "jsonrpc": "2.0", "id": 4, "method": "resources/unsubscribe",
        "params": { "uri": "skill://common/docs/a.md" },
    });
    let done = answer(some.older(Some(&session), version, unsubscribe).await).await;
    assert_eq!(done["result"], json!({}));

    let stream = |token: &'static str| {
        client()
            .get(format!("http://{addr}/mcp"))
            .bearer_auth(token)
            .header("accept", "text/event-stream")
            .header("mcp-session-id", &session)
            .header("mcp-protocol-version", version)
            .send()
    };
    assert_eq!(stream("all-secret").await.unwrap().status(), 404);
    let mut stream = stream("some-secret").await.unwrap();
    assert_eq!(stream.status(), 200);
    for path in ["common/docs/a.md", "hidden/docs/a.md", "mixed/docs/a.md"] {
        write(root.path(), path, "another\n");
    }
    changes.send_modify(|count| *count += 1);
    let mut rest = String::new();
    let list = next(&mut stream, &mut rest).await;
    assert_eq!(list["method"], "notifications/resources/list_changed");
    let updated = next(&mut stream, &mut rest).await;
    assert_eq!(updated["params"], json!({ "uri": "skill://mixed/docs/a.md" }));

    let close = |who: As<'static>| {
        client()
            .delete(format!("http://{addr}/mcp"))
            .bearer_auth(who.token)
            .header("mcp-session-id", &session)
            .header("mcp-protocol-version", version)
            .send()
    };
    assert_eq!(close(all).await.unwrap().status(), 404);
    assert!(close(some).await.unwrap().status().is_success());
    let list = json!({ "jsonrpc": "2.0", "id": 5, "method": "resources/list" });
    assert_eq!(some.older(Some(&session), version, list).await.status(), 404);
    // Nothing waits for the next change to notice that the client is gone.
    tokio::time::timeout(LONG, async {
        while changes.receiver_count() > receivers {
            tokio::task::yield_now().await;
        }
    })
    .await
    .unwrap();
}

#[tokio::test]
async fn what_tells_an_older_client_ends_with_its_connection() {
    let (changes, feed) = watch::channel(0);
    let (client, server) = tokio::io::duplex(1 << 16);
    let (read, write) = tokio::io::split(server);
    let options = ServeOptions { changes: Some(feed), ..ServeOptions::default() };
    let shutdown = CancellationToken::new();
    let serving = tokio::spawn(serve_stream(Memory::shared(true), read, write, options, shutdown));
    let (read, mut write) = tokio::io::split(client);
    let hello = json!({
        "jsonrpc": "2.0", "id": 1, "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": { "name": "old", "version": "1" },
        },
    });
    let ready = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    write.write_all(format!("{hello}\n{ready}\n{ready}\n").as_bytes()).await.unwrap();
    let mut read = BufReader::new(read);
    let mut line = String::new();
    read.read_line(&mut line).await.unwrap();
    line.clear();
    // The notification may arrive after the change otherwise.
    let ping = json!({ "jsonrpc": "2.0", "id": 2, "method": "ping" });
    write.write_all(format!("{ping}\n").as_bytes()).await.unwrap();
    read.read_line(&mut line).await.unwrap();
    line.clear();
    while changes.receiver_count() < 2 {
        tokio::task::yield_now().await;
    }
    changes.send_modify(|count| *count += 1);
    read.read_line(&mut line).await.unwrap();
    let told: Value = serde_json::from_str(&line).unwrap();
    assert_eq!(told["method"], "notifications/resources/list_changed");
    drop((read, write));
    serving.await.unwrap().unwrap();
    tokio::time::timeout(LONG, changes.closed()).await.unwrap();
}

#[tokio::test]
async fn answers_may_be_shared_only_where_all_callers_get_the_same() {
    let root = root();
    for (options, token, scope) in
        [(ServeOptions::default(), "", "public"), (two(None), "all-secret", "private")]
    {
        let (addr, _guard) = served(provider(root.path()), options).await;
        let me = As { addr, token };
        let uri = json!({ "uri": "skill://common/SKILL.md" });
        for (method, params) in [
            ("server/discover", json!({})),
            ("resources/list", json!({})),
            ("resources/templates/list", json!({})),
            ("resources/read", uri.clone()),
            ("skills/list", json!({})),
            ("skills/get", uri),
            ("resources/directory/read", json!({ "uri": "skill://common" })),
        ] {
            let response = me.ask(method, params).await;
            assert_eq!(response.headers()["content-type"], "application/json", "{method}");
            let result = answer(response).await["result"].clone();
            assert_eq!(result["cacheScope"], scope, "{method}");
            assert_eq!(result["ttlMs"], 0, "{method}");
            assert_eq!(result["resultType"], "complete", "{method}");
        }
    }
}

#[tokio::test]
async fn an_entry_has_one_uri_whatever_else_its_files_are_read_by() {
    let root = root();
    let (addr, _guard) = served(provider(root.path()), ServeOptions::default()).await;
    let me = As { addr, token: "" };
    let uri = json!({ "uri": "skill://c%6Fmmon/SKILL.md" });
    assert!(me.call("resources/read", uri.clone()).await["result"].is_object());
    assert_eq!(me.call("skills/get", uri).await["error"]["code"], -32602);
}

#[tokio::test]
async fn what_is_no_message_is_refused_with_a_reason() {
    let (addr, _guard) = served(Memory::shared(true), ServeOptions::default()).await;
    let me = As { addr, token: "" };
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let read = |params: Value| json!({ "jsonrpc": "2.0", "id": 7, "method": "resources/read", "params": params });
    for (body, code, id) in [
        ("{".to_owned(), -32700, Value::Null),
        ("\u{feff}".to_owned(), -32700, Value::Null),
        (deep, -32700, Value::Null),
        ("[]".to_owned(), -32600, Value::Null),
        ("7".to_owned(), -32600, Value::Null),
        (json!({ "jsonrpc": "1.0", "id": {}, "method": 5 }).to_string(), -32600, Value::Null),
    ] {
        let shown: String = body.chars().take(60).collect();
        let response = me.post(&[], body).await;
        assert_eq!(response.status(), 400, "{shown}");
        let answer = answer(response).await;
        assert_eq!(answer["error"]["code"], code, "{shown}: {answer}");
        assert_eq!(answer["id"], id, "{shown}");
    }
    for params in [json!({ "uri": 5 }), json!({})] {
        let answer = answer(me.older(None, "2025-06-18", read(params)).await).await;
        assert_eq!(answer["error"]["code"], -32602, "{answer}");
    }
    let long = read(json!({ "uri": "x".repeat(2 << 20) })).to_string();
    // The server answers without reading all of it, which the client may take for a broken pipe.
    let mut stream = TcpStream::connect(addr).await.unwrap();
    let head = format!(
        "POST /mcp HTTP/1.1\r\nhost: {addr}\r\ncontent-type: application/json\r\n\
         accept: application/json, text/event-stream\r\ncontent-length: {}\r\n\r\n",
        long.len()
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    let mut answer = vec![0; 12];
    let sent = stream.write_all(&long.as_bytes()[..(1 << 20) + 1]).await;
    drop(sent);
    stream.read_exact(&mut answer).await.unwrap();
    assert_eq!(answer, b"HTTP/1.1 413");
    assert_eq!(me.call("resources/list", json!({})).await["id"], 1);
}

#[tokio::test]
async fn idle_and_half_open_connections_keep_nobody_out() {
    let (addr, _guard) = served(Memory::shared(true), ServeOptions::default()).await;
    let mut held = Vec::new();
    for number in 0..450 {
        let mut stream = TcpStream::connect(addr).await.unwrap();
        if number % 2 == 0 {
            stream.write_all(b"POST /mcp HTTP/1.1\r\nhost: loc").await.unwrap();
        }
        held.push(stream);
    }
    let me = As { addr, token: "" };
    let answer = tokio::time::timeout(LONG, me.call("resources/list", json!({}))).await.unwrap();
    assert!(answer["result"].is_object());
    drop(held);
}

#[tokio::test]
async fn serving_http_ends_with_the_shutdown_though_clients_listen() {
    let (changes, feed) = watch::channel(0);
    let shutdown = CancellationToken::new();
    let (say, bound) = oneshot::channel();
    let (stop, any) = (shutdown.clone(), SocketAddr::from(([127, 0, 0, 1], 0)));
    let options = ServeOptions { changes: Some(feed), ..ServeOptions::default() };
    let serving = tokio::spawn(async move {
        serve_http(Memory::shared(true), any, options, stop, |addr| say.send(addr).unwrap()).await
    });
    let addr = bound.await.unwrap();
    let me = As { addr, token: "" };
    let filter = json!({ "notifications": { "resourcesListChanged": true } });
    let mut stream = me.ask("subscriptions/listen", filter).await;
    next(&mut stream, &mut String::new()).await;
    let _idle = TcpStream::connect(addr).await.unwrap();
    shutdown.cancel();
    tokio::time::timeout(LONG, serving).await.unwrap().unwrap().unwrap();
    assert!(TcpStream::connect(addr).await.is_err());
    tokio::time::timeout(LONG, changes.closed()).await.unwrap();
}

#[derive(Default)]
struct Log {
    clients: Mutex<Vec<ClientEvent>>,
    requests: Mutex<Vec<Served>>,
}

impl Observer for Log {
    fn client(&self, event: ClientEvent) {
        self.clients.lock().unwrap().push(event);
    }

    fn request(&self, request: Served) {
        self.requests.lock().unwrap().push(request);
    }
}

#[tokio::test]
async fn clients_and_requests_are_told_of_in_bounded_words() {
    let root = root();
    let log = Arc::new(Log::default());
    let observer = Some(Arc::clone(&log) as Arc<dyn Observer>);
    let options = ServeOptions { observer, ..two(None) };
    let (addr, guard) = served(provider(root.path()), options).await;
    let (all, some) = both(addr);
    let long = format!("skill://a\n{}", "a".repeat(5000));
    some.call("resources/read", json!({ "uri": "skill://common/docs/a.md" })).await;
    some.call("resources/directory/read", json!({ "uri": long })).await;
    let (session, _) = all.hello("2025-06-18").await;
    let strange = json!({ "jsonrpc": "2.0", "id": 9, "method": "strange/method" });
    all.older(session.as_deref(), "2025-06-18", strange).await.text().await.unwrap();
    {
        let requests = log.requests.lock().unwrap();
        let seen: Vec<_> = requests
            .iter()
            .map(|served| (served.identity.as_deref().unwrap(), &*served.method, served.outcome))
            .collect();
        assert_eq!(
            seen,
            [
                ("some", "resources/read", Ok(())),
                ("some", "resources/directory/read", Err(-32602)),
                ("all", "initialize", Ok(())),
                ("all", "strange/method", Err(-32601)),
            ]
        );
        assert_eq!(requests[0].uri.as_deref(), Some("skill://common/docs/a.md"));
        assert_eq!(requests[0].client.as_deref(), Some("evil test"));
        assert_eq!(requests[0].transport, Transport::Http);
        assert!(requests[1].uri.as_ref().unwrap().chars().count() <= 301);
    }
    let client = |id: u64, identity: &str, client: &str| ClientEvent::Connected {
        id,
        identity: Some(identity.to_owned()),
        client: Some(client.to_owned()),
        transport: Transport::Http,
    };
    assert_eq!(
        *log.clients.lock().unwrap(),
        [client(1, "some", "evil test"), client(2, "all", "old")]
    );
    drop(guard);
    tokio::time::timeout(LONG, async {
        while log.clients.lock().unwrap().len() < 4 {
            tokio::task::yield_now().await;
        }
    })
    .await
    .unwrap();
    let clients = log.clients.lock().unwrap();
    assert!(clients.contains(&ClientEvent::Gone { id: 1 }), "{clients:?}");
    assert!(clients.contains(&ClientEvent::Gone { id: 2 }), "{clients:?}");
}
