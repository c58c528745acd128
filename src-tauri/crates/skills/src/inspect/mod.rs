//! What a skill's content asks for and what it hides. Findings are never proof of harm, and their
//! absence is no proof of the contrary.

use std::collections::BTreeMap;

mod binary;
mod hidden;
mod requests;
mod rules;

use crate::MAIN_FILE;
use crate::check::{Diagnostic, Place, Severity};
use crate::lines::LineIndex;

pub use self::hidden::is_hidden;

/// What was found in the bytes of one skill.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Inspection {
    /// What it asks for.
    pub requests: Requests,
    /// Paths of files that can be run.
    pub scripts: Vec<String>,
    /// Paths of files that are not text.
    pub binaries: Vec<String>,
    /// Paths of the `SKILL.md` of skills inside of this one.
    pub nested: Vec<String>,
    /// What is hidden, or asks for a second look; grave ones first.
    pub findings: Vec<Finding>,
}

/// What a skill asks for; each once, in order of first appearance.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Requests {
    /// The words of `allowed-tools`.
    pub allowed_tools: Vec<String>,
    /// The hooks of the front matter, as text.
    pub hooks: Vec<String>,
    /// Commands that its text tells the model to run.
    pub commands: Vec<String>,
    /// Network addresses in its files.
    pub addresses: Vec<String>,
    /// Paths outside of itself.
    pub outside: Vec<String>,
}

/// One thing that a person should look at before approving.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// True when it must be acknowledged by itself.
    pub grave: bool,
    /// What it is and where.
    pub diagnostic: Diagnostic,
}

/// Looks at every byte of a skill, path to bytes.
pub fn inspect(files: &BTreeMap<String, Vec<u8>>) -> Inspection {
    let mut seen = Inspection::default();
    if let Some(skill_md) = files.get(MAIN_FILE) {
        requests::front_matter(skill_md, &mut seen.requests);
    }
    for (path, bytes) in files {
        if path.strip_suffix(MAIN_FILE).is_some_and(|folder| folder.ends_with('/')) {
            seen.nested.push(path.clone());
        }
        if is_script(path, bytes) {
            seen.scripts.push(path.clone());
        }
        names(path, &mut seen);
        match std::str::from_utf8(bytes) {
            Ok(text) if !text.contains('\0') => {
                let index = LineIndex::new(text);
                hidden::look(path, text, &index, &mut seen.findings);
                rules::look(path, text, &index, &mut seen.findings);
                requests::text(path, text, &mut seen.requests);
            }
            _ => {
                seen.binaries.push(path.clone());
                binary::look(path, bytes, &mut seen.findings);
            }
        }
    }
    seen.findings.sort_by(|a, b| {
        let key = |finding: &Finding| {
            let Diagnostic { code, severity, place, .. } = &finding.diagnostic;
            (!finding.grave, *severity, place.clone(), *code)
        };
        key(a).cmp(&key(b))
    });
    seen
}

/// What the name of a file alone makes of it for some tool.
fn names(path: &str, seen: &mut Inspection) {
    let mut say = |code, grave, message: &str, help: &str| {
        seen.findings.push(Finding {
            grave,
            diagnostic: Diagnostic {
                code,
                severity: if grave { Severity::Error } else { Severity::Warning },
                message: message.to_owned(),
                help: Some(help.to_owned()),
                place: Some(Place { file: path.to_owned(), line: 1, column: 1, length: 0 }),
            },
        });
    };
    if let Some(c) = path.chars().find(|c| is_hidden(*c) && !matches!(c, '\u{200d}' | '\u{fe0f}')) {
        say(
            "hidden-in-name",
            true,
            &format!("the name of the file has U+{:04X}, which does not show", u32::from(c)),
            "the name that you see is not the name that it has",
        );
    }
    if crate::is_plugin_manifest(path) {
        say(
            "plugin-inside",
            true,
            "tools load a folder with this file as a plugin",
            "a plugin starts hooks, servers and agents of its own; without the grant the skill is not installed",
        );
        requests::plugin(path, &mut seen.requests);
    }
    if crate::reads_as_main_file(path) && !path.ends_with(MAIN_FILE) {
        say(
            "main-file-in-other-case",
            false,
            "some tools and disks read this file as a SKILL.md",
            "it is looked at like one, but cannot be approved by itself",
        );
    }
}

/// Extensions of files that an interpreter or the system runs.
const SCRIPTS: &[&str] = &[
    "applescript",
    "bash",
    "bat",
    "cjs",
    "cmd",
    "com",
    "csh",
    "exe",
    "fish",
    "js",
    "ksh",
    "lua",
    "mjs",
    "php",
    "pl",
    "ps1",
    "psm1",
    "py",
    "rb",
    "scpt",
    "sh",
    "ts",
    "vbs",
    "wsf",
    "zsh",
];

fn is_script(path: &str, bytes: &[u8]) -> bool {
    let extension = path
        .rsplit('/')
        .next()
        .and_then(|name| name.rsplit_once('.'))
        .map(|(_, extension)| extension);
    extension.is_some_and(|extension| SCRIPTS.contains(&extension.to_ascii_lowercase().as_str()))
        || bytes.starts_with(b"#!")
}

/// True for the files that a model reads as Markdown.
fn is_markdown(path: &str) -> bool {
    crate::provider::mime_type(path) == "text/markdown"
}

#[cfg(test)]
mod tests;
