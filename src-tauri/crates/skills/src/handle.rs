//! Reading below a folder through its handle: each step is one name and no link is followed, so
//! whatever is swapped in meanwhile cannot lead outside.

#[cfg(any(not(unix), test))]
mod portable;
#[cfg(unix)]
mod unix;

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::path::Path;

#[cfg(not(unix))]
use self::portable::Handle;
#[cfg(unix)]
use self::unix::Handle;
use crate::MAIN_FILE;
use crate::stamp::Stamp;

/// An open folder.
#[derive(Debug)]
pub(crate) struct Folder {
    handle: Handle,
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
#[derive(Debug, PartialEq, Eq)]
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
        Ok(Self { handle: Handle::open(path)?, count: count.clone() })
    }

    /// The folder of this name, which must not be a link.
    pub(crate) fn folder(&self, name: &OsStr) -> io::Result<Self> {
        self.check(name)?;
        Ok(Self { handle: self.handle.folder(name)?, count: self.count.clone() })
    }

    /// Opens the regular file of this name, which must not be a link, and tells its stamp.
    pub(crate) fn file(&self, name: &OsStr) -> io::Result<(File, Stamp)> {
        self.check(name)?;
        let opened = self.handle.file(name)?;
        self.count.opened();
        Ok(opened)
    }

    /// What stands under this name, links not followed.
    pub(crate) fn look(&self, name: &OsStr) -> io::Result<(Kind, Stamp)> {
        self.check(name)?;
        self.handle.look(name)
    }

    /// The stamp of the folder itself: equal ones mean that no name came, went or was replaced in
    /// between, up to the grain of the clock. `None` where the system does not tell.
    pub(crate) fn stamp(&self) -> Option<Stamp> {
        self.handle.stamp()
    }

    /// The same folder once more.
    pub(crate) fn again(&self) -> io::Result<Self> {
        Ok(Self { handle: self.handle.again()?, count: self.count.clone() })
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
        let mut children = self.handle.children()?;
        children.sort_unstable_by(|a, b| a.name.cmp(&b.name));
        Ok(children)
    }

    /// Every name in the folder that is UTF-8, and what stands under it, in no order. Files are not
    /// looked at for it.
    pub(crate) fn names(&self) -> io::Result<Vec<(String, Kind)>> {
        self.count.listed();
        self.handle.names()
    }

    /// A name is one step down, and the one that the folder shows: disks that ignore case would
    /// open it under others.
    fn check(&self, name: &OsStr) -> io::Result<()> {
        let bytes = name.as_encoded_bytes();
        if matches!(bytes, b"" | b"." | b"..") || bytes.contains(&b'/') {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        if cfg!(any(target_os = "macos", windows)) && !self.handle.shows(name)? {
            return Err(io::ErrorKind::NotFound.into());
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
