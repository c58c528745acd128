//! Approvals and rejections. An approval is bound to the id of a server, the way it is reached, the
//! URI of the skill, and the whole set of (URI, size, digest) of its files.

mod rows;

use std::collections::HashSet;

use jiff::Timestamp;
use rusqlite::{Connection, params};
use serde_json::{Map, Value};
use skills::MAIN_FILE;
use skills::digest::{Digest, Fingerprint};
use skills::entry::{Entry, EntryFile};
use skills::frontmatter::same_as;
use skills::origin::ServerId;

use self::rows::{COLUMNS, Recorded, approval_row, read_row, rejected_at, rejection};
use crate::activity::{Activity, ActivityKind};
use crate::error::VaultError;
use crate::servers::SavedServer;
use crate::vault::Vault;

/// What the person decided about an offered skill, as it is offered now.
#[derive(Debug, Clone, PartialEq)]
pub enum Standing {
    /// Nothing was decided.
    Unreviewed,
    /// Approved, exactly as it is offered.
    Approved(Approval),
    /// It was approved, and the server then offered something else. It stays so until it is
    /// approved again, even when the server goes back.
    Changed {
        /// What had been approved.
        approval: Approval,
        /// When the difference was first seen.
        revoked_at: Timestamp,
    },
    /// Rejected, exactly as it is offered.
    Rejected {
        /// When.
        at: Timestamp,
    },
}

/// One decision to let a skill in.
#[derive(Debug, Clone, PartialEq)]
pub struct Approval {
    /// In the ledger.
    pub id: i64,
    /// The server's id.
    pub server: ServerId,
    /// Of the skill's `SKILL.md`.
    pub uri: String,
    /// Of the approved files.
    pub fingerprint: Fingerprint,
    /// The approved files in byte order of their paths.
    pub files: Vec<EntryFile>,
    /// Whether what the skill asks for in its front matter was granted.
    pub granted: bool,
    /// When.
    pub at: Timestamp,
    /// As declared; `None` for a server that declares none.
    pub front_matter: Option<Map<String, Value>>,
    /// What inspection had found, as it was shown.
    pub findings: Vec<String>,
    /// The person's own remark.
    pub note: Option<String>,
}

impl Vault {
    /// How a skill stands as this server offers it. Changes nothing; see [`Vault::notice`].
    ///
    /// # Errors
    /// When the ledger fails.
    pub fn standing(&self, server: &SavedServer, entry: &Entry) -> Result<Standing, VaultError> {
        let ledger = self.ledger();
        if let Some(at) = rejected_at(&ledger, server, entry)? {
            return Ok(Standing::Rejected { at });
        }
        Ok(match approval_row(&ledger, server, entry.uri().as_str())? {
            None => Standing::Unreviewed,
            Some(Recorded { approval, revoked_at: Some(revoked_at), .. }) => {
                Standing::Changed { approval, revoked_at }
            }
            // The paths too: they are where the files will be written.
            Some(row)
                if row.bound == bound(entry.files()) && row.approval.files == entry.files() =>
            {
                Standing::Approved(row.approval)
            }
            Some(row) => Standing::Changed { approval: row.approval, revoked_at: Timestamp::now() },
        })
    }

    /// The approval of the skill at this URI while it holds, whatever the server offers now.
    pub(crate) fn held_approval(
        &self,
        server: &SavedServer,
        uri: &str,
    ) -> Result<Option<Approval>, VaultError> {
        let ledger = self.ledger();
        let Some(row) = approval_row(&ledger, server, uri)?.filter(|row| row.revoked_at.is_none())
        else {
            return Ok(None);
        };
        let rejected = rejection(&ledger, server, uri, &row.approval.fingerprint)?;
        Ok(rejected.is_none().then_some(row.approval))
    }

    /// Takes note of a skill as a server offers it. When the set of (URI, size, digest) is not the
    /// approved one, the approval is revoked. True when that happened just now.
    ///
    /// # Errors
    /// When the ledger fails.
    pub fn notice(&self, server: &SavedServer, entry: &Entry) -> Result<bool, VaultError> {
        let mut ledger = self.ledger();
        let transaction = ledger.transaction()?;
        let Some(row) = approval_row(&transaction, server, entry.uri().as_str())? else {
            return Ok(false);
        };
        if row.revoked_at.is_some() || row.bound == bound(entry.files()) {
            return Ok(false);
        }
        transaction.execute(
            "UPDATE approvals SET revoked_at = ?2 WHERE id = ?1",
            params![row.approval.id, Timestamp::now().to_string()],
        )?;
        activity(
            ActivityKind::Revoked,
            server,
            entry,
            format!("because it changed on {}", server.label),
        )
        .write(&transaction)?;
        transaction.commit()?;
        Ok(true)
    }

