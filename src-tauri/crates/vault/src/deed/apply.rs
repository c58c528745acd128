//! Carrying a deed out, item by item.

use super::around::Around;
use super::{Aside, Deed, DeedAction, DeedItem, DeedPlan, Subject, aside};
use crate::apply::{Meter, Step};
use crate::change::{About, Act, ChangeHead, ItemOutcome, ItemResult};
use crate::disk;
use crate::error::VaultError;
use crate::journal::{Incoming, Pending, Phase};
use crate::placement::{Found, Origin, PlacedAs, Placement};
use crate::trash::Trashed;
use crate::vault::Vault;

impl Vault {
    /// Carries the items of a plan out, numbered from `first`.
    ///
    /// # Errors
    /// When a test ends the work; what goes wrong with one item is in its outcome.
    pub(crate) fn apply_deed(
        &self,
        head: &ChangeHead,
        first: u32,
        plan: &DeedPlan,
        meter: &mut Meter<'_>,
    ) -> Result<Vec<ItemOutcome>, VaultError> {
        let around = self.around(plan.deed, &plan.scanned)?;
        let mut outcomes = Vec::new();
        for (position, item) in (first..).zip(&plan.items) {
            let outcome = match item.action {
                DeedAction::Keep => Ok(ItemResult::Kept),
                DeedAction::Refuse => {
                    Err(VaultError::Refused(item.message.clone().unwrap_or_default()))
                }
                DeedAction::Do if meter.stopped => Err(VaultError::Stopped(item.folder.clone())),
                DeedAction::Do => meter
                    .next(&item.folder, None)
                    .and_then(|()| self.do_deed(head, position, plan.deed, item, &around)),
            };
            if item.action == DeedAction::Do {
                meter.wrote(0);
            }
            outcomes.push(ItemOutcome::of(&item.name, &item.tools, &item.folder, outcome)?);
        }
        Ok(outcomes)
    }

    fn do_deed(
        &self,
        head: &ChangeHead,
        position: u32,
        deed: Deed,
        item: &DeedItem,
        around: &Around<'_>,
    ) -> Result<ItemResult, VaultError> {
        let changed = || VaultError::Changed(item.folder.clone());
        let kept = match &item.aside {
            None => None,
            Some(id) => Some(self.one_aside(id)?.ok_or_else(changed)?),
        };
        let subject = Subject {
            folder: kept.as_ref().map_or(&item.folder, |aside| &aside.kept).clone(),
            tools: item.tools.clone(),
            user_owned: item.user_owned,
        };
        // What there is to know of it may have changed by the items before it.
        let unsaid = |item: DeedItem| DeedItem { message: None, ..item };
        if unsaid(self.look(deed, &subject, around)?) != unsaid(item.clone()) {
            return Err(changed());
        }
        if self.pending()?.iter().any(|(_, pending)| pending.touches(&item.folder)) {
            return Err(VaultError::Unfinished(item.folder.clone()));
        }
        let pending = match deed {
            Deed::Remove | Deed::Disable => {
                self.intend_leaving(head, position, deed, item, around)?
            }
            Deed::Enable => {
                if let Some(link) = kept.as_ref().and_then(|kept| kept.placement.as_ref()) {
                    self.revive(head, link)?;
                }
                self.intend_returning(head, position, item, kept.ok_or_else(changed)?)?
            }
            Deed::Adopt => self.intend_adopting(head, position, item)?,
        };
        let result = match deed {
            Deed::Remove if item.found.is_none() => ItemResult::Forgotten,
            Deed::Remove => ItemResult::Removed,
            Deed::Disable => ItemResult::Disabled,
            Deed::Enable => ItemResult::Enabled,
            Deed::Adopt => ItemResult::Adopted,
        };
        self.move_whole(pending, |pending| {
            let (found, at) = match &pending.incoming {
                Some(incoming) => (incoming.found.as_ref(), &incoming.path),
                None => (item.found.as_ref(), &item.folder),
            };
            let as_seen = match found {
                Some(found) => found.is_exactly_at(at),
                None => at.symlink_metadata().is_err(),
            };
            if as_seen { Ok(()) } else { Err(changed()) }
        })?;
        Ok(result)
    }

    /// To the trash or aside.
    fn intend_leaving(
        &self,
        head: &ChangeHead,
        position: u32,
        deed: Deed,
        item: &DeedItem,
        around: &Around<'_>,
    ) -> Result<Pending, VaultError> {
        let folder = &item.folder;
        let root = folder.parent().unwrap_or(folder);
        let store = match &item.found {
            // Nothing is moved.
            None => self.data().to_owned(),
            Some(_) => around
                .ground
                .store_for_fix(root)
                .ok_or_else(|| VaultError::Changed(folder.clone()))?,
        };
        let record = self.placement(folder)?;
        let outgoing = item
            .found
            .as_ref()
            .map(|found| Self::trash_place(&store, folder, found, item.size, &head.id));
        let act = if deed == Deed::Remove { Act::Remove } else { Act::Disable };
        let mut pending = Pending {
            tools: item.tools.clone(),
            outgoing,
            before: record.clone(),
            // A record of something else than what is there stays.
            after: record.clone().filter(|_| !item.ours),
            ..Pending::of(head, position, about(item, act, record.as_ref()), folder, &store)
        };
        if let Some(outgoing) = pending.outgoing.as_mut().filter(|_| deed == Deed::Disable) {
            outgoing.kept = aside::place_in(&store, &outgoing.id, &last_name(item));
            pending.to_aside = Some(Box::new(Aside {
                id: outgoing.id.clone(),
                name: item.name.clone(),
                folder: folder.clone(),
                tools: item.tools.clone(),
                kept: outgoing.kept.clone(),
                found: outgoing.found.clone(),
                size: item.size,
                at: head.at,
                change: head.id.clone(),
                placement: record.filter(|_| item.ours),
            }));
        }
        Ok(pending)
    }

