#![expect(clippy::disallowed_methods, reason = "the module through which the vault writes")]
//! Every call that writes to a disk, besides the swap of whole folders. Nothing here follows a link
//! at the path that it is given, and nothing overwrites a file.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use crate::error::VaultError;

/// Makes a folder that only this person can enter, and its parents.
pub(crate) fn make_private(path: &Path) -> Result<(), VaultError> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path).map_err(VaultError::disk("make the folder", path))
}

/// Makes one folder that must not exist yet.
pub(crate) fn make_folder(path: &Path) -> Result<(), VaultError> {
    fs::create_dir(path).map_err(VaultError::disk("make the folder", path))
}

/// The folders that are missing on the way to `path`, outermost first, `path` itself included.
pub(crate) fn missing(path: &Path) -> Vec<PathBuf> {
    let mut missing: Vec<PathBuf> = path
        .ancestors()
        .take_while(|part| part.symlink_metadata().is_err())
        .map(Path::to_owned)
        .collect();
    missing.reverse();
    missing
}

/// Writes a file that must not exist, flushes it, and gives it the executable bit where asked.
pub(crate) fn write_new(path: &Path, bytes: &[u8], executable: bool) -> Result<(), VaultError> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, if executable { 0o777 } else { 0o666 });
    #[cfg(not(unix))]
    let _ = executable;
    let write = || -> io::Result<()> {
        let mut file = options.open(path)?;
        file.write_all(bytes)?;
        file.sync_all()
    };
    write().map_err(VaultError::disk("write", path))
}

/// Writes a file through a new one beside it and a rename, so that it is whole or absent.
pub(crate) fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), VaultError> {
    let beside = path.with_extension(uuid::Uuid::new_v4().simple().to_string());
    let written = write_new(&beside, bytes, false).and_then(|()| rename(&beside, path));
    if written.is_err() {
        // What failed is told; the left-over is only bytes in our own store.
        let _ = fs::remove_file(&beside);
    }
    written
}

/// The bytes of a file, at most one more than `most`; `None` when there is none.
pub(crate) fn read(path: &Path, most: u64) -> io::Result<Option<Vec<u8>>> {
    let file = match File::open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        opened => opened?,
    };
    let mut bytes = Vec::new();
    file.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    Ok(Some(bytes))
}

/// Flushes what a folder lists. A system that cannot do that for folders does it by itself.
pub(crate) fn sync_folder(path: &Path) -> Result<(), VaultError> {
    if cfg!(unix) {
        File::open(path)
            .and_then(|folder| folder.sync_all())
            .map_err(VaultError::disk("flush", path))?;
    }
    Ok(())
}

/// Renames within one disk.
pub(crate) fn rename(from: &Path, to: &Path) -> Result<(), VaultError> {
    fs::rename(from, to).map_err(VaultError::disk("rename", from))
}

/// Removes a folder that the vault made for itself, with all that is in it; links in it are removed
/// and never followed. Nothing there is no error.
pub(crate) fn remove_own(path: &Path) -> Result<(), VaultError> {
    match fs::remove_dir_all(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        done => done.map_err(VaultError::disk("remove", path)),
    }
}

/// Removes a folder if it is there and empty; says whether it did.
pub(crate) fn remove_empty(path: &Path) -> bool {
    fs::remove_dir(path).is_ok()
}

/// Opens the file that stands for the right to change folders.
pub(crate) fn open_lock(path: &Path) -> Result<File, VaultError> {
    OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(false)
        .open(path)
        .map_err(VaultError::disk("open", path))
}

/// `path-1`, `path-2` and so on: the first that is free.
pub(crate) fn unused(path: &Path) -> PathBuf {
    let mut number = 1;
    loop {
        let candidate = PathBuf::from(format!("{}-{number}", path.display()));
        if candidate.symlink_metadata().is_err() {
            return candidate;
        }
        number += 1;
    }
}

/// What tells a folder from another one that takes its place later; `None` where the system has no
/// such number. Devices are left out, because their numbers change when a computer starts.
pub(crate) fn inode(path: &Path) -> Option<u64> {
    #[cfg(unix)]
    return path
        .symlink_metadata()
        .ok()
        .map(|metadata| std::os::unix::fs::MetadataExt::ino(&metadata));
    #[cfg(not(unix))]
    {
        let _ = path;
        None
    }
}

/// The disk that holds a path, or would hold it: that of the nearest part that exists.
pub(crate) fn device(path: &Path) -> Option<u64> {
    let there = path.ancestors().find_map(|part| part.metadata().ok())?;
    #[cfg(unix)]
    return Some(std::os::unix::fs::MetadataExt::dev(&there));
    #[cfg(not(unix))]
    {
        let _ = there;
        // The drive letter or share.
        path.components().next().map(|prefix| {
            let name = prefix.as_os_str().to_string_lossy().to_lowercase();
            name.bytes()
                .fold(0, |sum: u64, byte| sum.wrapping_mul(31).wrapping_add(u64::from(byte)))
        })
    }
}

/// True when entries of this folder can be made, renamed and removed. A folder without any write
/// bit counts as read-only for everyone: somebody meant it so.
pub(crate) fn is_writable(folder: &Path) -> bool {
    #[cfg(unix)]
    {
        use rustix::fs::{Access, access};
        use std::os::unix::fs::MetadataExt;
        folder.metadata().is_ok_and(|metadata| metadata.mode() & 0o222 != 0)
            && access(folder, Access::WRITE_OK | Access::EXEC_OK).is_ok()
    }
    #[cfg(not(unix))]
    folder.metadata().is_ok_and(|metadata| metadata.is_dir())
}

/// True when a file has an executable bit.
pub(crate) fn is_executable(path: &Path) -> bool {
    #[cfg(unix)]
    return path
        .symlink_metadata()
        .is_ok_and(|metadata| std::os::unix::fs::MetadataExt::mode(&metadata) & 0o111 != 0);
    #[cfg(not(unix))]
    {
        let _ = path;
        false
    }
}
