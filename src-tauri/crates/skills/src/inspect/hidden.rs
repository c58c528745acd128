//! What a text holds that a person does not see when looking at it.

use std::ops::Range;

use super::{Finding, is_markdown};
use crate::check::{Diagnostic, Severity};
use crate::lines::{LineIndex, lines_at};
use crate::pattern::{Pattern, compile};

/// The most findings of one kind in one file.
const MAX_PLACES: usize = 20;

/// More empty lines than this in a row push text out of sight.
const BLANK_LINES: usize = 200;

/// More blanks than this within a line push text out of sight.
const BLANKS: usize = 300;

/// The most characters of hidden text that a message shows.
const EXCERPT: usize = 120;

/// A kind of character that does not show.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Hidden {
    /// Copies of ASCII that models read and screens do not show.
    Tag,
    /// Changes the order in which text is shown.
    Bidi,
    /// Takes no room.
    ZeroWidth,
}

impl Hidden {
    fn of(c: char) -> Option<Self> {
        match c {
            '\u{e0000}'..='\u{e007f}' => Some(Self::Tag),
            '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => Some(Self::Bidi),
            '\u{ad}'
            | '\u{34f}'
            | '\u{61c}'
            | '\u{115f}'
            | '\u{1160}'
            | '\u{180b}'..='\u{180e}'
            | '\u{200b}'..='\u{200f}'
            | '\u{2060}'..='\u{2064}'
            | '\u{206a}'..='\u{206f}'
            | '\u{3164}'
            | '\u{fe00}'..='\u{fe0f}'
            | '\u{feff}'
            | '\u{ffa0}'
            | '\u{fff9}'..='\u{fffb}'
            | '\u{e0100}'..='\u{e01ef}' => Some(Self::ZeroWidth),
            _ => None,
        }
    }
}

/// True for a character that does not show: tags, bidirectional controls, those without width.
pub fn is_hidden(c: char) -> bool {
    Hidden::of(c).is_some()
}

pub(super) fn look(path: &str, text: &str, index: &LineIndex<'_>, findings: &mut Vec<Finding>) {
    characters(path, text, index, findings);
    blanks(path, text, index, findings);
    if is_markdown(path) {
        comments(path, text, index, findings);
    }
}

fn characters(path: &str, text: &str, index: &LineIndex<'_>, findings: &mut Vec<Finding>) {
    let mut counts = [0; 3];
    let mut chars = text.char_indices().peekable();
    let mut before = None;
    while let Some((start, c)) = chars.next() {
        let Some(kind) = Hidden::of(c) else {
            before = Some(c);
            continue;
        };
        let mut end = start + c.len_utf8();
        let mut last = c;
        while let Some((at, next)) = chars.next_if(|(_, next)| Hidden::of(*next) == Some(kind)) {
            end = at + next.len_utf8();
            last = next;
        }
        let after = chars.peek().map(|(_, next)| *next);
        let run = &text[start..end];
        if start == 0 && run == "\u{feff}" || is_usual(kind, before, run, last, after) {
            continue;
        }
        counts[kind as usize] += 1;
        if counts[kind as usize] <= MAX_PLACES {
            findings.push(hidden(kind, run, path, start..end, index));
        }
    }
}

/// Flags and families of emoji, and joiners that a script needs.
fn is_usual(
    kind: Hidden,
    before: Option<char>,
    run: &str,
    last: char,
    after: Option<char>,
) -> bool {
    let foreign = |c: Option<char>| c.is_some_and(|c| !c.is_ascii());
    match kind {
        Hidden::Tag => {
            before == Some('\u{1f3f4}') && last == '\u{e007f}' && run.chars().count() <= 7
        }
        Hidden::Bidi => false,
        Hidden::ZeroWidth => match run {
            "\u{200c}" | "\u{200d}" | "\u{fe0f}\u{200d}" => foreign(before) && foreign(after),
            "\u{fe0e}" | "\u{fe0f}" => {
                before.is_some_and(|c| !c.is_ascii() || c.is_ascii_digit() || "#*".contains(c))
            }
            _ => false,
        },
    }
}

