//! Lines and columns of places that come in order, found in one pass over a text.

use std::ops::Range;

/// Goes through a text once.
pub(super) struct Places<'a> {
    text: &'a str,
    at: usize,
    line: u32,
    /// Characters of the line before `at`.
    column: u32,
    before: char,
}

impl<'a> Places<'a> {
    pub(super) fn of(text: &'a str) -> Self {
        Self { text, at: 0, line: 1, column: 0, before: '\0' }
    }

    /// Line, column and length in characters; the length ends with the first line. A place before
    /// an earlier one is that earlier one.
    pub(super) fn of_range(&mut self, range: &Range<usize>) -> (u32, u32, u32) {
        let rest = self.text.get(self.at..).unwrap_or_default();
        for c in rest.chars() {
            if self.at >= range.start {
                break;
            }
            self.at += c.len_utf8();
            match c {
                '\n' if self.before == '\r' => {}
                '\n' | '\r' => {
                    self.line += 1;
                    self.column = 0;
                }
                '\u{feff}' if self.at == c.len_utf8() => {}
                _ => self.column += 1,
            }
            self.before = c;
        }
        let end = range.end.min(self.text.len());
        let marked = self.text.get(self.at..end.max(self.at)).unwrap_or_default();
        let length = marked.chars().take_while(|c| !matches!(c, '\n' | '\r')).count();
        (self.line, self.column + 1, u32::try_from(length).unwrap_or(u32::MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_count_characters_from_one_and_skip_the_byte_order_mark() {
        let text = "\u{feff}aü b\r\nc\rdé\n";
        let mut places = Places::of(text);
        let mut place = |part: &str| {
            let at = text.find(part).unwrap();
            places.of_range(&(at..at + part.len()))
        };
        assert_eq!(place("a"), (1, 1, 1));
        assert_eq!(place("b\r\nc"), (1, 4, 1));
        assert_eq!(place("c"), (2, 1, 1));
        assert_eq!(place("dé"), (3, 1, 2));
    }

    #[test]
    fn an_empty_text_has_a_first_place() {
        assert_eq!(Places::of("").of_range(&(0..9)), (1, 1, 0));
    }
}
