//! Putting right what a diagnostic says: what a fix would change, and doing it.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use skills::check::{Checked, Diagnostic, check_folder, fixes_at_once};
use skills::digest::Digest;
use skills::fix::{Fix, TextEdit, edited};
use skills::library::LocalSkill;
use skills::manifest::Manifest;

use crate::error::Outcome;
use crate::library::known;
use crate::offers::blocking;
use crate::render::spelled_out;
use crate::shell::Shell;
use crate::view::{ErrorView, FixChange, FixView, OutcomeView};

/// The most lines that are shown of what a fix changes.
const SHOWN: usize = 20;

/// Names a fix of a skill as it was checked: for other files, or another fix, it is another one.
fn fix_id(manifest: &Manifest, fix: &Fix) -> Option<String> {
    let fix = serde_json::to_string(fix).ok()?;
    Some(Digest::of(format!("{}\n{fix}", manifest.fingerprint()).as_bytes()).to_string())
}

/// What can be done about a diagnostic of this skill, whose files these are.
pub(crate) fn fix_views(
    skill: &LocalSkill,
    diagnostic: &Diagnostic,
    files: Option<&BTreeMap<String, Vec<u8>>>,
) -> Vec<FixView> {
    // Through a link nothing is changed.
    let Some(manifest) = skill.manifest.as_ref().ok().filter(|_| !skill.linked) else {
        return Vec::new();
    };
    let view = |fix: &Fix| {
        let change = match fix {
            Fix::Edits { file, edits, .. } => {
                let (before, after) = changed_lines(files?.get(file)?, edits)?;
                FixChange::Edits { file: file.clone(), before, after }
            }
            Fix::RenameFolder { to, .. } => {
                FixChange::Rename { from: spelled_out(&skill.folder_name), to: spelled_out(to) }
            }
        };
        Some(FixView { id: fix_id(manifest, fix)?, title: spelled_out(fix.title()), change })
    };
    diagnostic.fixes.iter().filter_map(view).collect()
}

/// The lines that edits change, before and after; `None` where the edits do not fit.
fn changed_lines(bytes: &[u8], edits: &[TextEdit]) -> Option<(Vec<String>, Vec<String>)> {
    edited(bytes, edits).ok()?;
    let mut spans: Vec<(Range<usize>, Vec<TextEdit>)> = Vec::new();
    for edit in edits {
        let lines = lines_around(bytes, &edit.range);
        match spans.last_mut() {
            Some((span, within)) if lines.start <= span.end => {
                span.end = span.end.max(lines.end);
                within.push(edit.clone());
            }
            _ => spans.push((lines, vec![edit.clone()])),
        }
    }
    let (mut before, mut after) = (Vec::new(), Vec::new());
    for (span, within) in spans {
        let moved: Vec<TextEdit> = within
            .into_iter()
            .map(|TextEdit { range, replacement }| TextEdit {
                range: range.start - span.start..range.end - span.start,
                replacement,
            })
            .collect();
        let old = &bytes[span];
        before.extend(shown(old));
        after.extend(shown(&edited(old, &moved).ok()?));
    }
    before.truncate(SHOWN);
    after.truncate(SHOWN);
    Some((before, after))
}

/// The whole lines that a range touches, without the line feed at the end.
fn lines_around(bytes: &[u8], range: &Range<usize>) -> Range<usize> {
    let feed = |byte: &u8| *byte == b'\n';
    let start = bytes[..range.start].iter().rposition(feed).map_or(0, |at| at + 1);
    let end = bytes[range.end..].iter().position(feed).map_or(bytes.len(), |at| range.end + at);
    start..end
}

fn shown(bytes: &[u8]) -> Vec<String> {
    String::from_utf8_lossy(bytes).split('\n').map(spelled_out).collect()
}

impl Shell {
    /// Carries out one fix of a local skill.
    ///
    /// # Errors
    /// When the skill is no longer as it was when the fix was shown, or the disk refuses.
    pub async fn apply_fix(self: &Arc<Self>, copy: &str, fix: &str) -> Outcome<OutcomeView> {
        let fix = fix.to_owned();
        self.put_right(copy, move |skill, checked| {
            let manifest = checked.manifest.as_ref().ok();
            let known = |one: &&Fix| {
                manifest.and_then(|manifest| fix_id(manifest, one)).as_ref() == Some(&fix)
            };
            let mut fixes = checked.diagnostics.iter().flat_map(|diagnostic| &diagnostic.fixes);
            let found = fixes.find(known).cloned().ok_or_else(|| {
                ErrorView::changed(format!("{} changed since this fix was shown", skill.name))
                    .with_hint("look at what is wrong with it now")
            })?;
            Ok(vec![found])
        })
        .await
    }

