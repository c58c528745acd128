//! Where files are looked for.

use std::path::PathBuf;

use skills::paths::Paths;

use super::super::Platform;
use super::super::places::places;

/// The person's files, with `~` for home.
fn files(platform: Platform) -> Vec<String> {
    let paths = Paths::under(Path::new("/nowhere"));
    places(&paths, platform, &[])
        .iter()
        .map(|place| format!("{}: {}", place.tool, paths.display(&place.file)))
        .collect()
}

use std::path::Path;

#[test]
fn on_linux() {
    assert_eq!(
        files(Platform::Linux),
        [
            "claude-code: ~/.claude.json",
            "claude-desktop: ~/.config/Claude/claude_desktop_config.json",
            "cursor: ~/.cursor/mcp.json",
            "vscode: ~/.config/Code/User/mcp.json",
            "vscode: ~/.config/Code/User/profiles/*/mcp.json",
            "vscode: ~/.config/Code - Insiders/User/mcp.json",
            "vscode: ~/.config/VSCodium/User/mcp.json",
            "vscode: ~/.config/Code/User/settings.json",
            "github-copilot: ~/.copilot/mcp-config.json",
            "codex: ~/.codex/config.toml",
            "gemini-cli: ~/.gemini/settings.json",
            "goose: ~/.config/goose/config.yaml",
            "opencode: ~/.config/opencode/opencode.json",
            "opencode: ~/.config/opencode/opencode.jsonc",
            "opencode: ~/.config/opencode/config.json",
            "opencode: ~/.agents/mcp.json",
            "windsurf: ~/.codeium/windsurf/mcp_config.json",
            "windsurf: ~/.codeium/mcp_config.json",
        ]
    );
}

#[test]
fn on_macos_and_windows_where_they_differ() {
    let linux = files(Platform::Linux);
    let own = |platform: Platform| -> Vec<String> {
        files(platform).into_iter().filter(|file| !linux.contains(file)).collect()
    };
    assert_eq!(
        own(Platform::MacOs),
        [
            "claude-desktop: ~/Library/Application Support/Claude/claude_desktop_config.json",
            "vscode: ~/Library/Application Support/Code/User/mcp.json",
            "vscode: ~/Library/Application Support/Code/User/profiles/*/mcp.json",
            "vscode: ~/Library/Application Support/Code - Insiders/User/mcp.json",
            "vscode: ~/Library/Application Support/VSCodium/User/mcp.json",
            "vscode: ~/Library/Application Support/Code/User/settings.json",
        ]
    );
    assert_eq!(
        own(Platform::Windows),
        [
            "claude-desktop: ~/AppData/Roaming/Claude/claude_desktop_config.json",
            "claude-desktop: ~/AppData/Local/Packages/Claude_*/LocalCache/Roaming/Claude/\
             claude_desktop_config.json",
            "claude-desktop: ~/AppData/Local/Claude-Data/claude_*/claude_desktop_config.json",
            "vscode: ~/AppData/Roaming/Code/User/mcp.json",
            "vscode: ~/AppData/Roaming/Code/User/profiles/*/mcp.json",
            "vscode: ~/AppData/Roaming/Code - Insiders/User/mcp.json",
            "vscode: ~/AppData/Roaming/VSCodium/User/mcp.json",
            "vscode: ~/AppData/Roaming/Code/User/settings.json",
            "goose: ~/AppData/Roaming/Block/goose/config/config.yaml",
        ]
    );
}

#[test]
fn in_projects() {
    let paths = Paths::under(Path::new("/nowhere"));
    let project = PathBuf::from("/src/app");
    let files: Vec<String> = places(&paths, Platform::Linux, std::slice::from_ref(&project))
        .into_iter()
        .filter(|place| place.project.as_ref() == Some(&project))
        .map(|place| format!("{}: {}", place.tool, place.file.display()))
        .collect();
    assert_eq!(
        files,
        [
            "claude-code: /src/app/.mcp.json",
            "cursor: /src/app/.cursor/mcp.json",
            "vscode: /src/app/.vscode/mcp.json",
            "vscode: /src/app/.vscode/settings.json",
            "codex: /src/app/.codex/config.toml",
            "gemini-cli: /src/app/.gemini/settings.json",
            "opencode: /src/app/opencode.json",
            "opencode: /src/app/opencode.jsonc",
            "opencode: /src/app/.opencode/opencode.json",
            "opencode: /src/app/.opencode/opencode.jsonc",
            "opencode: /src/app/.agents/mcp.json",
        ]
    );
}
