//! Putting a skill right.

use super::Parts;
use crate::error::Outcome;
use crate::view::OutcomeView;

/// Carries out one fix of a local skill.
#[tauri::command]
pub async fn apply_fix(shell: Parts<'_>, copy: String, fix: String) -> Outcome<OutcomeView> {
    shell.apply_fix(&copy, &fix).await
}

/// Carries out the first fix of every diagnostic that has one, as one change.
#[tauri::command]
pub async fn apply_all_fixes(shell: Parts<'_>, copy: String) -> Outcome<OutcomeView> {
    shell.apply_all_fixes(&copy).await
}
