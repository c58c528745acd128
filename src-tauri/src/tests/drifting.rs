//! How copies stand to what was installed and to what is there now where they came from, and two
//! versions side by side.

#![allow(clippy::disallowed_methods)]

use std::fs;

use serde_json::{Value, json};

use super::changing::{main_file, results};
use super::commands::Played;
use super::fixing::detail;

const THERE: &str = "~/.cursor/skills/notes";

impl Played {
    /// With a skill of Claude Code that was copied to Cursor.
    fn with_a_copy() -> Self {
        let played = Self::with_skills(&["notes"]);
        played.copied_to_cursor(&["notes"]);
        played
    }

    fn there(&self) -> Value {
        self.copy("notes", THERE)
    }

    fn update(&self, on_edited: &str) -> Value {
        let copy = self.there();
        self.plan_changes(json!([{ "kind": "update", "copy": copy["id"], "onEdited": on_edited }]))
    }

    fn edit(&self, folder: &str, more: &str) {
        fs::write(self.at(folder).join("SKILL.md"), format!("{}{more}", main_file("notes")))
            .unwrap();
    }

    fn lines(&self, left: &Value, right: &Value) -> Vec<(String, String)> {
        let arguments = json!({ "left": left, "right": right, "path": "SKILL.md" });
        let lines = self.local("compare_sides_file", arguments).unwrap();
        let lines = lines.as_array().unwrap().clone();
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        lines
            .iter()
            .filter(|line| line["kind"] != "same" && line["kind"] != "gap")
            .map(|line| (text(&line["kind"]), text(&line["text"])))
            .collect()
    }
}

#[test]
fn what_was_edited_here_is_told_kept_by_an_update_and_replaced_only_when_asked() {
    let played = Played::with_a_copy();
    assert_eq!(played.there()["state"], "fine");
    played.edit(".cursor/skills/notes", "mine\n");
    assert_eq!(played.there()["state"], "edited");
    assert_eq!(played.row("notes")["state"], "edited");

    played.edit(".claude/skills/notes", "theirs\n");
    assert_eq!(played.there()["state"], "diverged");
    let kept = played.update("keep");
    assert_eq!((&kept["items"][0]["action"], &kept["writes"]), (&json!("keep"), &json!(0)));
    assert_eq!(
        (&kept["items"][0]["kind"], &kept["items"][0]["edited"]),
        (&json!("update"), &json!(true))
    );

    let outcome = played.apply_changes(&played.update("replace")).unwrap();
    assert_eq!(results(&outcome)[0].1, "replaced");
    let text = fs::read_to_string(played.at(".cursor/skills/notes/SKILL.md")).unwrap();
    assert!(text.ends_with("theirs\n"), "{text}");
    assert_eq!(played.there()["state"], "fine");
    let activity = played.local("activity", json!({})).unwrap();
    assert_eq!(activity["rows"][0]["kind"], "updated");

    // The edited one is still in the trash, and can be looked at and put back.
    let trash = played.local("trash", json!({})).unwrap();
    let trashed = json!({ "kind": "trashed", "id": trash["rows"][0]["id"] });
    let now = json!({ "kind": "copy", "id": played.there()["id"] });
    assert_eq!(
        played.lines(&trashed, &now),
        [("removed".to_owned(), "mine".to_owned()), ("added".to_owned(), "theirs".to_owned())]
    );
    played.local("undo", json!({ "change": outcome["change"] })).unwrap();
    let text = fs::read_to_string(played.at(".cursor/skills/notes/SKILL.md")).unwrap();
    assert!(text.ends_with("mine\n"), "{text}");
}

#[test]
fn a_source_that_changed_is_an_update() {
    let played = Played::with_a_copy();
    played.edit(".claude/skills/notes", "newer\n");
    assert_eq!(played.there()["state"], "update");
    let id = played.there()["id"].clone();
    let shown = played.local("skill_detail", json!({ "copy": id })).unwrap();
    assert_eq!(shown["placement"]["drift"], "update");
    assert_eq!(shown["placement"]["update"]["approved"], true);
    assert_eq!(shown["placement"]["mode"], "copy");
    let outcome = played.apply_changes(&played.update("keep")).unwrap();
    assert_eq!(results(&outcome)[0].1, "replaced");
    assert_eq!(
        (&played.there()["state"], &played.row("notes")["state"]),
        (&json!("fine"), &json!("fine"))
    );
}

