//! What is at a target, and whether it can be written: real paths, links, overlaps, permissions.

use std::path::{Path, PathBuf};

use skills::manifest::{Manifest, ReadManifestError};
use skills::path::check_portable;

use crate::disk;
use crate::drift::Drift;
use crate::error::VaultError;
use crate::link::Mode;
use crate::placement::{Found, Placement};
use crate::plan::{Action, OnConflict, PlanItem, TargetStanding};
use crate::prepare::{Prepared, executable_in};
use crate::target::{Ground, Wish, real_path};
use crate::vault::Vault;

/// What stands against a target, or what is there.
enum View {
    Blocked(String),
    Free,
    /// Something with this content.
    There(Found, Manifest),
    /// A link of ours to a copy that is gone.
    Dangling(Found),
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
        let placement = self.placement(&folder)?;
        let view = match &root {
            Err(problem) => View::Blocked(problem.clone()),
            Ok(root) => view(root, &folder, wish, prepared, placement.as_ref(), ground),
        };
        let canonical = match &view {
            View::Blocked(_) => None,
            _ if wish.shared => Some(folder.clone()),
            _ => self.canonical_of(wish, &folder, prepared, ground)?,
        };
        let mut item = PlanItem {
            tools: wish.tools.clone(),
            root: wish.root.clone(),
            name: wish.name.clone(),
            folder,
            standing: TargetStanding::Blocked,
            action: Action::Refuse,
            message: None,
            edited: false,
            found: None,
            mode: if canonical.is_some() { Mode::Link } else { Mode::Copy },
            canonical,
        };
        match view {
            View::Blocked(problem) => item.message = Some(problem),
            View::Free => {
                item.standing = TargetStanding::Free;
                item.action = Action::Write;
                item.message = other_name(prepared, &wish.name);
            }
            View::Dangling(found) => {
                item.standing = TargetStanding::Ours;
                item.action = Action::Replace;
                item.found = Some(found);
                item.message = Some("the copy that its link leads to is gone".to_owned());
            }
            View::There(found, manifest) => {
                meet(&mut item, wish, prepared, placement.as_ref(), found, &manifest);
            }
        }
        Ok(item)
    }

    /// The copy that a link there would lead to; `None` where a copy is placed: where one is asked
    /// for, where the disk takes no links, and for what nobody approved.
    fn canonical_of(
        &self,
        wish: &Wish,
        folder: &Path,
        prepared: &Prepared,
        ground: &Ground<'_>,
    ) -> Result<Option<PathBuf>, VaultError> {
        let root = folder.parent().unwrap_or(folder);
        if wish.mode == Mode::Copy || prepared.secluded || !self.takes_links(root, ground) {
            return Ok(None);
        }
        self.canonical_for(prepared, &wish.name).map(Some)
    }
}

/// Says what is done where something is.
fn meet(
    item: &mut PlanItem,
    wish: &Wish,
    prepared: &Prepared,
    placement: Option<&Placement>,
    found: Found,
    manifest: &Manifest,
) {
    let drift = placement.map(|placement| Drift::of(placement, manifest, &found));
    let identical = *manifest == prepared.files;
    let touched = drift.as_ref().is_some_and(|drift| *drift != Drift::InSync);
    let replaces = wish.on_conflict == OnConflict::Replace && !(wish.keeps_edited && touched);
    let is_link = found.link.is_some();
    let other_mode = !wish.shared && is_link != (item.mode == Mode::Link);
    let other_bits = || executable_in(&item.folder, &prepared.files) != prepared.executable;
    item.edited = matches!(drift, Some(Drift::Edited { .. }));
    item.standing = match &drift {
        _ if identical => TargetStanding::Identical,
        Some(Drift::InSync | Drift::Edited { .. }) => TargetStanding::Ours,
        _ => TargetStanding::Foreign,
    };
    let other_bits = identical && !other_mode && replaces && other_bits();
    item.action = if replaces && (!identical || other_mode || other_bits) {
        Action::Replace
    } else {
        Action::Keep
    };
    item.message = match drift {
        _ if identical && other_bits => Some(
            "the same bytes are already there, and which of them are executable changes".to_owned(),
        ),
        _ if identical => Some(same_bytes(is_link, other_mode, replaces).to_owned()),
        Some(Drift::Replaced) if wish.keeps_edited => {
            Some("something else is there than what was installed; it is kept".to_owned())
        }
        Some(Drift::Edited { only_line_endings }) => Some(edited(only_line_endings, replaces)),
        _ => other_name(prepared, &wish.name),
    };
    item.found = Some(found);
}

