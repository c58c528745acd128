//! `check --format json`: a form that stays; what is new in it comes only when it is asked for.

use serde::Serialize;
use skills::check::Diagnostic;

use super::contents::{self, JsonFinding};
use super::{Report, spelled_in_ascii, word};

/// One skill in JSON.
#[derive(Debug, Serialize)]
struct JsonSkill<'a> {
    path: String,
    name: &'a str,
    valid: bool,
    files: Option<usize>,
    bytes: Option<u64>,
    fingerprint: Option<String>,
    diagnostics: Vec<JsonDiagnostic<'a>>,
    /// Only where somebody asked for an inspection.
    #[serde(skip_serializing_if = "Option::is_none")]
    findings: Option<Option<Vec<JsonFinding<'a>>>>,
}

/// One diagnostic in JSON.
#[derive(Debug, Serialize)]
struct JsonDiagnostic<'a> {
    code: &'a str,
    severity: &'static str,
    message: &'a str,
    file: Option<&'a str>,
    line: Option<u32>,
    column: Option<u32>,
    help: Option<&'a str>,
    fixable: bool,
}

/// An array with an object for each skill, and a line break at its end.
pub(super) fn json(reports: &[Report]) -> serde_json::Result<String> {
    let skills: Vec<JsonSkill<'_>> = reports.iter().map(json_skill).collect();
    let mut text = spelled_in_ascii(&serde_json::to_string_pretty(&skills)?);
    text.push('\n');
    Ok(text)
}

fn json_skill(report: &Report) -> JsonSkill<'_> {
    let manifest = report.checked.manifest.as_ref().ok();
    JsonSkill {
        path: report.shown.display().to_string(),
        name: &report.checked.name,
        valid: report.checked.valid,
        files: manifest.map(|manifest| manifest.files().len()),
        bytes: manifest.map(skills::manifest::Manifest::total_size),
        fingerprint: manifest.map(|manifest| manifest.fingerprint().to_string()),
        diagnostics: report
            .checked
            .diagnostics
            .iter()
            .map(|found| json_diagnostic(report, found))
            .collect(),
        findings: report.inspected.as_ref().map(contents::json),
    }
}

fn json_diagnostic<'a>(report: &Report, found: &'a Diagnostic) -> JsonDiagnostic<'a> {
    let place = found.place.as_ref();
    JsonDiagnostic {
        code: found.code,
        severity: word(found.severity),
        message: &found.message,
        file: place.map(|place| place.file.as_str()),
        line: place.map(|place| place.line),
        column: place.map(|place| place.column),
        help: found.help.as_deref(),
        fixable: report.fixable.holds(found),
    }
}
