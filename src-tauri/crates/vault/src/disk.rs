#![expect(clippy::disallowed_methods, reason = "the module through which the vault writes")]
//! Every call that writes to a disk, besides the swap of whole folders. Nothing here follows a link
//! at the path that it is given, and nothing overwrites a file.

mod links;

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use crate::attributes;
use crate::error::VaultError;

pub(crate) use links::{leads_to, make_link, read_link, takes_links};

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
    let written = write_unflushed(path, bytes, executable).and_then(|file| file.sync_all());
    written.map_err(VaultError::disk("write", path))
}

/// Writes a file that must not exist. After a power cut it may be anything, until it is flushed.
pub(crate) fn write_unflushed(path: &Path, bytes: &[u8], executable: bool) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, if executable { 0o777 } else { 0o666 });
    #[cfg(not(unix))]
    let _ = executable;
    let mut file = options.open(path)?;
    file.write_all(bytes)?;
    Ok(file)
}

/// Who may do what with a file or a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Access {
    permissions: fs::Permissions,
    /// Ids of the owner and the group, where the system has them.
    owner: Option<(u32, u32)>,
}

impl Access {
    /// As it is.
    pub(crate) fn of(metadata: &fs::Metadata) -> Self {
        #[cfg(unix)]
        let owner = {
            use std::os::unix::fs::MetadataExt;
            Some((metadata.uid(), metadata.gid()))
        };
        #[cfg(not(unix))]
        let owner = None;
        Self { permissions: only_mode(metadata), owner }
    }

    /// Gives it to a file or folder that is open, with all that is attached to the original; the
    /// owner first, because a new one takes bits away.
    fn give(&self, file: &File, original: &File) -> io::Result<()> {
        #[cfg(unix)]
        if let Some((user, group)) = self.owner
            && self.owner != Self::of(&file.metadata()?).owner
        {
            std::os::unix::fs::fchown(file, Some(user), Some(group))?;
        }
        attributes::copy(original, file)?;
        if self.permissions != Self::of(&file.metadata()?).permissions {
            file.set_permissions(self.permissions.clone())?;
        }
        Ok(())
    }
}

/// The permissions without what kind of file it is.
fn only_mode(metadata: &fs::Metadata) -> fs::Permissions {
    let permissions = metadata.permissions();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        fs::Permissions::from_mode(permissions.mode() & 0o7777)
    }
    #[cfg(not(unix))]
    permissions
}

/// Writes a file that must not exist, in all but its bytes like another, and flushes it.
pub(crate) fn write_like(
    from: &Path,
    to: &Path,
    bytes: &[u8],
    access: &Access,
) -> Result<(), VaultError> {
    let original = open_plain(from).map_err(VaultError::disk("read", from))?;
    let write = || -> io::Result<()> {
        let mut file = create_closed(to)?;
        file.write_all(bytes)?;
        access.give(&file, &original)?;
        file.sync_all()
    };
    write().map_err(VaultError::disk("write", to))
}

/// Copies a regular file that is not a link to a place where none may be, with this access and the
/// time of its last change, and flushes it.
pub(crate) fn copy_like(from: &Path, to: &Path, access: &Access) -> Result<(), VaultError> {
    let mut source = open_plain(from).map_err(VaultError::disk("read", from))?;
    let mut copy = || -> io::Result<()> {
        let modified = source.metadata()?.modified();
        let mut file = create_closed(to)?;
        io::copy(&mut source, &mut file)?;
        access.give(&file, &source)?;
        if let Ok(modified) = modified {
            file.set_modified(modified)?;
        }
        file.sync_all()
    };
    copy().map_err(VaultError::disk("write", to))
}

/// Makes a folder of ours in all but its content like another.
pub(crate) fn give_access(from: &Path, folder: &Path, access: &Access) -> Result<(), VaultError> {
    if !cfg!(unix) {
        return Ok(());
    }
    let original = File::open(from).map_err(VaultError::disk("read", from))?;
    File::open(folder)
        .and_then(|file| access.give(&file, &original))
        .map_err(VaultError::disk("set who may use", folder))
}

