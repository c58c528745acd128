//! Words that are taken apart by marks which a model, a page or a shell leaves out: `ig**no**re`,
//! `&#105;gnore`, `cu''rl`, `i g n o r e`. Such lines are put together and looked at again.

use std::ops::Range;

use super::MAX_PLACES;
use super::codes::{self, Found};
use super::fold::Folded;
use super::table;

/// As many letters that stand apart in a row are a text that is spelled out.
const APART: usize = 12;

/// A mark that takes a word apart, a comment even, is no longer, in bytes.
const LONGEST_MARK: usize = 256;

/// Between lines that do not follow each other: more than a match may span.
const BETWEEN: &str = "\n\n\n\n\n\n";

/// A line that was put together: where it begins in the text that is looked at, and its own place.
struct Line {
    at: usize,
    range: Range<usize>,
}

/// `full`: rules of the table that are not looked for.
pub(super) fn look(text: &str, full: &[&str]) -> Vec<Found> {
    let mut found = Vec::new();
    let (mut joined, mut lines) = (String::new(), Vec::new());
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let range = at..at + line.trim_end().len();
        at += line.len();
        if found.len() < MAX_PLACES && is_apart(line) {
            found.push(Found::of(&codes::APART).at(range.clone()));
        }
        if let Some(line) = together(line) {
            lines.push(Line { at: joined.len(), range });
            joined.push_str(line.trim_end());
            joined.push_str(BETWEEN);
        }
    }
    if lines.is_empty() {
        return found;
    }
    found.extend(table::look_without(&Folded::of(&joined), full).into_iter().map(|hit| {
        let line = lines.partition_point(|line| line.at <= hit.range.start).saturating_sub(1);
        let range = lines.get(line).map(|line| line.range.clone()).unwrap_or_default();
        Found::of(&hit.rule.info).weighing(hit.weight).at(range)
    }));
    found
}

/// Whether many single letters follow each other with one and the same sign between them.
fn is_apart(line: &str) -> bool {
    let bytes = line.as_bytes();
    let (mut count, mut at) = (0, 0);
    let mut last = None;
    while at + 1 < bytes.len() {
        let (letter, sign) = (bytes[at], bytes[at + 1]);
        let fits = letter.is_ascii_alphabetic() && matches!(sign, b' ' | b'.' | b'-' | b'_' | b'*');
        if !fits {
            count = 0;
            last = None;
            at += 1;
            continue;
        }
        // The alphabet is no text.
        let follows = last
            .is_some_and(|last: u8| last.to_ascii_lowercase() + 1 == letter.to_ascii_lowercase());
        count += usize::from(!follows);
        last = Some(letter);
        if count >= APART && (at + 3 >= bytes.len() || !bytes[at + 3].is_ascii_alphabetic()) {
            return true;
        }
        at += 2;
    }
    false
}

/// The line without what takes its words apart; `None` where nothing does.
fn together(line: &str) -> Option<String> {
    together_and_count(line).0
}

/// The same, with how many bytes marks were looked for in, all in all.
pub(super) fn together_and_count(line: &str) -> (Option<String>, usize) {
    let bytes = line.as_bytes();
    let mut looked_at = 0;
    let mut out: Option<String> = None;
    let (mut kept, mut at) = (0, 0);
    while let Some(found) = bytes[at..].iter().position(|byte| is_mark(*byte)) {
        at += found;
        let digit = bytes[at] == b'%';
        let before = at
            .checked_sub(1)
            .map(|at| bytes[at])
            .is_some_and(|before| is_letter(before) || digit && before.is_ascii_digit());
        let near = near(&line[at..]);
        looked_at += near.len();
        match mark(near, before) {
            Some((length, written)) => {
                let out = out.get_or_insert_with(String::new);
                out.push_str(&line[kept..at]);
                out.extend(written);
                at += length;
                kept = at;
            }
            None => at += 1,
        }
    }
    if let Some(out) = &mut out {
        out.push_str(&line[kept..]);
    }
    (out, looked_at)
}

