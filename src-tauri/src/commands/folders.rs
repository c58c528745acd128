//! Where to look: folders of the person's own, and tools. Folders are asked for here, in a dialog
//! of the system: no path of the page's is ever looked into.

use std::sync::Arc;

use tauri::State;

use super::Parts;
use crate::error::Outcome;
use crate::folders::FolderDialog;
use crate::offers::blocking;

/// Asks for a folder and adds it; false when the person chose none.
#[tauri::command]
pub async fn add_folder(shell: Parts<'_>, dialog: State<'_, Arc<FolderDialog>>) -> Outcome<bool> {
    let (shell, dialog) = (Arc::clone(&shell), Arc::clone(&dialog));
    blocking(move || match dialog.ask("Add a skill, a folder of skills or a project") {
        Some(path) => shell.add_folder(&path).map(|()| true),
        None => Ok(false),
    })
    .await?
}

/// Stops looking into an added folder.
#[tauri::command]
pub async fn remove_folder(shell: Parts<'_>, path: String) -> Outcome<()> {
    let shell = Arc::clone(&shell);
    blocking(move || shell.remove_folder(&path)).await?
}

/// Scans a tool's folders, or does not; null lets detection decide.
#[tauri::command]
pub async fn set_tool_on(shell: Parts<'_>, tool: String, on: Option<bool>) -> Outcome<()> {
    let shell = Arc::clone(&shell);
    blocking(move || shell.set_tool_on(&tool, on)).await?
}

/// Asks for a folder and makes it the tool's only one; false when the person chose none.
#[tauri::command]
pub async fn choose_tool_root(
    shell: Parts<'_>,
    dialog: State<'_, Arc<FolderDialog>>,
    tool: String,
) -> Outcome<bool> {
    let (shell, dialog) = (Arc::clone(&shell), Arc::clone(&dialog));
    blocking(move || {
        let name = shell.tool_name(&tool)?;
        match dialog.ask(&format!("The folder of skills of {name}")) {
            Some(path) => shell.set_tool_root(&tool, Some(path)).map(|()| true),
            None => Ok(false),
        }
    })
    .await?
}

/// Goes back to the tool's own folders.
#[tauri::command]
pub async fn reset_tool_roots(shell: Parts<'_>, tool: String) -> Outcome<()> {
    let shell = Arc::clone(&shell);
    blocking(move || shell.set_tool_root(&tool, None)).await?
}