    /// Approves a skill exactly as it is in this entry. An earlier decision about it is replaced.
    /// Whoever calls this has shown the person every byte.
    ///
    /// # Errors
    /// When the server was removed or is reached in another way now; when not every file was fetched
    /// and verified, or the front matter is not what was declared; when the ledger fails.
    pub fn approve(
        &self,
        server: &SavedServer,
        entry: &Entry,
        granted: bool,
        findings: Vec<String>,
    ) -> Result<Approval, VaultError> {
        self.approve_noting(server, entry, granted, findings, None)
    }

    /// The same with the person's own remark, which the activity tells too.
    ///
    /// # Errors
    /// As [`Vault::approve`].
    pub fn approve_noting(
        &self,
        server: &SavedServer,
        entry: &Entry,
        granted: bool,
        findings: Vec<String>,
        note: Option<&str>,
    ) -> Result<Approval, VaultError> {
        self.check_current(server)?;
        self.check_fetched(server, entry)?;
        self.blobs().flush(&server.id, entry.files().iter().map(|file| &file.digest))?;
        let at = Timestamp::now();
        let mut ledger = self.ledger();
        let transaction = ledger.transaction()?;
        forget_decision(&transaction, server, entry)?;
        transaction.execute(
            "INSERT INTO approvals (server, endpoint, uri, bound, fingerprint, files, front_matter, findings, granted, note, at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
            params![
                server.id.0,
                server.endpoint.identity(),
                entry.uri().as_str(),
                bound(entry.files()),
                entry.fingerprint().to_string(),
                serde_json::to_string(entry.files())?,
                entry.front_matter().map(serde_json::to_string).transpose()?,
                serde_json::to_string(&findings)?,
                granted,
                note,
                at.to_string(),
            ],
        )?;
        let approval = Approval {
            id: transaction.last_insert_rowid(),
            server: server.id.clone(),
            uri: entry.uri().as_str().to_owned(),
            fingerprint: entry.fingerprint(),
            files: entry.files().to_vec(),
            granted,
            at,
            front_matter: entry.front_matter().cloned(),
            findings,
            note: note.map(str::to_owned),
        };
        let with = if granted { ", with what it asks for" } else { "" };
        let why = note.map(|note| format!(": {note}")).unwrap_or_default();
        let text = format!("from {}{with}{why}", server.label);
        activity(ActivityKind::Approved, server, entry, text).write(&transaction)?;
        transaction.commit()?;
        Ok(approval)
    }

    /// Rejects a skill exactly as it is in this entry; an approval of it ends. The same content
    /// offered again stays rejected, also under other spellings of its files' URIs.
    ///
    /// # Errors
    /// When the server was removed or is reached in another way now, or the ledger fails.
    pub fn reject(&self, server: &SavedServer, entry: &Entry) -> Result<(), VaultError> {
        self.check_current(server)?;
        let mut ledger = self.ledger();
        let transaction = ledger.transaction()?;
        forget_decision(&transaction, server, entry)?;
        transaction.execute(
            "INSERT INTO rejections VALUES (?1, ?2, ?3, ?4, ?5)",
            params![
                server.id.0,
                server.endpoint.identity(),
                entry.uri().as_str(),
                entry.fingerprint().to_string(),
                Timestamp::now().to_string(),
            ],
        )?;
        activity(ActivityKind::Rejected, server, entry, format!("from {}", server.label))
            .write(&transaction)?;
        transaction.commit()?;
        Ok(())
    }

    /// The approvals of a server as it is reached now, revoked ones left out, by URI.
    ///
    /// # Errors
    /// When the ledger fails.
    pub fn approvals_of(&self, server: &SavedServer) -> Result<Vec<Approval>, VaultError> {
        let ledger = self.ledger();
        let mut statement = ledger.prepare_cached(&format!(
            "SELECT {COLUMNS} FROM approvals WHERE server = ?1 AND endpoint = ?2 AND revoked_at IS NULL ORDER BY uri"
        ))?;
        let mut rows = statement.query(params![server.id.0, server.endpoint.identity()])?;
        let mut approvals = Vec::new();
        while let Some(row) = rows.next()? {
            approvals.push(read_row(row)?.approval);
        }
        Ok(approvals)
    }

