//! What a started program writes to its standard error: the last of it, for a person who wonders
//! what went wrong.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::limits::{STDERR_BYTES, quoted};

/// The last words of a program, of all its runs that wrote here.
#[derive(Debug, Default)]
pub struct Words(Mutex<Kept>);

#[derive(Debug, Default)]
struct Kept {
    bytes: VecDeque<u8>,
    /// How many of them are of earlier runs.
    earlier: usize,
}

impl Words {
    /// At most this many of the last lines that say something, oldest first. Each is short and holds
    /// nothing but what can be seen.
    pub fn lines(&self, most: usize) -> Vec<String> {
        last(self.kept().bytes.iter().copied(), most)
    }

    /// The same of the present run alone.
    pub(super) fn of_this_run(&self, most: usize) -> Vec<String> {
        let kept = self.kept();
        last(kept.bytes.iter().copied().skip(kept.earlier), most)
    }

    /// A new run begins.
    pub(super) fn begin(&self) {
        let mut kept = self.kept();
        if kept.bytes.back().is_some_and(|byte| *byte != b'\n') {
            kept.add(b"\n");
        }
        kept.earlier = kept.bytes.len();
    }

    pub(super) fn add(&self, bytes: &[u8]) {
        self.kept().add(bytes);
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Kept {
    fn add(&mut self, bytes: &[u8]) {
        self.bytes.extend(bytes);
        let over = self.bytes.len().saturating_sub(STDERR_BYTES);
        self.bytes.drain(..over);
        self.earlier = self.earlier.saturating_sub(over);
    }
}

fn last(bytes: impl Iterator<Item = u8>, most: usize) -> Vec<String> {
    let bytes: Vec<u8> = bytes.collect();
    let text = String::from_utf8_lossy(&bytes);
    let mut lines: Vec<String> =
        text.lines().rev().map(quoted).filter(|line| !line.is_empty()).take(most).collect();
    lines.reverse();
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_lines_are_kept_without_what_cannot_be_seen() {
        let words = Words::default();
        words.add(b"one\n\x1b[31mtwo\x07\n\n  \nthr");
        words.add(b"ee\xff");
        assert_eq!(words.lines(9), ["one", "[31mtwo", "three\u{fffd}"]);
        assert_eq!(words.lines(1), ["three\u{fffd}"]);
    }

    #[test]
    fn a_new_run_adds_to_what_earlier_ones_wrote() {
        let words = Words::default();
        words.add(b"first");
        words.begin();
        assert!(words.of_this_run(9).is_empty());
        words.add(b"second\n");
        assert_eq!(words.of_this_run(9), ["second"]);
        assert_eq!(words.lines(9), ["first", "second"]);
    }

    #[test]
    fn no_more_than_the_limit_is_kept() {
        let words = Words::default();
        words.add(b"first\n");
        words.begin();
        words.add(&vec![b'x'; STDERR_BYTES - 2]);
        words.add(b"\nlast\n");
        assert_eq!(words.kept().bytes.len(), STDERR_BYTES);
        assert_eq!(words.kept().earlier, 0);
        assert_eq!(words.lines(1), ["last"]);
    }
}
