//! What a server answered, in the form in which it is compared.

use std::collections::BTreeMap;
use std::fs;
use std::process::Child;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Map, Value, json};
use skills::digest::Digest;

use super::ours;
use crate::corpus::served::After;
use crate::corpus::{Case, Corpus};
use crate::support::python::asked_over;

/// What was answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Of {
    /// A whole result: what stands beside its items, or its error.
    Result,
    /// An item of `resources/list`.
    Resource,
    /// An item of `resources/templates/list`.
    Template,
    /// `resources/read`.
    Read,
    /// An item of `skills/list`.
    Skill,
    /// `skills/get`.
    Get,
}

/// By what they are of and the URI, or the method, that they are about.
pub(crate) type Answers = BTreeMap<(Of, String), Value>;

/// The answers of one look: lists by item, bytes by digest, files of an entry sorted.
pub(crate) fn answers(look: &Value) -> Answers {
    let mut found = Answers::new();
    if let Some(start) = look.get("start") {
        found.insert((Of::Result, "start".to_owned()), start.clone());
        return found;
    }
    let lists = [
        ("resources", "resources", "uri", Of::Resource),
        ("templates", "resourceTemplates", "uriTemplate", Of::Template),
        ("skills", "skills", "uri", Of::Skill),
    ];
    for (name, items, key, of) in lists {
        let Some(mut result) = look.get(name).cloned() else { continue };
        if let Some(listed) = result.as_object_mut().and_then(|result| result.remove(items)) {
            for item in listed.as_array().unwrap() {
                let item = if of == Of::Skill { entry(item) } else { item.clone() };
                let uri = item[key].as_str().unwrap().to_owned();
                let known = found.insert((of, uri), item);
                assert_eq!(known, None, "listed twice");
            }
        }
        found.insert((Of::Result, name.to_owned()), result);
    }
    for (uri, result) in look["reads"].as_object().unwrap() {
        found.insert((Of::Read, uri.clone()), content(result));
    }
    for (uri, result) in look.get("gets").and_then(Value::as_object).into_iter().flatten() {
        let mut result = result.clone();
        if let Some(skill) = result.get("skill") {
            result["skill"] = entry(skill);
        }
        found.insert((Of::Get, uri.clone()), result);
    }
    found
}

/// An entry with its files in order of their URIs.
fn entry(entry: &Value) -> Value {
    let mut entry = entry.clone();
    if let Some(files) = entry["resources"].as_array_mut() {
        files.sort_by_key(|file| file["uri"].to_string());
    }
    entry
}

/// The result of a read: its one content, with bytes by size and digest, a manifest as what it says.
fn content(result: &Value) -> Value {
    let mut plain = result.clone();
    let Some(contents) = plain.as_object_mut().and_then(|plain| plain.remove("contents")) else {
        return plain;
    };
    let [content] = contents.as_array().unwrap().as_slice() else { panic!("{contents}") };
    let (kind, bytes) = match (content["text"].as_str(), content["blob"].as_str()) {
        (Some(text), None) => ("text", text.as_bytes().to_vec()),
        (None, Some(blob)) => ("blob", BASE64_STANDARD.decode(blob).unwrap()),
        _ => panic!("{content}"),
    };
    plain["kind"] = json!(kind);
    for (field, value) in content.as_object().unwrap() {
        if field != "text" && field != "blob" {
            plain[field] = value.clone();
        }
    }
    let uri = content["uri"].as_str().unwrap();
    match serde_json::from_slice::<Value>(&bytes) {
        Ok(manifest) if uri.ends_with("/_manifest") => plain["manifest"] = manifest,
        _ => plain["bytes"] = json!([bytes.len(), Digest::of(&bytes).hex()]),
    }
    plain
}

/// The reference at work on a corpus.
pub(crate) struct Asked(Child);

/// Starts it.
pub(crate) fn ask(corpus: &Corpus, afters: &[Option<After>]) -> Asked {
    let list: Map<String, Value> = corpus
        .cases
        .iter()
        .zip(afters)
        .map(|(case, after)| {
            let roots: Vec<String> =
                case.roots.iter().map(|root| format!("{}/{root}", case.folder)).collect();
            let (uris, skills) = ours::asked(corpus, case, after.as_ref());
            let asked = json!({
                "roots": roots, "uris": uris, "skills": skills, "after": happening(case, after.as_ref()),
            });
            (case.name.clone(), asked)
        })
        .collect();
    fs::write(corpus.path().join("cases.json"), Value::from(list).to_string()).unwrap();
    Asked(asked_over("reference.py", corpus.path()))
}

/// What happens to a case's folders between the looks, with paths relative to the corpus.
fn happening(case: &Case, after: Option<&After>) -> Value {
    let Some(after) = after else { return Value::Null };
    let at = |path: &&str| format!("{}/{path}", case.folder);
    let write: Map<String, Value> =
        after.write.iter().map(|(path, text)| (at(path), json!(text))).collect();
    json!({ "write": write, "remove": after.remove.iter().map(at).collect::<Vec<_>>() })
}

impl Asked {
    /// The looks of each case in each way.
    pub(crate) fn answer(self) -> Value {
        let output = self.0.wait_with_output().unwrap();
        assert!(output.status.success(), "reference.py ended with {}", output.status);
        serde_json::from_slice(&output.stdout).unwrap()
    }
}
