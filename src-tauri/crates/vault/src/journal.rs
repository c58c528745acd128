//! The step that is being taken on one folder, written to the ledger before the disk is touched, so
//! that after a crash it can be completed or taken back.

use std::path::{Path, PathBuf};

use jiff::Timestamp;
use rusqlite::{Connection, params};
use serde::{Deserialize, Serialize};
use skills::manifest::Manifest;
use skills::paths::Paths;

use crate::activity::{Activity, ActivityKind};
use crate::change::{About, Act, ChangeHead, DoneItem, Moved};
use crate::deed::{self, Aside};
use crate::disk;
use crate::error::VaultError;
use crate::placement::{self, Found, Placement};
use crate::receipts::Kind;
use crate::swap;
use crate::trash::{self, Trashed};
use crate::vault::Vault;

/// How far it may have come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Phase {
    /// Files are being staged; the tool's folder is untouched, besides missing roots.
    Staging,
    /// The folder may or may not be in its place.
    Swapping,
}

/// New content on its way to the folder.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Incoming {
    /// Where it comes from.
    pub(crate) path: PathBuf,
    /// The folder that was made to stage it; `None` for content that comes out of the trash.
    pub(crate) staging: Option<PathBuf>,
    /// Its id in the trash.
    pub(crate) trash: Option<String>,
    /// What the record says of it, if it comes from aside.
    #[serde(default)]
    pub(crate) aside: Option<Box<Aside>>,
    /// What it is; `None` while it is being staged.
    pub(crate) found: Option<Found>,
}

/// One item that is being worked on.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Pending {
    #[serde(skip)]
    pub(crate) id: i64,
    pub(crate) change: ChangeHead,
    pub(crate) position: u32,
    pub(crate) about: About,
    pub(crate) tools: Vec<String>,
    /// The skill's folder in the tool's root.
    pub(crate) folder: PathBuf,
    pub(crate) incoming: Option<Incoming>,
    /// What is there and goes to the trash, or aside.
    pub(crate) outgoing: Option<Trashed>,
    /// Where it goes aside: what the record will say of it there.
    #[serde(default)]
    pub(crate) to_aside: Option<Box<Aside>>,
    /// Skillhold's own folder on that disk, for staging and trash.
    pub(crate) store: PathBuf,
    /// Folders made on the way, outermost first.
    pub(crate) created: Vec<PathBuf>,
    /// Folders that can go once they are empty, innermost first.
    pub(crate) emptied: Vec<PathBuf>,
    /// What the record says before and after.
    pub(crate) before: Option<Placement>,
    pub(crate) after: Option<Placement>,
    /// Where the skill's folder was before, where it was not at `folder`.
    #[serde(default)]
    pub(crate) moved: Option<Moved>,
    /// What is written, where the record will not say so: in a fix.
    #[serde(default)]
    pub(crate) written: Option<Manifest>,
    /// It is no item of the change, but what has to be there for one or is left over by one: the
    /// canonical copy behind links.
    #[serde(default)]
    pub(crate) upkeep: bool,
}

impl Incoming {
    /// What is to be staged under this name, in a folder of its own in the store.
    pub(crate) fn staged_in(store: &Path, name: impl AsRef<Path>) -> Self {
        let staging = store.join("staging").join(uuid::Uuid::new_v4().simple().to_string());
        let path = staging.join(name);
        Self { path, staging: Some(staging), trash: None, aside: None, found: None }
    }

    /// What comes back from aside.
    pub(crate) fn from_aside(aside: Aside, found: Option<Found>) -> Self {
        let path = aside.kept.clone();
        Self { path, staging: None, trash: None, aside: Some(Box::new(aside)), found }
    }
}

/// A row of the journal, or why it cannot be read.
pub(crate) type JournalRow = serde_json::Result<(Phase, Pending)>;

/// The step of a row that cannot be read.
const UNREADABLE: &str = "unreadable";

