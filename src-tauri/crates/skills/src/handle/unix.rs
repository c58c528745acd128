//! Folders as handles with the calls of Unix: a step is one `openat` that refuses links, and a file
//! is looked at with one `fstatat`.

use std::ffi::{CStr, OsStr};
use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use rustix::fs::{AtFlags, FileType, Mode, OFlags, fstat, openat, statat};
use rustix::io::Errno;

use super::{Child, Kind};
use crate::stamp::Stamp;

/// An open folder.
#[derive(Debug)]
pub(super) struct Handle {
    fd: OwnedFd,
    /// Whether it was listed before. Held while it is, since a listing moves on in the handle.
    listed: Mutex<bool>,
}

impl Handle {
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        Self::opened(|flags| rustix::fs::open(path, flags, Mode::empty()))
    }

    pub(super) fn folder(&self, name: &OsStr) -> io::Result<Self> {
        Self::opened(|flags| openat(&self.fd, name, flags | OFlags::NOFOLLOW, Mode::empty()))
    }

    pub(super) fn again(&self) -> io::Result<Self> {
        Self::opened(|flags| openat(&self.fd, c".", flags, Mode::empty()))
    }

    fn opened(open: impl Fn(OFlags) -> rustix::io::Result<OwnedFd>) -> io::Result<Self> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let opened = match open(flags) {
            // Whoever may not list a folder may still go through it.
            #[cfg(target_os = "linux")]
            Err(Errno::ACCESS) => open(flags | OFlags::PATH),
            opened => opened,
        };
        Ok(Self { fd: opened?, listed: Mutex::new(false) })
    }

    pub(super) fn file(&self, name: &OsStr) -> io::Result<(File, Stamp)> {
        // A pipe with nobody at its other end would wait for ever.
        let flags =
            OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        let file = openat(&self.fd, name, flags, Mode::empty())?;
        let stat = fstat(&file)?;
        if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
            return Err(io::Error::other("it is not a regular file"));
        }
        Ok((file.into(), Stamp::of_stat(&stat)))
    }

    pub(super) fn look(&self, name: &OsStr) -> io::Result<(Kind, Stamp)> {
        let stat = statat(&self.fd, name, AtFlags::SYMLINK_NOFOLLOW)?;
        Ok((kind(FileType::from_raw_mode(stat.st_mode)), Stamp::of_stat(&stat)))
    }

    /// The stamp of the folder itself, which changes when a name in it comes, goes or is replaced.
    pub(super) fn stamp(&self) -> Option<Stamp> {
        fstat(&self.fd).ok().map(|stat| Stamp::of_stat(&stat))
    }

    /// In no order.
    pub(super) fn children(&self) -> io::Result<Vec<Child>> {
        let mut children = Vec::new();
        self.each(|name, seen| {
            let (mut kind, mut stamp) = (kind(seen), None);
            if matches!(seen, FileType::RegularFile | FileType::Unknown) {
                match statat(&self.fd, name, AtFlags::SYMLINK_NOFOLLOW) {
                    Ok(stat) => {
                        kind = self::kind(FileType::from_raw_mode(stat.st_mode));
                        stamp = (kind == Kind::File).then(|| Stamp::of_stat(&stat));
                    }
                    // Gone meanwhile is not there.
                    Err(Errno::NOENT) => return Ok(()),
                    Err(error) => return Err(error),
                }
            }
            let name = OsStr::from_bytes(name.to_bytes()).to_owned();
            children.push(Child { name, kind, stamp });
            Ok(())
        })?;
        Ok(children)
    }

    pub(super) fn names(&self) -> io::Result<Vec<(String, Kind)>> {
        let mut names = Vec::new();
        self.each(|name, seen| {
            let Ok(text) = name.to_str() else { return Ok(()) };
            let kind = match seen {
                FileType::Unknown => match statat(&self.fd, name, AtFlags::SYMLINK_NOFOLLOW) {
                    Ok(stat) => kind(FileType::from_raw_mode(stat.st_mode)),
                    Err(Errno::NOENT) => return Ok(()),
                    Err(error) => return Err(error),
                },
                seen => kind(seen),
            };
            names.push((text.to_owned(), kind));
            Ok(())
        })?;
        Ok(names)
    }

    pub(super) fn shows(&self, name: &OsStr) -> io::Result<bool> {
        let mut shows = false;
        self.each(|shown, _| {
            shows |= shown.to_bytes() == name.as_bytes();
            Ok(())
        })?;
        Ok(shows)
    }

    /// Calls with every name and what the folder says of its kind.
    fn each(
        &self,
        mut call: impl FnMut(&CStr, FileType) -> rustix::io::Result<()>,
    ) -> io::Result<()> {
        let mut listed = self.listed.lock().unwrap_or_else(PoisonError::into_inner);
        self.each_of_all(std::mem::replace(&mut *listed, true), |name, kind| {
            match name.to_bytes() {
                b"." | b".." => Ok(()),
                _ => call(name, kind),
            }
        })
        .map_err(|error| match error {
            // It could only be opened to go through it.
            Errno::BADF => Errno::ACCESS.into(),
            error => error.into(),
        })
    }

    #[cfg(target_os = "linux")]
    fn each_of_all(
        &self,
        again: bool,
        mut call: impl FnMut(&CStr, FileType) -> rustix::io::Result<()>,
    ) -> rustix::io::Result<()> {
        const ROOM: usize = 32 * 1024;
        if again {
            rustix::fs::seek(&self.fd, rustix::fs::SeekFrom::Start(0))?;
        }
        let mut room = Vec::with_capacity(ROOM);
        let mut names = rustix::fs::RawDir::new(&self.fd, room.spare_capacity_mut());
        while let Some(name) = names.next() {
            let name = name?;
            call(name.file_name(), name.file_type())?;
        }
        Ok(())
    }

    #[cfg(not(target_os = "linux"))]
    fn each_of_all(
        &self,
        _: bool,
        mut call: impl FnMut(&CStr, FileType) -> rustix::io::Result<()>,
    ) -> rustix::io::Result<()> {
        // Opens the folder once more, so that it starts at its beginning.
        for name in rustix::fs::Dir::read_from(&self.fd)? {
            let name = name?;
            call(name.file_name(), name.file_type())?;
        }
        Ok(())
    }
}

fn kind(kind: FileType) -> Kind {
    match kind {
        FileType::Symlink => Kind::Link,
        FileType::Directory => Kind::Folder,
        FileType::RegularFile => Kind::File,
        _ => Kind::Special,
    }
}
