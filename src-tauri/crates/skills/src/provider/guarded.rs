//! A provider as one caller sees it.

use std::sync::Arc;

use serde_json::Value;

use super::policy::{Action, Caller, Policy};
use super::shown::MANIFEST;
use super::{
    Content, DIRECTORY_TYPE, Entries, Listing, Mark, Provider, ReadError, Resource, Sight,
};
use crate::MAIN_FILE;
use crate::entry::Entry;
use crate::uri::encode_path;

/// A provider as one caller sees it. What a policy refuses is not there, word for word.
pub struct Guarded(Arc<dyn Provider>);

impl Guarded {
    /// What this caller may see of the provider.
    pub fn new(provider: Arc<dyn Provider>, policy: Arc<dyn Policy>, caller: Caller) -> Self {
        let sight = Sight::of(policy, caller);
        Self(provider.seen(&sight).unwrap_or_else(|| Arc::new(ByUri { provider, sight })))
    }
}

impl Provider for Guarded {
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
        self.0.entries()
    }

    fn entries_after(
        &self,
        after: Option<&str>,
        most: usize,
        wanted: &dyn Fn(&Entry) -> bool,
    ) -> Option<Entries> {
        self.0.entries_after(after, most, wanted)
    }

    fn entry(&self, uri: &str) -> Option<Arc<Entry>> {
        self.0.entry(uri)
    }

    fn publishes(&self) -> bool {
        self.0.publishes()
    }

    fn directory(&self, uri: &str) -> Option<Vec<Resource>> {
        self.0.directory(uri)
    }

    fn canonical(&self, uri: &str) -> Option<String> {
        self.0.canonical(uri)
    }

    fn mark(&self, uri: &str) -> Option<Mark> {
        self.0.mark(uri)
    }

    fn seen(&self, sight: &Sight) -> Option<Arc<dyn Provider>> {
        self.0.seen(sight)
    }
}

/// A provider without places, of which a URI is all that there is to decide by.
struct ByUri {
    provider: Arc<dyn Provider>,
    sight: Sight,
}

impl ByUri {
    fn may(&self, action: Action, uri: &str) -> bool {
        self.sight.sees(action, uri, None)
    }

    /// The listed spelling, if it may be read or looked into.
    fn allowed(&self, action: Action, uri: &str) -> Option<String> {
        self.provider.canonical(uri).filter(|canonical| self.may(action, canonical))
    }

    /// The folder of the skill whose synthetic manifest this is: a main file stands beside it.
    fn folder_of_manifest<'a>(&self, canonical: &'a str) -> Option<&'a str> {
        let folder = canonical.strip_suffix(MANIFEST)?;
        self.provider.canonical(&format!("{folder}{MAIN_FILE}")).map(|_| folder)
    }

    /// A manifest does not name what may not be read.
    fn manifest(&self, folder: &str, content: Content) -> Content {
        let Ok(mut listed) = serde_json::from_slice::<Value>(&content.bytes) else {
            return content;
        };
        let Some(files) = listed.get_mut("files").and_then(Value::as_array_mut) else {
            return content;
        };
        let before = files.len();
        files.retain(|file| {
            let path = file.get("path").and_then(Value::as_str).unwrap_or_default();
            self.may(Action::Read, &format!("{folder}{}", encode_path(path)))
        });
        if files.len() == before {
            return content;
        }
        Content { bytes: format!("{listed:#}").into_bytes(), ..content }
    }

    fn may_discover(&self, entry: &Entry) -> bool {
        may_discover(&self.sight, entry, None)
    }
}

/// An entry with a file that may not be read is no entry.
pub(super) fn may_discover(sight: &Sight, entry: &Entry, place: Option<usize>) -> bool {
    sight.sees(Action::Discover, entry.uri().as_str(), place)
        && entry.files().iter().all(|file| sight.sees(Action::Read, &file.uri, place))
}

impl Provider for ByUri {
    fn list(&self) -> Listing {
        let Listing { mut resources, mut templates, warnings } = self.provider.list();
        resources.retain(|one| self.may(Action::List, &one.uri));
        templates.retain(|one| {
            let folder = one.uri_template.strip_suffix("/{path*}");
            self.may(Action::Template, folder.unwrap_or(&one.uri_template))
        });
        Listing { resources, templates, warnings }
    }

    fn read(&self, uri: &str) -> Result<Content, ReadError> {
        self.read_within(uri, u64::MAX)
    }

    fn read_within(&self, uri: &str, most: u64) -> Result<Content, ReadError> {
        let uri = || uri.to_owned();
        let canonical =
            self.allowed(Action::Read, &uri()).ok_or_else(|| ReadError::NotFound(uri()))?;
        let content = self.provider.read_within(&canonical, most).map_err(|error| match error {
            ReadError::NotFound(_) => ReadError::NotFound(uri()),
            ReadError::Larger { size, .. } => ReadError::Larger { uri: uri(), size },
            ReadError::Unreadable { source, .. } => ReadError::Unreadable { uri: uri(), source },
        })?;
        match self.folder_of_manifest(&canonical) {
            Some(folder) => Ok(self.manifest(folder, content)),
            None => Ok(content),
        }
    }

    fn entries(&self) -> Option<Entries> {
        let mut entries = self.provider.entries()?;
        entries.entries.retain(|entry| self.may_discover(entry));
        Some(entries)
    }

    fn entries_after(
        &self,
        after: Option<&str>,
        most: usize,
        wanted: &dyn Fn(&Entry) -> bool,
    ) -> Option<Entries> {
        let may_discover = |entry: &Entry| self.may_discover(entry) && wanted(entry);
        self.provider.entries_after(after, most, &may_discover)
    }

    fn entry(&self, uri: &str) -> Option<Arc<Entry>> {
        // Asked first: nothing is hashed for a caller who may not see it.
        let allowed = self.may(Action::Discover, uri);
        self.provider.entry(uri).filter(|entry| allowed && self.may_discover(entry))
    }

    fn publishes(&self) -> bool {
        self.provider.publishes()
    }

    fn directory(&self, uri: &str) -> Option<Vec<Resource>> {
        let canonical = self.allowed(Action::Directory, uri)?;
        let mut children = self.provider.directory(&canonical)?;
        children.retain(|child| {
            let folder = child.mime_type == DIRECTORY_TYPE;
            self.may(if folder { Action::Directory } else { Action::List }, &child.uri)
        });
        Some(children)
    }

    fn canonical(&self, uri: &str) -> Option<String> {
        self.provider
            .canonical(uri)
            .filter(|uri| self.may(Action::Read, uri) || self.may(Action::Directory, uri))
    }

    fn mark(&self, uri: &str) -> Option<Mark> {
        let canonical = self.allowed(Action::Read, uri)?;
        match self.folder_of_manifest(&canonical) {
            // Only what this caller sees of it counts.
            Some(_) => Some(Mark::of(self.read(&canonical).ok()?.bytes)),
            None => self.provider.mark(&canonical),
        }
    }
}
