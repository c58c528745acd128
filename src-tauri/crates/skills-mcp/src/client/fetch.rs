//! Reading the files of an entry, each checked before anything is done with it.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use futures::StreamExt as _;
use futures::stream::FuturesUnordered;
use skills::MAIN_FILE;
use skills::blobs::Blobs;
use skills::entry::{Entry, EntryFile};
use skills::origin::ServerId;
use tokio_util::sync::CancellationToken;

use crate::client::Connection;
use crate::client::pace::{Pace, Went};
use crate::error::{ClientError, ErrorKind};
use crate::limits::{SERVER_BYTES, answer_bytes, quoted};
use crate::source::Source;
use crate::verify::{
    FetchProgress, Fetched, FetchedFile, FileOutcome, FrontMatterCheck, check, check_front_matter,
    matches,
};
use crate::wire::{Offer, Verdict};

/// How often a file is asked for again from a server that says that it is asked too much.
const RETRIES: u32 = 3;

/// The pause before the first of them; each further one is twice as long.
const PAUSE: Duration = Duration::from_millis(250);

/// A fetch and, where something did not match, what the server said when it was asked again.
#[derive(Debug)]
pub enum Settled {
    /// Everything is as declared.
    Verified(Fetched),
    /// Something is not, and the server still declares the same.
    Mismatched(Fetched),
    /// The server declares something else by now.
    Changed(Box<Offer>),
}

impl Connection {
    /// Reads exactly one file of an entry and checks it. Only files that the entry lists can be
    /// read.
    ///
    /// # Errors
    /// When the entry does not list the file, or the connection fails. What is wrong with the file
    /// itself is in its outcome.
    pub async fn read_file(&self, entry: &Entry, path: &str) -> Result<FetchedFile, ClientError> {
        let file = self.listed(entry, path)?;
        self.read_entry_file(entry, file).await
    }

    /// The same through the store: what was verified before is checked again and not read anew.
    ///
    /// # Errors
    /// Those of [`read_file`](Self::read_file).
    pub async fn open_file(
        &self,
        entry: &Entry,
        path: &str,
        server: &ServerId,
        blobs: &dyn Blobs,
    ) -> Result<FetchedFile, ClientError> {
        let file = self.listed(entry, path)?;
        Ok(self.fetch_file(entry, file, server, blobs).await?.file)
    }

