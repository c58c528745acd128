//! What a program writes to its output, line by line.

use std::io;
use std::pin::Pin;
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, ReadBuf};
use tokio::time::Sleep;

use super::values::Values;
use crate::limits::MESSAGE_VALUES;

/// The most lines that are taken without a pause: far more than one skill has files.
const LINES_AT_ONCE: usize = 2048;

/// How long further lines are left where they are.
const PAUSE: Duration = Duration::from_millis(50);

/// What a program did that ended its connection, once it did it.
pub(super) type Overdone = Arc<OnceLock<String>>;

/// Fails once a line is too long or holds too many values: rmcp drops a long line without a word,
/// and the call that waits for it would run into its time-out. Lines without an end are taken with
/// pauses, so that who writes them takes no processor from the others.
pub(crate) struct LineLimit<R> {
    inner: R,
    lines: usize,
    rest: Option<Pin<Box<Sleep>>>,
    line: usize,
    values: Values,
    most: usize,
    overdone: Overdone,
}

impl<R> LineLimit<R> {
    pub(super) fn new(inner: R, most: usize, overdone: Overdone) -> Self {
        Self { inner, lines: 0, rest: None, line: 0, values: Values::default(), most, overdone }
    }

    /// What is wrong with the lines so far, when these bytes follow.
    fn broken_by(&mut self, new: &[u8]) -> Option<String> {
        for part in new.split_inclusive(|byte| *byte == b'\n') {
            let text = part.strip_suffix(b"\n").unwrap_or(part);
            self.line += text.len();
            if self.line > self.most {
                return Some(format!("it sent a line of more than {} bytes", self.most));
            }
            if !self.values.within(text) {
                return Some(format!("it sent a message of more than {MESSAGE_VALUES} values"));
            }
            if part.len() > text.len() {
                self.lines += 1;
                (self.line, self.values) = (0, Values::default());
            }
        }
        None
    }
}

impl<R: AsyncRead + Unpin> AsyncRead for LineLimit<R> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if let Some(rest) = &mut self.rest {
            ready!(rest.as_mut().poll(cx));
            self.rest = None;
        }
        let before = buf.filled().len();
        ready!(Pin::new(&mut self.inner).poll_read(cx, buf))?;
        let Some(broken) = self.broken_by(&buf.filled()[before..]) else {
            if self.lines >= LINES_AT_ONCE {
                self.lines = 0;
                self.rest = Some(Box::pin(tokio::time::sleep(PAUSE)));
            }
            return Poll::Ready(Ok(()));
        };
        buf.set_filled(before);
        let error = io::Error::new(io::ErrorKind::InvalidData, broken.as_str());
        let _ = self.overdone.set(broken);
        Poll::Ready(Err(error))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use tokio::io::AsyncReadExt as _;

    use super::*;
    use crate::limits::MESSAGE_BYTES;

    async fn read_all(input: &[u8], most: usize) -> (io::Result<Vec<u8>>, bool) {
        let overdone = Overdone::default();
        let mut reader = LineLimit::new(input, most, Arc::clone(&overdone));
        let mut out = Vec::new();
        let result = reader.read_to_end(&mut out).await.map(|_| out);
        (result, overdone.get().is_some())
    }

    #[tokio::test]
    async fn lines_up_to_the_limit_pass() {
        let (result, overdone) = read_all(b"1234\n1234\n", 4).await;
        assert_eq!(result.unwrap(), b"1234\n1234\n");
        assert!(!overdone);
    }

    #[tokio::test]
    async fn two_thousand_and_forty_eight_lines_pass_without_a_pause_and_none_is_lost_after() {
        let input = "1\n".repeat(3 * LINES_AT_ONCE);
        let overdone = Overdone::default();
        let mut reader = LineLimit::new(input.as_bytes(), 4, overdone);
        let mut part = vec![0; 2 * LINES_AT_ONCE - 2];
        reader.read_exact(&mut part).await.unwrap();
        assert!(reader.rest.is_none());
        reader.read_exact(&mut part[..2]).await.unwrap();
        assert!(reader.rest.is_some());
        let mut rest = Vec::new();
        reader.read_to_end(&mut rest).await.unwrap();
        assert_eq!(rest.len(), 4 * LINES_AT_ONCE);
    }

    #[tokio::test]
    async fn a_line_over_the_limit_ends_the_stream() {
        let (result, overdone) = read_all(b"12345\n", 4).await;
        assert!(result.is_err());
        assert!(overdone);
    }

    #[tokio::test]
    async fn values_are_counted_for_each_line() {
        let half = format!("[{}0]\n", "0,".repeat(MESSAGE_VALUES / 2));
        let (result, overdone) = read_all(half.repeat(3).as_bytes(), MESSAGE_BYTES).await;
        assert_eq!((result.unwrap().len(), overdone), (half.len() * 3, false));
        let whole = format!("[{}0]\n", "0,".repeat(MESSAGE_VALUES));
        let (result, overdone) = read_all(whole.as_bytes(), MESSAGE_BYTES).await;
        assert!(result.is_err());
        assert!(overdone);
    }

    #[tokio::test]
    async fn a_line_without_an_end_counts_too() {
        let (result, overdone) = read_all(b"ok\n12345", 4).await;
        assert!(result.is_err());
        assert!(overdone);
    }
}
