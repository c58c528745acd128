//! Who uses what is shared, and what was asked last. All of it is text of strangers.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, SystemTime};

use jiff::Timestamp;
use skills_mcp::server::{ClientEvent, Observer, Refused, Served};

use super::Parts;
use crate::render::in_one_line;
use crate::view::{SharingClient, SharingRequest};

/// How many requests are remembered.
const REQUESTS: usize = 100;
/// How many of them may be of those that were turned away.
const REFUSED: usize = 20;
/// How many programs are told apart.
const CLIENTS: usize = 50;
/// A program that is not connected is shown for so long after its last request.
pub(super) const SHOWN: Duration = Duration::from_secs(60);
/// Characters of a text of a stranger.
const LONGEST: usize = 300;

/// What is remembered of one run.
#[derive(Debug, Default)]
pub(super) struct Clients(Mutex<Remembered>);

#[derive(Debug, Default)]
struct Remembered {
    /// By what they call themselves.
    clients: BTreeMap<String, Client>,
    /// Oldest first.
    requests: VecDeque<SharingRequest>,
}

#[derive(Debug)]
struct Client {
    since: SystemTime,
    last: SystemTime,
    requests: u64,
    /// Connections that are open.
    open: BTreeSet<u64>,
}

impl Client {
    fn is_here(&self, now: SystemTime) -> bool {
        !self.open.is_empty() || now.duration_since(self.last).is_ok_and(|ago| ago < SHOWN)
    }
}

impl Clients {
    fn remembered(&self) -> MutexGuard<'_, Remembered> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A run begins: nobody is connected, what was asked before stays.
    pub(super) fn begin(&self) {
        self.remembered().clients.clear();
    }

    /// A run ended: nobody is connected any more.
    pub(super) fn end(&self) {
        self.begin();
    }

    /// Who is there now, newest first, and what was asked, newest first.
    pub(super) fn view(&self) -> (Vec<SharingClient>, Vec<SharingRequest>) {
        let now = SystemTime::now();
        let mut remembered = self.remembered();
        remembered.clients.retain(|_, client| client.is_here(now));
        let mut clients: Vec<(&String, &Client)> = remembered.clients.iter().collect();
        clients.sort_by_key(|(_, client)| std::cmp::Reverse(client.last));
        let clients = clients.into_iter().map(|(name, client)| SharingClient {
            id: name.clone(),
            name: name.clone(),
            since: written(client.since),
            last: written(client.last),
            requests: client.requests,
        });
        (clients.collect(), remembered.requests.iter().rev().cloned().collect())
    }

    fn served(&self, request: Served) {
        let name = harmless(request.client.as_deref().unwrap_or_default());
        let mut remembered = self.remembered();
        let client = remembered.client(&name, request.at);
        client.last = request.at;
        client.requests += 1;
        remembered.request(SharingRequest {
            at: written(request.at),
            client: name,
            method: harmless(&request.method),
            uri: request.uri.as_deref().map(harmless),
            error: request.outcome.err(),
            refused: None,
        });
    }

    /// Whoever is turned away is no client. The same again takes the place of the one before:
    /// nobody who may not ask can make what others asked be forgotten by trying often.
    fn refused(&self, request: Refused) {
        let request = SharingRequest {
            at: written(request.at),
            client: harmless(request.client.as_deref().unwrap_or_default()),
            method: harmless(&request.method),
            uri: Some(harmless(&request.uri)),
            error: None,
            refused: Some(harmless(&request.reason)),
        };
        let mut remembered = self.remembered();
        let is_same = |known: &SharingRequest| {
            let with_time = SharingRequest { at: request.at.clone(), ..known.clone() };
            with_time == request
        };
        remembered.requests.retain(|known| known.refused.is_none() || !is_same(known));
        let refused = |known: &&SharingRequest| known.refused.is_some();
        if remembered.requests.iter().filter(refused).count() >= REFUSED {
            let oldest = remembered.requests.iter().position(|known| known.refused.is_some());
            oldest.and_then(|oldest| remembered.requests.remove(oldest));
        }
        remembered.request(request);
    }

    fn event(&self, event: ClientEvent) {
        let mut remembered = self.remembered();
        match event {
            ClientEvent::Connected { id, client, .. } => {
                let name = harmless(client.as_deref().unwrap_or_default());
                remembered.client(&name, SystemTime::now()).open.insert(id);
            }
            ClientEvent::Gone { id } => {
                for client in remembered.clients.values_mut() {
                    client.open.remove(&id);
                }
            }
        }
    }
}

impl Remembered {
    fn request(&mut self, request: SharingRequest) {
        if self.requests.len() >= REQUESTS {
            self.requests.pop_front();
        }
        self.requests.push_back(request);
    }

    /// The client of this name; of too many the one that was quiet longest is forgotten.
    fn client(&mut self, name: &str, at: SystemTime) -> &mut Client {
        if self.clients.len() >= CLIENTS && !self.clients.contains_key(name) {
            let quiet = self.clients.iter().min_by_key(|(_, client)| client.last);
            if let Some(quiet) = quiet.map(|(name, _)| name.clone()) {
                self.clients.remove(&quiet);
            }
        }
        self.clients.entry(name.to_owned()).or_insert_with(|| Client {
            since: at,
            last: at,
            requests: 0,
            open: BTreeSet::new(),
        })
    }
}

