//! Who may see what: one hook that decides about listings, templates, reads, folders and discovery
//! alike.

use std::sync::Arc;

pub use super::guarded::Guarded;
use super::{Content, Entries, Listing, Mark, Provider, ReadError, Resource, Sight};
use crate::entry::Entry;

/// Who asks.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Caller {
    /// The name of the token that was shown; `None` where none is needed.
    pub identity: Option<String>,
    /// What the token is for, as whoever made it wrote.
    pub scopes: Vec<String>,
    /// How the caller is connected.
    pub transport: Transport,
}

/// How a caller is connected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Transport {
    /// Standard input and output of a program that the caller started.
    Stdio,
    /// Streamable HTTP.
    Http,
}

/// What the caller wants to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Action {
    /// See a resource in `resources/list`.
    List,
    /// See a template in `resources/templates/list`; the URI is that of the skill's folder.
    Template,
    /// Read a resource, or have it in an entry.
    Read,
    /// Read a folder, or see it among another's children.
    Directory,
    /// See an entry in `skills/list` or `skills/get`, by the URI of its `SKILL.md`.
    Discover,
}

/// Decides. URIs are in the one spelling that listings have; where a link inside of a skill leads to
/// another file of it, both are asked about.
pub trait Policy: Send + Sync {
    /// Whether this caller may do this with what a place gives under a URI. The place is counted
    /// from 0, as the provider was given them; `None` where the provider has none.
    fn allows(&self, caller: &Caller, action: Action, uri: &str, place: Option<usize>) -> bool;
}

/// A provider whose entries are not published: its resources alone are served.
pub struct WithoutDiscovery(
    /// What is served.
    pub Arc<dyn Provider>,
);

impl Provider for WithoutDiscovery {
    fn list(&self) -> Listing {
        self.0.list()
    }

    fn read(&self, uri: &str) -> Result<Content, ReadError> {
        self.0.read(uri)
    }

    fn read_within(&self, uri: &str, most: u64) -> Result<Content, ReadError> {
        self.0.read_within(uri, most)
    }

    fn entries(&self) -> Option<Entries> {
        None
    }

    fn entry(&self, _: &str) -> Option<Arc<Entry>> {
        None
    }

    fn publishes(&self) -> bool {
        false
    }

    fn directory(&self, _: &str) -> Option<Vec<Resource>> {
        None
    }

    fn canonical(&self, uri: &str) -> Option<String> {
        self.0.canonical(uri)
    }

    fn mark(&self, uri: &str) -> Option<Mark> {
        self.0.mark(uri)
    }

    fn seen(&self, sight: &Sight) -> Option<Arc<dyn Provider>> {
        Some(Arc::new(Self(self.0.seen(sight)?)))
    }
}

/// What one identity may see: patterns over URIs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Patterns {
    /// What may be seen; everything where there are none.
    pub allow: Vec<Pattern>,
    /// What may not, whatever else says.
    pub deny: Vec<Pattern>,
}

impl Patterns {
    /// Whether a URI may be seen. A folder may where something in it may.
    pub fn allow(&self, action: Action, uri: &str) -> bool {
        let holds = |pattern: &Pattern| match action {
            Action::Template | Action::Directory => pattern.matches(uri) || pattern.may_lie_in(uri),
            _ => pattern.matches(uri),
        };
        (self.allow.is_empty() || self.allow.iter().any(holds))
            && !self.deny.iter().any(|pattern| pattern.matches(uri))
    }
}

/// A pattern over URIs in their listed spelling: `*` stands for any characters but `/`, `**` for
/// any at all, everything else for itself. One that names a skill or folder covers all in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pattern(String);

/// Why a text is no pattern.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PatternError {
    /// Every URI that is served starts with it.
    #[error("the pattern {0:?} does not start with skill://")]
    Scheme(String),
    /// Nothing is served at such a URI.
    #[error("the pattern {0:?} is longer than 1,000 characters")]
    TooLong(String),
}

impl Pattern {
    /// Reads a pattern.
    ///
    /// # Errors
    /// See [`PatternError`].
    pub fn parse(text: &str) -> Result<Self, PatternError> {
        let text = text.trim_end_matches('/');
        if !text.starts_with("skill:/") {
            return Err(PatternError::Scheme(text.to_owned()));
        }
        if text.len() > 1000 {
            return Err(PatternError::TooLong(text.chars().take(60).collect()));
        }
        Ok(Self(text.to_owned()))
    }

    /// Whether it covers this URI.
    pub fn matches(&self, uri: &str) -> bool {
        matches(self.0.as_bytes(), uri.as_bytes(), false)
    }

