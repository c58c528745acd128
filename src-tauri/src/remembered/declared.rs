//! What a server declared of its skills when they were listed last, in full: front matter and files.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use skills::entry::{Entry, EntryFile};
use skills::origin::ServerId;
use skills::uri::SkillUri;
use skills_mcp::{Offer, Verdict};
use vault::{Vault, VaultError};

/// The most bytes of JSON that are kept of one skill: some thousand files.
const SKILL_BYTES: usize = 1024 * 1024;

/// The most bytes of JSON that are kept of one server.
const SERVER_BYTES: usize = 16 * 1024 * 1024;

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Declared<'a> {
    front_matter: Option<Cow<'a, Map<String, Value>>>,
    description: Cow<'a, str>,
    files: Cow<'a, [EntryFile]>,
}

/// Keeps what is declared of these, as far as there is room for it; the first have it first.
pub(super) fn keep<'a>(
    vault: &Vault,
    server: &ServerId,
    offers: impl Iterator<Item = &'a Offer>,
) -> Result<(), VaultError> {
    vault.keep_declared(server, &fitting(offers, SKILL_BYTES, SERVER_BYTES)?)
}

fn fitting<'a>(
    offers: impl Iterator<Item = &'a Offer>,
    of_one: usize,
    of_all: usize,
) -> Result<Vec<(String, String)>, VaultError> {
    let mut left = of_all;
    let mut kept = Vec::new();
    for offer in offers {
        let Verdict::Verifiable(entry) = &offer.verdict else { continue };
        let json = serde_json::to_string(&Declared {
            front_matter: entry.front_matter().map(Cow::Borrowed),
            description: Cow::Borrowed(&offer.description),
            files: Cow::Borrowed(entry.files()),
        })?;
        if json.len() <= of_one {
            let Some(rest) = left.checked_sub(json.len()) else { break };
            left = rest;
            kept.push((offer.uri.clone(), json));
        }
    }
    Ok(kept)
}

/// What a server declared of one skill when it was listed last, where that was kept.
///
/// # Errors
/// When the ledger fails.
pub(crate) fn declared_entry(
    vault: &Vault,
    server: &ServerId,
    uri: &str,
) -> Result<Option<Entry>, VaultError> {
    let json = vault.declared(server, uri)?;
    // A form of an earlier version is as good as nothing.
    Ok(json.and_then(|json| {
        let declared: Declared<'_> = serde_json::from_str(&json).ok()?;
        let (uri, front_matter) = (SkillUri::parse(uri).ok()?, declared.front_matter);
        let description = front_matter.is_none().then(|| declared.description.into_owned());
        let (front_matter, files) =
            (front_matter.map(Cow::into_owned), declared.files.into_owned());
        Entry::new(uri, front_matter, description, files).ok()
    }))
}

#[cfg(test)]
mod tests {
    use skills::digest::Digest;

    use super::*;

    fn offer(name: &str) -> Offer {
        let uri = SkillUri::for_path(name).unwrap();
        let file = EntryFile {
            path: "SKILL.md".to_owned(),
            uri: uri.as_str().to_owned(),
            size: 1,
            digest: Digest::of(b"x"),
        };
        let entry = Entry::new(uri.clone(), None, None, vec![file]).unwrap();
        Offer {
            uri: uri.as_str().to_owned(),
            name: name.to_owned(),
            description: String::new(),
            verdict: Verdict::Verifiable(entry),
        }
    }

    #[test]
    fn as_much_is_kept_as_there_is_room_for() {
        let offers = [offer("a"), offer("b"), offer("c")];
        let size = fitting(offers.iter().take(1), 1000, 1000).unwrap()[0].1.len();
        let kept = |of_one, of_all| {
            let kept = fitting(offers.iter(), of_one, of_all).unwrap();
            kept.into_iter().map(|(uri, _)| uri).collect::<Vec<_>>()
        };
        assert_eq!(kept(size, 2 * size), ["skill://a/SKILL.md", "skill://b/SKILL.md"]);
        assert_eq!(kept(size, 2 * size - 1), ["skill://a/SKILL.md"]);
        assert_eq!(kept(size - 1, 3 * size), Vec::<String>::new());
    }
}
