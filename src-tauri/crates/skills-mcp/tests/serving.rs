//! What our server lets in and how it answers, seen from the wire.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod support;

use std::net::SocketAddr;

use serde_json::{Value, json};
use skills_mcp::server::{ServeError, ServeOptions, Token, serve_http, serve_stream};
use support::{Memory, served};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio_util::sync::CancellationToken;

async fn post(addr: SocketAddr, headers: &[(&str, &str)], body: Value) -> reqwest::Response {
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let mut request = client
        .post(format!("http://{addr}/mcp"))
        .header("accept", "application/json, text/event-stream")
        .header("content-type", "application/json")
        .body(body.to_string());
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    request.send().await.unwrap()
}

fn discover() -> Value {
    request("server/discover", json!({}))
}

fn request(method: &str, mut params: Value) -> Value {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params })
}

/// The result or error of one request on the modern protocol.
async fn call(addr: SocketAddr, method: &str, params: Value) -> Value {
    let name = params["uri"].as_str().unwrap_or_default().to_owned();
    let mut headers = vec![("mcp-protocol-version", "2026-07-28"), ("mcp-method", method)];
    if method == "resources/read" {
        headers.push(("mcp-name", &name));
    }
    let text = post(addr, &headers, request(method, params)).await.text().await.unwrap();
    let json = text.lines().find_map(|line| line.strip_prefix("data: ")).unwrap_or(&text);
    serde_json::from_str(json).unwrap_or_else(|_| panic!("{text}"))
}

const MODERN: &[(&str, &str)] =
    &[("mcp-protocol-version", "2026-07-28"), ("mcp-method", "server/discover")];

async fn status(addr: SocketAddr, header: (&str, &str)) -> u16 {
    let mut headers = MODERN.to_vec();
    headers.push(header);
    post(addr, &headers, discover()).await.status().as_u16()
}

#[tokio::test]
async fn pages_of_other_origins_are_refused() {
    let (addr, _guard) = served(Memory::shared(true), ServeOptions::default()).await;
    assert_eq!(post(addr, MODERN, discover()).await.status(), 200);
    assert_eq!(status(addr, ("origin", "http://localhost:5173")).await, 200);
    for origin in ["https://example.org", "null", "http://127.0.0.1.example.org", "file://", "x"] {
        assert_eq!(status(addr, ("origin", origin)).await, 403, "{origin}");
    }
}

#[tokio::test]
async fn other_host_names_are_refused() {
    let (addr, _guard) = served(Memory::shared(true), ServeOptions::default()).await;
    assert_eq!(status(addr, ("host", "localhost:1")).await, 200);
    for host in ["example.org", "rebound.example.org:80", "192.168.1.7", "10.0.0.1:8000"] {
        assert_eq!(status(addr, ("host", host)).await, 403, "{host}");
    }
}

fn token(identity: &str, secret: &str) -> Token {
    Token { identity: identity.to_owned(), secret: secret.to_owned(), scopes: Vec::new() }
}

#[tokio::test]
async fn without_a_token_nothing_is_answered() {
    let tokens = vec![token("a", "t0ken"), token("b", "0ther")];
    let options = ServeOptions { tokens, ..ServeOptions::default() };
    let (addr, _guard) = served(Memory::shared(true), options).await;
    let response = post(addr, MODERN, discover()).await;
    assert_eq!(response.status(), 401);
    assert_eq!(response.headers()["www-authenticate"], "Bearer realm=\"skillhold\"");
    assert_eq!(status(addr, ("authorization", "Bearer t0ke")).await, 401);
    assert_eq!(status(addr, ("authorization", "Basic t0ken")).await, 401);
    assert_eq!(status(addr, ("authorization", "Bearer t0ken")).await, 200);
    assert_eq!(status(addr, ("authorization", "Bearer 0ther")).await, 200);
}

#[tokio::test]
async fn addresses_that_other_machines_reach_need_leave_and_a_token() {
    let refused = async |addr: &str, options: ServeOptions| {
        serve_http(
            Memory::shared(true),
            addr.parse().unwrap(),
            options,
            CancellationToken::new(),
            |_| panic!("listens"),
        )
        .await
        .unwrap_err()
    };
    for addr in ["0.0.0.0:0", "192.168.1.7:8000", "[::]:0", "[::ffff:192.168.1.7]:0"] {
        let tokens = vec![token("a", "t0ken")];
        let error = refused(addr, ServeOptions { tokens, ..ServeOptions::default() }).await;
        assert!(matches!(error, ServeError::NotLoopback(_)), "{addr}");
        for tokens in [Vec::new(), vec![token("a", "")]] {
            let options = ServeOptions { tokens, allow_remote: true, ..ServeOptions::default() };
            let error = refused(addr, options).await;
            assert!(matches!(error, ServeError::NoToken(_)), "{addr}");
        }
    }
}