#[test]
fn line_endings_that_were_changed_are_told_as_that_and_nothing_more() {
    let played = Played::with_a_copy();
    let file = played.at(".cursor/skills/notes/SKILL.md");
    fs::write(&file, main_file("notes").replace('\n', "\r\n")).unwrap();
    assert_eq!(played.there()["state"], "lineEndings");
    assert_eq!(played.row("notes")["state"], "edited");
    let left = json!({ "kind": "installed", "copy": played.there()["id"] });
    let right = json!({ "kind": "copy", "id": played.there()["id"] });
    let view = played.local("compare", json!({ "left": left, "right": right })).unwrap();
    assert_eq!(view["left"], "~/.cursor/skills/notes as it was installed");
    assert_eq!(view["right"], THERE);
    let file = &view["files"][0];
    assert_eq!((&file["same"], &file["onlyLineEndings"]), (&json!(false), &json!(true)));
}

#[test]
fn a_copy_is_compared_with_itself_as_it_was_installed_while_the_bytes_are_kept() {
    let played = Played::with_a_copy();
    fs::write(played.at(".cursor/skills/notes/mine.txt"), "mine\n").unwrap();
    played.edit(".cursor/skills/notes", "mine\n");
    let id = played.there()["id"].clone();
    let installed = json!({ "kind": "installed", "copy": id });
    let now = json!({ "kind": "copy", "id": id });
    assert_eq!(played.lines(&installed, &now), [("added".to_owned(), "mine".to_owned())]);
    let view = played.local("compare", json!({ "left": installed, "right": now })).unwrap();
    let paths: Vec<&Value> =
        view["files"].as_array().unwrap().iter().map(|file| &file["path"]).collect();
    assert_eq!(paths, ["SKILL.md", "mine.txt"]);
    assert_eq!(view["files"][1]["left"], Value::Null);

    // The folder it came from was the only one that still had them.
    played.edit(".claude/skills/notes", "other\n");
    let view = {
        played.shell.library.rescan();
        played.local("compare", json!({ "left": installed, "right": now })).unwrap()
    };
    let why = view["files"][0]["notKept"].as_str().unwrap();
    assert!(why.starts_with("the bytes of SKILL.md"), "{why}");
    let arguments = json!({ "left": installed, "right": now, "path": "SKILL.md" });
    let error = played.local("compare_sides_file", arguments).unwrap_err();
    assert_eq!(error["code"], "gone");
}

#[test]
fn what_is_gone_is_a_row_keeps_no_start_from_being_made_and_can_be_installed_again() {
    let played = Played::with_a_copy();
    fs::remove_dir_all(played.at(".cursor/skills/notes")).unwrap();
    let Played { home, .. } = played;
    let played = Played::in_home("main", home);
    let library = played.library();
    let gone = &library["gone"][0];
    assert_eq!((&gone["name"], &gone["path"]), (&json!("notes"), &json!(THERE)));
    assert_eq!((&gone["state"], &gone["tools"]), (&json!("missing"), &json!(["cursor"])));
    assert_eq!(gone["origin"], "~/.claude/skills/notes");
    assert_eq!(played.row("notes")["state"], "missing");

    let again = json!([{ "kind": "update", "copy": gone["id"], "onEdited": "keep" }]);
    let outcome = played.change(again);
    assert_eq!(results(&outcome)[0].1, "written", "{outcome:#}");
    assert_eq!(played.row("notes")["state"], "fine");

    fs::remove_dir_all(played.at(".cursor/skills/notes")).unwrap();
    let id = played.library()["gone"][0]["id"].clone();
    played.change(json!([{ "kind": "remove", "copy": id }]));
    assert_eq!(played.library()["gone"], json!([]));
    assert_eq!(played.row("notes")["state"], "fine");
}

#[test]
fn a_name_of_which_only_a_record_is_left_has_a_row() {
    let played = Played::with_a_copy();
    fs::remove_dir_all(played.at(".cursor/skills/notes")).unwrap();
    fs::remove_dir_all(played.at(".claude/skills/notes")).unwrap();
    let row = played.row("notes");
    assert_eq!((&row["state"], &row["copies"]), (&json!("missing"), &json!([])));
}

#[test]
fn something_else_in_the_place_of_a_skill_is_told() {
    let played = Played::with_a_copy();
    let there = played.at(".cursor/skills/notes");
    fs::rename(&there, played.at("moved")).unwrap();
    fs::create_dir(&there).unwrap();
    fs::write(there.join("SKILL.md"), main_file("notes").replace("Does", "Is")).unwrap();
    assert_eq!(played.there()["state"], "replaced");
    fs::remove_dir_all(&there).unwrap();
    fs::write(&there, "a file").unwrap();
    let library = played.library();
    assert_eq!(library["gone"][0]["state"], "replaced", "{:#}", library["gone"]);
}