/// A new file that only this person can read, until it gets the access that it is to have.
fn create_closed(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// Writes a file through a new one beside it and a rename, so that it is whole or absent while the
/// system runs. It is not flushed: after a power cut it may be anything, until [`flush`] was called.
pub(crate) fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), VaultError> {
    let beside = path.with_extension(uuid::Uuid::new_v4().simple().to_string());
    let written =
        write_unflushed(&beside, bytes, false).map_err(VaultError::disk("write", &beside));
    let written = written.and_then(|_| rename(&beside, path));
    if written.is_err() {
        // What failed is told; the left-over is only bytes in our own store.
        let _ = fs::remove_file(&beside);
    }
    written
}

/// As [`write_whole`], and flushed.
pub(crate) fn write_flushed(path: &Path, bytes: &[u8]) -> Result<(), VaultError> {
    let beside = path.with_extension(uuid::Uuid::new_v4().simple().to_string());
    let written = write_new(&beside, bytes, false).and_then(|()| rename(&beside, path));
    if written.is_err() {
        // As above.
        let _ = fs::remove_file(&beside);
    }
    written
}

/// Makes a file of this many bytes, which take room on its disk.
pub(crate) fn fill(path: &Path, size: usize) -> Result<(), VaultError> {
    let filled = File::create(path).and_then(|mut file| file.write_all(&vec![0xa5; size]));
    filled.map_err(VaultError::disk("take room for the record in", path))
}

/// Flushes what was written to a file.
pub(crate) fn flush(path: &Path) -> Result<(), VaultError> {
    // Some systems flush only what is open for writing.
    let opened = OpenOptions::new().write(true).open(path);
    opened.and_then(|file| file.sync_all()).map_err(VaultError::disk("flush", path))
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

/// A new file that may be read as others of the person, where none may be.
pub(crate) fn create_plain(path: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).create_new(true).open(path)
}

/// Opens a regular file for reading, never through a link at its last component and never waiting
/// for the other end of a pipe.
pub(crate) fn open_plain(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        use rustix::fs::OFlags;
        use std::os::unix::fs::OpenOptionsExt;
        options.custom_flags((OFlags::NOFOLLOW | OFlags::NONBLOCK).bits() as i32);
    }
    let file = options.open(path)?;
    if file.metadata()?.is_file() {
        Ok(file)
    } else {
        Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"))
    }
}

/// The bytes of a regular file that is not a link, at most one more than `most`.
pub(crate) fn read_plain_file(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open_plain(path)?.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    Ok(bytes)
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
    let removed = match fs::remove_dir_all(path) {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            // A copy of a skill has the permissions of that, and may hold closed folders.
            unlock(path);
            fs::remove_dir_all(path)
        }
        done => done,
    };
    match removed {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        done => done.map_err(VaultError::disk("remove", path)),
    }
}

/// Removes a file that the vault made for itself. Nothing there is no error.
pub(crate) fn remove_own_file(path: &Path) -> Result<(), VaultError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        done => done.map_err(VaultError::disk("remove", path)),
    }
}

/// Lets this person write into a folder of ours and those below. Where that fails, removing it says
/// so.
fn unlock(folder: &Path) {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mut left = vec![folder.to_owned()];
        while let Some(folder) = left.pop() {
            if !folder.symlink_metadata().is_ok_and(|metadata| metadata.is_dir()) {
                continue;
            }
            let _ = fs::set_permissions(&folder, fs::Permissions::from_mode(0o700));
            let inside = fs::read_dir(&folder).into_iter().flatten().filter_map(Result::ok);
            left.extend(inside.map(|entry| entry.path()));
        }
    }
    #[cfg(not(unix))]
    let _ = folder;
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

/// When a folder was made, in nanoseconds since 1970, where the file system remembers that: numbers
/// of folders that are gone are given to new ones.
pub(crate) fn born(path: &Path) -> Option<i64> {
    let made = path.symlink_metadata().ok()?.created().ok()?;
    let since = made.duration_since(std::time::UNIX_EPOCH).ok()?;
    i64::try_from(since.as_nanos()).ok()
}

/// True when the folder around it lists exactly this name.
pub(crate) fn is_listed(path: &Path) -> bool {
    let names = path.parent().and_then(|around| fs::read_dir(around).ok());
    names.into_iter().flatten().any(|entry| {
        entry.is_ok_and(|entry| Some(entry.file_name().as_os_str()) == path.file_name())
    })
}

/// Whose file or folder it is, where the system says; links are not followed.
pub(crate) fn owner(path: &Path) -> Option<u32> {
    #[cfg(unix)]
    return path
        .symlink_metadata()
        .ok()
        .map(|metadata| std::os::unix::fs::MetadataExt::uid(&metadata));
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
