//! Folders as handles with `cap-std`, on systems without the calls of Unix.

use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::path::Path;

use cap_fs_ext::{DirExt as _, FollowSymlinks, OpenOptionsFollowExt as _};
use cap_std::ambient_authority;
use cap_std::fs::{Dir, FileType, OpenOptions};

use super::{Child, Kind};
use crate::stamp::Stamp;

/// An open folder.
#[derive(Debug)]
pub(super) struct Handle(Dir);

impl Handle {
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        Ok(Self(Dir::open_ambient_dir(path, ambient_authority())?))
    }

    pub(super) fn folder(&self, name: &OsStr) -> io::Result<Self> {
        Ok(Self(self.0.open_dir_nofollow(name)?))
    }

    pub(super) fn again(&self) -> io::Result<Self> {
        Ok(Self(self.0.try_clone()?))
    }

    pub(super) fn file(&self, name: &OsStr) -> io::Result<(File, Stamp)> {
        let mut options = OpenOptions::new();
        options.read(true).follow(FollowSymlinks::No);
        let file = self.0.open_with(name, &options)?.into_std();
        let metadata = file.metadata()?;
        if !metadata.is_file() {
            return Err(io::Error::other("it is not a regular file"));
        }
        Ok((file, Stamp::of(&metadata)))
    }

    pub(super) fn look(&self, name: &OsStr) -> io::Result<(Kind, Stamp)> {
        let metadata = self.0.symlink_metadata(name)?;
        Ok((kind(metadata.file_type()), Stamp::of_handle(&metadata)))
    }

    /// Not every system keeps times of folders.
    pub(super) fn stamp(&self) -> Option<Stamp> {
        None
    }

    /// In no order.
    pub(super) fn children(&self) -> io::Result<Vec<Child>> {
        let mut children = Vec::new();
        for entry in self.0.entries()? {
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
        Ok(children)
    }

    pub(super) fn names(&self) -> io::Result<Vec<(String, Kind)>> {
        let mut names = Vec::new();
        for entry in self.0.entries()? {
            let entry = entry?;
            if let Ok(name) = entry.file_name().into_string() {
                names.push((name, kind(entry.file_type()?)));
            }
        }
        Ok(names)
    }

    pub(super) fn shows(&self, name: &OsStr) -> io::Result<bool> {
        for entry in self.0.entries()? {
            if entry?.file_name() == name {
                return Ok(true);
            }
        }
        Ok(false)
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
