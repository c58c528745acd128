//! Who is told when a resource changes. What changed is found by comparing marks, so that a change
//! of one file is told to those who asked for that file.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use skills::provider::{Mark, Provider};
use tokio::sync::watch;

use crate::limits::SUBSCRIPTIONS;

/// What one client subscribed to, each as that client sees it.
#[derive(Default)]
pub(super) struct Subscriptions {
    marks: Mutex<HashMap<String, Subscribed>>,
}

struct Subscribed {
    provider: Arc<dyn Provider>,
    mark: Option<Mark>,
}

/// Why nothing was subscribed to.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Refused {
    /// There is no such resource for this client.
    NotFound,
    /// The client has as many as it may.
    TooMany,
}

impl Subscriptions {
    /// Those of `subscriptions/listen`. What is not there is told of when it comes. The marks were
    /// taken before it was known who asks, of all that there is: where nothing was written since,
    /// what this client sees of it counts, and what it may not see is taken as not there. May block.
    pub(super) fn listening(
        provider: &Arc<dyn Provider>,
        all: &dyn Provider,
        marks: impl IntoIterator<Item = (String, Option<Mark>)>,
    ) -> Self {
        let marks = marks
            .into_iter()
            .map(|(uri, mark)| {
                let mark = match provider.mark(&uri) {
                    Some(seen) if all.mark(&uri) == mark => Some(seen),
                    Some(_) => mark,
                    None => None,
                };
                (uri, Subscribed { provider: Arc::clone(provider), mark })
            })
            .collect();
        Self { marks: Mutex::new(marks) }
    }

    /// Looks at the resource; may block.
    pub(super) fn add(&self, uri: &str, provider: Arc<dyn Provider>) -> Result<(), Refused> {
        let mark = Some(provider.mark(uri).ok_or(Refused::NotFound)?);
        let mut marks = self.marks();
        let full = marks.len() >= SUBSCRIPTIONS;
        match marks.entry(uri.to_owned()) {
            // Subscribed already: what changed since then is still to be told.
            Entry::Occupied(_) => Ok(()),
            Entry::Vacant(_) if full => Err(Refused::TooMany),
            Entry::Vacant(free) => {
                free.insert(Subscribed { provider, mark });
                Ok(())
            }
        }
    }

    pub(super) fn remove(&self, uri: &str) {
        self.marks().remove(uri);
    }

    /// The URIs of the resources that changed, came or went since the last look; may block.
    pub(super) fn changed(&self) -> Vec<String> {
        let looked_at: Vec<(String, Arc<dyn Provider>)> = self
            .marks()
            .iter()
            .map(|(uri, subscribed)| (uri.clone(), Arc::clone(&subscribed.provider)))
            .collect();
        let mut changed = Vec::new();
        for (uri, provider) in looked_at {
            let now = provider.mark(&uri);
            if let Some(subscribed) = self.marks().get_mut(&uri)
                && subscribed.mark != now
            {
                subscribed.mark = now;
                changed.push(uri);
            }
        }
        changed.sort_unstable();
        changed
    }

    fn marks(&self) -> MutexGuard<'_, HashMap<String, Subscribed>> {
        self.marks.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What was taken before a `subscriptions/listen` was acknowledged: what is written after the
/// acknowledgement must be told of, however soon it is.
#[derive(Default)]
pub(super) struct Before {
    taken: Mutex<Vec<Marks>>,
    feeds: Mutex<VecDeque<watch::Receiver<u64>>>,
}

/// The marks of some URIs, each with its own.
type Marks = (Vec<String>, Vec<Option<Mark>>);

/// The most that are kept: more are never between the two calls.
const KEPT: usize = 64;

impl Before {
    /// Changes from now on.
    pub(super) fn follow(&self, feed: watch::Receiver<u64>) {
        let mut feeds = self.feeds.lock().unwrap_or_else(PoisonError::into_inner);
        feeds.truncate(KEPT);
        feeds.push_back(feed);
    }

