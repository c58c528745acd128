//! What a server tells about its clients and their requests. Their names and URIs are their own
//! words: one line each, bounded, and never to be believed.

use std::collections::HashMap;
use std::fmt;
use std::net::IpAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};

pub use skills::provider::policy::Transport;

use crate::limits::{CLIENTS, NAME_CHARS, quoted, shorten};

/// A client without a connection of its own is there for this long after its last request.
pub(super) const VISIT: Duration = Duration::from_secs(60);

/// Is told of clients and requests. Every call has to be quick: the answer waits for it.
pub trait Observer: Send + Sync {
    /// A client came or went.
    fn client(&self, event: ClientEvent);

    /// A request was answered.
    fn request(&self, request: Served);

    /// A request over HTTP was turned away before anything was asked of the provider. Anybody who
    /// reaches the port can cause as many of these as they like.
    fn refused(&self, _request: Refused) {}
}

/// A client came or went.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ClientEvent {
    /// It came: by its connection or session, or, where its requests stand alone, by the first of
    /// them.
    Connected {
        /// The same for both of its events, and of no other client of this server.
        id: u64,
        /// The name of its token.
        identity: Option<String>,
        /// What it calls itself, on one line and bounded.
        client: Option<String>,
        /// How it is connected.
        transport: Transport,
    },
    /// It went, or asked nothing for a minute where its requests stand alone.
    Gone {
        /// As in [`ClientEvent::Connected`].
        id: u64,
    },
}

/// One answered request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Served {
    /// When it came.
    pub at: SystemTime,
    /// The name of the token it showed.
    pub identity: Option<String>,
    /// What the client calls itself, on one line and bounded.
    pub client: Option<String>,
    /// How it came.
    pub transport: Transport,
    /// As in `resources/read`.
    pub method: String,
    /// What it asked for, on one line and bounded.
    pub uri: Option<String>,
    /// The JSON-RPC code where it was refused.
    pub outcome: Result<(), i32>,
}

/// One request over HTTP that was turned away. No token is in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    /// When it came.
    pub at: SystemTime,
    /// Its `User-Agent`, on one line and bounded.
    pub client: Option<String>,
    /// As in `POST`.
    pub method: String,
    /// To what it was addressed, on one line and bounded, without a query.
    pub uri: String,
    /// Why, as it was answered.
    pub reason: String,
}

/// A client's own name on one line.
pub(super) fn client_name(name: &str) -> String {
    shorten(&quoted(name), NAME_CHARS)
}

/// The clients that are there.
pub(super) struct Clients {
    observer: Option<Arc<dyn Observer>>,
    next: AtomicU64,
    visitors: Mutex<HashMap<Visitor, Visit>>,
}

/// A client whose requests stand alone is known by these.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Visitor {
    pub(super) identity: Option<String>,
    pub(super) client: Option<String>,
    pub(super) address: Option<IpAddr>,
}

struct Visit {
    id: u64,
    last: Instant,
}

impl fmt::Debug for Clients {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Clients").finish_non_exhaustive()
    }
}

impl Clients {
    pub(super) fn new(observer: Option<Arc<dyn Observer>>) -> Self {
        Self { observer, next: AtomicU64::new(1), visitors: Mutex::default() }
    }

    /// Whether anybody is told.
    pub(super) fn observed(&self) -> bool {
        self.observer.is_some()
    }

    pub(super) fn served(&self, request: Served) {
        if let Some(observer) = &self.observer {
            observer.request(request);
        }
    }

    pub(super) fn refused(&self, request: Refused) {
        if let Some(observer) = &self.observer {
            observer.refused(request);
        }
    }

    /// A client with a connection or session of its own, there until the result is dropped.
    pub(super) fn connected(
        self: &Arc<Self>,
        identity: Option<String>,
        client: Option<String>,
        transport: Transport,
    ) -> Presence {
        let id = self.next_id();
        self.tell(ClientEvent::Connected { id, identity, client, transport });
        Presence { clients: Arc::clone(self), id }
    }

    /// A request that stands alone. When there are too many clients the longest quiet one goes.
    pub(super) fn visited(&self, visitor: Visitor, now: Instant) {
        let mut visitors = self.visitors();
        if let Some(visit) = visitors.get_mut(&visitor) {
            visit.last = now;
            return;
        }
        if visitors.len() >= CLIENTS {
            let quiet = visitors.iter().min_by_key(|(_, visit)| visit.last);
            if let Some(quiet) = quiet.map(|(visitor, _)| visitor.clone()) {
                self.leave(visitors.remove(&quiet));
            }
        }
        let id = self.next_id();
        self.tell(ClientEvent::Connected {
            id,
            identity: visitor.identity.clone(),
            client: visitor.client.clone(),
            transport: Transport::Http,
        });
        visitors.insert(visitor, Visit { id, last: now });
    }

