//! What a server says by itself: that its list or a resource changed.
#![expect(deprecated, reason = "servers of the older protocol know subscriptions in no other way")]

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt as _;
use rmcp::ClientHandler;
use rmcp::model::{
    ClientCapabilities, ClientConfig, ClientRequest, ErrorCode, ExtensionCapabilities,
    Implementation, JsonObject, ResourceUpdatedNotificationParam, SKILLS_EXTENSION_ID,
    SubscribeRequest, SubscribeRequestParams, SubscriptionFilter, UnsubscribeRequest,
    UnsubscribeRequestParams,
};
use rmcp::service::{NotificationContext, Peer, RoleClient, ServiceError, Subscription};
use tokio::sync::{oneshot, watch};
use tokio_util::sync::CancellationToken;

/// The longest pause between two attempts to subscribe again.
const LONGEST_PAUSE: Duration = Duration::from_secs(60);

/// Our side of the protocol: it answers nothing and counts news.
#[derive(Debug, Clone)]
pub(crate) struct Handler {
    news: Arc<watch::Sender<u64>>,
}

impl Handler {
    pub(crate) fn new(news: watch::Sender<u64>) -> Self {
        Self { news: Arc::new(news) }
    }

    pub(crate) fn bump(&self) {
        self.news.send_modify(|count| *count = count.wrapping_add(1));
    }
}

impl ClientHandler for Handler {
    fn get_info(&self) -> ClientConfig {
        let mut capabilities = ClientCapabilities::default();
        capabilities.extensions = Some(ExtensionCapabilities::from([(
            SKILLS_EXTENSION_ID.to_owned(),
            JsonObject::new(),
        )]));
        ClientConfig::new(capabilities, Implementation::new("skillhold", env!("CARGO_PKG_VERSION")))
    }

    async fn on_resource_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.bump();
    }

    async fn on_resource_updated(
        &self,
        _: ResourceUpdatedNotificationParam,
        _: NotificationContext<RoleClient>,
    ) {
        self.bump();
    }
}

/// What a server can tell by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Tells {
    /// That its list changed.
    pub(crate) lists: bool,
    /// That a resource changed which it was asked to tell about.
    pub(crate) resources: bool,
}

/// Resources to be told about, as they are wanted now.
pub(crate) type Watched = watch::Receiver<Vec<String>>;

/// Listens for changes in the way of 2026-07-28, and again after the stream broke or other
/// resources are wanted. Ends with the connection, or when the server does not offer it after all.
/// `settled` is told when the first attempt stands or failed.
pub(crate) async fn listen(
    peer: Peer<RoleClient>,
    handler: Handler,
    tells: Tells,
    watched: Watched,
    wait: Duration,
    settled: oneshot::Sender<()>,
    stop: CancellationToken,
) {
    tokio::select! {
        () = stop.cancelled() => {}
        () = keep_listening(&peer, &handler, tells, watched, wait, settled) => {}
    }
}

async fn keep_listening(
    peer: &Peer<RoleClient>,
    handler: &Handler,
    tells: Tells,
    mut watched: Watched,
    wait: Duration,
    settled: oneshot::Sender<()>,
) {
    let mut settled = Some(settled);
    let mut pause = Duration::from_secs(1);
    let mut missed = false;
    // What was listened to before stands until the new one does, so that nothing falls between.
    let mut before: Option<Subscription> = None;
    while !peer.is_transport_closed() {
        let uris = if tells.resources { watched.borrow_and_update().clone() } else { Vec::new() };
        let mut filter = SubscriptionFilter::builder();
        if tells.lists {
            filter = filter.resources_list_changed();
        } else if uris.is_empty() {
            drop(settled.take());
            if watched.changed().await.is_err() {
                return;
            }
            continue;
        }
        if !uris.is_empty() {
            filter = filter.resource_subscriptions(uris);
        }
        let attempt = tokio::time::timeout(wait, peer.listen(filter.build())).await;
        if let Some(settled) = settled.take() {
            let _ = settled.send(());
        }
        match attempt {
            Ok(Ok(mut subscription)) => {
                pause = Duration::from_secs(1);
                if missed || before.take().is_some_and(has_news) {
                    handler.bump();
                }
                missed = false;
                if told_until_changed(&mut subscription, handler, tells, &mut watched).await {
                    before = Some(subscription);
                    continue;
                }
                // The server went away or ended the stream: whoever looks will see which.
                handler.bump();
            }
            Ok(Err(ServiceError::McpError(error))) if error.code == ErrorCode::METHOD_NOT_FOUND => {
                return;
            }
            Ok(Err(error)) => tracing::debug!(%error, "cannot listen for changes"),
            Err(_) => tracing::debug!("no answer to listening for changes"),
        }
        missed = true;
        before = None;
        tokio::select! {
            () = tokio::time::sleep(pause) => {}
            Ok(()) = watched.changed(), if tells.resources => {}
        }
        pause = (pause * 2).min(LONGEST_PAUSE);
    }
}

/// Counts news until the stream ends, or, which is then true, until other resources are wanted.
async fn told_until_changed(
    subscription: &mut Subscription,
    handler: &Handler,
    tells: Tells,
    watched: &mut Watched,
) -> bool {
    loop {
        tokio::select! {
            next = subscription.next() => match next {
                Ok(Some(_)) => handler.bump(),
                _ => return false,
            },
            Ok(()) = watched.changed(), if tells.resources => return true,
        }
    }
}

/// Whether something came that nobody took.
fn has_news(mut subscription: Subscription) -> bool {
    matches!(subscription.next().now_or_never(), Some(Ok(Some(_))))
}

/// Asks a server of the older protocol to tell about resources, one by one, as they are wanted.
pub(crate) async fn watch_older(
    peer: Peer<RoleClient>,
    mut watched: Watched,
    wait: Duration,
    stop: CancellationToken,
) {
    let mut asked: HashSet<String> = HashSet::new();
    let keep = async {
        while watched.changed().await.is_ok() {
            let wanted: HashSet<String> = watched.borrow_and_update().iter().cloned().collect();
            for uri in asked.difference(&wanted) {
                let request = UnsubscribeRequest::new(UnsubscribeRequestParams::new(uri));
                let request = ClientRequest::UnsubscribeRequest(request);
                let _ = tokio::time::timeout(wait, peer.send_request(request)).await;
            }
            for uri in wanted.difference(&asked) {
                let request = SubscribeRequest::new(SubscribeRequestParams::new(uri));
                let request = ClientRequest::SubscribeRequest(request);
                match tokio::time::timeout(wait, peer.send_request(request)).await {
                    Ok(Ok(_)) => {}
                    Ok(Err(error)) => tracing::debug!(%error, "a resource is not told about"),
                    Err(_) => tracing::debug!("no answer to watching a resource"),
                }
            }
            asked = wanted;
        }
    };
    tokio::select! {
        () = stop.cancelled() => {}
        () = keep => {}
    }
}