fn same_bytes(is_link: bool, other_mode: bool, replaces: bool) -> &'static str {
    match (other_mode, is_link, replaces) {
        (false, ..) => "the same bytes are already there",
        (true, true, false) => "the same bytes are already there, as a link",
        (true, true, true) => "the same bytes are already there as a link; a copy takes its place",
        (true, false, false) => "the same bytes are already there, as a copy",
        (true, false, true) => "the same bytes are already there as a copy; a link takes its place",
    }
}

fn edited(only_line_endings: bool, replaces: bool) -> String {
    let what = if only_line_endings {
        "only its line endings were changed after it was installed"
    } else {
        "it was edited after it was installed"
    };
    let then =
        if replaces { "it is replaced and the edited one kept for undo" } else { "it is kept" };
    format!("{what}; {then}")
}

fn view(
    root: &Path,
    folder: &Path,
    wish: &Wish,
    prepared: &Prepared,
    placement: Option<&Placement>,
    ground: &Ground<'_>,
) -> View {
    let name = &wish.name;
    let own_name = wish.shared || *name == prepared.name;
    let look = ground.look_at(root);
    let problem = name_problem(name, own_name)
        .or_else(|| root_problem(root, wish.shared, ground))
        .or_else(|| look.problem.clone())
        .or_else(|| source_problem(root, folder, prepared.place.as_deref()))
        .or_else(|| prepared.secluded.then(|| seclusion_problem(root, ground)).flatten())
        .or_else(|| look.taken_in_other_case(name));
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
    let is_link = metadata.is_symlink();
    let ours = placement
        .filter(|placement| placement.canonical().is_some_and(|copy| disk::leads_to(folder, copy)));
    if is_link && ours.is_none() {
        return View::Blocked(format!(
            "{} is a link; choose another name, or remove the link yourself",
            folder.display()
        ));
    }
    if !is_link && !metadata.is_dir() {
        return View::Blocked(format!("{} is there and is not a folder", folder.display()));
    }
    let there = match ours {
        Some(placement) if is_link => Found::at_place(placement),
        _ => Found::at(folder).map(|(found, manifest)| (found, Some(manifest))),
    };
    match there {
        Ok((found, None)) => View::Dangling(found),
        Ok((found, Some(manifest))) => {
            let stays = is_link || manifest == prepared.files;
            if !stays && !disk::is_writable(folder) {
                return View::Blocked(format!("{} is read-only", folder.display()));
            }
            View::There(found, manifest)
        }
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

/// Why a root is none that a skill may be placed in, whatever is there.
fn root_problem(root: &Path, shared: bool, ground: &Ground<'_>) -> Option<String> {
    let shown = root.display();
    if root.to_str().is_none() {
        return Some(format!("the path {shown} is not UTF-8"));
    }
    let data = ground.data();
    (!shared && (root.starts_with(data) || data.starts_with(root)))
        .then(|| format!("{shown} and Skillhold's own folder {} overlap", data.display()))
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

fn other_name(prepared: &Prepared, name: &str) -> Option<String> {
    let own = prepared.declared_name.as_deref().unwrap_or(&prepared.name);
    (own != name)
        .then(|| format!("only the folder is called {name}; the skill still calls itself {own}"))
}
