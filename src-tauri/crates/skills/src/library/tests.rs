mod choices;
mod odd;
mod skipped;
mod undetected;

use std::fs;
use std::path::Path;

use super::*;

/// A home with a Claude Code in it.
struct Home {
    dir: tempfile::TempDir,
    library: Library,
}

impl Home {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        // The real path, so that links compare.
        let root = dir.path().canonicalize().unwrap();
        let home = Self { dir, library: Library::new(Paths::under(&root)) };
        home.write(".claude/settings.json", "{}");
        home
    }

    /// The same with a Cursor.
    fn with_cursor() -> Self {
        let home = Self::new();
        home.write(".cursor/ide_state.json", "{}");
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

    fn skill(&self, folder: &str, description: &str) {
        let name = folder.rsplit('/').next().unwrap();
        self.write(
            &format!("{folder}/SKILL.md"),
            &format!("---\nname: {name}\ndescription: {description}\n---\nx\n"),
        );
    }

    /// Name, path below home, tools.
    fn rows(&self) -> Vec<(String, String, Vec<String>)> {
        let snapshot = self.library.rescan();
        snapshot
            .skills
            .iter()
            .map(|skill| {
                (skill.name.clone(), self.library.paths().display(&skill.path), skill.tools.clone())
            })
            .collect()
    }
}

fn row(name: &str, path: &str, tools: &[&str]) -> (String, String, Vec<String>) {
    (name.into(), path.into(), tools.iter().map(|tool| (*tool).to_owned()).collect())
}

#[cfg(unix)]
fn link(target: &Path, at: &Path) {
    fs::create_dir_all(at.parent().unwrap()).unwrap();
    std::os::unix::fs::symlink(target, at).unwrap();
}

#[test]
fn a_skill_is_a_folder_with_a_skill_md() {
    let home = Home::new();
    home.skill(".claude/skills/a", "first");
    home.write(".claude/skills/README.md", "x");
    home.write(".claude/skills/notes/AGENTS.md", "x");
    assert_eq!(home.library.snapshot().revision, 0);
    assert_eq!(home.rows(), [row("a", "~/.claude/skills/a", &["claude-code"])]);
    let snapshot = home.library.snapshot();
    let skill = &snapshot.skills[0];
    assert_eq!((skill.description.as_str(), skill.diagnostics.as_slice()), ("first", &[][..]));
    assert_eq!(skill.manifest.as_ref().unwrap().files().len(), 1);
    assert_eq!(skill.id.len(), 16);
    assert_eq!(snapshot.skill(&skill.id), Some(skill));
}

#[test]
fn groups_are_read_one_level_deep() {
    let home = Home::new();
    home.skill(".claude/skills/team/a", "x");
    home.skill(".claude/skills/team/deep/b", "x");
    home.skill(".claude/skills/outer", "x");
    home.skill(".claude/skills/outer/inner", "x");
    assert_eq!(
        home.rows(),
        [
            row("a", "~/.claude/skills/team/a", &["claude-code"]),
            row("outer", "~/.claude/skills/outer", &["claude-code"])
        ]
    );
}

#[test]
fn a_shared_folder_is_scanned_once_for_all_its_tools() {
    let home = Home::with_cursor();
    home.skill(".claude/skills/a", "x");
    assert_eq!(home.rows(), [row("a", "~/.claude/skills/a", &["claude-code", "cursor"])]);
    let snapshot = home.library.snapshot();
    assert_eq!(snapshot.roots.len(), 1);
    assert_eq!(snapshot.roots[0].tools, ["claude-code", "cursor"]);
}

#[test]
fn nothing_changed_means_the_same_snapshot() {
    let home = Home::new();
    home.skill(".claude/skills/a", "x");
    let first = home.library.rescan();
    assert_eq!(first.revision, 1);
    assert!(Arc::ptr_eq(&first, &home.library.rescan()));
    home.skill(".claude/skills/a", "y");
    let second = home.library.rescan();
    assert_eq!((second.revision, second.skills[0].description.as_str()), (2, "y"));
    fs::remove_dir_all(home.path(".claude/skills/a")).unwrap();
    assert_eq!(home.library.rescan().skills, []);
}

#[test]
fn one_name_in_two_places_is_one_group() {
    let home = Home::with_cursor();
    home.skill(".claude/skills/a", "x");
    home.skill(".cursor/skills/a", "y");
    home.skill(".cursor/skills/b", "z");
    let snapshot = home.library.rescan();
    let groups: Vec<_> =
        snapshot.groups().into_iter().map(|group| (group.name, group.skills.len())).collect();
    assert_eq!(groups, [("a", 2), ("b", 1)]);
}

