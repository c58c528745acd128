//! What was replaced or removed and is still kept.

use serde::{Deserialize, Serialize};

/// The whole trash.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct TrashView {
    /// The latest first.
    pub rows: Vec<TrashRow>,
    /// In all.
    pub bytes: u64,
    /// For how many days each is kept.
    pub days: u32,
}

/// One skill in the trash.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct TrashRow {
    /// Opaque.
    pub id: String,
    /// The folder's name.
    pub name: String,
    /// Where it was, as a person writes it.
    pub path: String,
    /// In bytes.
    pub size: u64,
    /// When it was moved there, in RFC 3339.
    pub at: String,
    /// The change that moved it there; `null` where that can no longer be undone.
    pub change: Option<String>,
    /// When it is removed for good, in RFC 3339.
    pub until: String,
}
