//! Where the browser comes back to: one path on this machine, for one sign-in.

use std::convert::Infallible;
use std::net::Ipv4Addr;
use std::sync::Arc;
use std::time::Duration;

use http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HOST, REFERRER_POLICY,
    X_CONTENT_TYPE_OPTIONS,
};
use http::{Method, Request, Response, StatusCode};
use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use subtle::ConstantTimeEq as _;
use tokio::net::TcpListener;
use tokio::sync::{Semaphore, mpsc};
use url::form_urlencoded;

use crate::Secret;
use crate::limits::OAUTH_HEAD_BYTES;

const PATH: &str = "/callback";
/// Connections at once. A browser opens a few.
const AT_ONCE: usize = 16;
/// How long one of them may take.
const WITHIN: Duration = Duration::from_secs(20);

/// What the browser came back with.
#[derive(Debug)]
pub(super) enum Came {
    /// A code for a token, and who gave it, where that is said.
    Code { code: Secret, issuer: Option<String> },
    /// Somebody said no; the word for it.
    Refused(String),
}

/// The listener. It is closed when this is dropped, and after the first answer.
pub(super) struct Redirect {
    listener: TcpListener,
    port: u16,
}

impl Redirect {
    /// At a free port of this machine; nobody else can reach it.
    pub(super) async fn bind() -> std::io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let port = listener.local_addr()?.port();
        Ok(Self { listener, port })
    }

    /// Its address.
    pub(super) fn address(&self) -> String {
        format!("http://127.0.0.1:{}{PATH}", self.port)
    }

    /// Waits until the browser comes back for the sign-in with this state. Whatever else asks is
    /// turned away.
    pub(super) async fn wait(self, state: &Secret) -> std::io::Result<Came> {
        let (send, mut came) = mpsc::channel(1);
        let waits = Arc::new(Waits {
            host: format!("127.0.0.1:{}", self.port),
            state: state.clone(),
            send,
        });
        let places = Arc::new(Semaphore::new(AT_ONCE));
        loop {
            let accepted = tokio::select! {
                Some(came) = came.recv() => return Ok(came),
                accepted = self.listener.accept() => accepted,
            };
            let Ok(place) = Arc::clone(&places).try_acquire_owned() else { continue };
            let (stream, _) = match accepted {
                Ok(accepted) => accepted,
                Err(error) if error.kind() == std::io::ErrorKind::ConnectionAborted => continue,
                Err(error) => return Err(error),
            };
            let waits = Arc::clone(&waits);
            // Of its own: the browser gets its page when the listener is gone already.
            tokio::spawn(async move {
                let answer = service_fn(|request: Request<Incoming>| {
                    let page = waits.answer(&request);
                    async move { Ok::<_, Infallible>(page) }
                });
                let connection = hyper::server::conn::http1::Builder::new()
                    .timer(TokioTimer::new())
                    .header_read_timeout(WITHIN)
                    .max_buf_size(OAUTH_HEAD_BYTES)
                    .keep_alive(false)
                    .serve_connection(TokioIo::new(stream), answer);
                let _ = tokio::time::timeout(WITHIN, connection).await;
                drop(place);
            });
        }
    }
}

struct Waits {
    host: String,
    state: Secret,
    send: mpsc::Sender<Came>,
}

impl Waits {
    fn answer<B>(&self, request: &Request<B>) -> Response<Full<Bytes>> {
        let host = request.headers().get(HOST).and_then(|host| host.to_str().ok());
        // Under another name it is a page of somebody else's that asks.
        if host != Some(self.host.as_str()) || request.uri().path() != PATH {
            return page(StatusCode::NOT_FOUND, NOTHING);
        }
        if request.method() != Method::GET {
            return page(StatusCode::METHOD_NOT_ALLOWED, NOTHING);
        }
        let Some(came) = self.read(request.uri().query().unwrap_or_default()) else {
            return page(StatusCode::BAD_REQUEST, ANOTHER);
        };
        let text = if matches!(came, Came::Code { .. }) { DONE } else { REFUSED };
        match self.send.try_send(came) {
            Ok(()) => page(StatusCode::OK, text),
            // It came already.
            Err(_) => page(StatusCode::GONE, NOTHING),
        }
    }

