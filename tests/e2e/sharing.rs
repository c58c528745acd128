//! Sharing, switched on and off in the window, and used by another program meanwhile.

use serde_json::json;

use crate::http::ask;
use crate::support::home::Home;
use crate::support::skill::Skill;
use crate::window::{Window, eventually};

#[test]
fn what_is_shared_in_the_window_is_listed_with_the_token_until_it_is_switched_off() {
    let home = Home::empty()
        .with_tool("claude-code")
        .with_tool("cursor")
        .with_skill(".claude/skills", &Skill::new("reading", "Reads a page."))
        .with_skill(".claude/skills", &Skill::new("writing", "Writes."));
    let window = Window::open(&home);
    window.click("button", "Go to the library");
    window.click_in("nav", "button", "Sharing");
    window.find("heading", "Sharing");
    window.click_part("checkbox", "Claude Code");
    window.click("switch", "Share my skills");
    let text = window.wait_text("2 skills are shared");
    let url = text.split_whitespace().find(|word| word.starts_with("http://127.0.0.1:")).unwrap();
    assert_eq!(ask(url, None, "skills/list", json!({})).0, 401);

    window.click("button", "Show Token");
    let token = String::from_utf8(
        home.files(".local/share/skillhold/secrets").remove("sharing-token").unwrap(),
    )
    .unwrap();
    window.sees(&token);
    let (status, listed) = ask(url, Some(&token), "skills/list", json!({}));
    let uris: Vec<&str> = listed["skills"]
        .as_array()
        .unwrap()
        .iter()
        .map(|skill| skill["uri"].as_str().unwrap())
        .collect();
    assert_eq!((status, uris), (200, vec!["skill://reading/SKILL.md", "skill://writing/SKILL.md"]));
    window.sees("a test");
    window.wait_text("skills/list");
    window.picture("sharing");
    window.click_in("nav", "button", "Settings");
    window.click("radio", "Dark");
    window.click_in("nav", "button", "Sharing");
    window.wait_text("2 skills are shared");
    window.picture("sharing-dark");

    // A change on the disk is shared, too.
    Skill::new("later", "Came later.").write_under(&home.at(".claude/skills"));
    window.wait_text("3 skills are shared");

    window.click("switch", "Share my skills");
    window.wait_text("No program can reach your skills");
    let host = url.trim_start_matches("http://").trim_end_matches("/mcp");
    eventually("the port is closed", || std::net::TcpStream::connect(host).is_err());
}
