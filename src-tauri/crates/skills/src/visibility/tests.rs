use std::fs;
use std::path::Path;

use super::*;
use crate::library::{Choices, Library};
use crate::paths::Paths;

struct Home {
    dir: tempfile::TempDir,
    library: Library,
}

impl Home {
    /// With the settings of these tools.
    fn new(tools: &[&str]) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let library = Library::new(Paths::under(&dir.path().canonicalize().unwrap()));
        let home = Self { dir, library };
        for folder in tools {
            home.write(&format!("{folder}/settings.json"), "{}");
        }
        home
    }

    fn path(&self, path: &str) -> PathBuf {
        self.dir.path().canonicalize().unwrap().join(path)
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn skill(&self, folder: &str, name: &str) {
        self.write(
            &format!("{folder}/SKILL.md"),
            &format!("---\nname: {name}\ndescription: x\n---\nx\n"),
        );
    }

    fn choose(&self, change: impl FnOnce(&mut Choices, &Paths)) {
        let mut choices = self.library.choices();
        change(&mut choices, self.library.paths());
        self.library.choose(choices);
    }

    /// Tool, folder of the skill, and whether it is seen there, for one name.
    fn seen(&self, name: &str) -> Vec<(String, String, Seen)> {
        self.told(name).into_iter().map(|(tool, path, seen, _)| (tool, path, seen)).collect()
    }

    fn told(&self, name: &str) -> Vec<(String, String, Seen, String)> {
        let snapshot = self.library.rescan();
        snapshot
            .visibility(name)
            .into_iter()
            .map(|row| {
                let skill = snapshot.skill(&row.skill).unwrap();
                (row.tool, self.library.paths().display(&skill.path), row.seen, row.reason)
            })
            .collect()
    }
}

fn row(tool: &str, path: &str, seen: Seen) -> (String, String, Seen) {
    (tool.to_owned(), path.to_owned(), seen)
}

#[cfg(unix)]
fn link(target: &Path, at: &Path) {
    fs::create_dir_all(at.parent().unwrap()).unwrap();
    std::os::unix::fs::symlink(target, at).unwrap();
}

#[test]
fn a_skill_in_a_tools_folder_is_seen_through_it() {
    let home = Home::new(&[".claude"]);
    home.skill(".claude/skills/a", "a");
    let snapshot = home.library.rescan();
    assert_eq!(
        snapshot.visibility("a"),
        [Visibility {
            tool: "claude-code".into(),
            skill: snapshot.skills[0].id.clone(),
            root: home.path(".claude/skills"),
            seen: Seen::Seen,
            reason: "Claude Code reads this folder".into(),
        }]
    );
    assert_eq!(snapshot.visibility("b"), []);
}

#[test]
fn a_tool_that_is_switched_off_still_sees_what_it_reads_through_another_folder() {
    let home = Home::new(&[".claude", ".cursor"]);
    home.skill(".claude/skills/a", "a");
    home.choose(|choices, _| choices.set_on("cursor", Some(false)).unwrap());
    assert_eq!(
        home.seen("a"),
        [
            row("claude-code", "~/.claude/skills/a", Seen::Seen),
            row("cursor", "~/.claude/skills/a", Seen::Seen)
        ]
    );
    assert_eq!(home.library.snapshot().skills[0].tools, ["claude-code"]);
}

#[test]
fn the_stronger_folder_wins_where_a_source_says_which() {
    let home = Home::new(&[".gemini"]);
    home.skill(".gemini/skills/a", "a");
    home.skill(".agents/skills/a", "a");
    let gemini: Vec<_> =
        home.told("a").into_iter().filter(|(tool, ..)| tool == "gemini-cli").collect();
    assert_eq!(
        gemini.iter().map(|(_, path, seen, _)| (path.as_str(), *seen)).collect::<Vec<_>>(),
        [("~/.agents/skills/a", Seen::Seen), ("~/.gemini/skills/a", Seen::Shadowed)]
    );
    assert!(gemini[1].3.starts_with("Gemini CLI takes "));
    assert!(gemini[1].3.ends_with(".agents/skills/a before this one"));
}

#[test]
fn a_tool_that_lists_all_of_one_name_shadows_none() {
    let home = Home::new(&[".codex"]);
    home.skill(".codex/skills/a", "a");
    home.skill(".agents/skills/a", "a");
    let seen: Vec<_> = home.seen("a").into_iter().filter(|(tool, ..)| tool == "codex").collect();
    assert_eq!(
        seen,
        [
            row("codex", "~/.codex/skills/a", Seen::Seen),
            row("codex", "~/.agents/skills/a", Seen::Seen)
        ]
    );
}

#[test]
fn which_of_two_wins_is_unknown_where_no_source_says() {
    let home = Home::new(&[".cursor", ".claude"]);
    home.skill(".cursor/skills/a", "a");
    home.skill(".claude/skills/a", "a");
    let cursor: Vec<_> = home.told("a").into_iter().filter(|(tool, ..)| tool == "cursor").collect();
    assert_eq!(cursor.len(), 2);
    for (_, _, seen, reason) in cursor {
        assert_eq!(seen, Seen::Unknown);
        assert!(reason.starts_with("no source says which of several skills of one name Cursor"));
    }
}

