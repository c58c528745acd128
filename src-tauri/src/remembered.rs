//! What a server offered earlier, kept for when it is away or no longer offers it. Absence from a
//! list proves nothing, so nothing is forgotten but with the server; of what was looked up by its URI
//! the oldest, when there is too much of it.

mod declared;

use std::collections::{HashMap, HashSet};

use serde::{Deserialize, Serialize};
use skills::origin::ServerId;
use skills_mcp::limits::LOOKED_UP;
use skills_mcp::{Offer, Rule, Verdict};
use vault::{Vault, VaultError};

pub(crate) use declared::declared_entry;

/// The most skills that are remembered of one server.
const MOST: usize = 5000;

/// How much of a description is shown in a row, in characters: as much as a skill may have. A list
/// may have thousands that are longer.
const SHOWN: usize = 1024;

/// How many broken rules are kept of one skill.
const REASONS: usize = 3;

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
    /// Why nothing of it could be checked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unverifiable: Option<String>,
    /// The rules that it broke, a sentence each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub refused: Vec<String>,
}

/// What was looked up by its URI and asked for again.
#[derive(Debug, Clone, Default)]
pub struct LookedUp {
    /// What the server was asked for.
    pub asked: Vec<String>,
    /// What it gave.
    pub found: Vec<Offer>,
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
            description: cut(&offer.description),
            files: entry.map(|entry| entry.files().len()),
            total: entry.map(|entry| entry.manifest().total_size()),
            fingerprint: entry.map(|entry| entry.fingerprint().to_string()),
            gone: false,
            unlisted: false,
            unverifiable: match &offer.verdict {
                Verdict::Unverifiable(reason) => Some(cut(reason)),
                _ => None,
            },
            refused: match &offer.verdict {
                Verdict::Refused(rules) => {
                    rules.iter().take(REASONS).map(|rule| cut(&broken(rule))).collect()
                }
                _ => Vec::new(),
            },
        }
    }

    /// What is kept of an offer that no list showed.
    pub fn unlisted(offer: &Offer) -> Self {
        Self { unlisted: true, ..Self::of(offer) }
    }
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}

/// A rule that a server broke, with what was expected and what came.
pub(crate) fn broken(rule: &Rule) -> String {
    format!("{} (expected {}, found {})", rule.message, rule.expected, rule.actual)
}

