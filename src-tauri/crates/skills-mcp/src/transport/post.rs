//! The client that posts messages. It does what rmcp's own does, and looks at an answer before it
//! is made into values: how long it is, and how many it holds.

use std::collections::HashMap;
use std::io;
use std::sync::Arc;
use std::time::Instant;

use futures::stream::BoxStream;
use futures::{Stream, StreamExt as _};
use http::header::{ACCEPT, CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE};
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use reqwest::Response;
use rmcp::model::{
    ClientJsonRpcMessage, ClientRequest, ErrorData, JsonRpcMessage, ServerJsonRpcMessage,
    ServerResult,
};
use rmcp::transport::streamable_http_client::{
    AuthRequiredError, HttpStatusError, InsufficientScopeError, SseError, StreamableHttpClient,
    StreamableHttpError, StreamableHttpPostResponse, StreamableHttpResponseLimits,
};
use sse_stream::{Sse, SseStream};

use super::allowance::Allowance;
use super::message::{answer_of, message_of};
use super::values::{TooMany, few_enough};
use crate::limits::MESSAGE_BYTES;

const JSON: &str = "application/json";
const EVENTS: &str = "text/event-stream";
const SESSION: &str = "mcp-session-id";
const LAST_EVENT: &str = "last-event-id";

/// The bytes of the events of an answer that are taken without a pause: more than the longest message
/// and what a server tells on the way to it.
const ANSWER_AT_ONCE: usize = 2 * MESSAGE_BYTES;

/// The bytes that are taken without a pause of a stream that only brings news.
const NEWS_AT_ONCE: usize = 1024 * 1024;

pub(super) type Failure = StreamableHttpError<reqwest::Error>;
type Events = BoxStream<'static, Result<Sse, SseError>>;

/// An HTTP client that takes no answer unseen.
#[derive(Debug, Clone)]
pub(crate) struct Looking(pub(crate) reqwest::Client);

impl StreamableHttpClient for Looking {
    type Error = reqwest::Error;

