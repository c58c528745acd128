//! Requests over HTTP that no handler sees, told to the observer: whoever cannot connect wants to know
//! why.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::SystemTime;

use http::header::{HOST, HeaderName, ORIGIN, USER_AGENT};
use http::{HeaderMap, Request, Response, StatusCode};

use super::observe::{Refused, client_name};
use crate::limits::quoted;

/// Why a request is not answered, beside the answer that says so.
#[derive(Debug, Clone)]
pub(super) struct Why(pub(super) String);

/// Whether a handler told the observer of a request.
#[derive(Debug, Clone, Default)]
pub(super) struct Noted(Arc<AtomicBool>);

impl Noted {
    pub(super) fn note(&self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

/// What is kept of a request until it is known whether it is turned away.
pub(super) struct Knock {
    client: Option<String>,
    method: String,
    uri: String,
    origin: Option<String>,
    noted: Noted,
}

impl Knock {
    /// `None` for what clients ask only to see whether it is there.
    pub(super) fn of<B>(request: &mut Request<B>) -> Option<Self> {
        let path = request.uri().path();
        if path.starts_with("/.well-known/") {
            return None;
        }
        let headers = request.headers();
        let uri = format!("http://{}{path}", said(headers, &HOST).unwrap_or_default());
        let knock = Self {
            client: said(headers, &USER_AGENT).map(client_name),
            method: quoted(request.method().as_str()),
            uri: quoted(&uri),
            origin: said(headers, &ORIGIN).map(quoted),
            noted: Noted::default(),
        };
        request.extensions_mut().insert(knock.noted.clone());
        Some(knock)
    }

    /// The request, where it was turned away by this answer and nobody told of it.
    pub(super) fn refused<B>(self, at: SystemTime, answer: &Response<B>) -> Option<Refused> {
        let status = answer.status();
        let turned_away = status.is_client_error() || status.is_server_error();
        // Clients try whether there is a stream of news, and go on without.
        let tried = status == StatusCode::METHOD_NOT_ALLOWED;
        if !turned_away || tried || self.noted.0.load(Ordering::SeqCst) {
            return None;
        }
        let why = answer.extensions().get::<Why>().map(|why| why.0.clone());
        let mut reason = why.unwrap_or_else(|| status.to_string());
        if let (StatusCode::FORBIDDEN, Some(origin)) = (status, &self.origin) {
            reason = format!("{reason} (Origin: {origin})");
        }
        Some(Refused { at, client: self.client, method: self.method, uri: self.uri, reason })
    }
}

fn said<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    headers.get(name)?.to_str().ok()
}
