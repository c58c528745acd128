//! The provider as rmcp sees it: one handler for a connection or session, or for one request that
//! stands alone.

mod results;
mod seen;
mod spelling;
mod telling;

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock};

use http::request::Parts;
use rmcp::ServerHandler;
use rmcp::model::{
    CustomRequest, CustomResult, DiscoverResult, ErrorCode, ErrorData, Extensions,
    GetSkillRequestParams, GetSkillResult, Implementation, InitializeRequestParams,
    InitializeResult, ListResourceTemplatesResult, ListResourcesResult, ListSkillsResult,
    PaginatedRequestParams, ProtocolVersion, ReadResourceDirectoryRequestParams,
    ReadResourceDirectoryResult, ReadResourceRequestParams, ReadResourceResponse,
    ServerCapabilities, ServerConfig, SubscribeRequestParams, SubscriptionFilter,
    UnsubscribeRequestParams,
};
use rmcp::service::{NotificationContext, RequestContext, RoleServer, SubscriptionContext};
use skills::provider::policy::{Caller, Transport};
use tokio_util::sync::{CancellationToken, DropGuard};

pub(super) use self::spelling::AnySpelling;
use super::apart::Apart;
use super::observe::{Presence, VISIT};
use super::shared::Shared;
use super::subscriptions::{Before, Subscriptions};
use crate::limits::{SUBSCRIPTIONS, quoted};

/// The methods that take parameters.
const METHODS: [&str; 10] = [
    "initialize",
    "resources/directory/read",
    "resources/list",
    "resources/read",
    "resources/subscribe",
    "resources/templates/list",
    "resources/unsubscribe",
    "skills/get",
    "skills/list",
    "subscriptions/listen",
];

/// Those of them that 2026-07-28 no longer has.
const REMOVED: [&str; 3] = ["initialize", "resources/subscribe", "resources/unsubscribe"];

/// What a handler serves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Serving {
    /// One client on a pair of streams.
    Stream,
    /// A session of an older client, or one request of a newer one, over HTTP.
    Http,
    /// One request of an older client without a session: nothing can be told to it later.
    Alone,
}

/// The handler.
pub(super) struct SkillServer {
    shared: Arc<Shared>,
    serving: Serving,
    presence: OnceLock<Presence>,
    subscriptions: Arc<Subscriptions>,
    before: Before,
    /// Whether changes are being told to an older client.
    telling: AtomicBool,
    ended: CancellationToken,
    _ends: DropGuard,
}

impl SkillServer {
    fn stream(shared: Arc<Shared>) -> Self {
        Self::new(shared, Serving::Stream)
    }

    pub(super) fn http(shared: Arc<Shared>) -> Self {
        Self::new(shared, Serving::Http)
    }

    pub(super) fn alone(shared: Arc<Shared>) -> Self {
        Self::new(shared, Serving::Alone)
    }

    fn new(shared: Arc<Shared>, serving: Serving) -> Self {
        let ended = CancellationToken::new();
        Self {
            shared,
            serving,
            presence: OnceLock::new(),
            subscriptions: Arc::default(),
            before: Before::default(),
            telling: AtomicBool::new(false),
            _ends: ended.clone().drop_guard(),
            ended,
        }
    }

    /// Who asks: over HTTP the gate has put it beside the request.
    fn caller(&self, extensions: &Extensions) -> Caller {
        let shown = extensions.get::<Parts>().and_then(|parts| parts.extensions.get::<Caller>());
        shown.cloned().unwrap_or_else(|| Caller {
            identity: None,
            scopes: Vec::new(),
            transport: match self.serving {
                Serving::Stream => Transport::Stdio,
                Serving::Http | Serving::Alone => Transport::Http,
            },
        })
    }
}

/// Whether the request is of 2026-07-28 or later; versions are dates and compare as text.
fn is_modern(context: &RequestContext<RoleServer>) -> bool {
    context
        .protocol_version()
        .is_some_and(|version| version.as_str() >= ProtocolVersion::V_2026_07_28.as_str())
}

