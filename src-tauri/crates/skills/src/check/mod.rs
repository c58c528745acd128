//! What is wrong with a skill: diagnostics with code, severity, place and what to do.

mod body;
pub(crate) mod codes;
mod fields;
mod manifest;

pub(crate) use fields::is_name;

use crate::frontmatter::FrontMatter;
use crate::manifest::Manifest;

/// How bad a diagnostic is; the worst compares least, so that sorting puts it first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Breaks a rule; some tool will not load the skill, or not as it was meant.
    Error,
    /// Allowed but unwise.
    Warning,
    /// Good to know.
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
}

/// Checks one skill by its folder's name, its manifest and its `SKILL.md`; the worst comes first,
/// and within one severity what comes first in the file.
pub fn check(folder_name: &str, files: &Manifest, skill_md: &[u8]) -> Vec<Diagnostic> {
    let read = FrontMatter::read(skill_md);
    let mut found = read.problems().to_vec();
    if !read.fields().is_empty() {
        fields::check(folder_name, &read, &mut found);
    }
    let text = String::from_utf8_lossy(skill_md);
    body::check(&text, &read, files, &mut found);
    manifest::check(files, &mut found);
    found.sort_by(|a, b| {
        let place = |diagnostic: &Diagnostic| diagnostic.place.clone();
        (a.severity, place(a), a.code).cmp(&(b.severity, place(b), b.code))
    });
    found
}

#[cfg(test)]
mod tests;
