//! Compatible mode: skills as the reference serves them by default.

mod files;
mod finding;

use std::fs;
use std::sync::{Arc, Mutex, PoisonError};

use rayon::prelude::*;

pub(super) use self::files::{Digests, Row, bytes, stands};
use self::files::{Unread, inside, is_seen, rows};
use self::finding::{Found, Heads, children, is_skill};
use super::directory::{Options, Place, SupportingFiles};
use super::policy::Action;
use super::shown::{
    MANIFEST, folder_uri, has_uri, manifest, manifest_resource, supporting_file, template, uri,
    within, without_uri,
};
use super::sight::Sight;
use super::{Content, Listing, Mark, ReadError, Resource, mime_type};
use crate::handle::{Count, Folder};
use crate::manifest::ManifestFile;
use crate::uri::readings;

/// A file larger than this is not given out.
pub(super) const MAX_READ: u64 = 256 * 1024 * 1024;

/// What is published of some places.
#[derive(Debug)]
pub(super) struct Compatible {
    places: Vec<Place>,
    options: Options,
    heads: Heads,
    digests: Digests,
    pub(super) count: Count,
    /// What was there at the first look; only kept without reload.
    first: Mutex<Option<Arc<Look>>>,
}

/// A skill as it was when it was looked at. Nothing is hashed for a look that does not stay.
#[derive(Debug)]
struct Skill {
    found: Found,
    description: String,
    main: Row,
    rows: Vec<Row>,
    /// For its manifest, in the order of the rows; only kept without reload.
    hashed: Option<Result<Vec<ManifestFile>, String>>,
}

/// All skills as they were when they were looked at.
#[derive(Debug)]
struct Look {
    skills: Vec<Skill>,
    warnings: Vec<String>,
}

impl Skill {
    /// The files that may be read, as they were; `None` where one could not be.
    fn manifest(&self, sight: &Sight) -> Option<Vec<ManifestFile>> {
        let Found { name, place, .. } = &self.found;
        let files = self.hashed.as_ref()?.as_ref().ok()?.iter().zip(&self.rows);
        let seen = files.filter(|(_, row)| row.is_seen(sight, Action::Read, name, *place));
        Some(seen.map(|(file, _)| file.clone()).collect())
    }
}

impl Look {
    fn skill(&self, name: &str) -> Option<&Skill> {
        self.skills.iter().find(|skill| skill.found.name == name)
    }
}

impl Compatible {
    pub(super) fn new(places: Vec<Place>, options: Options) -> Self {
        Self {
            places,
            options,
            heads: Heads::default(),
            digests: Digests::default(),
            count: Count::default(),
            first: Mutex::default(),
        }
    }

