//! What is shared follows the disk: folders that come and go, too, and nobody is cut off by it.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError, RwLock, Weak};

use skills::entry::Entry;
use skills::provider::{Content, Entries, Listing, Mark, Place, Provider, ReadError, Resource};
use skills::watch::{Watch, watch_folders};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use vault::settings::Sharing as Settings;

use super::Parts;
use super::publishing::provider;

/// Looks in a row when each finds other places than the one before.
const MAX_LOOKS: usize = 4;

/// Follows the disk during one run.
pub(super) struct Following {
    parts: Weak<Parts>,
    pub(super) settings: Settings,
    live: Arc<Live>,
    /// Where what is shared lies, as it was seen last; held while it is looked at.
    places: Mutex<Vec<Place>>,
    grow: watch::Sender<u64>,
    watch: Mutex<Option<Watch>>,
    stop: CancellationToken,
}

impl fmt::Debug for Following {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Following").field("settings", &self.settings).finish_non_exhaustive()
    }
}

impl Following {
    /// Looks at the places and begins to watch. What is given grows with each change; without a
    /// watcher nobody is told of any.
    pub(super) fn begin(
        parts: &Arc<Parts>,
        settings: Settings,
        stop: CancellationToken,
    ) -> (Arc<Self>, Option<watch::Receiver<u64>>) {
        let places = parts.places(&settings);
        let (grow, changes) = watch::channel(0);
        let following = Arc::new(Self {
            parts: Arc::downgrade(parts),
            live: Arc::new(Live(RwLock::new(provider(&settings, places.clone())))),
            settings,
            places: Mutex::default(),
            grow,
            watch: Mutex::default(),
            stop,
        });
        let watches = following.watch(parts, &places);
        *following.places.lock().unwrap_or_else(PoisonError::into_inner) = places;
        (following, watches.then_some(changes))
    }

    /// What is shared, now and later.
    pub(super) fn provider(&self) -> Arc<dyn Provider> {
        Arc::clone(&self.live) as Arc<dyn Provider>
    }

    /// Looks whether the places are others now, and shares what is in those.
    pub(super) fn look(self: &Arc<Self>) {
        let Some(parts) = self.parts.upgrade() else { return };
        if self.stop.is_cancelled() {
            return;
        }
        // Ending a watch waits for what it tells at the moment, which comes here.
        let mut ended = Vec::new();
        {
            let mut known = self.places.lock().unwrap_or_else(PoisonError::into_inner);
            for _ in 0..MAX_LOOKS {
                let places = parts.places(&self.settings);
                if *known == places {
                    break;
                }
                self.live.become_another(provider(&self.settings, places.clone()));
                ended.push(self.take_watch());
                self.watch(&parts, &places);
                *known = places;
            }
        }
        if !ended.is_empty() {
            self.tell(&parts);
        }
    }

    fn changed(self: &Arc<Self>) {
        self.look();
        if let Some(parts) = self.parts.upgrade() {
            self.tell(&parts);
        }
    }

    fn tell(&self, parts: &Arc<Parts>) {
        self.grow.send_modify(|count| *count += 1);
        parts.look(&self.stop, self.live.as_ref());
    }

    fn take_watch(&self) -> Option<Watch> {
        self.watch.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    fn watch(self: &Arc<Self>, parts: &Parts, places: &[Place]) -> bool {
        let following = Arc::downgrade(self);
        let changed = move || {
            if let Some(following) = following.upgrade() {
                following.changed();
            }
        };
        match watch_folders(parts.watched(&self.settings, places), changed) {
            Ok(watch) => {
                *self.watch.lock().unwrap_or_else(PoisonError::into_inner) = Some(watch);
                true
            }
            Err(error) => {
                tracing::warn!(%error, "clients are not told of changes");
                false
            }
        }
    }
}

/// A provider in place of which there may be another one at any time.
struct Live(RwLock<Arc<dyn Provider>>);

impl Live {
    fn now(&self) -> Arc<dyn Provider> {
        Arc::clone(&self.0.read().unwrap_or_else(PoisonError::into_inner))
    }

    fn become_another(&self, provider: Arc<dyn Provider>) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = provider;
    }
}

impl Provider for Live {
    fn list(&self) -> Listing {
        self.now().list()
    }

    fn read(&self, uri: &str) -> Result<Content, ReadError> {
        self.now().read(uri)
    }

    fn read_within(&self, uri: &str, most: u64) -> Result<Content, ReadError> {
        self.now().read_within(uri, most)
    }

    fn entries(&self) -> Option<Entries> {
        self.now().entries()
    }

    fn entry(&self, uri: &str) -> Option<Arc<Entry>> {
        self.now().entry(uri)
    }

    fn publishes(&self) -> bool {
        self.now().publishes()
    }

    fn directory(&self, uri: &str) -> Option<Vec<Resource>> {
        self.now().directory(uri)
    }

    fn canonical(&self, uri: &str) -> Option<String> {
        self.now().canonical(uri)
    }

    fn mark(&self, uri: &str) -> Option<Mark> {
        self.now().mark(uri)
    }
}
