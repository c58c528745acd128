//! Rules for the files of a skill.

use std::collections::BTreeSet;

use super::{Diagnostic, MAX_PLACES, Place, codes, has_uri};
use crate::MAIN_FILE;
use crate::manifest::{MAX_BYTES, MAX_FILES, Manifest, ManifestError};
use crate::path::{check_portable, collision};

pub(super) fn check(files: &Manifest, found: &mut Vec<Diagnostic>) {
    let (count, bytes) = (files.files().len(), files.total_size());
    if count > MAX_FILES {
        let message = ManifestError::TooManyFiles(count).to_string();
        found.push(codes::TOO_MANY_FILES.say(message, None));
    }
    if bytes > MAX_BYTES {
        let message = ManifestError::TooManyBytes(bytes).to_string();
        found.push(codes::TOO_MANY_BYTES.say(message, None));
    }
    let paths: BTreeSet<&str> = files.files().iter().map(|file| file.path.as_str()).collect();
    let mut apart = paths.clone();
    while let Some((first, second)) = collision(apart.iter().copied())
        && paths.len() - apart.len() < MAX_PLACES
    {
        let message = format!("{first:?} and {second:?} are one file on some disks");
        found.push(codes::PATH_COLLISION.say(message, place(&second)));
        apart.remove(second.as_str());
    }
    let (mut unportable, mut without_uri, mut nested) = (0, 0, 0);
    for path in &paths {
        if let Err(problem) = check_portable(path)
            && unportable < MAX_PLACES
        {
            unportable += 1;
            found.push(codes::PATH_NOT_PORTABLE.say(problem.to_string(), place(path)));
        }
        if !has_uri(&paths, path) && without_uri < MAX_PLACES {
            without_uri += 1;
            let message = format!("the URI of {path:?} would give something else");
            found.push(codes::PATH_NO_URI.say(message, place(path)));
        }
        if let Some(folder) =
            path.strip_suffix(MAIN_FILE).and_then(|folder| folder.strip_suffix('/'))
            && nested < MAX_PLACES
        {
            nested += 1;
            let message = format!("`{folder}` is a skill inside of this one");
            found.push(codes::NESTED_SKILL.say(message, place(path)));
        }
    }
}

/// A whole file.
fn place(path: &str) -> Option<Place> {
    Some(Place { file: path.to_owned(), line: 1, column: 1, length: 0 })
}
