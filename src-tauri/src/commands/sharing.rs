//! What is shared with other programs, and how.

use std::sync::Arc;

use tauri::State;

use super::Parts;
use crate::error::Outcome;
use crate::folders::FolderDialog;
use crate::offers::blocking;
use crate::view::{SharingChange, SharingView};

/// What is shared, how, and who uses it.
#[tauri::command]
pub async fn sharing(shell: Parts<'_>) -> Outcome<SharingView> {
    let shell = Arc::clone(&shell);
    blocking(move || shell.sharing.view()).await?
}

/// Changes what is shared.
#[tauri::command]
pub async fn set_sharing(shell: Parts<'_>, change: SharingChange) -> Outcome<()> {
    let shell = Arc::clone(&shell);
    blocking(move || shell.sharing.change(change)).await?
}

/// Asks for a folder and shares it; false when the person chose none.
#[tauri::command]
pub async fn add_shared_folder(
    shell: Parts<'_>,
    dialog: State<'_, Arc<FolderDialog>>,
) -> Outcome<bool> {
    let (shell, dialog) = (Arc::clone(&shell), Arc::clone(&dialog));
    blocking(move || match dialog.ask("Share a skill, a folder of skills or a project") {
        Some(path) => shell.sharing.add_folder(&path).map(|()| true),
        None => Ok(false),
    })
    .await?
}

/// Shares a folder no longer.
#[tauri::command]
pub async fn remove_shared_folder(shell: Parts<'_>, path: String) -> Outcome<()> {
    let shell = Arc::clone(&shell);
    blocking(move || shell.sharing.remove_folder(&path)).await?
}

/// The token, to show it to the person.
#[tauri::command]
pub async fn sharing_token(shell: Parts<'_>) -> Outcome<String> {
    let shell = Arc::clone(&shell);
    blocking(move || shell.sharing.token()).await?
}

/// Makes a new token; programs with the old one are refused from then on.
#[tauri::command]
pub async fn renew_sharing_token(shell: Parts<'_>) -> Outcome<()> {
    let shell = Arc::clone(&shell);
    blocking(move || shell.sharing.renew_token()).await?
}
