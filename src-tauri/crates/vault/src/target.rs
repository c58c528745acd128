//! Where something is to go: which folders are meant, and the ground that a change may stand on.

use std::cell::RefCell;
use std::collections::HashMap;
use std::path::{Component, Path, PathBuf};
use std::rc::Rc;

use skills::path::folded;

use crate::disk;
use crate::link::Mode;
use crate::plan::{OnConflict, PlanItem, Target};

/// The hidden folder for staging and trash on a disk that the data folder is not on.
pub(crate) const BESIDE: &str = ".skillhold";

/// One folder that was asked for, for one tool or for several.
#[derive(Debug, Clone)]
pub(crate) struct Wish {
    pub(crate) tools: Vec<String>,
    pub(crate) root: PathBuf,
    pub(crate) name: String,
    pub(crate) on_conflict: OnConflict,
    pub(crate) mode: Mode,
    /// It is the canonical copy behind links that is meant, in Skillhold's own folder.
    pub(crate) shared: bool,
    /// What was changed since it was placed is kept, whatever is to be done on a conflict.
    pub(crate) keeps_edited: bool,
}

/// The folders that a change must not touch or be staged in.
#[derive(Debug)]
pub(crate) struct Ground<'a> {
    data: &'a Path,
    /// Real paths of all that tools scan.
    scanned: Vec<PathBuf>,
    /// What was found of roots, where one look at each is to do for all.
    roots: Option<RefCell<HashMap<PathBuf, Rc<RootLook>>>>,
}

/// What was found of a root.
#[derive(Debug)]
pub(crate) struct RootLook {
    /// Why nothing can be placed in it.
    pub(crate) problem: Option<String>,
    /// The names in it by what they are where case does not matter.
    names: HashMap<String, Vec<String>>,
}

impl RootLook {
    fn of(root: &Path, ground: &Ground<'_>) -> Self {
        Self { problem: root_problem(root, ground), names: names_in(root) }
    }

    /// Why a name would be the same folder as another on a disk that ignores case.
    pub(crate) fn taken_in_other_case(&self, name: &str) -> Option<String> {
        let there = self.names.get(&folded(name))?.iter().find(|there| *there != name)?;
        Some(format!("{there} is already there, which is the same name on many disks"))
    }
}

/// Why a name in a root would be the same folder as another on a disk that ignores case.
pub(crate) fn taken_in_other_case(root: &Path, name: &str) -> Option<String> {
    RootLook { problem: None, names: names_in(root) }.taken_in_other_case(name)
}

fn names_in(root: &Path) -> HashMap<String, Vec<String>> {
    let mut names: HashMap<String, Vec<String>> = HashMap::new();
    for entry in std::fs::read_dir(root).into_iter().flatten().flatten() {
        if let Ok(name) = entry.file_name().into_string() {
            names.entry(folded(&name)).or_default().push(name);
        }
    }
    names
}

fn root_problem(root: &Path, ground: &Ground<'_>) -> Option<String> {
    let shown = root.display();
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

impl<'a> Ground<'a> {
    pub(crate) fn of(data: &'a Path, scanned: &[PathBuf]) -> Self {
        // A scanned folder that cannot be resolved is still kept out of by the path it has.
        let scanned =
            scanned.iter().map(|path| real_path(path).unwrap_or_else(|_| path.clone())).collect();
        Self { data, scanned, roots: None }
    }

    /// Looks at each root once only.
    pub(crate) fn looking_once(self) -> Self {
        Self { roots: Some(RefCell::default()), ..self }
    }

    /// What there is to know of a root, by its real path.
    pub(crate) fn look_at(&self, root: &Path) -> Rc<RootLook> {
        let Some(roots) = &self.roots else { return Rc::new(RootLook::of(root, self)) };
        if let Some(known) = roots.borrow().get(root) {
            return Rc::clone(known);
        }
        let look = Rc::new(RootLook::of(root, self));
        roots.borrow_mut().insert(root.to_owned(), Rc::clone(&look));
        look
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
            let wish = Wish {
                tools,
                root: target.root.clone(),
                name,
                on_conflict: target.on_conflict,
                mode: target.mode,
                shared: false,
                keeps_edited: false,
            };
            wishes.push((real, wish));
        }
    }
    wishes.into_iter().map(|(_, wish)| wish).collect()
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
        Some(found) => found.is_exactly_at(&item.folder),
    }
}
