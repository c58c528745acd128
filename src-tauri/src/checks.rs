//! Diagnostics and findings as the page sees them.

use skills::check::Diagnostic;
use skills::inspect::Finding;

use crate::render::spelled_out;
use crate::view::{CheckView, FixView, Severity};

/// The diagnostics and findings of one skill, worst first. `fixes` says what can be done about a
/// diagnostic; about a finding only the author can do something.
pub(crate) fn checks_view(
    diagnostics: &[Diagnostic],
    findings: &[Finding],
    fixes: impl Fn(&Diagnostic) -> Vec<FixView>,
) -> Vec<CheckView> {
    let found = findings.iter().map(|finding| {
        let view = check_view(&finding.diagnostic);
        CheckView {
            severity: if finding.is_grave() { Severity::Grave } else { view.severity },
            excerpt: Some(spelled_out(&finding.excerpt)).filter(|text| !text.is_empty()),
            ..view
        }
    });
    let said = diagnostics
        .iter()
        .map(|diagnostic| CheckView { fixes: fixes(diagnostic), ..check_view(diagnostic) });
    let mut checks: Vec<CheckView> = found.chain(said).collect();
    checks.sort_by_key(|check| match check.severity {
        Severity::Grave => 0,
        Severity::Error => 1,
        Severity::Warning => 2,
        Severity::Note => 3,
    });
    checks
}

fn check_view(diagnostic: &Diagnostic) -> CheckView {
    let place = diagnostic.place.as_ref();
    CheckView {
        code: diagnostic.code.to_owned(),
        severity: match diagnostic.severity {
            skills::check::Severity::Error => Severity::Error,
            skills::check::Severity::Warning => Severity::Warning,
            skills::check::Severity::Note => Severity::Note,
        },
        message: spelled_out(&diagnostic.message),
        help: diagnostic.help.clone(),
        file: place.map(|place| place.file.clone()),
        line: place.map(|place| place.line),
        column: place.map(|place| place.column),
        excerpt: None,
        fixes: Vec::new(),
    }
}
