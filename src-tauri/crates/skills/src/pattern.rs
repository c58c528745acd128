//! Constant regular expressions; the engine is linear in the text, so hostile text is no danger.

use std::sync::LazyLock;

use regex::Regex;

/// A pattern that is compiled on its first use.
pub(crate) type Pattern = LazyLock<Regex>;

/// Compiles a constant.
#[expect(clippy::expect_used, reason = "constants only; each is compiled by a test")]
pub(crate) fn compile(pattern: &'static str) -> Regex {
    Regex::new(pattern).expect("the pattern is a valid constant")
}

/// Compiles a constant for folded text: ASCII, `^` and `$` at every line.
#[expect(clippy::expect_used, reason = "constants only; each is compiled by a test")]
pub(crate) fn compile_bytes(pattern: &str) -> regex::bytes::Regex {
    regex::bytes::RegexBuilder::new(pattern)
        .unicode(false)
        .multi_line(true)
        .build()
        .expect("the pattern is a valid constant")
}
