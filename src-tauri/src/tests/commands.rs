//! The commands as the page calls them, with the permissions that it really has.

#![allow(clippy::disallowed_methods)]

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, Receiver};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use skills::paths::Paths;
use tauri::test::{INVOKE_KEY, MockRuntime, get_ipc_response, mock_builder};
use tauri::webview::InvokeRequest;
use tauri::{App, Listener, WebviewWindow, WebviewWindowBuilder};
use tempfile::TempDir;

use crate::commands::COMMANDS;
use crate::events::CHANGED;
use crate::folders::FolderDialog;
use crate::imported::{Asked, FileDialog};
use crate::shell::Shell;
use crate::sign_in::Browser;
use crate::window::build;

/// The program with a window that is only played, on a home of its own.
pub(super) struct Played {
    pub(super) home: TempDir,
    pub(super) shell: Arc<Shell>,
    /// What the person chooses in the next dialog, and the titles of those that were shown.
    pub(super) choice: Arc<Mutex<Option<PathBuf>>>,
    pub(super) asked: Arc<Mutex<Vec<String>>>,
    app: App<MockRuntime>,
    window: WebviewWindow<MockRuntime>,
}

impl Played {
    /// In a home with a Claude Code.
    pub(super) fn new(label: &str) -> Self {
        let home = tempfile::tempdir().unwrap();
        installed(home.path(), ".claude/settings.json");
        Self::in_home(label, home)
    }

    pub(super) fn in_home(label: &str, home: TempDir) -> Self {
        let (shell, _) = Shell::open(Paths::under(home.path())).unwrap();
        let (choice, asked) =
            (Arc::<Mutex<Option<PathBuf>>>::default(), Arc::<Mutex<Vec<_>>>::default());
        let (answer, titles) = (Arc::clone(&choice), Arc::clone(&asked));
        let dialog = |_| {
            FolderDialog::new(move |title| {
                titles.lock().unwrap().push(title.to_owned());
                answer.lock().unwrap().take()
            })
        };
        let (answer, titles) = (Arc::clone(&choice), Arc::clone(&asked));
        let files = |_| {
            FileDialog::new(move |asked| {
                let (Asked::Open { title } | Asked::Save { title, .. }) = asked;
                titles.lock().unwrap().push(title.to_owned());
                answer.lock().unwrap().take()
            })
        };
        let browser = |_| Browser::new(|address| panic!("{address} is opened"));
        let context = crate::window::context();
        let app =
            build(mock_builder(), Arc::clone(&shell), context, dialog, files, browser).unwrap();
        let window = WebviewWindowBuilder::new(&app, label, Default::default()).build().unwrap();
        Self { home, shell, choice, asked, app, window }
    }

    fn call(&self, command: &str, arguments: Value, url: &str) -> Result<Value, Value> {
        let request = InvokeRequest {
            cmd: command.to_owned(),
            callback: tauri::ipc::CallbackFn(0),
            error: tauri::ipc::CallbackFn(1),
            url: url.parse().unwrap(),
            body: arguments.into(),
            headers: Default::default(),
            invoke_key: INVOKE_KEY.to_owned(),
        };
        get_ipc_response(&self.window, request).map(|body| body.deserialize().unwrap())
    }

    /// Gives something each time that the page is told of a change.
    pub(super) fn changes(&self) -> Receiver<()> {
        let (send, told) = mpsc::channel();
        self.app.listen_any(CHANGED, move |_| {
            // A test may be over.
            let _ = send.send(());
        });
        told
    }

    pub(super) fn local(&self, command: &str, arguments: Value) -> Result<Value, Value> {
        self.call(command, arguments, "tauri://localhost")
    }
}

/// Writes the file by which a tool is found.
pub(super) fn installed(home: &Path, file: &str) {
    let file = home.join(file);
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(file, "{}").unwrap();
}

/// Whether an answer comes from a command or its arguments, and not from the check of permissions.
fn reached(answer: &Result<Value, Value>) -> bool {
    match answer {
        Ok(_) | Err(Value::Object(_)) => true,
        Err(Value::String(text)) => text.contains("missing required key"),
        Err(_) => false,
    }
}

