//! What is wrong with a skill, and what readers make of it.

use serde::{Deserialize, Serialize};

/// One diagnostic or finding.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct CheckView {
    /// As in `name-folder`.
    pub code: String,
    /// How bad.
    pub severity: Severity,
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub help: Option<String>,
    /// The file, relative to the skill.
    pub file: Option<String>,
    /// From 1.
    pub line: Option<u32>,
    /// From 1, in characters.
    pub column: Option<u32>,
    /// The place as it reads, with what does not show made visible; only findings have it.
    pub excerpt: Option<String>,
    /// Ways to put it right, the one to take unasked first; empty where only the author can.
    pub fixes: Vec<FixView>,
}

/// One way to put a diagnostic right.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct FixView {
    /// Opaque; what `applyFix` takes.
    pub id: String,
    /// What the button says, as in `quote the value`.
    pub title: String,
    /// What it changes.
    pub change: FixChange,
}

/// What a fix changes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
#[serde(tag = "kind", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum FixChange {
    /// Parts of one file.
    Edits {
        /// Relative to the skill.
        file: String,
        /// The lines that change, as they are; cut after the first twenty.
        before: Vec<String>,
        /// The same lines as they will be.
        after: Vec<String>,
    },
    /// The folder's name.
    Rename {
        /// As it is.
        from: String,
        /// As it will be.
        to: String,
    },
}

/// What one kind of reader makes of a skill.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct ReaderView {
    /// As in `Claude Code and other readers of YAML 1.2`.
    pub reader: String,
    /// How much of the skill it gets.
    pub outcome: ReaderOutcome,
    /// What it gets, or why not.
    pub message: String,
}

/// How much of a skill a reader gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub enum ReaderOutcome {
    /// All of it, with the author's name and description.
    Loads,
    /// The skill, but with other values than the author meant, or without some.
    Partly,
    /// Nothing: the skill is left out.
    Drops,
}

/// How bad a diagnostic is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub enum Severity {
    /// Must be looked at and ticked before an approval.
    Grave,
    /// Breaks a MUST.
    Error,
    /// Allowed but unwise.
    Warning,
    /// Advice.
    Note,
}
