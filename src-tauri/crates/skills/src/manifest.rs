//! The manifest of a skill: each of its files with size and digest.

use std::sync::OnceLock;

use serde::{Deserialize, Serialize};

use crate::MAIN_FILE;
use crate::digest::{Digest, Fingerprint};
pub use crate::read::{HEAD, LocalFiles, ReadManifestError, read_files};

/// The most files one skill may have (skills extension, "Limits").
pub const MAX_FILES: usize = 512;

/// The most bytes one skill may have in all (skills extension, "Limits").
pub const MAX_BYTES: u64 = 16 * 1024 * 1024;

/// One file of a manifest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ManifestFile {
    /// Relative to the skill, `/` between components, never starting with one.
    pub path: String,
    /// In bytes.
    pub size: u64,
    /// SHA-256 of the bytes.
    pub digest: Digest,
}

/// The files of one skill in byte order of their paths, each path once.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Manifest {
    files: Vec<ManifestFile>,
    /// Worked out when it is asked for first: a view of a large library asks several times a skill.
    /// Boxed, as most manifests are held and never asked.
    #[serde(skip)]
    fingerprint: OnceLock<Box<Fingerprint>>,
}

/// Equal files; whether the fingerprint was asked for does not matter.
impl PartialEq for Manifest {
    fn eq(&self, other: &Self) -> bool {
        self.files == other.files
    }
}

impl Eq for Manifest {}

/// Why files do not make a manifest.
#[derive(Debug, thiserror::Error)]
pub enum ManifestError {
    /// A path comes twice.
    #[error("{0} is listed twice")]
    Duplicate(String),
    /// There is no `SKILL.md` at the top.
    #[error("there is no SKILL.md among the files")]
    NoMainFile,
    /// Over [`MAX_FILES`].
    #[error("the skill has {0} files; {MAX_FILES} is the most")]
    TooManyFiles(usize),
    /// Over [`MAX_BYTES`].
    #[error("the skill has {0} bytes; {MAX_BYTES} is the most")]
    TooManyBytes(u64),
}

impl Manifest {
    /// Sorts the files and checks that each path comes once and `SKILL.md` is among them.
    ///
    /// # Errors
    /// [`ManifestError::Duplicate`] or [`ManifestError::NoMainFile`].
    pub fn new(mut files: Vec<ManifestFile>) -> Result<Self, ManifestError> {
        files.sort_by(|a, b| a.path.cmp(&b.path));
        if let Some(pair) = files.windows(2).find(|pair| pair[0].path == pair[1].path) {
            return Err(ManifestError::Duplicate(pair[0].path.clone()));
        }
        if !files.iter().any(|file| file.path == MAIN_FILE) {
            return Err(ManifestError::NoMainFile);
        }
        Ok(Self { files, fingerprint: OnceLock::new() })
    }

    /// The files in byte order of their paths.
    pub fn files(&self) -> &[ManifestFile] {
        &self.files
    }

    /// The file at this path.
    pub fn get(&self, path: &str) -> Option<&ManifestFile> {
        self.files
            .binary_search_by(|file| file.path.as_str().cmp(path))
            .ok()
            .map(|at| &self.files[at])
    }

    /// Bytes in all; saturates instead of wrapping when a server declares nonsense.
    pub fn total_size(&self) -> u64 {
        self.files.iter().fold(0, |sum, file| sum.saturating_add(file.size))
    }

    /// What the whole set of files is.
    pub fn fingerprint(&self) -> Fingerprint {
        let files = || self.files.iter().map(|file| (file.path.as_str(), file.size, file.digest));
        **self.fingerprint.get_or_init(|| Box::new(Fingerprint::of(files())))
    }

