//! Putting right what a check says: fixes as a plan of one folder, worked out, shown, applied, undone.

mod apply;
mod copy;
pub(crate) mod ground;
mod rename;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use skills::digest::Digest;
use skills::fix::{Fix, TextEdit, edited};
use skills::manifest::{MAX_BYTES, Manifest, ManifestFile};
use skills::paths::Paths;

pub(crate) use self::rename::is_name;
use crate::disk;
use crate::error::VaultError;
use crate::placement::{Found, Origin, Placement};
use crate::target::{Ground, real_path};
use crate::vault::Vault;

/// One file that is changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FixedFile {
    /// Relative to the skill.
    pub path: String,
    /// Its bytes as they are.
    pub before: Vec<u8>,
    /// Its bytes as they will be.
    pub after: Vec<u8>,
}

/// Another name for the skill's folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Rename {
    /// The folder's name as it is.
    pub from: String,
    /// As it will be.
    pub to: String,
    /// The real path that the folder will have.
    pub folder: PathBuf,
}

/// What fixes are made for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum FixPurpose {
    /// To put right what a check says.
    #[default]
    Check,
    /// To give the skill another name.
    Rename,
}

/// Fixes of one folder that were worked out and not made. The same folder, fixes and disk give an
/// equal plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FixPlan {
    /// The skill's folder as it was given.
    pub folder: PathBuf,
    /// Its real path: where the change is made. The given one where that cannot be resolved.
    pub place: PathBuf,
    /// Its files as they were checked.
    pub seen: Manifest,
    /// What they are made for.
    #[serde(default)]
    pub purpose: FixPurpose,
    /// As they were given.
    pub fixes: Vec<Fix>,
    /// Every folder that a tool scans, as they were given.
    pub scanned: Vec<PathBuf>,
    /// What tells later whether it is still the folder that was seen; `None` where it is not one.
    pub found: Option<Found>,
    /// The folder is no longer as it was checked; then there is a blocker that says so.
    pub changed: bool,
    /// The files that will have other bytes, in byte order of paths.
    pub files: Vec<FixedFile>,
    /// The folder's new name, where it gets one.
    pub rename: Option<Rename>,
    /// All files as they will be.
    pub after: Manifest,
    /// What to know before, a sentence each.
    pub notes: Vec<String>,
    /// Why it cannot be done, a sentence each.
    pub blockers: Vec<String>,
}

impl FixPlan {
    /// The folder's own name, before any renaming.
    pub fn name(&self) -> String {
        name_of(&self.place)
    }

    /// True when the record of this placement becomes what the folder will be.
    fn follows(&self, placement: &Placement) -> bool {
        placement.origin == Origin::Adopted && placement.installed == self.seen
    }

    /// The real path of the folder afterwards.
    pub fn target(&self) -> &Path {
        self.rename.as_ref().map_or(&self.place, |rename| &rename.folder)
    }
}

impl Vault {
    /// Works out what making `fixes` in `folder` would do, from the disk as it is now. Nothing is
    /// written. `seen` is the folder as it was checked, and the fixes are those of that one check;
    /// edits of one file must not overlap. `scanned` names every folder that a tool scans: nothing
    /// is ever staged inside one of them. What stands against it is in [`FixPlan::blockers`].
    ///
    /// Nothing is changed through a folder that is a link: the plan says where it leads.
    ///
    /// # Errors
    /// When the ledger fails.
    pub fn plan_fixes(
        &self,
        folder: &Path,
        seen: &Manifest,
        fixes: &[Fix],
        scanned: &[PathBuf],
    ) -> Result<FixPlan, VaultError> {
        let mut plan = FixPlan::of_disk(self.data(), folder, seen, fixes, scanned);
        if plan.rename.is_some()
            && let Some(inside) = self.placed_inside(&plan.place)?
        {
            plan.blockers.push(format!(
                "{} holds {}, which Skillhold installed there, so it is not renamed",
                folder.display(),
                inside.display()
            ));
        }
        self.note(&mut plan)?;
        Ok(plan)
    }

    fn note(&self, plan: &mut FixPlan) -> Result<(), VaultError> {
        if let Some(twin) =
            self::copy::twins(&plan.place).first().filter(|_| !plan.files.is_empty())
        {
            plan.notes.push(format!(
                "{} has other names on this disk (hard links), which will be files of their own then",
                plan.place.join(twin).display()
            ));
        }
        if let Some(placement) = self.placement(&plan.place)?
            && !plan.files.is_empty()
            && !plan.follows(&placement)
        {
            plan.notes.push(match &placement.origin {
                Origin::Server { label, .. } => {
                    format!("it came from {label} and will count as edited here")
                }
                Origin::Folder { path } => {
                    format!("it came from {} and will count as edited here", path.display())
                }
                Origin::Adopted => "it will count as edited here".to_owned(),
            });
        }
        Ok(())
    }
}

