//! The review of one offered skill.

use super::{CheckView, Field, FileRow, ManifestView, Requests, SaidView, Standing};
use serde::{Deserialize, Serialize};
/// All that a person needs to decide.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct ReviewView {
    /// Opaque; what commands take.
    pub id: String,
    /// The server's id.
    pub server: String,
    /// The server's label.
    pub label: String,
    /// The address or the command line.
    pub address: String,
    /// Of the `SKILL.md`.
    pub uri: String,
    /// The skill's name.
    pub name: String,
    /// The skill's description.
    pub description: String,
    /// How it stood when the review began.
    pub standing: Standing,
    /// Other places where the name exists: labels of servers, paths.
    pub same_name: Vec<String>,
    /// The front matter of the fetched `SKILL.md`.
    pub front_matter: Vec<Field>,
    /// The fetched body as safe markup.
    pub html: String,
    /// What it asks for.
    pub requests: Requests,
    /// What it is made of.
    pub contains: Contains,
    /// Every check made, in order, with its result.
    pub verifications: Vec<Verification>,
    /// What inspection and checks found, worst first.
    pub findings: Vec<CheckView>,
    /// How many rules were tried for them.
    pub rules: usize,
    /// The files with their verification.
    pub manifest: ManifestView,
    /// What is different from the content approved before.
    pub changed: Option<Vec<FileChange>>,
    /// What is left out on installation unless it is granted.
    pub left_out: Option<LeftOut>,
    /// Skills inside this one.
    pub nested: Vec<NestedSkill>,
    /// Why it cannot be approved, a sentence each; empty when it can.
    pub blockers: Vec<String>,
    /// What happened on the server while it was fetched, in a sentence.
    pub note: Option<String>,
    /// What the bundle that it was imported from says of it; null for any other skill.
    pub said: Option<SaidView>,
}

/// What a skill is made of.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct Contains {
    /// How many.
    pub files: usize,
    /// In all.
    pub bytes: u64,
    /// Paths of scripts.
    pub scripts: Vec<String>,
    /// Paths of files that are not text.
    pub binaries: Vec<String>,
}

/// One check of a review.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct Verification {
    /// What was checked.
    pub what: String,
    /// Whether it holds.
    pub holds: bool,
    /// Expected and actual, or a remark.
    pub detail: Option<String>,
}

/// One file that differs from what was approved before.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct FileChange {
    /// Relative to the skill.
    pub path: String,
    /// How.
    pub change: ChangeKind,
    /// The file as offered now.
    pub now: Option<FileRow>,
    /// Line by line, for text.
    pub diff: Option<Vec<DiffLine>>,
}

/// How a file differs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub enum ChangeKind {
    /// New.
    Added,
    /// Gone.
    Removed,
    /// Other bytes.
    Changed,
}

/// One line of a diff.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct DiffLine {
    /// What became of it.
    pub kind: LineKind,
    /// In the old text, from 1.
    pub old: Option<u32>,
    /// In the new text, from 1.
    pub new: Option<u32>,
    /// Without its line break.
    pub text: String,
}

/// What became of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub enum LineKind {
    /// In both.
    Same,
    /// Only in the new text.
    Added,
    /// Only in the old text.
    Removed,
    /// Some unchanged lines are not shown here.
    Gap,
}

/// What is left out of an installed `SKILL.md` when nothing is granted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct LeftOut {
    /// The fields.
    pub fields: Vec<String>,
    /// As served against as installed.
    pub diff: Vec<DiffLine>,
    /// Fingerprint as served.
    pub served_fingerprint: String,
    /// Fingerprint as installed.
    pub installed_fingerprint: String,
    /// Why it cannot be left out by a small edit; installing then needs the grant.
    pub impossible: Option<String>,
}

/// A skill inside another.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct NestedSkill {
    /// Its own URI.
    pub uri: String,
    /// Relative to the outer one.
    pub path: String,
    /// How it stands by itself.
    pub standing: Standing,
}

/// How far a running job is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct Progress {
    /// What is being done now, as a path or a tool's name.
    pub what: String,
    /// Steps done.
    pub done: usize,
    /// Steps in all.
    pub of: usize,
    /// Bytes done.
    pub bytes: u64,
    /// Bytes in all.
    pub of_bytes: u64,
}
