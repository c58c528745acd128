//! A home with these tools and these skills.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use super::skill::Skill;

/// A home folder of one test, gone with it.
pub(crate) struct Home {
    dir: tempfile::TempDir,
}

impl Home {
    /// With nothing in it.
    pub(crate) fn empty() -> Self {
        // No leading dot: some programs hide such folders.
        let dir = tempfile::Builder::new().prefix("skillhold-home-").tempdir().unwrap();
        Self { dir }
    }

    /// What one of these tools writes when it is first started, and by which it is found.
    pub(crate) fn with_tool(self, id: &str) -> Self {
        self.install(id);
        self
    }

    /// The same, later.
    pub(crate) fn install(&self, id: &str) {
        let file = match id {
            "claude-code" => ".claude/settings.json",
            "codex" => ".codex/config.toml",
            "cursor" => ".cursor/argv.json",
            "gemini-cli" => ".gemini/settings.json",
            id => panic!("what does {id} write?"),
        };
        let file = self.at(file);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, "").unwrap();
    }

    /// A folder in it.
    pub(crate) fn with_folder(self, path: &str) -> Self {
        fs::create_dir_all(self.at(path)).unwrap();
        self
    }

    /// A skill in a root, as `.claude/skills`.
    pub(crate) fn with_skill(self, root: &str, skill: &Skill) -> Self {
        skill.write_under(&self.at(root));
        self
    }

    /// The path of something in it.
    pub(crate) fn at(&self, path: &str) -> PathBuf {
        self.dir.path().join(path)
    }

    /// The home itself.
    pub(crate) fn path(&self) -> &Path {
        self.dir.path()
    }

    /// Every file under a folder with its bytes, by path relative to it; empty where there is none.
    pub(crate) fn files(&self, folder: &str) -> BTreeMap<String, Vec<u8>> {
        files_in(&self.at(folder))
    }
}

/// Every file under a folder with its bytes, by POSIX path relative to it.
pub(crate) fn files_in(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    fn walk(folder: &Path, under: &str, into: &mut BTreeMap<String, Vec<u8>>) {
        for entry in fs::read_dir(folder).into_iter().flatten() {
            let entry = entry.unwrap();
            let path = format!("{under}{}", entry.file_name().to_str().unwrap());
            if entry.file_type().unwrap().is_dir() {
                walk(&entry.path(), &format!("{path}/"), into);
            } else {
                into.insert(path, fs::read(entry.path()).unwrap());
            }
        }
    }
    let mut files = BTreeMap::new();
    walk(folder, "", &mut files);
    files
}
