//! Servers and what they offer.

use super::{ActivityRow, CheckView, Field, ImportedView, ManifestView, SecretPlace};
use serde::{Deserialize, Serialize};
/// All servers at one moment.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct ServersView {
    /// Grows with every change; replies with a lower one are out of date.
    pub revision: u64,
    /// In the order they were added, the samples last.
    pub servers: Vec<ServerView>,
}

/// One server.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct ServerView {
    /// Opaque; what commands take.
    pub id: String,
    /// The person's name for it.
    pub label: String,
    /// The address or the command line.
    pub address: String,
    /// How it is reached.
    pub reached: Reached,
    /// What its skills were imported from; null for any other server.
    pub imported: Option<ImportedView>,
    /// How it stands.
    pub state: ServerState,
    /// Whether it is switched on.
    pub enabled: bool,
    /// Whether somebody is signed in to it.
    pub signed_in: bool,
    /// Whether nothing of it is ever installed.
    pub never_install: bool,
    /// What it offers.
    pub offers: Vec<OfferRow>,
    /// What it did wrong, or what was left out of its list.
    pub notices: Vec<String>,
    /// When the list was last received, in RFC 3339.
    pub listed_at: Option<String>,
}

/// How a server is reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub enum Reached {
    /// Streamable HTTP.
    Http,
    /// A command on this machine.
    Command,
    /// The built-in samples.
    Samples,
    /// Skills that were imported, in Skillhold's own data.
    Imported,
}

/// How a server stands.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
#[serde(tag = "kind", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum ServerState {
    /// Switched off.
    Off,
    /// Being reached or listed.
    Connecting,
    /// There, and listed.
    Connected {
        /// As in `2026-07-28`.
        protocol: String,
        /// Where its skills come from.
        source: OfferSource,
    },
    /// It asks who is there.
    NeedsSignIn {
        /// What it said.
        error: ErrorView,
    },
    /// It was reached, and broke a rule or said no.
    Refused {
        /// What it did wrong, and what to do.
        error: ErrorView,
        /// When it is tried again by itself, in RFC 3339.
        again: Option<String>,
    },
    /// Not to be reached.
    Unreachable {
        /// Why, and what to do.
        error: ErrorView,
        /// When it is tried again by itself, in RFC 3339.
        again: Option<String>,
    },
}

/// Where a person would sign in, before their browser is opened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct SignInPreview {
    /// Opaque; what begins exactly this sign-in, once.
    pub token: String,
    /// The person's name for the server.
    pub label: String,
    /// The server's address.
    pub address: String,
    /// The authorization server: who would let them in.
    pub issuer: String,
    /// The page that is opened.
    pub opens: String,
    /// What is asked for, in the words of the authorization server.
    pub scopes: Vec<String>,
    /// Where the token would be kept.
    pub kept: SecretPlace,
}

/// Where a server's skills come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub enum OfferSource {
    /// The skills extension.
    Extension,
    /// `_manifest` resources.
    Manifests,
    /// It offers no skills.
    None,
}

/// An error as every command gives it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct ErrorView {
    /// One of a closed set.
    pub code: ErrorCode,
    /// Lower case, no full stop, names the path or server.
    pub message: String,
    /// What to do next.
    pub hint: Option<String>,
    /// What led to it, outermost first.
    pub causes: Vec<String>,
}

/// What kind of error; only kinds that the page treats differently.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub enum ErrorCode {
    /// What was asked for is no longer there.
    Gone,
    /// What the person typed cannot be used.
    BadInput,
    /// The server did something that the protocol forbids, or is not MCP.
    Protocol,
    /// The server cannot be reached.
    Unreachable,
    /// The content changed since it was looked at.
    Changed,
    /// It has to be approved first.
    NotApproved,
    /// The disk refused.
    Disk,
    /// The person stopped it.
    Cancelled,
    /// A fault of Skillhold's own.
    Internal,
}

/// One offered skill.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct OfferRow {
    /// The URI of its `SKILL.md`, or as the server wrote it.
    pub uri: String,
    /// The front matter's name or the last segment.
    pub name: String,
    /// The front matter's or the resource's.
    pub description: String,
    /// How it stands.
    pub standing: Standing,
    /// Number of files, where declared.
    pub files: Option<usize>,
    /// Bytes in all, where declared.
    pub total: Option<u64>,
    /// 64 digits, where declared.
    pub fingerprint: Option<String>,
    /// Labels of other servers with a skill of this name.
    pub also_offered_by: Vec<String>,
    /// Whether a local skill has this name.
    pub exists_locally: bool,
    /// Ids of tools it is installed in from here.
    pub installed_in: Vec<String>,
    /// Whether a list of the server shows it; else it was looked up by its URI.
    pub listed: bool,
    /// Label of another server from which exactly this content is approved, where the settings let
    /// it be accepted without another review.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub same_as: Option<String>,
    /// What happened to it on the server since it was listed, in a sentence.
    pub note: Option<String>,
}

/// How an offered skill stands.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
#[serde(tag = "kind", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Standing {
    /// Not looked at.
    Unreviewed,
    /// Approved exactly as it is offered now.
    Approved {
        /// When, in RFC 3339.
        at: String,
        /// Whether its requests were granted.
        granted: bool,
    },
    /// Was approved; what is offered now differs.
    Changed {
        /// When the approval was taken back, in RFC 3339.
        at: String,
    },
    /// Rejected exactly as it is offered now.
    Rejected {
        /// When, in RFC 3339.
        at: String,
    },
    /// Breaks the rules for entries.
    Refused {
        /// Which ones, a sentence each.
        reasons: Vec<String>,
    },
    /// What the server gives is not what it declares, and it declares the same when asked again.
    Mismatched {
        /// What is wrong, in a sentence.
        reason: String,
    },
    /// Has no manifest that could be checked.
    Unverifiable {
        /// Why.
        reason: String,
    },
    /// Was offered, is no longer.
    NoLongerOffered,
}

/// One offered skill in full, from what was declared; nothing is fetched for it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct OfferDetail {
    /// The server's id.
    pub server: String,
    /// The server's label.
    pub label: String,
    /// The address or the command line.
    pub address: String,
    /// The row.
    pub row: OfferRow,
    /// The declared front matter.
    pub front_matter: Vec<Field>,
    /// The declared files.
    pub manifest: Option<ManifestView>,
    /// What is wrong with what was declared.
    pub checks: Vec<CheckView>,
    /// URIs of skills inside it.
    pub nested: Vec<String>,
    /// Whether the server can show what lies in its folder.
    pub shows_folder: bool,
    /// Whether an unverified copy of it can be exported.
    pub can_export: bool,
    /// What happened to it here, newest first.
    pub history: Vec<ActivityRow>,
}

/// What a server shows in the folder of a skill, against what the entry lists.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct OfferFolder {
    /// In byte order of paths.
    pub files: Vec<ShownFile>,
    /// Whether a file is shown that the entry does not list: the skill has changed.
    pub changed: bool,
    /// What was left out, or what the server did wrong, a sentence each.
    pub notices: Vec<String>,
}

/// One file that a server shows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct ShownFile {
    /// Relative to the skill.
    pub path: String,
    /// Whether the entry lists it.
    pub listed: bool,
}
