//! What happened, as the page sees it.

use std::path::Path;

use vault::activity::{Activity, ActivityKind};

use crate::error::Outcome;
use crate::render::spelled_out;
use crate::shell::Shell;
use crate::view::{self, ActivityRow, ActivityView, Scope};

/// How much of the past is shown.
const SHOWN: usize = 1000;
/// Of how many changes it is told why they can no longer be undone.
const UNDOABLE: usize = 100;
/// How much of the past is looked through for the history of one skill.
const SEARCHED: usize = 5000;

impl Shell {
    /// What happened, newest first.
    ///
    /// # Errors
    /// When the ledger fails.
    pub fn activity_view(&self) -> Outcome<ActivityView> {
        let revision = self.events.revision(Scope::Activity);
        Ok(ActivityView { revision, rows: self.with_stuck(&self.vault.activity(SHOWN)?)? })
    }

    /// Rows, and of the newest that could be undone, why they no longer can.
    fn with_stuck(&self, activity: &[Activity]) -> Outcome<Vec<ActivityRow>> {
        let mut rows: Vec<ActivityRow> = activity.iter().map(row).collect();
        let open = rows.iter_mut().filter(|row| row.change.is_some());
        for row in open.take(UNDOABLE) {
            if let Some(change) = &row.change {
                let why = self.vault.undo_problem(change)?;
                row.stuck = why.map(|why| spelled_out(&self.paths.display_in(&why)));
            }
        }
        Ok(rows)
    }

    /// What happened to one local folder.
    pub(crate) fn history_of_folder(&self, folder: &Path) -> Outcome<Vec<ActivityRow>> {
        let real = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
        self.history(|activity| activity.folders.contains(&real))
    }

    /// What happened to one skill of a server.
    pub(crate) fn history_of_offer(&self, server: &str, uri: &str) -> Outcome<Vec<ActivityRow>> {
        self.history(|activity| activity.is_about(server, uri))
    }

    fn history(&self, of: impl Fn(&Activity) -> bool) -> Outcome<Vec<ActivityRow>> {
        Ok(self.vault.activity(SEARCHED)?.iter().filter(|activity| of(activity)).map(row).collect())
    }
}

fn row(activity: &Activity) -> ActivityRow {
    ActivityRow {
        id: activity.id.to_string(),
        at: activity.at.to_string(),
        kind: match activity.kind {
            ActivityKind::ServerAdded => view::ActivityKind::ServerAdded,
            ActivityKind::ServerChanged => view::ActivityKind::ServerChanged,
            ActivityKind::ServerRemoved => view::ActivityKind::ServerRemoved,
            ActivityKind::Approved => view::ActivityKind::Approved,
            ActivityKind::Rejected => view::ActivityKind::Rejected,
            ActivityKind::Revoked => view::ActivityKind::Revoked,
            ActivityKind::Installed => view::ActivityKind::Installed,
            ActivityKind::Copied => view::ActivityKind::Copied,
            ActivityKind::Fixed => view::ActivityKind::Fixed,
            ActivityKind::Updated => view::ActivityKind::Updated,
            ActivityKind::Removed => view::ActivityKind::Removed,
            ActivityKind::Disabled => view::ActivityKind::Disabled,
            ActivityKind::Enabled => view::ActivityKind::Enabled,
            ActivityKind::Adopted => view::ActivityKind::Adopted,
            ActivityKind::Renamed => view::ActivityKind::Renamed,
            ActivityKind::Several => view::ActivityKind::Several,
            ActivityKind::Imported => view::ActivityKind::Imported,
            ActivityKind::Exported => view::ActivityKind::Exported,
            ActivityKind::Undone => view::ActivityKind::Undone,
            ActivityKind::Recovered => view::ActivityKind::Recovered,
        },
        subject: spelled_out(&activity.subject),
        text: spelled_out(&activity.text),
        fingerprint: activity.fingerprint.map(|fingerprint| fingerprint.short()),
        change: activity.change.clone().filter(|_| !activity.undone),
        undone: activity.undone,
        stuck: None,
    }
}
