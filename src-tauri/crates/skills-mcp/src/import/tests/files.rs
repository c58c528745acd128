//! Files on a disk.

#![allow(clippy::disallowed_methods, reason = "the files of a played home")]

use std::fs;
use std::path::PathBuf;

use skills::paths::Paths;
use tempfile::TempDir;

use super::super::limits::{FILE_BYTES, SERVERS, SERVERS_IN_ALL};
use super::super::{Look, Platform, look};

const CURSOR: &str = r#"{ "mcpServers": { "a": { "url": "https://x/mcp" } } }"#;

struct Home(TempDir);

impl Home {
    fn with(files: &[(&str, &str)]) -> Self {
        let home = Self(tempfile::tempdir().unwrap());
        for (path, text) in files {
            let file = home.0.path().join(path);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, text).unwrap();
        }
        home
    }

    fn look(&self, projects: &[&str]) -> Look {
        let projects: Vec<PathBuf> =
            projects.iter().map(|project| self.0.path().join(project)).collect();
        look(&Paths::under(self.0.path()), Platform::Linux, &projects)
    }

    /// Each file that is listed, and its servers' names or why it cannot be read.
    fn listed(&self, projects: &[&str]) -> Vec<String> {
        let paths = Paths::under(self.0.path());
        let line = |settings: &super::super::Settings| {
            let what = match &settings.servers {
                Ok(servers) => servers
                    .found
                    .iter()
                    .map(|server| server.name.clone())
                    .collect::<Vec<_>>()
                    .join(", "),
                Err(error) => error.to_string(),
            };
            format!("{} {}: {what}", settings.name, paths.display(&settings.file))
        };
        self.look(projects).settings.iter().map(line).collect()
    }
}

#[test]
fn files_with_servers_are_listed_and_all_places_are_named() {
    let home = Home::with(&[
        (".cursor/mcp.json", CURSOR),
        (".claude.json", r#"{ "numStartups": 3 }"#),
        (".codex/config.toml", "[mcp_servers.b]\ncommand = \"run\"\n"),
        (
            ".config/Code/User/profiles/x1/mcp.json",
            r#"{ "servers": { "c": { "command": "run" } } }"#,
        ),
        ("src/app/.mcp.json", r#"{ "mcpServers": { "d": { "command": "run" } } }"#),
    ]);
    assert_eq!(
        home.listed(&["src/app"]),
        [
            "Cursor ~/.cursor/mcp.json: a",
            "VS Code ~/.config/Code/User/profiles/x1/mcp.json: c",
            "Codex ~/.codex/config.toml: b",
            "Claude Code ~/src/app/.mcp.json: d",
        ]
    );
    let look = home.look(&[]);
    assert_eq!(look.looked_in.len(), 18);
    assert_eq!(look.looked_in[0], home.0.path().join(".claude.json"));
}

#[test]
fn a_file_that_cannot_be_read_is_a_row_and_the_others_stand() {
    let home = Home::with(&[
        (".cursor/mcp.json", CURSOR),
        (".claude.json", "{ \"mcpServers\": oops }"),
        (".codex/config.toml", "[mcp_servers"),
    ]);
    fs::create_dir_all(home.0.path().join(".gemini/settings.json")).unwrap();
    fs::create_dir_all(home.0.path().join(".codeium/windsurf")).unwrap();
    fs::write(home.0.path().join(".codeium/windsurf/mcp_config.json"), b"\xff\xfe{").unwrap();
    let listed = home.listed(&[]);
    assert_eq!(listed.len(), 5, "{listed:?}");
    assert!(
        listed[0].starts_with("Claude Code ~/.claude.json: it is no valid JSON: line 1, column 17"),
        "{listed:?}"
    );
    assert_eq!(listed[1], "Cursor ~/.cursor/mcp.json: a");
    assert!(listed[2].starts_with("Codex ~/.codex/config.toml: it is no valid TOML: line 1"));
    assert_eq!(listed[3], "Gemini CLI ~/.gemini/settings.json: it is no file");
    assert_eq!(listed[4], "Windsurf ~/.codeium/windsurf/mcp_config.json: it is not UTF-8");
}

#[test]
fn a_file_up_to_the_limit_is_read_and_a_larger_one_is_not() {
    let padded = |size: u64| format!("{CURSOR}{}", " ".repeat(size as usize - CURSOR.len()));
    let home = Home::with(&[
        (".cursor/mcp.json", &padded(FILE_BYTES)),
        (".copilot/mcp-config.json", &padded(FILE_BYTES + 1)),
    ]);
    assert_eq!(
        home.listed(&[]),
        [
            "Cursor ~/.cursor/mcp.json: a",
            "GitHub Copilot ~/.copilot/mcp-config.json: it has more than 4 MiB",
        ]
    );
}

#[test]
fn of_all_files_together_only_so_many_servers_are_listed() {
    let many: Vec<String> =
        (0..SERVERS).map(|n| format!(r#""s{n}": {{ "command": "run" }}"#)).collect();
    let text = format!(r#"{{ "mcpServers": {{ {} }} }}"#, many.join(","));
    let files = [
        ".claude.json",
        ".cursor/mcp.json",
        ".copilot/mcp-config.json",
        ".gemini/settings.json",
        ".codeium/windsurf/mcp_config.json",
    ];
    let home = Home::with(&files.map(|file| (file, text.as_str())));
    let counts: Vec<(usize, usize)> = home
        .look(&[])
        .settings
        .iter()
        .map(|settings| settings.servers.as_ref().unwrap())
        .map(|servers| (servers.found.len(), servers.left_out))
        .collect();
    assert_eq!(SERVERS * 4, SERVERS_IN_ALL);
    assert_eq!(counts, [(500, 0), (500, 0), (500, 0), (500, 0), (0, 500)]);
}

#[test]
fn a_home_without_any_lists_nothing() {
    assert!(Home::with(&[]).listed(&["src/app"]).is_empty());
}
