//! Files whose URI would give something else.

use crate::provider::shown::{MANIFEST, has_uri};
use crate::provider::tree::Tree;

/// The first file below whose URI would give something else than this file.
pub(super) fn conflict(
    tree: &Tree,
    name: &str,
    prefix: &str,
    top: bool,
    gives_this: &dyn Fn(&str) -> bool,
) -> Option<String> {
    let skill = top || tree.has_main;
    if !top && !tree.files.is_empty() && !gives_this(name) {
        return tree.files.first().map(|(file, _)| format!("{prefix}{file}"));
    }
    if skill && tree.file(MANIFEST).is_some() {
        return Some(format!("{prefix}{MANIFEST}"));
    }
    let mut files = tree.files.iter().map(|(file, _)| file);
    if let Some(file) = files.find(|file| !has_uri(name, file)) {
        return Some(format!("{prefix}{file}"));
    }
    tree.folders.iter().find_map(|(folder, inner)| {
        let (name, prefix) = (format!("{name}/{folder}"), format!("{prefix}{folder}/"));
        conflict(inner, &name, &prefix, false, gives_this)
    })
}

/// That a skill is left out for the file at this path.
pub(super) fn elsewhere(path: &str) -> String {
    format!("the URI of {path:?} would give something else")
}
