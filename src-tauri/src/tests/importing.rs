//! Servers with a token, headers and variables, and servers that other tools have configured.

#![allow(clippy::disallowed_methods)]

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::Duration;

use skills::paths::Paths;
use skills_mcp::{ClientContext, Secret};
use tempfile::TempDir;

use crate::given::Given;
use crate::shell::Shell;
use crate::view::{
    ActivityKind, Changed, CommandPreview, ErrorCode, FoundServer, FoundServers, GivenValues,
    NamedValue, Reached, ServerChange, ServerState, ServerStep, TokenChange,
};

/// Longer than anything here takes; only a failure waits this long.
const PATIENCE: Duration = Duration::from_secs(60);

/// A port where nothing answers, and no address of another machine.
const URL: &str = "http://127.0.0.1:9/mcp";

struct Played {
    home: TempDir,
    shell: Arc<Shell>,
    told: Receiver<Changed>,
}

impl Played {
    fn with(files: &[(&str, &str)]) -> Self {
        let home = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let file = home.path().join(path);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, text).unwrap();
        }
        let (shell, _) = Shell::open(Paths::under(home.path())).unwrap();
        let (send, told) = mpsc::channel();
        shell.events.tell_with(move |changed| drop(send.send(changed)));
        Self { home, shell, told }
    }

    fn found(&self) -> FoundServers {
        self.shell.find_servers().unwrap()
    }

    fn row(&self, name: &str) -> FoundServer {
        let rows = self.found().sources.into_iter().flat_map(|source| source.servers);
        rows.into_iter().find(|row| row.name == name).unwrap()
    }

    fn labels(&self) -> Vec<String> {
        self.shell.vault.servers().unwrap().into_iter().map(|server| server.label).collect()
    }

    /// What a connection to the server would get: token, headers, and these variables.
    fn given(&self, id: &str) -> Given {
        let id = skills::origin::ServerId(id.to_owned());
        Given::of(&id, &self.shell.vault, &self.shell.secrets).unwrap()
    }

    /// The text of every file of the program's own, but for where secrets are kept.
    fn remembered(&self) -> String {
        let data = self.home.path().join(".local/share/skillhold");
        let mut text = String::new();
        for entry in fs::read_dir(data).unwrap().map(Result::unwrap) {
            if entry.path().is_file() {
                text += &String::from_utf8_lossy(&fs::read(entry.path()).unwrap());
            }
        }
        text
    }
}

fn named(name: &str, value: &str) -> NamedValue {
    NamedValue { name: name.to_owned(), value: Some(value.to_owned()) }
}

fn kept(name: &str) -> NamedValue {
    NamedValue { name: name.to_owned(), value: None }
}

fn done(step: ServerStep) -> String {
    match step {
        ServerStep::Done { server } => server,
        ServerStep::Confirm { preview } => panic!("it has to be confirmed: {preview:?}"),
    }
}

fn preview(step: ServerStep) -> CommandPreview {
    match step {
        ServerStep::Confirm { preview } => preview,
        ServerStep::Done { server } => panic!("it was done: {server}"),
    }
}

fn values(token: &str, headers: &[(&str, &str)]) -> GivenValues {
    let headers = headers.iter().map(|(name, value)| named(name, value)).collect();
    GivenValues { token: Some(token.to_owned()), headers }
}

fn pairs(list: &[(&str, &str)]) -> Vec<(String, Secret)> {
    list.iter().map(|&(name, value)| (name.to_owned(), value.into())).collect()
}

#[test]
fn a_token_and_headers_are_kept_apart_from_the_record_and_go_with_the_server() {
    let played = Played::with(&[]);
    let given = values("Bearer hunter2", &[("X-Team", "hunter3")]);
    let id = played.shell.add_http_server("docs", URL, given).unwrap();
    let settings = played.shell.server_settings(&id).unwrap();
    assert_eq!((settings.address.as_str(), settings.token), (URL, true));
    assert_eq!(settings.headers, ["X-Team"]);
    let text = serde_json::to_string(&settings).unwrap()
        + &serde_json::to_string(&played.shell.servers_view().unwrap()).unwrap()
        + &played.remembered();
    assert!(text.contains("X-Team"), "{text}");
    assert!(!text.contains("hunter"), "{text}");

    let mut context = ClientContext::default();
    played.given(&id).apply(&mut context);
    assert_eq!(context.token.as_deref(), Some("hunter2"));
    assert_eq!(context.headers, [("X-Team".to_owned(), "hunter3".to_owned())]);

    let secrets = played.home.path().join(".local/share/skillhold/secrets");
    assert_eq!(fs::read_dir(&secrets).unwrap().count(), 1);
    played.shell.remove_server(&id).unwrap();
    assert_eq!(fs::read_dir(&secrets).unwrap().count(), 0);
}

