//! What each caller sees, as far as it has to be known to tell only of changes that it can see.

use std::collections::HashMap;
use std::sync::{Arc, Mutex as StdMutex, PoisonError};

use rmcp::model::ErrorData;
use skills::provider::policy::Caller;
use skills::provider::{Mark, Provider};
use tokio::sync::Mutex;

use super::shared::Shared;

/// The views of callers, of which there are no more than tokens.
#[derive(Default)]
pub(super) struct Views(StdMutex<HashMap<Who, Arc<Mutex<View>>>>);

/// The name and the scopes of a token.
type Who = (Option<String>, Vec<String>);

/// How all that one caller can list stood at the last look.
#[derive(Default)]
struct View {
    mark: Option<Mark>,
    /// Which change was looked at last.
    change: u64,
    /// Grows when the mark is another one.
    number: u64,
}

/// The number of a view; `None` where it is not known, so that the next change is told. Where
/// everybody sees all it is never known, and each change is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Seen(Option<u64>);

impl Seen {
    /// Whether there is something to tell to whoever saw `before`.
    pub(super) fn differs(self, before: Self) -> bool {
        self.0.is_none() || self != before
    }
}

impl Shared {
    /// Looks at what this caller sees before it is shown a list for the first time. What is known
    /// later may be older than what is shown then, so that too much is told and never too little.
    pub(super) async fn before_a_list(&self, caller: &Caller) {
        let Some(changes) = self.changes.as_ref().filter(|_| self.policy.is_some()) else { return };
        let change = *changes.borrow();
        let view = self.view_of(caller);
        let mut view = view.lock().await;
        if view.number == 0 {
            self.look(&mut view, caller, change).await;
        }
    }

    /// What this caller was shown, as far as it is known.
    pub(super) async fn view(&self, caller: &Caller) -> Seen {
        if self.policy.is_none() {
            return Seen(None);
        }
        let number = self.view_of(caller).lock().await.number;
        Seen(Some(number).filter(|number| *number > 0))
    }

    /// What this caller sees after a change.
    pub(super) async fn view_after(&self, caller: &Caller, change: u64) -> Seen {
        if self.policy.is_none() {
            return Seen(None);
        }
        // Of many connections of one caller the first one looks.
        let view = self.view_of(caller);
        let mut view = view.lock().await;
        if view.number == 0 || view.change < change {
            self.look(&mut view, caller, change).await;
        }
        Seen(Some(view.number))
    }

    fn view_of(&self, caller: &Caller) -> Arc<Mutex<View>> {
        let mut views = self.views.0.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (caller.identity.clone(), caller.scopes.clone());
        Arc::clone(views.entry(key).or_default())
    }

    async fn look(&self, view: &mut View, caller: &Caller, change: u64) {
        let provider = self.seen_by(caller);
        let mark: Result<Mark, ErrorData> = self.away(move || mark(provider.as_ref())).await;
        // Where the look failed, whoever is told asks, and gets the error.
        if mark.is_err() || view.mark != mark.as_ref().ok().copied() {
            view.number += 1;
        }
        view.mark = mark.ok();
        view.change = change;
    }
}

/// Changes when something in a list does, or a file of a skill whose manifest is in the list.
fn mark(provider: &dyn Provider) -> Mark {
    let listing = provider.list();
    let resources: Vec<_> = listing
        .resources
        .iter()
        .map(|one| {
            let files = one.uri.ends_with("/_manifest").then(|| provider.mark(&one.uri)).flatten();
            (&one.uri, &one.name, &one.description, one.size, files)
        })
        .collect();
    let templates: Vec<_> = listing.templates.iter().map(|one| &one.uri_template).collect();
    let published = provider.entries().unwrap_or_default();
    let files: Vec<_> = published
        .entries
        .iter()
        .flat_map(|entry| entry.files())
        .map(|file| (&file.uri, file.digest.to_string()))
        .collect();
    Mark::of((resources, templates, files))
}
