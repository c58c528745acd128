//! What is said of places and skills that are not published.

use std::io;

use crate::MAIN_FILE;
use crate::provider::tree::Tree;

/// Why a skill has no URI.
pub(super) const NO_URI: &str = "no URI gives it: its path has a backslash";

/// That a root is left out, unless it is not there.
pub(super) fn root_left_out(place: usize, error: &io::Error) -> Option<String> {
    let absent = [io::ErrorKind::NotFound, io::ErrorKind::NotADirectory].contains(&error.kind());
    (!absent).then(|| format!("root {} is left out: {error}", place + 1))
}

pub(super) fn left_out(name: &str, reason: &str) -> String {
    format!("the skill {name:?} is left out: {reason}")
}

/// Why a skill is not among the entries.
#[derive(Debug)]
pub(super) enum Out {
    /// Nothing of it is given.
    LeftOut(String),
    /// It is resources and no more.
    Unlisted(String),
}

impl Out {
    /// For what its own files say. Without a main file that is read it is no resource either.
    pub(super) fn of(tree: &Tree, reason: String) -> Self {
        match tree.file(MAIN_FILE) {
            Some(_) => Self::Unlisted(reason),
            None => Self::LeftOut(reason),
        }
    }

    /// A sentence on the skill at this path.
    pub(super) fn said(&self, name: &str) -> String {
        match self {
            Self::LeftOut(reason) => left_out(name, reason),
            Self::Unlisted(reason) => format!(
                "the skill {name:?} is not listed as a skill: {reason}; its files can still be \
                 read as resources"
            ),
        }
    }
}

pub(super) fn unreadable(error: &io::Error) -> String {
    format!("it cannot be read: {error}")
}
