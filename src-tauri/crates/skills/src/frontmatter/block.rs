//! Where the front matter lies in a `SKILL.md`.

use std::ops::Range;

use crate::lines::{lines, without_last_break};

/// The UTF-8 byte order mark.
const BOM: &str = "\u{feff}";

/// A delimited front matter; ranges are in bytes of the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Block {
    /// Between the delimiters, with the last line's break.
    pub(super) yaml: Range<usize>,
    /// What follows the line of the closing delimiter.
    pub(super) body: Range<usize>,
    /// The line, from 1, on which `body` starts.
    pub(super) body_line: u32,
}

/// Why there is no front matter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NoBlock {
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
pub(super) fn find_lenient(text: &str) -> Result<Block, NoBlock> {
    find(text, |line| line.strip_prefix("---").is_some_and(|rest| rest.trim().is_empty()))
}

/// Delimiters exactly `---`, and something between them.
pub(super) fn find_strict(text: &str) -> Result<Block, NoBlock> {
    let block = find(text, |line| line == "---").map_err(|error| match find_lenient(text) {
        Ok(_) if error == NoBlock::NotOpened => NoBlock::Untidy(1),
        Ok(block) => NoBlock::Untidy(block.body_line - 1),
        Err(_) => error,
    })?;
    if block.yaml.is_empty() { Err(NoBlock::Empty) } else { Ok(block) }
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
