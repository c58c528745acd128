//! A change to tools' folders as data: worked out from the record and the disk, shown to the person,
//! applied, undone. The same source, targets and disk give the same plan.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use skills::digest::{Digest, Fingerprint};
use skills::entry::{Entry, EntryFile};
use skills::manifest::Manifest;
use skills::uri::SkillUri;

use crate::error::VaultError;
use crate::link::Mode;
use crate::placement::{Found, Origin};
use crate::servers::SavedServer;
use crate::vault::Vault;

/// What is to be placed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub enum Source {
    /// An approved skill of a server.
    Approved {
        /// The server.
        server: SavedServer,
        /// The skill as it is offered and approved.
        #[serde(with = "entry")]
        entry: Box<Entry>,
        /// Paths of the files that the person wants to be executable: a server says of none.
        #[serde(default)]
        executable: BTreeSet<String>,
    },
    /// A skill on this disk.
    Local {
        /// Its folder.
        path: PathBuf,
        /// Its files as they were listed.
        manifest: Manifest,
    },
    /// A skill that nobody approved. It only goes where no tool looks.
    Unapproved {
        /// Where the bytes came from.
        origin: Origin,
        /// The folder's own name.
        name: String,
        /// The files.
        files: Manifest,
        /// Their bytes by path; not kept with the plan, and checked against `files`.
        #[serde(skip)]
        contents: BTreeMap<String, Vec<u8>>,
    },
}

/// What to do when other content has the name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum OnConflict {
    /// Leave it.
    Keep,
    /// Put the new one in its place; the old one is kept for undo.
    Replace,
}

/// Where a skill is to go.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Target {
    /// The tool's id.
    pub tool: String,
    /// The folder of skills that the tool reads.
    pub root: PathBuf,
    /// The folder's name, where it is not to be the skill's own.
    pub name: Option<String>,
    /// What to do when other content has the name.
    pub on_conflict: OnConflict,
    /// How it is to be put there.
    #[serde(default)]
    pub mode: Mode,
}

/// What is at a target now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum TargetStanding {
    /// Nothing.
    Free,
    /// The same bytes.
    Identical,
    /// Other content that the record says Skillhold placed.
    Ours,
    /// Other content.
    Foreign,
    /// It cannot be written.
    Blocked,
}

/// What will be done at a target.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Action {
    /// Write it.
    Write,
    /// Put it in the place of what is there.
    Replace,
    /// Leave what is there.
    Keep,
    /// Nothing can be done.
    Refuse,
}

/// What will be done at one folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PlanItem {
    /// Ids of the tools that asked for this folder, in the order they asked.
    pub tools: Vec<String>,
    /// The root as it was given for the first of them.
    pub root: PathBuf,
    /// The folder's name.
    pub name: String,
    /// Its real path.
    pub folder: PathBuf,
    /// What is there now.
    pub standing: TargetStanding,
    /// What will be done.
    pub action: Action,
    /// Why it cannot be done, or what to know.
    pub message: Option<String>,
    /// What is there was installed by Skillhold and changed since.
    pub edited: bool,
    /// What tells later whether it is still what was seen; `None` where nothing is there.
    pub found: Option<Found>,
    /// How it will be put there: a copy where the disk takes no links, whatever was asked for.
    #[serde(default)]
    pub mode: Mode,
    /// The copy that the link leads to, in link mode. It is `folder` itself where that copy is what
    /// changes; every tool of the item reads it through a link.
    #[serde(default)]
    pub canonical: Option<PathBuf>,
}

impl PlanItem {
    /// The copy that a link leads to, where the item is a link and not that copy itself.
    pub(crate) fn link(&self) -> Option<&Path> {
        self.canonical.as_deref().filter(|canonical| *canonical != self.folder)
    }

    /// True when it is the canonical copy behind links that changes.
    pub(crate) fn is_shared(&self) -> bool {
        self.canonical.as_ref() == Some(&self.folder)
    }
}

