//! Which tools read a folder: what must be known before bytes that nobody approved are written
//! somewhere.

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

use skills::library::Choices;
use skills::paths::Paths;
use skills::reads_as_main_file;
use skills::tool::{Detection, Tool, tools};

/// The folders in which something looks for skills, as far as they concern one folder.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Reach {
    /// Ids of the tools that read the folder itself, one inside of it, or one around it; empty also
    /// where only a folder that the person added is concerned.
    pub tools: Vec<String>,
    /// Those of them that are on this machine or that the person switched on: for whom something is
    /// placed there.
    pub here: Vec<String>,
    /// Whether anything reads it.
    pub read: bool,
    /// Every folder in which something looks for skills, whether it concerns this one or not.
    pub scanned: Vec<PathBuf>,
}

/// What reads `folder`, which need not exist yet: by real path, the folders of every tool in the
/// table, those that the person gave a tool or added, and those of any project that it lies in.
pub fn reach(folder: &Path, paths: &Paths, choices: &Choices) -> Reach {
    let real = real(folder);
    let mut reach = Reach::default();
    let mut add = |tool: Option<&Tool>, root: PathBuf| {
        let at = self::real(&root);
        if real.starts_with(&at) || at.starts_with(&real) {
            reach.read = true;
            if let Some(tool) = tool
                && !reach.tools.contains(&tool.id)
            {
                reach.tools.push(tool.id.clone());
                if is_here(tool, paths, choices) {
                    reach.here.push(tool.id.clone());
                }
            }
        }
        if !reach.scanned.contains(&root) {
            reach.scanned.push(root);
        }
    };
    for tool in tools() {
        for root in tool.roots(paths) {
            add(Some(tool), root.path);
        }
        let own = choices.tools.get(&tool.id).and_then(|choice| choice.roots.as_ref());
        for root in own.into_iter().flatten() {
            add(Some(tool), root.clone());
        }
        for pattern in &tool.project {
            for root in in_a_project(&real, pattern) {
                add(Some(tool), root);
            }
        }
        for root in tool.project_roots(&real) {
            add(Some(tool), root.path);
        }
    }
    for folder in &choices.folders {
        add(None, folder.clone());
    }
    reach
}

/// The folder in which a tool that works in a project would find skills, once a skill with these
/// files has a folder of this name in `root`: because that folder is one, or has one inside with a
/// `SKILL.md` below it. Asked where nothing reads `root` itself.
pub fn brings<'a>(
    root: &Path,
    name: &str,
    files: impl IntoIterator<Item = &'a str>,
) -> Option<PathBuf> {
    let own = real(root).join(name);
    let patterns = || tools().iter().flat_map(|tool| &tool.project);
    if let Some(folder) = patterns().find_map(|pattern| in_a_project(&own, pattern).pop()) {
        return Some(folder);
    }
    let skills: BTreeSet<&str> = files
        .into_iter()
        .filter_map(|file| file.rsplit_once('/'))
        .filter_map(|(folder, name)| reads_as_main_file(name).then_some(folder))
        .collect();
    skills.into_iter().find_map(|folder| {
        let folder = own.join(folder);
        // Folders with plain names are those of the skill itself, whatever else they could be.
        let hidden = patterns().filter(|pattern| pattern.starts_with('.'));
        hidden.flat_map(|pattern| in_a_project(&folder, pattern)).next()
    })
}

/// Whether somebody uses this tool here, as far as the machine and the person say.
fn is_here(tool: &Tool, paths: &Paths, choices: &Choices) -> bool {
    let choice = choices.tools.get(&tool.id);
    let chosen = choice.and_then(|choice| choice.on);
    let moved = choice.is_some_and(|choice| choice.roots.is_some());
    chosen.unwrap_or_else(|| moved || tool.detection(paths) == Detection::Detected)
}

/// The folders that lead to `real` and match the pattern of a project's folder, whatever project
/// that is and whether they are there or not.
fn in_a_project(real: &Path, pattern: &str) -> Vec<PathBuf> {
    let parts: Vec<&str> = pattern.split('/').collect();
    let components: Vec<Component<'_>> = real.components().collect();
    let matches = |names: &[Component<'_>]| {
        names.iter().zip(&parts).all(|(name, part)| match name {
            Component::Normal(name) => *part == "*" || name.to_str() == Some(part),
            _ => false,
        })
    };
    components
        .windows(parts.len())
        .enumerate()
        .filter(|(_, names)| matches(names))
        .map(|(at, _)| components[..at + parts.len()].iter().collect())
        .collect()
}

/// The real path of a folder, or of the nearest part of it that is there and the rest as written.
fn real(path: &Path) -> PathBuf {
    for part in path.ancestors() {
        if let Ok(real) = part.canonicalize() {
            return match path.strip_prefix(part) {
                Ok(rest) if !rest.as_os_str().is_empty() => real.join(rest),
                _ => real,
            };
        }
    }
    path.to_owned()
}

