//! What can be read of a skill that declares no digests. Nothing of it is verified, so it is only
//! looked at, or written where no tool reads.

use std::collections::BTreeMap;

use futures::{StreamExt as _, TryStreamExt as _, stream};
use serde_json::Value;
use skills::MAIN_FILE;
use skills::path::{check_portable, collision};
use skills::uri::SkillUri;

use super::folder::walk;
use super::pages::pages;
use crate::client::{Calls, List};
use crate::error::{ClientError, ErrorKind};
use crate::limits::{FILE_BYTES, SKILL_BYTES, SKILL_FILES, answer_bytes, quoted};

/// Reads at once: nothing is declared of their sizes.
const READS: usize = 4;

/// The files of a skill as they were read, which nothing vouches for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unverified {
    /// The last part of the skill's path.
    pub name: String,
    /// By path, every name checked; the `SKILL.md` is among them.
    pub files: BTreeMap<String, Vec<u8>>,
    /// What was not taken, a sentence each.
    pub notices: Vec<String>,
}

/// The bytes of a `SKILL.md`, unverified.
pub(crate) async fn main_file(calls: &Calls, uri: &str) -> Result<Vec<u8>, ClientError> {
    read(calls, uri, MAIN_FILE).await
}

/// Every file that the server shows of one skill: in its folder where it can show that, else among
/// its resources.
pub(crate) async fn unverified(
    calls: &Calls,
    uri: &str,
    by_folder: bool,
) -> Result<Unverified, ClientError> {
    let doing = "read a skill of";
    let refused = |reason: String| {
        ClientError::new(ErrorKind::Protocol, doing, calls.server(), quoted(&reason))
    };
    let skill = SkillUri::parse(uri).map_err(|error| refused(error.to_string()))?;
    check_portable(skill.name()).map_err(|problem| refused(problem.to_string()))?;
    let (mut wanted, notices) = if by_folder {
        let walked = walk(calls, &skill).await?;
        (walked.files, walked.notices)
    } else {
        let listed = pages(calls, List::Resources).await?;
        (inside(&skill, &listed.items), listed.notices)
    };
    wanted.remove("_manifest");
    wanted.insert(MAIN_FILE.to_owned(), uri.to_owned());
    if wanted.len() > SKILL_FILES {
        let count = wanted.len();
        return Err(refused(format!("the skill has {count} files; {SKILL_FILES} is the most")));
    }
    for path in wanted.keys() {
        check_portable(path).map_err(|problem| refused(problem.to_string()))?;
    }
    if let Some((one, other)) = collision(wanted.keys().map(String::as_str)) {
        let both = format!("{one:?} and {other:?}");
        return Err(refused(format!("{both} cannot both exist on every file system")));
    }
    let mut files = BTreeMap::new();
    let mut total = 0_u64;
    let mut reads = stream::iter(wanted.into_iter().map(|(path, uri)| async move {
        let bytes = read(calls, &uri, &path).await?;
        Ok::<_, ClientError>((path, bytes))
    }))
    .buffered(READS);
    while let Some((path, bytes)) = reads.try_next().await? {
        total = total.saturating_add(bytes.len() as u64);
        if total > SKILL_BYTES {
            return Err(refused(format!("the skill has more than {SKILL_BYTES} bytes")));
        }
        files.insert(path, bytes);
    }
    Ok(Unverified { name: skill.name().to_owned(), files, notices })
}

/// The resources inside of a skill: URI by path. Others are not its files.
fn inside(skill: &SkillUri, items: &[Value]) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for item in items {
        let Some(uri) = item.get("uri").and_then(Value::as_str) else { continue };
        if uri.contains(['?', '#']) {
            continue;
        }
        if let Ok(path) = skill.path_of(uri) {
            found.entry(path).or_insert_with(|| uri.to_owned());
        }
    }
    found
}

async fn read(calls: &Calls, uri: &str, path: &str) -> Result<Vec<u8>, ClientError> {
    let doing = format!("read {} from", quoted(path));
    let received = calls.read(uri, &doing, answer_bytes(FILE_BYTES)).await?;
    if received.bytes.len() as u64 > FILE_BYTES {
        let reason = format!("it has more than {FILE_BYTES} bytes");
        return Err(ClientError::new(ErrorKind::Protocol, doing, calls.server(), reason));
    }
    Ok(received.bytes)
}
