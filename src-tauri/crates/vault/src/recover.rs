//! After a crash or a failure: completing or taking back what the journal says was going on, by
//! what the disk says.

use std::collections::HashSet;
use std::fmt;
use std::path::{Path, PathBuf};

use crate::activity::{Activity, ActivityKind};
use crate::apply::is_exactly;
use crate::change::{About, Act, ChangeHead};
use crate::disk;
use crate::error::VaultError;
use crate::journal::{Pending, Phase};
use crate::placement::Found;
use crate::receipts::{LOST, Rebuilt};
use crate::room;
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
    /// The ledger was damaged or gone, and a new one begun: servers, approvals, settings and what
    /// could be undone are lost; skills in tools' folders are untouched.
    LedgerLost {
        /// What a damaged one was renamed to.
        aside: Option<PathBuf>,
        /// What is known again.
        rebuilt: Rebuilt,
    },
    /// The ledger had lost its last steps, as after a fault of its disk: this is known again.
    Rebuilt(Rebuilt),
    /// So many interrupted changes cannot be read from the journal. They are let be: what they had
    /// staged or moved is still in a folder of Skillhold's.
    StepsLost(usize),
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
            Self::StepsLost(count) => write!(
                f,
                "{count} interrupted changes cannot be read any more; what they had staged or moved is still in Skillhold's folders"
            ),
            Self::RowsLeftOut { servers, placements } => write!(
                f,
                "the record is damaged in part: {servers} of the servers and {placements} of the installed skills cannot be read and are not shown"
            ),
            Self::LedgerLost { aside: Some(aside), rebuilt } => write!(
                f,
                "the record was damaged; it is now {} and a new one was begun: {rebuilt} are known again; {LOST}",
                aside.display()
            ),
            Self::LedgerLost { aside: None, rebuilt } => write!(
                f,
                "the record is gone and a new one was begun: {rebuilt} are known again; {LOST}"
            ),
            Self::Rebuilt(rebuilt) => {
                write!(f, "the record had lost its last steps: {rebuilt} are known again")
            }
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

    /// Settles everything in the journal, and puts away the copies that no link leads to. One that
    /// cannot be settled waits and stops nothing.
    pub(crate) fn recover(&self, lock: &ChangeLock) -> Result<Vec<Recovered>, VaultError> {
        let mut recovered = Vec::new();
        let mut told = HashSet::new();
        room::give_back(self.data());
        let (mut interrupted, mut unreadable) = (Vec::new(), 0);
        for (id, row) in self.journal()? {
            match row {
                Ok(row) => interrupted.push(row),
                Err(error) => {
                    tracing::error!(id, %error, "an interrupted change cannot be read");
                    self.put_unreadable_aside(id)?;
                    unreadable += 1;
                }
            }
        }
        if unreadable > 0 {
            let lost = Recovered::StepsLost(unreadable);
            Activity::now(ActivityKind::Recovered, "Skillhold", lost.to_string())
                .write(&self.ledger())?;
            recovered.push(lost);
        }
        for (phase, pending) in interrupted {
            let settled = self.settle(phase, &pending).unwrap_or_else(|error| {
                tracing::warn!(folder = %pending.folder.display(), %error, "cannot settle an interrupted change");
                Settled::Waiting
            });
            // Of what was only to be there for a change, its beginning alone is worth a word.
            let begun = pending.incoming.as_ref().is_some_and(|new| new.staging.is_some());
            if pending.upkeep && !(begun && settled == Settled::TakenBack) {
                continue;
            }
            let folder = match settled {
                Settled::Finished => &pending.folder,
                // What is not finished has its old name.
                Settled::TakenBack | Settled::Waiting => pending.leaves(),
            };
            told.insert(pending.change.id.clone());
            recovered.push(self.tell(settled, &pending.about, folder)?);
        }
        for copy in self.sweep(lock, &ChangeHead::new(String::new()))? {
            if told.insert(copy.change.clone()) {
                let about = About::of(Act::Place, &copy);
                recovered.push(self.tell(Settled::TakenBack, &about, &copy.folder)?);
            }
        }
        Ok(recovered)
    }

    /// Says what became of one interrupted change; in the activity too, once it is settled.
    fn tell(
        &self,
        settled: Settled,
        about: &About,
        folder: &Path,
    ) -> Result<Recovered, VaultError> {
        if settled != Settled::Waiting {
            let word = if settled == Settled::Finished { "completed" } else { "taken back" };
            let shown = self.paths().display(folder);
            let text = format!("the interrupted change in {shown} was {word}");
            let mut activity = Activity::now(ActivityKind::Recovered, &about.name, text);
            activity.fingerprint = about.fingerprint;
            activity.folders = vec![folder.to_owned()];
            activity.write(&self.ledger())?;
        }
        let (name, folder) = (about.name.clone(), folder.to_owned());
        Ok(match settled {
            Settled::Finished => Recovered::Finished { name, folder },
            Settled::TakenBack => Recovered::TakenBack { name, folder },
            Settled::Waiting => Recovered::Waiting { name, folder },
        })
    }

    /// Completes one item if its new content is in place, or on its way with the old one already
    /// away; takes it back otherwise.
    pub(crate) fn settle(&self, phase: Phase, pending: &Pending) -> Result<Settled, VaultError> {
        if phase == Phase::Staging {
            self.take_back(pending)?;
            return Ok(Settled::TakenBack);
        }
        if pending.incoming.is_none() && pending.outgoing.is_none() {
            // Only the record changes; what comes into it must still be there as it was seen.
            let adopted = pending.after.as_ref().filter(|_| pending.adopts());
            if adopted.is_none_or(|placement| placement.found.is_exactly_at(&pending.folder)) {
                return self.finish(pending);
            }
            self.take_back(pending)?;
            return Ok(Settled::TakenBack);
        }
        if !pending.root().is_dir() {
            let waits = pending.incoming.as_ref().filter(|_| pending.outgoing.is_none());
            if let Some(incoming) = waits
                && incoming.found.as_ref().is_some_and(|it| it.is_same_folder(&incoming.path))
            {
                self.take_back(pending)?;
                return Ok(Settled::TakenBack);
            }
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
            outgoing.size = found.size(&manifest);
            outgoing.found = found;
        }
        self.record(&pending)?;
        Ok(Settled::Finished)
    }
}

/// Makes the folder of the trash that something is to be kept in.
fn make_place(outgoing: &Trashed) -> Result<(), VaultError> {
    outgoing.kept.parent().map_or(Ok(()), disk::make_private)
}
