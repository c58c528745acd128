//! Compatible mode: skills as the reference serves them by default.

use std::ffi::OsStr;
use std::fs;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use rayon::prelude::*;

use super::directory::{Options, Place, SupportingFiles};
use super::shown::{
    MANIFEST, has_uri, is_bad, manifest, manifest_resource, supporting_file, template, uri,
    without_uri,
};
use super::tree::{MAX_DEPTH, Tree};
use super::{Content, Listing, Mark, ReadError, Resource, mime_type};
use crate::digest::Digest;
use crate::frontmatter::FrontMatter;
use crate::handle::{Child, Count, Folder, Kind};
use crate::manifest::ManifestFile;
use crate::read::location;
use crate::stamp::Stamp;
use crate::uri::readings;

/// A file larger than this is not given out.
pub(super) const MAX_READ: u64 = 256 * 1024 * 1024;

/// A folder that is a skill: its name and its real path.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Found {
    name: String,
    real: PathBuf,
}

/// A skill as it was when it was looked at.
#[derive(Debug)]
struct Skill {
    found: Found,
    description: String,
    files: Vec<ManifestFile>,
}

/// All skills as they were when they were looked at.
#[derive(Debug)]
pub(super) struct Look {
    skills: Vec<Skill>,
    warnings: Vec<String>,
}