    fn listed<'a>(&self, entry: &'a Entry, path: &str) -> Result<&'a EntryFile, ClientError> {
        entry.files().iter().find(|file| file.path == path).ok_or_else(|| {
            ClientError::new(
                ErrorKind::Refused,
                format!("read {} from", quoted(path)),
                self.calls.server(),
                "the entry does not list such a file",
            )
        })
    }

    /// Reads the `SKILL.md` of an entry, compares its front matter, and then reads every other file,
    /// as many at once as the server keeps up with; nothing more where the `SKILL.md` is not as
    /// declared. Files that `blobs` has are checked and not read again; verified ones are put
    /// there, so that a fetch that was stopped goes on where it was.
    ///
    /// # Errors
    /// When it is cancelled or takes too long, when the connection fails, or when more would be
    /// kept of this server than is allowed. What is wrong with single files is in the result.
    pub async fn fetch(
        &self,
        entry: &Entry,
        server: &ServerId,
        blobs: &dyn Blobs,
        progress: &(dyn Fn(FetchProgress) + Send + Sync),
        cancel: &CancellationToken,
    ) -> Result<Fetched, ClientError> {
        let doing = "fetch a skill from";
        self.check_room(entry, server, blobs, SERVER_BYTES)?;
        let within = self.calls.timeouts().fetch;
        tokio::select! {
            biased;
            () = cancel.cancelled() => Err(ClientError::cancelled(doing, self.calls.server())),
            () = tokio::time::sleep(within) => {
                Err(ClientError::timeout(doing, self.calls.server(), within))
            }
            fetched = self.fetch_all(entry, server, blobs, progress) => fetched,
        }
    }

    /// Fetches, and asks for the entry once more where something does not match what it declares.
    ///
    /// # Errors
    /// Those of [`fetch`](Self::fetch), and of [`get`](Self::get) but for a refusal: a server need
    /// not give by itself what lies inside of another skill.
    pub async fn fetch_settled(
        &self,
        entry: &Entry,
        server: &ServerId,
        blobs: &dyn Blobs,
        progress: &(dyn Fn(FetchProgress) + Send + Sync),
        cancel: &CancellationToken,
    ) -> Result<Settled, ClientError> {
        let fetched = self.fetch(entry, server, blobs, progress, cancel).await?;
        if fetched.is_verified() {
            return Ok(Settled::Verified(fetched));
        }
        let again = tokio::select! {
            biased;
            () = cancel.cancelled() => {
                return Err(ClientError::cancelled("fetch a skill from", self.calls.server()));
            }
            again = self.get(entry.uri().as_str()) => again,
        };
        match again {
            Ok(offer) if declares(&offer, entry) => Ok(Settled::Mismatched(fetched)),
            Ok(offer) => Ok(Settled::Changed(Box::new(offer))),
            Err(error) if error.kind() == ErrorKind::Refused => Ok(Settled::Mismatched(fetched)),
            Err(error) => Err(error),
        }
    }

    fn check_room(
        &self,
        entry: &Entry,
        server: &ServerId,
        blobs: &dyn Blobs,
        most: u64,
    ) -> Result<(), ClientError> {
        // A store that cannot say how much it holds says what is wrong when it is used.
        let kept = blobs.stored(server).unwrap_or_default();
        if kept.saturating_add(entry.manifest().total_size()) <= most {
            return Ok(());
        }
        let reason = format!("{kept} bytes are kept of it already; {most} is the most");
        Err(ClientError::new(ErrorKind::Refused, "fetch a skill from", self.calls.server(), reason)
            .with_hint("remove the server and add it again to start with none"))
    }

    async fn fetch_all(
        &self,
        entry: &Entry,
        server: &ServerId,
        blobs: &dyn Blobs,
        progress: &(dyn Fn(FetchProgress) + Send + Sync),
    ) -> Result<Fetched, ClientError> {
        let mut so_far = FetchProgress {
            files_done: 0,
            files: entry.files().len(),
            bytes_done: 0,
            bytes: entry.manifest().total_size(),
        };
        progress(so_far);
        let mut files: Vec<Option<FetchedFile>> = vec![None; entry.files().len()];
        let mut pace = Pace::new();
        let main = entry.files().iter().position(|file| file.path == MAIN_FILE).unwrap_or_default();
        let others = (0..files.len()).filter(|at| *at != main);
        let mut waiting: VecDeque<(usize, u32)> =
            std::iter::once(main).chain(others).map(|at| (at, 0)).collect();
        let mut running = FuturesUnordered::new();
        loop {
            // The SKILL.md comes first and alone: where it is not as declared, nothing else of that
            // skill is asked for.
            let first = files.get(main).is_some_and(Option::is_none);
            let at_once = if first { 1 } else { pace.at_once() };
            while running.len() < at_once
                && let Some((at, tried)) = waiting.pop_front()
            {
                let file = &entry.files()[at];
                running.push(async move {
                    if tried > 0 {
                        tokio::time::sleep(PAUSE * 2_u32.pow(tried - 1)).await;
                    }
                    let began = Instant::now();
                    let read = self.fetch_file(entry, file, server, blobs).await;
                    (at, tried, began.elapsed(), read)
                });
            }
            let Some((at, tried, took, read)) = running.next().await else { break };
            let others = running.len();
            match read {
                Ok(read) => {
                    if read.asked {
                        pace.ended(Went::Answered(took), others);
                    }
                    so_far.files_done += 1;
                    so_far.bytes_done = so_far.bytes_done.saturating_add(entry.files()[at].size);
                    if at == main && !is_as_declared(entry, &read.file) {
                        waiting.clear();
                    }
                    files[at] = Some(read.file);
                    progress(so_far);
                }
                Err(error) if may_help(&error, tried, so_far.files_done > 0) => {
                    pace.ended(Went::Overloaded, others);
                    waiting.push_front((at, tried + 1));
                }
                Err(error) => return Err(error),
            }
        }
        drop(running);
        let files: Vec<FetchedFile> = files
            .into_iter()
            .zip(entry.files())
            .map(|(read, file)| {
                read.unwrap_or_else(|| FetchedFile {
                    path: file.path.clone(),
                    outcome: FileOutcome::NotRead,
                })
            })
            .collect();
        let front_matter = check_front_matter(entry, &files);
        Ok(Fetched { files, front_matter })
    }

    async fn fetch_file(
        &self,
        entry: &Entry,
        file: &EntryFile,
        server: &ServerId,
        blobs: &dyn Blobs,
    ) -> Result<Read, ClientError> {
        match blobs.get(server, &file.digest) {
            Ok(Some(bytes)) if matches(file, &bytes) => {
                let outcome = FileOutcome::Verified { bytes, line_endings_restored: false };
                let file = FetchedFile { path: file.path.clone(), outcome };
                return Ok(Read { file, asked: false });
            }
            Ok(_) => {}
            Err(error) => tracing::warn!(%error, "a stored file is read from the server again"),
        }
        let mut fetched = self.read_entry_file(entry, file).await?;
        if let FileOutcome::Verified { bytes, .. } = &fetched.outcome {
            match blobs.put(server, bytes) {
                Ok(digest) if digest == file.digest => {}
                Ok(_) => {
                    fetched.outcome = FileOutcome::Failed(
                        "the store of verified files kept other bytes".to_owned(),
                    );
                }
                Err(error) => {
                    fetched.outcome = FileOutcome::Failed(format!("{error}: {}", error.source));
                }
            }
        }
        Ok(Read { file: fetched, asked: true })
    }

    /// The URI as it is written first. Where the entry comes from a `_manifest`, the URI is ours,
    /// and older servers know only the spelling without percent-encoding.
    async fn read_entry_file(
        &self,
        entry: &Entry,
        file: &EntryFile,
    ) -> Result<FetchedFile, ClientError> {
        let doing = format!("read {} from", quoted(&file.path));
        let mut outcome = self.attempt(file, &file.uri, &doing).await?;
        if !matches!(outcome, FileOutcome::Verified { .. }) && self.source() == Source::Manifests {
            let raw = raw_uri(entry, &file.path);
            if raw != file.uri {
                let second = self.attempt(file, &raw, &doing).await?;
                // The first answer stands unless the second says more.
                if !matches!(second, FileOutcome::Failed(_)) {
                    outcome = second;
                }
            }
        }
        Ok(FetchedFile { path: file.path.clone(), outcome })
    }

    async fn attempt(
        &self,
        file: &EntryFile,
        uri: &str,
        doing: &str,
    ) -> Result<FileOutcome, ClientError> {
        match self.calls.read(uri, doing, answer_bytes(file.size)).await {
            Ok(received) => Ok(check(file, received)),
            Err(error) => match error.kind() {
                ErrorKind::Refused | ErrorKind::Protocol => {
                    Ok(FileOutcome::Failed(error.reason().to_owned()))
                }
                _ => Err(error),
            },
        }
    }
}

