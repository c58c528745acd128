//! Streamable HTTP at `/mcp`. Clients of 2026-07-28 and those without a session get one answer for
//! each request, as JSON where that is all, else as a stream of events; older clients that shake
//! hands get a session.

use std::collections::HashMap;
use std::convert::Infallible;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use http::header::{CONNECTION, CONTENT_TYPE, WWW_AUTHENTICATE};
use http::{HeaderMap, HeaderValue, Method, Request, Response, StatusCode};
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt as _, Full, LengthLimitError, Limited};
use hyper::body::{Bytes, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use rmcp::model::ProtocolVersion;
use rmcp::transport::streamable_http_server::session::local::{LocalSessionManager, SessionConfig};
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use serde_json::{Value, json};
use skills::provider::Provider;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::connections::{Answer, Connection, Connections};
use super::gate::{Address, Gate, Refusal};
use super::handler::{Shared, SkillServer};
use super::observe::VISIT;
use super::{ServeError, ServeOptions};
use crate::limits::{ARRIVAL, CONNECTIONS, REQUEST_BYTES, SESSIONS};

/// How long open answers may take to end after the shutdown.
const GRACE: Duration = Duration::from_secs(3);

/// How long to wait when the system has no room for a connection.
const PAUSE: Duration = Duration::from_millis(50);

/// The most bytes of a request's head.
const HEAD_BYTES: usize = 64 * 1024;

/// A session ends when nothing was asked or told in it for this long. Clients that only wait to be
/// told ask nothing.
const SESSION_IDLE: Duration = Duration::from_secs(30 * 60);

/// How long the answers of a session are kept for a client that lost its connection.
const KEPT: Duration = Duration::from_secs(5);

const SESSION: &str = "mcp-session-id";
const VERSION: &str = "mcp-protocol-version";

/// Serves at `http://ADDR/mcp` until `shutdown` fires. `ready` gets the address that is listened
/// on, with the port the system chose where `addr` has port 0.
///
/// # Errors
/// When other machines could reach the address and that is not allowed or no token is needed, or
/// when it cannot be listened on.
pub async fn serve_http(
    provider: Arc<dyn Provider>,
    addr: SocketAddr,
    options: ServeOptions,
    shutdown: CancellationToken,
    ready: impl FnOnce(SocketAddr),
) -> Result<(), ServeError> {
    if !addr.ip().to_canonical().is_loopback() {
        if !options.allow_remote {
            return Err(ServeError::NotLoopback(addr));
        }
        if options.tokens.iter().all(|token| token.secret.is_empty()) {
            return Err(ServeError::NoToken(addr));
        }
    }
    let shared = Arc::new(Shared::new(provider, &options).await?);
    let bind = |source| ServeError::Bind { addr, source };
    let listener = TcpListener::bind(addr).await.map_err(bind)?;
    let bound = listener.local_addr().map_err(bind)?;
    let site = Arc::new(Site::new(&shared, &options, &shutdown));
    ready(bound);
    let mut tasks = accept(&listener, &site, &shared, &shutdown).await;
    drop(listener);
    let all_ended = async { while tasks.join_next().await.is_some() {} };
    if tokio::time::timeout(GRACE, all_ended).await.is_err() {
        tracing::debug!("connections were still open after the shutdown");
    }
    tasks.shutdown().await;
    shared.clients.close();
    Ok(())
}

/// Takes connections in until the shutdown; gives those that are still open.
async fn accept(
    listener: &TcpListener,
    site: &Arc<Site>,
    shared: &Shared,
    shutdown: &CancellationToken,
) -> JoinSet<()> {
    let connections = Connections::new(CONNECTIONS);
    let mut tasks = JoinSet::new();
    let mut sweep = tokio::time::interval(VISIT / 4);
    loop {
        tokio::select! {
            () = shutdown.cancelled() => return tasks,
            _ = sweep.tick() => shared.clients.sweep(Instant::now()),
            Some(_) = tasks.join_next() => {}
            accepted = listener.accept() => match accepted {
                Ok((stream, peer)) => {
                    if let Some(connection) = connections.admit(Instant::now()) {
                        let site = Arc::clone(site);
                        tasks.spawn(connected(stream, peer, connection, site, shutdown.clone()));
                    }
                }
                // The client went before it was taken in, or there are no more open files.
                Err(error) => {
                    tracing::debug!(%error, "a connection was not taken in");
                    connections.make_room(Instant::now());
                    tokio::time::sleep(PAUSE).await;
                }
            }
        }
    }
}

/// Serves one connection until it ends, has to make room, or the shutdown.
async fn connected(
    stream: TcpStream,
    peer: SocketAddr,
    connection: Connection,
    site: Arc<Site>,
    shutdown: CancellationToken,
) {
    let Ok(local) = stream.local_addr() else { return };
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(%error, "answers may be delayed");
    }
    let connection = Arc::new(connection);
    let answering = Arc::clone(&connection);
    let service = service_fn(move |request| {
        let (site, connection) = (Arc::clone(&site), Arc::clone(&answering));
        async move {
            Ok::<_, Infallible>(site.answer(request, peer.ip(), local.ip(), &connection).await)
        }
    });
    let serving = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(ARRIVAL)
        .max_buf_size(HEAD_BYTES)
        .serve_connection(TokioIo::new(stream), service);
    tokio::pin!(serving);
    let ended = tokio::select! {
        ended = serving.as_mut() => ended,
        () = connection.spared() => return,
        () = shutdown.cancelled() => {
            serving.as_mut().graceful_shutdown();
            serving.await
        }
    };
    if let Err(error) = ended {
        tracing::debug!(%error, "a connection ended");
    }
}

