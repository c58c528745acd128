//! The vault itself: its folders, its ledger, and the right to change folders.

use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use jiff::{SignedDuration, Timestamp};
use rusqlite::Connection;
use skills::paths::Paths;

use crate::blobs::BlobStore;
use crate::disk;
use crate::error::VaultError;
use crate::ledger;
use crate::recover::Recovered;

/// How long what was replaced or taken back is kept for undo: 30 days.
const KEPT: SignedDuration = SignedDuration::from_hours(30 * 24);

/// What was approved and where it was placed. Shared between threads; reads do not wait for a
/// change that is being applied.
#[derive(Debug)]
pub struct Vault {
    paths: Paths,
    data: PathBuf,
    ledger: Mutex<Connection>,
    /// As [`ledger::version`] was last; held while it is looked at.
    seen: Mutex<i64>,
    blobs: BlobStore,
    #[cfg(test)]
    pub(crate) crash_after: Mutex<Option<crate::apply::Step>>,
}

/// The right to change folders, held by one process and one thread at a time. The system gives it
/// back when the process ends, however it ends.
#[derive(Debug)]
pub(crate) struct ChangeLock(
    #[expect(dead_code, reason = "closing the file gives the lock back")] File,
);

impl Vault {
    /// Opens the vault below [`Paths::data`], completes or takes back what was interrupted, and
    /// removes what has been in the trash for 30 days. The second value says what was put right;
    /// while another process is applying a change, nothing is.
    ///
    /// # Errors
    /// When the data folder cannot be used, or the ledger belongs to a newer version.
    pub fn open(paths: &Paths) -> Result<(Self, Vec<Recovered>), VaultError> {
        disk::make_private(paths.data())?;
        let data =
            paths.data().canonicalize().map_err(VaultError::disk("resolve", paths.data()))?;
        let lock = match ChangeLock::take(&data) {
            Err(VaultError::Busy) => None,
            taken => Some(taken?),
        };
        let (connection, set_aside) = ledger::open(&data.join("ledger.sqlite"))?;
        let seen = Mutex::new(ledger::version(&connection)?);
        let vault = Self {
            paths: paths.clone(),
            blobs: BlobStore::new(data.join("blobs")),
            data,
            ledger: Mutex::new(connection),
            seen,
            #[cfg(test)]
            crash_after: Mutex::new(None),
        };
        let mut recovered: Vec<Recovered> =
            set_aside.into_iter().map(Recovered::LedgerSetAside).collect();
        if let Some(lock) = lock {
            // A row that cannot be read is no reason not to start: changes are refused with it later.
            match vault.recover(&lock) {
                Ok(found) => recovered.extend(found),
                Err(error) => tracing::error!(%error, "cannot read what was interrupted"),
            }
            let long_ago = Timestamp::now().saturating_sub(KEPT).unwrap_or(Timestamp::MIN);
            if let Err(error) = vault.prune(&lock, long_ago) {
                tracing::error!(%error, "cannot prune the trash");
            }
        }
        recovered.extend(vault.unreadable()?);
        for one in &recovered {
            tracing::warn!(%one, "recovered");
        }
        Ok((vault, recovered))
    }

    /// Whether another process, as a verb of the command line, wrote to the ledger since this was
    /// asked last or the vault was opened. Quick enough to be asked every second.
    ///
    /// # Errors
    /// When the ledger fails.
    pub fn changed_by_others(&self) -> Result<bool, VaultError> {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let now = ledger::version(&self.ledger())?;
        Ok(std::mem::replace(&mut *seen, now) != now)
    }

    /// Where verified bytes of servers are kept.
    pub fn blobs(&self) -> &BlobStore {
        &self.blobs
    }

    /// Where the person's folders are.
    pub(crate) fn paths(&self) -> &Paths {
        &self.paths
    }

    /// The real path of Skillhold's own folder.
    pub(crate) fn data(&self) -> &Path {
        &self.data
    }

    /// The ledger. Never held while a caller's code runs.
    pub(crate) fn ledger(&self) -> MutexGuard<'_, Connection> {
        self.ledger.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the right to change folders.
    pub(crate) fn lock_changes(&self) -> Result<ChangeLock, VaultError> {
        ChangeLock::take(&self.data)
    }
}

impl ChangeLock {
    fn take(data: &Path) -> Result<Self, VaultError> {
        let path = data.join("changes.lock");
        let file = disk::open_lock(&path)?;
        match file.try_lock() {
            Ok(()) => Ok(Self(file)),
            Err(TryLockError::WouldBlock) => Err(VaultError::Busy),
            Err(TryLockError::Error(source)) => Err(VaultError::disk("lock", &path)(source)),
        }
    }
}

impl skills::blobs::Blobs for Vault {
    fn get(
        &self,
        server: &skills::origin::ServerId,
        digest: &skills::digest::Digest,
    ) -> Result<Option<Vec<u8>>, skills::blobs::BlobsError> {
        self.blobs.get(server, digest)
    }

    fn put(
        &self,
        server: &skills::origin::ServerId,
        bytes: &[u8],
    ) -> Result<skills::digest::Digest, skills::blobs::BlobsError> {
        self.blobs.put(server, bytes)
    }

    fn stored(&self, server: &skills::origin::ServerId) -> Result<u64, skills::blobs::BlobsError> {
        self.blobs.stored(server)
    }
}
