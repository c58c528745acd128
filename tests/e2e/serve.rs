//! `skillhold serve`, read by FastMCP's own client and by programs that have no business there.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};

use crate::http::{ask, post};
use crate::support::home::{Home, files_in};
use crate::support::python::{python, script};
use crate::support::skill::{Skill, hard_to_carry};

const PROGRAM: &str = env!("CARGO_BIN_EXE_skillhold");

/// The program on a home, with no screen that a window could open on.
pub(crate) fn program(home: &Home) -> Command {
    let mut command = Command::new(PROGRAM);
    command
        .env("HOME", home.path())
        .env("SKILLHOLD_HOME", home.path())
        .env_remove("DISPLAY")
        .env_remove("WAYLAND_DISPLAY")
        .stdin(Stdio::null());
    command
}

/// A running `serve --http`, ended when dropped.
pub(crate) struct Served {
    child: Child,
    pub(crate) address: String,
    /// The token that was made for it, where one is needed.
    pub(crate) token: Option<String>,
}

impl Served {
    /// As any client of before takes it: in compatible mode, without a token.
    fn start(home: &Home, root: &Path) -> Self {
        Self::start_with(home, root, &["--compatible", "--no-token"])
    }

    pub(crate) fn start_with(home: &Home, root: &Path, flags: &[&str]) -> Self {
        let mut child = program(home)
            .args(["serve", "--http", "127.0.0.1:0", "--root"])
            .arg(root)
            .args(flags)
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines().map_while(Result::ok);
        let address = lines.next().expect("a first line");
        assert!(address.starts_with("http://127.0.0.1:"), "{address}");
        let needs_made =
            !flags.iter().any(|flag| flag.starts_with("--no-token") || *flag == "--token-file");
        let token = needs_made.then(|| {
            let line = lines.next().expect("a second line");
            line.strip_prefix("token: ").expect("the token").to_owned()
        });
        // What it says later must not fill the pipe.
        std::thread::spawn(move || lines.for_each(drop));
        Self { child, address, token }
    }

