//! What a server did with a skill since it was listed: it changed it, or does not give what it
//! declares. The second is kept beyond this run of the program: a restart makes nothing true. What is
//! bound to content says so by its fingerprint.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use skills::digest::Fingerprint;
use skills::entry::Entry;
use skills::origin::ServerId;
use vault::{Vault, VaultError};

/// Doubts that are kept at once. With one more, any other goes.
const MOST: usize = 4096;

/// One doubt about one skill.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Doubt {
    /// Declared content that the server does not give, and why that is known.
    pub mismatched: Option<(Fingerprint, String)>,
    /// Content that the server changed to while it was looked at, and what was seen.
    pub changed: Option<(Fingerprint, String)>,
}

type All = HashMap<(ServerId, String), Doubt>;

/// All of them, by server and URI.
#[derive(Debug)]
pub struct Doubts {
    vault: Arc<Vault>,
    kept: Mutex<All>,
}

impl Doubts {
    /// Those of earlier runs of the program.
    ///
    /// # Errors
    /// When the ledger fails.
    pub fn open(vault: Arc<Vault>) -> Result<Self, VaultError> {
        let earlier = vault.doubts()?.into_iter().take(MOST).filter_map(|earlier| {
            let mismatched = Some((earlier.fingerprint.parse().ok()?, earlier.why));
            Some(((earlier.server, earlier.uri), Doubt { mismatched, changed: None }))
        });
        let kept = Mutex::new(earlier.collect());
        Ok(Self { vault, kept })
    }

    /// The server does not give what this entry declares.
    pub fn mismatched(&self, server: &ServerId, entry: &Entry, why: String) {
        let (uri, fingerprint) = (entry.uri().as_str(), entry.fingerprint());
        let kept = self.vault.doubt(&vault::declared::Doubt {
            server: server.clone(),
            uri: uri.to_owned(),
            fingerprint: fingerprint.to_string(),
            why: why.clone(),
        });
        if let Err(error) = kept {
            tracing::warn!(%error, "that a skill is not as declared is known in this run only");
        }
        self.of(server, uri, |doubt| doubt.mismatched = Some((fingerprint, why)));
    }

    /// The server changed the skill to this entry while it was looked at.
    pub fn changed(&self, server: &ServerId, now: &Entry, what: String) {
        self.of(server, now.uri().as_str(), |doubt| {
            doubt.changed = Some((now.fingerprint(), what));
        });
    }

    /// The server gives what this entry declares.
    pub fn settled(&self, server: &ServerId, entry: &Entry) {
        let uri = entry.uri().as_str();
        if self.get(server, uri).is_some_and(|doubt| doubt.mismatched.is_some()) {
            self.forget(server, uri);
        }
        self.of(server, uri, |doubt| doubt.mismatched = None);
    }

    /// Why this content is not what the server gives, where that is known.
    pub fn mismatch(&self, server: &ServerId, entry: &Entry) -> Option<String> {
        self.mismatch_of(server, entry.uri().as_str(), &entry.fingerprint().to_string())
    }

    /// The same by the 64 digits of what was declared.
    pub fn mismatch_of(&self, server: &ServerId, uri: &str, fingerprint: &str) -> Option<String> {
        let (of, why) = self.get(server, uri)?.mismatched?;
        (of.to_string() == fingerprint).then_some(why)
    }

    /// What was seen when the skill became this content, where that is known.
    pub fn note(&self, server: &ServerId, uri: &str, fingerprint: Option<&str>) -> Option<String> {
        let (of, what) = self.get(server, uri)?.changed?;
        (Some(of.to_string().as_str()) == fingerprint).then_some(what)
    }

    fn get(&self, server: &ServerId, uri: &str) -> Option<Doubt> {
        self.kept().get(&(server.clone(), uri.to_owned())).cloned()
    }

