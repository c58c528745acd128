//! Changes of one and of many skills through the commands of the page.

#![allow(clippy::disallowed_methods)]

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use super::commands::{Played, installed};
use super::fixing::{detail, skill};

pub(super) fn main_file(name: &str) -> String {
    format!("---\nname: {name}\ndescription: Does {name}. Use when asked to.\n---\n\n# {name}\n")
}

impl Played {
    /// In a home with Claude Code and Cursor, and these skills of Claude Code.
    pub(super) fn with_skills(names: &[&str]) -> Self {
        let home = tempfile::tempdir().unwrap();
        for tool in [".claude/settings.json", ".cursor/mcp.json"] {
            installed(home.path(), tool);
        }
        for name in names {
            skill(home.path(), &format!(".claude/skills/{name}"), &main_file(name));
        }
        let played = Self::in_home("main", home);
        played.shell.library.rescan();
        played
    }

    pub(super) fn library(&self) -> Value {
        self.shell.library.rescan();
        self.local("library", json!({})).unwrap()
    }

    pub(super) fn row(&self, name: &str) -> Value {
        let library = self.library();
        let rows = library["skills"].as_array().unwrap();
        let row = rows.iter().find(|row| row["name"] == name);
        row.unwrap_or_else(|| panic!("no {name} in {rows:#?}")).clone()
    }

    /// The copy of a skill at a path.
    pub(super) fn copy(&self, name: &str, path: &str) -> Value {
        let row = self.row(name);
        let copies = row["copies"].as_array().unwrap();
        let copy = copies.iter().find(|copy| copy["path"] == path);
        copy.unwrap_or_else(|| panic!("no {path} in {copies:#?}")).clone()
    }

    pub(super) fn plan_changes(&self, changes: Value) -> Value {
        self.local("plan_changes", json!({ "changes": changes })).unwrap()
    }

    pub(super) fn apply_changes(&self, batch: &Value) -> Result<Value, Value> {
        let job = format!("job-{}", batch["id"]);
        let arguments = json!({ "job": job, "batch": batch["id"], "onProgress": "__CHANNEL__:1" });
        self.local("apply_changes", arguments)
    }

    pub(super) fn change(&self, changes: Value) -> Value {
        let batch = self.plan_changes(changes);
        self.apply_changes(&batch).unwrap()
    }

    /// Copies skills of Claude Code to Cursor.
    pub(super) fn copied_to_cursor(&self, names: &[&str]) {
        let changes: Vec<Value> = names
            .iter()
            .map(|name| {
                let copy = self.copy(name, &format!("~/.claude/skills/{name}"));
                json!({
                    "kind": "place",
                    "source": { "kind": "copy", "id": copy["id"] },
                    "targets": [{ "tool": "cursor", "onConflict": "keep", "name": null }],
                })
            })
            .collect();
        let outcome = self.change(json!(changes));
        let written = results(&outcome).into_iter().all(|(_, result)| result == "written");
        assert!(written, "{outcome:#}");
    }

    pub(super) fn at(&self, path: &str) -> std::path::PathBuf {
        self.home.path().join(path)
    }

    fn kinds(&self) -> Vec<String> {
        let activity = self.local("activity", json!({})).unwrap();
        let rows = activity["rows"].as_array().unwrap();
        rows.iter().map(|row| row["kind"].as_str().unwrap().to_owned()).collect()
    }
}

/// Name and result of each item.
pub(super) fn results(outcome: &Value) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let items = outcome["items"].as_array().unwrap();
    items.iter().map(|item| (text(&item["name"]), text(&item["result"]))).collect()
}

fn result(name: &str, result: &str) -> (String, String) {
    (name.to_owned(), result.to_owned())
}

/// Path, action and message of each row.
fn rows(batch: &Value) -> Vec<(&str, &str, &str)> {
    batch["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|item| {
            (
                item["path"].as_str().unwrap(),
                item["action"].as_str().unwrap(),
                item["message"].as_str().unwrap_or_default(),
            )
        })
        .collect()
}

