//! The window: plugins, commands, and the parts of the program behind them.

use std::ffi::OsString;
use std::panic::AssertUnwindSafe;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use skills::digest::Digest;
use skills::paths::Paths;
use tauri::{
    AppHandle, Context, Emitter as _, Manager as _, RunEvent, Runtime, WebviewWindowBuilder,
};
use tauri_plugin_dialog::{DialogExt as _, MessageDialogKind};
use tauri_plugin_opener::OpenerExt as _;

use crate::cli::{AT_ONCE, Told};
use crate::folders::FolderDialog;
use crate::imported::{Asked, FileDialog};
use crate::shell::Shell;
use crate::sign_in::Browser;
use crate::view::{ErrorView, Scope};
use crate::{cli, commands, events, logging};

/// Why no window opens.
#[derive(Debug, thiserror::Error)]
enum NoWindow {
    #[error(
        "cannot open a window: no display was found; set DISPLAY or WAYLAND_DISPLAY, or use \
         `skillhold serve`"
    )]
    NoDisplay,
    #[error(
        "cannot open a window: the display does not answer; check DISPLAY and WAYLAND_DISPLAY, or \
         use `skillhold serve`"
    )]
    NoAnswer,
    #[error("cannot open a window: {0}")]
    Panicked(String),
    #[error("cannot open a window")]
    Tauri(#[source] tauri::Error),
}

/// Opens the window and stays until it is closed. It shows what lies in `folders` as well.
pub fn run(folders: &[PathBuf]) -> ExitCode {
    if !has_display(environment) {
        return cli::fail(&NoWindow::NoDisplay);
    }
    let paths = match Paths::from_environment() {
        Ok(paths) => paths,
        Err(error) => return cli::fail(&error),
    };
    // The vault comes first: it makes the data folder, for this person alone.
    let (shell, recovered) = match Shell::open(paths) {
        Ok(opened) => opened,
        Err(error) => return refuse(&error),
    };
    // The log is a convenience: the window opens without it.
    let _log = logging::to_file(&shell.paths).map_err(|error| cli::fail(&error)).ok();
    tracing::info!(version = env!("CARGO_PKG_VERSION"), "started");
    for one in &recovered {
        tracing::warn!(%one, "recovered");
    }
    for folder in folders {
        if let Err(error) = shell.add_for_this_run(folder) {
            return cli::fail(&error);
        }
    }
    let web_data = shell.paths.data().join("webview");
    let builder = for_one_person(tauri::Builder::default(), &shell.paths)
        .setup(move |app| Ok(open(app.handle(), web_data)?));
    match told(|| {
        build(builder, Arc::clone(&shell), context(), folder_dialog, file_dialog, browser)
    }) {
        Ok(app) => {
            if let Err(error) = shell.connect() {
                tracing::error!(%error, "servers are not reached");
            }
            if let Err(error) = shell.sharing.start() {
                tracing::error!(%error, "nothing is shared");
            }
            end_when_told(app.handle());
            app.run(move |_, event| {
                if let RunEvent::Exit = event {
                    shell.sharing.stop();
                    tauri::async_runtime::block_on(shell.connections.end_all());
                }
            });
            ExitCode::SUCCESS
        }
        Err(error) => cli::fail(&error),
    }
}

/// Ends as if the window were closed when the process is told to stop: what was started for it ends
/// with it. Told a second time it ends at once.
fn end_when_told<R: Runtime>(app: &AppHandle<R>) {
    let app = app.clone();
    tauri::async_runtime::spawn(async move {
        let mut told = Told::listen();
        told.told().await;
        tracing::info!("told to stop");
        app.exit(0);
        told.told().await;
        std::process::exit(AT_ONCE);
    });
}

/// Whether there may be something to open a window on, as far as the variables of the environment
/// say. Only where windows come from a display server can there be none.
fn has_display(variable: impl Fn(&str) -> Option<OsString>) -> bool {
    !cfg!(target_os = "linux")
        || ["WAYLAND_DISPLAY", "DISPLAY"]
            .into_iter()
            .any(|name| variable(name).is_some_and(|value| !value.is_empty()))
}

