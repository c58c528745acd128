//! Skills from one home to another in one file, through the commands that the page calls.

#![allow(clippy::disallowed_methods)]

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::Receiver;
use std::time::Duration;

use serde_json::{Value, json};
use tauri::async_runtime::block_on;
use tokio_util::sync::CancellationToken;

use super::commands::Played;
use crate::shell::Shell;
use crate::view::{
    ImportedKind, OfferRow, OnConflict, OutcomeResult, Reached, ReviewView, ServerState,
    ServerView, SourceRef, Standing, TargetRef,
};

const SAMPLE: &str = "skill://meeting-notes/SKILL.md";
const OWN: &str = "---\nname: own\ndescription: Made by hand\n---\nDo it.\n";
/// Longer than anything here takes; only a failure waits this long.
const PATIENCE: Duration = Duration::from_secs(60);

/// A home with Claude Code in it, and a program that is scanned and connected.
struct Home {
    played: Played,
    told: Receiver<()>,
}

impl Home {
    fn new(label: &str) -> Self {
        let played = Played::new(label);
        let told = played.changes();
        played.shell.scan();
        played.shell.connect().unwrap();
        let home = Self { played, told };
        home.until(|shell| shell.scanned().then_some(()));
        home
    }

    fn until<T>(&self, answer: impl Fn(&Arc<Shell>) -> Option<T>) -> T {
        loop {
            if let Some(answer) = answer(&self.played.shell) {
                return answer;
            }
            self.told.recv_timeout(PATIENCE).expect("a change");
        }
    }

    fn at(&self, path: &str) -> PathBuf {
        self.played.home.path().join(path)
    }

    /// The person chooses this in the next dialog.
    fn choose(&self, path: &Path) {
        *self.played.choice.lock().unwrap() = Some(path.to_owned());
    }

    fn call(&self, command: &str, arguments: Value) -> Result<Value, Value> {
        self.played.local(command, arguments)
    }

    /// A server once it is reached and offers this.
    fn server(&self, uri: &str, fits: impl Fn(&ServerView) -> bool) -> (ServerView, OfferRow) {
        self.until(|shell| {
            shell.servers_view().unwrap().servers.into_iter().find_map(|server| {
                let reached = matches!(server.state, ServerState::Connected { .. });
                let offer = server.offers.iter().find(|offer| offer.uri == uri).cloned()?;
                (reached && fits(&server)).then_some((server, offer))
            })
        })
    }

    fn review(&self, server: &str, uri: &str) -> ReviewView {
        let stop = CancellationToken::new();
        block_on(self.played.shell.start_review(server, uri, &stop, |_| {})).unwrap()
    }

    fn approve(&self, server: &str, uri: &str) {
        let review = self.review(server, uri);
        assert_eq!(review.blockers, Vec::<String>::new());
        let fingerprint = &review.manifest.fingerprint;
        block_on(self.played.shell.approve(&review.id, fingerprint, false, &[])).unwrap();
    }

    /// What stands against installing, or nothing once it is done.
    fn install(&self, server: &str, uri: &str) -> Vec<String> {
        let source = SourceRef::Offer {
            server: server.to_owned(),
            uri: uri.to_owned(),
            executable: Vec::new(),
        };
        let target = TargetRef {
            tool: "claude-code".to_owned(),
            on_conflict: OnConflict::Keep,
            name: None,
            mode: None,
        };
        let plan = self.played.shell.plan(&source, &[target]).unwrap();
        if !plan.blockers.is_empty() {
            return plan.blockers;
        }
        let stop = CancellationToken::new();
        let outcome = block_on(self.played.shell.apply_plan(&plan.id, stop, |_| {})).unwrap();
        assert_eq!(outcome.items[0].result, OutcomeResult::Written, "{outcome:?}");
        Vec::new()
    }

    fn copy(&self, name: &str) -> String {
        let view = self.played.shell.library_view().unwrap();
        view.skills.iter().find(|row| row.name == name).unwrap().copies[0].id.clone()
    }
}

