//! What a server shows in the folder of a skill. It never extends the manifest: a file that the
//! entry does not list means that the skill has changed.

use std::collections::{BTreeMap, HashSet, VecDeque};

use serde_json::Value;
use skills::MAIN_FILE;
use skills::entry::Entry;
use skills::path::check_portable;
use skills::uri::SkillUri;

use super::pages::{Paged, bounded, pages};
use crate::client::{Calls, List};
use crate::error::ClientError;
use crate::limits::{FOLDER_ENTRIES, FOLDERS, URI_BYTES, quoted};

/// What a folder is called among resources.
const FOLDER_TYPE: &str = "inode/directory";

/// The manifest resource of servers that make one up; it is no file of the skill.
const SYNTHETIC: &str = "_manifest";

/// What the server shows in a skill's folder and those below it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Folder {
    /// In byte order of their paths.
    pub files: Vec<FolderFile>,
    /// What was left out, or what the server did wrong, a sentence each.
    pub notices: Vec<String>,
}

/// One file that a server shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FolderFile {
    /// Relative to the skill.
    pub path: String,
    /// As the server wrote it.
    pub uri: String,
    /// Whether the entry lists it too.
    pub listed: bool,
}

impl Folder {
    /// Paths of what the entry does not list: the skill has changed.
    pub fn unlisted(&self) -> impl Iterator<Item = &str> {
        self.files.iter().filter(|file| !file.listed).map(|file| file.path.as_str())
    }
}

/// The folder of a skill against its entry.
pub(crate) async fn folder(calls: &Calls, entry: &Entry) -> Result<Folder, ClientError> {
    let Walked { files, notices } = walk(calls, entry.uri()).await?;
    let files = files
        .into_iter()
        .map(|(path, uri)| FolderFile { listed: entry.manifest().get(&path).is_some(), path, uri })
        .filter(|file| file.listed || file.path != SYNTHETIC)
        .collect();
    Ok(Folder { files, notices })
}

/// All files that were shown: URI by path.
pub(super) struct Walked {
    pub(super) files: BTreeMap<String, String>,
    pub(super) notices: Vec<String>,
}

/// Asks for the folder of a skill and for every folder in it, within the limits.
pub(super) async fn walk(calls: &Calls, skill: &SkillUri) -> Result<Walked, ClientError> {
    let within = calls.timeouts().list;
    match tokio::time::timeout(within, walked(calls, skill)).await {
        Ok(walked) => walked,
        Err(_) => Err(ClientError::timeout("list a folder of", calls.server(), within)),
    }
}

async fn walked(calls: &Calls, skill: &SkillUri) -> Result<Walked, ClientError> {
    let mut found = Walked { files: BTreeMap::new(), notices: Vec::new() };
    let base = skill.as_str().strip_suffix(MAIN_FILE).unwrap_or(skill.as_str());
    let mut folders = VecDeque::from([base.trim_end_matches('/').to_owned()]);
    let mut seen = HashSet::new();
    while let Some(folder) = folders.pop_front() {
        if seen.len() == FOLDERS {
            found
                .notices
                .push(format!("more than {FOLDERS} folders; the others were not asked for"));
            break;
        }
        let Paged { items, notices, .. } = pages(calls, List::Folder(&folder)).await?;
        seen.insert(folder);
        found.notices.extend(notices);
        for item in items {
            match child(skill, &item) {
                Ok(Child::Folder(uri)) => {
                    if !seen.contains(&uri) && !folders.contains(&uri) {
                        folders.push_back(uri);
                    }
                }
                Ok(Child::File { path, uri }) if found.files.len() < FOLDER_ENTRIES => {
                    found.files.entry(path).or_insert(uri);
                }
                Ok(Child::File { .. }) => {
                    found.notices.push(format!("more than {FOLDER_ENTRIES} files"));
                }
                Err(notice) => found.notices.push(notice),
            }
        }
    }
    found.notices = bounded(found.notices);
    Ok(found)
}

enum Child {
    Folder(String),
    File { path: String, uri: String },
}

/// One shown resource, which has to lie inside of the skill.
fn child(skill: &SkillUri, item: &Value) -> Result<Child, String> {
    let Some(uri) = item.get("uri").and_then(Value::as_str).filter(|uri| uri.len() <= URI_BYTES)
    else {
        return Err("a resource in the folder has no uri that could be used".to_owned());
    };
    if uri.contains(['?', '#']) {
        return Err(format!("{} in the folder has a query or a fragment", quoted(uri)));
    }
    let path = skill
        .path_of(uri.trim_end_matches('/'))
        .map_err(|_| format!("{} in the folder lies outside of the skill", quoted(uri)))?;
    check_portable(&path).map_err(|problem| quoted(&problem.to_string()))?;
    if item.get("mimeType").and_then(Value::as_str) == Some(FOLDER_TYPE) {
        Ok(Child::Folder(uri.trim_end_matches('/').to_owned()))
    } else {
        Ok(Child::File { path, uri: uri.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use serde_json::json;

    use super::*;

    #[test]
    fn what_lies_outside_or_has_no_usable_name_is_a_notice_and_no_file() {
        let skill = SkillUri::for_path("team/review").unwrap();
        let told = |uri: Value| child(&skill, &json!({ "uri": uri })).err();
        for uri in [
            "skill://team/other/a.md",
            "file:///etc/passwd",
            "skill://team/review/../x",
            "skill://team/review/..%2fx",
            "skill://team/review/a?b",
            "skill://team/review/con",
        ] {
            assert!(told(json!(uri)).is_some(), "{uri}");
        }
        assert!(told(json!(7)).is_some());
        assert!(told(json!("s".repeat(5000))).is_some());
        assert!(told(json!("skill://team/review/a.md")).is_none());
    }

    #[test]
    fn a_folder_is_told_by_its_type_and_not_by_a_slash() {
        let skill = SkillUri::for_path("review").unwrap();
        let folder =
            child(&skill, &json!({ "uri": "skill://review/a", "mimeType": "inode/directory" }));
        assert!(matches!(folder, Ok(Child::Folder(uri)) if uri == "skill://review/a"));
        let file = child(&skill, &json!({ "uri": "skill://review/a", "mimeType": "text/plain" }));
        assert!(matches!(file, Ok(Child::File { path, .. }) if path == "a"));
    }
}
