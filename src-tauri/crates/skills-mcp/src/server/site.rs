//! What is at `/mcp`: who may ask, in which session, and with which version.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use http::header::AUTHORIZATION;
use http::request::Parts;
use http::{HeaderMap, HeaderValue, Method, Request, Response, StatusCode, Uri};
use http_body_util::{BodyExt as _, Full};
use hyper::body::{Bytes, Incoming};
use rmcp::model::ProtocolVersion;
use rmcp::transport::streamable_http_server::session::local::{LocalSessionManager, SessionConfig};
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use serde_json::Value;
use skills::provider::policy::Caller;
use tokio_util::sync::CancellationToken;

use super::ServeOptions;
use super::apart::Apart;
use super::batch::{self, Answers};
use super::connections::{Answer, Connection};
use super::gate::{Address, Gate};
use super::handler::SkillServer;
use super::pages::misread;
use super::refusing::Knock;
use super::replies::{
    Body, accepted, arrived, ending, json, kind, last_event, no_session, refused, told, wrong,
};
use super::room::Held;
use super::shared::Shared;
use crate::limits::{REQUEST_BYTES, SESSIONS};

/// A session ends when nothing was asked or told in it for this long. Clients that only wait to be
/// told ask nothing.
const SESSION_IDLE: Duration = Duration::from_secs(30 * 60);

/// How long the answers of a session are kept for a client that lost its connection.
const KEPT: Duration = Duration::from_secs(5);

const SESSION: &str = "mcp-session-id";
const VERSION: &str = "mcp-protocol-version";

/// Who is asked what is at `/mcp`.
pub(super) struct Site {
    gate: Gate,
    sessions: Arc<LocalSessionManager>,
    /// Requests of newer clients, and sessions of older ones.
    usual: StreamableHttpService<SkillServer, LocalSessionManager>,
    /// Requests of older clients without a session.
    alone: StreamableHttpService<SkillServer, NeverSessionManager>,
    /// The sessions that are open, and perhaps some that ended.
    known: Mutex<HashMap<String, Session>>,
    shared: Arc<Shared>,
    shutdown: CancellationToken,
}

/// What is known of a session.
#[derive(Clone)]
struct Session {
    /// Whose it is: another caller who learns of it is told nothing.
    owner: Option<String>,
    /// Whether its version has batches.
    has_batches: bool,
}

