//! What the name of a file alone makes of it for some tool.

use super::codes::{self, Found};
use super::hidden::is_hidden;
use super::lookalike;

/// Files that steer agents wherever they lie, lower case.
const AGENT_FILES: &[&str] = &[
    "claude.md",
    "claude.local.md",
    "agents.md",
    "agent.md",
    "gemini.md",
    ".cursorrules",
    ".windsurfrules",
    ".clinerules",
    ".roorules",
    "copilot-instructions.md",
    ".mcp.json",
    "mcp.json",
];

/// Folders of agents' settings.
const AGENT_FOLDERS: &[&str] =
    &[".claude", ".cursor", ".codex", ".gemini", ".vscode", ".windsurf", ".kiro"];

/// Files that run when Python starts or a shell enters the folder.
const RUNS_UNASKED: &[&str] =
    &["sitecustomize.py", "usercustomize.py", ".envrc", ".bashrc", ".zshrc", ".profile"];

/// Files that build and test programs run.
const RUNS_BY_NAME: &[&str] = &[
    "setup.py",
    "conftest.py",
    "makefile",
    "gnumakefile",
    "build.rs",
    "binding.gyp",
    "rakefile",
    "noxfile.py",
    "tasks.py",
    "gruntfile.js",
    "gulpfile.js",
    "dockerfile",
    "justfile",
    "cmakelists.txt",
];

pub(super) fn look(path: &str, findings: &mut Vec<Found>) {
    if let Some(c) = path.chars().find(|c| is_hidden(*c) && !matches!(c, '\u{200d}' | '\u{fe0f}')) {
        findings.push(Found::of(&codes::HIDDEN_NAME).saying(format!(
            "the name of the file has U+{:04X}, which does not show",
            u32::from(c)
        )));
    }
    if let Some(c) = lookalike::in_name(path) {
        findings.push(Found::of(&codes::LOOK_ALIKE_NAME).saying(format!(
            "the name of the file has U+{:04X} in place of a Latin letter",
            u32::from(c)
        )));
    }
    if crate::is_plugin_manifest(path) {
        findings.push(Found::of(&codes::PLUGIN));
    }
    let nested = crate::is_nested_main(path);
    if nested {
        findings.push(Found::of(&codes::NESTED));
    } else if crate::reads_as_main_file(path) && !path.ends_with(crate::MAIN_FILE) {
        findings.push(Found::of(&codes::MAIN_FILE_CASE));
    }
    let lower = path.to_lowercase();
    let mut parts = lower.rsplit('/');
    let name = parts.next().unwrap_or_default();
    if AGENT_FILES.contains(&name)
        || lower.split('/').rev().skip(1).any(|part| AGENT_FOLDERS.contains(&part))
    {
        findings.push(Found::of(&codes::AGENT_FILE));
    }
    if RUNS_UNASKED.contains(&name) || name.ends_with(".pth") {
        findings.push(Found::of(&codes::RUNS_UNASKED));
    } else if RUNS_BY_NAME.contains(&name) {
        findings.push(Found::of(&codes::RUNS_BY_NAME));
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

/// Whether a file is run by its extension or its first line.
pub(super) fn is_script(path: &str, bytes: &[u8]) -> bool {
    let extension = path
        .rsplit('/')
        .next()
        .and_then(|name| name.rsplit_once('.'))
        .map(|(_, extension)| extension);
    extension.is_some_and(|extension| SCRIPTS.contains(&extension.to_ascii_lowercase().as_str()))
        || bytes.starts_with(b"#!")
}
