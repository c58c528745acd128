//! Ready-made settings that make other tools use what is shared.

use std::path::Path;

use serde_json::{Value, json};
use skills::paths::Paths;
use skills::provider::Place;
use vault::settings::Sharing as Settings;

use crate::view::SharingSnippet;

/// What stands where the token belongs. It occurs nowhere else in a snippet.
const HEADER: &str = "Bearer TOKEN";

/// The same skills by a command of its own, for a tool that cannot send a token: the program and
/// its arguments.
pub(super) fn command(settings: &Settings, places: &[Place]) -> Vec<String> {
    let program = std::env::current_exe().ok();
    let text = |path: &Path| path.to_string_lossy().into_owned();
    let mut command =
        vec![program.map_or_else(|| "skillhold".to_owned(), |program| text(&program))];
    command.extend(["serve", "--stdio"].map(str::to_owned));
    let flags = [
        (!settings.strict, "--compatible"),
        (settings.strict, "--merge-identical"),
        (settings.strict && !settings.discovery, "--no-discovery"),
        (settings.list_files, "--supporting-files=resources"),
    ];
    command.extend(flags.iter().filter(|(on, _)| *on).map(|(_, flag)| (*flag).to_owned()));
    for place in places {
        let flag = match place {
            Place::Root(_) => "--root",
            Place::Skill(_) => "--skill",
        };
        command.extend([flag.to_owned(), text(place.path())]);
    }
    command
}

/// One for each tool whose settings are known, with the address, or with the command where the tool
/// sends no headers.
pub(super) fn snippets(paths: &Paths, url: &str, command: &[String]) -> Vec<SharingSnippet> {
    let headers = json!({ "Authorization": HEADER });
    let (program, arguments) =
        command.split_first().map_or(("", &[][..]), |(first, rest)| (first.as_str(), rest));
    let config = |path: &str| paths.display(&paths.config().join(path));
    let code = if cfg!(target_os = "macos") {
        "~/Library/Application Support/Code/User/mcp.json".to_owned()
    } else if cfg!(windows) {
        "%APPDATA%\\Code\\User\\mcp.json".to_owned()
    } else {
        config("Code/User/mcp.json")
    };
    let desktop = if cfg!(target_os = "macos") {
        "~/Library/Application Support/Claude/claude_desktop_config.json".to_owned()
    } else if cfg!(windows) {
        "%APPDATA%\\Claude\\claude_desktop_config.json".to_owned()
    } else {
        config("Claude/claude_desktop_config.json")
    };
    let snippet =
        |tool: &str, name: &str, place: String, language: &str, text: String| SharingSnippet {
            tool: tool.to_owned(),
            name: name.to_owned(),
            place,
            language: language.to_owned(),
            text,
        };
    vec![
        snippet(
            "claude-code",
            "Claude Code",
            "run this in a terminal".to_owned(),
            "sh",
            format!(
                "claude mcp add --scope user --transport http skillhold {url} \
                 --header \"Authorization: {HEADER}\"\n"
            ),
        ),
        snippet(
            "claude-desktop",
            "Claude Desktop",
            format!("{desktop} (it sends no token to an address, so it starts Skillhold itself)"),
            "json",
            written(&json!({ "mcpServers": { "skillhold": {
                "command": program, "args": arguments,
            } } })),
        ),
        snippet(
            "cursor",
            "Cursor",
            "~/.cursor/mcp.json".to_owned(),
            "json",
            written(&json!({ "mcpServers": { "skillhold": { "url": url, "headers": headers } } })),
        ),
        snippet(
            "vscode",
            "VS Code",
            code,
            "json",
            written(&json!({ "servers": { "skillhold": {
                "type": "http", "url": url, "headers": headers,
            } } })),
        ),
        snippet(
            "codex",
            "Codex",
            "~/.codex/config.toml".to_owned(),
            "toml",
            format!(
                "[mcp_servers.skillhold]\nurl = \"{url}\"\n\
                 http_headers = {{ Authorization = \"{HEADER}\" }}\n"
            ),
        ),
        snippet(
            "gemini-cli",
            "Gemini CLI",
            "~/.gemini/settings.json".to_owned(),
            "json",
            written(&json!({ "mcpServers": { "skillhold": {
                "httpUrl": url, "headers": headers,
            } } })),
        ),
        snippet(
            "goose",
            "Goose",
            if cfg!(windows) {
                "%APPDATA%\\Block\\goose\\config\\config.yaml".to_owned()
            } else {
                "~/.config/goose/config.yaml".to_owned()
            },
            "yaml",
            format!(
                "extensions:\n  skillhold:\n    enabled: true\n    type: streamable_http\n    \
                 name: skillhold\n    description: Skills of this machine\n    uri: {url}\n    \
                 headers:\n      Authorization: {HEADER}\n    timeout: 300\n"
            ),
        ),
        snippet(
            "opencode",
            "OpenCode",
            "~/.config/opencode/opencode.json".to_owned(),
            "json",
            written(&json!({
                "$schema": "https://opencode.ai/config.json",
                "mcp": { "servers": { "skillhold": {
                    "type": "remote", "url": url, "headers": headers, "oauth": false,
                } } },
            })),
        ),
    ]
}

fn written(value: &Value) -> String {
    format!("{value:#}\n")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::PathBuf;

    use super::*;

    const URL: &str = "http://127.0.0.1:7341/mcp";

    fn all() -> Vec<SharingSnippet> {
        let places =
            [Place::Root(PathBuf::from("/home/a/.x")), Place::Skill(PathBuf::from("/one"))];
        let settings = Settings { list_files: true, ..Settings::default() };
        let mut command = command(&settings, &places);
        command[0] = "/opt/skillhold".to_owned();
        snippets(&Paths::under(Path::new("/home/a")), URL, &command)
    }

    #[test]
    fn each_tool_has_one_with_one_place_for_the_token() {
        let all = all();
        let tools: BTreeSet<&str> = all.iter().map(|snippet| snippet.tool.as_str()).collect();
        assert_eq!(tools.len(), 8);
        for snippet in all.iter().filter(|snippet| snippet.tool != "claude-desktop") {
            assert_eq!(snippet.text.matches("TOKEN").count(), 1, "{}", snippet.text);
            assert!(snippet.text.contains("Bearer TOKEN"), "{}", snippet.text);
            assert!(snippet.text.contains(URL), "{}", snippet.text);
        }
    }

    #[test]
    fn each_is_in_its_language() {
        for snippet in all() {
            match snippet.language.as_str() {
                "json" => drop(serde_json::from_str::<Value>(&snippet.text).unwrap()),
                "toml" => drop(toml::from_str::<toml::Table>(&snippet.text).unwrap()),
                _ => {}
            }
        }
    }

    #[test]
    fn a_tool_without_headers_starts_the_same_by_itself() {
        let all = all();
        let desktop = all.iter().find(|snippet| snippet.tool == "claude-desktop").unwrap();
        let settings: Value = serde_json::from_str(&desktop.text).unwrap();
        assert_eq!(
            settings["mcpServers"]["skillhold"],
            json!({ "command": "/opt/skillhold", "args": [
                "serve", "--stdio", "--merge-identical", "--supporting-files=resources",
                "--root", "/home/a/.x", "--skill", "/one",
            ] })
        );
    }
}
