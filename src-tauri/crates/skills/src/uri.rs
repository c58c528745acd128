//! Resource URIs of skills: `skill://<skill-path>/<file-path>`, percent-encoded
//! (skills extension, "URIs"). Other schemes are allowed; the authority means nothing.

use std::fmt;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

use crate::MAIN_FILE;

/// What Python's `quote(path, safe="/")` leaves as it is, which is what peers compare with.
const PATH: &AsciiSet =
    &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~').remove(b'/');

/// Percent-encodes a path, leaving `/` between its components.
pub fn encode_path(path: &str) -> String {
    utf8_percent_encode(path, PATH).to_string()
}

/// Percent-decodes a path; `None` when what is encoded is not UTF-8.
pub(crate) fn decoded(path: &str) -> Option<String> {
    percent_decode_str(path).decode_utf8().ok().map(std::borrow::Cow::into_owned)
}

/// The URI of a skill's `SKILL.md`, parsed. Two are equal when they are written the same.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SkillUri {
    text: String,
    /// Length of `scheme://` in `text`.
    scheme: usize,
    /// Decoded path of the skill: all segments before `SKILL.md`.
    skill_path: String,
}

/// Why a URI is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UriError {
    /// There is no `scheme://`.
    #[error("{0:?} has no scheme")]
    NoScheme(String),
    /// `file:` and the web's schemes never name a skill on this server.
    #[error("{0:?} points outside the server")]
    ForeignScheme(String),
    /// It does not end in `/SKILL.md` after at least one segment.
    #[error("{0:?} does not name a SKILL.md inside a skill")]
    NotMainFile(String),
    /// A bad escape, or bytes that are not UTF-8 when decoded.
    #[error("{0:?} does not decode to UTF-8")]
    NotUtf8(String),
    /// It lies outside the skill it is said to belong to.
    #[error("{uri:?} is not inside {skill:?}")]
    Outside {
        /// The refused URI.
        uri: String,
        /// The skill's own.
        skill: String,
    },
    /// A decoded segment that no path may have: empty, `.`, `..`, or with `/`, `\` or NUL in it.
    #[error("{uri:?} has the segment {segment:?}, which is not allowed")]
    BadSegment {
        /// The refused URI.
        uri: String,
        /// The segment, decoded.
        segment: String,
    },
}

impl SkillUri {
    /// Parses the URI of a `SKILL.md`; encoded and plain spellings are both read.
    ///
    /// # Errors
    /// See [`UriError`].
    pub fn parse(text: &str) -> Result<Self, UriError> {
        let scheme = scheme(text)?;
        let (skill, main) = text[scheme..]
            .rsplit_once('/')
            .ok_or_else(|| UriError::NotMainFile(text.to_owned()))?;
        if main != MAIN_FILE {
            return Err(UriError::NotMainFile(text.to_owned()));
        }
        let skill_path = decode_segments(text, skill)?;
        Ok(Self { text: text.to_owned(), scheme, skill_path })
    }

    /// `skill://PATH/SKILL.md` for a decoded skill path.
    ///
    /// # Errors
    /// [`UriError::BadSegment`].
    pub fn for_path(skill_path: &str) -> Result<Self, UriError> {
        Self::parse(&format!("skill://{}/{MAIN_FILE}", encode_path(skill_path)))
    }

    /// As it was written.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The scheme, without `://`.
    pub fn scheme(&self) -> &str {
        &self.text[..self.scheme - 3]
    }

    /// The decoded path of the skill, as in `team/review`.
    pub fn skill_path(&self) -> &str {
        &self.skill_path
    }

    /// The last segment of the skill's path, which the front matter's `name` must equal.
    pub fn name(&self) -> &str {
        self.skill_path.rsplit('/').next().unwrap_or_default()
    }

    /// The URI of the file at this decoded path.
    pub fn file_uri(&self, path: &str) -> String {
        format!("{}{}", self.base(), encode_path(path))
    }

    /// The decoded path, relative to the skill, of a resource that must lie inside it. Both
    /// spellings of the skill's own path are accepted, encoded or not.
    ///
    /// # Errors
    /// See [`UriError`].
    pub fn path_of(&self, uri: &str) -> Result<String, UriError> {
        let outside = || UriError::Outside { uri: uri.to_owned(), skill: self.text.clone() };
        let at = scheme(uri)?;
        if uri[..at] != self.text[..self.scheme] {
            return Err(outside());
        }
        let path = decode_segments(uri, &uri[at..])?;
        path.strip_prefix(&self.skill_path)
            .and_then(|rest| rest.strip_prefix('/'))
            .map(str::to_owned)
            .ok_or_else(outside)
    }

