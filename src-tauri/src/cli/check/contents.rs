//! `check --inspect`: what is found in the contents. A finding is for a person to judge, so that it
//! never decides how the verb ends.

use std::fmt::Write as _;
use std::path::Path;

use serde::Serialize;
use skills::check::Checked;
use skills::inspect::{Finding, Weight, inspect};
use skills::manifest::{MAX_BYTES, read_files};

use super::{number, shown};
use crate::render::in_one_line;

/// The last line where nobody asked for an inspection.
pub(super) const NOT_ASKED: &str = "the contents were not inspected: --inspect looks for what is \
                                    downloaded and run, for hidden text and the like\n";

/// What was found in the contents of one skill, grave ones first, or why nobody could look.
pub(super) type Inspected = Result<Vec<Finding>, String>;

/// Looks at every byte of the skill in this folder.
pub(super) fn inspected(at: &Path, checked: &Checked) -> Inspected {
    let manifest = checked.manifest.as_ref().map_err(ToString::to_string)?;
    if manifest.total_size() > MAX_BYTES {
        return Err(format!("it has more than {MAX_BYTES} bytes"));
    }
    let files = read_files(at, manifest).map_err(|error| error.to_string())?;
    Ok(inspect(&files).findings)
}

/// Each finding with its excerpt and why it matters, below each other.
pub(super) fn lines(out: &mut String, skill: &Path, inspected: &Inspected) {
    let findings = match inspected {
        Ok(findings) => findings,
        Err(why) => {
            let _ = writeln!(out, "{}: not inspected: {}", shown(skill), in_one_line(why));
            return;
        }
    };
    for Finding { weight, excerpt, diagnostic } in findings {
        let place = match &diagnostic.place {
            Some(place) => {
                format!("{}:{}:{}", shown(&skill.join(&place.file)), place.line, place.column)
            }
            None => shown(skill),
        };
        let message = in_one_line(&diagnostic.message);
        let _ = writeln!(out, "{place}: {} finding {}: {message}", word(*weight), diagnostic.code);
        if !excerpt.is_empty() {
            let _ = writeln!(out, "  > {}", in_one_line(excerpt));
        }
        if let Some(help) = &diagnostic.help {
            let _ = writeln!(out, "  {}", in_one_line(help));
        }
    }
}

/// A line about all of them.
pub(super) fn sum<'a>(all: impl Iterator<Item = &'a Inspected>) -> String {
    let (mut counts, mut unread) = ([0_usize; 3], 0);
    for inspected in all {
        match inspected {
            Ok(findings) => {
                for finding in findings {
                    counts[finding.weight as usize] += 1;
                }
            }
            Err(_) => unread += 1,
        }
    }
    let [grave, cautions, notes] = counts;
    let mut line = format!(
        "contents inspected: {}, {}, {}; what they mean is for you to judge",
        number(grave, "grave finding"),
        number(cautions, "caution"),
        number(notes, "note"),
    );
    if unread > 0 {
        let _ = write!(line, "; {} could not be inspected", number(unread, "skill"));
    }
    line.push('\n');
    line
}

fn word(weight: Weight) -> &'static str {
    match weight {
        Weight::Grave => "grave",
        Weight::Caution => "caution",
        Weight::Note => "note",
    }
}

/// One finding in JSON.
#[derive(Debug, Serialize)]
pub(in crate::cli) struct JsonFinding<'a> {
    code: &'a str,
    weight: &'static str,
    message: &'a str,
    file: Option<&'a str>,
    line: Option<u32>,
    column: Option<u32>,
    excerpt: Option<&'a str>,
    help: Option<&'a str>,
}

/// `null` where nobody could look.
pub(super) fn json(inspected: &Inspected) -> Option<Vec<JsonFinding<'_>>> {
    inspected.as_ref().ok().map(|findings| findings.iter().map(JsonFinding::from).collect())
}

impl<'a> From<&'a Finding> for JsonFinding<'a> {
    fn from(finding: &'a Finding) -> Self {
        let diagnostic = &finding.diagnostic;
        let place = diagnostic.place.as_ref();
        Self {
            code: diagnostic.code,
            weight: word(finding.weight),
            message: &diagnostic.message,
            file: place.map(|place| place.file.as_str()),
            line: place.map(|place| place.line),
            column: place.map(|place| place.column),
            excerpt: Some(finding.excerpt.as_str()).filter(|text| !text.is_empty()),
            help: diagnostic.help.as_deref(),
        }
    }
}