    /// What the query says, if it is of this sign-in.
    fn read(&self, query: &str) -> Option<Came> {
        let (mut code, mut state, mut error, mut issuer) = (None, None, None, None);
        for (name, value) in form_urlencoded::parse(query.as_bytes()) {
            let field = match name.as_ref() {
                "code" => &mut code,
                "state" => &mut state,
                "error" => &mut error,
                "iss" => &mut issuer,
                _ => continue,
            };
            if field.replace(value.into_owned()).is_some() {
                return None;
            }
        }
        let ours = self.state.expose().as_bytes().ct_eq(state?.as_bytes());
        if !bool::from(ours) {
            return None;
        }
        match (code, error) {
            (_, Some(error)) => Some(Came::Refused(error)),
            (Some(code), None) => Some(Came::Code { code: code.into(), issuer }),
            (None, None) => None,
        }
    }
}

const DONE: &str = "You are back. Skillhold goes on by itself; this page can be closed.";
const REFUSED: &str = "You are not signed in. Skillhold says more; this page can be closed.";
const ANOTHER: &str = "This does not belong to the sign-in that Skillhold waits for.";
const NOTHING: &str = "There is nothing here.";

/// A page of fixed words: nothing of a request is in it.
fn page(status: StatusCode, words: &str) -> Response<Full<Bytes>> {
    let text = format!(
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>Skillhold</title>\
         <style>body{{font:15px/1.6 system-ui;margin:20vh auto;max-width:26rem;padding:0 1rem;\
         color-scheme:light dark}}</style><h1>Skillhold</h1><p>{words}</p></html>\n"
    );
    let mut page = Response::new(Full::new(Bytes::from(text)));
    *page.status_mut() = status;
    for (name, value) in [
        (CONTENT_TYPE, "text/html; charset=utf-8"),
        (CACHE_CONTROL, "no-store"),
        (CONTENT_SECURITY_POLICY, "default-src 'none'; style-src 'unsafe-inline'"),
        (REFERRER_POLICY, "no-referrer"),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    ] {
        page.headers_mut().insert(name, http::HeaderValue::from_static(value));
    }
    page
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn waits() -> (Waits, mpsc::Receiver<Came>) {
        let (send, came) = mpsc::channel(1);
        (Waits { host: "127.0.0.1:9".to_owned(), state: "right".into(), send }, came)
    }

    fn status(waits: &Waits, method: &str, host: &str, uri: &str) -> u16 {
        let request = Request::builder().method(method).uri(uri).header(HOST, host).body(());
        waits.answer(&request.unwrap()).status().as_u16()
    }

    #[test]
    fn only_the_browser_that_was_sent_is_taken_and_only_once() {
        let (waits, mut came) = waits();
        let ask = |method, host, uri| status(&waits, method, host, uri);
        let good = "/callback?code=c&state=right&iss=https%3A%2F%2Fa.example";
        assert_eq!(ask("GET", "127.0.0.1:9", "/"), 404);
        assert_eq!(ask("GET", "evil.example", good), 404);
        assert_eq!(ask("POST", "127.0.0.1:9", good), 405);
        assert_eq!(ask("GET", "127.0.0.1:9", "/callback"), 400);
        assert_eq!(ask("GET", "127.0.0.1:9", "/callback?code=c&state=wrong"), 400);
        assert_eq!(ask("GET", "127.0.0.1:9", "/callback?code=c&code=d&state=right"), 400);
        assert!(came.try_recv().is_err());
        assert_eq!(ask("GET", "127.0.0.1:9", good), 200);
        assert_eq!(ask("GET", "127.0.0.1:9", good), 410);
        let Came::Code { code, issuer } = came.try_recv().unwrap() else { panic!("no code") };
        assert_eq!((code.expose(), issuer.as_deref()), ("c", Some("https://a.example")));
    }

    #[test]
    fn a_no_is_told_and_nothing_of_it_is_on_the_page() {
        let (waits, mut came) = waits();
        let request = Request::builder()
            .uri("/callback?error=access_denied&error_description=%3Cb%3E&state=right")
            .header(HOST, "127.0.0.1:9")
            .body(())
            .unwrap();
        let page = waits.answer(&request);
        assert_eq!(page.status(), 200);
        assert!(matches!(came.try_recv().unwrap(), Came::Refused(word) if word == "access_denied"));
    }
}
