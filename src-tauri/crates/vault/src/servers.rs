//! The servers that the person added, and what each offered last.

use jiff::Timestamp;
use rusqlite::{OptionalExtension, params};
use serde::{Deserialize, Serialize};
use skills::origin::{Endpoint, ServerId};

use crate::activity::{Activity, ActivityKind};
use crate::error::VaultError;
use crate::ledger::Rows;
use crate::vault::Vault;

/// A server that the person added.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SavedServer {
    /// Made when it was added; stays when it is renamed.
    pub id: ServerId,
    /// The person's name for it.
    pub label: String,
    /// How it is reached.
    pub endpoint: Endpoint,
    /// Whether it is switched on.
    pub enabled: bool,
    /// When it was added.
    pub added_at: Timestamp,
}

/// The names of what a server is given besides its address or command line. The values are secrets
/// and not in the ledger. They are no part of what an approval is bound to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ServerValues {
    /// Whether it is sent a bearer token.
    pub token: bool,
    /// Headers it is sent, in their order.
    pub headers: Vec<String>,
    /// Variables its program is started with, in their order.
    pub variables: Vec<String>,
}

impl ServerValues {
    /// Each as its kind and name.
    fn rows(&self) -> impl Iterator<Item = (&'static str, &str)> {
        let token = self.token.then_some((TOKEN, ""));
        let headers = self.headers.iter().map(|name| (HEADER, name.as_str()));
        let variables = self.variables.iter().map(|name| (VARIABLE, name.as_str()));
        token.into_iter().chain(headers).chain(variables)
    }
}

const TOKEN: &str = "token";
const HEADER: &str = "header";
const VARIABLE: &str = "variable";
const SIGN_IN: &str = "signIn";

/// What a server offered when it was last listed.
#[derive(Debug, Clone, PartialEq)]
pub struct LastOffers {
    /// As it was given to [`Vault::remember_offers`].
    pub json: serde_json::Value,
    /// When that was.
    pub at: Timestamp,
}

impl Vault {
    /// All servers in the order they were added. One that cannot be read is left out with a warning.
    ///
    /// # Errors
    /// When the ledger fails.
    pub fn servers(&self) -> Result<Vec<SavedServer>, VaultError> {
        Ok(self.server_rows()?.read)
    }

    pub(crate) fn server_rows(&self) -> Result<Rows<SavedServer>, VaultError> {
        let ledger = self.ledger();
        let mut statement = ledger.prepare_cached(
            "SELECT id, label, endpoint, enabled, added_at FROM servers ORDER BY place",
        )?;
        let rows = statement.query_map([], |row| {
            Ok((
                row.get::<_, String>(0)?,
                row.get(1)?,
                row.get::<_, String>(2)?,
                row.get(3)?,
                row.get::<_, String>(4)?,
            ))
        })?;
        let mut read = Rows::new("server");
        for row in rows {
            let (id, label, endpoint, enabled, added_at) = row?;
            let parts = serde_json::from_str(&endpoint)
                .and_then(|endpoint| Ok((endpoint, timestamp(&added_at)?)));
            let server = parts.map(|(endpoint, added_at)| SavedServer {
                id: ServerId(id.clone()),
                label,
                endpoint,
                enabled,
                added_at,
            });
            read.add(&id, server);
        }
        Ok(read)
    }

    /// One server.
    ///
    /// # Errors
    /// [`VaultError::Gone`] when there is none with this id.
    pub fn server(&self, id: &ServerId) -> Result<SavedServer, VaultError> {
        self.servers()?
            .into_iter()
            .find(|server| server.id == *id)
            .ok_or_else(|| VaultError::Gone { what: "server", id: id.0.clone() })
    }

    /// Adds a server under a new id, switched on. The same endpoint added again is another server.
    ///
    /// # Errors
    /// When the label is blank, or the ledger fails.
    pub fn add_server(&self, label: &str, endpoint: Endpoint) -> Result<SavedServer, VaultError> {
        let shown = endpoint.shown();
        self.add_as(label, endpoint, ActivityKind::ServerAdded, shown)
    }

