//! Entries of the provider as the skills extension writes them.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use hyper::body::Bytes;
use rayon::prelude::*;
use rmcp::model::{Skill, SkillFrontmatter, SkillResource, SkillResources};
use skills::entry::Entry;

/// The most entries that are remembered.
const REMEMBERED: usize = 20_000;

/// The entries that were written before. An entry never changes, so the same one is written and
/// checked once; it is forgotten when the provider has dropped it.
#[derive(Default)]
pub(super) struct Published {
    /// By where the entry lies, which is its own for as long as a weak reference is held.
    known: Mutex<HashMap<usize, Known>>,
}

struct Known {
    entry: Weak<Entry>,
    written: Option<Arc<Written>>,
}

/// What became of an entry before: `None` where it is new, and no JSON where it cannot be published.
type Before = Option<Option<Arc<Written>>>;

/// An entry as it is published.
#[derive(Debug)]
pub(super) struct Written {
    pub(super) skill: Skill,
    /// The same as it goes to the client.
    pub(super) json: Bytes,
}

impl Published {
    /// What can be published, each URI once. One entry that breaks a rule of the extension would
    /// make every client lose the whole list, so it is left out with a warning.
    pub(super) fn all(&self, entries: &[Arc<Entry>]) -> Vec<Arc<Written>> {
        let mut known = self.known();
        if known.len() > entries.len() {
            known.retain(|_, known| known.entry.strong_count() > 0);
        }
        let mut seen = HashSet::with_capacity(entries.len());
        let found: Vec<(&Arc<Entry>, Before)> = entries
            .iter()
            .filter(|entry| seen.insert(entry.uri().as_str()))
            .map(|entry| (entry, known_of(&known, entry)))
            .collect();
        drop(known);
        let new: Vec<(&Arc<Entry>, Option<Arc<Written>>)> = found
            .par_iter()
            .filter(|(_, known)| known.is_none())
            .map(|(entry, _)| (*entry, written(entry)))
            .collect();
        self.remember(&new);
        let mut new = new.into_iter();
        found
            .into_iter()
            .filter_map(|(_, known)| known.or_else(|| new.next().map(|(_, new)| new)).flatten())
            .collect()
    }

    /// One entry, if it can be published.
    pub(super) fn one(&self, entry: &Arc<Entry>) -> Option<Arc<Written>> {
        if let Some(known) = known_of(&self.known(), entry) {
            return known;
        }
        let new = written(entry);
        self.remember(&[(entry, new.clone())]);
        new
    }

    fn remember(&self, new: &[(&Arc<Entry>, Option<Arc<Written>>)]) {
        if new.is_empty() {
            return;
        }
        let mut known = self.known();
        known.retain(|_, known| known.entry.strong_count() > 0);
        for (entry, written) in new {
            if known.len() < REMEMBERED {
                let written = written.clone();
                known.insert(place(entry), Known { entry: Arc::downgrade(entry), written });
            }
        }
    }

    fn known(&self) -> MutexGuard<'_, HashMap<usize, Known>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn place(entry: &Arc<Entry>) -> usize {
    Arc::as_ptr(entry).addr()
}

/// What became of an entry that was written before.
fn known_of(known: &HashMap<usize, Known>, entry: &Arc<Entry>) -> Before {
    let known = known.get(&place(entry)).filter(|known| known.entry.strong_count() > 0);
    known.map(|known| known.written.clone())
}

fn written(entry: &Entry) -> Option<Arc<Written>> {
    let written = to_skill(entry).and_then(|skill| {
        let json = serde_json::to_vec(&skill).map_err(|error| error.to_string())?;
        Ok(Arc::new(Written { skill, json: json.into() }))
    });
    written
        .inspect_err(|reason| {
            tracing::warn!(skill = entry.uri().as_str(), "not published: {reason}");
        })
        .ok()
}

/// One entry: exactly `uri`, `frontmatter` and `resources`.
fn to_skill(entry: &Entry) -> Result<Skill, String> {
    let mut fields = entry.front_matter().cloned().unwrap_or_default();
    let mut text = |field: &str| match fields.shift_remove(field) {
        Some(serde_json::Value::String(text)) => Ok(text),
        _ => Err(format!("its front matter has no {field}")),
    };
    let (name, description) = (text("name")?, text("description")?);
    let mut front_matter = SkillFrontmatter::new(name, description);
    for (key, value) in fields {
        front_matter = front_matter.with_field(key, value);
    }
    let files = entry
        .files()
        .iter()
        .map(|file| SkillResource::new(file.uri.clone(), file.digest.to_string(), file.size))
        .collect();
    let skill = Skill::new(entry.uri().as_str(), front_matter, SkillResources::Files(files));
    skill.validate().map_err(|error| error.to_string())?;
    Ok(skill)
}

#[cfg(test)]
mod tests {
    use skills::digest::Digest;
    use skills::entry::EntryFile;
    use skills::frontmatter::FrontMatter;
    use skills::uri::SkillUri;

    use super::*;

    fn entry(name: &str) -> Arc<Entry> {
        let uri = SkillUri::for_path(name).unwrap();
        let main = format!("---\nname: {name}\ndescription: Does it.\n---\n");
        let file = EntryFile {
            path: "SKILL.md".to_owned(),
            uri: uri.as_str().to_owned(),
            size: main.len() as u64,
            digest: Digest::of(main.as_bytes()),
        };
        let front_matter = FrontMatter::strict(main.as_bytes()).unwrap();
        Arc::new(Entry::new(uri, Some(front_matter), None, vec![file]).unwrap())
    }

    #[test]
    fn the_same_entry_is_written_once_and_forgotten_when_it_is_gone() {
        let published = Published::default();
        let (a, b) = (entry("a"), entry("b"));
        let first = published.all(&[Arc::clone(&a), Arc::clone(&b)]);
        let again = published.all(&[Arc::clone(&a), b]);
        assert!(Arc::ptr_eq(&first[0], &again[0]) && Arc::ptr_eq(&first[1], &again[1]));
        assert!(Arc::ptr_eq(&first[0], &published.one(&a).unwrap()));
        // `b` was dropped with the second list.
        assert_eq!(published.all(&[a]).len(), 1);
        assert_eq!(published.known.lock().unwrap().len(), 1);
    }

    #[test]
    fn an_entry_is_written_as_the_extension_has_it() {
        let digest = Digest::of(b"---\nname: a\ndescription: Does it.\n---\n");
        assert_eq!(
            Published::default().one(&entry("a")).unwrap().json,
            format!(
                r#"{{"uri":"skill://a/SKILL.md","frontmatter":{{"name":"a","description":"Does it."}},"resources":[{{"uri":"skill://a/SKILL.md","digest":"{digest}","size":38}}]}}"#
            )
        );
    }

    #[test]
    fn new_entries_keep_their_places_between_known_ones() {
        let published = Published::default();
        let all: Vec<Arc<Entry>> = ["a", "b", "c", "d"].map(entry).into();
        published.all(&[Arc::clone(&all[0]), Arc::clone(&all[2])]);
        let uris: Vec<String> =
            published.all(&all).iter().map(|written| written.skill.uri.clone()).collect();
        assert_eq!(
            uris,
            [
                "skill://a/SKILL.md",
                "skill://b/SKILL.md",
                "skill://c/SKILL.md",
                "skill://d/SKILL.md"
            ]
        );
    }

    #[test]
    fn a_uri_is_published_once() {
        assert_eq!(Published::default().all(&[entry("a"), entry("a")]).len(), 1);
    }
}