    /// Checks [`MAX_FILES`] and [`MAX_BYTES`].
    ///
    /// # Errors
    /// [`ManifestError::TooManyFiles`] or [`ManifestError::TooManyBytes`].
    pub fn within_limits(&self) -> Result<(), ManifestError> {
        if self.files.len() > MAX_FILES {
            return Err(ManifestError::TooManyFiles(self.files.len()));
        }
        match self.total_size() {
            bytes if bytes > MAX_BYTES => Err(ManifestError::TooManyBytes(bytes)),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    fn file(path: &str, size: u64) -> ManifestFile {
        ManifestFile { path: path.to_owned(), size, digest: Digest::of(b"x") }
    }

    #[test]
    fn files_are_sorted_and_each_path_comes_once() {
        let manifest =
            Manifest::new(vec![file("b", 1), file("SKILL.md", 2), file("a/b", 3)]).unwrap();
        let paths: Vec<_> = manifest.files().iter().map(|file| file.path.as_str()).collect();
        assert_eq!(paths, ["SKILL.md", "a/b", "b"]);
        assert_eq!(manifest.get("b"), Some(&file("b", 1)));
        assert_eq!(manifest.get("c"), None);
        assert_eq!(manifest.total_size(), 6);
        let twice = vec![file("SKILL.md", 1), file("SKILL.md", 1)];
        assert!(
            matches!(Manifest::new(twice), Err(ManifestError::Duplicate(path)) if path == "SKILL.md")
        );
        assert!(matches!(Manifest::new(vec![file("skill.md", 1)]), Err(ManifestError::NoMainFile)));
    }

    #[test]
    fn manifests_are_equal_and_written_alike_whether_or_not_the_fingerprint_was_asked_for() {
        let asked = Manifest::new(vec![file("SKILL.md", 2)]).unwrap();
        let not_asked = asked.clone();
        asked.fingerprint();
        assert_eq!(asked, not_asked);
        assert_eq!(
            serde_json::to_string(&asked).unwrap(),
            r#"[{"path":"SKILL.md","size":2,"digest":"sha256:2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881"}]"#
        );
    }

    #[test]
    fn limits_are_512_files_and_16_mib() {
        let many = |count: usize| {
            (1..count).map(|n| file(&format!("f{n}"), 0)).chain([file("SKILL.md", 0)]).collect()
        };
        assert!(Manifest::new(many(512)).unwrap().within_limits().is_ok());
        assert!(matches!(
            Manifest::new(many(513)).unwrap().within_limits(),
            Err(ManifestError::TooManyFiles(513))
        ));
        let large = |size| Manifest::new(vec![file("SKILL.md", size)]).unwrap().within_limits();
        assert!(large(16_777_216).is_ok());
        assert!(matches!(large(16_777_217), Err(ManifestError::TooManyBytes(16_777_217))));
        let nonsense = Manifest::new(vec![file("SKILL.md", u64::MAX), file("a", 2)]).unwrap();
        assert_eq!(nonsense.total_size(), u64::MAX);
    }

    #[test]
    fn one_changed_byte_changes_the_fingerprint() {
        let of = |bytes: &[u8]| {
            let file = ManifestFile {
                path: "SKILL.md".into(),
                size: bytes.len() as u64,
                digest: Digest::of(bytes),
            };
            Manifest::new(vec![file]).unwrap().fingerprint()
        };
        assert_eq!(of(b"abc"), of(b"abc"));
        assert_ne!(of(b"abc"), of(b"abd"));
    }

    /// Few of each, so that equal sets come up.
    fn files() -> impl Strategy<Value = BTreeMap<String, (u64, Digest)>> {
        let path = proptest::sample::select(vec!["a", "a/b", "a\n1", "1", "é", "SKILL.md.x"]);
        let file = (0_u64..3, proptest::sample::select(vec![b"x", b"y"]))
            .prop_map(|(size, bytes)| (size, Digest::of(bytes)));
        proptest::collection::btree_map(path.prop_map(str::to_owned), file, 0..4)
    }

    fn of(files: &BTreeMap<String, (u64, Digest)>, reversed: bool) -> Manifest {
        let mut list: Vec<ManifestFile> = files
            .iter()
            .map(|(path, (size, digest))| ManifestFile {
                path: path.clone(),
                size: *size,
                digest: *digest,
            })
            .chain([file("SKILL.md", 1)])
            .collect();
        if reversed {
            list.reverse();
        }
        Manifest::new(list).unwrap()
    }

    proptest! {
        #[test]
        fn the_fingerprint_changes_if_and_only_if_the_set_changes(a in files(), b in files()) {
            let (one, other) = (of(&a, false), of(&b, true));
            prop_assert_eq!(a == b, one.fingerprint() == other.fingerprint());
            prop_assert_eq!(one.fingerprint(), of(&a, true).fingerprint());
        }
    }
}
