//! What is answered to which message, in every version.

use std::net::SocketAddr;

use serde_json::{Value, json};
use skills_mcp::server::ServeOptions;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::callers::{As, LONG, answer, provider, root, two, write};
use crate::support::{Memory, served};

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
async fn every_method_takes_every_spelling_of_a_uri_but_one_with_a_hidden_separator() {
    let root = root();
    let listed = "skill://a%20team/review/SKILL.md";
    let main = "---\nname: review\ndescription: Looks.\n---\n";
    write(root.path(), "a team/review/SKILL.md", main);
    let (addr, _guard) = served(provider(root.path()), ServeOptions::default()).await;
    let me = As { addr, token: "" };
    for uri in [
        listed,
        "skill://a team/review/SKILL.md",
        "skill://%61%20team/review/SKILL.md",
        "skill://a%20team/r%65view/%53KILL%2emd",
    ] {
        let uri = json!({ "uri": uri });
        assert_eq!(
            me.call("resources/read", uri.clone()).await["result"]["contents"][0]["text"],
            main
        );
        // An entry has one URI.
        let got = me.call("skills/get", uri.clone()).await;
        assert_eq!(got["result"]["skill"]["uri"], listed, "{uri}: {got}");
        let older = json!({ "jsonrpc": "2.0", "id": 1, "method": "skills/get", "params": uri });
        let got = answer(me.older(None, "2025-06-18", older).await).await;
        assert_eq!(got["result"]["skill"]["uri"], listed, "{uri}: {got}");
    }
    for uri in ["skill://a team/review", "skill://%61%20team/r%65view"] {
        let got = me.call("resources/directory/read", json!({ "uri": uri })).await;
        assert_eq!(got["result"]["resources"][0]["uri"], listed, "{got}");
    }
    for hidden in ["%2F", "%2f", "%5C", "%5c", "%00"] {
        let uri = format!("skill://a%20team{hidden}review/SKILL.md");
        for method in ["resources/read", "resources/directory/read", "skills/get"] {
            let got = me.call(method, json!({ "uri": uri })).await;
            assert_eq!(got["error"]["code"], -32602, "{method} {uri}: {got}");
        }
    }
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
    for method in ["skills/list", "resources/list", "resources/templates/list"] {
        for params in [json!({ "cursor": 5 }), json!({ "cursor": ["x"] }), json!([]), json!("x")] {
            let list = json!({ "jsonrpc": "2.0", "id": 7, "method": method, "params": params });
            let answer = answer(me.older(None, "2025-06-18", list).await).await;
            assert_eq!(answer["error"]["code"], -32602, "{method} {params}: {answer}");
            assert_eq!(answer["id"], 7);
        }
        let answer = me.call(method, json!({ "cursor": 5 })).await;
        assert_eq!(answer["error"]["code"], -32602, "{method}: {answer}");
        let answer = me.call(method, json!({ "cursor": null })).await;
        assert!(answer["result"].is_object(), "{method}: {answer}");
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
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await.unwrap();
    assert_eq!(&answer[..12], b"HTTP/1.1 413");
    assert_eq!(me.call("resources/list", json!({})).await["id"], 1);
}

/// The status of the answer to these bytes.
async fn status(addr: SocketAddr, request: &str) -> String {
    let mut stream = TcpStream::connect(addr).await.unwrap();
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = vec![0; 12];
    tokio::time::timeout(LONG, stream.read_exact(&mut answer)).await.unwrap().unwrap();
    String::from_utf8(answer.split_off(9)).unwrap()
}

#[tokio::test]
async fn a_target_in_absolute_form_names_this_machine_too() {
    let (addr, _guard) = served(Memory::shared(true), ServeOptions::default()).await;
    let asked = async |target: &str, host: &str| {
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "ping" }).to_string();
        let request = format!(
            "POST {target} HTTP/1.1\r\n{host}content-type: application/json\r\n\
             accept: application/json, text/event-stream\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        );
        status(addr, &request).await
    };
    let local = "host: 127.0.0.1\r\n";
    for good in ["/mcp", "http://127.0.0.1/mcp", "http://localhost:8000/mcp", "http://[::1]/mcp"] {
        assert_eq!(asked(good, local).await, "200", "{good}");
    }
    for bad in [
        "http://evil/mcp",
        "http://evil:80/mcp",
        "http://localhost@evil/mcp",
        "http://evil@localhost/mcp",
        "ftp://localhost/mcp",
        "http://localhost.evil/mcp",
    ] {
        assert_eq!(asked(bad, local).await, "403", "{bad}");
        assert_eq!(asked(bad, "").await, "403", "{bad}");
    }
    assert_eq!(asked("http://localhost/mcp", "host: evil\r\n").await, "403");
}

#[tokio::test]
async fn a_request_shows_one_token() {
    let root = root();
    for (options, known) in [(two(None), "all-secret"), (ServeOptions::default(), "any")] {
        let (addr, _guard) = served(provider(root.path()), options).await;
        for pair in [[known, "some-secret"], [known, known], ["x", known], ["", known]] {
            let [first, second] = pair.map(|token| format!("authorization: Bearer {token}\r\n"));
            let head = format!("POST /mcp HTTP/1.1\r\nhost: {addr}\r\n{first}{second}\r\n");
            assert_eq!(status(addr, &head).await, "400", "{pair:?}");
        }
    }
}

#[tokio::test]
async fn a_body_that_is_declared_too_long_is_refused_before_it_comes() {
    let (addr, _guard) = served(Memory::shared(true), ServeOptions::default()).await;
    for (length, refused) in [("1048577", "413"), ("9999999999", "413")] {
        let mut stream = TcpStream::connect(addr).await.unwrap();
        let head = format!(
            "POST /mcp HTTP/1.1\r\nhost: {addr}\r\nexpect: 100-continue\r\n\
             content-length: {length}\r\n\r\n"
        );
        stream.write_all(head.as_bytes()).await.unwrap();
        let mut answer = String::new();
        // The answer is the last: the connection ends with it.
        let read = stream.read_to_string(&mut answer);
        tokio::time::timeout(LONG, read).await.unwrap().unwrap();
        assert_eq!(&answer[9..12], refused, "{length}");
    }
    let most = " ".repeat(1 << 20);
    let at_most = As { addr, token: "" }.post(&[], most).await;
    assert_eq!(at_most.status(), 400);
}
