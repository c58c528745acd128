//! What servers write, taken apart without trust: entries of the skills extension and `_manifest`
//! files become [`Offer`]s, each judged by itself, so that one bad entry never hides the others.

use std::collections::{HashMap, HashSet};

use serde_json::{Map, Value};
use skills::MAIN_FILE;
use skills::digest::Digest;
use skills::entry::{Entry, EntryFile};
use skills::manifest::{MAX_BYTES, MAX_FILES};
use skills::path::{check_portable, collision};
use skills::uri::SkillUri;

use crate::limits::{DESCRIPTION_CHARS, NAME_CHARS, REASONS, URI_BYTES, quoted, shorten};

/// What a server offers at one moment.
#[derive(Debug, Clone, Default)]
pub struct Offers {
    /// In the server's order, the broken ones among them.
    pub offers: Vec<Offer>,
    /// What was left out of the list or what the server did wrong, a sentence each.
    pub notices: Vec<String>,
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
    /// It breaks these rules, a sentence each.
    Refused(Vec<String>),
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
    let verdict = match serde_json::from_slice::<Value>(manifest) {
        Ok(value) => judge_manifest(uri, description, &value),
        Err(error) => Verdict::Refused(vec![format!("its manifest is not JSON: {error}")]),
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
    let repeated: HashSet<String> =
        times.into_iter().filter(|(_, times)| *times > 1).map(|(uri, _)| uri.to_owned()).collect();
    for offer in offers.iter_mut().filter(|offer| repeated.contains(&offer.uri)) {
        let rule = "the server lists this uri more than once".to_owned();
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

/// The rules an entry breaks, as many as are told.
#[derive(Default)]
struct Broken {
    rules: Vec<String>,
    more: usize,
}

impl Broken {
    fn add(&mut self, rule: impl Into<String>) {
        if self.rules.len() < REASONS {
            self.rules.push(rule.into());
        } else {
            self.more += 1;
        }
    }

    fn any(&self) -> bool {
        !self.rules.is_empty()
    }

    fn refused(mut self) -> Verdict {
        if self.more > 0 {
            self.rules.push(format!("and {} more", self.more));
        }
        Verdict::Refused(self.rules)
    }
}

fn judge_entry(uri: &str, object: &Map<String, Value>) -> Verdict {
    let mut broken = Broken::default();
    let uri = skill_uri(uri, &mut broken);
    let front_matter = front_matter(object.get("frontmatter"), uri.as_ref(), &mut broken);
    let files = match object.get("resources") {
        Some(Value::Array(list)) => uri.as_ref().map(|uri| resources(uri, list, &mut broken)),
        Some(Value::String(word)) if word == "dynamic" => {
            return if broken.any() {
                broken.refused()
            } else {
                Verdict::Unverifiable(
                    "the server makes this skill anew for each read (dynamic), so there are no \
                     digests to check it against"
                        .to_owned(),
                )
            };
        }
        Some(other) => {
            broken.add(format!("resources is {}, not a list of files or \"dynamic\"", kind(other)));
            None
        }
        None => {
            broken.add("resources is missing");
            None
        }
    };
    match (uri, front_matter, files) {
        (Some(uri), Some(front_matter), Some(files)) if !broken.any() => {
            judged(Entry::new(uri, Some(front_matter), None, files), broken)
        }
        _ => broken.refused(),
    }
}

fn judge_manifest(uri: &str, description: Option<&str>, manifest: &Value) -> Verdict {
    let mut broken = Broken::default();
    let Some(uri) = skill_uri(uri, &mut broken) else { return broken.refused() };
    let Some(list) = manifest.get("files").and_then(Value::as_array) else {
        broken.add("its manifest has no list of files");
        return broken.refused();
    };
    if too_many(list, &mut broken) {
        return broken.refused();
    }
    let mut files = Vec::with_capacity(list.len());
    for (at, item) in list.iter().enumerate() {
        let Some(path) = item.get("path").and_then(Value::as_str) else {
            broken.add(format!("file {} of its manifest has no path", at + 1));
            continue;
        };
        let size = size(item.get("size"), path, &mut broken);
        let digest = digest(item.get("hash"), "hash", path, &mut broken);
        portable(path, &mut broken);
        if let (Some(size), Some(digest)) = (size, digest) {
            let uri = if path == MAIN_FILE { uri.as_str().to_owned() } else { uri.file_uri(path) };
            files.push(EntryFile { path: path.to_owned(), uri, size, digest });
        }
    }
    whole(&files, &mut broken);
    if broken.any() {
        return broken.refused();
    }
    let description = description.map(|text| shorten(text, DESCRIPTION_CHARS));
    judged(Entry::new(uri, None, description, files), broken)
}

fn judged<E: std::fmt::Display>(entry: Result<Entry, E>, mut broken: Broken) -> Verdict {
    match entry {
        Ok(entry) => Verdict::Verifiable(entry),
        Err(error) => {
            broken.add(error.to_string());
            broken.refused()
        }
    }
}

fn skill_uri(uri: &str, broken: &mut Broken) -> Option<SkillUri> {
    if uri.contains(['?', '#']) {
        broken.add(format!("the uri {} has a query or a fragment", show(uri)));
        return None;
    }
    match SkillUri::parse(uri) {
        Ok(parsed) => {
            portable(parsed.skill_path(), broken);
            Some(parsed)
        }
        Err(error) => {
            broken.add(quoted(&error.to_string()));
            None
        }
    }
}

fn front_matter(
    value: Option<&Value>,
    uri: Option<&SkillUri>,
    broken: &mut Broken,
) -> Option<Map<String, Value>> {
    let Some(Value::Object(map)) = value else {
        broken.add(match value {
            Some(other) => format!("frontmatter is {}, not an object", kind(other)),
            None => "frontmatter is missing".to_owned(),
        });
        return None;
    };
    match map.get("name") {
        Some(Value::String(name)) if !name.is_empty() => {
            if let Some(uri) = uri
                && uri.name() != name
            {
                broken.add(format!(
                    "the name {} is not the last part of the skill's path, {}",
                    show(name),
                    show(uri.name())
                ));
            }
        }
        Some(_) => broken.add("the name in frontmatter is not a text, or is empty"),
        None => broken.add("frontmatter has no name"),
    }
    match map.get("description") {
        Some(Value::String(_)) => {}
        Some(_) => broken.add("the description in frontmatter is not a text"),
        None => broken.add("frontmatter has no description"),
    }
    Some(map.clone())
}

fn resources(uri: &SkillUri, list: &[Value], broken: &mut Broken) -> Vec<EntryFile> {
    let mut files = Vec::new();
    if too_many(list, broken) {
        return files;
    }
    for (at, item) in list.iter().enumerate() {
        let Some(file_uri) = item.get("uri").and_then(Value::as_str) else {
            broken.add(format!("resource {} has no uri", at + 1));
            continue;
        };
        if file_uri.len() > URI_BYTES {
            broken.add(format!("the uri of resource {} has {} bytes", at + 1, file_uri.len()));
            continue;
        }
        let size = size(item.get("size"), file_uri, broken);
        let digest = digest(item.get("digest"), "digest", file_uri, broken);
        if file_uri.contains(['?', '#']) {
            broken.add(format!("the uri {} has a query or a fragment", show(file_uri)));
            continue;
        }
        let path = match uri.path_of(file_uri) {
            Ok(path) => path,
            Err(error) => {
                broken.add(quoted(&error.to_string()));
                continue;
            }
        };
        portable(&path, broken);
        if path == MAIN_FILE && file_uri != uri.as_str() {
            broken.add(format!("its own SKILL.md is listed as {}", show(file_uri)));
        }
        if let (Some(size), Some(digest)) = (size, digest) {
            files.push(EntryFile { path, uri: file_uri.to_owned(), size, digest });
        }
    }
    whole(&files, broken);
    files
}

/// Rules about all files together. `Entry::new` has the last word; this says more of them at once.
fn whole(files: &[EntryFile], broken: &mut Broken) {
    let mut seen = HashSet::new();
    for file in files {
        if !seen.insert(file.path.as_str()) {
            broken.add(format!("{} is listed twice", show(&file.path)));
        }
    }
    if !broken.any() && !seen.contains(MAIN_FILE) {
        broken.add("its own SKILL.md is not among its files");
    }
    let total = files.iter().fold(0_u64, |sum, file| sum.saturating_add(file.size));
    if total > MAX_BYTES {
        broken.add(format!("the skill has {total} bytes; {MAX_BYTES} is the most"));
    }
    if !broken.any()
        && let Some((one, other)) = collision(files.iter().map(|file| file.path.as_str()))
    {
        broken.add(format!(
            "{} and {} cannot both exist on every file system",
            show(&one),
            show(&other)
        ));
    }
}

fn too_many(list: &[Value], broken: &mut Broken) -> bool {
    let over = list.len() > MAX_FILES;
    if over {
        broken.add(format!("the skill has {} files; {MAX_FILES} is the most", list.len()));
    }
    over
}

fn size(value: Option<&Value>, of: &str, broken: &mut Broken) -> Option<u64> {
    let size = value.and_then(Value::as_u64);
    if size.is_none() {
        broken.add(match value {
            None => format!("{} has no size", show(of)),
            Some(_) => format!("the size of {} is not a whole number of bytes", show(of)),
        });
    }
    size
}

fn digest(value: Option<&Value>, field: &str, of: &str, broken: &mut Broken) -> Option<Digest> {
    let digest = value.and_then(Value::as_str).and_then(|text| text.parse().ok());
    if digest.is_none() {
        broken.add(match value {
            None => format!("{} has no {field}", show(of)),
            Some(_) => format!(
                "the {field} of {} is not `sha256:` and 64 lowercase hexadecimal digits",
                show(of)
            ),
        });
    }
    digest
}

fn portable(path: &str, broken: &mut Broken) {
    if let Err(problem) = check_portable(path) {
        broken.add(format!("the path {} {}", show(path), problem.rule));
    }
}

/// The segment before `SKILL.md`, or what there is, of a URI that need not be one.
fn last_segment(uri: &str) -> &str {
    let path = uri.strip_suffix(MAIN_FILE).unwrap_or(uri).trim_end_matches('/');
    path.rsplit('/').next().unwrap_or(path)
}

/// Hostile text in quotes, its control characters escaped, of bounded length.
fn show(text: &str) -> String {
    format!("{:?}", shorten(text, 200))
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

#[cfg(test)]
#[path = "wire/tests.rs"]
mod tests;
