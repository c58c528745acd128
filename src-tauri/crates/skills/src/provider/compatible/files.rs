//! The files of a skill: where they really lie, what they hold, and their digests.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;

use crate::digest::Digest;
use crate::handle::{Child, Folder, Kind};
use crate::manifest::ManifestFile;
use crate::provider::policy::Action;
use crate::provider::shown::{is_bad, uri};
use crate::provider::sight::Sight;
use crate::provider::tree::MAX_DEPTH;
use crate::read::location;
use crate::stamp::Stamp;

/// The most digests that are remembered.
const REMEMBERED: usize = 100_000;

/// A file of a skill as it was when it was looked at.
#[derive(Debug, Clone)]
pub(in crate::provider) struct Row {
    /// Below the skill's folder, as it is written.
    pub(super) path: String,
    /// Where it really lies below the skill's folder: elsewhere where a link leads there.
    pub(super) names: Vec<String>,
    pub(super) stamp: Stamp,
}

impl Row {
    /// A file that is no link.
    pub(in crate::provider) fn plain(path: String, stamp: Stamp) -> Self {
        let names = path.split('/').map(str::to_owned).collect();
        Self { path, names, stamp }
    }

    /// Whether this file of a skill may be had, both as what it is called and as what it is.
    pub(super) fn is_seen(&self, sight: &Sight, action: Action, name: &str, place: usize) -> bool {
        is_seen(sight, action, name, place, &self.path, &self.names)
    }
}

/// Whether the file at a path of a skill may be had, which really lies at these names.
pub(super) fn is_seen(
    sight: &Sight,
    action: Action,
    name: &str,
    place: usize,
    path: &str,
    names: &[String],
) -> bool {
    let real = names.join("/");
    let sees = |path: &str| sight.sees(action, &uri(name, path), Some(place));
    sees(path) && (real == path || sees(&real))
}

/// Where a file of a skill really lies, below the skill's folder, and its stamp; links are followed
/// as long as they stay inside.
pub(super) fn inside(folder: &Folder, real: &Path, path: &str) -> Option<(Vec<String>, Stamp)> {
    if path.split('/').any(is_bad) {
        return None;
    }
    let written: Vec<String> = path.split('/').map(str::to_owned).collect();
    if let Some(stamp) = stands(folder, &written) {
        return Some((written, stamp));
    }
    let resolved = fs::canonicalize(location(real, path)).ok()?;
    let names: Option<Vec<String>> = resolved
        .strip_prefix(real)
        .ok()?
        .iter()
        .map(|name| OsStr::to_str(name).map(str::to_owned))
        .collect();
    let names = names.filter(|names| !names.is_empty())?;
    let stamp = stands(folder, &names)?;
    Some((names, stamp))
}

/// The stamp of the regular file at the end of these names.
pub(in crate::provider) fn stands(folder: &Folder, names: &[String]) -> Option<Stamp> {
    let (name, folders) = names.split_last()?;
    let inner = folder.descend(folders).ok()?;
    match inner.as_ref().unwrap_or(folder).look(name.as_ref()) {
        Ok((Kind::File, stamp)) => Some(stamp),
        _ => None,
    }
}

/// Opens the regular file at the end of these names; no link is followed.
pub(super) fn open(folder: &Folder, names: &[String]) -> io::Result<(File, Stamp)> {
    let Some((name, folders)) = names.split_last() else {
        return Err(io::ErrorKind::NotFound.into());
    };
    let inner = folder.descend(folders)?;
    inner.as_ref().unwrap_or(folder).file(name.as_ref())
}

/// Why a file was not read.
#[derive(Debug)]
pub(in crate::provider) enum Unread {
    /// It has so many bytes, and that is more than were wanted.
    Larger(u64),
    Failed(io::Error),
}

impl From<io::Error> for Unread {
    fn from(error: io::Error) -> Self {
        Self::Failed(error)
    }
}

impl From<Unread> for io::Error {
    fn from(unread: Unread) -> Self {
        match unread {
            Unread::Larger(_) => Self::other("it is too large"),
            Unread::Failed(error) => error,
        }
    }
}

