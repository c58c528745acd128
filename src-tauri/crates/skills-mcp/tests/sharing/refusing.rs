//! What is told of requests that are turned away.

use std::sync::{Arc, Mutex};

use serde_json::json;
use skills_mcp::server::{ClientEvent, Observer, Refused, ServeOptions, Served, Token};

use crate::callers::As;
use crate::support::{Memory, served};

#[derive(Default)]
struct Log(Mutex<Vec<String>>);

impl Observer for Log {
    fn client(&self, _: ClientEvent) {}

    fn request(&self, request: Served) {
        self.0.lock().unwrap().push(format!("asked {}", request.method));
    }

    fn refused(&self, Refused { client, method, uri, reason, .. }: Refused) {
        let client = client.unwrap_or_default();
        self.0.lock().unwrap().push(format!("{client}: {method} {uri}: {reason}"));
    }
}

#[tokio::test]
async fn who_is_turned_away_and_why_is_told_without_the_token() {
    let log = Arc::new(Log::default());
    let token = |identity: &str, secret: &str| Token {
        identity: identity.to_owned(),
        secret: secret.to_owned(),
        scopes: Vec::new(),
    };
    let options = ServeOptions {
        tokens: vec![token("a", "right")],
        observer: Some(Arc::clone(&log) as Arc<dyn Observer>),
        ..ServeOptions::default()
    };
    let (addr, _stop) = served(Memory::shared(true), options).await;
    let told = || std::mem::take(&mut *log.0.lock().unwrap());
    let with = |token| As { addr, token };
    let here = format!("http://{addr}/mcp");
    let agent = ("user-agent", "tool/1\u{9}x");

    let list = json!({ "jsonrpc": "2.0", "id": 1, "method": "resources/list" }).to_string();
    with("").post(&[agent], list.clone()).await;
    assert_eq!(told(), [format!("tool/1 x: POST {here}: a token is needed")]);
    with("wrong-secret").post(&[agent], list.clone()).await;
    let said = told();
    assert_eq!(said, [format!("tool/1 x: POST {here}: the token is not known here")]);
    assert!(!said[0].contains("wrong-secret"));
    with("right").post(&[("origin", "http://evil.example")], list.clone()).await;
    assert_eq!(
        told(),
        [format!(
            ": POST {here}: requests from this origin are not answered (Origin: \
             http://evil.example)"
        )]
    );
    with("right").post(&[("host", "evil.example")], list.clone()).await;
    assert_eq!(
        told(),
        [": POST http://evil.example/mcp: the Host header does not name this machine; use \
          127.0.0.1 or localhost"]
    );
    with("right").post(&[], "{".to_owned()).await;
    let said = told();
    assert!(said[0].starts_with(&format!(": POST {here}: not JSON: ")), "{said:?}");
    // As for one that never was.
    with("right").post(&[("mcp-session-id", "ended")], list.clone()).await;
    assert_eq!(told(), [format!(": POST {here}: there is no such session")]);
    // rmcp turns this one away.
    with("right").post(&[("mcp-protocol-version", "1999-01-01")], list.clone()).await;
    assert_eq!(told(), [format!(": POST {here}: 400 Bad Request")]);

    // What a handler answers is told by it alone, whatever the answer is.
    with("right").call("nothing/like/this", json!({})).await;
    assert_eq!(told(), ["asked nothing/like/this"]);
    with("right").call("resources/list", json!({})).await;
    assert_eq!(told(), ["asked resources/list"]);
}