/// Those that were looked up by their URI, in the order in which they were, the oldest first. No more
/// than are asked for again.
pub(crate) fn looked_up(skills: &[Remembered]) -> impl Iterator<Item = &Remembered> {
    let all = || skills.iter().filter(|skill| skill.unlisted);
    all().skip(all().count().saturating_sub(LOOKED_UP))
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
/// Says whether that is something else than before.
///
/// # Errors
/// When the ledger fails or the server was removed.
pub fn remember(
    vault: &Vault,
    server: &ServerId,
    offers: &[Offer],
    again: &LookedUp,
) -> Result<bool, VaultError> {
    let before = recall(vault, server)?;
    let found = again.found.iter().map(Remembered::unlisted).collect();
    let listed = offers.iter().map(Remembered::of).collect();
    let now = merge(before.clone(), &again.asked, found, listed);
    vault.remember_offers(server, &serde_json::to_value(&now)?)?;
    declared::keep(vault, server, again.found.iter().chain(offers))?;
    Ok(now != before)
}

/// Remembers one skill that was looked up by its URI.
///
/// # Errors
/// When the ledger fails or the server was removed.
pub fn remember_one(vault: &Vault, server: &ServerId, offer: &Offer) -> Result<(), VaultError> {
    let mut known = recall(vault, server)?;
    known.retain(|skill| skill.uri != offer.uri);
    known.push(Remembered::unlisted(offer));
    if known.iter().filter(|skill| skill.unlisted).count() > LOOKED_UP {
        // One that the server does not give any more goes first.
        let gone = known.iter().position(|skill| skill.unlisted && skill.gone);
        let oldest = known.iter().position(|skill| skill.unlisted);
        gone.or(oldest).map(|at| known.remove(at));
    }
    vault.remember_offers(server, &serde_json::to_value(known)?)
}

/// What is remembered once a list came. What was looked up stays in its order and comes first: a long
/// list must not push it out. Of it only what the server was asked for and did not give is gone.
fn merge(
    before: Vec<Remembered>,
    asked: &[String],
    found: Vec<Remembered>,
    listed: Vec<Remembered>,
) -> Vec<Remembered> {
    let in_list: HashSet<String> = listed.iter().map(|new| new.uri.clone()).collect();
    let asked: HashSet<&str> = asked.iter().map(String::as_str).collect();
    let mut found: HashMap<String, Remembered> =
        found.into_iter().map(|new| (new.uri.clone(), new)).collect();
    let (unlisted, earlier): (Vec<_>, Vec<_>) =
        before.into_iter().filter(|old| !in_list.contains(&old.uri)).partition(|old| old.unlisted);
    let unlisted: Vec<Remembered> = unlisted
        .into_iter()
        .map(|old| match found.remove(&old.uri) {
            Some(now) => now,
            None if asked.contains(old.uri.as_str()) => Remembered { gone: true, ..old },
            None => old,
        })
        .collect();
    let missing = earlier.into_iter().map(|old| Remembered { gone: true, ..old });
    let looked_up = looked_up(&unlisted).cloned().collect::<Vec<_>>();
    looked_up.into_iter().chain(listed).chain(missing).take(MOST).collect()
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
            unverifiable: None,
            refused: Vec::new(),
        }
    }

    fn unlisted(uri: &str, gone: bool) -> Remembered {
        Remembered { unlisted: true, ..skill(uri, gone) }
    }

    #[test]
    fn a_row_shows_as_much_of_a_description_as_a_skill_may_have() {
        assert_eq!(cut(&"ä".repeat(1024)), "ä".repeat(1024));
        assert_eq!(cut(&"ä".repeat(1025)), format!("{}…", "ä".repeat(1024)));
    }

    #[test]
    fn what_is_missing_from_a_list_is_gone_and_not_forgotten() {
        let list = |before, now| merge(before, &[], Vec::new(), vec![now]);
        let after = list(vec![skill("a", false), skill("b", false)], skill("b", false));
        assert_eq!(after, [skill("b", false), skill("a", true)]);
        assert_eq!(list(after, skill("a", false)), [skill("a", false), skill("b", true)]);
    }

    #[test]
    fn what_was_looked_up_is_gone_only_when_the_server_was_asked_for_it() {
        let before = vec![unlisted("a", false), unlisted("b", false), unlisted("c", false)];
        let asked = ["a".to_owned(), "b".to_owned()];
        let after = merge(before, &asked, vec![unlisted("b", false)], vec![skill("l", false)]);
        let now = [unlisted("a", true), unlisted("b", false), unlisted("c", false)];
        assert_eq!(after, [&now[..], &[skill("l", false)]].concat());
        // One that is listed by now is like any other of the list.
        let after = merge(after, &[], Vec::new(), vec![skill("c", false)]);
        let now = [unlisted("a", true), unlisted("b", false), skill("c", false), skill("l", true)];
        assert_eq!(after, now);
    }

    #[test]
    fn with_a_sixty_fifth_that_is_looked_up_the_oldest_is_forgotten_and_not_gone() {
        let uri = |number: usize| format!("u-{number}");
        let before: Vec<_> = (0..65).map(|number| unlisted(&uri(number), false)).collect();
        let again: Vec<_> = looked_up(&before).map(|skill| skill.uri.clone()).collect();
        assert_eq!((again.len(), again[0].as_str(), again[63].as_str()), (64, "u-1", "u-64"));
        let found = again.iter().map(|uri| unlisted(uri, false)).collect();
        let after = merge(before.clone(), &again, found, Vec::new());
        assert_eq!(after, before[1..]);
    }
}
