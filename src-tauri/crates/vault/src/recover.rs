//! After a crash or a failure: completing or taking back what the journal says was going on, by
//! what the disk says.

use std::fmt;
use std::path::PathBuf;

use crate::activity::{Activity, ActivityKind};
use crate::apply::is_exactly;
use crate::disk;
use crate::error::VaultError;
use crate::journal::{Pending, Phase};
use crate::placement::Found;
use crate::swap;
use crate::trash::Trashed;
use crate::vault::{ChangeLock, Vault};

/// What was put right when the vault was opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Recovered {
    /// An interrupted change was completed: the new content is there and recorded.
    Finished {
        /// The skill's name.
        name: String,
        /// The skill's folder.
        folder: PathBuf,
    },
    /// An interrupted change was taken back: everything is as it was before.
    TakenBack {
        /// The skill's name.
        name: String,
        /// The skill's folder.
        folder: PathBuf,
    },
    /// An interrupted change is neither, because its disk is not there or refuses.
    Waiting {
        /// The skill's name.
        name: String,
        /// The skill's folder.
        folder: PathBuf,
    },
    /// The ledger was damaged. It was renamed to this and a new one begun: servers, approvals and
    /// the record of placements are lost; skills in tools' folders are untouched.
    LedgerSetAside(PathBuf),
    /// The ledger holds rows that cannot be read; they stay and are left out of lists.
    RowsLeftOut {
        /// How many servers.
        servers: usize,
        /// How many placements.
        placements: usize,
    },
}

impl fmt::Display for Recovered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Finished { name, folder } => {
                write!(f, "an interrupted change of {name} in {} was completed", folder.display())
            }
            Self::TakenBack { name, folder } => {
                write!(f, "an interrupted change of {name} in {} was taken back", folder.display())
            }
            Self::Waiting { name, folder } => {
                write!(
                    f,
                    "an interrupted change of {name} in {} waits for its disk",
                    folder.display()
                )
            }
            Self::RowsLeftOut { servers, placements } => write!(
                f,
                "the record is damaged in part: {servers} of the servers and {placements} of the installed skills cannot be read and are not shown"
            ),
            Self::LedgerSetAside(path) => write!(
                f,
                "the record of servers, approvals and placements was damaged; it is now {} and a new one was begun",
                path.display()
            ),
        }
    }
}

/// What became of one interrupted item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Settled {
    Finished,
    TakenBack,
    Waiting,
}

impl Vault {
    /// What lists leave out because it cannot be read.
    pub(crate) fn unreadable(&self) -> Result<Option<Recovered>, VaultError> {
        let servers = self.server_rows()?.left_out;
        let placements = self.placement_rows()?.left_out;
        let some = servers + placements > 0;
        Ok(some.then_some(Recovered::RowsLeftOut { servers, placements }))
    }

    /// Settles everything in the journal. One that cannot be settled waits and stops nothing.
    pub(crate) fn recover(&self, _: &ChangeLock) -> Result<Vec<Recovered>, VaultError> {
        let mut recovered = Vec::new();
        for (phase, pending) in self.pending()? {
            let settled = self.settle(phase, &pending).unwrap_or_else(|error| {
                tracing::warn!(folder = %pending.folder.display(), %error, "cannot settle an interrupted change");
                Settled::Waiting
            });
            let name = pending.change.name.clone();
            let folder = match settled {
                Settled::Finished => pending.folder.clone(),
                // What is not finished has its old name.
                Settled::TakenBack | Settled::Waiting => pending.leaves().to_owned(),
            };
            if settled != Settled::Waiting {
                let word = if settled == Settled::Finished { "completed" } else { "taken back" };
                let shown = self.paths().display(&folder);
                let text = format!("the interrupted change in {shown} was {word}");
                let mut activity =
                    Activity::now(ActivityKind::Recovered, &pending.change.name, text);
                activity.fingerprint = Some(pending.change.fingerprint);
                activity.folders = vec![folder.clone()];
                activity.write(&self.ledger())?;
            }
            recovered.push(match settled {
                Settled::Finished => Recovered::Finished { name, folder },
                Settled::TakenBack => Recovered::TakenBack { name, folder },
                Settled::Waiting => Recovered::Waiting { name, folder },
            });
        }
        Ok(recovered)
    }