fn hidden(
    kind: Hidden,
    run: &str,
    path: &str,
    range: Range<usize>,
    index: &LineIndex<'_>,
) -> Finding {
    let (characters, show, change) = match run.chars().count() {
        1 => ("1 character".to_owned(), "does not show", "changes"),
        count => (format!("{count} characters"), "do not show", "change"),
    };
    let (code, message, help) = match kind {
        Hidden::Tag => {
            let text: String = run
                .chars()
                .filter_map(|c| char::from_u32(u32::from(c).wrapping_sub(0xe0000)))
                .filter(|c| matches!(c, ' '..='~'))
                .take(EXCERPT)
                .collect();
            let message = format!("{characters} that {show} and that a model reads as {text:?}");
            (
                "hidden-tag-characters",
                message,
                "such text is there to be read by the model and not by you",
            )
        }
        Hidden::Bidi => (
            "hidden-bidi-controls",
            format!("{characters} that {change} the order in which text is shown"),
            "what you see is not what the model reads",
        ),
        Hidden::ZeroWidth => {
            let first = run.chars().next().map_or(0, u32::from);
            (
                "hidden-zero-width",
                match run.chars().count() {
                    1 => format!("{characters} that {show}, U+{first:04X}"),
                    _ => format!("{characters} that {show}, first U+{first:04X}"),
                },
                "they can hide text or split words",
            )
        }
    };
    Finding {
        grave: kind != Hidden::ZeroWidth,
        diagnostic: Diagnostic {
            code,
            severity: if kind == Hidden::ZeroWidth { Severity::Warning } else { Severity::Error },
            message,
            help: Some(help.to_owned()),
            place: Some(index.place(path, range)),
        },
    }
}

fn blanks(path: &str, text: &str, index: &LineIndex<'_>, findings: &mut Vec<Finding>) {
    static SPACES: Pattern =
        Pattern::new(|| compile(r"\S([ \t\u{a0}\u{2000}-\u{200a}\u{3000}]{300,})\S"));
    let mut say = |code, message: String, range| {
        findings.push(Finding {
            grave: false,
            diagnostic: Diagnostic {
                code,
                severity: Severity::Warning,
                message,
                help: Some("look at what comes after it".to_owned()),
                place: Some(index.place(path, range)),
            },
        });
    };
    let mut run: Option<(usize, usize)> = None;
    for (start, line) in lines_at(text).chain([(text.len(), "x")]) {
        if line.trim().is_empty() {
            run = Some(run.map_or((start, 1), |(first, count)| (first, count + 1)));
        } else if let Some((first, count)) = run.take()
            && count > BLANK_LINES
        {
            say("long-blank-run", format!("{count} empty lines in a row"), first..first);
        }
    }
    if !text.contains(&" ".repeat(8)) && text.is_ascii() && !text.contains('\t') {
        return;
    }
    for found in SPACES.captures_iter(text).take(MAX_PLACES).filter_map(|found| found.get(1)) {
        let message = format!("over {BLANKS} blanks within a line");
        say("long-blank-run", message, found.range());
    }
}

/// Comments, which a rendered page does not show and a model reads.
fn comments(path: &str, text: &str, index: &LineIndex<'_>, findings: &mut Vec<Finding>) {
    static COMMENT: Pattern = Pattern::new(|| {
        compile(r"(?s)<!--(.*?)(?:-->|\z)|(?m:^\[[^\]\n]*\]:\s*#?\S*\s*\(([^)\n]*)\)\s*$)")
    });
    static FOR_TOOLS: Pattern = Pattern::new(|| {
        compile(
            r"(?i)^\s*/?(?:toc|tocstop|prettier|markdownlint|cspell|spell-?checker|eslint|vale|rumdl|omit in toc|more|begin|end|start|stop|todo)\b[^\n]*$",
        )
    });
    if !text.contains("<!--") && !text.contains("]:") {
        return;
    }
    let mut told = 0;
    for found in COMMENT.captures_iter(text) {
        if told == MAX_PLACES {
            break;
        }
        let (Some(all), Some(inner)) = (found.get(0), found.get(1).or_else(|| found.get(2))) else {
            continue;
        };
        let words = inner.as_str().split_whitespace().count();
        if words < 3 || FOR_TOOLS.is_match(inner.as_str().trim_end()) && words <= 8 {
            continue;
        }
        told += 1;
        let text: Vec<&str> = inner.as_str().split_whitespace().take(EXCERPT).collect();
        let excerpt: String = text.join(" ").chars().take(EXCERPT).collect();
        findings.push(Finding {
            grave: false,
            diagnostic: Diagnostic {
                code: "html-comment",
                severity: Severity::Warning,
                message: format!(
                    "a comment that the model reads and a rendered page does not show: {excerpt:?}"
                ),
                help: Some("read it as part of the skill".to_owned()),
                place: Some(index.place(path, all.range())),
            },
        });
    }
}
