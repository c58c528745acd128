//! Telling clients of what changed.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use rmcp::model::{ErrorCode, ErrorData, ResourceUpdatedNotificationParam};
use rmcp::service::{Peer, RoleServer, SubscriptionContext};
use skills::provider::policy::Caller;
use tokio::sync::watch;

use super::super::answers::no_resource;
use super::super::subscriptions::{Refused, Subscriptions};
use super::seen::Asked;
use super::{Serving, SkillServer};
use crate::limits::SUBSCRIPTIONS;

impl SkillServer {
    pub(super) async fn add_subscription(
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
        self.tell_changes(asked.caller.clone(), peer);
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
    pub(super) fn tells(&self) -> bool {
        self.shared.changes.is_some() && self.serving != Serving::Alone
    }

    pub(super) fn changes_from_now(&self) -> Option<watch::Receiver<u64>> {
        let mut changes = self.shared.changes.clone().filter(|_| self.tells())?;
        changes.mark_unchanged();
        Some(changes)
    }

    /// Tells an older client of changes for as long as its connection lasts.
    pub(super) fn tell_changes(&self, caller: Caller, peer: Peer<RoleServer>) {
        let Some(mut changes) = self.changes_from_now() else { return };
        if self.telling.swap(true, Ordering::SeqCst) {
            return;
        }
        let (shared, subscriptions) = (Arc::clone(&self.shared), Arc::clone(&self.subscriptions));
        let tell = async move {
            let mut seen = shared.view(&caller).await;
            while changes.changed().await.is_ok() {
                let change = *changes.borrow_and_update();
                let now = shared.view_after(&caller, change).await;
                let differs = now.differs(std::mem::replace(&mut seen, now));
                if differs && peer.notify_resource_list_changed().await.is_err() {
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
    pub(super) async fn tell_listener(
        &self,
        caller: &Caller,
        context: &SubscriptionContext,
    ) -> Result<(), ErrorData> {
        let Some(mut changes) = self.before.feed() else { return Ok(()) };
        let accepted = context.accepted();
        let (provider, all) = (self.shared.seen_by(caller), Arc::clone(&self.shared.provider));
        let marks = self.before.give(accepted.resource_subscriptions.as_deref().unwrap_or(&[]));
        let subscriptions = self
            .shared
            .away(move || Arc::new(Subscriptions::listening(&provider, all.as_ref(), marks)))
            .await?;
        let lists = accepted.resources_list_changed == Some(true);
        let mut seen = self.shared.view(caller).await;
        while changes.changed().await.is_ok() {
            let change = *changes.borrow_and_update();
            if lists {
                let now = self.shared.view_after(caller, change).await;
                let differs = now.differs(std::mem::replace(&mut seen, now));
                if differs && context.sink().notify_resource_list_changed().await.is_err() {
                    return Ok(());
                }
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