    /// Completes one item if its new content is in place, or on its way with the old one already
    /// away; takes it back otherwise.
    pub(crate) fn settle(&self, phase: Phase, pending: &Pending) -> Result<Settled, VaultError> {
        if phase == Phase::Staging {
            self.take_back(pending)?;
            return Ok(Settled::TakenBack);
        }
        if !pending.root().is_dir() {
            return Ok(Settled::Waiting);
        }
        let folder = &pending.folder;
        let leaves = pending.leaves();
        let empty = leaves.symlink_metadata().is_err();
        let in_place = pending.incoming.as_ref().is_some_and(|incoming| {
            incoming.found.as_ref().is_some_and(|found| {
                found.is_same_folder(folder)
                    || (incoming.path.symlink_metadata().is_err() && found.is_at(folder))
            })
        });
        // A disk that ignores case shows a folder under its new name before it has it.
        let in_place = in_place && (pending.moved.is_none() || disk::is_listed(folder));
        let kept = pending
            .outgoing
            .as_ref()
            .is_some_and(|outgoing| outgoing.kept.symlink_metadata().is_ok());
        let back = |doing| VaultError::disk(doing, folder);
        match (&pending.incoming, &pending.outgoing) {
            (None, None) => return self.finish(pending),
            (Some(_), None) if in_place => return self.finish(pending),
            (None, Some(_)) if kept => return self.finish(pending),
            (Some(incoming), Some(outgoing)) if in_place && pending.moved.is_some() => {
                if !kept && !empty {
                    // Both are there. The one that somebody wrote to since is not moved away.
                    let written = !is_exactly(&outgoing.found, leaves);
                    let mine = incoming.found.as_ref().is_some_and(|new| is_exactly(new, folder));
                    if written && mine {
                        swap::place(folder, &incoming.path).map_err(back("take away"))?;
                        self.take_back(pending)?;
                        return Ok(Settled::TakenBack);
                    }
                    make_place(outgoing)?;
                    swap::place(leaves, &outgoing.kept).map_err(back("keep what was at"))?;
                }
                return self.finish(pending);
            }
            (Some(incoming), Some(outgoing)) if in_place => {
                if !kept {
                    make_place(outgoing)?;
                    swap::place(&incoming.path, &outgoing.kept)
                        .map_err(back("keep what was at"))?;
                }
                return self.finish(pending);
            }
            (Some(incoming), Some(outgoing)) if kept && empty => {
                if incoming.found.as_ref().is_some_and(|found| found.is_at(&incoming.path)) {
                    swap::place(&incoming.path, folder)
                        .map_err(back("put a folder in the place of"))?;
                    return self.finish(pending);
                }
                swap::place(&outgoing.kept, leaves).map_err(back("put back"))?;
            }
            _ => {}
        }
        self.take_back(pending)?;
        Ok(Settled::TakenBack)
    }

    fn finish(&self, pending: &Pending) -> Result<Settled, VaultError> {
        let mut pending = pending.clone();
        // What went to the trash may have been written to in the last moment: it is what it is now.
        if let Some(outgoing) = &mut pending.outgoing
            && let Ok((found, manifest)) = Found::at(&outgoing.kept)
        {
            outgoing.found = found;
            outgoing.size = manifest.total_size();
        }
        self.record(&pending)?;
        Ok(Settled::Finished)
    }
}

/// Makes the folder of the trash that something is to be kept in.
fn make_place(outgoing: &Trashed) -> Result<(), VaultError> {
    outgoing.kept.parent().map_or(Ok(()), disk::make_private)
}
