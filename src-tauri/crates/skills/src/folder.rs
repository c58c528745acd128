//! What a folder that a person points at is: a skill, a folder of skills, or a project.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::MAIN_FILE;
use crate::tool::tools;

/// Children that are looked at before giving up.
const MAX_CHILDREN: usize = 10_000;

/// What a folder is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FolderKind {
    /// One skill: a `SKILL.md` at its top.
    Skill,
    /// A folder of skills, also one that groups them in folders one level deep.
    Skills,
    /// A project, in which tools keep skills.
    Project {
        /// Each folder for skills that is there, with the ids of the tools that read it, in order
        /// of paths; the project's own folder with no tool where skills lie directly in it.
        roots: Vec<(PathBuf, Vec<String>)>,
    },
    /// Nothing that holds skills, now.
    Empty,
}

/// Looks what this folder is.
///
/// # Errors
/// When it is no folder, or cannot be listed.
pub fn kind_of(path: &Path) -> io::Result<FolderKind> {
    let children = folders_in(path)?;
    if is_skill(path) {
        return Ok(FolderKind::Skill);
    }
    let holds_skills = children.iter().any(|child| has_main_file(child).unwrap_or(false));
    let mut hidden: BTreeMap<PathBuf, Vec<String>> = BTreeMap::new();
    let mut plain: BTreeMap<PathBuf, Vec<String>> = BTreeMap::new();
    for tool in tools() {
        for root in tool.project_roots(path) {
            let roots = if root.user_owned { &mut plain } else { &mut hidden };
            let readers = roots.entry(root.path).or_default();
            if !readers.contains(&tool.id) {
                readers.push(tool.id.clone());
            }
        }
    }
    // A plain `skills` beside skills is a group of them.
    if hidden.is_empty() && holds_skills {
        return Ok(FolderKind::Skills);
    }
    if hidden.is_empty() && plain.is_empty() {
        // What cannot be looked into may be skills: they are shown as such, with the reason.
        let groups = children.iter().any(|child| {
            is_skill(child)
                || folders_in(child).map_or(true, |inner| inner.iter().any(|path| is_skill(path)))
        });
        return Ok(if groups { FolderKind::Skills } else { FolderKind::Empty });
    }
    let mut roots = hidden;
    roots.extend(plain);
    if holds_skills {
        roots.insert(path.to_owned(), Vec::new());
    }
    Ok(FolderKind::Project { roots: roots.into_iter().collect() })
}

/// The skills directly in this folder, and in folders of it that are none, in order of names. A
/// folder that cannot be looked into and a link that leads nowhere are among them: whoever checks
/// them is told why, and none hides the others.
///
/// # Errors
/// When it is no folder, or cannot be listed.
pub fn skills_in(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for child in children_of(folder, usize::MAX)? {
        if !child.is_folder || is_skill(&child.path) {
            found.push(child.path);
            continue;
        }
        if is_of_other_programs(&child.path) {
            continue;
        }
        match children_of(&child.path, usize::MAX) {
            Ok(inner) => found.extend(
                inner
                    .into_iter()
                    .filter(|inner| !inner.is_folder || is_skill(&inner.path))
                    .map(|inner| inner.path),
            ),
            Err(_) => found.push(child.path),
        }
    }
    Ok(found)
}

/// Whether this folder is taken for a skill: it has a `SKILL.md`, however broken, or there is no
/// telling, so that it is shown with the reason instead of being left out.
pub(crate) fn is_skill(folder: &Path) -> bool {
    has_main_file(folder).unwrap_or(true)
}

/// Whether this folder has a `SKILL.md`, however broken.
///
/// # Errors
/// When the system does not tell.
pub(crate) fn has_main_file(folder: &Path) -> io::Result<bool> {
    match fs::symlink_metadata(folder.join(MAIN_FILE)) {
        Ok(main) => Ok(!main.is_dir()),
        Err(error) if is_absence(&error) => Ok(false),
        Err(error) => Err(error),
    }
}

/// Whether an error says that there is nothing, and not that there is no telling.
pub(crate) fn is_absence(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

/// A folder of version control or of a package manager.
pub(crate) fn is_of_other_programs(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name == ".git" || name == "node_modules")
}

/// A folder in a folder, or a link that leads nowhere.
struct Child {
    path: PathBuf,
    /// False for a link that leads nowhere.
    is_folder: bool,
}

