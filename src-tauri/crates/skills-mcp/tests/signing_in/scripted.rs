//! A server that asks to sign in, with its authorization server, and a browser.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};

use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use axum::response::Response;
use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use serde_json::{Value, json};
use skills::digest::Digest;
use skills::origin::Endpoint;
use skills_mcp::auth::{Grant, Keep, KeepError, SignIn};
use skills_mcp::{ClientContext, ClientError, Connection, Secret};
use url::{Url, form_urlencoded};

use crate::support::{context, entry};

/// One request to the server.
#[derive(Debug, Clone)]
pub struct Asked {
    /// As in `GET /mcp`.
    pub what: String,
    /// Its form or JSON, by name.
    pub fields: HashMap<String, String>,
    pub authorization: Option<String>,
    pub body: Value,
}

/// What is answered in place of the right answer.
pub enum Reply {
    Json(u16, Value),
    Redirect(&'static str),
    Silence,
}

#[derive(Default)]
struct State {
    asked: Vec<Asked>,
    /// The challenge of the code that was given.
    code: Option<String>,
    access: HashSet<String>,
    refresh: HashSet<String>,
    given: usize,
}

type Tell = dyn Fn(&Asked, &str) -> Option<Reply> + Send + Sync;

/// The server; `tell` may answer for it, given the request and its own address.
pub struct Scripted {
    pub base: String,
    pub keep: Arc<InMemory>,
    state: Arc<Mutex<State>>,
    task: tokio::task::JoinHandle<()>,
}

impl Drop for Scripted {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Scripted {
    pub async fn good() -> Self {
        Self::new(|_, _| None).await
    }

    pub async fn new(tell: impl Fn(&Asked, &str) -> Option<Reply> + Send + Sync + 'static) -> Self {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base = format!("http://{}", listener.local_addr().unwrap());
        let (state, tell): (Arc<Mutex<State>>, Arc<Tell>) = (Arc::default(), Arc::new(tell));
        let (at, seen) = (base.clone(), Arc::clone(&state));
        let app = Router::new().fallback(move |request: Request| {
            let (at, state, tell) = (at.clone(), Arc::clone(&seen), Arc::clone(&tell));
            async move {
                let asked = read(request).await;
                let told = tell(&asked, &at);
                state.lock().unwrap_or_else(PoisonError::into_inner).asked.push(asked.clone());
                match told {
                    Some(Reply::Json(status, body)) => json_of(status, &body),
                    Some(Reply::Redirect(to)) => Response::builder()
                        .status(302)
                        .header("location", to)
                        .body(Body::empty())
                        .unwrap(),
                    Some(Reply::Silence) => std::future::pending().await,
                    None => {
                        let mut state = state.lock().unwrap_or_else(PoisonError::into_inner);
                        right(&asked, &at, &mut state)
                    }
                }
            }
        });
        let task = tokio::spawn(async move { axum::serve(listener, app).await.unwrap() });
        Self { base, keep: Arc::default(), state, task }
    }

    pub fn url(&self) -> String {
        format!("{}/mcp", self.base)
    }

    /// A context of a client that keeps its sign-in here.
    pub fn context(&self) -> ClientContext {
        let keep = Arc::clone(&self.keep) as Arc<dyn Keep>;
        ClientContext { sign_in: Some(keep), ..context() }
    }

    pub async fn connect(&self) -> Result<Connection, ClientError> {
        Connection::open(&Endpoint::Http { url: self.url() }, &self.context()).await
    }

    /// Where the sign-in would be, by what the server says when it is asked without one.
    pub async fn discover(&self) -> Result<SignIn, ClientError> {
        let error = self.connect().await.unwrap_err();
        SignIn::discover(&self.url(), error.challenge(), context().timeouts).await
    }

    /// Signs in with a browser in which the person agrees, and keeps what comes of it.
    pub async fn sign_in(&self) -> Grant {
        let browser = self.browser(&[("code", "code-1")]);
        let grant = self.discover().await.unwrap().run(browser).await.unwrap();
        self.keep.save(&grant.text()).unwrap();
        grant
    }