/// Who is asked what is at `/mcp`.
struct Site {
    gate: Gate,
    sessions: Arc<LocalSessionManager>,
    /// Requests of newer clients, and sessions of older ones.
    usual: StreamableHttpService<SkillServer, LocalSessionManager>,
    /// Requests of older clients without a session.
    alone: StreamableHttpService<SkillServer, NeverSessionManager>,
    /// Whose a session is: another caller who learns of it is told nothing.
    owners: Mutex<HashMap<String, Option<String>>>,
}

type Body = BoxBody<Bytes, Infallible>;

impl Site {
    fn new(shared: &Arc<Shared>, options: &ServeOptions, shutdown: &CancellationToken) -> Self {
        let mut sessions = LocalSessionManager::default();
        let mut session = SessionConfig::default();
        session.keep_alive = Some(SESSION_IDLE);
        session.completed_cache_ttl = KEPT;
        session.sse_retry = None;
        sessions.session_config = session;
        let sessions = Arc::new(sessions);
        // Host and Origin are checked at the gate, which knows the address too. Events without data
        // confuse older clients, so none is sent to announce how to come back.
        let mut config = StreamableHttpServerConfig::default()
            .with_cancellation_token(shutdown.child_token())
            .with_json_response(true)
            .with_max_request_body_bytes(REQUEST_BYTES)
            .with_sse_retry(None);
        config.allowed_hosts = Vec::new();
        let (usual, alone) = (Arc::clone(shared), Arc::clone(shared));
        Self {
            gate: Gate::new(options),
            usual: StreamableHttpService::new(
                move || Ok(SkillServer::http(Arc::clone(&usual))),
                Arc::clone(&sessions),
                config.clone(),
            ),
            alone: StreamableHttpService::new(
                move || Ok(SkillServer::alone(Arc::clone(&alone))),
                Arc::default(),
                config.with_legacy_session_mode(false),
            ),
            sessions,
            owners: Mutex::default(),
        }
    }

    async fn answer(
        &self,
        request: Request<Incoming>,
        peer: IpAddr,
        local: IpAddr,
        connection: &Arc<Connection>,
    ) -> Response<Answer> {
        if let Err(refusal) = self.gate.addressed(request.uri(), request.headers(), local) {
            return refused(refusal).map(|body| Answer::new(body, None));
        }
        if request.uri().path() != "/mcp" {
            let nothing = told(StatusCode::NOT_FOUND, "there is nothing here; MCP is at /mcp");
            return nothing.map(|body| Answer::new(body, None));
        }
        let caller = match self.gate.caller(request.headers()) {
            Ok(caller) => caller,
            Err(refusal) => return refused(refusal).map(|body| Answer::new(body, None)),
        };
        let work = connection.at_work();
        let identity = caller.identity.clone();
        let (mut parts, body) = request.into_parts();
        parts.extensions.insert(caller);
        parts.extensions.insert(Address(peer));
        let response = match arrived(body).await {
            Ok(body) => self.dispatch(Request::from_parts(parts, body), identity).await,
            Err(refused) => refused,
        };
        response.map(|body| Answer::new(body, Some(work)))
    }

