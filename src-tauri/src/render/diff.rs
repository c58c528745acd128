//! Two texts line by line, long unchanged stretches folded.

use std::time::Duration;

use similar::{ChangeTag, TextDiff};

use super::hidden::spelled_out;
use crate::view::{DiffLine, LineKind};

/// Unchanged lines that are kept around each change.
const CONTEXT: usize = 3;
/// After this the rest is shown as replaced as a whole.
const PATIENCE: Duration = Duration::from_millis(500);
/// The most lines of one diff; what is longer ends in a gap.
const MOST: usize = 5000;

/// The lines that differ with three around each; where more are unchanged stands one
/// [`LineKind::Gap`] whose text says how many. Hidden characters are spelled out. A line break is
/// not part of its line: where the breaks differ, one last [`LineKind::Gap`] says so.
pub fn diff(old: &str, new: &str) -> Vec<DiffLine> {
    diff_within(PATIENCE, old, new)
}

fn diff_within(patience: Duration, old: &str, new: &str) -> Vec<DiffLine> {
    let told = breaks_that_differ(old, new);
    let mut out =
        lines_that_differ(patience, &old.replace("\r\n", "\n"), &new.replace("\r\n", "\n"));
    out.extend(told.filter(|_| out.len() <= MOST).map(note));
    out
}

fn lines_that_differ(patience: Duration, old: &str, new: &str) -> Vec<DiffLine> {
    let diff = TextDiff::configure().timeout(patience).diff_lines(old, new);
    let mut out = Vec::new();
    let mut seen = 0;
    for group in diff.grouped_ops(CONTEXT) {
        let start = group.first().map_or(seen, |op| op.old_range().start);
        out.extend(gap(start.saturating_sub(seen)));
        for op in &group {
            seen = op.old_range().end;
            for change in diff.iter_changes(op) {
                if out.len() >= MOST {
                    out.push(note("the rest of the difference is not shown".to_owned()));
                    return out;
                }
                out.push(DiffLine {
                    kind: match change.tag() {
                        ChangeTag::Equal => LineKind::Same,
                        ChangeTag::Insert => LineKind::Added,
                        ChangeTag::Delete => LineKind::Removed,
                    },
                    old: change.old_index().map(number),
                    new: change.new_index().map(number),
                    text: line(change.value()),
                });
            }
        }
    }
    if !out.is_empty() {
        out.extend(gap(diff.old_len().saturating_sub(seen)));
    }
    out
}

fn number(index: usize) -> u32 {
    u32::try_from(index + 1).unwrap_or(u32::MAX)
}

fn line(text: &str) -> String {
    let text = text.strip_suffix('\n').unwrap_or(text);
    spelled_out(text)
}

fn gap(lines: usize) -> Option<DiffLine> {
    let text = match lines {
        0 => return None,
        1 => "1 unchanged line".to_owned(),
        n => format!("{n} unchanged lines"),
    };
    Some(note(text))
}

fn note(text: String) -> DiffLine {
    DiffLine { kind: LineKind::Gap, old: None, new: None, text }
}

/// In words, where the line breaks are not the same before and after.
fn breaks_that_differ(old: &str, new: &str) -> Option<String> {
    let breaks = |text: &str| {
        let crlf = text.matches("\r\n").count();
        (crlf, text.matches('\n').count() - crlf)
    };
    let word = |text| match breaks(text) {
        (0, 0) => "none",
        (0, _) => "LF",
        (_, 0) => "CRLF",
        (_, _) => "CRLF and LF",
    };
    let (before, after) = (word(old), word(new));
    if before != after && before != "none" && after != "none" {
        return Some(format!("the line breaks were {before} and are {after} now"));
    }
    let only = old != new && old.replace("\r\n", "\n") == new.replace("\r\n", "\n");
    only.then(|| "only line breaks differ".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// However slow the machine is.
    fn diff(old: &str, new: &str) -> Vec<DiffLine> {
        diff_within(Duration::from_secs(3600), old, new)
    }

    fn short(lines: &[DiffLine]) -> Vec<String> {
        lines
            .iter()
            .map(|line| {
                let mark = match line.kind {
                    LineKind::Same => ' ',
                    LineKind::Added => '+',
                    LineKind::Removed => '-',
                    LineKind::Gap => '~',
                };
                let number = |n: Option<u32>| n.map_or("_".to_owned(), |n| n.to_string());
                format!("{mark}{}:{} {}", number(line.old), number(line.new), line.text)
            })
            .collect()
    }

    #[test]
    fn long_unchanged_stretches_are_one_gap() {
        let old: String = (1..=10).map(|n| format!("l{n}\n")).collect();
        let new = old.replace("l6\n", "six\n");
        assert_eq!(
            short(&diff(&old, &new)),
            [
                "~_:_ 2 unchanged lines",
                " 3:3 l3",
                " 4:4 l4",
                " 5:5 l5",
                "-6:_ l6",
                "+_:6 six",
                " 7:7 l7",
                " 8:8 l8",
                " 9:9 l9",
                "~_:_ 1 unchanged line",
            ]
        );
    }

    #[test]
    fn line_breaks_that_differ_are_told_and_not_shown_as_characters() {
        assert_eq!(
            short(&diff("a\r\nb\r\n", "a\nb\n")),
            ["~_:_ the line breaks were CRLF and are LF now"]
        );
        assert_eq!(
            short(&diff("a\nb\n", "a\r\nc\r\n")),
            [" 1:1 a", "-2:_ b", "+_:2 c", "~_:_ the line breaks were LF and are CRLF now"]
        );
        assert_eq!(short(&diff("a\r\nb\nc\n", "a\nb\r\nc\n")), ["~_:_ only line breaks differ"]);
    }

    #[test]
    fn a_line_that_changed_in_a_text_with_crlf_has_no_hidden_character() {
        assert_eq!(short(&diff("# a\r\n", "# b\r\n")), ["-1:_ # a", "+_:1 # b"]);
    }

    #[test]
    fn a_carriage_return_that_breaks_no_line_is_spelled_out() {
        assert_eq!(short(&diff("a\n", "a\r\r\n"))[1], "+_:1 a⟨U+000D⟩");
    }

    #[test]
    fn equal_texts_have_no_lines() {
        assert!(diff("a\n", "a\n").is_empty());
    }
}
