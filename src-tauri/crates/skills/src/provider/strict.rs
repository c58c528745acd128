//! Strict mode: skills as the skills extension wants them.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;

use serde_json::{Map, Value};

use super::compatible::{
    MANIFEST, give, manifest, manifest_resource, reason, supporting_file, template, uri,
};
use super::directory::SupportingFiles;
use super::{Content, Entries, Listing, ReadError, Resource, mime_type};
use crate::MAIN_FILE;
use crate::check::is_name;
use crate::digest::Digest;
use crate::entry::{Entry, EntryFile};
use crate::frontmatter::FrontMatter;
use crate::manifest::{MAX_BYTES, Manifest};
use crate::read::{ListedFile, ReadManifestError, list_files, location, read_file};
use crate::uri::{SkillUri, decoded};

/// Folders inside each other that are searched for skills.
const MAX_DEPTH: usize = 32;

/// What is published of some roots.
#[derive(Debug)]
pub(super) struct Strict {
    roots: Vec<PathBuf>,
    supporting_files: SupportingFiles,
    known: Mutex<HashMap<PathBuf, Known>>,
}

/// What was hashed at the last look, and how the files were.
#[derive(Debug)]
struct Known {
    listed: Vec<ListedFile>,
    at: SystemTime,
    manifest: Manifest,
}

impl Strict {
    /// Roots that are one folder by real path count once.
    pub(super) fn new(roots: &[PathBuf], supporting_files: SupportingFiles) -> Self {
        let mut kept: Vec<(PathBuf, PathBuf)> = Vec::new();
        for root in roots {
            let real = fs::canonicalize(root).unwrap_or_else(|_| root.clone());
            if !kept.iter().any(|(_, known)| *known == real) {
                kept.push((root.clone(), real));
            }
        }
        Self {
            roots: kept.into_iter().map(|(root, _)| root).collect(),
            supporting_files,
            known: Mutex::default(),
        }
    }

    /// The folders of all skills by their path below a root, in byte order, and what is left out.
    fn folders(&self) -> (BTreeMap<String, PathBuf>, Vec<String>) {
        let mut warnings = Vec::new();
        let mut found: BTreeMap<String, Vec<PathBuf>> = BTreeMap::new();
        for (number, root) in self.roots.iter().enumerate() {
            match fs::symlink_metadata(root) {
                Ok(metadata) if metadata.is_symlink() => {
                    warnings.push(format!("root {} is left out: it is a link", number + 1));
                }
                Ok(metadata) if metadata.is_dir() => search(root, "", 0, &mut found),
                _ => {}
            }
        }
        let mut folders = BTreeMap::new();
        for (path, mut places) in found {
            match places.pop() {
                Some(place) if places.is_empty() => drop(folders.insert(path, place)),
                _ => warnings
                    .push(format!("the skill {path:?} is left out: it is in more than one root")),
            }
        }
        (folders, warnings)
    }

    pub(super) fn list(&self) -> Listing {
        let (folders, warnings) = self.folders();
        let mut listing = Listing { warnings, ..Listing::default() };
        let mut supporting: Vec<Resource> = Vec::new();
        for (name, folder) in &folders {
            let manifest = match files_without_links(folder) {
                Ok(manifest) => manifest,
                Err(error) => {
                    listing
                        .warnings
                        .push(format!("the skill {name:?} is left out: {}", reason(&error)));
                    continue;
                }
            };
            let fields = read_file(&folder.join(MAIN_FILE), MAX_BYTES)
                .ok()
                .and_then(|bytes| valid_fields(&bytes, last_segment(name)).ok());
            let text = |field: &str| fields.as_ref()?.get(field)?.as_str().map(str::to_owned);
            listing.resources.push(Resource {
                uri: uri(name, MAIN_FILE),
                name: text("name").unwrap_or_else(|| format!("{name}/{MAIN_FILE}")),
                description: text("description").unwrap_or_else(|| format!("Skill: {name}")),
                mime_type: "text/markdown",
                size: manifest.get(MAIN_FILE).map(|file| file.size),
            });
            listing.resources.push(manifest_resource(name));
            match self.supporting_files {
                SupportingFiles::Template => listing.templates.push(template(name)),
                SupportingFiles::Resources => {
                    let files = manifest
                        .files()
                        .iter()
                        .filter(|file| file.path != MAIN_FILE && file.path != MANIFEST);
                    supporting.extend(files.map(|file| supporting_file(name, file)));
                }
            }
        }
        // A nested skill's own resources stand for the same files of the outer one.
        for resource in supporting {
            if !listing.resources.iter().any(|known| known.uri == resource.uri) {
                listing.resources.push(resource);
            }
        }
        listing
    }

