//! The rules for text that are data, and the engine that looks for them.
//!
//! One automaton finds the words without which no rule can match; only around those is the rule's
//! pattern tried, in a window of bounded length and never twice. So the time is linear in the
//! text, whatever it holds. Each pattern makes a small automaton, which a test holds it to, so
//! that a step costs the same for every text, too.

use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, MatchKind};
use rayon::prelude::*;
use serde::Deserialize;

use super::expression::Expression;
use super::fold::Folded;
use super::{RuleInfo, Weight};

/// The rules that come with the program.
const TABLE: &str = include_str!("rules.toml");

/// The most findings of one rule in one file.
const MAX_PLACES: usize = 10;

/// How far behind a rule's word its pattern is tried, in bytes.
const REACH: usize = 64 * 1_024;

/// Matches are shorter than this: as far before its word a pattern is tried, and one which starts
/// near the end of a window is found from the next.
const LONGEST: usize = 4 * 1_024;

/// The most matches of one rule in one part that are no findings for what they name, and that weigh
/// less for what their sentence says. Further ones are findings like any other, so that a text full
/// of them takes no longer.
const MAX_USUAL: usize = 50;
const MAX_DENIED: usize = 50;

/// A sentence is looked at as far before a match, in bytes.
const SENTENCE: usize = 300;

/// From so many words of a rule on, and with fewer bytes from one to the next, they are not looked
/// for before the pattern is tried.
const MANY: usize = 64;
const SPARSE: usize = 16;

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
    /// The patterns are tried one by one.
    #[serde(default)]
    apart: bool,
    /// Not a finding where the match has one of these.
    #[serde(default)]
    unless: Vec<String>,
    /// Only a note where its sentence, up to the end of the match, has one of these.
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
    pub(super) patterns: Vec<Expression>,
    pub(super) unless: Option<Expression>,
    pub(super) denied: Option<Expression>,
    #[cfg(test)]
    pub(super) needs: Vec<String>,
    #[cfg(test)]
    pub(super) found: Vec<String>,
    #[cfg(test)]
    pub(super) silent: Vec<String>,
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
        .map(|(at, row)| {
            for word in &row.needs {
                let known = words.iter().position(|known| known == word).unwrap_or_else(|| {
                    words.push(word.clone());
                    rules_of.push(Vec::new());
                    words.len() - 1
                });
                rules_of[known].push(at);
            }
            Rule {
                // Once in the life of the program: the table is a constant.
                info: RuleInfo {
                    code: row.code.leak(),
                    weight: row.weight,
                    message: row.message.leak(),
                    help: row.help.leak(),
                },
                lines: row.lines,
                patterns: if row.apart {
                    let each = row.patterns.chunks(1);
                    each.filter_map(|one| Expression::of(one, &parts)).collect()
                } else {
                    Expression::of(&row.patterns, &parts).into_iter().collect()
                },
                unless: Expression::of(&row.unless, &parts),
                denied: Expression::of(&row.denied, &parts),
                #[cfg(test)]
                needs: row.needs,
                #[cfg(test)]
                found: row.found,
                #[cfg(test)]
                silent: row.silent,
            }
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
    /// Its number in the table.
    at: usize,
    /// Lighter than the rule's where the sentence says the contrary.
    pub(super) weight: Weight,
    /// In bytes of the text before folding.
    pub(super) range: Range<usize>,
}

/// What one rule has seen of a text.
#[derive(Clone, Default)]
struct Progress {
    /// How many of its words there were.
    words: usize,
    searched: usize,
    /// For each pattern, where its last match ends.
    after_last: Vec<usize>,
    /// What was found, in bytes of the folded text.
    found: Vec<Range<usize>>,
    usual: usize,
    denied: usize,
    tried: usize,
}

/// Looks for every rule in a text.
pub(super) fn look(folded: &Folded<'_>) -> Vec<Hit> {
    look_and_count(folded, &[]).0
}

/// Looks for every rule but those of these codes.
pub(super) fn look_without(folded: &Folded<'_>, codes: &[&str]) -> Vec<Hit> {
    look_and_count(folded, codes).0
}

/// The same, with how many bytes patterns were tried on in all.
pub(super) fn look_and_count(folded: &Folded<'_>, without: &[&str]) -> (Vec<Hit>, usize) {
    let length = folded.bytes().len();
    let starts: Vec<usize> = (0..length).step_by(PART).collect();
    let mut tried = 0;
    let mut kept: Vec<Hit> = Vec::new();
    let rules = table().rules.iter();
    let mut counts: Vec<usize> =
        rules.map(|rule| if without.contains(&rule.info.code) { MAX_PLACES } else { 0 }).collect();
    // Of those that are denied, which must not keep others out.
    let mut lighter = counts.clone();
    for starts in starts.chunks(rayon::current_num_threads().max(1)) {
        let part =
            |start: &usize| look_at_part(folded, *start..(start + PART).min(length), &counts);
        let parts: Vec<(Vec<Hit>, usize)> = starts.par_iter().map(part).collect();
        tried += parts.iter().map(|part| part.1).sum::<usize>();
        for hit in parts.into_iter().flat_map(|part| part.0) {
            // Where two parts meet both may find the same.
            let again = |known: &Hit| known.at == hit.at && known.range == hit.range;
            let denied = hit.weight != hit.rule.info.weight;
            let count = if denied { &mut lighter[hit.at] } else { &mut counts[hit.at] };
            if *count < MAX_PLACES && !kept.iter().any(again) {
                *count += 1;
                kept.push(hit);
            }
        }
    }
    (kept, tried)
}

/// Tries the rules whose words begin in one part of a text; their windows may reach out of it.
/// `counts`: what parts before have found of each rule, which is not looked for any more.
fn look_at_part(folded: &Folded<'_>, part: Range<usize>, counts: &[usize]) -> (Vec<Hit>, usize) {
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
            progress.words += 1;
            let full = progress.found.len().max(counts[at]) >= MAX_PLACES;
            if full || place.end <= progress.searched {
                continue;
            }
            rule.look(at, part.start, folded, place.clone(), progress, &mut hits);
        }
    }
    let tried = progress.iter().map(|progress| progress.tried).sum();
    (hits, tried)
}