/// The start of a text, as long as a mark can be.
fn near(text: &str) -> &str {
    let mut end = text.len().min(LONGEST_MARK);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

fn is_mark(byte: u8) -> bool {
    matches!(byte, b'&' | b'<' | b'*' | b'_' | b'`' | b'\'' | b'"' | b'\\' | b'%' | b'$')
}

fn is_letter(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || !byte.is_ascii()
}

/// What a mark at the start of this text stands for, and how many bytes it has. `before`: a letter
/// stands before it.
fn mark(text: &str, before: bool) -> Option<(usize, Option<char>)> {
    let bytes = text.as_bytes();
    let after = |length: usize| bytes.get(length).copied().is_some_and(is_letter);
    match bytes[0] {
        b'&' => entity(text),
        b'%' => {
            let value = hex(bytes.get(1..3)?)?;
            let within = before || bytes.get(3) == Some(&b'%');
            (within && value.is_ascii_graphic()).then_some((3, Some(value)))
        }
        b'\\' => {
            let next = *bytes.get(1)?;
            let digits = if next == b'x' { 2..4 } else { 2..6 };
            let code = matches!(next, b'x' | b'u')
                .then(|| hex(bytes.get(digits.clone())?).map(|c| (digits.end, Some(c))))
                .flatten();
            code.or_else(|| (before && is_letter(next)).then_some((1, None)))
        }
        b'<' if text.starts_with("<!--") => {
            if !before {
                return None;
            }
            let length = memchr::memmem::find(bytes, b"-->")? + 3;
            after(length).then_some((length, None))
        }
        b'<' if before => {
            let length = text.bytes().take(80).position(|byte| byte == b'>')? + 1;
            let first = *bytes.get(1)?;
            ((first == b'/' || first.is_ascii_alphabetic()) && after(length))
                .then_some((length, None))
        }
        b'$' => {
            let blank = ["${IFS}", "$IFS"].into_iter().find(|blank| text.starts_with(blank))?;
            Some((blank.len(), Some(' ')))
        }
        sign @ (b'*' | b'_' | b'`' | b'\'' | b'"') if before => {
            let length = bytes.iter().take_while(|byte| **byte == sign).count();
            // One underscore is a name, one apostrophe a word's own.
            let splits = match sign {
                b'_' | b'\'' | b'"' => length >= 2,
                _ => length <= 3,
            };
            (splits && after(length)).then_some((length, None))
        }
        _ => None,
    }
}

fn hex(digits: &[u8]) -> Option<char> {
    let digits = std::str::from_utf8(digits).ok()?;
    if !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    char::from_u32(u32::from_str_radix(digits, 16).ok()?)
}

/// A reference to a character of HTML.
fn entity(text: &str) -> Option<(usize, Option<char>)> {
    let end = text.bytes().take(12).position(|byte| byte == b';')?;
    let name = &text[1..end];
    let c = match name.strip_prefix('#') {
        Some(number) => {
            let (digits, radix) = match number.strip_prefix(['x', 'X']) {
                Some(digits) => (digits, 16),
                None => (number, 10),
            };
            char::from_u32(u32::from_str_radix(digits, radix).ok()?)?
        }
        None => match name {
            "nbsp" | "ensp" | "emsp" | "thinsp" | "Tab" => ' ',
            "shy" | "zwnj" | "zwj" | "ZeroWidthSpace" => return Some((end + 1, None)),
            "lt" => '<',
            "gt" => '>',
            "amp" => '&',
            "quot" => '"',
            "apos" => '\'',
            "vert" | "verbar" | "VerticalLine" => '|',
            "sol" => '/',
            "bsol" => '\\',
            "period" => '.',
            "colon" => ':',
            _ => return None,
        },
    };
    Some((end + 1, Some(c)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_takes_words_apart_is_left_out() {
        for (line, read) in [
            ("ig**no**re", "ignore"),
            ("ig<!-- x -->nore", "ignore"),
            ("ig<b>no</b>re", "ignore"),
            ("&#105;gn&#x6f;re&nbsp;all", "ignore all"),
            ("cu''rl c\\url cu\"\"rl", "curl curl curl"),
            ("curl${IFS}x", "curl x"),
            ("\\x63url \\u0063url", "curl curl"),
            ("p%69pe %63%75rl", "pipe curl"),
        ] {
            assert_eq!(together(line).as_deref(), Some(read), "{line}");
        }
        for line in ["**bold** word", "snake_case", "don't", "a & b", "50% of", "x < y", "<b>x</b>"]
        {
            assert_eq!(together(line), None, "{line}");
        }
    }

    #[test]
    fn a_text_that_is_spelled_out_is_told_from_the_alphabet() {
        assert!(is_apart("i g n o r e a l l r u l e s"));
        assert!(is_apart("i.g.n.o.r.e.a.l.l.r.u.l.e.s"));
        assert!(!is_apart("a b c d e f g h i j k l m n o p q r s t u v w x y z"));
        assert!(!is_apart("e.g. a b c"));
    }
}
