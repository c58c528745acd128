//! Settings.

use std::sync::Arc;

use super::Parts;
use crate::error::Outcome;
use crate::offers::blocking;
use crate::view::{Approvals, SettingsView, Theme};

/// What the person can set, and where things are.
#[tauri::command]
pub async fn settings(shell: Parts<'_>) -> Outcome<SettingsView> {
    let shell = Arc::clone(&shell);
    blocking(move || shell.settings_view()).await?
}

/// Sets the theme.
#[tauri::command]
pub async fn set_theme(shell: Parts<'_>, theme: Theme) -> Outcome<()> {
    let shell = Arc::clone(&shell);
    blocking(move || shell.set_theme(theme)).await?
}

/// Offers the built-in samples or not.
#[tauri::command]
pub async fn set_samples(shell: Parts<'_>, on: bool) -> Outcome<()> {
    let shell = Arc::clone(&shell);
    Ok(blocking(move || shell.offer_samples(on)).await??)
}

/// Sets when an offered skill has to be reviewed.
#[tauri::command]
pub async fn set_approvals(shell: Parts<'_>, approvals: Approvals) -> Outcome<()> {
    let shell = Arc::clone(&shell);
    blocking(move || shell.set_approvals(approvals)).await?
}

/// Lets nothing of a server be installed, or lets it again.
#[tauri::command]
pub async fn set_never_install(shell: Parts<'_>, server: String, on: bool) -> Outcome<()> {
    let shell = Arc::clone(&shell);
    blocking(move || shell.set_never_install(&server, on)).await?
}

/// The first screen was finished.
#[tauri::command]
pub async fn set_welcomed(shell: Parts<'_>) -> Outcome<()> {
    let shell = Arc::clone(&shell);
    Ok(blocking(move || shell.vault.set_welcomed(true)).await??)
}
