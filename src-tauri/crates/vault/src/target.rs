//! What is at a target, and whether it can be written: real paths, links, overlaps, permissions.

use std::path::{Component, Path, PathBuf};

use skills::manifest::{Manifest, ReadManifestError};
use skills::path::{check_portable, collision};

use crate::disk;
use crate::drift::Drift;
use crate::error::VaultError;
use crate::placement::{Found, read_plain};
use crate::plan::{Action, OnConflict, PlanItem, Target, TargetStanding};
use crate::prepare::Prepared;
use crate::vault::Vault;

/// The hidden folder for staging and trash on a disk that the data folder is not on.
pub(crate) const BESIDE: &str = ".skillhold";

/// One folder that was asked for, for one tool or for several.
#[derive(Debug, Clone)]
pub(crate) struct Wish {
    pub(crate) tools: Vec<String>,
    pub(crate) root: PathBuf,
    pub(crate) name: String,
    pub(crate) on_conflict: OnConflict,
}

/// The folders that a change must not touch or be staged in.
#[derive(Debug)]
pub(crate) struct Ground<'a> {
    data: &'a Path,
    /// Real paths of all that tools scan.
    scanned: Vec<PathBuf>,
}

impl<'a> Ground<'a> {
    pub(crate) fn of(data: &'a Path, scanned: &[PathBuf]) -> Self {
        // A scanned folder that cannot be resolved is still kept out of by the path it has.
        let scanned =
            scanned.iter().map(|path| real_path(path).unwrap_or_else(|_| path.clone())).collect();
        Self { data, scanned }
    }

    /// The real path of Skillhold's own folder.
    pub(crate) fn data(&self) -> &Path {
        self.data
    }

    /// Real paths of all that tools scan.
    pub(crate) fn scanned(&self) -> &[PathBuf] {
        &self.scanned
    }

    /// Why nothing can be placed at all: Skillhold's own folder is one that a tool scans.
    pub(crate) fn problem(&self) -> Option<String> {
        let scanned = self.scanned.iter().find(|scanned| self.data.starts_with(scanned))?;
        Some(format!(
            "Skillhold keeps its data in {}, inside {}, which a tool scans",
            self.data.display(),
            scanned.display()
        ))
    }

    /// True when nothing is at this path, or a folder of the person to whom the data belongs: what
    /// is staged in a folder of somebody else could be exchanged by them.
    pub(crate) fn is_own(&self, store: &Path) -> bool {
        store.symlink_metadata().map_or(true, |metadata| {
            metadata.is_dir() && disk::owner(store) == disk::owner(self.data)
        })
    }

    /// A folder of ours on the disk of `root` that no tool scans: the data folder, or a hidden one
    /// beside the root's parent, or beside the root, or further up where those are scanned, as in a
    /// project that the person added.
    pub(crate) fn store_for(&self, root: &Path) -> Option<PathBuf> {
        let device = disk::device(root)?;
        let mut around: Vec<&Path> =
            root.ancestors().skip(1).filter(|folder| folder.is_dir()).collect();
        let further = around.split_off(around.len().min(2));
        // No folder is made only to stage in it: where the root's parent is missing, the nearest
        // that is there has to do.
        let outermost = if root.parent().is_some_and(Path::is_dir) { around.len() } else { 1 };
        let beside = around.into_iter().take(outermost).rev().map(|folder| folder.join(BESIDE));
        let further = further.into_iter().map(|folder| folder.join(BESIDE));
        std::iter::once(self.data.to_owned()).chain(beside).chain(further).find(|store| {
            let plain = self.is_own(store);
            let writable =
                store.ancestors().find(|part| part.exists()).is_some_and(disk::is_writable);
            let scanned = self.scanned.iter().any(|scanned| store.starts_with(scanned));
            disk::device(store) == Some(device)
                && plain
                && writable
                && !scanned
                && !store.starts_with(root)
        })
    }
}

/// Joins targets that are one folder by real path. Where they disagree about a conflict, what is
/// there is kept.
pub(crate) fn merged(targets: &[Target], own_name: &str) -> Vec<Wish> {
    let mut wishes: Vec<(PathBuf, Wish)> = Vec::new();
    for target in targets {
        let name = target.name.clone().unwrap_or_else(|| own_name.to_owned());
        let real = real_path(&target.root).unwrap_or_else(|_| target.root.clone()).join(&name);
        if let Some((_, wish)) = wishes.iter_mut().find(|(folder, _)| *folder == real) {
            if !wish.tools.contains(&target.tool) {
                wish.tools.push(target.tool.clone());
            }
            if target.on_conflict == OnConflict::Keep {
                wish.on_conflict = OnConflict::Keep;
            }
        } else {
            let tools = vec![target.tool.clone()];
            let wish =
                Wish { tools, root: target.root.clone(), name, on_conflict: target.on_conflict };
            wishes.push((real, wish));
        }
    }
    wishes.into_iter().map(|(_, wish)| wish).collect()
}