    /// Carries out the first fix of every diagnostic that has one, as one change. Those that cannot be
    /// made together with the ones before are not: the next look at the skill says what is left.
    ///
    /// # Errors
    /// When the skill changed meanwhile, there is nothing to fix, or the disk refuses.
    pub async fn apply_all_fixes(self: &Arc<Self>, copy: &str) -> Outcome<OutcomeView> {
        self.put_right(copy, |skill, checked| {
            let fixes = fixes_at_once(&skill.path, checked);
            if fixes.is_empty() {
                let message = format!("there is nothing in {} that can be fixed here", skill.name);
                return Err(ErrorView::changed(message));
            }
            Ok(fixes)
        })
        .await
    }

    /// Looks at a skill once more, and makes the fixes that are chosen then.
    async fn put_right(
        self: &Arc<Self>,
        copy: &str,
        choose: impl FnOnce(&LocalSkill, &Checked) -> Outcome<Vec<Fix>> + Send + 'static,
    ) -> Outcome<OutcomeView> {
        let (shell, copy) = (Arc::clone(self), copy.to_owned());
        let outcome = blocking(move || {
            let snapshot = shell.library.snapshot();
            let skill = known(&snapshot, &copy)?;
            if skill.read_only {
                return Err(ErrorView::bad_input(format!(
                    "{} belongs to a tool or to the system, and is not written to",
                    shell.paths.display(&skill.path)
                ))
                .with_hint("copy it to another tool and fix the copy"));
            }
            let checked = check_folder(&skill.path);
            let fixes = choose(skill, &checked)?;
            let seen = checked.manifest?;
            let plan =
                shell.vault.plan_fixes(&skill.path, &seen, &fixes, &shell.scanned_folders())?;
            let change = shell.vault.apply_fixes(&plan).map_err(|error| {
                let mut view = ErrorView::from(error);
                view.causes
                    .extend(plan.blockers.iter().filter(|why| **why != view.message).cloned());
                view
            });
            shell.library.rescan();
            Ok(change.map(|change| shell.outcome_view(change)))
        })
        .await??;
        self.disk_changed();
        outcome
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edit(range: Range<usize>, replacement: &str) -> TextEdit {
        TextEdit { range, replacement: replacement.into() }
    }

    fn fix(edits: Vec<TextEdit>) -> Fix {
        Fix::Edits { title: "t".into(), file: "SKILL.md".into(), edits }
    }

    #[test]
    fn the_whole_lines_that_change_are_shown_and_no_others() {
        let bytes = b"one: 1\ntwo: a: b\nthree: 3\nfour: c: d\n";
        let edits = [edit(12..16, "'a: b'"), edit(32..36, "'c: d'")];
        assert_eq!(
            changed_lines(bytes, &edits),
            Some((
                vec!["two: a: b".into(), "four: c: d".into()],
                vec!["two: 'a: b'".into(), "four: 'c: d'".into()],
            ))
        );
    }

    #[test]
    fn line_ends_that_change_are_made_visible() {
        assert_eq!(
            changed_lines(b"a\rb\nc", &[edit(1..2, "\n")]),
            Some((vec!["a⟨U+000D⟩b".into()], vec!["a".into(), "b".into()]))
        );
        assert_eq!(
            changed_lines(b"a\r\nb\n", &[edit(1..3, "\n")]),
            Some((vec!["a⟨U+000D⟩".into(), "b".into()], vec!["a".into(), "b".into()]))
        );
    }

    #[test]
    fn at_most_twenty_lines_are_shown() {
        let bytes = b"x\n".repeat(50);
        let edits: Vec<_> = (0..50).map(|line| edit(2 * line..2 * line + 1, "y")).collect();
        let (before, after) = changed_lines(&bytes, &edits).unwrap();
        assert_eq!((before.len(), after.len()), (20, 20));
    }

    #[test]
    fn edits_that_do_not_fit_show_nothing() {
        assert_eq!(changed_lines(b"abc", &[edit(2..9, "")]), None);
    }

    #[test]
    fn the_id_of_a_fix_is_that_of_these_files_and_this_fix() {
        let manifest = |text: &[u8]| {
            Manifest::new(vec![skills::manifest::ManifestFile {
                path: "SKILL.md".into(),
                size: text.len() as u64,
                digest: Digest::of(text),
            }])
            .unwrap()
        };
        let (one, other) = (fix(vec![edit(0..1, "x")]), fix(vec![edit(0..1, "y")]));
        let id = fix_id(&manifest(b"a"), &one);
        assert_eq!(id, fix_id(&manifest(b"a"), &one));
        assert_ne!(id, fix_id(&manifest(b"b"), &one));
        assert_ne!(id, fix_id(&manifest(b"a"), &other));
    }
}
