//! The page's TypeScript types, which tests of the crate `skillhold` write out of the Rust ones.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::program::{cargo, shown};
use crate::repository;

/// The feature that has the types written; the tests run with it too, so that nothing is built twice.
pub(crate) const FEATURE: &str = "--features=skillhold/ts";

/// How the tests that write them are called.
pub(crate) const WRITERS: &str = "export_bindings_";

/// Where they are kept.
fn committed() -> PathBuf {
    repository::ui().join("src/lib/bindings")
}

/// Where they are written to be compared.
pub(crate) fn fresh() -> PathBuf {
    repository::target().join("bindings")
}

/// The command that writes them into `folder`.
pub(crate) fn writer(folder: &Path) -> Command {
    let mut command = cargo(&["test", "--workspace", FEATURE, "--lib", "--", WRITERS]);
    command.env("TS_RS_EXPORT_DIR", folder);
    command
}

/// `cargo xtask types`
pub(crate) fn write() -> Result<(), String> {
    empty(&committed())?;
    shown(&mut writer(&committed()))
}

/// Leaves no file behind whose type is gone.
pub(crate) fn empty(folder: &Path) -> Result<(), String> {
    let failed = |error: std::io::Error| format!("{}: {error}", folder.display());
    if folder.exists() {
        std::fs::remove_dir_all(folder).map_err(failed)?;
    }
    std::fs::create_dir_all(folder).map_err(failed)
}

/// Whether the committed types are those that [`writer`] has just written to [`fresh`].
pub(crate) fn compare() -> Result<String, String> {
    let (kept, made) = (files(&committed())?, files(&fresh())?);
    if made.is_empty() {
        return Err("no type was written".to_owned());
    }
    let stale: Vec<&str> = kept
        .keys()
        .chain(made.keys())
        .filter(|name| kept.get(*name) != made.get(*name))
        .map(String::as_str)
        .collect::<std::collections::BTreeSet<_>>()
        .into_iter()
        .collect();
    if stale.is_empty() {
        return Ok(format!("{} types", made.len()));
    }
    Err(format!(
        "stale in ui/src/lib/bindings: {}\n`cargo xtask types` writes them anew",
        stale.join(", ")
    ))
}

fn files(folder: &Path) -> Result<BTreeMap<String, String>, String> {
    fn walk(
        folder: &Path,
        under: &str,
        into: &mut BTreeMap<String, String>,
    ) -> std::io::Result<()> {
        for entry in std::fs::read_dir(folder)? {
            let entry = entry?;
            let name = format!("{under}{}", entry.file_name().to_string_lossy());
            if entry.file_type()?.is_dir() {
                walk(&entry.path(), &format!("{name}/"), into)?;
            } else {
                // A check-out may have other line ends than what was just written.
                let text = std::fs::read_to_string(entry.path())?.replace("\r\n", "\n");
                into.insert(name, text);
            }
        }
        Ok(())
    }
    let mut found = BTreeMap::new();
    walk(folder, "", &mut found).map_err(|error| format!("{}: {error}", folder.display()))?;
    Ok(found)
}