impl ServerHandler for SkillServer {
    fn get_info(&self) -> ServerConfig {
        let mut capabilities = ServerCapabilities::builder().enable_resources().build();
        if self.shared.publishes {
            let declared = ServerCapabilities::builder()
                .enable_resources()
                .enable_skills_with_directory_read()
                .build();
            capabilities.extensions = declared.extensions;
        }
        if let Some(resources) = capabilities.resources.as_mut().filter(|_| self.tells()) {
            resources.list_changed = Some(true);
            resources.subscribe = Some(true);
        }
        ServerConfig::new(capabilities)
            .with_server_info(Implementation::new("skillhold", env!("CARGO_PKG_VERSION")))
    }

    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        context.peer.set_peer_info(request.clone());
        let asked = self.asked("initialize", None, &context);
        self.answered(asked, self.negotiate_initialize(&request))
    }

    async fn discover(
        &self,
        context: RequestContext<RoleServer>,
    ) -> Result<DiscoverResult, ErrorData> {
        let asked = self.asked("server/discover", None, &context);
        let result = DiscoverResult::from_server_info(
            self.supported_protocol_versions().into_owned(),
            self.get_info(),
        );
        // What the server can do is the same for every caller, but not where a token is needed.
        self.answered(asked, Ok(result.with_cache_scope(self.shared.scope)))
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let asked = self.asked("resources/list", None, &context);
        let answer = self.resources(&asked, request).await;
        self.answered(asked, answer)
    }

    async fn list_resource_templates(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let asked = self.asked("resources/templates/list", None, &context);
        let answer = self.templates(&asked, request).await;
        self.answered(asked, answer)
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let asked = self.asked("resources/read", Some(&request.uri), &context);
        let answer = self.contents(&asked, request.uri, &context.extensions).await;
        self.answered(asked, answer).map(Into::into)
    }

    async fn list_skills(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListSkillsResult, ErrorData> {
        let asked = self.asked("skills/list", None, &context);
        let apart = Apart::of(&context.extensions);
        let answer = self.skills(&asked, request, apart).await;
        self.answered(asked, answer)
    }

    async fn get_skill(
        &self,
        request: GetSkillRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetSkillResult, ErrorData> {
        let asked = self.asked("skills/get", Some(&request.uri), &context);
        let answer = self.skill(&asked, request.uri).await;
        self.answered(asked, answer)
    }

    async fn read_resource_directory(
        &self,
        request: ReadResourceDirectoryRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceDirectoryResult, ErrorData> {
        let asked = self.asked("resources/directory/read", Some(&request.uri), &context);
        let answer = self.directory(&asked, request).await;
        self.answered(asked, answer)
    }

    async fn subscribe(
        &self,
        request: SubscribeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let asked = self.asked("resources/subscribe", Some(&request.uri), &context);
        let answer = self.add_subscription(&asked, request.uri, context.peer).await;
        self.answered(asked, answer)
    }

    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let asked = self.asked("resources/unsubscribe", Some(&request.uri), &context);
        self.subscriptions.remove(&request.uri);
        self.answered(asked, Ok(()))
    }

    /// Takes the marks too: this is the last call before the acknowledgement is sent. Looking at a
    /// few hundred files here is short, and a change right after the acknowledgement is not lost.
    fn accepted_subscription_filter(
        &self,
        requested: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        self.before.follow(self.changes_from_now()?);
        let mut uris = requested.resource_subscriptions.clone().unwrap_or_default();
        uris.truncate(SUBSCRIPTIONS);
        if !uris.is_empty() {
            self.before.take(self.shared.provider.as_ref(), &uris);
        }
        let accepted = SubscriptionFilter::builder().resources_list_changed();
        Some(accepted.resource_subscriptions(uris).build())
    }

    /// Clients of 2026-07-28 listen for changes.
    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let asked = self.asked("subscriptions/listen", None, context.request_context());
        let Ok(_turn) = self.shared.listens.try_acquire() else {
            let refused = ErrorData::internal_error("too many clients are listening", None);
            return self.answered(asked, Err(refused));
        };
        let (caller, client) = (asked.caller.clone(), asked.client.clone());
        self.answered(asked, Ok(()))?;
        let told = self.tell_listener(&caller, &context);
        tokio::pin!(told);
        let mut still_there = tokio::time::interval(VISIT / 2);
        loop {
            tokio::select! {
                () = context.cancelled() => return Ok(()),
                told = &mut told => return told,
                _ = still_there.tick() => {
                    let extensions = &context.request_context().extensions;
                    self.came(&caller, client.clone(), true, extensions);
                }
            }
        }
    }

    /// Older clients are told without asking.
    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        let caller = self.caller(&context.extensions);
        self.tell_changes(caller, context.peer);
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let method = quoted(&request.method);
        // rmcp takes a known method whose parameters it cannot read for an unknown one.
        let removed = REMOVED.contains(&method.as_str()) && is_modern(&context);
        let error = if METHODS.contains(&method.as_str()) && !removed {
            let wrong = format!("the parameters of {method} are not as MCP has them");
            ErrorData::invalid_params(wrong, None)
        } else {
            let unknown = format!("there is no method {method}");
            ErrorData::new(ErrorCode::METHOD_NOT_FOUND, unknown, None)
        };
        let asked = self.asked(method, None, &context);
        self.answered(asked, Err(error))
    }
}
