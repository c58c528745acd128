//! What an Agent Skill is: finding, reading and judging it.
//!
//! A *skill* is a folder with a `SKILL.md` at its top. This crate reads the disk and never writes
//! to it. It knows nothing of MCP, of approvals, or of the window; it has no async code.

#![cfg_attr(
    test,
    allow(clippy::disallowed_methods, reason = "tests write to folders of their own")
)]

pub mod blobs;
pub mod check;
pub mod digest;
pub mod entry;
pub mod frontmatter;
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
mod stamp;
pub mod tool;
pub mod uri;
pub mod watch;

/// The file that makes a folder a skill.
pub const MAIN_FILE: &str = "SKILL.md";
