//! Compatible mode: skills as the reference serves them by default.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde_json::json;

use super::directory::{Options, Source, SupportingFiles};
use super::{Content, Listing, ReadError, Resource, Template, mime_type};
use crate::digest::Digest;
use crate::frontmatter::FrontMatter;
use crate::manifest::ManifestFile;
use crate::read::{ReadManifestError, location, read_file};
use crate::uri::{decoded, encode_path};

/// The path of the synthetic manifest.
pub(super) const MANIFEST: &str = "_manifest";

/// A file larger than this is not given out.
const MAX_READ: u64 = 256 * 1024 * 1024;

/// Folders inside each other that are followed.
const MAX_DEPTH: usize = 64;

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
    pub(super) fn new(source: &Source, options: &Options) -> Self {
        let mut look = Self { skills: Vec::new(), warnings: Vec::new() };
        match source {
            Source::Skill(folder) => {
                let found = fs::canonicalize(folder).ok().and_then(|real| found(&real));
                let shown = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
                match found {
                    Some(found) => look.add(found, options),
                    None => look
                        .warnings
                        .push(format!("the skill {shown:?} is left out: its folder is not there")),
                }
            }
            Source::Roots(roots) => {
                for root in roots {
                    let Ok(children) = children(root) else { continue };
                    for (shown, path) in children {
                        match fs::canonicalize(&path) {
                            Ok(real) if is_skill(&real, options) => {
                                if let Some(found) = self::found(&real) {
                                    look.add(found, options);
                                }
                            }
                            Ok(_) => {}
                            Err(_) => look.warnings.push(format!(
                                "the skill {shown:?} is left out: its link leads nowhere"
                            )),
                        }
                    }
                }
            }
        }
        look
    }

    fn add(&mut self, found: Found, options: &Options) {
        if self.skills.iter().any(|known| known.found.name == found.name) {
            return;
        }
        let name = found.name.clone();
        match load(found, options) {
            Ok(skill) => self.skills.push(skill),
            Err(reason) => self.warnings.push(format!("the skill {name:?} is left out: {reason}")),
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
                    listing.resources.extend(supporting.map(|file| supporting_file(name, file)));
                }
            }
        }
        listing
    }

    /// Reads from the skills of this look: the manifest as it was, files as they are.
    pub(super) fn read(&self, options: &Options, uri: &str) -> Result<Content, ReadError> {
        for (name, path) in readings(uri) {
            let Some(skill) = self.skills.iter().find(|skill| skill.found.name == name) else {
                continue;
            };
            if path == MANIFEST {
                return Ok(manifest(&name, &skill.files));
            }
            return read_inside(&skill.found.real, &path, options, uri);
        }
        Err(ReadError::NotFound(uri.to_owned()))
    }
}

/// Reads from the skills as they are now; only the folder of this one is looked for.
pub(super) fn read(source: &Source, options: &Options, uri: &str) -> Result<Content, ReadError> {
    let not_found = || ReadError::NotFound(uri.to_owned());
    for (name, path) in readings(uri) {
        let Some(found) = find(source, &name, options) else { continue };
        if path == MANIFEST {
            return match load(found, options) {
                Ok(skill) => Ok(manifest(&name, &skill.files)),
                Err(_) => Err(not_found()),
            };
        }
        return read_inside(&found.real, &path, options, uri);
    }
    Err(not_found())
}

/// Skill's name and path within it, decoded first and as written second.
fn readings(uri: &str) -> Vec<(String, String)> {
    let Some((name, path)) = uri.strip_prefix("skill://").and_then(|rest| rest.split_once('/'))
    else {
        return Vec::new();
    };
    let mut readings = Vec::new();
    for name in [decoded(name), Some(name.to_owned())].into_iter().flatten() {
        for path in [decoded(path), Some(path.to_owned())].into_iter().flatten() {
            let reading = (name.clone(), path);
            if !readings.contains(&reading) {
                readings.push(reading);
            }
        }
    }
    readings
}

