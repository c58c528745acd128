//! Watches the folders of all tools and rescans the library when something changes.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{self, Sender};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use notify::event::{AccessKind, AccessMode};
use notify::{EventKind, RecommendedWatcher, RecursiveMode};
use notify_debouncer_full::{DebounceEventResult, Debouncer, RecommendedCache, new_debouncer};

use crate::library::{Library, Snapshot};
use crate::stamp::Stamp;
use crate::tool::Detection;

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

/// Watches every root of the library, and for roots that are not there yet the nearest folder that
/// is. After a change it rescans and calls `changed` with the new revision, if there is one. It
/// looks once at the start, for what changed before.
///
/// # Errors
/// When the system gives no watcher. A folder that cannot be watched is only logged.
pub fn watch(
    library: Arc<Library>,
    changed: impl Fn(u64) + Send + 'static,
) -> Result<Watch, WatchError> {
    let (messages, inbox) = mpsc::channel();
    let events = messages.clone();
    let debouncer = new_debouncer(QUIET, None, move |result: DebounceEventResult| {
        // Nobody listens any more when the watch was dropped.
        let _ = events.send(Message::Changed(result));
    })?;
    let mut watched = Watched { debouncer, folders: BTreeMap::new(), wanted: Vec::new() };
    watched.adjust(&library, &library.snapshot());
    let thread = thread::spawn(move || {
        watched.look(&library, &changed);
        while let Ok(Message::Changed(result)) = inbox.recv() {
            if watched.concerns(&result) {
                watched.look(&library, &changed);
            }
        }
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
    fn look(&mut self, library: &Library, changed: &impl Fn(u64)) {
        let before = library.snapshot().revision;
        let mut snapshot = library.rescan();
        for _ in 1..MAX_LOOKS {
            // What appeared before its folder was watched is found by looking again.
            if !self.adjust(library, &snapshot) {
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
    fn adjust(&mut self, library: &Library, snapshot: &Snapshot) -> bool {
        let mut folders: BTreeMap<PathBuf, RecursiveMode> = BTreeMap::new();
        self.wanted.clear();
        let mut want = |wanted: &mut Vec<PathBuf>, path: &Path, whole: bool| {
            let real = nearest(path);
            let is_there = real.as_ref().is_some_and(|(_, missing)| !missing);
            if let Some((folder, _)) = real {
                if is_there {
                    wanted.push(folder.clone());
                }
                match whole && is_there {
                    true => drop(folders.insert(folder, RecursiveMode::Recursive)),
                    false => drop(folders.entry(folder).or_insert(RecursiveMode::NonRecursive)),
                }
            }
            wanted.push(path.to_owned());
        };
        for state in &snapshot.tools {
            let here = state.detection != Detection::NotFound;
            for root in &state.roots {
                want(&mut self.wanted, root, here);
                // The root's own removal, and its return.
                if let Some(parent) = root.parent() {
                    want(&mut self.wanted, parent, false);
                }
            }
            for mark in state.tool.marks(library.paths()) {
                want(&mut self.wanted, &mark, false);
            }
        }
        self.wanted.sort();
        self.wanted.dedup();
        self.watch_exactly(folders)
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
mod tests {
    use std::fs;
    use std::sync::mpsc::Receiver;

    use super::*;
    use crate::paths::Paths;

    /// Long enough for a slow machine; a test that passes does not wait for it.
    const PATIENCE: Duration = Duration::from_secs(20);

    struct Watching {
        dir: tempfile::TempDir,
        library: Arc<Library>,
        revisions: Receiver<u64>,
        _watch: Watch,
    }

    impl Watching {
        fn new(prepare: impl FnOnce(&Path)) -> Self {
            let dir = tempfile::tempdir().unwrap();
            prepare(dir.path());
            let library = Arc::new(Library::new(Paths::under(dir.path())));
            library.rescan();
            let (sender, revisions) = mpsc::channel();
            let watch = watch(Arc::clone(&library), move |revision| sender.send(revision).unwrap())
                .unwrap();
            Self { dir, library, revisions, _watch: watch }
        }

        fn write(&self, path: &str, text: &str) {
            write(self.dir.path(), path, text);
        }

        /// Waits until the library is as expected.
        fn until(&self, expected: impl Fn(&Snapshot) -> bool) {
            while !expected(&self.library.snapshot()) {
                self.revisions.recv_timeout(PATIENCE).unwrap();
            }
        }
    }

    fn write(home: &Path, path: &str, text: &str) {
        let path = home.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    const SKILL: &str = "---\nname: a\ndescription: b\n---\nx\n";

    #[test]
    fn a_new_and_a_removed_skill_are_seen() {
        let watching = Watching::new(|home| {
            write(home, ".claude/settings.json", "{}");
            fs::create_dir_all(home.join(".claude/skills")).unwrap();
        });
        watching.write(".claude/skills/a/SKILL.md", SKILL);
        watching
            .until(|snapshot| snapshot.skills.len() == 1 && snapshot.skills[0].description == "b");
        watching.write(".claude/skills/a/SKILL.md", &SKILL.replace("b\n", "c\n"));
        watching.until(|snapshot| snapshot.skills.iter().any(|skill| skill.description == "c"));
        fs::remove_dir_all(watching.dir.path().join(".claude/skills/a")).unwrap();
        watching.until(|snapshot| snapshot.skills.is_empty());
    }

    #[test]
    fn a_root_that_appears_later_is_seen_and_then_watched() {
        let watching = Watching::new(|home| write(home, ".claude/settings.json", "{}"));
        watching.write(".claude/skills/a/SKILL.md", SKILL);
        watching.until(|snapshot| snapshot.skills.len() == 1);
        watching.write(".claude/skills/b/SKILL.md", SKILL);
        watching.until(|snapshot| snapshot.skills.len() == 2);
        fs::remove_dir_all(watching.dir.path().join(".claude/skills")).unwrap();
        watching.until(|snapshot| snapshot.skills.is_empty());
        watching.write(".claude/skills/c/SKILL.md", SKILL);
        watching.until(|snapshot| snapshot.skills.len() == 1);
    }

    #[test]
    fn a_tool_that_appears_later_is_seen() {
        let watching = Watching::new(|_| {});
        watching.write(".cursor/settings.json", "{}");
        watching.write(".cursor/skills/a/SKILL.md", SKILL);
        watching.until(|snapshot| snapshot.skills.len() == 1);
    }
}
