//! Link mode: a tool's folder holds a link to one canonical copy, which lies in Skillhold's own
//! folder and is shared by every tool that got a link to it.
//!
//! The copy is a placement of its own, without tools. It is no item of a change: it is made before
//! its first link and put away after its last, so that a link never leads nowhere by what Skillhold
//! does.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use rusqlite::params;
use serde::{Deserialize, Serialize};
use skills::digest::Digest;
use skills::manifest::Manifest;

use crate::change::{About, Act, ChangeHead};
use crate::disk;
use crate::drift::Drift;
use crate::error::VaultError;
use crate::journal::{Incoming, Pending};
use crate::own::{is_plain, leads_inside};
use crate::placement::{Found, PlacedAs, Placement};
use crate::prepare::{Prepared, executable_in};
use crate::target::Ground;
use crate::vault::{ChangeLock, Vault};

/// How a skill is put into a tool's folder.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Mode {
    /// As a folder of its own.
    #[default]
    Copy,
    /// As a link to the canonical copy.
    Link,
}

impl Vault {
    /// True for a canonical copy, given by its folder as recorded: a placement that no tool reads
    /// but through a link.
    pub fn is_canonical(&self, folder: &Path) -> bool {
        let inside = folder.strip_prefix(self.linked()).map(|inside| inside.components().count());
        inside == Ok(2) && is_plain(folder)
    }

    /// Whether a placement could be one of ours by its paths: nothing in Skillhold's own folder but a
    /// shared copy, nothing through a link, and a link to such a copy alone.
    pub(crate) fn may_be_placed(&self, placement: &Placement) -> bool {
        let folder = &placement.folder;
        let real = folder.parent().and_then(|around| around.canonicalize().ok());
        let is_real = real.as_deref().is_none_or(|real| Some(real) == folder.parent());
        is_plain(folder)
            && is_real
            && (!folder.starts_with(self.data()) || self.is_canonical(folder))
            && placement.canonical().is_none_or(|canonical| self.is_canonical(canonical))
    }

    /// Where canonical copies are kept, each as `ID/NAME`.
    pub(crate) fn linked(&self) -> PathBuf {
        self.data().join("linked")
    }

    /// Every canonical copy in the record.
    pub(crate) fn canonicals(&self) -> Result<Vec<Placement>, VaultError> {
        let mut copies = self.placements_below(&self.linked())?;
        copies.retain(|copy| self.is_canonical(&copy.folder));
        Ok(copies)
    }

    /// Whether the disk of a root takes links. Tried once a disk while the program runs: some can
    /// make none, and asking again says nothing new.
    pub(crate) fn takes_links(&self, root: &Path, ground: &Ground<'_>) -> bool {
        let Some(disk) = disk::device(root) else { return false };
        let known = self.disks().get(&disk).copied();
        known.unwrap_or_else(|| {
            let Some(store) = ground.store_for(root) else { return false };
            let takes = disk::takes_links(&store, self.data());
            self.disks().insert(disk, takes);
            takes
        })
    }

    /// The copy that links to this content get: the one that is there with exactly it and of the same
    /// origin, else a place for a new one. The same record and disk give the same place. Looked for
    /// once for all tools: what is there is compared again before a link is made to it.
    pub(crate) fn canonical_for(
        &self,
        prepared: &Prepared,
        name: &str,
    ) -> Result<PathBuf, VaultError> {
        let known = prepared.canonicals.borrow().get(name).cloned();
        if let Some(known) = known {
            return Ok(known);
        }
        let found = self.find_canonical(prepared, name)?;
        prepared.canonicals.borrow_mut().insert(name.to_owned(), found.clone());
        Ok(found)
    }