    async fn dispatch(&self, request: Request<Bytes>, identity: Option<String>) -> Response<Body> {
        let headers = request.headers();
        if let Some(session) = headers.get(SESSION) {
            let owners = self.owners.lock().unwrap_or_else(PoisonError::into_inner);
            let owner = session.to_str().ok().and_then(|session| owners.get(session));
            if owner.is_some_and(|owner| *owner != identity) {
                return told(StatusCode::NOT_FOUND, "there is no such session");
            }
        }
        if request.method() != Method::POST {
            let alone = !headers.contains_key(SESSION) && !is_modern(headers);
            let request = request.map(Full::new);
            return match alone {
                true => self.alone.handle(request).await,
                false => self.usual.handle(request).await,
            };
        }
        let message = match serde_json::from_slice::<Value>(request.body()) {
            Ok(message @ Value::Object(_)) => message,
            Ok(_) => return wrong(-32600, "a message is one JSON object", Value::Null),
            Err(error) => return wrong(-32700, &format!("not JSON: {error}"), Value::Null),
        };
        let is_json = is_json(headers);
        let alone = self.stands_alone(headers, &message).await;
        let request = request.map(Full::new);
        let response = match alone {
            true => self.alone.handle(request).await,
            false => self.usual.handle(request).await,
        };
        if let Some(session) = response.headers().get(SESSION).and_then(|id| id.to_str().ok()) {
            self.own(session.to_owned(), identity).await;
        }
        // rmcp says this of messages that it cannot read, whatever is wrong with them.
        if response.status() == StatusCode::UNSUPPORTED_MEDIA_TYPE && is_json {
            let id = message.get("id").filter(|id| id.is_string() || id.is_number());
            let code = if message["method"].is_string() { -32602 } else { -32600 };
            return wrong(
                code,
                "the message is not as MCP has it",
                id.cloned().unwrap_or_default(),
            );
        }
        response
    }

    /// Whether a message is of an older client without a session. One that shakes hands gets a
    /// session unless there are too many.
    async fn stands_alone(&self, headers: &HeaderMap, message: &Value) -> bool {
        if headers.contains_key(SESSION) {
            return false;
        }
        if message["method"] == "initialize" {
            return self.sessions.sessions.read().await.len() >= SESSIONS;
        }
        let version = &message["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"];
        !is_modern(headers) && version.is_null() && message["method"] != "server/discover"
    }

    /// Remembers whose a session is for as long as it is open.
    async fn own(&self, session: String, identity: Option<String>) {
        let open = self.sessions.sessions.read().await;
        let mut owners = self.owners.lock().unwrap_or_else(PoisonError::into_inner);
        owners.retain(|session, _| open.contains_key(session.as_str()));
        owners.insert(session, identity);
    }
}

/// All of a request's body, unless it is too long or too slow.
async fn arrived(body: Incoming) -> Result<Bytes, Response<Body>> {
    match tokio::time::timeout(ARRIVAL, Limited::new(body, REQUEST_BYTES).collect()).await {
        Ok(Ok(body)) => Ok(body.to_bytes()),
        Ok(Err(error)) if error.is::<LengthLimitError>() => {
            Err(last(told(StatusCode::PAYLOAD_TOO_LARGE, "a request has 1 MiB at most")))
        }
        Ok(Err(_)) => Err(last(told(StatusCode::BAD_REQUEST, "the request did not arrive whole"))),
        Err(_) => {
            Err(last(told(StatusCode::REQUEST_TIMEOUT, "the request did not arrive in time")))
        }
    }
}

/// Versions are dates and compare as text.
fn is_modern(headers: &HeaderMap) -> bool {
    let version = headers.get(VERSION).and_then(|version| version.to_str().ok());
    version.is_some_and(|version| version >= ProtocolVersion::V_2026_07_28.as_str())
}

fn is_json(headers: &HeaderMap) -> bool {
    let kind = headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let essence = kind.split(';').next().unwrap_or_default().trim();
    essence.eq_ignore_ascii_case("application/json")
}

fn refused(refusal: Refusal) -> Response<Body> {
    let (status, text, challenge) = match refusal {
        Refusal::Host => {
            (StatusCode::FORBIDDEN, "the Host header does not name this machine", None)
        }
        Refusal::Origin => {
            (StatusCode::FORBIDDEN, "requests from this origin are not answered", None)
        }
        Refusal::NoToken => {
            (StatusCode::UNAUTHORIZED, "a token is needed", Some("Bearer realm=\"skillhold\""))
        }
        Refusal::WrongToken => (
            StatusCode::UNAUTHORIZED,
            "the token is not known here",
            Some("Bearer realm=\"skillhold\", error=\"invalid_token\""),
        ),
    };
    let mut response = told(status, text);
    if let Some(challenge) = challenge {
        response.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static(challenge));
    }
    response
}

fn told(status: StatusCode, text: &'static str) -> Response<Body> {
    let mut response = Response::new(Full::new(Bytes::from_static(text.as_bytes())).boxed());
    *response.status_mut() = status;
    let kind = HeaderValue::from_static("text/plain; charset=utf-8");
    response.headers_mut().insert(CONTENT_TYPE, kind);
    response
}

/// A message that cannot be answered.
fn wrong(code: i32, message: &str, id: Value) -> Response<Body> {
    let error =
        json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": message } });
    let mut response = Response::new(Full::new(Bytes::from(error.to_string())).boxed());
    *response.status_mut() = StatusCode::BAD_REQUEST;
    let kind = HeaderValue::from_static("application/json");
    response.headers_mut().insert(CONTENT_TYPE, kind);
    response
}

/// The connection ends with this answer: the rest of its request is not waited for.
fn last(mut response: Response<Body>) -> Response<Body> {
    response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
    response
}