    pub(super) fn read(&self, uri: &str) -> Result<Content, ReadError> {
        let not_found = || ReadError::NotFound(uri.to_owned());
        let rest = uri.strip_prefix("skill://").ok_or_else(not_found)?;
        for path in [decoded(rest), Some(rest.to_owned())].into_iter().flatten() {
            let Some((name, folder, file)) = self.resolve(&path) else { continue };
            if file == MANIFEST {
                let read = files_without_links(&folder).map_err(|_| not_found())?;
                let mut files = read.files().to_vec();
                files.sort_by(|a, b| a.path.split('/').cmp(b.path.split('/')));
                return Ok(manifest(&name, &files));
            }
            if let Some(place) = plain_file(&folder, &file) {
                return Ok(Content { bytes: give(&place, uri)?, mime_type: mime_type(&file) });
            }
        }
        Err(not_found())
    }

    /// The innermost skill that a decoded path leads into: its path, its folder, and the rest.
    fn resolve(&self, path: &str) -> Option<(String, PathBuf, String)> {
        let bad = |part: &str| matches!(part, "" | "." | "..") || part.contains(['\\', '\0']);
        if path.split('/').any(bad) {
            return None;
        }
        for (at, _) in path.match_indices('/').collect::<Vec<_>>().into_iter().rev() {
            let (name, file) = (&path[..at], &path[at + 1..]);
            let mut folders = self.roots.iter().filter_map(|root| skill_folder(root, name));
            if let Some(folder) = folders.next() {
                return folders
                    .next()
                    .is_none()
                    .then(|| (name.to_owned(), folder, file.to_owned()));
            }
        }
        None
    }

    pub(super) fn entries(&self) -> Entries {
        let (folders, warnings) = self.folders();
        let mut entries = Entries { entries: Vec::new(), warnings };
        for (name, folder) in &folders {
            match self.entry_of(name, folder) {
                Ok(entry) => entries.entries.push(entry),
                Err(reason) => {
                    entries.warnings.push(format!("the skill {name:?} is left out: {reason}"))
                }
            }
        }
        entries.entries.sort_by(|a, b| a.uri().cmp(b.uri()));
        self.known
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .retain(|folder, _| folder.exists());
        entries
    }

    pub(super) fn entry(&self, uri: &str) -> Option<Entry> {
        let uri = SkillUri::parse(uri).ok().filter(|uri| uri.scheme() == "skill")?;
        let (name, folder, file) = self.resolve(&format!("{}/{MAIN_FILE}", uri.skill_path()))?;
        (name == uri.skill_path() && file == MAIN_FILE)
            .then(|| self.entry_of(&name, &folder).ok())
            .flatten()
    }

    fn entry_of(&self, name: &str, folder: &Path) -> Result<Entry, String> {
        let manifest = self.manifest(folder)?;
        manifest.within_limits().map_err(|error| error.to_string())?;
        let bytes =
            read_file(&folder.join(MAIN_FILE), MAX_BYTES).map_err(|error| reason(&error))?;
        if manifest.get(MAIN_FILE).map(|file| file.digest) != Some(Digest::of(&bytes)) {
            return Err(format!("{MAIN_FILE} changed while it was read"));
        }
        let fields = valid_fields(&bytes, last_segment(name))?;
        let skill_uri = SkillUri::for_path(name).map_err(|error| error.to_string())?;
        let mut files = Vec::with_capacity(manifest.files().len());
        for file in manifest.files() {
            let place = self.resolve(&format!("{name}/{}", file.path));
            let same = place.is_some_and(|(_, inner, rest)| {
                rest != MANIFEST && location(&inner, &rest) == location(folder, &file.path)
            });
            if !same {
                return Err(format!("the URI of {:?} would give something else", file.path));
            }
            files.push(EntryFile {
                path: file.path.clone(),
                uri: skill_uri.file_uri(&file.path),
                size: file.size,
                digest: file.digest,
            });
        }
        Entry::new(skill_uri, Some(fields), None, files).map_err(|error| error.to_string())
    }

