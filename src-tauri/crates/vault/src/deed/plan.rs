//! Working out what a deed would do, from the record and the disk.

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};

use skills::MAIN_FILE;
use skills::manifest::{MAX_BYTES, Manifest};

use super::around::{Around, Claims};
use super::{Deed, DeedAction, DeedItem, DeedPlan, Subject};
use crate::disk;
use crate::drift::Drift;
use crate::error::VaultError;
use crate::fix::ground::no_store;
use crate::fix::is_name;
use crate::placement::{Found, Placement};
use crate::prepare::declared_name;
use crate::target::real_path;
use crate::vault::Vault;

/// What is at a folder.
pub(super) enum There {
    Nothing,
    Skill { found: Found, manifest: Option<Manifest> },
}

impl Vault {
    /// Works out what doing `deed` with `subjects` would do, from the record and the disk as they
    /// are now. Nothing is written. Subjects that are one folder become one item. `scanned` names
    /// every folder that a tool scans: nothing is ever put aside inside one of them.
    ///
    /// # Errors
    /// When the ledger fails. What stands against it is in the plan: as a blocker when it concerns
    /// the whole, as a message when it concerns one item.
    pub fn plan_deed(
        &self,
        deed: Deed,
        subjects: Vec<Subject>,
        scanned: &[PathBuf],
    ) -> Result<DeedPlan, VaultError> {
        let around = self.around(deed, scanned)?;
        let mut items: Vec<DeedItem> = Vec::new();
        let mut known: HashMap<(PathBuf, Option<String>), usize> = HashMap::new();
        for subject in &subjects {
            let item = self.look(deed, subject, &around)?;
            match known.get(&(item.folder.clone(), item.aside.clone())) {
                Some(&at) => {
                    let one = &mut items[at];
                    let more = item.tools.into_iter().filter(|tool| !one.tools.contains(tool));
                    let more: Vec<String> = more.collect();
                    one.tools.extend(more);
                    one.user_owned |= item.user_owned;
                }
                None => {
                    known.insert((item.folder.clone(), item.aside.clone()), items.len());
                    items.push(item);
                }
            }
        }
        let mut claims = Claims::default();
        let several = items.len() > 1;
        for item in &mut items {
            if item.action == DeedAction::Do {
                item.claim(deed, several, &mut claims);
            }
        }
        let blockers = around.ground.problem().into_iter().collect();
        let scanned = scanned.to_vec();
        let mut plan = DeedPlan { id: String::new(), deed, items, scanned, blockers };
        plan.id = plan.computed_id()?;
        Ok(plan)
    }

    /// Looks at one subject as it is now.
    pub(super) fn look(
        &self,
        deed: Deed,
        subject: &Subject,
        around: &Around<'_>,
    ) -> Result<DeedItem, VaultError> {
        let mut item = DeedItem {
            folder: subject.folder.clone(),
            name: name_of(&subject.folder),
            tools: subject.tools.clone(),
            ours: false,
            edited: false,
            user_owned: subject.user_owned,
            action: DeedAction::Refuse,
            message: None,
            found: None,
            aside: None,
            size: 0,
        };
        match resolved(&subject.folder) {
            Ok(folder) => item.folder = folder,
            Err(problem) => {
                item.message = Some(problem);
                return Ok(item);
            }
        }
        if deed == Deed::Enable {
            self.look_aside(subject, &mut item, around)?;
            return Ok(item);
        }
        let record = match self.placement(&item.folder) {
            // What is not known to be ours is not changed.
            Err(error @ VaultError::Row(_)) => {
                item.message = Some(error.to_string());
                return Ok(item);
            }
            record => record?,
        };
        if let Some(record) = &record {
            item.name.clone_from(&record.name);
        }
        match there(&item.folder, record.as_ref()) {
            Err(problem) => item.message = Some(problem),
            Ok(There::Nothing) if deed == Deed::Remove && record.is_some() => {
                item.ours = true;
                item.action = DeedAction::Do;
                item.message =
                    Some("it is not there any more: only the record of it goes".to_owned());
            }
            Ok(There::Nothing) => {
                item.message = Some(format!("there is nothing at {}", item.folder.display()));
            }
            Ok(There::Skill { found, manifest }) => {
                self.judge(deed, &mut item, record.as_ref(), &found, manifest.as_ref(), around)?;
                item.size = manifest.as_ref().map_or(0, |manifest| found.size(manifest));
                item.found = Some(found);
            }
        }
        Ok(item)
    }

