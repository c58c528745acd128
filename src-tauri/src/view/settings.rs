//! Settings.

use serde::{Deserialize, Serialize};

/// What the person can set, and where things are.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct SettingsView {
    /// Light, dark or as the system.
    pub theme: Theme,
    /// Whether the built-in samples are offered.
    pub samples: bool,
    /// False until the person has finished the first screen.
    pub welcomed: bool,
    /// Where Skillhold keeps its data, as a person writes it.
    pub data_folder: String,
    /// Of the program.
    pub version: String,
    /// Folders that the person added, in the order they were added.
    pub folders: Vec<AddedFolder>,
    /// When an offered skill has to be reviewed.
    pub approvals: Approvals,
}

/// When an offered skill has to be reviewed before it is approved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub enum Approvals {
    /// Always.
    Always,
    /// Not where exactly the same content was already approved from another server: one click
    /// accepts it.
    SameContent,
}

/// A folder that the person added.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct AddedFolder {
    /// As a person writes it; what `removeFolder` takes.
    pub path: String,
    /// What it is.
    pub kind: FolderKind,
    /// How many skills are found through it.
    pub count: usize,
    /// Why it could not be read.
    pub problem: Option<String>,
}

/// What a folder is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub enum FolderKind {
    /// One skill.
    Skill,
    /// A folder of skills.
    Skills,
    /// A project, in which tools keep skills.
    Project,
    /// Nothing that holds skills, now.
    Empty,
}

/// Which theme.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub enum Theme {
    /// As the system.
    System,
    /// Always light.
    Light,
    /// Always dark.
    Dark,
}

/// The payload of the event `changed`: ask again for these.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct Changed {
    /// What is out of date.
    pub what: Scope,
    /// The new revision.
    pub revision: u64,
}

/// A part of the state that the page holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub enum Scope {
    /// `library`.
    Library,
    /// `servers`.
    Servers,
    /// `activity`.
    Activity,
    /// `sharing`.
    Sharing,
}