#[expect(clippy::disallowed_methods, reason = "what the window opens on is no folder of a person")]
fn environment(name: &str) -> Option<OsString> {
    std::env::var_os(name)
}

/// What building gives, with a panic in it as an error: where the display does not answer, the
/// window library knows no other way to say so.
fn told<T>(build: impl FnOnce() -> tauri::Result<T>) -> Result<T, NoWindow> {
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    let built = std::panic::catch_unwind(AssertUnwindSafe(build));
    std::panic::set_hook(hook);
    match built {
        Ok(built) => built.map_err(NoWindow::Tauri),
        Err(payload) => {
            let text = payload.downcast_ref::<String>().cloned();
            let text = text.or_else(|| payload.downcast_ref::<&str>().map(|&text| text.to_owned()));
            Err(match text {
                Some(text) if text.contains("initialize gtk") => NoWindow::NoAnswer,
                text => {
                    NoWindow::Panicked(text.unwrap_or_else(|| "no reason was given".to_owned()))
                }
            })
        }
    }
}

/// Opens the window of the configuration, with what the web view keeps below our own data folder.
fn open<R: Runtime>(app: &AppHandle<R>, web_data: PathBuf) -> tauri::Result<()> {
    for window in &app.config().app.windows {
        WebviewWindowBuilder::from_config(app, window)?.data_directory(web_data.clone()).build()?;
    }
    Ok(())
}

/// Says in a dialog why the window does not open: whoever clicked an icon sees no standard error.
fn refuse(error: &vault::VaultError) -> ExitCode {
    let code = cli::fail(error);
    let view = ErrorView::from(error);
    let text = [Some(view.message), view.causes.into_iter().next(), view.hint];
    let text = text.into_iter().flatten().collect::<Vec<_>>().join("\n\n");
    let mut context = context();
    context.config_mut().app.windows.clear();
    let builder = tauri::Builder::default().plugin(tauri_plugin_dialog::init());
    match told(|| builder.build(context)) {
        Ok(app) => app.run(move |app, event| {
            if let RunEvent::Ready = event {
                let handle = app.clone();
                let dialog = app.dialog().message(&text).title("Skillhold cannot start");
                dialog.kind(MessageDialogKind::Error).show(move |_| handle.exit(1));
            }
        }),
        Err(error) => drop(cli::fail(&error)),
    }
    code
}

/// The program's configuration, permissions and page. This is the one place that makes it: each
/// would embed the page once more.
pub(crate) fn context<R: Runtime>() -> Context<R> {
    tauri::generate_context!()
}

/// One instance for each data folder, and the window's place as it was left. Where everything was
/// redirected to another folder, as tests do, the place is not kept, and an instance is known by that
/// folder where the system has names for it: one of another folder is another program.
fn for_one_person<R: Runtime>(builder: tauri::Builder<R>, paths: &Paths) -> tauri::Builder<R> {
    let again = |app: &AppHandle<R>, arguments: Vec<String>, at: String| {
        let arguments = arguments.into_iter().map(OsString::from).collect();
        look_into(app, cli::folders_to_show(arguments, Path::new(&at)));
        show(app);
    };
    let single = tauri_plugin_single_instance::Builder::new().callback(again);
    if paths.redirected() {
        return match cfg!(target_os = "linux") {
            true => builder.plugin(single.dbus_id(name_of(paths.data())).build()),
            false => builder,
        };
    }
    let state = paths.data().join("window.json");
    builder.plugin(single.build()).plugin(
        tauri_plugin_window_state::Builder::new()
            .with_filename(state.to_string_lossy().into_owned())
            .build(),
    )
}

