//! Reading and judging, against two programs that nobody here wrote: the reference (FastMCP's
//! skills provider, in its default and its strict mode) and `skills-ref`, on one corpus, verdict by
//! verdict and value by value.

mod meant;
mod ours;
mod rules;
mod theirs;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use serde_json::Value;

use self::meant::MEANT;
use crate::corpus::{Corpus, cases};

/// What is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Of {
    /// Names of the skills that compatible mode publishes.
    Published,
    /// Fields of a front matter, read leniently: every value a text, a list or a mapping.
    Fields,
    /// The description that compatible mode shows.
    Description,
    /// Path, size and digest of every file, in the order of compatible mode's `_manifest`.
    Files,
    /// Fields of a front matter, read strictly, or that it is refused.
    Strict,
    /// The entries that strict mode publishes, with front matter and files.
    Entries,
    /// Whether a folder has nothing for which strict mode leaves it out.
    Valid,
    /// The rules of `skills-ref` that a folder breaks; ours tells of each.
    SkillsRef,
    /// Verdict, name and description of `skills-ref`, or that it refuses the file.
    Properties,
}

/// What was found out of one case: by what it is of and which skill it is about.
pub(crate) type Findings = BTreeMap<(Of, String), Value>;

struct Difference {
    case: String,
    of: Of,
    about: String,
    theirs: Value,
    ours: Value,
}

/// Every difference, in the corpus's order.
fn differences() -> (usize, Vec<Difference>) {
    let corpus = Corpus::write(cases());
    let asked = theirs::ask(&corpus);
    let ours: Vec<Findings> = corpus.cases.iter().map(|case| ours::of(&corpus, case)).collect();
    let theirs = asked.answer(&corpus);
    let mut found = Vec::new();
    for ((case, theirs), ours) in corpus.cases.iter().zip(&theirs).zip(&ours) {
        let keys: BTreeSet<_> = theirs.keys().chain(ours.keys()).collect();
        for (of, about) in keys {
            let of_it = |findings: &Findings| {
                findings.get(&(*of, about.clone())).cloned().unwrap_or(Value::Null)
            };
            let (theirs, ours) = (of_it(theirs), of_it(ours));
            let same = match of {
                Of::SkillsRef => includes(&ours, &theirs),
                _ => equal(&theirs, &ours),
            };
            if !same {
                let case = case.name.clone();
                found.push(Difference { case, of: *of, about: about.clone(), theirs, ours });
            }
        }
    }
    (corpus.cases.len(), found)
}

/// Equal as JSON values; numbers by value.
fn equal(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => a == b || a.as_f64() == b.as_f64(),
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| equal(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| equal(a, b)))
        }
        _ => a == b,
    }
}

/// Whether ours tells of every rule that is broken by theirs; it has many more.
fn includes(ours: &Value, theirs: &Value) -> bool {
    let (Some(ours), Some(theirs)) = (ours.as_array(), theirs.as_array()) else { return false };
    theirs.iter().all(|rule| ours.contains(rule))
}

/// Long values are told by their beginning.
fn shown(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(300) {
        Some((end, _)) => format!("{}… ({} bytes)", &text[..end], text.len()),
        None => text,
    }
}

#[test]
fn every_skill_is_read_and_judged_as_the_reference_and_skills_ref_do() {
    let (count, differences) = differences();
    assert!(count >= 300, "the corpus has only {count} skills");
    // Each one that is meant: case, respect, reason.
    let meant: Vec<(&str, Of, &str)> = MEANT
        .iter()
        .flat_map(|meant| meant.differ.iter().map(move |(of, cases)| (meant.reason, *of, *cases)))
        .flat_map(|(reason, of, cases)| {
            cases.iter().flat_map(move |case| of.iter().map(move |of| (*case, *of, reason)))
        })
        .collect();
    let is_it = |difference: &Difference, case: &str, of: Of| {
        difference.case == case && difference.of == of
    };
    let mut report = String::new();
    for difference in &differences {
        if meant.iter().any(|(case, of, _)| is_it(difference, case, *of)) {
            continue;
        }
        let Difference { case, of, about, theirs, ours } = difference;
        writeln!(report, "\n{case} ({of:?}, {about})").unwrap();
        writeln!(report, "  theirs: {}\n  ours:   {}", shown(theirs), shown(ours)).unwrap();
    }
    for (case, of, reason) in &meant {
        if !differences.iter().any(|difference| is_it(difference, case, *of)) {
            writeln!(report, "\n{case} ({of:?})\n  does not differ, and is listed: {reason}")
                .unwrap();
        }
    }
    assert!(report.is_empty(), "{count} skills compared; not as listed:\n{report}");
}
