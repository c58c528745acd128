//! Any [`Provider`] behind MCP: resources, templates, and the skills extension where the provider
//! publishes entries. It knows nothing of disks.

mod http;
mod pages;
mod publish;

use std::fmt;
use std::sync::Arc;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use rmcp::model::{
    ErrorData, GetSkillRequestParams, GetSkillResult, Implementation, ListResourceTemplatesResult,
    ListResourcesResult, ListSkillsResult, PaginatedRequestParams,
    ReadResourceDirectoryRequestParams, ReadResourceDirectoryResult, ReadResourceRequestParams,
    ReadResourceResponse, ReadResourceResult, Resource, ResourceContents, ResourceTemplate,
    ServerCapabilities, ServerConfig, SubscriptionFilter,
};
use rmcp::service::{
    NotificationContext, RequestContext, RoleServer, ServerInitializeError, SubscriptionContext,
};
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::{ServerHandler, ServiceExt as _};
use skills::provider::{Content, Provider, ReadError};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

pub use http::serve_http;
use pages::page;

use crate::limits::REQUEST_BYTES;

/// How a provider is served.
#[derive(Clone, Default)]
pub struct ServeOptions {
    /// The most items on a page of a list; one page holds all where it is not set.
    pub page_size: Option<usize>,
    /// The bearer token that HTTP requests must carry; any request is answered where it is not set.
    pub token: Option<String>,
    /// Grows when the provider's list changes; clients are told then. Without it the server does
    /// not say that it tells.
    pub changes: Option<watch::Receiver<u64>>,
}

/// Without the token.
impl fmt::Debug for ServeOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ServeOptions")
            .field("page_size", &self.page_size)
            .field("token", &self.token.is_some())
            .field("changes", &self.changes.is_some())
            .finish()
    }
}

/// Why serving did not start or ended.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// Only this machine may reach the server.
    #[error("cannot serve on {0}: it is not an address of this machine only, like 127.0.0.1:8000")]
    NotLoopback(std::net::SocketAddr),
    /// The address is taken or may not be used.
    #[error("cannot serve on {addr}")]
    Bind {
        /// The address.
        addr: std::net::SocketAddr,
        /// What the system said.
        #[source]
        source: std::io::Error,
    },
    /// The system ended it.
    #[error("serving ended")]
    Io(#[source] std::io::Error),
    /// The other side did not shake hands.
    #[error("the client does not speak MCP")]
    Handshake(#[source] Box<ServerInitializeError>),
    /// A task of the server ended in a way it should not.
    #[error("serving ended unexpectedly")]
    Ended(#[source] tokio::task::JoinError),
}

/// Serves on standard input and output until the input ends or `shutdown` fires. Standard output
/// belongs to the protocol: logs must go elsewhere.
///
/// # Errors
/// When the client does not speak MCP.
pub async fn serve_stdio(
    provider: Arc<dyn Provider>,
    options: ServeOptions,
    shutdown: CancellationToken,
) -> Result<(), ServeError> {
    let (read, write) = rmcp::transport::stdio_pipes();
    serve_stream(provider, read, write, options, shutdown).await
}

/// Serves one client on a pair of streams, a message a line, until the input ends or `shutdown`
/// fires.
///
/// # Errors
/// When the client does not speak MCP.
pub async fn serve_stream<R, W>(
    provider: Arc<dyn Provider>,
    read: R,
    write: W,
    options: ServeOptions,
    shutdown: CancellationToken,
) -> Result<(), ServeError>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    let server = SkillServer::new(provider, &options).await?;
    let transport = AsyncRwTransport::new_server(read, write).with_max_line_length(REQUEST_BYTES);
    match server.serve_with_ct(transport, shutdown).await {
        Ok(running) => running.waiting().await.map(drop).map_err(ServeError::Ended),
        Err(ServerInitializeError::ConnectionClosed(_) | ServerInitializeError::Cancelled) => {
            Ok(())
        }
        Err(error) => Err(ServeError::Handshake(Box::new(error))),
    }
}

/// The provider as rmcp sees it. Cheap to clone; HTTP makes one for each request.
#[derive(Clone)]
pub(crate) struct SkillServer {
    provider: Arc<dyn Provider>,
    page_size: usize,
    changes: Option<watch::Receiver<u64>>,
    /// Whether the provider publishes entries, so that the extension is declared.
    publishes: bool,
}

impl SkillServer {
    /// Asks the provider once whether it publishes entries.
    pub(crate) async fn new(
        provider: Arc<dyn Provider>,
        options: &ServeOptions,
    ) -> Result<Self, ServeError> {
        let asked = Arc::clone(&provider);
        let publishes = tokio::task::spawn_blocking(move || asked.entries().is_some())
            .await
            .map_err(ServeError::Ended)?;
        Ok(Self {
            provider,
            page_size: options.page_size.unwrap_or(usize::MAX).max(1),
            changes: options.changes.clone(),
            publishes,
        })
    }

    /// Runs a call of the provider, which may block, away from the async threads.
    async fn ask<T: Send + 'static>(
        &self,
        question: impl FnOnce(&dyn Provider) -> T + Send + 'static,
    ) -> Result<T, ErrorData> {
        let provider = Arc::clone(&self.provider);
        tokio::task::spawn_blocking(move || question(provider.as_ref())).await.map_err(|error| {
            tracing::error!(%error, "a provider's call broke");
            ErrorData::internal_error("the provider failed", None)
        })
    }
}