    /// Decides about a skill that is there.
    fn judge(
        &self,
        deed: Deed,
        item: &mut DeedItem,
        record: Option<&Placement>,
        found: &Found,
        manifest: Option<&Manifest>,
        around: &Around<'_>,
    ) -> Result<(), VaultError> {
        let drift = record.zip(manifest).map(|(record, now)| Drift::of(record, now, found));
        item.edited = matches!(drift, Some(Drift::Edited { .. }));
        // A link of ours whose copy is gone has no manifest.
        item.ours = item.edited
            || drift == Some(Drift::InSync)
            || (record.is_some() && manifest.is_none() && found.link.is_some());
        if !item.ours {
            let declared = declared_at(&item.folder).filter(|declared| is_name(declared));
            item.name = declared.unwrap_or_else(|| name_of(&item.folder));
        }
        item.message = self.refusal(deed, item, record.is_some(), found, around)?;
        if item.message.is_some() {
            return Ok(());
        }
        item.action = DeedAction::Do;
        let shown = item.folder.display();
        item.message = match deed {
            Deed::Adopt if item.ours => {
                item.action = DeedAction::Keep;
                Some("it is in the record already".to_owned())
            }
            Deed::Adopt if record.is_some() => Some(
                "something else was placed there before, and the record of that goes".to_owned(),
            ),
            Deed::Adopt | Deed::Enable => None,
            Deed::Remove | Deed::Disable => {
                let link = around.link_to(&item.folder).map(|link| {
                    format!("{} is a link to {shown} and leads nowhere then", link.display())
                });
                let edited = match record.filter(|_| deed == Deed::Remove) {
                    Some(record) if found.link.is_some() => {
                        self.last_link_to_edited(record)?.map(|copy| {
                            format!(
                                "{} was edited, and goes to the trash with the last link to it",
                                copy.display()
                            )
                        })
                    }
                    _ => (item.edited && deed == Deed::Remove).then(|| {
                        "it was edited after it was placed; all of it goes to the trash".to_owned()
                    }),
                };
                let foreign = (!item.ours)
                    .then(|| "Skillhold did not place it; it is moved aside as it is".to_owned());
                let said: Vec<String> = [edited, foreign, link].into_iter().flatten().collect();
                (!said.is_empty()).then(|| said.join("; "))
            }
        };
        Ok(())
    }

    /// Why it is not done with a skill that is there.
    fn refusal(
        &self,
        deed: Deed,
        item: &DeedItem,
        recorded: bool,
        found: &Found,
        around: &Around<'_>,
    ) -> Result<Option<String>, VaultError> {
        let (folder, shown) = (&item.folder, item.folder.display());
        if deed == Deed::Remove && !item.ours {
            return Ok(Some(if recorded {
                format!("what is at {shown} is not what Skillhold placed there: adopt it first")
            } else {
                format!("Skillhold did not place {shown}: adopt it first")
            }));
        }
        if let Some(problem) = around.ground.place_problem(folder) {
            return Ok(Some(problem));
        }
        if around.ground.scanned().contains(folder) {
            return Ok(Some(format!("{shown} is itself a folder that is scanned")));
        }
        if let Some(inside) = self.placed_inside(folder)? {
            return Ok(Some(format!(
                "{shown} holds {}, which Skillhold placed there: see to that first",
                inside.display()
            )));
        }
        if !item.ours {
            let outer = match self.placed_around(folder)? {
                None => around.skill_around(folder),
                outer => outer,
            };
            if let Some(outer) = outer {
                return Ok(Some(format!("{shown} is a part of the skill {}", outer.display())));
            }
        }
        if deed == Deed::Adopt {
            return Ok(None);
        }
        Ok(moving_problem(folder, found, around))
    }
}