impl Phase {
    fn text(self) -> &'static str {
        match self {
            Self::Staging => "staging",
            Self::Swapping => "swapping",
        }
    }
}

impl Pending {
    /// Of one item, with nothing that comes or goes yet.
    pub(crate) fn of(
        change: &ChangeHead,
        position: u32,
        about: About,
        folder: &Path,
        store: &Path,
    ) -> Self {
        Self {
            id: 0,
            change: change.clone(),
            position,
            about,
            tools: Vec::new(),
            folder: folder.to_owned(),
            incoming: None,
            outgoing: None,
            to_aside: None,
            store: store.to_owned(),
            created: Vec::new(),
            emptied: Vec::new(),
            before: None,
            after: None,
            moved: None,
            written: None,
            upkeep: false,
        }
    }

    /// Writes it to the ledger; it is on the disk when this returns.
    pub(crate) fn write(&mut self, ledger: &Connection, phase: Phase) -> Result<(), VaultError> {
        let json = serde_json::to_string(self)?;
        if self.id == 0 {
            ledger.execute(
                "INSERT INTO journal (step, json) VALUES (?1, ?2)",
                params![phase.text(), json],
            )?;
            self.id = ledger.last_insert_rowid();
        } else {
            ledger.execute(
                "UPDATE journal SET step = ?2, json = ?3 WHERE id = ?1",
                params![self.id, phase.text(), json],
            )?;
        }
        Ok(())
    }

    /// Says that it is done, as an item of its change.
    fn done(&self, ledger: &Connection, paths: &Paths) -> Result<(), VaultError> {
        let change = &self.change;
        change.write(ledger)?;
        let brought = self.incoming.as_ref().and_then(|incoming| incoming.aside.as_deref());
        let done = DoneItem {
            position: self.position,
            about: self.about.clone(),
            tools: self.tools.clone(),
            folder: self.folder.clone(),
            store: self.store.clone(),
            created: self.created.clone(),
            displaced: self
                .outgoing
                .as_ref()
                .filter(|_| self.to_aside.is_none())
                .map(|outgoing| outgoing.id.clone()),
            before: self.before.clone(),
            after: self.after.clone(),
            moved: self.moved.clone(),
            written: self.written.clone(),
            set_aside: self.to_aside.as_ref().map(|aside| aside.id.clone()),
            brought: brought.cloned(),
        };
        done.write(ledger, &change.id)?;
        if let Some(undoes) = &change.undoes {
            DoneItem::mark_undone(ledger, undoes, self.position)?;
        }
        change.tell(ledger, paths)
    }

    /// Says what is whose from now on.
    fn own(&self, ledger: &Connection) -> Result<(), VaultError> {
        placement::record(ledger, &self.folder, self.after.as_ref())?;
        if let Some(moved) = &self.moved {
            placement::record(ledger, &moved.from, moved.after.as_ref())?;
        }
        if let Some(incoming) = &self.incoming {
            if let Some(id) = &incoming.trash {
                trash::forget(ledger, id)?;
            }
            if let Some(aside) = &incoming.aside {
                deed::forget(ledger, &aside.id)?;
            }
        }
        match (&self.outgoing, &self.to_aside) {
            (Some(outgoing), Some(aside)) => {
                let (found, size) = (outgoing.found.clone(), outgoing.size);
                deed::add(ledger, &Aside { found, size, ..Aside::clone(aside) })
            }
            (Some(outgoing), None) => trash::add(ledger, outgoing),
            (None, _) => Ok(()),
        }
    }

    /// The rows that [`Self::own`] may change.
    fn keys(&self) -> Vec<(Kind, String)> {
        let folders = std::iter::once(&self.folder).chain(self.moved.as_ref().map(|it| &it.from));
        let mut keys: Vec<_> =
            folders.map(|folder| (Kind::Placement, placement::key(folder))).collect();
        if let Some(incoming) = &self.incoming {
            keys.extend(incoming.trash.iter().map(|id| (Kind::Trash, id.clone())));
            keys.extend(incoming.aside.iter().map(|aside| (Kind::Aside, aside.id.clone())));
        }
        match (&self.outgoing, &self.to_aside) {
            (Some(_), Some(aside)) => keys.push((Kind::Aside, aside.id.clone())),
            (Some(outgoing), None) => keys.push((Kind::Trash, outgoing.id.clone())),
            (None, _) => {}
        }
        keys
    }

