//! What an Agent Skill is: finding, reading and judging it.
//!
//! A *skill* is a folder with a `SKILL.md` at its top. This crate reads the disk and never writes
//! to it. It knows nothing of MCP, of approvals, or of the window; it has no async code.
//!
//! # Fuzzing
//!
//! `fuzz` has two targets for `cargo fuzz`, `front_matter` and `inspect`, each with a corpus to begin
//! with. With the stable compiler, from this crate's folder:
//!
//! ```sh
//! RUSTC_BOOTSTRAP=1 cargo fuzz run --sanitizer none inspect -- -max_total_time=120
//! ```

#![cfg_attr(
    test,
    allow(clippy::disallowed_methods, reason = "tests write to folders of their own")
)]

pub mod blobs;
pub mod check;
pub mod digest;
pub mod entry;
pub mod fix;
pub mod folder;
pub mod frontmatter;
mod handle;
pub mod inspect;
pub mod library;
mod lines;
pub mod manifest;
pub mod origin;
pub mod path;
pub mod paths;
mod pattern;
pub mod provider;
mod read;
pub mod readers;
mod stamp;
pub mod tool;
pub mod uri;
pub mod visibility;
pub mod watch;

/// The file that makes a folder a skill.
pub const MAIN_FILE: &str = "SKILL.md";

/// Whether the file at this path is a `SKILL.md` to some tool or on some disk: without case and
/// composition, at the top of the skill or below.
pub fn reads_as_main_file(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    path::folded(name) == path::folded(MAIN_FILE)
}

/// Whether the file at this path makes a skill inside another: a `SKILL.md` below the top. Where
/// disks ignore case, so do the tools that open it.
pub fn is_nested_main(path: &str) -> bool {
    path.rsplit_once('/').is_some_and(|(_, name)| {
        name == MAIN_FILE || (cfg!(any(target_os = "macos", windows)) && reads_as_main_file(name))
    })
}

/// Whether a file at this path belongs to a manifest by which tools load the skill's folder as a
/// plugin, with hooks, servers and agents of its own, as in `.claude-plugin/plugin.json`.
pub fn is_plugin_manifest(path: &str) -> bool {
    path.rsplit_once('/').is_some_and(|(folders, _)| {
        folders
            .split('/')
            .any(|name| name.starts_with('.') && path::folded(name).ends_with("plugin"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_main_file_is_one_in_any_case() {
        for path in [
            "SKILL.md",
            "a/skill.md",
            "Skill.MD",
            "a/b/S\u{212a}ILL.md",
            "\u{17f}kill.md",
            "SKILL\u{200d}.md",
        ] {
            assert!(reads_as_main_file(path), "{path}");
        }
        assert!(!reads_as_main_file("SKILL.md/a"));
        assert!(!reads_as_main_file("my-skill.md"));
    }

    #[test]
    fn a_nested_main_file_lies_below_the_top() {
        assert!(is_nested_main("inner/SKILL.md"));
        assert!(is_nested_main("a/b/SKILL.md"));
        assert!(!is_nested_main("SKILL.md"));
        assert!(!is_nested_main("inner/MY-SKILL.md"));
        assert!(!is_nested_main("inner/SKILL.md/a"));
    }

    #[test]
    fn a_plugin_manifest_is_told_by_its_folder() {
        assert!(is_plugin_manifest(".claude-plugin/plugin.json"));
        assert!(is_plugin_manifest("a/.Claude-Plugin/plugin.json"));
        assert!(is_plugin_manifest(".codex-plugin/x"));
        assert!(!is_plugin_manifest("docs/plugin/plugin.json"));
        assert!(!is_plugin_manifest(".claude-plugin"));
    }
}
