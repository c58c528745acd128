//! One entry against every rule that it can be held to before a file of it is read.
//!
//! Keys that no rule names are ignored, as everywhere in the protocol: nothing is made of them.

use std::collections::HashSet;

use serde_json::{Map, Value};
use skills::MAIN_FILE;
use skills::digest::Digest;
use skills::entry::{Entry, EntryFile};
use skills::manifest::{MAX_BYTES, MAX_FILES};
use skills::path::{check_portable, collision};
use skills::uri::SkillUri;

use super::rules::{Broken, Rule, found, kind, show};
use crate::limits::{DESCRIPTION_CHARS, NAME_CHARS, URI_BYTES, quoted, shorten};
use crate::wire::Verdict;

const DIGEST_FORM: &str = "`sha256:` and 64 lowercase hexadecimal digits";

/// Judges an entry of the extension.
pub(super) fn judge_entry(uri: &str, object: &Map<String, Value>) -> Verdict {
    let mut broken = Broken::default();
    let uri = skill_uri(uri, &mut broken);
    let front_matter = front_matter(object.get("frontmatter"), uri.as_ref(), &mut broken);
    if let Some(meta) = object.get("_meta").filter(|meta| !meta.is_object()) {
        broken.add(
            "meta",
            format!("_meta is {}, not an object", kind(meta)),
            "an object, or no _meta",
            found(Some(meta)),
        );
    }
    let wanted = "a list of files or \"dynamic\"";
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
            let message = format!("resources is {}, not {wanted}", kind(other));
            broken.add("resources", message, wanted, found(Some(other)));
            None
        }
        None => {
            broken.add("resources", "resources is missing", wanted, "nothing");
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

/// Judges what was read from a `_manifest`.
pub(super) fn judge_manifest(uri: &str, description: Option<&str>, manifest: &Value) -> Verdict {
    let mut broken = Broken::default();
    let Some(uri) = skill_uri(uri, &mut broken) else { return broken.refused() };
    let Some(list) = manifest.get("files").and_then(Value::as_array) else {
        let message = "its manifest has no list of files";
        broken.add("manifest", message, "files, a list", found(manifest.get("files")));
        return broken.refused();
    };
    if too_many(list, &mut broken) {
        return broken.refused();
    }
    let mut files = Vec::with_capacity(list.len());
    for (at, item) in list.iter().enumerate() {
        let Some(path) = item.get("path").and_then(Value::as_str) else {
            broken.add(
                "manifest",
                format!("file {} of its manifest has no path", at + 1),
                "a path",
                found(item.get("path")),
            );
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
    whole(&files, &uri, &mut broken);
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
            let message = error.to_string();
            broken.add("files", message.clone(), "files that make one skill", message);
            broken.refused()
        }
    }
}

/// The rules that the URI of a skill breaks by itself.
pub(super) fn uri_rules(uri: &str) -> Vec<Rule> {
    let mut broken = Broken::default();
    let _ = skill_uri(uri, &mut broken);
    match broken.refused() {
        Verdict::Refused(rules) => rules,
        _ => Vec::new(),
    }
}

fn skill_uri(uri: &str, broken: &mut Broken) -> Option<SkillUri> {
    if uri.contains(['?', '#']) {
        broken.add(
            "uri",
            format!("the uri {} has a query or a fragment", show(uri)),
            "a uri without a query and a fragment",
            show(uri),
        );
        return None;
    }
    match SkillUri::parse(uri) {
        Ok(parsed) => {
            portable(parsed.skill_path(), broken);
            Some(parsed)
        }
        Err(error) => {
            let expected = "the uri of a SKILL.md on this server, as in skill://NAME/SKILL.md";
            broken.add("uri", quoted(&error.to_string()), expected, show(uri));
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
        let message = match value {
            Some(other) => format!("frontmatter is {}, not an object", kind(other)),
            None => "frontmatter is missing".to_owned(),
        };
        broken.add("frontmatter", message, "an object", found(value));
        return None;
    };
    let name = map.get("name");
    match name {
        Some(Value::String(text)) if text.chars().count() > NAME_CHARS => {
            let length = text.chars().count();
            let message = format!("the name in frontmatter has {length} characters");
            let expected = format!("at most {NAME_CHARS} characters");
            broken.add("frontmatter-name", message, expected, format!("{length} characters"));
        }
        Some(Value::String(text)) if !text.is_empty() => {
            if let Some(uri) = uri
                && uri.name() != text
            {
                let message = format!(
                    "the name {} is not the last part of the skill's path, {}",
                    show(text),
                    show(uri.name())
                );
                broken.add("name-path", message, show(uri.name()), show(text));
            }
        }
        Some(_) => {
            let message = "the name in frontmatter is not a text, or is empty";
            broken.add("frontmatter-name", message, "a text that is not empty", found(name));
        }
        None => {
            let message = "frontmatter has no name";
            broken.add("frontmatter-name", message, "a text that is not empty", "nothing");
        }
    }
    let description = map.get("description");
    let wrong = match description {
        Some(Value::String(_)) => None,
        Some(_) => Some("the description in frontmatter is not a text"),
        None => Some("frontmatter has no description"),
    };
    if let Some(message) = wrong {
        broken.add("frontmatter-description", message, "a text", found(description));
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
            let message = format!("resource {} has no uri", at + 1);
            broken.add("resource-uri", message, "a uri", found(item.get("uri")));
            continue;
        };
        if file_uri.len() > URI_BYTES {
            let actual = format!("{} bytes", file_uri.len());
            let message = format!("the uri of resource {} has {actual}", at + 1);
            broken.add("resource-uri", message, format!("at most {URI_BYTES} bytes"), actual);
            continue;
        }
        let size = size(item.get("size"), file_uri, broken);
        let digest = digest(item.get("digest"), "digest", file_uri, broken);
        if file_uri.contains(['?', '#']) {
            let message = format!("the uri {} has a query or a fragment", show(file_uri));
            let expected = "a uri without a query and a fragment";
            broken.add("resource-uri", message, expected, show(file_uri));
            continue;
        }
        let path = match uri.path_of(file_uri) {
            Ok(path) => path,
            Err(error) => {
                let inside = uri.as_str().strip_suffix(MAIN_FILE).unwrap_or(uri.as_str());
                let expected = format!("a uri inside {}", show(inside));
                broken.add("foreign-uri", quoted(&error.to_string()), expected, show(file_uri));
                continue;
            }
        };
        portable(&path, broken);
        if path == MAIN_FILE && file_uri != uri.as_str() {
            let message = format!("its own SKILL.md is listed as {}", show(file_uri));
            broken.add("own-skill-md", message, show(uri.as_str()), show(file_uri));
        }
        if let (Some(size), Some(digest)) = (size, digest) {
            files.push(EntryFile { path, uri: file_uri.to_owned(), size, digest });
        }
    }
    whole(&files, uri, broken);
    files
}

/// Rules about all files together. `Entry::new` has the last word; this says more of them at once.
fn whole(files: &[EntryFile], uri: &SkillUri, broken: &mut Broken) {
    let mut seen = HashSet::new();
    for file in files {
        if !seen.insert(file.path.as_str()) {
            let message = format!("{} is listed twice", show(&file.path));
            broken.add("listed-twice", message, "each file once", show(&file.uri));
        }
    }
    if !broken.any() && !seen.contains(MAIN_FILE) {
        let message = "its own SKILL.md is not among its files";
        let actual = format!("{} files without it", files.len());
        broken.add("own-skill-md", message, show(uri.as_str()), actual);
    }
    let total = files.iter().fold(0_u64, |sum, file| sum.saturating_add(file.size));
    if total > MAX_BYTES {
        let message = format!("the skill has {total} bytes; {MAX_BYTES} is the most");
        let expected = format!("at most {MAX_BYTES} bytes");
        broken.add("skill-bytes", message, expected, format!("{total} bytes"));
    }
    if !broken.any()
        && let Some((one, other)) = collision(files.iter().map(|file| file.path.as_str()))
    {
        let both = format!("{} and {}", show(&one), show(&other));
        let message = format!("{both} cannot both exist on every file system");
        broken.add("same-name", message, "names that every file system tells apart", both);
    }
}

fn too_many(list: &[Value], broken: &mut Broken) -> bool {
    let over = list.len() > MAX_FILES;
    if over {
        let actual = format!("{} files", list.len());
        let message = format!("the skill has {actual}; {MAX_FILES} is the most");
        broken.add("skill-files", message, format!("at most {MAX_FILES} files"), actual);
    }
    over
}

fn size(value: Option<&Value>, of: &str, broken: &mut Broken) -> Option<u64> {
    let size = value.and_then(Value::as_u64);
    if size.is_none() {
        let message = match value {
            None => format!("{} has no size", show(of)),
            Some(_) => format!("the size of {} is not a whole number of bytes", show(of)),
        };
        broken.add("size-form", message, "a whole number of bytes", found(value));
    }
    size
}

fn digest(value: Option<&Value>, field: &str, of: &str, broken: &mut Broken) -> Option<Digest> {
    let digest = value.and_then(Value::as_str).and_then(|text| text.parse().ok());
    if digest.is_none() {
        let message = match value {
            None => format!("{} has no {field}", show(of)),
            Some(_) => format!("the {field} of {} is not {DIGEST_FORM}", show(of)),
        };
        broken.add("digest-form", message, DIGEST_FORM, found(value));
    }
    digest
}

fn portable(path: &str, broken: &mut Broken) {
    if let Err(problem) = check_portable(path) {
        let message = format!("the path {} {}", show(path), problem.rule);
        broken.add("path", message, "a path that every system can write", show(path));
    }
}