impl FixPlan {
    /// The plan as far as the disk alone tells.
    fn of_disk(
        data: &Path,
        folder: &Path,
        seen: &Manifest,
        fixes: &[Fix],
        scanned: &[PathBuf],
    ) -> Self {
        let mut plan = Self {
            folder: folder.to_owned(),
            place: folder.to_owned(),
            seen: seen.clone(),
            purpose: FixPurpose::Check,
            fixes: fixes.to_vec(),
            scanned: scanned.to_vec(),
            found: None,
            changed: false,
            files: Vec::new(),
            rename: None,
            after: seen.clone(),
            notes: Vec::new(),
            blockers: Vec::new(),
        };
        if !folder.is_absolute() {
            plan.blockers.push(format!("{} is not an absolute path", folder.display()));
            return plan;
        }
        match folder.canonicalize() {
            Ok(place) => plan.place = place,
            Err(error) => {
                plan.blockers.push(format!("cannot resolve {}: {error}", folder.display()));
                return plan;
            }
        }
        if is_link(folder) {
            plan.blockers.push(format!(
                "{} is a link, and nothing is changed through it: fix {}, where it leads",
                folder.display(),
                plan.place.display()
            ));
            return plan;
        }
        let ground = Ground::of(data, scanned);
        if let Some(problem) = ground.problem().or_else(|| ground.fix_problem(&plan.place)) {
            plan.blockers.push(problem);
            return plan;
        }
        match Found::at(&plan.place) {
            Ok((found, now)) if now == *seen => plan.found = Some(found),
            Ok(_) => {
                plan.changed = true;
                plan.blockers.push(format!("{} changed since it was checked", folder.display()))
            }
            Err(error) => plan.blockers.push(error.to_string()),
        }
        if plan.blockers.is_empty() {
            plan.work_out_edits();
            plan.work_out_name(&ground);
        }
        if plan.blockers.is_empty() && plan.files.is_empty() && plan.rename.is_none() {
            plan.blockers.push(format!("there is nothing to change in {}", folder.display()));
        }
        plan
    }

    fn work_out_edits(&mut self) {
        let mut edits: BTreeMap<&str, Vec<TextEdit>> = BTreeMap::new();
        for fix in &self.fixes {
            if let Fix::Edits { file, edits: some, .. } = fix {
                edits.entry(file).or_default().extend(some.iter().cloned());
            }
        }
        let mut files = Vec::new();
        for (path, mut edits) in edits {
            // Two diagnostics of one place may ask for the same.
            edits.sort_by_key(|edit| (edit.range.start, edit.range.end));
            edits.dedup();
            match fixed_file(&self.place, &self.seen, path, &edits) {
                Ok(file) if file.before == file.after => {}
                Ok(file) => files.push(file),
                Err(problem) => self.blockers.push(problem),
            }
        }
        let after = self.seen.files().iter().map(|file| {
            files.iter().find(|fixed| fixed.path == file.path).map_or_else(
                || file.clone(),
                |fixed| ManifestFile {
                    path: file.path.clone(),
                    size: fixed.after.len() as u64,
                    digest: Digest::of(&fixed.after),
                },
            )
        });
        match Manifest::new(after.collect()) {
            Ok(after) => self.after = after,
            Err(error) => self.blockers.push(error.to_string()),
        }
        self.files = files;
    }

    fn work_out_name(&mut self, ground: &Ground<'_>) {
        let from = self.name();
        let mut wanted: Vec<&str> = self
            .fixes
            .iter()
            .filter_map(|fix| match fix {
                Fix::RenameFolder { to, .. } => Some(to.as_str()),
                Fix::Edits { .. } => None,
            })
            .collect();
        wanted.dedup();
        let to = match wanted.as_slice() {
            [] => return,
            [to] if *to == from => return,
            [to] => (*to).to_owned(),
            [one, other, ..] => {
                self.blockers
                    .push(format!("the folder cannot be called both {one:?} and {other:?}"));
                return;
            }
        };
        match ground.rename_problem(&self.place, &to, !self.files.is_empty()) {
            Some(problem) => self.blockers.push(problem),
            None => {
                let folder = self.place.with_file_name(&to);
                self.rename = Some(Rename { from, to, folder });
            }
        }
    }
}

/// Why `fixes` cannot be made in `folder`, as [`Vault::plan_fixes`] finds out, but from the disk alone:
/// no record is opened, and nothing is written. Empty where nothing stands against them.
pub fn obstacles(
    paths: &Paths,
    folder: &Path,
    seen: &Manifest,
    fixes: &[Fix],
    scanned: &[PathBuf],
) -> Vec<String> {
    let data = real_path(paths.data()).unwrap_or_else(|_| paths.data().to_owned());
    FixPlan::of_disk(&data, folder, seen, fixes, scanned).blockers
}

/// A file with edits made, or what stands against them.
fn fixed_file(
    place: &Path,
    seen: &Manifest,
    path: &str,
    edits: &[TextEdit],
) -> Result<FixedFile, String> {
    let listed =
        seen.get(path).ok_or_else(|| format!("{path} is not among the files of the skill"))?;
    let file = place.join(path);
    if listed.size > MAX_BYTES {
        return Err(format!("{} is too large to be edited", file.display()));
    }
    if file.symlink_metadata().is_ok_and(|metadata| metadata.permissions().readonly()) {
        return Err(format!("{} is read-only", file.display()));
    }
    let before = disk::read_plain_file(&file, listed.size)
        .map_err(|error| format!("cannot read {}: {error}", file.display()))?;
    if Digest::of(&before) != listed.digest {
        return Err(format!("{} changed since it was checked", file.display()));
    }
    let misfit = || format!("the fixes of {} do not fit it: check it again", file.display());
    let after = edited(&before, edits).map_err(|_| misfit())?;
    if std::str::from_utf8(&before).is_ok() && std::str::from_utf8(&after).is_err() {
        return Err(misfit());
    }
    Ok(FixedFile { path: path.to_owned(), before, after })
}

/// Whether the last component is a link, also where a separator follows it.
fn is_link(path: &Path) -> bool {
    let path: PathBuf = path.components().collect();
    path.symlink_metadata().is_ok_and(|metadata| metadata.is_symlink())
}

fn name_of(folder: &Path) -> String {
    folder.file_name().unwrap_or_default().to_string_lossy().into_owned()
}
