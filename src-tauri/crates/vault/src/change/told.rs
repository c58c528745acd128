//! What the activity says of a change.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use skills::paths::Paths;

use super::{About, Act, ChangeHead, Fixed};
use crate::activity::{Activity, ActivityKind};
use crate::placement::Origin;

/// The one row about all that a change did so far.
pub(super) fn row(head: &ChangeHead, done: &[(PathBuf, About)], paths: &Paths) -> Activity {
    let subject = together(done.iter().map(|(_, about)| about.name.as_str()));
    let (kind, text) = if head.undoes.is_some() {
        (ActivityKind::Undone, format!("in {}", places(done, paths)))
    } else {
        said(done, paths)
    };
    let mut activity = Activity::now(kind, &subject, text);
    let mut offers: Vec<_> = done
        .iter()
        .filter_map(|(_, about)| match &about.origin {
            Some(Origin::Server { server, uri, .. }) => Some((server.clone(), uri.clone())),
            _ => None,
        })
        .collect();
    let all_are_offers = offers.len() == done.len();
    offers.sort_by(|one, other| (&one.0.0, &one.1).cmp(&(&other.0.0, &other.1)));
    offers.dedup();
    match offers.as_slice() {
        [(server, uri)] if all_are_offers => activity = activity.about(server, Some(uri)),
        _ => activity.offers = offers,
    }
    let mut fingerprints = done.iter().map(|(_, about)| about.fingerprint);
    activity.fingerprint = fingerprints
        .next()
        .flatten()
        .filter(|first| fingerprints.all(|other| other == Some(*first)));
    activity.folders = folders(done).cloned().collect();
    for (_, about) in done {
        if let Some(fixed) = &about.fixed
            && !activity.folders.contains(&fixed.folder)
        {
            activity.folders.push(fixed.folder.clone());
        }
    }
    activity.change = Some(head.id.clone());
    activity
}

/// Names of skills as one subject: `pdf`, `pdf and docx`, `pdf and 2 more`.
pub(crate) fn together<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let mut distinct: Vec<&str> = Vec::new();
    let mut known = std::collections::BTreeSet::new();
    for name in names {
        if known.insert(name) {
            distinct.push(name);
        }
    }
    match distinct.as_slice() {
        [] => String::new(),
        [one] => (*one).to_owned(),
        [one, other] => format!("{one} and {other}"),
        [one, more @ ..] => format!("{one} and {} more", more.len()),
    }
}

/// The kind, and what follows on it and the subject.
fn said(done: &[(PathBuf, About)], paths: &Paths) -> (ActivityKind, String) {
    let Some((_, first)) = done.first() else { return (ActivityKind::Several, String::new()) };
    if done.iter().any(|(_, about)| kind(about) != kind(first)) {
        let mut counts: BTreeMap<Act, usize> = BTreeMap::new();
        for (_, about) in done {
            *counts.entry(about.act).or_default() += 1;
        }
        let parts: Vec<String> =
            counts.into_iter().map(|(act, count)| format!("{count} {}", past(act))).collect();
        return (ActivityKind::Several, parts.join(", "));
    }
    let places = places(done, paths);
    let text = match first.act {
        Act::Place | Act::Update => {
            let mut from: Vec<String> =
                done.iter().filter_map(|(_, about)| origin(about, paths)).collect();
            from.dedup();
            match from.as_slice() {
                [from] => format!("from {from} into {places}"),
                _ => format!("into {places}"),
            }
        }
        Act::Fix | Act::Rename => match (&first.fixed, done.len()) {
            (Some(fixed), 1) => fixed_text(fixed, first.act, paths),
            _ => format!("in {places}"),
        },
        Act::Remove => format!("from {places}"),
        Act::Disable | Act::Enable | Act::Adopt => format!("in {places}"),
    };
    (kind(first), text)
}

fn kind(about: &About) -> ActivityKind {
    match about.act {
        Act::Place if matches!(about.origin, Some(Origin::Server { .. })) => {
            ActivityKind::Installed
        }
        Act::Place => ActivityKind::Copied,
        Act::Update => ActivityKind::Updated,
        Act::Fix => ActivityKind::Fixed,
        Act::Rename => ActivityKind::Renamed,
        Act::Remove => ActivityKind::Removed,
        Act::Disable => ActivityKind::Disabled,
        Act::Enable => ActivityKind::Enabled,
        Act::Adopt => ActivityKind::Adopted,
    }
}

/// What happened to it, in one word.
pub(crate) fn past(act: Act) -> &'static str {
    match act {
        Act::Place => "placed",
        Act::Update => "updated",
        Act::Fix => "fixed",
        Act::Rename => "renamed",
        Act::Remove => "removed",
        Act::Disable => "disabled",
        Act::Enable => "enabled",
        Act::Adopt => "adopted",
    }
}

fn places(done: &[(PathBuf, About)], paths: &Paths) -> String {
    let folders: Vec<_> = folders(done).collect();
    match folders.as_slice() {
        [folder] => paths.display(folder),
        more => format!("{} folders", more.len()),
    }
}

/// Where tools read what was changed: the links, where it is the copy behind them.
fn folders(done: &[(PathBuf, About)]) -> impl Iterator<Item = &PathBuf> {
    done.iter().flat_map(|(folder, about)| {
        let itself = about.links.is_empty().then_some(folder);
        about.links.iter().chain(itself)
    })
}

fn origin(about: &About, paths: &Paths) -> Option<String> {
    match about.origin.as_ref()? {
        Origin::Server { label, .. } => Some(label.clone()),
        Origin::Folder { path } => Some(paths.display(path)),
        Origin::Adopted => None,
    }
}

/// What follows on `fixed NAME` or `renamed NAME`.
fn fixed_text(fixed: &Fixed, act: Act, paths: &Paths) -> String {
    let folder = paths.display(&fixed.folder);
    let files = match fixed.files.as_slice() {
        [file] => file.clone(),
        more => format!("{} files", more.len()),
    };
    match &fixed.to {
        Some(to) if act == Act::Rename => format!("to {to} in {}", around(&fixed.folder, paths)),
        None => format!("in {files} of {folder}"),
        Some(to) if fixed.files.is_empty() => format!("by renaming {folder} to {to}"),
        Some(to) => format!("in {files} of {folder}, renamed to {to}"),
    }
}

fn around(folder: &Path, paths: &Paths) -> String {
    paths.display(folder.parent().unwrap_or(folder))
}
