//! The bytes of a skill, checked and looked into, before anything of it is written.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use skills::blobs::{Blobs, BlobsError};
use skills::digest::Digest;
use skills::entry::Entry;
use skills::inspect::inspect;
use skills::origin::ServerId;
use skills_mcp::{Connection, Fetched, FileOutcome, Settled};
use tokio_util::sync::CancellationToken;

use super::Ended;
use super::shown::Found;
use crate::verdict::line_endings;

/// All files, or a sentence on why they are not taken. Nothing is written to the disk.
pub(super) async fn fetch(
    connection: &Connection,
    entry: &Entry,
) -> Result<Result<Fetched, String>, Ended> {
    let (nobody, bytes) = (ServerId(String::new()), InMemory::default());
    let cancel = CancellationToken::new();
    Ok(match connection.fetch_settled(entry, &nobody, &bytes, &|_| {}, &cancel).await? {
        Settled::Verified(fetched) => Ok(fetched),
        Settled::Changed(_) => {
            Err("the server changed it while it was fetched; look at it again".to_owned())
        }
        Settled::Mismatched(fetched) => {
            Err(format!("it does not match what it declares: {}", wrong(&fetched)))
        }
    })
}

/// What is wrong with the first file that is not as declared.
fn wrong(fetched: &Fetched) -> String {
    let wrong = fetched.files.iter().find_map(|file| match &file.outcome {
        FileOutcome::Verified { .. } | FileOutcome::NotRead => None,
        FileOutcome::Mismatch {
            expected_size,
            expected,
            actual_size,
            actual,
            only_line_endings,
            ..
        } => {
            let remark = line_endings(*only_line_endings);
            Some(format!(
                "{}: expected {expected_size} bytes, {expected}, received {actual_size} bytes, \
                 {actual}{remark}",
                file.path
            ))
        }
        FileOutcome::Failed(why) => Some(format!("{}: {why}", file.path)),
    });
    wrong.unwrap_or_else(|| "the front matter is not the declared one".to_owned())
}

/// What an inspection found in the bytes, as the window would show it.
pub(super) fn findings(fetched: &Fetched) -> Vec<Found> {
    let Some(files) = fetched.verified() else { return Vec::new() };
    inspect(&files).findings.into_iter().map(Found).collect()
}

pub(super) fn restored(fetched: &Fetched) -> Vec<String> {
    let restored = fetched.files.iter().filter(|file| {
        matches!(file.outcome, FileOutcome::Verified { line_endings_restored: true, .. })
    });
    restored.map(|file| file.path.clone()).collect()
}

/// Bytes of one skill on their way to the disk.
#[derive(Default)]
struct InMemory(Mutex<BTreeMap<Digest, Vec<u8>>>);

impl Blobs for InMemory {
    fn get(&self, _: &ServerId, digest: &Digest) -> Result<Option<Vec<u8>>, BlobsError> {
        Ok(self.0.lock().unwrap_or_else(PoisonError::into_inner).get(digest).cloned())
    }

    fn put(&self, _: &ServerId, bytes: &[u8]) -> Result<Digest, BlobsError> {
        let digest = Digest::of(bytes);
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.insert(digest, bytes.to_vec());
        Ok(digest)
    }

    fn stored(&self, _: &ServerId) -> Result<u64, BlobsError> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(kept.values().map(|bytes| bytes.len() as u64).sum())
    }
}
