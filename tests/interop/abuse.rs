//! Programs that mean our server harm: what they send is written by hand, byte by byte. It answers
//! or hangs up, never gives a byte from outside of its roots, and serves others as before.

use std::fs;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use skills::provider::{Mode, Provider, SupportingFiles};
use skills_mcp::server::ServeOptions;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::served::{Line, Served, directory, request};
use crate::support::home::Home;
use crate::support::skill::Skill;

/// In a file beside the roots: it may never be seen.
const CANARY: &str = "canary-3f9c1d7e";

/// For any one answer; what takes longer hangs.
const ANSWER: Duration = Duration::from_secs(20);

/// A root with two skills, and the canary everywhere around it.
fn published() -> Home {
    let home = Home::empty()
        .with_skill("roots/first", &Skill::new("plain", "One file.").file("docs/a.txt", b"a\n"))
        .with_skill("roots/first", &Skill::new("other", "Another."))
        .with_folder("roots/second/hidden");
    for place in
        ["canary.txt", "roots/canary.txt", "roots/first/canary.txt", "roots/second/hidden/SKILL.md"]
    {
        fs::write(home.at(place), CANARY).unwrap();
    }
    #[cfg(unix)]
    for (link, target) in [("out", "../../.."), ("file.txt", "../../canary.txt")] {
        std::os::unix::fs::symlink(target, home.at("roots/first/other").join(link)).unwrap();
    }
    home
}

fn providers(home: &Home) -> [Arc<dyn Provider>; 2] {
    [Mode::Strict, Mode::Compatible]
        .map(|mode| directory(vec![home.at("roots/first")], mode, SupportingFiles::Template))
}

/// The header lines that every right request has.
fn headers(method: &str, uri: Option<&str>, length: usize) -> String {
    let name = uri.map(|uri| format!("Mcp-Name: {uri}\r\n")).unwrap_or_default();
    format!(
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\nAccept: application/json, text/event-stream\r\n\
         Content-Type: application/json\r\nMCP-Protocol-Version: 2026-07-28\r\n\
         Mcp-Method: {method}\r\n{name}Content-Length: {length}\r\nConnection: close\r\n\r\n"
    )
}

fn post(method: &str, uri: Option<&str>, body: &[u8]) -> Vec<u8> {
    [headers(method, uri, body.len()).as_bytes(), body].concat()
}

/// All that the server says to these bytes until it hangs up; `None` where it does neither.
async fn say(address: SocketAddr, bytes: &[u8]) -> Option<String> {
    let exchange = async {
        let mut stream = TcpStream::connect(address).await.unwrap();
        // It may hang up before it has read all.
        let _ = stream.write_all(bytes).await;
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer).await;
        String::from_utf8_lossy(&answer).into_owned()
    };
    timeout(ANSWER, exchange).await.ok()
}

