//! What a server in strict mode publishes; the provider and the checks share it.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::name::is_name;
use crate::MAIN_FILE;
use crate::frontmatter::FrontMatter;

/// The most characters of a name, a description and a compatibility (Agent Skills, Frontmatter).
pub(super) const NAME: usize = 64;
pub(super) const DESCRIPTION: usize = 1024;
pub(super) const COMPATIBILITY: usize = 500;

/// The path at which each skill's manifest is served, which no file of it may have.
const SERVED_MANIFEST: &str = "_manifest";

/// The fields, if an entry may carry them: what strict mode of FastMCP asks for, but for
/// `allowed-tools` as a list and `metadata` with other values than texts, which later versions
/// take.
///
/// # Errors
/// The first rule that is broken.
pub(crate) fn publishable(
    skill_md: &[u8],
    folder_name: &str,
) -> Result<Map<String, Value>, String> {
    let fields = FrontMatter::strict(skill_md).map_err(|error| error.message)?;
    let text = |name: &str| fields.get(name).and_then(Value::as_str);
    match text("name") {
        Some(name) if !is_name(name) => {
            return Err(
                "`name` is not 1 to 64 of a-z, 0-9 and single hyphens, none at an end".to_owned()
            );
        }
        Some(name) if name != folder_name => return Err("`name` is not the folder's".to_owned()),
        Some(_) => {}
        None => return Err("there is no `name`".to_owned()),
    }
    match text("description") {
        Some(text) if is_description(text) => {}
        _ => return Err("`description` is missing, blank or over 1,024 characters".to_owned()),
    }
    if !fields.get("license").is_none_or(Value::is_string) {
        return Err("`license` is not a text".to_owned());
    }
    if !fields.get("allowed-tools").is_none_or(are_tools) {
        return Err("`allowed-tools` is neither a text nor a list of texts".to_owned());
    }
    if !fields.get("compatibility").is_none_or(is_compatibility) {
        return Err("`compatibility` is not a text of 1 to 500 characters".to_owned());
    }
    if !fields.get("metadata").is_none_or(Value::is_object) {
        return Err("`metadata` does not hold fields".to_owned());
    }
    Ok(fields)
}

fn is_description(text: &str) -> bool {
    !text.trim().is_empty() && text.chars().count() <= DESCRIPTION
}

/// A text, or a list of texts.
pub(super) fn are_tools(value: &Value) -> bool {
    match value {
        Value::String(_) => true,
        Value::Array(items) => items.iter().all(Value::is_string),
        _ => false,
    }
}

/// A text of 1 to 500 characters.
pub(super) fn is_compatibility(value: &Value) -> bool {
    value.as_str().is_some_and(|text| !text.is_empty() && text.chars().count() <= COMPATIBILITY)
}

/// Whether the URI of this file of a skill leads to it and to nothing else: its path can be split
/// again, and neither the skill's nor a nested skill's manifest is served there.
pub(crate) fn has_uri(paths: &BTreeSet<&str>, path: &str) -> bool {
    let bad = |part: &str| matches!(part, "" | "." | "..") || part.contains(['\\', '\0']);
    if path.split('/').any(bad) {
        return false;
    }
    let Some(folder) = path.strip_suffix(SERVED_MANIFEST) else { return true };
    let in_skill = || paths.contains(format!("{folder}{MAIN_FILE}").as_str());
    !(folder.is_empty() || folder.ends_with('/') && in_skill())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_file_that_its_uri_gives_has_one() {
        let paths: BTreeSet<&str> = ["SKILL.md", "a/SKILL.md"].into();
        for path in ["SKILL.md", "a/SKILL.md", "b/_manifest", "a/b/_manifest", "a_manifest", "é x"]
        {
            assert!(has_uri(&paths, path), "{path}");
        }
        for path in ["_manifest", "a/_manifest", "a\\b", "a/\\"] {
            assert!(!has_uri(&paths, path), "{path}");
        }
    }
}
