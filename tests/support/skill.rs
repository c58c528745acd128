//! Skills to test with.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// A skill: a folder's name and its files.
#[derive(Debug, Clone)]
pub(crate) struct Skill {
    pub(crate) name: String,
    pub(crate) files: BTreeMap<String, Vec<u8>>,
}

impl Skill {
    /// A plain one, with a main file of a few lines.
    pub(crate) fn new(name: &str, description: &str) -> Self {
        let main = format!(
            "---\nname: {name}\ndescription: {description}\n---\n\n# {name}\n\nWhat {name} does.\n"
        );
        Self { name: name.to_owned(), files: BTreeMap::new() }.file("SKILL.md", main.as_bytes())
    }

    /// With one more file, or with another content of one.
    pub(crate) fn file(mut self, path: &str, bytes: &[u8]) -> Self {
        self.files.insert(path.to_owned(), bytes.to_vec());
        self
    }

    /// Writes the folder under a root.
    pub(crate) fn write_under(&self, root: &Path) {
        for (path, bytes) in &self.files {
            let file = root.join(&self.name).join(path);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, bytes).unwrap();
        }
    }
}

/// One grey pixel.
pub(crate) const PNG: &[u8] = b"\x89PNG\x0d\x0a\x1a\x0a\x00\x00\x00\x0dIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x00\x00\x00\x00:~\x9bU\x00\x00\x00\x0aIDATx\x9cch\x00\x00\x00\x82\x00\x81w\xcdr\xb6\x00\x00\x00\x00IEND\xaeB`\x82";

/// Everything that goes wrong in transport: CRLF, a BOM, no bytes at all, binary, names that need
/// encoding, a skill inside.
pub(crate) fn hard_to_carry() -> Skill {
    Skill::new("hard-to-carry", "Files that are easily changed on the way.")
        .file("notes/crlf.txt", b"first\r\nsecond\r\n")
        .file("notes/bom.md", b"\xef\xbb\xbf# Begins with a byte order mark\n")
        .file("empty.txt", b"")
        .file("assets/pixel.png", PNG)
        .file("a name with spaces & #1.md", b"# Number one\n")
        .file(
            "inner/SKILL.md",
            b"---\nname: inner\ndescription: A skill inside another.\n---\n\nInner.\n",
        )
        .file("inner/more.txt", b"more\n")
}
