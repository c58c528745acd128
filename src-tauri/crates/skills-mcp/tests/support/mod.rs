//! What the tests share: a provider in memory, a store in memory, and a server that answers as it
//! is told to.
#![allow(
    dead_code,
    missing_docs,
    unreachable_pub,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic
)]

use std::collections::{BTreeMap, HashMap};
use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::response::Response;
use serde_json::{Value, json};
use skills::blobs::{Blobs, BlobsError};
use skills::digest::Digest;
use skills::entry::{Entry, EntryFile};
use skills::frontmatter::FrontMatter;
use skills::origin::{Endpoint, ServerId};
use skills::provider::{
    Content, Entries, Listing, Provider, ReadError, Resource, Template, mime_type,
};
use skills::uri::SkillUri;
use skills_mcp::limits::Timeouts;
use skills_mcp::server::{ServeOptions, serve_http};
use skills_mcp::{ClientContext, Connection};
use tokio::sync::oneshot;
use tokio_util::sync::{CancellationToken, DropGuard};

/// Long enough for a busy machine, short enough for a test that must run into none of it.
pub fn context() -> ClientContext {
    ClientContext {
        timeouts: Timeouts {
            connect: Duration::from_secs(20),
            start: Duration::from_secs(20),
            call: Duration::from_secs(20),
            list: Duration::from_secs(40),
            ..Timeouts::default()
        },
        ..ClientContext::default()
    }
}

/// For servers that never answer.
pub fn impatient() -> ClientContext {
    let soon = Duration::from_millis(300);
    ClientContext {
        timeouts: Timeouts {
            connect: soon,
            start: soon,
            first_byte: soon,
            call: soon,
            list: soon,
            fetch: soon,
            sign_in: soon,
        },
        ..ClientContext::default()
    }
}

/// Skills in memory, path to bytes, published in either mode.
pub struct Memory {
    pub files: BTreeMap<String, Vec<u8>>,
    /// Whether entries are published; else `_manifest` resources.
    pub strict: bool,
}

pub const REVIEW: &str = "---\nname: review\ndescription: Looks at changes.\n---\n\n# Review\n";

impl Memory {
    /// One skill with every kind of file that has ever come out of a server wrong.
    pub fn new(strict: bool) -> Self {
        let file = |path: &str, bytes: &[u8]| (path.to_owned(), bytes.to_vec());
        let files = BTreeMap::from([
            file("review/SKILL.md", REVIEW.as_bytes()),
            file("review/a name/with # and %41.txt", b"odd"),
            file("review/bom.txt", b"\xef\xbb\xbfbom\n"),
            file("review/crlf.txt", b"one\r\ntwo\r\n"),
            file("review/empty.txt", b""),
            file("review/icon.png", b"\x89PNG\r\n\x1a\n\0\xff"),
            file("review/inner/SKILL.md", b"---\nname: inner\ndescription: Inside.\n---\n"),
            file("review/latin.txt", b"caf\xe9"),
        ]);
        Self { files, strict }
    }

    pub fn shared(strict: bool) -> Arc<dyn Provider> {
        Arc::new(Self::new(strict))
    }

    fn skill(&self, folder: &str) -> Vec<(&str, &[u8])> {
        self.files
            .iter()
            .filter_map(|(path, bytes)| {
                Some((path.strip_prefix(folder)?.strip_prefix('/')?, bytes.as_slice()))
            })
            .collect()
    }

    fn make_entry(&self, folder: &str) -> Entry {
        let uri = SkillUri::for_path(folder).unwrap();
        let files = self.skill(folder);
        let main = files.iter().find(|(path, _)| *path == "SKILL.md").unwrap().1;
        let listed = files
            .iter()
            .map(|(path, bytes)| EntryFile {
                path: (*path).to_owned(),
                uri: uri.file_uri(path),
                size: bytes.len() as u64,
                digest: Digest::of(bytes),
            })
            .collect();
        Entry::new(uri, Some(FrontMatter::strict(main).unwrap()), None, listed).unwrap()
    }
}

