//! Reading the files of an entry, each checked before anything is done with it.

use futures::{StreamExt as _, stream};
use skills::blobs::Blobs;
use skills::entry::{Entry, EntryFile};
use skills::origin::ServerId;
use tokio_util::sync::CancellationToken;

use crate::client::Connection;
use crate::error::{ClientError, ErrorKind};
use crate::limits::{READS_AT_ONCE, quoted};
use crate::source::Source;
use crate::verify::{
    FetchProgress, Fetched, FetchedFile, FileOutcome, check, check_front_matter, matches,
};

impl Connection {
    /// Reads exactly one file of an entry and checks it. Only files that the entry lists can be
    /// read.
    ///
    /// # Errors
    /// When the entry does not list the file, or the connection fails. What is wrong with the file
    /// itself is in its outcome.
    pub async fn read_file(&self, entry: &Entry, path: &str) -> Result<FetchedFile, ClientError> {
        let Some(file) = entry.files().iter().find(|file| file.path == path) else {
            return Err(ClientError::new(
                ErrorKind::Refused,
                format!("read {} from", quoted(path)),
                self.calls.server(),
                "the entry does not list such a file",
            ));
        };
        self.read_entry_file(entry, file).await
    }

    /// Reads every file of an entry, a few at a time, and compares the front matter. Files that
    /// `blobs` has are checked and not read again; verified ones are put there.
    ///
    /// # Errors
    /// When it is cancelled or the connection fails. What is wrong with single files is in the
    /// result.
    pub async fn fetch(
        &self,
        entry: &Entry,
        server: &ServerId,
        blobs: &dyn Blobs,
        progress: &(dyn Fn(FetchProgress) + Send + Sync),
        cancel: &CancellationToken,
    ) -> Result<Fetched, ClientError> {
        let mut so_far = FetchProgress {
            files_done: 0,
            files: entry.files().len(),
            bytes_done: 0,
            bytes: entry.manifest().total_size(),
        };
        progress(so_far);
        let mut reads =
            stream::iter(entry.files().iter().enumerate().map(|(at, file)| async move {
                let fetched = self.fetch_file(entry, file, server, blobs).await;
                (at, file.size, fetched)
            }))
            .buffer_unordered(READS_AT_ONCE);
        let mut files: Vec<Option<FetchedFile>> = vec![None; entry.files().len()];
        loop {
            let next = tokio::select! {
                biased;
                () = cancel.cancelled() => {
                    return Err(ClientError::cancelled("fetch a skill from", self.calls.server()));
                }
                next = reads.next() => next,
            };
            let Some((at, size, fetched)) = next else { break };
            files[at] = Some(fetched?);
            so_far.files_done += 1;
            so_far.bytes_done = so_far.bytes_done.saturating_add(size);
            progress(so_far);
        }
        drop(reads);
        let files: Vec<FetchedFile> = files.into_iter().flatten().collect();
        let front_matter = check_front_matter(entry, &files);
        Ok(Fetched { files, front_matter })
    }

    async fn fetch_file(
        &self,
        entry: &Entry,
        file: &EntryFile,
        server: &ServerId,
        blobs: &dyn Blobs,
    ) -> Result<FetchedFile, ClientError> {
        match blobs.get(server, &file.digest) {
            Ok(Some(bytes)) if matches(file, &bytes) => {
                let outcome = FileOutcome::Verified { bytes, line_endings_restored: false };
                return Ok(FetchedFile { path: file.path.clone(), outcome });
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
        Ok(fetched)
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
        match self.calls.read(uri, doing).await {
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

fn raw_uri(entry: &Entry, path: &str) -> String {
    let uri = entry.uri().as_str();
    let base = uri.strip_suffix(skills::MAIN_FILE).unwrap_or(uri);
    format!("{base}{path}")
}