#[tokio::test]
async fn the_given_hosts_are_accepted_where_other_machines_may_connect() {
    let hosts = vec!["skills.example.org".to_owned()];
    let options = ServeOptions { allow_remote: true, hosts, ..ServeOptions::default() };
    let (addr, _guard) = served(Memory::shared(true), options).await;
    assert_eq!(status(addr, ("host", "skills.example.org:8000")).await, 200);
    assert_eq!(status(addr, ("origin", "https://skills.example.org")).await, 200);
    assert_eq!(status(addr, ("host", "example.org")).await, 403);
    assert_eq!(status(addr, ("origin", "https://example.org")).await, 403);
}

#[tokio::test]
async fn a_taken_address_is_named() {
    let (addr, _guard) = served(Memory::shared(true), ServeOptions::default()).await;
    let result = serve_http(
        Memory::shared(true),
        addr,
        ServeOptions::default(),
        CancellationToken::new(),
        |_| panic!("listens"),
    )
    .await;
    assert_eq!(result.unwrap_err().to_string(), format!("cannot serve on {addr}"));
}

#[tokio::test]
async fn the_extension_is_declared_only_where_entries_are_published() {
    let declared = |answer: &Value| {
        answer["result"]["capabilities"]["extensions"]["io.modelcontextprotocol/skills"].clone()
    };
    let (addr, _guard) = served(Memory::shared(true), ServeOptions::default()).await;
    let answer = call(addr, "server/discover", json!({})).await;
    assert_eq!(declared(&answer), json!({ "directoryRead": true }));
    assert!(answer["result"]["capabilities"]["resources"].is_object());

    let (addr, _guard) = served(Memory::shared(false), ServeOptions::default()).await;
    let answer = call(addr, "server/discover", json!({})).await;
    assert_eq!(declared(&answer), Value::Null);
    let answer = call(addr, "skills/list", json!({})).await;
    assert_eq!(answer["error"]["code"], -32601);
}

#[tokio::test]
async fn an_entry_has_exactly_the_declared_fields_and_the_result_its_cache_hints() {
    let (addr, _guard) = served(Memory::shared(true), ServeOptions::default()).await;
    let answer = call(addr, "skills/list", json!({})).await;
    let result = &answer["result"];
    assert_eq!(result["resultType"], "complete");
    assert!(result["ttlMs"].is_u64() && result["cacheScope"].is_string());
    let keys: Vec<&String> = result["skills"][0].as_object().unwrap().keys().collect();
    assert_eq!(keys, ["uri", "frontmatter", "resources"]);
    assert_eq!(
        result["skills"][0]["resources"][3],
        json!({
            "uri": "skill://review/crlf.txt",
            "digest": "sha256:6f4792b265fe72790b344fd3ef5294701d9d087bed9fce815c0f4bbad6d2ed87",
            "size": 10,
        })
    );
}

#[tokio::test]
async fn one_entry_is_got_and_an_unknown_one_is_invalid() {
    let (addr, _guard) = served(Memory::shared(true), ServeOptions::default()).await;
    let answer = call(addr, "skills/get", json!({ "uri": "skill://review/SKILL.md" })).await;
    assert_eq!(answer["result"]["skill"]["frontmatter"]["name"], "review");
    for uri in ["skill://none/SKILL.md", "skill://review/crlf.txt", "x"] {
        let answer = call(addr, "skills/get", json!({ "uri": uri })).await;
        assert_eq!(answer["error"]["code"], -32602, "{uri}");
    }
}

#[tokio::test]
async fn directories_list_their_direct_children() {
    let (addr, _guard) = served(Memory::shared(true), ServeOptions::default()).await;
    let read = |uri: &str| call(addr, "resources/directory/read", json!({ "uri": uri }));
    let answer = read("skill://review").await;
    let names: Vec<&str> = answer["result"]["resources"]
        .as_array()
        .unwrap()
        .iter()
        .map(|resource| resource["name"].as_str().unwrap())
        .collect();
    assert_eq!(
        names,
        ["review", "a name", "bom.txt", "crlf.txt", "empty.txt", "icon.png", "inner", "latin.txt"]
    );
    let folder = &answer["result"]["resources"][1];
    assert_eq!(folder["uri"], "skill://review/a%20name");
    assert_eq!(folder["mimeType"], "inode/directory");

    let answer = read("skill://review/a%20name").await;
    let file = &answer["result"]["resources"][0];
    assert_eq!(file["uri"], "skill://review/a%20name/with%20%23%20and%20%2541.txt");
    assert_eq!(file["size"], 3);

    for uri in ["skill://review/crlf.txt", "skill://review/none", "skill://rev", "skill://review/"]
    {
        assert_eq!(read(uri).await["error"]["code"], -32602, "{uri}");
    }
}

