//! One copy of a skill, in full.

use serde::{Deserialize, Serialize};

use super::{
    ActivityRow, CheckView, CopyRef, CopyState, ManifestView, PlaceMode, ReaderView, RowState,
};

/// One copy of a skill, in full.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct SkillDetail {
    /// The copy's id.
    pub id: String,
    /// The row's name.
    pub name: String,
    /// From the front matter, or as the reference falls back.
    pub description: String,
    /// Where it lies, as a person writes it.
    pub path: String,
    /// Ids of the tools that see it.
    pub tools: Vec<String>,
    /// What there is to say about it.
    pub state: RowState,
    /// The front matter's fields in order, values as text.
    pub front_matter: Vec<Field>,
    /// `SKILL.md`'s body as safe markup.
    pub html: String,
    /// What it asks for.
    pub requests: Requests,
    /// Its files.
    pub manifest: Option<ManifestView>,
    /// Why there is no manifest.
    pub manifest_problem: Option<String>,
    /// What is wrong with it, worst first.
    pub checks: Vec<CheckView>,
    /// How many rules of inspection looked at it.
    pub rules: usize,
    /// What each kind of reader makes of it.
    pub readers: Vec<ReaderView>,
    /// Which tools see which copy of this name, and through which root.
    pub visibility: Vec<VisibilityRow>,
    /// Whether its folder may be written: not one of the system's or of a tool's own.
    pub writable: bool,
    /// All copies of the same name, this one among them.
    pub copies: Vec<CopyRef>,
    /// What Skillhold knows of having placed it.
    pub placement: Option<PlacementView>,
    /// What happened to it here, newest first.
    pub history: Vec<ActivityRow>,
}

/// One field of a front matter.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct Field {
    /// The key.
    pub key: String,
    /// The value as text; mappings and lists as JSON.
    pub value: String,
}

/// What a skill asks for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct Requests {
    /// The words of `allowed-tools`.
    pub allowed_tools: Vec<String>,
    /// The hooks it declares, as text.
    pub hooks: Vec<String>,
    /// Commands it tells the model to run.
    pub commands: Vec<String>,
    /// Network addresses in its files.
    pub addresses: Vec<String>,
    /// Paths outside of itself.
    pub outside: Vec<String>,
}

/// Whether one tool sees a skill.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct VisibilityRow {
    /// The tool's id.
    pub tool: String,
    /// The copy's id.
    pub copy: String,
    /// Through which root, as a person writes it.
    pub root: String,
    /// Whether it sees it.
    pub seen: Seen,
    /// Why, in a sentence.
    pub reason: String,
}

/// Whether a tool sees a copy of a skill.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub enum Seen {
    /// It does.
    Seen,
    /// Another copy of the same name wins.
    Shadowed,
    /// It does not load it.
    NotSeen,
    /// No source says.
    Unknown,
}

/// What Skillhold knows of having placed a copy.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct PlacementView {
    /// Whether it is as it was installed, and what its server offers now. Never `invalid`.
    pub drift: CopyState,
    /// Why its state cannot be told, where it cannot.
    pub unknown: Option<String>,
    /// How it was placed.
    pub mode: PlaceMode,
    /// What the link leads to, as a person writes it; `null` for a copy.
    pub canonical: Option<String>,
    /// What its server offers now, where that is something else.
    pub update: Option<UpdateView>,
    /// Label of the server, or the path it was copied from.
    pub origin: String,
    /// The server's id, where it came from one.
    pub server: Option<String>,
    /// The URI of the skill on that server.
    pub uri: Option<String>,
    /// When, in RFC 3339.
    pub at: String,
    /// The fingerprint that was approved or copied.
    pub source_fingerprint: String,
    /// The fingerprint that was installed; differs where requests were left out.
    pub installed_fingerprint: String,
}

/// What a server offers in the place of what was installed from it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct UpdateView {
    /// 64 digits.
    pub fingerprint: String,
    /// Whether it is approved; else it has to be reviewed first.
    pub approved: bool,
}