#[test]
fn the_main_window_reaches_every_command() {
    let played = Played::new("main");
    // Called without arguments: those that need some say which, the others answer.
    for command in COMMANDS {
        let answer = played.local(command, json!({}));
        assert!(reached(&answer), "{command}: {answer:?}");
    }
}

#[test]
fn a_page_from_elsewhere_reaches_no_command() {
    let played = Played::new("main");
    for command in COMMANDS {
        let answer = played.call(command, json!({}), "https://evil.example");
        assert!(!reached(&answer), "{command}: {answer:?}");
    }
}

#[test]
fn another_window_reaches_no_command() {
    let played = Played::new("other");
    for command in COMMANDS {
        let answer = played.local(command, json!({}));
        assert!(!reached(&answer), "{command}: {answer:?}");
    }
}

#[test]
fn the_page_has_no_power_over_files_shell_dialogs_or_links() {
    let played = Played::new("main");
    for command in [
        "plugin:opener|open_url",
        "plugin:opener|open_path",
        "plugin:opener|reveal_item_in_dir",
        "plugin:dialog|open",
        "plugin:dialog|message",
        "plugin:fs|read_file",
        "plugin:shell|execute",
        "plugin:window|close",
        "plugin:event|emit",
    ] {
        let answer = played.local(command, json!({}));
        assert!(!reached(&answer), "{command}: {answer:?}");
    }
}

#[test]
fn errors_arrive_as_values_with_a_code() {
    let played = Played::new("main");
    assert_eq!(
        played.local("add_http_server", json!({ "label": "x", "url": "ftp://x" })),
        Err(json!({
            "code": "badInput",
            "message": "\"ftp://x\" is not the address of a server: it has to start with http:// or https://",
            "hint": "an address looks like https://example.org/mcp",
            "causes": [],
        }))
    );
    let gone = played.local("skill_detail", json!({ "copy": "0000000000000000" })).unwrap_err();
    assert_eq!(gone["code"], "gone");
    let link = played.local("open_link", json!({ "url": "file:///etc/passwd" })).unwrap_err();
    assert_eq!(link["code"], "badInput");
}

#[test]
fn a_command_line_is_shown_word_by_word_and_its_token_is_good_once() {
    let played = Played::new("main");
    let shown =
        played.local("preview_command", json!({ "line": "no-such-program-here 'a b' c" })).unwrap();
    assert_eq!(shown["program"], "no-such-program-here");
    assert_eq!(shown["args"], json!(["a b", "c"]));
    assert_eq!(shown["resolved"], Value::Null);
    let confirm = json!({ "label": "mine", "token": shown["token"] });
    let id = played.local("confirm_command", confirm.clone()).unwrap();
    assert_eq!(played.local("confirm_command", confirm).unwrap_err()["code"], "gone");
    let servers = played.local("servers", json!({})).unwrap();
    assert_eq!(servers["servers"][0]["id"], id);
    assert_eq!(servers["servers"][0]["address"], "no-such-program-here 'a b' c");
}

#[cfg(unix)]
#[test]
fn the_file_that_a_command_would_run_is_named() {
    let played = Played::new("main");
    let shown = played.local("preview_command", json!({ "line": "sh -c true" })).unwrap();
    let file = shown["resolved"].as_str().unwrap();
    assert!(file.starts_with('/') && file.ends_with("/sh"), "{file}");
    for refused in ["", "a 'b", "a\u{200b}b"] {
        let error = played.local("preview_command", json!({ "line": refused })).unwrap_err();
        assert_eq!(error["code"], "badInput", "{refused:?}");
    }
}

#[test]
fn settings_are_kept() {
    let played = Played::new("main");
    assert_eq!(played.local("settings", json!({})).unwrap()["welcomed"], false);
    played.local("set_welcomed", json!({})).unwrap();
    played.local("set_theme", json!({ "theme": "dark" })).unwrap();
    let settings = played.local("settings", json!({})).unwrap();
    assert_eq!((&settings["welcomed"], &settings["theme"]), (&json!(true), &json!("dark")));
    assert_eq!(settings["dataFolder"], "~/.local/share/skillhold");
}
