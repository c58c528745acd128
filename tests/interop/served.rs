//! Our server in this process, and a client that sends exactly what it is told.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

use serde_json::{Value, json};
use skills::provider::{DirectoryProvider, Mode, Options, Provider, SupportingFiles};
use skills_mcp::server::{ServeOptions, serve_http, serve_stream};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, ReadHalf, WriteHalf};
use tokio::sync::oneshot;
use tokio_util::sync::{CancellationToken, DropGuard};

/// The skills in these roots.
pub(crate) fn directory(
    roots: Vec<PathBuf>,
    mode: Mode,
    supporting_files: SupportingFiles,
) -> Arc<dyn Provider> {
    let options = Options { mode, supporting_files, ..Options::default() };
    Arc::new(DirectoryProvider::new(roots, options))
}

/// A server on a port of its own; ended when dropped.
pub(crate) struct Served {
    pub(crate) address: SocketAddr,
    _stop: DropGuard,
}

impl Served {
    pub(crate) async fn start(provider: Arc<dyn Provider>, options: ServeOptions) -> Self {
        let stop = CancellationToken::new();
        let (tell, told) = oneshot::channel();
        let address = "127.0.0.1:0".parse().unwrap();
        let shutdown = stop.clone();
        tokio::spawn(async move {
            let ready = |address| tell.send(address).unwrap();
            serve_http(provider, address, options, shutdown, ready).await
        });
        Self { address: told.await.unwrap(), _stop: stop.drop_guard() }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}/mcp", self.address)
    }
}

/// A request of the protocol of 2026-07-28, which needs no handshake.
pub(crate) fn request(id: u64, method: &str, mut params: Value) -> Value {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "raw", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })
}

/// A client on a pair of streams, a message a line.
pub(crate) struct Line {
    read: BufReader<ReadHalf<DuplexStream>>,
    write: WriteHalf<DuplexStream>,
    asked: u64,
}

impl Line {
    pub(crate) fn to(provider: Arc<dyn Provider>) -> Self {
        let (client, server) = tokio::io::duplex(1 << 20);
        let (read, write) = tokio::io::split(server);
        tokio::spawn(serve_stream(
            provider,
            read,
            write,
            ServeOptions::default(),
            CancellationToken::new(),
        ));
        let (read, write) = tokio::io::split(client);
        Self { read: BufReader::new(read), write, asked: 0 }
    }

    /// The result, or `{"error": CODE}`.
    pub(crate) async fn ask(&mut self, method: &str, params: Value) -> Value {
        self.asked += 1;
        self.send(request(self.asked, method, params).to_string().as_bytes()).await;
        loop {
            let answer = self.answer().await.expect("the server answers");
            if answer["id"] == self.asked {
                return match answer.get("error") {
                    Some(error) => json!({ "error": error["code"] }),
                    None => answer["result"].clone(),
                };
            }
        }
    }

    /// Sends these bytes and the end of a line. A server that has hung up is no error here.
    pub(crate) async fn send(&mut self, bytes: &[u8]) {
        let _ = self.write.write_all(bytes).await;
        let _ = self.write.write_all(b"\n").await;
    }

    /// The next message; `None` when the server has hung up.
    pub(crate) async fn answer(&mut self) -> Option<Value> {
        let mut line = String::new();
        let read = self.read.read_line(&mut line).await.ok()?;
        (read > 0).then(|| serde_json::from_str(&line).unwrap_or_else(|_| panic!("{line}")))
    }
}
