//! References from one file to the next: read only for a folder on this disk.

use std::collections::BTreeSet;
use std::path::Path;

use super::links::{Leads, leads, links};
use super::{Diagnostic, MAX_PLACES, codes};
use crate::MAIN_FILE;
use crate::lines::LineIndex;
use crate::manifest::Manifest;
use crate::read::{location, read_file};

/// The most files that are read, and the most bytes of each.
const MAX_FILES: usize = 50;
const MAX_BYTES: u64 = 256 * 1024;

/// The most different files that are looked for in `SKILL.md`.
const MAX_TARGETS: usize = 200;

/// Says which Markdown files are named by others and not by `SKILL.md`.
pub(super) fn check(dir: &Path, files: &Manifest, skill_md: &[u8], found: &mut Vec<Diagnostic>) {
    let main = String::from_utf8_lossy(skill_md);
    let named: BTreeSet<String> =
        links(&main).filter_map(|link| markdown(link.target, "", files)).collect();
    let mut looked_for: BTreeSet<String> = BTreeSet::new();
    let mut told = 0;
    for path in named.iter().filter(|path| *path != MAIN_FILE).take(MAX_FILES) {
        if files.get(path).is_none_or(|file| file.size > MAX_BYTES) {
            continue;
        }
        let Ok(bytes) = read_file(&location(dir, path), MAX_BYTES) else { continue };
        let text = String::from_utf8_lossy(&bytes);
        let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
        let index = LineIndex::new(&text);
        for link in links(&text) {
            let Some(target) = markdown(link.target, folder, files) else { continue };
            if target == MAIN_FILE || named.contains(&target) || looked_for.contains(&target) {
                continue;
            }
            if looked_for.len() == MAX_TARGETS || told == MAX_PLACES {
                return;
            }
            // A path that stands in the text without being a link is named too.
            let is_named = main.contains(&target);
            looked_for.insert(target.clone());
            if !is_named {
                told += 1;
                let message = format!("`{target}` is named here, but not in {MAIN_FILE}");
                let place = index.place(path, link.range);
                found.push(codes::REFERENCE_CHAIN.say(message, Some(place)));
            }
        }
    }
}

/// The Markdown file of the skill that a target leads to.
fn markdown(target: &str, folder: &str, files: &Manifest) -> Option<String> {
    match leads(target, folder) {
        Leads::Inside(path) if path.to_ascii_lowercase().ends_with(".md") => {
            files.get(&path).is_some().then_some(path)
        }
        _ => None,
    }
}
