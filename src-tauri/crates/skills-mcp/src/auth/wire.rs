//! The requests of a sign-in: to HTTPS addresses alone, without redirects, within a size and a time.

mod place;

use std::sync::{Arc, Mutex, PoisonError};

use futures::StreamExt as _;
use http::header::CONTENT_TYPE;
use rmcp::transport::auth::{
    AuthError, AuthorizationManager, OAuthHttpClient, OAuthHttpClientError, OAuthHttpClientFuture,
    OAuthHttpRequest,
};
use serde_json::Value;
use url::Url;

use crate::error::not_trusted;
use crate::limits::{OAUTH_BYTES, Timeouts};
use crate::transport::{is_loopback, pool};

use place::keeps_metadata;
pub(super) use place::{NotAsked, check_address};

/// What went wrong with a request, in words of our own.
#[derive(Debug, thiserror::Error)]
pub(super) enum WireError {
    #[error("an address that it names is not asked: {0}")]
    NotAsked(#[from] NotAsked),
    #[error("it answers with a redirect (HTTP status {0}), which is not followed")]
    Redirect(u16),
    #[error("its answer is larger than {OAUTH_BYTES} bytes")]
    Large,
    #[error("it does not answer in time")]
    Slow,
    #[error("it cannot be reached")]
    Unreachable(#[source] reqwest::Error),
    #[error("{0}")]
    NotTrusted(String),
    #[error("the request cannot be made")]
    Request,
}

/// Carries out rmcp's requests.
pub(super) struct Wire {
    server: Url,
    remote: reqwest::Client,
    /// Never through a proxy.
    here: reqwest::Client,
    /// What the last failed answer said, as far as that is one of the words that the standards know.
    said: Mutex<Option<String>>,
    /// Where the last good answer came from.
    answered: Mutex<Option<Url>>,
}

impl Wire {
    pub(super) fn new(server: &Url, timeouts: Timeouts) -> Result<Arc<Self>, reqwest::Error> {
        let build = |here| pool(here, timeouts).timeout(timeouts.connect).build();
        Ok(Arc::new(Self {
            server: server.clone(),
            remote: build(false)?,
            here: build(true)?,
            said: Mutex::default(),
            answered: Mutex::default(),
        }))
    }

    /// Whether metadata that was found just now lies where the issuer that it names keeps it. rmcp
    /// takes the word of a document at any other place, which may then name anybody.
    pub(super) fn found_at(&self, issuer: &str) -> bool {
        let answered = self.answered.lock().unwrap_or_else(PoisonError::into_inner);
        let issuer = Url::parse(issuer).ok();
        issuer.zip(answered.as_ref()).is_some_and(|(issuer, at)| keeps_metadata(&issuer, at))
    }

    /// What the last failed answer said.
    pub(super) fn said(&self) -> Option<String> {
        self.said.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    async fn ask(&self, request: OAuthHttpRequest) -> Result<http::Response<Vec<u8>>, WireError> {
        let request =
            reqwest::Request::try_from(request.request).map_err(|_| WireError::Request)?;
        check_address(request.url(), &self.server)?;
        let client = if is_loopback(request.url()) { &self.here } else { &self.remote };
        let asked = request.url().clone();
        let failed = |error: reqwest::Error| {
            if error.is_timeout() {
                WireError::Slow
            } else if let Some(reason) = not_trusted(&error) {
                WireError::NotTrusted(reason)
            } else {
                // The address may hold what is nobody's business.
                WireError::Unreachable(error.without_url())
            }
        };
        let response = client.execute(request).await.map_err(failed)?;
        let status = response.status();
        if status.is_redirection() {
            return Err(WireError::Redirect(status.as_u16()));
        }
        let mut answer = http::Response::builder().status(status);
        for (name, value) in response.headers() {
            answer = answer.header(name, value);
        }
        let kind = response.headers().get(CONTENT_TYPE).map(|kind| kind.as_bytes().to_vec());
        let mut body = Vec::new();
        // A stream of events, as some servers open for anybody, would never end.
        if !kind.is_some_and(|kind| kind.starts_with(b"text/event-stream")) {
            let mut parts = response.bytes_stream();
            while let Some(part) = parts.next().await {
                let part = part.map_err(failed)?;
                if part.len() > OAUTH_BYTES - body.len() {
                    return Err(WireError::Large);
                }
                body.extend_from_slice(&part);
            }
        }
        if !status.is_success() {
            let mut said = format!("HTTP status {}", status.as_u16());
            if let Some(word) = known_word(&body) {
                said = format!("{said}, {word}");
            }
            *self.said.lock().unwrap_or_else(PoisonError::into_inner) = Some(said);
        }
        if status.is_success() {
            *self.answered.lock().unwrap_or_else(PoisonError::into_inner) = Some(asked);
        }
        answer.body(body).map_err(|_| WireError::Request)
    }
}

impl OAuthHttpClient for Wire {
    fn execute(&self, request: OAuthHttpRequest) -> OAuthHttpClientFuture<'_> {
        Box::pin(async move {
            self.ask(request).await.map_err(|error| Box::new(error) as OAuthHttpClientError)
        })
    }
}

/// rmcp's state of one sign-in.
pub(super) async fn manager(
    server: &Url,
    wire: &Arc<Wire>,
) -> Result<AuthorizationManager, AuthError> {
    let client = Arc::clone(wire) as Arc<dyn OAuthHttpClient>;
    AuthorizationManager::new_with_oauth_http_client(server.as_str(), client).await
}

const KNOWN: &[&str] = &[
    "access_denied",
    "invalid_client",
    "invalid_client_metadata",
    "invalid_grant",
    "invalid_redirect_uri",
    "invalid_request",
    "invalid_scope",
    "invalid_target",
    "server_error",
    "temporarily_unavailable",
    "unauthorized_client",
    "unsupported_grant_type",
    "unsupported_response_type",
];

/// A word for an error, if it is one of those in the standards.
pub(super) fn known(word: &str) -> Option<&'static str> {
    KNOWN.iter().find(|known| **known == word).copied()
}

fn known_word(body: &[u8]) -> Option<&'static str> {
    let body: Value = serde_json::from_slice(body).ok()?;
    known(body.get("error")?.as_str()?)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn of_a_servers_words_only_those_of_the_standard_are_kept() {
        assert_eq!(known_word(br#"{"error":"invalid_grant"}"#), Some("invalid_grant"));
        assert_eq!(known_word(br#"{"error":"eyJhbGciOi"}"#), None);
        assert_eq!(known_word(b"invalid_grant"), None);
    }
}