#[tokio::test]
async fn text_comes_as_text_where_that_keeps_every_byte() {
    let (addr, _guard) = served(Memory::shared(true), ServeOptions::default()).await;
    let read = async |uri: &str| {
        call(addr, "resources/read", json!({ "uri": uri })).await["result"]["contents"][0].clone()
    };
    let crlf = read("skill://review/crlf.txt").await;
    assert_eq!(crlf["text"], "one\r\ntwo\r\n");
    assert_eq!(crlf["mimeType"], "text/plain");
    assert_eq!(read("skill://review/bom.txt").await["text"], "\u{feff}bom\n");
    assert_eq!(read("skill://review/latin.txt").await["blob"], "Y2Fm6Q==");
    assert_eq!(read("skill://review/icon.png").await["blob"], "iVBORw0KGgoA/w==");
    assert_eq!(read("skill://review/empty.txt").await["text"], "");
    // Older helpers do not encode.
    assert_eq!(read("skill://review/a name/with # and %41.txt").await["text"], "odd");
}

#[tokio::test]
async fn a_manifest_comes_as_text() {
    let (addr, _guard) = served(Memory::shared(false), ServeOptions::default()).await;
    let uri = json!({ "uri": "skill://review/_manifest" });
    let answer = call(addr, "resources/read", uri).await;
    let contents = &answer["result"]["contents"][0];
    assert_eq!(contents["mimeType"], "application/json");
    let manifest: Value = serde_json::from_str(contents["text"].as_str().unwrap()).unwrap();
    assert_eq!(manifest["skill"], "review");
}

#[tokio::test]
async fn an_unknown_resource_and_a_stale_cursor_are_invalid() {
    let (addr, _guard) = served(Memory::shared(true), ServeOptions::default()).await;
    let answer = call(addr, "resources/read", json!({ "uri": "skill://review/none" })).await;
    assert_eq!(answer["error"]["code"], -32602);
    let answer = call(addr, "resources/list", json!({ "cursor": "bm9uZQ" })).await;
    assert_eq!(answer["error"]["code"], -32602);
}

/// One line to the server, one line back.
async fn exchange(
    line: Value,
    write: &mut (impl AsyncWriteExt + Unpin),
    read: &mut (impl AsyncBufReadExt + Unpin),
) -> Value {
    write.write_all(format!("{line}\n").as_bytes()).await.unwrap();
    let mut answer = String::new();
    read.read_line(&mut answer).await.unwrap();
    serde_json::from_str(&answer).unwrap()
}

#[tokio::test]
async fn older_clients_shake_hands_and_get_their_error_code_until_the_input_ends() {
    let (client, server) = tokio::io::duplex(1 << 16);
    let (read, write) = tokio::io::split(server);
    let serving = tokio::spawn(serve_stream(
        Memory::shared(false),
        read,
        write,
        ServeOptions::default(),
        CancellationToken::new(),
    ));
    let (read, mut write) = tokio::io::split(client);
    let mut read = BufReader::new(read);
    let hello = json!({
        "jsonrpc": "2.0", "id": 1, "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": { "name": "old", "version": "1" },
        },
    });
    let answer = exchange(hello, &mut write, &mut read).await;
    assert_eq!(answer["result"]["protocolVersion"], "2025-06-18");
    write
        .write_all(b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n")
        .await
        .unwrap();
    let list = json!({ "jsonrpc": "2.0", "id": 2, "method": "resources/list", "params": {} });
    let answer = exchange(list, &mut write, &mut read).await;
    assert_eq!(answer["result"]["resources"][0]["uri"], "skill://review/SKILL.md");
    assert_eq!(answer["result"].get("resultType"), None);
    let none = json!({
        "jsonrpc": "2.0", "id": 3, "method": "resources/read", "params": { "uri": "skill://x/y" },
    });
    let answer = exchange(none, &mut write, &mut read).await;
    assert_eq!(answer["error"]["code"], -32002);
    drop((read, write));
    serving.await.unwrap().unwrap();
}

#[tokio::test]
async fn serving_a_stream_ends_with_the_shutdown() {
    let (client, server) = tokio::io::duplex(1 << 16);
    let (read, write) = tokio::io::split(server);
    let shutdown = CancellationToken::new();
    let serving = tokio::spawn(serve_stream(
        Memory::shared(true),
        read,
        write,
        ServeOptions::default(),
        shutdown.clone(),
    ));
    shutdown.cancel();
    serving.await.unwrap().unwrap();
    drop(client);
}