impl Rule {
    fn look(
        &'static self,
        number: usize,
        part_start: usize,
        folded: &Folded<'_>,
        word: Range<usize>,
        progress: &mut Progress,
        hits: &mut Vec<Hit>,
    ) {
        let bytes = folded.bytes();
        let Window { start, end, searched } = Window::around(bytes, &word, self.lines);
        let dense = progress.words >= MANY && progress.words * SPARSE > word.start - part_start;
        progress.after_last.resize(self.patterns.len(), 0);
        for (at, pattern) in self.patterns.iter().enumerate() {
            let mut from = start.max(progress.after_last[at]);
            while from < end && progress.found.len() < MAX_PLACES {
                progress.tried += end - from;
                let window = &bytes[start..end];
                let Some(found) = pattern.find(window, from - start, dense) else { break };
                let blank = |byte: &&u8| byte.is_ascii_whitespace();
                let skipped = window[found.clone()].iter().take_while(blank).count();
                let range = start + found.start + skipped..start + found.end;
                from = range.end.max(from + 1);
                progress.after_last[at] = from;
                // Another pattern may have found the same.
                let overlaps =
                    |known: &Range<usize>| known.start < range.end && range.start < known.end;
                if progress.found.iter().any(overlaps) {
                    continue;
                }
                if self.is_usual(&bytes[range.clone()]) && progress.usual < MAX_USUAL {
                    progress.usual += 1;
                    continue;
                }
                let denied = progress.denied < MAX_DENIED && self.is_denied(bytes, &range);
                let weight = if denied { Weight::Note } else { self.info.weight };
                let original = folded.original(range.start)..folded.original(range.end);
                if denied {
                    progress.denied += 1;
                    // What weighs least already is left out.
                    if progress.denied > MAX_PLACES || self.info.weight == Weight::Note {
                        continue;
                    }
                } else {
                    progress.found.push(range);
                }
                hits.push(Hit { rule: self, at: number, weight, range: original });
            }
        }
        progress.searched = searched;
    }

    /// Whether the match itself names what is usual.
    fn is_usual(&self, found: &[u8]) -> bool {
        self.unless.as_ref().is_some_and(|unless| unless.get().is_match(found))
    }

    /// Whether its sentence says the contrary of what the rule looks for.
    fn is_denied(&self, bytes: &[u8], range: &Range<usize>) -> bool {
        let Some(denied) = &self.denied else { return false };
        let least = range.start.saturating_sub(SENTENCE);
        let ends = |byte: &u8| matches!(byte, b'.' | b'!' | b'?' | b';' | b'\n');
        let start =
            bytes[least..range.start].iter().rposition(ends).map_or(least, |at| least + at + 1);
        denied.get().is_match(&bytes[start..range.end])
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
