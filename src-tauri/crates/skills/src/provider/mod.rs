//! A provider publishes skills as resources: what it lists, what it reads.
//!
//! The reference is FastMCP's skills provider 4.1.7. The server in `skills-mcp` puts any
//! [`Provider`] behind MCP and knows nothing of disks.

mod compatible;
mod directory;
mod mime;
mod strict;

pub use directory::{DirectoryProvider, Mode, Options, SupportingFiles};
pub use mime::mime_type;

use crate::entry::Entry;

/// Publishes skills. Every call sees the skills as they are now unless the provider says otherwise.
pub trait Provider: Send + Sync {
    /// All resources in a fixed order, the templates, and what was left out.
    fn list(&self) -> Listing;

    /// One resource, found by its URI, encoded or not. Nothing is scanned for it.
    ///
    /// # Errors
    /// See [`ReadError`].
    fn read(&self, uri: &str) -> Result<Content, ReadError>;

    /// Entries for `skills/list`; `None` where the provider does not publish them (compatible
    /// mode), and then the extension is not declared.
    fn entries(&self) -> Option<Entries>;

    /// One entry for `skills/get`, by the URI of its `SKILL.md`.
    fn entry(&self, uri: &str) -> Option<Entry> {
        self.entries()?.entries.into_iter().find(|entry| entry.uri().as_str() == uri)
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
    pub entries: Vec<Entry>,
    /// What was left out and why, a sentence each.
    pub warnings: Vec<String>,
}

/// Why a resource cannot be read. The message never holds a path outside the served roots.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// No such resource.
    #[error("there is no resource {0}")]
    NotFound(String),
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