/// The name on the session's bus of the instance with this data folder.
fn name_of(data: &Path) -> String {
    let real = data.canonicalize().unwrap_or_else(|_| data.to_owned());
    let digits = Digest::of(real.as_os_str().as_encoded_bytes()).hex();
    format!("io.github.skillhold.app.h{}", &digits[..16])
}

/// Shows what lies in folders that a second start named.
fn look_into<R: Runtime>(app: &AppHandle<R>, folders: Vec<PathBuf>) {
    let shell = Arc::clone(&app.state::<Arc<Shell>>());
    tauri::async_runtime::spawn_blocking(move || {
        for folder in folders {
            if let Err(error) = shell.add_for_this_run(&folder) {
                tracing::warn!(%error, "a folder is not shown");
            }
        }
        shell.library.rescan();
        shell.events.changed(Scope::Library);
    });
}

fn show<R: Runtime>(app: &AppHandle<R>) {
    if let Some(window) = app.get_webview_window("main") {
        for done in [window.unminimize(), window.show(), window.set_focus()] {
            if let Err(error) = done {
                tracing::warn!(%error, "the window does not come to the front");
            }
        }
    }
}

/// The system's own dialog, in front of the window.
fn folder_dialog<R: Runtime>(app: AppHandle<R>) -> FolderDialog {
    FolderDialog::new(move |title| {
        let mut dialog = app.dialog().file().set_title(title).set_can_create_directories(true);
        if let Some(window) = app.get_webview_window("main") {
            dialog = dialog.set_parent(&window);
        }
        dialog.blocking_pick_folder().and_then(|chosen| chosen.into_path().ok())
    })
}

/// The system's own dialog for files, in front of the window.
fn file_dialog<R: Runtime>(app: AppHandle<R>) -> FileDialog {
    FileDialog::new(move |asked| {
        let mut dialog = app.dialog().file().set_can_create_directories(true);
        if let Some(window) = app.get_webview_window("main") {
            dialog = dialog.set_parent(&window);
        }
        let chosen = match asked {
            Asked::Open { title } => {
                dialog.set_title(title).add_filter("Skills", &["zip", "skill"]).blocking_pick_file()
            }
            Asked::Save { title, name } => dialog
                .set_title(title)
                .set_file_name(name)
                .add_filter("Skills", &["zip"])
                .blocking_save_file(),
        };
        chosen.and_then(|chosen| chosen.into_path().ok())
    })
}

/// The person's own browser.
fn browser<R: Runtime>(app: AppHandle<R>) -> Browser {
    Browser::new(move |address| {
        // What failed may repeat the address, which is nobody's business.
        app.opener()
            .open_url(address, None::<&str>)
            .map_err(|_| "no browser could be started".to_owned())
    })
}

