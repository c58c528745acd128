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

/// The segments that a `skill://` URI can mean, of which there are at least one: percent-decoded
/// first, as they are written second, because older clients do not encode. An encoded slash,
/// backslash or NUL means nothing, nor do empty and dot segments.
pub(crate) fn readings(uri: &str) -> Vec<Vec<String>> {
    let Some(rest) = uri.strip_prefix("skill://") else { return Vec::new() };
    let written: Vec<String> = rest.split('/').map(str::to_owned).collect();
    let mut decoded = Vec::with_capacity(written.len());
    for segment in &written {
        let Ok(segment) = percent_decode_str(segment).decode_utf8() else { return Vec::new() };
        decoded.push(segment.into_owned());
    }
    let bad = |segment: &String| {
        matches!(segment.as_str(), "" | "." | "..") || segment.contains(['/', '\\', '\0'])
    };
    if written.iter().chain(&decoded).any(bad) {
        return Vec::new();
    }
    let mut readings = vec![decoded.clone()];
    if written != decoded {
        // Name and path may be encoded by different hands.
        for (first, others) in [(&written, &written), (&written, &decoded), (&decoded, &written)] {
            let reading: Vec<String> =
                first.iter().take(1).chain(others.iter().skip(1)).cloned().collect();
            if !readings.contains(&reading) {
                readings.push(reading);
            }
        }
    }
    readings
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
        let mut uri = String::with_capacity(self.base().len() + path.len());
        uri.push_str(self.base());
        uri.extend(utf8_percent_encode(path, PATH));
        uri
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

    #[test]
    fn any_spelling_is_read_but_one_that_hides_a_separator() {
        let read = |uri: &str| -> Vec<String> {
            readings(uri).iter().map(|parts| parts.join("/")).collect()
        };
        assert_eq!(read("skill://a/b%20c"), ["a/b c", "a/b%20c"]);
        assert_eq!(read("skill://a/b c"), ["a/b c"]);
        assert_eq!(read("skill://a/50%"), ["a/50%"]);
        assert_eq!(read("skill://%61/x%79"), ["a/xy", "%61/x%79", "%61/xy", "a/x%79"]);
        for uri in [
            "skill://a%2fb",
            "skill://a%2Fb",
            "skill://a%5cb",
            "skill://a%00",
            "skill://a/../b",
            "skill://a/%2e%2E/b",
            "skill://a//b",
            "skill://a/",
            "skill://",
            "skill://./a",
            "skill://a\\b",
            "skill://%ff",
            "SKILL://a",
            "file:///a",
            "a",
        ] {
            assert_eq!(read(uri), [] as [&str; 0], "{uri}");
        }
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