    /// The same, told in the activity as this.
    pub(crate) fn add_as(
        &self,
        label: &str,
        endpoint: Endpoint,
        kind: ActivityKind,
        text: String,
    ) -> Result<SavedServer, VaultError> {
        let server = SavedServer {
            id: ServerId(uuid::Uuid::new_v4().to_string()),
            label: checked_label(label)?,
            endpoint,
            enabled: true,
            added_at: Timestamp::now(),
        };
        let mut ledger = self.ledger();
        let transaction = ledger.transaction()?;
        transaction.execute(
            "INSERT INTO servers (id, label, endpoint, enabled, added_at, place)
             VALUES (?1, ?2, ?3, ?4, ?5, (SELECT coalesce(max(place), 0) + 1 FROM servers))",
            params![
                server.id.0,
                server.label,
                serde_json::to_string(&server.endpoint)?,
                server.enabled,
                server.added_at.to_string()
            ],
        )?;
        Activity::now(kind, &server.label, text).about(&server.id, None).write(&transaction)?;
        transaction.commit()?;
        Ok(server)
    }

    /// Gives a server another label; its approvals stay.
    ///
    /// # Errors
    /// When the label is blank, there is no such server, or the ledger fails.
    pub fn rename_server(&self, id: &ServerId, label: &str) -> Result<(), VaultError> {
        let label = checked_label(label)?;
        let rows = self
            .ledger()
            .execute("UPDATE servers SET label = ?2 WHERE id = ?1", params![id.0, label])?;
        found(rows, id)
    }

    /// Switches a server on or off.
    ///
    /// # Errors
    /// When there is no such server, or the ledger fails.
    pub fn set_server_enabled(&self, id: &ServerId, enabled: bool) -> Result<(), VaultError> {
        let rows = self
            .ledger()
            .execute("UPDATE servers SET enabled = ?2 WHERE id = ?1", params![id.0, enabled])?;
        found(rows, id)
    }

    /// Gives a server another address or command line. By that it is another server: no approval
    /// carries over, and what it offered last is forgotten. Approvals of the old address stay with
    /// that address.
    ///
    /// # Errors
    /// When there is no such server, it is the samples, or the ledger fails.
    pub fn set_server_endpoint(
        &self,
        id: &ServerId,
        endpoint: Endpoint,
    ) -> Result<SavedServer, VaultError> {
        let before = self.server(id)?;
        if endpoint == before.endpoint {
            return Ok(before);
        }
        if endpoint == Endpoint::Samples || before.endpoint == Endpoint::Samples {
            return Err(VaultError::BadInput("the samples have no address".to_owned()));
        }
        if [&endpoint, &before.endpoint].iter().any(|it| matches!(it, Endpoint::Imported { .. })) {
            return Err(VaultError::BadInput("imported skills have no address".to_owned()));
        }
        let server = SavedServer { endpoint, ..before };
        let mut ledger = self.ledger();
        let transaction = ledger.transaction()?;
        transaction.execute(
            "UPDATE servers SET endpoint = ?2 WHERE id = ?1",
            params![id.0, serde_json::to_string(&server.endpoint)?],
        )?;
        for forgotten in ["offers", "declared", "doubts"] {
            let delete = format!("DELETE FROM {forgotten} WHERE server = ?1");
            transaction.execute(&delete, params![id.0])?;
        }
        transaction.execute(
            "DELETE FROM server_values WHERE server = ?1 AND kind = ?2",
            params![id.0, SIGN_IN],
        )?;
        Activity::now(ActivityKind::ServerChanged, &server.label, server.endpoint.shown())
            .about(id, None)
            .write(&transaction)?;
        transaction.commit()?;
        Ok(server)
    }

    /// The names of what a server is given.
    ///
    /// # Errors
    /// When the ledger fails.
    pub fn server_values(&self, id: &ServerId) -> Result<ServerValues, VaultError> {
        let ledger = self.ledger();
        let mut statement = ledger.prepare_cached(
            "SELECT kind, name FROM server_values WHERE server = ?1 ORDER BY place",
        )?;
        let rows = statement
            .query_map(params![id.0], |row| Ok((row.get::<_, String>(0)?, row.get(1)?)))?;
        let mut values = ServerValues::default();
        for row in rows {
            let (kind, name) = row?;
            match kind.as_str() {
                TOKEN => values.token = true,
                HEADER => values.headers.push(name),
                VARIABLE => values.variables.push(name),
                SIGN_IN => {}
                _ => tracing::warn!(kind, "a kind of value is not known and is left out"),
            }
        }
        Ok(values)
    }