/// A client that behaves gets what it asks for.
async fn serves_others(address: SocketAddr) {
    let uri = "skill://plain/docs/a.txt";
    let body = request(1, "resources/read", json!({ "uri": uri })).to_string();
    let answer = say(address, &post("resources/read", Some(uri), body.as_bytes())).await;
    let answer = answer.expect("it answers");
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    assert!(answer.contains(r#""text":"a\n""#), "{answer}");
}

/// Messages that are not right, in every way that comes to mind.
fn wrong_messages() -> Vec<Vec<u8>> {
    let deep = |open: &str, close: &str, levels: usize| {
        format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{{"uri":{}1{}}}}}"#,
            open.repeat(levels),
            close.repeat(levels)
        )
    };
    let mut messages: Vec<Vec<u8>> = [
        "",
        " ",
        "{",
        "}",
        "[",
        "[]",
        "{}",
        "null",
        "true",
        "1",
        "\"text\"",
        "{]",
        "[1,2,3]",
        "NaN",
        "{\"jsonrpc\":\"2.0\"",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"resources/read\",",
        r#"{"jsonrpc":"1.0","id":1,"method":"resources/list"}"#,
        r#"{"jsonrpc":2.0,"id":1,"method":"resources/list"}"#,
        r#"{"jsonrpc":"2.0","id":{},"method":"resources/list"}"#,
        r#"{"jsonrpc":"2.0","id":[],"method":"resources/list"}"#,
        r#"{"jsonrpc":"2.0","id":1e400,"method":"resources/list"}"#,
        r#"{"jsonrpc":"2.0","id":-1,"method":"resources/list"}"#,
        r#"{"jsonrpc":"2.0","id":null,"method":"resources/list"}"#,
        r#"{"jsonrpc":"2.0","id":1,"id":2,"method":"resources/list"}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":7}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":""}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"resources/\u0000list"}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"\ud800"}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"unknown/method","params":{}}"#,
        r#"{"jsonrpc":"2.0","id":1,"result":{}}"#,
        r#"{"jsonrpc":"2.0","id":1,"error":{"code":"x","message":1}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":{}}}"#,
        r#"[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":2,"method":"ping"}]"#,
    ]
    .map(|text| text.as_bytes().to_vec())
    .to_vec();
    messages.extend([
        b"\xff\xfe\x00".to_vec(),
        b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\"}".to_vec(),
        deep("[", "]", 100_000).into_bytes(),
        deep(r#"{"a":"#, "}", 100_000).into_bytes(),
        "[".repeat(1_000_000).into_bytes(),
        format!("\"{}\"", "x".repeat(1 << 20)).into_bytes(),
    ]);
    for method in [
        "initialize",
        "server/discover",
        "resources/list",
        "resources/templates/list",
        "resources/read",
        "resources/directory/read",
        "resources/subscribe",
        "skills/list",
        "skills/get",
        "subscriptions/listen",
    ] {
        for params in [
            json!(null),
            json!([]),
            json!("text"),
            json!(7),
            json!({}),
            json!({ "uri": null }),
            json!({ "uri": 7 }),
            json!({ "uri": [] }),
            json!({ "uri": {} }),
            json!({ "uri": "" }),
            json!({ "uri": "x".repeat(1 << 16) }),
            json!({ "cursor": 7 }),
            json!({ "cursor": "" }),
            json!({ "cursor": "%%%" }),
            json!({ "cursor": "c2tpbGw6Ly9ub25l" }),
            json!({ "cursor": "A".repeat(1 << 16) }),
            json!({ "_meta": 7 }),
            json!({ "_meta": [] }),
            json!({ "_meta": { "io.modelcontextprotocol/protocolVersion": {} } }),
        ] {
            let plain = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
            messages.push(plain.to_string().into_bytes());
            if params.is_object()
                && params.get("_meta").is_none()
                && method != "subscriptions/listen"
            {
                messages.push(request(1, method, params).to_string().into_bytes());
            }
        }
    }
    messages
}

