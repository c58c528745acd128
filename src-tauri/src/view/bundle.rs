//! Bundles, and skills that were imported.

use serde::{Deserialize, Serialize};

/// What is asked for to import skills from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub enum ImportFrom {
    /// A `.zip` or `.skill` file.
    File,
    /// A skill's folder, or a folder of skills.
    Folder,
}

/// What came of an import.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct ImportView {
    /// The id of the server whose skills they are now.
    pub server: String,
    /// Its label.
    pub label: String,
    /// Whether the same content had been imported before: then this is the server of that time, and
    /// nothing was added.
    pub already: bool,
    /// The names of the skills, in order.
    pub skills: Vec<String>,
    /// What was not imported, and why.
    pub left_out: Vec<ImportLeftOut>,
}

/// Something that was not imported.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct ImportLeftOut {
    /// Where it is in the file or folder.
    pub name: String,
    /// Why, lower case and without a full stop.
    pub reason: String,
}

/// What the skills of a server were imported from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct ImportedView {
    /// What it was.
    pub from: ImportedKind,
    /// The name of the file or folder.
    pub name: String,
    /// When, in RFC 3339.
    pub at: String,
}

/// What skills were imported from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub enum ImportedKind {
    /// A `.zip` or `.skill` file that Skillhold did not make.
    File,
    /// A file that Skillhold exported.
    Bundle,
    /// A folder.
    Folder,
}

/// What a bundle says of a skill: information from elsewhere that nobody checked. It never counts
/// as an approval.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct SaidView {
    /// Where it came from there, in one line.
    pub origin: Option<String>,
    /// The approval that it had there.
    pub approval: Option<SaidApproval>,
    /// Files that were executable there; no bit is set on its word.
    pub executable: Vec<String>,
}

/// An approval that somebody else gave.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct SaidApproval {
    /// Whether it was of exactly this content.
    pub same_content: bool,
    /// Whether what the skill asks for was granted.
    pub granted: bool,
    /// When, in RFC 3339.
    pub at: String,
    /// Their remark.
    pub note: Option<String>,
    /// What had been found in it, as it was shown there.
    pub findings: Vec<String>,
}