    /// The last approval of the skill at this URI, whether it holds or has ended.
    ///
    /// # Errors
    /// When the ledger fails.
    pub fn last_approval(
        &self,
        server: &SavedServer,
        uri: &str,
    ) -> Result<Option<Approval>, VaultError> {
        Ok(approval_row(&self.ledger(), server, uri)?.map(|row| row.approval))
    }

    /// Removes the kept bytes of a server that belong to no approval of it, whether that holds or
    /// has ended. Says how many that were. A review that is open has to fetch its files again.
    ///
    /// # Errors
    /// When the ledger or the disk fails.
    pub fn make_room(&self, server: &ServerId) -> Result<u64, VaultError> {
        let kept = {
            let ledger = self.ledger();
            let mut statement =
                ledger.prepare_cached("SELECT files FROM approvals WHERE server = ?1")?;
            let mut rows = statement.query(params![server.0])?;
            let mut kept = HashSet::new();
            while let Some(row) = rows.next()? {
                let files: Vec<EntryFile> = serde_json::from_str(&row.get::<_, String>(0)?)?;
                kept.extend(files.into_iter().map(|file| file.digest.hex()));
            }
            kept
        };
        self.blobs().keep_only(server, &kept)
    }

    /// Sets the person's own remark on an approval.
    ///
    /// # Errors
    /// When there is no such approval, or the ledger fails.
    pub fn set_note(&self, approval: i64, note: Option<&str>) -> Result<(), VaultError> {
        match self
            .ledger()
            .execute("UPDATE approvals SET note = ?2 WHERE id = ?1", params![approval, note])?
        {
            0 => Err(VaultError::Gone { what: "approval", id: approval.to_string() }),
            _ => Ok(()),
        }
    }

    /// Checks that every byte is here and that the server declared the front matter that it serves.
    fn check_fetched(&self, server: &SavedServer, entry: &Entry) -> Result<(), VaultError> {
        let refuse = |why: String| {
            Err(VaultError::BadInput(format!("{} cannot be approved: {why}", entry.name())))
        };
        let kept = self.kept_bytes(server, entry)?;
        if !kept.missing.is_empty() {
            return refuse(format!("{} was not fetched and verified", kept.missing.join(", ")));
        }
        if let (Some(declared), Some(main)) = (entry.front_matter(), kept.contents.get(MAIN_FILE))
            && let Err(differences) = same_as(main, declared)
        {
            let fields: Vec<_> =
                differences.into_iter().map(|difference| difference.field).collect();
            return refuse(format!(
                "its front matter is not what {} declared: {}",
                server.label,
                fields.join(", ")
            ));
        }
        Ok(())
    }

    /// Checks that the ledger knows this server and reaches it in the same way.
    pub(crate) fn check_current(&self, server: &SavedServer) -> Result<(), VaultError> {
        let known = self.server(&server.id)?;
        if known.endpoint.identity() == server.endpoint.identity() {
            Ok(())
        } else {
            Err(VaultError::BadInput(format!("{} is reached in another way now", known.label)))
        }
    }
}

/// What an approval is bound to besides server and URI: the set of (URI, size, digest), in one
/// digest. URIs are JSON strings here, so that no character in them can pass for a separator.
fn bound(files: &[EntryFile]) -> String {
    let mut lines: Vec<String> = files
        .iter()
        .map(|file| format!("{} {} {}\n", Value::from(file.uri.as_str()), file.size, file.digest))
        .collect();
    lines.sort_unstable();
    Digest::of(lines.concat().as_bytes()).hex()
}

/// Drops the approval of this URI and the rejection of exactly this content.
fn forget_decision(
    ledger: &Connection,
    server: &SavedServer,
    entry: &Entry,
) -> Result<(), VaultError> {
    let (id, endpoint, uri) = (&server.id.0, server.endpoint.identity(), entry.uri().as_str());
    ledger.execute(
        "DELETE FROM approvals WHERE server = ?1 AND endpoint = ?2 AND uri = ?3",
        params![id, endpoint, uri],
    )?;
    ledger.execute(
        "DELETE FROM rejections WHERE server = ?1 AND endpoint = ?2 AND uri = ?3 AND fingerprint = ?4",
        params![id, endpoint, uri, entry.fingerprint().to_string()],
    )?;
    Ok(())
}

fn activity(kind: ActivityKind, server: &SavedServer, entry: &Entry, text: String) -> Activity {
    let mut activity =
        Activity::now(kind, entry.name(), text).about(&server.id, Some(entry.uri().as_str()));
    activity.fingerprint = Some(entry.fingerprint());
    activity
}
