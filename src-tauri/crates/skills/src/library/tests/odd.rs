//! Folders as nobody would lay them out, and yet somebody did.

use super::*;
use crate::folder::FolderKind;

impl Home {
    fn added(&self, folders: &[&str]) -> Vec<(String, String, Vec<String>)> {
        let mut choices = Choices::default();
        for folder in folders {
            choices.add_folder(&self.path(folder), self.library.paths()).unwrap();
        }
        self.library.choose(choices);
        self.rows()
    }

    fn give(&self, tool: &str, folder: &Path) -> Result<(), FolderRefused> {
        let mut choices = self.library.choices();
        choices.set_roots(tool, Some(&[folder.to_owned()]), self.library.paths())?;
        self.library.choose(choices);
        Ok(())
    }

    fn roots(&self) -> Vec<String> {
        let snapshot = self.library.rescan();
        snapshot.roots.iter().map(|root| self.library.paths().display(&root.path)).collect()
    }
}

#[test]
fn a_project_inside_of_a_project_has_skills_of_its_own() {
    let home = Home::new();
    home.skill("outer/.claude/skills/a", "x");
    home.skill("outer/inner/.claude/skills/b", "x");
    assert_eq!(
        home.added(&["outer", "outer/inner"]),
        [
            row("a", "~/outer/.claude/skills/a", &["claude-code"]),
            row("b", "~/outer/inner/.claude/skills/b", &["claude-code"]),
        ]
    );
    let snapshot = home.library.snapshot();
    let projects: Vec<_> =
        snapshot.skills.iter().map(|skill| skill.project.clone().unwrap()).collect();
    assert_eq!(projects, [home.path("outer"), home.path("outer/inner")]);
    assert_eq!(snapshot.folders.iter().map(|folder| folder.count).collect::<Vec<_>>(), [1, 1]);
}

#[test]
fn a_root_around_another_shows_each_skill_once_in_its_own() {
    let home = Home::new();
    home.skill("many/a", "x");
    home.skill("many/team/b", "x");
    assert_eq!(
        home.added(&["many", "many/team"]),
        [row("a", "~/many/a", &[]), row("b", "~/many/team/b", &[])]
    );
    let snapshot = home.library.snapshot();
    let through: Vec<_> = snapshot
        .skills
        .iter()
        .map(|skill| skill.through.iter().map(|one| one.root.clone()).collect::<Vec<_>>())
        .collect();
    assert_eq!(through, [[home.path("many")], [home.path("many/team")]]);
}

#[test]
fn a_root_that_lies_in_a_skill_shows_what_is_in_it_and_the_skill_stays_whole() {
    let home = Home::new();
    home.skill(".claude/skills/outer", "x");
    home.skill(".claude/skills/outer/examples/inner", "x");
    assert_eq!(
        home.added(&[".claude/skills/outer/examples"]),
        [
            row("inner", "~/.claude/skills/outer/examples/inner", &[]),
            row("outer", "~/.claude/skills/outer", &["claude-code"]),
        ]
    );
    let outer = &home.library.snapshot().skills[1];
    assert_eq!(outer.manifest.as_ref().unwrap().files().len(), 2);
}

#[test]
fn a_skill_that_is_a_root_itself_is_a_skill() {
    let home = Home::new();
    home.write(
        ".claude/skills/SKILL.md",
        "---\nname: skills\ndescription: put one folder too high\n---\n",
    );
    home.skill(".claude/skills/a", "x");
    // The tool reads folders in its root, and so do we.
    assert_eq!(home.rows(), [row("a", "~/.claude/skills/a", &["claude-code"])]);
}

#[test]
fn one_folder_is_one_root_however_it_is_spelt() {
    let home = Home::new();
    home.skill(".claude/skills/a", "x");
    home.write("other/x", "");
    for spelling in
        [".claude/skills/", ".claude/./skills", "other/../.claude/skills", ".claude//skills"]
    {
        assert_eq!(
            home.added(&[spelling]),
            [row("a", "~/.claude/skills/a", &["claude-code"])],
            "{spelling}"
        );
        assert_eq!(home.roots(), ["~/.claude/skills"], "{spelling}");
    }
    home.give("cursor", &home.path("other/../.claude/skills/")).unwrap();
    assert_eq!(home.roots(), ["~/.claude/skills"]);
    assert_eq!(home.library.snapshot().roots[0].tools, ["claude-code", "cursor"]);
}

#[test]
fn names_that_differ_in_case_are_two_folders_where_the_disk_says_so() {
    let home = Home::new();
    home.skill("many/a", "x");
    fs::create_dir_all(home.path("MANY")).unwrap();
    home.skill("MANY/b", "x");
    let folds = home.path("many/b").exists();
    let mut choices = Choices::default();
    choices.add_folder(&home.path("many"), home.library.paths()).unwrap();
    let again = choices.add_folder(&home.path("MANY"), home.library.paths());
    assert_eq!(again.is_err(), folds);
    home.library.choose(choices);
    home.rows();
    assert_eq!(home.library.snapshot().folders.len(), if folds { 1 } else { 2 });
}

