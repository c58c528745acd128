//! A part of the entries: folders are gone through in the order of the URIs of their skills, from
//! where the part starts to where it ends, and nothing else is looked at.

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;

use rayon::prelude::*;

use super::Strict;
use super::words::{NO_URI, Out, root_left_out};
use crate::MAIN_FILE;
use crate::entry::Entry;
use crate::handle::{Folder, Kind};
use crate::provider::Entries;
use crate::provider::shown::has_uri;
use crate::provider::sight::Sight;
use crate::provider::tree::MAX_DEPTH;
use crate::uri::encode_path;

/// So many skills are looked at side by side.
const SIDE_BY_SIDE: usize = 1_000;

impl Strict {
    pub(in crate::provider) fn entries_after(
        &self,
        after: Option<&str>,
        most: usize,
        wanted: &dyn Fn(&Entry) -> bool,
        sight: &Sight,
    ) -> Entries {
        let _one_at_a_time = self.listing();
        let mut part = Entries::default();
        let mut walk = Walk::new(self, after, &mut part.warnings);
        loop {
            // One more than is wanted tells whether there are more.
            let missing = most.saturating_add(1) - part.entries.len();
            let names: Vec<String> = walk.by_ref().take(missing.min(SIDE_BY_SIDE)).collect();
            if names.is_empty() {
                return part;
            }
            let judged: Vec<_> = names.par_iter().map(|name| self.entry_at(name)).collect();
            for (name, judged) in names.iter().zip(judged) {
                match judged {
                    Ok((entry, place))
                        if self.may_discover(sight, &entry, place) && wanted(&entry) =>
                    {
                        part.entries.push(entry);
                    }
                    Ok(_) => {}
                    Err(out) => part.warnings.push(out.said(name)),
                }
            }
            if part.entries.len() > most {
                part.more = true;
                part.entries.truncate(most);
                return part;
            }
        }
    }

    /// The entry of the skill at this path and the place that gives it, or why it is left out.
    fn entry_at(&self, path: &str) -> Result<(Arc<Entry>, usize), Out> {
        if !has_uri(path, MAIN_FILE) {
            return Err(Out::LeftOut(NO_URI.to_owned()));
        }
        let parts: Vec<String> = path.split('/').chain([MAIN_FILE]).map(str::to_owned).collect();
        match self.resolve_parts(&parts).filter(|resolved| resolved.name == path) {
            Some(resolved) => self.judged(path, &resolved.spots),
            None => Err(Out::LeftOut("it went away while it was looked at".to_owned())),
        }
    }
}

/// The paths of skills in the order of their URIs.
struct Walk<'a> {
    strict: &'a Strict,
    after: Option<&'a str>,
    /// Folders inside each other.
    levels: Vec<Level>,
}

/// A folder, in each place that has it.
struct Level {
    path: String,
    folders: Vec<(usize, Folder)>,
    /// What is left to be gone through, the next one last: a folder's name, or `None` for the
    /// skill that this folder is.
    steps: Vec<Option<String>>,
}

impl<'a> Walk<'a> {
    fn new(strict: &'a Strict, after: Option<&'a str>, warnings: &mut Vec<String>) -> Self {
        let mut roots = Vec::new();
        for place in 0..strict.places.len() {
            match strict.open_to_list(place) {
                Ok(root) => roots.push((place, root)),
                Err(error) => warnings.extend(root_left_out(place, &error)),
            }
        }
        let mut walk = Self { strict, after, levels: Vec::new() };
        walk.enter(String::new(), roots);
        walk
    }

    fn enter(&mut self, path: String, folders: Vec<(usize, Folder)>) {
        if self.levels.len() == MAX_DEPTH {
            return;
        }
        let base = format!("skill://{}", encode_path(&path));
        let base = if path.is_empty() { base } else { format!("{base}/") };
        // By what comes next in the URI; nothing goes on like another but for a longer name.
        let mut steps: BTreeMap<String, Option<String>> = BTreeMap::new();
        for (place, folder) in &folders {
            // What cannot be listed holds no skill that could be listed.
            for (name, kind) in folder.names().unwrap_or_default() {
                if path.is_empty() && !self.strict.serves(*place, &name) {
                    continue;
                }
                if kind == Kind::Folder {
                    steps.insert(format!("{base}{}/", encode_path(&name)), Some(name));
                } else if name == MAIN_FILE && kind != Kind::Special && !path.is_empty() {
                    steps.insert(format!("{base}{name}"), None);
                }
            }
        }
        let is_after = |uri: &String, step: &Option<String>| {
            self.after.is_none_or(|after| {
                uri.as_str() > after || step.is_some() && after.starts_with(uri.as_str())
            })
        };
        let steps = steps.into_iter().filter(|(uri, step)| is_after(uri, step));
        let steps: Vec<Option<String>> = steps.map(|(_, step)| step).rev().collect();
        self.levels.push(Level { path, folders, steps });
    }
}

impl Iterator for Walk<'_> {
    type Item = String;

    fn next(&mut self) -> Option<String> {
        loop {
            let level = self.levels.last_mut()?;
            match level.steps.pop() {
                None => drop(self.levels.pop()),
                Some(None) => return Some(level.path.clone()),
                Some(Some(name)) => {
                    let inner = |(place, folder): &(usize, Folder)| -> io::Result<_> {
                        Ok((*place, folder.folder(name.as_ref())?))
                    };
                    let folders = level.folders.iter().filter_map(|one| inner(one).ok()).collect();
                    let path = match level.path.as_str() {
                        "" => name.clone(),
                        path => format!("{path}/{name}"),
                    };
                    self.enter(path, folders);
                }
            }
        }
    }
}
