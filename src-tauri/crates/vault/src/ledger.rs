//! The SQLite database: opening, schema, migrations, and setting a damaged one aside.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, ErrorCode, OptionalExtension, params};

use crate::disk;
use crate::error::VaultError;

/// Each brings the schema from the version of its position to the next one.
const MIGRATIONS: &[&str] =
    &[include_str!("ledger/1.sql"), include_str!("ledger/2.sql"), include_str!("ledger/3.sql")];

/// How long a statement waits for another process before it fails.
const BUSY: Duration = Duration::from_secs(5);

/// Rows of one kind that were read, without those that cannot be.
#[derive(Debug)]
pub(crate) struct Rows<T> {
    /// What kind, in the singular.
    what: &'static str,
    pub(crate) read: Vec<T>,
    /// How many were left out.
    pub(crate) left_out: usize,
}

impl<T> Rows<T> {
    pub(crate) fn new(what: &'static str) -> Self {
        Self { what, read: Vec::new(), left_out: 0 }
    }

    /// Takes a row, or leaves it out and says so: one damaged row hides no others.
    pub(crate) fn add(&mut self, id: &str, row: Result<T, serde_json::Error>) {
        match row {
            Ok(row) => self.read.push(row),
            Err(error) => {
                tracing::warn!(what = self.what, id, %error, "a row cannot be read and is left out");
                self.left_out += 1;
            }
        }
    }
}

/// The ledger, ready for use.
#[derive(Debug)]
pub(crate) struct Opened {
    pub(crate) connection: Connection,
    /// There was none, or a damaged one.
    pub(crate) is_new: bool,
    /// Where the damaged one is.
    pub(crate) set_aside: Option<PathBuf>,
}

/// Opens the ledger and brings it up to date. A damaged file is renamed and a new one made.
///
/// # Errors
/// When the file belongs to a newer version, or cannot be opened or renamed.
pub(crate) fn open(path: &Path) -> Result<Opened, VaultError> {
    let (sound, set_aside) = match open_sound(path) {
        Err(VaultError::Ledger(error)) if is_damage(&error) => {
            let aside = set_aside(path)?;
            (open_sound(path)?, Some(aside))
        }
        other => (other?, None),
    };
    let (connection, is_new) = sound;
    Ok(Opened { connection, is_new, set_aside })
}

/// Another number after each commit of any other connection; what this one writes changes nothing.
pub(crate) fn version(connection: &Connection) -> Result<i64, VaultError> {
    Ok(connection.query_row("PRAGMA data_version", [], |row| row.get(0))?)
}

/// The second value says whether there was none.
fn open_sound(path: &Path) -> Result<(Connection, bool), VaultError> {
    let mut connection = Connection::open(path)?;
    connection.busy_timeout(BUSY)?;
    let verdict: Option<String> =
        connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0)).optional()?;
    if verdict.as_deref() != Some("ok") {
        let damage = rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_CORRUPT);
        return Err(rusqlite::Error::SqliteFailure(damage, verdict).into());
    }
    connection.pragma_update(None, "journal_mode", "WAL")?;
    // A record that was committed is on the disk before the next step on it is taken.
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.pragma_update(None, "foreign_keys", true)?;
    check_schema(&connection, MIGRATIONS)?;
    let is_new = migrate(&mut connection, path, MIGRATIONS)? == 0;
    Ok((connection, is_new))
}

/// A ledger that lacks a table or a column of its version is damaged too: nothing could be read from
/// it or written to it ever again.
fn check_schema(connection: &Connection, migrations: &[&str]) -> Result<(), VaultError> {
    let version: u32 = connection.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    let whole = Connection::open_in_memory()?;
    for migration in migrations.iter().take(version as usize) {
        whole.execute_batch(migration)?;
    }
    let there = columns(connection)?;
    match columns(&whole)?.difference(&there).next() {
        None => Ok(()),
        Some((table, column)) => {
            let damage = rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_CORRUPT);
            let what = format!("the table {table} or its column {column} is missing");
            Err(rusqlite::Error::SqliteFailure(damage, Some(what)).into())
        }
    }
}

/// Each table with each of its columns.
fn columns(connection: &Connection) -> Result<BTreeSet<(String, String)>, VaultError> {
    let mut statement = connection.prepare(
        "SELECT t.name, c.name FROM sqlite_schema t, pragma_table_info(t.name) c WHERE t.type = 'table'",
    )?;
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Runs the migrations that are missing, each in its own transaction, after a backup. Says which
/// version it was; 0 is none.
fn migrate(
    connection: &mut Connection,
    path: &Path,
    migrations: &[&str],
) -> Result<usize, VaultError> {
    let version: u32 = connection.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    let version = version as usize;
    if version > migrations.len() {
        return Err(VaultError::Newer(path.to_owned()));
    }
    if version > 0 && version < migrations.len() {
        let backup = disk::unused(&path.with_extension(format!("before-{}", version + 1)));
        connection.execute("VACUUM INTO ?1", params![backup.to_string_lossy()])?;
    }
    for (at, migration) in migrations.iter().enumerate().skip(version) {
        let transaction = connection.transaction()?;
        transaction.execute_batch(migration)?;
        transaction.pragma_update(None, "user_version", at as u32 + 1)?;
        transaction.commit()?;
    }
    Ok(version)
}

fn is_damage(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase))
}

