//! Reading a skill's folder: every file, or an error that names the one that cannot be had.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use crate::digest::Digest;
use crate::manifest::{Manifest, ManifestError, ManifestFile};
use crate::stamp::{Stamp, open_file};

/// Folders inside each other that are followed before giving up.
const MAX_DEPTH: usize = 64;

/// Files that are listed before giving up; a manifest over [`MAX_FILES`](crate::manifest::MAX_FILES)
/// is still shown, a home folder taken for a skill is not.
const MAX_LISTED: usize = 20_000;

/// Why a folder has no manifest.
#[derive(Debug, thiserror::Error)]
pub enum ReadManifestError {
    /// The folder is not there, or is not a folder.
    #[error("{} is not a folder", .0.display())]
    NotAFolder(PathBuf),
    /// A link inside of the skill: what it shows lies elsewhere.
    #[error("{} is a link, and a skill holds files only", .0.display())]
    Link(PathBuf),
    /// A socket, a pipe or a device.
    #[error("{} is neither a file nor a folder", .0.display())]
    Special(PathBuf),
    /// A name that is not UTF-8 has no path in a manifest.
    #[error("the name of {} is not UTF-8", .0.display())]
    NameNotUtf8(PathBuf),
    /// The file was written, replaced or removed meanwhile, or is no longer as the manifest says.
    #[error("{} changed while it was read", .0.display())]
    Changed(PathBuf),
    /// Folders too deep or too many files for a skill.
    #[error("{} holds more than one skill can: over {MAX_LISTED} files, or {MAX_DEPTH} folders deep", .0.display())]
    TooMuch(PathBuf),
    /// The system refused.
    #[error("cannot read {}", .path.display())]
    Unreadable {
        /// What could not be read.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// The files make no manifest.
    #[error("{} is not a skill: {source}", .path.display())]
    Manifest {
        /// The folder.
        path: PathBuf,
        /// Why.
        source: ManifestError,
    },
}

impl Manifest {
    /// Hashes every file below `dir`, hidden ones too. The limits are not applied here; `dir`
    /// itself may be a link to a folder.
    ///
    /// # Errors
    /// See [`ReadManifestError`]; the first file in order of paths that cannot be had.
    pub fn read(dir: &Path) -> Result<Self, ReadManifestError> {
        Self::read_listed(dir, list_files(dir)?)
    }

    /// Hashes files that were listed just before.
    pub(crate) fn read_listed(
        dir: &Path,
        listed: Vec<ListedFile>,
    ) -> Result<Self, ReadManifestError> {
        let files = listed
            .into_iter()
            .map(|file| {
                let (digest, size) = read_with(&file.location(dir), Some(&file.stamp), |reader| {
                    Digest::of_reader(reader)
                })?;
                Ok(ManifestFile { path: file.path, size, digest })
            })
            .collect::<Result<Vec<_>, ReadManifestError>>()?;
        Self::new(files)
            .map_err(|source| ReadManifestError::Manifest { path: dir.to_owned(), source })
    }
}

/// The bytes of every file of the manifest, each checked again for size and digest.
///
/// # Errors
/// [`ReadManifestError::Changed`] for a file that is not as the manifest says; else what
/// [`ReadManifestError`] names.
pub fn read_files(
    dir: &Path,
    manifest: &Manifest,
) -> Result<BTreeMap<String, Vec<u8>>, ReadManifestError> {
    manifest
        .files()
        .iter()
        .map(|file| {
            let location = location(dir, &file.path);
            for folder in
                file.path.match_indices('/').map(|(at, _)| self::location(dir, &file.path[..at]))
            {
                let metadata =
                    fs::symlink_metadata(&folder).map_err(|source| unreadable(&folder, source))?;
                if metadata.is_symlink() {
                    return Err(ReadManifestError::Link(folder));
                }
            }
            let bytes = read_file(&location, file.size)?;
            if bytes.len() as u64 != file.size || Digest::of(&bytes) != file.digest {
                return Err(ReadManifestError::Changed(location));
            }
            Ok((file.path.clone(), bytes))
        })
        .collect()
}

/// The bytes of one regular file, at most one more than `most`.
pub(crate) fn read_file(location: &Path, most: u64) -> Result<Vec<u8>, ReadManifestError> {
    read_with(location, None, |reader| {
        let mut bytes = Vec::new();
        reader.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
        Ok(bytes)
    })
}

/// Digest and size of one regular file.
pub(crate) fn hash_file(location: &Path) -> Result<(Digest, u64), ReadManifestError> {
    read_with(location, None, |reader| Digest::of_reader(reader))
}

/// A file found below a skill's folder, not yet read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ListedFile {
    /// Relative to the skill, `/` between components.
    pub(crate) path: String,
    /// As it was when it was listed.
    pub(crate) stamp: Stamp,
}