fn text_of(path: &Path) -> String {
    fs::read_to_string(path.join("SKILL.md")).unwrap()
}

#[test]
fn several_skills_are_removed_as_one_change_and_come_back_with_one_undo() {
    let played = Played::with_skills(&["notes", "plans"]);
    played.copied_to_cursor(&["notes", "plans"]);
    let remove = |name: &str| {
        let copy = played.copy(name, &format!("~/.cursor/skills/{name}"));
        json!({ "kind": "remove", "copy": copy["id"] })
    };
    let batch = played.plan_changes(json!([remove("notes"), remove("plans")]));
    assert_eq!((&batch["writes"], &batch["blockers"]), (&json!(2), &json!([])));
    assert_eq!(
        rows(&batch),
        [("~/.cursor/skills/notes", "do", ""), ("~/.cursor/skills/plans", "do", "")]
    );
    assert_eq!(batch["items"][0]["kind"], "remove");
    assert_eq!(batch["items"][0]["standing"], "ours");
    assert_eq!(batch["items"][0]["seenBy"], json!(["cursor"]));
    assert!(played.at(".cursor/skills/notes").exists());

    let outcome = played.apply_changes(&batch).unwrap();
    assert_eq!(results(&outcome), [result("notes", "removed"), result("plans", "removed")]);
    assert!(!played.at(".cursor/skills/notes").exists());
    assert!(!played.at(".cursor/skills/plans").exists());
    assert!(played.at(".claude/skills/notes").exists());
    assert_eq!(played.kinds(), ["removed", "copied"]);
    let trash = played.local("trash", json!({})).unwrap();
    let kept: Vec<&Value> =
        trash["rows"].as_array().unwrap().iter().map(|row| &row["path"]).collect();
    assert_eq!(kept, ["~/.cursor/skills/plans", "~/.cursor/skills/notes"]);
    assert_eq!((&trash["days"], &trash["rows"][0]["change"]), (&json!(30), &outcome["change"]));

    let undone = played.local("undo", json!({ "change": outcome["change"] })).unwrap();
    assert_eq!(results(&undone), [result("notes", "undone"), result("plans", "undone")]);
    assert_eq!(text_of(&played.at(".cursor/skills/notes")), main_file("notes"));
    assert_eq!(text_of(&played.at(".cursor/skills/plans")), main_file("plans"));
    assert_eq!(played.local("trash", json!({})).unwrap()["rows"], json!([]));
}

#[test]
fn what_skillhold_did_not_place_is_not_removed_and_keeps_no_other_from_it() {
    let played = Played::with_skills(&["notes"]);
    played.copied_to_cursor(&["notes"]);
    let theirs = played.copy("notes", "~/.claude/skills/notes");
    let ours = played.copy("notes", "~/.cursor/skills/notes");
    assert_eq!((&theirs["placed"], &ours["placed"]), (&json!(false), &json!(true)));
    let batch = played.plan_changes(json!([
        { "kind": "remove", "copy": theirs["id"] },
        { "kind": "remove", "copy": ours["id"] },
    ]));
    assert_eq!(batch["items"][0]["action"], "refuse");
    assert!(batch["items"][0]["message"].as_str().unwrap().contains("adopt it first"), "{batch:#}");
    let outcome = played.apply_changes(&batch).unwrap();
    assert_eq!(results(&outcome), [result("notes", "failed"), result("notes", "removed")]);
    assert!(played.at(".claude/skills/notes").exists());
    assert!(!played.at(".cursor/skills/notes").exists());
}

