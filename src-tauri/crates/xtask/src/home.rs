//! Proof that the tests left the person's own folders alone.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use crate::repository;

/// One line for everything in the folders that a test must not touch: every folder of a tool, by
/// the table of the crate `skills`, and the program's own.
pub(crate) struct Listing(BTreeSet<String>);

impl Listing {
    /// As it is now. What cannot be read is left out, the same way each time.
    pub(crate) fn now() -> Self {
        let mut lines = BTreeSet::new();
        for folder in folders() {
            list(&folder, &mut lines);
        }
        Self(lines)
    }

    /// What is not as it was in `before`.
    pub(crate) fn changes_since(&self, before: &Self) -> Vec<String> {
        let gone = before.0.difference(&self.0).map(|line| format!("was: {line}"));
        let new = self.0.difference(&before.0).map(|line| format!("is:  {line}"));
        gone.chain(new).collect()
    }
}

fn folders() -> Vec<PathBuf> {
    let Some(home) = std::env::home_dir() else { return Vec::new() };
    let table = repository::root().join("src-tauri/crates/skills/src/tools.toml");
    let table = std::fs::read_to_string(table).unwrap_or_default();
    let own = ["~/.local/share/skillhold", "~/.cache/skillhold", "~/.config/skillhold"];
    // Not all of a tool's folder: the tool itself may be at work beside the tests.
    let skills = quoted(&table).filter(|path| path.contains("skills"));
    skills.chain(own).filter_map(|path| expanded(path, &home)).collect()
}

/// Every text in double quotes.
fn quoted(table: &str) -> impl Iterator<Item = &str> {
    table.lines().flat_map(|line| line.split('"').skip(1).step_by(2))
}

/// `~/…` and `${NAME:-~/…}/…`, as the table writes paths.
fn expanded(path: &str, home: &Path) -> Option<PathBuf> {
    if let Some(rest) = path.strip_prefix("~/") {
        return Some(home.join(rest));
    }
    let (variable, rest) = path.strip_prefix("${")?.split_once('}')?;
    let (name, default) = variable.split_once(":-").unwrap_or((variable, ""));
    let folder = match std::env::var_os(name).filter(|value| !value.is_empty()) {
        Some(value) => PathBuf::from(value),
        None => expanded(default, home)?,
    };
    Some(folder.join(rest.trim_start_matches('/')))
}

fn list(path: &Path, lines: &mut BTreeSet<String>) {
    let Ok(facts) = std::fs::symlink_metadata(path) else { return };
    let modified = facts
        .modified()
        .ok()
        .and_then(|time| time.duration_since(UNIX_EPOCH).ok())
        .map_or(0, |since| since.as_nanos());
    lines.insert(format!("{} {} bytes, modified {modified}", path.display(), facts.len()));
    if facts.is_dir() {
        for entry in std::fs::read_dir(path).into_iter().flatten().flatten() {
            list(&entry.path(), lines);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use super::{Listing, expanded, list, quoted};

    #[test]
    fn a_new_file_and_an_edit_are_seen() {
        let dir = std::env::temp_dir().join(format!("skillhold-home-{}", std::process::id()));
        std::fs::create_dir_all(dir.join("skills")).unwrap();
        std::fs::write(dir.join("skills/a"), "one").unwrap();
        let listing = || {
            let mut lines = std::collections::BTreeSet::new();
            list(&dir.join("skills/a"), &mut lines);
            list(&dir.join("skills/b"), &mut lines);
            Listing(lines)
        };
        let before = listing();
        assert!(listing().changes_since(&before).is_empty());
        std::fs::write(dir.join("skills/a"), "longer").unwrap();
        std::fs::write(dir.join("skills/b"), "").unwrap();
        assert_eq!(listing().changes_since(&before).len(), 3);
        std::fs::remove_dir_all(&dir).unwrap();
    }

    #[test]
    fn the_folders_of_a_table_are_found() {
        let found: Vec<_> =
            quoted("id = \"a\"\nroots = [\"~/.a/skills\", \"~/.b/skills\"]\n").collect();
        assert_eq!(found, ["a", "~/.a/skills", "~/.b/skills"]);
    }

    #[test]
    fn a_variable_that_is_not_set_means_its_default() {
        let home = Path::new("/home/anna");
        let expand = |path| expanded(path, home);
        assert_eq!(expand("~/.a/skills"), Some(PathBuf::from("/home/anna/.a/skills")));
        assert_eq!(
            expand("${NOT_SET_ANYWHERE:-~/.config}/a/skills"),
            Some(PathBuf::from("/home/anna/.config/a/skills"))
        );
        assert_eq!(expand("${NOT_SET_ANYWHERE}/skills"), None);
        assert_eq!(expand("skills"), None);
    }
}