#[test]
fn a_server_at_an_address_is_sent_its_token_and_headers() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    let (send, heads) = mpsc::channel();
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let lines = BufReader::new(&stream).lines().map_while(Result::ok);
            let head: Vec<String> = lines.take_while(|line| !line.is_empty()).collect();
            let _ = stream.write_all(b"HTTP/1.1 401 No\r\nContent-Length: 0\r\n\r\n");
            if send.send(head).is_err() {
                return;
            }
        }
    });
    let played = Played::with(&[]);
    played.shell.add_http_server("docs", &url, values("hunter2", &[("X-Team", "core")])).unwrap();
    let head = heads.recv_timeout(PATIENCE).unwrap();
    let head: Vec<String> = head.iter().map(|line| line.to_ascii_lowercase()).collect();
    assert!(head.contains(&"authorization: bearer hunter2".to_owned()), "{head:?}");
    assert!(head.contains(&"x-team: core".to_owned()), "{head:?}");
}

#[test]
#[cfg(unix)]
fn a_program_is_started_with_its_variables_and_none_of_ours() {
    let played = Played::with(&[]);
    let out = played.home.path().join("out");
    let line = format!("/bin/sh -c 'env > \"$0\"' '{}'", out.display());
    let shown = played.shell.preview_command(&line, vec![named("API_KEY", "hunter2")]).unwrap();
    assert!(!out.exists(), "nothing runs before it is confirmed");
    played.shell.confirm_command("local", &shown.token).unwrap();
    loop {
        let view = played.shell.servers_view().unwrap();
        if matches!(view.servers[0].state, ServerState::Unreachable { .. }) {
            break;
        }
        played.told.recv_timeout(PATIENCE).expect("a change");
    }
    let environment = fs::read_to_string(out).unwrap();
    assert!(environment.lines().any(|line| line == "API_KEY=hunter2"), "{environment}");
    assert!(environment.lines().any(|line| line.starts_with("PATH=")), "{environment}");
    assert!(!environment.contains("CARGO"), "{environment}");
}

#[test]
fn what_cannot_be_sent_adds_nothing() {
    let played = Played::with(&[]);
    for given in [
        values("two words", &[]),
        values("t", &[("Host", "evil")]),
        values("t", &[("X-A", "1"), ("x-a", "2")]),
        values("t", &[("Authorization", "Basic x")]),
        values("", &[("X-A", "a\r\nHost: evil")]),
    ] {
        let error = played.shell.add_http_server("docs", URL, given).unwrap_err();
        assert_eq!(error.code, ErrorCode::BadInput);
        assert!(!error.message.contains("evil"), "{error}");
    }
    let variables = vec![named("A=B", "x")];
    assert!(played.shell.preview_command("npx srv", variables).is_err());
    assert!(played.labels().is_empty());
}

#[test]
fn what_is_confirmed_of_variables_holds_nothing_that_cannot_be_seen() {
    let played = Played::with(&[]);
    let preview = |name: &str, value: &str| {
        let variables = vec![named(name, value)];
        played.shell.preview_command("npx srv", variables).map_err(|error| error.message)
    };
    assert_eq!(
        preview("PA\u{200b}TH", "/bin").unwrap_err(),
        "the name of a variable holds characters that cannot be seen: PA⟨U+200B⟩TH"
    );
    assert_eq!(
        preview("NODE_OPTIONS", "--require /a\u{202e}b").unwrap_err(),
        "a variable that decides what runs holds characters that cannot be seen: --require \
         /a⟨U+202E⟩b"
    );
    // A secret is not looked at.
    assert!(preview("API_KEY", "a\u{202e}b").is_ok());
}