fn find(source: &Source, name: &str, options: &Options) -> Option<Found> {
    let usable = |real: &Path| {
        found(real).filter(|found| {
            found.name == name && is_skill(real, options) && main_text(real, options).is_ok()
        })
    };
    match source {
        Source::Skill(folder) => fs::canonicalize(folder).ok().and_then(|real| usable(&real)),
        Source::Roots(roots) => roots.iter().find_map(|root| {
            children(root)
                .ok()?
                .into_iter()
                .filter(|(shown, path)| shown == name || path.is_symlink())
                .find_map(|(_, path)| usable(&fs::canonicalize(path).ok()?))
        }),
    }
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

fn is_skill(real: &Path, options: &Options) -> bool {
    real.is_dir() && location(real, &options.main_file).exists()
}

/// The main file's bytes, which must be UTF-8 and lie inside of the skill.
fn main_text(real: &Path, options: &Options) -> Result<Vec<u8>, String> {
    let file = inside(real, &options.main_file)
        .ok_or_else(|| format!("its {} lies elsewhere", options.main_file))?;
    let bytes = read_file(&file, MAX_READ).map_err(|error| reason(&error))?;
    match std::str::from_utf8(&bytes) {
        Ok(_) => Ok(bytes),
        Err(_) => Err(format!("its {} is not UTF-8", options.main_file)),
    }
}

fn load(found: Found, options: &Options) -> Result<Skill, String> {
    let main = main_text(&found.real, options)?;
    let description = FrontMatter::read(&main).description_or_fallback(&found.name);
    let mut files = Vec::new();
    hash_into(&found.real, &found.real, "", 0, &mut files)?;
    files.sort_by(|a: &ManifestFile, b| a.path.split('/').cmp(b.path.split('/')));
    Ok(Skill { found, description, files })
}

/// Hashes the files of a folder. Links to folders are not followed; a link to a file is that file
/// where it lies inside of the skill, and left out where it does not.
fn hash_into(
    root: &Path,
    folder: &Path,
    prefix: &str,
    depth: usize,
    files: &mut Vec<ManifestFile>,
) -> Result<(), String> {
    if depth > MAX_DEPTH {
        return Err("its folders are nested too deeply".to_owned());
    }
    let children = fs::read_dir(folder).and_then(Iterator::collect::<io::Result<Vec<_>>>);
    for child in children.map_err(|error| format!("{prefix:?} cannot be read: {error}"))? {
        let name = child.file_name();
        let Some(name) = name.to_str() else {
            return Err(format!("the name of a file in {prefix:?} is not UTF-8"));
        };
        let path = format!("{prefix}{name}");
        let at = child.path();
        let metadata = fs::symlink_metadata(&at)
            .map_err(|error| format!("{path:?} cannot be read: {error}"))?;
        if metadata.is_dir() {
            hash_into(root, &at, &format!("{path}/"), depth + 1, files)?;
            continue;
        }
        let Some(real) =
            fs::canonicalize(&at).ok().filter(|real| real.starts_with(root) && real.is_file())
        else {
            continue;
        };
        let (digest, size) = crate::read::hash_file(&real)
            .map_err(|error| format!("{path:?}: {}", reason(&error)))?;
        files.push(ManifestFile { path, size, digest });
    }
    Ok(())
}

/// Where a path of a skill really lies, if that is a file inside of it.
fn inside(real: &Path, path: &str) -> Option<PathBuf> {
    let bad = |part: &str| matches!(part, "" | "." | "..") || part.contains(['\\', '\0']);
    if path.split('/').any(bad) {
        return None;
    }
    fs::canonicalize(location(real, path))
        .ok()
        .filter(|file| file.starts_with(real) && file.is_file())
}

fn read_inside(
    real: &Path,
    path: &str,
    options: &Options,
    uri: &str,
) -> Result<Content, ReadError> {
    let file = inside(real, path).ok_or_else(|| ReadError::NotFound(uri.to_owned()))?;
    let mime_type = if path == options.main_file { "text/markdown" } else { mime_type(path) };
    Ok(Content { bytes: give(&file, uri)?, mime_type })
}

/// The bytes of one file, with errors that name the resource and not the path.
pub(super) fn give(file: &Path, uri: &str) -> Result<Vec<u8>, ReadError> {
    let unreadable = |source| ReadError::Unreadable { uri: uri.to_owned(), source };
    match read_file(file, MAX_READ) {
        Ok(bytes) if bytes.len() as u64 > MAX_READ => {
            Err(unreadable(io::Error::other("it is too large")))
        }
        Ok(bytes) => Ok(bytes),
        Err(ReadManifestError::Unreadable { source, .. }) => Err(unreadable(source)),
        Err(error) => Err(unreadable(io::Error::other(reason(&error)))),
    }
}

/// What went wrong, without the path.
pub(super) fn reason(error: &ReadManifestError) -> String {
    match error {
        ReadManifestError::NotAFolder(_) => "it is not a folder".to_owned(),
        ReadManifestError::Link(path) => format!("{} is a link", last(path)),
        ReadManifestError::Special(path) => {
            format!("{} is neither a file nor a folder", last(path))
        }
        ReadManifestError::NameNotUtf8(path) => format!("the name of {} is not UTF-8", last(path)),
        ReadManifestError::Changed(path) => format!("{} changed while it was read", last(path)),
        ReadManifestError::TooMuch(_) => "it holds more than one skill can".to_owned(),
        ReadManifestError::Unreadable { path, source } => {
            format!("{} cannot be read: {source}", last(path))
        }
        ReadManifestError::Manifest { source, .. } => source.to_string(),
    }
}

fn last(path: &Path) -> String {
    format!("{:?}", path.file_name().unwrap_or_default().to_string_lossy())
}

pub(super) fn uri(name: &str, path: &str) -> String {
    format!("skill://{}/{}", encode_path(name), encode_path(path))
}

pub(super) fn template(name: &str) -> Template {
    Template {
        uri_template: format!("skill://{}/{{path*}}", encode_path(name)),
        name: format!("{name}_files"),
        description: format!("Access files within {name}"),
    }
}

/// How the synthetic manifest is listed.
pub(super) fn manifest_resource(name: &str) -> Resource {
    Resource {
        uri: uri(name, MANIFEST),
        name: format!("{name}/{MANIFEST}"),
        description: format!("File listing for {name}"),
        mime_type: "application/json",
        size: None,
    }
}

/// How a supporting file is listed.
pub(super) fn supporting_file(name: &str, file: &ManifestFile) -> Resource {
    Resource {
        uri: uri(name, &file.path),
        name: format!("{name}/{}", file.path),
        description: format!("File from {name} skill"),
        mime_type: mime_type(&file.path),
        size: Some(file.size),
    }
}

/// The synthetic manifest; files in order of their components.
pub(super) fn manifest(name: &str, files: &[ManifestFile]) -> Content {
    let files: Vec<_> = files
        .iter()
        .map(|ManifestFile { path, size, digest }| json!({"path": path, "size": size, "hash": Digest::to_string(digest)}))
        .collect();
    let bytes = format!("{:#}", json!({"skill": name, "files": files})).into_bytes();
    Content { bytes, mime_type: "application/json" }
}