#[test]
fn the_last_way_a_skill_was_placed_for_a_tool_is_the_next_one() {
    let played = Played::with_skills(&["notes", "plans"]);
    let tool = |id: &str| {
        let library = played.library();
        let tools = library["tools"].as_array().unwrap().clone();
        tools.into_iter().find(|tool| tool["id"] == id).unwrap()
    };
    assert_eq!(tool("cursor")["mode"], "copy");
    let copy = played.copy("notes", "~/.claude/skills/notes");
    let outcome = played.change(json!([{
        "kind": "place",
        "source": { "kind": "copy", "id": copy["id"] },
        "targets": [{ "tool": "cursor", "onConflict": "keep", "name": null, "mode": "link" }],
    }]));
    assert_eq!(results(&outcome)[0].1, "written", "{outcome:#}");
    if played.at(".cursor/skills/notes").symlink_metadata().unwrap().is_symlink() {
        assert_eq!(played.there()["mode"], "link");
        assert_eq!(tool("cursor")["placed"], true);
        // A tool that may leave links out gets them only when asked for.
        let links = tool("cursor")["links"].clone();
        let next = if links == "ignores" { "copy" } else { "link" };
        assert_eq!(tool("cursor")["mode"], next);
        let shown = detail(&played, "plans");
        let plan = played
            .local(
                "plan",
                json!({
                    "source": { "kind": "copy", "id": shown["id"] },
                    "targets": [{ "tool": "cursor", "onConflict": "keep", "name": null }],
                }),
            )
            .unwrap();
        assert_eq!(plan["items"][0]["mode"], next);
    }
}

#[cfg(unix)]
#[test]
fn tools_that_share_a_linked_skill_are_one_copy_and_one_of_them_can_lose_it() {
    let played = Played::with_skills(&["notes"]);
    super::commands::installed(played.home.path(), ".codex/config.toml");
    let copy = played.copy("notes", "~/.claude/skills/notes");
    let target =
        |tool: &str| json!({ "tool": tool, "onConflict": "keep", "name": null, "mode": "link" });
    played.change(json!([{
        "kind": "place",
        "source": { "kind": "copy", "id": copy["id"] },
        "targets": [target("cursor"), target("codex")],
    }]));
    let links = [".cursor/skills/notes", ".codex/skills/notes"].map(|path| played.at(path));
    for link in &links {
        assert!(link.symlink_metadata().unwrap().is_symlink(), "{link:?}");
    }
    let row = played.row("notes");
    assert_eq!(row["copies"].as_array().unwrap().len(), 2, "{row:#}");
    let linked = row["copies"].as_array().unwrap().iter().find(|copy| copy["linked"] == true);
    let linked = linked.unwrap().clone();
    assert_eq!((&linked["mode"], &linked["state"]), (&json!("link"), &json!("fine")));
    let tools = linked["tools"].as_array().unwrap();
    assert!(tools.contains(&json!("cursor")) && tools.contains(&json!("codex")), "{linked:#}");
    let shown = played.local("skill_detail", json!({ "copy": linked["id"] })).unwrap();
    let canonical = shown["placement"]["canonical"].as_str().unwrap();
    assert!(canonical.starts_with("~/.local/share/skillhold/linked/"), "{canonical}");
    // What is known of tools and links is said of each.
    let sees = |tool: &str| {
        let rows = shown["visibility"].as_array().unwrap();
        let row = rows.iter().find(|row| row["tool"] == tool && row["copy"] == linked["id"]);
        let row = row.unwrap_or_else(|| panic!("no {tool} in {rows:#?}"));
        (row["root"].clone(), row["seen"].clone(), row["reason"].clone())
    };
    assert_eq!(
        sees("codex"),
        (json!("~/.codex/skills"), json!("seen"), json!("Codex reads this folder"))
    );
    // It also reads the folder of Claude Code, where another of this name is.
    let (root, seen, reason) = sees("cursor");
    assert_eq!((root, seen), (json!("~/.cursor/skills"), json!("unknown")));
    assert!(reason.as_str().unwrap().starts_with("no source says"), "{reason}");

    let remove = json!({ "kind": "remove", "copy": linked["id"], "tool": "codex" });
    let batch = played.plan_changes(json!([remove]));
    assert_eq!(batch["items"].as_array().unwrap().len(), 1, "{batch:#}");
    assert_eq!(batch["items"][0]["path"], "~/.codex/skills/notes");
    assert_eq!(batch["items"][0]["mode"], "link");
    played.apply_changes(&batch).unwrap();
    assert!(links[0].join("SKILL.md").is_file());
    assert!(links[1].symlink_metadata().is_err());

    // An update changes the one copy behind every link.
    fs::write(played.at(".claude/skills/notes/SKILL.md"), format!("{}newer\n", main_file("notes")))
        .unwrap();
    let copy = played.copy("notes", "~/.cursor/skills/notes");
    assert_eq!(copy["state"], "update");
    let update = json!([{ "kind": "update", "copy": copy["id"], "onEdited": "keep" }]);
    let outcome = played.change(update);
    assert_eq!(results(&outcome)[0].1, "replaced", "{outcome:#}");
    let text = fs::read_to_string(links[0].join("SKILL.md")).unwrap();
    assert!(text.ends_with("newer\n"), "{text}");
    assert!(links[0].symlink_metadata().unwrap().is_symlink());

    // A link that leads nowhere is a row, and nothing else breaks.
    fs::remove_dir_all(played.at(".local/share/skillhold/linked")).unwrap();
    let row = played.row("notes");
    assert_eq!(row["state"], "missing", "{row:#}");
    assert_eq!(played.copy("notes", "~/.cursor/skills/notes")["state"], "missing");
}