    /// Remembers the names of what a server is given, in place of those before.
    ///
    /// # Errors
    /// When there is no such server, a name comes twice, or the ledger fails.
    pub fn set_server_values(
        &self,
        id: &ServerId,
        values: &ServerValues,
    ) -> Result<(), VaultError> {
        self.server(id)?;
        let mut ledger = self.ledger();
        let transaction = ledger.transaction()?;
        transaction.execute(
            "DELETE FROM server_values WHERE server = ?1 AND kind <> ?2",
            params![id.0, SIGN_IN],
        )?;
        for (place, (kind, name)) in (0_i64..).zip(values.rows()) {
            transaction.execute(
                "INSERT INTO server_values VALUES (?1, ?2, ?3, ?4)",
                params![id.0, kind, name, place],
            )?;
        }
        transaction.commit()?;
        Ok(())
    }

    /// Whether somebody is signed in to a server. What they were given is a secret and not in the
    /// ledger.
    ///
    /// # Errors
    /// When the ledger fails.
    pub fn is_signed_in(&self, id: &ServerId) -> Result<bool, VaultError> {
        let ledger = self.ledger();
        let mut statement =
            ledger.prepare_cached("SELECT 1 FROM server_values WHERE server = ?1 AND kind = ?2")?;
        Ok(statement.exists(params![id.0, SIGN_IN])?)
    }

    /// Remembers whether somebody is signed in to a server. Another address ends it.
    ///
    /// # Errors
    /// When there is no such server, or the ledger fails.
    pub fn set_signed_in(&self, id: &ServerId, signed_in: bool) -> Result<(), VaultError> {
        self.server(id)?;
        let ledger = self.ledger();
        if signed_in {
            ledger.execute(
                "INSERT OR REPLACE INTO server_values VALUES (?1, ?2, '', -1)",
                params![id.0, SIGN_IN],
            )?;
        } else {
            ledger.execute(
                "DELETE FROM server_values WHERE server = ?1 AND kind = ?2",
                params![id.0, SIGN_IN],
            )?;
        }
        Ok(())
    }

    /// Removes a server with its approvals, rejections, last offers and kept bytes, and what was
    /// imported with it. What was
    /// installed from it stays installed and keeps its origin.
    ///
    /// # Errors
    /// When there is no such server, or the ledger or the disk fails.
    pub fn remove_server(&self, id: &ServerId) -> Result<(), VaultError> {
        let server = self.server(id)?;
        {
            let mut ledger = self.ledger();
            let transaction = ledger.transaction()?;
            transaction.execute("DELETE FROM servers WHERE id = ?1", params![id.0])?;
            Activity::now(
                ActivityKind::ServerRemoved,
                &server.label,
                "with its approvals".to_owned(),
            )
            .about(id, None)
            .write(&transaction)?;
            transaction.commit()?;
        }
        let forgotten = self.blobs().forget(id);
        if let Endpoint::Imported { content, .. } = &server.endpoint {
            self.forget_imported(content)?;
        }
        forgotten
    }

    /// Remembers what a server offered, in the caller's own form, for when it is away.
    ///
    /// # Errors
    /// When there is no such server, or the ledger fails.
    pub fn remember_offers(
        &self,
        id: &ServerId,
        json: &serde_json::Value,
    ) -> Result<(), VaultError> {
        self.server(id)?;
        self.ledger().execute(
            "INSERT OR REPLACE INTO offers VALUES (?1, ?2, ?3)",
            params![id.0, json.to_string(), Timestamp::now().to_string()],
        )?;
        Ok(())
    }

    /// What the server offered when it was last listed; `None` when it never was.
    ///
    /// # Errors
    /// When the ledger fails.
    pub fn last_offers(&self, id: &ServerId) -> Result<Option<LastOffers>, VaultError> {
        let row: Option<(String, String)> = self
            .ledger()
            .query_row("SELECT json, at FROM offers WHERE server = ?1", params![id.0], |row| {
                Ok((row.get(0)?, row.get(1)?))
            })
            .optional()?;
        row.map(|(json, at)| {
            Ok(LastOffers { json: serde_json::from_str(&json)?, at: timestamp(&at)? })
        })
        .transpose()
    }
}

/// Reads a time as the ledger writes it.
pub(crate) fn timestamp(text: &str) -> Result<Timestamp, serde_json::Error> {
    serde_json::from_value(serde_json::Value::String(text.to_owned()))
}

fn checked_label(label: &str) -> Result<String, VaultError> {
    match label.trim() {
        "" => Err(VaultError::BadInput("a server needs a label".to_owned())),
        label => Ok(label.to_owned()),
    }
}

fn found(rows: usize, id: &ServerId) -> Result<(), VaultError> {
    if rows == 0 { Err(VaultError::Gone { what: "server", id: id.0.clone() }) } else { Ok(()) }
}
