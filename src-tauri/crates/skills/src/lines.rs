//! Lines of a text, and places in it.

use std::ops::Range;
use std::sync::OnceLock;

use crate::check::Place;

/// The lines of a text with their breaks; LF, CRLF and a lone CR end a line.
pub(crate) fn lines(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let end = match rest.find(['\n', '\r']) {
            Some(at) if rest[at..].starts_with("\r\n") => at + 2,
            Some(at) => at + 1,
            None => rest.len(),
        };
        let (line, after) = rest.split_at(end);
        rest = after;
        Some(line)
    })
}

/// The same lines with the byte at which each starts.
pub(crate) fn lines_at(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    lines(text).map(move |line| {
        let start = at;
        at += line.len();
        (start, line)
    })
}

/// The text without one line break at its end.
pub(crate) fn without_last_break(text: &str) -> &str {
    text.strip_suffix("\r\n").or_else(|| text.strip_suffix(['\n', '\r'])).unwrap_or(text)
}

/// Where each line of a text starts, to turn bytes into places.
#[derive(Debug)]
pub(crate) struct LineIndex<'a> {
    text: &'a str,
    /// Looked for with the first place that is asked for: most texts have nothing to be said of.
    starts: OnceLock<Vec<usize>>,
}

impl<'a> LineIndex<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        Self { text, starts: OnceLock::new() }
    }

    fn starts(&self) -> &[usize] {
        self.starts.get_or_init(|| lines_at(self.text).map(|(start, _)| start).collect())
    }

    /// The line, from 1, of a byte.
    pub(crate) fn line(&self, at: usize) -> u32 {
        self.starts().partition_point(|start| *start <= at).max(1) as u32
    }

    /// The place of a range of bytes; its length ends with its first line.
    pub(crate) fn place(&self, file: &str, range: Range<usize>) -> Place {
        let start = self.boundary(range.start);
        let end = self.boundary(range.end).max(start);
        let line = self.line(start);
        let line_start = self.starts().get(line as usize - 1).copied().unwrap_or(0);
        let before = &self.text[line_start..start];
        let before = if line == 1 { before.trim_start_matches('\u{feff}') } else { before };
        let marked = lines(&self.text[start..end]).next().map_or("", without_last_break);
        Place {
            file: file.to_owned(),
            line,
            column: before.chars().count() as u32 + 1,
            length: marked.chars().count() as u32,
        }
    }

    /// The nearest character boundary at or before this byte.
    fn boundary(&self, at: usize) -> usize {
        (0..=at.min(self.text.len())).rev().find(|at| self.text.is_char_boundary(*at)).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_count_characters_from_one_and_skip_the_byte_order_mark() {
        let text = "\u{feff}aü b\r\nc\rdé\n";
        let index = LineIndex::new(text);
        let place = |part: &str| {
            let at = text.find(part).unwrap();
            let place = index.place("x", at..at + part.len());
            (place.line, place.column, place.length)
        };
        assert_eq!(place("a"), (1, 1, 1));
        assert_eq!(place("b"), (1, 4, 1));
        assert_eq!(place("c"), (2, 1, 1));
        assert_eq!(place("dé"), (3, 1, 2));
        assert_eq!(place("b\r\nc"), (1, 4, 1));
        assert_eq!(index.line(text.len()), 3);
    }

    #[test]
    fn an_empty_text_has_a_first_place() {
        let place = LineIndex::new("").place("x", 0..9);
        assert_eq!((place.line, place.column, place.length), (1, 1, 0));
    }
}
