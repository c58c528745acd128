//! The vault itself: its folders, its ledger, and the right to change folders.

use std::collections::HashMap;
use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use jiff::Timestamp;
use rusqlite::Connection;
use skills::paths::Paths;

use crate::activity::{Activity, ActivityKind};
use crate::blobs::BlobStore;
use crate::disk;
use crate::error::VaultError;
use crate::ledger;
use crate::recover::Recovered;
use crate::trash::KEPT;

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
    /// Another process was making a change when the vault was opened, so that nothing was put right.
    unsettled: AtomicBool,
    /// Whether links can be made on a disk, for each on which that was tried.
    disks: Mutex<HashMap<u64, bool>>,
    #[cfg(any(test, feature = "failure-points"))]
    pub(crate) points: crate::points::Points,
}

/// The right to change folders, held by one process and one thread at a time. The system gives it
/// back when the process ends, however it ends.
#[derive(Debug)]
pub(crate) struct ChangeLock(File);

impl Drop for ChangeLock {
    fn drop(&mut self) {
        // A program that is just being started holds a copy of the open file for a moment, so that
        // closing this one would not give the lock back yet.
        if let Err(error) = self.0.unlock() {
            tracing::warn!(%error, "the right to change folders is given back late");
        }
    }
}

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
        let opened = ledger::open(&data.join("ledger.sqlite"))?;
        let seen = Mutex::new(ledger::version(&opened.connection)?);
        let vault = Self {
            paths: paths.clone(),
            blobs: BlobStore::new(data.join("blobs")),
            data,
            ledger: Mutex::new(opened.connection),
            seen,
            unsettled: AtomicBool::new(lock.is_none()),
            disks: Mutex::default(),
            #[cfg(any(test, feature = "failure-points"))]
            points: crate::points::Points::default(),
        };
        let mut recovered = Vec::new();
        let rebuilt = match &lock {
            None => None,
            Some(lock) => vault.reconcile_receipts(lock, opened.is_new).unwrap_or_else(|error| {
                tracing::error!(%error, "cannot compare the record with its receipts");
                None
            }),
        };
        let lost = match (opened.is_new, opened.set_aside, rebuilt) {
            (true, None, None) => None,
            (true, aside, rebuilt) => {
                Some(Recovered::LedgerLost { aside, rebuilt: rebuilt.unwrap_or_default() })
            }
            (false, _, rebuilt) => rebuilt.map(Recovered::Rebuilt),
        };
        let tell = |one: &Recovered| {
            Activity::now(ActivityKind::Recovered, "Skillhold", one.to_string())
                .write(&vault.ledger())
        };
        lost.as_ref().map_or(Ok(()), tell)?;
        recovered.extend(lost);
        if let Some(lock) = lock {
            // What cannot be settled is no reason not to start.
            match vault.recover(&lock) {
                Ok(found) => {
                    // What was worked on was left out above; what became of it is known now.
                    let again = if found.is_empty() {
                        Ok(None)
                    } else {
                        vault.reconcile_receipts(&lock, false)
                    };
                    recovered.extend(found);
                    match again {
                        Ok(rebuilt) => {
                            let rebuilt = rebuilt.map(Recovered::Rebuilt);
                            rebuilt.as_ref().map_or(Ok(()), tell)?;
                            recovered.extend(rebuilt);
                        }
                        Err(error) => {
                            tracing::error!(%error, "cannot compare the record with its receipts");
                        }
                    }
                }
                Err(error) => tracing::error!(%error, "cannot read what was interrupted"),
            }
            if let Err(error) = vault.forget_staged(&lock) {
                tracing::error!(%error, "cannot remove what an interrupted import left");
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

    /// Completes or takes back what was interrupted, where another process was making a change when the
    /// vault was opened: that process may have been ended in the middle of it. Does nothing while it
    /// still makes it, nor once this was done. Quick enough to be asked every second.
    ///
    /// # Errors
    /// When the ledger fails.
    pub fn recover_late(&self) -> Result<Vec<Recovered>, VaultError> {
        if !self.unsettled.load(Ordering::Relaxed) {
            return Ok(Vec::new());
        }
        let lock = match self.lock_changes() {
            Err(VaultError::Busy) => return Ok(Vec::new()),
            taken => taken?,
        };
        self.unsettled.store(false, Ordering::Relaxed);
        let recovered = self.recover(&lock)?;
        for one in &recovered {
            tracing::warn!(%one, "recovered");
        }
        Ok(recovered)
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

    /// Which disks take links, as far as that was tried.
    pub(crate) fn disks(&self) -> MutexGuard<'_, HashMap<u64, bool>> {
        self.disks.lock().unwrap_or_else(PoisonError::into_inner)
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
