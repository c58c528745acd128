//! The files of a skill, and one of them ready to show.

use serde::{Deserialize, Serialize};

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
