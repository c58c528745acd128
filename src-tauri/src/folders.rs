//! What the person chose about where to look: folders of their own, and tools.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use skills::folder::FolderKind;
use skills::library::{Choices, FolderRefused};
use vault::VaultError;

use crate::error::Outcome;
use crate::shell::Shell;
use crate::view::{self, AddedFolder, ErrorCode, ErrorView, Scope};

/// Gives the folder that the person chose, `None` when they chose none; the text is a title.
type Ask = dyn Fn(&str) -> Option<PathBuf> + Send + Sync;

/// Asks the person for a folder with a dialog of the system.
pub struct FolderDialog(Box<Ask>);

impl FolderDialog {
    /// A dialog that asks with `ask`.
    pub fn new(ask: impl Fn(&str) -> Option<PathBuf> + Send + Sync + 'static) -> Self {
        Self(Box::new(ask))
    }

    /// Asks, and waits for the answer.
    pub fn ask(&self, title: &str) -> Option<PathBuf> {
        (self.0)(title)
    }
}

impl std::fmt::Debug for FolderDialog {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FolderDialog").finish_non_exhaustive()
    }
}

impl From<FolderRefused> for ErrorView {
    fn from(refused: FolderRefused) -> Self {
        let view = Self::bad_input(refused.to_string());
        match refused {
            FolderRefused::Home(_) => view.with_hint("choose a folder in it"),
            FolderRefused::Unresolved { .. } => Self { code: ErrorCode::Disk, ..view },
            _ => view,
        }
    }
}

/// Folders that are looked into for this run of the program only.
#[derive(Debug, Default)]
pub(crate) struct ForThisRun(Mutex<Vec<PathBuf>>);

impl ForThisRun {
    fn folders(&self) -> MutexGuard<'_, Vec<PathBuf>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Shell {
    /// The folders that the person added, as they were found last.
    pub(crate) fn added_folders(&self) -> Vec<AddedFolder> {
        let snapshot = self.library.snapshot();
        let folder = |path: PathBuf| {
            let state = snapshot.folders.iter().find(|state| state.path == path);
            AddedFolder {
                path: self.paths.display(&path),
                kind: state.map_or(view::FolderKind::Empty, |state| match state.kind {
                    FolderKind::Skill => view::FolderKind::Skill,
                    FolderKind::Skills => view::FolderKind::Skills,
                    FolderKind::Project { .. } => view::FolderKind::Project,
                    FolderKind::Empty => view::FolderKind::Empty,
                }),
                count: state.map_or(0, |state| state.count),
                problem: state.and_then(|state| state.problem.clone()),
            }
        };
        self.library.choices().folders.into_iter().map(folder).collect()
    }

    /// Adds a skill, a folder of skills or a project.
    ///
    /// # Errors
    /// When it cannot be one, or the ledger fails.
    pub fn add_folder(&self, path: &Path) -> Outcome<()> {
        self.choose(|choices| Ok(choices.add_folder(path, &self.paths)?))
    }

    /// The same until the program ends. A folder that is looked into already is no error.
    ///
    /// # Errors
    /// When it cannot be one, or the ledger fails.
    pub fn add_for_this_run(&self, path: &Path) -> Outcome<()> {
        let mut folders = self.for_this_run.folders();
        let mut choices = self.together(self.vault.choices()?, &folders)?;
        match choices.add_folder(path, &self.paths) {
            Err(FolderRefused::Twice(_)) => return Ok(()),
            added => added?,
        }
        folders.extend(choices.folders.last().cloned());
        self.library.choose(choices);
        Ok(())
    }

    /// Stops looking into an added folder; `path` is as it was shown.
    ///
    /// # Errors
    /// When there is no such folder, or the ledger fails.
    pub fn remove_folder(&self, path: &str) -> Outcome<()> {
        let known = self.library.choices().folders;
        let folder = known
            .into_iter()
            .find(|folder| self.paths.display(folder) == path)
            .ok_or_else(|| ErrorView::gone(format!("{path} is not one of the added folders")))?;
        self.for_this_run.folders().retain(|known| *known != folder);
        self.choose(|choices| {
            choices.remove_folder(&folder);
            Ok(())
        })
    }

    /// What a person calls a tool.
    ///
    /// # Errors
    /// When there is no such tool.
    pub fn tool_name(&self, id: &str) -> Outcome<&'static str> {
        let tool =
            skills::tool::tool(id).ok_or_else(|| FolderRefused::NoSuchTool(id.to_owned()))?;
        Ok(&tool.name)
    }

    /// Scans a tool's folders, or does not; `None` leaves that to what is here.
    ///
    /// # Errors
    /// When there is no such tool, or the ledger fails.
    pub fn set_tool_on(&self, tool: &str, on: Option<bool>) -> Outcome<()> {
        self.choose(|choices| Ok(choices.set_on(tool, on)?))
    }

    /// Makes a folder the only one of a tool's own, or goes back to the table's.
    ///
    /// # Errors
    /// When there is no such tool, the folder cannot be one, or the ledger fails.
    pub fn set_tool_root(&self, tool: &str, root: Option<PathBuf>) -> Outcome<()> {
        let roots = root.map(|root| [root]);
        let roots = roots.as_ref().map(<[PathBuf; 1]>::as_slice);
        self.choose(|choices| Ok(choices.set_roots(tool, roots, &self.paths)?))
    }

    /// Changes what is kept of the person's choices, and looks at the disk once more.
    fn choose(&self, change: impl FnOnce(&mut Choices) -> Outcome<()>) -> Outcome<()> {
        {
            // Held so that of two changes at once none is lost.
            let folders = self.for_this_run.folders();
            let mut choices = self.vault.choices()?;
            change(&mut choices)?;
            self.vault.set_choices(&choices)?;
            self.library.choose(self.together(choices, &folders)?);
        }
        self.library.rescan();
        self.sharing.follow_tools();
        self.events.changed(Scope::Library);
        // Rows of offers say what exists here.
        self.events.changed(Scope::Servers);
        Ok(())
    }

    /// Takes note of the tools for which something is placed now: their folders are looked into.
    ///
    /// # Errors
    /// When the ledger fails.
    pub(crate) fn follow_placements(&self) -> Result<(), VaultError> {
        let folders = self.for_this_run.folders();
        self.library.choose(self.together(self.vault.choices()?, &folders)?);
        Ok(())
    }

    /// What is kept, the folders of this run behind it, and the tools for which something is placed.
    fn together(
        &self,
        mut choices: Choices,
        for_this_run: &[PathBuf],
    ) -> Result<Choices, VaultError> {
        for folder in for_this_run {
            if !choices.folders.contains(folder) {
                choices.folders.push(folder.clone());
            }
        }
        let placed = self.vault.placements()?;
        choices.placed = placed.into_iter().flat_map(|placement| placement.tools).collect();
        Ok(choices)
    }
}