#[test]
fn what_is_adopted_can_be_removed() {
    let played = Played::with_skills(&["notes"]);
    let copy = played.copy("notes", "~/.claude/skills/notes");
    let outcome = played.change(json!([{ "kind": "adopt", "copy": copy["id"] }]));
    assert_eq!(results(&outcome), [result("notes", "adopted")]);
    assert_eq!(played.copy("notes", "~/.claude/skills/notes")["placed"], true);
    let shown = detail(&played, "notes");
    assert_eq!(shown["placement"]["origin"], "here before Skillhold");
    assert_eq!(shown["placement"]["drift"], "fine");
    let outcome = played.change(json!([{ "kind": "remove", "copy": copy["id"] }]));
    assert_eq!(results(&outcome), [result("notes", "removed")]);
    assert!(!played.at(".claude/skills/notes").exists());
}

#[test]
fn a_disabled_skill_is_seen_by_no_tool_and_is_put_back_exactly() {
    let played = Played::with_skills(&["notes"]);
    let folder = played.at(".claude/skills/notes");
    fs::write(folder.join("run.sh"), "#!/bin/sh\n").unwrap();
    let before = folder.join("run.sh").metadata().unwrap();
    let copy = played.copy("notes", "~/.claude/skills/notes");
    let batch = played.plan_changes(json!([{ "kind": "disable", "copy": copy["id"] }]));
    let lost = batch["items"][0]["seenBy"].as_array().unwrap();
    assert!(lost.contains(&json!("claude-code")), "{batch:#}");
    played.apply_changes(&batch).unwrap();
    assert!(!folder.exists());

    let library = played.library();
    let row = played.row("notes");
    assert_eq!((&row["state"], &row["copies"]), (&json!("disabled"), &json!([])));
    let aside = &library["aside"][0];
    assert_eq!(
        (&aside["name"], &aside["path"]),
        (&json!("notes"), &json!("~/.claude/skills/notes"))
    );
    assert_eq!(played.shell.library.snapshot().visibility("notes"), []);

    let outcome = played.change(json!([{ "kind": "enable", "aside": aside["id"] }]));
    assert_eq!(results(&outcome), [result("notes", "enabled")]);
    let after = folder.join("run.sh").metadata().unwrap();
    assert_eq!(after.modified().unwrap(), before.modified().unwrap());
    assert_eq!(after.permissions(), before.permissions());
    assert_eq!(text_of(&folder), main_file("notes"));
    assert_eq!(played.row("notes")["state"], "fine");
    assert_eq!(played.library()["aside"], json!([]));
}

#[test]
fn a_copy_that_is_disabled_for_one_tool_is_still_said_to_be_seen_through_another_folder() {
    let played = Played::with_skills(&["notes"]);
    played.copied_to_cursor(&["notes"]);
    let copy = played.copy("notes", "~/.claude/skills/notes");
    played.change(json!([{ "kind": "disable", "copy": copy["id"] }]));
    let row = played.row("notes");
    assert_eq!((&row["state"], row["copies"].as_array().unwrap().len()), (&json!("fine"), 1));
    let shown = detail(&played, "notes");
    let seen: Vec<(&Value, &Value)> = shown["visibility"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| (&row["tool"], &row["root"]))
        .collect();
    assert_eq!(seen, [(&json!("cursor"), &json!("~/.cursor/skills"))]);
}

