//! What the person decided once for all that comes: when an offered skill has to be reviewed, and
//! from which servers nothing is installed. Both are looked up where something is planned, approved
//! or applied, never handed in.

use jiff::Timestamp;
use rusqlite::params;
use serde::{Deserialize, Serialize};
use skills::digest::Fingerprint;
use skills::entry::Entry;
use skills::origin::ServerId;

use crate::activity::{Activity, ActivityKind};
use crate::approval::{Approval, Standing};
use crate::error::VaultError;
use crate::servers::SavedServer;
use crate::vault::Vault;

/// When an offered skill has to be reviewed before it is approved.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Reviews {
    /// Always.
    #[default]
    Always,
    /// Not where exactly the same content is approved from another server: there the person's word
    /// is enough, see [`Vault::accept_same`].
    NotOfSameContent,
}

/// An approval of the same content from another server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SameContent {
    /// That server's label.
    pub label: String,
    /// Whether what the skill asks for was granted there.
    pub granted: bool,
    /// When it was approved there.
    pub at: Timestamp,
    /// What inspection had found there, as it was shown.
    pub findings: Vec<String>,
}

impl Vault {
    /// When an offered skill has to be reviewed.
    ///
    /// # Errors
    /// When the ledger fails.
    pub fn reviews(&self) -> Result<Reviews, VaultError> {
        Ok(self.setting("reviews")?.unwrap_or_default())
    }

    /// Sets when an offered skill has to be reviewed. What was accepted meanwhile stays approved.
    ///
    /// # Errors
    /// When the ledger fails.
    pub fn set_reviews(&self, reviews: Reviews) -> Result<(), VaultError> {
        self.set("reviews", &reviews)
    }

    /// Whether nothing of this server is ever installed.
    ///
    /// # Errors
    /// When the ledger fails.
    pub fn never_installs(&self, server: &ServerId) -> Result<bool, VaultError> {
        let ledger = self.ledger();
        let mut statement =
            ledger.prepare_cached("SELECT 1 FROM servers WHERE id = ?1 AND never_install = 1")?;
        Ok(statement.exists(params![server.0])?)
    }

    /// Lets nothing of a server be installed from now on, or lets it again. What was installed from it
    /// stays, and so do its approvals.
    ///
    /// # Errors
    /// When there is no such server, or the ledger fails.
    pub fn set_never_installs(&self, server: &ServerId, never: bool) -> Result<(), VaultError> {
        let known = self.server(server)?;
        let mut ledger = self.ledger();
        let transaction = ledger.transaction()?;
        let changed = transaction.execute(
            "UPDATE servers SET never_install = ?2 WHERE id = ?1 AND never_install <> ?2",
            params![server.0, never],
        )?;
        if changed > 0 {
            let text = if never {
                "nothing of it is installed any more"
            } else {
                "what it offers may be installed again"
            };
            Activity::now(ActivityKind::ServerChanged, &known.label, text.to_owned())
                .about(server, None)
                .write(&transaction)?;
        }
        transaction.commit()?;
        Ok(())
    }

    /// Why nothing of this server may be installed, if it may not.
    pub(crate) fn barred(&self, server: &SavedServer) -> Result<Option<String>, VaultError> {
        let never = self.never_installs(&server.id)?;
        Ok(never.then(|| {
            format!("nothing of {} is installed: so it was chosen for this server", server.label)
        }))
    }

    /// The approval of exactly this content from another server, where the settings let it stand for
    /// a review here: it holds, and this content was rejected from no server.
    ///
    /// # Errors
    /// When the ledger fails.
    pub fn same_content(
        &self,
        server: &SavedServer,
        entry: &Entry,
    ) -> Result<Option<SameContent>, VaultError> {
        if self.reviews()? == Reviews::Always
            || !matches!(
                self.standing(server, entry)?,
                Standing::Unreviewed | Standing::Changed { .. }
            )
        {
            return Ok(None);
        }
        let fingerprint = entry.fingerprint();
        if !self.is_approved_elsewhere(server, &fingerprint)?
            || self.is_rejected_anywhere(&fingerprint)?
        {
            return Ok(None);
        }
        for other in self.servers()?.into_iter().filter(|other| other.id != server.id) {
            let held = self.approvals_of(&other)?;
            if let Some(held) = held.into_iter().find(|held| held.fingerprint == fingerprint) {
                return Ok(Some(SameContent {
                    label: other.label,
                    granted: held.granted,
                    at: held.at,
                    findings: held.findings,
                }));
            }
        }
        Ok(None)
    }

    /// Approves a skill without a review, because exactly this content is approved from another
    /// server, with the same grant. A note says from where.
    ///
    /// # Errors
    /// When the settings ask for a review always, no other approval of this content holds, or it was
    /// rejected somewhere; else as [`Vault::approve`].
    pub fn accept_same(&self, server: &SavedServer, entry: &Entry) -> Result<Approval, VaultError> {
        let same = self.same_content(server, entry)?.ok_or_else(|| {
            VaultError::NotApproved(format!(
                "{} from {} has to be reviewed: no approval of the same content stands for it",
                entry.name(),
                server.label
            ))
        })?;
        let day = same.at.strftime("%Y-%m-%d");
        let note = format!("the same content as approved from {} on {day}", same.label);
        self.approve_noting(server, entry, same.granted, same.findings, Some(&note))
    }

    /// Whether it is worth looking closer.
    fn is_approved_elsewhere(
        &self,
        server: &SavedServer,
        fingerprint: &Fingerprint,
    ) -> Result<bool, VaultError> {
        let ledger = self.ledger();
        let mut statement = ledger.prepare_cached(
            "SELECT 1 FROM approvals
             WHERE fingerprint = ?1 AND server <> ?2 AND revoked_at IS NULL",
        )?;
        Ok(statement.exists(params![fingerprint.to_string(), server.id.0])?)
    }

    fn is_rejected_anywhere(&self, fingerprint: &Fingerprint) -> Result<bool, VaultError> {
        let ledger = self.ledger();
        let mut statement =
            ledger.prepare_cached("SELECT 1 FROM rejections WHERE fingerprint = ?1")?;
        Ok(statement.exists(params![fingerprint.to_string()])?)
    }
}
