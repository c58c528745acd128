//! Where a server's skills come from: the skills extension, or `SKILL.md` resources that have a
//! `_manifest` beside them.

mod folder;
mod pages;
mod unverified;

use std::collections::HashSet;
use std::sync::atomic::{AtomicU8, AtomicUsize, Ordering};

use futures::{StreamExt as _, TryStreamExt as _, stream};
use rmcp::model::ServerCapabilities;
use serde_json::Value;
use skills::MAIN_FILE;
use skills::uri::SkillUri;

use crate::client::{Calls, List};
use crate::error::{ClientError, ErrorKind};
use crate::limits::{LIST_BYTES, MESSAGE_BYTES, READS_AT_ONCE};
use crate::wire::{
    Offer, Offers, Verdict, entry_offer, manifest_offer, plain_offer, refuse_repeated,
    refused_by_its_uri, taken_uri,
};

pub(crate) use folder::folder;
pub use folder::{Folder, FolderFile};
use pages::{Paged, bounded, pages};
pub use unverified::Unverified;
pub(crate) use unverified::{main_file, unverified};

/// Where a server's skills come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// The skills extension.
    Extension,
    /// `_manifest` resources.
    Manifests,
    /// It offers no skills.
    None,
}

/// The source of one connection. For a server without the extension only a look at its resources
/// tells whether it has skills.
#[derive(Debug)]
pub(crate) struct SourceCell(AtomicU8);

const EXTENSION: u8 = 0;
const MANIFESTS: u8 = 1;
const NONE: u8 = 2;

impl SourceCell {
    pub(crate) fn of(capabilities: &ServerCapabilities) -> Self {
        Self(AtomicU8::new(if capabilities.supports_skills() {
            EXTENSION
        } else if capabilities.resources.is_some() {
            MANIFESTS
        } else {
            NONE
        }))
    }

    pub(crate) fn get(&self) -> Source {
        match self.0.load(Ordering::Relaxed) {
            EXTENSION => Source::Extension,
            MANIFESTS => Source::Manifests,
            _ => Source::None,
        }
    }

    fn found_any(&self, any: bool) {
        self.0.store(if any { MANIFESTS } else { NONE }, Ordering::Relaxed);
    }
}

/// Everything the server offers.
pub(crate) async fn list(calls: &Calls, source: &SourceCell) -> Result<Offers, ClientError> {
    let within = calls.timeouts().list;
    let listing = async {
        match source.get() {
            Source::Extension => from_extension(calls).await,
            Source::Manifests | Source::None => from_manifests(calls, source).await,
        }
    };
    match tokio::time::timeout(within, listing).await {
        Ok(offers) => offers,
        Err(_) => Err(ClientError::timeout("list the skills of", calls.server(), within)),
    }
}

/// One skill by its URI.
pub(crate) async fn get(
    calls: &Calls,
    source: &SourceCell,
    uri: &str,
) -> Result<Offer, ClientError> {
    if source.get() != Source::Extension {
        return Ok(one_from_manifest(calls, uri, None, &Budget::new(LIST_BYTES)).await?);
    }
    let answer = calls.get(uri).await?;
    let doing = "get a skill of";
    let Some(skill) = answer.get("skill") else {
        return Err(calls.broken(doing, "the answer holds no skill"));
    };
    match entry_offer(skill) {
        Ok(offer) if offer.uri == uri => Ok(offer),
        Ok(_) => Err(calls.broken(doing, "the answer is about another skill")),
        Err(notice) => Err(calls.broken(doing, &notice)),
    }
}

/// One skill by a URI that the person gave, listed or not. Without the extension, a `SKILL.md`
/// that can be read and has no manifest is an unverifiable skill.
pub(crate) async fn look_up(
    calls: &Calls,
    source: &SourceCell,
    uri: &str,
) -> Result<Offer, ClientError> {
    if source.get() == Source::Extension {
        return get(calls, source, uri).await;
    }
    match one_from_manifest(calls, uri, None, &Budget::new(LIST_BYTES)).await {
        Ok(offer) => Ok(offer),
        Err(NoManifest { error, ours: false }) => Err(error),
        Err(NoManifest { error, .. }) => {
            main_file(calls, uri).await?;
            Ok(without_manifest(uri, None, &error))
        }
    }
}

fn without_manifest(uri: &str, description: Option<&str>, error: &ClientError) -> Offer {
    let why = format!("the server gives no manifest for it: {}", error.reason());
    plain_offer(uri, description, Verdict::Unverifiable(why))
}

async fn from_extension(calls: &Calls) -> Result<Offers, ClientError> {
    let Paged { items, mut notices, good_for_ms } = pages(calls, List::Skills).await?;
    let mut offers = Vec::with_capacity(items.len());
    // One after the other, so that no two forms of all of them are held.
    for item in items {
        match entry_offer(&item) {
            Ok(offer) => offers.push(offer),
            Err(notice) => notices.push(notice),
        }
    }
    refuse_repeated(&mut offers);
    Ok(Offers { offers, notices: bounded(notices), good_for_ms })
}