    /// Whether a URI below this folder could match.
    fn may_lie_in(&self, folder: &str) -> bool {
        matches(self.0.as_bytes(), format!("{folder}/").as_bytes(), true)
    }
}

/// Whether the pattern matches the whole text, or a folder that the text lies in; with `partly`,
/// whether the pattern could match something that the text is the start of. Each place in the
/// pattern is a state that is live or not, so the cost is the product of both lengths.
fn matches(pattern: &[u8], text: &[u8], partly: bool) -> bool {
    let mut live = vec![false; pattern.len() + 1];
    live[0] = true;
    pass_stars(pattern, &mut live);
    for byte in text {
        if live[pattern.len()] && *byte == b'/' && !partly {
            return true;
        }
        let mut next = vec![false; pattern.len() + 1];
        for at in (0..pattern.len()).filter(|at| live[*at]) {
            match star(pattern, at) {
                Some((_, any)) => next[at] |= any || *byte != b'/',
                None => next[at + 1] |= pattern[at] == *byte,
            }
        }
        pass_stars(pattern, &mut next);
        live = next;
    }
    if partly { live.iter().any(|live| *live) } else { live[pattern.len()] }
}

/// The length of the star at a place, and whether it stands for `/` too.
fn star(pattern: &[u8], at: usize) -> Option<(usize, bool)> {
    match pattern[at..] {
        [b'*', b'*', ..] => Some((2, true)),
        [b'*', ..] => Some((1, false)),
        _ => None,
    }
}

/// A star may stand for nothing.
fn pass_stars(pattern: &[u8], live: &mut [bool]) {
    for at in 0..pattern.len() {
        if live[at]
            && let Some((length, _)) = star(pattern, at)
        {
            live[at + length] = true;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(pattern: &str, uri: &str) -> bool {
        Pattern::parse(pattern).unwrap().matches(uri)
    }

    #[test]
    fn a_pattern_stands_for_itself_and_all_in_it() {
        assert!(matches("skill://a/SKILL.md", "skill://a/SKILL.md"));
        assert!(!matches("skill://a/SKILL.md", "skill://a/SKILL.md2"));
        assert!(matches("skill://a", "skill://a/docs/x.md"));
        assert!(matches("skill://a/", "skill://a"));
        assert!(!matches("skill://a", "skill://ab/SKILL.md"));
        assert!(!matches("skill://a/b", "skill://a"));
    }

    #[test]
    fn one_star_stays_in_a_segment_and_two_do_not() {
        assert!(matches("skill://team/*", "skill://team/x/SKILL.md"));
        assert!(!matches("skill://*/SKILL.md", "skill://team/x/SKILL.md"));
        assert!(matches("skill://**/SKILL.md", "skill://team/x/SKILL.md"));
        assert!(matches("skill://**.env", "skill://a/b/.env"));
        assert!(matches("skill://pub-*", "skill://pub-x/SKILL.md"));
        assert!(!matches("skill://pub-*", "skill://x-pub-x/SKILL.md"));
        assert!(matches("skill://**", "skill://a"));
    }

    #[test]
    fn a_folder_may_be_seen_where_something_in_it_may() {
        let patterns = Patterns {
            allow: vec![Pattern::parse("skill://team/x/docs/**").unwrap()],
            deny: vec![Pattern::parse("skill://team/x/docs/secret").unwrap()],
        };
        assert!(patterns.allow(Action::Directory, "skill://team"));
        assert!(patterns.allow(Action::Directory, "skill://team/x/docs"));
        assert!(!patterns.allow(Action::Directory, "skill://team/y"));
        assert!(!patterns.allow(Action::Directory, "skill://team/x/docs/secret"));
        assert!(patterns.allow(Action::Read, "skill://team/x/docs/a.md"));
        assert!(!patterns.allow(Action::Read, "skill://team/x/docs/secret/a.md"));
        assert!(!patterns.allow(Action::Read, "skill://team/x/SKILL.md"));
        assert!(Patterns::default().allow(Action::Read, "skill://a/SKILL.md"));
    }

    #[test]
    fn a_pattern_of_many_stars_is_quick() {
        let pattern = format!("skill://{}x", "**".repeat(490));
        let uri = format!("skill://{}", "a".repeat(5000));
        assert!(!matches(&pattern, &uri));
    }

    #[test]
    fn only_uris_of_skills_have_patterns() {
        assert!(Pattern::parse("team/*").is_err());
        assert!(Pattern::parse("https://a").is_err());
        assert!(Pattern::parse(&format!("skill://{}", "a".repeat(1000))).is_err());
        assert!(Pattern::parse("skill://**").is_ok());
    }
}
