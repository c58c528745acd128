//! A provider of the skills in folders on this disk.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::compatible::Compatible;
use super::sight::Sight;
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
    ground: Arc<Ground>,
    /// What is seen of it.
    sight: Sight,
}

/// By which rules it publishes.
#[derive(Debug)]
enum Ground {
    Compatible(Compatible),
    Strict(Strict),
}

impl DirectoryProvider {
    /// The skills in these places, in order.
    pub fn of(places: Vec<Place>, options: Options) -> Self {
        let ground = match options.mode {
            Mode::Compatible => Ground::Compatible(Compatible::new(places, options)),
            Mode::Strict => Ground::Strict(Strict::new(&places, &options)),
        };
        Self { ground: Arc::new(ground), sight: Sight::default() }
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
        if let Ground::Compatible(compatible) = self.ground.as_ref() {
            compatible.rescan();
        }
    }

    fn strict(&self) -> Option<&Strict> {
        match self.ground.as_ref() {
            Ground::Strict(strict) => Some(strict),
            Ground::Compatible(_) => None,
        }
    }

    /// The same at another time.
    #[cfg(test)]
    pub(super) fn at(mut self, clock: super::build::Clock) -> Self {
        if let Some(Ground::Strict(strict)) = Arc::get_mut(&mut self.ground) {
            strict.clock = clock;
        }
        self
    }

    #[cfg(test)]
    pub(super) fn count(&self) -> &crate::handle::Count {
        match self.ground.as_ref() {
            Ground::Strict(strict) => &strict.count,
            Ground::Compatible(compatible) => &compatible.count,
        }
    }
}

impl Provider for DirectoryProvider {
    fn list(&self) -> Listing {
        match self.ground.as_ref() {
            Ground::Strict(strict) => strict.list(&self.sight),
            Ground::Compatible(compatible) => compatible.list(&self.sight),
        }
    }

    fn read(&self, uri: &str) -> Result<Content, ReadError> {
        self.read_within(uri, u64::MAX)
    }

    fn read_within(&self, uri: &str, most: u64) -> Result<Content, ReadError> {
        match self.ground.as_ref() {
            Ground::Strict(strict) => strict.read(uri, most, &self.sight),
            Ground::Compatible(compatible) => compatible.read(uri, most, &self.sight),
        }
    }

    fn entries(&self) -> Option<Entries> {
        self.strict().map(|strict| strict.entries(&self.sight))
    }

    fn entries_after(
        &self,
        after: Option<&str>,
        most: usize,
        wanted: &dyn Fn(&Entry) -> bool,
    ) -> Option<Entries> {
        Some(self.strict()?.entries_after(after, most, wanted, &self.sight))
    }

    fn entry(&self, uri: &str) -> Option<Arc<Entry>> {
        self.strict()?.entry(uri, &self.sight)
    }

    fn publishes(&self) -> bool {
        self.strict().is_some()
    }

    fn directory(&self, uri: &str) -> Option<Vec<Resource>> {
        self.strict()?.directory(uri, &self.sight)
    }

    fn canonical(&self, uri: &str) -> Option<String> {
        match self.ground.as_ref() {
            Ground::Strict(strict) => strict.canonical(uri, &self.sight),
            Ground::Compatible(compatible) => compatible.canonical(uri, &self.sight),
        }
    }

    fn mark(&self, uri: &str) -> Option<Mark> {
        match self.ground.as_ref() {
            Ground::Strict(strict) => strict.mark(uri, &self.sight),
            Ground::Compatible(compatible) => compatible.mark(uri, &self.sight),
        }
    }

    fn seen(&self, sight: &Sight) -> Option<Arc<dyn Provider>> {
        let (ground, sight) = (Arc::clone(&self.ground), self.sight.and(sight));
        Some(Arc::new(Self { ground, sight }))
    }
}
