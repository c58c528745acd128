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
/// [`LineKind::Gap`] whose text says how many. Hidden characters and line ends other than a line
/// feed are spelled out, so that lines which look alike can be told apart.
pub fn diff(old: &str, new: &str) -> Vec<DiffLine> {
    let diff = TextDiff::configure().timeout(PATIENCE).diff_lines(old, new);
    let mut out = Vec::new();
    let mut seen = 0;
    for group in diff.grouped_ops(CONTEXT) {
        let start = group.first().map_or(seen, |op| op.old_range().start);
        out.extend(gap(start.saturating_sub(seen)));
        for op in &group {
            seen = op.old_range().end;
            for change in diff.iter_changes(op) {
                if out.len() >= MOST {
                    out.push(DiffLine {
                        kind: LineKind::Gap,
                        old: None,
                        new: None,
                        text: "the rest of the difference is not shown".to_owned(),
                    });
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
    Some(DiffLine { kind: LineKind::Gap, old: None, new: None, text })
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn line_ends_that_differ_are_seen() {
        assert_eq!(short(&diff("a\r\n", "a\n")), ["-1:_ a⟨U+000D⟩", "+_:1 a"]);
    }

    #[test]
    fn equal_texts_have_no_lines() {
        assert!(diff("a\n", "a\n").is_empty());
    }
}
