//! Checks what was read against what was declared: size, digest, and the front matter.

use std::collections::BTreeMap;

use skills::MAIN_FILE;
use skills::digest::Digest;
use skills::entry::{Entry, EntryFile};
use skills::frontmatter::{FieldDifference, YamlVersion, same_as};

/// One file of an entry after an attempt to read it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FetchedFile {
    /// Relative to the skill.
    pub path: String,
    /// How it went.
    pub outcome: FileOutcome,
}

/// How reading one file went.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileOutcome {
    /// The bytes are those the server declared.
    Verified {
        /// The file.
        bytes: Vec<u8>,
        /// Whether the server had turned CRLF or CR into LF on the way and that was undone.
        line_endings_restored: bool,
    },
    /// The bytes are not those the server declared; they must not be used.
    Mismatch {
        /// Declared, in bytes.
        expected_size: u64,
        /// Declared.
        expected: Digest,
        /// Received, in bytes.
        actual_size: u64,
        /// Of what was received.
        actual: Digest,
        /// What was received, to be looked at only.
        bytes: Vec<u8>,
        /// Whether the sizes look as if only line endings differed, changed by the server in a way
        /// that cannot be undone for certain. It is a guess: a server chooses what it declares.
        only_line_endings: bool,
    },
    /// It could not be read; says why.
    Failed(String),
    /// The server was not asked for it: the `SKILL.md` is not what it declares.
    NotRead,
}

/// How far a fetch is. Sent after every file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FetchProgress {
    /// Files done, well or not.
    pub files_done: usize,
    /// Files in all.
    pub files: usize,
    /// Declared bytes of the files done.
    pub bytes_done: u64,
    /// Declared bytes in all.
    pub bytes: u64,
}

/// All files of an entry after an attempt to read them.
#[derive(Debug, Clone)]
pub struct Fetched {
    /// In byte order of their paths.
    pub files: Vec<FetchedFile>,
    /// What the front matter in the bytes says, compared with the declared one.
    pub front_matter: FrontMatterCheck,
}

impl Fetched {
    /// Whether every file is verified and the front matter does not differ from the declared one.
    pub fn is_verified(&self) -> bool {
        !matches!(self.front_matter, FrontMatterCheck::Differs(_))
            && self.files.iter().all(|file| matches!(file.outcome, FileOutcome::Verified { .. }))
    }

    /// All files by path, when each is verified and the front matter does not differ from the
    /// declared one: the extension makes such a difference equal to a wrong digest.
    pub fn verified(&self) -> Option<BTreeMap<String, Vec<u8>>> {
        if matches!(self.front_matter, FrontMatterCheck::Differs(_)) {
            return None;
        }
        self.files
            .iter()
            .map(|file| match &file.outcome {
                FileOutcome::Verified { bytes, .. } => Some((file.path.clone(), bytes.clone())),
                _ => None,
            })
            .collect()
    }
}

/// The front matter in the verified `SKILL.md` against the entry's.
#[derive(Debug, Clone)]
pub enum FrontMatterCheck {
    /// Every field is the same, read as this version of YAML.
    Same(YamlVersion),
    /// The server declares none: it does not speak the extension.
    NotDeclared,
    /// These fields differ: the server says one thing and serves another.
    Differs(Vec<FieldDifference>),
    /// The `SKILL.md` is not verified, so there is nothing to compare.
    NotChecked,
}

/// What a server sent for one file.
pub(crate) struct Received {
    pub(crate) bytes: Vec<u8>,
    /// Whether it came as text, which is where line endings get lost.
    pub(crate) text: bool,
}

/// Compares with the declared size and digest. Peers read text with universal newlines and so
/// lose CRLF and CR; those are put back where, and only where, the result then hashes right.
pub(crate) fn check(file: &EntryFile, received: Received) -> FileOutcome {
    let Received { bytes, text } = received;
    if matches(file, &bytes) {
        return FileOutcome::Verified { bytes, line_endings_restored: false };
    }
    let restorable = text && !bytes.contains(&b'\r');
    let breaks =
        if restorable { bytes.iter().filter(|byte| **byte == b'\n').count() as u64 } else { 0 };
    let size = bytes.len() as u64;
    if breaks > 0 && size + breaks == file.size {
        let restored = with_line_ending(&bytes, b"\r\n");
        if matches(file, &restored) {
            return FileOutcome::Verified { bytes: restored, line_endings_restored: true };
        }
    }
    if breaks > 0 && size == file.size {
        let restored = with_line_ending(&bytes, b"\r");
        if matches(file, &restored) {
            return FileOutcome::Verified { bytes: restored, line_endings_restored: true };
        }
    }
    let actual = Digest::of(&bytes);
    FileOutcome::Mismatch {
        expected_size: file.size,
        expected: file.digest,
        actual_size: size,
        actual,
        // Mixed line endings lose one byte for each CRLF among them; if all were CRLF, they would
        // have been restored. Where the digest is the declared one, it is the size that is wrong.
        only_line_endings: file.size > size && file.size - size < breaks && actual != file.digest,
        bytes,
    }
}

