//! Changes of one or many skills as one plan, and what they will do.

use serde::{Deserialize, Serialize};

use super::{LeftOut, OnConflict, PlaceMode, PlanAction, SourceRef, TargetRef, TargetStanding};

/// One wish. Everything is named by an id that the library or the trash gave.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
#[serde(tag = "kind", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum ChangeRef {
    /// Place a skill for tools.
    Place {
        /// What.
        source: SourceRef,
        /// Where.
        targets: Vec<TargetRef>,
    },
    /// Put what the copy's server offers now, or its source folder holds now, in its place.
    Update {
        /// The copy's id.
        copy: String,
        /// What to do when it was edited here.
        on_edited: OnConflict,
    },
    /// Move a copy that Skillhold placed into the trash.
    Remove {
        /// The copy's id.
        copy: String,
        /// Only what this tool sees of it, where links in several folders lead to it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "ts", ts(optional))]
        tool: Option<String>,
    },
    /// Move a copy aside.
    Disable {
        /// The copy's id.
        copy: String,
        /// Only what this tool sees of it, where links in several folders lead to it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "ts", ts(optional))]
        tool: Option<String>,
    },
    /// Put back what was disabled.
    Enable {
        /// Its id, as in [`AsideRow`](super::AsideRow).
        aside: String,
    },
    /// Take a copy that somebody else made into the record.
    Adopt {
        /// The copy's id.
        copy: String,
    },
    /// Give a copy another name: its folder and its field `name`.
    Rename {
        /// The copy's id.
        copy: String,
        /// The new name.
        to: String,
    },
}

/// Changes that were worked out and not made. Carrying them out is one change with one undo.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct BatchView {
    /// Opaque; what `apply_changes` takes.
    pub id: String,
    /// A row for each folder, in the order the changes were asked for.
    pub items: Vec<BatchItemView>,
    /// Why nothing can be done at all.
    pub blockers: Vec<String>,
    /// How many folders will be changed.
    pub writes: usize,
}

/// What kind of change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub enum DeedKind {
    /// A skill is placed.
    Place,
    /// A placed skill becomes what is offered now.
    Update,
    /// A skill is moved into the trash.
    Remove,
    /// A skill is moved aside.
    Disable,
    /// A skill is put back.
    Enable,
    /// A skill is taken into the record.
    Adopt,
    /// A skill gets another name.
    Rename,
}

/// What will happen at one folder.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
#[serde(rename_all = "camelCase")]
pub struct BatchItemView {
    /// The skill's name.
    pub name: String,
    /// The folder, as a person writes it.
    pub path: String,
    /// What was asked for.
    pub kind: DeedKind,
    /// Ids of the tools that it was asked for.
    pub tools: Vec<String>,
    /// Ids of all tools that get or lose it.
    pub seen_by: Vec<String>,
    /// What is there now.
    pub standing: TargetStanding,
    /// What will be done.
    pub action: PlanAction,
    /// How it is or will be placed.
    pub mode: PlaceMode,
    /// It was edited after it was installed.
    pub edited: bool,
    /// Why it cannot be done, or what to know.
    pub message: Option<String>,
    /// What is left out, where something is.
    pub left_out: Option<LeftOut>,
}
