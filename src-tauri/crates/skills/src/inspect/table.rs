//! The rules for text that are data, and the engine that looks for them.
//!
//! One automaton finds the words without which no rule can match; only around those is the rule's
//! pattern tried, in a window of bounded length and never twice. So the time is linear in the
//! text, whatever it holds.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::{LazyLock, OnceLock};

use aho_corasick::{AhoCorasick, MatchKind};
use rayon::prelude::*;
use regex::bytes::Regex;
use serde::Deserialize;

use super::fold::Folded;
use super::{RuleInfo, Weight};
use crate::pattern;

/// The rules that come with the program.
const TABLE: &str = include_str!("rules.toml");

/// The most findings of one rule in one file.
const MAX_PLACES: usize = 10;

/// How far behind a rule's word its pattern is tried, in bytes.
const REACH: usize = 16 * 1_024;

/// Matches are shorter than this: as far before its word a pattern is tried, and one which starts
/// near the end of a window is found from the next.
const LONGEST: usize = 4 * 1_024;

/// The most matches of one rule in one part that are no findings for what they say. Further ones
/// are findings, so that a text full of them takes no longer.
const MAX_DENIED: usize = 50;

/// A sentence is looked at as far before a match, in bytes.
const SENTENCE: usize = 300;

/// Parts of a text of as many bytes are looked at side by side.
const PART: usize = 1024 * 1024;

/// No word of the table is longer.
const LONGEST_WORD: usize = 64;

#[derive(Deserialize)]
struct File {
    parts: Vec<(String, String)>,
    rule: Vec<Row>,
}

/// A rule as the table writes it. Patterns are for folded text: lower case, ASCII.
#[derive(Deserialize)]
struct Row {
    code: String,
    weight: Weight,
    message: String,
    help: String,
    /// How many lines a match may span.
    #[serde(default = "one")]
    lines: usize,
    /// Every match holds one of these.
    needs: Vec<String>,
    patterns: Vec<String>,
    /// Not a finding where the match has one of these.
    #[serde(default)]
    unless: Vec<String>,
    /// Nor where its sentence, up to the end of the match, has one of these.
    #[serde(default)]
    denied: Vec<String>,
    #[cfg(test)]
    found: Vec<String>,
    #[cfg(test)]
    silent: Vec<String>,
}

fn one() -> usize {
    1
}

/// A rule for text.
#[derive(Debug)]
pub(super) struct Rule {
    pub(super) info: RuleInfo,
    lines: usize,
    pattern: Expression,
    pub(super) unless: Option<Expression>,
    pub(super) denied: Option<Expression>,
    #[cfg(test)]
    pub(super) needs: Vec<String>,
    #[cfg(test)]
    pub(super) found: Vec<String>,
    #[cfg(test)]
    pub(super) silent: Vec<String>,
}

/// An expression that is compiled on its first use.
#[derive(Debug)]
pub(super) struct Expression {
    source: String,
    compiled: OnceLock<Regex>,
}

impl Expression {
    fn of(patterns: &[String], parts: &[(String, String)]) -> Option<Self> {
        if patterns.is_empty() {
            return None;
        }
        let mut source = patterns.join("|");
        for (name, part) in parts {
            source = source.replace(&format!("<{name}>"), part);
        }
        Some(Self { source, compiled: OnceLock::new() })
    }

    fn get(&self) -> &Regex {
        self.compiled.get_or_init(|| pattern::compile_bytes(&self.source))
    }
}

/// All rules for text.
pub(super) struct Table {
    pub(super) rules: Vec<Rule>,
    words: AhoCorasick,
    /// For each word of the automaton the rules that need it.
    rules_of: Vec<Vec<usize>>,
}

/// The table that comes with the program, read once.
pub(super) fn table() -> &'static Table {
    static LOADED: LazyLock<Table> = LazyLock::new(load);
    &LOADED
}

#[expect(clippy::expect_used, reason = "a constant; a test reads it")]
fn load() -> Table {
    let File { mut parts, rule } = toml::from_str(TABLE).expect("the table is a valid constant");
    // Later parts may use earlier ones, so the last is written out first.
    parts.reverse();
    let mut words: Vec<String> = Vec::new();
    let mut rules_of: Vec<Vec<usize>> = Vec::new();
    let rules = rule
        .into_iter()
        .enumerate()
        .filter_map(|(at, row)| {
            for word in &row.needs {
                let known = words.iter().position(|known| known == word).unwrap_or_else(|| {
                    words.push(word.clone());
                    rules_of.push(Vec::new());
                    words.len() - 1
                });
                rules_of[known].push(at);
            }
            Some(Rule {
                // Once in the life of the program: the table is a constant.
                info: RuleInfo {
                    code: row.code.leak(),
                    weight: row.weight,
                    message: row.message.leak(),
                    help: row.help.leak(),
                },
                lines: row.lines,
                pattern: Expression::of(&row.patterns, &parts)?,
                unless: Expression::of(&row.unless, &parts),
                denied: Expression::of(&row.denied, &parts),
                #[cfg(test)]
                needs: row.needs,
                #[cfg(test)]
                found: row.found,
                #[cfg(test)]
                silent: row.silent,
            })
        })
        .collect();
    let words = AhoCorasick::builder()
        .match_kind(MatchKind::Standard)
        .build(&words)
        .expect("the words of the table are few");
    Table { rules, words, rules_of }
}

/// A place where a rule matched.
#[derive(Debug, Clone)]
pub(super) struct Hit {
    pub(super) rule: &'static Rule,
    /// In bytes of the text before folding.
    pub(super) range: Range<usize>,
}