impl ListedFile {
    fn location(&self, dir: &Path) -> PathBuf {
        location(dir, &self.path)
    }
}

/// Where a relative path with `/` lies.
pub(crate) fn location(dir: &Path, path: &str) -> PathBuf {
    let mut location = dir.to_owned();
    location.extend(path.split('/'));
    location
}

/// Every file below `dir` in byte order of paths; a link or a special file is an error.
pub(crate) fn list_files(dir: &Path) -> Result<Vec<ListedFile>, ReadManifestError> {
    list(dir, true)
}

/// Every regular file below `dir` in byte order of paths; links and special files are left out.
pub(crate) fn list_plain_files(dir: &Path) -> Result<Vec<ListedFile>, ReadManifestError> {
    list(dir, false)
}

fn list(dir: &Path, all: bool) -> Result<Vec<ListedFile>, ReadManifestError> {
    let mut files = Vec::new();
    if !dir.is_dir() {
        return Err(ReadManifestError::NotAFolder(dir.to_owned()));
    }
    list_into(dir, "", 0, all, &mut files)?;
    files.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(files)
}

fn list_into(
    dir: &Path,
    prefix: &str,
    depth: usize,
    all: bool,
    files: &mut Vec<ListedFile>,
) -> Result<(), ReadManifestError> {
    if depth > MAX_DEPTH {
        return Err(ReadManifestError::TooMuch(dir.to_owned()));
    }
    let children = fs::read_dir(dir)
        .and_then(Iterator::collect::<io::Result<Vec<_>>>)
        .map_err(|source| unreadable(dir, source))?;
    for child in children {
        let location = child.path();
        let metadata =
            fs::symlink_metadata(&location).map_err(|source| unreadable(&location, source))?;
        let Some(name) = child.file_name().to_str().map(str::to_owned) else {
            return Err(ReadManifestError::NameNotUtf8(location));
        };
        let path = format!("{prefix}{name}");
        if metadata.is_symlink() {
            if all {
                return Err(ReadManifestError::Link(location));
            }
        } else if metadata.is_dir() {
            list_into(&location, &format!("{path}/"), depth + 1, all, files)?;
        } else if metadata.is_file() {
            if files.len() == MAX_LISTED {
                return Err(ReadManifestError::TooMuch(dir.to_owned()));
            }
            files.push(ListedFile { path, stamp: Stamp::of(&metadata) });
        } else if all {
            return Err(ReadManifestError::Special(location));
        }
    }
    Ok(())
}

/// Reads one regular file and makes sure that it is the same one, unwritten, before and after.
fn read_with<T>(
    location: &Path,
    listed: Option<&Stamp>,
    read: impl FnOnce(&mut dyn Read) -> io::Result<T>,
) -> Result<T, ReadManifestError> {
    let fail = |source| unreadable(location, source);
    let found = fs::symlink_metadata(location).map_err(fail)?;
    if found.is_symlink() {
        return Err(ReadManifestError::Link(location.to_owned()));
    }
    if !found.is_file() {
        return Err(ReadManifestError::Special(location.to_owned()));
    }
    let before = Stamp::of(&found);
    let changed = || ReadManifestError::Changed(location.to_owned());
    if listed.is_some_and(|listed| *listed != before) {
        return Err(changed());
    }
    let mut file = open_file(location).map_err(fail)?;
    if Stamp::of(&file.metadata().map_err(fail)?) != before {
        return Err(changed());
    }
    let value = read(&mut file).map_err(fail)?;
    let after = Stamp::of(&file.metadata().map_err(fail)?);
    let at_path = fs::symlink_metadata(location).map_err(|_| changed())?;
    if after != before || Stamp::of(&at_path) != before {
        return Err(changed());
    }
    Ok(value)
}

