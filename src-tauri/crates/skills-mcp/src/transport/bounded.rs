//! HTTP with a limit of its own for each answer: as many bytes as the file that was asked for may
//! take, and a time within which something has to come.

use std::collections::HashMap;
use std::sync::Arc;

use futures::stream::BoxStream;
use http::{HeaderName, HeaderValue};
use rmcp::model::{ClientJsonRpcMessage, ClientRequest, JsonRpcMessage};
use rmcp::transport::streamable_http_client::{
    SseError, StreamableHttpClient, StreamableHttpError, StreamableHttpPostResponse,
    StreamableHttpResponseLimits,
};
use sse_stream::Sse;

/// The most bytes of the answer to one request. It travels with the request and is never sent.
#[derive(Debug, Clone, Copy)]
pub(crate) struct AnswerBytes(pub(crate) usize);

/// Two clients of one server: one for calls, which gives up when nothing comes for a while, and
/// one for streams that stay open and may well be silent.
#[derive(Debug, Clone)]
pub(crate) struct Bounded<C> {
    pub(crate) calls: C,
    pub(crate) streams: C,
}

impl<C> Bounded<C> {
    fn for_message(&self, message: &ClientJsonRpcMessage) -> &C {
        match message {
            JsonRpcMessage::Request(asked)
                if matches!(asked.request, ClientRequest::SubscriptionsListenRequest(_)) =>
            {
                &self.streams
            }
            _ => &self.calls,
        }
    }
}

/// The limits of a message, where its request has tighter ones than the connection.
fn tightened(
    message: &ClientJsonRpcMessage,
    mut limits: StreamableHttpResponseLimits,
) -> StreamableHttpResponseLimits {
    if let JsonRpcMessage::Request(asked) = message
        && let ClientRequest::ReadResourceRequest(read) = &asked.request
        && let Some(AnswerBytes(most)) = read.extensions.get()
    {
        limits.max_json_response_size = limits.max_json_response_size.min(*most);
        limits.max_sse_event_size = limits.max_sse_event_size.min(*most);
    }
    limits
}

type Posted<C> =
    Result<StreamableHttpPostResponse, StreamableHttpError<<C as StreamableHttpClient>::Error>>;
type Stream<C> = Result<
    BoxStream<'static, Result<Sse, SseError>>,
    StreamableHttpError<<C as StreamableHttpClient>::Error>,
>;

impl<C: StreamableHttpClient + Sync> StreamableHttpClient for Bounded<C> {
    type Error = C::Error;

    async fn post_message(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session_id: Option<Arc<str>>,
        auth_header: Option<String>,
        custom_headers: HashMap<HeaderName, HeaderValue>,
    ) -> Posted<C> {
        let limits = StreamableHttpResponseLimits::default();
        self.post_message_with_response_limits(
            uri,
            message,
            session_id,
            auth_header,
            custom_headers,
            limits,
        )
        .await
    }

    async fn post_message_with_response_limits(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session_id: Option<Arc<str>>,
        auth_header: Option<String>,
        custom_headers: HashMap<HeaderName, HeaderValue>,
        limits: StreamableHttpResponseLimits,
    ) -> Posted<C> {
        let limits = tightened(&message, limits);
        self.for_message(&message)
            .post_message_with_response_limits(
                uri,
                message,
                session_id,
                auth_header,
                custom_headers,
                limits,
            )
            .await
    }

    async fn delete_session(
        &self,
        uri: Arc<str>,
        session_id: Arc<str>,
        auth_header: Option<String>,
        custom_headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<(), StreamableHttpError<Self::Error>> {
        self.calls.delete_session(uri, session_id, auth_header, custom_headers).await
    }

    async fn get_stream(
        &self,
        uri: Arc<str>,
        session_id: Option<Arc<str>>,
        last_event_id: Option<String>,
        auth_header: Option<String>,
        custom_headers: HashMap<HeaderName, HeaderValue>,
    ) -> Stream<C> {
        self.streams.get_stream(uri, session_id, last_event_id, auth_header, custom_headers).await
    }

    async fn get_stream_with_max_sse_event_size(
        &self,
        uri: Arc<str>,
        session_id: Option<Arc<str>>,
        last_event_id: Option<String>,
        auth_header: Option<String>,
        custom_headers: HashMap<HeaderName, HeaderValue>,
        max_sse_event_size: usize,
    ) -> Stream<C> {
        self.streams
            .get_stream_with_max_sse_event_size(
                uri,
                session_id,
                last_event_id,
                auth_header,
                custom_headers,
                max_sse_event_size,
            )
            .await
    }
}

#[cfg(test)]
mod tests {
    use rmcp::model::{
        JsonRpcRequest, ListSkillsRequest, ReadResourceRequest, ReadResourceRequestParams,
        RequestId,
    };

    use super::*;

    fn message(request: ClientRequest) -> ClientJsonRpcMessage {
        JsonRpcMessage::Request(JsonRpcRequest::new(RequestId::Number(1), request))
    }

    #[test]
    fn an_answer_to_a_read_is_bounded_by_its_file_and_all_others_by_the_connection() {
        let of = |message: &ClientJsonRpcMessage| {
            let limits = tightened(message, StreamableHttpResponseLimits::default());
            (limits.max_json_response_size, limits.max_sse_event_size)
        };
        let mut read = ReadResourceRequest::new(ReadResourceRequestParams::new("skill://a/b"));
        read.extensions.insert(AnswerBytes(70_000));
        assert_eq!(of(&message(ClientRequest::ReadResourceRequest(read))), (70_000, 70_000));
        let whole = StreamableHttpResponseLimits::default();
        let list = ClientRequest::ListSkillsRequest(ListSkillsRequest::default());
        assert_eq!(of(&message(list)), (whole.max_json_response_size, whole.max_sse_event_size));
    }
}