/// Ways to write a path that leads out, or to what does not exist.
fn ways_out() -> Vec<String> {
    let ups = [
        "..",
        "%2e%2e",
        "%2E%2E",
        "%2e.",
        ".%2E",
        "%252e%252e",
        "%25252e%25252e",
        "..;",
        "..%00",
        "..%20",
        "\u{2025}",
        "%c0%ae%c0%ae",
        "%e0%80%ae%e0%80%ae",
        "．．",
        "....",
        "%u002e%u002e",
        ".",
        "%2e",
    ];
    let separators = [
        "/", "%2f", "%2F", "\\", "%5c", "%5C", "%252f", "%255C", "//", "/./", "%c0%af", "%00/",
        "\u{2215}",
    ];
    let mut uris = Vec::new();
    for up in ups {
        for separator in separators {
            let out = format!("{up}{separator}");
            for target in ["canary.txt", "second/hidden/SKILL.md", "etc/hostname"] {
                uris.push(format!("skill://plain/{out}{target}"));
                uris.push(format!("skill://plain/{}{target}", out.repeat(2)));
                uris.push(format!("skill://plain/docs/{}{target}", out.repeat(3)));
            }
            uris.push(format!("skill://{out}canary.txt"));
            uris.push(format!("skill://{out}second/hidden/SKILL.md"));
            uris.push(format!("skill://plain{separator}{up}{separator}canary.txt"));
        }
    }
    uris.extend(
        [
            "skill://plain//etc/hostname",
            "skill:///etc/hostname",
            "skill:////etc/hostname",
            "skill://plain/%2fetc%2fhostname",
            "skill://plain/C:%5cWindows",
            "skill://plain/C:/Windows",
            "skill://plain/\\\\host\\share",
            "file:///etc/hostname",
            "FILE:///etc/hostname",
            "skill://plain/docs/a.txt%00.md",
            "skill://plain/docs/a.txt\0",
            "skill://plain/docs/a.txt/",
            "skill://plain/docs/a.txt/..",
            "skill://other/out/canary.txt",
            "skill://other/file.txt",
            "skill://other/out/roots/canary.txt",
            "skill://canary.txt",
            "skill://canary.txt/",
            "skill://canary.txt/SKILL.md",
            "skill://",
            "skill://plain",
            "skill://plain/",
            "skill:plain",
            "skill://user@plain/SKILL.md",
            "skill://plain:80/SKILL.md",
            "skill://plain/SKILL.md?x",
            "skill://plain/SKILL.md#x",
            "skill://plain/\r\nX: y",
            "skill://\u{202e}/SKILL.md",
            "skill://hidden/SKILL.md",
            "skill://second/hidden/SKILL.md",
            "skill://~/canary.txt",
        ]
        .map(str::to_owned),
    );
    uris.push(format!("skill://plain/{}canary.txt", "../".repeat(10_000)));
    uris.push(format!("skill://plain/{}", "a/".repeat(100_000)));
    uris.push(format!("skill://{}/SKILL.md", "n".repeat(1_000_000)));
    uris
}