    /// Makes the folders on the way. What somebody else made first is not ours, nor removed as such
    /// when the item is taken back.
    pub(crate) fn make_created(&mut self) -> Result<(), VaultError> {
        for made in 0..self.created.len() {
            if let Err(error) = disk::make_folder(&self.created[made]) {
                self.created.truncate(made);
                return Err(error);
            }
        }
        Ok(())
    }

    fn forget(&self, ledger: &Connection) -> Result<(), VaultError> {
        ledger.execute("DELETE FROM journal WHERE id = ?1", params![self.id])?;
        Ok(())
    }

    /// Where what goes to the trash is.
    pub(crate) fn leaves(&self) -> &Path {
        self.moved.as_ref().map_or(&self.folder, |moved| &moved.from)
    }

    /// True when it takes what is at the folder into the record.
    pub(crate) fn adopts(&self) -> bool {
        self.about.act == Act::Adopt && self.change.undoes.is_none()
    }

    /// True when it changes what is at this path, in it or around it.
    pub(crate) fn touches(&self, folder: &Path) -> bool {
        let overlap = |own: &Path| own.starts_with(folder) || folder.starts_with(own);
        overlap(&self.folder) || overlap(self.leaves())
    }

    /// The folder that holds the skill's folder.
    pub(crate) fn root(&self) -> &Path {
        self.folder.parent().unwrap_or(&self.folder)
    }
}

impl Vault {
    /// Everything that is being worked on or was interrupted.
    pub(crate) fn pending(&self) -> Result<Vec<(Phase, Pending)>, VaultError> {
        self.journal()?.into_iter().map(|(_, row)| Ok(row?)).collect()
    }

    /// The rows of the journal with their ids, those that cannot be read among them.
    pub(crate) fn journal(&self) -> Result<Vec<(i64, JournalRow)>, VaultError> {
        let ledger = self.ledger();
        let mut statement = ledger
            .prepare_cached("SELECT id, step, json FROM journal WHERE step <> ?1 ORDER BY id")?;
        let rows = statement.query_map([UNREADABLE], |row| {
            Ok((row.get::<_, i64>(0)?, row.get::<_, String>(1)?, row.get::<_, String>(2)?))
        })?;
        rows.map(|row| {
            let (id, step, json) = row?;
            let phase =
                if step == Phase::Staging.text() { Phase::Staging } else { Phase::Swapping };
            let pending = serde_json::from_str::<Pending>(&json);
            Ok((id, pending.map(|pending| (phase, Pending { id, ..pending }))))
        })
        .collect()
    }

    /// Puts a row aside that cannot be read, which would refuse every change from now on. What it had
    /// staged or moved stays where it is.
    pub(crate) fn put_unreadable_aside(&self, id: i64) -> Result<(), VaultError> {
        self.ledger()
            .execute("UPDATE journal SET step = ?2 WHERE id = ?1", params![id, UNREADABLE])?;
        Ok(())
    }

    /// Makes the record say what the disk says once everything is in its place: one transaction,
    /// with which the journal's row goes.
    pub(crate) fn commit(&self, pending: &Pending) -> Result<(), VaultError> {
        let mut ledger = self.ledger();
        let transaction = ledger.transaction()?;
        if !pending.upkeep {
            pending.done(&transaction, self.paths())?;
        }
        self.with_receipts(&transaction, &pending.keys(), |ledger| pending.own(ledger))?;
        pending.forget(&transaction)?;
        transaction.commit()?;
        Ok(())
    }