    /// Those that asked nothing for [`VISIT`] are gone.
    pub(super) fn sweep(&self, now: Instant) {
        let mut visitors = self.visitors();
        let gone: Vec<_> = visitors
            .extract_if(|_, visit| now.saturating_duration_since(visit.last) >= VISIT)
            .collect();
        for (_, visit) in gone {
            self.leave(Some(visit));
        }
    }

    /// Nobody is served any more.
    pub(super) fn close(&self) {
        for (_, visit) in self.visitors().drain() {
            self.leave(Some(visit));
        }
    }

    fn leave(&self, visit: Option<Visit>) {
        if let Some(Visit { id, .. }) = visit {
            self.tell(ClientEvent::Gone { id });
        }
    }

    fn tell(&self, event: ClientEvent) {
        if let Some(observer) = &self.observer {
            observer.client(event);
        }
    }

    fn next_id(&self) -> u64 {
        self.next.fetch_add(1, Ordering::Relaxed)
    }

    fn visitors(&self) -> MutexGuard<'_, HashMap<Visitor, Visit>> {
        self.visitors.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A client is there as long as this is.
#[derive(Debug)]
pub(super) struct Presence {
    clients: Arc<Clients>,
    id: u64,
}

impl Drop for Presence {
    fn drop(&mut self) {
        self.clients.tell(ClientEvent::Gone { id: self.id });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Default)]
    struct Told(Mutex<Vec<ClientEvent>>);

    impl Observer for Told {
        fn client(&self, event: ClientEvent) {
            self.0.lock().unwrap().push(event);
        }

        fn request(&self, _: Served) {}
    }

    impl Told {
        /// The ids that came, and those that went as negative numbers.
        fn ids(&self) -> Vec<i64> {
            let mut events = self.0.lock().unwrap();
            events
                .drain(..)
                .map(|event| match event {
                    ClientEvent::Connected { id, .. } => i64::try_from(id).unwrap(),
                    ClientEvent::Gone { id } => -i64::try_from(id).unwrap(),
                })
                .collect()
        }
    }

    fn visitor(name: &str) -> Visitor {
        Visitor { identity: None, client: Some(name.to_owned()), address: None }
    }

    #[test]
    fn a_client_without_a_connection_is_gone_a_minute_after_its_last_request() {
        let told = Arc::new(Told::default());
        let clients = Clients::new(Some(Arc::clone(&told) as Arc<dyn Observer>));
        let start = Instant::now();
        let after = |seconds| start + Duration::from_secs(seconds);
        clients.visited(visitor("a"), start);
        clients.visited(visitor("b"), after(5));
        clients.visited(visitor("a"), after(30));
        assert_eq!(told.ids(), [1, 2]);
        clients.sweep(after(64));
        assert!(told.ids().is_empty());
        clients.sweep(after(65));
        assert_eq!(told.ids(), [-2]);
        clients.close();
        assert_eq!(told.ids(), [-1]);
    }

    #[test]
    fn the_longest_quiet_client_makes_room() {
        let told = Arc::new(Told::default());
        let clients = Clients::new(Some(Arc::clone(&told) as Arc<dyn Observer>));
        let start = Instant::now();
        for number in 0..CLIENTS {
            clients.visited(
                visitor(&number.to_string()),
                start + Duration::from_millis(number as u64),
            );
        }
        told.ids();
        clients.visited(visitor("one more"), start + Duration::from_secs(50));
        assert_eq!(told.ids(), [-1, CLIENTS as i64 + 1]);
    }

    #[test]
    fn a_connection_is_there_until_it_is_dropped() {
        let told = Arc::new(Told::default());
        let clients = Arc::new(Clients::new(Some(Arc::clone(&told) as Arc<dyn Observer>)));
        let presence = clients.connected(None, None, Transport::Stdio);
        assert_eq!(told.ids(), [1]);
        drop(presence);
        assert_eq!(told.ids(), [-1]);
    }

    #[test]
    fn a_name_is_one_bounded_line() {
        let name = client_name(&format!("evil\r\n\u{1b}[2J{}", "x".repeat(5000)));
        assert!(name.starts_with("evil [2Jxxx"), "{name}");
        assert_eq!(name.chars().count(), 257);
    }
}
