//! Reviews that run: the bytes of an offered skill as they were fetched, and the decision on them.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use skills::MAIN_FILE;
use skills::blobs::Blobs as _;
use skills::entry::Entry;
use skills::inspect::{Inspection, inspect};
use skills_mcp::limits::{RESTARTS, SERVER_BYTES};
use skills_mcp::{FetchProgress, Fetched, FileOutcome, FrontMatterCheck, Settled, Verdict};
use tokio_util::sync::CancellationToken;
use vault::servers::SavedServer;

use crate::error::Outcome;
use crate::jobs::{Reporter, new_id};
use crate::offers::{blocking, file_content};
use crate::shell::Shell;
use crate::verdict;
use crate::view::{ErrorCode, ErrorView, FileContent, Progress, ReviewView, Scope};

/// Reviews that are kept at once; a skill is 16 MiB at most.
const MOST: usize = 8;

/// Characters of the remark on an approval.
const MOST_NOTED: usize = 500;

/// One skill as it was fetched for a person to look at.
#[derive(Debug)]
pub struct Review {
    /// Opaque; what commands take.
    pub id: String,
    /// The server it came from.
    pub server: SavedServer,
    /// What the server declared.
    pub entry: Entry,
    /// What it gave, file by file.
    pub fetched: Fetched,
    /// The files when every check holds.
    pub verified: Option<BTreeMap<String, Vec<u8>>>,
    /// What was found in the files that match.
    pub inspection: Inspection,
    /// What happened on the server while it was fetched.
    pub note: Option<String>,
}

impl Review {
    /// Puts together what was fetched.
    pub fn new(server: SavedServer, entry: Entry, fetched: Fetched) -> Self {
        let inspection = inspect(&matching(&fetched));
        let verified = fetched.verified();
        Self { id: new_id(), server, entry, fetched, verified, inspection, note: None }
    }

    /// The bytes of the `SKILL.md`, when they are those the server declared.
    pub fn main(&self) -> Option<&[u8]> {
        self.fetched.files.iter().find_map(|file| match &file.outcome {
            FileOutcome::Verified { bytes, .. } if file.path == MAIN_FILE => Some(bytes.as_slice()),
            _ => None,
        })
    }
}

/// The files whose bytes are those that were declared.
fn matching(fetched: &Fetched) -> BTreeMap<String, Vec<u8>> {
    let files = fetched.files.iter().filter_map(|file| match &file.outcome {
        FileOutcome::Verified { bytes, .. } => Some((file.path.clone(), bytes.clone())),
        _ => None,
    });
    files.collect()
}

/// The running reviews, oldest first.
#[derive(Debug, Default)]
pub struct Reviews {
    running: Mutex<VecDeque<Arc<Review>>>,
}

impl Reviews {
    fn add(&self, review: Arc<Review>) {
        let mut running = self.running();
        if running.len() >= MOST {
            running.pop_front();
        }
        running.push_back(review);
    }

    fn get(&self, id: &str) -> Outcome<Arc<Review>> {
        let found = self.running().iter().find(|review| review.id == id).cloned();
        found.ok_or_else(|| ErrorView::gone("this review was closed").with_hint("start it again"))
    }

    /// Forgets a review.
    pub fn close(&self, id: &str) {
        self.running().retain(|review| review.id != id);
    }

