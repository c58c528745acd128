//! Sharing: the program as a provider for other MCP clients.

use serde::{Deserialize, Serialize};

/// What is shared, how, and who uses it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct SharingView {
    /// Grows with every change.
    pub revision: u64,
    /// Whether the person switched it on.
    pub on: bool,
    /// What came of it.
    pub state: SharingState,
    /// Strict mode, else compatible.
    pub strict: bool,
    /// Each file is listed; else files other than `SKILL.md` are read through a template.
    pub list_files: bool,
    /// In strict mode, whether skills are published through the extension.
    pub discovery: bool,
    /// Every found tool that keeps skills, and whether its folders are shared.
    pub tools: Vec<SharedTool>,
    /// Folders beside those of tools, in order.
    pub folders: Vec<SharedFolder>,
    /// How many skills are shared; absent while off or before the first look.
    pub skills: Option<usize>,
    /// Which they are, by their paths, as in `notes` or `team/notes`, in order.
    pub shared: Vec<String>,
    /// The port on this machine; 0 takes a free one at each start.
    pub port: u16,
    /// Where the token is kept.
    pub token_kept: SecretPlace,
    /// What is left out and why, a sentence each.
    pub warnings: Vec<String>,
    /// Who asked something in the last minute or is connected now, newest first.
    pub clients: Vec<SharingClient>,
    /// The last 100 requests, newest first.
    pub requests: Vec<SharingRequest>,
    /// Ready-made settings for tools, with a placeholder where the token goes.
    pub snippets: Vec<SharingSnippet>,
}

/// Whether other programs can reach the skills.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
#[serde(tag = "kind", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum SharingState {
    /// Switched off.
    Off,
    /// About to listen.
    Starting,
    /// Listening.
    On {
        /// As in `http://127.0.0.1:8000/mcp`.
        url: String,
    },
    /// It could not start or ended.
    Failed {
        /// Why.
        message: String,
        /// What to do.
        hint: Option<String>,
    },
}

/// A tool whose folders can be shared.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct SharedTool {
    /// As in `claude-code`.
    pub id: String,
    /// As in `Claude Code`.
    pub name: String,
    /// Two letters.
    pub monogram: String,
    /// Whether its folders are shared.
    pub shared: bool,
    /// Which, as a person writes them.
    pub roots: Vec<String>,
}

/// A folder that is shared beside those of tools.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct SharedFolder {
    /// As a person writes it; what `removeSharedFolder` takes.
    pub path: String,
    /// What it is.
    pub kind: super::FolderKind,
}

/// Where a secret is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub enum SecretPlace {
    /// In the system's keychain.
    Keychain,
    /// In a file that only this person may read, because there is no keychain.
    File,
}

/// A program that asks.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct SharingClient {
    /// Opaque.
    pub id: String,
    /// What it calls itself, made harmless; empty where it does not say.
    pub name: String,
    /// Since when, in RFC 3339.
    pub since: String,
    /// Its last request, in RFC 3339.
    pub last: String,
    /// How many requests.
    pub requests: u64,
}

/// One request.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct SharingRequest {
    /// In RFC 3339.
    pub at: String,
    /// What the client calls itself, made harmless.
    pub client: String,
    /// As in `resources/read`.
    pub method: String,
    /// What it was about, made harmless.
    pub uri: Option<String>,
    /// The code of the error it was answered with.
    pub error: Option<i32>,
    /// Why it was turned away before it could ask for anything; `method` is then HTTP's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub refused: Option<String>,
}

/// Settings of one tool that make it use what is shared.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct SharingSnippet {
    /// As in `claude-code`.
    pub tool: String,
    /// As in `Claude Code`.
    pub name: String,
    /// Where it goes, as a person writes it, or the command to run.
    pub place: String,
    /// As in `json`.
    pub language: String,
    /// What goes there, with `TOKEN` where the token belongs.
    pub text: String,
}

/// One change of what is shared.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
#[serde(tag = "kind", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum SharingChange {
    /// Starts or stops.
    On {
        /// Which.
        on: bool,
    },
    /// Strict or compatible mode.
    Strict {
        /// Which.
        strict: bool,
    },
    /// Lists every file, or reads them through a template.
    ListFiles {
        /// Which.
        list_files: bool,
    },
    /// Publishes skills through the extension.
    Discovery {
        /// Which.
        discovery: bool,
    },
    /// Shares a tool's folders.
    Tool {
        /// Its id.
        tool: String,
        /// Whether.
        shared: bool,
    },
    /// Listens on another port.
    Port {
        /// Which; 0 takes a free one.
        port: u16,
    },
}
