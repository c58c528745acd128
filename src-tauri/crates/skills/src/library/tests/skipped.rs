//! What is not shown, and what is shown read-only.

use super::*;

impl Home {
    /// What was skipped, below home, with the reason.
    fn skipped(&self) -> Vec<(String, String)> {
        let snapshot = self.library.rescan();
        let skipped = snapshot.roots.iter().flat_map(|root| &root.skipped);
        skipped.map(|(path, reason)| (self.library.paths().display(path), reason.clone())).collect()
    }
}

fn skipped(path: &str, reason: &str) -> (String, String) {
    (path.to_owned(), reason.to_owned())
}

#[test]
fn what_was_skipped_is_listed_with_the_reason() {
    let home = Home::new();
    home.skill(".claude/skills/outer", "x");
    home.skill(".claude/skills/outer/inner", "x");
    home.skill(".claude/skills/team/deep/b", "x");
    home.write(".claude/skills/notes/README.md", "x");
    home.write(".claude/skills/wrong/skill.md", "x");
    home.write(".claude/skills/README.md", "x");
    home.write(".claude/skills/.git/config", "x");
    assert_eq!(
        home.skipped(),
        [
            skipped("~/.claude/skills/notes", "it has no SKILL.md"),
            skipped("~/.claude/skills/team/deep/b", "it lies more than 2 folders below the root"),
            skipped("~/.claude/skills/wrong", "its main file is called skill.md, not SKILL.md"),
            skipped("~/.claude/skills/outer/inner", "it is part of the skill outer"),
        ]
    );
    assert_eq!(home.rows().len(), 1);
}

#[test]
fn readme_and_agents_files_are_no_skills() {
    let home = Home::new();
    home.write(".claude/skills/README.md", "---\nname: readme\ndescription: x\n---\n");
    home.write(".claude/skills/AGENTS.md", "---\nname: agents\ndescription: x\n---\n");
    home.write(".claude/skills/a/README.md", "---\nname: a\ndescription: x\n---\n");
    assert_eq!(home.rows(), []);
}

#[cfg(target_os = "linux")]
#[test]
fn a_folder_that_cannot_be_looked_into_is_a_broken_row_beside_the_others() {
    let home = Home::new();
    let folder = crate::folder::tests::beyond_reach(&home.path(""));
    let root = folder.parent().unwrap();
    fs::create_dir(root.join("a")).unwrap();
    fs::write(root.join("a/SKILL.md"), "---\nname: a\ndescription: x\n---\n").unwrap();
    let mut choices = Choices::default();
    choices.add_folder(root, home.library.paths()).unwrap();
    home.library.choose(choices);
    let snapshot = home.library.rescan();
    let [right, broken] = &snapshot.skills[..] else { panic!("{:?}", snapshot.skills) };
    assert!(right.manifest.is_ok());
    assert_eq!((broken.name.as_str(), &broken.path), ("beyond", &folder));
    assert!(broken.manifest.is_err());
    assert_eq!(broken.diagnostics[0].severity, crate::check::Severity::Error);
}

#[test]
fn what_is_listed_can_be_opened() {
    let home = Home::new();
    home.skill(".claude/skills/a", "x");
    home.skill(".claude/skills/team/b", "x");
    home.write(".claude/skills/a/Sub Folder/ä.txt", "x");
    home.write("project/.claude/skills/c/SKILL.md", "x");
    let mut choices = Choices::default();
    choices.add_folder(&home.path("project"), home.library.paths()).unwrap();
    home.library.choose(choices);
    let snapshot = home.library.rescan();
    assert_eq!(snapshot.skills.len(), 3);
    for skill in &snapshot.skills {
        let manifest = skill.manifest.as_ref().unwrap();
        let files = crate::manifest::read_files(&skill.path, manifest).unwrap();
        assert_eq!(files.len(), manifest.files().len());
    }
}

#[test]
fn skipped_folders_are_not_listed_without_end() {
    let home = Home::new();
    for number in 0..MAX_SKIPPED + 10 {
        home.write(&format!(".claude/skills/{number}/x"), "x");
    }
    assert_eq!(home.skipped().len(), MAX_SKIPPED);
}

#[test]
fn a_plug_ins_skill_is_read_only_and_in_the_group_of_its_name() {
    let home = Home::new();
    let cache = ".claude/plugins/cache/market/plug-in/1.0.0";
    home.write(&format!("{cache}/.claude-plugin/plugin.json"), "{}");
    home.skill(&format!("{cache}/skills/a"), "from the plug-in");
    home.skill(&format!("{cache}/node_modules/x/skills/b"), "not one of the plug-in");
    home.skill(".claude/skills/a", "my own");
    let snapshot = home.library.rescan();
    let rows: Vec<_> = snapshot
        .skills
        .iter()
        .map(|skill| (home.library.paths().display(&skill.path), skill.read_only))
        .collect();
    assert_eq!(
        rows,
        [(format!("~/{cache}/skills/a"), true), ("~/.claude/skills/a".to_owned(), false)]
    );
    let groups = snapshot.groups();
    assert_eq!((groups.len(), groups[0].name, groups[0].skills.len()), (1, "a", 2));
    // The content differs, and the fingerprints tell.
    let fingerprints: Vec<_> = groups[0]
        .skills
        .iter()
        .map(|skill| skill.manifest.as_ref().unwrap().fingerprint().to_string())
        .collect();
    assert_ne!(fingerprints[0], fingerprints[1]);
    assert_eq!(home.skipped(), []);
}

#[cfg(unix)]
#[test]
fn one_skill_in_two_roots_of_one_tool_is_one_row_with_both_ways_to_it() {
    let home = Home::with_cursor();
    home.skill(".cursor/skills/a", "x");
    link(&home.path(".cursor/skills/a"), &home.path(".claude/skills/a"));
    let snapshot = home.library.rescan();
    assert_eq!(snapshot.skills.len(), 1);
    let mut ways: Vec<_> = snapshot.skills[0]
        .through
        .iter()
        .map(|through| (home.library.paths().display(&through.root), through.linked))
        .collect();
    ways.sort();
    assert_eq!(
        ways,
        [("~/.claude/skills".to_owned(), true), ("~/.cursor/skills".to_owned(), false)]
    );
}

#[cfg(unix)]
#[test]
fn roots_that_are_one_folder_are_shown_once() {
    let home = Home::with_cursor();
    home.skill(".claude/skills/a", "x");
    link(&home.path(".claude/skills"), &home.path(".cursor/skills"));
    let snapshot = home.library.rescan();
    assert_eq!(snapshot.roots.len(), 1);
    assert_eq!(snapshot.roots[0].tools, ["claude-code", "cursor"]);
    assert_eq!(snapshot.skills.len(), 1);
}

#[cfg(unix)]
#[test]
fn one_dangling_link_does_not_stop_the_scan() {
    let home = Home::new();
    home.skill(".claude/skills/z", "x");
    link(&home.path("gone"), &home.path(".claude/skills/broken"));
    link(Path::new("loop"), &home.path(".claude/skills/loop"));
    let snapshot = home.library.rescan();
    let rows: Vec<_> =
        snapshot.skills.iter().map(|s| (s.name.as_str(), s.manifest.is_ok())).collect();
    assert_eq!(rows, [("broken", false), ("loop", false), ("z", true)]);
    assert!(snapshot.roots.iter().all(|root| root.problem.is_none()));
}
