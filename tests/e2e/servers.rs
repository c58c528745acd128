//! Servers that nobody here wrote, added in the window.

use std::fs;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::Path;
use std::process::Command;

use crate::support::home::Home;
use crate::support::python::{HttpServer, free_port, python, stdio_arguments};
use crate::support::skill::{Skill, hard_to_carry};
use crate::window::{Window, eventually};

fn home() -> Home {
    Home::empty()
        .with_tool("claude-code")
        .with_skill("published", &hard_to_carry())
        .with_skill("published", &Skill::new("plain", "One file."))
}

/// The window past the welcome, in the dialog that adds a server.
fn adding(home: &Home) -> Window {
    let window = Window::open(home);
    window.click("button", "Add a server");
    window.find("heading", "Add a server");
    window
}

fn add_by_address(window: &Window, label: &str, url: &str) {
    window.fill("textbox", "Label", label);
    window.fill("textbox", "Address", url);
    window.click("button", "Add");
}

#[test]
fn a_skill_of_a_server_with_the_extension_arrives_byte_for_byte() {
    let home = home();
    let server = HttpServer::start("strict", &home.at("published"));
    let window = adding(&home);
    add_by_address(&window, "Team shelf", &server.url);
    window.click_in("nav", "button", "Team shelf");
    window.row_says("hard-to-carry", "new");
    window.click("option", "hard-to-carry");
    window.picture("server");

    // The skill inside is a step of its own.
    window.click("button", "Review…");
    window.find("heading", "Review “hard-to-carry”");
    window.sees("Each is approved by itself");
    window.click("button", "Approve");
    window.find("heading", "Review “inner”");
    window.click("button", "Approve");
    window.row_says("hard-to-carry", "approved");

    window.click("option", "hard-to-carry");
    window.click("button", "Install…");
    window.tick("Claude Code");
    window.click("button", "Install into 1 tool");
    window.sees("1 tool has it now");
    assert_eq!(home.files(".claude/skills/hard-to-carry"), hard_to_carry().files);
}

#[test]
fn a_command_is_shown_word_by_word_and_run_only_after_a_yes() {
    let home = home();
    let window = adding(&home);
    let words = stdio_arguments("default", &home.at("published"));
    let quoted: Vec<String> = words.iter().map(|word| format!("'{word}'")).collect();
    window.click("radio", "By command");
    window.fill("textbox", "Label", "Local");
    window.fill("textbox", "Command", &format!("{} {}", python().display(), quoted.join(" ")));
    window.click("button", "Show what would run");
    window.sees("This would run on your machine");
    for word in &words {
        window.sees(word);
    }
    window.picture("confirm-command");
    window.click("button", "Back");
    window.click("button", "Cancel");
    assert!(!window.has("button", "Local"));

    window.click_part("button", "Add server…");
    window.click("radio", "By command");
    window.fill("textbox", "Label", "Local");
    window.fill("textbox", "Command", &format!("{} {}", python().display(), quoted.join(" ")));
    window.click("button", "Show what would run");
    window.click("button", "Run and add");
    window.click_in("nav", "button", "Local");
    window.row_says("plain", "new");
    window.row_says("hard-to-carry", "new");
}

#[test]
fn a_window_that_is_told_to_stop_ends_the_programs_that_it_started() {
    let home = home();
    let (program, note) = (home.at("stubborn.sh"), home.at("pids"));
    // It notices neither that its input ends nor that it is asked to end.
    let script = format!(
        "trap '' TERM INT HUP\necho \"$$ $PPID\" > '{}'\nwhile :; do sleep 1; done\n",
        note.display()
    );
    fs::write(&program, script).unwrap();
    let window = adding(&home);
    window.click("radio", "By command");
    window.fill("textbox", "Label", "Stubborn");
    window.fill("textbox", "Command", &format!("/bin/sh '{}'", program.display()));
    window.click("button", "Show what would run");
    window.click("button", "Run and add");
    let pids = || fs::read_to_string(&note).unwrap_or_default();
    eventually("the program runs", || pids().ends_with('\n'));
    let pids = pids();
    let (own, ours) = pids.trim().split_once(' ').unwrap();
    let told = Command::new("kill").args(["-s", "TERM", ours]).status().unwrap();
    assert!(told.success());
    let runs = |pid: &str| Path::new("/proc").join(pid).join("exe").read_link().is_ok();
    eventually("the window is gone", || !runs(ours));
    assert!(!runs(own), "the program of the server still runs");
}

#[test]
fn a_server_of_another_tool_is_added_from_its_settings() {
    let home = home();
    let server = HttpServer::start("strict", &home.at("published"));
    let settings = format!(
        r#"{{ "mcpServers": {{
            "shelf": {{ "url": "{}", "headers": {{ "X-Team": "${{env:TEAM}}" }} }},
            "old": {{ "type": "sse", "url": "http://127.0.0.1:9/sse" }}
        }} }}"#,
        server.url
    );
    let skills = home.at(".cursor");
    fs::create_dir_all(&skills).unwrap();
    fs::write(skills.join("mcp.json"), &settings).unwrap();
    let window = adding(&home);
    window.click("radio", "From another tool");
    window.sees("~/.cursor/mcp.json");
    window.sees(&server.url);
    window.sees("it speaks the older SSE transport");
    window.click("button", "Fill in what shelf needs");
    window.picture("import");
    window.fill("textbox", "TEAM", "core");
    window.click("button", "Add shelf");
    window.sees("added as “shelf”");
    window.click("button", "Done");
    window.click_in("nav", "button", "shelf");
    window.row_says("plain", "new");
    window.row_says("hard-to-carry", "new");
    assert_eq!(fs::read_to_string(skills.join("mcp.json")).unwrap(), settings);
}

#[test]
fn a_digest_that_does_not_match_is_shown_and_cannot_be_approved() {
    let home = home();
    let server = HttpServer::start("lying", &home.at("published"));
    let window = adding(&home);
    add_by_address(&window, "Liar", &server.url);
    window.click_in("nav", "button", "Liar");
    window.click("option", "helper");
    window.click("button", "Review…");
    window.sees("It cannot be approved");
    window.sees("Expected");
    window.sees("Actual");
    assert!(!window.enabled("button", "Approve"));
    window.picture("mismatch");
}

#[test]
fn a_server_that_is_not_there_is_said_to_be_unreachable() {
    let home = home();
    let window = adding(&home);
    let url = format!("http://127.0.0.1:{}/mcp", free_port());
    add_by_address(&window, "Nobody", &url);
    window.click_in("nav", "button", "Nobody");
    window.sees("unreachable");
    window.find("button", "Retry");
    window.picture("unreachable");
}

#[test]
fn a_server_that_is_no_mcp_server_is_said_to_be_none() {
    let home = home();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let _ = stream.read(&mut [0; 4096]);
            let page = "<html>A web site</html>";
            let _ = write!(
                stream,
                "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{page}",
                page.len()
            );
        }
    });
    let window = adding(&home);
    add_by_address(&window, "Web site", &url);
    window.click_in("nav", "button", "Web site");
    window.sees("refused");
    window.sees("MCP");
    window.picture("not-mcp");
}
