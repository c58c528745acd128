//! Putting skills right through the commands of the page.

#![allow(clippy::disallowed_methods)]

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::commands::{Played, installed};

const BROKEN: &str =
    "---\n# kept\nname: notes\ndescription: Takes notes. Use this: always\n---\n\n# Notes\n";
const RIGHT: &str =
    "---\n# kept\nname: notes\ndescription: \"Takes notes. Use this: always\"\n---\n\n# Notes\n";

/// Writes a skill below the home and gives the path of its `SKILL.md`.
pub(super) fn skill(home: &Path, folder: &str, main: &str) -> PathBuf {
    let folder = home.join(folder);
    fs::create_dir_all(&folder).unwrap();
    let file = folder.join("SKILL.md");
    fs::write(&file, main).unwrap();
    file
}

/// The only copy of a skill in the library, looked at just now.
pub(super) fn detail(played: &Played, name: &str) -> Value {
    played.shell.library.rescan();
    let library = played.local("library", json!({})).unwrap();
    let rows = library["skills"].as_array().unwrap();
    let row = rows.iter().find(|row| row["name"] == name);
    let row = row.unwrap_or_else(|| panic!("no {name} in {rows:?}"));
    played.local("skill_detail", json!({ "copy": row["copies"][0]["id"] })).unwrap()
}

/// What is said of a skill under a code.
fn check<'a>(detail: &'a Value, code: &str) -> &'a Value {
    let checks = detail["checks"].as_array().unwrap();
    let check = checks.iter().find(|check| check["code"] == code);
    check.unwrap_or_else(|| panic!("no {code} in {checks:?}"))
}

/// The first thing that can be fixed.
fn fixable(detail: &Value) -> &Value {
    let checks = detail["checks"].as_array().unwrap();
    let check = checks.iter().find(|check| check["fixes"] != json!([]));
    check.unwrap_or_else(|| panic!("nothing to fix in {checks:?}"))
}

#[test]
fn an_unquoted_colon_is_shown_fixed_and_taken_back() {
    let played = Played::new("main");
    let file = skill(played.home.path(), ".claude/skills/notes", BROKEN);
    let before = detail(&played, "notes");
    assert_eq!(before["writable"], true);
    let wrong = fixable(&before);
    assert_eq!((&wrong["file"], &wrong["line"]), (&json!("SKILL.md"), &json!(4)));
    assert_eq!(
        wrong["fixes"][0]["change"],
        json!({
            "kind": "edits",
            "file": "SKILL.md",
            "before": ["description: Takes notes. Use this: always"],
            "after": ["description: \"Takes notes. Use this: always\""],
        })
    );

    let arguments = json!({ "copy": before["id"], "fix": wrong["fixes"][0]["id"] });
    let outcome = played.local("apply_fix", arguments.clone()).unwrap();
    assert_eq!(fs::read_to_string(&file).unwrap(), RIGHT);
    assert_eq!(outcome["items"][0]["result"], "replaced");
    assert_eq!(outcome["items"][0]["path"], "~/.claude/skills/notes");
    assert_eq!(outcome["items"][0]["tool"], "claude-code");

    let again = played.local("apply_fix", arguments).unwrap_err();
    assert_eq!(again["code"], "changed");
    assert_eq!(again["message"], "notes changed since this fix was shown");
    let after = detail(&played, "notes");
    assert!(after["checks"].as_array().unwrap().iter().all(|check| check["severity"] != "error"));

    let activity = played.local("activity", json!({})).unwrap();
    assert_eq!(activity["rows"][0]["kind"], "fixed");
    assert_eq!(activity["rows"][0]["change"], outcome["change"]);
    let undone = played.local("undo", json!({ "change": outcome["change"] })).unwrap();
    assert_eq!(undone["items"][0]["result"], "undone");
    assert_eq!(undone["items"][0]["tool"], "claude-code");
    assert_eq!(fs::read_to_string(&file).unwrap(), BROKEN);
}

#[test]
fn a_fix_of_what_is_no_longer_there_is_refused_and_nothing_is_written() {
    let played = Played::new("main");
    let file = skill(played.home.path(), ".claude/skills/notes", BROKEN);
    let shown = detail(&played, "notes");
    let fix = fixable(&shown)["fixes"][0]["id"].clone();
    let changed = BROKEN.replace("# Notes", "# Notes, by hand");
    fs::write(&file, &changed).unwrap();
    let error = played.local("apply_fix", json!({ "copy": shown["id"], "fix": fix })).unwrap_err();
    assert_eq!(error["code"], "changed");
    assert_eq!(fs::read_to_string(&file).unwrap(), changed);
    let error =
        played.local("apply_fix", json!({ "copy": shown["id"], "fix": "sha256:0" })).unwrap_err();
    assert_eq!(error["code"], "changed");
    let error = played.local("apply_fix", json!({ "copy": "0", "fix": fix })).unwrap_err();
    assert_eq!(error["code"], "gone");
}

