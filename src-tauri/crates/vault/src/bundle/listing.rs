//! What a bundle says of its skills, in one file at its top. What is read here comes from elsewhere
//! and is nobody's word but the sender's.

use std::collections::BTreeSet;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use skills::digest::Fingerprint;
use skills::manifest::ManifestFile;

/// The file at the top of a bundle.
pub(super) const LISTING: &str = "skillhold-bundle.json";

/// The form that is written and read.
pub(super) const VERSION: u32 = 1;

/// The most characters that are kept of any one text.
const LONGEST: usize = 2000;

/// The most findings of one approval that are kept.
const MOST_FINDINGS: usize = 200;

/// Only which form it has: read before anything else.
#[derive(Debug, Deserialize)]
pub(super) struct Form {
    pub(super) version: u32,
}

/// The whole file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Listing {
    /// See [`VERSION`].
    pub(super) version: u32,
    /// In order of names.
    pub(super) skills: Vec<Listed>,
}

/// One skill of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Listed {
    /// Its name, which is its folder's too.
    pub(super) name: String,
    /// Of its files.
    pub(super) fingerprint: Fingerprint,
    /// In byte order of their paths.
    pub(super) files: Vec<ManifestFile>,
    /// Where it had come from.
    pub(super) origin: Option<SaidOrigin>,
    /// The approval that it had.
    pub(super) approval: Option<SaidApproval>,
}

/// What is said of a skill by what it was imported from. It never counts as an approval.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Said {
    /// Where it had come from, as a bundle says.
    pub origin: Option<SaidOrigin>,
    /// The approval that it had elsewhere, as a bundle says.
    pub approval: Option<SaidApproval>,
    /// Files with the executable bit. Imported files have none.
    pub executable: BTreeSet<String>,
}

/// Where a skill came from, elsewhere.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub enum SaidOrigin {
    /// A server.
    Server {
        /// What it was called there.
        label: String,
        /// Its address without a query, or the name of its program without arguments: either may
        /// hold a secret.
        address: String,
        /// The skill's URI.
        uri: String,
    },
    /// Made there, or of unknown origin.
    #[serde(other)]
    Folder,
}

/// An approval that somebody gave elsewhere.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SaidApproval {
    /// Of what was approved.
    pub fingerprint: Fingerprint,
    /// Whether what the skill asks for was granted.
    pub granted: bool,
    /// When.
    pub at: Timestamp,
    /// The person's remark.
    pub note: Option<String>,
    /// What had been found in it, as it was shown.
    pub findings: Vec<String>,
}

impl Listed {
    /// What it says, as much as is kept.
    pub(super) fn said(&self, executable: BTreeSet<String>) -> Said {
        let origin = self.origin.clone().map(|origin| match origin {
            SaidOrigin::Server { label, address, uri } => SaidOrigin::Server {
                label: shortened(&label),
                address: shortened(&address),
                uri: shortened(&uri),
            },
            SaidOrigin::Folder => SaidOrigin::Folder,
        });
        let approval = self.approval.clone().map(|approval| SaidApproval {
            note: approval.note.as_deref().map(shortened),
            findings: approval
                .findings
                .iter()
                .take(MOST_FINDINGS)
                .map(|it| shortened(it))
                .collect(),
            ..approval
        });
        Said { origin, approval, executable }
    }
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(LONGEST) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}