#[test]
fn a_tool_that_goes_by_the_folders_name_takes_two_fields_of_one_name_for_two_skills() {
    let home = Home::new(&[".claude", ".codex"]);
    home.skill(".claude/skills/a", "same");
    home.skill(".claude/skills/b", "same");
    assert_eq!(
        home.seen("same"),
        [
            row("claude-code", "~/.claude/skills/a", Seen::Seen),
            row("claude-code", "~/.claude/skills/b", Seen::Seen)
        ]
    );
}

#[test]
fn a_skill_of_another_name_in_a_folder_of_this_name_stands_in_the_way() {
    let home = Home::new(&[".claude"]);
    home.skill(".claude/skills/a", "other");
    home.skill("project/.claude/skills/a", "mine");
    let project = home.path("project");
    home.choose(|choices, paths| choices.add_folder(&project, paths).unwrap());
    assert_eq!(
        home.seen("mine"),
        [row("claude-code", "~/project/.claude/skills/a", Seen::Shadowed)]
    );
    assert_eq!(home.seen("other"), [row("claude-code", "~/.claude/skills/a", Seen::Seen)]);
}

#[test]
fn a_projects_skill_wins_in_its_project_where_a_source_says_so() {
    let home = Home::new(&[".gemini"]);
    home.skill(".gemini/skills/a", "a");
    home.skill("project/.gemini/skills/a", "a");
    let project = home.path("project");
    home.choose(|choices, paths| choices.add_folder(&project, paths).unwrap());
    let told = home.told("a");
    assert_eq!(
        told.iter().map(|(_, path, seen, _)| (path.as_str(), *seen)).collect::<Vec<_>>(),
        [("~/.gemini/skills/a", Seen::Seen), ("~/project/.gemini/skills/a", Seen::Seen)]
    );
    assert!(told[0].3.contains("in its project it takes "));
}

#[test]
fn a_plug_ins_skill_is_unknown_and_shadows_none() {
    let home = Home::new(&[".claude"]);
    home.skill(".claude/skills/a", "a");
    home.skill(".claude/plugins/cache/market/plug-in/1.0.0/skills/a", "a");
    let told = home.told("a");
    assert_eq!(
        told.iter().map(|(_, path, seen, _)| (path.as_str(), *seen)).collect::<Vec<_>>(),
        [
            ("~/.claude/skills/a", Seen::Seen),
            ("~/.claude/plugins/cache/market/plug-in/1.0.0/skills/a", Seen::Unknown)
        ]
    );
    assert!(told[1].3.starts_with("it belongs to a plug-in"));
}

#[test]
fn a_skill_in_a_group_is_seen_by_tools_that_read_groups() {
    let home = Home::new(&[".claude", ".config/opencode", ".config/goose"]);
    home.skill(".claude/skills/team/a", "a");
    let told = home.told("a");
    let told: Vec<_> = told
        .iter()
        .map(|(tool, _, seen, reason)| (tool.as_str(), *seen, reason.as_str()))
        .collect();
    assert_eq!(
        told,
        [
            ("claude-code", Seen::NotSeen, "Claude Code reads only skills directly in the folder"),
            (
                "goose",
                Seen::Unknown,
                "no source says whether Goose reads skills in folders that group them"
            ),
            ("opencode", Seen::Seen, "OpenCode reads this folder")
        ]
    );
}

#[test]
fn a_broken_front_matter_is_not_seen_only_where_a_source_says_so() {
    let home = Home::new(&[".claude", ".codex", ".config/goose"]);
    let broken = "---\nname: a\ndescription: b: c\n---\nx\n";
    home.write(".claude/skills/a/SKILL.md", broken);
    home.write(".codex/skills/a/SKILL.md", broken);
    let told: Vec<_> =
        home.told("a").into_iter().map(|(tool, _, seen, reason)| (tool, seen, reason)).collect();
    assert_eq!(told.len(), 3);
    assert_eq!((told[0].0.as_str(), told[0].1), ("claude-code", Seen::Seen));
    assert_eq!((told[1].0.as_str(), told[1].1), ("codex", Seen::NotSeen));
    assert_eq!(told[1].2, "Codex leaves out skills whose front matter is no valid YAML");
    assert_eq!((told[2].0.as_str(), told[2].1), ("goose", Seen::Unknown));
}

#[cfg(unix)]
#[test]
fn a_link_is_seen_where_a_source_says_that_links_are_followed() {
    let home = Home::new(&[".claude", ".cursor"]);
    home.skill("work/a", "a");
    link(&home.path("work/a"), &home.path(".claude/skills/a"));
    link(&home.path("gone"), &home.path(".claude/skills/dangling"));
    assert_eq!(
        home.seen("a"),
        [
            row("claude-code", "~/.claude/skills/a", Seen::Seen),
            row("cursor", "~/.claude/skills/a", Seen::Unknown)
        ]
    );
    assert_eq!(
        home.seen("dangling"),
        [
            row("claude-code", "~/.claude/skills/dangling", Seen::NotSeen),
            row("cursor", "~/.claude/skills/dangling", Seen::NotSeen)
        ]
    );
}

#[test]
fn a_shadow_needs_a_rival_that_is_seen() {
    let home = Home::new(&[".gemini"]);
    home.skill(".gemini/skills/a", "a");
    home.skill(".agents/skills/team/a", "a");
    let seen: Vec<_> =
        home.seen("a").into_iter().filter(|(tool, ..)| tool == "gemini-cli").collect();
    assert_eq!(
        seen,
        [
            row("gemini-cli", "~/.agents/skills/team/a", Seen::NotSeen),
            row("gemini-cli", "~/.gemini/skills/a", Seen::Seen)
        ]
    );
}