    async fn post_message(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session: Option<Arc<str>>,
        token: Option<String>,
        headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<StreamableHttpPostResponse, Failure> {
        let limits = StreamableHttpResponseLimits::default();
        self.post_message_with_response_limits(uri, message, session, token, headers, limits).await
    }

    async fn post_message_with_response_limits(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session: Option<Arc<str>>,
        token: Option<String>,
        headers: HashMap<HeaderName, HeaderValue>,
        limits: StreamableHttpResponseLimits,
    ) -> Result<StreamableHttpPostResponse, Failure> {
        let mut request = self
            .0
            .post(uri.as_ref())
            .headers(headers.into_iter().collect())
            .header(ACCEPT, format!("{EVENTS}, {JSON}"))
            .header(CONTENT_TYPE, JSON)
            .body(serde_json::to_vec(&message)?);
        if let Some(token) = token {
            request = request.bearer_auth(token);
        }
        let in_session = session.is_some();
        if let Some(session) = &session {
            request = request.header(SESSION, session.as_ref());
        }
        let response = request.send().await.map_err(StreamableHttpError::Client)?;
        answer(&message, in_session, response, limits).await
    }

    async fn delete_session(
        &self,
        uri: Arc<str>,
        session: Arc<str>,
        token: Option<String>,
        headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<(), Failure> {
        self.0.delete_session(uri, session, token, headers).await
    }

    async fn get_stream(
        &self,
        uri: Arc<str>,
        session: Option<Arc<str>>,
        last: Option<String>,
        token: Option<String>,
        headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<Events, Failure> {
        let most = StreamableHttpResponseLimits::default().max_sse_event_size;
        self.get_stream_with_max_sse_event_size(uri, session, last, token, headers, most).await
    }

    async fn get_stream_with_max_sse_event_size(
        &self,
        uri: Arc<str>,
        session: Option<Arc<str>>,
        last: Option<String>,
        token: Option<String>,
        headers: HashMap<HeaderName, HeaderValue>,
        most: usize,
    ) -> Result<Events, Failure> {
        // What goes on where it broke off may be an answer.
        let at_once = if last.is_some() { ANSWER_AT_ONCE } else { NEWS_AT_ONCE };
        let mut request = self
            .0
            .get(uri.as_ref())
            .headers(headers.into_iter().collect())
            .header(ACCEPT, format!("{EVENTS}, {JSON}"));
        if let Some(session) = &session {
            request = request.header(SESSION, session.as_ref());
        }
        if let Some(last) = last {
            request = request.header(LAST_EVENT, last);
        }
        if let Some(token) = token {
            request = request.bearer_auth(token);
        }
        let response = request.send().await.map_err(StreamableHttpError::Client)?;
        let status = response.status();
        if status == StatusCode::METHOD_NOT_ALLOWED {
            return Err(StreamableHttpError::ServerDoesNotSupportSse);
        }
        if let Some(challenge) = challenge(status, response.headers())? {
            return Err(challenge);
        }
        if let Some(failed) = failure(&response) {
            return Err(failed);
        }
        let response = response.error_for_status().map_err(StreamableHttpError::Client)?;
        match text_of(response.headers(), &CONTENT_TYPE) {
            Some(kind) if is(&kind, EVENTS) || is(&kind, JSON) => {
                Ok(looked_at(events(response, most, at_once)))
            }
            kind => Err(StreamableHttpError::UnexpectedContentType(kind)),
        }
    }
}

/// What an answer to a message is.
async fn answer(
    message: &ClientJsonRpcMessage,
    in_session: bool,
    response: Response,
    limits: StreamableHttpResponseLimits,
) -> Result<StreamableHttpPostResponse, Failure> {
    let status = response.status();
    if let Some(challenge) = challenge(status, response.headers())? {
        return Err(challenge);
    }
    if matches!(status, StatusCode::ACCEPTED | StatusCode::NO_CONTENT) {
        return Ok(StreamableHttpPostResponse::Accepted);
    }
    if status == StatusCode::NOT_FOUND && in_session {
        return Err(StreamableHttpError::SessionExpired);
    }
    let kind = text_of(response.headers(), &CONTENT_TYPE);
    if !status.is_success() {
        let refused = refusal(message, in_session, response, kind, limits).await;
        return refused.map(|error| StreamableHttpPostResponse::Json(error, None));
    }
    let session =
        response.headers().get(SESSION).and_then(|id| id.to_str().ok()).map(str::to_owned);
    // Nobody waits for an answer to these, so that none is wrong.
    let answered = matches!(message, JsonRpcMessage::Request(_));
    match &kind {
        Some(kind) if is(kind, EVENTS) => {
            let listens = matches!(message, JsonRpcMessage::Request(asked)
                if matches!(asked.request, ClientRequest::SubscriptionsListenRequest(_)));
            let at_once = if listens { NEWS_AT_ONCE } else { ANSWER_AT_ONCE };
            let events = events(response, limits.max_sse_event_size, at_once);
            Ok(StreamableHttpPostResponse::Sse(looked_at(events), session))
        }
        Some(kind) if is(kind, JSON) => {
            if !answered && response.content_length() == Some(0) {
                return Ok(StreamableHttpPostResponse::Accepted);
            }
            let body = whole(response, limits.max_json_response_size).await?;
            match answer_of(message, &body) {
                Ok(answer) => Ok(StreamableHttpPostResponse::Json(known(message, answer), session)),
                Err(_) if !answered => Ok(StreamableHttpPostResponse::Accepted),
                Err(error) => Err(error),
            }
        }
        _ if !answered => Ok(StreamableHttpPostResponse::Accepted),
        _ => Err(StreamableHttpError::UnexpectedContentType(kind)),
    }
}

/// Whether the server wants to know first who asks.
fn challenge(status: StatusCode, headers: &HeaderMap) -> Result<Option<Failure>, Failure> {
    let asked = match status {
        StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => headers.get(WWW_AUTHENTICATE),
        _ => None,
    };
    let Some(asked) = asked else { return Ok(None) };
    let asked = asked
        .to_str()
        .map_err(|_| {
            StreamableHttpError::UnexpectedServerResponse("a challenge that is no text".into())
        })?
        .to_owned();
    Ok(Some(if status == StatusCode::UNAUTHORIZED {
        StreamableHttpError::AuthRequired(AuthRequiredError::new(asked))
    } else {
        let scope = scope(&asked);
        StreamableHttpError::InsufficientScope(InsufficientScopeError::new(asked, scope))
    }))
}

/// That a server is asked too much, or fails, and when it may be asked again.
fn failure(response: &Response) -> Option<Failure> {
    let status = response.status();
    (status == StatusCode::TOO_MANY_REQUESTS || status.is_server_error()).then(|| {
        let wait = text_of(response.headers(), &RETRY_AFTER);
        StreamableHttpError::from(HttpStatusError::new(status.as_u16(), wait))
    })
}

/// The value of `scope=` in a challenge.
fn scope(challenge: &str) -> Option<String> {
    let at = challenge.to_ascii_lowercase().find("scope=")? + "scope=".len();
    let value = challenge.get(at..)?;
    let scope = match value.strip_prefix('"') {
        Some(quoted) => quoted.split_once('"')?.0,
        None => value.split([',', ';', ' ', '\t']).next()?,
    };
    (!scope.is_empty()).then(|| scope.to_owned())
}

/// An answer whose status is an error: the JSON-RPC error in it, or what the status says.
async fn refusal(
    message: &ClientJsonRpcMessage,
    in_session: bool,
    response: Response,
    kind: Option<String>,
    limits: StreamableHttpResponseLimits,
) -> Result<ServerJsonRpcMessage, Failure> {
    let status = response.status();
    let failed = failure(&response);
    let access = matches!(status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN);
    let told = kind.is_some_and(|kind| is(&kind, JSON))
        && !access
        && status != StatusCode::TOO_MANY_REQUESTS;
    let error = if told {
        match whole(response, limits.max_json_response_size).await {
            Ok(body) => match message_of(&body) {
                Ok(JsonRpcMessage::Error(error)) => Some(error),
                _ => None,
            },
            Err(StreamableHttpError::Client(_)) => None,
            Err(error) => return Err(failed.unwrap_or(error)),
        }
    } else {
        None
    };
    // A server that does not know the first question of the newer protocol says so in many ways.
    let asked = match message {
        JsonRpcMessage::Request(asked)
            if matches!(asked.request, ClientRequest::DiscoverRequest(_))
                && status.is_client_error()
                && !access
                && !in_session =>
        {
            Some(asked.id.clone())
        }
        _ => None,
    };
    match (asked, error, failed) {
        (Some(id), Some(error), None) => Ok(ServerJsonRpcMessage::error(error.error, Some(id))),
        (_, Some(error), _) => Ok(JsonRpcMessage::Error(error)),
        (Some(id), None, None) => {
            let error = ErrorData::invalid_request(format!("HTTP status {status}"), None);
            Ok(ServerJsonRpcMessage::error(error, Some(id)))
        }
        (_, None, Some(failed)) => Err(failed),
        (None, None, None) => {
            Err(StreamableHttpError::UnexpectedServerResponse(format!("HTTP {status}").into()))
        }
    }
}

/// A server that answers the first question of the newer protocol and names no versions does not
/// know the question: as if it had said so, after which it is asked in the older way.
fn known(asked: &ClientJsonRpcMessage, answer: ServerJsonRpcMessage) -> ServerJsonRpcMessage {
    match (asked, &answer) {
        (JsonRpcMessage::Request(asked), JsonRpcMessage::Response(response))
            if matches!(asked.request, ClientRequest::DiscoverRequest(_))
                && !matches!(response.result, ServerResult::DiscoverResult(_))
                && !serde_json::to_value(&response.result)
                    .is_ok_and(|result| result.get("supportedVersions").is_some()) =>
        {
            let error = ErrorData::invalid_request("the answer to server/discover is none", None);
            ServerJsonRpcMessage::error(error, Some(response.id.clone()))
        }
        _ => answer,
    }
}

/// The whole body, if it is not too long.
async fn whole(response: Response, most: usize) -> Result<Vec<u8>, Failure> {
    let over = || StreamableHttpError::ResponseBodyTooLarge { max_size: most };
    if response.content_length().is_some_and(|length| length > most as u64) {
        return Err(over());
    }
    let mut parts = response.bytes_stream();
    let mut body = Vec::new();
    while let Some(part) = parts.next().await {
        let part = part.map_err(StreamableHttpError::Client)?;
        if part.len() > most - body.len() {
            return Err(over());
        }
        body.extend_from_slice(&part);
    }
    Ok(body)
}

/// Events as they come, of which none has too many values.
fn looked_at(events: Events) -> Events {
    events
        .map(|event| {
            let event = event?;
            match &event.data {
                Some(data) if !few_enough(data.as_bytes()) => {
                    Err(SseError::Body(Box::new(TooMany)))
                }
                _ => Ok(event),
            }
        })
        .boxed()
}

/// The events of an answer, of which none is too long. So many bytes come at once, and more with
/// pauses: of comments and of events without data nobody else sees that there are too many.
fn events(response: Response, most: usize, at_once: usize) -> Events {
    let mut length = EventLength::default();
    let parts = paced(response.bytes_stream(), at_once).map(move |part| {
        let part = part.map_err(io::Error::other)?;
        if !length.within(&part, most) {
            let over = format!("an event has more than {most} bytes");
            return Err(io::Error::new(io::ErrorKind::InvalidData, over));
        }
        Ok(part)
    });
    SseStream::from_bytes_stream(parts.boxed()).boxed()
}

/// Parts as they come, and with pauses once they are more than this many bytes.
fn paced<T: AsRef<[u8]>, E>(
    parts: impl Stream<Item = Result<T, E>>,
    at_once: usize,
) -> impl Stream<Item = Result<T, E>> {
    let mut allowance = Allowance::new(at_once);
    let mut since = Instant::now();
    parts.then(move |part| {
        let bytes = part.as_ref().map_or(0, |part| part.as_ref().len());
        let pause = allowance.after(bytes, since.elapsed()).unwrap_or_default();
        since = Instant::now() + pause;
        async move {
            if !pause.is_zero() {
                tokio::time::sleep(pause).await;
            }
            part
        }
    })
}

/// How long the event is that comes just now. An empty line ends one.
#[derive(Debug, Default)]
struct EventLength {
    event: usize,
    line: usize,
    after_cr: bool,
}

impl EventLength {
    fn within(&mut self, part: &[u8], most: usize) -> bool {
        for byte in part {
            let second = std::mem::replace(&mut self.after_cr, *byte == b'\r') && *byte == b'\n';
            if second {
                continue;
            }
            if matches!(byte, b'\r' | b'\n') {
                self.event = if self.line == 0 { 0 } else { self.event + self.line };
                self.line = 0;
            } else {
                self.line += 1;
            }
            if self.event + self.line > most {
                return false;
            }
        }
        true
    }
}

fn is(kind: &str, wanted: &str) -> bool {
    kind.split(';').next().is_some_and(|it| it.trim().eq_ignore_ascii_case(wanted))
}

fn text_of(headers: &HeaderMap, name: &HeaderName) -> Option<String> {
    headers.get(name).map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::convert::Infallible;

    use futures::{FutureExt as _, stream};

    use super::*;

    #[tokio::test]
    async fn parts_come_at_once_until_they_are_more_than_is_allowed_and_none_is_lost() {
        let parts = [vec![1; 600], vec![2; 400], vec![3; 2000], vec![4; 1]];
        let parts = stream::iter(parts.map(Ok::<_, Infallible>));
        let mut parts = Box::pin(paced(parts, 1000));
        let lengths =
            |part: Option<Result<Vec<u8>, Infallible>>| part.map(|part| part.unwrap().len());
        assert_eq!(parts.next().now_or_never().map(lengths), Some(Some(600)));
        assert_eq!(parts.next().now_or_never().map(lengths), Some(Some(400)));
        assert!(parts.next().now_or_never().is_none());
        assert_eq!(lengths(parts.next().await), Some(2000));
        assert_eq!(lengths(parts.next().await), Some(1));
        assert_eq!(lengths(parts.next().await), None);
    }

    #[test]
    fn an_event_is_measured_from_one_empty_line_to_the_next() {
        let within = |text: &str| EventLength::default().within(text.as_bytes(), 4);
        assert!(within("1234\n\n1234\r\n\r\n1234\r\r1234"));
        assert!(!within("12345"));
        assert!(!within("123\n12\n\n"));
    }

    #[test]
    fn the_scope_is_read_from_a_challenge() {
        assert_eq!(scope("Bearer scope=\"a b\", x").as_deref(), Some("a b"));
        assert_eq!(scope("Bearer Scope=a,x").as_deref(), Some("a"));
        assert_eq!(scope("Bearer scope=\"a"), None);
        assert_eq!(scope("Bearer"), None);
    }
}
