//! What all connections of one server share.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::{Arc, Mutex, PoisonError};

use rmcp::model::{CacheScope, ErrorData};
use skills::provider::Provider;
use skills::provider::policy::{Caller, Guarded, Policy};
use tokio::sync::{Semaphore, watch};

use super::observe::Clients;
use super::publish::Published;
use super::room::Room;
use super::views::Views;
use super::{LeftOut, ServeError, ServeOptions};
use crate::limits::{CALLS_AT_ONCE, LISTENS};

/// The most warnings that are remembered, so that each is told once.
const WARNINGS: usize = 10_000;

/// What all connections of one server share.
pub(super) struct Shared {
    pub(super) provider: Arc<dyn Provider>,
    pub(super) policy: Option<Arc<dyn Policy>>,
    pub(super) page_size: usize,
    pub(super) changes: Option<watch::Receiver<u64>>,
    /// Whether the provider publishes entries, so that the extension is declared.
    pub(super) publishes: bool,
    /// Whether an answer is the same for every caller.
    pub(super) scope: CacheScope,
    pub(super) clients: Arc<Clients>,
    pub(super) published: Published,
    pub(super) calls: Arc<Semaphore>,
    pub(super) room: Room,
    pub(super) listens: Semaphore,
    pub(super) views: Views,
    left_out: Option<LeftOut>,
    /// The hashes of the warnings that were told.
    pub(super) warned: Mutex<HashSet<u64>>,
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
            room: Room::new(),
            listens: Semaphore::new(LISTENS),
            views: Views::default(),
            left_out: options.left_out.clone(),
            warned: Mutex::default(),
        })
    }

    /// The provider as this caller sees it.
    pub(super) fn seen_by(&self, caller: &Caller) -> Arc<dyn Provider> {
        let provider = Arc::clone(&self.provider);
        match &self.policy {
            Some(policy) => Arc::new(Guarded::new(provider, Arc::clone(policy), caller.clone())),
            None => provider,
        }
    }

    /// Runs what may block away from the async threads.
    pub(super) async fn away<T: Send + 'static>(
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

    /// The listed spelling of a URI that this caller may see; any other stays as it is.
    ///
    /// rmcp takes only answers to `skills/get` about the very URI that was asked for, and the URI
    /// of an entry is the listed one. So other spellings become that one before rmcp sees them.
    pub(super) async fn listed(&self, caller: &Caller, uri: String) -> Result<String, ErrorData> {
        if is_plain(&uri) {
            return Ok(uri);
        }
        let provider = self.seen_by(caller);
        self.away(move || provider.canonical(&uri).unwrap_or(uri)).await
    }

    /// Tells or logs each warning the first time.
    pub(super) fn warn(&self, warnings: &[String]) {
        if warnings.is_empty() {
            return;
        }
        let mut warned = self.warned.lock().unwrap_or_else(PoisonError::into_inner);
        for warning in warnings {
            let mut hasher = DefaultHasher::new();
            warning.hash(&mut hasher);
            if warned.len() < WARNINGS && warned.insert(hasher.finish()) {
                match &self.left_out {
                    Some(tell) => tell(warning),
                    None => tracing::warn!("{warning}"),
                }
            }
        }
    }
}

/// Whether there is no other spelling that could be the listed one: nothing in it is encoded, nor
/// would be.
fn is_plain(uri: &str) -> bool {
    let rest = uri.strip_prefix("skill://").unwrap_or(uri);
    rest.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte))
}
