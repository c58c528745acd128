//! What happened, newest first.

use std::path::PathBuf;

use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, params};
use serde::{Deserialize, Serialize};
use skills::digest::Fingerprint;
use skills::origin::ServerId;

use crate::error::VaultError;
use crate::ledger::Rows;
use crate::vault::Vault;

/// What kind of thing happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ActivityKind {
    /// A server was added.
    ServerAdded,
    /// A server got another address or command line.
    ServerChanged,
    /// A server was removed.
    ServerRemoved,
    /// A skill was approved.
    Approved,
    /// A skill was rejected.
    Rejected,
    /// An approval was taken back because the server changed the skill.
    Revoked,
    /// A skill was installed from a server.
    Installed,
    /// A skill was copied between tools.
    Copied,
    /// What a check said was put right in a skill's folder.
    Fixed,
    /// A skill was placed again as its origin has it now.
    Updated,
    /// A skill was moved to the trash.
    Removed,
    /// A skill was moved aside.
    Disabled,
    /// A skill came back from aside.
    Enabled,
    /// A skill that was there came into the record.
    Adopted,
    /// A skill got another name.
    Renamed,
    /// Several of these at once.
    Several,
    /// Skills came in from a folder or a file, to be reviewed.
    Imported,
    /// Skills were written to a file.
    Exported,
    /// A change was undone.
    Undone,
    /// An interrupted change was finished or taken back.
    Recovered,
}

/// One thing that happened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Activity {
    /// Grows with time.
    #[serde(skip)]
    pub id: i64,
    /// When.
    pub at: Timestamp,
    /// What kind of thing.
    pub kind: ActivityKind,
    /// The name of the skill, or the label of the server.
    pub subject: String,
    /// What follows on the kind and the subject, as in `from docs into ~/.claude/skills/pdf`: lower
    /// case, no full stop.
    pub text: String,
    /// Of the content that was approved, rejected or installed.
    pub fingerprint: Option<Fingerprint>,
    /// The server that it is about.
    pub server: Option<ServerId>,
    /// The URI of the skill on that server.
    pub uri: Option<String>,
    /// Servers and URIs of all skills that it is about, where it is about several.
    #[serde(default)]
    pub offers: Vec<(ServerId, String)>,
    /// The skill folders that were written or put back.
    pub folders: Vec<PathBuf>,
    /// What [`Vault::undo`] takes; `None` where there is nothing to undo.
    #[serde(skip)]
    pub change: Option<String>,
    /// Everything in that change was undone.
    #[serde(skip)]
    pub undone: bool,
}

impl Activity {
    /// Something that happens right now.
    pub(crate) fn now(kind: ActivityKind, subject: &str, text: String) -> Self {
        Self {
            id: 0,
            at: Timestamp::now(),
            kind,
            subject: subject.to_owned(),
            text,
            fingerprint: None,
            server: None,
            uri: None,
            offers: Vec::new(),
            folders: Vec::new(),
            change: None,
            undone: false,
        }
    }

    /// Says which server and skill it is about.
    pub(crate) fn about(mut self, server: &ServerId, uri: Option<&str>) -> Self {
        self.server = Some(server.clone());
        self.uri = uri.map(str::to_owned);
        self
    }

    /// Whether it is about this skill of this server.
    pub fn is_about(&self, server: &str, uri: &str) -> bool {
        let one = self.server.as_ref().zip(self.uri.as_ref());
        let all = one.into_iter().chain(self.offers.iter().map(|(server, uri)| (server, uri)));
        all.into_iter().any(|(id, other)| id.0 == server && other == uri)
    }

    /// Writes it to the ledger. What a change does is one row, written again as it goes on.
    pub(crate) fn write(&self, ledger: &Connection) -> Result<(), VaultError> {
        let json = serde_json::to_string(self)?;
        let known: Option<i64> = match &self.change {
            None => None,
            Some(change) => ledger
                .query_row("SELECT id FROM activity WHERE change = ?1", params![change], |row| {
                    row.get(0)
                })
                .optional()?,
        };
        match known {
            Some(id) => {
                ledger.execute("UPDATE activity SET json = ?2 WHERE id = ?1", params![id, json])?
            }
            None => ledger.execute(
                "INSERT INTO activity (change, json) VALUES (?1, ?2)",
                params![self.change, json],
            )?,
        };
        Ok(())
    }
}

impl Vault {
    /// The last things that happened, newest first, at most `limit`. One that cannot be read is left
    /// out with a warning.
    ///
    /// # Errors
    /// When the ledger fails.
    pub fn activity(&self, limit: usize) -> Result<Vec<Activity>, VaultError> {
        let ledger = self.ledger();
        let mut statement = ledger.prepare_cached(
            "SELECT a.id, a.change, a.json,
                    c.id IS NOT NULL AND c.undoes IS NULL,
                    EXISTS (SELECT 1 FROM change_items WHERE change = a.change AND undone = 0)
             FROM activity a LEFT JOIN changes c ON c.id = a.change
             ORDER BY a.id DESC LIMIT ?1",
        )?;
        let rows =
            statement.query_map(params![i64::try_from(limit).unwrap_or(i64::MAX)], |row| {
                Ok((
                    row.get(0)?,
                    row.get(1)?,
                    row.get::<_, String>(2)?,
                    row.get::<_, bool>(3)?,
                    row.get::<_, bool>(4)?,
                ))
            })?;
        let mut read = Rows::new("row of activity");
        for row in rows {
            let (id, change, json, can_undo, open): (i64, _, _, _, _) = row?;
            let activity = serde_json::from_str(&json).map(|activity| Activity {
                id,
                change: if can_undo { change } else { None },
                undone: can_undo && !open,
                ..activity
            });
            read.add(&id.to_string(), activity);
        }
        Ok(read.read)
    }
}