/// The program behind any window, also a window that a test only plays; `dialog` makes what it
/// asks for folders with, `files` what it asks for files with, `browser` what it opens pages to sign
/// in with.
///
/// # Errors
/// What Tauri says.
pub fn build<R: Runtime>(
    builder: tauri::Builder<R>,
    shell: Arc<Shell>,
    context: Context<R>,
    dialog: impl FnOnce(AppHandle<R>) -> FolderDialog,
    files: impl FnOnce(AppHandle<R>) -> FileDialog,
    browser: impl FnOnce(AppHandle<R>) -> Browser,
) -> tauri::Result<tauri::App<R>> {
    let events = Arc::clone(&shell.events);
    let app = builder
        .plugin(tauri_plugin_dialog::init())
        .plugin(tauri_plugin_opener::Builder::new().open_js_links_on_click(false).build())
        .manage(shell)
        .invoke_handler(tauri::generate_handler![
            commands::library::library,
            commands::library::skill_detail,
            commands::library::skill_file,
            commands::changes::compare,
            commands::changes::compare_sides_file,
            commands::fixes::apply_fix,
            commands::fixes::apply_all_fixes,
            commands::library::reveal_skill,
            commands::library::open_link,
            commands::server::servers,
            commands::server::add_http_server,
            commands::server::preview_command,
            commands::server::confirm_command,
            commands::server::find_servers,
            commands::server::paste_servers,
            commands::server::add_found,
            commands::server::server_settings,
            commands::server::change_server,
            commands::server::rename_server,
            commands::server::remove_server,
            commands::server::set_server_enabled,
            commands::server::refresh_server,
            commands::server::server_words,
            commands::server::preview_sign_in,
            commands::server::sign_in,
            commands::server::sign_out,
            commands::server::offer_detail,
            commands::server::offer_file,
            commands::server::look_up_offer,
            commands::server::offer_folder,
            commands::server::export_offer,
            commands::bundles::export_bundle,
            commands::bundles::import_skills,
            commands::review::start_review,
            commands::review::review_file,
            commands::review::approve,
            commands::review::reject,
            commands::review::accept_same,
            commands::review::close_review,
            commands::install::plan,
            commands::install::apply_plan,
            commands::changes::plan_changes,
            commands::changes::apply_changes,
            commands::changes::change_items,
            commands::changes::trash,
            commands::changes::empty_trash,
            commands::install::undo,
            commands::install::cancel,
            commands::activity::activity,
            commands::settings::settings,
            commands::settings::set_theme,
            commands::settings::set_samples,
            commands::settings::set_approvals,
            commands::settings::set_never_install,
            commands::settings::set_welcomed,
            commands::folders::add_folder,
            commands::folders::remove_folder,
            commands::folders::set_tool_on,
            commands::folders::choose_tool_root,
            commands::folders::reset_tool_roots,
            commands::sharing::sharing,
            commands::sharing::set_sharing,
            commands::sharing::add_shared_folder,
            commands::sharing::remove_shared_folder,
            commands::sharing::sharing_token,
            commands::sharing::renew_sharing_token,
        ])
        .build(context)?;
    let handle = app.handle().clone();
    app.manage(Arc::new(dialog(handle.clone())));
    app.manage(Arc::new(files(handle.clone())));
    app.manage(Arc::new(browser(handle.clone())));
    events.tell_with(move |changed| {
        if let Err(error) = handle.emit(events::CHANGED, changed) {
            tracing::warn!(%error, "the page was not told of a change");
        }
    });
    Ok(app)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_data_folder_has_an_instance_of_its_own() {
        let (one, two) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let name = name_of(one.path());
        assert_eq!(name, name_of(&one.path().join(".")));
        assert_ne!(name, name_of(two.path()));
        let digits = name.strip_prefix("io.github.skillhold.app.h").unwrap();
        assert!(digits.len() == 16 && digits.bytes().all(|digit| digit.is_ascii_hexdigit()));
    }

    #[test]
    fn a_display_is_looked_for_before_anything_else() {
        let with = |name: &'static str, value: &'static str| {
            has_display(move |asked| (asked == name).then(|| value.into()))
        };
        assert!(with("DISPLAY", ":0"));
        assert!(with("WAYLAND_DISPLAY", "wayland-0"));
        assert_eq!(with("DISPLAY", ""), !cfg!(target_os = "linux"));
        assert_eq!(has_display(|_| None), !cfg!(target_os = "linux"));
    }

    #[test]
    fn a_display_that_does_not_answer_is_an_error() {
        let answer = told::<()>(|| panic!("Failed to initialize gtk backend!: {}", "no"));
        assert!(matches!(answer, Err(NoWindow::NoAnswer)));
        assert!(matches!(told::<()>(|| panic!("x")), Err(NoWindow::Panicked(text)) if text == "x"));
        assert!(matches!(told(|| Ok(1)), Ok(1)));
    }

    #[test]
    fn a_window_that_does_not_open_is_one_line() {
        assert_eq!(
            NoWindow::NoDisplay.to_string(),
            "cannot open a window: no display was found; set DISPLAY or WAYLAND_DISPLAY, or use \
             `skillhold serve`"
        );
    }
}
