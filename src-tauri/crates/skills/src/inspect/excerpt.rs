//! A place of a text as it reads, with what does not show made visible.

use std::fmt::Write as _;
use std::ops::Range;

use super::hidden::{is_hidden, is_private, tag_letter};

/// The most characters of the text before the place, and of the place with what follows it.
const BEFORE: usize = 40;
const AFTER: usize = 140;

/// Hidden characters of a run that are spelled out one by one.
const SPELLED_OUT: usize = 3;

/// The line around a range of bytes, cut at both sides.
pub(super) fn around(text: &str, range: &Range<usize>) -> String {
    let start = boundary(text, range.start);
    let breaks = |c: &char| matches!(c, '\n' | '\r');
    let mut shown_from = start;
    let mut cut = false;
    for (count, (at, c)) in text[..start].char_indices().rev().enumerate() {
        if breaks(&c) {
            break;
        }
        if count == BEFORE {
            cut = true;
            break;
        }
        shown_from = at;
    }
    let end = boundary(text, range.end);
    let mut shown_to = start;
    let mut cut_after = false;
    for (count, (at, c)) in text[start..].char_indices().enumerate() {
        let inside = start + at < end;
        if breaks(&c) && !inside {
            break;
        }
        if count == AFTER {
            cut_after = true;
            break;
        }
        shown_to = start + at + c.len_utf8();
    }
    let line = visible(&text[shown_from..shown_to]);
    let line = line.trim();
    format!("{}{line}{}", if cut { "…" } else { "" }, if cut_after { "…" } else { "" })
}

/// The text with each character that does not show spelled out, as in `⟨U+200B⟩`.
pub(super) fn visible(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\n' => shown.push('⏎'),
            '\r' => {}
            '\t' => shown.push(' '),
            c if tag_letter(c).is_some() => {
                let mut letters: String = tag_letter(c).into_iter().collect();
                while let Some(letter) = chars.peek().copied().and_then(tag_letter) {
                    letters.push(letter);
                    chars.next();
                }
                let _ = write!(shown, "⟨tags: {letters}⟩");
            }
            c if needs_spelling(c) => {
                let mut run = vec![c];
                while let Some(next) =
                    chars.next_if(|next| needs_spelling(*next) && tag_letter(*next).is_none())
                {
                    run.push(next);
                }
                for c in run.iter().take(SPELLED_OUT) {
                    let _ = write!(shown, "⟨U+{:04X}⟩", u32::from(*c));
                }
                if run.len() > SPELLED_OUT {
                    let _ = write!(shown, "⟨… {} in all⟩", run.len());
                }
            }
            c => shown.push(c),
        }
    }
    shown
}

fn needs_spelling(c: char) -> bool {
    is_hidden(c) || is_private(c) || (c.is_control() && !matches!(c, '\n' | '\r' | '\t'))
}

fn boundary(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_is_shown_and_no_other() {
        assert_eq!(around("one\n  two three\nfour", &(6..9)), "two three");
    }

    #[test]
    fn a_long_line_is_cut_at_both_sides() {
        let text = format!("{}here{}", "a".repeat(100), "b".repeat(300));
        let shown = around(&text, &(100..104));
        assert_eq!(shown, format!("…{}here{}…", "a".repeat(40), "b".repeat(136)));
    }

    #[test]
    fn hidden_characters_are_spelled_out() {
        assert_eq!(visible("a\u{200b}b\u{202e}"), "a⟨U+200B⟩b⟨U+202E⟩");
        assert_eq!(visible("x\u{e0068}\u{e0069}y"), "x⟨tags: hi⟩y");
        assert_eq!(visible(&"\u{200b}".repeat(9)), "⟨U+200B⟩⟨U+200B⟩⟨U+200B⟩⟨… 9 in all⟩");
        assert_eq!(visible("\u{1b}[31m"), "⟨U+001B⟩[31m");
    }
}