    fn running(&self) -> MutexGuard<'_, VecDeque<Arc<Review>>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Shell {
    /// Fetches a skill and checks it.
    ///
    /// # Errors
    /// When the server does not give it, or the job is stopped.
    pub async fn start_review(
        self: &Arc<Self>,
        server: &str,
        uri: &str,
        stop: &CancellationToken,
        progress: impl Fn(Progress) + Send + Sync + 'static,
    ) -> Outcome<ReviewView> {
        let server = self.server(server)?;
        let stopped = || ErrorView::new(ErrorCode::Cancelled, "the review was stopped");
        let mut entry = tokio::select! {
            biased;
            () = stop.cancelled() => return Err(stopped()),
            entry = self.entry_now(&server, uri) => entry?,
        };
        let progress: Arc<dyn Fn(Progress) + Send + Sync> = Arc::new(progress);
        let mut note = None;
        for _ in 0..=RESTARTS {
            self.notice(&server, &entry).await?;
            let settled = self.fetch_for_review(&server, &entry, stop, &progress).await?;
            if stop.is_cancelled() {
                return Err(stopped());
            }
            let fetched = match settled {
                Settled::Verified(fetched) => {
                    self.doubts.settled(&server.id, &entry);
                    fetched
                }
                Settled::Mismatched(fetched) => {
                    self.doubts.mismatched(&server.id, &entry, does_not_match(&fetched));
                    self.events.changed(Scope::Servers);
                    fetched
                }
                Settled::Changed(offer) => {
                    self.connections.refresh(&server.id);
                    let Verdict::Verifiable(now) = offer.verdict else {
                        let message = format!(
                            "{} can no longer be checked on {}",
                            entry.name(),
                            server.label
                        );
                        return Err(ErrorView::changed(message)
                            .with_hint("the list of the server says why"));
                    };
                    let what = format!("it changed on {} while it was fetched", server.label);
                    self.doubts.changed(&server.id, &now, what.clone());
                    note = Some(what);
                    entry = now;
                    continue;
                }
            };
            let (shell, of) = (Arc::clone(self), server.clone());
            let (review, view) = blocking(move || {
                let review = Review { note, ..Review::new(of, entry, fetched) };
                let view = shell.review_view(&review)?;
                Ok::<_, ErrorView>((review, view))
            })
            .await??;
            if stop.is_cancelled() {
                return Err(stopped());
            }
            self.reviews.add(Arc::new(review));
            return Ok(view);
        }
        let message = format!("{} changes faster than it can be fetched", entry.name());
        Err(ErrorView::changed(message).with_hint("start the review again later"))
    }

    /// Fetches all files, on a thread that may wait: the store of verified files is written
    /// meanwhile.
    pub(crate) async fn fetch_for_review(
        self: &Arc<Self>,
        server: &SavedServer,
        entry: &Entry,
        stop: &CancellationToken,
        progress: &Arc<dyn Fn(Progress) + Send + Sync>,
    ) -> Outcome<Settled> {
        let connection = self.connection(server)?;
        let (shell, stopping, progress) = (Arc::clone(self), stop.clone(), Arc::clone(progress));
        let (entry, server) = (entry.clone(), server.id.clone());
        blocking(move || {
            let stored = shell.vault.stored(&server).unwrap_or_default();
            if stored.saturating_add(entry.manifest().total_size()) > SERVER_BYTES {
                let removed = shell.vault.make_room(&server)?;
                tracing::info!(server = %server, removed, "made room for what is fetched");
            }
            let reporter = Reporter::new(move |so_far| progress(so_far));
            let told = |so_far: FetchProgress| {
                reporter.report(Progress {
                    what: entry.name().to_owned(),
                    done: so_far.files_done,
                    of: so_far.files,
                    bytes: so_far.bytes_done,
                    of_bytes: so_far.bytes,
                });
            };
            let fetch =
                connection.fetch_settled(&entry, &server, shell.vault.as_ref(), &told, &stopping);
            Ok(tauri::async_runtime::block_on(fetch)?)
        })
        .await?
    }

    /// One file of a running review, as it was fetched.
    ///
    /// # Errors
    /// When the review was closed or has no such file.
    pub fn review_file(&self, review: &str, path: &str) -> Outcome<FileContent> {
        let review = self.reviews.get(review)?;
        let declared = review.entry.manifest().get(path);
        let fetched = review.fetched.files.iter().find(|file| file.path == path);
        match (declared, fetched) {
            (Some(declared), Some(fetched)) => Ok(file_content(fetched, declared.size)),
            _ => Err(ErrorView::gone(format!("{} has no file {path}", review.entry.name()))),
        }
    }

    /// Approves exactly the content with this fingerprint.
    ///
    /// # Errors
    /// When a check does not hold, a grave finding is not ticked, or the server offers something
    /// else by now.
    pub async fn approve(
        self: &Arc<Self>,
        review: &str,
        fingerprint: &str,
        grant: bool,
        ticked: &[String],
    ) -> Outcome<()> {
        self.approve_noting(review, fingerprint, grant, ticked, None).await
    }

