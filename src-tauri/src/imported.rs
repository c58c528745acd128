//! Skills in a bundle: exporting copies into one file, and importing from a file or a folder. What
//! was imported is a server of its own, in process, so that it is reviewed, approved and installed
//! like any other.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use skills::entry::Entry;
use skills::library::LocalSkill;
use skills::origin::{Endpoint, ImportedFrom};
use vault::VaultError;
use vault::bundle::SaidOrigin;
use vault::servers::SavedServer;

use crate::error::Outcome;
use crate::library::known;
use crate::render::spelled_out;
use crate::shell::Shell;
use crate::view::{
    ErrorView, ImportFrom, ImportLeftOut, ImportView, ImportedKind, ImportedView, OutcomeItem,
    OutcomeResult, OutcomeView, SaidApproval, SaidView, Scope,
};

/// The most characters of a label that is made from a file's name.
const LONGEST: usize = 80;

/// What the person is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asked<'a> {
    /// A file with skills that is there.
    Open {
        /// Of the dialog.
        title: &'a str,
    },
    /// A file that is to be written.
    Save {
        /// Of the dialog.
        title: &'a str,
        /// What it would be called.
        name: &'a str,
    },
}

/// Gives the file that the person chose, `None` when they chose none.
type Ask = dyn Fn(Asked<'_>) -> Option<PathBuf> + Send + Sync;

/// Asks the person for a file with a dialog of the system.
pub struct FileDialog(Box<Ask>);

impl FileDialog {
    /// A dialog that asks with `ask`.
    pub fn new(ask: impl Fn(Asked<'_>) -> Option<PathBuf> + Send + Sync + 'static) -> Self {
        Self(Box::new(ask))
    }

    /// Asks, and waits for the answer.
    pub fn ask(&self, asked: Asked<'_>) -> Option<PathBuf> {
        (self.0)(asked)
    }
}

impl std::fmt::Debug for FileDialog {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FileDialog").finish_non_exhaustive()
    }
}

impl Shell {
    /// Exports copies of skills, by their ids, into the file that `ask` gives; `None` when it gives
    /// none. Everything that was chosen is in it, or nothing is written.
    ///
    /// # Errors
    /// When a copy is gone, cannot be read whole or cannot be imported anywhere, or the file cannot
    /// be written there.
    pub fn export_bundle(
        &self,
        copies: &[String],
        ask: impl FnOnce(Asked<'_>) -> Option<PathBuf>,
    ) -> Outcome<Option<OutcomeView>> {
        if copies.is_empty() {
            return Err(ErrorView::bad_input("no skill was chosen"));
        }
        let snapshot = self.library.snapshot();
        let chosen = copies
            .iter()
            .map(|id| known(&snapshot, id).cloned())
            .collect::<Outcome<Vec<LocalSkill>>>()?;
        let name = match chosen.as_slice() {
            [one] => format!("{}.zip", file_name(&one.name)),
            _ => "skills.zip".to_owned(),
        };
        let asked = Asked::Save { title: "Export skills into a file", name: &name };
        let Some(to) = ask(asked) else { return Ok(None) };
        let folders: Vec<PathBuf> = chosen.into_iter().map(|skill| skill.path).collect();
        let exported = self.vault.export(&folders, &to, &self.scanned_folders());
        let exported = exported.map_err(told)?;
        self.events.changed(Scope::Activity);
        let name = counted(exported.skills.len());
        Ok(Some(OutcomeView {
            change: String::new(),
            name: name.clone(),
            items: vec![OutcomeItem {
                tool: String::new(),
                tools: Vec::new(),
                name,
                path: self.paths.display(&exported.path),
                result: OutcomeResult::Written,
                error: None,
                note: None,
            }],
        }))
    }

    /// Imports the skills in a file or a folder as a server of their own. The same content imported
    /// again is the server of before.
    ///
    /// # Errors
    /// When it cannot be read, breaks a rule for such files, or holds no skill that can be imported.
    pub fn import_skills(&self, from: ImportFrom, path: &Path) -> Outcome<ImportView> {
        let imported = match from {
            ImportFrom::File => self.vault.import_file(path, &label(path.file_stem())),
            ImportFrom::Folder => self.vault.import_folder(path, &label(path.file_name())),
        };
        let imported = imported.map_err(told)?;
        let id = &imported.server.id;
        let reached = self.connections.link(id).is_some_and(|link| link.connection.is_some());
        if reached {
            self.connections.refresh(id);
        } else if imported.server.enabled {
            // Of one that was there, files that were missing may be back.
            self.connections.start(imported.server.clone());
        }
        self.events.changed(Scope::Servers);
        self.events.changed(Scope::Activity);
        let left_out = imported.left_out.into_iter().map(|it| ImportLeftOut {
            name: spelled_out(&it.name),
            reason: spelled_out(&it.reason),
        });
        Ok(ImportView {
            server: imported.server.id.0,
            label: imported.server.label,
            already: imported.already,
            skills: imported.skills.iter().map(|name| spelled_out(name)).collect(),
            left_out: left_out.collect(),
        })
    }

    /// What is said of an imported skill by what it was imported from; `None` for any other.
    pub(crate) fn said(&self, server: &SavedServer, entry: &Entry) -> Outcome<Option<SaidView>> {
        let Endpoint::Imported { content, .. } = &server.endpoint else { return Ok(None) };
        let Some(said) = self.vault.said(content, entry.uri().skill_path())? else {
            return Ok(None);
        };
        let approval = said.approval.map(|approval| SaidApproval {
            same_content: approval.fingerprint == entry.fingerprint(),
            granted: approval.granted,
            at: approval.at.to_string(),
            note: approval.note.as_deref().map(spelled_out),
            findings: approval.findings.iter().map(|finding| spelled_out(finding)).collect(),
        });
        let origin = said.origin.map(|origin| match origin {
            SaidOrigin::Server { label, address, uri } => {
                spelled_out(&format!("{label}, {address}, {uri}"))
            }
            SaidOrigin::Folder => "a folder".to_owned(),
        });
        let executable = said.executable.iter().map(|path| spelled_out(path)).collect();
        Ok(Some(SaidView { origin, approval, executable }))
    }
}

/// An error with all its reasons.
fn told(error: VaultError) -> ErrorView {
    let causes = match &error {
        VaultError::Bundle(error) => error.causes.iter().map(|cause| spelled_out(cause)).collect(),
        _ => Vec::new(),
    };
    let view = ErrorView::from(error);
    if causes.is_empty() { view } else { ErrorView { causes, ..view } }
}

/// What the server is called whose skills come from a file or folder of this name.
fn label(name: Option<&OsStr>) -> String {
    let name = name.map(|name| spelled_out(&name.to_string_lossy())).unwrap_or_default();
    let name: String = name.trim().chars().take(LONGEST).collect();
    if name.is_empty() { "Imported skills".to_owned() } else { name }
}

/// A name that every system takes for a file.
fn file_name(skill: &str) -> String {
    let plain = |c: char| if c.is_alphanumeric() || "-_".contains(c) { c } else { '-' };
    skill.chars().take(LONGEST).map(plain).collect()
}

fn counted(skills: usize) -> String {
    if skills == 1 { "1 skill".to_owned() } else { format!("{skills} skills") }
}

/// What the skills of a server were imported from.
pub(crate) fn imported_view(server: &SavedServer) -> Option<ImportedView> {
    let Endpoint::Imported { from, name, .. } = &server.endpoint else { return None };
    Some(ImportedView {
        from: match from {
            ImportedFrom::File => ImportedKind::File,
            ImportedFrom::Bundle => ImportedKind::Bundle,
            ImportedFrom::Folder => ImportedKind::Folder,
        },
        name: spelled_out(name),
        at: server.added_at.to_string(),
    })
}
