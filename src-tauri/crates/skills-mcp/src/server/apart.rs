//! The entries of `skills/list` past rmcp, which would check, copy and write each of them anew for
//! every answer. The handler leaves them here, as they were written once, and gives rmcp an empty
//! page; they are put into rmcp's answer when all else of it is written.

use std::sync::{Arc, OnceLock};

use http::request::Parts;
use http::{Response, StatusCode};
use http_body_util::BodyExt as _;
use hyper::body::Bytes;
use rmcp::model::Extensions;
use serde_json::Value;

use super::replies::{Body, json, kind, wrong};

/// How rmcp writes a page without entries. In a text, as the id of a request can be, quotes are
/// escaped, so this comes once.
const NONE: &[u8] = br#""skills":[]"#;

/// Where the entries of one answer are left.
#[derive(Debug, Clone, Default)]
pub(super) struct Apart(Arc<OnceLock<Vec<Bytes>>>);

impl Apart {
    /// The place beside this request, where its answer can be put together.
    pub(super) fn of(extensions: &Extensions) -> Option<Self> {
        extensions.get::<Parts>()?.extensions.get::<Self>().cloned()
    }

    /// Leaves the entries of the answer, each as JSON.
    pub(super) fn leave(&self, entries: Vec<Bytes>) {
        // A request is answered once.
        let _ = self.0.set(entries);
    }

    /// rmcp's answer with the entries that were left.
    pub(super) async fn join(self, response: Response<Body>) -> Response<Body> {
        let Some(entries) = self.0.get().filter(|entries| !entries.is_empty()) else {
            return response;
        };
        let (parts, body) = response.into_parts();
        let is_json = kind(&parts.headers) == "application/json";
        let Ok(body) = body.collect().await;
        let body = body.to_bytes();
        let at = body.windows(NONE.len()).position(|part| part == NONE).filter(|_| is_json);
        match at {
            Some(at) => {
                let (before, after) = body.split_at(at + NONE.len() - 1);
                json(parts.status, joined(before, entries, after).into())
            }
            None => {
                tracing::error!(status = %parts.status, "a page of skills is not as it should be");
                let mut response = wrong(-32603, "the skills could not be listed", Value::Null);
                *response.status_mut() = StatusCode::INTERNAL_SERVER_ERROR;
                response
            }
        }
    }
}

fn joined(before: &[u8], entries: &[Bytes], after: &[u8]) -> Vec<u8> {
    let length: usize = entries.iter().map(|entry| entry.len() + 1).sum();
    let mut all = Vec::with_capacity(before.len() + length + after.len());
    all.extend_from_slice(before);
    for (at, entry) in entries.iter().enumerate() {
        if at > 0 {
            all.push(b',');
        }
        all.extend_from_slice(entry);
    }
    all.extend_from_slice(after);
    all
}

#[cfg(test)]
mod tests {
    use http::header::{CONTENT_TYPE, HeaderValue};
    use http_body_util::Full;

    use super::*;

    fn answered(kind: &'static str, body: &'static str) -> Response<Body> {
        let mut response = Response::new(Full::new(Bytes::from_static(body.as_bytes())).boxed());
        response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(kind));
        response
    }

    async fn text(response: Response<Body>) -> String {
        let Ok(body) = response.into_body().collect().await;
        String::from_utf8(body.to_bytes().to_vec()).unwrap()
    }

    const PAGE: &str =
        r#"{"jsonrpc":"2.0","id":"\"skills\":[]","result":{"skills":[],"nextCursor":"x"}}"#;

    #[tokio::test]
    async fn entries_are_put_where_rmcp_left_them_out() {
        let apart = Apart::default();
        let entries = [Bytes::from_static(b"{\"uri\":1}"), Bytes::from_static(b"2")];
        apart.clone().leave(entries.to_vec());
        let joined = apart.join(answered("application/json", PAGE)).await;
        assert_eq!(joined.status(), StatusCode::OK);
        assert_eq!(joined.headers()[CONTENT_TYPE], "application/json");
        assert_eq!(
            text(joined).await,
            r#"{"jsonrpc":"2.0","id":"\"skills\":[]","result":{"skills":[{"uri":1},2],"nextCursor":"x"}}"#
        );
    }

    #[tokio::test]
    async fn an_answer_without_entries_stays_as_it_is() {
        let untouched = Apart::default().join(answered("application/json", PAGE)).await;
        assert_eq!(text(untouched).await, PAGE);
        let none = Apart::default();
        none.leave(Vec::new());
        assert_eq!(text(none.join(answered("application/json", PAGE)).await).await, PAGE);
    }

    #[tokio::test]
    async fn an_answer_that_cannot_take_them_is_an_error_and_no_empty_list() {
        for (kind, body) in [("text/event-stream", PAGE), ("application/json", "{}")] {
            let apart = Apart::default();
            apart.leave(vec![Bytes::from_static(b"1")]);
            let refused = apart.join(answered(kind, body)).await;
            assert_eq!(refused.status(), StatusCode::INTERNAL_SERVER_ERROR);
            assert!(text(refused).await.contains("-32603"));
        }
    }
}
