//! Everything that can be said of a folder on this disk.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::together::together;
use super::{Diagnostic, Rule, Severity, chains, check_files, check_parts, codes, sort};
use crate::MAIN_FILE;
use crate::digest::Digest;
use crate::fix::Fix;
use crate::frontmatter::FrontMatter;
use crate::manifest::{LocalFiles, MAX_BYTES, Manifest};
use crate::read::{Listing, ReadManifestError, read_file, read_with_heads, survey};

/// A folder with more bytes than this is not hashed: it is no skill.
const MAX_HASHED: u64 = 16 * MAX_BYTES;

/// How much of a `SKILL.md` that alone is more than a skill can have is read, for the name and the
/// description that it is shown with.
const BEGINNING: u64 = 320 * 1024;

/// The most problems with files of one kind that are told.
const MAX_PROBLEMS: usize = 20;

/// What was found out about one folder.
#[derive(Debug)]
pub struct Checked {
    /// The field `name` where it is a text that says something, else the folder's name.
    pub name: String,
    /// The description, or what stands in its place for a person.
    pub description: String,
    /// Every file, or why there is no telling.
    pub manifest: Result<Manifest, ReadManifestError>,
    /// The worst first.
    pub diagnostics: Vec<Diagnostic>,
    /// Whether a server in strict mode would publish the skill; exactly then no diagnostic is an
    /// [error](Severity::Error).
    pub valid: bool,
}

/// Checks the skill in this folder; never fails, for what cannot be read is a diagnostic.
pub fn check_folder(dir: &Path) -> Checked {
    let (named, folder_name) = (named(dir), name_of(dir));
    let mut checked = check_listed(&folder_name, dir, survey(dir));
    if !fs::symlink_metadata(&named).is_ok_and(|found| found.is_symlink()) {
        return checked;
    }
    if let Err(error) = fs::metadata(&named) {
        let target = fs::read_link(&named).unwrap_or_default();
        let message = format!(
            "the folder {folder_name:?} is a link to {}, which cannot be had: {error}",
            target.display()
        );
        checked.diagnostics = vec![codes::LINK_BROKEN.say(message, None)];
    } else if !matches!(checked.manifest, Err(ReadManifestError::NotAFolder(_))) {
        let link = codes::FOLDER_LINK.say(format!("the folder {folder_name:?} is a link"), None);
        checked.diagnostics.insert(0, link);
        checked.valid = false;
    }
    checked
}

/// The first fix of each diagnostic of this folder, which was just checked, as many as can be made
/// at once: together they bring up nothing that was not wrong before. What is left out waits for the
/// next check. Of a main file that is not the one that was checked no more than one is given.
pub fn fixes_at_once(dir: &Path, checked: &Checked) -> Vec<Fix> {
    let first = || checked.diagnostics.iter().find_map(|one| one.fixes.first()).cloned();
    let listed = checked.manifest.as_ref().ok().and_then(|files| files.get(MAIN_FILE));
    let main = main_file(dir).map(|(bytes, _)| bytes);
    match (listed, main) {
        (Some(listed), Some(bytes)) if Digest::of(&bytes) == listed.digest => {
            together(&name_of(dir), &bytes, &checked.diagnostics)
        }
        _ => first().into_iter().collect(),
    }
}

/// The name that a skill in this folder is to have; `.` and `..` have none of their own.
fn name_of(dir: &Path) -> String {
    named(dir).file_name().unwrap_or_default().to_string_lossy().into_owned()
}

fn named(dir: &Path) -> PathBuf {
    match dir.file_name() {
        Some(_) => dir.to_owned(),
        None => fs::canonicalize(dir).unwrap_or_else(|_| dir.to_owned()),
    }
}

/// As [`check_folder`] for a folder whose files were listed just before; `folder_name` is the name that the
/// skill is to have, also where `dir` is what a link leads to.
pub(crate) fn check_listed(
    folder_name: &str,
    dir: &Path,
    listing: Result<Listing, ReadManifestError>,
) -> Checked {
    let mut found = Vec::new();
    let read = listing.and_then(|listing| read(dir, listing, &mut found));
    if let Err(error) = &read
        && found.is_empty()
    {
        found.push(problem(dir, error));
    }
    let main = match &read {
        Err(ReadManifestError::NotAFolder(_)) => None,
        _ => main_file(dir),
    };
    let bytes = main.as_ref().map(|(bytes, _)| bytes.as_slice()).unwrap_or_default();
    let front_matter = FrontMatter::read(bytes);
    let (manifest, local) = match read {
        Ok((manifest, local)) => (Ok(manifest), Some(local)),
        Err(error) => (Err(error), None),
    };
    let files = manifest.as_ref().ok();
    match &main {
        Some((bytes, size)) if *size <= MAX_BYTES => {
            found.extend(check_parts(folder_name, files, bytes, local.as_ref()));
            if let Some(files) = files {
                chains::check(dir, files, bytes, &mut found);
            }
        }
        // More than a skill can have is not judged: that it is too much is what there is to say.
        Some((_, size)) => match files {
            Some(files) => check_files(files, local.as_ref(), &mut found),
            None => {
                let message =
                    format!("{MAIN_FILE} alone has {size} bytes; {MAX_BYTES} is the most");
                found.push(codes::TOO_MANY_BYTES.say(message, None));
            }
        },
        None => {}
    }
    sort(&mut found);
    Checked {
        name: match front_matter.judged().get("name") {
            Some(Value::String(name)) if !name.trim().is_empty() => name.clone(),
            _ => folder_name.to_owned(),
        },
        description: front_matter.description_or_fallback(folder_name),
        valid: !found.iter().any(|one| one.severity == Severity::Error),
        manifest,
        diagnostics: found,
    }
}

