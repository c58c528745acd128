//! What an installation leaves out of each `SKILL.md` because it was not granted, before and after.

use skills::digest::Digest;
use skills::frontmatter::{REQUEST_FIELDS, without};
use skills::manifest::{Manifest, ManifestFile};
use skills::{MAIN_FILE, is_plugin_manifest, reads_as_main_file};
use skills_mcp::FileOutcome;
use vault::plan;

use crate::render;
use crate::review::Review;
use crate::view::{DiffLine, LeftOut, LineKind, NestedSkill, Standing};

/// What would be left out if this skill were approved now without a grant. A skill inside it keeps
/// what its own approval granted.
pub(crate) fn left_out(review: &Review, nested: &[NestedSkill]) -> Option<LeftOut> {
    let granted = |path: &str| {
        let own = nested.iter().find(|nested| nested.path == path);
        own.is_some_and(|own| matches!(own.standing, Standing::Approved { granted: true, .. }))
    };
    let mut parts = Parts::default();
    let mut files: Vec<ManifestFile> = review.entry.manifest().files().to_vec();
    for fetched in &review.fetched.files {
        if is_plugin_manifest(&fetched.path) {
            let path = render::spelled_out(&fetched.path);
            parts.impossible.get_or_insert(format!(
                "{path} makes tools load the skill as a plugin, with hooks and servers of its own"
            ));
            parts.fields.push(path);
            continue;
        }
        let main = reads_as_main_file(&fetched.path);
        let FileOutcome::Verified { bytes, .. } = &fetched.outcome else { continue };
        if !main || granted(&fetched.path) {
            continue;
        }
        match without(bytes, REQUEST_FIELDS) {
            Ok(edit) if edit.removed.is_empty() => {}
            Ok(edit) => {
                let (before, after) =
                    (String::from_utf8_lossy(bytes), String::from_utf8_lossy(&edit.bytes));
                parts.add(&fetched.path, &edit.removed, &before, &after);
                if let Some(file) = files.iter_mut().find(|file| file.path == fetched.path) {
                    file.size = edit.bytes.len() as u64;
                    file.digest = Digest::of(&edit.bytes);
                }
            }
            Err(why) => {
                parts.fields.push(label(&fetched.path, &why.fields));
                parts.impossible.get_or_insert(format!("{}: {why}", fetched.path));
            }
        }
    }
    if parts.fields.is_empty() {
        return None;
    }
    let served = review.entry.fingerprint().to_string();
    let installed =
        Manifest::new(files).map_or(served.clone(), |files| files.fingerprint().to_string());
    Some(parts.into_view(served, installed))
}

/// What a plan leaves out.
pub(crate) fn planned(left_out: &plan::LeftOut) -> LeftOut {
    let mut parts = Parts::default();
    for file in &left_out.files {
        parts.add(&file.path, &file.fields, &file.before, &file.after);
    }
    parts.into_view(left_out.served.to_string(), left_out.installed.to_string())
}

#[derive(Default)]
struct Parts {
    fields: Vec<String>,
    diff: Vec<DiffLine>,
    impossible: Option<String>,
}

impl Parts {
    fn add(&mut self, path: &str, fields: &[String], before: &str, after: &str) {
        self.fields.extend(fields.iter().map(|field| label(path, field)));
        if path != MAIN_FILE || !self.diff.is_empty() {
            // The difference that follows is that of another file.
            self.diff.push(DiffLine {
                kind: LineKind::Gap,
                old: None,
                new: None,
                text: path.to_owned(),
            });
        }
        self.diff.extend(render::diff(before, after));
    }

    fn into_view(self, served_fingerprint: String, installed_fingerprint: String) -> LeftOut {
        LeftOut {
            fields: self.fields,
            diff: self.diff,
            served_fingerprint,
            installed_fingerprint,
            impossible: self.impossible,
        }
    }
}

/// A field as it is named: with its file, where that is not the skill's own `SKILL.md`.
fn label(path: &str, field: &str) -> String {
    let field = render::spelled_out(field);
    if path == MAIN_FILE { field } else { format!("{}: {field}", render::spelled_out(path)) }
}