fn unreadable(path: &Path, source: io::Error) -> ReadManifestError {
    ReadManifestError::Unreadable { path: path.to_owned(), source }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = dir.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        dir
    }

    #[test]
    fn every_file_is_in_the_manifest_hidden_ones_too() {
        let dir =
            folder(&[("SKILL.md", "abc"), (".hidden/.env", ""), ("b.txt", "x"), ("b/c", "x")]);
        let manifest = Manifest::read(dir.path()).unwrap();
        let paths: Vec<_> =
            manifest.files().iter().map(|file| (file.path.as_str(), file.size)).collect();
        assert_eq!(paths, [(".hidden/.env", 0), ("SKILL.md", 3), ("b.txt", 1), ("b/c", 1)]);
        assert_eq!(
            manifest.get("SKILL.md").unwrap().digest.hex(),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
        let files = read_files(dir.path(), &manifest).unwrap();
        assert_eq!(files["SKILL.md"], b"abc");
    }

    #[test]
    fn a_file_that_is_not_as_the_manifest_says_is_an_error() {
        let dir = folder(&[("SKILL.md", "abc")]);
        let manifest = Manifest::read(dir.path()).unwrap();
        fs::write(dir.path().join("SKILL.md"), "abd").unwrap();
        assert!(matches!(read_files(dir.path(), &manifest), Err(ReadManifestError::Changed(_))));
        fs::write(dir.path().join("SKILL.md"), "abcd").unwrap();
        assert!(matches!(read_files(dir.path(), &manifest), Err(ReadManifestError::Changed(_))));
        fs::remove_file(dir.path().join("SKILL.md")).unwrap();
        assert!(matches!(
            read_files(dir.path(), &manifest),
            Err(ReadManifestError::Unreadable { .. })
        ));
    }

    #[test]
    fn a_file_that_changed_since_it_was_listed_is_an_error() {
        let dir = folder(&[("SKILL.md", "abc")]);
        let listed = list_files(dir.path()).unwrap();
        fs::write(dir.path().join("SKILL.md"), "abcd").unwrap();
        let error = Manifest::read_listed(dir.path(), listed).unwrap_err();
        assert!(error.to_string().ends_with("SKILL.md changed while it was read"));
    }

    #[test]
    fn a_file_written_while_it_is_read_is_an_error() {
        let dir = folder(&[("SKILL.md", "abc")]);
        let path = dir.path().join("SKILL.md");
        let read = read_with(&path, None, |_| fs::write(&path, "abcdef"));
        assert!(matches!(read, Err(ReadManifestError::Changed(_))));
    }

    #[test]
    fn what_is_no_skill_folder_is_named() {
        let dir = folder(&[("README.md", "x")]);
        assert!(
            Manifest::read(dir.path())
                .unwrap_err()
                .to_string()
                .ends_with("there is no SKILL.md among the files")
        );
        assert!(matches!(
            Manifest::read(&dir.path().join("gone")),
            Err(ReadManifestError::NotAFolder(_))
        ));
    }

    #[cfg(unix)]
    #[test]
    fn links_and_special_files_are_errors_that_name_them() {
        use std::os::unix::ffi::OsStrExt;
        use std::os::unix::fs::symlink;
        use std::os::unix::net::UnixListener;

        let dir = folder(&[("SKILL.md", "x")]);
        symlink("/etc/passwd", dir.path().join("key")).unwrap();
        let error = Manifest::read(dir.path()).unwrap_err();
        assert!(error.to_string().contains("key is a link"));
        fs::remove_file(dir.path().join("key")).unwrap();

        let socket = UnixListener::bind(dir.path().join("socket")).unwrap();
        assert!(matches!(Manifest::read(dir.path()), Err(ReadManifestError::Special(_))));
        drop(socket);
        fs::remove_file(dir.path().join("socket")).unwrap();

        fs::write(dir.path().join(std::ffi::OsStr::from_bytes(b"\xff")), "x").unwrap();
        assert!(matches!(Manifest::read(dir.path()), Err(ReadManifestError::NameNotUtf8(_))));
    }

    #[cfg(unix)]
    #[test]
    fn a_folder_that_became_a_link_is_not_read_through() {
        let dir = folder(&[("SKILL.md", "x"), ("docs/a", "a")]);
        let manifest = Manifest::read(dir.path()).unwrap();
        fs::rename(dir.path().join("docs"), dir.path().join("moved")).unwrap();
        std::os::unix::fs::symlink(dir.path().join("moved"), dir.path().join("docs")).unwrap();
        assert!(matches!(read_files(dir.path(), &manifest), Err(ReadManifestError::Link(_))));
    }
}
