//! Single calls, each with its time-out, and their answers without types: rmcp's own types refuse
//! a whole page for one bad entry.

use std::sync::Arc;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use rmcp::model::{
    CancelledNotification, CancelledNotificationParam, ClientRequest, CustomResult,
    GetSkillRequest, GetSkillRequestParams, ListResourcesRequest, ListSkillsRequest,
    PaginatedRequestParams, ReadResourceDirectoryRequest, ReadResourceDirectoryRequestParams,
    ReadResourceRequest, ReadResourceRequestParams, RequestId, ResourceContents, ServerResult,
};
use rmcp::service::{Peer, PeerRequestOptions, RoleClient, ServiceError};
use serde_json::Value;

use crate::error::{ClientError, ErrorKind};
use crate::limits::Timeouts;
use crate::secret::Handed;
use crate::transport::{AnswerBytes, Program};
use crate::verify::Received;

/// Lists that come in pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum List<'a> {
    /// `skills/list`
    Skills,
    /// `resources/list`
    Resources,
    /// `resources/directory/read` of the folder with this URI.
    Folder(&'a str),
}

impl List<'_> {
    /// What is being done, as in `list the skills of`.
    pub(crate) fn doing(self) -> &'static str {
        match self {
            Self::Skills | Self::Resources => "list the skills of",
            Self::Folder(_) => "list a folder of",
        }
    }

    /// The field of the answer that holds the items.
    pub(crate) fn field(self) -> &'static str {
        match self {
            Self::Skills => "skills",
            Self::Resources | Self::Folder(_) => "resources",
        }
    }
}

/// The calls of one connection.
pub(crate) struct Calls {
    peer: Peer<RoleClient>,
    server: String,
    timeouts: Timeouts,
    program: Option<Arc<Program>>,
    /// What the server was given and must not come back in a message.
    handed: Handed,
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
        handed: Handed,
    ) -> Self {
        Self { peer, server, timeouts, program, handed }
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
        list: List<'_>,
        cursor: Option<String>,
    ) -> Result<Value, ClientError> {
        let paginated = |cursor: Option<String>| {
            cursor.map(|cursor| PaginatedRequestParams::default().with_cursor(Some(cursor)))
        };
        let request = match list {
            List::Skills => ClientRequest::ListSkillsRequest(ListSkillsRequest {
                method: Default::default(),
                params: paginated(cursor),
                extensions: Default::default(),
            }),
            List::Resources => ClientRequest::ListResourcesRequest(ListResourcesRequest {
                method: Default::default(),
                params: paginated(cursor),
                extensions: Default::default(),
            }),
            List::Folder(uri) => {
                let mut params = ReadResourceDirectoryRequestParams::new(uri);
                params.cursor = cursor;
                ClientRequest::ReadResourceDirectoryRequest(ReadResourceDirectoryRequest::new(
                    params,
                ))
            }
        };
        self.untyped(list.doing(), request).await
    }

    /// The answer to `skills/get`, as the server wrote it.
    pub(crate) async fn get(&self, uri: &str) -> Result<Value, ClientError> {
        let params = GetSkillRequestParams::new(uri);
        self.untyped("get a skill of", ClientRequest::GetSkillRequest(GetSkillRequest::new(params)))
            .await
    }

    async fn untyped(&self, doing: &str, request: ClientRequest) -> Result<Value, ClientError> {
        let value = match self.ask(request).await {
            Ok(ServerResult::CustomResult(CustomResult(value))) => value,
            Ok(typed) => serde_json::to_value(typed).map_err(|error| {
                self.broken(doing, "the answer cannot be read").with_source(error)
            })?,
            Err(error) => return Err(self.failed(doing, error).await),
        };
        // Older servers do not say what kind of result it is.
        match value.get("resultType").and_then(Value::as_str) {
            None | Some("complete") => Ok(value),
            Some(_) => Err(self.broken(doing, "the server asks for input instead")),
        }
    }

    /// One request and its answer, within the time of a call. Dropping the future tells the server
    /// that nobody waits any more.
    async fn ask(&self, request: ClientRequest) -> Result<ServerResult, ServiceError> {
        let within = self.timeouts.call;
        let answered = async {
            let options = PeerRequestOptions::no_options();
            let handle = self.peer.send_request_with_option(request, options).await?;
            let mut waits = Waits { peer: self.peer.clone(), id: Some(handle.id.clone()) };
            let answer = handle.await_response().await;
            waits.id = None;
            answer
        };
        match tokio::time::timeout(within, answered).await {
            Ok(answer) => answer,
            Err(_) => Err(ServiceError::Timeout { timeout: within }),
        }
    }

    /// Reads one resource, of which at most `most` bytes of an answer are taken over HTTP; all
    /// other transports have the limit of every message.
    pub(crate) async fn read(
        &self,
        uri: &str,
        doing: &str,
        most: usize,
    ) -> Result<Received, ClientError> {
        let mut request = ReadResourceRequest::new(ReadResourceRequestParams::new(uri));
        request.extensions.insert(AnswerBytes(most));
        let result = match self.ask(ClientRequest::ReadResourceRequest(request)).await {
            Ok(ServerResult::ReadResourceResult(result)) => result,
            Ok(ServerResult::InputRequiredResult(_)) => {
                return Err(self.broken(doing, "the server asks for input instead"));
            }
            Ok(_) => {
                let form = "the answer does not have the form that the protocol asks for";
                return Err(self.broken(doing, form));
            }
            Err(error) => return Err(self.failed(doing, error).await),
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
        // Over HTTP each answer has a stream of its own.
        if matches!(error, ServiceError::TransportClosed) && !self.is_closed() {
            let reason = "the answer ended before it was whole";
            return ClientError::new(ErrorKind::Closed, doing, &self.server, reason);
        }
        let error = ClientError::calling(doing, &self.server, error).without(&self.handed);
        match &self.program {
            Some(program) if matches!(error.kind(), ErrorKind::Closed | ErrorKind::Timeout) => {
                program.explain(error).await
            }
            _ => error,
        }
    }
}

/// Somebody waits for an answer. Dropped before it came, the server is told that nobody does.
struct Waits {
    peer: Peer<RoleClient>,
    id: Option<RequestId>,
}

impl Drop for Waits {
    fn drop(&mut self) {
        let Some(id) = self.id.take() else { return };
        // Outside of a runtime the connection is at its end anyway.
        let Ok(runtime) = tokio::runtime::Handle::try_current() else { return };
        let peer = self.peer.clone();
        runtime.spawn(async move {
            let reason = Some("nobody waits for it any more".to_owned());
            let told =
                CancelledNotification::new(CancelledNotificationParam::new(Some(id), reason));
            if let Err(error) = peer.send_notification(told.into()).await {
                tracing::debug!(%error, "the server was not told that nobody waits");
            }
        });
    }
}
