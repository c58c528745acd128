//! Sharing, as the page switches it and as another program uses it.

#![allow(clippy::disallowed_methods)]

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::PoisonError;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::commands::Played;
use super::fixing::skill;

const MAIN: &str = "---\nname: notes\ndescription: Takes notes.\n---\n\n# Notes\n";

/// Long enough for a slow machine; a test that passes does not wait for it.
const PATIENCE: Duration = Duration::from_secs(20);

impl Played {
    fn set_sharing(&self, change: Value) {
        self.local("set_sharing", json!({ "change": change })).unwrap();
    }

    /// Waits until what is shared is as expected.
    fn sharing_until(&self, expected: impl Fn(&Value) -> bool) -> Value {
        let started = Instant::now();
        loop {
            let view = self.local("sharing", json!({})).unwrap();
            if expected(&view) {
                return view;
            }
            assert!(started.elapsed() < PATIENCE, "{view:#}");
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    fn sharing(home: tempfile::TempDir) -> (Self, String) {
        skill(home.path(), ".claude/skills/notes", MAIN);
        let played = Self::in_home("main", home);
        played.set_sharing(json!({ "kind": "port", "port": 0 }));
        played.set_sharing(json!({ "kind": "tool", "tool": "claude-code", "shared": true }));
        played.set_sharing(json!({ "kind": "on", "on": true }));
        let view = played.sharing_until(|view| view["skills"] == 1);
        let url = view["state"]["url"].as_str().unwrap().to_owned();
        (played, url)
    }
}

/// The status and the body of a `skills/list`.
fn list(url: &str, token: &str, client: &str) -> (u16, String) {
    let host = url.trim_start_matches("http://").trim_end_matches("/mcp");
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "skills/list", "params": { "_meta": {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": client, "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": {},
    } } })
    .to_string();
    let mut stream = TcpStream::connect(host).unwrap();
    write!(
        stream,
        "POST /mcp HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {token}\r\n\
         MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: skills/list\r\n\
         Accept: application/json, text/event-stream\r\nContent-Type: application/json\r\n\
         Connection: close\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    )
    .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    (answer.split(' ').nth(1).unwrap().parse().unwrap(), answer)
}

#[test]
fn nothing_is_shared_before_the_person_says_so() {
    let played = Played::new("main");
    skill(played.home.path(), ".claude/skills/notes", MAIN);
    played.shell.library.rescan();
    played.shell.sharing.start().unwrap();
    let view = played.local("sharing", json!({})).unwrap();
    assert_eq!((&view["on"], &view["state"]), (&json!(false), &json!({ "kind": "off" })));
    assert_eq!((&view["strict"], &view["port"]), (&json!(true), &json!(7341)));
    assert_eq!((&view["folders"], &view["skills"]), (&json!([]), &json!(null)));
    assert_eq!(view["tokenKept"], "file");
    let tools = view["tools"].as_array().unwrap();
    let claude = tools.iter().find(|tool| tool["id"] == "claude-code").unwrap();
    assert_eq!(claude["shared"], false);
    // Without the cache of its plug-ins.
    assert_eq!(claude["roots"], json!(["~/.claude/skills"]));
    assert_eq!(view["snippets"].as_array().unwrap().len(), 8);
    assert!(view["snippets"][0]["text"].as_str().unwrap().contains("http://127.0.0.1:7341/mcp"));
    assert!(!played.home.path().join(".local/share/skillhold/secrets").exists());
}

#[test]
fn a_program_with_the_token_is_answered_and_seen() {
    let (played, url) = Played::sharing(tempfile::tempdir().unwrap());
    let token = played.local("sharing_token", json!({})).unwrap();
    let token = token.as_str().unwrap();
    assert_eq!(list(&url, "skh_no", "x").0, 401);
    let (status, answer) = list(&url, token, "a\u{200b}program");
    assert_eq!(status, 200);
    assert!(answer.contains("skill://notes/SKILL.md"), "{answer}");
    assert_eq!(played.local("sharing", json!({})).unwrap()["shared"], json!(["notes"]));
    let is_list =
        |request: &Value| request["method"] == "skills/list" && request["error"].is_null();
    let view =
        played.sharing_until(|view| view["requests"].as_array().unwrap().iter().any(is_list));
    assert_eq!(view["clients"][0]["name"], "a program");

    // The old token is worth nothing from then on.
    played.local("renew_sharing_token", json!({})).unwrap();
    let view = played.sharing_until(|view| view["skills"] == 1);
    let url = view["state"]["url"].as_str().unwrap();
    assert_eq!(list(url, token, "x").0, 401);
    let new = played.local("sharing_token", json!({})).unwrap();
    assert_eq!(list(url, new.as_str().unwrap(), "x").0, 200);
}

#[test]
fn a_skill_that_appears_is_shared_and_switching_off_closes_the_port() {
    let (played, url) = Played::sharing(tempfile::tempdir().unwrap());
    skill(played.home.path(), ".claude/skills/later", &MAIN.replace("notes", "later"));
    played.sharing_until(|view| view["skills"] == 2);
    skill(played.home.path(), ".claude/skills/broken", "no front matter");
    let view = played.sharing_until(|view| !view["warnings"].as_array().unwrap().is_empty());
    assert!(view["warnings"][0].as_str().unwrap().contains("broken"), "{view:#}");
    played.set_sharing(json!({ "kind": "on", "on": false }));
    let view = played.sharing_until(|view| view["state"]["kind"] == "off");
    assert_eq!((&view["skills"], &view["on"]), (&json!(null), &json!(false)));
    let host = url.trim_start_matches("http://").trim_end_matches("/mcp");
    let started = Instant::now();
    while TcpStream::connect(host).is_ok() {
        assert!(started.elapsed() < PATIENCE, "the port is open");
    }
}

#[test]
fn what_was_on_is_on_in_the_next_run() {
    let (played, _) = Played::sharing(tempfile::tempdir().unwrap());
    let Played { home, shell, .. } = played;
    shell.sharing.stop();
    drop(shell);
    let played = Played::in_home("main", home);
    played.shell.sharing.start().unwrap();
    let view = played.sharing_until(|view| view["skills"] == 1);
    assert_eq!(view["state"]["kind"], "on");
}

#[test]
fn a_taken_port_is_said_and_another_one_helps() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port();
    let played = Played::new("main");
    played.set_sharing(json!({ "kind": "port", "port": port }));
    played.set_sharing(json!({ "kind": "on", "on": true }));
    let view = played.sharing_until(|view| view["state"]["kind"] == "failed");
    assert_eq!(view["state"]["message"], format!("port {port} is taken by another program"));
    assert_eq!(view["state"]["hint"], "choose another port, or 0 for any that is free");
    played.set_sharing(json!({ "kind": "port", "port": 0 }));
    played.sharing_until(|view| view["state"]["kind"] == "on");
}