#[test]
fn a_change_keeps_what_is_not_entered_again_and_approvals_are_bound_to_the_address() {
    let played = Played::with(&[]);
    let id = played
        .shell
        .add_http_server("docs", URL, values("t1", &[("X-A", "1"), ("X-B", "2")]))
        .unwrap();
    let change = ServerChange {
        address: URL.to_owned(),
        token: TokenChange::Keep,
        headers: vec![named("X-B", "3"), kept("X-A")],
        variables: Vec::new(),
    };
    assert_eq!(done(played.shell.change_server(&id, change).unwrap()), id);
    let given = played.given(&id);
    assert_eq!(given.token, Some("t1".into()));
    assert_eq!(given.headers, pairs(&[("X-B", "3"), ("X-A", "1")]));
    let kinds = |played: &Played| {
        let rows = played.shell.activity_view().unwrap().rows;
        rows.into_iter().map(|row| row.kind).collect::<Vec<_>>()
    };
    assert_eq!(kinds(&played), [ActivityKind::ServerAdded]);

    let moved = ServerChange {
        address: " http://127.0.0.1:9/other ".to_owned(),
        token: TokenChange::Remove,
        headers: Vec::new(),
        variables: Vec::new(),
    };
    done(played.shell.change_server(&id, moved).unwrap());
    assert_eq!(played.given(&id), Given::default());
    assert_eq!(played.shell.server_settings(&id).unwrap().address, "http://127.0.0.1:9/other");
    assert_eq!(kinds(&played), [ActivityKind::ServerChanged, ActivityKind::ServerAdded]);

    let unknown = ServerChange {
        address: URL.to_owned(),
        token: TokenChange::Keep,
        headers: vec![kept("X-Never")],
        variables: Vec::new(),
    };
    let error = played.shell.change_server(&id, unknown).unwrap_err();
    assert_eq!(error.message, "\"X-Never\" has no value");
}

#[test]
fn a_command_and_its_variables_are_confirmed_together_and_again_when_they_change() {
    let played = Played::with(&[]);
    let variables = vec![named("API_KEY", "hunter2"), named("NODE_OPTIONS", "--require ./x.js")];
    let shown = played.shell.preview_command("/nowhere/srv --a 'b c'", variables).unwrap();
    assert_eq!(
        (shown.program.as_str(), shown.args.as_slice()),
        ("/nowhere/srv", &["--a".to_owned(), "b c".to_owned()][..])
    );
    let told: Vec<_> =
        shown.variables.iter().map(|it| (it.name.as_str(), it.value.as_deref())).collect();
    assert_eq!(told, [("API_KEY", None), ("NODE_OPTIONS", Some("--require ./x.js"))]);
    assert!(played.labels().is_empty(), "nothing is added before it is confirmed");
    // A forgotten label does not use the token up.
    assert!(played.shell.confirm_command(" ", &shown.token).is_err());
    let id = played.shell.confirm_command("local", &shown.token).unwrap();
    assert!(played.shell.confirm_command("local", &shown.token).is_err());

    let change = |address: &str, variables: Vec<NamedValue>| {
        let (token, headers) = (TokenChange::Keep, Vec::new());
        let change = ServerChange { address: address.to_owned(), token, headers, variables };
        played.shell.change_server(&id, change).unwrap()
    };
    let line = "/nowhere/srv --a 'b c'";
    assert_eq!(done(change(line, vec![kept("API_KEY"), kept("NODE_OPTIONS")])), id);
    // One variable less is another environment.
    let step = change(line, vec![kept("API_KEY")]);
    assert_eq!(played.given(&id).variables.len(), 2, "nothing changed before it is confirmed");
    let shown = preview(step);
    assert_eq!(shown.variables.len(), 1);
    assert_eq!(played.shell.confirm_command("", &shown.token).unwrap(), id);
    assert_eq!(played.given(&id).variables, pairs(&[("API_KEY", "hunter2")]));
    let shown = preview(change("/nowhere/srv --b", vec![named("API_KEY", "k3")]));
    assert_eq!(shown.args, ["--b"]);
    played.shell.confirm_command("", &shown.token).unwrap();
    assert_eq!(played.shell.server_settings(&id).unwrap().address, "/nowhere/srv --b");
    assert_eq!(played.given(&id).variables, pairs(&[("API_KEY", "k3")]));
    assert_eq!(played.labels(), ["local"]);
}

