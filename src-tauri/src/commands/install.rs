//! Installing and copying.

use std::sync::Arc;

use tauri::ipc::Channel;

use super::Parts;
use crate::error::Outcome;
use crate::offers::blocking;
use crate::view::{OutcomeView, PlanView, Progress, SourceRef, TargetRef};

/// Works out what installing or copying would do; changes nothing.
#[tauri::command]
pub async fn plan(
    shell: Parts<'_>,
    source: SourceRef,
    targets: Vec<TargetRef>,
) -> Outcome<PlanView> {
    let shell = Arc::clone(&shell);
    blocking(move || shell.plan(&source, &targets)).await?
}

/// Carries out a plan; each target by itself.
#[tauri::command]
pub async fn apply_plan(
    shell: Parts<'_>,
    job: String,
    plan: String,
    on_progress: Channel<Progress>,
) -> Outcome<OutcomeView> {
    let shell = Arc::clone(&shell);
    let job = shell.jobs.begin(job)?;
    // The page may be gone; the change goes on all the same.
    shell
        .apply_plan(&plan, job.stop().clone(), move |progress| drop(on_progress.send(progress)))
        .await
}

/// Puts back what a change replaced or wrote.
#[tauri::command]
pub async fn undo(shell: Parts<'_>, change: String) -> Outcome<OutcomeView> {
    shell.undo(change).await
}

/// Stops a running job.
#[tauri::command]
pub async fn cancel(shell: Parts<'_>, job: String) -> Outcome<()> {
    shell.jobs.cancel(&job);
    Ok(())
}
