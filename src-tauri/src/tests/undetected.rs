//! Tools of which only a folder is here, through the commands of the page.

#![allow(clippy::disallowed_methods)]

use std::fs;

use serde_json::{Value, json};

use super::commands::{Played, installed};
use super::fixing::skill;

const MAIN: &str =
    "---\nname: notes\ndescription: Takes notes. Use when asked to.\n---\n\n# Notes\n";

impl Played {
    /// The library, and of one tool whether it is read and what is here of it.
    fn looked(&self, tool: &str) -> (Value, Value, Value) {
        self.shell.library.rescan();
        let library = self.local("library", json!({})).unwrap();
        let tools = library["tools"].as_array().unwrap();
        let tool = tools.iter().find(|one| one["id"] == tool).unwrap();
        let (on, detection) = (tool["on"].clone(), tool["detection"].clone());
        (library, on, detection)
    }

    /// Copies the only copy of a skill into a tool's folder and gives the change.
    fn copied(&self, name: &str, tool: &str) -> Value {
        let (library, ..) = self.looked(tool);
        let row = &library["skills"].as_array().unwrap()[0];
        assert_eq!(row["name"], name);
        let plan = self
            .local(
                "plan",
                json!({
                    "source": { "kind": "copy", "id": row["copies"][0]["id"] },
                    "targets": [{ "tool": tool, "onConflict": "keep", "name": null }],
                }),
            )
            .unwrap();
        // It is read from then on.
        assert_eq!(plan["items"][0]["seenBy"], json!([tool]), "{plan:#}");
        let shell = std::sync::Arc::clone(&self.shell);
        let id = plan["id"].as_str().unwrap().to_owned();
        let done = tauri::async_runtime::block_on(shell.apply_plan(
            &id,
            tokio_util::sync::CancellationToken::new(),
            |_| {},
        ));
        json!(done.unwrap().change)
    }
}

fn names(library: &Value) -> Vec<&str> {
    library["skills"].as_array().unwrap().iter().map(|row| row["name"].as_str().unwrap()).collect()
}

#[test]
fn a_folder_that_was_left_behind_is_offered_and_read_when_its_tool_is_switched_on() {
    let played = Played::new("main");
    let home = played.home.path();
    skill(home, ".cursor/skills/notes", MAIN);
    let (library, on, detection) = played.looked("cursor");
    assert_eq!((on, detection), (json!(false), json!("folderOnly")));
    assert_eq!(names(&library), Vec::<&str>::new());
    assert_eq!(
        library["unread"],
        json!([{ "path": "~/.cursor/skills", "tools": ["cursor"], "count": 1 }])
    );

    played.local("set_tool_on", json!({ "tool": "cursor", "on": true })).unwrap();
    let (library, on, detection) = played.looked("cursor");
    assert_eq!((on, detection), (json!(true), json!("folderOnly")));
    assert_eq!(names(&library), ["notes"]);
    assert_eq!(library["unread"], json!([]));
}

#[test]
fn a_copy_for_a_tool_that_is_not_here_is_shown_until_it_is_taken_back() {
    let played = Played::new("main");
    skill(played.home.path(), ".claude/skills/notes", MAIN);
    assert_eq!(played.looked("qwen-code").2, "notFound");
    let change = played.copied("notes", "qwen-code");
    let (library, on, detection) = played.looked("qwen-code");
    assert_eq!((on, detection), (json!(true), json!("folderOnly")));
    assert_eq!(library["skills"][0]["tools"], json!(["claude-code", "qwen-code"]));
    let tool = library["tools"].as_array().unwrap().iter().find(|one| one["id"] == "qwen-code");
    assert_eq!(tool.unwrap()["placed"], true);
    assert_eq!(tool.unwrap()["chosen"], Value::Null);

    played.local("undo", json!({ "change": change })).unwrap();
    let (library, on, _) = played.looked("qwen-code");
    assert_eq!(on, false);
    assert_eq!(library["skills"][0]["tools"], json!(["claude-code"]));
    assert_eq!(library["unread"], json!([]));
}

#[test]
fn what_was_placed_for_a_tool_that_is_not_here_is_still_shown_in_the_next_run() {
    let played = Played::new("main");
    skill(played.home.path(), ".claude/skills/notes", MAIN);
    played.copied("notes", "qwen-code");
    let Played { home, shell, .. } = played;
    drop(shell);
    let played = Played::in_home("main", home);
    let (library, on, _) = played.looked("qwen-code");
    assert_eq!(on, true);
    assert_eq!(library["skills"][0]["tools"], json!(["claude-code", "qwen-code"]));
    // The person has the last word.
    played.local("set_tool_on", json!({ "tool": "qwen-code", "on": false })).unwrap();
    assert_eq!(played.looked("qwen-code").1, false);
}

#[test]
fn a_shared_folder_is_shown_when_one_of_its_tools_is_here() {
    let played = Played::new("main");
    let home = played.home.path();
    skill(home, ".agents/skills/notes", MAIN);
    let (library, ..) = played.looked("universal");
    assert_eq!(names(&library), Vec::<&str>::new());
    assert_eq!(
        library["unread"],
        json!([{ "path": "~/.agents/skills", "tools": ["universal"], "count": 1 }])
    );
    installed(home, ".codex/config.toml");
    let (library, ..) = played.looked("universal");
    assert_eq!(library["skills"][0]["tools"], json!(["codex"]));
    assert_eq!(library["unread"], json!([]));
    fs::remove_dir_all(home.join(".codex")).unwrap();
    assert_eq!(names(&played.looked("universal").0), Vec::<&str>::new());
}