impl Site {
    pub(super) fn new(
        shared: &Arc<Shared>,
        options: &ServeOptions,
        shutdown: &CancellationToken,
    ) -> Self {
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
        let (usual, alone, shared) = (Arc::clone(shared), Arc::clone(shared), Arc::clone(shared));
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
            known: Mutex::default(),
            shared,
            shutdown: shutdown.clone(),
        }
    }

    pub(super) async fn answer(
        &self,
        mut request: Request<Incoming>,
        peer: IpAddr,
        local: IpAddr,
        connection: &Arc<Connection>,
    ) -> Response<Answer> {
        let at = SystemTime::now();
        let clients = &self.shared.clients;
        let knock = clients.observed().then(|| Knock::of(&mut request)).flatten();
        let answer = self.answered(request, peer, local, connection).await;
        if let Some(refused) = knock.and_then(|knock| knock.refused(at, &answer)) {
            clients.refused(refused);
        }
        answer
    }

    async fn answered(
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
        let asks = caller.clone();
        let (mut parts, body) = request.into_parts();
        // Nobody further in has a use for the token, and none may write it to a log.
        parts.headers.remove(AUTHORIZATION);
        parts.uri = Uri::from_static("/mcp");
        parts.extensions.insert(caller);
        parts.extensions.insert(Address(peer));
        let arrived = arrived(body).await;
        // Not before: whoever sends a part and then nothing would keep its place.
        let work = connection.at_work();
        let response = match arrived {
            // Whoever may ask may be others by now.
            Ok(_) if self.shutdown.is_cancelled() => ending(),
            Ok(body) => self.dispatch(Request::from_parts(parts, body), &asks).await,
            Err(refused) => refused,
        };
        response.map(|body| Answer::new(body, Some(work)))
    }

    async fn dispatch(&self, mut request: Request<Bytes>, caller: &Caller) -> Response<Body> {
        if is_modern(request.headers()) {
            // Its version has no sessions.
            request.headers_mut().remove(SESSION);
        }
        let headers = request.headers();
        let has_batches = match headers.get(SESSION) {
            Some(session) => match self.session(session, caller).await {
                Some(session) => session.has_batches && says_batches(headers),
                None => return no_session(),
            },
            None => says_batches(headers),
        };
        if request.method() != Method::POST {
            let alone = !headers.contains_key(SESSION) && !is_modern(headers);
            let request = request.map(Full::new);
            return match alone {
                true => self.alone.handle(request).await,
                false => self.usual.handle(request).await,
            };
        }
        match serde_json::from_slice::<Value>(request.body()) {
            Ok(message @ Value::Object(_)) => self.message(request, message, caller).await,
            Ok(Value::Array(messages)) => {
                if let Some(why) = batch::refused(&messages, has_batches) {
                    return wrong(-32600, &why, Value::Null);
                }
                self.batch(&request.into_parts().0, messages, caller).await
            }
            Ok(_) => wrong(-32600, "a message is one JSON object", Value::Null),
            Err(error) => wrong(-32700, &format!("not JSON: {error}"), Value::Null),
        }
    }

    /// An open session of this caller.
    async fn session(&self, id: &HeaderValue, caller: &Caller) -> Option<Session> {
        let id = id.to_str().ok()?;
        let open = self.sessions.sessions.read().await.contains_key(id);
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.get(id).filter(|session| open && session.owner == caller.identity).cloned()
    }

    /// The answers to a batch, one message after the other.
    async fn batch(&self, parts: &Parts, messages: Vec<Value>, caller: &Caller) -> Response<Body> {
        let mut answers = Answers::default();
        for message in messages {
            if let Some(wrong) = batch::unfit(&message) {
                answers.push(wrong.to_string().as_bytes());
                continue;
            }
            let asks = batch::asks(&message);
            let id = batch::id(&message);
            if asks && answers.is_full() {
                answers.push_no_room(&id);
                continue;
            }
            let body = Bytes::from(message.to_string());
            let request = Request::from_parts(parts.clone(), body);
            let response = self.message(request, message, caller).await;
            let status = response.status();
            let kind = kind(response.headers());
            let (streams, is_json) = (kind == "text/event-stream", kind == "application/json");
            if !status.is_success() && !is_json {
                // No message is answered: not of this session, or what is sent is not MCP.
                return response;
            }
            let Ok(body) = response.into_body().collect().await;
            let body = body.to_bytes();
            if !asks {
                continue;
            }
            match if streams { last_event(&body) } else { is_json.then_some(&body[..]) } {
                Some(answer) => answers.push_if_it_fits(answer, &id),
                None => answers
                    .push(batch::error(-32603, "the answer broke off", id).to_string().as_bytes()),
            }
        }
        match answers.end() {
            Some(answers) => json(StatusCode::OK, answers.into()),
            None => accepted(),
        }
    }

    /// The answer to one message.
    async fn message(
        &self,
        mut request: Request<Bytes>,
        mut message: Value,
        caller: &Caller,
    ) -> Response<Body> {
        if let Some(why) = misread(&message) {
            return wrong(-32602, &why, batch::id(&message));
        }
        if message["method"] == "skills/get"
            && let Some(Value::String(uri)) = message["params"].get_mut("uri")
        {
            match self.shared.listed(caller, uri.clone()).await {
                Ok(listed) if listed != *uri => {
                    *uri = listed;
                    *request.body_mut() = message.to_string().into();
                }
                Ok(_) => {}
                Err(error) => {
                    return wrong(error.code.0, &error.message, batch::id(&message));
                }
            }
        }
        let headers = request.headers();
        let is_json = kind(headers) == "application/json";
        let alone = self.stands_alone(headers, &message).await;
        // In a session the answer is an event.
        let apart = (message["method"] == "skills/list" && !headers.contains_key(SESSION))
            .then(Apart::default);
        if let Some(apart) = &apart {
            request.extensions_mut().insert(apart.clone());
        }
        let held = (message["method"] == "resources/read").then(Held::default);
        if let Some(held) = &held {
            request.extensions_mut().insert(held.clone());
        }
        let request = request.map(Full::new);
        let mut response = match alone {
            true => self.alone.handle(request).await,
            false => self.usual.handle(request).await,
        };
        if let Some(held) = held {
            response = held.by(response);
        }
        if let Some(apart) = apart {
            response = apart.join(response).await;
        }
        if let Some(session) = response.headers().get(SESSION).and_then(|id| id.to_str().ok()) {
            let version = &message["params"]["protocolVersion"];
            let has_batches = version == batch::VERSION.as_str();
            let known = Session { owner: caller.identity.clone(), has_batches };
            self.remember(session.to_owned(), known).await;
        }
        // rmcp says this of messages that it cannot read, whatever is wrong with them.
        if response.status() == StatusCode::UNSUPPORTED_MEDIA_TYPE && is_json {
            let code = if message["method"].is_string() { -32602 } else { -32600 };
            return wrong(code, "the message is not as MCP has it", batch::id(&message));
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

    /// Remembers a session for as long as it is open.
    async fn remember(&self, id: String, session: Session) {
        let open = self.sessions.sessions.read().await;
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.retain(|id, _| open.contains_key(id.as_str()));
        known.insert(id, session);
    }
}

/// Whether a client may send batches. One that says no version is of 2025-03-26.
fn says_batches(headers: &HeaderMap) -> bool {
    let said = headers.get(VERSION);
    said.is_none_or(|version| version.as_bytes() == batch::VERSION.as_str().as_bytes())
}

/// Versions are dates and compare as text.
fn is_modern(headers: &HeaderMap) -> bool {
    let version = headers.get(VERSION).and_then(|version| version.to_str().ok());
    version.is_some_and(|version| version >= ProtocolVersion::V_2026_07_28.as_str())
}