#[cfg(test)]
#[allow(clippy::disallowed_methods)]
mod tests {
    use std::fs;

    use super::*;

    fn read(home: &Path, folder: &str) -> (bool, Vec<String>) {
        let reach = reach(&home.join(folder), &Paths::under(home), &Choices::default());
        (reach.read, reach.tools)
    }

    #[test]
    fn a_tools_own_folder_is_read_and_so_is_what_lies_in_it_or_around_it() {
        let home = tempfile::tempdir().unwrap();
        for folder in [".claude/skills", ".claude/skills/team/deep", ".claude", "."] {
            let (read, tools) = read(home.path(), folder);
            assert!(read && tools.contains(&"claude-code".to_owned()), "{folder}: {tools:?}");
        }
        assert_eq!(read(home.path(), "Documents/out"), (false, Vec::new()));
    }

    #[test]
    fn something_is_placed_for_tools_that_are_here() {
        let home = tempfile::tempdir().unwrap();
        let paths = Paths::under(home.path());
        let folder = home.path().join(".claude/skills");
        let here = |choices: &Choices| reach(&folder, &paths, choices).here;
        let mut choices = Choices::default();
        assert_eq!(here(&choices), [""; 0], "several tools read it and none is here");
        fs::create_dir_all(home.path().join(".claude")).unwrap();
        fs::write(home.path().join(".claude/settings.json"), "{}").unwrap();
        assert_eq!(here(&choices), ["claude-code"]);
        choices.set_on("cursor", Some(true)).unwrap();
        assert_eq!(here(&choices), ["claude-code", "cursor"]);
        choices.set_on("claude-code", Some(false)).unwrap();
        assert_eq!(here(&choices), ["cursor"]);
    }

    #[cfg(unix)]
    #[test]
    fn a_link_to_a_tools_folder_is_that_folder() {
        let home = tempfile::tempdir().unwrap();
        fs::create_dir_all(home.path().join(".claude/skills")).unwrap();
        let link = home.path().join("elsewhere");
        std::os::unix::fs::symlink(home.path().join(".claude/skills"), &link).unwrap();
        assert!(read(home.path(), "elsewhere").0);
        assert!(read(home.path(), "elsewhere/not-there-yet").0);
    }

    #[test]
    fn a_folder_of_a_project_is_read_before_it_is_there() {
        let home = tempfile::tempdir().unwrap();
        let (read, tools) = read(home.path(), "work/site/.claude/skills/new");
        assert!(read && tools.contains(&"claude-code".to_owned()), "{tools:?}");
        assert!(!self::read(home.path(), "work/site/docs").0);
        // The project itself has one inside.
        fs::create_dir_all(home.path().join("work/site/.claude/skills")).unwrap();
        assert!(self::read(home.path(), "work/site").0);
        assert!(!self::read(home.path(), "work/site/docs").0);
    }

    #[test]
    fn what_a_skill_brings_is_seen_before_it_is_there() {
        let home = tempfile::tempdir().unwrap();
        let at = home.path().canonicalize().unwrap();
        let brings = |folder: &str, name: &str, files: &[&str]| {
            let found = super::brings(&at.join(folder), name, files.iter().copied());
            found.map(|found| found.strip_prefix(&at).unwrap().to_str().unwrap().to_owned())
        };
        let inner = ["SKILL.md", "inner/SKILL.md"];
        assert_eq!(
            brings("site/.claude", "skills", &inner).as_deref(),
            Some("site/.claude/skills")
        );
        assert_eq!(
            brings("site/.agents", "skills", &inner).as_deref(),
            Some("site/.agents/skills")
        );
        assert_eq!(brings("site", "talk", &inner), None);
        let hidden = ["SKILL.md", "a/.claude/skills/inner/SKILL.md"];
        assert_eq!(brings("out", "talk", &hidden).as_deref(), Some("out/talk/a/.claude/skills"));
        assert_eq!(brings("out", "talk", &["SKILL.md", ".claude/skills/inner/notes.md"]), None);
        assert_eq!(brings("out", "talk", &["SKILL.md", "data/skills/inner/SKILL.md"]), None);
    }

    #[test]
    fn what_the_person_added_or_gave_a_tool_is_read_too() {
        let home = tempfile::tempdir().unwrap();
        for folder in ["mine", "theirs"] {
            fs::create_dir_all(home.path().join(folder)).unwrap();
        }
        let paths = Paths::under(home.path());
        let mut choices = Choices::default();
        choices.add_folder(&home.path().join("mine"), &paths).unwrap();
        choices.set_roots("cursor", Some(&[home.path().join("theirs")]), &paths).unwrap();
        let of = |folder: &str| reach(&home.path().join(folder), &paths, &choices);
        assert_eq!((of("mine/x").read, of("mine/x").tools), (true, Vec::new()));
        assert_eq!(of("theirs").tools, ["cursor"]);
        assert!(of("mine").scanned.contains(&home.path().join("theirs")));
    }
}