/// One `SKILL.md` out of which requests are left.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EditedFile {
    /// Relative to the skill.
    pub path: String,
    /// The fields that are left out.
    pub fields: Vec<String>,
    /// As served.
    pub before: String,
    /// As it will be installed.
    pub after: String,
}

/// What is left out because it was not granted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LeftOut {
    /// The outer `SKILL.md` first, then those inside in byte order of paths; never empty.
    pub files: Vec<EditedFile>,
    /// Fingerprint as served and approved.
    pub served: Fingerprint,
    /// Fingerprint as it will be installed.
    pub installed: Fingerprint,
}

/// A change that was worked out and not made.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Plan {
    /// A digest of everything below; equal plans have equal ids.
    pub id: String,
    /// The skill's own name.
    pub name: String,
    /// What is to be placed.
    pub source: Source,
    /// As they were given.
    pub targets: Vec<Target>,
    /// Every folder that a tool scans, as they were given.
    pub scanned: Vec<PathBuf>,
    /// One for each folder.
    pub items: Vec<PlanItem>,
    /// The files as they will be written.
    pub files: Manifest,
    /// What is left out, where something is.
    pub left_out: Option<LeftOut>,
    /// Why nothing can be placed at all, a sentence each.
    pub blockers: Vec<String>,
    /// What to know of the whole, a sentence each: as that a disk takes no links.
    #[serde(default)]
    pub notices: Vec<String>,
}

impl Plan {
    /// How many folders will be written.
    pub fn writes(&self) -> usize {
        let writes = |item: &&PlanItem| matches!(item.action, Action::Write | Action::Replace);
        if self.blockers.is_empty() { self.items.iter().filter(writes).count() } else { 0 }
    }

    /// How many bytes that are, over all folders.
    pub(crate) fn bytes(&self) -> u64 {
        (self.writes() as u64).saturating_mul(self.files.total_size())
    }

    /// The id that a plan with this content has.
    pub(crate) fn computed_id(&self) -> Result<String, VaultError> {
        let content = Self { id: String::new(), ..self.clone() };
        Ok(Digest::of(&serde_json::to_vec(&content)?).hex()[..32].to_owned())
    }
}

impl Vault {
    /// Works out what placing `source` at `targets` would do, from the record and the disk as they
    /// are now. Nothing is written. `scanned` names every folder that a tool scans: nothing is ever
    /// staged inside one of them.
    ///
    /// # Errors
    /// When the ledger or the store of verified files fails. What stands against the change is in
    /// the plan: as a blocker when it concerns the whole, as a message when it concerns one item.
    pub fn plan(
        &self,
        source: Source,
        targets: Vec<Target>,
        scanned: &[PathBuf],
    ) -> Result<Plan, VaultError> {
        self.planner(scanned).plan(source, targets)
    }
}

/// An entry in a serialised plan: its parts, joined and checked again when read.
mod entry {
    use serde::{Deserializer, Serializer};

    use super::*;

    #[derive(Serialize, Deserialize)]
    struct Parts {
        uri: String,
        front_matter: Option<Map<String, Value>>,
        description: Option<String>,
        files: Vec<EntryFile>,
    }

    pub(super) fn serialize<S: Serializer>(
        entry: &Entry,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        let front_matter = entry.front_matter().cloned();
        let declared =
            front_matter.as_ref().is_some_and(|fields| fields.contains_key("description"));
        let description = Some(entry.description()).filter(|text| !declared && !text.is_empty());
        Parts {
            uri: entry.uri().as_str().to_owned(),
            front_matter,
            description: description.map(str::to_owned),
            files: entry.files().to_vec(),
        }
        .serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Box<Entry>, D::Error> {
        use serde::de::Error;
        let parts = Parts::deserialize(deserializer)?;
        let uri = SkillUri::parse(&parts.uri).map_err(D::Error::custom)?;
        Entry::new(uri, parts.front_matter, parts.description, parts.files)
            .map(Box::new)
            .map_err(D::Error::custom)
    }
}