    /// Changes since before the one that listens was acknowledged, or longer.
    pub(super) fn feed(&self) -> Option<watch::Receiver<u64>> {
        self.feeds.lock().unwrap_or_else(PoisonError::into_inner).pop_front()
    }

    pub(super) fn take(&self, provider: &dyn Provider, uris: &[String]) {
        let marks = uris.iter().map(|uri| provider.mark(uri)).collect();
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        if taken.len() >= KEPT {
            taken.remove(0);
        }
        taken.push((uris.to_vec(), marks));
    }

    /// The marks of these URIs, for the one that listens.
    pub(super) fn give(&self, uris: &[String]) -> Vec<(String, Option<Mark>)> {
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        let at = taken.iter().position(|(of, _)| uris.iter().all(|uri| of.contains(uri)));
        let Some((of, marks)) = at.map(|at| taken.remove(at)) else { return Vec::new() };
        of.into_iter().zip(marks).filter(|(uri, _)| uris.contains(uri)).collect()
    }
}

#[cfg(test)]
mod tests {
    use skills::provider::{Content, Entries, Listing, ReadError};

    use super::*;

    struct Files(Mutex<HashMap<String, u8>>);

    impl Provider for Files {
        fn list(&self) -> Listing {
            Listing::default()
        }

        fn read(&self, uri: &str) -> Result<Content, ReadError> {
            let files = self.0.lock().unwrap();
            let byte = files.get(uri).ok_or_else(|| ReadError::NotFound(uri.to_owned()))?;
            Ok(Content { bytes: vec![*byte], mime_type: "text/plain" })
        }

        fn entries(&self) -> Option<Entries> {
            None
        }
    }

    fn files() -> Arc<Files> {
        let files = ["a", "b"].map(|name| (name.to_owned(), 1));
        Arc::new(Files(Mutex::new(files.into())))
    }

    #[test]
    fn only_what_changed_came_or_went_is_told_and_once() {
        let files = files();
        let subscriptions = Subscriptions::default();
        for uri in ["a", "b"] {
            subscriptions.add(uri, Arc::clone(&files) as Arc<dyn Provider>).unwrap();
        }
        assert_eq!(subscriptions.changed(), Vec::<String>::new());
        files.0.lock().unwrap().insert("b".to_owned(), 2);
        assert_eq!(subscriptions.changed(), ["b"]);
        assert_eq!(subscriptions.changed(), Vec::<String>::new());
        files.0.lock().unwrap().remove("a");
        assert_eq!(subscriptions.changed(), ["a"]);
        files.0.lock().unwrap().insert("a".to_owned(), 1);
        assert_eq!(subscriptions.changed(), ["a"]);
        subscriptions.remove("a");
        files.0.lock().unwrap().clear();
        assert_eq!(subscriptions.changed(), ["b"]);
    }

    #[test]
    fn what_is_not_there_and_too_many_are_refused() {
        let files = files();
        let subscriptions = Subscriptions::default();
        let add = |uri: &str| subscriptions.add(uri, Arc::clone(&files) as Arc<dyn Provider>);
        assert_eq!(add("c"), Err(Refused::NotFound));
        for number in 0..=SUBSCRIPTIONS {
            files.0.lock().unwrap().insert(number.to_string(), 0);
        }
        for number in 0..SUBSCRIPTIONS {
            assert_eq!(add(&number.to_string()), Ok(()));
        }
        assert_eq!(add(&SUBSCRIPTIONS.to_string()), Err(Refused::TooMany));
        assert_eq!(add("0"), Ok(()));
    }

    #[test]
    fn what_is_written_between_the_acknowledgement_and_the_listening_is_told() {
        let files = files();
        let before = Before::default();
        let uris = ["a".to_owned(), "b".to_owned()];
        before.take(files.as_ref(), &uris);
        files.0.lock().unwrap().insert("a".to_owned(), 2);
        let provider = Arc::clone(&files) as Arc<dyn Provider>;
        let subscriptions = Subscriptions::listening(&provider, files.as_ref(), before.give(&uris));
        assert_eq!(subscriptions.changed(), ["a"]);
        assert_eq!(before.give(&uris), []);
    }
}