/// One skill from a server and one made by hand, in one file.
fn exported() -> (Home, PathBuf) {
    let home = Home::new("main");
    let (samples, _) = home.server(SAMPLE, |server| server.reached == Reached::Samples);
    home.approve(&samples.id, SAMPLE);
    assert_eq!(home.install(&samples.id, SAMPLE), Vec::<String>::new());
    let own = home.at(".claude/skills/own");
    fs::create_dir_all(own.join("scripts")).unwrap();
    fs::write(own.join("SKILL.md"), OWN).unwrap();
    fs::write(own.join("scripts/run.sh"), "#!/bin/sh\n").unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let executable = fs::Permissions::from_mode(0o755);
        fs::set_permissions(own.join("scripts/run.sh"), executable).unwrap();
    }
    home.played.shell.library.rescan();
    let file = home.at("skills.zip");
    home.choose(&file);
    let copies = [home.copy("meeting-notes"), home.copy("own")];
    let outcome = home.call("export_bundle", json!({ "copies": copies })).unwrap();
    assert_eq!(outcome["name"], "2 skills");
    assert_eq!(outcome["change"], "");
    assert_eq!(outcome["items"][0]["path"], "~/skills.zip");
    assert_eq!(outcome["items"][0]["result"], "written");
    assert_eq!(home.played.asked.lock().unwrap().as_slice(), ["Export skills into a file"]);
    (home, file)
}

#[test]
fn skills_go_out_and_come_in_elsewhere_and_are_reviewed_like_a_servers() {
    let (here, file) = exported();
    let there = Home::new("main");
    there.choose(&file);
    let imported = there.call("import_skills", json!({ "from": "file" })).unwrap();
    assert_eq!(imported["label"], "skills");
    assert_eq!(imported["already"], false);
    assert_eq!(imported["skills"], json!(["meeting-notes", "own"]));
    assert_eq!(imported["leftOut"], json!([]));
    let id = imported["server"].as_str().unwrap();

    let (server, offer) = there.server(SAMPLE, |server| server.id == id);
    assert_eq!((server.reached, server.offers.len()), (Reached::Imported, 2));
    let from = server.imported.unwrap();
    assert_eq!((from.from, from.name.as_str()), (ImportedKind::Bundle, "skills.zip"));
    assert_eq!(server.address, "imported from a file");
    // The approval there is none here.
    assert_eq!(offer.standing, Standing::Unreviewed);
    let review = there.review(id, SAMPLE);
    let said = review.said.unwrap();
    assert_eq!(said.origin.as_deref(), Some("Samples, samples, skill://meeting-notes/SKILL.md"));
    let approval = said.approval.unwrap();
    assert!(approval.same_content && !approval.granted);
    assert_eq!(review.standing, Standing::Unreviewed);
    assert_ne!(there.install(id, SAMPLE), Vec::<String>::new());
    let own = "skill://own/SKILL.md";
    let said = there.review(id, own).said.unwrap();
    assert_eq!((said.origin, said.approval), (None, None));
    #[cfg(unix)]
    assert_eq!(said.executable, ["scripts/run.sh"]);

    for uri in [SAMPLE, own] {
        there.approve(id, uri);
        assert_eq!(there.install(id, uri), Vec::<String>::new());
    }
    for path in ["meeting-notes/SKILL.md", "own/SKILL.md", "own/scripts/run.sh"] {
        let path = format!(".claude/skills/{path}");
        assert_eq!(fs::read(there.at(&path)).unwrap(), fs::read(here.at(&path)).unwrap());
    }
    there.played.shell.library.rescan();
    let detail = there.played.shell.skill_detail(&there.copy("own")).unwrap();
    assert_eq!(detail.placement.unwrap().origin, "skills");
}

#[test]
fn the_same_file_twice_is_one_server_and_removing_it_keeps_what_was_installed() {
    let (_here, file) = exported();
    let there = Home::new("main");
    let import = || {
        there.choose(&file);
        there.call("import_skills", json!({ "from": "file" })).unwrap()
    };
    let first = import();
    let id = first["server"].as_str().unwrap();
    let own = "skill://own/SKILL.md";
    there.server(own, |server| server.id == id);
    there.approve(id, own);
    assert_eq!(there.install(id, own), Vec::<String>::new());
    let again = import();
    assert_eq!((&again["server"], &again["already"]), (&first["server"], &json!(true)));
    let (_, offer) = there.server(own, |server| server.id == id);
    assert!(matches!(offer.standing, Standing::Approved { .. }), "{offer:?}");
    there.call("remove_server", json!({ "server": id })).unwrap();
    assert!(!there.at(".local/share/skillhold/imported").exists());
    assert_eq!(fs::read_to_string(there.at(".claude/skills/own/SKILL.md")).unwrap(), OWN);
}