#[test]
fn a_skill_gets_another_name_in_its_folder_and_in_its_field() {
    let played = Played::with_skills(&["notes"]);
    let copy = played.copy("notes", "~/.claude/skills/notes");
    let rename = json!([{ "kind": "rename", "copy": copy["id"], "to": "minutes" }]);
    let batch = played.plan_changes(rename);
    assert_eq!(batch["items"][0]["message"], "it becomes ~/.claude/skills/minutes");
    let outcome = played.apply_changes(&batch).unwrap();
    assert_eq!(outcome["items"][0]["result"], "renamed");
    assert_eq!(outcome["items"][0]["path"], "~/.claude/skills/minutes");
    let text = text_of(&played.at(".claude/skills/minutes"));
    assert!(text.starts_with("---\nname: minutes\n"), "{text}");
    assert!(!played.at(".claude/skills/notes").exists());
    let items = json!({ "change": outcome["change"] });
    let did = |at: &str| played.local("change_items", items.clone()).unwrap()[0][at].clone();
    assert_eq!((did("name"), did("result")), (json!("notes"), json!("renamed")));
    assert_eq!(did("path"), "~/.claude/skills/minutes");
    played.local("undo", items.clone()).unwrap();
    assert_eq!(did("result"), "undone");
    assert_eq!(text_of(&played.at(".claude/skills/notes")), main_file("notes"));

    let bad = played.plan_changes(json!([{ "kind": "rename", "copy": copy["id"], "to": "../up" }]));
    assert_eq!((&bad["items"][0]["action"], &bad["writes"]), (&json!("refuse"), &json!(0)));
}

#[test]
fn an_id_that_was_made_up_is_refused() {
    let played = Played::with_skills(&["notes"]);
    let id = "0123456789abcdef";
    for change in [
        json!({ "kind": "remove", "copy": id }),
        json!({ "kind": "disable", "copy": id }),
        json!({ "kind": "adopt", "copy": id }),
        json!({ "kind": "rename", "copy": id, "to": "a" }),
        json!({ "kind": "update", "copy": id, "onEdited": "replace" }),
        json!({ "kind": "enable", "aside": "/etc" }),
        json!({ "kind": "place", "source": { "kind": "copy", "id": id }, "targets": [] }),
    ] {
        let error = played.local("plan_changes", json!({ "changes": [change] })).unwrap_err();
        assert_eq!(error["code"], "gone", "{change}");
    }
    let none = played.local("plan_changes", json!({ "changes": [] })).unwrap_err();
    assert_eq!(none["code"], "badInput");
    assert_eq!(played.apply_changes(&json!({ "id": id })).unwrap_err()["code"], "gone");
    let items = played.local("change_items", json!({ "change": id })).unwrap_err();
    assert_eq!(items["code"], "gone");
    let trash = played.local("empty_trash", json!({ "ids": ["../../notes"] })).unwrap_err();
    assert_eq!(trash["code"], "gone");
    let side = json!({ "kind": "copy", "id": id });
    for other in [
        json!({ "kind": "copy", "id": id }),
        json!({ "kind": "installed", "copy": id }),
        json!({ "kind": "approved", "server": id, "uri": "skill://a/SKILL.md" }),
        json!({ "kind": "trashed", "id": id }),
    ] {
        let error = played.local("compare", json!({ "left": other, "right": side })).unwrap_err();
        assert_eq!(error["code"], "gone", "{other}");
    }
    for (command, arguments) in [
        ("set_never_install", json!({ "server": id, "on": true })),
        ("accept_same", json!({ "server": id, "uri": "skill://a/SKILL.md" })),
    ] {
        assert_eq!(played.local(command, arguments).unwrap_err()["code"], "gone", "{command}");
    }
    assert!(played.at(".claude/skills/notes").exists());
}

#[test]
fn a_second_click_does_nothing_again() {
    let played = Played::with_skills(&["notes"]);
    played.copied_to_cursor(&["notes"]);
    let copy = played.copy("notes", "~/.cursor/skills/notes");
    let batch = played.plan_changes(json!([{ "kind": "disable", "copy": copy["id"] }]));
    played.apply_changes(&batch).unwrap();
    assert_eq!(played.apply_changes(&batch).unwrap_err()["code"], "gone");
    assert_eq!(played.kinds(), ["disabled", "copied"]);
    assert_eq!(played.library()["aside"].as_array().unwrap().len(), 1);
}

