//! The little of MCP over HTTP that the tests need: one request, one answer.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use serde_json::{Value, json};

/// The status and the result or error that one request of the modern protocol is answered with.
pub(crate) fn ask(url: &str, token: Option<&str>, method: &str, params: Value) -> (u16, Value) {
    let mut headers =
        vec![format!("Mcp-Method: {method}"), "MCP-Protocol-Version: 2026-07-28".to_owned()];
    headers.extend(token.map(|token| format!("Authorization: Bearer {token}")));
    if method == "resources/read" {
        headers.push(format!("Mcp-Name: {}", params["uri"].as_str().unwrap_or_default()));
    }
    let mut params = params;
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "a test", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
    let (status, answer) = post(url, &headers, &body.to_string());
    let json = answer.lines().find_map(|line| line.strip_prefix("data: ")).unwrap_or(&answer);
    let answer = serde_json::from_str(json).unwrap_or(Value::Null);
    let inner = ["result", "error"].iter().find_map(|key| answer.get(key)).cloned();
    (status, inner.unwrap_or(answer))
}

/// The status and the body of one request.
pub(crate) fn post(url: &str, headers: &[String], body: &str) -> (u16, String) {
    let host = url.trim_start_matches("http://").trim_end_matches("/mcp");
    let mut stream = TcpStream::connect(host).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    let mut headers = headers.to_vec();
    if !headers.iter().any(|header| header.starts_with("Host:")) {
        headers.push(format!("Host: {host}"));
    }
    write!(
        stream,
        "POST /mcp HTTP/1.1\r\n{}\r\nContent-Type: application/json\r\n\
         Accept: application/json, text/event-stream\r\nConnection: close\r\n\
         Content-Length: {}\r\n\r\n{body}",
        headers.join("\r\n"),
        body.len()
    )
    .unwrap();
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    let answer = String::from_utf8_lossy(&answer).into_owned();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap_or((&answer, ""));
    let status = head.split(' ').nth(1).and_then(|code| code.parse().ok()).unwrap_or_default();
    let body = if head.to_ascii_lowercase().contains("transfer-encoding: chunked") {
        dechunked(body)
    } else {
        body.to_owned()
    };
    (status, body)
}

/// A chunked body in one piece.
fn dechunked(mut rest: &str) -> String {
    let mut body = String::new();
    while let Some((size, after)) = rest.split_once("\r\n") {
        let size = usize::from_str_radix(size.trim(), 16).unwrap_or_default();
        if size == 0 || after.len() < size {
            break;
        }
        body.push_str(&after[..size]);
        rest = after[size..].trim_start_matches("\r\n");
    }
    body
}