    fn of(&self, server: &ServerId, uri: &str, change: impl FnOnce(&mut Doubt)) {
        let mut kept = self.kept();
        let key = (server.clone(), uri.to_owned());
        if kept.len() >= MOST
            && !kept.contains_key(&key)
            && let Some(other) = kept.keys().next().cloned()
        {
            kept.remove(&other);
            self.forget(&other.0, &other.1);
        }
        let doubt = kept.entry(key.clone()).or_default();
        change(doubt);
        if *doubt == Doubt::default() {
            kept.remove(&key);
        }
    }

    fn forget(&self, server: &ServerId, uri: &str) {
        if let Err(error) = self.vault.forget_doubt(server, uri) {
            tracing::warn!(%error, "that a skill was not as declared is not forgotten");
        }
    }

    fn kept(&self) -> MutexGuard<'_, All> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use skills::digest::Digest;
    use skills::entry::EntryFile;
    use skills::origin::Endpoint;
    use skills::paths::Paths;
    use skills::uri::SkillUri;
    use tempfile::TempDir;

    use super::*;

    fn open(home: &TempDir) -> Doubts {
        Doubts::open(Arc::new(Vault::open(&Paths::under(home.path())).unwrap().0)).unwrap()
    }

    fn server(doubts: &Doubts, label: &str) -> ServerId {
        let url = format!("https://{label}.example/mcp");
        doubts.vault.add_server(label, Endpoint::Http { url }).unwrap().id
    }

    fn entry(bytes: &[u8]) -> Entry {
        let uri = SkillUri::for_path("a").unwrap();
        let file = EntryFile {
            path: "SKILL.md".to_owned(),
            uri: uri.as_str().to_owned(),
            size: bytes.len() as u64,
            digest: Digest::of(bytes),
        };
        Entry::new(uri, None, None, vec![file]).unwrap()
    }

    #[test]
    fn a_doubt_is_about_one_content_of_one_skill_of_one_server() {
        let home = tempfile::tempdir().unwrap();
        let doubts = open(&home);
        let (one, other) = (server(&doubts, "one"), server(&doubts, "other"));
        doubts.mismatched(&one, &entry(b"x"), "why".to_owned());
        assert_eq!(doubts.mismatch(&one, &entry(b"x")).as_deref(), Some("why"));
        assert_eq!(doubts.mismatch(&one, &entry(b"y")), None);
        assert_eq!(doubts.mismatch(&other, &entry(b"x")), None);
        doubts.settled(&one, &entry(b"x"));
        assert_eq!(doubts.mismatch(&one, &entry(b"x")), None);
    }

    #[test]
    fn a_restart_makes_what_does_not_match_no_newer_and_a_good_fetch_settles_it_for_good() {
        let home = tempfile::tempdir().unwrap();
        let doubts = open(&home);
        let server = server(&doubts, "one");
        doubts.mismatched(&server, &entry(b"x"), "why".to_owned());
        drop(doubts);
        let doubts = open(&home);
        assert_eq!(doubts.mismatch(&server, &entry(b"x")).as_deref(), Some("why"));
        assert_eq!(doubts.mismatch(&server, &entry(b"y")), None);
        doubts.settled(&server, &entry(b"x"));
        drop(doubts);
        assert_eq!(open(&home).mismatch(&server, &entry(b"x")), None);
    }

    #[test]
    fn a_change_is_told_while_the_server_offers_what_it_changed_to() {
        let home = tempfile::tempdir().unwrap();
        let doubts = open(&home);
        let server = server(&doubts, "one");
        doubts.changed(&server, &entry(b"x"), "what".to_owned());
        let told = |bytes: &[u8]| {
            let fingerprint = entry(bytes).fingerprint().to_string();
            doubts.note(&server, "skill://a/SKILL.md", Some(&fingerprint))
        };
        assert_eq!(told(b"x").as_deref(), Some("what"));
        assert_eq!(told(b"y"), None);
        assert_eq!(doubts.note(&server, "skill://a/SKILL.md", None), None);
    }
}
