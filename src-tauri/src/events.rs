//! The one place that tells the page that something changed.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::view::{Changed, Scope};

/// The name of the event; its payload is a [`Changed`].
pub const CHANGED: &str = "changed";

/// Counts changes and tells of each. Replies carry the count as their revision, so that the page
/// can drop those that are out of date.
pub struct Events {
    tell: OnceLock<Box<dyn Fn(Changed) + Send + Sync>>,
    library: AtomicU64,
    servers: AtomicU64,
    activity: AtomicU64,
    sharing: AtomicU64,
}

impl Events {
    /// Nobody listens yet.
    pub fn new() -> Self {
        Self {
            tell: OnceLock::new(),
            library: AtomicU64::new(1),
            servers: AtomicU64::new(1),
            activity: AtomicU64::new(1),
            sharing: AtomicU64::new(1),
        }
    }

    /// `tell` is called for each change from now on, from any thread. The first call decides.
    pub fn tell_with(&self, tell: impl Fn(Changed) + Send + Sync + 'static) {
        if self.tell.set(Box::new(tell)).is_err() {
            tracing::warn!("events are told to somebody already");
        }
    }

    /// Tells that this part is out of date.
    pub fn changed(&self, what: Scope) {
        let revision = self.count(what).fetch_add(1, Ordering::SeqCst) + 1;
        if let Some(tell) = self.tell.get() {
            tell(Changed { what, revision });
        }
    }

    /// The revision of a reply. To be read before the reply is worked out: a change that comes
    /// meanwhile then makes it out of date.
    pub fn revision(&self, what: Scope) -> u64 {
        self.count(what).load(Ordering::SeqCst)
    }

    fn count(&self, what: Scope) -> &AtomicU64 {
        match what {
            Scope::Library => &self.library,
            Scope::Servers => &self.servers,
            Scope::Activity => &self.activity,
            Scope::Sharing => &self.sharing,
        }
    }
}

impl Default for Events {
    fn default() -> Self {
        Self::new()
    }
}

impl std::fmt::Debug for Events {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Events").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    #[test]
    fn each_part_counts_by_itself() {
        let (send, told) = mpsc::channel();
        let events = Events::new();
        events.tell_with(move |changed| send.send(changed).unwrap());
        events.changed(Scope::Library);
        events.changed(Scope::Servers);
        events.changed(Scope::Servers);
        assert_eq!(
            told.try_iter().collect::<Vec<_>>(),
            [
                Changed { what: Scope::Library, revision: 2 },
                Changed { what: Scope::Servers, revision: 2 },
                Changed { what: Scope::Servers, revision: 3 },
            ]
        );
        assert_eq!(events.revision(Scope::Activity), 1);
    }
}
