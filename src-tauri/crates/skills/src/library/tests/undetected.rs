//! Tools of which only a folder is here: nothing of them is read until they are switched on.

use super::*;
use crate::tool::Detection;

impl Home {
    /// Below home: folders that are not read, whose they are, and how many skills lie in each.
    fn unread(&self) -> Vec<(String, Vec<String>, usize)> {
        let snapshot = self.library.rescan();
        let unread = snapshot.unread.iter();
        unread
            .map(|one| (self.library.paths().display(&one.path), one.tools.clone(), one.count))
            .collect()
    }

    fn set(&self, change: impl FnOnce(&mut Choices)) {
        let mut choices = self.library.choices();
        change(&mut choices);
        self.library.choose(choices);
    }

    fn state(&self, id: &str) -> (Detection, bool) {
        let snapshot = self.library.rescan();
        let state = snapshot.tools.iter().find(|state| state.tool.id == id).unwrap();
        (state.detection, state.on)
    }
}

fn unread(path: &str, tools: &[&str], count: usize) -> (String, Vec<String>, usize) {
    (path.into(), tools.iter().map(|tool| (*tool).to_owned()).collect(), count)
}

#[test]
fn a_folder_that_a_tool_left_behind_is_counted_and_not_read() {
    let home = Home::new();
    home.skill(".claude/skills/a", "x");
    home.skill(".cursor/skills/b", "x");
    home.skill(".cursor/skills/team/c", "x");
    home.skill(".cursor/skills/team/too/deep", "x");
    home.write(".cursor/skills/README.md", "x");
    assert_eq!(home.state("cursor"), (Detection::FolderOnly, false));
    assert_eq!(home.rows(), [row("a", "~/.claude/skills/a", &["claude-code"])]);
    assert_eq!(home.unread(), [unread("~/.cursor/skills", &["cursor"], 2)]);
    let snapshot = home.library.snapshot();
    assert_eq!(snapshot.roots.len(), 1);
    // A tool that is not here sees nothing either.
    assert_eq!(snapshot.roots[0].readers.len(), 1);
}

#[test]
fn once_it_is_switched_on_its_skills_are_there_and_once_off_nobody_is_asked_again() {
    let home = Home::new();
    home.skill(".cursor/skills/b", "x");
    home.set(|choices| choices.set_on("cursor", Some(true)).unwrap());
    assert_eq!(home.rows(), [row("b", "~/.cursor/skills/b", &["cursor"])]);
    assert_eq!(home.unread(), []);
    home.set(|choices| choices.set_on("cursor", Some(false)).unwrap());
    assert_eq!(home.rows(), []);
    assert_eq!(home.unread(), []);
    home.set(|choices| choices.set_on("cursor", None).unwrap());
    assert_eq!(home.unread(), [unread("~/.cursor/skills", &["cursor"], 1)]);
}

#[test]
fn a_tool_that_is_installed_meanwhile_is_read_by_itself() {
    let home = Home::new();
    home.skill(".cursor/skills/b", "x");
    assert_eq!(home.rows(), []);
    home.write(".cursor/ide_state.json", "{}");
    assert_eq!(home.rows(), [row("b", "~/.cursor/skills/b", &["cursor"])]);
    assert_eq!(home.unread(), []);
}

#[test]
fn a_shared_folder_is_read_as_soon_as_one_of_its_tools_is_here() {
    let home = Home::new();
    home.skill(".agents/skills/a", "x");
    assert_eq!(home.rows(), []);
    assert_eq!(home.unread(), [unread("~/.agents/skills", &["universal"], 1)]);
    home.write(".warp/settings.json", "{}");
    assert_eq!(home.rows(), [row("a", "~/.agents/skills/a", &["warp"])]);
    assert_eq!(home.unread(), []);
    fs::remove_dir_all(home.path(".warp")).unwrap();
    home.set(|choices| choices.set_on("universal", Some(true)).unwrap());
    assert_eq!(home.rows(), [row("a", "~/.agents/skills/a", &["universal"])]);
}

#[test]
fn a_folder_of_two_tools_is_counted_once_and_an_empty_one_is_not_worth_a_word() {
    let home = Home::new();
    home.skill(".zencoder/skills/a", "x");
    home.write(".qwen/skills/README.md", "x");
    assert_eq!(home.unread(), [unread("~/.zencoder/skills", &["zencoder", "zenflow"], 1)]);
}

#[test]
fn a_tool_for_which_something_was_placed_is_read_unless_it_is_switched_off() {
    let home = Home::new();
    home.skill(".cursor/skills/b", "x");
    home.skill(".qwen/skills/c", "x");
    home.set(|choices| choices.placed = ["cursor".to_owned()].into());
    assert_eq!(home.rows(), [row("b", "~/.cursor/skills/b", &["cursor"])]);
    assert_eq!(home.state("cursor"), (Detection::FolderOnly, true));
    assert_eq!(home.unread(), [unread("~/.qwen/skills", &["qwen-code"], 1)]);
    home.set(|choices| choices.set_on("cursor", Some(false)).unwrap());
    assert_eq!(home.rows(), []);
    // It is told anew at each start.
    let text = serde_json::to_string(&home.library.choices()).unwrap();
    assert!(!text.contains("placed"), "{text}");
}

#[test]
fn a_tool_that_was_given_a_folder_is_read() {
    let home = Home::new();
    home.skill("mine/b", "x");
    let mine = home.path("mine");
    let paths = home.library.paths().clone();
    home.set(|choices| {
        choices.set_roots("cursor", Some(std::slice::from_ref(&mine)), &paths).unwrap();
    });
    assert_eq!(home.state("cursor"), (Detection::NotFound, true));
    assert_eq!(home.rows(), [row("b", "~/mine/b", &["cursor"])]);
}

#[test]
fn a_folder_that_is_read_for_another_reason_is_not_called_unread() {
    let home = Home::new();
    home.skill(".cursor/skills/b", "x");
    let folder = home.path(".cursor/skills");
    let paths = home.library.paths().clone();
    home.set(|choices| choices.add_folder(&folder, &paths).unwrap());
    assert_eq!(home.rows(), [row("b", "~/.cursor/skills/b", &[])]);
    assert_eq!(home.unread(), []);
}

#[cfg(unix)]
#[test]
fn an_unread_folder_that_is_a_link_to_a_read_one_is_read() {
    let home = Home::new();
    home.skill(".claude/skills/a", "x");
    link(&home.path(".claude/skills"), &home.path(".cursor/skills"));
    assert_eq!(home.unread(), []);
    link(&home.path(".local/share/skillhold"), &home.path(".qwen/skills"));
    home.skill(".local/share/skillhold/store", "x");
    assert_eq!(home.unread(), []);
}
