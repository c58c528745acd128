//! Servers and what they offer.

use std::sync::Arc;

use tauri::State;
use tauri::ipc::Channel;

use super::Parts;
use crate::error::Outcome;
use crate::folders::FolderDialog;
use crate::offers::blocking;
use crate::sign_in::Browser;
use crate::view::{
    CommandPreview, FileContent, FoundServers, GivenValues, NamedValue, OfferDetail, OfferFolder,
    OfferRow, OutcomeView, ServerChange, ServerSettings, ServerStep, ServersView, SignInPreview,
};

/// All servers with what they offer.
#[tauri::command]
pub async fn servers(shell: Parts<'_>) -> Outcome<ServersView> {
    let shell = Arc::clone(&shell);
    blocking(move || shell.servers_view()).await?
}

/// Adds a server by address and starts to connect.
#[tauri::command]
pub async fn add_http_server(
    shell: Parts<'_>,
    label: String,
    url: String,
    given: Option<GivenValues>,
) -> Outcome<String> {
    let shell = Arc::clone(&shell);
    blocking(move || shell.add_http_server(&label, &url, given.unwrap_or_default())).await?
}

/// Splits a command line into words; runs nothing.
#[tauri::command]
pub async fn preview_command(
    shell: Parts<'_>,
    line: String,
    variables: Option<Vec<NamedValue>>,
) -> Outcome<CommandPreview> {
    shell.preview_command(&line, variables.unwrap_or_default())
}

/// Adds the command that was previewed under this token, or gives it to its server, and starts it.
#[tauri::command]
pub async fn confirm_command(shell: Parts<'_>, label: String, token: String) -> Outcome<String> {
    let shell = Arc::clone(&shell);
    blocking(move || shell.confirm_command(&label, &token)).await?
}

/// Looks through the settings of other tools; starts and reaches nothing.
#[tauri::command]
pub async fn find_servers(shell: Parts<'_>) -> Outcome<FoundServers> {
    let shell = Arc::clone(&shell);
    blocking(move || shell.find_servers()).await?
}

/// Reads settings that were pasted; starts and reaches nothing.
#[tauri::command]
pub async fn paste_servers(shell: Parts<'_>, text: String) -> Outcome<FoundServers> {
    let shell = Arc::clone(&shell);
    blocking(move || shell.paste_servers(&text)).await?
}

/// Adds a server that was found, or says what it would start.
#[tauri::command]
pub async fn add_found(
    shell: Parts<'_>,
    found: String,
    label: String,
    filled: Vec<NamedValue>,
) -> Outcome<ServerStep> {
    let shell = Arc::clone(&shell);
    blocking(move || shell.add_found(&found, &label, filled)).await?
}

/// How a server is reached and what it is given; no secret is in it.
#[tauri::command]
pub async fn server_settings(shell: Parts<'_>, server: String) -> Outcome<ServerSettings> {
    let shell = Arc::clone(&shell);
    blocking(move || shell.server_settings(&server)).await?
}

/// Changes how a server is reached or what it is given, or says what it would start.
#[tauri::command]
pub async fn change_server(
    shell: Parts<'_>,
    server: String,
    change: ServerChange,
) -> Outcome<ServerStep> {
    let shell = Arc::clone(&shell);
    blocking(move || shell.change_server(&server, change)).await?
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

/// The last that a server's program wrote to its standard error.
#[tauri::command]
pub async fn server_words(shell: Parts<'_>, server: String) -> Outcome<Vec<String>> {
    shell.server_words(&server)
}

/// Where a person would sign in to a server; opens nothing.
#[tauri::command]
pub async fn preview_sign_in(shell: Parts<'_>, server: String) -> Outcome<SignInPreview> {
    shell.preview_sign_in(&server).await
}

/// Opens the browser where it was shown, tells the address of the page, and waits until the person has
/// signed in.
#[tauri::command]
pub async fn sign_in(
    shell: Parts<'_>,
    browser: State<'_, Arc<Browser>>,
    token: String,
    job: String,
    on_page: Channel<String>,
) -> Outcome<()> {
    let told = move |page: &str| drop(on_page.send(page.to_owned()));
    shell.sign_in(&token, job, &browser, told).await
}

/// Forgets what the person was given when they signed in.
#[tauri::command]
pub async fn sign_out(shell: Parts<'_>, server: String) -> Outcome<()> {
    let shell = Arc::clone(&shell);
    blocking(move || shell.sign_out(&server)).await?
}

/// One offered skill from what was declared; fetches nothing.
#[tauri::command]
pub async fn offer_detail(shell: Parts<'_>, server: String, uri: String) -> Outcome<OfferDetail> {
    let shell = Arc::clone(&shell);
    blocking(move || shell.offer_detail(&server, &uri)).await?
}

/// Asks a server for a skill by its URI, whether a list shows it or not.
#[tauri::command]
pub async fn look_up_offer(shell: Parts<'_>, server: String, uri: String) -> Outcome<OfferRow> {
    shell.look_up(&server, &uri).await
}

/// What the server shows in the folder of an offered skill, against its entry.
#[tauri::command]
pub async fn offer_folder(shell: Parts<'_>, server: String, uri: String) -> Outcome<OfferFolder> {
    shell.offer_folder(&server, &uri).await
}

/// Asks for a folder and exports an unverified copy into it; null when the person chose none.
#[tauri::command]
pub async fn export_offer(
    shell: Parts<'_>,
    dialog: State<'_, Arc<FolderDialog>>,
    server: String,
    uri: String,
    understood: bool,
) -> Outcome<Option<OutcomeView>> {
    let (shell, dialog) = (Arc::clone(&shell), Arc::clone(&dialog));
    shell.export_offer(&server, &uri, understood, move |title| dialog.ask(title)).await
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