/// A `SKILL.md` among the resources.
struct Found {
    uri: String,
    description: Option<String>,
    /// Whether the folder of another found `SKILL.md` holds it.
    nested: bool,
}

async fn from_manifests(calls: &Calls, source: &SourceCell) -> Result<Offers, ClientError> {
    let Paged { items, mut notices, good_for_ms } = match pages(calls, List::Resources).await {
        Ok(found) => found,
        // A server may do without resources and still say that it has them, or the other way round.
        Err(error) if error.kind() == ErrorKind::Refused && source.get() == Source::None => {
            return Ok(Offers::default());
        }
        Err(error) => return Err(error),
    };
    let found = main_files(&items, &mut notices);
    source.found_any(!found.is_empty());
    let budget = Budget::new(LIST_BYTES);
    let budget = &budget;
    let offers: Vec<Option<Offer>> = stream::iter(found.into_iter().map(|found| async move {
        let description = found.description.as_deref();
        match one_from_manifest(calls, &found.uri, description, budget).await {
            Ok(offer) => Ok(Some(offer)),
            Err(NoManifest { error, ours: false }) => Err(error),
            Err(_) if found.nested => Ok(None),
            Err(NoManifest { error, .. }) => {
                Ok(Some(without_manifest(&found.uri, description, &error)))
            }
        }
    }))
    .buffered(READS_AT_ONCE)
    .try_collect()
    .await?;
    let mut offers: Vec<Offer> = offers.into_iter().flatten().collect();
    refuse_repeated(&mut offers);
    Ok(Offers { offers, notices: bounded(notices), good_for_ms })
}

/// How many bytes of manifests are still taken: each alone is within the limit of a message, and
/// there may be as many as entries.
#[derive(Debug)]
struct Budget {
    most: usize,
    taken: AtomicUsize,
}

impl Budget {
    fn new(most: usize) -> Self {
        Self { most, taken: AtomicUsize::new(0) }
    }

    fn is_spent(&self) -> bool {
        self.taken.load(Ordering::Relaxed) > self.most
    }

    fn take(&self, bytes: usize) {
        self.taken.fetch_add(bytes, Ordering::Relaxed);
    }
}

/// A manifest that cannot be had.
struct NoManifest {
    error: ClientError,
    /// Whether that is so for this skill only, and not for the whole connection.
    ours: bool,
}

impl From<NoManifest> for ClientError {
    fn from(missing: NoManifest) -> Self {
        missing.error
    }
}

async fn one_from_manifest(
    calls: &Calls,
    uri: &str,
    description: Option<&str>,
    budget: &Budget,
) -> Result<Offer, NoManifest> {
    let doing = "read a manifest of";
    if let Some(refused) = refused_by_its_uri(uri, description) {
        return Ok(refused);
    }
    if budget.is_spent() {
        let reason = format!("the manifests of the others have over {} bytes in all", budget.most);
        let error = ClientError::new(ErrorKind::Refused, doing, calls.server(), reason);
        return Err(NoManifest { error, ours: true });
    }
    let base = uri.strip_suffix(MAIN_FILE).unwrap_or(uri);
    match calls.read(&format!("{base}_manifest"), doing, MESSAGE_BYTES).await {
        Ok(received) => {
            budget.take(received.bytes.len());
            Ok(manifest_offer(uri, description, &received.bytes))
        }
        Err(error) => {
            let ours = matches!(error.kind(), ErrorKind::Refused | ErrorKind::Protocol);
            Err(NoManifest { error, ours })
        }
    }
}

/// The resources that look like skills: `skill://…/SKILL.md`.
fn main_files(items: &[Value], notices: &mut Vec<String>) -> Vec<Found> {
    let mut found = Vec::new();
    for item in items {
        let looks_so = item
            .get("uri")
            .and_then(Value::as_str)
            .is_some_and(|uri| uri.starts_with("skill://") && uri.ends_with("/SKILL.md"));
        if !looks_so {
            continue;
        }
        match taken_uri(item.get("uri")) {
            Ok(uri) => found.push(Found {
                uri: uri.to_owned(),
                description: item.get("description").and_then(Value::as_str).map(str::to_owned),
                nested: false,
            }),
            Err(notice) => notices.push(notice),
        }
    }
    let folders: HashSet<String> = found.iter().filter_map(|found| folder_of(&found.uri)).collect();
    for found in &mut found {
        found.nested = folder_of(&found.uri).is_some_and(|path| {
            path.match_indices('/').any(|(at, _)| folders.contains(&path[..at]))
        });
    }
    found
}

fn folder_of(uri: &str) -> Option<String> {
    SkillUri::parse(uri).ok().map(|uri| uri.skill_path().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn manifests_are_read_until_they_are_too_many_bytes_in_all() {
        let budget = Budget::new(10);
        budget.take(10);
        assert!(!budget.is_spent());
        budget.take(1);
        assert!(budget.is_spent());
    }
}
