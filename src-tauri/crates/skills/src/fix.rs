//! A way to put right what a diagnostic says, as data. This crate only describes it; whoever may
//! write to the folder applies it, and can take it back.

use std::ops::Range;

use serde::{Deserialize, Serialize};

/// One way to put one diagnostic right.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub enum Fix {
    /// Change parts of one file and nothing else.
    Edits {
        /// What a button says, as in `quote the value`.
        title: String,
        /// Relative to the skill.
        file: String,
        /// In order of their places, none overlapping another; never empty.
        edits: Vec<TextEdit>,
    },
    /// Give the skill's folder another name.
    RenameFolder {
        /// What a button says.
        title: String,
        /// The new name.
        to: String,
    },
}

/// A range of bytes and what comes in its place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TextEdit {
    /// In bytes of the file as it was read.
    pub range: Range<usize>,
    /// What is written there.
    pub replacement: String,
}

/// Why edits do not fit the bytes that they are to change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the file is not the one that the fix was made for")]
pub struct DoesNotFit;

impl Fix {
    /// What a button says.
    pub fn title(&self) -> &str {
        match self {
            Self::Edits { title, .. } | Self::RenameFolder { title, .. } => title,
        }
    }
}

/// The bytes with all edits made, the others as they were.
///
/// # Errors
/// When a range lies outside, or edits overlap or are out of order.
pub fn edited(bytes: &[u8], edits: &[TextEdit]) -> Result<Vec<u8>, DoesNotFit> {
    let mut after = Vec::with_capacity(bytes.len());
    let mut at = 0;
    for edit in edits {
        let kept = bytes.get(at..edit.range.start).ok_or(DoesNotFit)?;
        bytes.get(edit.range.clone()).ok_or(DoesNotFit)?;
        after.extend_from_slice(kept);
        after.extend_from_slice(edit.replacement.as_bytes());
        at = edit.range.end;
    }
    after.extend_from_slice(bytes.get(at..).ok_or(DoesNotFit)?);
    Ok(after)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edit(range: Range<usize>, replacement: &str) -> TextEdit {
        TextEdit { range, replacement: replacement.into() }
    }

    #[test]
    fn edits_change_their_ranges_and_nothing_else() {
        let edits = [edit(0..1, "xy"), edit(3..3, "+"), edit(4..6, "")];
        assert_eq!(edited(b"abcdef", &edits).unwrap(), b"xybc+d");
    }

    #[test]
    fn edits_that_do_not_fit_are_refused() {
        assert_eq!(edited(b"abc", &[edit(2..4, "")]), Err(DoesNotFit));
        assert_eq!(edited(b"abc", &[edit(1..2, ""), edit(0..1, "")]), Err(DoesNotFit));
        #[expect(clippy::reversed_empty_ranges, reason = "what a damaged record may hold")]
        let reversed = edit(2..1, "");
        assert_eq!(edited(b"abc", &[reversed]), Err(DoesNotFit));
    }
}
