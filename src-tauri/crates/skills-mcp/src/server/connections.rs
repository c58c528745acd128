//! A bounded number of HTTP connections. When all are taken, one that waits for nothing makes room,
//! so that idle and half-open connections cannot keep others out.

use std::collections::HashMap;
use std::convert::Infallible;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use http_body_util::combinators::BoxBody;
use hyper::body::{Body, Bytes, Frame, SizeHint};
use tokio_util::sync::CancellationToken;

/// A connection with an answer of which nothing was taken for this long may make room too. Open
/// streams carry something every 15 seconds.
const STALLED: Duration = Duration::from_secs(60);

pub(super) struct Connections {
    most: usize,
    open: Mutex<Open>,
}

#[derive(Default)]
struct Open {
    next: u64,
    connections: HashMap<u64, State>,
}

struct State {
    /// Requests that are being answered.
    busy: usize,
    /// Whether it ever sent a request that was let in.
    asked: bool,
    /// When something last happened.
    last: Instant,
    close: CancellationToken,
}

impl Connections {
    pub(super) fn new(most: usize) -> Arc<Self> {
        Arc::new(Self { most, open: Mutex::default() })
    }

    /// Takes a new connection in; `None` when all others are at work.
    pub(super) fn admit(self: &Arc<Self>, now: Instant) -> Option<Connection> {
        let mut open = self.open();
        if open.connections.len() >= self.most && !open.make_room(now) {
            return None;
        }
        let id = open.next;
        open.next += 1;
        let close = CancellationToken::new();
        let state = State { busy: 0, asked: false, last: now, close: close.clone() };
        open.connections.insert(id, state);
        Some(Connection { all: Arc::clone(self), id, close })
    }

    /// Closes one that can be spared.
    pub(super) fn make_room(&self, now: Instant) {
        self.open().make_room(now);
    }

    fn open(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change(&self, id: u64, change: impl FnOnce(&mut State)) {
        if let Some(state) = self.open().connections.get_mut(&id) {
            change(state);
        }
    }
}

impl Open {
    /// First one that never asked anything, then an idle one, then a stalled one; of each kind the
    /// longest quiet.
    fn make_room(&mut self, now: Instant) -> bool {
        let spared = self
            .connections
            .iter()
            .filter(|(_, state)| {
                state.busy == 0 || now.saturating_duration_since(state.last) >= STALLED
            })
            .min_by_key(|(_, state)| (state.busy > 0, state.asked, state.last))
            .map(|(id, _)| *id);
        match spared.and_then(|id| self.connections.remove(&id)) {
            Some(state) => {
                state.close.cancel();
                true
            }
            None => false,
        }
    }
}

/// One connection, counted until it is dropped.
pub(super) struct Connection {
    all: Arc<Connections>,
    id: u64,
    close: CancellationToken,
}

impl Connection {
    /// Ends when the connection has to make room.
    pub(super) async fn spared(&self) {
        self.close.cancelled().await;
    }

    /// A request was let in; it is at work until the result is dropped.
    pub(super) fn at_work(self: &Arc<Self>) -> Work {
        self.all.change(self.id, |state| {
            state.busy += 1;
            state.asked = true;
            state.last = Instant::now();
        });
        Work(Arc::clone(self))
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.all.open().connections.remove(&self.id);
    }
}

/// A request that is being answered.
pub(super) struct Work(Arc<Connection>);

impl Work {
    fn goes_on(&self) {
        self.0.all.change(self.0.id, |state| state.last = Instant::now());
    }
}

impl Drop for Work {
    fn drop(&mut self) {
        self.0.all.change(self.0.id, |state| {
            state.busy = state.busy.saturating_sub(1);
            state.last = Instant::now();
        });
    }
}

/// An answer's body. Its request is at work until all of it was taken.
pub(super) struct Answer {
    body: BoxBody<Bytes, Infallible>,
    work: Option<Work>,
}

impl Answer {
    pub(super) fn new(body: BoxBody<Bytes, Infallible>, work: Option<Work>) -> Self {
        Self { body, work }
    }
}

impl Body for Answer {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let polled = Pin::new(&mut self.body).poll_frame(context);
        if let (Poll::Ready(_), Some(work)) = (&polled, &self.work) {
            work.goes_on();
        }
        polled
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_quiet_connection_that_never_asked_makes_room_first() {
        let all = Connections::new(3);
        let start = Instant::now();
        let after = |seconds| start + Duration::from_secs(seconds);
        let used = Arc::new(all.admit(start).unwrap());
        drop(used.at_work());
        let (first, second) = (all.admit(after(1)).unwrap(), all.admit(after(2)).unwrap());
        let third = all.admit(after(3)).unwrap();
        assert!(first.close.is_cancelled());
        assert!(!second.close.is_cancelled() && !used.close.is_cancelled());
        let fourth = all.admit(after(4)).unwrap();
        assert!(second.close.is_cancelled() && !used.close.is_cancelled());
        drop((third, fourth));
        assert_eq!(all.open().connections.len(), 1);
    }

    #[test]
    fn a_connection_at_work_makes_no_room_until_it_stalls() {
        let all = Connections::new(1);
        let now = Instant::now();
        let only = Arc::new(all.admit(now).unwrap());
        let work = only.at_work();
        assert!(all.admit(now).is_none());
        assert!(all.admit(now + STALLED + Duration::from_secs(1)).is_some());
        assert!(only.close.is_cancelled());
        drop(work);
    }
}
