//! What can go wrong, in words for people.

use std::io;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use jiff::tz::TimeZone;
use rusqlite::ErrorCode;
use skills::manifest::ReadManifestError;

use crate::bundle::BundleError;

const FULL: &str = "make room on the disk";
const READ_ONLY: &str = "the disk is read-only";

/// What kind of failure it is; only kinds that a caller treats differently.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorKind {
    /// What was asked for is no longer there.
    Gone,
    /// What was given cannot be used.
    BadInput,
    /// The disk, the server's entry or the approval is no longer as it was looked at.
    Changed,
    /// It has to be approved first.
    NotApproved,
    /// The disk refused.
    Disk,
    /// The person stopped it.
    Cancelled,
    /// Another change is being made right now.
    Busy,
    /// The vault's own record failed.
    Internal,
}

/// Why the vault did not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub enum VaultError {
    /// There is no such server, change or placement.
    #[error("there is no {what} {id}")]
    Gone {
        /// `server`, `change` and so on.
        what: &'static str,
        /// The id that was asked for.
        id: String,
    },
    /// Something given cannot be used.
    #[error("{0}")]
    BadInput(String),
    /// Something is not as the preview said.
    #[error("{} changed since the preview", .0.display())]
    Changed(PathBuf),
    /// An item of a plan that was refused when it was planned.
    #[error("{0}")]
    Refused(String),
    /// The plan has blockers.
    #[error("{0}")]
    NotApproved(String),
    /// What was installed is not as it was written, so it is left alone.
    #[error("{} was edited after it was installed, so it was kept", .0.display())]
    Edited(PathBuf),
    /// What was done with a folder is not as it was left, so it is left alone.
    #[error("{} was changed after it was {done}, so it was kept", .folder.display())]
    ChangedSince {
        /// The folder.
        folder: PathBuf,
        /// What was done, as in `fixed`.
        done: &'static str,
    },
    /// A later change has to be undone first.
    #[error(
        "{} was {done} since: undo the change of {name} of {} first",
        .folder.display(), .at.to_zoned_datetime(TimeZone::system()).strftime("%Y-%m-%d %H:%M")
    )]
    Later {
        /// The folder that was changed.
        folder: PathBuf,
        /// What was done with it, as in `disabled`.
        done: String,
        /// What the later change is about.
        name: String,
        /// When it was made.
        at: Timestamp,
        /// Its id.
        change: String,
    },
    /// Something else is where a folder is to be put back.
    #[error("there is something else at {} now", .0.display())]
    Taken(PathBuf),
    /// What had been replaced is not in the trash any more.
    #[error("what was at {} is no longer in the trash", .0.display())]
    NotInTrash(PathBuf),
    /// The folder in which something is kept is not there, as when its disk is not.
    #[error("{} is not there, where it is kept", .0.display())]
    Away(PathBuf),
    /// What had been moved aside is not there any more.
    #[error("what was at {} is no longer where disabled skills are kept", .0.display())]
    NotAside(PathBuf),
    /// An interrupted change of this folder waits for its disk.
    #[error("an interrupted change of {} is not finished yet", .0.display())]
    Unfinished(PathBuf),
    /// Bytes that were just written do not read back the same.
    #[error("{} does not read back as it was written", .0.display())]
    ReadBack(PathBuf),
    /// A bundle, or what skills were to be imported from, cannot be used.
    #[error(transparent)]
    Bundle(#[from] BundleError),
    /// A folder could not be read whole.
    #[error(transparent)]
    Read(#[from] ReadManifestError),
    /// The system refused to do something with a path.
    #[error("cannot {doing} {}", .path.display())]
    Disk {
        /// A verb, as in `write`.
        doing: &'static str,
        /// What it was done to.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// The person stopped it.
    #[error("stopped; {} is as it was", .0.display())]
    Stopped(PathBuf),
    /// Another process, or another thread of this one, is applying a change.
    #[error("another change is being made right now")]
    Busy,
    /// The ledger was made by a newer version.
    #[error("{} was made by a newer version of Skillhold", .0.display())]
    Newer(PathBuf),
    /// The ledger failed.
    #[error("the record of approvals and placements failed")]
    Ledger(#[from] rusqlite::Error),
    /// The ledger holds something that cannot be read.
    #[error("the record of approvals and placements holds a row that cannot be read")]
    Row(#[from] serde_json::Error),
    /// A test ended the work here, as a crash would.
    #[cfg(any(test, feature = "failure-points"))]
    #[error("crashed after {0}")]
    Crashed(String),
}

impl VaultError {
    /// What kind of failure it is.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Gone { .. } | Self::NotInTrash(_) | Self::NotAside(_) | Self::Away(_) => {
                ErrorKind::Gone
            }
            Self::BadInput(_) | Self::Bundle(_) => ErrorKind::BadInput,
            Self::Changed(_)
            | Self::Edited(_)
            | Self::ChangedSince { .. }
            | Self::Later { .. }
            | Self::Taken(_)
            | Self::Read(ReadManifestError::Changed(_)) => ErrorKind::Changed,
            Self::NotApproved(_) => ErrorKind::NotApproved,
            Self::Refused(_) | Self::ReadBack(_) | Self::Read(_) | Self::Disk { .. } => {
                ErrorKind::Disk
            }
            Self::Stopped(_) => ErrorKind::Cancelled,
            Self::Busy | Self::Unfinished(_) => ErrorKind::Busy,
            Self::Ledger(error) if disk_fault(error).is_some() => ErrorKind::Disk,
            Self::Newer(_) | Self::Ledger(_) | Self::Row(_) => ErrorKind::Internal,
            #[cfg(any(test, feature = "failure-points"))]
            Self::Crashed(_) => ErrorKind::Internal,
        }
    }

    /// What to do next, where there is something.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Bundle(error) => error.hint,
            Self::Changed(_) => Some("look at the preview again"),
            Self::Edited(_) => Some("copy what you want to keep, or remove the folder yourself"),
            Self::ChangedSince { .. } => Some("undo what was done to it since, then try again"),
            Self::Away(_) => Some("connect its disk, then try again"),
            Self::Taken(_) => Some("move what is there away, then try again"),
            Self::Busy => Some("wait until it is done, or close the other Skillhold"),
            Self::Unfinished(_) => Some("connect the disk and start Skillhold again"),
            Self::Newer(_) => Some("start the newer version"),
            Self::ReadBack(_) => Some("check the disk for faults"),
            Self::Ledger(error) => disk_fault(error),
            Self::Disk { source, .. } => match source.kind() {
                io::ErrorKind::PermissionDenied => Some("check who may write there"),
                io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Some(FULL),
                io::ErrorKind::ReadOnlyFilesystem => Some(READ_ONLY),
                io::ErrorKind::CrossesDevices => {
                    Some("the folder lies on another disk than it seems to")
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// Wraps what the system said about a path.
    pub(crate) fn disk(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Disk { doing, path: path.to_owned(), source }
    }

    /// True for the end that a test asked for, which must leave everything as a crash would.
    pub(crate) fn is_crash(&self) -> bool {
        #[cfg(any(test, feature = "failure-points"))]
        return matches!(self, Self::Crashed(_));
        #[cfg(not(any(test, feature = "failure-points")))]
        false
    }
}

/// What to do where the ledger failed because of its disk.
fn disk_fault(error: &rusqlite::Error) -> Option<&'static str> {
    match error.sqlite_error_code()? {
        ErrorCode::DiskFull => Some(FULL),
        ErrorCode::ReadOnly => Some(READ_ONLY),
        _ => None,
    }
}