    /// A browser that comes back with these parameters and the state.
    pub fn browser(
        &self,
        with: &[(&'static str, &'static str)],
    ) -> impl FnOnce(&str) -> Result<(), String> + use<> {
        let (state, with) = (Arc::clone(&self.state), with.to_vec());
        move |page| {
            let back = back(&Url::parse(page).unwrap(), &state, &with);
            tokio::spawn(async move { visit(&back).await });
            Ok(())
        }
    }

    /// The address that the browser comes back to.
    pub fn agreed(&self, page: &str) -> Url {
        back(&Url::parse(page).unwrap(), &self.state, &[("code", "code-1")])
    }

    pub fn asked(&self, what: &str) -> Vec<Asked> {
        let state = self.state.lock().unwrap();
        state.asked.iter().filter(|asked| asked.what == what).cloned().collect()
    }

    /// Takes back the tokens that were given for access.
    pub fn take_back(&self) {
        self.state.lock().unwrap().access.clear();
    }

    /// Takes back those for renewing, too.
    pub fn take_back_all(&self) {
        self.take_back();
        self.state.lock().unwrap().refresh.clear();
    }
}

/// What a page at the authorization server does when a person has agreed.
fn back(page: &Url, state: &Mutex<State>, with: &[(&str, &str)]) -> Url {
    let fields: HashMap<_, _> = page.query_pairs().into_owned().collect();
    assert_eq!(fields["response_type"], "code");
    assert_eq!(fields["code_challenge_method"], "S256");
    assert_eq!(fields["client_id"], "client-1");
    state.lock().unwrap().code = Some(fields["code_challenge"].clone());
    let mut back = Url::parse(&fields["redirect_uri"]).unwrap();
    back.query_pairs_mut().extend_pairs(with).append_pair("state", &fields["state"]);
    back
}

/// Visits a page; `None` when nobody listens there.
pub async fn visit(page: &Url) -> Option<(u16, String)> {
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let answer = client.get(page.clone()).send().await.ok()?;
    Some((answer.status().as_u16(), answer.text().await.unwrap()))
}

async fn read(request: Request) -> Asked {
    let (head, body) = request.into_parts();
    let what = format!("{} {}", head.method, head.uri.path());
    let header = |name| head.headers.get(name).and_then(|it: &http::HeaderValue| it.to_str().ok());
    let authorization = header("authorization").map(str::to_owned);
    let form = header("content-type").is_some_and(|kind| kind.contains("form-urlencoded"));
    let body = axum::body::to_bytes(body, 1 << 20).await.unwrap();
    let json: Value = serde_json::from_slice(&body).unwrap_or_default();
    let fields =
        if form { form_urlencoded::parse(&body).into_owned().collect() } else { HashMap::new() };
    Asked { what, fields, authorization, body: json }
}

fn json_of(status: u16, body: &Value) -> Response {
    Response::builder()
        .status(status)
        .header("content-type", "application/json")
        .body(Body::from(body.to_string()))
        .unwrap()
}

/// The metadata of the authorization server.
pub fn metadata(at: &str) -> Value {
    json!({
        "issuer": format!("{at}/as"),
        "authorization_endpoint": format!("{at}/as/authorize"),
        "token_endpoint": format!("{at}/as/token"),
        "registration_endpoint": format!("{at}/as/register"),
        "response_types_supported": ["code"],
        "code_challenge_methods_supported": ["S256"],
    })
}

fn right(asked: &Asked, at: &str, state: &mut State) -> Response {
    match asked.what.as_str() {
        "POST /mcp" | "GET /mcp" => {
            let token = asked.authorization.as_deref().and_then(|it| it.strip_prefix("Bearer "));
            if token.is_some_and(|token| state.access.contains(token)) {
                return speak(&asked.body);
            }
            let mut refused = json_of(401, &json!({}));
            let challenge = format!(
                "Bearer resource_metadata=\"{at}/.well-known/oauth-protected-resource/mcp\", \
                 scope=\"skills:read\""
            );
            refused.headers_mut().insert("www-authenticate", challenge.parse().unwrap());
            refused
        }
        "GET /.well-known/oauth-protected-resource/mcp" => json_of(
            200,
            &json!({ "resource": format!("{at}/mcp"), "authorization_servers": [format!("{at}/as")] }),
        ),
        "GET /.well-known/oauth-authorization-server/as" => json_of(200, &metadata(at)),
        // The good one's name on somebody else's addresses, where no issuer keeps metadata.
        "GET /.well-known/evil" => {
            let mut other = metadata(at);
            other["token_endpoint"] = json!(format!("{at}/evil/token"));
            json_of(200, &other)
        }
        "POST /as/register" => json_of(
            201,
            &json!({ "client_id": "client-1", "redirect_uris": asked.body["redirect_uris"] }),
        ),
        "POST /as/token" => token(asked, at, state),
        _ => json_of(404, &json!({})),
    }
}

fn token(asked: &Asked, at: &str, state: &mut State) -> Response {
    let field = |name: &str| asked.fields.get(name).map(String::as_str).unwrap_or_default();
    let good = match field("grant_type") {
        "authorization_code" => {
            let hex = Digest::of(field("code_verifier").as_bytes()).to_string();
            let hex = hex.strip_prefix("sha256:").unwrap();
            let bytes: Vec<u8> = (0..32)
                .map(|at| u8::from_str_radix(&hex[at * 2..at * 2 + 2], 16).unwrap())
                .collect();
            field("code") == "code-1"
                && state.code.take() == Some(BASE64_URL_SAFE_NO_PAD.encode(bytes))
        }
        "refresh_token" => state.refresh.remove(field("refresh_token")),
        _ => false,
    };
    if !good || field("resource") != format!("{at}/mcp") {
        return json_of(400, &json!({ "error": "invalid_grant" }));
    }
    state.given += 1;
    let (access, refresh) = (format!("access-{}", state.given), format!("refresh-{}", state.given));
    state.access.insert(access.clone());
    state.refresh.insert(refresh.clone());
    json_of(
        200,
        &json!({
            "access_token": access, "refresh_token": refresh, "token_type": "Bearer",
            "expires_in": 3600,
        }),
    )
}

fn speak(message: &Value) -> Response {
    let result = match message["method"].as_str().unwrap_or_default() {
        "server/discover" => json!({
            "resultType": "complete", "supportedVersions": ["2026-07-28"], "ttlMs": 0,
            "cacheScope": "private",
            "capabilities": { "resources": {}, "extensions": { "io.modelcontextprotocol/skills": {} } },
        }),
        _ => json!({
            "resultType": "complete", "ttlMs": 0, "cacheScope": "private",
            "skills": [entry("review", b"x", &[])],
        }),
    };
    json_of(200, &json!({ "jsonrpc": "2.0", "id": message["id"], "result": result }))
}

/// Keeps in memory.
#[derive(Debug, Default)]
pub struct InMemory(Mutex<Option<Secret>>);

impl InMemory {
    pub fn text(&self) -> Option<String> {
        self.0.lock().unwrap().as_ref().map(|kept| kept.expose().to_owned())
    }
}

impl Keep for InMemory {
    fn load(&self) -> Result<Option<Secret>, KeepError> {
        Ok(self.0.lock().unwrap().clone())
    }

    fn save(&self, grant: &Secret) -> Result<(), KeepError> {
        *self.0.lock().unwrap() = Some(grant.clone());
        Ok(())
    }

    fn forget(&self) -> Result<(), KeepError> {
        *self.0.lock().unwrap() = None;
        Ok(())
    }
}

/// Everything that an error says, its causes and its debug output too.
pub fn all_of(error: &ClientError) -> String {
    format!("{error} {error:?} {:?}", error.hint())
}
