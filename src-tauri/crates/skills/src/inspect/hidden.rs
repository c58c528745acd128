//! Characters of a text that a person does not see when looking at it.

use std::ops::Range;

use super::codes::{self, Found};
use super::lookalike;
use super::{MAX_PLACES, Weight};

/// More empty lines than this in a row push text out of sight.
const BLANK_LINES: usize = 200;

/// As many blanks within a line push text out of sight.
const BLANKS: usize = 300;

/// The most characters of hidden text that a message shows.
const EXCERPT: usize = 120;

/// As many characters without width in a row are text in a code of their own.
const LONG_RUN: usize = 8;

/// As many private-use characters in a row are text and no icon.
const PRIVATE_TEXT: usize = 3;

/// A kind of character that does not show, or not as what it is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Hidden {
    /// Copies of ASCII that models read and screens do not show.
    Tag,
    /// Changes the order in which text is shown.
    Bidi,
    /// Takes no room.
    ZeroWidth,
    /// Chooses the form of the sign before it.
    Selector,
    /// Shows what a font makes of it.
    Private,
    /// Begins a sequence for a terminal.
    Escape,
}

impl Hidden {
    fn of(c: char) -> Option<Self> {
        match c {
            '\u{1b}' | '\u{9b}' => Some(Self::Escape),
            '\u{e0000}'..='\u{e007f}' => Some(Self::Tag),
            '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => Some(Self::Bidi),
            '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}' => Some(Self::Selector),
            '\u{ad}'
            | '\u{34f}'
            | '\u{61c}'
            | '\u{115f}'
            | '\u{1160}'
            | '\u{17b4}'
            | '\u{17b5}'
            | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}'
            | '\u{2060}'..='\u{2065}'
            | '\u{206a}'..='\u{206f}'
            | '\u{3164}'
            | '\u{feff}'
            | '\u{ffa0}'
            | '\u{fff0}'..='\u{fffb}'
            | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0080}'..='\u{e00ff}'
            | '\u{e01f0}'..='\u{e0fff}' => Some(Self::ZeroWidth),
            '\u{e000}'..='\u{f8ff}' | '\u{f0000}'.. => Some(Self::Private),
            _ => None,
        }
    }
}

/// True for a character that does not show: tags, bidirectional controls, those without width.
pub fn is_hidden(c: char) -> bool {
    matches!(Hidden::of(c), Some(Hidden::Tag | Hidden::Bidi | Hidden::ZeroWidth | Hidden::Selector))
}

/// True for a character that means what a font makes of it.
pub(super) fn is_private(c: char) -> bool {
    Hidden::of(c) == Some(Hidden::Private)
}

/// The letter that a model reads in a tag character.
pub(super) fn tag_letter(c: char) -> Option<char> {
    matches!(c, '\u{e0020}'..='\u{e007e}').then(|| char::from_u32(u32::from(c) - 0xe0000)).flatten()
}

pub(super) fn look(text: &str, found: &mut Vec<Found>) {
    blanks(text, found);
    if !text.is_ascii() {
        words(text, found);
    }
    if !text.is_ascii() || text.contains('\u{1b}') {
        characters(text, found);
    }
}

fn characters(text: &str, findings: &mut Vec<Found>) {
    // Of each kind and weight, so that many light ones hide no heavy one.
    let mut counts = [[0; 3]; 6];
    let mut chars = text.char_indices().peekable();
    let mut before = None;
    while let Some((start, c)) = chars.next() {
        let Some(kind) = Hidden::of(c) else {
            before = Some(c);
            continue;
        };
        let (mut end, mut last, mut count) = (start + c.len_utf8(), c, 1);
        while let Some((at, next)) = chars.next_if(|(_, next)| Hidden::of(*next) == Some(kind)) {
            end = at + next.len_utf8();
            last = next;
            count += 1;
        }
        let after = chars.peek().map(|(_, next)| *next);
        let run = &text[start..end];
        if start == 0 && run == "\u{feff}" || is_usual(kind, before, run, count, last, after) {
            if kind == Hidden::Selector {
                continue;
            }
            before = Some(c);
            continue;
        }
        before = Some(c);
        let told = hidden(kind, run, count, start..end);
        let known = &mut counts[kind as usize][told.weight as usize];
        *known += 1;
        if *known <= MAX_PLACES {
            findings.push(told);
        }
    }
}

/// Flags and families of emoji, and joiners that a script needs.
fn is_usual(
    kind: Hidden,
    before: Option<char>,
    run: &str,
    count: usize,
    last: char,
    after: Option<char>,
) -> bool {
    let foreign = |c: Option<char>| c.is_some_and(|c| !c.is_ascii());
    let takes_form =
        before.is_some_and(|c| !c.is_ascii() || c.is_ascii_digit() || "#*".contains(c));
    match kind {
        Hidden::Tag => before == Some('\u{1f3f4}') && last == '\u{e007f}' && count <= 7,
        Hidden::Bidi | Hidden::Private => false,
        // Colours in what a program printed are usual; what moves the cursor or hides text is not.
        Hidden::Escape => after.is_none(),
        Hidden::Selector => count == 1 && takes_form,
        Hidden::ZeroWidth => {
            matches!(run, "\u{200c}" | "\u{200d}") && foreign(before) && foreign(after)
        }
    }
}