    fn find_canonical(&self, prepared: &Prepared, name: &str) -> Result<PathBuf, VaultError> {
        let canonicals = self.canonicals()?;
        let shared = canonicals.iter().find(|copy| {
            let itself = prepared.place.as_ref() == Some(&copy.folder);
            (itself || copy.origin.is_same(&prepared.origin))
                && copy.folder.file_name().is_some_and(|own| own == name)
                && copy.installed == prepared.files
                && holds(&copy.folder, prepared)
        });
        if let Some(copy) = shared {
            return Ok(copy.folder.clone());
        }
        let origin = serde_json::to_string(&prepared.origin)?;
        let content = prepared.files.fingerprint();
        let mut number = 0_u32;
        loop {
            let seed = format!("{origin}\0{name}\0{content}\0{number}");
            let own = self.linked().join(&Digest::of(seed.as_bytes()).hex()[..16]);
            let recorded = canonicals.iter().any(|copy| copy.folder.starts_with(&own));
            if !recorded && own.symlink_metadata().is_err() {
                return Ok(own.join(name));
            }
            number += 1;
        }
    }

    /// Puts away the canonical copies to which no link leads any more: into the trash, or out of
    /// existence where this change made it and no link to it, as when that failed. Says to which of
    /// them no link ever led. One that cannot be put away now stays for the next time; a disabled link
    /// needs its copy like any other.
    pub(crate) fn sweep(
        &self,
        _: &ChangeLock,
        head: &ChangeHead,
    ) -> Result<Vec<Placement>, VaultError> {
        let mut left = self.canonicals()?;
        left.retain(|copy| leads_inside(self.data(), &copy.folder));
        if !left.is_empty() {
            let Some(needed) = self.needed()? else { return Ok(Vec::new()) };
            left.retain(|copy| !needed.contains(&copy.folder));
        }
        let mut unused = Vec::new();
        for copy in left {
            match self.put_away(&copy, head) {
                Ok(true) => unused.push(copy),
                Ok(false) => {}
                Err(error) if error.is_crash() => return Err(error),
                Err(error) => {
                    tracing::warn!(copy = %copy.folder.display(), %error, "a copy without links stays");
                }
            }
        }
        self.tidy_linked();
        Ok(unused)
    }

    /// Removes the folders that copies were in, as far as they are empty.
    fn tidy_linked(&self) {
        let linked = self.linked();
        if !leads_inside(self.data(), &linked) {
            return;
        }
        let own = std::fs::read_dir(&linked).into_iter().flatten().flatten();
        for folder in own {
            disk::remove_empty(&folder.path());
        }
        disk::remove_empty(&linked);
    }

    /// Every copy that a link leads to, or will once what is interrupted goes on; `None` where a
    /// row that cannot be read may be about such a link.
    fn needed(&self) -> Result<Option<HashSet<PathBuf>>, VaultError> {
        let mut needed = HashSet::new();
        for (_, pending) in self.pending()? {
            for placement in pending.before.iter().chain(&pending.after) {
                needed.extend(placement.canonical().map(Path::to_owned));
            }
        }
        let ledger = self.ledger();
        let damaged: bool = ledger.query_row(
            "SELECT EXISTS (SELECT 1 FROM placements WHERE NOT json_valid(json))
             OR EXISTS (SELECT 1 FROM aside WHERE NOT json_valid(json))",
            [],
            |row| row.get(0),
        )?;
        if damaged {
            return Ok(None);
        }
        let mut statement = ledger.prepare_cached(
            "SELECT json_extract(json, '$.mode.canonical') FROM placements
             WHERE CASE WHEN json_valid(json) THEN json_extract(json, '$.mode.canonical') END
                   IS NOT NULL
             UNION SELECT json_extract(json, '$.placement.mode.canonical') FROM aside
             WHERE json_extract(json, '$.placement.mode.canonical') IS NOT NULL",
        )?;
        let rows = statement.query_map([], |row| row.get::<_, String>(0))?;
        for row in rows {
            needed.insert(PathBuf::from(row?));
        }
        Ok(Some(needed))
    }

