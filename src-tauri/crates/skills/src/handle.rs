//! Reading below a folder through its handle: each step is one name and no link is followed, so
//! whatever is swapped in meanwhile cannot lead outside.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::path::Path;

use cap_fs_ext::{DirExt as _, FollowSymlinks, OpenOptionsFollowExt as _};
use cap_std::ambient_authority;
use cap_std::fs::{Dir, FileType, OpenOptions};

use crate::MAIN_FILE;
use crate::stamp::Stamp;

/// An open folder.
#[derive(Debug)]
pub(crate) struct Folder {
    dir: Dir,
    count: Count,
}

/// What stands under a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Folder,
    File,
    Link,
    /// A socket, a pipe or a device.
    Special,
}

/// One name in a folder.
#[derive(Debug)]
pub(crate) struct Child {
    pub(crate) name: OsString,
    pub(crate) kind: Kind,
    /// Of files only.
    pub(crate) stamp: Option<Stamp>,
}

/// How often the disk was asked for what; only tests look.
#[derive(Debug, Clone, Default)]
pub(crate) struct Count {
    #[cfg(test)]
    pub(crate) listed: std::sync::Arc<std::sync::atomic::AtomicUsize>,
    #[cfg(test)]
    pub(crate) opened: std::sync::Arc<std::sync::atomic::AtomicUsize>,
}

impl Count {
    fn listed(&self) {
        #[cfg(test)]
        self.listed.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    }

    fn opened(&self) {
        #[cfg(test)]
        self.opened.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    }
}

impl Folder {
    /// Opens the folder at this path; links in the path are followed, as whoever gave it meant.
    pub(crate) fn open(path: &Path, count: &Count) -> io::Result<Self> {
        Ok(Self { dir: Dir::open_ambient_dir(path, ambient_authority())?, count: count.clone() })
    }

    /// The folder of this name, which must not be a link.
    pub(crate) fn folder(&self, name: &OsStr) -> io::Result<Self> {
        self.exact(name)?;
        Ok(Self { dir: self.dir.open_dir_nofollow(name)?, count: self.count.clone() })
    }

    /// Opens the regular file of this name, which must not be a link, and tells its stamp.
    pub(crate) fn file(&self, name: &OsStr) -> io::Result<(File, Stamp)> {
        self.exact(name)?;
        let mut options = OpenOptions::new();
        options.read(true).follow(FollowSymlinks::No);
        #[cfg(unix)]
        {
            use cap_std::fs::OpenOptionsExt as _;
            use rustix::fs::OFlags;
            // A pipe with nobody at its other end would wait for ever.
            options.custom_flags(OFlags::NONBLOCK.bits() as i32);
        }
        let file = self.dir.open_with(name, &options)?.into_std();
        let metadata = file.metadata()?;
        if !metadata.is_file() {
            return Err(io::Error::other("it is not a regular file"));
        }
        self.count.opened();
        Ok((file, Stamp::of(&metadata)))
    }

    /// What stands under this name, links not followed.
    pub(crate) fn look(&self, name: &OsStr) -> io::Result<(Kind, Stamp)> {
        self.exact(name)?;
        let metadata = self.dir.symlink_metadata(name)?;
        Ok((kind(metadata.file_type()), Stamp::of_handle(&metadata)))
    }

    /// The same folder once more.
    pub(crate) fn again(&self) -> io::Result<Self> {
        Ok(Self { dir: self.dir.try_clone()?, count: self.count.clone() })
    }

    /// The folder at the end of these names; `None` where there are none.
    pub(crate) fn descend(&self, names: &[String]) -> io::Result<Option<Self>> {
        let mut folder = None;
        for name in names {
            folder = Some(folder.as_ref().unwrap_or(self).folder(name.as_ref())?);
        }
        Ok(folder)
    }

    /// Whether there is a `SKILL.md`, a link among them: it makes a skill, if one that is refused.
    pub(crate) fn has_main(&self) -> bool {
        matches!(self.look(MAIN_FILE.as_ref()), Ok((Kind::File | Kind::Link, _)))
    }

    /// Every name in the folder in byte order, with the stamps of files.
    pub(crate) fn children(&self) -> io::Result<Vec<Child>> {
        self.count.listed();
        let mut children = Vec::new();
        for entry in self.dir.entries()? {
            let entry = entry?;
            let (mut kind, mut stamp) = (kind(entry.file_type()?), None);
            if kind == Kind::File {
                // Gone meanwhile is not there.
                match entry.metadata() {
                    Ok(metadata) => {
                        kind = self::kind(metadata.file_type());
                        stamp = (kind == Kind::File).then(|| Stamp::of_handle(&metadata));
                    }
                    Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                    Err(error) => return Err(error),
                }
            }
            children.push(Child { name: entry.file_name(), kind, stamp });
        }
        children.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(children)
    }

    /// A name is the one that the folder shows. Disks that ignore case would open it under others.
    fn exact(&self, name: &OsStr) -> io::Result<()> {
        if cfg!(any(target_os = "macos", windows)) {
            for entry in self.dir.entries()? {
                if entry?.file_name() == name {
                    return Ok(());
                }
            }
            return Err(io::ErrorKind::NotFound.into());
        }
        Ok(())
    }
}

fn kind(kind: FileType) -> Kind {
    if kind.is_symlink() {
        Kind::Link
    } else if kind.is_dir() {
        Kind::Folder
    } else if kind.is_file() {
        Kind::File
    } else {
        Kind::Special
    }
}
