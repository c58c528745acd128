//! What the reference and `skills-ref` say, from one start of Python.

use std::fs;
use std::process::Child;

use serde_json::{Map, Value, json};

use super::ours::sorted;
use super::{Findings, Of, rules};
use crate::corpus::{Case, Corpus};
use crate::support::python::asked_over;

/// Both programs at work on a corpus.
pub(crate) struct Asked(Child);

/// Starts them.
pub(crate) fn ask(corpus: &Corpus) -> Asked {
    let folders = |case: &Case| -> Vec<String> {
        corpus.skills(case).into_iter().map(|(folder, _)| folder).collect()
    };
    let list: Map<String, Value> = corpus
        .cases
        .iter()
        .map(|case| {
            let roots: Vec<String> =
                case.roots.iter().map(|root| format!("{}/{root}", case.folder)).collect();
            (case.name.clone(), json!({"roots": roots, "folders": folders(case)}))
        })
        .collect();
    fs::write(corpus.path().join("cases.json"), Value::from(list).to_string()).unwrap();
    Asked(asked_over("judge.py", corpus.path()))
}

impl Asked {
    /// The cases' findings, in the corpus's order.
    pub(crate) fn answer(self, corpus: &Corpus) -> Vec<Findings> {
        let output = self.0.wait_with_output().unwrap();
        assert!(output.status.success(), "judge.py ended with {}", output.status);
        let said: Map<String, Value> = serde_json::from_slice(&output.stdout).unwrap();
        corpus.cases.iter().map(|case| findings(corpus, case, &said[&case.name])).collect()
    }
}

fn findings(corpus: &Corpus, case: &Case, said: &Value) -> Findings {
    let mut found = Findings::new();
    let published = said["compatible"].as_object().unwrap();
    let stops = published.get("error").is_some_and(Value::is_string);
    let mut names: Vec<&String> = published.keys().collect();
    names.sort();
    let names = if stops { json!("stops") } else { json!(names) };
    found.insert((Of::Published, String::new()), names);
    for (name, skill) in published.iter().filter(|_| !stops) {
        for (of, field) in
            [(Of::Fields, "fields"), (Of::Description, "description"), (Of::Files, "files")]
        {
            found.insert((of, name.clone()), skill[field].clone());
        }
    }
    let mut entries = said["entries"].clone();
    for entry in entries.as_object_mut().unwrap().values_mut().filter(|entry| entry.is_object()) {
        if let Some(files) = entry.get("files").and_then(Value::as_array) {
            entry["files"] = Value::from(sorted(files.clone()));
        }
    }
    found.insert((Of::Entries, String::new()), entries);
    for (folder, _) in corpus.skills(case) {
        let skill = &said["folders"][&folder];
        let strict = match skill["strict"].get("value") {
            Some(value) => value.clone(),
            None => json!("refused"),
        };
        found.insert((Of::Strict, folder.clone()), strict);
        found.insert((Of::Valid, folder.clone()), skill["valid"].clone());
        found.insert((Of::SkillsRef, folder.clone()), rules::broken(&skill["validate"]));
        let properties = &skill["properties"];
        let read = match properties.get("error") {
            Some(_) => json!("refused"),
            None => json!({
                "valid": skill["validate"] == json!([]),
                "name": properties["name"],
                "description": properties["description"],
            }),
        };
        found.insert((Of::Properties, folder), read);
    }
    found
}