#[test]
fn the_own_work_of_a_project_is_not_changed_in_bulk() {
    let played = Played::with_skills(&[]);
    for name in ["one", "two"] {
        skill(played.home.path(), &format!("work/site/skills/{name}"), &main_file(name));
    }
    *played.choice.lock().unwrap() = Some(played.at("work/site"));
    played.local("add_folder", json!({})).unwrap();
    let copy = |name: &str| played.copy(name, &format!("~/work/site/skills/{name}"));
    assert_eq!(copy("one")["userOwned"], true);
    let disable = |name: &str| json!({ "kind": "disable", "copy": copy(name)["id"] });
    let both = played.plan_changes(json!([disable("one"), disable("two")]));
    assert_eq!(both["writes"], 0, "{both:#}");
    let single = played.plan_changes(json!([disable("one")]));
    assert_eq!(single["writes"], 1, "{single:#}");
}

#[test]
fn what_belongs_to_a_tool_is_not_changed() {
    let played = Played::with_skills(&["notes"]);
    installed(played.home.path(), ".codex/config.toml");
    skill(played.home.path(), ".codex/skills/.system/extra", &main_file("extra"));
    let theirs = played.copy("extra", "~/.codex/skills/.system/extra");
    let mine = played.copy("notes", "~/.claude/skills/notes");
    for kind in ["remove", "disable", "adopt"] {
        let batch = played.plan_changes(json!([{ "kind": kind, "copy": theirs["id"] }]));
        assert_eq!(batch["items"][0]["action"], "refuse", "{kind}");
        let message = batch["items"][0]["message"].as_str().unwrap();
        assert!(message.contains("belongs to a tool or to the system"), "{message}");
    }
    // Beside others it is told and keeps none from being changed.
    let outcome = played.change(json!([
        { "kind": "disable", "copy": theirs["id"] },
        { "kind": "disable", "copy": mine["id"] },
    ]));
    let mut all = results(&outcome);
    all.sort();
    all.dedup();
    assert_eq!(all, [result("extra", "failed"), result("notes", "disabled")]);
    assert!(played.at(".codex/skills/.system/extra").exists());
}

#[test]
fn what_was_removed_for_good_can_no_longer_be_undone_and_says_so() {
    let played = Played::with_skills(&["notes"]);
    played.copied_to_cursor(&["notes"]);
    let copy = played.copy("notes", "~/.cursor/skills/notes");
    played.change(json!([{ "kind": "remove", "copy": copy["id"] }]));
    let trash = played.local("trash", json!({})).unwrap();
    assert_eq!(trash["bytes"], main_file("notes").len());
    let stuck = |at: usize| {
        let activity = played.local("activity", json!({})).unwrap();
        activity["rows"][at]["stuck"].clone()
    };
    assert_eq!(stuck(0), Value::Null);
    let why = stuck(1);
    let first = "~/.cursor/skills/notes was removed since: undo the change of notes of ";
    assert!(why.as_str().is_some_and(|why| why.starts_with(first)), "{why}");
    let ids = json!({ "ids": [trash["rows"][0]["id"]] });
    played.local("empty_trash", ids.clone()).unwrap();
    assert!(stuck(0).is_string());
    assert_eq!(played.local("empty_trash", ids).unwrap_err()["code"], "gone");
    assert_eq!(played.local("trash", json!({})).unwrap()["bytes"], 0);
}

#[test]
fn what_a_change_wrote_is_no_news() {
    let played = Played::with_skills(&["notes"]);
    played.copied_to_cursor(&["notes"]);
    let after = played.shell.library.snapshot().revision;
    // What a watcher does when it hears of the writes.
    assert_eq!(played.shell.library.rescan().revision, after);
    let copy = played.copy("notes", "~/.cursor/skills/notes");
    let outcome = played.change(json!([{ "kind": "disable", "copy": copy["id"] }]));
    let after = played.shell.library.snapshot().revision;
    assert_eq!(played.shell.library.rescan().revision, after);
    played.local("undo", json!({ "change": outcome["change"] })).unwrap();
    let after = played.shell.library.snapshot().revision;
    assert_eq!(played.shell.library.rescan().revision, after);
}
