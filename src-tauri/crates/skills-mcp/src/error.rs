//! What can go wrong with a server, told so that a person can do something about it.

use std::error::Error;

use rmcp::service::{ClientInitializeError, ServiceError};
use rmcp::transport::streamable_http_client::{
    AuthRequiredError, HttpStatusError, InsufficientScopeError, StreamableHttpError,
};

use crate::auth::NotRenewed;
use crate::limits::quoted;
use crate::secret::{Handed, Secret};
use crate::transport::TooMany;

/// What kind of failure it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorKind {
    /// The address or the program cannot be reached.
    Unreachable,
    /// Something answers, and it does not speak MCP.
    NotMcp,
    /// It speaks MCP and broke a rule of it.
    Protocol,
    /// It understood and said no.
    Refused,
    /// It asks who is there: a person has to sign in, or give it a token.
    SignIn,
    /// It did not answer in time.
    Timeout,
    /// The caller stopped it.
    Cancelled,
    /// The connection was there and is gone.
    Closed,
}

/// A failed call: what was being done to which server, and why it failed. The message is lower
/// case, without a full stop.
#[derive(Debug, thiserror::Error)]
#[error("cannot {doing} {server}: {reason}")]
pub struct ClientError {
    kind: ErrorKind,
    doing: String,
    server: String,
    reason: String,
    hint: Option<Box<str>>,
    /// The server is asked too much: HTTP status 429 or 503.
    busy: bool,
    challenge: Option<Box<Challenge>>,
    #[source]
    source: Option<Box<dyn Error + Send + Sync>>,
}

/// What a server wrote about how to sign in.
#[derive(Debug)]
struct Challenge(String);

impl ClientError {
    /// What kind of failure it was.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// What to do next, where there is something to do.
    pub fn hint(&self) -> Option<String> {
        self.hint.as_deref().map(str::to_owned)
    }

    /// Why, without what was being done.
    pub fn reason(&self) -> &str {
        &self.reason
    }

    pub(crate) fn new(
        kind: ErrorKind,
        doing: impl Into<String>,
        server: impl Into<String>,
        reason: impl Into<String>,
    ) -> Self {
        Self {
            kind,
            doing: doing.into(),
            server: server.into(),
            reason: reason.into(),
            hint: None,
            busy: false,
            challenge: None,
            source: None,
        }
    }

    /// With [`ErrorKind::SignIn`]: what the server said about how to sign in, where it did. It is for
    /// [`SignIn::discover`](crate::auth::SignIn::discover), not to be shown.
    pub fn challenge(&self) -> Option<&str> {
        self.challenge.as_ref().map(|challenge| challenge.0.as_str())
    }

    /// Whether the server said that it is asked too much.
    pub(crate) fn is_busy(&self) -> bool {
        self.busy
    }

