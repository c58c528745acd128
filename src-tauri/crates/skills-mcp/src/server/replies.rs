//! Bodies that come, and answers that are not from a handler.

use std::convert::Infallible;

use http::header::{CONNECTION, CONTENT_TYPE, WWW_AUTHENTICATE};
use http::{HeaderMap, HeaderValue, Response, StatusCode};
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt as _, Full, LengthLimitError, Limited};
use hyper::body::{Body as _, Bytes, Incoming};
use serde_json::Value;

use super::batch;
use super::gate::Refusal;
use super::refusing::Why;
use crate::limits::{ARRIVAL, REQUEST_BYTES, quoted};

pub(super) type Body = BoxBody<Bytes, Infallible>;

/// All of a request's body, unless it is too long or too slow.
pub(super) async fn arrived(body: Incoming) -> Result<Bytes, Response<Body>> {
    let too_long = || last(told(StatusCode::PAYLOAD_TOO_LARGE, "a request has 1 MiB at most"));
    // Where its length is declared, nothing of it has to come first.
    if body.size_hint().lower() > REQUEST_BYTES as u64 {
        return Err(too_long());
    }
    match tokio::time::timeout(ARRIVAL, Limited::new(body, REQUEST_BYTES).collect()).await {
        Ok(Ok(body)) => Ok(body.to_bytes()),
        Ok(Err(error)) if error.is::<LengthLimitError>() => Err(too_long()),
        Ok(Err(_)) => Err(last(told(StatusCode::BAD_REQUEST, "the request did not arrive whole"))),
        Err(_) => {
            Err(last(told(StatusCode::REQUEST_TIMEOUT, "the request did not arrive in time")))
        }
    }
}

/// The type of a body, without its parameters.
pub(super) fn kind(headers: &HeaderMap) -> String {
    let kind = headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    kind.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

/// The last message of a stream of events: what comes before an answer is news.
pub(super) fn last_event(events: &[u8]) -> Option<&[u8]> {
    let data = |line| <[u8]>::strip_prefix(line, b"data:").map(<[u8]>::trim_ascii);
    events.split(|byte| *byte == b'\n').filter_map(data).rfind(|data| !data.is_empty())
}

pub(super) fn refused(refusal: Refusal) -> Response<Body> {
    let (status, text, challenge) = match refusal {
        Refusal::Host => (
            StatusCode::FORBIDDEN,
            "the Host header does not name this machine; use 127.0.0.1 or localhost",
            None,
        ),
        Refusal::Name => (
            StatusCode::FORBIDDEN,
            "the Host header is not a name that is let in here; use the address in place of the \
             name, or serve with --allow-host and the name",
            None,
        ),
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
        Refusal::TwoTokens => (
            StatusCode::BAD_REQUEST,
            "a request shows one token; send one Authorization header",
            Some("Bearer realm=\"skillhold\", error=\"invalid_request\""),
        ),
    };
    let mut response = told(status, text);
    if let Some(challenge) = challenge {
        response.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static(challenge));
    }
    response
}

pub(super) fn told(status: StatusCode, text: &'static str) -> Response<Body> {
    let mut response = Response::new(Full::new(Bytes::from_static(text.as_bytes())).boxed());
    response.extensions_mut().insert(Why(text.to_owned()));
    *response.status_mut() = status;
    let kind = HeaderValue::from_static("text/plain; charset=utf-8");
    response.headers_mut().insert(CONTENT_TYPE, kind);
    response
}

/// The server ends, and whoever asks is told by another one.
pub(super) fn ending() -> Response<Body> {
    last(told(StatusCode::SERVICE_UNAVAILABLE, "the server is ending"))
}

/// A message that cannot be answered.
pub(super) fn wrong(code: i32, message: &str, id: Value) -> Response<Body> {
    let error = batch::error(code, message, id);
    let mut response = json(StatusCode::BAD_REQUEST, error.to_string().into());
    response.extensions_mut().insert(Why(quoted(message)));
    response
}

pub(super) fn json(status: StatusCode, body: Bytes) -> Response<Body> {
    let mut response = Response::new(Full::new(body).boxed());
    *response.status_mut() = status;
    let kind = HeaderValue::from_static("application/json");
    response.headers_mut().insert(CONTENT_TYPE, kind);
    response
}

/// The connection ends with this answer: the rest of its request is not waited for.
fn last(mut response: Response<Body>) -> Response<Body> {
    response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
    response
}

/// There is none, it ended, or it is somebody else's: which of them is not told.
pub(super) fn no_session() -> Response<Body> {
    told(StatusCode::NOT_FOUND, "there is no such session")
}

/// What came is not answered.
pub(super) fn accepted() -> Response<Body> {
    let mut nothing = Response::new(Full::default().boxed());
    *nothing.status_mut() = StatusCode::ACCEPTED;
    nothing
}
