//! The folders of skills whose files are known from their entries.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{DIRECTORY_TYPE, Resource, mime_type};
use crate::MAIN_FILE;
use crate::entry::{Entry, EntryFile};
use crate::uri::encode_path;

/// The direct children of a folder inside a skill, or of the skill itself, in order of their names;
/// `None` when the URI is no such folder.
pub(super) fn of(entries: &[Arc<Entry>], uri: &str) -> Option<Vec<Resource>> {
    let mut children: BTreeMap<&str, Resource> = BTreeMap::new();
    for entry in entries {
        let Some(base) = entry.uri().as_str().strip_suffix(MAIN_FILE) else { continue };
        let folder = if base.strip_suffix('/') == Some(uri) {
            String::new()
        } else {
            match entry.uri().path_of(uri) {
                Ok(path) if uri.starts_with(base) => format!("{path}/"),
                _ => continue,
            }
        };
        for file in entry.files() {
            let Some(below) = file.path.strip_prefix(folder.as_str()) else { continue };
            match below.split_once('/') {
                Some((child, _)) => {
                    children.entry(child).or_insert_with(|| Resource {
                        uri: format!("{uri}/{}", encode_path(child)),
                        name: child.to_owned(),
                        description: String::new(),
                        mime_type: DIRECTORY_TYPE,
                        size: None,
                    });
                }
                None => drop(children.insert(below, resource(entries, file, below))),
            }
        }
    }
    (!children.is_empty()).then(|| children.into_values().collect())
}

/// A `SKILL.md` that is a published skill carries that skill's name and description.
fn resource(entries: &[Arc<Entry>], file: &EntryFile, name: &str) -> Resource {
    let skill = entries.iter().find(|entry| entry.uri().as_str() == file.uri);
    let (name, description) = match skill {
        Some(skill) => (skill.name().to_owned(), skill.description().to_owned()),
        None => (name.to_owned(), String::new()),
    };
    Resource {
        uri: file.uri.clone(),
        name,
        description,
        mime_type: mime_type(&file.path),
        size: Some(file.size),
    }
}
