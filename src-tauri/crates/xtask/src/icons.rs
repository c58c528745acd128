//! `cargo xtask icons`: the set in icons/ from the drawing.

use crate::program::{command, shown};
use crate::repository;

/// Draws the set; pinned, so that the same drawing gives the same pictures. (In `icon.icns` their
/// order differs from run to run.)
const TAURI_CLI: &str = "--package=@tauri-apps/cli@2.12.5";

/// What the bundles use; the rest of what Tauri draws is for phones and Microsoft's store.
const SET: &[&str] =
    &["32x32.png", "128x128.png", "128x128@2x.png", "icon.png", "icon.icns", "icon.ico"];

pub(crate) fn draw() -> Result<(), String> {
    let icons = repository::root().join("icons");
    let drawing = icons.join("icon.svg");
    let all = repository::target().join("icons");
    std::fs::create_dir_all(&all).map_err(|error| format!("{}: {error}", all.display()))?;
    let (drawing, folder) = (drawing.to_string_lossy(), all.to_string_lossy());
    let npm = if cfg!(windows) { "npm.cmd" } else { "npm" };
    shown(&mut command(
        npm,
        &["exec", "--yes", TAURI_CLI, "--", "tauri", "icon", &drawing, "--output", &folder],
    ))?;
    for name in SET {
        std::fs::copy(all.join(name), icons.join(name))
            .map_err(|error| format!("{}: {error}", icons.join(name).display()))?;
    }
    Ok(())
}
