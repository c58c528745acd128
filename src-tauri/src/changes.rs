//! Changes of one or many skills as one: wishes by id, made into parts that the vault works out
//! together, and what the page is shown of them.

mod apply;
pub(crate) mod rows;
mod wishes;

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use vault::batch::{Batch, Part};

use crate::error::Outcome;
use crate::shell::Shell;
use crate::view::{BatchItemView, BatchView, ChangeRef, DeedKind, ErrorView, OutcomeItem, Scope};

/// Changes that were shown.
#[derive(Debug)]
pub struct Shown {
    batch: Batch,
    /// What could not even be worked out, as it will be told.
    refused: Vec<OutcomeItem>,
}

/// Where one row, or several, come from.
enum Step {
    /// A part, what was asked for, and the copy's folder as it is listed.
    Part(Box<Part>, DeedKind, Option<PathBuf>),
    /// Nothing can be worked out.
    Refused(Box<BatchItemView>),
}

impl Shell {
    /// Works out what changes would do. Changes nothing. The library is looked at anew first.
    ///
    /// # Errors
    /// When an id is not known, nothing was asked for, or the ledger fails. What stands against a
    /// change is in its rows: one that cannot be made keeps no other from being made.
    pub fn plan_changes(&self, changes: &[ChangeRef]) -> Outcome<BatchView> {
        if changes.is_empty() {
            return Err(ErrorView::bad_input("nothing was chosen"));
        }
        self.look_again();
        let snapshot = self.library.snapshot();
        let wishes =
            wishes::Wishes { shell: self, copies: self.copies(&snapshot)?, snapshot: &snapshot };
        let steps = wishes.steps(changes)?;
        let mut parts = Vec::new();
        let mut shown = Vec::new();
        for step in steps {
            match step {
                Step::Part(part, kind, folder) => {
                    shown.push(Ok((kind, folder)));
                    parts.push(*part);
                }
                Step::Refused(row) => shown.push(Err(row)),
            }
        }
        let batch = self.vault.plan_batch(parts)?;
        let readers = self.readers();
        let mut items = Vec::new();
        let mut refused = Vec::new();
        let mut parts = batch.parts.iter();
        for row in shown {
            match row {
                Ok((kind, folder)) => {
                    let part = parts.next().into_iter();
                    items.extend(
                        part.flat_map(|part| {
                            self.part_rows(part, kind, folder.as_deref(), &readers)
                        }),
                    );
                }
                Err(row) => {
                    refused.push(rows::as_outcome(&row));
                    items.push(*row);
                }
            }
        }
        let view = BatchView {
            id: crate::jobs::new_id(),
            items,
            blockers: Vec::new(),
            writes: batch.writes(),
        };
        self.batches.keep(view.id.clone(), Shown { batch, refused });
        Ok(view)
    }

    /// Looks at the disk before something is done: what the watcher has not told yet is seen.
    pub(crate) fn look_again(&self) {
        let before = self.library.snapshot().revision;
        // Until the first scan is done there is nothing to be done with what it finds.
        if before > 0 && self.library.rescan().revision != before {
            self.events.changed(Scope::Library);
        }
    }

    /// Which tools read which folder, by real path.
    fn readers(&self) -> Readers {
        let mut readers = Readers(HashMap::new());
        for state in &self.library.snapshot().tools {
            if state.on || state.detection == skills::tool::Detection::Detected {
                for root in &state.roots {
                    let tools = readers.0.entry(real(root)).or_default();
                    if !tools.contains(&state.tool.id) {
                        tools.push(state.tool.id.clone());
                    }
                }
            }
        }
        readers
    }
}

/// Ids of tools by the real path of a folder that they read.
struct Readers(HashMap<PathBuf, Vec<String>>);

impl Readers {
    /// Who gets or loses what lies directly in this folder: whoever reads it, and those named.
    fn of(&self, root: &Path, named: &[String]) -> Vec<String> {
        let mut tools = self.0.get(&real(root)).cloned().unwrap_or_default();
        for tool in named.iter().filter(|tool| !tool.is_empty()) {
            if !tools.contains(tool) {
                tools.push(tool.clone());
            }
        }
        tools
    }
}

fn real(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}
