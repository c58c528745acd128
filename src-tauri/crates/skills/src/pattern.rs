//! Constant regular expressions; the engine is linear in the text, so hostile text is no danger.

use std::sync::LazyLock;

use regex::Regex;
use regex_automata::meta;
use regex_automata::nfa::thompson::WhichCaptures;
use regex_automata::util::syntax;

/// A pattern that is compiled on its first use.
pub(crate) type Pattern = LazyLock<Regex>;

/// Compiles a constant.
#[expect(clippy::expect_used, reason = "constants only; each is compiled by a test")]
pub(crate) fn compile(pattern: &'static str) -> Regex {
    Regex::new(pattern).expect("the pattern is a valid constant")
}

/// More memory than any automaton of a rule needs, so that none is started afresh or given up.
const AUTOMATON: usize = 32 * 1024 * 1024;

/// Compiles a constant for folded text: ASCII, `^` and `$` at every line.
#[expect(clippy::expect_used, reason = "constants only; each is compiled by a test")]
pub(crate) fn compile_bytes(pattern: &str) -> regex::bytes::Regex {
    regex::bytes::RegexBuilder::new(pattern)
        .unicode(false)
        .multi_line(true)
        .dfa_size_limit(AUTOMATON)
        .build()
        .expect("the pattern is a valid constant")
}

/// The same, which does not look for the words that a match begins with before it looks at each
/// byte: better where there are many of them.
#[expect(clippy::expect_used, reason = "constants only; each is compiled by a test")]
pub(crate) fn compile_dense(pattern: &str) -> meta::Regex {
    let config = meta::Config::new()
        .auto_prefilter(false)
        .utf8_empty(false)
        .which_captures(WhichCaptures::Implicit)
        .hybrid_cache_capacity(AUTOMATON);
    meta::Builder::new()
        .configure(config)
        .syntax(syntax::Config::new().unicode(false).utf8(false).multi_line(true))
        .build(pattern)
        .expect("the pattern is a valid constant")
}
