//! What is wrong with a skill: diagnostics with code, severity, place and what to do.

mod body;
mod chains;
pub(crate) mod codes;
mod description;
mod endings;
mod fields;
mod files;
mod folder;
mod links;
mod mending;
mod name;
mod publish;
mod scripts;
mod spelling;
mod together;

pub use codes::Rule;
pub(crate) use folder::check_listed;
pub use folder::{Checked, check_folder, fixes_at_once};
use publish::has_uri;
pub(crate) use publish::publishable;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use crate::fix::Fix;
use crate::frontmatter::FrontMatter;
use crate::frontmatter::pyyaml::own_break;
use crate::manifest::{LocalFiles, Manifest};

/// The most places that one rule names.
const MAX_PLACES: usize = 20;

/// The most characters of the name of a field that a message repeats.
const MAX_KEY: usize = 60;

/// The most characters of a link or a skill's name that a message repeats.
const MAX_VALUE: usize = 200;

/// The name of a field as a message repeats it.
pub(crate) fn short_key(name: &str) -> Cow<'_, str> {
    shortened(name, MAX_KEY)
}

/// A text of the author with no more than so many characters.
fn shortened(text: &str, most: usize) -> Cow<'_, str> {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &text[..end]).into(),
        None => text.into(),
    }
}

/// How bad a diagnostic is; the worst compares least, so that sorting puts it first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Breaks a MUST of the Agent Skills specification, of the skills extension, or of the strict
    /// mode of the reference.
    Error,
    /// Allowed but unwise, or read differently by different tools.
    Warning,
    /// Advice.
    Note,
}

/// Where something is in a file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// Relative to the skill.
    pub file: String,
    /// From 1.
    pub line: u32,
    /// From 1, in characters.
    pub column: u32,
    /// In characters; 0 for a point.
    pub length: u32,
}

/// One thing to say about a skill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// As in `name-folder`; never changes its meaning.
    pub code: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub help: Option<String>,
    /// Where, if it is in one place.
    pub place: Option<Place>,
    /// Ways to put it right that change nothing else; the first is the one to take unasked. Empty
    /// where only the author can.
    pub fixes: Vec<Fix>,
}

impl Diagnostic {
    /// Whether it can be put right without asking the author.
    pub fn fixable(&self) -> bool {
        !self.fixes.is_empty()
    }
}

/// The table of rules.
pub fn rules() -> &'static [Rule] {
    codes::RULES
}

/// Checks one skill by its folder's name, its manifest and its `SKILL.md`; the worst comes first,
/// and within one severity what comes first in the file.
pub fn check(folder_name: &str, files: &Manifest, skill_md: &[u8]) -> Vec<Diagnostic> {
    let mut found = check_parts(folder_name, Some(files), skill_md, None);
    sort(&mut found);
    found
}

/// The same, without a manifest where there is none, and with what only a folder can tell.
fn check_parts(
    folder_name: &str,
    files: Option<&Manifest>,
    skill_md: &[u8],
    local: Option<&LocalFiles>,
) -> Vec<Diagnostic> {
    let read = FrontMatter::read(skill_md);
    let mut found = problems(skill_md, &read);
    fields::check(folder_name, skill_md, &read, &mut found);
    endings::check(folder_name, skill_md, &read, &mut found);
    let text = String::from_utf8_lossy(skill_md);
    let paths: Option<BTreeSet<&str>> =
        files.map(|files| files.files().iter().map(|file| file.path.as_str()).collect());
    body::check(&text, &read, paths.as_ref(), &mut found);
    if let Some(files) = files {
        check_files(files, local, &mut found);
    }
    leave_to_the_author(skill_md, &read, &mut found);
    bound(&mut found);
    together::keep_safe(folder_name, skill_md, &mut found);
    found
}

/// Rules whose fixes change the ends of lines and the first bytes of a file, and no field.
const OF_THE_FILE: &[Rule] =
    &[codes::BYTE_ORDER_MARK, codes::LINE_ENDINGS, codes::FRONT_MATTER_DELIMITER];

/// Takes away the fixes of fields that come twice, and where readers differ in where a line ends of
/// all fields: which of them counts is for the author to say.
fn leave_to_the_author(skill_md: &[u8], read: &FrontMatter, found: &mut [Diagnostic]) {
    let of_fields = |one: &&mut Diagnostic| !OF_THE_FILE.iter().any(|rule| rule.code == one.code);
    let head = skill_md.len().saturating_sub(read.body().len());
    let differ = std::str::from_utf8(&skill_md[..head]).is_ok_and(own_break);
    for one in found.iter_mut().filter(of_fields) {
        if differ {
            one.fixes.clear();
        }
        one.fixes.retain(|fix| match fix {
            Fix::Edits { edits, .. } => !edits.iter().any(|edit| read.comes_twice(&edit.range)),
            Fix::RenameFolder { .. } => true,
        });
    }
}

/// What there is to say of the files whatever is in the main one.
fn check_files(files: &Manifest, local: Option<&LocalFiles>, found: &mut Vec<Diagnostic>) {
    files::check(files, found);
    if let Some(local) = local {
        scripts::check(files, local, found);
    }
}

/// Leaves of each rule so many diagnostics as a person can read.
fn bound(found: &mut Vec<Diagnostic>) {
    let mut told: BTreeMap<&str, usize> = BTreeMap::new();
    found.retain(|one| {
        let count = told.entry(one.code).or_default();
        *count += 1;
        *count <= MAX_PLACES
    });
}

/// What was wrong while reading; also what only the strict reading stops at.
fn problems(skill_md: &[u8], read: &FrontMatter) -> Vec<Diagnostic> {
    let mut found = read.problems().to_vec();
    if !found.iter().any(|one| one.severity == Severity::Error) {
        found.extend(FrontMatter::strict(skill_md).err().map(|error| *error));
    }
    found
}

/// The worst first, and within one severity what comes first in the file.
fn sort(found: &mut [Diagnostic]) {
    found.sort_by(|a, b| (a.severity, &a.place, a.code).cmp(&(b.severity, &b.place, b.code)));
}

#[cfg(test)]
mod tests;
