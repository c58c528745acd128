//! What a server says by itself: that its list changed.

use std::sync::Arc;
use std::time::Duration;

use rmcp::ClientHandler;
use rmcp::model::{
    ClientCapabilities, ClientConfig, ErrorCode, ExtensionCapabilities, Implementation, JsonObject,
    ResourceUpdatedNotificationParam, SKILLS_EXTENSION_ID, SubscriptionFilter,
};
use rmcp::service::{NotificationContext, Peer, RoleClient, ServiceError};
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

/// Listens for changed lists in the way of 2026-07-28, and again after the stream broke. Ends
/// with the connection, or when the server does not offer it after all. `settled` is told when the
/// first attempt stands or failed.
pub(crate) async fn subscribe(
    peer: Peer<RoleClient>,
    handler: Handler,
    wait: Duration,
    settled: oneshot::Sender<()>,
    stop: CancellationToken,
) {
    tokio::select! {
        () = stop.cancelled() => {}
        () = keep_listening(&peer, &handler, wait, settled) => {}
    }
}

async fn keep_listening(
    peer: &Peer<RoleClient>,
    handler: &Handler,
    wait: Duration,
    settled: oneshot::Sender<()>,
) {
    let mut settled = Some(settled);
    let mut pause = Duration::from_secs(1);
    let mut missed = false;
    while !peer.is_transport_closed() {
        let filter = SubscriptionFilter::builder().resources_list_changed().build();
        let attempt = tokio::time::timeout(wait, peer.listen(filter)).await;
        if let Some(settled) = settled.take() {
            let _ = settled.send(());
        }
        match attempt {
            Ok(Ok(mut subscription)) => {
                pause = Duration::from_secs(1);
                if missed {
                    handler.bump();
                }
                while let Ok(Some(_)) = subscription.next().await {
                    handler.bump();
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
        tokio::time::sleep(pause).await;
        pause = (pause * 2).min(LONGEST_PAUSE);
    }
}
