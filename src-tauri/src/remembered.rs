//! What a server offered earlier, kept for when it is away or no longer offers it. Absence from a
//! list proves nothing, so nothing is forgotten but with the server.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};
use skills::origin::ServerId;
use skills_mcp::{Offer, Verdict};
use vault::{Vault, VaultError};

/// The most skills that are remembered of one server.
const MOST: usize = 5000;

/// One skill that was offered.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Remembered {
    /// As the server wrote it.
    pub uri: String,
    /// For the screen.
    pub name: String,
    /// For the screen.
    pub description: String,
    /// How many files were declared; `None` where none could be checked.
    pub files: Option<usize>,
    /// Their bytes in all.
    pub total: Option<u64>,
    /// 64 digits.
    pub fingerprint: Option<String>,
    /// It was missing from the last list.
    pub gone: bool,
    /// No list showed it: it was looked up by its URI.
    #[serde(default)]
    pub unlisted: bool,
}

impl Remembered {
    /// What is kept of an offer.
    pub fn of(offer: &Offer) -> Self {
        let entry = match &offer.verdict {
            Verdict::Verifiable(entry) => Some(entry),
            _ => None,
        };
        Self {
            uri: offer.uri.clone(),
            name: offer.name.clone(),
            description: offer.description.clone(),
            files: entry.map(|entry| entry.files().len()),
            total: entry.map(|entry| entry.manifest().total_size()),
            fingerprint: entry.map(|entry| entry.fingerprint().to_string()),
            gone: false,
            unlisted: false,
        }
    }

    /// What is kept of an offer that no list showed.
    pub fn unlisted(offer: &Offer) -> Self {
        Self { unlisted: true, ..Self::of(offer) }
    }
}

/// What is remembered of a server.
///
/// # Errors
/// When the ledger fails.
pub fn recall(vault: &Vault, server: &ServerId) -> Result<Vec<Remembered>, VaultError> {
    let Some(last) = vault.last_offers(server)? else { return Ok(Vec::new()) };
    // A form of an earlier version is as good as nothing.
    Ok(serde_json::from_value(last.json).unwrap_or_default())
}

/// Remembers a list and what was looked up besides, and of earlier ones what is missing from both.
///
/// # Errors
/// When the ledger fails or the server was removed.
pub fn remember(
    vault: &Vault,
    server: &ServerId,
    offers: &[Offer],
    looked_up: &[Offer],
) -> Result<(), VaultError> {
    // What was looked up comes first: a long list must not push it out.
    let looked_up = looked_up.iter().map(Remembered::unlisted);
    let now = looked_up.chain(offers.iter().map(Remembered::of)).collect();
    let merged = merge(recall(vault, server)?, now);
    vault.remember_offers(server, &serde_json::to_value(merged)?)
}

/// Remembers one skill that was looked up by its URI.
///
/// # Errors
/// When the ledger fails or the server was removed.
pub fn remember_one(vault: &Vault, server: &ServerId, offer: &Offer) -> Result<(), VaultError> {
    let mut known = recall(vault, server)?;
    known.retain(|skill| skill.uri != offer.uri);
    known.push(Remembered::unlisted(offer));
    vault.remember_offers(server, &serde_json::to_value(known)?)
}

fn merge(before: Vec<Remembered>, now: Vec<Remembered>) -> Vec<Remembered> {
    let known: HashSet<&str> = now.iter().map(|new| new.uri.as_str()).collect();
    let missing: Vec<Remembered> = before
        .into_iter()
        .filter(|old| !known.contains(old.uri.as_str()))
        .map(|old| Remembered { gone: true, ..old })
        .collect();
    now.into_iter().chain(missing).take(MOST).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn skill(uri: &str, gone: bool) -> Remembered {
        Remembered {
            uri: uri.to_owned(),
            name: String::new(),
            description: String::new(),
            files: None,
            total: None,
            fingerprint: None,
            gone,
            unlisted: false,
        }
    }

    #[test]
    fn what_is_missing_from_a_list_is_gone_and_not_forgotten() {
        let after = merge(vec![skill("a", false), skill("b", false)], vec![skill("b", false)]);
        assert_eq!(after, [skill("b", false), skill("a", true)]);
        assert_eq!(merge(after, vec![skill("a", false)]), [skill("a", false), skill("b", true)]);
    }
}
