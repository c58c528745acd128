//! `skillhold serve`, read by FastMCP's own client and by programs that have no business there.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use serde_json::Value;

use crate::support::home::{Home, files_in};
use crate::support::python::{python, script};
use crate::support::skill::{Skill, hard_to_carry};

const PROGRAM: &str = env!("CARGO_BIN_EXE_skillhold");

/// The program on a home, with no screen that a window could open on.
fn program(home: &Home) -> Command {
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
struct Served {
    child: Child,
    address: String,
}

impl Served {
    fn start(home: &Home, root: &Path) -> Self {
        let mut child = program(home)
            .args(["serve", "--http", "127.0.0.1:0", "--root"])
            .arg(root)
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let line = lines.by_ref().map_while(Result::ok).find(|line| line.starts_with("http://"));
        let address = line.expect("the first line is the address");
        // What it logs later must not fill the pipe.
        std::thread::spawn(move || lines.for_each(drop));
        Self { child, address }
    }

    /// The status line that a request with these headers gets.
    fn status(&self, headers: &[&str]) -> String {
        let port: u16 = self.address.split([':', '/']).nth(4).unwrap().parse().unwrap();
        let body = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
        let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
        write!(
            stream,
            "POST /mcp HTTP/1.1\r\n{}\r\nContent-Type: application/json\r\n\
             Accept: application/json, text/event-stream\r\nConnection: close\r\n\
             Content-Length: {}\r\n\r\n{body}",
            headers.join("\r\n"),
            body.len()
        )
        .unwrap();
        let mut answer = String::new();
        let _ = stream.read_to_string(&mut answer);
        answer.lines().next().unwrap_or_default().to_owned()
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
    let listed = fastmcp(&into, &[PROGRAM, "serve", "--stdio", "--root", shelf.to_str().unwrap()]);
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
    assert!(
        served.status(&[&own]).starts_with("HTTP/1.1 2") || served.status(&[&own]).contains(" 400")
    );
    for strange in [
        vec!["Host: evil.example"],
        vec![own.as_str(), "Origin: https://evil.example"],
        vec![own.as_str(), "Origin: null"],
    ] {
        let status = served.status(&strange);
        assert!(status.contains(" 403"), "{strange:?} was answered with {status}");
    }
}

#[test]
fn it_listens_on_this_machine_only() {
    let home = home_with_skills();
    let output = program(&home)
        .args(["serve", "--http", "0.0.0.0:0", "--root"])
        .arg(home.at("shelf"))
        .output()
        .unwrap();
    assert!(!output.status.success());
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("not on this machine alone"), "{said}");
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
    let home = home_with_skills();
    let said = program(&home)
        .args(["serve", "--stdio", "--root"])
        .arg(home.at("shelf"))
        .arg("--root")
        .arg(home.at("nothing-here-yet"))
        .output()
        .unwrap();
    let text = String::from_utf8(said.stderr).unwrap();
    assert_eq!(said.stdout, b"");
    assert!(text.starts_with("serving 2 skills from ~/shelf"), "{text}");
    assert!(text.contains("warning: ~/nothing-here-yet is not there"), "{text}");
}