    fn base(&self) -> &str {
        &self.text[..self.text.len() - MAIN_FILE.len()]
    }
}

impl fmt::Display for SkillUri {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl fmt::Debug for SkillUri {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.text, f)
    }
}

/// Length of `scheme://`; refuses schemes that name something outside the server.
fn scheme(uri: &str) -> Result<usize, UriError> {
    let (scheme, _) = uri.split_once("://").ok_or_else(|| UriError::NoScheme(uri.to_owned()))?;
    let well_formed = scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c));
    if !well_formed {
        return Err(UriError::NoScheme(uri.to_owned()));
    }
    if ["file", "http", "https", "data", "javascript", "ftp"]
        .iter()
        .any(|foreign| scheme.eq_ignore_ascii_case(foreign))
    {
        return Err(UriError::ForeignScheme(uri.to_owned()));
    }
    Ok(scheme.len() + 3)
}

/// Decodes each segment by itself, so that an encoded slash cannot make new ones.
fn decode_segments(uri: &str, path: &str) -> Result<String, UriError> {
    let mut out = String::with_capacity(path.len());
    for raw in path.split('/') {
        let segment =
            percent_decode_str(raw).decode_utf8().map_err(|_| UriError::NotUtf8(uri.to_owned()))?;
        if matches!(&*segment, "" | "." | "..") || segment.contains(['/', '\\', '\0']) {
            return Err(UriError::BadSegment {
                uri: uri.to_owned(),
                segment: segment.into_owned(),
            });
        }
        if !out.is_empty() {
            out.push('/');
        }
        out.push_str(&segment);
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn parse(text: &str) -> Result<String, UriError> {
        SkillUri::parse(text).map(|uri| uri.skill_path().to_owned())
    }

    #[test]
    fn the_uri_of_a_skill_names_its_skill_md() {
        assert_eq!(parse("skill://a/SKILL.md").unwrap(), "a");
        assert_eq!(parse("skill://team/my%20skill/SKILL.md").unwrap(), "team/my skill");
        assert_eq!(parse("custom://team/my skill/SKILL.md").unwrap(), "team/my skill");
        assert!(matches!(parse("skill://a/README.md"), Err(UriError::NotMainFile(_))));
        assert!(matches!(parse("skill:a/SKILL.md"), Err(UriError::NoScheme(_))));
        assert!(matches!(parse("file:///a/SKILL.md"), Err(UriError::ForeignScheme(_))));
        assert!(matches!(parse("HTTPS://a/SKILL.md"), Err(UriError::ForeignScheme(_))));
        assert!(matches!(parse("skill://%ff/SKILL.md"), Err(UriError::NotUtf8(_))));
        for bad in [
            "skill://../a/SKILL.md",
            "skill://a//b/SKILL.md",
            "skill://a%2fb/SKILL.md",
            "skill://%2e%2e/SKILL.md",
            "skill:///SKILL.md",
            "skill://a%5cb/SKILL.md",
            "skill://a%00/SKILL.md",
        ] {
            assert!(matches!(parse(bad), Err(UriError::BadSegment { .. })), "{bad}");
        }
    }

    #[test]
    fn files_lie_inside_of_the_skill() {
        let uri = SkillUri::parse("skill://team/my%20skill/SKILL.md").unwrap();
        assert_eq!(uri.name(), "my skill");
        assert_eq!(uri.scheme(), "skill");
        assert_eq!(uri.file_uri("docs/a b.md"), "skill://team/my%20skill/docs/a%20b.md");
        assert_eq!(uri.path_of("skill://team/my%20skill/docs/a%20b.md").unwrap(), "docs/a b.md");
        assert_eq!(uri.path_of("skill://team/my skill/docs/a b.md").unwrap(), "docs/a b.md");
        for outside in [
            "skill://team/my%20skill2/a",
            "skill://team/a",
            "other://team/my%20skill/a",
            "skill://team/my%20skill",
        ] {
            assert!(matches!(uri.path_of(outside), Err(UriError::Outside { .. })), "{outside}");
        }
        assert!(uri.path_of("skill://team/my%20skill/..%2fx").is_err());
    }

    proptest! {
        #[test]
        fn a_path_comes_back_from_its_uri(path in "[a-zA-Z0-9 %?#é~_.-]{1,8}x(/[a-z ]{1,5})?") {
            let uri = SkillUri::for_path("a b").unwrap();
            prop_assert_eq!(uri.path_of(&uri.file_uri(&path)).unwrap(), path);
        }

        #[test]
        fn parsing_never_panics(text in "\\PC{0,40}") {
            let _ = SkillUri::parse(&text);
            let _ = SkillUri::parse(&format!("skill://{text}/SKILL.md"));
        }
    }
}
