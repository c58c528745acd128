//! Entries of the provider as the skills extension writes them, and directories made from them.

use std::collections::{BTreeMap, HashSet};

use rmcp::model::{
    DIRECTORY_MIME_TYPE, Resource, Skill, SkillFrontmatter, SkillResource, SkillResources,
};
use skills::MAIN_FILE;
use skills::entry::Entry;
use skills::provider::mime_type;

/// What can be published. One entry that breaks a rule of the extension would make every client
/// lose the whole list, so it is left out with a warning.
pub(super) fn publishable(entries: &[Entry]) -> Vec<Skill> {
    let mut seen = HashSet::new();
    entries
        .iter()
        .filter_map(|entry| match to_skill(entry) {
            Ok(skill) => seen.insert(skill.uri.clone()).then_some(skill),
            Err(reason) => {
                tracing::warn!(skill = entry.uri().as_str(), "not published: {reason}");
                None
            }
        })
        .collect()
}

/// One entry: exactly `uri`, `frontmatter` and `resources`.
pub(super) fn to_skill(entry: &Entry) -> Result<Skill, String> {
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

/// The direct children of a directory inside a skill, or of the skill itself, in order of their
/// names; `None` when the URI is no such directory.
pub(super) fn directory(entries: &[Entry], uri: &str) -> Option<Vec<Resource>> {
    let mut children: BTreeMap<String, Resource> = BTreeMap::new();
    for entry in entries {
        for file in entry.files() {
            let (Some(folder), Some(name)) = inside(entry, uri, &file.path) else { continue };
            match name.split_once('/') {
                Some((child, _)) => {
                    let child_uri = format!("{uri}/{}", skills::uri::encode_path(child));
                    children.entry(child.to_owned()).or_insert_with(|| {
                        Resource::new(child_uri, child).with_mime_type(DIRECTORY_MIME_TYPE)
                    });
                }
                None => {
                    let path = format!("{folder}{name}");
                    let resource = file_resource(entries, &file.uri, &path, name, file.size);
                    children.insert(name.to_owned(), resource);
                }
            }
        }
    }
    (!children.is_empty()).then(|| children.into_values().collect())
}

/// Splits a file's path at the directory that `uri` names: the part up to it and the part below.
fn inside<'a>(entry: &Entry, uri: &str, path: &'a str) -> (Option<&'a str>, Option<&'a str>) {
    let nothing = (None, None);
    let base = entry.uri().as_str().strip_suffix(MAIN_FILE).unwrap_or_default();
    if base.strip_suffix('/') == Some(uri) {
        return (Some(""), Some(path));
    }
    let Ok(folder) = entry.uri().path_of(uri) else { return nothing };
    if !uri.starts_with(base) {
        return nothing;
    }
    match path.strip_prefix(folder.as_str()).and_then(|rest| rest.strip_prefix('/')) {
        Some(below) => (Some(&path[..path.len() - below.len()]), Some(below)),
        None => nothing,
    }
}

/// A `SKILL.md` that is a published skill carries that skill's name and description.
fn file_resource(entries: &[Entry], uri: &str, path: &str, name: &str, size: u64) -> Resource {
    let skill = entries.iter().find(|entry| entry.uri().as_str() == uri);
    let resource = match skill {
        Some(skill) => Resource::new(uri, skill.name()).with_description(skill.description()),
        None => Resource::new(uri, name),
    };
    resource.with_mime_type(mime_type(path)).with_size(size)
}
