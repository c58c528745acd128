//! Whether a skill that was read can be imported, and under which name.

use skills::MAIN_FILE;
use skills::check::{Severity, check};
use skills::digest::Digest;
use skills::frontmatter::FrontMatter;
use skills::manifest::{Manifest, ManifestFile};
use skills::path::{check_portable, collision};

use super::import::Contents;

/// Reasons that are told of one skill.
const MOST_REASONS: usize = 3;

/// The name and the files of a skill, by the rules by which skills are served; `folder` is what its
/// folder is called, which counts where its front matter has no name.
///
/// # Errors
/// Why it cannot be imported.
pub(super) fn judged(contents: &Contents, folder: &str) -> Result<(String, Manifest), String> {
    let files = contents.files.iter().map(|(path, bytes)| ManifestFile {
        path: path.clone(),
        size: bytes.len() as u64,
        digest: Digest::of(bytes),
    });
    let manifest = Manifest::new(files.collect()).map_err(|error| error.to_string())?;
    manifest.within_limits().map_err(|error| error.to_string())?;
    for file in manifest.files() {
        check_portable(&file.path).map_err(|problem| problem.to_string())?;
    }
    if let Some((a, b)) = collision(manifest.files().iter().map(|file| file.path.as_str())) {
        return Err(format!("{a:?} and {b:?} would be one on some disks"));
    }
    let main = contents.files.get(MAIN_FILE).map(Vec::as_slice).unwrap_or_default();
    let front = FrontMatter::read(main);
    let own = front.texts().get("name").and_then(|name| name.as_str()).unwrap_or_default();
    let name = if own.is_empty() { folder } else { own };
    if name.contains('/') || name.starts_with('.') {
        return Err(format!("{name:?} cannot be the name of a skill"));
    }
    check_portable(name).map_err(|problem| format!("its name {problem}"))?;
    let wrong: Vec<String> = check(name, &manifest, main)
        .into_iter()
        .filter(|diagnostic| diagnostic.severity == Severity::Error)
        .map(|diagnostic| diagnostic.message)
        .collect();
    if wrong.is_empty() {
        return Ok((name.to_owned(), manifest));
    }
    let more = wrong.len().saturating_sub(MOST_REASONS);
    let mut told = wrong.into_iter().take(MOST_REASONS).collect::<Vec<_>>().join("; ");
    if more > 0 {
        told = format!("{told}; and {more} more");
    }
    Err(told)
}