    /// The same with the person's own remark.
    ///
    /// # Errors
    /// When the remark is too long; else as [`Shell::approve`].
    pub async fn approve_noting(
        self: &Arc<Self>,
        review: &str,
        fingerprint: &str,
        grant: bool,
        ticked: &[String],
        note: Option<&str>,
    ) -> Outcome<()> {
        let note = note.map(str::trim).filter(|note| !note.is_empty()).map(str::to_owned);
        if note.as_ref().is_some_and(|note| note.chars().count() > MOST_NOTED) {
            return Err(ErrorView::bad_input(format!(
                "a remark has {MOST_NOTED} characters at most"
            )));
        }
        let review = self.reviews.get(review)?;
        same_content(&review, fingerprint)?;
        let blockers = verdict::blockers(&review);
        if !blockers.is_empty() || review.verified.is_none() {
            return Err(ErrorView {
                causes: blockers,
                ..ErrorView::new(
                    ErrorCode::NotApproved,
                    format!("{} cannot be approved: a check does not hold", review.entry.name()),
                )
            });
        }
        let mut grave = review.inspection.findings.iter().filter(|finding| finding.is_grave());
        if let Some(finding) =
            grave.find(|finding| !ticked.iter().any(|code| code == finding.diagnostic.code))
        {
            return Err(ErrorView::bad_input(format!(
                "a grave finding was not ticked: {}",
                finding.diagnostic.message
            )));
        }
        let now = self.entry_now(&review.server, review.entry.uri().as_str()).await?;
        if now.files() != review.entry.files() || now.front_matter() != review.entry.front_matter()
        {
            self.notice(&review.server, &now).await?;
            return Err(ErrorView::changed(format!(
                "{} changed on {} since you opened the review",
                review.entry.name(),
                review.server.label
            ))
            .with_hint("fetch it again to see what the server offers now"));
        }
        if let Some(why) = self.doubts.mismatch(&review.server.id, &review.entry) {
            let name = review.entry.name();
            return Err(ErrorView::changed(format!(
                "{name} does not match what it declares: {why}"
            )));
        }
        let (vault, decided) = (Arc::clone(&self.vault), Arc::clone(&review));
        blocking(move || {
            let findings = decided
                .inspection
                .findings
                .iter()
                .map(|finding| {
                    format!("{}: {}", finding.diagnostic.code, finding.diagnostic.message)
                })
                .collect();
            let (server, entry) = (&decided.server, &decided.entry);
            vault.approve_noting(server, entry, grant, findings, note.as_deref())
        })
        .await??;
        if review.server.endpoint == skills::origin::Endpoint::Samples
            && self.samples.mark_approved(review.entry.uri().as_str())
        {
            self.vault.set_samples_changed(true)?;
        }
        self.events.changed(Scope::Servers);
        self.events.changed(Scope::Activity);
        Ok(())
    }

    /// Rejects exactly the content with this fingerprint.
    ///
    /// # Errors
    /// When the review was closed or shows other content.
    pub async fn reject(self: &Arc<Self>, review: &str, fingerprint: &str) -> Outcome<()> {
        let review = self.reviews.get(review)?;
        same_content(&review, fingerprint)?;
        let vault = Arc::clone(&self.vault);
        blocking(move || vault.reject(&review.server, &review.entry)).await??;
        self.events.changed(Scope::Servers);
        self.events.changed(Scope::Activity);
        Ok(())
    }

    /// Takes note of an entry just seen, and tells when that ended an approval.
    pub(crate) async fn notice(&self, server: &SavedServer, entry: &Entry) -> Outcome<()> {
        let (vault, server, entry) = (Arc::clone(&self.vault), server.clone(), entry.clone());
        if blocking(move || vault.notice(&server, &entry)).await?? {
            self.events.changed(Scope::Servers);
            self.events.changed(Scope::Activity);
        }
        Ok(())
    }
}

/// What is wrong with what the server gave, in a sentence.
fn does_not_match(fetched: &Fetched) -> String {
    let fine = |outcome: &FileOutcome| {
        matches!(outcome, FileOutcome::Verified { .. } | FileOutcome::NotRead)
    };
    let wrong = fetched.files.iter().find(|file| !fine(&file.outcome));
    match (wrong, &fetched.front_matter) {
        (Some(file), _) => match &file.outcome {
            FileOutcome::Failed(why) => format!("{} could not be fetched: {why}", file.path),
            _ => format!("{} is not what the server declares", file.path),
        },
        (None, FrontMatterCheck::Differs(_)) => {
            "the front matter is not the declared one".to_owned()
        }
        (None, _) => "not every file could be checked".to_owned(),
    }
}

fn same_content(review: &Review, fingerprint: &str) -> Outcome<()> {
    if review.entry.fingerprint().to_string() == fingerprint {
        Ok(())
    } else {
        Err(ErrorView::changed("the review shows other content than what was decided on")
            .with_hint("close the review and open it again"))
    }
}
