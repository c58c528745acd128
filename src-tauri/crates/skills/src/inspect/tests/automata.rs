//! No text makes a pattern slow: the automaton of each, walked through, is small.

use std::collections::{BTreeMap, HashSet};

use rayon::prelude::*;
use regex_automata::hybrid::LazyStateID;
use regex_automata::hybrid::dfa::{Cache, Config, DFA};
use regex_automata::nfa::thompson::{self, WhichCaptures};
use regex_automata::util::{start, syntax};
use regex_automata::{Anchored, MatchKind};

use crate::inspect::table::table;

/// As many states fit into the memory that each pattern may use many times over.
const MOST: usize = 5_000;

/// The automaton that looks for an end of a match, or from there back for its start.
fn automaton(pattern: &str, back: bool) -> DFA {
    let syntax = syntax::Config::new().unicode(false).utf8(false).multi_line(true);
    let nfa = thompson::Config::new().reverse(back).utf8(false).which_captures(WhichCaptures::None);
    let kind = if back { MatchKind::All } else { MatchKind::LeftmostFirst };
    let nfa = thompson::Compiler::new().syntax(syntax).configure(nfa).build(pattern).unwrap();
    let dfa = Config::new().match_kind(kind).cache_capacity(usize::MAX / 4);
    DFA::builder().configure(dfa).build_from_nfa(nfa).unwrap()
}

/// How many states an automaton has; a little more than [`MOST`] if there are more.
fn states(dfa: &DFA, anchored: Anchored) -> usize {
    let mut cache = Cache::new(dfa);
    let classes: BTreeMap<u8, u8> =
        (0..=u8::MAX).rev().map(|byte| (dfa.byte_classes().get(byte), byte)).collect();
    let starts = [None, Some(b'a'), Some(b' '), Some(b'\n'), Some(b'\r')];
    let mut waiting: Vec<LazyStateID> = starts
        .into_iter()
        .map(|before| {
            let start = start::Config::new().look_behind(before).anchored(anchored);
            dfa.start_state(&mut cache, &start).unwrap()
        })
        .collect();
    let mut known: HashSet<LazyStateID> = waiting.iter().copied().collect();
    while let Some(state) = waiting.pop() {
        for byte in classes.values() {
            let next = dfa.next_state(&mut cache, state, *byte).unwrap();
            if known.insert(next) {
                waiting.push(next);
            }
        }
        if known.len() > MOST {
            break;
        }
    }
    known.len()
}

#[test]
fn the_automaton_of_each_pattern_is_small() {
    let rules = &table().rules;
    let expressions: Vec<(&str, &str)> = rules
        .iter()
        .flat_map(|rule| {
            let all = rule.patterns.iter().chain(&rule.unless).chain(&rule.denied);
            all.map(|expression| (rule.info.code, expression.source()))
        })
        .collect();
    let large: Vec<String> = expressions
        .par_iter()
        .filter(|(_, source)| {
            states(&automaton(source, false), Anchored::No) > MOST
                || states(&automaton(source, true), Anchored::Yes) > MOST
        })
        .map(|(code, source)| format!("{code}: {source}"))
        .collect();
    assert!(large.is_empty(), "{}", large.join("\n"));
}

#[test]
fn a_pattern_that_counts_what_begins_anew_is_too_large() {
    let large = automaton(r"\bcurl[^\n]{0,60}?sh", false);
    assert!(states(&large, Anchored::No) > MOST);
    let small = automaton(r"\bcurl[^\n|]*?sh", false);
    assert!(states(&small, Anchored::No) < 100);
}
