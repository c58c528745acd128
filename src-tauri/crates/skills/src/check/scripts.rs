//! Rules for scripts: only a folder on a disk tells whether one can be run.

use super::{Diagnostic, MAX_PLACES, Place, codes};
use crate::manifest::{LocalFiles, Manifest};

/// Endings of files that shells run. Of these a script has both a bit and a first line; those of
/// other languages may as well be modules.
const SHELL: &[&str] = &["sh", "bash", "zsh", "fish"];

/// Endings of files that interpreters run.
const INTERPRETED: &[&str] = &["py", "rb", "pl", "js", "mjs", "cjs", "ts", "php", "lua", "r"];

pub(super) fn check(files: &Manifest, local: &LocalFiles, found: &mut Vec<Diagnostic>) {
    let (mut without_bit, mut without_shebang) = (0, 0);
    for path in files.files().iter().map(|file| file.path.as_str()) {
        let Some(shell) = script(path) else { continue };
        let Some(head) = local.first_bytes.get(path) else { continue };
        let has_shebang = head.starts_with(b"#!");
        let is_executable = local.executable.contains(path);
        let place = || Some(Place { file: path.to_owned(), line: 1, column: 1, length: 0 });
        if cfg!(unix) && !is_executable && (has_shebang || shell) && without_bit < MAX_PLACES {
            without_bit += 1;
            let message = format!("the script {path:?} does not have the executable bit");
            found.push(codes::SCRIPT_NOT_EXECUTABLE.say(message, place()));
        }
        if !has_shebang && (is_executable || shell) && without_shebang < MAX_PLACES {
            without_shebang += 1;
            let message = format!("the script {path:?} does not start with `#!`");
            found.push(codes::SCRIPT_NO_SHEBANG.say(message, place()));
        }
    }
}

/// Whether a path is that of a script, and then whether of a shell's; what marks a package of Python
/// is none.
fn script(path: &str) -> Option<bool> {
    let name = path.rsplit('/').next().unwrap_or(path);
    if name == "__init__.py" {
        return None;
    }
    let ending = name.rsplit_once('.')?.1.to_ascii_lowercase();
    if SHELL.contains(&ending.as_str()) {
        return Some(true);
    }
    INTERPRETED.contains(&ending.as_str()).then_some(false)
}
