//! The rules of `skills-ref`: the sentences in which it tells of each, and the codes in which ours
//! does.

use serde_json::{Value, json};

/// A rule: its name, what its sentences have in them, and the beginnings of our codes.
type Rule = (&'static str, &'static [&'static str], &'static [&'static str]);

const RULES: &[Rule] = &[
    (
        "main file",
        &["Missing required file", "Not a directory", "Path does not exist"],
        &["files-unreadable", "link-broken", "file-"],
    ),
    (
        "front matter",
        &[
            "must start with YAML frontmatter",
            "not properly closed",
            "Invalid YAML in frontmatter",
            "must be a YAML mapping",
        ],
        &[
            "frontmatter-",
            "byte-order-mark",
            "files-unreadable",
            "file-",
            "flow-style",
            "link-broken",
            "not-utf8",
            "control-character",
            "nul-",
        ],
    ),
    ("unknown field", &["Unexpected fields"], &["field-"]),
    (
        "name",
        &["field in frontmatter: name", "Field 'name' must be"],
        &["name-missing", "name-type", "name-form"],
    ),
    (
        "name form",
        &["Skill name '", "Skill name cannot"],
        &["name-form", "name-length", "name-type"],
    ),
    ("name and folder", &["must match skill name"], &["name-folder"]),
    (
        "description",
        &["field in frontmatter: description", "Field 'description' must be"],
        &["description-missing", "description-type", "description-blank"],
    ),
    ("description length", &["Description exceeds"], &["description-length"]),
    (
        "compatibility",
        &["Field 'compatibility' must be", "Compatibility exceeds"],
        &["compatibility-"],
    ),
];

/// The rules that these sentences are about, each once; that of the front matter where it stopped.
pub(crate) fn broken(sentences: &Value) -> Value {
    let Some(sentences) = sentences.as_array() else { return json!(["front matter"]) };
    let mut rules: Vec<&str> = sentences
        .iter()
        .map(|sentence| {
            let sentence = sentence.as_str().unwrap();
            RULES
                .iter()
                .find(|(_, parts, _)| parts.iter().any(|part| sentence.contains(part)))
                .unwrap_or_else(|| panic!("skills-ref has a rule that is not listed: {sentence}"))
                .0
        })
        .collect();
    rules.sort_unstable();
    rules.dedup();
    json!(rules)
}

/// The rules that a diagnostic of this code tells of.
pub(crate) fn told_by(code: &str) -> impl Iterator<Item = &'static str> {
    RULES
        .iter()
        .filter(move |(_, _, codes)| codes.iter().any(|start| code.starts_with(start)))
        .map(|(rule, ..)| *rule)
}