impl Provider for Memory {
    fn list(&self) -> Listing {
        let resource = |name: &str, mime_type| Resource {
            uri: format!("skill://review/{name}"),
            name: format!("review/{name}"),
            description: "Looks at changes.".to_owned(),
            mime_type,
            size: None,
        };
        Listing {
            resources: vec![
                resource("SKILL.md", "text/markdown"),
                resource("_manifest", "application/json"),
            ],
            templates: vec![Template {
                uri_template: "skill://review/{path*}".to_owned(),
                name: "review_files".to_owned(),
                description: "Files of review".to_owned(),
            }],
            warnings: Vec::new(),
        }
    }

    fn read(&self, uri: &str) -> Result<Content, ReadError> {
        let path = uri.strip_prefix("skill://").unwrap_or_default();
        if path == "review/_manifest" && !self.strict {
            let files: Vec<Value> = self
                .skill("review")
                .into_iter()
                .map(|(path, bytes)| {
                    json!({ "path": path, "size": bytes.len(), "hash": Digest::of(bytes).to_string() })
                })
                .collect();
            let bytes = json!({ "skill": "review", "files": files }).to_string().into_bytes();
            return Ok(Content { bytes, mime_type: "application/json" });
        }
        let decoded = percent_encoding::percent_decode_str(path).decode_utf8().unwrap_or_default();
        match self.files.get(path).or_else(|| self.files.get(decoded.as_ref())) {
            Some(bytes) => Ok(Content { bytes: bytes.clone(), mime_type: mime_type(&decoded) }),
            None => Err(ReadError::NotFound(uri.to_owned())),
        }
    }

    fn entries(&self) -> Option<Entries> {
        self.strict.then(|| Entries {
            entries: ["review", "review/inner"]
                .map(|folder| Arc::new(self.make_entry(folder)))
                .to_vec(),
            ..Entries::default()
        })
    }
}

/// Serves a provider over HTTP until the guard is dropped; gives its address.
pub async fn served(provider: Arc<dyn Provider>, options: ServeOptions) -> (SocketAddr, DropGuard) {
    served_at(([127, 0, 0, 1], 0).into(), provider, options).await
}

pub async fn served_at(
    addr: SocketAddr,
    provider: Arc<dyn Provider>,
    options: ServeOptions,
) -> (SocketAddr, DropGuard) {
    let shutdown = CancellationToken::new();
    let (say, bound) = oneshot::channel();
    let token = shutdown.clone();
    tokio::spawn(async move {
        serve_http(provider, addr, options, token, |addr| say.send(addr).unwrap()).await.unwrap();
    });
    (bound.await.unwrap(), shutdown.drop_guard())
}

pub fn endpoint(addr: SocketAddr) -> Endpoint {
    Endpoint::Http { url: format!("http://{addr}/mcp") }
}

/// A store in memory. Counts what is put.
#[derive(Default)]
pub struct Store {
    pub kept: Mutex<HashMap<Digest, Vec<u8>>>,
    pub puts: AtomicUsize,
}

impl Blobs for Store {
    fn get(&self, _: &ServerId, digest: &Digest) -> Result<Option<Vec<u8>>, BlobsError> {
        Ok(self.kept.lock().unwrap().get(digest).cloned())
    }

    fn put(&self, _: &ServerId, bytes: &[u8]) -> Result<Digest, BlobsError> {
        self.puts.fetch_add(1, Ordering::SeqCst);
        let digest = Digest::of(bytes);
        self.kept.lock().unwrap().insert(digest, bytes.to_vec());
        Ok(digest)
    }

    fn stored(&self, _: &ServerId) -> Result<u64, BlobsError> {
        Ok(self.kept.lock().unwrap().values().map(|bytes| bytes.len() as u64).sum())
    }
}

