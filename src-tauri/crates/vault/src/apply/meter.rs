//! How far a change is.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use crate::change::ApplyProgress;
use crate::error::VaultError;

/// Counts what is written over all items.
pub(crate) struct Meter<'a> {
    progress: &'a mut dyn FnMut(ApplyProgress) -> ControlFlow<()>,
    now: ApplyProgress,
    /// The person stopped it: nothing more is begun.
    pub(crate) stopped: bool,
}

impl<'a> Meter<'a> {
    pub(crate) fn new(progress: &'a mut dyn FnMut(ApplyProgress) -> ControlFlow<()>) -> Self {
        let now = ApplyProgress {
            folder: PathBuf::new(),
            file: None,
            done: 0,
            of: 0,
            bytes: 0,
            of_bytes: 0,
        };
        Self { progress, now, stopped: false }
    }

    /// Adds to what is to be written.
    pub(crate) fn expect(&mut self, files: usize, bytes: u64) {
        self.now.of += files;
        self.now.of_bytes = self.now.of_bytes.saturating_add(bytes);
    }

    /// Says what comes next; the answer may be to stop.
    pub(crate) fn next(&mut self, folder: &Path, file: Option<&str>) -> Result<(), VaultError> {
        self.now.folder = folder.to_owned();
        self.now.file = file.map(str::to_owned);
        if (self.progress)(self.now.clone()).is_break() {
            self.stopped = true;
            return Err(VaultError::Stopped(folder.to_owned()));
        }
        Ok(())
    }

    pub(crate) fn wrote(&mut self, size: u64) {
        self.now.done += 1;
        self.now.bytes += size;
    }
}