/// What one rule has seen of a text.
#[derive(Clone, Default)]
struct Progress {
    searched: usize,
    after_last: usize,
    found: usize,
    denied: usize,
    tried: usize,
}

/// Looks for every rule in a text.
pub(super) fn look(folded: &Folded<'_>) -> Vec<Hit> {
    look_and_count(folded).0
}

/// The same, with how many bytes patterns were tried on in all.
pub(super) fn look_and_count(folded: &Folded<'_>) -> (Vec<Hit>, usize) {
    let length = folded.bytes().len();
    let starts: Vec<usize> = (0..length).step_by(PART).collect();
    let parts: Vec<(Vec<Hit>, usize)> = starts
        .into_par_iter()
        .map(|start| look_at_part(folded, start..(start + PART).min(length)))
        .collect();
    let tried = parts.iter().map(|part| part.1).sum();
    let mut kept: Vec<Hit> = Vec::new();
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for hit in parts.into_iter().flat_map(|part| part.0) {
        let count = counts.entry(hit.rule.info.code).or_default();
        // Where two parts meet both may find the same.
        let again =
            |known: &Hit| known.rule.info.code == hit.rule.info.code && known.range == hit.range;
        if *count < MAX_PLACES && !kept.iter().any(again) {
            *count += 1;
            kept.push(hit);
        }
    }
    (kept, tried)
}

/// Tries the rules whose words begin in one part of a text; their windows may reach out of it.
fn look_at_part(folded: &Folded<'_>, part: Range<usize>) -> (Vec<Hit>, usize) {
    let table = table();
    let bytes = folded.bytes();
    let mut progress = vec![Progress::default(); table.rules.len()];
    let mut hits = Vec::new();
    let end = (part.end + LONGEST_WORD).min(bytes.len());
    for word in table.words.find_overlapping_iter(&bytes[part.start..end]) {
        let place = part.start + word.start()..part.start + word.end();
        if place.start >= part.end {
            continue;
        }
        for &at in &table.rules_of[word.pattern().as_usize()] {
            let (rule, progress) = (&table.rules[at], &mut progress[at]);
            if progress.found == MAX_PLACES || place.end <= progress.searched {
                continue;
            }
            rule.look(folded, place.clone(), progress, &mut hits);
        }
    }
    let tried = progress.iter().map(|progress| progress.tried).sum();
    (hits, tried)
}

impl Rule {
    fn look(
        &'static self,
        folded: &Folded<'_>,
        word: Range<usize>,
        progress: &mut Progress,
        hits: &mut Vec<Hit>,
    ) {
        let bytes = folded.bytes();
        let Window { start, end, searched } = Window::around(bytes, &word, self.lines);
        let mut from = start.max(progress.after_last).min(end);
        while progress.found < MAX_PLACES {
            progress.tried += end - from;
            let Some(found) = self.pattern.get().find_at(&bytes[start..end], from - start) else {
                break;
            };
            let skipped = found.as_bytes().iter().take_while(|b| b.is_ascii_whitespace()).count();
            let range = start + found.start() + skipped..start + found.end();
            from = range.end.max(from + 1);
            progress.after_last = from;
            if progress.denied < MAX_DENIED && self.is_denied(bytes, &range) {
                progress.denied += 1;
            } else {
                progress.found += 1;
                let range = folded.original(range.start)..folded.original(range.end);
                hits.push(Hit { rule: self, range });
            }
            if from >= end {
                break;
            }
        }
        progress.searched = searched;
    }

    /// Whether the match says the contrary of what the rule looks for, or names what is usual.
    fn is_denied(&self, bytes: &[u8], range: &Range<usize>) -> bool {
        let holds = |expression: &Option<Expression>, text: &[u8]| {
            expression.as_ref().is_some_and(|expression| expression.get().is_match(text))
        };
        let least = range.start.saturating_sub(SENTENCE);
        let ends = |byte: &u8| matches!(byte, b'.' | b'!' | b'?' | b';' | b'\n');
        let start =
            bytes[least..range.start].iter().rposition(ends).map_or(least, |at| least + at + 1);
        holds(&self.unless, &bytes[range.clone()]) || holds(&self.denied, &bytes[start..range.end])
    }
}

/// The lines around a word, as far as the reach goes.
struct Window {
    start: usize,
    end: usize,
    /// Words before this byte need no other window.
    searched: usize,
}

impl Window {
    /// `lines`: how many a match may span.
    fn around(bytes: &[u8], word: &Range<usize>, lines: usize) -> Self {
        let least = word.start.saturating_sub(LONGEST);
        let mut before = bytes[least..word.start].iter().enumerate().rev();
        let mut start = least;
        for _ in 0..lines {
            start = match before.find(|(_, byte)| **byte == b'\n') {
                Some((at, _)) => least + at + 1,
                None => least,
            };
        }
        let most = word.end.saturating_add(REACH).min(bytes.len());
        let mut breaks = bytes[word.end..most]
            .iter()
            .enumerate()
            .filter(|(_, byte)| **byte == b'\n')
            .map(|(at, _)| word.end + at);
        let line_end = breaks.next();
        let end = match lines {
            1 => line_end,
            _ => breaks.nth(lines - 2),
        };
        let end = end.unwrap_or(most);
        let searched = line_end.unwrap_or_else(|| most.saturating_sub(LONGEST).max(word.end));
        Self { start, end, searched }
    }
}
