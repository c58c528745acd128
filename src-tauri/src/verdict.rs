//! What a review says: every check with its result, what is against an approval, and what changed.

use std::collections::BTreeMap;

use skills::blobs::Blobs as _;
use skills::check::check;
use skills::entry::EntryFile;
use skills::frontmatter::{FieldDifference, FrontMatter, YamlVersion};
use skills::is_nested_main;
use skills_mcp::{FetchedFile, FileOutcome, FrontMatterCheck, nested_entry};
use vault::approval::{Approval, Standing as Known};
use vault::placement::Origin;

use crate::checks::checks_view;
use crate::error::Outcome;
use crate::left_out::left_out;
use crate::library::{fields, manifest_view, requests_view};
use crate::offers::{file_state, standing_view};
use crate::render::{self, spelled_out};
use crate::review::Review;
use crate::shell::Shell;
use crate::view::{
    ChangeKind, Contains, FileChange, FileRow, FileState, NestedSkill, ReviewView, Verification,
};

impl Shell {
    /// All that a person needs to decide.
    pub(crate) fn review_view(&self, review: &Review) -> Outcome<ReviewView> {
        let Review { server, entry, inspection, .. } = review;
        let standing = self.vault.standing(server, entry)?;
        let changed = match &standing {
            Known::Changed { approval, .. } => Some(self.changes(review, approval)?),
            _ => None,
        };
        let main = review.main();
        let front = main.map(FrontMatter::read);
        let nested = self.nested(review)?;
        let folder = entry.uri().name();
        let diagnostics =
            main.map(|main| check(folder, entry.manifest(), main)).unwrap_or_default();
        Ok(ReviewView {
            id: review.id.clone(),
            server: server.id.0.clone(),
            label: server.label.clone(),
            address: server.endpoint.shown(),
            uri: entry.uri().as_str().to_owned(),
            name: spelled_out(entry.name()),
            description: spelled_out(
                match entry.description() {
                    "" => front
                        .as_ref()
                        .map(|front| front.description_or_fallback(folder))
                        .unwrap_or_default(),
                    declared => declared.to_owned(),
                }
                .as_str(),
            ),
            standing: standing_view(standing),
            same_name: self.same_name(review)?,
            front_matter: front.as_ref().map(|front| fields(front.fields())).unwrap_or_default(),
            html: front.as_ref().map(|front| render::markdown(front.body())).unwrap_or_default(),
            requests: requests_view(inspection.requests.clone()),
            contains: Contains {
                files: entry.files().len(),
                bytes: entry.manifest().total_size(),
                scripts: inspection.scripts.clone(),
                binaries: inspection.binaries.clone(),
            },
            verifications: verifications(review),
            findings: checks_view(&diagnostics, &inspection.findings, |_| Vec::new()),
            rules: skills::inspect::rules().len(),
            manifest: manifest_view(entry.manifest(), |path| state_of(review, path)),
            changed,
            left_out: left_out(review, &nested),
            nested,
            blockers: blockers(review),
            note: review.note.as_deref().map(spelled_out),
            said: self.said(server, entry)?,
        })
    }

    /// Other places where the name exists: labels of servers, paths of folders. What was installed
    /// from here is no other place.
    fn same_name(&self, review: &Review) -> Outcome<Vec<String>> {
        let name = review.entry.name();
        let mut places = Vec::new();
        for server in
            self.shown_servers()?.into_iter().filter(|server| server.id != review.server.id)
        {
            let link = self.connections.link(&server.id);
            if link.is_some_and(|link| link.offers().any(|offer| offer.name == name)) {
                places.push(server.label);
            }
        }
        let snapshot = self.library.snapshot();
        for skill in snapshot.skills.iter().filter(|skill| skill.name == name) {
            let from_here = self.vault.placement(&skill.path)?.is_some_and(|placed| {
                matches!(&placed.origin, Origin::Server { server, uri, .. }
                    if *server == review.server.id && uri == review.entry.uri().as_str())
            });
            if !from_here {
                places.push(self.paths.display(&skill.path));
            }
        }
        Ok(places)
    }