/// The bytes of the regular file at the end of these names.
pub(in crate::provider) fn bytes(
    folder: &Folder,
    names: &[String],
    most: u64,
) -> Result<Vec<u8>, Unread> {
    let (file, stamp) = open(folder, names)?;
    bytes_of(file, stamp, most)
}

/// The bytes of an open file that had this stamp.
pub(super) fn bytes_of(file: File, stamp: Stamp, most: u64) -> Result<Vec<u8>, Unread> {
    if stamp.size() > most {
        return Err(Unread::Larger(stamp.size()));
    }
    let mut bytes = Vec::with_capacity(usize::try_from(stamp.size()).unwrap_or(0));
    file.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    // It grew while it was read.
    let read = bytes.len() as u64;
    if read > most { Err(Unread::Larger(read)) } else { Ok(bytes) }
}

/// Every file of a skill, in order of their components. None is opened.
pub(super) fn rows(skill: &Folder, real: &Path) -> Result<Vec<Row>, String> {
    let mut rows = Vec::new();
    rows_into(skill, real, skill, "", 0, &mut rows)?;
    rows.sort_by(|a, b| a.path.split('/').cmp(b.path.split('/')));
    Ok(rows)
}

fn unreadable(path: &str) -> impl Fn(io::Error) -> String {
    move |error| format!("{path:?} cannot be read: {error}")
}

/// Links to folders are not followed; a link to a file is that file where it lies inside of the
/// skill, and left out where it does not.
fn rows_into(
    skill: &Folder,
    real: &Path,
    folder: &Folder,
    prefix: &str,
    depth: usize,
    rows: &mut Vec<Row>,
) -> Result<(), String> {
    if depth > MAX_DEPTH {
        return Err("its folders are nested too deeply".to_owned());
    }
    for Child { name, kind, stamp } in folder.children().map_err(unreadable(prefix))? {
        let Some(name) = name.to_str() else {
            return Err(format!("the name of a file in {prefix:?} is not UTF-8"));
        };
        let path = format!("{prefix}{name}");
        match (kind, stamp) {
            (Kind::Folder, _) => {
                let inner = folder.folder(name.as_ref()).map_err(unreadable(&path))?;
                rows_into(skill, real, &inner, &format!("{path}/"), depth + 1, rows)?;
            }
            (Kind::File, Some(stamp)) => {
                rows.push(Row::plain(path, stamp));
            }
            (Kind::Link, _) => {
                if let Some((names, stamp)) = inside(skill, real, &path) {
                    rows.push(Row { path, names, stamp });
                }
            }
            _ => {}
        }
    }
    Ok(())
}

/// The digests of files by what tells that they are unchanged.
#[derive(Debug, Default)]
pub(in crate::provider) struct Digests {
    known: Mutex<HashMap<(PathBuf, Stamp), Digest>>,
    /// One skill at a time: the next caller finds what the first one hashed.
    turn: Mutex<()>,
}

impl Digests {
    /// Hashes what is not known of these files.
    pub(in crate::provider) fn of<'a>(
        &self,
        skill: &Folder,
        real: &Path,
        rows: impl IntoIterator<Item = &'a Row>,
    ) -> Result<Vec<ManifestFile>, String> {
        let _one_at_a_time = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        let of_row = |row: &Row| self.of_row(skill, real, row).map_err(unreadable(&row.path));
        rows.into_iter().map(of_row).collect()
    }

    fn of_row(&self, skill: &Folder, real: &Path, row: &Row) -> io::Result<ManifestFile> {
        let known = || self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let now = SystemTime::now();
        let (mut file, stamp) = open(skill, &row.names)?;
        let (path, size) = (row.path.clone(), stamp.size());
        let key = (location(real, &row.names.join("/")), stamp);
        if let Some(digest) = known().get(&key).copied() {
            return Ok(ManifestFile { path, size, digest });
        }
        let (digest, read) = Digest::of_reader(&mut file)?;
        if read != size {
            return Err(io::Error::other("it changed while it was read"));
        }
        if !stamp.is_fresh(now) {
            let mut known = known();
            if known.len() >= REMEMBERED {
                known.clear();
            }
            known.insert(key, digest);
        }
        Ok(ManifestFile { path, size, digest })
    }
}