/// What stands against a target, or what is there.
enum View {
    Blocked(String),
    Free,
    There { found: Found, manifest: Manifest },
}

impl Vault {
    /// Works out one item.
    pub(crate) fn inspect(
        &self,
        wish: &Wish,
        prepared: &Prepared,
        ground: &Ground<'_>,
    ) -> Result<PlanItem, VaultError> {
        let root = real_path(&wish.root);
        let folder = root.as_ref().unwrap_or(&wish.root).join(&wish.name);
        let mut item = PlanItem {
            tools: wish.tools.clone(),
            root: wish.root.clone(),
            name: wish.name.clone(),
            folder: folder.clone(),
            standing: TargetStanding::Blocked,
            action: Action::Refuse,
            message: None,
            edited: false,
            found: None,
        };
        let own_name = wish.name == prepared.name;
        let view = match root {
            Err(problem) => View::Blocked(problem),
            Ok(root) => view(&root, &folder, &wish.name, own_name, prepared, ground),
        };
        match view {
            View::Blocked(problem) => item.message = Some(problem),
            View::Free => {
                item.standing = TargetStanding::Free;
                item.action = Action::Write;
                item.message = other_name(prepared, &wish.name);
            }
            View::There { found, manifest } => {
                let identical = manifest == prepared.files;
                let placement = self.placement(&folder)?;
                let drift =
                    placement.as_ref().map(|placement| Drift::of(placement, &manifest, &found));
                item.edited = matches!(drift, Some(Drift::Edited { .. }));
                item.found = Some(found);
                item.standing = match drift {
                    _ if identical => TargetStanding::Identical,
                    Some(Drift::InSync | Drift::Edited { .. }) => TargetStanding::Ours,
                    _ => TargetStanding::Foreign,
                };
                item.action = match wish.on_conflict {
                    OnConflict::Replace if !identical => Action::Replace,
                    _ => Action::Keep,
                };
                item.message = if identical {
                    Some("the same bytes are already there".to_owned())
                } else if item.edited {
                    Some("it was edited after it was installed; replacing keeps the edited one for undo".to_owned())
                } else {
                    other_name(prepared, &wish.name)
                };
            }
        }
        Ok(item)
    }
}

fn view(
    root: &Path,
    folder: &Path,
    name: &str,
    own_name: bool,
    prepared: &Prepared,
    ground: &Ground<'_>,
) -> View {
    let problem = name_problem(name, own_name)
        .or_else(|| root_problem(root, ground))
        .or_else(|| source_problem(root, folder, prepared.place.as_deref()))
        .or_else(|| prepared.secluded.then(|| seclusion_problem(root, ground)).flatten())
        .or_else(|| taken_in_other_case(root, name));
    if let Some(problem) = problem {
        return View::Blocked(problem);
    }
    let metadata = match folder.symlink_metadata() {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return View::Free,
        Err(error) => {
            return View::Blocked(format!("cannot look at {}: {error}", folder.display()));
        }
        Ok(metadata) => metadata,
    };
    if metadata.is_symlink() {
        return View::Blocked(format!(
            "{} is a link; choose another name, or remove the link yourself",
            folder.display()
        ));
    }
    if !metadata.is_dir() {
        return View::Blocked(format!("{} is there and is not a folder", folder.display()));
    }
    match Found::at(folder) {
        Ok((found, manifest)) if manifest == prepared.files => View::There { found, manifest },
        Ok(_) if !disk::is_writable(folder) => {
            View::Blocked(format!("{} is read-only", folder.display()))
        }
        Ok((found, manifest)) => View::There { found, manifest },
        Err(VaultError::Read(error @ ReadManifestError::Manifest { .. })) => {
            View::Blocked(format!("{error}, so it is not replaced; choose another name"))
        }
        Err(error) => View::Blocked(format!("cannot tell what would be replaced: {error}")),
    }
}

