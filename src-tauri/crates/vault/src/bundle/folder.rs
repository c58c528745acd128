//! Skills in a folder: the folder itself, or folders in it. No link is followed.

use std::fs;
use std::path::{Path, PathBuf};

use skills::MAIN_FILE;
use skills::manifest::{Manifest, ManifestError, ManifestFile, read_files};
use skills::origin::ImportedFrom;
use skills::path::MAX_DEPTH;

use super::import::{Contents, LeftOut, Source};
use super::layout::{Candidate, is_of_finder, of_finder};
use super::listing::Listing;
use super::{MAX_ENTRIES, MAX_SKILLS};
use crate::disk;

/// Folders of other programs in which nobody keeps skills, and which are large.
const PASSED: &[&str] = &[".git", "node_modules"];

/// What is told of that is no skill.
const MOST_TOLD: usize = 100;

/// A folder that was searched.
#[derive(Debug)]
pub(super) struct Searched {
    root: PathBuf,
    /// As they lie on the disk, one a candidate.
    folders: Vec<PathBuf>,
    skills: Vec<Candidate>,
    left_out: Vec<LeftOut>,
    entries: usize,
}

impl Searched {
    /// Searches a folder, given by its real path.
    ///
    /// # Errors
    /// Why nothing of it can be imported, in words that follow on "it".
    pub(super) fn open(root: &Path) -> Result<Self, String> {
        let mut searched = Self {
            root: root.to_owned(),
            folders: Vec::new(),
            skills: Vec::new(),
            left_out: Vec::new(),
            entries: 0,
        };
        searched.search(root, 0)?;
        if searched.skills.is_empty() {
            return Err(format!("holds no skill: there is no {MAIN_FILE} in it"));
        }
        if searched.skills.len() > MAX_SKILLS {
            let count = searched.skills.len();
            return Err(format!("has {count} skills; {MAX_SKILLS} is the most"));
        }
        Ok(searched)
    }

    fn search(&mut self, folder: &Path, depth: usize) -> Result<(), String> {
        if folder.join(MAIN_FILE).symlink_metadata().is_ok_and(|main| !main.is_dir()) {
            let name = |path: &Path| {
                path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
            };
            let at = self.at(folder);
            self.skills.push(Candidate {
                at: if at.is_empty() { name(folder) } else { at },
                folder: name(folder),
                files: Vec::new(),
                refused: None,
            });
            self.folders.push(folder.to_owned());
            return Ok(());
        }
        if depth == MAX_DEPTH {
            return Err(format!("is more than {MAX_DEPTH} folders deep"));
        }
        let mut children =
            match fs::read_dir(folder).and_then(Iterator::collect::<Result<Vec<_>, _>>) {
                Ok(children) => children,
                Err(error) if depth == 0 => return Err(format!("cannot be read: {error}")),
                Err(error) => {
                    self.leave_out(folder, format!("it cannot be read: {error}"));
                    return Ok(());
                }
            };
        self.entries += children.len();
        if self.entries > MAX_ENTRIES {
            return Err(format!("holds more than {MAX_ENTRIES} files and folders"));
        }
        children.sort_by_key(fs::DirEntry::file_name);
        for child in children {
            let path = child.path();
            let passed = PASSED.iter().any(|name| child.file_name() == *name);
            match child.file_type() {
                Ok(kind) if kind.is_dir() && !passed => self.search(&path, depth + 1)?,
                Ok(kind) if kind.is_symlink() && path.is_dir() => {
                    self.leave_out(&path, "it is a link, which is not followed".to_owned());
                }
                Ok(_) => {}
                Err(error) => self.leave_out(&path, format!("it cannot be looked at: {error}")),
            }
        }
        Ok(())
    }

    /// A path in the folder as it is told.
    fn at(&self, path: &Path) -> String {
        let path = path.strip_prefix(&self.root).unwrap_or(path);
        path.to_string_lossy().replace('\\', "/")
    }

    fn leave_out(&mut self, path: &Path, reason: String) {
        if self.left_out.len() == MOST_TOLD {
            return;
        }
        let name = self.at(path);
        self.left_out.push(LeftOut { name, reason });
    }
}

impl Source for Searched {
    fn from(&self) -> ImportedFrom {
        ImportedFrom::Folder
    }

    fn candidates(&self) -> &[Candidate] {
        &self.skills
    }

    fn left_out(&self) -> &[LeftOut] {
        &self.left_out
    }

    fn listing(&self) -> Option<&Listing> {
        None
    }

    fn read(&mut self, number: usize) -> Result<Contents, String> {
        let Some(folder) = self.folders.get(number) else {
            return Err("it is not there".to_owned());
        };
        let manifest = Manifest::read(folder).map_err(|error| told(&error))?;
        let (kept, dropped): (Vec<ManifestFile>, Vec<ManifestFile>) =
            manifest.files().iter().cloned().partition(|file| !is_of_finder(&file.path));
        if !dropped.is_empty() && !self.left_out.contains(&of_finder()) {
            self.left_out.push(of_finder());
        }
        let manifest = Manifest::new(kept).map_err(|error: ManifestError| error.to_string())?;
        manifest.within_limits().map_err(|error| error.to_string())?;
        let files = read_files(folder, &manifest).map_err(|error| told(&error))?;
        let executable = manifest
            .files()
            .iter()
            .map(|file| file.path.clone())
            .filter(|path| disk::is_executable(&folder.join(path)))
            .collect();
        Ok(Contents { files, executable })
    }
}

/// An error with what the system said.
fn told(error: &dyn std::error::Error) -> String {
    match error.source() {
        Some(source) => format!("{error}: {source}"),
        None => error.to_string(),
    }
}