impl DeedItem {
    /// Takes its folder, or refuses what overlaps with something else or is not done in bulk.
    pub(crate) fn claim(&mut self, deed: Deed, several: bool, claims: &mut Claims) {
        let shown = self.folder.display();
        let refusal = if several && self.user_owned && matches!(deed, Deed::Remove | Deed::Disable)
        {
            Some(format!("{shown} lies in a folder of your own work: do it by itself"))
        } else {
            claims.take(&self.folder, &self.what(deed)).err().map(|(taken, what)| {
                if taken == self.folder {
                    format!("{what} already: one thing at a time is done with a folder")
                } else {
                    format!("{shown} and {} lie in one another, and {what}", taken.display())
                }
            })
        };
        if refusal.is_some() {
            self.action = DeedAction::Refuse;
            self.message = refusal;
        }
    }

    /// What is done with it, as a part of a sentence.
    fn what(&self, deed: Deed) -> String {
        let done = match deed {
            Deed::Remove => "removed",
            Deed::Disable => "disabled",
            Deed::Enable => "enabled",
            Deed::Adopt => "adopted",
        };
        format!("{} is to be {done} at {}", self.name, self.folder.display())
    }
}

/// The real path of a skill's folder, which may itself be a link: the real path of what it lies in.
fn resolved(folder: &Path) -> Result<PathBuf, String> {
    let plain: PathBuf = folder.components().collect();
    let (Some(name), Some(root)) = (plain.file_name(), plain.parent()) else {
        return Err(format!("{} cannot be the folder of a skill", folder.display()));
    };
    Ok(real_path(root)?.join(name))
}

/// What is at a folder; a link only where the record says that it is ours.
pub(super) fn there(folder: &Path, record: Option<&Placement>) -> Result<There, String> {
    let shown = folder.display();
    let metadata = match folder.symlink_metadata() {
        Err(error) if is_absent(&error) => return Ok(There::Nothing),
        Err(error) => return Err(format!("cannot look at {shown}: {error}")),
        Ok(metadata) => metadata,
    };
    let ours = record.filter(|record| {
        record.canonical().is_some_and(|canonical| disk::leads_to(folder, canonical))
    });
    if disk::read_link(folder).is_some() {
        let Some(record) = ours else {
            return Err(format!("{shown} is a link that Skillhold did not make"));
        };
        let (found, manifest) = Found::at_place(record).map_err(|error| error.to_string())?;
        return Ok(There::Skill { found, manifest });
    }
    if !metadata.is_dir() {
        return Err(format!("{shown} is not a folder"));
    }
    let (found, manifest) = Found::at(folder).map_err(|error| error.to_string())?;
    Ok(There::Skill { found, manifest: Some(manifest) })
}

/// Why it cannot be moved out of where it is.
fn moving_problem(folder: &Path, found: &Found, around: &Around<'_>) -> Option<String> {
    let root = folder.parent().unwrap_or(folder);
    let is_folder = found.link.is_none();
    let closed = [root, folder].into_iter().take(if is_folder { 2 } else { 1 });
    if let Some(closed) = closed.into_iter().find(|path| !disk::is_writable(path)) {
        return Some(format!("{} is read-only", closed.display()));
    }
    if is_folder && disk::device(folder) != disk::device(root) {
        let shown = folder.display();
        return Some(format!("{shown} is a disk of its own, which cannot be moved"));
    }
    around.ground.store_for_fix(root).is_none().then(|| no_store(folder))
}

/// What the skill at a folder calls itself.
fn declared_at(folder: &Path) -> Option<String> {
    let bytes = disk::read_plain_file(&folder.join(MAIN_FILE), MAX_BYTES).ok()?;
    declared_name(&bytes)
}

pub(super) fn name_of(folder: &Path) -> String {
    folder.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// True when the system says that nothing is there.
pub(crate) fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}