fn name_problem(name: &str, own_name: bool) -> Option<String> {
    if name.contains('/') {
        return Some(format!("{name:?} is not the name of one folder"));
    }
    if let Err(problem) = check_portable(name) {
        return Some(format!("the folder cannot have this name: {problem}"));
    }
    if name.starts_with('.') {
        return Some(format!("{name:?} is the name of a hidden folder"));
    }
    let plain = name.len() <= 64
        && name.split('-').all(|word| {
            !word.is_empty()
                && word.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
        });
    (!plain && !own_name)
        .then(|| format!("{name:?} cannot be the name of a skill: use 1 to 64 of a-z, 0-9 and single hyphens between"))
}

fn root_problem(root: &Path, ground: &Ground<'_>) -> Option<String> {
    let shown = root.display();
    if root.to_str().is_none() {
        return Some(format!("the path {shown} is not UTF-8"));
    }
    if root.starts_with(ground.data) || ground.data.starts_with(root) {
        return Some(format!(
            "{shown} and Skillhold's own folder {} overlap",
            ground.data.display()
        ));
    }
    let there = root.ancestors().find(|part| part.exists()).unwrap_or(root);
    if !there.is_dir() {
        return Some(format!("{} is not a folder", there.display()));
    }
    if !disk::is_writable(there) {
        return Some(format!("{} is read-only", there.display()));
    }
    ground.store_for(root).is_none().then(|| {
        format!(
            "there is no place on the disk of {shown} to stage files outside of what tools scan"
        )
    })
}

/// The source must not be overwritten, moved away or written into. A root that holds the source
/// directly is fine: the copy then lies beside it.
fn source_problem(root: &Path, folder: &Path, source: Option<&Path>) -> Option<String> {
    let source = source?;
    let inside = root.starts_with(source);
    let around = source.starts_with(root) && source.parent() != Some(root);
    let nested = folder != source && (folder.starts_with(source) || source.starts_with(folder));
    (inside || around || nested).then(|| {
        format!("{} and the skill to be copied, {}, overlap", folder.display(), source.display())
    })
}

/// What nobody approved must lie neither in a folder that a tool scans nor around one.
fn seclusion_problem(root: &Path, ground: &Ground<'_>) -> Option<String> {
    let scanned = ground
        .scanned()
        .iter()
        .find(|scanned| root.starts_with(scanned) || scanned.starts_with(root))?;
    Some(format!(
        "{} and {}, where a tool looks for skills, overlap, and it is not approved",
        root.display(),
        scanned.display()
    ))
}

/// A name that is the same folder on a disk that ignores case.
fn taken_in_other_case(root: &Path, name: &str) -> Option<String> {
    let entries = std::fs::read_dir(root).ok()?;
    entries
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .find(|there| there != name && collision([there.as_str(), name].into_iter()).is_some())
        .map(|there| format!("{there} is already there, which is the same name on many disks"))
}

fn other_name(prepared: &Prepared, name: &str) -> Option<String> {
    let own = prepared.declared_name.as_deref().unwrap_or(&prepared.name);
    (own != name)
        .then(|| format!("only the folder is called {name}; the skill still calls itself {own}"))
}

/// The real path of a folder that may not exist yet: that of the nearest part that does, and the
/// rest as written.
pub(crate) fn real_path(path: &Path) -> Result<PathBuf, String> {
    if !path.is_absolute() {
        return Err(format!("{} is not an absolute path", path.display()));
    }
    let mut rest: Vec<Component<'_>> = Vec::new();
    let mut there = path;
    loop {
        match there.symlink_metadata() {
            Ok(_) => break,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            Err(error) => return Err(format!("cannot resolve {}: {error}", path.display())),
        }
        match there.components().next_back() {
            Some(part @ Component::Normal(_)) => rest.push(part),
            _ => return Err(format!("cannot resolve {}", path.display())),
        }
        there = there.parent().ok_or_else(|| format!("cannot resolve {}", path.display()))?;
    }
    let mut real = there
        .canonicalize()
        .map_err(|error| format!("cannot resolve {}: {error}", path.display()))?;
    real.extend(rest.into_iter().rev());
    Ok(real)
}

/// True when what is at the folder is what the plan saw there.
pub(crate) fn still_as_seen(item: &PlanItem) -> bool {
    match &item.found {
        None => item
            .folder
            .symlink_metadata()
            .is_err_and(|error| error.kind() == std::io::ErrorKind::NotFound),
        Some(found) => {
            (found.inode.is_none() || found.is_same_folder(&item.folder))
                && read_plain(&item.folder).is_ok_and(|now| now.fingerprint() == found.fingerprint)
        }
    }
}
