//! A client that does as little as can be: it writes a request of protocol 2026-07-28 on an open
//! connection and reads the answer to its last byte.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::Taken;

const VERSION: &str = "2026-07-28";

/// How much a list of skills may be.
const LIST: usize = 64 << 20;

pub(crate) struct Client {
    stream: BufReader<TcpStream>,
    address: SocketAddr,
    /// Where an answer is read into; its pages are there before anything is measured.
    room: Vec<u8>,
}

impl Client {
    /// One for lists.
    pub(crate) fn to(address: SocketAddr) -> Self {
        Self::with_room(address, LIST)
    }

    /// One for small answers.
    pub(crate) fn of_many(address: SocketAddr) -> Self {
        Self::with_room(address, 1 << 16)
    }

    fn with_room(address: SocketAddr, room: usize) -> Self {
        let stream = TcpStream::connect(address).unwrap();
        stream.set_nodelay(true).unwrap();
        Self { stream: BufReader::with_capacity(1 << 16, stream), address, room: vec![1; room] }
    }

    pub(crate) fn read(&mut self, uri: &str) -> Taken {
        self.request("resources/read", json!({ "uri": uri }))
    }

    pub(crate) fn get(&mut self, uri: &str) -> Taken {
        self.request("skills/get", json!({ "uri": uri }))
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
        let (start, busy) = (Instant::now(), processor_time());
        self.stream.get_mut().write_all(request.as_bytes()).unwrap();
        let (length, events) = self.answer();
        let (answer, own) = (start.elapsed(), processor_time() - busy);
        let text = std::str::from_utf8(&self.room[..length]).unwrap();
        let message = if events {
            let mut data = text.lines().filter_map(|line| line.strip_prefix("data:"));
            data.find(|line| line.contains("jsonrpc")).unwrap()
        } else {
            text
        };
        let message: Value = serde_json::from_str(message).unwrap_or_else(|_| panic!("{text}"));
        assert!(message["error"].is_null(), "{method} {name}: {}", message["error"]);
        let parsed = start.elapsed() - answer;
        Taken { answer, own, parsed, result: message["result"].clone() }
    }

    /// How long the body is, and whether it holds events.
    fn answer(&mut self) -> (usize, bool) {
        let (mut length, mut chunked, mut events) = (0, false, false);
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
            events |= line.starts_with("content-type:") && line.contains("text/event-stream");
        }
        if !chunked {
            self.stream.read_exact(&mut self.room[..length]).unwrap();
            return (length, events);
        }
        loop {
            let size =
                usize::from_str_radix(self.line().split(';').next().unwrap().trim(), 16).unwrap();
            self.stream.read_exact(&mut self.room[length..length + size]).unwrap();
            self.line();
            length += size;
            if size == 0 {
                return (length, events);
            }
        }
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.stream.read_line(&mut line).unwrap();
        line.trim_end().to_owned()
    }
}

/// How long this thread has been at work, waiting not counted.
fn processor_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).unwrap())
}
