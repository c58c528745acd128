//! Entries of the provider as the skills extension writes them.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError, Weak};

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
    skill: Option<Arc<Skill>>,
}

impl Published {
    /// What can be published, each URI once. One entry that breaks a rule of the extension would
    /// make every client lose the whole list, so it is left out with a warning.
    pub(super) fn all(&self, entries: &[Arc<Entry>]) -> Vec<Arc<Skill>> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.retain(|_, known| known.entry.strong_count() > 0);
        let mut seen = HashSet::with_capacity(entries.len());
        entries
            .iter()
            .filter(|entry| seen.insert(entry.uri().as_str()))
            .filter_map(|entry| remember(&mut known, entry))
            .collect()
    }

    /// One entry, if it can be published.
    pub(super) fn one(&self, entry: &Arc<Entry>) -> Option<Arc<Skill>> {
        remember(&mut self.known.lock().unwrap_or_else(PoisonError::into_inner), entry)
    }
}

fn remember(known: &mut HashMap<usize, Known>, entry: &Arc<Entry>) -> Option<Arc<Skill>> {
    let place = Arc::as_ptr(entry).addr();
    if let Some(known) = known.get(&place).filter(|known| known.entry.strong_count() > 0) {
        return known.skill.clone();
    }
    let skill = match to_skill(entry) {
        Ok(skill) => Some(Arc::new(skill)),
        Err(reason) => {
            tracing::warn!(skill = entry.uri().as_str(), "not published: {reason}");
            None
        }
    };
    if known.len() < REMEMBERED {
        known.insert(place, Known { entry: Arc::downgrade(entry), skill: skill.clone() });
    }
    skill
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
    fn a_uri_is_published_once() {
        assert_eq!(Published::default().all(&[entry("a"), entry("a")]).len(), 1);
    }
}