    /// The manifest, hashed again unless every file is proven unchanged.
    fn manifest(&self, folder: &Path) -> Result<Manifest, String> {
        let listed = list_files(folder).map_err(|error| reason(&error))?;
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = known.get(folder)
            && known.listed == listed
            && !listed.iter().any(|file| file.stamp.is_fresh(known.at))
        {
            return Ok(known.manifest.clone());
        }
        let at = SystemTime::now();
        let manifest =
            Manifest::read_listed(folder, listed.clone()).map_err(|error| reason(&error))?;
        // A file that came or went meanwhile makes another list.
        if list_files(folder).map_err(|error| reason(&error))? != listed {
            return Err("its files changed while they were read".to_owned());
        }
        known.insert(folder.to_owned(), Known { listed, at, manifest: manifest.clone() });
        Ok(manifest)
    }
}

fn last_segment(name: &str) -> &str {
    name.rsplit('/').next().unwrap_or(name)
}

/// Adds every folder with a `SKILL.md` below this one; links are not followed.
fn search(folder: &Path, prefix: &str, depth: usize, found: &mut BTreeMap<String, Vec<PathBuf>>) {
    let Ok(children) = fs::read_dir(folder) else { return };
    for child in children.flatten() {
        let name = child.file_name();
        let (Some(name), Ok(kind)) = (name.to_str(), child.file_type()) else { continue };
        if !kind.is_dir() || depth > MAX_DEPTH {
            continue;
        }
        let (path, place) = (format!("{prefix}{name}"), child.path());
        if place.join(MAIN_FILE).is_file() {
            found.entry(path.clone()).or_default().push(place.clone());
        }
        search(&place, &format!("{path}/"), depth + 1, found);
    }
}

/// The folder of the skill at this path below a root, if there is one and no link on the way.
fn skill_folder(root: &Path, name: &str) -> Option<PathBuf> {
    let mut place = root.to_owned();
    if !is_plain_folder(&place) {
        return None;
    }
    for part in name.split('/') {
        place.push(part);
        if !is_plain_folder(&place) {
            return None;
        }
    }
    place.join(MAIN_FILE).is_file().then_some(place)
}

fn is_plain_folder(place: &Path) -> bool {
    fs::symlink_metadata(place).is_ok_and(|metadata| metadata.is_dir())
}

/// A regular file with no link on the way to it.
fn plain_file(folder: &Path, path: &str) -> Option<PathBuf> {
    let (folders, name) =
        path.rsplit_once('/').map_or(("", path), |(folders, name)| (folders, name));
    let mut place = folder.to_owned();
    for part in folders.split('/').filter(|part| !part.is_empty()) {
        place.push(part);
        if !is_plain_folder(&place) {
            return None;
        }
    }
    place.push(name);
    fs::symlink_metadata(&place).is_ok_and(|metadata| metadata.is_file()).then_some(place)
}

/// What can be read as resources: links and special files are none.
fn files_without_links(folder: &Path) -> Result<Manifest, ReadManifestError> {
    let listed = crate::read::list_plain_files(folder)?;
    Manifest::read_listed(folder, listed)
}

/// The fields, if an entry may carry them.
fn valid_fields(skill_md: &[u8], folder_name: &str) -> Result<Map<String, Value>, String> {
    let fields = FrontMatter::strict(skill_md).map_err(|error| error.message)?;
    let text = |name: &str| fields.get(name).and_then(Value::as_str);
    let is_text = |name: &str| fields.get(name).is_none_or(Value::is_string);
    match text("name") {
        Some(name) if !is_name(name) => {
            return Err(
                "`name` is not 1 to 64 of a-z, 0-9 and single hyphens, none at an end".to_owned()
            );
        }
        Some(name) if name != folder_name => return Err("`name` is not the folder's".to_owned()),
        Some(_) => {}
        None => return Err("there is no `name`".to_owned()),
    }
    match text("description") {
        Some(text) if !text.trim().is_empty() && text.chars().count() <= 1024 => {}
        _ => return Err("`description` is missing, blank or over 1,024 characters".to_owned()),
    }
    if !is_text("license") {
        return Err("`license` is not a text".to_owned());
    }
    let tools_are_texts = match fields.get("allowed-tools") {
        None | Some(Value::String(_)) => true,
        Some(Value::Array(items)) => items.iter().all(Value::is_string),
        Some(_) => false,
    };
    if !tools_are_texts {
        return Err("`allowed-tools` is neither a text nor a list of texts".to_owned());
    }
    if fields.contains_key("compatibility")
        && text("compatibility").is_none_or(|text| text.is_empty() || text.chars().count() > 500)
    {
        return Err("`compatibility` is not a text of 1 to 500 characters".to_owned());
    }
    if fields.get("metadata").is_some_and(|value| !value.is_object()) {
        return Err("`metadata` does not hold fields".to_owned());
    }
    Ok(fields)
}
