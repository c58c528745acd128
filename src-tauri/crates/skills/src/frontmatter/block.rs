//! Where the front matter lies in a `SKILL.md`.

use std::ops::Range;

use crate::lines::{lines, without_last_break};

/// The UTF-8 byte order mark.
const BOM: &str = "\u{feff}";

/// A delimited front matter; ranges are in bytes of the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Block {
    /// Between the delimiters, with the last line's break.
    pub(crate) yaml: Range<usize>,
    /// What follows the line of the closing delimiter.
    pub(crate) body: Range<usize>,
    /// The line, from 1, on which `body` starts.
    pub(crate) body_line: u32,
}

/// Why there is no front matter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NoBlock {
    /// The text does not start with `---`.
    NotOpened,
    /// There is no closing `---`.
    NotClosed,
    /// Something follows `---` on its line, spaces too; the line from 1.
    Untidy(u32),
    /// Nothing stands between the delimiters.
    Empty,
}

/// Delimiters as the reference's compatible mode finds them: blanks may follow `---`.
pub(crate) fn find_lenient(text: &str) -> Result<Block, NoBlock> {
    find(text, |line| line.strip_prefix("---").is_some_and(|rest| rest.trim().is_empty()))
}

/// Delimiters exactly `---` on lines that end with LF or CRLF, and something between them.
pub(crate) fn find_strict(text: &str) -> Result<Block, NoBlock> {
    let block = find_exact(text).map_err(|error| match find_lenient(text) {
        Ok(_) if error == NoBlock::NotOpened => NoBlock::Untidy(1),
        Ok(block) => NoBlock::Untidy(block.body_line - 1),
        Err(_) => error,
    })?;
    if block.yaml.is_empty() { Err(NoBlock::Empty) } else { Ok(block) }
}

fn find_exact(text: &str) -> Result<Block, NoBlock> {
    let start = if text.starts_with(BOM) { BOM.len() } else { 0 };
    let mut at = start;
    let mut yaml_start = None;
    for line in text[start..].split_inclusive('\n') {
        let end = at + line.len();
        // A lone CR ends no line here, not even the last.
        let bare =
            line.strip_suffix('\n').map_or(line, |line| line.strip_suffix('\r').unwrap_or(line));
        match (yaml_start, bare == "---") {
            (None, false) => return Err(NoBlock::NotOpened),
            (None, true) => yaml_start = Some(end),
            (Some(yaml_start), true) => {
                return Ok(Block {
                    yaml: yaml_start..at,
                    body: end..text.len(),
                    body_line: lines(&text[..end]).count() as u32 + 1,
                });
            }
            (Some(_), false) => {}
        }
        at = end;
    }
    Err(if yaml_start.is_some() { NoBlock::NotClosed } else { NoBlock::NotOpened })
}

/// Where the front matter ends to readers of other habits: what counts as the closing delimiter,
/// whether only LF ends a line, and whether a line must stand between the delimiters. In bytes,
/// where the closing line starts.
pub(crate) fn other_ends(text: &str) -> Vec<usize> {
    type IsDelimiter = fn(&str) -> bool;
    const HABITS: [IsDelimiter; 3] = [
        |line| without_last_break(line) == "---",
        |line| line.strip_prefix("---").is_some_and(|rest| rest.trim().is_empty()),
        |line| line.starts_with("---"),
    ];
    fn ends<'a>(
        lines: impl Iterator<Item = &'a str>,
        start: usize,
        is_delimiter: IsDelimiter,
    ) -> impl Iterator<Item = usize> {
        let mut at = start;
        let mut found = [None; 2];
        for (number, line) in lines.enumerate() {
            // The first that closes, and the first that does so with a line before it.
            if number > 0 && is_delimiter(line) {
                found[0] = found[0].or(Some(at));
                if number > 1 {
                    found[1] = Some(at);
                    break;
                }
            }
            at += line.len();
        }
        found.into_iter().flatten()
    }
    let start = if text.starts_with(BOM) { BOM.len() } else { 0 };
    let rest = &text[start..];
    HABITS
        .into_iter()
        .flat_map(|habit| {
            ends(rest.split_inclusive('\n'), start, habit).chain(ends(lines(rest), start, habit))
        })
        .collect()
}

fn find(text: &str, is_delimiter: impl Fn(&str) -> bool) -> Result<Block, NoBlock> {
    let start = if text.starts_with(BOM) { BOM.len() } else { 0 };
    let mut at = start;
    let mut yaml_start = None;
    for (number, line) in (1..).zip(lines(&text[start..])) {
        let end = at + line.len();
        let delimits = is_delimiter(without_last_break(line));
        match yaml_start {
            None if delimits => yaml_start = Some(end),
            None => return Err(NoBlock::NotOpened),
            Some(yaml_start) if delimits => {
                return Ok(Block {
                    yaml: yaml_start..at,
                    body: end..text.len(),
                    body_line: number + 1,
                });
            }
            Some(_) => {}
        }
        at = end;
    }
    Err(if yaml_start.is_some() { NoBlock::NotClosed } else { NoBlock::NotOpened })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn yaml(text: &str) -> Result<&str, NoBlock> {
        find_strict(text).map(|block| &text[block.yaml])
    }

    #[test]
    fn delimiters_are_found_with_bom_and_any_line_break() {
        assert_eq!(yaml("---\na: b\n---\nbody"), Ok("a: b\n"));
        assert_eq!(yaml("\u{feff}---\r\na: b\r\n---\r\nbody"), Ok("a: b\r\n"));
        assert_eq!(yaml("---\na: b\n---"), Ok("a: b\n"));
        let block = find_lenient("--- \na: b\n---\t\nbody\n").unwrap();
        assert_eq!(block, Block { yaml: 5..10, body: 15..20, body_line: 4 });
    }

    #[test]
    fn what_strict_delimiters_are_not_is_named() {
        assert_eq!(yaml(""), Err(NoBlock::NotOpened));
        assert_eq!(yaml("# Title\n"), Err(NoBlock::NotOpened));
        assert_eq!(yaml("---\na: b\n"), Err(NoBlock::NotClosed));
        assert_eq!(yaml("---\n---\nbody"), Err(NoBlock::Empty));
        assert_eq!(yaml("--- \na: b\n---\n"), Err(NoBlock::Untidy(1)));
        assert_eq!(yaml("---\na: b\n--- \n"), Err(NoBlock::Untidy(3)));
    }
}
