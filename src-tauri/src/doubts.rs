//! What a server did with a skill since it was listed: it changed it, or does not give what it
//! declares. Kept for this run of the program; what is bound to content says so by its fingerprint.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use skills::digest::Fingerprint;
use skills::entry::Entry;
use skills::origin::ServerId;

/// Doubts that are kept at once; whoever sees more starts with none.
const MOST: usize = 4096;

/// One doubt about one skill.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Doubt {
    /// Declared content that the server does not give, and why that is known.
    pub mismatched: Option<(Fingerprint, String)>,
    /// Content that the server changed to while it was looked at, and what was seen.
    pub changed: Option<(Fingerprint, String)>,
}

/// All of them, by server and URI.
#[derive(Debug, Default)]
pub struct Doubts(Mutex<HashMap<(ServerId, String), Doubt>>);

impl Doubts {
    /// The server does not give what this entry declares.
    pub fn mismatched(&self, server: &ServerId, entry: &Entry, why: String) {
        self.of(server, entry.uri().as_str(), |doubt| {
            doubt.mismatched = Some((entry.fingerprint(), why));
        });
    }

    /// The server changed the skill to this entry while it was looked at.
    pub fn changed(&self, server: &ServerId, now: &Entry, what: String) {
        self.of(server, now.uri().as_str(), |doubt| {
            doubt.changed = Some((now.fingerprint(), what));
        });
    }

    /// The server gives what this entry declares.
    pub fn settled(&self, server: &ServerId, entry: &Entry) {
        self.of(server, entry.uri().as_str(), |doubt| doubt.mismatched = None);
    }

    /// Why this content is not what the server gives, where that is known.
    pub fn mismatch(&self, server: &ServerId, entry: &Entry) -> Option<String> {
        let (of, why) = self.get(server, entry.uri().as_str())?.mismatched?;
        (of == entry.fingerprint()).then_some(why)
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
        if kept.len() >= MOST {
            kept.clear();
        }
        let key = (server.clone(), uri.to_owned());
        let doubt = kept.entry(key.clone()).or_default();
        change(doubt);
        if *doubt == Doubt::default() {
            kept.remove(&key);
        }
    }

    fn kept(&self) -> MutexGuard<'_, HashMap<(ServerId, String), Doubt>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use skills::digest::Digest;
    use skills::entry::EntryFile;
    use skills::uri::SkillUri;

    use super::*;

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
        let (one, other) = (ServerId("1".into()), ServerId("2".into()));
        let doubts = Doubts::default();
        doubts.mismatched(&one, &entry(b"x"), "why".to_owned());
        assert_eq!(doubts.mismatch(&one, &entry(b"x")).as_deref(), Some("why"));
        assert_eq!(doubts.mismatch(&one, &entry(b"y")), None);
        assert_eq!(doubts.mismatch(&other, &entry(b"x")), None);
        doubts.settled(&one, &entry(b"x"));
        assert_eq!(doubts.mismatch(&one, &entry(b"x")), None);
    }

    #[test]
    fn a_change_is_told_while_the_server_offers_what_it_changed_to() {
        let server = ServerId("1".into());
        let doubts = Doubts::default();
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