#[test]
fn a_confirmed_change_of_a_server_that_is_gone_adds_none() {
    let played = Played::with(&[]);
    let shown = played.shell.preview_command("/nowhere/srv", Vec::new()).unwrap();
    let id = played.shell.confirm_command("local", &shown.token).unwrap();
    let change = ServerChange {
        address: "/nowhere/other".to_owned(),
        token: TokenChange::Keep,
        headers: Vec::new(),
        variables: Vec::new(),
    };
    let shown = preview(played.shell.change_server(&id, change).unwrap());
    played.shell.remove_server(&id).unwrap();
    assert_eq!(
        played.shell.confirm_command("local", &shown.token).unwrap_err().code,
        ErrorCode::Gone
    );
    assert!(played.labels().is_empty());
}

#[test]
fn a_search_path_of_its_own_decides_which_program_is_found() {
    let played = Played::with(&[("bin/my-server", "#!/bin/sh\n")]);
    let bin = played.home.path().join("bin");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = fs::Permissions::from_mode(0o755);
        fs::set_permissions(bin.join("my-server"), mode).unwrap();
    }
    let found = |variables| played.shell.preview_command("my-server", variables).unwrap().resolved;
    assert_eq!(found(Vec::new()), None);
    let path = vec![named("PATH", bin.to_str().unwrap())];
    assert_eq!(found(path), Some(bin.join("my-server").display().to_string()));
}

#[test]
fn servers_of_other_tools_are_listed_by_file_and_added_one_by_one() {
    let played = Played::with(&[
        (
            ".cursor/mcp.json",
            r#"{ "mcpServers": {
                "docs": { "url": "http://127.0.0.1:9/docs", "headers": { "Authorization": "Bearer hunter2" } },
                "asking": { "url": "http://127.0.0.1:9/a", "headers": { "X-Key": "${env:KEY}" } },
                "local": { "command": "/nowhere/srv", "args": ["-y"], "env": { "K": "hunter3" } },
                "ftp": { "url": "ftp://x" },
                "old": { "type": "sse", "url": "http://x/sse" }
            } }"#,
        ),
        (".codex/config.toml", "[mcp_servers.a]\nurl = 'http://127.0.0.1:9/docs'\nurl = 2\n"),
    ]);
    let found = played.found();
    let text = serde_json::to_string(&found).unwrap();
    assert!(!text.contains("hunter"), "{text}");
    let sources: Vec<_> = found
        .sources
        .iter()
        .map(|it| (it.tool.as_str(), it.path.as_str(), it.servers.len()))
        .collect();
    assert_eq!(
        sources,
        [("Cursor", "~/.cursor/mcp.json", 5), ("Codex", "~/.codex/config.toml", 0)]
    );
    assert!(found.sources[1].problem.as_ref().unwrap().starts_with("it is no valid TOML: line 3"));
    assert!(found.looked_in.contains(&"~/.gemini/settings.json".to_owned()));
    assert!(played.labels().is_empty(), "nothing is added by looking");
    assert_eq!(played.row("ftp").reached, None);
    assert!(played.row("ftp").refused.unwrap().contains("it has to start with http://"));
    assert!(played.row("old").refused.unwrap().contains("older SSE"));

    let docs = played.row("docs");
    assert_eq!((docs.reached, docs.token, docs.added), (Some(Reached::Http), true, None));
    let id = done(played.shell.add_found(&docs.id, "docs", Vec::new()).unwrap());
    assert_eq!(played.given(&id).token, Some("hunter2".into()));
    assert_eq!(played.row("docs").added.as_deref(), Some("docs"));
    done(played.shell.add_found(&played.row("docs").id, "a second", Vec::new()).unwrap());
    let labelled = played.row("docs").added;
    assert_eq!(labelled.as_deref(), Some("docs"), "the one that is called so comes first");

    let asking = played.row("asking");
    assert_eq!(asking.blanks[0].name, "KEY");
    let error = played.shell.add_found(&asking.id, "asking", Vec::new()).unwrap_err();
    assert_eq!(error.message, "KEY is not filled in");
    let id = done(played.shell.add_found(&asking.id, "asking", vec![named("KEY", "k")]).unwrap());
    assert_eq!(played.given(&id).headers, pairs(&[("X-Key", "k")]));

    let local = played.row("local");
    assert_eq!(local.address, "/nowhere/srv -y");
    let shown = preview(played.shell.add_found(&local.id, "local", Vec::new()).unwrap());
    assert_eq!(shown.variables[0].value, None);
    assert_eq!(played.labels(), ["docs", "a second", "asking"]);
    let id = played.shell.confirm_command("local", &shown.token).unwrap();
    assert_eq!(played.given(&id).variables, pairs(&[("K", "hunter3")]));
    assert_eq!(played.labels(), ["docs", "a second", "asking", "local"]);
    assert!(!played.remembered().contains("hunter"));

    let old = played.shell.add_found(&docs.id, "docs", Vec::new()).unwrap_err();
    assert_eq!(old.code, ErrorCode::Gone, "a list is good until the next look");
}

