//! A server that asks to sign in, with its authorization server, which lets everybody in.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

use serde_json::{Value, json};

/// Runs until the process ends.
pub(crate) struct AskingServer {
    /// The address of its endpoint.
    pub(crate) url: String,
    asked: Arc<Mutex<Vec<String>>>,
}

impl AskingServer {
    pub(crate) fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let base = format!("http://{}", listener.local_addr().expect("an address"));
        let asked = Arc::<Mutex<Vec<String>>>::default();
        let (seen, at) = (Arc::clone(&asked), base.clone());
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (seen, at) = (Arc::clone(&seen), at.clone());
                thread::spawn(move || answer(stream, &at, &seen));
            }
        });
        Self { url: format!("{base}/mcp"), asked }
    }

    /// Method and path of what was asked so far, and the token that came with it.
    pub(crate) fn asked(&self) -> Vec<String> {
        self.asked.lock().expect("the list").clone()
    }
}

fn answer(stream: TcpStream, at: &str, seen: &Mutex<Vec<String>>) {
    let mut reader = BufReader::new(&stream);
    let (mut first, mut length, mut token) = (String::new(), 0, String::new());
    if reader.read_line(&mut first).is_err() {
        return;
    }
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).unwrap_or(0) <= 2 {
            break;
        }
        let Some((name, value)) = line.trim().split_once(": ") else { continue };
        match name.to_ascii_lowercase().as_str() {
            "content-length" => length = value.parse().unwrap_or(0),
            "authorization" => token = value.trim_start_matches("Bearer ").to_owned(),
            _ => {}
        }
    }
    let mut body = vec![0; length];
    if reader.read_exact(&mut body).is_err() {
        return;
    }
    let what = first.split_once(" HTTP").map_or("", |(what, _)| what).to_owned();
    let (status, head, answer) = right(&what, &token, &body, at);
    seen.lock().expect("the list").push(format!("{what} {token}").trim_end().to_owned());
    let answer = answer.to_string();
    let _ = write!(
        &stream,
        "HTTP/1.1 {status} x\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\
         Connection: close\r\n{head}\r\n{answer}",
        answer.len()
    );
}

fn right(what: &str, token: &str, body: &[u8], at: &str) -> (u16, String, Value) {
    let plain = |value: Value| (200, String::new(), value);
    match what {
        "POST /mcp" if token == "access-1" => {
            let message: Value = serde_json::from_slice(body).unwrap_or_default();
            let result = if message["method"] == "server/discover" {
                json!({
                    "resultType": "complete", "supportedVersions": ["2026-07-28"], "ttlMs": 0,
                    "cacheScope": "private",
                    "capabilities": {
                        "resources": {}, "extensions": { "io.modelcontextprotocol/skills": {} },
                    },
                })
            } else {
                json!({
                    "resultType": "complete", "ttlMs": 0, "cacheScope": "private", "skills": [],
                })
            };
            plain(json!({ "jsonrpc": "2.0", "id": message["id"], "result": result }))
        }
        "POST /mcp" | "GET /mcp" => {
            let place = format!("{at}/.well-known/oauth-protected-resource/mcp");
            let head = format!(
                "WWW-Authenticate: Bearer resource_metadata=\"{place}\", scope=\"skills:read\"\r\n"
            );
            (401, head, json!({}))
        }
        "GET /.well-known/oauth-protected-resource/mcp" => {
            plain(json!({ "resource": format!("{at}/mcp"), "authorization_servers": [at] }))
        }
        "GET /.well-known/oauth-authorization-server" => plain(json!({
            "issuer": at,
            "authorization_endpoint": format!("{at}/authorize"),
            "token_endpoint": format!("{at}/token"),
            "registration_endpoint": format!("{at}/register"),
            "code_challenge_methods_supported": ["S256"],
        })),
        "POST /register" => plain(json!({ "client_id": "client-1", "redirect_uris": [] })),
        "POST /token" => plain(json!({
            "access_token": "access-1", "refresh_token": "refresh-1", "token_type": "Bearer",
        })),
        _ => (404, String::new(), json!({})),
    }
}

/// A browser in which the person agrees at once: comes back from this page with a code.
pub(crate) fn agree(page: &str) {
    let query = page.split_once('?').map_or("", |(_, query)| query);
    let field = |name: &str| {
        let mut pairs = query.split('&').filter_map(|pair| pair.split_once('='));
        pairs.find(|(known, _)| *known == name).map(|(_, value)| value.to_owned()).expect("a field")
    };
    let back = field("redirect_uri").replace("%3A", ":").replace("%2F", "/");
    let (host, path) = back.trim_start_matches("http://").split_once('/').expect("a path");
    let mut stream = TcpStream::connect(host).expect("somebody listens");
    let state = field("state");
    write!(stream, "GET /{path}?code=code-1&state={state} HTTP/1.1\r\nHost: {host}\r\n\r\n")
        .expect("a request");
    let mut page = String::new();
    let _ = stream.read_to_string(&mut page);
    assert!(page.starts_with("HTTP/1.1 200"), "{page}");
}