fn hidden(kind: Hidden, run: &str, count: usize, range: Range<usize>) -> Found {
    let (characters, show, change) = match count {
        1 => ("1 character".to_owned(), "does not show", "changes"),
        count => (format!("{count} characters"), "do not show", "change"),
    };
    let first = run.chars().next().map_or(0, u32::from);
    let found = match kind {
        Hidden::Tag => {
            let text: String = run.chars().filter_map(tag_letter).take(EXCERPT).collect();
            Found::of(&codes::TAGS)
                .saying(format!("{characters} that {show} and that a model reads as {text:?}"))
        }
        Hidden::Bidi => Found::of(&codes::BIDI)
            .saying(format!("{characters} that {change} the order in which text is shown")),
        Hidden::ZeroWidth => {
            let message = match count {
                1 => format!("{characters} that {show}, U+{first:04X}"),
                _ => format!("{characters} that {show}, first U+{first:04X}"),
            };
            let weight = if count >= LONG_RUN { Weight::Grave } else { codes::ZERO_WIDTH.weight };
            Found::of(&codes::ZERO_WIDTH).saying(message).weighing(weight)
        }
        Hidden::Selector if count == 1 => {
            Found::of(&codes::ZERO_WIDTH).saying(format!("{characters} that {show}, U+{first:04X}"))
        }
        Hidden::Selector => {
            let bytes: Vec<u8> = run.chars().filter_map(selector_byte).take(EXCERPT).collect();
            let text = String::from_utf8_lossy(&bytes).into_owned();
            let readable = text.chars().all(|c| !c.is_control() && c != '\u{fffd}');
            let message = if readable {
                format!("{count} variation selectors in a row, which read {text:?}")
            } else {
                format!("{count} variation selectors in a row")
            };
            Found::of(&codes::SELECTORS).saying(message)
        }
        Hidden::Private => {
            let message = match count {
                1 => format!("1 private-use character, U+{first:04X}"),
                _ => format!("{count} private-use characters, first U+{first:04X}"),
            };
            let weight =
                if count >= PRIVATE_TEXT { codes::PRIVATE_USE.weight } else { Weight::Note };
            Found::of(&codes::PRIVATE_USE).saying(message).weighing(weight)
        }
        Hidden::Escape => Found::of(&codes::ESCAPES),
    };
    found.at(range)
}

/// The byte that a variation selector stands for where they carry text.
fn selector_byte(c: char) -> Option<u8> {
    let byte = match u32::from(c) {
        code @ 0xfe00..=0xfe0f => code - 0xfe00,
        code @ 0xe0100..=0xe01ef => code - 0xe0100 + 16,
        _ => return None,
    };
    u8::try_from(byte).ok()
}

/// Words with a letter that is there in place of another.
fn words(text: &str, findings: &mut Vec<Found>) {
    let mut told = 0;
    let mut start = None;
    for (at, c) in text.char_indices().chain([(text.len(), ' ')]) {
        if c.is_alphanumeric() {
            start = start.or(Some(at));
            continue;
        }
        let Some(word) = start.take().map(|start| start..at) else { continue };
        if text[word.clone()].is_ascii() {
            continue;
        }
        if let Some(letter) = lookalike::in_word(&text[word.clone()]) {
            let message = format!(
                "a word with U+{:04X}, which looks like {:?} and is not",
                u32::from(letter),
                lookalike::latin(letter).unwrap_or(letter),
            );
            findings.push(Found::of(&codes::LOOK_ALIKE).saying(message).at(word));
            told += 1;
            if told == MAX_PLACES {
                return;
            }
        }
    }
}

/// Runs of empty lines, and of blanks within a line.
fn blanks(text: &str, findings: &mut Vec<Found>) {
    let mut told = 0;
    let mut say = |message: String, range: Range<usize>| {
        told += 1;
        if told <= MAX_PLACES {
            findings.push(Found::of(&codes::BLANKS).saying(message).at(range));
        }
    };
    // Since the last character that shows: where the run began, its line breaks, and the blanks
    // after the last of them.
    let (mut start, mut breaks, mut spaces, mut spaces_from) = (0, 0_usize, 0_usize, 0);
    let mut before = ' ';
    for (at, c) in text.char_indices().chain([(text.len(), '\0')]) {
        match c {
            '\n' if before == '\r' => spaces_from = at + 1,
            '\n' | '\r' => {
                breaks += 1;
                spaces = 0;
                spaces_from = at + 1;
            }
            c if c.is_whitespace() => spaces += 1,
            _ => {
                let empty = if start == 0 { breaks } else { breaks.saturating_sub(1) };
                if empty > BLANK_LINES {
                    say(format!("{empty} empty lines in a row"), start..start);
                }
                if spaces >= BLANKS && at < text.len() {
                    say(format!("{spaces} blanks within a line"), spaces_from..at);
                }
                start = at + c.len_utf8();
                spaces_from = start;
                (breaks, spaces) = (0, 0);
            }
        }
        before = c;
    }
}
