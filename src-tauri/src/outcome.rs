//! What came of changes, and how far a running one is, for the page.

use std::collections::HashSet;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;

use tokio_util::sync::CancellationToken;
use vault::change::{ApplyProgress, Change, ItemOutcome, ItemResult};
use vault::link::Mode;

use crate::error::Outcome;
use crate::jobs::Reporter;
use crate::render::spelled_out;
use crate::shell::Shell;
use crate::view::{ErrorView, OutcomeItem, OutcomeResult, OutcomeView, Progress};

impl Shell {
    /// What came of a change, for the page: a row for each folder.
    pub(crate) fn outcome_view(&self, change: Change) -> OutcomeView {
        self.outcome_of(change, &HashSet::new())
    }

    /// The same; at the folders in `renamed`, only names were to change.
    pub(crate) fn outcome_of(&self, change: Change, renamed: &HashSet<PathBuf>) -> OutcomeView {
        let items = change.items.into_iter();
        let items = items.map(|item| self.outcome_item(item, renamed)).collect();
        OutcomeView { change: change.id, name: spelled_out(&change.name), items }
    }

    /// What a change did, in its order; what was taken back since says so.
    ///
    /// # Errors
    /// When there is no such change, or the ledger fails.
    pub fn change_items(&self, change: &str) -> Outcome<Vec<OutcomeItem>> {
        let items = self.vault.items_of(change)?;
        let only_name = items.iter().filter(|item| item.result == ItemResult::Renamed);
        let renamed = only_name.map(|item| item.folder.clone()).collect();
        Ok(items.into_iter().map(|item| self.outcome_item(item, &renamed)).collect())
    }

    /// What came of a change, with a row for each tool.
    pub(crate) fn outcome_by_tool(&self, change: Change) -> OutcomeView {
        let view = self.outcome_view(change);
        let items = view.items.into_iter().flat_map(|item| {
            let tools = match item.tools.as_slice() {
                [] => vec![item.tool.clone()],
                several => several.to_vec(),
            };
            tools.into_iter().map(move |tool| OutcomeItem {
                tool,
                tools: Vec::new(),
                ..item.clone()
            })
        });
        OutcomeView { items: items.collect(), ..view }
    }

    fn outcome_item(&self, item: ItemOutcome, renamed: &HashSet<PathBuf>) -> OutcomeItem {
        let path = self.paths.display(&item.folder);
        let error = item
            .error
            .as_ref()
            .map(ErrorView::from)
            .map(|error| ErrorView { message: self.paths.display_in(&error.message), ..error });
        let only_name = renamed.contains(&item.folder);
        let result = match item.result {
            ItemResult::Written | ItemResult::Replaced | ItemResult::Renamed if only_name => {
                OutcomeResult::Renamed
            }
            ItemResult::Written => OutcomeResult::Written,
            ItemResult::Replaced | ItemResult::Renamed => OutcomeResult::Replaced,
            ItemResult::Kept => OutcomeResult::Kept,
            ItemResult::Failed => OutcomeResult::Failed,
            ItemResult::Removed | ItemResult::Forgotten => OutcomeResult::Removed,
            ItemResult::Disabled => OutcomeResult::Disabled,
            ItemResult::Enabled => OutcomeResult::Enabled,
            ItemResult::Adopted => OutcomeResult::Adopted,
            ItemResult::Undone | ItemResult::AlreadyGone => OutcomeResult::Undone,
        };
        let note = match item.result {
            ItemResult::AlreadyGone | ItemResult::Forgotten => {
                Some("it was already gone".to_owned())
            }
            ItemResult::Written | ItemResult::Replaced if item.mode == Mode::Link => {
                Some("as a link".to_owned())
            }
            ItemResult::Renamed if !only_name => Some("only the folder's name changed".to_owned()),
            _ => None,
        };
        let mut tools = item.tools;
        // A fix is for whoever reads the folder, which may be no tool at all.
        if tools.is_empty() {
            tools = item.folder.parent().map(|root| self.seen_by(root)).unwrap_or_default();
        }
        OutcomeItem {
            name: spelled_out(&item.name),
            tool: tools.first().cloned().unwrap_or_default(),
            tools: if tools.len() > 1 { tools } else { Vec::new() },
            path,
            result,
            error,
            note,
        }
    }
}

/// Whether something happened that an undo would take back.
pub(crate) fn did_something(item: &OutcomeItem) -> bool {
    match item.result {
        OutcomeResult::Kept | OutcomeResult::Failed => false,
        OutcomeResult::Written
        | OutcomeResult::Replaced
        | OutcomeResult::Undone
        | OutcomeResult::Removed
        | OutcomeResult::Disabled
        | OutcomeResult::Enabled
        | OutcomeResult::Adopted
        | OutcomeResult::Renamed => true,
    }
}

/// Tells how far a change is, and stops it when it is to stop.
pub(crate) struct Telling<F> {
    shell: Arc<Shell>,
    stop: CancellationToken,
    reporter: Reporter<F>,
}

impl<F: Fn(Progress)> Telling<F> {
    /// Tells through `progress`.
    pub(crate) fn new(shell: Arc<Shell>, stop: CancellationToken, progress: F) -> Self {
        Self { shell, stop, reporter: Reporter::new(progress) }
    }

    /// What the vault calls between steps.
    pub(crate) fn tell(&mut self, so_far: ApplyProgress) -> ControlFlow<()> {
        let folder = self.shell.paths.display(&so_far.folder);
        self.reporter.report(Progress {
            what: match so_far.file {
                Some(file) => format!("{folder}/{file}"),
                None => folder,
            },
            done: so_far.done,
            of: so_far.of,
            bytes: so_far.bytes,
            of_bytes: so_far.of_bytes,
        });
        if self.stop.is_cancelled() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}
