//! Streamable HTTP at `/mcp`, for this machine only. Pages in a browser reach local addresses too,
//! so Host and Origin are checked before anything else is looked at.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::{Request, State};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse as _, Response};
use http::header::{AUTHORIZATION, HOST, ORIGIN, WWW_AUTHENTICATE};
use http::{HeaderMap, StatusCode};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use skills::digest::Digest;
use skills::provider::Provider;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use url::Url;

use super::{ServeError, ServeOptions, SkillServer};

/// How long open answers may take to end after the shutdown.
const GRACE: Duration = Duration::from_secs(3);

/// Serves at `http://ADDR/mcp` until `shutdown` fires. `ready` gets the address that is listened
/// on, with the port the system chose where `addr` has port 0.
///
/// # Errors
/// When the address is not of this machine only, or cannot be listened on.
pub async fn serve_http(
    provider: Arc<dyn Provider>,
    addr: SocketAddr,
    options: ServeOptions,
    shutdown: CancellationToken,
    ready: impl FnOnce(SocketAddr),
) -> Result<(), ServeError> {
    if !addr.ip().is_loopback() {
        return Err(ServeError::NotLoopback(addr));
    }
    let server = SkillServer::new(provider, &options).await?;
    let listener =
        TcpListener::bind(addr).await.map_err(|source| ServeError::Bind { addr, source })?;
    let bound = listener.local_addr().map_err(|source| ServeError::Bind { addr, source })?;
    let config =
        StreamableHttpServerConfig::default().with_cancellation_token(shutdown.child_token());
    let mcp = StreamableHttpService::new(
        move || Ok(server.clone()),
        Arc::new(LocalSessionManager::default()),
        config,
    );
    let guard = Guard { token: options.token.map(|token| Digest::of(token.as_bytes())) };
    let app =
        Router::new().route_service("/mcp", mcp).layer(from_fn_with_state(Arc::new(guard), check));
    ready(bound);
    let stopped = shutdown.clone();
    let serving =
        axum::serve(listener, app).with_graceful_shutdown(async move { stopped.cancelled().await });
    tokio::select! {
        ended = serving.into_future() => ended.map_err(ServeError::Io),
        () = async { shutdown.cancelled().await; tokio::time::sleep(GRACE).await } => Ok(()),
    }
}

/// What a request must show.
struct Guard {
    /// Of the token; comparing digests takes the same time wherever two tokens differ.
    token: Option<Digest>,
}

async fn check(State(guard): State<Arc<Guard>>, request: Request, next: Next) -> Response {
    let headers = request.headers();
    let host = match headers.get(HOST) {
        Some(host) => host.to_str().ok().map(str::to_owned),
        None => request.uri().authority().map(|authority| authority.as_str().to_owned()),
    };
    if !host.is_some_and(|host| names_loopback(&format!("http://{host}"))) {
        return (StatusCode::FORBIDDEN, "the Host header does not name this machine")
            .into_response();
    }
    if !origins_allowed(headers) {
        return (StatusCode::FORBIDDEN, "requests from this origin are not answered")
            .into_response();
    }
    if guard.token.is_some_and(|token| bearer(headers) != Some(token)) {
        let challenge = [(WWW_AUTHENTICATE, "Bearer")];
        return (StatusCode::UNAUTHORIZED, challenge, "a token is needed").into_response();
    }
    next.run(request).await
}

/// Browsers send Origin, other clients do not. Every one that is sent must be of this machine.
fn origins_allowed(headers: &HeaderMap) -> bool {
    headers.get_all(ORIGIN).iter().all(|origin| origin.to_str().is_ok_and(names_loopback))
}

fn names_loopback(origin: &str) -> bool {
    let Ok(url) = Url::parse(origin) else { return false };
    let plain = matches!(url.scheme(), "http" | "https")
        && url.username().is_empty()
        && url.password().is_none()
        && url.path() == "/";
    let host = match url.host() {
        Some(url::Host::Domain(name)) => name == "localhost",
        Some(url::Host::Ipv4(ip)) => IpAddr::V4(ip).is_loopback(),
        Some(url::Host::Ipv6(ip)) => IpAddr::V6(ip).is_loopback(),
        None => false,
    };
    plain && host
}

fn bearer(headers: &HeaderMap) -> Option<Digest> {
    let (scheme, token) = headers.get(AUTHORIZATION)?.to_str().ok()?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| Digest::of(token.trim().as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_this_machine_are_loopback() {
        for good in
            ["http://localhost", "http://localhost:3000", "https://127.0.0.1", "http://[::1]:80"]
        {
            assert!(names_loopback(good), "{good}");
        }
        for bad in [
            "null",
            "http://localhost.example.org",
            "http://example.org",
            "http://127.0.0.1.example.org",
            "http://127.0.0.1@example.org",
            "http://example.org@127.0.0.1",
            "file://localhost",
            "http://",
        ] {
            assert!(!names_loopback(bad), "{bad}");
        }
    }
}
