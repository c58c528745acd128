//! A provider of the skills in folders on this disk.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use super::compatible::{self, Look};
use super::strict::Strict;
use super::{Content, Entries, Listing, Mark, Provider, ReadError, Resource};
use crate::MAIN_FILE;
use crate::entry::Entry;

/// By which rules skills are published.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Mode {
    /// Lenient front matter, `_manifest` resources, the first root wins; no entries.
    #[default]
    Compatible,
    /// The skills extension.
    Strict,
}

/// How files beside the main one appear.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SupportingFiles {
    /// They are read through a template and not listed.
    #[default]
    Template,
    /// Each is listed.
    Resources,
}

/// How a [`DirectoryProvider`] publishes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// By which rules.
    pub mode: Mode,
    /// How supporting files appear.
    pub supporting_files: SupportingFiles,
    /// The file that makes a folder a skill; `SKILL.md` in strict mode, whatever stands here.
    pub main_file: String,
    /// True when each request sees the folders as they are now; always so in strict mode.
    pub reload: bool,
    /// True to publish once, in strict mode, a path that several roots hold with equal
    /// fingerprints; all of them are left out otherwise.
    pub merge_identical: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            mode: Mode::default(),
            supporting_files: SupportingFiles::default(),
            main_file: MAIN_FILE.to_owned(),
            reload: true,
            merge_identical: false,
        }
    }
}

/// Where skills come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// The folders below this one.
    Root(PathBuf),
    /// This one.
    Skill(PathBuf),
}

impl Place {
    /// The folder, whichever it is.
    pub fn path(&self) -> &Path {
        match self {
            Self::Root(path) | Self::Skill(path) => path,
        }
    }
}

/// Publishes the skills of one or more places.
#[derive(Debug)]
pub struct DirectoryProvider {
    places: Vec<Place>,
    options: Options,
    strict: Option<Strict>,
    /// What was there at the first look; only kept without reload.
    first: Mutex<Option<Arc<Look>>>,
}

impl DirectoryProvider {
    /// The skills in these places, in order.
    pub fn of(places: Vec<Place>, options: Options) -> Self {
        let strict = (options.mode == Mode::Strict).then(|| Strict::new(&places, &options));
        Self { places, options, strict, first: Mutex::default() }
    }

    /// The skills in these roots, in order.
    pub fn new(roots: Vec<PathBuf>, options: Options) -> Self {
        Self::of(roots.into_iter().map(Place::Root).collect(), options)
    }

    /// One skill by its folder. It may become one later: until then the listing is empty and, in
    /// compatible mode, says why.
    pub fn of_skill(folder: &Path, options: Options) -> Self {
        Self::of(vec![Place::Skill(folder.to_owned())], options)
    }

    /// Looks again, where requests see the folders as they were at the first look.
    pub fn rescan(&self) {
        *self.first.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    fn first_look(&self) -> Arc<Look> {
        let mut first = self.first.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(first.get_or_insert_with(|| Arc::new(Look::new(&self.places, &self.options))))
    }

    /// The same at another time.
    #[cfg(test)]
    pub(super) fn at(mut self, clock: super::build::Clock) -> Self {
        if let Some(strict) = &mut self.strict {
            strict.clock = clock;
        }
        self
    }

    #[cfg(test)]
    pub(super) fn count(&self) -> Option<&crate::handle::Count> {
        self.strict.as_ref().map(|strict| &strict.count)
    }
}

impl Provider for DirectoryProvider {
    fn list(&self) -> Listing {
        match &self.strict {
            Some(strict) => strict.list(),
            None if self.options.reload => {
                Look::new(&self.places, &self.options).listing(&self.options)
            }
            None => self.first_look().listing(&self.options),
        }
    }

    fn read(&self, uri: &str) -> Result<Content, ReadError> {
        match &self.strict {
            Some(strict) => strict.read(uri),
            None if self.options.reload => compatible::read(&self.places, &self.options, uri),
            None => self.first_look().read(&self.options, uri),
        }
    }

    fn entries(&self) -> Option<Entries> {
        self.strict.as_ref().map(Strict::entries)
    }

    fn entries_after(
        &self,
        after: Option<&str>,
        most: usize,
        wanted: &dyn Fn(&Entry) -> bool,
    ) -> Option<Entries> {
        Some(self.strict.as_ref()?.entries_after(after, most, wanted))
    }

    fn entry(&self, uri: &str) -> Option<Arc<Entry>> {
        self.strict.as_ref()?.entry(uri)
    }

    fn publishes(&self) -> bool {
        self.strict.is_some()
    }

    fn directory(&self, uri: &str) -> Option<Vec<Resource>> {
        self.strict.as_ref()?.directory(uri)
    }

    fn canonical(&self, uri: &str) -> Option<String> {
        match &self.strict {
            Some(strict) => strict.canonical(uri),
            None if self.options.reload => compatible::canonical(&self.places, &self.options, uri),
            None => self.first_look().canonical(&self.options, uri),
        }
    }

    fn mark(&self, uri: &str) -> Option<Mark> {
        match &self.strict {
            Some(strict) => strict.mark(uri),
            None if self.options.reload => compatible::mark(&self.places, &self.options, uri),
            None => self.first_look().mark(&self.options, uri),
        }
    }
}