    /// Whether nothing ever led to it.
    fn put_away(&self, copy: &Placement, head: &ChangeHead) -> Result<bool, VaultError> {
        let was_used: bool = self.ledger().query_row(
            "SELECT EXISTS (SELECT 1 FROM change_items WHERE change = ?1)",
            params![copy.change],
            |row| row.get(0),
        )?;
        let outgoing = if copy.folder.symlink_metadata().is_err() {
            None
        } else {
            let (found, manifest) = Found::at(&copy.folder)?;
            Some(Self::trash_place(
                self.data(),
                &copy.folder,
                &found,
                manifest.total_size(),
                &head.id,
            ))
        };
        let about = About::of(Act::Remove, copy);
        let of_this_change = !was_used && copy.change == head.id;
        let never_used = outgoing.clone().filter(|_| of_this_change);
        let pending = Pending {
            outgoing,
            before: Some(copy.clone()),
            upkeep: true,
            ..Pending::of(head, 0, about, &copy.folder, self.data())
        };
        self.move_whole(pending, |_| Ok(()))?;
        if let Some(trashed) = never_used
            && trashed.found.fingerprint == copy.installed_fingerprint()
        {
            trashed.kept.parent().map_or(Ok(()), disk::remove_own)?;
            self.forget_trashed(&trashed.id)?;
        }
        Ok(!was_used)
    }

    /// The copy behind a link, if that was edited and no other link leads to it: it would go with the
    /// link.
    pub(crate) fn last_link_to_edited(
        &self,
        link: &Placement,
    ) -> Result<Option<PathBuf>, VaultError> {
        let Some(canonical) = link.canonical() else { return Ok(None) };
        let disabled = self.aside()?.into_iter().filter_map(|aside| aside.placement);
        let disabled = disabled.filter(|link| link.canonical() == Some(canonical)).count();
        if self.links_to(canonical)?.len() + disabled > 1 {
            return Ok(None);
        }
        let copy = self.placement(canonical)?;
        let edited = copy.filter(|copy| matches!(Drift::on_disk(copy), Drift::Edited { .. }));
        Ok(edited.map(|copy| copy.folder))
    }

    /// Brings the copy of a link that is to be put back out of the trash, where it is not there.
    ///
    /// # Errors
    /// When it is neither there nor in the trash, or the disk refuses.
    pub(crate) fn revive(&self, head: &ChangeHead, link: &Placement) -> Result<(), VaultError> {
        let Some(canonical) = link.canonical() else { return Ok(()) };
        let is_there = canonical.symlink_metadata().is_ok();
        if self.placement(canonical)?.is_some() && is_there {
            return Ok(());
        }
        if is_there {
            return Err(VaultError::Taken(canonical.to_owned()));
        }
        let mut kept = self.trash()?;
        kept.retain(|trashed| {
            trashed.folder == canonical
                && self.is_own_kept(&trashed.kept, "trash", &trashed.id)
                && trashed.found.is_exactly_at(&trashed.kept)
        });
        let trashed = kept.pop().ok_or_else(|| VaultError::NotInTrash(canonical.to_owned()))?;
        let copy = Placement {
            folder: canonical.to_owned(),
            tools: Vec::new(),
            found: trashed.found.clone(),
            mode: PlacedAs::Copy,
            ..link.clone()
        };
        let about = About::of(Act::Place, &copy);
        let pending = Pending {
            incoming: Some(Incoming::from_trash(trashed)),
            created: canonical.parent().map(disk::missing).unwrap_or_default(),
            after: Some(copy),
            upkeep: true,
            ..Pending::of(head, 0, about, canonical, self.data())
        };
        self.move_whole(pending, |_| Ok(()))
    }
}

/// True when exactly what is to be placed is in the folder, down to who may run it.
pub(crate) fn holds(folder: &Path, prepared: &Prepared) -> bool {
    Manifest::read(folder).is_ok_and(|now| now == prepared.files)
        && executable_in(folder, &prepared.files) == prepared.executable
}