    /// The status that a request with these headers gets.
    fn status(&self, headers: &[&str]) -> u16 {
        let headers: Vec<String> = headers.iter().map(|header| (*header).to_owned()).collect();
        post(&self.address, &headers, r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#).0
    }

    /// What is listed for whoever shows this token, as URIs.
    fn listed(&self, token: Option<&str>, method: &str, key: &str) -> Vec<String> {
        let (status, result) = ask(&self.address, token, method, json!({}));
        assert_eq!(status, 200, "{result}");
        let field = if key == "resourceTemplates" { "uriTemplate" } else { "uri" };
        let items = result[key].as_array().unwrap_or_else(|| panic!("{result}"));
        items.iter().map(|item| item[field].as_str().unwrap().to_owned()).collect()
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What FastMCP's client lists, after it has downloaded everything into `into`.
fn fastmcp(into: &Path, target: &[&str]) -> Vec<Value> {
    let output = Command::new(python())
        .arg(script("client.py"))
        .arg(into)
        .args(target)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {errors}"))
}

fn home_with_skills() -> Home {
    Home::empty()
        .with_skill("shelf", &hard_to_carry())
        .with_skill("shelf", &Skill::new("plain", "One file."))
}

/// Both skills, with what they say of themselves and every byte.
fn is_what_was_served(listed: &[Value], downloaded: &Path) {
    let told =
        |field: &str| listed.iter().map(|skill| skill[field].as_str().unwrap()).collect::<Vec<_>>();
    assert_eq!(told("name"), ["hard-to-carry", "plain"]);
    assert_eq!(told("description"), ["Files that are easily changed on the way.", "One file."]);
    assert_eq!(told("uri"), ["skill://hard-to-carry/SKILL.md", "skill://plain/SKILL.md"]);
    let paths: Vec<&str> = listed[0]["files"]
        .as_array()
        .unwrap()
        .iter()
        .map(|file| file["path"].as_str().unwrap())
        .collect();
    assert_eq!(
        paths,
        [
            "SKILL.md",
            "a name with spaces & #1.md",
            "assets/pixel.png",
            "empty.txt",
            "inner/SKILL.md",
            "inner/more.txt",
            "notes/bom.md",
            "notes/crlf.txt"
        ]
    );
    // Of an empty file, as anybody can look up.
    let empty = &listed[0]["files"][3];
    assert_eq!(empty["size"], 0);
    assert_eq!(
        empty["hash"],
        "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    );
    let expected: BTreeMap<String, Vec<u8>> = hard_to_carry().files;
    assert_eq!(files_in(&downloaded.join("hard-to-carry")), expected);
    assert_eq!(files_in(&downloaded.join("plain")), Skill::new("plain", "One file.").files);
}

#[test]
fn fastmcps_client_downloads_every_byte_over_http() {
    let home = home_with_skills();
    let served = Served::start(&home, &home.at("shelf"));
    let into = home.at("downloaded");
    let listed = fastmcp(&into, &[&served.address]);
    is_what_was_served(&listed, &into);
}

#[test]
fn fastmcps_client_downloads_every_byte_over_stdio() {
    let home = home_with_skills();
    let (into, shelf) = (home.at("downloaded"), home.at("shelf"));
    let listed = fastmcp(
        &into,
        &[PROGRAM, "serve", "--stdio", "--compatible", "--root", shelf.to_str().unwrap()],
    );
    is_what_was_served(&listed, &into);
}

#[test]
fn a_skill_that_appears_while_serving_is_listed() {
    let home = home_with_skills();
    let served = Served::start(&home, &home.at("shelf"));
    assert_eq!(fastmcp(&home.at("first"), &[&served.address]).len(), 2);
    let home = home.with_skill("shelf", &Skill::new("later", "Came later."));
    let listed = fastmcp(&home.at("second"), &[&served.address]);
    let names: Vec<&str> = listed.iter().map(|skill| skill["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["hard-to-carry", "later", "plain"]);
}

#[test]
fn a_web_page_cannot_talk_to_it() {
    let home = home_with_skills();
    let served = Served::start(&home, &home.at("shelf"));
    let host = served.address.trim_start_matches("http://").trim_end_matches("/mcp").to_owned();
    let own = format!("Host: {host}");
    assert!([200, 400].contains(&served.status(&[&own])));
    for strange in [
        vec!["Host: evil.example"],
        vec![own.as_str(), "Origin: https://evil.example"],
        vec![own.as_str(), "Origin: null"],
    ] {
        assert_eq!(served.status(&strange), 403, "{strange:?}");
    }
}

#[test]
fn a_token_is_needed_and_shown_unless_told() {
    let home = home_with_skills();
    let served = Served::start_with(&home, &home.at("shelf"), &[]);
    assert_eq!(ask(&served.address, None, "skills/list", json!({})).0, 401);
    assert_eq!(ask(&served.address, Some("skh_wrong"), "skills/list", json!({})).0, 401);
    // Strict is the default: the skill inside is one of its own.
    assert_eq!(
        served.listed(served.token.as_deref(), "skills/list", "skills"),
        [
            "skill://hard-to-carry/SKILL.md",
            "skill://hard-to-carry/inner/SKILL.md",
            "skill://plain/SKILL.md"
        ]
    );
}

#[test]
fn two_tokens_see_different_skills_everywhere() {
    let home = home_with_skills();
    let (all, some) = ("everything-0123456789", "plain-only-0123456789");
    let file = home.at("tokens.toml");
    std::fs::write(
        &file,
        format!(
            "[[token]]\nname = \"all\"\ntoken = \"{all}\"\n\n\
             [[token]]\nname = \"some\"\ntoken = \"{some}\"\nallow = [\"skill://plain\"]\n"
        ),
    )
    .unwrap();
    let flags = ["--token-file", file.to_str().unwrap(), "--supporting-files", "template"];
    let served = Served::start_with(&home, &home.at("shelf"), &flags);
    let both = |method, key| {
        (served.listed(Some(all), method, key), served.listed(Some(some), method, key))
    };
    let (everything, plain) = both("skills/list", "skills");
    assert_eq!((everything.len(), plain), (3, vec!["skill://plain/SKILL.md".to_owned()]));
    let (everything, plain) = both("resources/list", "resources");
    assert!(everything.contains(&"skill://hard-to-carry/SKILL.md".to_owned()));
    assert_eq!(plain, ["skill://plain/SKILL.md", "skill://plain/_manifest"]);
    let (everything, plain) = both("resources/templates/list", "resourceTemplates");
    assert!(everything.len() > 1, "{everything:?}");
    assert_eq!(plain, ["skill://plain/{path*}"]);

    let read = |token, uri: &str| {
        ask(&served.address, Some(token), "resources/read", json!({ "uri": uri })).1
    };
    let hidden = "skill://hard-to-carry/notes/crlf.txt";
    assert_eq!(read(all, hidden)["contents"][0]["text"], "first\r\nsecond\r\n");
    // Word for word as what is not there.
    let (refused, missing) = (read(some, hidden), read(some, "skill://no-such/notes/crlf.txt"));
    assert_eq!(refused["code"], missing["code"]);
    assert_eq!(
        refused["message"].as_str().unwrap().replace("hard-to-carry", "no-such"),
        missing["message"].as_str().unwrap()
    );
    let folder = |token, uri: &str| {
        ask(&served.address, Some(token), "resources/directory/read", json!({ "uri": uri })).1
    };
    assert!(folder(all, "skill://hard-to-carry/notes")["resources"].is_array());
    assert!(folder(some, "skill://hard-to-carry/notes")["code"].is_i64());
    assert!(folder(some, "skill://plain")["resources"].is_array());
    let got = |token| {
        let uri = json!({ "uri": "skill://hard-to-carry/SKILL.md" });
        ask(&served.address, Some(token), "skills/get", uri).1
    };
    assert!(got(all)["skill"].is_object());
    assert!(got(some)["code"].is_i64());
}

#[test]
fn a_broken_file_of_tokens_is_wrong_use_and_its_token_is_not_shown() {
    let home = home_with_skills();
    let file = home.at("tokens");
    for (text, line) in
        [("shortsecret", 1), ("[[token]]\nname = \"a\"\ntoken = \"shortsecret\n", 3)]
    {
        std::fs::write(&file, text).unwrap();
        let said = program(&home)
            .args(["serve", "--http", "127.0.0.1:0", "--tool", "claude", "--token-file"])
            .arg(&file)
            .output()
            .unwrap();
        let errors = String::from_utf8(said.stderr).unwrap();
        assert_eq!(said.status.code(), Some(2), "{errors}");
        assert!(errors.contains(&format!("tokens:{line}: ")), "{errors}");
        assert!(!errors.contains("shortsecret"), "{errors}");
    }
}

#[test]
fn it_listens_on_this_machine_only() {
    let home = home_with_skills();
    let refused = |flags: &[&str]| {
        let output = program(&home)
            .args(["serve", "--http", "0.0.0.0:0", "--root"])
            .arg(home.at("shelf"))
            .args(flags)
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(2), "{flags:?}");
        String::from_utf8(output.stderr).unwrap()
    };
    let said = refused(&[]);
    assert!(
        said.contains("not on this machine alone") && said.contains("--allow-remote"),
        "{said}"
    );
    assert!(refused(&["--no-token"]).contains("--allow-remote"));
}

/// Sends a signal to it.
#[cfg(unix)]
fn signal(served: &Served, name: &str) {
    let id = served.child.id().to_string();
    assert!(Command::new("kill").args(["-s", name, &id]).status().unwrap().success());
}

#[cfg(unix)]
#[test]
fn it_ends_cleanly_when_it_is_told_to() {
    let home = home_with_skills();
    for name in ["TERM", "INT", "HUP"] {
        let mut served = Served::start(&home, &home.at("shelf"));
        signal(&served, name);
        assert_eq!(served.child.wait().unwrap().code(), Some(0), "{name}");
    }
}

#[cfg(unix)]
#[test]
fn it_ends_at_once_when_it_is_told_so_twice() {
    let home = home_with_skills();
    let mut served = Served::start(&home, &home.at("shelf"));
    let host = served.address.trim_start_matches("http://").trim_end_matches("/mcp").to_owned();
    // Whoever sends half of a request is waited for.
    let mut slow = std::net::TcpStream::connect(&host).unwrap();
    write!(slow, "POST /mcp HTTP/1.1\r\nHost: {host}\r\nContent-Length: 9\r\n\r\n{{").unwrap();
    assert_eq!(served.status(&[]), 200);
    signal(&served, "TERM");
    signal(&served, "INT");
    assert_eq!(served.child.wait().unwrap().code(), Some(130));
}

#[cfg(target_os = "linux")]
#[test]
fn a_signal_that_is_switched_off_does_not_end_it() {
    let home = home_with_skills();
    let mut child = Command::new("nohup")
        .arg(PROGRAM)
        .args(["serve", "--no-token", "--http", "127.0.0.1:0", "--root"])
        .arg(home.at("shelf"))
        .envs([("HOME", home.path()), ("SKILLHOLD_HOME", home.path())])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines().map_while(Result::ok);
    let address = lines.by_ref().find(|line| line.starts_with("http://")).unwrap();
    std::thread::spawn(move || lines.for_each(drop));
    let served = Served { child, address, token: None };
    signal(&served, "HUP");
    assert_eq!(served.status(&[]), 200);
    assert_eq!(served.status(&[]), 200);
}

#[test]
fn another_machine_reaches_it_by_the_names_that_are_let_in() {
    let home = home_with_skills();
    let mut child = program(&home)
        .args(["serve", "--http", "0.0.0.0:0", "--allow-remote", "--allow-host", "MyBox.local"])
        .arg("--root")
        .arg(home.at("shelf"))
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines().map_while(Result::ok);
    let port = lines.next().unwrap();
    let port = port.trim_start_matches("http://0.0.0.0:").trim_end_matches("/mcp").to_owned();
    let token = lines.next().unwrap();
    let token = token.strip_prefix("token: ").unwrap().to_owned();
    let served = Served { child, address: format!("http://127.0.0.1:{port}/mcp"), token: None };
    let authorization = format!("Authorization: Bearer {token}");
    let to = |host: &str| served.status(&[&format!("Host: {host}:{port}"), &authorization]);
    assert_eq!((to("mybox.local"), to("MYBOX.LOCAL"), to("127.0.0.1")), (200, 200, 200));
    assert_eq!((to("mybox"), to("example.org")), (403, 403));
    let (_, said) = post(&served.address, &[format!("Host: mybox:{port}"), authorization], "{}");
    assert!(said.contains("--allow-host"), "{said}");
    let refused = lines.find(|line| line.contains("not let in")).unwrap();
    assert!(refused.contains(&format!("mybox:{port}")) && !refused.contains(&token), "{refused}");
}

#[test]
fn it_serves_on_when_nobody_reads_what_it_says() {
    let home = home_with_skills();
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let address = format!("127.0.0.1:{port}");
    let mut child = program(&home)
        .args(["serve", "--no-token", "--http", &address, "--root"])
        .arg(home.at("shelf"))
        .env("RUST_LOG", "trace")
        .stderr(writer)
        .spawn()
        .unwrap();
    while std::net::TcpStream::connect(&address).is_err() {
        assert!(child.try_wait().unwrap().is_none(), "it ended");
        std::thread::yield_now();
    }
    let url = format!("http://{address}/mcp");
    let (status, answer) = ask(&url, None, "resources/list", json!({}));
    assert_eq!(status, 200, "{answer}");
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn without_a_display_one_line_says_what_to_do() {
    let home = Home::empty();
    let said = program(&home).output().unwrap();
    let text = String::from_utf8(said.stderr).unwrap();
    assert_eq!(said.status.code(), Some(1));
    assert_eq!(text.lines().count(), 1, "{text}");
    assert!(text.contains("no display was found"), "{text}");
    assert!(text.contains("skillhold serve"), "{text}");
}

#[test]
fn a_file_for_a_root_is_wrong_use() {
    let home = home_with_skills();
    let file = home.at("notes.txt");
    std::fs::write(&file, "no folder").unwrap();
    let said = program(&home).args(["serve", "--stdio", "--root"]).arg(&file).output().unwrap();
    assert_eq!(said.status.code(), Some(2));
    assert!(String::from_utf8(said.stderr).unwrap().contains("notes.txt"));
}

#[test]
fn what_is_served_is_said_where_no_client_reads() {
    let home = home_with_skills().with_skill("other", &Skill::new("plain", "One file."));
    let said = program(&home)
        .args(["serve", "--stdio", "--no-reload", "--root"])
        .arg(home.at("shelf"))
        .arg("--root")
        .arg(home.at("nothing-here-yet"))
        .arg("--root")
        .arg(home.at("other"))
        .output()
        .unwrap();
    let text = String::from_utf8(said.stderr).unwrap();
    assert_eq!(said.stdout, b"");
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(
        lines,
        [
            "warning: --no-reload has no effect in strict mode",
            "serving 2 skills from ~/shelf, ~/other",
            "warning: ~/nothing-here-yet is not there; it is served once it is",
            "warning: the skill \"plain\" is left out: it is in more than one folder: \
             ~/shelf, ~/other",
            "hint: --merge-identical serves once what is the same in each",
        ]
    );
}
