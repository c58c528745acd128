//! How many bytes of files are in memory at once, from when they are read until they are sent.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};

use http::Response;
use http::request::Parts;
use http_body_util::BodyExt as _;
use hyper::body::{Bytes, Frame, SizeHint};
use rmcp::model::{ErrorData, Extensions};
use skills::provider::{Content, Provider, ReadError};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::answers::unread;
use super::replies::Body;
use super::shared::Shared;
use crate::limits::{READ_BYTES, SMALL_FILE_BYTES};

/// What a permit of the room stands for, in bytes.
const UNIT: u64 = 1024;

/// Bytes that are given to a connection at once.
const PIECE: usize = 64 * 1024;

/// How often a file may grow while room is made for it.
const ATTEMPTS: usize = 3;

/// The room for the bytes of files that are read for all clients together.
pub(super) struct Room(Arc<Semaphore>);

impl Room {
    pub(super) fn new() -> Self {
        Self(Arc::new(Semaphore::new(permits(READ_BYTES) as usize)))
    }

    /// Waits for room for so many bytes. What is larger than all of it has all of it.
    async fn take(&self, bytes: u64) -> Option<OwnedSemaphorePermit> {
        let permits = permits(bytes.min(READ_BYTES));
        Arc::clone(&self.0).acquire_many_owned(permits).await.ok()
    }
}

fn permits(bytes: u64) -> u32 {
    u32::try_from(bytes.div_ceil(UNIT)).unwrap_or(u32::MAX)
}

impl Shared {
    /// Reads a file when there is room for it, and makes of it what `use_it` does. Whoever waits
    /// for room waits outside of the calls of the provider, so that small files pass large ones.
    pub(super) async fn read<T: Send + 'static>(
        &self,
        provider: Arc<dyn Provider>,
        uri: String,
        use_it: fn(Content, String) -> T,
    ) -> Result<(T, Option<OwnedSemaphorePermit>), ErrorData> {
        let (mut most, mut held) = (SMALL_FILE_BYTES, None);
        for _ in 0..ATTEMPTS {
            let (provider, uri) = (Arc::clone(&provider), uri.clone());
            // Encoding a large file takes a while too.
            let read = move || provider.read_within(&uri, most).map(|read| use_it(read, uri));
            match self.away(read).await? {
                Ok(used) => return Ok((used, held)),
                Err(ReadError::Larger { size, .. }) => {
                    drop(held.take());
                    held = self.room.take(size).await;
                    most = size;
                }
                Err(error) => return Err(unread(&error)),
            }
        }
        Err(unread(&ReadError::Larger { uri, size: most }))
    }
}

/// The room that one answer takes, beside its request: it is given back when the answer was sent.
#[derive(Debug, Clone, Default)]
pub(super) struct Held(Arc<Mutex<Vec<OwnedSemaphorePermit>>>);

impl Held {
    /// Holds the room until the answer to this request was sent, where that is known: a stream of
    /// one client gives it back with the answer.
    pub(super) fn until_sent(extensions: &Extensions, room: Option<OwnedSemaphorePermit>) {
        let held = extensions.get::<Parts>().and_then(|parts| parts.extensions.get::<Self>());
        if let Some((held, room)) = held.zip(room) {
            held.0.lock().unwrap_or_else(PoisonError::into_inner).push(room);
        }
    }

    /// The answer, which holds the room until its last piece was taken.
    pub(super) fn by(self, response: Response<Body>) -> Response<Body> {
        response.map(|body| Piecewise { body, rest: Bytes::new(), _held: self }.boxed())
    }
}

/// A body in pieces: one that were given away whole would be gone before it was sent.
struct Piecewise {
    body: Body,
    /// What is left of the last frame.
    rest: Bytes,
    _held: Held,
}

impl hyper::body::Body for Piecewise {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        if self.rest.is_empty() {
            match Pin::new(&mut self.body).poll_frame(context) {
                Poll::Ready(Some(Ok(frame))) => match frame.into_data() {
                    Ok(data) => self.rest = data,
                    Err(trailers) => return Poll::Ready(Some(Ok(trailers))),
                },
                other => return other,
            }
        }
        let piece = self.rest.len().min(PIECE);
        Poll::Ready(Some(Ok(Frame::data(self.rest.split_to(piece)))))
    }

    fn is_end_stream(&self) -> bool {
        self.rest.is_empty() && self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        let (of_body, rest) = (self.body.size_hint(), self.rest.len() as u64);
        let mut hint = SizeHint::new();
        if let Some(upper) = of_body.upper() {
            hint.set_upper(upper + rest);
        }
        hint.set_lower(of_body.lower() + rest);
        hint
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use http_body_util::Full;
    use hyper::body::Body as _;

    impl Room {
        fn free(&self) -> usize {
            self.0.available_permits()
        }
    }

    #[tokio::test]
    async fn a_file_takes_room_by_its_size_and_none_more_than_there_is() {
        let room = Room::new();
        assert_eq!(room.free(), 256 * 1024);
        let small = room.take(1).await;
        assert_eq!(room.free(), 256 * 1024 - 1);
        let large = room.take(100 * 1024 * 1024).await;
        assert_eq!(room.free(), 156 * 1024 - 1);
        drop((small, large));
        let all = room.take(u64::MAX).await;
        assert_eq!(room.free(), 0);
        drop(all);
        assert_eq!(room.free(), 256 * 1024);
    }

    #[tokio::test]
    async fn room_is_given_back_when_the_answer_is_gone() {
        let room = Room::new();
        let held = Held::default();
        let mut parts = http::Request::new(()).into_parts().0;
        parts.extensions.insert(held.clone());
        let mut extensions = Extensions::new();
        extensions.insert(parts);
        Held::until_sent(&extensions, room.take(UNIT).await);
        // rmcp is done with the request.
        drop(extensions);
        let bytes = Bytes::from(vec![b'x'; PIECE + 1]);
        let mut body = held.by(Response::new(Full::new(bytes).boxed())).into_body();
        assert_eq!(body.size_hint().exact(), Some(64 * 1024 + 1));
        let piece = body.frame().await.unwrap().unwrap();
        assert_eq!(piece.into_data().unwrap().len(), 64 * 1024);
        assert_eq!(body.size_hint().exact(), Some(1));
        assert_eq!(room.free(), 256 * 1024 - 1);
        assert_eq!(body.frame().await.unwrap().unwrap().into_data().unwrap(), "x");
        assert!(body.is_end_stream());
        drop(body);
        assert_eq!(room.free(), 256 * 1024);
    }
}