    pub(super) fn rescan(&self) {
        *self.first.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// The first look, where it stays; `None` where each request looks.
    fn first_look(&self) -> Option<Arc<Look>> {
        if self.options.reload {
            return None;
        }
        let mut first = self.first.lock().unwrap_or_else(PoisonError::into_inner);
        Some(Arc::clone(first.get_or_insert_with(|| Arc::new(self.look()))))
    }

    fn look(&self) -> Look {
        let mut look = Look { skills: Vec::new(), warnings: Vec::new() };
        let mut candidates: Vec<Found> = Vec::new();
        for place in 0..self.places.len() {
            self.candidates(place, &mut candidates, &mut look.warnings);
        }
        let loaded: Vec<_> = candidates
            .into_par_iter()
            .map(|found| (found.name.clone(), self.load(found)))
            .collect();
        for (name, skill) in loaded {
            if look.skill(&name).is_some() {
                continue;
            }
            match skill {
                Ok(skill) => look.skills.push(skill),
                Err(reason) => {
                    look.warnings.push(format!("the skill {name:?} is left out: {reason}"));
                }
            }
        }
        look
    }

    /// The folders of a place that are skills, in order.
    fn candidates(&self, place: usize, candidates: &mut Vec<Found>, warnings: &mut Vec<String>) {
        let mut leave_out = |shown: &str, why: &str| {
            warnings.push(format!("the skill {shown:?} is left out: {why}"));
        };
        match &self.places[place] {
            Place::Skill(folder) => {
                let shown = folder.file_name().unwrap_or_default().to_string_lossy();
                match fs::canonicalize(folder).ok().and_then(|real| Found::at(place, &real)) {
                    Some(found) => candidates.push(found),
                    None => leave_out(&shown, "its folder is not there"),
                }
            }
            Place::Root(root) => {
                for (shown, path) in children(root).unwrap_or_default() {
                    match fs::canonicalize(&path) {
                        Ok(real) if is_skill(&real, &self.options) => {
                            candidates.extend(Found::at(place, &real));
                        }
                        Ok(_) => {}
                        Err(_) => leave_out(&shown, "its link leads nowhere"),
                    }
                }
            }
        }
    }

    fn load(&self, found: Found) -> Result<Skill, String> {
        let main = &self.options.main_file;
        if !has_uri(&found.name, main) {
            return Err("no URI gives it: its name has a backslash".to_owned());
        }
        let folder = found
            .open(&self.options, &self.count)
            .ok_or_else(|| format!("its {main} lies elsewhere"))?;
        let (description, main) = self.heads.read(&folder, &found, &self.options)?;
        let rows = rows(&folder, &found.real)?;
        let hashed = (!self.options.reload).then(|| self.digests.of(&folder, &found.real, &rows));
        Ok(Skill { found, description, main, rows, hashed })
    }

    pub(super) fn list(&self, sight: &Sight) -> Listing {
        let options = &self.options;
        let look = self.first_look().unwrap_or_else(|| Arc::new(self.look()));
        let mut listing = Listing { warnings: look.warnings.clone(), ..Listing::default() };
        for Skill { found: Found { place, name, .. }, description, main, rows, .. } in &look.skills
        {
            let seen = |row: &&Row| row.is_seen(sight, Action::List, name, *place);
            if seen(&main) {
                listing.resources.push(Resource {
                    uri: uri(name, &options.main_file),
                    name: format!("{name}/{}", options.main_file),
                    description: description.clone(),
                    mime_type: "text/markdown",
                    size: Some(main.stamp.size()),
                });
            }
            if sight.sees(Action::List, &uri(name, MANIFEST), Some(*place)) {
                listing.resources.push(manifest_resource(name));
            }
            match options.supporting_files {
                SupportingFiles::Template => {
                    if sight.sees(Action::Template, &folder_uri(name), Some(*place)) {
                        listing.templates.push(template(name));
                    }
                }
                SupportingFiles::Resources => {
                    let supporting = rows
                        .iter()
                        .filter(|row| row.path != options.main_file && row.path != MANIFEST);
                    for row in supporting {
                        if !has_uri(name, &row.path) {
                            listing.warnings.push(without_uri(name, &row.path));
                        } else if seen(&row) {
                            let size = Some(row.stamp.size());
                            listing.resources.push(supporting_file(name, &row.path, size));
                        }
                    }
                }
            }
        }
        listing
    }

    /// The skill that a reading of a URI leads into and its folder, if what the URI says may be
    /// read from the place that gives it.
    fn reached(
        &self,
        look: Option<&Look>,
        name: &str,
        path: &str,
        sight: &Sight,
    ) -> Option<(Found, Folder)> {
        let uri = uri(name, path);
        let may = |place| sight.sees(Action::Read, &uri, Some(place));
        match look {
            // Nothing is looked for where no place could give it.
            None => self.find(name, may),
            Some(look) => {
                let found = &look.skill(name)?.found;
                let folder = may(found.place).then(|| found.open(&self.options, &self.count))??;
                Some((found.clone(), folder))
            }
        }
    }

    /// Reads from the skills as they are now, or of the first look: the manifest as it was, files
    /// as they are. Only the folder of this skill is looked for.
    pub(super) fn read(&self, uri: &str, most: u64, sight: &Sight) -> Result<Content, ReadError> {
        let look = self.first_look();
        for (name, path) in named(uri) {
            if let Some(skill) = kept(look.as_deref(), &name, &path, sight) {
                if let Some(files) = skill.manifest(sight) {
                    return within(manifest(&name, &files), most, uri);
                }
                continue;
            }
            let Some((found, folder)) = self.reached(look.as_deref(), &name, &path, sight) else {
                continue;
            };
            if path == MANIFEST {
                if let Ok(files) = self.manifest(&found, &folder, sight) {
                    return within(manifest(&name, &files), most, uri);
                }
            } else if let Some(content) = self.give(&found, &folder, &path, most, uri, sight)? {
                return Ok(content);
            }
        }
        Err(ReadError::NotFound(uri.to_owned()))
    }

    /// The files that may be read, hashed.
    fn manifest(
        &self,
        found: &Found,
        folder: &Folder,
        sight: &Sight,
    ) -> Result<Vec<ManifestFile>, String> {
        let seen = |row: &&Row| row.is_seen(sight, Action::Read, &found.name, found.place);
        let rows = rows(folder, &found.real)?;
        self.digests.of(folder, &found.real, rows.iter().filter(seen))
    }

    /// One file of a skill; `None` where there is none that may be read. What is asked about is what
    /// is opened.
    fn give(
        &self,
        found: &Found,
        folder: &Folder,
        path: &str,
        most: u64,
        uri: &str,
        sight: &Sight,
    ) -> Result<Option<Content>, ReadError> {
        let Some((names, _)) = inside(folder, &found.real, path).filter(|(names, _)| {
            is_seen(sight, Action::Read, &found.name, found.place, path, names)
        }) else {
            return Ok(None);
        };
        let is_main = path == self.options.main_file;
        let mime_type = if is_main { "text/markdown" } else { mime_type(path) };
        match bytes(folder, &names, most.min(MAX_READ)) {
            Ok(bytes) => Ok(Some(Content { bytes, mime_type })),
            Err(error) => Err(unread(uri, error)),
        }
    }

    pub(super) fn canonical(&self, uri: &str, sight: &Sight) -> Option<String> {
        let look = self.first_look();
        named(uri).into_iter().find_map(|(name, path)| {
            if kept(look.as_deref(), &name, &path, sight).is_some() {
                return Some(self::uri(&name, &path));
            }
            let (found, folder) = self.reached(look.as_deref(), &name, &path, sight)?;
            let is_there = path == MANIFEST || {
                let (names, _) = inside(&folder, &found.real, &path)?;
                is_seen(sight, Action::Read, &name, found.place, &path, &names)
            };
            is_there.then(|| self::uri(&name, &path))
        })
    }

    pub(super) fn mark(&self, uri: &str, sight: &Sight) -> Option<Mark> {
        let look = self.first_look();
        named(uri).into_iter().find_map(|(name, path)| {
            if kept(look.as_deref(), &name, &path, sight).is_some() {
                return Some(Mark::of(MANIFEST));
            }
            let (found, folder) = self.reached(look.as_deref(), &name, &path, sight)?;
            if path != MANIFEST {
                let (names, stamp) = inside(&folder, &found.real, &path)?;
                let may = is_seen(sight, Action::Read, &name, found.place, &path, &names);
                return may.then(|| Mark::of(stamp));
            }
            let rows = rows(&folder, &found.real).ok()?;
            let seen =
                rows.iter().filter(|row| row.is_seen(sight, Action::Read, &name, found.place));
            Some(Mark::of(seen.map(|row| (&row.path, row.stamp)).collect::<Vec<_>>()))
        })
    }
}

/// The skill whose manifest this is and stays, whatever becomes of its folder, if it may be read.
fn kept<'a>(look: Option<&'a Look>, name: &str, path: &str, sight: &Sight) -> Option<&'a Skill> {
    let skill = look?.skill(name).filter(|_| path == MANIFEST)?;
    sight.sees(Action::Read, &uri(name, path), Some(skill.found.place)).then_some(skill)
}

/// Why a file is not given.
pub(super) fn unread(uri: &str, error: Unread) -> ReadError {
    match error {
        Unread::Larger(size) if size <= MAX_READ => ReadError::Larger { uri: uri.to_owned(), size },
        error => ReadError::Unreadable { uri: uri.to_owned(), source: error.into() },
    }
}

/// The names and paths that a URI can mean.
fn named(uri: &str) -> Vec<(String, String)> {
    readings(uri)
        .into_iter()
        .filter_map(|parts| {
            let (name, path) = parts.split_first()?;
            (!path.is_empty()).then(|| (name.clone(), path.join("/")))
        })
        .collect()
}
