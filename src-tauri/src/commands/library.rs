//! The library and one local skill.

use std::sync::Arc;

use tauri::{AppHandle, Runtime};
use tauri_plugin_dialog::{DialogExt as _, MessageDialogButtons, MessageDialogKind};
use tauri_plugin_opener::OpenerExt as _;

use super::Parts;
use crate::error::Outcome;
use crate::library::known;
use crate::link::Link;
use crate::offers::blocking;
use crate::view::{ErrorCode, ErrorView, FileContent, LibraryView, SkillDetail};

/// The whole library; a first call starts the scan.
#[tauri::command]
pub async fn library(shell: Parts<'_>) -> Outcome<LibraryView> {
    let shell = Arc::clone(&shell);
    shell.scan();
    blocking(move || shell.library_view()).await?
}

/// One copy of a skill.
#[tauri::command]
pub async fn skill_detail(shell: Parts<'_>, copy: String) -> Outcome<SkillDetail> {
    let shell = Arc::clone(&shell);
    blocking(move || shell.skill_detail(&copy)).await?
}

/// One file of a local skill.
#[tauri::command]
pub async fn skill_file(shell: Parts<'_>, copy: String, path: String) -> Outcome<FileContent> {
    let shell = Arc::clone(&shell);
    blocking(move || shell.skill_file(&copy, &path)).await?
}

/// Shows a local skill in the system's file manager.
#[tauri::command]
pub async fn reveal_skill<R: Runtime>(
    app: AppHandle<R>,
    shell: Parts<'_>,
    copy: String,
) -> Outcome<()> {
    let snapshot = shell.library.snapshot();
    let path = known(&snapshot, &copy)?.path.clone();
    blocking(move || {
        app.opener().reveal_item_in_dir(&path).map_err(|error| {
            tracing::warn!(%error, "no file manager");
            ErrorView::new(
                ErrorCode::Disk,
                format!("cannot show {} in a file manager", path.display()),
            )
        })
    })
    .await?
}

/// Shows the address in a dialog of the system and opens it when the person says so.
#[tauri::command]
pub async fn open_link<R: Runtime>(app: AppHandle<R>, url: String) -> Outcome<()> {
    let link = Link::parse(&url)?;
    blocking(move || {
        let yes = app
            .dialog()
            .message(link.question())
            .title("Open a link")
            .kind(MessageDialogKind::Info)
            .buttons(MessageDialogButtons::OkCancelCustom("Open".to_owned(), "Cancel".to_owned()))
            .blocking_show();
        if !yes {
            return Ok(());
        }
        app.opener().open_url(link.address(), None::<&str>).map_err(|error| {
            tracing::warn!(%error, "no browser");
            ErrorView::new(ErrorCode::Internal, "no browser could be started")
        })
    })
    .await?
}