impl ServerHandler for SkillServer {
    fn get_info(&self) -> ServerConfig {
        let capabilities = match (self.publishes, self.changes.is_some()) {
            (true, true) => ServerCapabilities::builder()
                .enable_resources()
                .enable_resources_list_changed()
                .enable_skills_with_directory_read()
                .build(),
            (true, false) => ServerCapabilities::builder()
                .enable_resources()
                .enable_skills_with_directory_read()
                .build(),
            (false, true) => ServerCapabilities::builder()
                .enable_resources()
                .enable_resources_list_changed()
                .build(),
            (false, false) => ServerCapabilities::builder().enable_resources().build(),
        };
        ServerConfig::new(capabilities)
            .with_server_info(Implementation::new("skillhold", env!("CARGO_PKG_VERSION")))
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let listing = self.ask(|provider| provider.list()).await?;
        for warning in &listing.warnings {
            tracing::warn!("{warning}");
        }
        let (resources, next) =
            page(listing.resources, request, self.page_size, |resource| &resource.uri)?;
        let mut result =
            ListResourcesResult::with_all_items(resources.into_iter().map(to_resource).collect());
        result.next_cursor = next;
        Ok(result)
    }

    async fn list_resource_templates(
        &self,
        request: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let listing = self.ask(|provider| provider.list()).await?;
        let (templates, next) =
            page(listing.templates, request, self.page_size, |template| &template.uri_template)?;
        let templates = templates
            .into_iter()
            .map(|template| {
                ResourceTemplate::new(template.uri_template, template.name)
                    .with_description(template.description)
            })
            .collect();
        let mut result = ListResourceTemplatesResult::with_all_items(templates);
        result.next_cursor = next;
        Ok(result)
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let uri = request.uri.clone();
        match self.ask(move |provider| provider.read(&uri)).await? {
            Ok(content) => {
                Ok(ReadResourceResult::new(vec![to_contents(content, request.uri)]).into())
            }
            // rmcp turns this into -32602 for clients of 2026-07-28.
            Err(ReadError::NotFound(uri)) => Err(ErrorData::resource_not_found(
                format!("there is no resource {uri}"),
                Some(serde_json::json!({ "uri": uri })),
            )),
            Err(error @ ReadError::Unreadable { .. }) => {
                tracing::warn!(%error, "a resource cannot be read");
                Err(ErrorData::internal_error(error.to_string(), None))
            }
        }
    }

