//! Untrusted text and bytes as values the page can show without running anything in them.

mod diff;
mod file;
mod hex;
mod hidden;
mod highlight;
mod markdown;

pub use diff::diff;
pub use file::file_body;
pub use hidden::{in_one_line, spelled_out};
pub use markdown::markdown;