/// A text of a stranger, in one line and not endless.
fn harmless(text: &str) -> String {
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", in_one_line(&text[..end])),
        None => in_one_line(text),
    }
}

/// In RFC 3339.
fn written(time: SystemTime) -> String {
    Timestamp::try_from(time).unwrap_or(Timestamp::UNIX_EPOCH).to_string()
}

/// Sees what the server does, as long as there is somebody to tell.
pub(super) struct Seer(pub(super) Weak<Parts>);

impl Observer for Seer {
    fn client(&self, event: ClientEvent) {
        if let Some(parts) = self.0.upgrade() {
            parts.clients.event(event);
            parts.tell_soon();
        }
    }

    fn request(&self, request: Served) {
        if let Some(parts) = self.0.upgrade() {
            parts.clients.served(request);
            parts.tell_soon();
        }
    }

    fn refused(&self, request: Refused) {
        if let Some(parts) = self.0.upgrade() {
            parts.clients.refused(request);
            parts.tell_soon();
        }
    }
}

#[cfg(test)]
mod tests {
    use skills::provider::policy::Transport;

    use super::*;

    fn served(client: &str, method: &str, at: SystemTime) -> Served {
        Served {
            at,
            identity: None,
            client: Some(client.to_owned()),
            transport: Transport::Http,
            method: method.to_owned(),
            uri: Some("skill://a\u{202e}/SKILL.md".to_owned()),
            outcome: Err(-32602),
        }
    }

    #[test]
    fn the_newest_request_comes_first_and_old_ones_are_forgotten() {
        let (clients, now) = (Clients::default(), SystemTime::now());
        for at in 0..REQUESTS + 3 {
            clients.served(served("x", &format!("m{at}"), now));
        }
        let (seen, requests) = clients.view();
        assert_eq!((seen.len(), seen[0].requests), (1, 103));
        assert_eq!(requests.len(), 100);
        assert_eq!((requests[0].method.as_str(), requests[99].method.as_str()), ("m102", "m3"));
        assert_eq!(requests[0].error, Some(-32602));
    }

    #[test]
    fn who_is_turned_away_shows_once_for_each_reason_and_hides_no_others() {
        let (clients, now) = (Clients::default(), SystemTime::now());
        let refused = |uri: &str| Refused {
            at: now,
            client: Some("curl/8\u{202e}".to_owned()),
            method: "POST".to_owned(),
            uri: uri.to_owned(),
            reason: "a token is needed".to_owned(),
        };
        for at in 0..90 {
            clients.served(served("x", &format!("m{at}"), now));
        }
        for at in 0..300 {
            clients.refused(refused("http://127.0.0.1/mcp"));
            clients.refused(refused(&format!("http://127.0.0.1/{at}")));
        }
        let (seen, requests) = clients.view();
        assert_eq!(seen.len(), 1, "whoever is turned away is no client");
        assert_eq!(requests.iter().filter(|one| one.refused.is_some()).count(), 20);
        assert_eq!(requests.iter().filter(|one| one.refused.is_none()).count(), 80);
        assert_eq!(requests[0].uri.as_deref(), Some("http://127.0.0.1/299"));
        assert_eq!(requests[1].client, "curl/8⟨U+202E⟩");
        assert_eq!(requests[1].refused.as_deref(), Some("a token is needed"));
    }

    #[test]
    fn what_strangers_write_is_harmless() {
        let clients = Clients::default();
        clients.served(served("a\nb\u{200b}", &"m".repeat(1000), SystemTime::now()));
        let (seen, requests) = clients.view();
        assert_eq!(seen[0].name, "a⟨U+000A⟩b⟨U+200B⟩");
        assert_eq!(requests[0].uri.as_deref(), Some("skill://a⟨U+202E⟩/SKILL.md"));
        assert_eq!(requests[0].method.chars().count(), 301);
    }

    #[test]
    fn a_client_is_shown_while_it_is_connected_and_a_minute_after_its_last_request() {
        let clients = Clients::default();
        let long_ago = SystemTime::now() - Duration::from_secs(61);
        clients.served(served("quiet", "m", long_ago));
        assert_eq!(clients.view().0, []);
        let connected = |id, name: &str| ClientEvent::Connected {
            id,
            identity: None,
            client: Some(name.to_owned()),
            transport: Transport::Http,
        };
        clients.event(connected(7, "open"));
        clients.served(served("open", "m", long_ago));
        assert_eq!(clients.view().0.len(), 1);
        clients.event(ClientEvent::Gone { id: 7 });
        assert_eq!(clients.view().0, []);
    }

    #[test]
    fn endless_names_do_not_pile_up() {
        let clients = Clients::default();
        let now = SystemTime::now();
        for at in 0..200 {
            clients.served(served(&format!("c{at}"), "m", now + Duration::from_secs(at)));
        }
        assert_eq!(clients.remembered().clients.len(), CLIENTS);
    }
}