#[test]
fn a_skill_that_belongs_to_a_tool_is_not_written_to() {
    let played = Played::new("main");
    installed(played.home.path(), ".codex/config.toml");
    let file = skill(played.home.path(), ".codex/skills/.system/notes", BROKEN);
    let shown = detail(&played, "notes");
    assert_eq!(shown["writable"], false);
    let fix = fixable(&shown)["fixes"][0]["id"].clone();
    for (command, arguments) in [
        ("apply_fix", json!({ "copy": shown["id"], "fix": fix })),
        ("apply_all_fixes", json!({ "copy": shown["id"] })),
    ] {
        let error = played.local(command, arguments).unwrap_err();
        assert_eq!(error["code"], "badInput", "{command}");
        let message = error["message"].as_str().unwrap();
        assert!(
            message.starts_with("~/.codex/skills/.system/notes belongs to a tool"),
            "{message}"
        );
    }
    assert_eq!(fs::read_to_string(&file).unwrap(), BROKEN);
}

#[test]
fn everything_that_has_a_fix_is_fixed_as_one_change() {
    let played = Played::new("main");
    let main = "---\nname: notes\ndescription: Takes notes. Use this: always\nmetadata:\n  version: 1.0\nallowed-tools:\n  - Read\n  - Grep\n---\n\n# Notes\n";
    let file = skill(played.home.path(), ".claude/skills/notes", main);
    let shown = detail(&played, "notes");
    let outcome = played.local("apply_all_fixes", json!({ "copy": shown["id"] })).unwrap();
    let text = fs::read_to_string(&file).unwrap();
    assert!(text.contains("description: \"Takes notes. Use this: always\"\n"), "{text}");
    let after = detail(&played, "notes");
    let left: Vec<&Value> = after["checks"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|check| check["severity"] == "error")
        .collect();
    assert_eq!(left, Vec::<&Value>::new());
    played.local("undo", json!({ "change": outcome["change"] })).unwrap();
    assert_eq!(fs::read_to_string(&file).unwrap(), main);
}

#[test]
fn nothing_to_fix_is_said_so() {
    let played = Played::new("main");
    skill(played.home.path(), ".claude/skills/notes", RIGHT);
    let shown = detail(&played, "notes");
    let error = played.local("apply_all_fixes", json!({ "copy": shown["id"] })).unwrap_err();
    assert_eq!(error["message"], "there is nothing in notes that can be fixed here");
}

#[test]
fn a_folder_that_gets_another_name_is_shown_under_it() {
    let played = Played::new("main");
    let main = "---\nname: notes\ndescription: Takes notes. Use when asked to.\n---\n\n# Notes\n";
    skill(played.home.path(), ".claude/skills/other", main);
    let shown = detail(&played, "notes");
    let rename = shown["checks"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|check| check["fixes"].as_array().unwrap())
        .find(|fix| fix["change"]["kind"] == "rename")
        .expect("a new name for the folder");
    assert_eq!(rename["change"], json!({ "kind": "rename", "from": "other", "to": "notes" }));
    let arguments = json!({ "copy": shown["id"], "fix": rename["id"] });
    let outcome = played.local("apply_fix", arguments).unwrap();
    assert_eq!(outcome["items"][0]["path"], "~/.claude/skills/notes");
    assert_eq!(outcome["items"][0]["note"], "only the folder's name changed");
    let skills = played.home.path().join(".claude/skills");
    assert!(skills.join("notes/SKILL.md").exists() && !skills.join("other").exists());
    assert_eq!(detail(&played, "notes")["path"], "~/.claude/skills/notes");
    played.local("undo", json!({ "change": outcome["change"] })).unwrap();
    assert!(skills.join("other/SKILL.md").exists() && !skills.join("notes").exists());
}

#[test]
fn what_each_kind_of_reader_makes_of_a_skill_and_how_many_rules_looked_is_said() {
    let played = Played::new("main");
    skill(played.home.path(), ".claude/skills/notes", BROKEN);
    let shown = detail(&played, "notes");
    let readers = shown["readers"].as_array().unwrap();
    let outcomes: Vec<&str> =
        readers.iter().map(|reader| reader["outcome"].as_str().unwrap()).collect();
    assert!(outcomes.contains(&"drops"), "{readers:?}");
    assert!(outcomes.iter().any(|outcome| *outcome != "drops"), "{readers:?}");
    assert!(shown["rules"].as_u64().unwrap() > 0);
    let seen = shown["visibility"].as_array().unwrap();
    let claude = seen.iter().find(|row| row["tool"] == "claude-code").expect("a row for the tool");
    assert_eq!(claude["copy"], shown["id"]);
    assert_eq!(claude["root"], "~/.claude/skills");
    assert_eq!(check(&shown, fixable(&shown)["code"].as_str().unwrap())["excerpt"], Value::Null);
}

#[test]
fn a_finding_shows_its_place_with_what_does_not_show_made_visible() {
    let played = Played::new("main");
    let main = format!("{RIGHT}\nHello\u{e0041}\u{e0042} there.\n");
    skill(played.home.path(), ".claude/skills/notes", &main);
    let shown = detail(&played, "notes");
    let grave = &shown["checks"][0];
    assert_eq!(grave["severity"], "grave");
    let excerpt = grave["excerpt"].as_str().unwrap();
    assert!(excerpt.contains("⟨tags: AB⟩") && !excerpt.contains('\u{e0041}'), "{excerpt}");
}
