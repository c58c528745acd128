//! A provider of the skills in folders on this disk.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use super::compatible::{self, Look};
use super::strict::Strict;
use super::{Content, Entries, Listing, Provider, ReadError};
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
}

impl Default for Options {
    fn default() -> Self {
        Self {
            mode: Mode::default(),
            supporting_files: SupportingFiles::default(),
            main_file: MAIN_FILE.to_owned(),
            reload: true,
        }
    }
}

/// Where skills come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Source {
    /// The direct children of each, in order.
    Roots(Vec<PathBuf>),
    /// This one.
    Skill(PathBuf),
}

/// Publishes the skills of one or more roots, or one skill.
#[derive(Debug)]
pub struct DirectoryProvider {
    source: Source,
    options: Options,
    strict: Option<Strict>,
    /// What was there at the first look; only kept without reload.
    first: Mutex<Option<Arc<Look>>>,
}

impl DirectoryProvider {
    /// The skills in these roots, in order.
    pub fn new(roots: Vec<PathBuf>, options: Options) -> Self {
        let strict =
            (options.mode == Mode::Strict).then(|| Strict::new(&roots, options.supporting_files));
        Self { source: Source::Roots(roots), options, strict, first: Mutex::default() }
    }

    /// One skill by its folder, in compatible mode. It may become one later: until then the
    /// listing is empty and says why.
    pub fn of_skill(folder: &Path, options: Options) -> Self {
        let options = Options { mode: Mode::Compatible, ..options };
        Self {
            source: Source::Skill(folder.to_owned()),
            options,
            strict: None,
            first: Mutex::default(),
        }
    }

    /// Looks again, where requests see the folders as they were at the first look.
    pub fn rescan(&self) {
        *self.first.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    fn first_look(&self) -> Arc<Look> {
        let mut first = self.first.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(first.get_or_insert_with(|| Arc::new(Look::new(&self.source, &self.options))))
    }
}

impl Provider for DirectoryProvider {
    fn list(&self) -> Listing {
        match &self.strict {
            Some(strict) => strict.list(),
            None if self.options.reload => {
                Look::new(&self.source, &self.options).listing(&self.options)
            }
            None => self.first_look().listing(&self.options),
        }
    }

    fn read(&self, uri: &str) -> Result<Content, ReadError> {
        match &self.strict {
            Some(strict) => strict.read(uri),
            None if self.options.reload => compatible::read(&self.source, &self.options, uri),
            None => self.first_look().read(&self.options, uri),
        }
    }

    fn entries(&self) -> Option<Entries> {
        self.strict.as_ref().map(Strict::entries)
    }

    fn entry(&self, uri: &str) -> Option<Entry> {
        self.strict.as_ref()?.entry(uri)
    }
}