    async fn list_skills(
        &self,
        request: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListSkillsResult, ErrorData> {
        let entries = self.ask(|provider| provider.entries()).await?.unwrap_or_default();
        for warning in &entries.warnings {
            tracing::warn!("{warning}");
        }
        let skills = publish::publishable(&entries.entries);
        let (skills, next) = page(skills, request, self.page_size, |skill| &skill.uri)?;
        let mut result = ListSkillsResult::with_all_items(skills);
        result.next_cursor = next;
        Ok(result)
    }

    async fn get_skill(
        &self,
        request: GetSkillRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetSkillResult, ErrorData> {
        let uri = request.uri.clone();
        let entry = self.ask(move |provider| provider.entry(&uri)).await?;
        entry
            .as_ref()
            .and_then(|entry| publish::to_skill(entry).ok())
            .map(GetSkillResult::new)
            .ok_or_else(|| {
                ErrorData::invalid_params(
                    format!("there is no skill {}", request.uri),
                    Some(serde_json::json!({ "uri": request.uri })),
                )
            })
    }

    async fn read_resource_directory(
        &self,
        request: ReadResourceDirectoryRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceDirectoryResult, ErrorData> {
        let entries = self.ask(|provider| provider.entries()).await?.unwrap_or_default();
        let Some(children) = publish::directory(&entries.entries, &request.uri) else {
            return Err(ErrorData::invalid_params(
                format!("{} is not a directory here", request.uri),
                Some(serde_json::json!({ "uri": request.uri })),
            ));
        };
        let params = PaginatedRequestParams::default().with_cursor(request.cursor);
        let (children, next) =
            page(children, Some(params), self.page_size, |resource| &resource.uri)?;
        let mut result = ReadResourceDirectoryResult::with_all_items(children);
        result.next_cursor = next;
        Ok(result)
    }

    /// Clients of 2026-07-28 listen for changes.
    fn accepted_subscription_filter(&self, _: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        self.changes
            .is_some()
            .then(|| SubscriptionFilter::builder().resources_list_changed().build())
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let Some(mut changes) = self.changes.clone() else { return Ok(()) };
        changes.mark_unchanged();
        loop {
            tokio::select! {
                () = context.cancelled() => return Ok(()),
                changed = changes.changed() => {
                    if changed.is_err() || context.sink().notify_resource_list_changed().await.is_err() {
                        return Ok(());
                    }
                }
            }
        }
    }

    /// Older clients are told without asking.
    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        let Some(mut changes) = self.changes.clone() else { return };
        changes.mark_unchanged();
        tokio::spawn(async move {
            while changes.changed().await.is_ok() {
                if context.peer.notify_resource_list_changed().await.is_err() {
                    return;
                }
            }
        });
    }
}

fn to_resource(resource: skills::provider::Resource) -> Resource {
    let listed = Resource::new(resource.uri, resource.name)
        .with_description(resource.description)
        .with_mime_type(resource.mime_type);
    match resource.size {
        Some(size) => listed.with_size(size),
        None => listed,
    }
}

/// Text as text where that keeps every byte, all else as a blob. Manifests are JSON that peers look
/// for as text; other JSON is a blob, as the reference has it.
fn to_contents(content: Content, uri: String) -> ResourceContents {
    let Content { bytes, mime_type } = content;
    let as_text = mime_type.starts_with("text/") || uri.ends_with("/_manifest");
    let contents = if as_text {
        match String::from_utf8(bytes) {
            Ok(text) => ResourceContents::text(text, uri),
            Err(error) => ResourceContents::blob(BASE64_STANDARD.encode(error.as_bytes()), uri),
        }
    } else {
        ResourceContents::blob(BASE64_STANDARD.encode(&bytes), uri)
    };
    contents.with_mime_type(mime_type)
}
