//! A text as rules read it: lower case, one spelling for what looks alike, nothing hidden between
//! the letters. Splitting a word with characters that do not show, or writing it in letters of
//! another script, changes nothing for them.

use unicode_normalization::char::{decompose_compatible, is_combining_mark};

use super::hidden::{is_hidden, tag_letter};
use super::lookalike;

/// After how many bytes the place in the original is noted anew.
const MARK_EVERY: usize = 256;

/// A folded text that knows where its bytes came from.
#[derive(Debug)]
pub(super) struct Folded<'a> {
    text: &'a str,
    bytes: Vec<u8>,
    /// Places that belong together, in the folded text and in the original. Between two of them
    /// the text is folded again to find out.
    marks: Vec<(usize, usize)>,
}

impl<'a> Folded<'a> {
    pub(super) fn of(text: &'a str) -> Self {
        let mut folded = Self { text, bytes: Vec::with_capacity(text.len()), marks: vec![(0, 0)] };
        let mut at = 0;
        while at < text.len() {
            let rest = &text.as_bytes()[at..];
            let odd = |byte: &u8| !byte.is_ascii() || is_control(*byte);
            let plain = rest.iter().position(odd).unwrap_or(rest.len());
            folded.bytes.extend(rest[..plain].iter().map(u8::to_ascii_lowercase));
            at += plain;
            if let Some(c) = text[at..].chars().next() {
                let before = folded.bytes.len();
                fold(c, &mut folded.bytes);
                at += c.len_utf8();
                let noted = folded.marks.last().map_or(0, |mark| mark.0);
                if folded.bytes.len() - before != c.len_utf8()
                    && folded.bytes.len() >= noted + MARK_EVERY
                {
                    folded.marks.push((folded.bytes.len(), at));
                }
            }
        }
        join_continued(&mut folded.bytes);
        folded
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The byte of the original that the folded byte at `wanted` came from.
    pub(super) fn original(&self, wanted: usize) -> usize {
        let mark = self.marks.partition_point(|mark| mark.0 <= wanted).saturating_sub(1);
        let (mut folded, mut at) = self.marks.get(mark).copied().unwrap_or_default();
        // Without a mark in between, one change at most every few bytes: the way is short. Where
        // nothing changed, lengths are equal and the rest is a subtraction.
        let next = self.marks.get(mark + 1).copied();
        let (folded_end, end) = next.unwrap_or((self.bytes.len(), self.text.len()));
        if folded_end - folded == end - at {
            return at + (wanted - folded);
        }
        let mut one = Vec::new();
        for c in self.text[at..].chars() {
            one.clear();
            fold(c, &mut one);
            if folded + one.len() > wanted {
                break;
            }
            folded += one.len();
            at += c.len_utf8();
        }
        at
    }
}

/// A command that goes on in the next line is one line. The length stays.
fn join_continued(bytes: &mut [u8]) {
    let mut from = 0;
    while let Some(at) = bytes[from..].iter().position(|byte| *byte == b'\\') {
        let at = from + at;
        let length = match bytes.get(at + 1..) {
            Some([b'\n', ..]) => 2,
            Some([b'\r', b'\n', ..]) => 3,
            _ => 0,
        };
        bytes[at..at + length].fill(b' ');
        from = at + length.max(1);
    }
}

fn fold(c: char, into: &mut Vec<u8>) {
    let mut utf8 = [0; 4];
    if u8::try_from(c).is_ok_and(is_control) {
    } else if c.is_ascii() {
        into.push(c.to_ascii_lowercase() as u8);
    } else if let Some(letter) = tag_letter(c) {
        into.push(letter.to_ascii_lowercase() as u8);
    } else if is_hidden(c) || is_combining_mark(c) {
    } else if c.is_whitespace() {
        into.push(b' ');
    } else if let Some(letter) = lookalike::latin(c) {
        into.push(letter.to_ascii_lowercase() as u8);
    } else if let Some(plain) = punctuation(c) {
        into.push(plain);
    } else if matches!(c, '\u{2e80}'..='\u{d7ff}' | '\u{20000}'..) {
        into.extend_from_slice(c.encode_utf8(&mut utf8).as_bytes());
    } else {
        let before = into.len();
        decompose_compatible(c, |part| {
            if part.is_ascii_graphic() {
                into.push(part.to_ascii_lowercase() as u8);
            }
        });
        if into.len() == before {
            into.extend_from_slice(c.encode_utf8(&mut utf8).as_bytes());
        }
    }
}

/// Controls that programs leave out where they show a text.
fn is_control(byte: u8) -> bool {
    matches!(byte, 0..=8 | 0xe..=0x1a | 0x1c..=0x1f | 0x7f)
}

fn punctuation(c: char) -> Option<u8> {
    match c {
        '\u{2018}'..='\u{201b}' | '\u{2032}' | '\u{2bc}' => Some(b'\''),
        '\u{201c}'..='\u{201f}' | '\u{2033}' => Some(b'"'),
        '\u{2010}'..='\u{2015}' | '\u{2212}' => Some(b'-'),
        '\u{2044}' | '\u{2215}' => Some(b'/'),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folded(text: &str) -> String {
        String::from_utf8(Folded::of(text).bytes).unwrap()
    }

    #[test]
    fn what_looks_alike_is_spelled_alike() {
        assert_eq!(folded("IGNORE"), "ignore");
        assert_eq!(folded("ig\u{200b}no\u{ad}re"), "ignore");
        assert_eq!(folded("ign\u{43e}r\u{435}"), "ignore");
        assert_eq!(
            folded("\u{ff29}gnore \u{1d422}gnore ígnore u\u{17f}er"),
            "ignore ignore ignore user"
        );
        assert_eq!(folded("\u{e0068}\u{e0069}"), "hi");
        assert_eq!(folded("don\u{2019}t\u{a0}tell"), "don't tell");
        assert_eq!(folded("日本"), "日本");
        assert_eq!(folded("ig\0no\x08re"), "ignore");
    }

    #[test]
    fn a_continued_command_is_one_line_of_the_same_length() {
        assert_eq!(folded("curl a \\\n | sh\\\r\nx \\n"), "curl a    | sh   x \\n");
    }

    #[test]
    fn each_place_leads_back_to_the_original() {
        let text = format!(
            "{}ig\u{200b}nore\nü {}ign\u{43e}re x",
            "日é".repeat(900),
            "\u{43e}".repeat(900)
        );
        let folded = Folded::of(&text);
        let at: Vec<usize> = folded
            .bytes
            .windows(6)
            .enumerate()
            .filter(|(_, window)| *window == b"ignore")
            .map(|(at, _)| folded.original(at))
            .collect();
        assert_eq!(at, [text.find("ig").unwrap(), text.rfind("ign").unwrap()]);
        assert_eq!(folded.original(folded.bytes.len()), text.len());
    }
}
