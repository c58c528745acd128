//! Rules for the text of a `SKILL.md`.

use percent_encoding::percent_decode_str;

use super::{Diagnostic, codes};
use crate::MAIN_FILE;
use crate::frontmatter::FrontMatter;
use crate::lines::{LineIndex, lines, lines_at, without_last_break};
use crate::manifest::Manifest;
use crate::pattern::{Pattern, compile};

/// The most lines of a body before it should be split (the format's own advice).
const MAX_LINES: usize = 500;

/// The most places that one rule names.
const MAX_PLACES: usize = 20;

static LINK: Pattern = Pattern::new(|| compile(r"\]\(\s*<?([^()<>\s]+)>?(?:\s+[^()]*)?\)"));

pub(super) fn check(text: &str, read: &FrontMatter, files: &Manifest, found: &mut Vec<Diagnostic>) {
    let index = LineIndex::new(text);
    let count = lines(read.body()).count();
    if read.body().trim().is_empty() {
        found.push(codes::BODY_EMPTY.say("there is no text below the front matter", None));
    }
    if count > MAX_LINES {
        let message = format!("the text has {count} lines; {MAX_LINES} is the advice");
        found.push(codes::BODY_LONG.say(message, None));
    }
    characters(text, &index, found);
    let mut fence = None;
    let mut markers = 0;
    let mut broken_links = 0;
    for (start, line) in lines_at(text) {
        let line = without_last_break(line);
        let marker =
            ["<<<<<<< ", ">>>>>>> ", "||||||| "].iter().any(|marker| line.starts_with(marker));
        if marker && markers < MAX_PLACES {
            markers += 1;
            let place = index.place(MAIN_FILE, start..start + 7);
            found.push(codes::MERGE_MARKER.say("a merge was not finished here", Some(place)));
        }
        match (fence, fence_of(line)) {
            (None, Some(opened)) => fence = Some(opened),
            (Some(opened), Some(closing)) if opened == closing => fence = None,
            (None, None) if broken_links < MAX_PLACES => {
                let most = MAX_PLACES - broken_links;
                broken_links += links(start, line, files, &index, found, most);
            }
            _ => {}
        }
    }
}

/// The character of a code fence on this line.
fn fence_of(line: &str) -> Option<char> {
    let line = line.trim_start();
    ['`', '~'].into_iter().find(|fence| line.starts_with(&fence.to_string().repeat(3)))
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

/// Says at most so many broken links of a line; gives back how many it said.
fn links(
    start: usize,
    line: &str,
    files: &Manifest,
    index: &LineIndex<'_>,
    found: &mut Vec<Diagnostic>,
    most: usize,
) -> usize {
    let before = found.len();
    for link in LINK.captures_iter(line).filter_map(|captures| captures.get(1)) {
        let target = link.as_str();
        if target.starts_with(['#', '/', '~', '$', '{'])
            || target.contains(':')
            || target.starts_with('<')
        {
            continue;
        }
        let target = target.split(['#', '?']).next().unwrap_or_default();
        let decoded = percent_decode_str(target).decode_utf8_lossy();
        let place = || Some(index.place(MAIN_FILE, start + link.start()..start + link.end()));
        match inside(&decoded) {
            None => found.push(
                codes::LINK_OUTSIDE.say(format!("`{target}` lies outside of the skill"), place()),
            ),
            Some(path) => {
                let folder = format!("{path}/");
                let there = path.is_empty()
                    || files.get(&path).is_some()
                    || files.files().iter().any(|file| file.path.starts_with(&folder));
                if !there {
                    found.push(
                        codes::LINK_MISSING.say(format!("there is no file `{path}`"), place()),
                    );
                }
            }
        }
        if found.len() - before == most {
            break;
        }
    }
    found.len() - before
}

/// The path without `.` and `..`; `None` where it leaves the skill.
fn inside(path: &str) -> Option<String> {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}