#[tokio::test(flavor = "multi_thread")]
async fn no_spelling_leads_out_of_a_skill() {
    let home = published();
    for provider in providers(&home) {
        let mut line = Line::to(provider);
        for uri in ways_out() {
            for method in ["resources/read", "resources/directory/read", "skills/get"] {
                let asked = line.ask(method, json!({ "uri": uri }));
                let answer = timeout(ANSWER, asked).await.expect("it answers").to_string();
                let uri: String = uri.chars().take(80).collect();
                assert!(!answer.contains(CANARY), "{method} {uri}");
                // Nor a path of this machine.
                assert!(
                    !answer.contains(home.path().to_str().unwrap()),
                    "{method} {uri}: {answer}"
                );
            }
        }
        for method in ["resources/list", "resources/templates/list", "skills/list"] {
            let answer = line.ask(method, json!({})).await.to_string();
            assert!(!answer.contains("hidden") && !answer.contains("canary"), "{answer}");
        }
        let read = line.ask("resources/read", json!({ "uri": "skill://plain/docs/a.txt" })).await;
        assert_eq!(read["contents"][0]["text"], "a\n");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn wrong_messages_on_a_line_are_answered_or_end_it() {
    let home = published();
    let [strict, _] = providers(&home);
    for message in wrong_messages() {
        let shown: String = String::from_utf8_lossy(&message).chars().take(120).collect();
        let mut line = Line::to(Arc::clone(&strict));
        let wanted = json!("after");
        let mut after = request(0, "resources/read", json!({ "uri": "skill://plain/docs/a.txt" }));
        after["id"] = wanted.clone();
        line.send(&message).await;
        line.send(after.to_string().as_bytes()).await;
        let exchange = async {
            while let Some(answer) = line.answer().await {
                assert!(!answer.to_string().contains(CANARY), "{shown}");
                if answer["id"] == wanted {
                    return;
                }
            }
        };
        timeout(ANSWER, exchange).await.unwrap_or_else(|_| panic!("it hangs after {shown}"));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn wrong_messages_over_http_are_answered_with_an_error() {
    let home = published();
    let [strict, _] = providers(&home);
    let server = Served::start(strict, ServeOptions::default()).await;
    for message in wrong_messages() {
        let parsed: Value = serde_json::from_slice(&message).unwrap_or_default();
        let method = parsed["method"].as_str().unwrap_or("resources/list");
        // A header cannot hold these.
        let method = if method.contains(char::is_control) { "resources/list" } else { method };
        let uri = parsed["params"]["uri"].as_str().filter(|uri| uri.len() < 1000);
        let shown: String = String::from_utf8_lossy(&message).chars().take(120).collect();
        let answer = say(server.address, &post(method, uri, &message)).await;
        let answer = answer.unwrap_or_else(|| panic!("it hangs after {shown}"));
        assert!(!answer.contains(CANARY), "{shown}");
        assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 "), "{shown}: {answer}");
        assert!(!answer.starts_with("HTTP/1.1 500"), "{shown}: {answer}");
    }
    serves_others(server.address).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_http_is_answered_or_ends_the_connection() {
    let home = published();
    let [strict, _] = providers(&home);
    let server = Served::start(strict, ServeOptions::default()).await;
    let long = "x".repeat(1 << 20);
    let right = headers("resources/list", None, 2);
    let requests = [
        "\r\n\r\n".to_owned(),
        "GET".to_owned() + "\r\n\r\n",
        format!("GET /{long} HTTP/1.1\r\nHost: localhost\r\n\r\n"),
        "\0\u{1}\u{2}\u{3}\r\n\r\n".to_owned(),
        "\u{16}\u{3}\u{1}\u{2}\0\u{1}\0\u{1}\u{fc}\u{3}\u{3}\r\n\r\n".to_owned(),
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_owned(),
        "GET /mcp HTTP/9.9\r\nHost: localhost\r\n\r\n".to_owned(),
        "GET /mcp/../../canary.txt HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
            .to_owned(),
        "GET /%2e%2e/canary.txt HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
            .to_owned(),
        "GET //etc/hostname HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".to_owned(),
        "TRACE /mcp HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".to_owned(),
        "DELETE /mcp HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".to_owned(),
        "CONNECT localhost:80 HTTP/1.1\r\nHost: localhost\r\n\r\n".to_owned(),
        format!("POST /mcp HTTP/1.1\r\nHost: localhost\r\nX: {long}\r\n\r\n"),
        format!("POST /mcp HTTP/1.1\r\nHost: localhost\r\n{}\r\n", "X: y\r\n".repeat(10_000)),
        right.replace("Content-Length: 2", "Content-Length: -2") + "{}",
        right.replace("Content-Length: 2", "Content-Length: 2\r\nContent-Length: 3") + "{}",
        right.replace("Content-Length: 2", "Content-Length: 99999999999999999999") + "{}",
        right.replace("Content-Length: 2", "Transfer-Encoding: chunked") + "zz\r\n{}\r\n",
        right.replace("Content-Length: 2", "Transfer-Encoding: chunked")
            + "ffffffffffffffffff\r\n{}",
        right.replace("Content-Length: 2", "Content-Length: 2\r\nTransfer-Encoding: chunked")
            + "0\r\n\r\n",
        right.replace("Content-Length: 2", "Content-Length: 2\r\nContent-Encoding: gzip") + "{}",
        right.replace("Content-Type: application/json", "Content-Type: text/plain") + "{}",
        right.replace("Content-Type: application/json", "Content-Type: \u{e9}") + "{}",
        right.replace("2026-07-28", "1999-01-01") + "{}",
        right.replace("2026-07-28", "\u{202e}") + "{}",
        right.replace("Host: localhost", "Host: localhost\r\nHost: example.org") + "{}",
        right.replace("Host: localhost", "Host: localhost@example.org") + "{}",
        right.replace("Host: localhost\r\n", "") + "{}",
        right.replace("Host: localhost", "Host: localhost\r\nMcp-Session-Id: ../../canary.txt")
            + "{}",
    ];
    for sent in requests {
        let shown: String = sent.chars().take(200).collect();
        let mut stream = TcpStream::connect(server.address).await.unwrap();
        let _ = stream.write_all(sent.as_bytes()).await;
        // The end of what we send: it must not wait for more.
        let _ = stream.shutdown().await;
        let mut answer = Vec::new();
        timeout(ANSWER, stream.read_to_end(&mut answer))
            .await
            .unwrap_or_else(|_| panic!("it hangs after {shown}"))
            .unwrap_or_default();
        let answer = String::from_utf8_lossy(&answer);
        assert!(!answer.contains(CANARY), "{shown}");
        assert!(!answer.starts_with("HTTP/1.1 500"), "{shown}: {answer}");
    }
    serves_others(server.address).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_that_is_too_large_is_refused() {
    let home = published();
    let [strict, _] = providers(&home);
    let server = Served::start(Arc::clone(&strict), ServeOptions::default()).await;
    let large = request(1, "resources/read", json!({ "uri": "x".repeat(40 << 20) })).to_string();
    let answer = say(server.address, &post("resources/read", None, large.as_bytes())).await;
    let answer = answer.expect("it answers or hangs up");
    assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 4"), "{answer}");
    serves_others(server.address).await;
    // A line is dropped, or ends the connection; what comes after is answered where it is not.
    let mut line = Line::to(strict);
    line.send(large.as_bytes()).await;
    line.send(request(2, "resources/list", json!({})).to_string().as_bytes()).await;
    let answer = timeout(ANSWER, line.answer()).await.expect("it answers or hangs up");
    assert!(answer.is_none_or(|answer| answer["id"] == 2 || answer.get("error").is_some()));
}

#[tokio::test(flavor = "multi_thread")]
async fn connections_that_are_half_open_or_slow_keep_nobody_waiting() {
    let home = published();
    let [strict, _] = providers(&home);
    let server = Served::start(strict, ServeOptions::default()).await;
    let mut held = Vec::new();
    let body = request(1, "resources/list", json!({})).to_string();
    let whole = post("resources/list", None, body.as_bytes());
    // Each stops somewhere: before the first byte, in a header, before the body, in the body.
    for end in [0, 1, 20, 100, whole.len() - body.len(), whole.len() - 1] {
        for _ in 0..20 {
            let mut stream = TcpStream::connect(server.address).await.unwrap();
            stream.write_all(&whole[..end]).await.unwrap();
            held.push(stream);
        }
    }
    for at in 0..5 {
        for stream in &mut held {
            // A byte of a header now and then.
            let _ = stream.write_all(&whole[at..=at]).await;
        }
        serves_others(server.address).await;
    }
    // Half-closed: nothing more will come, and the answer is still read.
    let mut stream = TcpStream::connect(server.address).await.unwrap();
    stream.write_all(&whole).await.unwrap();
    stream.shutdown().await.unwrap();
    let mut answer = String::new();
    timeout(ANSWER, stream.read_to_string(&mut answer)).await.expect("it answers").unwrap();
    assert!(answer.is_empty() || answer.contains("skill://plain/SKILL.md"), "{answer}");
    drop(held);
    serves_others(server.address).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_thousand_connections_at_once_are_served() {
    let home = published();
    let [strict, _] = providers(&home);
    let server = Served::start(strict, ServeOptions::default()).await;
    let address = server.address;
    let mut clients = JoinSet::new();
    for _ in 0..1000 {
        clients.spawn(async move {
            let uri = "skill://plain/docs/a.txt";
            let body = request(1, "resources/read", json!({ "uri": uri })).to_string();
            let sent = post("resources/read", Some(uri), body.as_bytes());
            let exchange = async {
                let mut stream = TcpStream::connect(address).await?;
                stream.write_all(&sent).await?;
                let mut answer = String::new();
                stream.read_to_string(&mut answer).await?;
                Ok::<_, std::io::Error>(answer)
            };
            timeout(Duration::from_secs(60), exchange).await
        });
    }
    let mut answered = 0;
    while let Some(client) = clients.join_next().await {
        let answer = client.unwrap().expect("it answers or hangs up");
        if let Ok(answer) = answer {
            assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 "), "{answer}");
            answered += usize::from(answer.contains(r#""text":"a\n""#));
        }
    }
    // It may turn some away; it may not lose its way.
    assert!(answered >= 500, "only {answered} were answered");
    serves_others(address).await;
}
