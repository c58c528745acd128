//! Bundles: skills in one file, and skills from a file or a folder. Which file or folder is asked for
//! here, in a dialog of the system: no path of the page's is ever read or written.

use std::sync::Arc;

use tauri::State;

use super::Parts;
use crate::error::Outcome;
use crate::folders::FolderDialog;
use crate::imported::{Asked, FileDialog};
use crate::offers::blocking;
use crate::view::{ImportFrom, ImportView, OutcomeView};

/// Asks for a file and exports copies of skills into it; null when the person chose none.
#[tauri::command]
pub async fn export_bundle(
    shell: Parts<'_>,
    dialog: State<'_, Arc<FileDialog>>,
    copies: Vec<String>,
) -> Outcome<Option<OutcomeView>> {
    let (shell, dialog) = (Arc::clone(&shell), Arc::clone(&dialog));
    blocking(move || shell.export_bundle(&copies, |asked| dialog.ask(asked))).await?
}

/// Asks for a file or a folder and imports the skills in it; null when the person chose none.
#[tauri::command]
pub async fn import_skills(
    shell: Parts<'_>,
    files: State<'_, Arc<FileDialog>>,
    folders: State<'_, Arc<FolderDialog>>,
    from: ImportFrom,
) -> Outcome<Option<ImportView>> {
    let (shell, files, folders) = (Arc::clone(&shell), Arc::clone(&files), Arc::clone(&folders));
    blocking(move || {
        let chosen = match from {
            ImportFrom::File => files.ask(Asked::Open { title: "Import skills from a file" }),
            ImportFrom::Folder => folders.ask("Import a skill or a folder of skills"),
        };
        chosen.map(|path| shell.import_skills(from, &path)).transpose()
    })
    .await?
}
