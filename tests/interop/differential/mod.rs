//! The same folders served by the reference and by ours, in every mode, every answer compared.

mod answers;
mod meant;
mod ours;

use std::collections::BTreeSet;
use std::fmt::Write as _;

use serde_json::Value;

use self::answers::{Answers, Of, answers};
use self::meant::MEANT;
use crate::corpus::served::served;
use crate::corpus::{Case, Corpus};

/// How folders are served.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Way {
    pub(crate) strict: bool,
    /// Supporting files are listed.
    pub(crate) listed: bool,
    /// Each request sees the folders as they are then.
    pub(crate) live: bool,
}

impl Way {
    fn all() -> impl Iterator<Item = Self> {
        (0..8).map(|bits| Self {
            strict: bits & 4 != 0,
            listed: bits & 2 != 0,
            live: bits & 1 != 0,
        })
    }

    /// As in `strict template live`.
    fn name(self) -> String {
        let mode = if self.strict { "strict" } else { "compatible" };
        let supporting = if self.listed { "resources" } else { "template" };
        format!("{mode} {supporting} {}", if self.live { "live" } else { "first" })
    }
}

/// One answer, or one field of it, that is not the same.
#[derive(Debug)]
pub(crate) struct Difference<'a> {
    pub(crate) case: &'a str,
    pub(crate) way: Way,
    /// 0 before the folders were changed, 1 after.
    pub(crate) look: usize,
    pub(crate) of: Of,
    /// The URI that it is about.
    pub(crate) about: String,
    /// The field of the answer; empty where only one side has one.
    pub(crate) field: String,
    pub(crate) theirs: Value,
    pub(crate) ours: Value,
}

/// Every difference of one look at one case.
fn differences<'a>(
    case: &'a Case,
    way: Way,
    look: usize,
    theirs: &Answers,
    ours: &Answers,
) -> Vec<Difference<'a>> {
    let keys: BTreeSet<_> = theirs.keys().chain(ours.keys()).collect();
    let mut found = Vec::new();
    for key in keys {
        let (of, about) = key;
        let mut differ = |field: &str, theirs: &Value, ours: &Value| {
            if !equal(theirs, ours) {
                found.push(Difference {
                    case: &case.name,
                    way,
                    look,
                    of: *of,
                    about: about.clone(),
                    field: field.to_owned(),
                    theirs: theirs.clone(),
                    ours: ours.clone(),
                });
            }
        };
        let of_it = |answers: &Answers| answers.get(key).cloned().unwrap_or(Value::Null);
        let (theirs, ours) = (of_it(theirs), of_it(ours));
        match (&theirs, &ours) {
            (Value::Object(a), Value::Object(b))
                if a.contains_key("error") == b.contains_key("error") =>
            {
                let fields: BTreeSet<_> = a.keys().chain(b.keys()).collect();
                for field in fields {
                    differ(field, &theirs[field], &ours[field]);
                }
            }
            _ => differ("", &theirs, &ours),
        }
    }
    found
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

/// Long values are told by their beginning.
fn shown(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(300) {
        Some((end, _)) => format!("{}… ({} bytes)", &text[..end], text.len()),
        None => text,
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_request_is_answered_as_the_reference_does() {
    // Each has folders of its own, because they change.
    let (cases, afters): (Vec<_>, Vec<_>) = served().into_iter().unzip();
    assert!(cases.len() >= 150, "there are only {} cases", cases.len());
    let their_folders = Corpus::write(cases.clone());
    let our_folders = Corpus::write(cases);
    let cases = &our_folders.cases;
    let asked = answers::ask(&their_folders, &afters);
    let mut ours = Vec::new();
    for (case, after) in cases.iter().zip(&afters) {
        ours.push(ours::looks(&our_folders, case, after.as_ref()).await);
    }
    let theirs = asked.answer();
    let mut report = String::new();
    let mut used: BTreeSet<usize> = BTreeSet::new();
    let mut compared = 0;
    for ((case, after), ours) in cases.iter().zip(&afters).zip(&ours) {
        for (way, ours) in Way::all().zip(ours) {
            // The reference is not asked twice where nothing happens between looks.
            let asked = Way { live: way.live || after.is_none(), ..way };
            let theirs = theirs[&case.name][&asked.name()].as_array().unwrap();
            assert_eq!(theirs.len(), ours.len(), "{}", case.name);
            for (look, (theirs, ours)) in theirs.iter().zip(ours).enumerate() {
                let (theirs, ours) = (answers(theirs), answers(ours));
                compared += ours.len();
                for difference in differences(case, way, look, &theirs, &ours) {
                    let meant: Vec<usize> =
                        (0..MEANT.len()).filter(|at| MEANT[*at].covers(&difference)).collect();
                    used.extend(&meant);
                    if meant.is_empty() {
                        let Difference { case, of, about, field, theirs, ours, .. } = &difference;
                        let way = way.name();
                        writeln!(report, "\n{case} ({way}, look {look}, {of:?} {about} {field})")
                            .unwrap();
                        writeln!(report, "  theirs: {}", shown(theirs)).unwrap();
                        writeln!(report, "  ours:   {}", shown(ours)).unwrap();
                    }
                }
            }
        }
    }
    for (at, meant) in MEANT.iter().enumerate() {
        if !used.contains(&at) {
            writeln!(report, "\nnothing differs any more, and is listed: {}", meant.reason)
                .unwrap();
        }
    }
    assert!(
        report.is_empty(),
        "{} cases and {compared} answers compared; not as listed:\n{report}",
        cases.len()
    );
}
