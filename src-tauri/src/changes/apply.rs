//! Carrying out changes that were shown.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::sync::Arc;

use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;
use vault::batch::{Batch, Part};
use vault::fix::FixPurpose;

use super::Shown;
use super::rows::{as_outcome, from_server};
use crate::error::Outcome;
use crate::offers::blocking;
use crate::outcome::{Telling, did_something};
use crate::shell::Shell;
use crate::view::{
    DeedKind, ErrorCode, ErrorView, OutcomeItem, OutcomeResult, OutcomeView, Progress,
};

/// Servers that are asked at once whether they still offer something.
const ASKED: usize = 4;

/// A skill of a server, by ids.
type OfferKey = (String, String);

impl Shell {
    /// Carries out changes that were shown, each folder by itself, as one change. Before that, each
    /// server is asked whether it still offers what comes from it; what it changed is not placed.
    ///
    /// # Errors
    /// When the changes are not known any more, were begun already, or were stopped before anything
    /// was done; what came of single folders is in the outcome.
    pub async fn apply_changes(
        self: &Arc<Self>,
        id: &str,
        stop: CancellationToken,
        progress: impl Fn(Progress) + Send + 'static,
    ) -> Outcome<OutcomeView> {
        let Shown { batch, refused } = self.batches.take(id)?;
        let changed = tokio::select! {
            biased;
            () = stop.cancelled() => return Err(stopped()),
            changed = self.changed_offers(&batch) => changed,
        };
        let shell = Arc::clone(self);
        let outcome = blocking(move || {
            let (batch, mut failed) = shell.without_changed(batch, &changed)?;
            failed.extend(refused);
            if batch.parts.is_empty() {
                // Nothing is left that could be done, and so nothing that could be undone.
                let name = failed.first().map(|item| item.name.clone()).unwrap_or_default();
                let outcome = OutcomeView { change: String::new(), name, items: failed };
                return Ok::<_, ErrorView>((outcome, false));
            }
            let renamed = renamed(&batch);
            let mut telling = Telling::new(Arc::clone(&shell), stop.clone(), progress);
            let change = shell.vault.apply_batch(&batch, &mut |so_far| telling.tell(so_far))?;
            shell.follow_placements()?;
            shell.library.rescan();
            let mut outcome = shell.outcome_of(change, &renamed);
            // Here nothing is taken back: what was to go had gone already.
            for item in &mut outcome.items {
                if item.result == OutcomeResult::Undone {
                    item.result = OutcomeResult::Removed;
                }
            }
            outcome.items.extend(failed);
            Ok((outcome, stop.is_cancelled()))
        })
        .await?;
        self.disk_changed();
        let (outcome, was_stopped) = outcome?;
        if was_stopped && !outcome.items.iter().any(did_something) {
            return Err(stopped());
        }
        Ok(outcome)
    }

    /// Asks the servers of what is to be placed whether they still offer it, each skill once.
    async fn changed_offers(self: &Arc<Self>, batch: &Batch) -> HashMap<OfferKey, ErrorView> {
        let (mut asked, room) = (JoinSet::new(), Arc::new(Semaphore::new(ASKED)));
        let mut known = HashSet::new();
        for (server, entry) in batch.parts.iter().filter_map(from_server) {
            let key = (server.id.0.clone(), entry.uri().as_str().to_owned());
            if !known.insert(key.clone()) {
                continue;
            }
            let (shell, room) = (Arc::clone(self), Arc::clone(&room));
            let (server, entry) = (server.clone(), entry.clone());
            asked.spawn(async move {
                let _turn = room.acquire_owned().await;
                (key, shell.still_offered(&server, &entry).await)
            });
        }
        let mut changed = HashMap::new();
        while let Some(answer) = asked.join_next().await {
            if let Ok((key, Err(error))) = answer {
                changed.insert(key, error);
            }
        }
        changed
    }

    /// The changes without what a server changed meanwhile, and what is told of that.
    fn without_changed(
        &self,
        batch: Batch,
        changed: &HashMap<OfferKey, ErrorView>,
    ) -> Outcome<(Batch, Vec<OutcomeItem>)> {
        if changed.is_empty() {
            return Ok((batch, Vec::new()));
        }
        let readers = self.readers();
        let mut failed = Vec::new();
        let mut parts = Vec::new();
        for part in batch.parts {
            let key = from_server(&part)
                .map(|(server, entry)| (server.id.0.clone(), entry.uri().as_str().to_owned()));
            match key.and_then(|key| changed.get(&key)) {
                None => parts.push(part),
                Some(error) => {
                    let rows = self.part_rows(&part, DeedKind::Place, None, &readers);
                    failed.extend(
                        rows.iter()
                            .map(as_outcome)
                            .map(|item| OutcomeItem { error: Some(error.clone()), ..item }),
                    );
                }
            }
        }
        Ok((self.vault.plan_batch(parts)?, failed))
    }
}

/// Folders that only get another name.
fn renamed(batch: &Batch) -> HashSet<PathBuf> {
    let renames = batch.parts.iter().filter_map(|part| match part {
        Part::Fix(plan) if plan.purpose == FixPurpose::Rename => Some(plan.target().to_owned()),
        _ => None,
    });
    renames.collect()
}

fn stopped() -> ErrorView {
    ErrorView::new(ErrorCode::Cancelled, "stopped; everything is as it was")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_done_counts_as_done() {
        let item = |result| OutcomeItem {
            name: String::new(),
            tool: String::new(),
            tools: Vec::new(),
            path: String::new(),
            result,
            error: None,
            note: None,
        };
        assert!(did_something(&item(OutcomeResult::Removed)));
        assert!(!did_something(&item(OutcomeResult::Kept)));
        assert!(!did_something(&item(OutcomeResult::Failed)));
    }
}
