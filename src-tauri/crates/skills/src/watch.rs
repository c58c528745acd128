//! Watches folders: those of all tools, to rescan the library when something changes, or any.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use notify::event::{AccessKind, AccessMode};
use notify::{EventKind, RecommendedWatcher, RecursiveMode};
use notify_debouncer_full::{DebounceEventResult, Debouncer, RecommendedCache, new_debouncer};

use crate::folder::FolderKind;
use crate::library::{Library, Snapshot};
use crate::stamp::Stamp;
use crate::tool::project_folders;

/// Changes that follow each other within this time are one.
const QUIET: Duration = Duration::from_millis(150);

/// Looks in a row when each finds folders to watch that were not watched before.
const MAX_LOOKS: usize = 4;

/// Watching goes on until this is dropped.
#[derive(Debug)]
#[must_use = "dropping it ends the watching"]
pub struct Watch {
    messages: Sender<Message>,
    thread: Option<JoinHandle<()>>,
}

/// The system gives no watcher.
#[derive(Debug, thiserror::Error)]
#[error("cannot watch the folders of skills")]
pub struct WatchError(#[from] notify::Error);

#[derive(Debug)]
enum Message {
    Changed(DebounceEventResult),
    Chosen,
    Stop,
}

impl Drop for Watch {
    fn drop(&mut self) {
        // The thread may have ended by itself.
        let _ = self.messages.send(Message::Stop);
        if let Some(thread) = self.thread.take()
            && thread.thread().id() != thread::current().id()
        {
            let _ = thread.join();
        }
    }
}

/// Watches every root of the library and every folder that the person added, and for those that
/// are not there yet the nearest folder that is. After a change on the disk or of choices it
/// rescans, follows what is to be watched now, and calls `changed` with the new revision, if there
/// is one. It looks once at the start, for what changed before.
///
/// # Errors
/// When the system gives no watcher. A folder that cannot be watched is only logged.
pub fn watch(
    library: Arc<Library>,
    changed: impl Fn(u64) + Send + 'static,
) -> Result<Watch, WatchError> {
    let (mut watched, messages, inbox) = Watched::new()?;
    let choices = messages.clone();
    library.on_choice(move || choices.send(Message::Chosen).is_ok());
    watched.adjust(Wish::of_library(&library, &library.snapshot()));
    let thread = thread::spawn(move || {
        watched.look(&library, &changed);
        watched.follow(&inbox, |watched| watched.look(&library, &changed));
    });
    Ok(Watch { messages, thread: Some(thread) })
}

/// Watches these folders and all in them, and for those that are not there yet the nearest folder
/// that is. `changed` is called after each change in one of them, its removal and its return.
///
/// # Errors
/// When the system gives no watcher. A folder that cannot be watched is only logged.
pub fn watch_folders(
    folders: Vec<PathBuf>,
    changed: impl Fn() + Send + 'static,
) -> Result<Watch, WatchError> {
    let (mut watched, messages, inbox) = Watched::new()?;
    watched.adjust(Wish::of_folders(&folders));
    let thread = thread::spawn(move || {
        watched.follow(&inbox, |watched| {
            for _ in 0..MAX_LOOKS {
                if !watched.adjust(Wish::of_folders(&folders)) {
                    break;
                }
            }
            changed();
        });
    });
    Ok(Watch { messages, thread: Some(thread) })
}

struct Watched {
    debouncer: Debouncer<RecommendedWatcher, RecommendedCache>,
    /// What is watched, how, and which folder it was.
    folders: BTreeMap<PathBuf, (RecursiveMode, Option<Identity>)>,
    /// Roots and marks of tools, there or not.
    wanted: Vec<PathBuf>,
}

/// Tells a folder from one that was made in its place.
type Identity = (u64, i128);

impl Watched {
    /// Watches nothing yet. What is reported comes in at the receiver.
    fn new() -> Result<(Self, Sender<Message>, Receiver<Message>), WatchError> {
        let (messages, inbox) = mpsc::channel();
        let events = messages.clone();
        let debouncer = new_debouncer(QUIET, None, move |result: DebounceEventResult| {
            // Nobody listens any more when the watch was dropped.
            let _ = events.send(Message::Changed(result));
        })?;
        let watched = Self { debouncer, folders: BTreeMap::new(), wanted: Vec::new() };
        Ok((watched, messages, inbox))
    }

    /// Looks after each change that concerns what is watched, until it is told to stop.
    fn follow(&mut self, inbox: &Receiver<Message>, mut look: impl FnMut(&mut Self)) {
        while let Ok(message) = inbox.recv() {
            let concerns = match message {
                Message::Changed(result) => self.concerns(&result),
                Message::Chosen => true,
                Message::Stop => break,
            };
            if concerns {
                look(self);
            }
        }
    }

    fn look(&mut self, library: &Library, changed: &impl Fn(u64)) {
        let before = library.snapshot().revision;
        let mut snapshot = library.rescan();
        for _ in 1..MAX_LOOKS {
            // What appeared before its folder was watched is found by looking again.
            if !self.adjust(Wish::of_library(library, &snapshot)) {
                break;
            }
            snapshot = library.rescan();
        }
        if snapshot.revision != before {
            changed(snapshot.revision);
        }
    }

    /// Whether something that was reported can change the library.
    fn concerns(&self, result: &DebounceEventResult) -> bool {
        let events = match result {
            Ok(events) => events,
            Err(errors) => {
                tracing::warn!(?errors, "watching the folders of skills met errors");
                return true;
            }
        };
        events.iter().any(|event| {
            let written = match event.kind {
                EventKind::Access(AccessKind::Close(AccessMode::Write)) => true,
                // Reading, our own too, changes nothing.
                EventKind::Access(_) => false,
                _ => true,
            };
            event.need_rescan() || (written && event.paths.iter().any(|path| self.is_wanted(path)))
        })
    }

    /// True below a watched root, on the way to something wanted, or directly beside a mark.
    fn is_wanted(&self, path: &Path) -> bool {
        let below_root = self.folders.iter().any(|(folder, (mode, _))| {
            *mode == RecursiveMode::Recursive && path.starts_with(folder)
        });
        below_root
            || self
                .wanted
                .iter()
                .any(|wanted| wanted.starts_with(path) || path.parent() == Some(wanted.as_path()))
    }

    /// Watches what should be watched now; true when a folder is new to the watch.
    fn adjust(&mut self, mut wish: Wish) -> bool {
        wish.wanted.sort();
        wish.wanted.dedup();
        self.wanted = wish.wanted;
        self.watch_exactly(wish.folders)
    }

    fn watch_exactly(&mut self, folders: BTreeMap<PathBuf, RecursiveMode>) -> bool {
        let stale: Vec<PathBuf> = self
            .folders
            .iter()
            .filter(|(folder, (mode, identity))| {
                folders.get(*folder) != Some(mode) || *identity != identity_of(folder)
            })
            .map(|(folder, _)| folder.clone())
            .collect();
        for folder in stale {
            // It is gone already when the folder is.
            let _ = self.debouncer.unwatch(&folder);
            self.folders.remove(&folder);
        }
        let mut added = false;
        for (folder, mode) in folders {
            if self.folders.contains_key(&folder) {
                continue;
            }
            let identity = identity_of(&folder);
            match self.debouncer.watch(&folder, mode) {
                Ok(()) => {
                    self.folders.insert(folder, (mode, identity));
                    added = true;
                }
                Err(error) => {
                    tracing::warn!(folder = %folder.display(), %error, "cannot watch a folder")
                }
            }
        }
        added
    }
}

/// What should be watched.
#[derive(Default)]
struct Wish {
    /// Folders that are there, by their real paths, and how each is to be watched.
    folders: BTreeMap<PathBuf, RecursiveMode>,
    /// What matters, there or not.
    wanted: Vec<PathBuf>,
}

impl Wish {
    /// The roots, the marks of tools, and what the person added.
    fn of_library(library: &Library, snapshot: &Snapshot) -> Self {
        let mut wish = Self::default();
        for state in &snapshot.tools {
            for root in &state.roots {
                // Of a tool that is off nothing is read, so that nothing in there matters.
                if state.on {
                    wish.want(root, true);
                }
                // The root's own removal, and its return.
                if let Some(parent) = root.parent() {
                    wish.want(parent, false);
                }
            }
            for mark in state.tool.marks(library.paths()) {
                wish.want(&mark, false);
            }
        }
        for root in &snapshot.roots {
            wish.want(&root.path, true);
        }
        for folder in &snapshot.folders {
            // A refused folder may be the whole home: whether it still is, its parent tells.
            let whole = folder.problem.is_none() && folder.kind == FolderKind::Skill;
            wish.want(&folder.path, whole);
            for path in project_folders(&folder.path) {
                wish.want(&path, false);
            }
        }
        // What a link leads to may lie anywhere. One that is no skill after all may be everything.
        for skill in snapshot.skills.iter().filter(|skill| skill.linked && skill.manifest.is_ok()) {
            wish.want(&skill.path, true);
        }
        let added = snapshot.folders.iter().map(|folder| &folder.path);
        for path in added.chain(snapshot.roots.iter().map(|root| &root.path)) {
            wish.around(path);
        }
        wish
    }

    /// Each of these, and all in it.
    fn of_folders(folders: &[PathBuf]) -> Self {
        let mut wish = Self::default();
        for folder in folders {
            wish.want(folder, true);
            wish.around(folder);
        }
        wish
    }

    /// Something that matters, `whole` with all in it.
    fn want(&mut self, path: &Path, whole: bool) {
        if let Some((folder, missing)) = nearest(path) {
            if !missing {
                self.wanted.push(folder.clone());
            }
            match whole && !missing {
                true => drop(self.folders.insert(folder, RecursiveMode::Recursive)),
                false => drop(self.folders.entry(folder).or_insert(RecursiveMode::NonRecursive)),
            }
        }
        self.wanted.push(path.to_owned());
    }

    /// The removal and the return of a folder; what else happens beside it is no matter.
    fn around(&mut self, folder: &Path) {
        if let Some((parent, _)) = folder.parent().and_then(nearest) {
            self.folders.entry(parent).or_insert(RecursiveMode::NonRecursive);
        }
    }
}

fn identity_of(folder: &Path) -> Option<Identity> {
    std::fs::metadata(folder).ok().map(|metadata| Stamp::of(&metadata).identity())
}

/// The real path of the nearest folder that is there, and whether the path itself is missing.
fn nearest(path: &Path) -> Option<(PathBuf, bool)> {
    path.ancestors().enumerate().find_map(|(up, folder)| {
        let real = folder.canonicalize().ok().filter(|real| real.is_dir())?;
        Some((real, up > 0))
    })
}

#[cfg(test)]
mod tests;
