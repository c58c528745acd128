//! Signing in to a server and out again, and servers that are slow, beside good ones.

#![allow(clippy::disallowed_methods)]

#[path = "../../../tests/support/asking.rs"]
mod asking;

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::Duration;

use asking::{AskingServer, agree};
use skills::paths::Paths;
use tauri::async_runtime::block_on;
use tempfile::TempDir;

use crate::shell::Shell;
use crate::sign_in::Browser;
use crate::view::{Changed, ErrorCode, GivenValues, SecretPlace, ServerState, ServerView};

/// Longer than anything here takes; only a failure waits this long.
const PATIENCE: Duration = Duration::from_secs(60);

struct Played {
    home: TempDir,
    shell: Arc<Shell>,
    told: Receiver<Changed>,
}

impl Played {
    fn new() -> Self {
        Self::in_home(tempfile::tempdir().unwrap())
    }

    fn in_home(home: TempDir) -> Self {
        let (shell, _) = Shell::open(Paths::under(home.path())).unwrap();
        let (send, told) = mpsc::channel();
        shell.events.tell_with(move |changed| drop(send.send(changed)));
        shell.connect().unwrap();
        Self { home, shell, told }
    }

    fn add(&self, url: &str) -> String {
        self.shell.add_http_server("asks", url, GivenValues::default()).unwrap()
    }

    /// The server, once it is so.
    fn server(&self, id: &str, fits: impl Fn(&ServerView) -> bool) -> ServerView {
        loop {
            let view = self.shell.servers_view().unwrap();
            if let Some(server) = view.servers.into_iter().find(|it| it.id == id && fits(it)) {
                return server;
            }
            self.told.recv_timeout(PATIENCE).expect("a change");
        }
    }

    fn asking(&self, id: &str) -> ServerView {
        self.server(id, |server| matches!(server.state, ServerState::NeedsSignIn { .. }))
    }

    fn connected(&self, id: &str) -> ServerView {
        self.server(id, |server| matches!(server.state, ServerState::Connected { .. }))
    }

    fn sign_in(&self, id: &str) {
        let preview = block_on(self.shell.preview_sign_in(id)).unwrap();
        block_on(self.shell.sign_in(&preview.token, "job".to_owned(), &agreeing(), |_| {}))
            .unwrap();
    }

    fn secret(&self, id: &str) -> PathBuf {
        self.home.path().join(".local/share/skillhold/secrets").join(format!("sign-in-{id}"))
    }
}

fn agreeing() -> Browser {
    Browser::new(|page| {
        let page = page.to_owned();
        thread::spawn(move || agree(&page));
        Ok(())
    })
}

#[test]
fn a_person_sees_where_they_sign_in_and_then_does() {
    let (server, played) = (AskingServer::start(), Played::new());
    let id = played.add(&server.url);
    let view = played.asking(&id);
    let base = server.url.trim_end_matches("/mcp");
    assert!(!view.signed_in);
    let ServerState::NeedsSignIn { error } = view.state else { unreachable!() };
    assert_eq!(
        error.message,
        format!("cannot connect to {}: the server asks to sign in", server.url)
    );
    assert_eq!(error.causes, Vec::<String>::new());

    let preview = block_on(played.shell.preview_sign_in(&id)).unwrap();
    assert_eq!((preview.label.as_str(), preview.issuer.as_str()), ("asks", base));
    assert_eq!(preview.opens, format!("{base}/authorize"));
    assert_eq!(preview.scopes, ["skills:read"]);
    assert_eq!(preview.kept, SecretPlace::File);
    assert!(!server.asked().contains(&"POST /register".to_owned()));

    block_on(played.shell.sign_in(&preview.token, "job".to_owned(), &agreeing(), |_| {})).unwrap();
    assert!(played.connected(&id).signed_in);
    // A preview is good once.
    let again =
        block_on(played.shell.sign_in(&preview.token, "job".to_owned(), &agreeing(), |_| {}));
    assert_eq!(again.unwrap_err().code, ErrorCode::Gone);
}

#[test]
fn a_sign_in_outlives_the_program_and_its_token_is_in_no_other_file() {
    let (server, played) = (AskingServer::start(), Played::new());
    let id = played.add(&server.url);
    played.asking(&id);
    played.sign_in(&id);
    played.connected(&id);
    assert!(fs::read_to_string(played.secret(&id)).unwrap().contains("refresh-1"));
    for entry in fs::read_dir(played.secret(&id).parent().unwrap().parent().unwrap()).unwrap() {
        let path = entry.unwrap().path();
        if path.is_file() {
            let bytes = fs::read(&path).unwrap();
            assert!(!bytes.windows(9).any(|part| part == b"refresh-1"), "{path:?}");
        }
    }
    let Played { home, shell, told } = played;
    shell.connections.stop_all();
    drop((shell, told));
    assert!(Played::in_home(home).connected(&id).signed_in);
}

#[test]
fn who_signs_out_is_asked_again() {
    let (server, played) = (AskingServer::start(), Played::new());
    let id = played.add(&server.url);
    played.asking(&id);
    played.sign_in(&id);
    played.connected(&id);
    played.shell.sign_out(&id).unwrap();
    assert!(!played.asking(&id).signed_in);
    assert!(!played.secret(&id).exists());
}