    /// Removes what was staged and made on the way. The folder itself is as it was.
    pub(crate) fn take_back(&self, pending: &Pending) -> Result<(), VaultError> {
        if let (Some(incoming), Some(outgoing)) = (&pending.incoming, &pending.outgoing)
            && outgoing.found.is_same_folder(&incoming.path)
        {
            // What was there is here now: nothing of it may be removed.
            return Err(VaultError::Unfinished(pending.folder.clone()));
        }
        if let Some(staging) =
            pending.incoming.as_ref().and_then(|incoming| incoming.staging.as_deref())
        {
            if !self.is_own_place(staging, "staging") {
                return Err(VaultError::Unfinished(pending.folder.clone()));
            }
            self.keep_foreign(pending)?;
            disk::remove_own(staging)?;
            leave(staging);
        }
        if let Some(own) = pending.outgoing.as_ref().and_then(|outgoing| outgoing.kept.parent())
            && disk::remove_empty(own)
        {
            leave(own);
        }
        for folder in pending.created.iter().rev() {
            disk::remove_empty(folder);
        }
        pending.forget(&self.ledger())
    }

    /// Moves into the trash what is where the new content was staged and is not that as it was: another
    /// program put it into the tool's folder in the very moment of the swap.
    fn keep_foreign(&self, pending: &Pending) -> Result<(), VaultError> {
        let Some(incoming) = &pending.incoming else { return Ok(()) };
        let Some(staged) = &incoming.found else { return Ok(()) };
        if incoming.path.symlink_metadata().is_err() || staged.is_exactly_at(&incoming.path) {
            return Ok(());
        }
        let (found, size) = match Found::at(&incoming.path) {
            Ok((found, manifest)) => (found.clone(), found.size(&manifest)),
            // Whatever it is, it is kept; no content is known of it.
            Err(_) => (Found::seen(&incoming.path, staged.fingerprint), 0),
        };
        let (folder, change) = (&pending.folder, &pending.change.id);
        let trashed = Self::trash_place(&pending.store, folder, &found, size, change);
        trashed.kept.parent().map_or(Ok(()), disk::make_private)?;
        swap::place(&incoming.path, &trashed.kept)
            .map_err(VaultError::disk("keep what was at", folder))?;
        let key = (Kind::Trash, trashed.id.clone());
        let ledger = self.ledger();
        self.with_receipts(&ledger, &[key], |ledger| trash::add(ledger, &trashed))?;
        let shown = self.paths().display(folder);
        let text = format!("what another program put at {shown} meanwhile is in the trash");
        let mut told = Activity::now(ActivityKind::Recovered, &pending.about.name, text);
        told.folders = vec![folder.clone()];
        told.write(&ledger)
    }

    /// Says where something will go in the trash.
    pub(crate) fn trash_place(
        store: &Path,
        folder: &Path,
        found: &Found,
        size: u64,
        change: &str,
    ) -> Trashed {
        let id = uuid::Uuid::new_v4().simple().to_string();
        let name = folder.file_name().unwrap_or_default().to_string_lossy();
        Trashed {
            kept: trash::place_in(store, &id, &name),
            id,
            folder: folder.to_owned(),
            found: found.clone(),
            size,
            at: Timestamp::now(),
            change: change.to_owned(),
        }
    }
}

/// Removes our own folder that the new content came out of, if it was one; it is empty.
pub(crate) fn leave_incoming(incoming: &Incoming) {
    let kept = incoming.trash.is_some() || incoming.aside.is_some();
    let trash = incoming.path.parent().filter(|_| kept);
    let own = incoming.staging.as_deref().or(trash);
    if let Some(own) = own
        && disk::remove_empty(own)
    {
        leave(own);
    }
}

/// Removes our own folders around a place that is gone, as far as they are empty: `ID/..` is
/// `staging`, `trash` or `aside`, and what holds that is the store.
fn leave(own: &Path) {
    for folder in own.ancestors().skip(1).take(2) {
        if !disk::remove_empty(folder) {
            break;
        }
    }
}
