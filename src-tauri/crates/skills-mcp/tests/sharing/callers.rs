//! Who asks, and what for.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use skills::provider::policy::{Action, Caller, Policy};
use skills::provider::{DirectoryProvider, Mode, Options, Provider};
use skills_mcp::server::{ServeOptions, Token};
use tokio::sync::watch;

/// No test waits so long unless it fails.
pub(crate) const LONG: Duration = Duration::from_secs(60);

pub(crate) fn client() -> reqwest::Client {
    reqwest::Client::builder().no_proxy().build().unwrap()
}

/// Who asks, and how.
#[derive(Clone, Copy)]
pub(crate) struct As<'a> {
    pub(crate) addr: SocketAddr,
    pub(crate) token: &'a str,
}

impl As<'_> {
    pub(crate) async fn post(self, headers: &[(&str, &str)], body: String) -> reqwest::Response {
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
    pub(crate) async fn ask(self, method: &str, mut params: Value) -> reqwest::Response {
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

    pub(crate) async fn call(self, method: &str, params: Value) -> Value {
        answer(self.ask(method, params).await).await
    }

    /// What one field of every item of a list says.
    pub(crate) async fn list(
        self,
        method: &str,
        items: &str,
        field: &str,
        params: Value,
    ) -> Vec<String> {
        let answer = self.call(method, params).await;
        let items = answer["result"][items].as_array().unwrap_or_else(|| panic!("{answer}"));
        items.iter().map(|item| item[field].as_str().unwrap().to_owned()).collect()
    }

    /// One request of an older client, in a session where there is one.
    pub(crate) async fn older(
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
    pub(crate) async fn hello(self, version: &str) -> (Option<String>, Value) {
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
pub(crate) async fn answer(response: reqwest::Response) -> Value {
    let text = response.text().await.unwrap();
    let json = text.lines().find_map(|line| line.strip_prefix("data: ")).unwrap_or(&text);
    serde_json::from_str(json).unwrap_or_else(|_| panic!("{text}"))
}

/// The next message of a stream of events.
pub(crate) async fn next(response: &mut reqwest::Response, rest: &mut String) -> Value {
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

pub(crate) fn write(root: &Path, path: &str, text: &str) {
    let path = root.join(path);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

/// A root with the skills `common`, `hidden` and `mixed`.
pub(crate) fn root() -> tempfile::TempDir {
    let root = tempfile::tempdir().unwrap();
    for name in ["common", "hidden", "mixed"] {
        let main = format!("---\nname: {name}\ndescription: Does it.\n---\nBody.\n");
        write(root.path(), &format!("{name}/SKILL.md"), &main);
        write(root.path(), &format!("{name}/docs/a.md"), "a\n");
    }
    write(root.path(), "mixed/private/key.txt", "secret\n");
    root
}

pub(crate) fn provider(root: &Path) -> Arc<dyn Provider> {
    let options = Options { mode: Mode::Strict, ..Options::default() };
    Arc::new(DirectoryProvider::new(vec![root.to_owned()], options))
}

/// `all` sees everything, anybody else not `hidden` and not what is private in `mixed`.
pub(crate) struct Two;

impl Policy for Two {
    fn allows(&self, caller: &Caller, _: Action, uri: &str, _: Option<usize>) -> bool {
        let hidden = uri == "skill://hidden" || uri.starts_with("skill://hidden/");
        let private = uri.starts_with("skill://mixed/private");
        caller.identity.as_deref() == Some("all") || !(hidden || private)
    }
}

pub(crate) fn two(changes: Option<watch::Receiver<u64>>) -> ServeOptions {
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

pub(crate) fn both(addr: SocketAddr) -> (As<'static>, As<'static>) {
    (As { addr, token: "all-secret" }, As { addr, token: "some-secret" })
}