    pub(crate) fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into().into());
        self
    }

    pub(crate) fn with_reason(mut self, reason: impl Into<String>) -> Self {
        self.reason = reason.into();
        self
    }

    pub(crate) fn with_source(mut self, source: impl Error + Send + Sync + 'static) -> Self {
        self.source = Some(Box::new(source));
        self
    }

    /// Without any of these texts, should the server have repeated one.
    pub(crate) fn without(mut self, handed: &Handed) -> Self {
        // A shorter one would tear words apart and is no secret.
        let secrets = handed.all();
        for secret in secrets.iter().map(Secret::expose).filter(|secret| secret.len() >= 8) {
            let mut next: Option<&(dyn Error + 'static)> = Some(&self);
            let mut repeated = false;
            while let Some(current) = next {
                repeated |= current.to_string().contains(secret);
                next = current.source();
            }
            if repeated {
                self.reason = self.reason.replace(secret, "…");
                self.source = None;
            }
        }
        self
    }

    /// More to say after the reason, as what a program wrote before it ended.
    pub(crate) fn with_detail(mut self, detail: &str) -> Self {
        self.reason = format!("{}; {detail}", self.reason);
        self
    }

    pub(crate) fn timeout(doing: &str, server: &str, after: std::time::Duration) -> Self {
        Self::new(ErrorKind::Timeout, doing, server, format!("no answer within {}", seconds(after)))
            .with_hint("try again, or check that the server is running and not overloaded")
    }

    pub(crate) fn cancelled(doing: &str, server: &str) -> Self {
        Self::new(ErrorKind::Cancelled, doing, server, "it was stopped")
    }

    /// A failed handshake.
    pub(crate) fn connecting(server: &str, error: ClientInitializeError) -> Self {
        let doing = "connect to";
        let deepest = match &error {
            ClientInitializeError::LegacyFallbackFailed { fallback, .. } => fallback.as_ref(),
            other => other,
        };
        let found = match deepest {
            ClientInitializeError::TransportError { error, .. } => {
                transport_fault(error.error.as_ref())
            }
            ClientInitializeError::JsonRpcError(data) => Fault::new(
                ErrorKind::Refused,
                format!(
                    "the server refused the handshake ({}): {}",
                    data.code.0,
                    quoted(&data.message)
                ),
            ),
            ClientInitializeError::ConnectionClosed(_) => {
                Fault::new(ErrorKind::Closed, "the connection was closed during the handshake")
            }
            ClientInitializeError::NoCompatibleProtocolVersion { server_supported, .. } => {
                let versions: Vec<String> = server_supported
                    .iter()
                    .take(8)
                    .map(|version| quoted(version.as_str()))
                    .collect();
                let known = if versions.is_empty() {
                    "names none".to_owned()
                } else {
                    format!("knows {}", versions.join(", "))
                };
                Fault::new(
                    ErrorKind::Protocol,
                    format!("no common protocol version; the server {known}"),
                )
            }
            ClientInitializeError::Cancelled => Fault::new(ErrorKind::Cancelled, "it was stopped"),
            _ => Fault::new(ErrorKind::NotMcp, "the answer to the handshake is not MCP")
                .hint(NOT_MCP_HINT),
        };
        found.at(doing, server, error)
    }

    /// A failed call on a connection that stood.
    pub(crate) fn calling(doing: &str, server: &str, error: ServiceError) -> Self {
        let found = match &error {
            ServiceError::McpError(data) => Fault::new(
                ErrorKind::Refused,
                format!(
                    "the server answered with error {}: {}",
                    data.code.0,
                    quoted(&data.message)
                ),
            ),
            ServiceError::TransportSend(error) => match transport_fault(error.error.as_ref()) {
                // It spoke MCP until now, so the address is right.
                fault @ Fault { kind: ErrorKind::NotMcp, .. } => {
                    Fault::new(ErrorKind::Protocol, fault.reason)
                }
                fault => fault,
            },
            ServiceError::TransportClosed => {
                Fault::new(ErrorKind::Closed, "the connection is closed").hint("connect again")
            }
            ServiceError::Timeout { timeout } => return Self::timeout(doing, server, *timeout),
            ServiceError::Cancelled { .. } => Fault::new(ErrorKind::Cancelled, "it was stopped"),
            _ => Fault::new(
                ErrorKind::Protocol,
                "the answer does not have the form that the protocol asks for",
            ),
        };
        found.at(doing, server, error)
    }
}

const SIGN_IN_HINT: &str = "sign in, or give it a token";

const NOT_MCP_HINT: &str =
    "check the address: it must be that of the MCP endpoint, which often ends in /mcp";

struct Fault {
    kind: ErrorKind,
    reason: String,
    hint: Option<&'static str>,
    busy: bool,
    challenge: Option<String>,
}

impl Fault {
    fn new(kind: ErrorKind, reason: impl Into<String>) -> Self {
        Self { kind, reason: reason.into(), hint: None, busy: false, challenge: None }
    }

    fn hint(mut self, hint: &'static str) -> Self {
        self.hint = Some(hint);
        self
    }