impl Look {
    pub(super) fn new(places: &[Place], options: &Options) -> Self {
        let mut look = Self { skills: Vec::new(), warnings: Vec::new() };
        let mut candidates: Vec<Found> = Vec::new();
        for place in places {
            look.find(place, options, &mut candidates);
        }
        let loaded: Vec<_> = candidates
            .into_par_iter()
            .map(|found| (found.name.clone(), load(found, options)))
            .collect();
        for (name, skill) in loaded {
            if look.skills.iter().any(|known| known.found.name == name) {
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
    fn find(&mut self, place: &Place, options: &Options, candidates: &mut Vec<Found>) {
        let mut leave_out = |shown: &str, why: &str| {
            self.warnings.push(format!("the skill {shown:?} is left out: {why}"));
        };
        match place {
            Place::Skill(folder) => {
                let shown = folder.file_name().unwrap_or_default().to_string_lossy();
                match fs::canonicalize(folder).ok().and_then(|real| found(&real)) {
                    Some(found) => candidates.push(found),
                    None => leave_out(&shown, "its folder is not there"),
                }
            }
            Place::Root(root) => {
                for (shown, path) in children(root).unwrap_or_default() {
                    match fs::canonicalize(&path) {
                        Ok(real) if is_skill(&real, options) => candidates.extend(found(&real)),
                        Ok(_) => {}
                        Err(_) => leave_out(&shown, "its link leads nowhere"),
                    }
                }
            }
        }
    }

    pub(super) fn listing(&self, options: &Options) -> Listing {
        let mut listing = Listing { warnings: self.warnings.clone(), ..Listing::default() };
        for skill in &self.skills {
            let name = &skill.found.name;
            let size = |path: &str| {
                skill.files.iter().find(|file| file.path == path).map(|file| file.size)
            };
            listing.resources.push(Resource {
                uri: uri(name, &options.main_file),
                name: format!("{name}/{}", options.main_file),
                description: skill.description.clone(),
                mime_type: "text/markdown",
                size: size(&options.main_file),
            });
            listing.resources.push(manifest_resource(name));
            match options.supporting_files {
                SupportingFiles::Template => listing.templates.push(template(name)),
                SupportingFiles::Resources => {
                    let supporting = skill
                        .files
                        .iter()
                        .filter(|file| file.path != options.main_file && file.path != MANIFEST);
                    for ManifestFile { path, size, .. } in supporting {
                        if has_uri(name, path) {
                            listing.resources.push(supporting_file(name, path, Some(*size)));
                        } else {
                            listing.warnings.push(without_uri(name, path));
                        }
                    }
                }
            }
        }
        listing
    }

    /// Reads from the skills of this look: the manifest as it was, files as they are.
    pub(super) fn read(&self, options: &Options, uri: &str) -> Result<Content, ReadError> {
        for (name, path) in named(uri) {
            let Some(skill) = self.skill(&name) else { continue };
            if path == MANIFEST {
                return Ok(manifest(&name, &skill.files));
            }
            if let Some(folder) = skill.found.open(options)
                && let Some(content) = give(&folder, &skill.found.real, &path, options, uri)?
            {
                return Ok(content);
            }
        }
        Err(ReadError::NotFound(uri.to_owned()))
    }

    pub(super) fn canonical(&self, options: &Options, uri: &str) -> Option<String> {
        named(uri).into_iter().find_map(|(name, path)| {
            let Found { real, .. } = &self.skill(&name)?.found;
            let there = path == MANIFEST || {
                let folder = self.skill(&name)?.found.open(options)?;
                inside(&folder, real, &path).is_some()
            };
            there.then(|| self::uri(&name, &path))
        })
    }

    pub(super) fn mark(&self, options: &Options, uri: &str) -> Option<Mark> {
        named(uri).into_iter().find_map(|(name, path)| {
            let skill = self.skill(&name)?;
            if path == MANIFEST {
                return Some(Mark::of(skill.files.len()));
            }
            let folder = skill.found.open(options)?;
            Some(Mark::of(inside(&folder, &skill.found.real, &path)?.1))
        })
    }

    fn skill(&self, name: &str) -> Option<&Skill> {
        self.skills.iter().find(|skill| skill.found.name == name)
    }
}

/// Reads from the skills as they are now; only the folder of this one is looked for.
pub(super) fn read(places: &[Place], options: &Options, uri: &str) -> Result<Content, ReadError> {
    for (name, path) in named(uri) {
        let Some((found, folder)) = find(places, &name, options) else { continue };
        if path == MANIFEST {
            if let Ok(skill) = load(found, options) {
                return Ok(manifest(&name, &skill.files));
            }
        } else if let Some(content) = give(&folder, &found.real, &path, options, uri)? {
            return Ok(content);
        }
    }
    Err(ReadError::NotFound(uri.to_owned()))
}

pub(super) fn canonical(places: &[Place], options: &Options, uri: &str) -> Option<String> {
    named(uri).into_iter().find_map(|(name, path)| {
        let (found, folder) = find(places, &name, options)?;
        (path == MANIFEST || inside(&folder, &found.real, &path).is_some())
            .then(|| self::uri(&name, &path))
    })
}

pub(super) fn mark(places: &[Place], options: &Options, uri: &str) -> Option<Mark> {
    named(uri).into_iter().find_map(|(name, path)| {
        let (found, folder) = find(places, &name, options)?;
        if path == MANIFEST {
            return Some(Tree::look(&folder).ok()?.mark());
        }
        Some(Mark::of(inside(&folder, &found.real, &path)?.1))
    })
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

/// The skill of this name, as it is now. A root is gone through only for links in it, whose names
/// are those of what they lead to.
fn find(places: &[Place], name: &str, options: &Options) -> Option<(Found, Folder)> {
    let usable = |path: &Path| {
        let found = found(&fs::canonicalize(path).ok()?).filter(|found| found.name == name)?;
        let folder = found.open(options)?;
        main_text(&folder, &found.real, options).ok()?;
        Some((found, folder))
    };
    let is_link = |path: &Path| fs::symlink_metadata(path).is_ok_and(|seen| seen.is_symlink());
    places.iter().find_map(|place| match place {
        Place::Skill(folder) => usable(folder),
        Place::Root(root) => {
            let direct = root.join(name);
            match is_link(&direct) {
                false => usable(&direct),
                true => None,
            }
            .or_else(|| {
                let linked = fs::read_dir(root)
                    .ok()?
                    .flatten()
                    .filter(|child| child.file_type().is_ok_and(|kind| kind.is_symlink()));
                let mut linked: Vec<PathBuf> = linked.map(|child| child.path()).collect();
                linked.sort();
                linked.iter().find_map(|path| usable(path))
            })
        }
    })
}

/// Name and path of each child, in order of names.
fn children(root: &Path) -> io::Result<Vec<(String, PathBuf)>> {
    let mut children: Vec<(String, PathBuf)> = fs::read_dir(root)?
        .flatten()
        .map(|child| (child.file_name().to_string_lossy().into_owned(), child.path()))
        .collect();
    children.sort();
    Ok(children)
}

fn found(real: &Path) -> Option<Found> {
    let name = real.file_name()?.to_str()?.to_owned();
    Some(Found { name, real: real.to_owned() })
}

impl Found {
    /// The folder, unless a link took its place meanwhile or it has no main file.
    fn open(&self, options: &Options) -> Option<Folder> {
        let parent = Folder::open(self.real.parent()?, &Count::default()).ok()?;
        let folder = parent.folder(self.name.as_ref()).ok()?;
        inside(&folder, &self.real, &options.main_file).map(|_| folder)
    }
}

fn is_skill(real: &Path, options: &Options) -> bool {
    real.is_dir() && location(real, &options.main_file).exists()
}

/// Where a file of a skill really lies, below the skill's folder, and its stamp; links are followed
/// as long as they stay inside.
fn inside(folder: &Folder, real: &Path, path: &str) -> Option<(Vec<String>, Stamp)> {
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
pub(super) fn stands(folder: &Folder, names: &[String]) -> Option<Stamp> {
    let (name, folders) = names.split_last()?;
    let inner = folder.descend(folders).ok()?;
    match inner.as_ref().unwrap_or(folder).look(name.as_ref()) {
        Ok((Kind::File, stamp)) => Some(stamp),
        _ => None,
    }
}

/// The bytes of the regular file at the end of these names.
pub(super) fn bytes(folder: &Folder, names: &[String], most: u64) -> io::Result<Vec<u8>> {
    let Some((name, folders)) = names.split_last() else {
        return Err(io::ErrorKind::NotFound.into());
    };
    let inner = folder.descend(folders)?;
    let (file, stamp) = inner.as_ref().unwrap_or(folder).file(name.as_ref())?;
    let too_large = || io::Error::other("it is too large");
    if stamp.size() > most {
        return Err(too_large());
    }
    let mut bytes = Vec::with_capacity(usize::try_from(stamp.size()).unwrap_or(0));
    file.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most { Err(too_large()) } else { Ok(bytes) }
}

/// One file of a skill; `None` where there is none.
fn give(
    folder: &Folder,
    real: &Path,
    path: &str,
    options: &Options,
    uri: &str,
) -> Result<Option<Content>, ReadError> {
    let Some((names, _)) = inside(folder, real, path) else { return Ok(None) };
    let mime_type = if path == options.main_file { "text/markdown" } else { mime_type(path) };
    match bytes(folder, &names, MAX_READ) {
        Ok(bytes) => Ok(Some(Content { bytes, mime_type })),
        Err(source) => Err(ReadError::Unreadable { uri: uri.to_owned(), source }),
    }
}

/// The main file's bytes, which must be UTF-8 and lie inside of the skill.
fn main_text(folder: &Folder, real: &Path, options: &Options) -> Result<Vec<u8>, String> {
    let main = &options.main_file;
    let (names, _) =
        inside(folder, real, main).ok_or_else(|| format!("its {main} lies elsewhere"))?;
    let bytes = bytes(folder, &names, MAX_READ)
        .map_err(|error| format!("its {main} cannot be read: {error}"))?;
    match std::str::from_utf8(&bytes) {
        Ok(_) => Ok(bytes),
        Err(_) => Err(format!("its {main} is not UTF-8")),
    }
}

fn load(found: Found, options: &Options) -> Result<Skill, String> {
    if !has_uri(&found.name, &options.main_file) {
        return Err("no URI gives it: its name has a backslash".to_owned());
    }
    let folder =
        found.open(options).ok_or_else(|| format!("its {} lies elsewhere", options.main_file))?;
    let main = main_text(&folder, &found.real, options)?;
    let description = FrontMatter::read(&main).description_or_fallback(&found.name);
    let mut files = Vec::new();
    hash_into(&folder, &found.real, &folder, "", 0, &mut files)?;
    files.sort_by(|a: &ManifestFile, b| a.path.split('/').cmp(b.path.split('/')));
    Ok(Skill { found, description, files })
}

/// Hashes the files of a folder. Links to folders are not followed; a link to a file is that file
/// where it lies inside of the skill, and left out where it does not.
fn hash_into(
    skill: &Folder,
    real: &Path,
    folder: &Folder,
    prefix: &str,
    depth: usize,
    files: &mut Vec<ManifestFile>,
) -> Result<(), String> {
    if depth > MAX_DEPTH {
        return Err("its folders are nested too deeply".to_owned());
    }
    let unreadable = |path: &str| {
        let path = path.to_owned();
        move |error: io::Error| format!("{path:?} cannot be read: {error}")
    };
    for Child { name, kind, .. } in folder.children().map_err(unreadable(prefix))? {
        let Some(name) = name.to_str() else {
            return Err(format!("the name of a file in {prefix:?} is not UTF-8"));
        };
        let path = format!("{prefix}{name}");
        let opened = match kind {
            Kind::Folder => {
                let inner = folder.folder(name.as_ref()).map_err(unreadable(&path))?;
                hash_into(skill, real, &inner, &format!("{path}/"), depth + 1, files)?;
                continue;
            }
            Kind::File => folder.file(name.as_ref()),
            Kind::Link => {
                let Some((names, _)) = inside(skill, real, &path) else { continue };
                match names.split_last() {
                    Some((name, folders)) => skill
                        .descend(folders)
                        .and_then(|inner| inner.as_ref().unwrap_or(skill).file(name.as_ref())),
                    None => continue,
                }
            }
            Kind::Special => continue,
        };
        let (mut file, stamp) = opened.map_err(unreadable(&path))?;
        let (digest, size) = Digest::of_reader(&mut file).map_err(unreadable(&path))?;
        if size != stamp.size() {
            return Err(format!("{path:?} changed while it was read"));
        }
        files.push(ManifestFile { path, size, digest });
    }
    Ok(())
}
