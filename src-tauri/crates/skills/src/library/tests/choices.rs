//! Tools switched on and off, folders given to tools, folders added.

use super::*;
use crate::folder::FolderKind;
use crate::tool::Detection;

impl Home {
    fn choose(&self, change: impl FnOnce(&mut Choices, &Paths)) {
        let mut choices = self.library.choices();
        change(&mut choices, self.library.paths());
        self.library.choose(choices);
    }

    fn add(&self, path: &str) {
        let path = self.path(path);
        self.choose(|choices, paths| choices.add_folder(&path, paths).unwrap());
    }

    fn refuse(&self, path: &Path) -> String {
        let mut choices = self.library.choices();
        let refused = choices.add_folder(path, self.library.paths()).unwrap_err();
        assert_eq!(choices, self.library.choices());
        refused.to_string()
    }

    fn tool(&self, id: &str) -> ToolState {
        let snapshot = self.library.snapshot();
        snapshot.tools.iter().find(|state| state.tool.id == id).unwrap().clone()
    }
}

#[test]
fn only_tools_that_are_here_or_switched_on_are_scanned() {
    let home = Home::new();
    home.skill(".claude/skills/a", "x");
    home.skill("elsewhere/b", "x");
    home.rows();
    assert_eq!(home.tool("goose").detection, Detection::NotFound);
    assert!(!home.tool("goose").on);
    home.choose(|choices, _| choices.set_on("goose", Some(true)).unwrap());
    assert_eq!(home.rows(), [row("a", "~/.claude/skills/a", &["claude-code", "goose"])]);
    assert_eq!(home.tool("goose").chosen, Some(true));
    home.choose(|choices, _| {
        choices.set_on("claude-code", Some(false)).unwrap();
        choices.set_on("goose", None).unwrap();
    });
    assert_eq!(home.rows(), []);
    assert!(!home.tool("claude-code").on);
    assert_eq!(home.tool("claude-code").detection, Detection::Detected);
    home.choose(|choices, _| choices.set_on("claude-code", None).unwrap());
    assert_eq!(home.library.choices(), Choices::default());
    assert_eq!(home.rows().len(), 1);
    let mut choices = Choices::default();
    assert_eq!(
        choices.set_on("no-such", Some(true)).unwrap_err().to_string(),
        "there is no tool called no-such"
    );
}

#[test]
fn folders_given_to_a_tool_take_the_place_of_its_own() {
    let home = Home::new();
    home.skill(".claude/skills/a", "x");
    home.skill("mine/b", "x");
    let mine = home.path("mine");
    home.choose(|choices, paths| {
        choices.set_roots("claude-code", Some(std::slice::from_ref(&mine)), paths).unwrap();
    });
    assert_eq!(home.rows(), [row("b", "~/mine/b", &["claude-code"])]);
    let state = home.tool("claude-code");
    assert!(state.overridden);
    assert_eq!(state.install_root.as_deref(), Some(mine.as_path()));
    home.choose(|choices, paths| choices.set_roots("claude-code", None, paths).unwrap());
    assert_eq!(home.rows(), [row("a", "~/.claude/skills/a", &["claude-code"])]);
    assert!(!home.tool("claude-code").overridden);
}

#[test]
fn a_folder_that_was_given_to_a_tool_and_now_holds_our_data_is_not_read() {
    let home = Home::new();
    home.skill(".local/share/skillhold/store/a", "x");
    let data = home.path(".local/share/skillhold/store");
    let mut choices = Choices::default();
    let paths = home.library.paths();
    assert!(matches!(
        choices.set_roots("claude-code", Some(std::slice::from_ref(&data)), paths),
        Err(FolderRefused::OwnData { .. })
    ));
    choices
        .tools
        .insert("claude-code".into(), ToolChoice { on: None, roots: Some(vec![data.clone()]) });
    choices.folders.push(data.clone());
    home.library.choose(choices);
    assert_eq!(home.rows(), []);
    let snapshot = home.library.snapshot();
    let root = snapshot.roots.iter().find(|root| root.path == data).unwrap();
    assert!(root.problem.as_ref().unwrap().contains("where Skillhold keeps its own data"));
    let folder = &snapshot.folders[0];
    assert_eq!((&folder.kind, folder.count), (&FolderKind::Empty, 0));
    assert!(folder.problem.as_ref().unwrap().contains("where Skillhold keeps its own data"));
}