    /// The skills inside, each as it stands by itself.
    fn nested(&self, review: &Review) -> Outcome<Vec<NestedSkill>> {
        let Review { server, entry, .. } = review;
        let listed = self.connections.link(&server.id);
        let mut nested = Vec::new();
        for file in entry.files().iter().filter(|file| is_nested_main(&file.path)) {
            // The server's own entry, where it lists one: that is what an approval is bound to.
            let own =
                listed.as_ref().and_then(|link| link.offer(&file.uri)).and_then(
                    |offer| match &offer.verdict {
                        skills_mcp::Verdict::Verifiable(own) => Some(own.clone()),
                        _ => None,
                    },
                );
            if let Some(inner) = own.or_else(|| nested_entry(entry, &file.path)) {
                nested.push(NestedSkill {
                    uri: file.uri.clone(),
                    path: file.path.clone(),
                    standing: standing_view(self.vault.standing(server, &inner)?),
                });
            }
        }
        Ok(nested)
    }

    /// What is different from the content that was approved before.
    fn changes(&self, review: &Review, approval: &Approval) -> Outcome<Vec<FileChange>> {
        let before: BTreeMap<&str, &EntryFile> =
            approval.files.iter().map(|file| (file.path.as_str(), file)).collect();
        let now: BTreeMap<&str, &EntryFile> =
            review.entry.files().iter().map(|file| (file.path.as_str(), file)).collect();
        let mut paths: Vec<&str> = before.keys().chain(now.keys()).copied().collect();
        paths.sort_unstable();
        paths.dedup();
        let mut changes = Vec::new();
        for path in paths {
            let (old, new) = (before.get(path).copied(), now.get(path).copied());
            let change = match (old, new) {
                (Some(old), Some(new)) if old.digest == new.digest && old.size == new.size => {
                    continue;
                }
                (Some(_), Some(_)) => ChangeKind::Changed,
                (None, _) => ChangeKind::Added,
                (_, None) => ChangeKind::Removed,
            };
            let old_text = match old {
                Some(old) => self.vault.get(&review.server.id, &old.digest)?.and_then(text),
                None => Some(String::new()),
            };
            let new_text = match new {
                Some(_) => bytes_of(review, path).and_then(|bytes| text(bytes.to_vec())),
                None => Some(String::new()),
            };
            changes.push(FileChange {
                path: path.to_owned(),
                change,
                now: new.map(|new| FileRow {
                    path: path.to_owned(),
                    size: new.size,
                    digest: new.digest.to_string(),
                    state: state_of(review, path),
                }),
                diff: old_text.zip(new_text).map(|(old, new)| render::diff(&old, &new)),
            });
        }
        Ok(changes)
    }
}

/// Why a skill cannot be approved, a sentence each.
pub(crate) fn blockers(review: &Review) -> Vec<String> {
    let mut blockers: Vec<String> = review
        .fetched
        .files
        .iter()
        .filter_map(|file| match &file.outcome {
            // What kept it from being read has its own sentence.
            FileOutcome::Verified { .. } | FileOutcome::NotRead => None,
            FileOutcome::Mismatch { .. } => {
                Some(format!("{} is not what the server declared", spelled_out(&file.path)))
            }
            FileOutcome::Failed(why) => Some(format!(
                "{} could not be fetched: {}",
                spelled_out(&file.path),
                spelled_out(why)
            )),
        })
        .collect();
    if let FrontMatterCheck::Differs(fields) = &review.fetched.front_matter {
        blockers.push(format!("the front matter is not the declared one: {}", names(fields)));
    }
    if blockers.is_empty() && review.verified.is_none() {
        blockers.push("not every file was checked".to_owned());
    }
    blockers
}

/// Every check that was made, with its result.
fn verifications(review: &Review) -> Vec<Verification> {
    let files = &review.fetched.files;
    let mut checks = vec![Verification {
        what: "the entry is complete and within the limits".to_owned(),
        holds: true,
        detail: Some(format!(
            "{}, {} bytes, all inside the skill, each once",
            counted(files.len()),
            review.entry.manifest().total_size()
        )),
    }];
    let wrong: Vec<Verification> = files.iter().filter_map(wrong_file).collect();
    let not_read = files.iter().filter(|file| file.outcome == FileOutcome::NotRead).count();
    if wrong.is_empty() && not_read == 0 {
        checks.push(Verification {
            what: "size and SHA-256 of every file".to_owned(),
            holds: true,
            detail: Some(format!("{}, all as declared", counted(files.len()))),
        });
    } else {
        checks.extend(wrong);
    }
    if not_read > 0 {
        checks.push(Verification {
            what: "size and SHA-256 of every other file".to_owned(),
            holds: false,
            detail: Some(format!(
                "{} not read, as the SKILL.md is not what the server declares",
                counted(not_read)
            )),
        });
    }
    let restored: Vec<&str> = files
        .iter()
        .filter(|file| {
            matches!(file.outcome, FileOutcome::Verified { line_endings_restored: true, .. })
        })
        .map(|file| file.path.as_str())
        .collect();
    if !restored.is_empty() {
        checks.push(Verification {
            what: "line endings that the server changed were put back".to_owned(),
            holds: true,
            detail: Some(restored.join(", ")),
        });
    }
    checks.push(front_matter_check(&review.fetched.front_matter));
    checks
}

