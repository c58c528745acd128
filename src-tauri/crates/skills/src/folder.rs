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
    let holds_skills = children.iter().any(|child| is_skill(child));
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
        let groups = children.iter().any(|child| {
            folders_in(child).is_ok_and(|inner| inner.iter().any(|path| is_skill(path)))
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

/// Whether this folder is a skill: it has a `SKILL.md`, however broken.
pub(crate) fn is_skill(folder: &Path) -> bool {
    fs::symlink_metadata(folder.join(MAIN_FILE)).is_ok_and(|main| !main.is_dir())
}

/// The folders directly in this one, links to folders too.
fn folders_in(path: &Path) -> io::Result<Vec<PathBuf>> {
    let mut folders = Vec::new();
    for child in fs::read_dir(path)?.take(MAX_CHILDREN) {
        let child = child?.path();
        if child.is_dir() {
            folders.push(child);
        }
    }
    Ok(folders)
}

#[cfg(test)]
mod tests {
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