/// Whether these are exactly the declared bytes; the size is looked at first.
pub(crate) fn matches(file: &EntryFile, bytes: &[u8]) -> bool {
    bytes.len() as u64 == file.size && Digest::of(bytes) == file.digest
}

fn with_line_ending(bytes: &[u8], ending: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len() + bytes.len() / 16);
    for byte in bytes {
        match byte {
            b'\n' => out.extend_from_slice(ending),
            other => out.push(*other),
        }
    }
    out
}

/// Compares the front matter, field by field, once the `SKILL.md` is verified.
pub(crate) fn check_front_matter(entry: &Entry, files: &[FetchedFile]) -> FrontMatterCheck {
    let Some(declared) = entry.front_matter() else { return FrontMatterCheck::NotDeclared };
    let main = files.iter().find(|file| file.path == MAIN_FILE).map(|file| &file.outcome);
    match main {
        Some(FileOutcome::Verified { bytes, .. }) => match same_as(bytes, declared) {
            Ok(version) => FrontMatterCheck::Same(version),
            Err(differences) => FrontMatterCheck::Differs(differences),
        },
        _ => FrontMatterCheck::NotChecked,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::panic)]

    use super::*;

    fn declared(bytes: &[u8]) -> EntryFile {
        EntryFile {
            path: "notes.txt".to_owned(),
            uri: "skill://a/notes.txt".to_owned(),
            size: bytes.len() as u64,
            digest: Digest::of(bytes),
        }
    }

    fn text(bytes: &[u8]) -> Received {
        Received { bytes: bytes.to_vec(), text: true }
    }

    #[test]
    fn crlf_that_came_as_lf_is_restored() {
        let outcome = check(&declared(b"one\r\ntwo\r\n"), text(b"one\ntwo\n"));
        assert_eq!(
            outcome,
            FileOutcome::Verified {
                bytes: b"one\r\ntwo\r\n".to_vec(),
                line_endings_restored: true
            }
        );
    }

    #[test]
    fn cr_that_came_as_lf_is_restored() {
        let outcome = check(&declared(b"one\rtwo"), text(b"one\ntwo"));
        assert_eq!(
            outcome,
            FileOutcome::Verified { bytes: b"one\rtwo".to_vec(), line_endings_restored: true }
        );
    }

    #[test]
    fn mixed_line_endings_cannot_be_restored_and_are_named() {
        let outcome = check(&declared(b"one\r\ntwo\nthree"), text(b"one\ntwo\nthree"));
        let FileOutcome::Mismatch { expected_size, actual_size, only_line_endings, .. } = outcome
        else {
            panic!("accepted");
        };
        assert_eq!((expected_size, actual_size, only_line_endings), (14, 13, true));
    }

    #[test]
    fn a_wrong_size_of_the_declared_bytes_is_no_matter_of_line_endings() {
        let file = EntryFile { size: 14, ..declared(b"one\ntwo\nthree") };
        let outcome = check(&file, text(b"one\ntwo\nthree"));
        assert!(
            matches!(
                outcome,
                FileOutcome::Mismatch { actual_size: 13, only_line_endings: false, .. }
            ),
            "{outcome:?}"
        );
    }

    #[test]
    fn line_endings_of_what_came_as_bytes_are_not_touched() {
        let outcome =
            check(&declared(b"one\r\n"), Received { bytes: b"one\n".to_vec(), text: false });
        assert!(matches!(outcome, FileOutcome::Mismatch { only_line_endings: false, .. }));
    }

    #[test]
    fn other_content_of_the_same_size_is_a_mismatch_with_both_digests() {
        let outcome = check(&declared(b"abc"), text(b"abd"));
        let FileOutcome::Mismatch { expected, actual, bytes, only_line_endings, .. } = outcome
        else {
            panic!("accepted");
        };
        assert_eq!(
            expected.to_string(),
            "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
        assert_eq!(
            actual.to_string(),
            "sha256:a52d159f262b2c6ddb724a61840befc36eb30c88877a4030b65cbe86298449c9"
        );
        assert_eq!((bytes.as_slice(), only_line_endings), (b"abd".as_slice(), false));
    }
}
