//! Approvals and rejections as the ledger has them.

use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, Row, params};
use serde_json::Value;
use skills::digest::Fingerprint;
use skills::entry::Entry;
use skills::origin::ServerId;

use super::Approval;
use crate::error::VaultError;
use crate::servers::{SavedServer, timestamp};

/// A row of the ledger.
pub(super) struct Recorded {
    pub(super) approval: Approval,
    pub(super) bound: String,
    pub(super) revoked_at: Option<Timestamp>,
}

/// What [`read_row`] reads.
pub(super) const COLUMNS: &str = "id, server, uri, bound, fingerprint, files, front_matter, findings, granted, note, at, revoked_at";

pub(super) fn approval_row(
    ledger: &Connection,
    server: &SavedServer,
    uri: &str,
) -> Result<Option<Recorded>, VaultError> {
    let mut statement = ledger.prepare_cached(&format!(
        "SELECT {COLUMNS} FROM approvals WHERE server = ?1 AND endpoint = ?2 AND uri = ?3"
    ))?;
    let mut rows = statement.query(params![server.id.0, server.endpoint.identity(), uri])?;
    rows.next()?.map(read_row).transpose()
}

pub(super) fn read_row(row: &Row<'_>) -> Result<Recorded, VaultError> {
    let text = |column: &str| row.get::<_, String>(column);
    let json = |text: String| serde_json::from_str(&text);
    Ok(Recorded {
        bound: text("bound")?,
        revoked_at: row
            .get::<_, Option<String>>("revoked_at")?
            .map(|at| timestamp(&at))
            .transpose()?,
        approval: Approval {
            id: row.get("id")?,
            server: ServerId(text("server")?),
            uri: text("uri")?,
            fingerprint: serde_json::from_value(Value::String(text("fingerprint")?))?,
            files: serde_json::from_str(&text("files")?)?,
            granted: row.get("granted")?,
            at: timestamp(&text("at")?)?,
            front_matter: row.get::<_, Option<String>>("front_matter")?.map(json).transpose()?,
            findings: serde_json::from_str(&text("findings")?)?,
            note: row.get("note")?,
        },
    })
}

pub(super) fn rejected_at(
    ledger: &Connection,
    server: &SavedServer,
    entry: &Entry,
) -> Result<Option<Timestamp>, VaultError> {
    rejection(ledger, server, entry.uri().as_str(), &entry.fingerprint())
}

pub(super) fn rejection(
    ledger: &Connection,
    server: &SavedServer,
    uri: &str,
    fingerprint: &Fingerprint,
) -> Result<Option<Timestamp>, VaultError> {
    let at: Option<String> = ledger
        .query_row(
            "SELECT at FROM rejections WHERE server = ?1 AND endpoint = ?2 AND uri = ?3 AND fingerprint = ?4",
            params![server.id.0, server.endpoint.identity(), uri, fingerprint.to_string()],
            |row| row.get(0),
        )
        .optional()?;
    Ok(at.map(|at| timestamp(&at)).transpose()?)
}