#[cfg(unix)]
#[test]
fn links_to_skills_are_followed_and_dangling_ones_are_one_broken_row() {
    let home = Home::new();
    home.skill("work/a", "x");
    link(&home.path("work/a"), &home.path(".claude/skills/a"));
    link(&home.path("work/gone"), &home.path(".claude/skills/gone"));
    home.skill(".claude/skills/whole", "x");
    let snapshot = home.library.rescan();
    let rows: Vec<_> =
        snapshot.skills.iter().map(|s| (s.name.as_str(), s.linked, s.manifest.is_ok())).collect();
    assert_eq!(rows, [("a", true, true), ("gone", true, false), ("whole", false, true)]);
    assert!(
        snapshot.skills[1]
            .manifest
            .as_ref()
            .unwrap_err()
            .ends_with("work/gone, which is not there")
    );
    assert_eq!(snapshot.skills[1].diagnostics[0].code, "link-broken");
}

#[cfg(unix)]
#[test]
fn a_link_to_a_skill_of_another_tool_is_that_skill() {
    let home = Home::with_cursor();
    home.skill(".cursor/skills/a", "x");
    link(&home.path(".cursor/skills/a"), &home.path(".claude/skills/a"));
    assert_eq!(home.rows(), [row("a", "~/.cursor/skills/a", &["claude-code", "cursor"])]);
}

#[cfg(unix)]
#[test]
fn a_link_inside_of_a_skill_is_an_error_that_names_it() {
    let home = Home::new();
    home.skill(".claude/skills/a", "x");
    link(Path::new("/etc/passwd"), &home.path(".claude/skills/a/secret"));
    let snapshot = home.library.rescan();
    assert!(snapshot.skills[0].manifest.as_ref().unwrap_err().contains("a/secret is a link"));
    assert_eq!(snapshot.skills[0].name, "a");
}

#[test]
fn broken_files_are_rows_with_a_message() {
    let home = Home::new();
    let write = |name: &str, bytes: &[u8]| {
        home.skill(&format!(".claude/skills/{name}"), "x");
        fs::write(home.path(&format!(".claude/skills/{name}/SKILL.md")), bytes).unwrap();
    };
    write("binary", b"\xff\xfe\0");
    write("colon", b"---\nname: colon\ndescription: a: b\n---\nx\n");
    write("empty", b"");
    let snapshot = home.library.rescan();
    let rows: Vec<_> =
        snapshot.skills.iter().map(|s| (s.name.as_str(), s.diagnostics[0].code)).collect();
    assert_eq!(
        rows,
        [
            ("binary", "frontmatter-missing"),
            ("colon", "frontmatter-unquoted-colon"),
            ("empty", "frontmatter-missing")
        ]
    );
    assert_eq!(snapshot.skills[1].description, "a: b");
}

#[test]
fn the_library_says_of_a_skill_what_a_check_of_its_folder_says() {
    let home = Home::new();
    home.skill(".claude/skills/fine", "x");
    home.write(".claude/skills/colon/SKILL.md", "---\nname: colon\ndescription: a: b\n---\nx\n");
    home.write(".claude/skills/wrong/SKILL.md", "---\nname: Other\nsorts: 1\n---\n[a](gone.md)\n");
    home.write(".claude/skills/wrong/scripts/run.sh", "echo\n");
    let snapshot = home.library.rescan();
    assert_eq!(snapshot.skills.len(), 3);
    for skill in &snapshot.skills {
        let checked = crate::check::check_folder(&skill.path);
        assert_eq!(skill.diagnostics, checked.diagnostics);
        assert_eq!(skill.name, checked.name);
        assert_eq!(skill.description, checked.description);
        assert_eq!(*skill.manifest.as_ref().unwrap(), checked.manifest.unwrap());
    }
}

#[test]
fn a_root_that_is_no_folder_is_a_problem_and_the_others_stand() {
    let home = Home::with_cursor();
    home.write(".claude/skills", "a file");
    home.skill(".cursor/skills/a", "x");
    let snapshot = home.library.rescan();
    assert_eq!(snapshot.skills.len(), 1);
    assert!(
        snapshot
            .roots
            .iter()
            .any(|root| root.problem.is_some() && root.path.ends_with(".claude/skills"))
    );
}

#[test]
fn bundled_skills_are_in_a_root_that_is_read_only() {
    let home = Home::new();
    home.write(".codex/config.toml", "");
    home.skill(".codex/skills/.system/a", "x");
    home.skill(".codex/skills/b", "x");
    let snapshot = home.library.rescan();
    let roots: Vec<_> = snapshot
        .roots
        .iter()
        .map(|root| (home.library.paths().display(&root.path), root.read_only))
        .collect();
    assert_eq!(
        roots,
        [("~/.codex/skills".into(), false), ("~/.codex/skills/.system".into(), true)]
    );
    assert_eq!(snapshot.skills.len(), 2);
}
