//! What a server declared of each skill when it was listed last, and what it was seen not to give.
//! Nothing is decided by it: it is for the screen, while the server is away.

use std::collections::HashSet;

use rusqlite::{OptionalExtension as _, params};
use skills::origin::ServerId;

use crate::error::VaultError;
use crate::vault::Vault;

/// Content that a server declares and was seen not to give.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Doubt {
    /// The server.
    pub server: ServerId,
    /// The skill.
    pub uri: String,
    /// Of what was declared, 64 digits.
    pub fingerprint: String,
    /// What was seen.
    pub why: String,
}

impl Vault {
    /// Keeps what a server declared of its skills, by URI and in the caller's own form, in the place of
    /// everything that it declared before.
    ///
    /// # Errors
    /// When the ledger fails or the server was removed.
    pub fn keep_declared(
        &self,
        server: &ServerId,
        declared: &[(String, String)],
    ) -> Result<(), VaultError> {
        self.server(server)?;
        let mut ledger = self.ledger();
        let transaction = ledger.transaction()?;
        {
            let mut put = transaction.prepare(
                "INSERT INTO declared VALUES (?1, ?2, ?3) ON CONFLICT (server, uri) \
                 DO UPDATE SET json = excluded.json WHERE json <> excluded.json",
            )?;
            for (uri, json) in declared {
                put.execute(params![server.0, uri, json])?;
            }
            let now: HashSet<&str> = declared.iter().map(|(uri, _)| uri.as_str()).collect();
            let mut kept = transaction.prepare("SELECT uri FROM declared WHERE server = ?1")?;
            let kept = kept.query_map(params![server.0], |row| row.get::<_, String>(0))?;
            let mut drop =
                transaction.prepare("DELETE FROM declared WHERE server = ?1 AND uri = ?2")?;
            for uri in kept.collect::<Result<Vec<_>, _>>()? {
                if !now.contains(uri.as_str()) {
                    drop.execute(params![server.0, uri])?;
                }
            }
        }
        transaction.commit()?;
        Ok(())
    }

    /// What a server declared of one skill when it was listed last, as it was given to
    /// [`Vault::keep_declared`].
    ///
    /// # Errors
    /// When the ledger fails.
    pub fn declared(&self, server: &ServerId, uri: &str) -> Result<Option<String>, VaultError> {
        let json = self
            .ledger()
            .query_row(
                "SELECT json FROM declared WHERE server = ?1 AND uri = ?2",
                params![server.0, uri],
                |row| row.get(0),
            )
            .optional()?;
        Ok(json)
    }

    /// Keeps that a server does not give what it declares, in the place of what was kept of this skill.
    ///
    /// # Errors
    /// When the ledger fails or the server was removed.
    pub fn doubt(&self, doubt: &Doubt) -> Result<(), VaultError> {
        let Doubt { server, uri, fingerprint, why } = doubt;
        self.ledger().execute(
            "INSERT OR REPLACE INTO doubts VALUES (?1, ?2, ?3, ?4)",
            params![server.0, uri, fingerprint, why],
        )?;
        Ok(())
    }

    /// Forgets what a server was seen not to give of one skill.
    ///
    /// # Errors
    /// When the ledger fails.
    pub fn forget_doubt(&self, server: &ServerId, uri: &str) -> Result<(), VaultError> {
        self.ledger()
            .execute("DELETE FROM doubts WHERE server = ?1 AND uri = ?2", params![server.0, uri])?;
        Ok(())
    }

    /// Everything that servers were seen not to give.
    ///
    /// # Errors
    /// When the ledger fails.
    pub fn doubts(&self) -> Result<Vec<Doubt>, VaultError> {
        let ledger = self.ledger();
        let mut rows = ledger.prepare("SELECT server, uri, fingerprint, why FROM doubts")?;
        let doubts = rows.query_map([], |row| {
            Ok(Doubt {
                server: ServerId(row.get(0)?),
                uri: row.get(1)?,
                fingerprint: row.get(2)?,
                why: row.get(3)?,
            })
        })?;
        Ok(doubts.collect::<Result<_, _>>()?)
    }
}
