//! What our own crate says of the same skills.

use std::fs;
use std::path::Path;

use serde_json::{Map, Value, json};
use skills::check::check_folder;
use skills::digest::Digest;
use skills::frontmatter::FrontMatter;
use skills::manifest::{Manifest, ManifestFile};
use skills::provider::{DirectoryProvider, Mode, Options, Provider};
use skills::readers::{Outcome, readings};

use super::{Findings, Of, rules};
use crate::corpus::{Case, Corpus};

/// The findings of one case.
pub(crate) fn of(corpus: &Corpus, case: &Case) -> Findings {
    let mut found = Findings::new();
    let roots = corpus.roots(case);
    let compatible = DirectoryProvider::new(roots.clone(), Options::default());
    let mut names = Vec::new();
    for resource in compatible.list().resources {
        let Some(name) = resource.name.strip_suffix("/SKILL.md") else { continue };
        let read = |path: &str| {
            let uri = resource.uri.strip_suffix("SKILL.md").unwrap();
            compatible.read(&format!("{uri}{path}")).ok().map(|content| content.bytes)
        };
        let unreadable = || json!("listed and not readable");
        let fields = read("SKILL.md").map(|main| FrontMatter::read(&main).texts().clone());
        found.insert((Of::Fields, name.to_owned()), fields.map_or_else(unreadable, Value::Object));
        found.insert((Of::Description, name.to_owned()), json!(resource.description));
        let manifest = read("_manifest").map(|manifest| files(&manifest));
        found.insert((Of::Files, name.to_owned()), manifest.unwrap_or_else(unreadable));
        names.push(name.to_owned());
    }
    names.sort();
    found.insert((Of::Published, String::new()), json!(names));

    let options = Options { mode: Mode::Strict, ..Options::default() };
    let strict = DirectoryProvider::new(roots, options);
    found.insert((Of::Entries, String::new()), entries(&strict));

    for (folder, _) in corpus.skills(case) {
        let dir = corpus.path().join(&folder);
        found.insert((Of::Strict, folder.clone()), strict_fields(&dir));
        let checked = check_folder(&dir);
        found.insert((Of::Valid, folder.clone()), json!(checked.valid));
        let mut rules: Vec<&str> =
            checked.diagnostics.iter().flat_map(|found| rules::told_by(found.code)).collect();
        rules.sort_unstable();
        rules.dedup();
        found.insert((Of::SkillsRef, folder.clone()), json!(rules));
        let properties = skills_ref(&dir, checked.manifest.ok());
        found.insert((Of::Properties, folder), properties);
    }
    found
}

/// Path, size and digest of each file of a `_manifest`.
fn files(manifest: &[u8]) -> Value {
    let manifest: Value = serde_json::from_slice(manifest).unwrap();
    let files = manifest["files"].as_array().unwrap();
    files.iter().map(|file| json!([file["path"], file["size"], file["hash"]])).collect()
}

fn entries(provider: &DirectoryProvider) -> Value {
    let mut published = Map::new();
    for entry in &provider.entries().unwrap().entries {
        let files: Vec<_> = entry
            .files()
            .iter()
            .map(|file| json!([file.uri, file.size, file.digest.to_string()]))
            .collect();
        let value = json!({"frontmatter": entry.front_matter(), "files": sorted(files)});
        published.insert(entry.uri().as_str().to_owned(), value);
    }
    Value::from(published)
}

/// In the order of their URIs: the protocol has none.
pub(crate) fn sorted(mut files: Vec<Value>) -> Vec<Value> {
    files.sort_by_key(|file| file[0].as_str().map(str::to_owned));
    files
}

fn strict_fields(dir: &Path) -> Value {
    match fs::read(dir.join("SKILL.md")).as_deref().map(FrontMatter::strict) {
        Ok(Ok(fields)) => Value::Object(fields),
        _ => json!("refused"),
    }
}

/// What the reader `skills-ref` is said to make of it.
fn skills_ref(dir: &Path, manifest: Option<Manifest>) -> Value {
    let Ok(bytes) = fs::read(dir.join("SKILL.md")) else { return json!("refused") };
    // It opens no file but this one.
    let file = ManifestFile {
        path: "SKILL.md".to_owned(),
        size: bytes.len() as u64,
        digest: Digest::of(&bytes),
    };
    let manifest = manifest.unwrap_or_else(|| Manifest::new(vec![file]).unwrap());
    let name = dir.file_name().unwrap().to_str().unwrap();
    let readings = readings(name, &manifest, &bytes);
    let reading = readings.iter().find(|reading| reading.reader.id == "skills-ref").unwrap();
    if reading.outcome == Outcome::Drops {
        return json!("refused");
    }
    let valid = !reading.message.contains("invalid");
    json!({"valid": valid, "name": reading.name, "description": reading.description})
}
