//! The provider as rmcp sees it: one handler for a connection or session, or for one request that
//! stands alone.

use std::borrow::Cow;
use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Instant, SystemTime};

use http::request::Parts;
use rmcp::ServerHandler;
use rmcp::model::{
    CacheScope, CustomRequest, CustomResult, DiscoverResult, ErrorCode, ErrorData, Extensions,
    GetSkillRequestParams, GetSkillResult, Implementation, InitializeRequestParams,
    InitializeResult, ListResourceTemplatesResult, ListResourcesResult, ListSkillsResult,
    PaginatedRequestParams, ProtocolVersion, ReadResourceDirectoryRequestParams,
    ReadResourceDirectoryResult, ReadResourceRequestParams, ReadResourceResponse,
    ReadResourceResult, ResourceUpdatedNotificationParam, ServerCapabilities, ServerConfig,
    SubscribeRequestParams, SubscriptionFilter, UnsubscribeRequestParams,
};
use rmcp::service::{NotificationContext, Peer, RequestContext, RoleServer, SubscriptionContext};
use skills::provider::Provider;
use skills::provider::policy::{Caller, Guarded, Policy, Transport};
use tokio::sync::{Semaphore, watch};
use tokio_util::sync::{CancellationToken, DropGuard};

use super::answers::{
    no_directory, no_resource, no_skill, to_contents, to_resource, to_template, unread,
};
use super::gate::Address;
use super::observe::{Clients, Presence, Served, VISIT, Visitor, client_name};
use super::pages::page;
use super::publish::Published;
use super::subscriptions::{Before, Refused, Subscriptions};
use super::{ServeError, ServeOptions};
use crate::limits::{CALLS_AT_ONCE, LISTENS, SUBSCRIPTIONS, quoted};

/// The most warnings that are remembered, so that each is logged once.
const WARNINGS: usize = 10_000;

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

/// What all connections of one server share.
pub(super) struct Shared {
    provider: Arc<dyn Provider>,
    policy: Option<Arc<dyn Policy>>,
    page_size: usize,
    changes: Option<watch::Receiver<u64>>,
    /// Whether the provider publishes entries, so that the extension is declared.
    publishes: bool,
    /// Whether an answer is the same for every caller.
    scope: CacheScope,
    pub(super) clients: Arc<Clients>,
    published: Published,
    calls: Arc<Semaphore>,
    listens: Semaphore,
    /// The hashes of the warnings that were logged.
    warned: Mutex<HashSet<u64>>,
}

impl Shared {
    /// Asks the provider once whether it publishes entries.
    pub(super) async fn new(
        provider: Arc<dyn Provider>,
        options: &ServeOptions,
    ) -> Result<Self, ServeError> {
        let asked = Arc::clone(&provider);
        let publishes = tokio::task::spawn_blocking(move || asked.publishes())
            .await
            .map_err(ServeError::Ended)?;
        let private = options.policy.is_some() || !options.tokens.is_empty();
        Ok(Self {
            provider,
            policy: options.policy.clone(),
            page_size: options.page_size.unwrap_or(usize::MAX).max(1),
            changes: options.changes.clone(),
            publishes,
            scope: if private { CacheScope::Private } else { CacheScope::Public },
            clients: Arc::new(Clients::new(options.observer.clone())),
            published: Published::default(),
            calls: Arc::new(Semaphore::new(CALLS_AT_ONCE)),
            listens: Semaphore::new(LISTENS),
            warned: Mutex::default(),
        })
    }

    /// The provider as this caller sees it.
    fn seen_by(&self, caller: &Caller) -> Arc<dyn Provider> {
        let provider = Arc::clone(&self.provider);
        match &self.policy {
            Some(policy) => Arc::new(Guarded::new(provider, Arc::clone(policy), caller.clone())),
            None => provider,
        }
    }

