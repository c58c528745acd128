//! Reading a skill's folder: every file, or an error that names the one that cannot be had.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, Metadata};
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
        read_with_heads(dir, listed).map(|(manifest, _)| manifest)
    }
}

impl ReadManifestError {
    /// What it is about.
    pub fn path(&self) -> &Path {
        match self {
            Self::NotAFolder(path)
            | Self::Link(path)
            | Self::Special(path)
            | Self::NameNotUtf8(path)
            | Self::Changed(path)
            | Self::TooMuch(path)
            | Self::Unreadable { path, .. }
            | Self::Manifest { path, .. } => path,
        }
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

/// A file found below a skill's folder, not yet read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ListedFile {
    /// Relative to the skill, `/` between components.
    pub(crate) path: String,
    /// As it was when it was listed.
    pub(crate) stamp: Stamp,
    /// Whether it has the executable bit.
    pub(crate) executable: bool,
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
    let listing = survey(dir)?;
    match listing.problems.into_iter().next() {
        Some(problem) => Err(problem),
        None => Ok(listing.files),
    }
}

/// What lies below a folder: what can be read, and what stands in the way of a manifest.
#[derive(Debug, Default)]
pub(crate) struct Listing {
    /// In byte order of their paths.
    pub(crate) files: Vec<ListedFile>,
    /// In byte order of where they are.
    pub(crate) problems: Vec<ReadManifestError>,
}

/// Lists everything below `dir`, which may itself be a link to a folder. Links inside are not
/// followed, and what cannot be listed does not hide the rest.
///
/// # Errors
/// [`ReadManifestError::NotAFolder`], [`ReadManifestError::TooMuch`], or that `dir` itself cannot
/// be listed.
pub(crate) fn survey(dir: &Path) -> Result<Listing, ReadManifestError> {
    if !dir.is_dir() {
        return Err(ReadManifestError::NotAFolder(dir.to_owned()));
    }
    let mut listing = Listing::default();
    list_into(dir, "", 0, &mut listing)?;
    listing.files.sort_by(|a, b| a.path.cmp(&b.path));
    listing.problems.sort_by(|a, b| a.path().cmp(b.path()));
    Ok(listing)
}

fn list_into(
    dir: &Path,
    prefix: &str,
    depth: usize,
    listing: &mut Listing,
) -> Result<(), ReadManifestError> {
    if depth > MAX_DEPTH {
        return Err(ReadManifestError::TooMuch(dir.to_owned()));
    }
    for child in fs::read_dir(dir).map_err(|source| unreadable(dir, source))? {
        let child = child.map_err(|source| unreadable(dir, source))?;
        if listing.files.len() + listing.problems.len() == MAX_LISTED {
            return Err(ReadManifestError::TooMuch(dir.to_owned()));
        }
        let location = child.path();
        let metadata = match fs::symlink_metadata(&location) {
            Ok(metadata) => metadata,
            Err(source) => {
                listing.problems.push(unreadable(&location, source));
                continue;
            }
        };
        let Some(name) = child.file_name().to_str().map(str::to_owned) else {
            listing.problems.push(ReadManifestError::NameNotUtf8(location));
            continue;
        };
        let path = format!("{prefix}{name}");
        if metadata.is_symlink() {
            listing.problems.push(ReadManifestError::Link(location));
        } else if metadata.is_dir() {
            match list_into(&location, &format!("{path}/"), depth + 1, listing) {
                Ok(()) => {}
                Err(error @ ReadManifestError::TooMuch(_)) => return Err(error),
                Err(error) => listing.problems.push(error),
            }
        } else if metadata.is_file() {
            let executable = is_executable(&metadata);
            listing.files.push(ListedFile { path, stamp: Stamp::of(&metadata), executable });
        } else {
            listing.problems.push(ReadManifestError::Special(location));
        }
    }
    Ok(())
}

/// Whether the system would run the file, for anyone.
fn is_executable(metadata: &Metadata) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        metadata.permissions().mode() & 0o111 != 0
    }
    #[cfg(not(unix))]
    {
        let _ = metadata;
        false
    }
}

/// What only a folder on a disk can tell of its files, and no manifest does.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LocalFiles {
    /// The files with the executable bit; always empty where the system has none.
    pub executable: BTreeSet<String>,
    /// The first bytes, at most [`HEAD`], of each file that was read.
    pub first_bytes: BTreeMap<String, Vec<u8>>,
}

/// The most bytes of a file that are kept to tell what it is.
pub const HEAD: usize = 64;

/// Reads through, and keeps what comes first.
struct Heading<'a> {
    reader: &'a mut dyn Read,
    head: Vec<u8>,
}

impl Read for Heading<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.reader.read(buffer)?;
        let wanted = HEAD.saturating_sub(self.head.len()).min(count);
        self.head.extend(buffer.get(..wanted).unwrap_or_default());
        Ok(count)
    }
}