#[test]
fn a_tools_folder_has_to_be_a_folder_that_is_there_and_is_not_everything() {
    let home = Home::new();
    home.write("file", "");
    home.write(".local/share/skillhold/ledger/x", "");
    let said = |path: &Path| home.give("cursor", path).unwrap_err().to_string();
    assert!(said(&home.path("file")).ends_with("file is not a folder"));
    assert!(said(&home.path("gone")).starts_with("cannot tell where "));
    assert!(said(Path::new("/")).contains("is your whole home folder or around it"));
    assert!(said(&home.path("")).contains("is your whole home folder or around it"));
    let data = home.path(".local/share/skillhold/ledger");
    assert!(said(&data).contains("where Skillhold keeps its own data"));
    assert_eq!(home.library.choices(), Choices::default());
}

#[test]
fn a_home_that_was_written_into_the_choices_by_hand_is_not_read() {
    let home = Home::new();
    home.skill("Documents/a", "x");
    let choices: Choices = serde_json::from_value(serde_json::json!({
        "folders": [home.path(""), home.path("gone"), home.path("file"), "relative/folder"],
        "tools": {
            "cursor": { "roots": [home.path("")] },
            "codex": { "roots": [] },
            "goose": { "roots": ["relative"] },
            "of-another-time": { "on": true },
        },
    }))
    .unwrap();
    home.write("file", "");
    home.library.choose(choices);
    assert_eq!(home.rows(), []);
    let snapshot = home.library.snapshot();
    let problems: Vec<_> = snapshot.folders.iter().map(|folder| folder.problem.is_some()).collect();
    assert_eq!(problems, [true; 4]);
    let root = snapshot.roots.iter().find(|root| root.path == home.path("")).unwrap();
    assert!(root.problem.as_ref().unwrap().contains("whole home folder"), "{root:?}");
}

#[test]
fn a_variable_that_says_nothing_useful_is_as_none() {
    for (value, expected) in [
        (None, None),
        (Some(""), None),
        (Some("relative/folder"), None),
        (Some("~/claude"), None),
        (Some("."), None),
        (Some("/srv/claude"), Some("/srv/claude")),
    ] {
        let found = crate::paths::absolute(value.map(Into::into));
        assert_eq!(found.as_deref(), expected.map(Path::new), "{value:?}");
    }
}

#[test]
fn a_variable_that_leads_to_home_or_to_nothing_reads_no_home() {
    let home = Home::new();
    home.write("settings.json", "{}");
    home.skill("skills/a", "x");
    let paths = home.library.paths().clone();
    let library = Library::new(paths.clone().with_variable("CLAUDE_CONFIG_DIR", &home.path("")));
    // Its folder is `skills` in there, which is no home.
    let names: Vec<_> = library.rescan().skills.iter().map(|skill| skill.name.clone()).collect();
    assert_eq!(names, ["a"]);
    let library = Library::new(paths.with_variable("CLAUDE_CONFIG_DIR", &home.path("gone/far")));
    assert_eq!(library.rescan().skills, []);
}

#[cfg(unix)]
#[test]
fn a_tools_own_folder_that_leads_to_home_or_to_our_data_is_not_read() {
    let home = Home::with_cursor();
    home.skill("a", "x");
    home.skill(".local/share/skillhold/b", "x");
    link(&home.path(""), &home.path(".claude/skills"));
    link(&home.path(".local/share/skillhold"), &home.path(".cursor/skills"));
    assert_eq!(home.rows(), []);
    let snapshot = home.library.snapshot();
    let problem = |path: &str| {
        let root = snapshot.roots.iter().find(|root| root.path == home.path(path));
        root.and_then(|root| root.problem.clone()).unwrap_or_default()
    };
    assert!(problem(".claude/skills").contains("is your whole home folder or around it"));
    assert!(problem(".cursor/skills").contains("where Skillhold keeps its own data"));
}

#[cfg(unix)]
#[test]
fn links_that_lead_in_circles_end() {
    let home = Home::new();
    home.skill(".claude/skills/a", "x");
    link(&home.path(".claude/skills"), &home.path(".claude/skills/round"));
    link(&home.path(""), &home.path(".claude/skills/home"));
    link(&home.path(".claude/skills/two"), &home.path(".claude/skills/one"));
    link(&home.path(".claude/skills/one"), &home.path(".claude/skills/two"));
    link(&home.path(".cursor/skills"), &home.path(".cursor/skills"));
    home.write(".cursor/ide_state.json", "{}");
    let rows = home.rows();
    let paths: Vec<_> = rows.iter().map(|(_, path, _)| path.as_str()).collect();
    assert_eq!(paths, ["~/.claude/skills/a", "~/.claude/skills/one", "~/.claude/skills/two"]);
    let snapshot = home.library.snapshot();
    let cursor = snapshot.roots.iter().find(|root| root.path == home.path(".cursor/skills"));
    assert!(cursor.unwrap().problem.is_some());
}