/// Renames the ledger and what SQLite keeps beside it to the first free `damaged-N`.
fn set_aside(path: &Path) -> Result<PathBuf, VaultError> {
    let aside = disk::unused(&path.with_extension("damaged"));
    for suffix in ["", "-wal", "-shm"] {
        let with = |path: &Path| PathBuf::from(format!("{}{suffix}", path.display()));
        if with(path).exists() {
            disk::rename(&with(path), &with(&aside))?;
        }
    }
    Ok(aside)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::disallowed_methods)]

    use super::*;

    #[test]
    fn a_new_ledger_has_the_newest_version_and_foreign_keys() {
        let dir = tempfile::tempdir().unwrap();
        let opened = open(&dir.path().join("ledger.sqlite")).unwrap();
        assert_eq!((opened.is_new, opened.set_aside), (true, None));
        let connection = opened.connection;
        let number =
            |pragma: &str| connection.query_row(pragma, [], |row| row.get::<_, i64>(0)).unwrap();
        assert_eq!(number("PRAGMA user_version"), 3);
        assert_eq!(number("PRAGMA foreign_keys"), 1);
        assert_eq!(number("PRAGMA busy_timeout"), 5000);
        let mode: String =
            connection.query_row("PRAGMA journal_mode", [], |row| row.get(0)).unwrap();
        assert_eq!(mode, "wal");
    }

    #[test]
    fn a_damaged_ledger_is_set_aside_and_a_new_one_made() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("ledger.sqlite");
        std::fs::write(
            &path,
            "not a database, but long enough to be read as a header of one".repeat(40),
        )
        .unwrap();
        let aside = open(&path).unwrap().set_aside;
        assert_eq!(aside, Some(dir.path().join("ledger.damaged-1")));
        std::fs::write(
            &path,
            "damaged again, and long enough to be read as a header of one".repeat(40),
        )
        .unwrap();
        let aside = open(&path).unwrap().set_aside;
        assert_eq!(aside, Some(dir.path().join("ledger.damaged-2")));
        assert!(
            std::fs::read_to_string(dir.path().join("ledger.damaged-1"))
                .unwrap()
                .starts_with("not a database")
        );
    }

    #[test]
    fn a_ledger_that_lost_a_table_or_a_column_is_set_aside() {
        for loss in ["DROP TABLE trash", "ALTER TABLE offers DROP COLUMN json"] {
            let dir = tempfile::tempdir().unwrap();
            let path = dir.path().join("ledger.sqlite");
            open(&path).unwrap().connection.execute_batch(loss).unwrap();
            let opened = open(&path).unwrap();
            assert_eq!(opened.set_aside, Some(dir.path().join("ledger.damaged-1")), "{loss}");
            assert_eq!(open(&path).unwrap().set_aside, None, "{loss}");
        }
    }

    #[test]
    fn a_ledger_of_a_newer_version_is_left_alone() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("ledger.sqlite");
        let connection = open(&path).unwrap().connection;
        connection.pragma_update(None, "user_version", 99).unwrap();
        drop(connection);
        assert!(matches!(open(&path), Err(VaultError::Newer(_))));
        assert!(path.exists());
    }

    #[test]
    fn a_migration_keeps_the_rows_and_makes_a_backup_first() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("ledger.sqlite");
        let mut connection = Connection::open(&path).unwrap();
        migrate(&mut connection, &path, &["CREATE TABLE a (x INTEGER); INSERT INTO a VALUES (7);"])
            .unwrap();
        let both = ["CREATE TABLE a (x INTEGER);", "ALTER TABLE a ADD COLUMN y INTEGER DEFAULT 3;"];
        migrate(&mut connection, &path, &both).unwrap();
        let row: (i64, i64) = connection
            .query_row("SELECT x, y FROM a", [], |row| Ok((row.get(0)?, row.get(1)?)))
            .unwrap();
        assert_eq!(row, (7, 3));
        let backup = Connection::open(dir.path().join("ledger.before-2-1")).unwrap();
        assert_eq!(backup.query_row("SELECT x FROM a", [], |row| row.get::<_, i64>(0)).unwrap(), 7);
        assert!(backup.query_row("SELECT y FROM a", [], |row| row.get::<_, i64>(0)).is_err());
    }

    #[test]
    fn a_migration_that_fails_changes_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("ledger.sqlite");
        let mut connection = Connection::open(&path).unwrap();
        assert!(
            migrate(&mut connection, &path, &["CREATE TABLE a (x); CREATE TABLE a (x);"]).is_err()
        );
        let tables: i64 = connection
            .query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))
            .unwrap();
        assert_eq!(tables, 0);
    }
}