    /// Back from aside.
    fn intend_returning(
        &self,
        head: &ChangeHead,
        position: u32,
        item: &DeedItem,
        kept: Aside,
    ) -> Result<Pending, VaultError> {
        let folder = &item.folder;
        let before = self.placement(folder)?;
        Ok(Pending {
            tools: item.tools.clone(),
            created: disk::missing(folder.parent().unwrap_or(folder)),
            after: kept.placement.clone().or_else(|| before.clone()),
            before,
            incoming: Some(Incoming::from_aside(kept.clone(), item.found.clone())),
            ..Pending::of(
                head,
                position,
                about(item, Act::Enable, kept.placement.as_ref()),
                folder,
                kept.store(),
            )
        })
    }

    /// Into the record.
    fn intend_adopting(
        &self,
        head: &ChangeHead,
        position: u32,
        item: &DeedItem,
    ) -> Result<Pending, VaultError> {
        let folder = &item.folder;
        let (found, installed) = Found::at(folder)?;
        if item.found.as_ref() != Some(&found) {
            return Err(VaultError::Changed(folder.clone()));
        }
        let executable = installed.files().iter().map(|file| &file.path);
        let executable = executable.filter(|path| disk::is_executable(&folder.join(path)));
        let placement = Placement {
            folder: folder.clone(),
            name: item.name.clone(),
            tools: item.tools.clone(),
            origin: Origin::Adopted,
            source: found.fingerprint,
            executable: executable.cloned().collect(),
            installed,
            found,
            at: head.at,
            change: head.id.clone(),
            mode: PlacedAs::Copy,
        };
        Ok(Pending {
            tools: item.tools.clone(),
            before: self.placement(folder)?,
            after: Some(placement),
            ..Pending::of(head, position, about(item, Act::Adopt, None), folder, self.data())
        })
    }

    /// Journals an item of which nothing is staged, makes what is missing around its folder, and
    /// carries it out if `check` agrees right before.
    pub(crate) fn move_whole(
        &self,
        mut pending: Pending,
        check: impl FnOnce(&Pending) -> Result<(), VaultError>,
    ) -> Result<(), VaultError> {
        // Where only the record changes, its commit is all there is: before it, nothing was done.
        let only_record = pending.incoming.is_none() && pending.outgoing.is_none();
        let staged = only_record || !pending.created.is_empty();
        let mut phase = if staged { Phase::Staging } else { Phase::Swapping };
        pending.write(&self.ledger(), phase)?;
        let done = self.make_missing(&mut pending, &mut phase).and_then(|()| {
            self.reached(Step::SwapJournaled)?;
            check(&pending)?;
            self.carry_out(&pending)
        });
        self.settled(done, phase, &pending)
    }

    fn make_missing(&self, pending: &mut Pending, phase: &mut Phase) -> Result<(), VaultError> {
        self.reached(Step::Journaled)?;
        if pending.created.is_empty() {
            return Ok(());
        }
        pending.make_created()?;
        self.reached(Step::RootMade)?;
        *phase = Phase::Swapping;
        pending.write(&self.ledger(), *phase)
    }
}

impl Aside {
    /// Skillhold's own folder on the disk where it is kept: that around `aside/ID/NAME`.
    pub(crate) fn store(&self) -> &std::path::Path {
        self.kept.ancestors().nth(3).unwrap_or(&self.kept)
    }

    /// How it is moved there, or was.
    pub(crate) fn as_outgoing(&self, found: Found) -> Trashed {
        Trashed {
            id: self.id.clone(),
            folder: self.folder.clone(),
            kept: self.kept.clone(),
            found,
            size: self.size,
            at: self.at,
            change: self.change.clone(),
        }
    }
}

fn about(item: &DeedItem, act: Act, record: Option<&Placement>) -> About {
    About {
        name: item.name.clone(),
        act,
        origin: record.filter(|_| item.ours).map(|record| record.origin.clone()),
        fingerprint: item.found.as_ref().map(|found| found.fingerprint),
        fixed: None,
        links: Vec::new(),
    }
}

/// The folder's own name.
fn last_name(item: &DeedItem) -> String {
    item.folder.file_name().unwrap_or_default().to_string_lossy().into_owned()
}