    fn at(
        self,
        doing: &str,
        server: &str,
        source: impl Error + Send + Sync + 'static,
    ) -> ClientError {
        let mut error = ClientError::new(self.kind, doing, server, self.reason);
        // The cause of a refusal repeats the server's challenge, which is not for a person.
        if self.kind != ErrorKind::SignIn {
            error = error.with_source(source);
        }
        error.busy = self.busy;
        error.challenge = self.challenge.map(|challenge| Box::new(Challenge(challenge)));
        match self.hint {
            Some(hint) => error.with_hint(hint),
            None => error,
        }
    }
}

/// Finds the cause that says most in what the transport reports.
fn transport_fault(error: &(dyn Error + 'static)) -> Fault {
    let mut next = Some(error);
    while let Some(current) = next {
        if let Some(http) = current.downcast_ref::<StreamableHttpError<reqwest::Error>>() {
            return http_fault(http);
        }
        if let Some(fault) = request_fault(current) {
            return fault;
        }
        if let Some(io) = current.downcast_ref::<std::io::Error>() {
            return Fault::new(ErrorKind::Closed, format!("the connection broke: {io}"));
        }
        next = current.source();
    }
    Fault::new(ErrorKind::Closed, format!("the connection broke: {}", quoted(&error.to_string())))
}

fn request_fault(error: &(dyn Error + 'static)) -> Option<Fault> {
    let error = error.downcast_ref::<reqwest::Error>()?;
    Some(if error.is_timeout() {
        Fault::new(ErrorKind::Timeout, "the address does not answer")
    } else if let Some(http) = hyper_error(error).filter(|_| !error.is_connect()) {
        let cause = innermost(error);
        if http.is_parse() {
            let reason = format!("what answers there does not speak HTTP: {cause}");
            Fault::new(ErrorKind::NotMcp, reason).hint(NOT_MCP_HINT)
        } else {
            Fault::new(ErrorKind::Closed, format!("the connection broke: {cause}"))
        }
    } else if let Some(reason) = not_trusted(error) {
        Fault::new(ErrorKind::Unreachable, reason)
            .hint("ask who runs the server; nothing was sent to it")
    } else if error.is_connect() || error.is_request() {
        Fault::new(
            ErrorKind::Unreachable,
            format!("nothing can be reached there: {}", innermost(error)),
        )
        .hint("check the address, and that the server is running")
    } else if error.is_builder() {
        Fault::new(ErrorKind::Unreachable, "it is not an address that can be called")
            .hint("an address starts with http:// or https://")
    } else {
        Fault::new(ErrorKind::Closed, format!("the connection broke: {}", innermost(error)))
    })
}

/// That a certificate is not trusted, and the kind of reason, if it is that.
pub(crate) fn not_trusted(error: &reqwest::Error) -> Option<String> {
    let cause = innermost(error);
    let why = cause.strip_prefix("invalid peer certificate: ")?;
    let kind = why.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    Some(format!("its certificate is not one that this system trusts ({kind})"))
}

/// What HTTP itself says was wrong.
fn hyper_error(error: &reqwest::Error) -> Option<&hyper::Error> {
    let mut next = error.source();
    while let Some(current) = next {
        if let Some(http) = current.downcast_ref() {
            return Some(http);
        }
        next = current.source();
    }
    None
}

fn http_fault(error: &StreamableHttpError<reqwest::Error>) -> Fault {
    match error {
        StreamableHttpError::Client(error) => request_fault(error).unwrap_or_else(|| {
            Fault::new(ErrorKind::Unreachable, format!("the request failed: {}", innermost(error)))
        }),
        StreamableHttpError::AuthRequired(AuthRequiredError {
            www_authenticate_header: challenge,
            ..
        }) => Fault {
            challenge: Some(challenge.clone()),
            ..Fault::new(ErrorKind::SignIn, "the server asks to sign in").hint(SIGN_IN_HINT)
        },
        StreamableHttpError::InsufficientScope(InsufficientScopeError {
            www_authenticate_header: challenge,
            ..
        }) => Fault {
            challenge: Some(challenge.clone()),
            ..Fault::new(ErrorKind::SignIn, "the server asks for more than was agreed to")
                .hint(SIGN_IN_HINT)
        },
        StreamableHttpError::Io(error)
            if error.get_ref().is_some_and(|it| it.is::<NotRenewed>()) =>
        {
            Fault::new(ErrorKind::Unreachable, error.to_string()).hint("try again later")
        }
        StreamableHttpError::HttpStatus(HttpStatusError { status, .. }) => Fault {
            busy: matches!(status, 429 | 503),
            ..Fault::new(
                ErrorKind::Unreachable,
                format!("the server answers with HTTP status {status}"),
            )
            .hint("try again later")
        },
        StreamableHttpError::UnexpectedServerResponse(text) => answer_fault(text),
        StreamableHttpError::UnexpectedContentType(given) => Fault::new(
            ErrorKind::NotMcp,
            match given {
                Some(given) => format!("the answer is {}, not MCP", quoted(given)),
                None => "the answer is not MCP".to_owned(),
            },
        )
        .hint(NOT_MCP_HINT),
        StreamableHttpError::Deserialize(_) => {
            Fault::new(ErrorKind::NotMcp, "the answer is not MCP").hint(NOT_MCP_HINT)
        }
        StreamableHttpError::ResponseBodyTooLarge { max_size } => {
            Fault::new(ErrorKind::Protocol, format!("the answer is larger than {max_size} bytes"))
        }
        StreamableHttpError::Io(error) if error.get_ref().is_some_and(|it| it.is::<TooMany>()) => {
            Fault::new(ErrorKind::Protocol, TooMany.to_string())
        }
        StreamableHttpError::Sse(error) => Fault::new(
            ErrorKind::Protocol,
            format!("the stream of answers broke: {}", quoted(&error.to_string())),
        ),
        StreamableHttpError::SessionExpired | StreamableHttpError::SessionRecoveryTimeout => {
            Fault::new(ErrorKind::Closed, "the server ended the session").hint("connect again")
        }
        other => Fault::new(
            ErrorKind::Closed,
            format!("the connection broke: {}", quoted(&other.to_string())),
        ),
    }
}

/// The transport gives the status only as the start of a text, as in `HTTP 404 Not Found: …`.
fn answer_fault(text: &str) -> Fault {
    let status = text.strip_prefix("HTTP ").and_then(|rest| rest.get(..3)?.parse::<u16>().ok());
    match status {
        Some(status @ 300..=399) => Fault::new(
            ErrorKind::NotMcp,
            format!(
                "the address answers with a redirect (HTTP status {status}), which is not followed"
            ),
        )
        .hint("enter the address that it leads to, if you trust it"),
        Some(401) => Fault::new(ErrorKind::SignIn, "the server asks to sign in").hint(SIGN_IN_HINT),
        Some(status @ 403) => Fault::new(
            ErrorKind::Refused,
            format!("the server refuses access (HTTP status {status})"),
        )
        .hint("check the token or the sign-in that it is given"),
        Some(status) => Fault::new(
            ErrorKind::NotMcp,
            format!("the address answers with HTTP status {status}, not with MCP"),
        )
        .hint(NOT_MCP_HINT),
        None => Fault::new(ErrorKind::NotMcp, "the answer is not MCP").hint(NOT_MCP_HINT),
    }
}

fn innermost(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut next = error.source();
    while let Some(current) = next {
        text = current.to_string();
        next = current.source();
    }
    quoted(&text)
}

fn seconds(duration: std::time::Duration) -> String {
    match duration.as_millis() {
        ms if ms % 1000 == 0 && ms > 0 => format!("{} s", ms / 1000),
        ms => format!("{ms} ms"),
    }
}