/// What the told server says to one request.
pub enum Answer {
    /// A result, as it is.
    Result(Value),
    /// A JSON-RPC error.
    Error(i64, &'static str),
    /// Anything else: status, content type, body.
    Raw(u16, &'static str, String),
    /// A redirect to this address.
    Redirect(String),
    /// Nothing, for ever.
    Silence,
}

/// A server that answers every request as `tell` says, by method and parameters.
pub struct Told {
    pub addr: SocketAddr,
    pub asked: Arc<Mutex<Vec<String>>>,
    task: tokio::task::JoinHandle<()>,
}

impl Drop for Told {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Told {
    pub async fn new(tell: impl Fn(&str, &Value) -> Answer + Send + Sync + 'static) -> Self {
        let asked = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&asked);
        let tell = Arc::new(tell);
        let app = Router::new().fallback(move |request: axum::extract::Request| {
            let (tell, seen) = (Arc::clone(&tell), Arc::clone(&seen));
            async move {
                let body = axum::body::to_bytes(request.into_body(), 1 << 20).await.unwrap();
                let message: Value = serde_json::from_slice(&body).unwrap_or_default();
                let method = message["method"].as_str().unwrap_or_default().to_owned();
                let uri = message["params"]["uri"].as_str().unwrap_or_default();
                seen.lock().unwrap().push(format!("{method} {uri}").trim_end().to_owned());
                let answer = tell(&method, &message["params"]);
                let reply = |body: Value| response(200, "application/json", body.to_string());
                let id = message["id"].clone();
                match answer {
                    Answer::Result(result) => {
                        reply(json!({ "jsonrpc": "2.0", "id": id, "result": result }))
                    }
                    Answer::Error(code, message) => reply(
                        json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": message } }),
                    ),
                    Answer::Raw(status, kind, body) => response(status, kind, body),
                    Answer::Redirect(to) => {
                        let mut answer = response(307, "text/plain", String::new());
                        answer.headers_mut().insert("location", to.parse().unwrap());
                        answer
                    }
                    Answer::Silence => std::future::pending().await,
                }
            }
        });
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let addr = listener.local_addr().unwrap();
        let task = tokio::spawn(async move { axum::serve(listener, app).await.unwrap() });
        Self { addr, asked, task }
    }

    /// A server of 2026-07-28 with the extension, whose other answers are told.
    pub async fn with_extension(
        tell: impl Fn(&str, &Value) -> Answer + Send + Sync + 'static,
    ) -> Self {
        Self::new(move |method, params| match method {
            "server/discover" => discovered(
                json!({ "resources": {}, "extensions": { "io.modelcontextprotocol/skills": {} } }),
            ),
            _ => tell(method, params),
        })
        .await
    }

    /// A server of 2026-07-28 with resources only, whose other answers are told.
    pub async fn with_resources(
        tell: impl Fn(&str, &Value) -> Answer + Send + Sync + 'static,
    ) -> Self {
        Self::new(move |method, params| match method {
            "server/discover" => discovered(json!({ "resources": {} })),
            _ => tell(method, params),
        })
        .await
    }

    pub async fn connect(&self) -> Connection {
        Connection::open(&endpoint(self.addr), &context()).await.unwrap()
    }

    pub fn times_asked(&self, what: &str) -> usize {
        self.asked.lock().unwrap().iter().filter(|asked| *asked == what).count()
    }
}

pub fn discovered(capabilities: Value) -> Answer {
    Answer::Result(json!({
        "resultType": "complete",
        "supportedVersions": ["2026-07-28"],
        "capabilities": capabilities,
        "ttlMs": 0,
        "cacheScope": "private",
    }))
}

fn response(status: u16, kind: &str, body: String) -> Response {
    Response::builder().status(status).header("content-type", kind).body(Body::from(body)).unwrap()
}

/// A page of `skills/list`.
pub fn page(skills: Vec<Value>, next: Option<&str>) -> Answer {
    let mut page =
        json!({ "resultType": "complete", "ttlMs": 0, "cacheScope": "private", "skills": skills });
    if let Some(next) = next {
        page["nextCursor"] = json!(next);
    }
    Answer::Result(page)
}

/// A good entry of a skill with these files beside its `SKILL.md`.
pub fn entry(name: &str, main: &[u8], more: &[(&str, &[u8])]) -> Value {
    let resource = |path: &str, bytes: &[u8]| {
        json!({
            "uri": format!("skill://{name}/{path}"),
            "digest": Digest::of(bytes).to_string(),
            "size": bytes.len(),
        })
    };
    let mut resources = vec![resource("SKILL.md", main)];
    resources.extend(more.iter().map(|(path, bytes)| resource(path, bytes)));
    json!({
        "uri": format!("skill://{name}/SKILL.md"),
        "frontmatter": { "name": name, "description": "Looks at changes." },
        "resources": resources,
    })
}

/// The answer of `resources/read` with this text.
pub fn text(text: &str) -> Answer {
    Answer::Result(json!({
        "resultType": "complete", "ttlMs": 0, "cacheScope": "private",
        "contents": [{ "uri": "x", "mimeType": "text/plain", "text": text }],
    }))
}