#[test]
fn projects_that_were_added_are_looked_through() {
    let settings = r#"{ "servers": { "here": { "command": "${workspaceFolder}/srv" } } }"#;
    let played = Played::with(&[("src/app/.vscode/mcp.json", settings)]);
    assert!(played.found().sources.is_empty());
    played.shell.add_folder(&played.home.path().join("src/app")).unwrap();
    let row = played.row("here");
    assert_eq!(row.project.as_deref(), Some("~/src/app"));
    assert!(row.address.ends_with("/src/app/srv"), "{}", row.address);
}

#[test]
fn hidden_characters_in_settings_are_shown_and_such_a_server_cannot_be_added() {
    let played = Played::with(&[(
        ".cursor/mcp.json",
        "{ \"mcpServers\": { \"a\u{202e}b\": { \"command\": \"srv\", \"args\": [\"x\u{200b}\"] } } }",
    )]);
    let row = played.found().sources.remove(0).servers.remove(0);
    assert_eq!(row.name, "a⟨U+202E⟩b");
    assert!(row.refused.as_ref().unwrap().contains("characters that cannot be seen"), "{row:?}");
    assert!(played.shell.add_found(&row.id, "a", Vec::new()).is_err());
}

#[test]
fn what_fills_a_blank_is_checked_like_what_is_typed() {
    let played = Played::with(&[(
        ".cursor/mcp.json",
        r#"{ "mcpServers": {
            "url": { "url": "${BASE}/mcp" },
            "cmd": { "command": "srv", "args": ["${ARG}"] }
        } }"#,
    )]);
    let add = |name: &str, blank: &str, value: &str| {
        played.shell.add_found(&played.row(name).id, name, vec![named(blank, value)])
    };
    assert!(add("url", "BASE", "file:///etc").is_err());
    assert!(add("url", "BASE", "https://me:pw@x").is_err());
    assert!(add("cmd", "ARG", "a\u{200b}").is_err());
    assert_eq!(preview(add("cmd", "ARG", "$(rm -rf /)").unwrap()).args, ["$(rm -rf /)"]);
    done(add("url", "BASE", "http://127.0.0.1:9").unwrap());
    assert_eq!(played.labels(), ["url"]);
}

#[test]
fn what_is_pasted_becomes_the_same_list() {
    let played = Played::with(&[]);
    let found =
        played.shell.paste_servers("claude mcp add -t http docs http://127.0.0.1:9/d").unwrap();
    let row = &found.sources[0].servers[0];
    assert_eq!((found.sources[0].path.as_str(), row.name.as_str()), ("", "docs"));
    // A look in between leaves what was pasted good.
    played.found();
    done(played.shell.add_found(&row.id, "docs", Vec::new()).unwrap());
    let error = played.shell.paste_servers("hello there hunter2").unwrap_err();
    assert_eq!(error.code, ErrorCode::BadInput);
    assert!(!error.to_string().contains("hunter2"), "{error}");
}

#[test]
fn a_server_whose_secret_is_gone_is_not_asked_without_it() {
    let played = Played::with(&[]);
    let id = played.shell.add_http_server("docs", URL, values("t", &[])).unwrap();
    played.shell.set_server_enabled(&id, false).unwrap();
    let secrets = played.home.path().join(".local/share/skillhold/secrets");
    fs::remove_dir_all(secrets).unwrap();
    played.shell.set_server_enabled(&id, true).unwrap();
    let message = loop {
        let view = played.shell.servers_view().unwrap();
        if let ServerState::Unreachable { error, .. } = &view.servers[0].state
            && error.code == ErrorCode::Gone
        {
            break error.message.clone();
        }
        played.told.recv_timeout(PATIENCE).expect("a change");
    };
    assert_eq!(message, "its token is not where secrets are kept any more");
}