#[test]
fn folders_are_shared_as_what_they_are() {
    let (played, _) = Played::sharing(tempfile::tempdir().unwrap());
    let home = played.home.path();
    skill(home, "one", &MAIN.replace("notes", "one"));
    skill(home, "work/.cursor/skills/two", &MAIN.replace("notes", "two"));
    skill(home, "shelf/notes", MAIN);
    for (folder, kind, skills) in
        [("one", "skill", 2), ("work", "project", 3), ("shelf", "skills", 3)]
    {
        *played.choice.lock().unwrap_or_else(PoisonError::into_inner) = Some(home.join(folder));
        assert_eq!(played.local("add_shared_folder", json!({})), Ok(json!(true)));
        let view = played.sharing_until(|view| view["skills"] == skills);
        let last = view["folders"].as_array().unwrap().last().unwrap();
        assert_eq!(*last, json!({ "path": format!("~/{folder}"), "kind": kind }));
        // Equal in both places, and once.
        assert_eq!(view["warnings"], json!([]));
    }
    assert_eq!(played.local("add_shared_folder", json!({})), Ok(json!(false)));
    played.local("remove_shared_folder", json!({ "path": "~/one" })).unwrap();
    played.sharing_until(|view| view["skills"] == 2);
    let gone = played.local("remove_shared_folder", json!({ "path": "~/one" })).unwrap_err();
    assert_eq!(gone["code"], "gone");
    let unknown = json!({ "change": { "kind": "tool", "tool": "nothing", "shared": true } });
    assert_eq!(played.local("set_sharing", unknown).unwrap_err()["code"], "badInput");
}

/// A program that listens for changes, after it was told that it does.
fn listening(url: &str, token: &str) -> TcpStream {
    let host = url.trim_start_matches("http://").trim_end_matches("/mcp");
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "subscriptions/listen", "params": {
        "notifications": { "resourcesListChanged": true },
        "_meta": {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": { "name": "a listener", "version": "1" },
            "io.modelcontextprotocol/clientCapabilities": {},
        },
    } })
    .to_string();
    let mut stream = TcpStream::connect(host).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    write!(
        stream,
        "POST /mcp HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {token}\r\n\
         MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: subscriptions/listen\r\n\
         Accept: application/json, text/event-stream\r\nContent-Type: application/json\r\n\
         Content-Length: {}\r\n\r\n{body}",
        body.len()
    )
    .unwrap();
    read_until(&mut stream, "subscriptions/acknowledged");
    stream
}

fn read_until(stream: &mut TcpStream, expected: &str) {
    let (mut seen, mut bytes) = (String::new(), [0; 4096]);
    while !seen.contains(expected) {
        let count = stream.read(&mut bytes).unwrap();
        assert!(count > 0, "it ended: {seen}");
        seen.push_str(&String::from_utf8_lossy(&bytes[..count]));
    }
}

