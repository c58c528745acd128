//! A text that is never shown.

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

/// A value of a header or a variable, or a token: it is in no message, log or debug output.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct Secret(String);

impl Secret {
    /// The text itself, for the one place that needs it.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl From<String> for Secret {
    fn from(text: String) -> Self {
        Self(text)
    }
}

impl From<&str> for Secret {
    fn from(text: &str) -> Self {
        Self(text.to_owned())
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

/// What a server was handed and must not come back in a message. All clones are one.
#[derive(Clone, Default)]
pub(crate) struct Handed {
    given: Arc<[Secret]>,
    tokens: Arc<Mutex<VecDeque<Secret>>>,
}

/// How many tokens are remembered: an answer may be to one that was renewed since.
const RENEWED: usize = 4;

impl Handed {
    pub(crate) fn of(given: impl IntoIterator<Item = String>) -> Self {
        let given = given.into_iter().map(Secret).collect();
        Self { given, tokens: Arc::default() }
    }

    /// Another token is handed over.
    pub(crate) fn add(&self, token: &Secret) {
        let mut tokens = self.tokens.lock().unwrap_or_else(PoisonError::into_inner);
        if !tokens.contains(token) {
            tokens.push_back(token.clone());
            let over = tokens.len().saturating_sub(RENEWED);
            tokens.drain(..over);
        }
    }

    pub(crate) fn all(&self) -> Vec<Secret> {
        let tokens = self.tokens.lock().unwrap_or_else(PoisonError::into_inner);
        self.given.iter().chain(tokens.iter()).cloned().collect()
    }
}

impl fmt::Debug for Handed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Handed(…)")
    }
}
