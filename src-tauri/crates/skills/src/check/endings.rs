//! Rules for the bytes that a text starts with and the ends of its lines.

use super::mending::{Change, Mender};
use super::{Diagnostic, codes, fields};
use crate::MAIN_FILE;
use crate::fix::TextEdit;
use crate::frontmatter::FrontMatter;
use crate::lines::{LineIndex, lines_at, without_last_break};

/// The most single edits of a fix; beyond that a person should look.
const MAX_EDITS: usize = 20_000;

/// How the lines of a text end.
#[derive(Debug, Default, PartialEq, Eq)]
struct Ends {
    lf: usize,
    crlf: usize,
    cr: usize,
}

pub(super) fn check(
    folder_name: &str,
    skill_md: &[u8],
    read: &FrontMatter,
    found: &mut Vec<Diagnostic>,
) {
    let Ok(text) = std::str::from_utf8(skill_md) else { return };
    let mender = || Mender::new(folder_name, skill_md, read);
    let bom = '\u{feff}';
    if text.starts_with(bom) {
        let message = "the file starts with a byte order mark";
        let mut mark = codes::BYTE_ORDER_MARK.say(message, fields::first_place());
        let edit = TextEdit { range: 0..bom.len_utf8(), replacement: String::new() };
        let tried = |mender: Mender<'_>| {
            let title = "remove the byte order mark";
            mender.tried(&codes::BYTE_ORDER_MARK, title, vec![edit], &Change::Nothing)
        };
        mark.fixes.extend(mender().and_then(tried));
        found.push(mark);
    }
    let ends = ends(text);
    let kinds = [ends.lf, ends.crlf, ends.cr].iter().filter(|count| **count > 0).count();
    if kinds < 2 && ends.cr == 0 {
        return;
    }
    let message = match (kinds, ends.cr) {
        (1, _) => "the lines end with CR, which most readers do not take for an end".to_owned(),
        _ => format!(
            "lines end in more than one way: {} with LF, {} with CRLF, {} with CR",
            ends.lf, ends.crlf, ends.cr
        ),
    };
    let mut mixed = codes::LINE_ENDINGS.say(message, None);
    let wanted = if ends.crlf > ends.lf { "\r\n" } else { "\n" };
    let index = LineIndex::new(text);
    if let Some(edits) = edits(text, wanted)
        && let Some(mender) = mender()
    {
        mixed.place = edits.first().map(|edit| index.place(MAIN_FILE, edit.range.clone()));
        let title = match wanted {
            "\n" => "end every line with LF",
            _ => "end every line with CRLF",
        };
        mixed.fixes.extend(mender.tried_everywhere(&codes::LINE_ENDINGS, title, edits));
    }
    found.push(mixed);
}

fn ends(text: &str) -> Ends {
    let mut ends = Ends::default();
    for (_, line) in lines_at(text) {
        match line {
            line if line.ends_with("\r\n") => ends.crlf += 1,
            line if line.ends_with('\n') => ends.lf += 1,
            line if line.ends_with('\r') => ends.cr += 1,
            _ => {}
        }
    }
    ends
}

/// The breaks that are not as wanted; `None` when they are too many to change one by one.
fn edits(text: &str, wanted: &str) -> Option<Vec<TextEdit>> {
    let mut edits = Vec::new();
    for (start, line) in lines_at(text) {
        let kept = without_last_break(line).len();
        if kept == line.len() || &line[kept..] == wanted {
            continue;
        }
        if edits.len() == MAX_EDITS {
            return None;
        }
        let range = start + kept..start + line.len();
        edits.push(TextEdit { range, replacement: wanted.to_owned() });
    }
    Some(edits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_way_to_end_a_line_is_counted() {
        assert_eq!(ends("a\nb\r\nc\rd"), Ends { lf: 1, crlf: 1, cr: 1 });
        assert_eq!(ends(""), Ends::default());
    }

    #[test]
    fn only_the_breaks_that_differ_are_changed() {
        let edits = edits("a\nb\r\nc\r", "\n").unwrap();
        let ranges: Vec<_> = edits.into_iter().map(|edit| edit.range).collect();
        assert_eq!(ranges, [3..5, 6..7]);
        assert!(super::edits(&"\r".repeat(20_001), "\n").is_none());
    }
}
