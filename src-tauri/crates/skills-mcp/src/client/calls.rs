//! Single calls, each with its time-out, and their answers without types: rmcp's own types refuse
//! a whole page for one bad entry.

use std::sync::Arc;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use rmcp::model::{
    ClientRequest, CustomResult, GetSkillRequest, GetSkillRequestParams, ListResourcesRequest,
    ListSkillsRequest, PaginatedRequestParams, ReadResourceRequestParams, ReadResourceResponse,
    ResourceContents, ServerResult,
};
use rmcp::service::{Peer, PeerRequestOptions, RoleClient, ServiceError};
use serde_json::Value;

use crate::error::{ClientError, ErrorKind};
use crate::limits::Timeouts;
use crate::transport::Program;
use crate::verify::Received;

/// Lists that come in pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum List {
    /// `skills/list`
    Skills,
    /// `resources/list`
    Resources,
}

impl List {
    /// The field of the answer that holds the items.
    pub(crate) fn field(self) -> &'static str {
        match self {
            Self::Skills => "skills",
            Self::Resources => "resources",
        }
    }
}

/// The calls of one connection.
pub(crate) struct Calls {
    peer: Peer<RoleClient>,
    server: String,
    timeouts: Timeouts,
    program: Option<Arc<Program>>,
}

impl std::fmt::Debug for Calls {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Calls").field("server", &self.server).finish_non_exhaustive()
    }
}

impl Calls {
    pub(crate) fn new(
        peer: Peer<RoleClient>,
        server: String,
        timeouts: Timeouts,
        program: Option<Arc<Program>>,
    ) -> Self {
        Self { peer, server, timeouts, program }
    }

    pub(crate) fn server(&self) -> &str {
        &self.server
    }

    pub(crate) fn timeouts(&self) -> Timeouts {
        self.timeouts
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.peer.is_transport_closed()
    }

    pub(crate) async fn close(&self) {
        if let Some(program) = &self.program {
            program.close().await;
        }
    }

    /// One page, as the server wrote it.
    pub(crate) async fn page(
        &self,
        list: List,
        cursor: Option<String>,
    ) -> Result<Value, ClientError> {
        let params =
            cursor.map(|cursor| PaginatedRequestParams::default().with_cursor(Some(cursor)));
        let request = match list {
            List::Skills => ClientRequest::ListSkillsRequest(ListSkillsRequest {
                method: Default::default(),
                params,
                extensions: Default::default(),
            }),
            List::Resources => ClientRequest::ListResourcesRequest(ListResourcesRequest {
                method: Default::default(),
                params,
                extensions: Default::default(),
            }),
        };
        self.untyped("list the skills of", request).await
    }

    /// The answer to `skills/get`, as the server wrote it.
    pub(crate) async fn get(&self, uri: &str) -> Result<Value, ClientError> {
        let params = GetSkillRequestParams::new(uri);
        self.untyped("get a skill of", ClientRequest::GetSkillRequest(GetSkillRequest::new(params)))
            .await
    }

    async fn untyped(&self, doing: &str, request: ClientRequest) -> Result<Value, ClientError> {
        let options = PeerRequestOptions::with_timeout(self.timeouts.call);
        let answer = async {
            self.peer.send_request_with_option(request, options).await?.await_response().await
        };
        match answer.await {
            Ok(ServerResult::CustomResult(CustomResult(value))) => Ok(value),
            Ok(typed) => serde_json::to_value(typed).map_err(|error| {
                self.broken(doing, "the answer cannot be read").with_source(error)
            }),
            Err(error) => Err(self.failed(doing, error).await),
        }
    }

    /// Reads one resource. Dropping the future tells the server that nobody waits any more.
    pub(crate) async fn read(&self, uri: &str, doing: &str) -> Result<Received, ClientError> {
        let call = self.peer.read_resource_once(ReadResourceRequestParams::new(uri));
        let result = match tokio::time::timeout(self.timeouts.call, call).await {
            Ok(Ok(ReadResourceResponse::Complete(result))) => result,
            Ok(Ok(_)) => return Err(self.broken(doing, "the server asks for input instead")),
            Ok(Err(error)) => return Err(self.failed(doing, error).await),
            Err(_) => {
                let error = ServiceError::Timeout { timeout: self.timeouts.call };
                return Err(self.failed(doing, error).await);
            }
        };
        let mut contents = result.contents;
        if contents.len() != 1 {
            return Err(self.broken(
                doing,
                &format!("the server answered with {} contents for one file", contents.len()),
            ));
        }
        match contents.pop() {
            Some(ResourceContents::TextResourceContents { text, .. }) => {
                Ok(Received { bytes: text.into_bytes(), text: true })
            }
            Some(ResourceContents::BlobResourceContents { blob, .. }) => {
                match BASE64_STANDARD.decode(blob) {
                    Ok(bytes) => Ok(Received { bytes, text: false }),
                    Err(error) => {
                        Err(self.broken(doing, "its bytes are not base64").with_source(error))
                    }
                }
            }
            _ => Err(self.broken(doing, "the content is of an unknown kind")),
        }
    }

    pub(crate) fn broken(&self, doing: &str, reason: &str) -> ClientError {
        ClientError::new(ErrorKind::Protocol, doing, &self.server, reason)
    }

    async fn failed(&self, doing: &str, error: ServiceError) -> ClientError {
        let error = ClientError::calling(doing, &self.server, error);
        match &self.program {
            Some(program) if matches!(error.kind(), ErrorKind::Closed | ErrorKind::Timeout) => {
                program.explain(error).await
            }
            _ => error,
        }
    }
}
