//! Adding and changing servers, and what other tools have configured.

use serde::{Deserialize, Serialize};

use super::{Reached, SecretPlace};

/// A command line, split into words, to be confirmed before it is ever run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct CommandPreview {
    /// Given back to confirm exactly this; good once.
    pub token: String,
    /// The program as it will be looked up.
    pub program: String,
    /// Its arguments.
    pub args: Vec<String>,
    /// The file that would be run, where it can be told.
    pub resolved: Option<String>,
    /// What it would be given besides a small environment.
    pub variables: Vec<ShownVariable>,
}

/// A variable of a program that would be started.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct ShownVariable {
    /// Its name.
    pub name: String,
    /// Its value, only where it decides which code runs, as with `PATH` or `NODE_OPTIONS`.
    pub value: Option<String>,
}

/// A header or variable that the person entered.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct NamedValue {
    /// Its name.
    pub name: String,
    /// Its value; `null` keeps the one that there is.
    pub value: Option<String>,
}

impl std::fmt::Debug for NamedValue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("NamedValue").field("name", &self.name).finish_non_exhaustive()
    }
}

/// What a server at an address is sent.
#[derive(Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct GivenValues {
    /// A bearer token.
    pub token: Option<String>,
    /// Further headers.
    pub headers: Vec<NamedValue>,
}

impl std::fmt::Debug for GivenValues {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("GivenValues").field("headers", &self.headers).finish_non_exhaustive()
    }
}

/// How a server is reached and what it is given.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct ServerSettings {
    /// The address or the command line.
    pub address: String,
    /// Whether it is sent a bearer token.
    pub token: bool,
    /// The names of headers it is sent.
    pub headers: Vec<String>,
    /// The names of variables its program is started with.
    pub variables: Vec<String>,
    /// Where the values are kept, or would be.
    pub kept: SecretPlace,
}

/// What a person changes about a server.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct ServerChange {
    /// The address or the command line.
    pub address: String,
    /// The bearer token.
    pub token: TokenChange,
    /// All headers.
    pub headers: Vec<NamedValue>,
    /// All variables.
    pub variables: Vec<NamedValue>,
}

/// What happens to a bearer token.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
#[serde(tag = "kind", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum TokenChange {
    /// It stays, if there is one.
    Keep,
    /// It goes.
    Remove,
    /// This is the token now.
    Set {
        /// Without the word `Bearer`.
        value: String,
    },
}

impl std::fmt::Debug for TokenChange {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Keep => "Keep",
            Self::Remove => "Remove",
            Self::Set { .. } => "Set",
        })
    }
}

/// What came of adding or changing a server.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
#[serde(tag = "kind", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum ServerStep {
    /// It is done.
    Done {
        /// The server's id.
        server: String,
    },
    /// Nothing was done: it would start a program, which has to be confirmed.
    Confirm {
        /// What would be started.
        preview: CommandPreview,
    },
}

/// Servers that other tools have configured, or that were pasted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct FoundServers {
    /// By where they were found.
    pub sources: Vec<FoundSource>,
    /// Every file that was looked for; empty for what was pasted.
    pub looked_in: Vec<String>,
    /// Where values of headers and variables would be kept.
    pub kept: SecretPlace,
}

/// A file with servers, or what was pasted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct FoundSource {
    /// What a person calls the tool; empty for what was pasted.
    pub tool: String,
    /// The file; empty for what was pasted.
    pub path: String,
    /// Why it cannot be read.
    pub problem: Option<String>,
    /// How many servers were too many to be listed.
    pub left_out: usize,
    /// Its servers, in their order.
    pub servers: Vec<FoundServer>,
}

/// A server that was found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct FoundServer {
    /// Opaque; what adds it. Good until the next look.
    pub id: String,
    /// What it is called there.
    pub name: String,
    /// How it would be reached; `null` where it cannot be added.
    pub reached: Option<Reached>,
    /// The address or the command line, with blanks as they stand there.
    pub address: String,
    /// Whether it comes with a bearer token.
    pub token: bool,
    /// The names of its headers.
    pub headers: Vec<String>,
    /// The names of its variables.
    pub variables: Vec<String>,
    /// What has to be filled in.
    pub blanks: Vec<FoundBlank>,
    /// What to know about it, a sentence each.
    pub notes: Vec<String>,
    /// Why it cannot be added.
    pub refused: Option<String>,
    /// Whether the tool has it switched off.
    pub disabled: bool,
    /// The project that it is for.
    pub project: Option<String>,
    /// The label of the server here with the same address or command line.
    pub added: Option<String>,
}

/// Something to be filled in.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct FoundBlank {
    /// What it is called where it stands.
    pub name: String,
    /// What the settings say about it.
    pub about: Option<String>,
    /// Whether the settings have a value for when nothing is filled in.
    pub optional: bool,
}
