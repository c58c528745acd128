//! Rules for the text of a `SKILL.md`.

use std::collections::BTreeSet;

use super::{Diagnostic, MAX_PLACES, Place, codes, links};
use crate::MAIN_FILE;
use crate::frontmatter::FrontMatter;
use crate::lines::{LineIndex, lines_at, without_last_break};

/// The most lines of a body (Agent Skills, Progressive disclosure).
const MAX_LINES: usize = 500;

/// The most tokens of a body, about (Agent Skills, Progressive disclosure).
const MAX_TOKENS: usize = 5_000;

/// The words with which Git starts the lines of an unfinished merge, but for `=======`, which is
/// also a heading of Markdown.
const MARKERS: &[&str] = &["<<<<<<< ", ">>>>>>> ", "||||||| "];

pub(super) fn check(
    text: &str,
    read: &FrontMatter,
    files: Option<&BTreeSet<&str>>,
    found: &mut Vec<Diagnostic>,
) {
    let index = LineIndex::new(text);
    let start = text.len().saturating_sub(read.body().len());
    length(text, start, read.body_line(), &index, found);
    characters(text, &index, found);
    dashes(text, start, &index, found);
    let mut markers = 0;
    for (at, line) in lines_at(text) {
        if MARKERS.iter().any(|marker| line.starts_with(marker)) && markers < MAX_PLACES {
            markers += 1;
            let place = index.place(MAIN_FILE, at..at + 7);
            found.push(codes::MERGE_MARKER.say("a merge was not finished here", Some(place)));
        }
    }
    if let Some(files) = files {
        links::check(text, start, files, &index, found);
    }
}

fn length(
    text: &str,
    start: usize,
    first_line: u32,
    index: &LineIndex<'_>,
    found: &mut Vec<Diagnostic>,
) {
    let body = &text[start..];
    let first = || Place { file: MAIN_FILE.to_owned(), line: first_line, column: 1, length: 0 };
    if body.trim().is_empty() {
        let message = "there is no text below the front matter";
        found.push(codes::BODY_EMPTY.say(message, Some(first())));
        return;
    }
    let mut count = 0;
    let mut beyond = None;
    for (at, line) in lines_at(body) {
        count += 1;
        if count == MAX_LINES + 1 {
            beyond = Some(start + at..start + at + without_last_break(line).len());
        }
    }
    if let Some(beyond) = beyond {
        let message = format!("the text has {count} lines; {MAX_LINES} is the advice");
        found.push(codes::BODY_LONG.say(message, Some(index.place(MAIN_FILE, beyond))));
    }
    let tokens = tokens(body);
    if tokens > MAX_TOKENS {
        let message = format!(
            "the text has about {tokens} tokens, counting four letters of English as one; \
             {MAX_TOKENS} is the advice"
        );
        found.push(codes::BODY_TOKENS.say(message, Some(first())));
    }
}

/// About how many tokens a text has for a model: one for four characters of ASCII, one for two of
/// other alphabets of the Latin, Greek, Cyrillic, Hebrew and Arabic kind, and one for each
/// character beyond, as of Chinese. Models differ by a quarter or so in both directions.
fn tokens(text: &str) -> usize {
    let quarters: usize = text
        .chars()
        .map(|c| match u32::from(c) {
            ..0x80 => 1,
            0x80..0x800 => 2,
            _ => 4,
        })
        .sum();
    quarters.div_ceil(4)
}

fn characters(text: &str, index: &LineIndex<'_>, found: &mut Vec<Diagnostic>) {
    let mut said = 0;
    for (at, c) in text.char_indices() {
        let code = match c {
            '\0' => &codes::NUL,
            '\n' | '\r' | '\t' => continue,
            c if c.is_control() => &codes::CONTROL_CHARACTER,
            _ => continue,
        };
        let place = index.place(MAIN_FILE, at..at + c.len_utf8());
        found.push(
            code.say(format!("there is the control character U+{:04X}", u32::from(c)), Some(place)),
        );
        said += 1;
        if said == MAX_PLACES {
            return;
        }
    }
}

/// `---` inside of the front matter, where a reader that splits at it stops.
fn dashes(text: &str, start: usize, index: &LineIndex<'_>, found: &mut Vec<Diagnostic>) {
    let Some(opened) = text[..start].find("---").map(|at| at + 3) else { return };
    let Some(at) = text[opened..start].find("---").map(|at| opened + at) else { return };
    let is_the_end = text[..at].ends_with(['\n', '\r']) && text[at + 3..start].trim().is_empty();
    if !is_the_end {
        let place = index.place(MAIN_FILE, at..at + 3);
        found.push(codes::FRONT_MATTER_DASHES.say("there is `---` in a value", Some(place)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_estimated_by_the_script() {
        assert_eq!(tokens(""), 0);
        assert_eq!(tokens("abcd"), 1);
        assert_eq!(tokens("abcde"), 2);
        assert_eq!(tokens("при"), 2);
        assert_eq!(tokens("从文件"), 3);
    }
}
