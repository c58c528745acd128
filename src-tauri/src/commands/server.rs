//! Servers and what they offer.

use std::sync::Arc;

use super::Parts;
use crate::error::Outcome;
use crate::offers::blocking;
use crate::view::{CommandPreview, FileContent, OfferDetail, ServersView};

/// All servers with what they offer.
#[tauri::command]
pub async fn servers(shell: Parts<'_>) -> Outcome<ServersView> {
    let shell = Arc::clone(&shell);
    blocking(move || shell.servers_view()).await?
}

/// Adds a server by address and starts to connect.
#[tauri::command]
pub async fn add_http_server(shell: Parts<'_>, label: String, url: String) -> Outcome<String> {
    let shell = Arc::clone(&shell);
    blocking(move || shell.add_http_server(&label, &url)).await?
}

/// Splits a command line into words; runs nothing.
#[tauri::command]
pub async fn preview_command(shell: Parts<'_>, line: String) -> Outcome<CommandPreview> {
    shell.preview_command(&line)
}

/// Adds the command that was previewed under this token, and starts it.
#[tauri::command]
pub async fn confirm_command(shell: Parts<'_>, label: String, token: String) -> Outcome<String> {
    let shell = Arc::clone(&shell);
    blocking(move || shell.confirm_command(&label, &token)).await?
}

/// Gives a server another label.
#[tauri::command]
pub async fn rename_server(shell: Parts<'_>, server: String, label: String) -> Outcome<()> {
    let shell = Arc::clone(&shell);
    blocking(move || shell.rename_server(&server, &label)).await?
}

/// Removes a server, what was fetched from it, and its approvals.
#[tauri::command]
pub async fn remove_server(shell: Parts<'_>, server: String) -> Outcome<()> {
    let shell = Arc::clone(&shell);
    blocking(move || shell.remove_server(&server)).await?
}

/// Switches a server on or off.
#[tauri::command]
pub async fn set_server_enabled(shell: Parts<'_>, server: String, enabled: bool) -> Outcome<()> {
    let shell = Arc::clone(&shell);
    blocking(move || shell.set_server_enabled(&server, enabled)).await?
}

/// Connects again, or asks a connected server for its list again.
#[tauri::command]
pub async fn refresh_server(shell: Parts<'_>, server: String) -> Outcome<()> {
    shell.refresh_server(&server)
}

/// One offered skill from what was declared; fetches nothing.
#[tauri::command]
pub async fn offer_detail(shell: Parts<'_>, server: String, uri: String) -> Outcome<OfferDetail> {
    let shell = Arc::clone(&shell);
    blocking(move || shell.offer_detail(&server, &uri)).await?
}

/// Fetches exactly this file of an offered skill, checked.
#[tauri::command]
pub async fn offer_file(
    shell: Parts<'_>,
    server: String,
    uri: String,
    path: String,
) -> Outcome<FileContent> {
    shell.offer_file(&server, &uri, &path).await
}