    /// Runs what may block away from the async threads.
    async fn away<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, ErrorData> {
        let failed = |error: &dyn std::fmt::Display| {
            tracing::error!(%error, "a provider's call broke");
            ErrorData::internal_error("the provider failed", None)
        };
        let turn = Arc::clone(&self.calls).acquire_owned().await.map_err(|error| failed(&error))?;
        tokio::task::spawn_blocking(move || {
            let _turn = turn;
            work()
        })
        .await
        .map_err(|error| failed(&error))
    }

    /// Logs each warning the first time.
    fn warn(&self, warnings: &[String]) {
        if warnings.is_empty() {
            return;
        }
        let mut warned = self.warned.lock().unwrap_or_else(PoisonError::into_inner);
        for warning in warnings {
            let mut hasher = DefaultHasher::new();
            warning.hash(&mut hasher);
            if warned.len() < WARNINGS && warned.insert(hasher.finish()) {
                tracing::warn!("{warning}");
            }
        }
    }
}

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

/// One request, for the observer.
struct Asked {
    at: SystemTime,
    caller: Caller,
    client: Option<String>,
    method: Cow<'static, str>,
    uri: Option<String>,
    modern: bool,
}

impl SkillServer {
    pub(super) fn stream(shared: Arc<Shared>) -> Self {
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

    /// A request came.
    fn asked(
        &self,
        method: impl Into<Cow<'static, str>>,
        uri: Option<&str>,
        context: &RequestContext<RoleServer>,
    ) -> Asked {
        let caller = self.caller(&context.extensions);
        let method = method.into();
        // Whatever version it names, a handshake is of an older client.
        let modern = method != "initialize" && is_modern(context);
        let mut client = None;
        if self.shared.clients.observed() {
            // rmcp makes a name up for older clients without a session.
            let info = (self.serving != Serving::Alone || context.meta.client_info().is_some())
                .then(|| context.client_info())
                .flatten();
            client = info.map(|info| client_name(&info.name));
            self.came(&caller, client.clone(), modern, &context.extensions);
        }
        Asked {
            at: SystemTime::now(),
            caller,
            client,
            method,
            uri: uri.map(quoted).filter(|_| self.shared.clients.observed()),
            modern,
        }
    }

    /// Tells that a client is there.
    fn came(&self, caller: &Caller, client: Option<String>, modern: bool, extensions: &Extensions) {
        let clients = &self.shared.clients;
        let identity = caller.identity.clone();
        let stays = match self.serving {
            Serving::Stream => true,
            Serving::Http => !modern,
            Serving::Alone => false,
        };
        if stays {
            self.presence.get_or_init(|| clients.connected(identity, client, caller.transport));
        } else {
            let address = extensions
                .get::<Parts>()
                .and_then(|parts| parts.extensions.get::<Address>())
                .map(|address| address.0);
            clients.visited(Visitor { identity, client, address }, Instant::now());
        }
    }

    /// Tells how a request was answered.
    fn answered<T>(&self, asked: Asked, answer: Result<T, ErrorData>) -> Result<T, ErrorData> {
        if self.shared.clients.observed() {
            let Asked { at, caller, client, method, uri, modern } = asked;
            let outcome = answer.as_ref().map(drop).map_err(|error| match error.code {
                ErrorCode::RESOURCE_NOT_FOUND if modern => ErrorCode::INVALID_PARAMS.0,
                code => code.0,
            });
            self.shared.clients.served(Served {
                at,
                identity: caller.identity,
                client,
                transport: caller.transport,
                method: method.into_owned(),
                uri,
                outcome,
            });
        }
        answer
    }

    /// Asks the provider as the caller sees it.
    async fn ask<T: Send + 'static>(
        &self,
        asked: &Asked,
        question: impl FnOnce(&dyn Provider) -> T + Send + 'static,
    ) -> Result<T, ErrorData> {
        let provider = self.shared.seen_by(&asked.caller);
        self.shared.away(move || question(provider.as_ref())).await
    }

