//! What happened.

use std::sync::Arc;

use super::Parts;
use crate::error::Outcome;
use crate::offers::blocking;
use crate::view::ActivityView;

/// All that happened, newest first.
#[tauri::command]
pub async fn activity(shell: Parts<'_>) -> Outcome<ActivityView> {
    let shell = Arc::clone(&shell);
    blocking(move || shell.activity_view()).await?
}