#[test]
fn what_was_deleted_or_edited_since_it_was_listed_is_seen_before_anything_is_planned() {
    let played = Played::with_skills(&["notes", "plans"]);
    let notes = played.copy("notes", "~/.claude/skills/notes");
    let plans = played.copy("plans", "~/.claude/skills/plans");
    fs::remove_dir_all(played.at(".claude/skills/notes")).unwrap();
    let place = |copy: &Value| {
        json!({
            "source": { "kind": "copy", "id": copy["id"] },
            "targets": [{ "tool": "cursor", "onConflict": "keep", "name": null }],
        })
    };
    assert_eq!(played.local("plan", place(&notes)).unwrap_err()["code"], "gone");
    for kind in ["disable", "remove", "adopt"] {
        let changes = json!({ "changes": [{ "kind": kind, "copy": notes["id"] }] });
        assert_eq!(played.local("plan_changes", changes).unwrap_err()["code"], "gone", "{kind}");
    }
    played.edit(".claude/skills/plans", "newer\n");
    let plan = played.local("plan", place(&plans)).unwrap();
    assert_eq!(plan["blockers"], json!([]), "{plan:#}");
    assert_eq!(plan["files"][0]["size"], main_file("notes").len() + "newer\n".len());
}

#[test]
fn what_was_decided_once_for_all_is_kept() {
    let played = Played::with_skills(&[]);
    let settings =
        |played: &Played| played.local("settings", json!({})).unwrap()["approvals"].clone();
    assert_eq!(settings(&played), "always");
    played.local("set_approvals", json!({ "approvals": "sameContent" })).unwrap();
    let url = "http://127.0.0.1:9/mcp";
    let given = json!({ "token": null, "headers": [] });
    let server = json!({ "label": "x", "url": url, "given": given });
    let id = played.local("add_http_server", server).unwrap();
    played.local("set_never_install", json!({ "server": id, "on": true })).unwrap();
    let Played { home, shell, .. } = played;
    shell.connections.stop_all();
    drop(shell);

    let played = Played::in_home("main", home);
    assert_eq!(settings(&played), "sameContent");
    let servers = played.local("servers", json!({})).unwrap();
    let servers = servers["servers"].as_array().unwrap();
    let server = servers.iter().find(|server| server["id"] == id).unwrap();
    assert_eq!(server["neverInstall"], true);
    played.local("set_never_install", json!({ "server": id, "on": false })).unwrap();
    let unknown = json!({ "approvals": "never" });
    assert!(played.local("set_approvals", unknown).is_err());
}

#[cfg(unix)]
#[test]
fn a_tool_that_leaves_links_out_is_named_before_a_skill_is_linked_for_it() {
    let played = Played::with_skills(&["notes"]);
    super::commands::installed(played.home.path(), ".kiro/settings/cli.json");
    let copy = played.copy("notes", "~/.claude/skills/notes");
    let plan = played
        .local(
            "plan",
            json!({
                "source": { "kind": "copy", "id": copy["id"] },
                "targets": [
                    { "tool": "kiro-cli", "onConflict": "keep", "name": null, "mode": "link" },
                    { "tool": "kiro-cli", "onConflict": "keep", "name": "other", "mode": "copy" },
                ],
            }),
        )
        .unwrap();
    let message = plan["items"][0]["message"].as_str().unwrap();
    assert!(message.contains("leaves out skills whose folders are links"), "{plan:#}");
    assert_eq!(plan["items"][0]["mode"], "link");
    assert_eq!(plan["items"][1]["mode"], "copy");
    let message = plan["items"][1]["message"].as_str().unwrap();
    assert!(!message.contains("links"), "{message}");
}
