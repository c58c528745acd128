//! The table of rules for text, walked.

use super::*;
use crate::inspect::table::table;

/// The rule looks for its samples in the texts that it is for.
fn is_found(code: &str, sample: &str) -> Option<Weight> {
    ["SKILL.md", "scripts/a.txt"].iter().find_map(|path| {
        of(&[(path, sample.as_bytes())])
            .findings
            .iter()
            .find(|finding| finding.diagnostic.code == code)
            .map(|finding| finding.weight)
    })
}

#[test]
fn each_rule_finds_its_samples_at_its_weight() {
    let mut wrong = Vec::new();
    for rule in &table().rules {
        assert!(rule.found.len() >= 3, "{}", rule.info.code);
        for sample in &rule.found {
            if is_found(rule.info.code, sample) != Some(rule.info.weight) {
                wrong.push(format!("{}: {sample:?}", rule.info.code));
            }
        }
    }
    assert!(wrong.is_empty(), "not found:\n{}", wrong.join("\n"));
}

#[test]
fn each_rule_is_silent_at_its_near_misses() {
    let mut wrong = Vec::new();
    for rule in &table().rules {
        assert!(rule.silent.len() >= 2, "{}", rule.info.code);
        for sample in &rule.silent {
            let denied = rule.denied.is_some().then_some(Weight::Note);
            let found = is_found(rule.info.code, sample);
            if found.is_some() && (found != denied || rule.info.weight == Weight::Note) {
                wrong.push(format!("{}: {sample:?}", rule.info.code));
            }
        }
    }
    assert!(wrong.is_empty(), "found:\n{}", wrong.join("\n"));
}

#[test]
fn a_grave_sample_is_found_among_other_lines_and_in_a_script() {
    let grave = |rule: &&crate::inspect::table::Rule| rule.info.weight == Weight::Grave;
    for rule in table().rules.iter().filter(grave) {
        for sample in &rule.found {
            let text = format!("# Title\n\nSome words.\n\n{sample}\n\nMore words.\n");
            assert!(is_found(rule.info.code, &text).is_some(), "{}: {sample:?}", rule.info.code);
        }
    }
}
