//! What a server offered earlier, kept for when it is away or no longer offers it. Absence from a
//! list proves nothing, so nothing is forgotten but with the server.

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
        }
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

/// Remembers a list, and of earlier ones what is missing from it.
///
/// # Errors
/// When the ledger fails or the server was removed.
pub fn remember(vault: &Vault, server: &ServerId, offers: &[Offer]) -> Result<(), VaultError> {
    let merged = merge(recall(vault, server)?, offers.iter().map(Remembered::of).collect());
    vault.remember_offers(server, &serde_json::to_value(merged)?)
}

fn merge(before: Vec<Remembered>, now: Vec<Remembered>) -> Vec<Remembered> {
    let missing: Vec<Remembered> = before
        .into_iter()
        .filter(|old| !now.iter().any(|new| new.uri == old.uri))
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
        }
    }

    #[test]
    fn what_is_missing_from_a_list_is_gone_and_not_forgotten() {
        let after = merge(vec![skill("a", false), skill("b", false)], vec![skill("b", false)]);
        assert_eq!(after, [skill("b", false), skill("a", true)]);
        assert_eq!(merge(after, vec![skill("a", false)]), [skill("a", false), skill("b", true)]);
    }
}