#[test]
fn a_folder_of_a_tool_that_appears_in_a_shared_project_is_shared_and_nobody_is_cut_off() {
    let (played, url) = Played::sharing(tempfile::tempdir().unwrap());
    let home = played.home.path();
    skill(home, "work/.cursor/skills/two", &MAIN.replace("notes", "two"));
    *played.choice.lock().unwrap_or_else(PoisonError::into_inner) = Some(home.join("work"));
    played.local("add_shared_folder", json!({})).unwrap();
    let view = played.sharing_until(|view| view["skills"] == 2);
    let now = view["state"]["url"].as_str().unwrap().to_owned();
    let token = played.local("sharing_token", json!({})).unwrap();
    let mut listener = listening(&now, token.as_str().unwrap());
    skill(home, "work/.claude/skills/three", &MAIN.replace("notes", "three"));
    let view = played.sharing_until(|view| view["skills"] == 3);
    assert_eq!(view["state"]["url"], now);
    read_until(&mut listener, "notifications/resources/list_changed");
    // It goes, too.
    std::fs::remove_dir_all(home.join("work/.claude")).unwrap();
    played.sharing_until(|view| view["skills"] == 2);
    read_until(&mut listener, "notifications/resources/list_changed");
    drop(url);
}

#[test]
fn a_folder_of_a_shared_tool_that_appears_is_shared_and_nobody_is_cut_off() {
    let (played, url) = Played::sharing(tempfile::tempdir().unwrap());
    let token = played.local("sharing_token", json!({})).unwrap();
    let mut listener = listening(&url, token.as_str().unwrap());
    played.set_sharing(json!({ "kind": "tool", "tool": "cursor", "shared": true }));
    drop(std::mem::replace(&mut listener, {
        let view = played.sharing_until(|view| view["state"]["kind"] == "on");
        listening(view["state"]["url"].as_str().unwrap(), token.as_str().unwrap())
    }));
    skill(played.home.path(), ".cursor/skills/two", &MAIN.replace("notes", "two"));
    played.shell.library.rescan();
    played.shell.sharing.follow_tools();
    played.sharing_until(|view| view["skills"] == 2);
    read_until(&mut listener, "notifications/resources/list_changed");
}

#[test]
fn a_new_token_and_switching_off_end_what_listens() {
    let (played, url) = Played::sharing(tempfile::tempdir().unwrap());
    let old = played.local("sharing_token", json!({})).unwrap();
    let old = old.as_str().unwrap();
    let mut listener = listening(&url, old);
    played.local("renew_sharing_token", json!({})).unwrap();
    listener.read_to_end(&mut Vec::new()).unwrap();
    let view = played.sharing_until(|view| view["state"]["kind"] == "on");
    let url = view["state"]["url"].as_str().unwrap();
    assert_eq!(list(url, old, "x").0, 401);
    let new = played.local("sharing_token", json!({})).unwrap();
    let mut listener = listening(url, new.as_str().unwrap());
    played.set_sharing(json!({ "kind": "on", "on": false }));
    listener.read_to_end(&mut Vec::new()).unwrap();
    let view = played.sharing_until(|view| view["clients"] == json!([]));
    assert_eq!(view["state"]["kind"], "off");
}

#[test]
fn a_token_that_was_damaged_is_made_anew() {
    let (played, _) = Played::sharing(tempfile::tempdir().unwrap());
    let good = played.local("sharing_token", json!({})).unwrap();
    let file = played.home.path().join(".local/share/skillhold/secrets/sharing-token");
    let good = good.as_str().unwrap();
    for damaged in ["x", "skh_", &good[..20], &format!("{good}\n"), &format!("{good} {good}")] {
        std::fs::write(&file, damaged).unwrap();
        let token = played.local("sharing_token", json!({})).unwrap();
        let token = token.as_str().unwrap();
        assert_ne!(token, damaged);
        assert_eq!((token.len(), &token[..4]), (47, "skh_"), "{damaged:?}");
        assert_eq!(std::fs::read_to_string(&file).unwrap(), token);
    }
}

#[test]
fn the_token_is_in_no_line_that_is_shown() {
    let (played, url) = Played::sharing(tempfile::tempdir().unwrap());
    let token = played.local("sharing_token", json!({})).unwrap();
    let token = token.as_str().unwrap();
    assert_eq!(list(&url, token, "a program").0, 200);
    let host = url.trim_start_matches("http://").trim_end_matches("/mcp");
    // Nor where a program sends it in the address, which lets nobody in.
    let mut stream = TcpStream::connect(host).unwrap();
    write!(
        stream,
        "POST /mcp?token={token} HTTP/1.1\r\nHost: {host}\r\nContent-Length: 0\r\n\
         Connection: close\r\n\r\n"
    )
    .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 401"), "{answer}");
    let view = played.sharing_until(|view| view["requests"] != json!([]));
    assert!(!view.to_string().contains(token) && !answer.contains(token));
}
