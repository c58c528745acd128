//! Rules for the files of a skill.

use super::{Diagnostic, codes};
use crate::MAIN_FILE;
use crate::manifest::{Manifest, ManifestError};
use crate::path::{check_portable, collision};

pub(super) fn check(files: &Manifest, found: &mut Vec<Diagnostic>) {
    match files.within_limits() {
        Ok(()) => {}
        Err(error @ ManifestError::TooManyBytes(_)) => {
            found.push(codes::TOO_MANY_BYTES.say(error.to_string(), None))
        }
        Err(error) => found.push(codes::TOO_MANY_FILES.say(error.to_string(), None)),
    }
    let paths = || files.files().iter().map(|file| file.path.as_str());
    if let Some((first, second)) = collision(paths()) {
        found.push(
            codes::PATH_COLLISION
                .say(format!("{first:?} and {second:?} are one file on some disks"), None),
        );
    }
    for path in paths() {
        if let Err(problem) = check_portable(path) {
            found.push(codes::PATH_NOT_PORTABLE.say(problem.to_string(), None));
        }
        if let Some(folder) =
            path.strip_suffix(MAIN_FILE).and_then(|folder| folder.strip_suffix('/'))
        {
            found.push(
                codes::NESTED_SKILL.say(format!("`{folder}` is a skill inside of this one"), None),
            );
        }
    }
}
