//! A client that does as little as can be: it writes a request of protocol 2026-07-28 on an open
//! connection and reads the answer to its last byte.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::Taken;

const VERSION: &str = "2026-07-28";

pub(crate) struct Client {
    stream: BufReader<TcpStream>,
    address: SocketAddr,
}

impl Client {
    pub(crate) fn to(address: SocketAddr) -> Self {
        let stream = TcpStream::connect(address).unwrap();
        stream.set_nodelay(true).unwrap();
        Self { stream: BufReader::with_capacity(1 << 20, stream), address }
    }

    pub(crate) fn read(&mut self, uri: &str) -> Duration {
        self.request("resources/read", json!({ "uri": uri })).answer
    }

    pub(crate) fn get(&mut self, uri: &str) -> Duration {
        self.request("skills/get", json!({ "uri": uri })).answer
    }

    /// The result of one request.
    ///
    /// # Panics
    /// When it is answered with an error.
    pub(crate) fn request(&mut self, method: &str, mut params: Value) -> Taken {
        let name = params["uri"].as_str().unwrap_or_default().to_owned();
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": VERSION,
            "io.modelcontextprotocol/clientInfo": { "name": "raw", "version": "1" },
            "io.modelcontextprotocol/clientCapabilities": {
                "extensions": { "io.modelcontextprotocol/skills": {} }
            },
        });
        let body =
            json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params }).to_string();
        let named = if name.is_empty() { String::new() } else { format!("mcp-name: {name}\r\n") };
        let request = format!(
            "POST /mcp HTTP/1.1\r\nhost: {}\r\naccept: application/json, text/event-stream\r\n\
             content-type: application/json\r\nmcp-protocol-version: {VERSION}\r\n\
             mcp-method: {method}\r\n{named}content-length: {}\r\n\r\n{body}",
            self.address,
            body.len()
        );
        let start = Instant::now();
        self.stream.get_mut().write_all(request.as_bytes()).unwrap();
        let answer = self.answer();
        let taken = start.elapsed();
        let text = String::from_utf8(answer).unwrap();
        let data = text
            .lines()
            .filter_map(|line| line.strip_prefix("data:"))
            .find(|line| line.contains("jsonrpc"));
        let message: Value =
            serde_json::from_str(data.unwrap_or(&text)).unwrap_or_else(|_| panic!("{text}"));
        assert!(message["error"].is_null(), "{method} {name}: {}", message["error"]);
        Taken { answer: taken, parsed: start.elapsed() - taken, result: message["result"].clone() }
    }

    fn answer(&mut self) -> Vec<u8> {
        let (mut length, mut chunked) = (0, false);
        let status = self.line();
        assert!(status.contains(" 200 "), "{status}");
        loop {
            let line = self.line().to_ascii_lowercase();
            if line.is_empty() {
                break;
            }
            if let Some(value) = line.strip_prefix("content-length:") {
                length = value.trim().parse().unwrap();
            }
            chunked |= line.starts_with("transfer-encoding:") && line.contains("chunked");
        }
        let mut body = Vec::new();
        if !chunked {
            body.resize(length, 0);
            self.stream.read_exact(&mut body).unwrap();
            return body;
        }
        loop {
            let size =
                usize::from_str_radix(self.line().split(';').next().unwrap().trim(), 16).unwrap();
            let at = body.len();
            body.resize(at + size, 0);
            self.stream.read_exact(&mut body[at..]).unwrap();
            self.line();
            if size == 0 {
                return body;
            }
        }
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.stream.read_line(&mut line).unwrap();
        line.trim_end().to_owned()
    }
}