/// Hashes files that were listed just before and keeps what only the disk can tell.
pub(crate) fn read_with_heads(
    dir: &Path,
    listed: Vec<ListedFile>,
) -> Result<(Manifest, LocalFiles), ReadManifestError> {
    let mut local = LocalFiles::default();
    let mut files = Vec::with_capacity(listed.len());
    for file in listed {
        let (digest, size, head) = read_with(&file.location(dir), Some(&file.stamp), |reader| {
            let mut reader = Heading { reader, head: Vec::new() };
            let (digest, size) = Digest::of_reader(&mut reader)?;
            Ok((digest, size, reader.head))
        })?;
        if file.executable {
            local.executable.insert(file.path.clone());
        }
        local.first_bytes.insert(file.path.clone(), head);
        files.push(ManifestFile { path: file.path, size, digest });
    }
    let manifest = Manifest::new(files)
        .map_err(|source| ReadManifestError::Manifest { path: dir.to_owned(), source })?;
    Ok((manifest, local))
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

    /// Gives so many bytes and remembers the most that were asked for at once.
    struct Counting {
        left: usize,
        most: usize,
    }

    impl Read for Counting {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            self.most = self.most.max(buffer.len());
            let count = buffer.len().min(self.left).min(9_999);
            buffer[..count].fill(b'a');
            self.left -= count;
            Ok(count)
        }
    }

    #[test]
    fn hashing_streams_in_flat_memory() {
        let mut source = Counting { left: 1_000_000, most: 0 };
        let mut heading = Heading { reader: &mut source, head: Vec::new() };
        let (digest, size) = Digest::of_reader(&mut heading).unwrap();
        // The third test vector of FIPS 180-2.
        assert_eq!(
            digest.hex(),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
        );
        assert_eq!(size, 1_000_000);
        assert_eq!(heading.head, [b'a'; HEAD]);
        assert!(source.most <= 64 * 1024, "{}", source.most);
    }

    #[test]
    fn a_file_that_vanishes_while_it_is_read_is_an_error() {
        let dir = folder(&[("SKILL.md", "abc")]);
        let path = dir.path().join("SKILL.md");
        let read = read_with(&path, None, |_| fs::remove_file(&path));
        assert!(matches!(read, Err(ReadManifestError::Changed(_))));
    }

    #[cfg(unix)]
    #[test]
    fn what_only_the_disk_tells_is_kept() {
        use std::os::unix::fs::PermissionsExt;

        let dir = folder(&[("SKILL.md", "abc"), ("run.sh", "#!/bin/sh\n")]);
        let run = dir.path().join("run.sh");
        fs::set_permissions(&run, fs::Permissions::from_mode(0o755)).unwrap();
        let listed = list_files(dir.path()).unwrap();
        let (manifest, local) = read_with_heads(dir.path(), listed).unwrap();
        assert_eq!(manifest.files().len(), 2);
        assert_eq!(local.executable, BTreeSet::from(["run.sh".to_owned()]));
        assert_eq!(local.first_bytes["run.sh"], b"#!/bin/sh\n");
    }

    #[cfg(unix)]
    #[test]
    fn a_folder_that_cannot_be_read_does_not_hide_the_rest() {
        use std::os::unix::fs::PermissionsExt;

        let dir = folder(&[("SKILL.md", "abc"), ("locked/x", "x"), ("z", "z")]);
        let locked = dir.path().join("locked");
        fs::set_permissions(&locked, fs::Permissions::from_mode(0o000)).unwrap();
        let listing = survey(dir.path()).unwrap();
        let open = fs::read_dir(&locked).is_ok();
        fs::set_permissions(&locked, fs::Permissions::from_mode(0o755)).unwrap();
        // Whoever may read everything sees no lock.
        if !open {
            let paths: Vec<_> = listing.files.iter().map(|file| file.path.as_str()).collect();
            assert_eq!(paths, ["SKILL.md", "z"]);
            assert_eq!(listing.problems.len(), 1);
            assert_eq!(listing.problems[0].path(), locked);
        }
    }

    #[cfg(unix)]
    #[test]
    fn everything_in_the_way_is_listed() {
        use std::os::unix::fs::symlink;

        let dir = folder(&[("SKILL.md", "abc"), ("b/x", "x")]);
        symlink("SKILL.md", dir.path().join("a")).unwrap();
        symlink("nowhere", dir.path().join("b/y")).unwrap();
        let listing = survey(dir.path()).unwrap();
        assert_eq!(listing.files.len(), 2);
        let paths: Vec<_> = listing.problems.iter().map(|one| one.path().to_owned()).collect();
        assert_eq!(paths, [dir.path().join("a"), dir.path().join("b/y")]);
    }
}