    /// How long an answer may be kept, which only newer clients are told: not at all, each request
    /// sees the folder as it is.
    fn hints(&self, asked: &Asked, ttl: &mut Option<u64>, scope: &mut Option<CacheScope>) {
        if asked.modern {
            *ttl = Some(0);
            *scope = Some(self.shared.scope);
        }
    }

    async fn resources(
        &self,
        asked: &Asked,
        request: Option<PaginatedRequestParams>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let listing = self.ask(asked, |provider| provider.list()).await?;
        self.shared.warn(&listing.warnings);
        let size = self.shared.page_size;
        let (resources, next) = page(listing.resources, request, size, |resource| &resource.uri)?;
        let resources = resources.into_iter().map(to_resource).collect();
        let mut result = ListResourcesResult::with_all_items(resources);
        result.next_cursor = next;
        self.hints(asked, &mut result.ttl_ms, &mut result.cache_scope);
        Ok(result)
    }

    async fn templates(
        &self,
        asked: &Asked,
        request: Option<PaginatedRequestParams>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let listing = self.ask(asked, |provider| provider.list()).await?;
        let size = self.shared.page_size;
        let (templates, next) =
            page(listing.templates, request, size, |template| &template.uri_template)?;
        let templates = templates.into_iter().map(to_template).collect();
        let mut result = ListResourceTemplatesResult::with_all_items(templates);
        result.next_cursor = next;
        self.hints(asked, &mut result.ttl_ms, &mut result.cache_scope);
        Ok(result)
    }

    async fn contents(&self, asked: &Asked, uri: String) -> Result<ReadResourceResult, ErrorData> {
        // Encoding a large file takes a while too.
        let contents = self
            .ask(asked, move |provider| match provider.read(&uri) {
                Ok(content) => Ok(to_contents(content, uri)),
                Err(error) => Err(unread(&error)),
            })
            .await??;
        let mut result = ReadResourceResult::new(vec![contents]);
        self.hints(asked, &mut result.ttl_ms, &mut result.cache_scope);
        Ok(result)
    }

    async fn skills(
        &self,
        asked: &Asked,
        request: Option<PaginatedRequestParams>,
    ) -> Result<ListSkillsResult, ErrorData> {
        let entries = self.ask(asked, |provider| provider.entries()).await?.unwrap_or_default();
        self.shared.warn(&entries.warnings);
        let skills = self.shared.published.all(&entries.entries);
        let (skills, next) = page(skills, request, self.shared.page_size, |skill| &skill.uri)?;
        let skills = skills.iter().map(|skill| skill.as_ref().clone()).collect();
        let mut result = ListSkillsResult::with_all_items(skills);
        result.next_cursor = next;
        self.hints(asked, &mut result.ttl_ms, &mut result.cache_scope);
        Ok(result)
    }

    async fn skill(&self, asked: &Asked, uri: String) -> Result<GetSkillResult, ErrorData> {
        let wanted = uri.clone();
        let entry = self.ask(asked, move |provider| provider.entry(&wanted)).await?;
        // An entry has one URI, whatever other spellings its resources may be read by.
        let skill = entry
            .and_then(|entry| self.shared.published.one(&entry))
            .filter(|skill| skill.uri == uri)
            .ok_or_else(|| no_skill(&uri))?;
        let mut result = GetSkillResult::new(skill.as_ref().clone());
        self.hints(asked, &mut result.ttl_ms, &mut result.cache_scope);
        Ok(result)
    }

    async fn directory(
        &self,
        asked: &Asked,
        request: ReadResourceDirectoryRequestParams,
    ) -> Result<ReadResourceDirectoryResult, ErrorData> {
        let uri = request.uri.clone();
        let children = self
            .ask(asked, move |provider| provider.directory(&uri))
            .await?
            .ok_or_else(|| no_directory(&request.uri))?;
        let params = PaginatedRequestParams::default().with_cursor(request.cursor);
        let size = self.shared.page_size;
        let (children, next) = page(children, Some(params), size, |resource| &resource.uri)?;
        let children = children.into_iter().map(to_resource).collect();
        let mut result = ReadResourceDirectoryResult::with_all_items(children);
        result.next_cursor = next;
        self.hints(asked, &mut result.ttl_ms, &mut result.cache_scope);
        Ok(result)
    }

