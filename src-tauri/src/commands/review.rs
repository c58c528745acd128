//! The review of one offered skill.

use std::sync::Arc;

use tauri::ipc::Channel;

use super::Parts;
use crate::error::Outcome;
use crate::offers::blocking;
use crate::view::{FileContent, Progress, ReviewView};

/// Fetches all files of an offered skill and checks them.
#[tauri::command]
pub async fn start_review(
    shell: Parts<'_>,
    job: String,
    server: String,
    uri: String,
    on_progress: Channel<Progress>,
) -> Outcome<ReviewView> {
    let shell = Arc::clone(&shell);
    let job = shell.jobs.begin(job)?;
    // The page may be gone; the review then ends unseen.
    shell
        .start_review(&server, &uri, job.stop(), move |progress| drop(on_progress.send(progress)))
        .await
}

/// One file of a running review, as fetched.
#[tauri::command]
pub async fn review_file(shell: Parts<'_>, review: String, path: String) -> Outcome<FileContent> {
    let shell = Arc::clone(&shell);
    blocking(move || shell.review_file(&review, &path)).await?
}

/// Approves exactly the content with this fingerprint.
#[tauri::command]
pub async fn approve(
    shell: Parts<'_>,
    review: String,
    fingerprint: String,
    grant: bool,
    ticked: Vec<String>,
    note: Option<String>,
) -> Outcome<()> {
    shell.approve_noting(&review, &fingerprint, grant, &ticked, note.as_deref()).await
}

/// Rejects exactly the content with this fingerprint.
#[tauri::command]
pub async fn reject(shell: Parts<'_>, review: String, fingerprint: String) -> Outcome<()> {
    shell.reject(&review, &fingerprint).await
}

/// Approves an offered skill whose exact content is approved from another server.
#[tauri::command]
pub async fn accept_same(shell: Parts<'_>, server: String, uri: String) -> Outcome<()> {
    shell.accept_same(&server, &uri).await
}

/// Forgets a review that was closed without a decision.
#[tauri::command]
pub async fn close_review(shell: Parts<'_>, review: String) -> Outcome<()> {
    shell.reviews.close(&review);
    Ok(())
}