/// Whether to ask for a file again, of which there were so many tries: of a server that is asked
/// too much, or that did not answer in time though it answers others.
fn may_help(error: &ClientError, tried: u32, answers: bool) -> bool {
    let late = error.kind() == ErrorKind::Timeout && answers && tried == 0;
    late || (error.is_busy() && tried < RETRIES)
}

/// One file, and whether the server was asked for it.
struct Read {
    file: FetchedFile,
    asked: bool,
}

/// Whether a `SKILL.md` that was read has the declared bytes and front matter.
fn is_as_declared(entry: &Entry, main: &FetchedFile) -> bool {
    matches!(main.outcome, FileOutcome::Verified { .. })
        && !matches!(
            check_front_matter(entry, std::slice::from_ref(main)),
            FrontMatterCheck::Differs(_)
        )
}

/// Whether an offer declares what this entry does.
fn declares(offer: &Offer, entry: &Entry) -> bool {
    match &offer.verdict {
        Verdict::Verifiable(now) => {
            now.files() == entry.files() && now.front_matter() == entry.front_matter()
        }
        _ => false,
    }
}

fn raw_uri(entry: &Entry, path: &str) -> String {
    let uri = entry.uri().as_str();
    let base = uri.strip_suffix(skills::MAIN_FILE).unwrap_or(uri);
    format!("{base}{path}")
}
