//! Where things are: the clone, the target folder, what the tests leave there.

use std::path::{Path, PathBuf};

/// The top of the clone.
pub(crate) fn root() -> PathBuf {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR"));
    crates.ancestors().nth(3).unwrap_or(crates).to_owned()
}

/// The page's sources.
pub(crate) fn ui() -> PathBuf {
    root().join("ui")
}

/// Where Cargo builds: `CARGO_TARGET_DIR`, else `target` in the clone.
pub(crate) fn target() -> PathBuf {
    match std::env::var_os("CARGO_TARGET_DIR").filter(|dir| !dir.is_empty()) {
        Some(dir) => root().join(dir),
        None => root().join("target"),
    }
}
