//! Installing and copying: the plan and what came of it.

use super::{CheckView, ErrorView, FileRow, LeftOut};
use serde::{Deserialize, Serialize};
/// What is to be placed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
#[serde(tag = "kind", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum SourceRef {
    /// An approved skill of a server.
    Offer {
        /// The server's id.
        server: String,
        /// The skill's URI.
        uri: String,
        /// Paths of files that are to be programs: a server says nothing of such a bit.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        #[cfg_attr(feature = "ts", ts(optional, as = "Option<Vec<String>>"))]
        executable: Vec<String>,
    },
    /// A skill on this disk.
    Copy {
        /// The copy's id.
        id: String,
    },
}

/// Where it is to go and what to do when something is there.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct TargetRef {
    /// The tool's id.
    pub tool: String,
    /// What to do when other content has the name.
    pub on_conflict: OnConflict,
    /// The folder's name, where it is not the skill's own.
    pub name: Option<String>,
    /// How; absent for the tool's own, [`ToolView::mode`](super::ToolView::mode).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub mode: Option<PlaceMode>,
}

/// How a skill is placed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub enum PlaceMode {
    /// Files of its own.
    Copy,
    /// A link to one folder that Skillhold keeps, which several tools can share.
    Link,
}

/// What to do when other content has the name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub enum OnConflict {
    /// Leave it.
    Keep,
    /// Put the new one in its place; the old one is kept for undo.
    Replace,
}

/// A change to disk that was worked out and not made.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct PlanView {
    /// Opaque; what `apply_plan` takes.
    pub id: String,
    /// The skill's name.
    pub name: String,
    /// Label of the server, or the path it is copied from.
    pub origin: String,
    /// A row for each tool that was asked for.
    pub items: Vec<PlanItemView>,
    /// The files that will be written into each.
    pub files: Vec<FileRow>,
    /// What is left out, where something is.
    pub left_out: Option<LeftOut>,
    /// Paths of served files that begin with `#!`: whether they are to be programs is the person's
    /// choice.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "ts", ts(optional, as = "Option<Vec<String>>"))]
    pub programs: Vec<String>,
    /// What to know of the whole, a sentence each, as that a disk has no links.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "ts", ts(optional, as = "Option<Vec<String>>"))]
    pub notices: Vec<String>,
    /// What is grave in a skill that is copied from this disk, which nobody reviewed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "ts", ts(optional, as = "Option<Vec<CheckView>>"))]
    pub grave: Vec<CheckView>,
    /// Why nothing can be installed at all.
    pub blockers: Vec<String>,
    /// How many targets will be written.
    pub writes: usize,
}

/// What will happen for one tool.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct PlanItemView {
    /// The tool's id.
    pub tool: String,
    /// Ids of all tools that read this folder.
    pub seen_by: Vec<String>,
    /// What will be written, as a person writes it.
    pub path: String,
    /// What is there now.
    pub standing: TargetStanding,
    /// What will be done.
    pub action: PlanAction,
    /// How it will really be placed: a copy where the disk has no links.
    pub mode: PlaceMode,
    /// Why it cannot be done, or what to know.
    pub message: Option<String>,
}

/// What is at a target now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub enum TargetStanding {
    /// Nothing.
    Free,
    /// The same bytes.
    Identical,
    /// Other content that Skillhold placed.
    Ours,
    /// Other content that Skillhold did not place.
    Foreign,
    /// It cannot be written.
    Blocked,
}

/// What will be done at a target.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub enum PlanAction {
    /// Write it.
    Write,
    /// Put it in the place of what is there.
    Replace,
    /// Leave what is there.
    Keep,
    /// Nothing can be done.
    Refuse,
    /// Do what was asked for: remove, disable, enable, adopt or rename.
    Do,
}

/// What came of a plan.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct OutcomeView {
    /// For undo.
    pub change: String,
    /// The skill's name; for several, how many.
    pub name: String,
    /// A row for each tool, or for each skill.
    pub items: Vec<OutcomeItem>,
}

/// What came of one target.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct OutcomeItem {
    /// The skill's name.
    pub name: String,
    /// The tool's id; empty for a folder that no tool reads.
    pub tool: String,
    /// Ids of all tools that it is for, where it is one row for several.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "ts", ts(optional, as = "Option<Vec<String>>"))]
    pub tools: Vec<String>,
    /// As a person writes it.
    pub path: String,
    /// What happened.
    pub result: OutcomeResult,
    /// Why not, where it failed.
    pub error: Option<ErrorView>,
    /// What else there is to say of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub note: Option<String>,
}

/// What happened at a target.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub enum OutcomeResult {
    /// Written, read back and checked.
    Written,
    /// Written in the place of something, which is kept.
    Replaced,
    /// Left as it was.
    Kept,
    /// Failed; as it was before.
    Failed,
    /// Taken back.
    Undone,
    /// Moved into the trash.
    Removed,
    /// Moved aside.
    Disabled,
    /// Put back where it was.
    Enabled,
    /// Taken into the record; no byte of it changed.
    Adopted,
    /// Given another name.
    Renamed,
}