#[test]
fn a_skill_a_folder_of_skills_and_a_project_can_be_added() {
    let home = Home::new();
    home.skill("one/single", "x");
    home.skill("many/a", "x");
    home.skill("many/b", "x");
    home.skill("project/.claude/skills/c", "x");
    home.skill("project/skills/d", "x");
    home.add("one/single");
    home.add("many");
    home.add("project");
    assert_eq!(
        home.rows(),
        [
            row("a", "~/many/a", &[]),
            row("b", "~/many/b", &[]),
            row("c", "~/project/.claude/skills/c", &["claude-code"]),
            row("d", "~/project/skills/d", &[]),
            row("single", "~/one/single", &[])
        ]
    );
    let snapshot = home.library.snapshot();
    let counts: Vec<_> = snapshot.folders.iter().map(|folder| folder.count).collect();
    assert_eq!(counts, [1, 2, 2]);
    let projects: Vec<_> = snapshot.skills.iter().map(|skill| skill.project.is_some()).collect();
    assert_eq!(projects, [false, false, true, true, false]);
    assert_eq!(snapshot.skills[2].project, Some(home.path("project")));
    let owned: Vec<_> = snapshot
        .roots
        .iter()
        .map(|root| (home.library.paths().display(&root.path), root.user_owned))
        .collect();
    assert_eq!(
        owned,
        [
            ("~/many".to_owned(), true),
            ("~/project/.claude/skills".to_owned(), false),
            ("~/project/skills".to_owned(), true)
        ]
    );
    assert!(home.library.choices().clone().remove_folder(&home.path("many")));
}

#[test]
fn a_folder_inside_of_skills_that_was_added_is_no_second_row() {
    let home = Home::new();
    home.skill(".claude/skills/a", "x");
    home.add(".claude/skills");
    home.add(".claude/skills/a");
    assert_eq!(home.rows(), [row("a", "~/.claude/skills/a", &["claude-code"])]);
    let snapshot = home.library.snapshot();
    assert_eq!(snapshot.roots.len(), 1);
    assert_eq!(snapshot.folders.iter().map(|folder| folder.count).collect::<Vec<_>>(), [1, 1]);
}

#[test]
fn a_tool_that_works_in_an_added_project_is_detected_by_it() {
    let home = Home::new();
    home.write("project/.replit", "");
    home.skill("project/.agents/skills/a", "x");
    home.add("project");
    assert_eq!(home.rows(), [row("a", "~/project/.agents/skills/a", &["replit"])]);
    assert_eq!(home.tool("replit").detection, Detection::Detected);
}

#[test]
fn folders_that_overlap_with_our_own_data_or_are_the_whole_home_are_refused() {
    let home = Home::new();
    home.write(".local/share/skillhold/ledger/x", "");
    home.write(".cache/other/x", "");
    let overlaps = "where Skillhold keeps its own data";
    for path in
        [".local/share/skillhold", ".local/share/skillhold/ledger", ".local/share", ".local"]
    {
        let refused = home.refuse(&home.path(path));
        assert!(refused.contains(overlaps), "{path}: {refused}");
    }
    // The cache is not there yet, and the folder around it is.
    assert!(home.refuse(&home.path(".cache")).contains(overlaps));
    let whole = "is your whole home folder or around it";
    assert!(home.refuse(&home.path("")).contains(whole));
    assert!(home.refuse(Path::new("/")).contains(whole));
}

#[test]
fn a_folder_that_cannot_be_resolved_is_refused() {
    let home = Home::new();
    home.write("file", "");
    assert!(home.refuse(&home.path("gone")).starts_with("cannot tell where "));
    assert!(home.refuse(&home.path("file")).ends_with("file is not a folder"));
}

#[cfg(unix)]
#[test]
fn what_is_refused_is_refused_through_a_link_too() {
    let home = Home::new();
    home.write(".local/share/skillhold/x", "");
    link(&home.path(".local/share"), &home.path("innocent"));
    assert!(home.refuse(&home.path("innocent")).contains("where Skillhold keeps its own data"));
    link(&home.path("gone"), &home.path("dangling"));
    assert!(home.refuse(&home.path("dangling")).starts_with("cannot tell where "));
}

#[cfg(unix)]
#[test]
fn a_folder_is_added_once_whatever_its_spelling() {
    let home = Home::new();
    home.skill("many/a", "x");
    link(&home.path("many"), &home.path("same"));
    home.add("many");
    assert!(home.refuse(&home.path("same")).ends_with("was added already"));
    let mut choices = home.library.choices();
    assert!(choices.remove_folder(&home.path("same")));
    assert_eq!(choices, Choices::default());
}

#[test]
fn an_added_folder_that_is_gone_says_so_and_can_be_taken_out() {
    let home = Home::new();
    home.skill("many/a", "x");
    home.add("many");
    assert_eq!(home.rows().len(), 1);
    fs::remove_dir_all(home.path("many")).unwrap();
    assert_eq!(home.rows(), []);
    let snapshot = home.library.snapshot();
    assert!(snapshot.folders[0].problem.as_ref().unwrap().starts_with("cannot tell where "));
    let mut choices = home.library.choices();
    assert!(choices.remove_folder(&home.path("many")));
    assert!(!choices.remove_folder(&home.path("many")));
}

#[test]
fn choices_are_read_back_as_they_were_written() {
    let home = Home::new();
    home.skill("many/a", "x");
    home.add("many");
    home.choose(|choices, _| choices.set_on("codex", Some(true)).unwrap());
    let choices = home.library.choices();
    let text = serde_json::to_string(&choices).unwrap();
    assert_eq!(serde_json::from_str::<Choices>(&text).unwrap(), choices);
    assert_eq!(serde_json::from_str::<Choices>("{}").unwrap(), Choices::default());
}
