//! What servers write, taken apart without trust: entries of the skills extension and `_manifest`
//! files become [`Offer`]s, each judged by itself, so that one bad entry never hides the others.

mod entry;
mod rules;

use std::collections::HashMap;

use serde_json::Value;
use skills::MAIN_FILE;
use skills::entry::{Entry, EntryFile};
use skills::uri::SkillUri;

use entry::{judge_entry, judge_manifest, uri_rules};
pub use rules::Rule;
pub(crate) use rules::told;

use crate::limits::{DESCRIPTION_CHARS, MESSAGE_VALUES, NAME_CHARS, URI_BYTES, quoted, shorten};
use crate::transport::few_enough;

/// What a server offers at one moment.
#[derive(Debug, Clone, Default)]
pub struct Offers {
    /// In the server's order, the broken ones among them.
    pub offers: Vec<Offer>,
    /// What was left out of the list or what the server did wrong, a sentence each.
    pub notices: Vec<String>,
    /// How long the server says that the list stays good, in milliseconds: the least of its pages.
    pub good_for_ms: Option<u64>,
}

/// One skill that a server says it has.
#[derive(Debug, Clone)]
pub struct Offer {
    /// The URI of its `SKILL.md` exactly as the server wrote it: its identity on that server.
    pub uri: String,
    /// For the screen: declared, or the last segment of its path. Of bounded length, and otherwise
    /// the server's text.
    pub name: String,
    /// For the screen, as the name.
    pub description: String,
    /// What the entry is worth.
    pub verdict: Verdict,
}

/// What an entry is worth before a file of it is read.
#[derive(Debug, Clone)]
pub enum Verdict {
    /// Complete and within every rule: its files can be read and checked.
    Verifiable(Entry),
    /// No digests are declared, so nothing could be checked; says why.
    Unverifiable(String),
    /// It breaks these rules.
    Refused(Vec<Rule>),
}

/// One entry of `skills/list` or `skills/get`.
///
/// # Errors
/// A notice, when the entry does not even have a URI to show it by.
pub(crate) fn entry_offer(value: &Value) -> Result<Offer, String> {
    let Some(object) = value.as_object() else {
        return Err("an entry that is not an object was left out".to_owned());
    };
    let uri = taken_uri(object.get("uri"))?;
    let front_matter = object.get("frontmatter").and_then(Value::as_object);
    let text = |field: &str| front_matter.and_then(|map| map.get(field)).and_then(Value::as_str);
    let verdict = judge_entry(uri, object);
    Ok(Offer {
        uri: uri.to_owned(),
        name: shorten(text("name").unwrap_or_else(|| last_segment(uri)), NAME_CHARS),
        description: shorten(text("description").unwrap_or_default(), DESCRIPTION_CHARS),
        verdict,
    })
}

/// One skill of a server without the extension: its `SKILL.md` resource and what was read from
/// its `_manifest`.
pub(crate) fn manifest_offer(uri: &str, description: Option<&str>, manifest: &[u8]) -> Offer {
    if !few_enough(manifest) {
        let rule = Rule {
            code: "manifest",
            message: format!("its manifest has more than {MESSAGE_VALUES} values"),
            expected: format!("{MESSAGE_VALUES} values at most"),
            actual: "more".to_owned(),
        };
        return plain_offer(uri, description, Verdict::Refused(vec![rule]));
    }
    let verdict = match serde_json::from_slice::<Value>(manifest) {
        Ok(value) => judge_manifest(uri, description, &value),
        Err(error) => Verdict::Refused(vec![Rule {
            code: "manifest",
            message: format!("its manifest is not JSON: {error}"),
            expected: "JSON".to_owned(),
            actual: format!("{} bytes that are not", manifest.len()),
        }]),
    };
    plain_offer(uri, description, verdict)
}

/// An offer of which only the `SKILL.md` resource is known.
pub(crate) fn plain_offer(uri: &str, description: Option<&str>, verdict: Verdict) -> Offer {
    let name = SkillUri::parse(uri)
        .map_or_else(|_| last_segment(uri).to_owned(), |parsed| parsed.name().to_owned());
    Offer {
        uri: uri.to_owned(),
        name: shorten(&name, NAME_CHARS),
        description: shorten(description.unwrap_or_default(), DESCRIPTION_CHARS),
        verdict,
    }
}

/// The offer of a skill whose URI is none, so that nothing is asked of it.
pub(crate) fn refused_by_its_uri(uri: &str, description: Option<&str>) -> Option<Offer> {
    let rules = uri_rules(uri);
    (!rules.is_empty()).then(|| plain_offer(uri, description, Verdict::Refused(rules)))
}

/// A URI of bounded length, or the notice that says why there is none.
pub(crate) fn taken_uri(value: Option<&Value>) -> Result<&str, String> {
    match value.and_then(Value::as_str) {
        None => Err("an entry without a uri was left out".to_owned()),
        Some(uri) if uri.len() > URI_BYTES => Err(format!(
            "an entry whose uri has {} bytes was left out ({URI_BYTES} is the most): {}",
            uri.len(),
            quoted(&shorten(uri, 60))
        )),
        Some(uri) => Ok(uri),
    }
}

/// Refuses every offer whose URI comes more than once: neither is the right one.
pub(crate) fn refuse_repeated(offers: &mut [Offer]) {
    let mut times: HashMap<&str, usize> = HashMap::new();
    for offer in offers.iter() {
        *times.entry(&offer.uri).or_default() += 1;
    }
    let repeated: HashMap<String, usize> = times
        .into_iter()
        .filter(|(_, times)| *times > 1)
        .map(|(uri, times)| (uri.to_owned(), times))
        .collect();
    for offer in offers.iter_mut() {
        let Some(times) = repeated.get(&offer.uri) else { continue };
        let rule = Rule {
            code: "repeated-uri",
            message: "the server lists this uri more than once".to_owned(),
            expected: "each uri once".to_owned(),
            actual: format!("{times} times"),
        };
        match &mut offer.verdict {
            Verdict::Refused(rules) => rules.push(rule),
            verdict => *verdict = Verdict::Refused(vec![rule]),
        }
    }
}

/// An entry for a skill nested in another, cut out of the outer one's files. `path` is that of
/// the nested `SKILL.md`, as in `inner/SKILL.md`. No front matter is declared for it. `None` when
/// there is no such file, or it is the outer skill's own.
pub fn nested_entry(outer: &Entry, path: &str) -> Option<Entry> {
    let folder = path.strip_suffix(MAIN_FILE).filter(|folder| folder.ends_with('/'))?;
    let main = outer.files().iter().find(|file| file.path == path)?;
    let files = outer
        .files()
        .iter()
        .filter_map(|file| {
            let path = file.path.strip_prefix(folder)?.to_owned();
            Some(EntryFile { path, ..file.clone() })
        })
        .collect();
    Entry::new(SkillUri::parse(&main.uri).ok()?, None, None, files).ok()
}

/// The segment before `SKILL.md`, or what there is, of a URI that need not be one.
fn last_segment(uri: &str) -> &str {
    let path = uri.strip_suffix(MAIN_FILE).unwrap_or(uri).trim_end_matches('/');
    path.rsplit('/').next().unwrap_or(path)
}

#[cfg(test)]
#[path = "wire/tests.rs"]
mod tests;
