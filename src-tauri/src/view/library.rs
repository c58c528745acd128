//! The library: tools and rows.

use serde::{Deserialize, Serialize};

use super::PlaceMode;

/// The whole library at one moment.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct LibraryView {
    /// Grows with every change; replies with a lower one are out of date.
    pub revision: u64,
    /// True until the first scan is done.
    pub scanning: bool,
    /// Every tool Skillhold knows, found ones first.
    pub tools: Vec<ToolView>,
    /// One row a skill name, in order of names.
    pub skills: Vec<SkillRow>,
    /// Skills that are still to be inspected: their rows say nothing of findings yet.
    pub uninspected: usize,
    /// Roots that could not be read.
    pub problems: Vec<RootProblem>,
    /// Folders of skills of tools that are not here: what is in them is not read.
    pub unread: Vec<UnreadFolder>,
    /// Skills that were disabled, the latest first.
    pub aside: Vec<AsideRow>,
    /// What Skillhold placed and is not there any more, in order of names.
    pub gone: Vec<GoneRow>,
}

/// A tool that reads skills.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct ToolView {
    /// As in `claude-code`.
    pub id: String,
    /// As in `Claude Code`.
    pub name: String,
    /// Two letters.
    pub monogram: String,
    /// Whether it is on this machine.
    pub detection: Detection,
    /// How many skills it sees.
    pub count: usize,
    /// The folders it reads, as a person writes them.
    pub roots: Vec<String>,
    /// Where a copy for it goes.
    pub install_root: String,
    /// Whether its folders are scanned.
    pub on: bool,
    /// What the person chose; absent where they chose nothing.
    pub chosen: Option<bool>,
    /// Whether Skillhold placed something for it.
    pub placed: bool,
    /// Whether the person set its folders.
    pub overridden: bool,
    /// Whether it reads folders that are links.
    pub links: ReadsLinks,
    /// How a skill is placed for it where nothing is chosen: as the last one was.
    pub mode: PlaceMode,
}

/// Whether a tool reads skills whose folders are links.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub enum ReadsLinks {
    /// It does.
    Reads,
    /// It leaves them out.
    Ignores,
    /// No source says.
    Unknown,
}

/// Whether a tool is on this machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub enum Detection {
    /// Its own settings are there.
    Detected,
    /// Only a skills folder is there.
    FolderOnly,
    /// Nothing of it is there.
    NotFound,
}

/// A folder of skills that belongs to tools of which nothing else is here.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct UnreadFolder {
    /// As a person writes it.
    pub path: String,
    /// Ids of these tools; to switch one on is to read the folder.
    pub tools: Vec<String>,
    /// How many skills lie in it.
    pub count: usize,
}

/// A folder of skills that could not be read.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct RootProblem {
    /// As a person writes it.
    pub path: String,
    /// Why.
    pub message: String,
}

/// All skills of one name.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct SkillRow {
    /// The name, which is also the row's key.
    pub name: String,
    /// Of the first copy.
    pub description: String,
    /// Ids of the tools that have it.
    pub tools: Vec<String>,
    /// What there is to say about it.
    pub state: RowState,
    /// The worst count: how many errors.
    pub errors: usize,
    /// How many warnings.
    pub warnings: usize,
    /// The worst count of grave findings of the inspection; 0 also while nothing was inspected.
    pub grave: usize,
    /// How many cautions, in the same way.
    pub cautions: usize,
    /// Each place where it lies; empty where it is only disabled or gone, see
    /// [`LibraryView::aside`] and [`LibraryView::gone`].
    pub copies: Vec<CopyRef>,
}

/// The one word at the right of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub enum RowState {
    /// Nothing to say.
    Fine,
    /// It breaks a rule.
    Invalid,
    /// It was changed after Skillhold installed it.
    Edited,
    /// The server it came from offers something else now.
    Update,
    /// Copies in several places differ, or one was edited here and its server offers something else.
    Diverged,
    /// What Skillhold placed is gone from the disk.
    Missing,
    /// Something else is where Skillhold placed it.
    Replaced,
    /// The server it came from offers it no longer.
    NoLongerOffered,
    /// Only disabled copies are left.
    Disabled,
}

/// One folder that holds a skill.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct CopyRef {
    /// Opaque; what commands take.
    pub id: String,
    /// As a person writes it.
    pub path: String,
    /// Ids of the tools that see this folder.
    pub tools: Vec<String>,
    /// 64 digits; absent where a file could not be read.
    pub fingerprint: Option<String>,
    /// Whether the folder is a link.
    pub linked: bool,
    /// The project in which alone it counts, as a person writes it.
    pub project: Option<String>,
    /// What there is to say about it by itself.
    pub state: CopyState,
    /// Whether Skillhold placed it, or took it into its record.
    pub placed: bool,
    /// How it was placed; `null` where Skillhold did not.
    pub mode: Option<PlaceMode>,
    /// It lies among a project's own sources: it is only changed by itself, never with others.
    pub user_owned: bool,
}

/// What there is to say about one folder that holds a skill.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub enum CopyState {
    /// Nothing: as it was installed, or not installed by Skillhold and within the rules.
    Fine,
    /// It breaks a rule.
    Invalid,
    /// It was changed after Skillhold installed it.
    Edited,
    /// Only its line endings are other than they were installed.
    LineEndings,
    /// Its server offers something else now.
    Update,
    /// It was changed here, and its server offers something else now.
    Diverged,
    /// It is gone from the disk.
    Missing,
    /// Something else is in its place.
    Replaced,
    /// Its server offers it no longer.
    NoLongerOffered,
}

/// A skill that was disabled: moved aside whole, to be put back exactly.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct AsideRow {
    /// Opaque; what an enabling change takes.
    pub id: String,
    /// The skill's name, as a row's key.
    pub name: String,
    /// Where it was, as a person writes it.
    pub path: String,
    /// Ids of the tools that read it there.
    pub tools: Vec<String>,
    /// When it was disabled, in RFC 3339.
    pub at: String,
    /// 64 digits.
    pub fingerprint: String,
}

/// A skill that Skillhold placed and that is not there any more.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct GoneRow {
    /// The copy's id, as long as nothing else is there.
    pub id: String,
    /// The skill's name, as a row's key.
    pub name: String,
    /// Where it was placed, as a person writes it.
    pub path: String,
    /// Ids of the tools that it was placed for.
    pub tools: Vec<String>,
    /// Label of the server, or the path it was copied from.
    pub origin: String,
    /// When it was placed, in RFC 3339.
    pub at: String,
    /// Missing, or replaced by something that is no skill.
    pub state: CopyState,
}
