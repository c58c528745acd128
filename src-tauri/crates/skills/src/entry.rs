//! An entry: what a server says one skill is (skills extension, "Entry").

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::digest::{Digest, Fingerprint};
use crate::manifest::{Manifest, ManifestError, ManifestFile};
use crate::uri::SkillUri;

/// One file of a served skill.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EntryFile {
    /// Relative to the skill, decoded, `/` between components; checked to lie inside it.
    pub path: String,
    /// The resource's URI exactly as the server wrote it.
    pub uri: String,
    /// In bytes.
    pub size: u64,
    /// What the bytes must hash to.
    pub digest: Digest,
}

/// A skill as a server declares it, after every rule for entries was checked. Its files are in
/// byte order of their paths and each path comes once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    uri: SkillUri,
    front_matter: Option<Map<String, Value>>,
    description: Option<String>,
    files: Vec<EntryFile>,
    manifest: Manifest,
}

impl Entry {
    /// Joins what was declared; the files must already be checked one by one. `front_matter` is
    /// `None` for a server without the extension, whose manifests hold none; `description` is then
    /// that of the resource.
    ///
    /// # Errors
    /// When the files do not make a manifest (a path twice, no `SKILL.md`, over the limits).
    pub fn new(
        uri: SkillUri,
        front_matter: Option<Map<String, Value>>,
        description: Option<String>,
        mut files: Vec<EntryFile>,
    ) -> Result<Self, ManifestError> {
        files.sort_by(|a, b| a.path.cmp(&b.path));
        let manifest = Manifest::new(
            files
                .iter()
                .map(|file| ManifestFile {
                    path: file.path.clone(),
                    size: file.size,
                    digest: file.digest,
                })
                .collect(),
        )?;
        manifest.within_limits()?;
        Ok(Self { uri, front_matter, description, files, manifest })
    }

    /// The URI of the skill's `SKILL.md`.
    pub fn uri(&self) -> &SkillUri {
        &self.uri
    }

    /// Every field the author wrote, as the server sent it; `None` where servers declare none.
    pub fn front_matter(&self) -> Option<&Map<String, Value>> {
        self.front_matter.as_ref()
    }

    /// The files with their URIs, in byte order of their paths.
    pub fn files(&self) -> &[EntryFile] {
        &self.files
    }

    /// The same files as a local folder would have them.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// The fingerprint of the declared files.
    pub fn fingerprint(&self) -> Fingerprint {
        self.manifest.fingerprint()
    }

    /// The `name` of the front matter, or the last segment of the skill's path.
    pub fn name(&self) -> &str {
        self.field("name").unwrap_or_else(|| self.uri.name())
    }

    /// The `description` of the front matter, or the resource's, or nothing.
    pub fn description(&self) -> &str {
        self.field("description").or(self.description.as_deref()).unwrap_or_default()
    }

    fn field(&self, name: &str) -> Option<&str> {
        self.front_matter.as_ref()?.get(name)?.as_str()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn file(path: &str) -> EntryFile {
        EntryFile {
            path: path.to_owned(),
            uri: format!("skill://a/{path}"),
            size: 1,
            digest: Digest::of(b"x"),
        }
    }

    fn entry(front_matter: Option<Value>, files: Vec<EntryFile>) -> Result<Entry, ManifestError> {
        let front_matter = front_matter.and_then(|value| value.as_object().cloned());
        Entry::new(
            SkillUri::for_path("a").unwrap(),
            front_matter,
            Some("of the resource".into()),
            files,
        )
    }

    #[test]
    fn files_are_sorted_and_make_the_fingerprint_of_a_folder_with_the_same_files() {
        let entry = entry(None, vec![file("b"), file("SKILL.md")]).unwrap();
        assert_eq!(entry.files()[0].path, "SKILL.md");
        let files = ["SKILL.md", "b"].map(|path| ManifestFile {
            path: path.into(),
            size: 1,
            digest: Digest::of(b"x"),
        });
        assert_eq!(entry.fingerprint(), Manifest::new(files.to_vec()).unwrap().fingerprint());
        assert!(super::tests::entry(None, vec![file("b")]).is_err());
    }

    #[test]
    fn name_and_description_come_from_the_front_matter_first() {
        let with =
            entry(Some(json!({"name": "n", "description": "d"})), vec![file("SKILL.md")]).unwrap();
        assert_eq!((with.name(), with.description()), ("n", "d"));
        let without = entry(None, vec![file("SKILL.md")]).unwrap();
        assert_eq!((without.name(), without.description()), ("a", "of the resource"));
    }
}
