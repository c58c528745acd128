//! The server that does not keep to the rules. It speaks HTTP by hand, so that it can break that too.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWrite};
use tokio::io::{AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

/// One request as it came.
#[derive(Debug, Clone, Default)]
pub(crate) struct Asked {
    /// `GET`, `POST` or `DELETE`.
    pub(crate) verb: String,
    /// Of JSON-RPC; empty where there is none.
    pub(crate) method: String,
    /// The parameter `uri`; empty where there is none.
    pub(crate) uri: String,
    /// The parameter `cursor`.
    pub(crate) cursor: Option<String>,
    /// Of JSON-RPC; null in what wants no answer.
    pub(crate) id: Value,
    /// How often the same method and uri were asked for before.
    pub(crate) before: usize,
    /// All headers as they came, in lower case.
    pub(crate) headers: String,
}

/// What is said to a request.
pub(crate) enum Say {
    /// What an honest server says.
    Usual,
    /// A result under the right id.
    Result(Value),
    /// A JSON-RPC error under the right id.
    Error(i64, String),
    /// A whole message as JSON.
    Body(String),
    /// Any status, headers and body.
    Http(u16, Vec<(&'static str, String)>, Vec<u8>),
    /// Bytes on the wire; then the connection ends.
    Wire(Vec<Piece>),
}

/// A part of what goes out on the wire.
pub(crate) enum Piece {
    /// These bytes.
    Bytes(Vec<u8>),
    /// These bytes so many times.
    Again(Vec<u8>, usize),
    /// One byte at a time, with pauses.
    Drip(String),
    /// Nothing, and the connection stays.
    Hold,
}

impl Piece {
    /// Text.
    pub(crate) fn text(text: impl Into<String>) -> Self {
        Self::Bytes(text.into().into_bytes())
    }

    /// For ever.
    pub(crate) fn endless(bytes: &[u8]) -> Self {
        Self::Again(bytes.to_vec(), usize::MAX)
    }
}

/// Says something to each request.
pub(crate) type Script = Arc<dyn Fn(&Asked) -> Say + Send + Sync>;

/// A server that runs until it is dropped.
pub(crate) struct Hostile {
    /// Where it listens.
    pub(crate) address: SocketAddr,
    asked: Arc<Mutex<Vec<Asked>>>,
    task: JoinHandle<()>,
}

impl Drop for Hostile {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Hostile {
    /// Listens on a port of its own.
    pub(crate) async fn listen(script: Script) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let asked = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&asked);
        let task = tokio::spawn(async move {
            // Ends all connections with itself.
            let mut connections = tokio::task::JoinSet::new();
            while let Ok((stream, _)) = listener.accept().await {
                connections.spawn(converse(stream, Arc::clone(&script), Arc::clone(&seen)));
            }
        });
        Self { address, asked, task }
    }

    /// Its address.
    pub(crate) fn url(&self) -> String {
        format!("http://{}/mcp", self.address)
    }

    /// Every request until now.
    pub(crate) fn asked(&self) -> Vec<Asked> {
        self.asked.lock().unwrap().clone()
    }

    /// How often a method was asked for.
    pub(crate) fn times(&self, method: &str) -> usize {
        self.asked().iter().filter(|asked| asked.method == method).count()
    }
}

async fn converse(stream: TcpStream, script: Script, seen: Arc<Mutex<Vec<Asked>>>) {
    // Head and body leave at once, whatever they are.
    let _ = stream.set_nodelay(true);
    let (reading, mut writing) = stream.into_split();
    let mut reading = BufReader::new(reading);
    while let Some(mut asked) = next_request(&mut reading).await {
        {
            let mut seen = seen.lock().unwrap();
            let same = |one: &&Asked| one.method == asked.method && one.uri == asked.uri;
            asked.before = seen.iter().filter(same).count();
            seen.push(asked.clone());
        }
        let said = script(&asked);
        if !say(&mut writing, &asked, said).await {
            return;
        }
    }
}

async fn next_request(reading: &mut (impl AsyncBufReadExt + Unpin)) -> Option<Asked> {
    let mut line = String::new();
    if reading.read_line(&mut line).await.ok()? == 0 {
        return None;
    }
    let mut asked =
        Asked { verb: line.split(' ').next().unwrap_or_default().to_owned(), ..Asked::default() };
    let mut length = 0;
    loop {
        let mut header = String::new();
        if reading.read_line(&mut header).await.ok()? == 0 {
            return None;
        }
        let header = header.to_ascii_lowercase();
        if header.trim().is_empty() {
            break;
        }
        if let Some(value) = header.strip_prefix("content-length:") {
            length = value.trim().parse().ok()?;
        }
        asked.headers.push_str(&header);
    }
    let mut body = vec![0; length];
    reading.read_exact(&mut body).await.ok()?;
    let message: Value = serde_json::from_slice(&body).unwrap_or_default();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    asked.method = text(&message["method"]);
    asked.uri = text(&message["params"]["uri"]);
    asked.cursor = message["params"]["cursor"].as_str().map(str::to_owned);
    asked.id = message["id"].clone();
    Some(asked)
}

/// Whether the connection goes on.
async fn say(to: &mut (impl AsyncWrite + Unpin), asked: &Asked, said: Say) -> bool {
    let json = |message: &Value| (200, "application/json", message.to_string().into_bytes());
    let (status, kind, body) = match said {
        Say::Usual => unreachable!("the world says what is usual"),
        Say::Result(result) => json(&json!({ "jsonrpc": "2.0", "id": asked.id, "result": result })),
        Say::Error(code, message) => json(&json!({
            "jsonrpc": "2.0", "id": asked.id, "error": { "code": code, "message": message },
        })),
        Say::Body(body) => (200, "application/json", body.into_bytes()),
        Say::Http(status, headers, body) => {
            let mut head = format!("HTTP/1.1 {status} Said\r\ncontent-length: {}\r\n", body.len());
            for (name, value) in headers {
                head.push_str(&format!("{name}: {value}\r\n"));
            }
            head.push_str("\r\n");
            return to.write_all(head.as_bytes()).await.is_ok()
                && to.write_all(&body).await.is_ok();
        }
        Say::Wire(pieces) => {
            for piece in pieces {
                if write_piece(to, piece).await.is_err() {
                    break;
                }
            }
            return false;
        }
    };
    let head = format!(
        "HTTP/1.1 {status} OK\r\ncontent-type: {kind}\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    to.write_all(&[head.as_bytes(), &body].concat()).await.is_ok()
}

async fn write_piece(to: &mut (impl AsyncWrite + Unpin), piece: Piece) -> std::io::Result<()> {
    match piece {
        Piece::Bytes(bytes) => to.write_all(&bytes).await,
        Piece::Again(bytes, times) => {
            for _ in 0..times {
                to.write_all(&bytes).await?;
            }
            Ok(())
        }
        Piece::Drip(text) => {
            for byte in text.bytes() {
                to.write_all(&[byte]).await?;
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
            Ok(())
        }
        Piece::Hold => std::future::pending().await,
    }
}