#[test]
fn a_server_that_is_removed_or_moved_takes_its_sign_in_along() {
    let (server, played) = (AskingServer::start(), Played::new());
    let id = played.add(&server.url);
    played.asking(&id);
    played.sign_in(&id);
    played.connected(&id);
    let other = AskingServer::start();
    let change = serde_json::from_value(serde_json::json!({
        "address": other.url, "token": { "kind": "keep" }, "headers": [], "variables": [],
    }));
    played.shell.change_server(&id, change.unwrap()).unwrap();
    assert!(!played.asking(&id).signed_in);
    assert!(!played.secret(&id).exists());
    assert!(other.asked().iter().all(|asked| !asked.contains("access-1")), "{:?}", other.asked());

    played.sign_in(&id);
    played.connected(&id);
    played.shell.remove_server(&id).unwrap();
    assert!(!played.secret(&id).exists());
}

#[test]
fn where_no_browser_opens_the_page_is_told_and_opened_by_hand() {
    let (server, played) = (AskingServer::start(), Played::new());
    let id = played.add(&server.url);
    played.asking(&id);
    let preview = block_on(played.shell.preview_sign_in(&id)).unwrap();
    let none = Browser::new(|_| Err("no browser could be started".to_owned()));
    let by_hand = |page: &str| {
        let page = page.to_owned();
        thread::spawn(move || agree(&page));
    };
    block_on(played.shell.sign_in(&preview.token, "job".to_owned(), &none, by_hand)).unwrap();
    assert!(played.connected(&id).signed_in);
}

#[test]
fn a_sign_in_is_cancelled_like_any_job() {
    let (server, played) = (AskingServer::start(), Played::new());
    let id = played.add(&server.url);
    played.asking(&id);
    let preview = block_on(played.shell.preview_sign_in(&id)).unwrap();
    let shell = Arc::clone(&played.shell);
    // The person presses Cancel while their browser is open.
    let browser = Browser::new(move |_| {
        shell.jobs.cancel("job");
        Ok(())
    });
    let error = block_on(played.shell.sign_in(&preview.token, "job".to_owned(), &browser, |_| {}));
    assert_eq!(error.unwrap_err().code, ErrorCode::Cancelled);
    assert!(!played.asking(&id).signed_in);
}

#[test]
fn a_token_that_the_server_does_not_accept_is_said_and_no_sign_in_begins() {
    let (server, played) = (AskingServer::start(), Played::new());
    let given = GivenValues { token: Some("mine".to_owned()), ..GivenValues::default() };
    let id = played.shell.add_http_server("asks", &server.url, given).unwrap();
    let view = played.server(&id, |it| matches!(it.state, ServerState::Refused { .. }));
    let ServerState::Refused { error, again } = view.state else { unreachable!() };
    assert_eq!(
        error.message,
        format!(
            "cannot connect to {}: the server does not accept the token or headers that it is given",
            server.url
        )
    );
    assert_eq!(error.hint.as_deref(), Some("check them in the settings of the server"));
    assert_eq!(again, None, "what is not accepted is not sent again and again");
    let error = block_on(played.shell.preview_sign_in(&id)).unwrap_err();
    assert_eq!(error.message, "asks does not ask to sign in now");
}

#[test]
fn a_silent_and_a_flooding_server_delay_no_other() {
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let flooding = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address =
        |listener: &std::net::TcpListener| format!("http://{}/mcp", listener.local_addr().unwrap());
    let (first, second) = (address(&silent), address(&flooding));
    thread::spawn(move || {
        use std::io::Write as _;
        for stream in flooding.incoming().flatten() {
            thread::spawn(move || {
                let mut stream = stream;
                let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n";
                let mut sent = stream.write_all(head.as_bytes());
                while sent.is_ok() {
                    sent = stream.write_all(b"data: {\"jsonrpc\":\"2.0\",\"method\":\"x\"}\n\n");
                }
            });
        }
    });
    let (server, played) = (AskingServer::start(), Played::new());
    let (first, second) = (played.add(&first), played.add(&second));
    let id = played.add(&server.url);
    played.asking(&id);
    played.sign_in(&id);
    played.connected(&id);
    let view = played.shell.servers_view().unwrap();
    for other in [first, second] {
        let state = &view.servers.iter().find(|it| it.id == other).unwrap().state;
        assert!(!matches!(state, ServerState::Connected { .. }), "{state:?}");
        played.shell.remove_server(&other).unwrap();
    }
    drop(silent);
}

#[test]
fn a_refusal_and_a_silence_say_when_they_are_tried_again() {
    let (played, port) = (Played::new(), std::net::TcpListener::bind("127.0.0.1:0").unwrap());
    let nobody = format!("http://{}/mcp", port.local_addr().unwrap());
    drop(port);
    let id = played.add(&nobody);
    let view = played.server(&id, |it| matches!(it.state, ServerState::Unreachable { .. }));
    assert!(matches!(view.state, ServerState::Unreachable { again: Some(_), .. }));
    let server = AskingServer::start();
    let id = played.add(&format!("{}/elsewhere", server.url));
    let view = played.server(&id, |it| matches!(it.state, ServerState::Refused { .. }));
    assert!(matches!(view.state, ServerState::Refused { again: Some(_), .. }));
}

#[cfg(unix)]
#[test]
fn what_a_program_wrote_before_it_failed_can_be_read() {
    let played = Played::new();
    let line = "sh -c 'echo first >&2; echo no module named x >&2; exit 3'";
    let preview = played.shell.preview_command(line, Vec::new()).unwrap();
    let id = played.shell.confirm_command("broken", &preview.token).unwrap();
    played.server(&id, |it| matches!(it.state, ServerState::Unreachable { .. }));
    let words = played.shell.server_words(&id).unwrap();
    assert_eq!(words[..2], ["first", "no module named x"]);
}
