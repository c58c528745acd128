//! Two versions of a skill side by side.

use serde::{Deserialize, Serialize};

use super::FileRow;

/// One version of a skill.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
#[serde(tag = "kind", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum SideRef {
    /// A copy as it is on this disk.
    Copy {
        /// The copy's id.
        id: String,
    },
    /// A copy as Skillhold installed it.
    Installed {
        /// The copy's id.
        copy: String,
    },
    /// A skill of a server as it was approved last.
    Approved {
        /// The server's id.
        server: String,
        /// The skill's URI.
        uri: String,
    },
    /// What is kept in the trash.
    Trashed {
        /// Its id there.
        id: String,
    },
}

/// Two versions, file by file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct CompareView {
    /// What the left version is, as a heading.
    pub left: String,
    /// What the right one is.
    pub right: String,
    /// Every file of either, in byte order of paths.
    pub files: Vec<ComparedFile>,
}

/// One file of two versions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct ComparedFile {
    /// Relative to the skill.
    pub path: String,
    /// As the left version has it; `null` where it does not.
    pub left: Option<FileRow>,
    /// As the right one has it.
    pub right: Option<FileRow>,
    /// Byte for byte the same.
    pub same: bool,
    /// They differ in nothing but their line endings.
    pub only_line_endings: bool,
    /// Why its lines cannot be shown, where the bytes of one version are not kept any more.
    pub not_kept: Option<String>,
}