    async fn add_subscription(
        &self,
        asked: &Asked,
        uri: String,
        peer: Peer<RoleServer>,
    ) -> Result<(), ErrorData> {
        if !self.tells() {
            return Err(ErrorData::new(
                ErrorCode::METHOD_NOT_FOUND,
                "nothing is told to this client: it has no session",
                None,
            ));
        }
        let provider = self.shared.seen_by(&asked.caller);
        let subscriptions = Arc::clone(&self.subscriptions);
        // The feed is joined before the mark is taken, so that nothing is missed in between.
        self.tell_changes(peer);
        let wanted = uri.clone();
        match self.shared.away(move || subscriptions.add(&wanted, provider)).await? {
            Ok(()) => Ok(()),
            Err(Refused::NotFound) => Err(no_resource(&uri)),
            Err(Refused::TooMany) => Err(ErrorData::invalid_params(
                format!("a client may subscribe to {SUBSCRIPTIONS} resources and no more"),
                None,
            )),
        }
    }

    /// Whether this client can be told of changes.
    fn tells(&self) -> bool {
        self.shared.changes.is_some() && self.serving != Serving::Alone
    }

    fn changes_from_now(&self) -> Option<watch::Receiver<u64>> {
        let mut changes = self.shared.changes.clone().filter(|_| self.tells())?;
        changes.mark_unchanged();
        Some(changes)
    }

    /// Tells an older client of changes for as long as its connection lasts.
    fn tell_changes(&self, peer: Peer<RoleServer>) {
        let Some(mut changes) = self.changes_from_now() else { return };
        if self.telling.swap(true, Ordering::SeqCst) {
            return;
        }
        let (shared, subscriptions) = (Arc::clone(&self.shared), Arc::clone(&self.subscriptions));
        let tell = async move {
            while changes.changed().await.is_ok() {
                if peer.notify_resource_list_changed().await.is_err() {
                    return;
                }
                let looked_at = Arc::clone(&subscriptions);
                let changed = shared.away(move || looked_at.changed()).await.unwrap_or_default();
                for uri in changed {
                    let update = ResourceUpdatedNotificationParam::new(uri);
                    if peer.notify_resource_updated(update).await.is_err() {
                        return;
                    }
                }
            }
        };
        let ended = self.ended.clone();
        tokio::spawn(async move { ended.run_until_cancelled(tell).await });
    }

    /// Tells a newer client of what it listens for.
    async fn tell_listener(
        &self,
        caller: &Caller,
        context: &SubscriptionContext,
    ) -> Result<(), ErrorData> {
        let Some(mut changes) = self.changes_from_now() else { return Ok(()) };
        let accepted = context.accepted();
        let provider = self.shared.seen_by(caller);
        let marks = self.before.give(accepted.resource_subscriptions.as_deref().unwrap_or(&[]));
        let subscriptions =
            self.shared.away(move || Arc::new(Subscriptions::listening(&provider, marks))).await?;
        let lists = accepted.resources_list_changed == Some(true);
        while changes.changed().await.is_ok() {
            if lists && context.sink().notify_resource_list_changed().await.is_err() {
                return Ok(());
            }
            let looked_at = Arc::clone(&subscriptions);
            for uri in self.shared.away(move || looked_at.changed()).await? {
                if context.sink().notify_resource_updated(uri).await.is_err() {
                    return Ok(());
                }
            }
        }
        Ok(())
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
        let answer = self.contents(&asked, request.uri).await;
        self.answered(asked, answer).map(Into::into)
    }

    async fn list_skills(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListSkillsResult, ErrorData> {
        let asked = self.asked("skills/list", None, &context);
        let answer = self.skills(&asked, request).await;
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
        if !self.tells() {
            return None;
        }
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
        self.tell_changes(context.peer);
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