fn counted(files: usize) -> String {
    if files == 1 { "1 file".to_owned() } else { format!("{files} files") }
}

/// What follows on expected and received, where only line endings seem to differ.
pub(crate) fn line_endings(only: bool) -> &'static str {
    // Sizes alone say it, and a server chooses those.
    if only { "; by the sizes, perhaps only line endings differ" } else { "" }
}

fn wrong_file(file: &FetchedFile) -> Option<Verification> {
    let detail = match &file.outcome {
        FileOutcome::Verified { .. } | FileOutcome::NotRead => return None,
        FileOutcome::Mismatch {
            expected_size,
            expected,
            actual_size,
            actual,
            only_line_endings,
            ..
        } => {
            let remark = line_endings(*only_line_endings);
            format!(
                "expected {expected_size} bytes, {expected}; received {actual_size} bytes, {actual}{remark}"
            )
        }
        FileOutcome::Failed(why) => spelled_out(why),
    };
    Some(Verification {
        what: format!("size and SHA-256 of {}", spelled_out(&file.path)),
        holds: false,
        detail: Some(detail),
    })
}

fn front_matter_check(check: &FrontMatterCheck) -> Verification {
    let what = "the front matter is the declared one, field by field".to_owned();
    let (holds, detail) = match check {
        FrontMatterCheck::Same(YamlVersion::V1_1) => (true, "read as YAML 1.1".to_owned()),
        FrontMatterCheck::Same(YamlVersion::V1_2) => (true, "read as YAML 1.2".to_owned()),
        FrontMatterCheck::NotDeclared => {
            (true, "the server declares none, so there is nothing to compare".to_owned())
        }
        FrontMatterCheck::NotChecked => (false, "SKILL.md is not verified".to_owned()),
        FrontMatterCheck::Differs(fields) => {
            (false, fields.iter().map(difference).collect::<Vec<_>>().join("; "))
        }
    };
    Verification { what, holds, detail: Some(detail) }
}

fn difference(difference: &FieldDifference) -> String {
    let shown = |value: &Option<serde_json::Value>| match value {
        Some(value) => spelled_out(&value.to_string()),
        None => "nothing".to_owned(),
    };
    format!(
        "{}: declared {}, in the file {}",
        field_name(difference),
        shown(&difference.declared),
        shown(&difference.actual)
    )
}

fn names(fields: &[FieldDifference]) -> String {
    fields.iter().map(field_name).collect::<Vec<_>>().join(", ")
}

fn field_name(difference: &FieldDifference) -> String {
    if difference.field.is_empty() {
        "all of it".to_owned()
    } else {
        spelled_out(&difference.field)
    }
}

fn state_of(review: &Review, path: &str) -> FileState {
    let fetched = review.fetched.files.iter().find(|file| file.path == path);
    fetched.map_or(FileState::Declared, |file| file_state(&file.outcome))
}

fn bytes_of<'a>(review: &'a Review, path: &str) -> Option<&'a [u8]> {
    review.fetched.files.iter().find_map(|file| match &file.outcome {
        FileOutcome::Verified { bytes, .. } | FileOutcome::Mismatch { bytes, .. }
            if file.path == path =>
        {
            Some(bytes.as_slice())
        }
        _ => None,
    })
}

fn text(bytes: Vec<u8>) -> Option<String> {
    String::from_utf8(bytes).ok().filter(|text| !text.contains('\0'))
}

#[cfg(test)]
mod tests {
    use skills::digest::Digest;

    use super::*;

    #[test]
    fn sizes_that_look_like_other_line_endings_are_called_a_guess() {
        let outcome = FileOutcome::Mismatch {
            expected_size: 4,
            expected: Digest::of(b"a\r\nb"),
            actual_size: 3,
            actual: Digest::of(b"x\ny"),
            bytes: b"x\ny".to_vec(),
            only_line_endings: true,
        };
        let wrong = wrong_file(&FetchedFile { path: "a.md".to_owned(), outcome });
        let detail = wrong.unwrap().detail.unwrap();
        assert!(detail.ends_with("; by the sizes, perhaps only line endings differ"), "{detail}");
    }
}