/// At most so many of the folders directly in this one, links too, in order of names.
fn children_of(path: &Path, most: usize) -> io::Result<Vec<Child>> {
    let mut found = Vec::new();
    for child in fs::read_dir(path)?.take(most) {
        let child = child?;
        let path = child.path();
        // What kind it is, the folder tells; of the child itself there may be no telling.
        let is_folder = match child.file_type() {
            Ok(kind) if kind.is_symlink() => match fs::metadata(&path) {
                Ok(target) if !target.is_dir() => continue,
                target => target.is_ok(),
            },
            Ok(kind) if !kind.is_dir() => continue,
            Ok(_) | Err(_) => true,
        };
        found.push(Child { path, is_folder });
    }
    found.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(found)
}

/// The folders directly in this one, links to folders too.
fn folders_in(path: &Path) -> io::Result<Vec<PathBuf>> {
    let children = children_of(path, MAX_CHILDREN)?;
    Ok(children.into_iter().filter(|child| child.is_folder).map(|child| child.path).collect())
}

#[cfg(test)]
pub(crate) mod tests {
    use proptest::prelude::*;

    use super::*;

    fn folder(files: &[&str]) -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        for file in files {
            let path = dir.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "x").unwrap();
        }
        dir
    }

    /// The roots below the folder, and how many tools read each.
    fn roots(dir: &Path, kind: FolderKind) -> Vec<(String, usize)> {
        let FolderKind::Project { roots } = kind else { panic!("{kind:?} is no project") };
        roots
            .into_iter()
            .map(|(path, tools)| {
                (path.strip_prefix(dir).unwrap().to_string_lossy().into_owned(), tools.len())
            })
            .collect()
    }

    #[test]
    fn a_skill_a_folder_of_skills_and_a_project_are_told_apart() {
        let skill = folder(&["SKILL.md", "inner/SKILL.md", ".claude/skills/a/SKILL.md"]);
        assert_eq!(kind_of(skill.path()).unwrap(), FolderKind::Skill);
        let skills = folder(&["a/SKILL.md", "README.md"]);
        assert_eq!(kind_of(skills.path()).unwrap(), FolderKind::Skills);
        let groups = folder(&["team/a/SKILL.md"]);
        assert_eq!(kind_of(groups.path()).unwrap(), FolderKind::Skills);
        let project = folder(&["src/main.rs", ".claude/skills/a/SKILL.md"]);
        let kind = kind_of(project.path()).unwrap();
        let FolderKind::Project { roots } = &kind else { panic!("{kind:?}") };
        assert_eq!(roots.len(), 1);
        assert_eq!(roots[0].0, project.path().join(".claude/skills"));
        assert!(roots[0].1.contains(&"claude-code".to_owned()));
        assert!(roots[0].1.contains(&"cursor".to_owned()));
    }

    #[test]
    fn a_folder_with_nothing_of_skills_is_empty() {
        let dir = folder(&["README.md", "docs/AGENTS.md", "a/b/c/SKILL.md"]);
        assert_eq!(kind_of(dir.path()).unwrap(), FolderKind::Empty);
    }

    #[test]
    fn what_is_no_folder_is_an_error() {
        let dir = folder(&["a"]);
        assert!(kind_of(&dir.path().join("a")).is_err());
        assert!(kind_of(&dir.path().join("gone")).is_err());
    }

    #[test]
    fn a_projects_plain_folder_is_a_root_and_beside_skills_it_is_a_group() {
        let project = folder(&["package.json", "skills/a/SKILL.md"]);
        let kind = kind_of(project.path()).unwrap();
        assert_eq!(roots(project.path(), kind), [("skills".to_owned(), 1)]);
        let skills = folder(&["a/SKILL.md", "skills/b/SKILL.md"]);
        assert_eq!(kind_of(skills.path()).unwrap(), FolderKind::Skills);
    }

    #[test]
    fn a_repository_of_skills_that_is_a_project_too_shows_both() {
        let dir = folder(&["a/SKILL.md", ".claude/skills/b/SKILL.md"]);
        let kind = kind_of(dir.path()).unwrap();
        let roots = roots(dir.path(), kind);
        assert_eq!(roots[0], (String::new(), 0));
        assert_eq!(roots[1].0, ".claude/skills");
    }

    #[test]
    fn every_sub_agents_folder_of_a_project_is_found() {
        let dir = folder(&[
            "agent/skills/a/SKILL.md",
            "agent/subagents/one/skills/b/SKILL.md",
            "agent/subagents/two/skills/c/SKILL.md",
            "agent/subagents/README.md",
        ]);
        let kind = kind_of(dir.path()).unwrap();
        assert_eq!(
            roots(dir.path(), kind),
            [
                ("agent/skills".to_owned(), 1),
                ("agent/subagents/one/skills".to_owned(), 1),
                ("agent/subagents/two/skills".to_owned(), 1)
            ]
        );
    }

    /// A folder whose path is so long that nothing in it can be looked for by its path, which the
    /// system refuses to whoever may read everything, too.
    #[cfg(target_os = "linux")]
    pub(crate) fn beyond_reach(root: &Path) -> PathBuf {
        let mut path = root.canonicalize().unwrap();
        // Paths have at most 4,095 bytes.
        while path.as_os_str().len() < 4_075 {
            let left = 4_080 - path.as_os_str().len() - 1;
            path.push("d".repeat(left.min(200)));
        }
        fs::create_dir_all(&path).unwrap();
        let folder = path.join("beyond");
        fs::create_dir(&folder).unwrap();
        assert!(has_main_file(&folder).is_err());
        folder
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_folder_of_which_there_is_no_telling_is_taken_for_a_skill_beside_the_others() {
        let dir = tempfile::tempdir().unwrap();
        let folder = beyond_reach(dir.path());
        let root = folder.parent().unwrap();
        assert_eq!(kind_of(root).unwrap(), FolderKind::Skills);
        fs::create_dir(root.join("a")).unwrap();
        fs::write(root.join("a/SKILL.md"), "x").unwrap();
        assert_eq!(kind_of(root).unwrap(), FolderKind::Skills);
        assert_eq!(skills_in(root).unwrap(), [root.join("a"), folder]);
    }

    #[cfg(unix)]
    #[test]
    fn a_folder_without_rights_is_taken_for_a_skill_beside_the_others() {
        use std::os::unix::fs::PermissionsExt;

        let dir = folder(&["a/SKILL.md", "locked/SKILL.md", "group/locked/x"]);
        let right = |path: &str, mode| {
            fs::set_permissions(dir.path().join(path), fs::Permissions::from_mode(mode)).unwrap();
        };
        right("locked", 0o000);
        right("group/locked", 0o000);
        let open = fs::read_dir(dir.path().join("locked")).is_ok();
        let found = skills_in(dir.path()).unwrap();
        right("locked", 0o755);
        right("group/locked", 0o755);
        // Whoever may read everything sees no lock.
        if !open {
            let paths = ["a", "group/locked", "locked"].map(|path| dir.path().join(path));
            assert_eq!(found, paths);
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_link_that_leads_nowhere_is_listed_and_makes_no_folder_of_skills() {
        use std::os::unix::fs::symlink;

        let dir = folder(&["README.md"]);
        symlink("loop", dir.path().join("loop")).unwrap();
        symlink("gone", dir.path().join("dangling")).unwrap();
        symlink("README.md", dir.path().join("file")).unwrap();
        assert_eq!(kind_of(dir.path()).unwrap(), FolderKind::Empty);
        fs::create_dir(dir.path().join("a")).unwrap();
        fs::write(dir.path().join("a/SKILL.md"), "x").unwrap();
        symlink("a", dir.path().join("linked")).unwrap();
        let paths = ["a", "dangling", "linked", "loop"].map(|path| dir.path().join(path));
        assert_eq!(skills_in(dir.path()).unwrap(), paths);
    }

    #[test]
    fn folders_of_other_programs_group_no_skills() {
        let dir = folder(&["a/SKILL.md", "node_modules/b/SKILL.md", ".git/c/SKILL.md"]);
        assert_eq!(skills_in(dir.path()).unwrap(), [dir.path().join("a")]);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn whatever_lies_in_a_folder_it_is_something_and_a_projects_roots_lie_in_it(
            files in proptest::collection::vec("(SKILL\\.md|skills|\\.claude|agent|a|b)(/(SKILL\\.md|skills|x)){0,3}", 0..6)
        ) {
            let dir = tempfile::tempdir().unwrap();
            for file in &files {
                let path = dir.path().join(file);
                // One of them may be a file where another needs a folder.
                let _ = fs::create_dir_all(path.parent().unwrap());
                let _ = fs::write(path, "x");
            }
            let kind = kind_of(dir.path()).unwrap();
            prop_assert_eq!(kind == FolderKind::Skill, dir.path().join("SKILL.md").is_file());
            if let FolderKind::Project { roots } = kind {
                for (root, _) in roots {
                    prop_assert!(root.starts_with(dir.path()) && root.is_dir());
                }
            }
        }
    }
}
