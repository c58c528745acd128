//! What happened.

use serde::{Deserialize, Serialize};

/// All that happened, newest first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct ActivityView {
    /// Grows with every change.
    pub revision: u64,
    /// Newest first.
    pub rows: Vec<ActivityRow>,
}

/// One thing that happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct ActivityRow {
    /// Opaque.
    pub id: String,
    /// In RFC 3339.
    pub at: String,
    /// What kind of thing.
    pub kind: ActivityKind,
    /// The skill's or server's name.
    pub subject: String,
    /// A sentence.
    pub text: String,
    /// First twelve digits of the fingerprint, where there is one.
    pub fingerprint: Option<String>,
    /// What `undo` takes; absent where there is nothing to undo.
    pub change: Option<String>,
    /// It was undone.
    pub undone: bool,
    /// Why it can no longer be undone; only told of the newest hundred.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub stuck: Option<String>,
}

/// What kind of thing happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub enum ActivityKind {
    /// A server was added.
    ServerAdded,
    /// A server got another address or command line.
    ServerChanged,
    /// A server was removed.
    ServerRemoved,
    /// A skill was approved.
    Approved,
    /// A skill was rejected.
    Rejected,
    /// An approval was taken back because the server changed the skill.
    Revoked,
    /// A skill was installed from a server.
    Installed,
    /// A skill was copied between tools.
    Copied,
    /// What a check said was put right in a skill's folder.
    Fixed,
    /// A placed skill became what its server or its source has now.
    Updated,
    /// A skill was moved into the trash.
    Removed,
    /// A skill was moved aside.
    Disabled,
    /// A skill was put back where it was.
    Enabled,
    /// A skill was taken into the record.
    Adopted,
    /// A skill got another name.
    Renamed,
    /// Skills were read from a folder or a file, to be reviewed.
    Imported,
    /// Skills were written into one file.
    Exported,
    /// Several changes of several kinds.
    Several,
    /// A change was undone.
    Undone,
    /// An interrupted change was finished or taken back at start.
    Recovered,
}
