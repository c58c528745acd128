//! Changes of one or many skills, two versions side by side, and the trash.

use std::sync::Arc;

use tauri::ipc::Channel;

use super::Parts;
use crate::error::Outcome;
use crate::offers::blocking;
use crate::view::{
    BatchView, ChangeRef, CompareView, DiffLine, OutcomeItem, OutcomeView, Progress, SideRef,
    TrashView,
};

/// Works out what changes would do; changes nothing.
#[tauri::command]
pub async fn plan_changes(shell: Parts<'_>, changes: Vec<ChangeRef>) -> Outcome<BatchView> {
    let shell = Arc::clone(&shell);
    blocking(move || shell.plan_changes(&changes)).await?
}

/// Carries out what was worked out, each folder by itself, as one change.
#[tauri::command]
pub async fn apply_changes(
    shell: Parts<'_>,
    job: String,
    batch: String,
    on_progress: Channel<Progress>,
) -> Outcome<OutcomeView> {
    let shell = Arc::clone(&shell);
    let job = shell.jobs.begin(job)?;
    // The page may be gone; the change goes on all the same.
    shell
        .apply_changes(&batch, job.stop().clone(), move |progress| drop(on_progress.send(progress)))
        .await
}

/// What a change did, in its order.
#[tauri::command]
pub async fn change_items(shell: Parts<'_>, change: String) -> Outcome<Vec<OutcomeItem>> {
    let shell = Arc::clone(&shell);
    blocking(move || shell.change_items(&change)).await?
}

/// Two versions of a skill, file by file.
#[tauri::command]
pub async fn compare(shell: Parts<'_>, left: SideRef, right: SideRef) -> Outcome<CompareView> {
    let shell = Arc::clone(&shell);
    blocking(move || shell.compare(&left, &right)).await?
}

/// The lines in which one file of two versions differs.
#[tauri::command]
pub async fn compare_sides_file(
    shell: Parts<'_>,
    left: SideRef,
    right: SideRef,
    path: String,
) -> Outcome<Option<Vec<DiffLine>>> {
    let shell = Arc::clone(&shell);
    blocking(move || shell.compare_sides_file(&left, &right, &path)).await?
}

/// What was replaced or removed and is still kept.
#[tauri::command]
pub async fn trash(shell: Parts<'_>) -> Outcome<TrashView> {
    let shell = Arc::clone(&shell);
    blocking(move || shell.trash_view()).await?
}

/// Removes some of it for good.
#[tauri::command]
pub async fn empty_trash(shell: Parts<'_>, ids: Vec<String>) -> Outcome<()> {
    let shell = Arc::clone(&shell);
    blocking(move || shell.empty_trash(&ids)).await?
}