/// The bytes and the size of the main file; of one that is too large, the beginning.
fn main_file(dir: &Path) -> Option<(Vec<u8>, u64)> {
    let path = dir.join(MAIN_FILE);
    let size = fs::symlink_metadata(&path).ok()?.len();
    let most = if size > MAX_BYTES { BEGINNING } else { MAX_BYTES };
    let bytes = read_file(&path, most).ok()?;
    // It may have grown since.
    let size = size.max(bytes.len() as u64);
    Some((bytes, size))
}

/// Hashes the files and says what stands in the way; the error is the first of that.
fn read(
    dir: &Path,
    listing: Listing,
    found: &mut Vec<Diagnostic>,
) -> Result<(Manifest, LocalFiles), ReadManifestError> {
    let mut told: BTreeMap<&str, usize> = BTreeMap::new();
    for diagnostic in listing.problems.iter().map(|error| problem(dir, error)) {
        let count = told.entry(diagnostic.code).or_default();
        *count += 1;
        if *count <= MAX_PROBLEMS {
            found.push(diagnostic);
        }
    }
    let bytes = listing.files.iter().fold(0_u64, |sum, file| sum.saturating_add(file.stamp.size()));
    if let Some(error) = listing.problems.into_iter().next() {
        return Err(error);
    }
    if bytes > MAX_HASHED {
        let message = format!("it holds {bytes} bytes, far more than a skill can have");
        found.push(codes::TOO_MANY_BYTES.say(message, None));
        return Err(ReadManifestError::TooMuch(dir.to_owned()));
    }
    let listed = listing.files.clone();
    let read = read_with_heads(dir, listing.files)?;
    // A file that came or went meanwhile makes another list.
    match survey(dir) {
        Ok(after) if after.files == listed && after.problems.is_empty() => Ok(read),
        _ => Err(ReadManifestError::Changed(dir.to_owned())),
    }
}

/// What stands in the way of a manifest, told of the path relative to the skill.
fn problem(dir: &Path, error: &ReadManifestError) -> Diagnostic {
    let path = error.path().strip_prefix(dir).unwrap_or(error.path());
    let shown = match path.to_string_lossy() {
        path if path.is_empty() => "the folder".to_owned(),
        path => format!("{path:?}"),
    };
    let say = |rule: &Rule, what: String| rule.say(format!("{shown} {what}"), None);
    match error {
        ReadManifestError::Link(location) => {
            let target = fs::read_link(location).unwrap_or_default();
            match fs::metadata(location) {
                Ok(_) => say(&codes::FILE_LINK, format!("is a link to {}", target.display())),
                Err(_) => {
                    let what = format!("is a link to {}, which cannot be had", target.display());
                    say(&codes::LINK_BROKEN, what)
                }
            }
        }
        ReadManifestError::Special(_) => {
            say(&codes::FILE_SPECIAL, "is neither a file nor a folder".to_owned())
        }
        ReadManifestError::NameNotUtf8(_) => {
            say(&codes::NAME_NOT_UTF8, "has a name that is not UTF-8".to_owned())
        }
        ReadManifestError::Changed(_) => {
            say(&codes::FILE_CHANGED, "changed while it was read".to_owned())
        }
        ReadManifestError::Unreadable { source, .. } => {
            say(&codes::FILE_UNREADABLE, format!("cannot be read: {source}"))
        }
        ReadManifestError::NotAFolder(_) => {
            say(&codes::FILES_UNREADABLE, "is not a folder, or is not there".to_owned())
        }
        ReadManifestError::TooMuch(_) => {
            say(&codes::FILES_UNREADABLE, "holds more than one skill can".to_owned())
        }
        ReadManifestError::Manifest { source, .. } => {
            codes::FILES_UNREADABLE.say(source.to_string(), None)
        }
    }
}
