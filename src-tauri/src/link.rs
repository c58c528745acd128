//! A link in a skill's text, before a person decides whether to open it.

use tauri::Url;

use crate::error::Outcome;
use crate::view::ErrorView;

/// Longer addresses are not shown whole by dialogs, so they are not opened.
const LONGEST: usize = 2048;

/// An address that may be opened: `https:`, with nothing hidden in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link(Url);

impl Link {
    /// Reads an address.
    ///
    /// # Errors
    /// When it is not an `https:` address, names a user, or is too long to be shown.
    pub fn parse(text: &str) -> Outcome<Self> {
        let refused =
            |why: &str| Err(ErrorView::bad_input(format!("this link is not opened: {why}")));
        let Ok(url) = Url::parse(text) else { return refused("it is not an address") };
        if url.scheme() != "https" {
            return refused("only https: addresses are");
        }
        if !url.username().is_empty() || url.password().is_some() {
            return refused("it names a user before the host, which hides where it leads");
        }
        if url.as_str().len() > LONGEST {
            return refused("it is too long to be shown");
        }
        Ok(Self(url))
    }

    /// The address in its plain form: host in ASCII, everything else percent-encoded.
    pub fn address(&self) -> &str {
        self.0.as_str()
    }

    /// What the person is asked.
    pub fn question(&self) -> String {
        let host = self.0.host_str().unwrap_or_default();
        format!("Open this address in your browser? It leads to {host}.\n\n{}", self.address())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_https_is_opened() {
        assert!(Link::parse("https://example.org/a").is_ok());
        for refused in [
            "http://example.org",
            "javascript:alert(1)",
            "file:///etc/passwd",
            "mailto:a@b",
            "example.org",
            "https://user@example.org",
        ] {
            assert!(Link::parse(refused).is_err(), "{refused}");
        }
    }

    #[test]
    fn a_host_in_other_letters_is_shown_in_ascii() {
        let link = Link::parse("https://exаmple.org/").unwrap();
        assert!(link.question().contains("https://xn--"), "{}", link.question());
    }
}