#[test]
fn an_imported_server_has_nothing_to_change_and_says_when_its_files_were() {
    let (_here, file) = exported();
    let there = Home::new("main");
    there.choose(&file);
    let imported = there.call("import_skills", json!({ "from": "file" })).unwrap();
    let id = imported["server"].as_str().unwrap();
    let own = "skill://own/SKILL.md";
    there.server(own, |server| server.id == id);
    let change = json!({
        "address": "http://127.0.0.1:1/mcp",
        "token": { "kind": "keep" },
        "headers": [],
        "variables": [],
    });
    let refused = there.call("change_server", json!({ "server": id, "change": change }));
    assert_eq!(refused.unwrap_err()["message"], "imported skills have no address to change");
    there.call("rename_server", json!({ "server": id, "label": "Team" })).unwrap();

    let kept = there.at(".local/share/skillhold/imported");
    let kept = fs::read_dir(&kept).unwrap().next().unwrap().unwrap().path();
    fs::write(kept.join("skills/own/SKILL.md"), "other").unwrap();
    there.call("set_server_enabled", json!({ "server": id, "enabled": false })).unwrap();
    there.call("set_server_enabled", json!({ "server": id, "enabled": true })).unwrap();
    let error = there.until(|shell| {
        let view = shell.servers_view().unwrap();
        let server = view.servers.into_iter().find(|server| server.id == id)?;
        match server.state {
            ServerState::Unreachable { error, again } => Some((error, again)),
            _ => None,
        }
    });
    assert!(error.0.message.ends_with("the imported files were changed since"), "{error:?}");
    assert_eq!(error.0.hint.as_deref(), Some("import them again, from the same file or folder"));
    assert_eq!(error.1, None);
    // The same file puts it right.
    there.choose(&file);
    let again = there.call("import_skills", json!({ "from": "file" })).unwrap();
    assert_eq!((&again["server"], &again["label"]), (&imported["server"], &json!("Team")));
    there.server(own, |server| server.id == id);
}

#[test]
fn a_folder_comes_in_and_what_is_left_out_is_told() {
    let home = Home::new("main");
    for (path, text) in [("mine/own/SKILL.md", OWN), ("mine/broken/SKILL.md", "no front matter\n")]
    {
        fs::create_dir_all(home.at(path).parent().unwrap()).unwrap();
        fs::write(home.at(path), text).unwrap();
    }
    home.choose(&home.at("mine"));
    let imported = home.call("import_skills", json!({ "from": "folder" })).unwrap();
    assert_eq!((&imported["label"], &imported["skills"]), (&json!("mine"), &json!(["own"])));
    assert_eq!(imported["leftOut"][0]["name"], "broken");
    assert_eq!(
        home.played.asked.lock().unwrap().as_slice(),
        ["Import a skill or a folder of skills"]
    );
    fs::remove_file(home.at("mine/own/SKILL.md")).unwrap();
    home.choose(&home.at("mine"));
    let error = home.call("import_skills", json!({ "from": "folder" })).unwrap_err();
    assert_eq!(error["code"], "badInput");
    assert_eq!(error["message"], "nothing of \"mine\" can be imported");
    assert_eq!(error["causes"].as_array().unwrap().len(), 1);
}

#[test]
fn nothing_happens_where_nothing_is_chosen() {
    let home = Home::new("main");
    for from in ["file", "folder"] {
        assert_eq!(home.call("import_skills", json!({ "from": from })).unwrap(), Value::Null);
    }
    let error = home.call("export_bundle", json!({ "copies": [] })).unwrap_err();
    assert_eq!(error["message"], "no skill was chosen");
    let error = home.call("export_bundle", json!({ "copies": ["x"] })).unwrap_err();
    assert_eq!(error["code"], "gone");
    assert!(!home.at(".local/share/skillhold/imported").exists());
}
