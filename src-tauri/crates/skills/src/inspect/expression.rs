//! The patterns of a rule, compiled on their first use.

use std::ops::Range;
use std::sync::OnceLock;

use regex::bytes::Regex;
use regex_automata::{Input, meta};

use crate::pattern;

/// An expression that is compiled on its first use.
#[derive(Debug)]
pub(super) struct Expression {
    source: String,
    compiled: OnceLock<Regex>,
    /// For texts full of the words that a match begins with.
    dense: OnceLock<meta::Regex>,
}

#[cfg(test)]
impl Expression {
    pub(super) fn source(&self) -> &str {
        &self.source
    }
}

impl Expression {
    pub(super) fn of(patterns: &[String], parts: &[(String, String)]) -> Option<Self> {
        if patterns.is_empty() {
            return None;
        }
        let mut source = patterns.join("|");
        for (name, part) in parts {
            source = source.replace(&format!("<{name}>"), part);
        }
        Some(Self { source, compiled: OnceLock::new(), dense: OnceLock::new() })
    }

    pub(super) fn get(&self) -> &Regex {
        self.compiled.get_or_init(|| pattern::compile_bytes(&self.source))
    }

    /// The first match from a byte on.
    pub(super) fn find(&self, bytes: &[u8], from: usize, dense: bool) -> Option<Range<usize>> {
        if !dense {
            return self.get().find_at(bytes, from).map(|found| found.range());
        }
        let regex = self.dense.get_or_init(|| pattern::compile_dense(&self.source));
        regex.search(&Input::new(bytes).range(from..)).map(|found| found.range())
    }
}
