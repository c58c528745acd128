//! Fixes that can be made at once: each was right by itself, and that says nothing of all.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use super::{Diagnostic, OF_THE_FILE, Rule, codes, fields, problems};
use crate::fix::{Fix, TextEdit, edited};
use crate::frontmatter::FrontMatter;
use crate::lines::{lines, without_last_break};

/// The most bytes that are read again to try the fixes of one file.
const MAX_READ: usize = 4 * 1024 * 1024;

/// So often one is read again however large its body is.
const MIN_TRIALS: usize = 4;

/// What keeps a front matter from being read: the rest shows only once it can be.
const OF_READING: &[Rule] = &[
    codes::FRONT_MATTER_MISSING,
    codes::FRONT_MATTER_UNCLOSED,
    codes::FRONT_MATTER_EMPTY,
    codes::FRONT_MATTER_DELIMITER,
    codes::FRONT_MATTER_NOT_MAPPING,
    codes::FRONT_MATTER_COLON,
    codes::FRONT_MATTER_YAML,
];

/// The first fix of each diagnostic, as many as can be made at once: with all of them made nothing
/// is wrong that was not before, and no value changes that none of them changes. What is left out
/// waits for the next look at the skill.
pub(super) fn together(folder_name: &str, skill_md: &[u8], found: &[Diagnostic]) -> Vec<Fix> {
    let mut firsts: Vec<&Fix> = Vec::new();
    for fix in found.iter().filter_map(|one| one.fixes.first()) {
        if !firsts.iter().any(|other| touch(fix, other)) {
            firsts.push(fix);
        }
    }
    let trial = Trial::new(folder_name, skill_md);
    if firsts.len() > 1 && !trial.is_safe(&firsts) {
        let mut chosen: Vec<&Fix> = Vec::new();
        for fix in firsts {
            chosen.push(fix);
            if chosen.len() > 1 && !trial.is_safe(&chosen) {
                chosen.pop();
            }
        }
        firsts = chosen;
    }
    firsts.into_iter().cloned().collect()
}

/// Takes away the fixes that bring something up that was not wrong before. Those of fields were
/// tried where they were made.
pub(super) fn keep_safe(folder_name: &str, skill_md: &[u8], found: &mut [Diagnostic]) {
    let of_reading = |one: &&mut Diagnostic| {
        let tried = [codes::FRONT_MATTER_VALUE, codes::FRONT_MATTER_KEY];
        !one.fixes.is_empty()
            && OF_READING.iter().chain(OF_THE_FILE).chain(&tried).any(|rule| rule.code == one.code)
    };
    let mut trial = None;
    for one in found.iter_mut().filter(of_reading) {
        let trial = trial.get_or_insert_with(|| Trial::new(folder_name, skill_md));
        one.fixes.retain(|fix| trial.is_safe(&[fix]));
    }
}

/// Whether two fixes change the same place.
fn touch(one: &Fix, other: &Fix) -> bool {
    match (one, other) {
        (Fix::RenameFolder { .. }, Fix::RenameFolder { .. }) => true,
        (Fix::Edits { file, edits, .. }, Fix::Edits { file: other_file, edits: others, .. }) => {
            let meet = |a: &TextEdit, b: &TextEdit| {
                a.range.start <= b.range.end && b.range.start <= a.range.end
            };
            file == other_file && edits.iter().any(|a| others.iter().any(|b| meet(a, b)))
        }
        _ => false,
    }
}

/// A skill's main file, to try fixes on.
struct Trial<'a> {
    folder_name: &'a str,
    skill_md: &'a [u8],
    read: FrontMatter,
    broken: BTreeMap<&'static str, usize>,
    /// How many bytes reading it once more takes: each value at which readers stop takes a reading.
    cost: usize,
    /// How many bytes may still be read again.
    left: Cell<usize>,
}

impl<'a> Trial<'a> {
    fn new(folder_name: &'a str, skill_md: &'a [u8]) -> Self {
        let read = FrontMatter::read(skill_md);
        let broken = broken(folder_name, skill_md, &read);
        let left = MAX_READ.max(skill_md.len().saturating_mul(MIN_TRIALS));
        let head = skill_md.len().saturating_sub(read.body().len());
        let cost = skill_md.len().saturating_add(head.saturating_mul(read.problems().len()));
        Self { folder_name, skill_md, read, broken, cost, left: Cell::new(left) }
    }

    /// The file with these fixes made, and the folder's name.
    fn made<'b>(&'b self, fixes: &[&'b Fix]) -> Option<(&'b str, FrontMatter, Vec<u8>)> {
        self.left.set(self.left.get().checked_sub(self.cost)?);
        let mut folder_name = self.folder_name;
        let mut edits: Vec<TextEdit> = Vec::new();
        for fix in fixes {
            match fix {
                Fix::Edits { edits: some, .. } => edits.extend(some.iter().cloned()),
                Fix::RenameFolder { to, .. } => folder_name = to,
            }
        }
        edits.sort_by_key(|edit| (edit.range.start, edit.range.end));
        let after = edited(self.skill_md, &edits).ok()?;
        Some((folder_name, FrontMatter::read(&after), after))
    }

    fn is_safe(&self, fixes: &[&Fix]) -> bool {
        let Some((folder_name, read, after)) = self.made(fixes) else { return false };
        let before = |code| self.broken.get(code).copied().unwrap_or(0);
        let masked = self.read.is_masked();
        let none_worse = broken(folder_name, &after, &read).iter().all(|(code, left)| {
            let is_shown = !masked || OF_READING.iter().any(|rule| rule.code == *code);
            !is_shown || *left <= before(code)
        });
        none_worse
            && same_lines(self.read.body(), read.body())
            && (masked || fixes.len() < 2 || self.keeps_others(fixes, &read))
    }

    /// Whether all values are as they were but for those that one of these fixes changes by itself.
    fn keeps_others(&self, fixes: &[&Fix], after: &FrontMatter) -> bool {
        let changed = changed(self.read.fields(), after.fields());
        let mut meant = BTreeSet::new();
        for fix in fixes {
            if changed.is_subset(&meant) {
                return true;
            }
            let Some((_, read, _)) = self.made(&[fix]) else { return false };
            let names = self::changed(self.read.fields(), read.fields());
            meant.extend(names);
        }
        changed.is_subset(&meant)
    }
}

/// The names of the fields that are not in both with one value.
fn changed(before: &Map<String, Value>, after: &Map<String, Value>) -> BTreeSet<String> {
    let names = before.keys().chain(after.keys());
    names.filter(|name| before.get(*name) != after.get(*name)).cloned().collect()
}

/// Whether two texts differ in nothing but the ends of their lines.
fn same_lines(one: &str, other: &str) -> bool {
    lines(one).map(without_last_break).eq(lines(other).map(without_last_break))
}

/// How often each rule of front matter is broken.
pub(super) fn broken(
    folder_name: &str,
    skill_md: &[u8],
    read: &FrontMatter,
) -> BTreeMap<&'static str, usize> {
    let mut found: Vec<Diagnostic> = problems(skill_md, read);
    fields::judge(folder_name, read, None, &mut found);
    let mut counts = BTreeMap::new();
    for one in found {
        *counts.entry(one.code).or_default() += 1;
    }
    counts
}
