//! A provider publishes skills as resources: what it lists, what it reads.
//!
//! The reference is FastMCP's skills provider 4.1.7. The server in `skills-mcp` puts any
//! [`Provider`] behind MCP and knows nothing of disks.

mod build;
mod children;
mod compatible;
mod directory;
mod guarded;
mod mime;
pub mod policy;
mod shown;
mod sight;
mod strict;
mod tree;

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

pub use directory::{DirectoryProvider, Mode, Options, Place, SupportingFiles};
pub use mime::mime_type;
pub use sight::Sight;

use crate::entry::Entry;

/// The media type of a folder (skills extension, "Directory Resources").
pub const DIRECTORY_TYPE: &str = "inode/directory";

/// Publishes skills. Every call sees the skills as they are now unless the provider says otherwise.
pub trait Provider: Send + Sync {
    /// All resources in a fixed order, the templates, and what was left out.
    fn list(&self) -> Listing;

    /// One resource, found by its URI, encoded or not. Nothing is scanned for it.
    ///
    /// # Errors
    /// See [`ReadError`].
    fn read(&self, uri: &str) -> Result<Content, ReadError>;

    /// The same if the resource has no more bytes than `most`. What has more is not taken into
    /// memory by one that looks at a disk, so that whoever asks can first make room.
    ///
    /// # Errors
    /// [`ReadError::Larger`] with the bytes that it has, and as of [`Provider::read`].
    fn read_within(&self, uri: &str, most: u64) -> Result<Content, ReadError> {
        shown::within(self.read(uri)?, most, uri)
    }

    /// Entries for `skills/list`; `None` where the provider does not publish them (compatible
    /// mode), and then the extension is not declared.
    fn entries(&self) -> Option<Entries>;

    /// A part of the entries for a page of `skills/list`: of those after the one of this URI, or of
    /// all, so many at most that are wanted. What is beyond the part is not hashed for it.
    fn entries_after(
        &self,
        after: Option<&str>,
        most: usize,
        wanted: &dyn Fn(&Entry) -> bool,
    ) -> Option<Entries> {
        let mut entries = self.entries()?;
        if let Some(after) = after {
            let at = entries.entries.iter().position(|entry| entry.uri().as_str() == after);
            entries.entries.drain(..at.map_or(entries.entries.len(), |at| at + 1));
        }
        entries.entries.retain(|entry| wanted(entry));
        entries.more = entries.entries.len() > most;
        entries.entries.truncate(most);
        Some(entries)
    }

    /// One entry for `skills/get`, by the URI of its `SKILL.md`. No other skill is hashed for it.
    fn entry(&self, uri: &str) -> Option<Arc<Entry>> {
        self.entries()?.entries.into_iter().find(|entry| entry.uri().as_str() == uri)
    }

    /// Whether it publishes entries, so that the extension is declared. One that looks at a disk for
    /// its entries says so without looking.
    fn publishes(&self) -> bool {
        self.entries().is_some()
    }

    /// The direct children of a folder of a skill, or of one above skills, in order of names;
    /// `None` when the URI is no such folder. One that looks at a disk hashes nothing for it.
    fn directory(&self, uri: &str) -> Option<Vec<Resource>> {
        children::of(&self.entries()?.entries, uri)
    }

    /// The one spelling, as listings have it, of the URI of a resource or folder that is there. A
    /// policy sees only these, so that it cannot be passed by another spelling.
    fn canonical(&self, uri: &str) -> Option<String> {
        let there = self.read(uri).is_ok() || self.directory(uri).is_some();
        there.then(|| uri.to_owned())
    }

    /// What changes when the bytes of this resource may have changed; `None` when it is not there.
    fn mark(&self, uri: &str) -> Option<Mark> {
        Some(Mark::of(self.read(uri).ok()?.bytes))
    }

    /// The same provider as somebody sees it, from one that knows which of its places gives what and
    /// asks about that; `None` from any other, of which all that is known are its URIs.
    fn seen(&self, _: &Sight) -> Option<Arc<dyn Provider>> {
        None
    }
}

/// Two marks of one resource differ when it was written in between, up to the grain of the clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Mark(u64);

impl Mark {
    /// The mark of something that changes when the resource does.
    pub fn of(what: impl Hash) -> Self {
        let mut hasher = DefaultHasher::new();
        what.hash(&mut hasher);
        Self(hasher.finish())
    }
}

/// What `resources/list` and `resources/templates/list` say.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Listing {
    /// The resources, in order.
    pub resources: Vec<Resource>,
    /// The templates, in order.
    pub templates: Vec<Template>,
    /// What was left out and why, a sentence each.
    pub warnings: Vec<String>,
}

/// One listed resource.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resource {
    /// Percent-encoded.
    pub uri: String,
    /// For people: `NAME/SKILL.md`, `NAME/_manifest`, `NAME/PATH`; in entries the skill's name.
    pub name: String,
    /// What it is.
    pub description: String,
    /// From one fixed table.
    pub mime_type: &'static str,
    /// In bytes, where it is known without reading.
    pub size: Option<u64>,
}

/// One resource template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Template {
    /// As in `skill://NAME/{path*}`.
    pub uri_template: String,
    /// For people.
    pub name: String,
    /// What it is.
    pub description: String,
}

/// The bytes of one resource.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Content {
    /// Exactly as they are on disk.
    pub bytes: Vec<u8>,
    /// From one fixed table.
    pub mime_type: &'static str,
}

/// What `skills/list` says.
#[derive(Debug, Clone, Default)]
pub struct Entries {
    /// The entries, in order of their URIs.
    pub entries: Vec<Arc<Entry>>,
    /// Whether there are more after these, where a part was asked for.
    pub more: bool,
    /// What was left out and why, a sentence each.
    pub warnings: Vec<String>,
}

/// Why a resource cannot be read. The message never holds a path outside the served roots.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// No such resource.
    #[error("there is no resource {0}")]
    NotFound(String),
    /// It has more bytes than were wanted of it.
    #[error("{uri} has {size} bytes, which is more than is read at once")]
    Larger {
        /// The resource.
        uri: String,
        /// In bytes.
        size: u64,
    },
    /// It is there and the system does not give it.
    #[error("cannot read {uri}")]
    Unreadable {
        /// The resource.
        uri: String,
        /// What the system said.
        #[source]
        source: std::io::Error,
    },
}

#[cfg(test)]
mod tests;