#[cfg(unix)]
#[test]
fn a_link_to_the_root_of_another_tool_inside_of_a_root_is_no_second_way_to_its_skills() {
    let home = Home::with_cursor();
    home.skill(".cursor/skills/a", "x");
    link(&home.path(".cursor/skills"), &home.path(".claude/skills/theirs"));
    let rows = home.rows();
    assert_eq!(rows.len(), 1);
    assert_eq!(rows[0].1, "~/.cursor/skills/a");
}

#[cfg(unix)]
#[test]
fn a_root_that_may_not_be_read_says_so_and_the_others_stand() {
    use std::os::unix::fs::PermissionsExt;
    let home = Home::with_cursor();
    home.skill(".claude/skills/a", "x");
    home.skill(".cursor/skills/b", "x");
    let closed = home.path(".cursor/skills");
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o000)).unwrap();
    let is_root = fs::read_dir(&closed).is_ok();
    let rows = home.rows();
    let snapshot = home.library.snapshot();
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o755)).unwrap();
    if is_root {
        // Whoever may do everything reads everything.
        assert_eq!(rows.len(), 2);
        return;
    }
    assert_eq!(rows.len(), 1);
    let root = snapshot.roots.iter().find(|root| root.path == closed).unwrap();
    assert!(root.problem.is_some());
}

#[test]
fn blanks_and_letters_of_all_kinds_in_paths_are_no_matter() {
    let home = Home::new();
    home.skill("My Skills (old) 'n' ünïcode 技能/a", "x");
    let rows = home.added(&["My Skills (old) 'n' ünïcode 技能"]);
    assert_eq!(rows, [row("a", "~/My Skills (old) 'n' ünïcode 技能/a", &[])]);
}

#[cfg(all(unix, not(target_os = "macos")))]
#[test]
fn names_that_are_no_text_are_shown_and_each_is_its_own() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let home = Home::new();
    for name in [b"bad\xff", b"bad\xfe"] {
        let folder = home.path(".claude/skills").join(OsStr::from_bytes(name));
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("SKILL.md"), "---\nname: bad\ndescription: x\n---\n").unwrap();
    }
    home.rows();
    let snapshot = home.library.snapshot();
    assert_eq!(snapshot.skills.len(), 2);
    assert_ne!(snapshot.skills[0].id, snapshot.skills[1].id);
    let root = home.path("shelf").join(OsStr::from_bytes(b"of\xff"));
    fs::create_dir_all(root.join("fine")).unwrap();
    fs::write(root.join("fine/SKILL.md"), "---\nname: fine\ndescription: x\n---\n").unwrap();
    let mut choices = Choices::default();
    let refused = choices.add_folder(&root, home.library.paths()).unwrap_err().to_string();
    assert!(refused.contains("is not UTF-8 and cannot be kept"), "{refused}");
    let refused = choices.set_roots("cursor", Some(&[root]), home.library.paths()).unwrap_err();
    assert!(matches!(refused, FolderRefused::NotUtf8(_)));
    // Choices are kept as text.
    assert!(serde_json::to_string(&choices).is_ok());
}

#[test]
fn an_added_folder_that_comes_back_is_read_again() {
    let home = Home::new();
    home.skill("many/a", "x");
    assert_eq!(home.added(&["many"]).len(), 1);
    fs::remove_dir_all(home.path("many")).unwrap();
    assert_eq!(home.rows(), []);
    home.write("many", "a file now");
    assert_eq!(home.rows(), []);
    assert!(home.library.snapshot().folders[0].problem.as_ref().unwrap().contains("not a folder"));
    fs::remove_file(home.path("many")).unwrap();
    home.skill("many/b", "x");
    assert_eq!(home.rows(), [row("b", "~/many/b", &[])]);
    assert_eq!(home.library.snapshot().folders[0].problem, None);
    fs::remove_dir_all(home.path("many")).unwrap();
    home.skill("many/.claude/skills/c", "x");
    assert_eq!(home.rows(), [row("c", "~/many/.claude/skills/c", &["claude-code"])]);
    assert!(matches!(home.library.snapshot().folders[0].kind, FolderKind::Project { .. }));
}

#[test]
fn a_root_of_very_many_skills_shows_every_one() {
    let home = Home::new();
    // Enough to pass every limit below the one for folders of a root.
    for number in 0..1_200 {
        home.skill(&format!(".claude/skills/s{number}"), "x");
    }
    let early = std::cell::RefCell::new(Vec::new());
    let snapshot = home.library.rescan_telling(|| {
        let snapshot = home.library.snapshot();
        early.borrow_mut().push((snapshot.revision, snapshot.skills.len()));
    });
    assert_eq!((snapshot.revision, snapshot.skills.len()), (1, 1_200));
    assert_eq!(snapshot.roots[0].problem, None);
    // The first ones do not wait for the last, and only the first time.
    assert_eq!(*early.borrow(), [(0, 256)]);
    home.skill(".claude/skills/s0", "y");
    let snapshot = home.library.rescan_telling(|| panic!("nobody waits for these"));
    assert_eq!((snapshot.revision, snapshot.skills.len()), (2, 1_200));
}
