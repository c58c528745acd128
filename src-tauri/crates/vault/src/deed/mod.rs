//! Changes of what is there already: removing, moving aside and back, taking into the record. Each is
//! a plan first; folders are moved whole and never written into.

mod apply;
pub(crate) mod around;
mod aside;
pub(crate) mod plan;
mod returning;

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use skills::digest::Digest;

pub use self::aside::Aside;
pub(crate) use self::aside::{add, forget};
use crate::error::VaultError;
use crate::placement::Found;

/// What is to be done with skills that are there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Deed {
    /// Move to the trash; only what the record says Skillhold placed or adopted.
    Remove,
    /// Move aside, out of every folder that a tool reads, for as long as the person wants.
    Disable,
    /// Put back exactly what was moved aside.
    Enable,
    /// Take into the record as it is.
    Adopt,
}

/// One skill that it is to be done with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Subject {
    /// Its folder as it is listed. To enable: the folder that it was at, or, where several are aside
    /// from there, [`Aside::kept`] of the one that is meant.
    pub folder: PathBuf,
    /// Ids of the tools that read it.
    pub tools: Vec<String>,
    /// It lies in a folder that holds the person's own work, as `skills` of a project.
    pub user_owned: bool,
}

/// What will be done with one skill.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum DeedAction {
    /// It is done.
    Do,
    /// It is already so.
    Keep,
    /// It cannot be done.
    Refuse,
}

/// What will be done with one skill, and what it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DeedItem {
    /// The real path of its folder, as it is or will be.
    pub folder: PathBuf,
    /// The skill's name.
    pub name: String,
    /// Ids of the tools that were named with it.
    pub tools: Vec<String>,
    /// The record says that Skillhold placed or adopted it.
    pub ours: bool,
    /// It is ours and was changed since.
    pub edited: bool,
    /// It was said to lie in a folder that holds the person's own work.
    pub user_owned: bool,
    /// What will be done.
    pub action: DeedAction,
    /// Why it cannot be done, or what to know.
    pub message: Option<String>,
    /// What tells later whether it is still what was seen; `None` where nothing is there.
    pub found: Option<Found>,
    /// Id of what is aside, where that is to be put back.
    pub aside: Option<String>,
    /// In bytes.
    pub size: u64,
}

/// A change of what is there that was worked out and not made. The same subjects and disk give the
/// same plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DeedPlan {
    /// A digest of everything below; equal plans have equal ids.
    pub id: String,
    /// What is to be done.
    pub deed: Deed,
    /// One for each folder.
    pub items: Vec<DeedItem>,
    /// Every folder that a tool scans, as they were given.
    pub scanned: Vec<PathBuf>,
    /// Why nothing can be done at all, a sentence each.
    pub blockers: Vec<String>,
}

impl DeedPlan {
    /// How many skills something will be done with.
    pub fn writes(&self) -> usize {
        let done = |item: &&DeedItem| item.action == DeedAction::Do;
        if self.blockers.is_empty() { self.items.iter().filter(done).count() } else { 0 }
    }

    /// The id that a plan with this content has.
    pub(crate) fn computed_id(&self) -> Result<String, VaultError> {
        let content = Self { id: String::new(), ..self.clone() };
        Ok(Digest::of(&serde_json::to_vec(&content)?).hex()[..32].to_owned())
    }
}
