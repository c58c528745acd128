//! The library: tools, rows, one skill in detail, one file.

use serde::{Deserialize, Serialize};

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
    /// Each place where it lies.
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
    /// Copies in several places differ.
    Diverged,
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
}

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
    pub history: Vec<super::ActivityRow>,
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

/// The files of one skill.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct ManifestView {
    /// In byte order of paths.
    pub files: Vec<FileRow>,
    /// Bytes in all.
    pub total: u64,
    /// 64 digits.
    pub fingerprint: String,
    /// The most files a skill may have.
    pub max_files: usize,
    /// The most bytes a skill may have.
    pub max_bytes: u64,
}

/// One file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct FileRow {
    /// Relative to the skill.
    pub path: String,
    /// In bytes.
    pub size: u64,
    /// `sha256:` and 64 digits.
    pub digest: String,
    /// Whether its bytes were seen and match.
    pub state: FileState,
}

/// What is known of a file's bytes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
#[serde(tag = "kind", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum FileState {
    /// On this disk, hashed here.
    Local,
    /// Said by a server, not looked at.
    Declared,
    /// Fetched; size and digest match.
    Verified {
        /// Set when the server had changed the line endings and they were put back.
        line_endings_restored: bool,
    },
    /// Fetched; size or digest does not match.
    Mismatch {
        /// As declared: size in bytes, then digest.
        expected: String,
        /// As received.
        actual: String,
    },
    /// Fetched, and nothing is declared that it could be checked against.
    Unverified,
    /// Could not be fetched.
    Failed {
        /// Why.
        message: String,
    },
}

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

/// What Skillhold knows of having placed a copy.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct PlacementView {
    /// Whether the bytes are as installed.
    pub drift: Drift,
    /// Label of the server, or the path it was copied from.
    pub origin: String,
    /// When, in RFC 3339.
    pub at: String,
    /// The fingerprint that was approved or copied.
    pub source_fingerprint: String,
    /// The fingerprint that was installed; differs where requests were left out.
    pub installed_fingerprint: String,
}

/// Whether an installed skill is as it was installed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub enum Drift {
    /// Byte for byte.
    InSync,
    /// Changed on this disk.
    Edited,
    /// Gone.
    Missing,
}

/// One file's content, ready to show.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct FileContent {
    /// Relative to the skill.
    pub path: String,
    /// In bytes.
    pub size: u64,
    /// What its bytes are known to be.
    pub state: FileState,
    /// How to show it.
    pub body: FileBody,
}

/// How a file is shown.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
#[serde(tag = "kind", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum FileBody {
    /// Lines of text; each line is a run of pieces.
    Text {
        /// In order.
        lines: Vec<Vec<Piece>>,
        /// The whole text was longer and is cut here.
        cut: bool,
    },
    /// An image that the page can show.
    Image {
        /// `data:` with a fixed list of types.
        data_url: String,
    },
    /// Other bytes: offset, hexadecimal and characters, sixteen a line.
    Binary {
        /// In order, cut after 4,096 bytes.
        lines: Vec<String>,
        /// There are more bytes.
        cut: bool,
    },
}

/// A piece of a highlighted line.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct Piece {
    /// As it is.
    pub text: String,
    /// What it is, where highlighting knows.
    pub role: Option<TextRole>,
}

/// What a piece of text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub enum TextRole {
    /// A comment.
    Comment,
    /// A keyword.
    Keyword,
    /// A string.
    String,
    /// A number or constant.
    Number,
    /// A name: function, tag, key.
    Name,
    /// A heading or other markup.
    Markup,
    /// A hidden or misleading character, shown as its code point.
    Hidden,
}
