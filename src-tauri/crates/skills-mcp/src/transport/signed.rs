//! HTTP with the token of a sign-in. A request that is refused for its token is sent once more with
//! a renewed one.

use std::collections::HashMap;
use std::io;
use std::sync::Arc;

use futures::stream::BoxStream;
use http::{HeaderName, HeaderValue};
use rmcp::model::ClientJsonRpcMessage;
use rmcp::transport::streamable_http_client::{
    SseError, StreamableHttpClient, StreamableHttpError, StreamableHttpPostResponse,
    StreamableHttpResponseLimits,
};
use sse_stream::Sse;

use crate::auth::{NotRenewed, Tokens};

/// A client that signs its requests, where there is something to sign them with.
#[derive(Debug, Clone)]
pub(crate) struct Signed<C> {
    pub(crate) inner: C,
    pub(crate) tokens: Option<Arc<Tokens>>,
}

type Failed<C> = StreamableHttpError<<C as StreamableHttpClient>::Error>;
type Stream = BoxStream<'static, Result<Sse, SseError>>;

impl<C: StreamableHttpClient + Sync> Signed<C> {
    /// A token that the person gave themselves is sent as it is.
    async fn signed<T, F>(
        &self,
        given: Option<String>,
        call: impl Fn(Option<String>) -> F,
    ) -> Result<T, Failed<C>>
    where
        F: Future<Output = Result<T, Failed<C>>>,
    {
        let Some(tokens) = self.tokens.as_ref().filter(|_| given.is_none()) else {
            return call(given).await;
        };
        let failed = |error: NotRenewed| StreamableHttpError::Io(io::Error::other(error));
        let Some(sent) = tokens.current().await.map_err(failed)? else { return call(None).await };
        match call(Some(sent.expose().to_owned())).await {
            Err(StreamableHttpError::AuthRequired(challenge)) => {
                match tokens.instead_of(&sent).await.map_err(failed)? {
                    Some(token) if token != sent => call(Some(token.expose().to_owned())).await,
                    _ => Err(StreamableHttpError::AuthRequired(challenge)),
                }
            }
            answer => answer,
        }
    }
}

impl<C: StreamableHttpClient + Sync> StreamableHttpClient for Signed<C> {
    type Error = C::Error;

    async fn post_message(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session: Option<Arc<str>>,
        token: Option<String>,
        headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<StreamableHttpPostResponse, Failed<C>> {
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
    ) -> Result<StreamableHttpPostResponse, Failed<C>> {
        if self.tokens.is_none() {
            // It is sent once, so that no copy of it is needed.
            let inner = &self.inner;
            return inner
                .post_message_with_response_limits(uri, message, session, token, headers, limits)
                .await;
        }
        self.signed(token, |token| {
            self.inner.post_message_with_response_limits(
                Arc::clone(&uri),
                message.clone(),
                session.clone(),
                token,
                headers.clone(),
                limits,
            )
        })
        .await
    }

    async fn delete_session(
        &self,
        uri: Arc<str>,
        session: Arc<str>,
        token: Option<String>,
        headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<(), Failed<C>> {
        self.signed(token, |token| {
            self.inner.delete_session(
                Arc::clone(&uri),
                Arc::clone(&session),
                token,
                headers.clone(),
            )
        })
        .await
    }

    async fn get_stream(
        &self,
        uri: Arc<str>,
        session: Option<Arc<str>>,
        last: Option<String>,
        token: Option<String>,
        headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<Stream, Failed<C>> {
        self.signed(token, |token| {
            self.inner.get_stream(
                Arc::clone(&uri),
                session.clone(),
                last.clone(),
                token,
                headers.clone(),
            )
        })
        .await
    }

    async fn get_stream_with_max_sse_event_size(
        &self,
        uri: Arc<str>,
        session: Option<Arc<str>>,
        last: Option<String>,
        token: Option<String>,
        headers: HashMap<HeaderName, HeaderValue>,
        most: usize,
    ) -> Result<Stream, Failed<C>> {
        self.signed(token, |token| {
            self.inner.get_stream_with_max_sse_event_size(
                Arc::clone(&uri),
                session.clone(),
                last.clone(),
                token,
                headers.clone(),
                most,
            )
        })
        .await
    }
}
