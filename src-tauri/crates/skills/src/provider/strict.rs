//! Strict mode: skills as the skills extension wants them.

mod conflict;
mod heads;
mod part;
mod reach;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use rayon::prelude::*;

use self::conflict::{conflict, elsewhere};
use self::heads::{Head, main_resource};
use self::reach::{Reached, Resolved};
use super::build::{Built, Clock, Memo, build};
use super::directory::{Options, Place, SupportingFiles};
use super::shown::{
    MANIFEST, has_uri, manifest_resource, supporting_file, template, uri, without_uri,
};
use super::tree::Tree;
use super::{Entries, Listing};
use crate::MAIN_FILE;
use crate::entry::Entry;
use crate::handle::{Count, Folder, Kind};
use crate::stamp::Stamp;

/// What is published of some places.
#[derive(Debug)]
pub(super) struct Strict {
    places: Vec<Ground>,
    supporting_files: SupportingFiles,
    merge_identical: bool,
    /// What was built of each skill, by its path.
    known: Mutex<HashMap<String, Vec<Arc<Built>>>>,
    /// Name and description of a `SKILL.md`, by the skill's path.
    heads: Mutex<HashMap<String, (Stamp, SystemTime, Head)>>,
    /// One listing at a time: the next finds what the first one hashed.
    listing: Mutex<()>,
    pub(super) count: Count,
    pub(super) clock: Clock,
}

/// A folder whose sub-folders are served, or of which one is.
#[derive(Debug)]
struct Ground {
    root: PathBuf,
    /// The one sub-folder that is served.
    only: Option<String>,
}

/// A skill's folder: in which place, and as it was seen.
#[derive(Debug, Clone)]
struct Spot {
    place: usize,
    tree: Arc<Tree>,
}

/// Every folder with a main file, by its path.
type Candidates = BTreeMap<String, Vec<Spot>>;

/// One look at every place.
#[derive(Default)]
struct Scan {
    /// The open root of each place; `None` where there is none.
    roots: Vec<Option<Folder>>,
    candidates: Candidates,
    /// What cannot be looked at.
    warnings: Vec<String>,
}

impl Scan {
    /// The folder of a skill that was seen.
    fn folder(&self, name: &str, spot: &Spot) -> io::Result<Folder> {
        match &self.roots[spot.place] {
            Some(root) => below(root, name),
            None => Err(io::ErrorKind::NotFound.into()),
        }
    }
}

impl Strict {
    /// Places that are one folder by real path count once.
    pub(super) fn new(places: &[Place], options: &Options) -> Self {
        let mut seen = HashSet::new();
        let mut grounds = Vec::new();
        for place in places {
            let real =
                |path: &Path| std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
            let ground = match place {
                Place::Root(root) => Ground { root: root.clone(), only: None },
                Place::Skill(folder) => {
                    let name = folder.file_name().and_then(|name| name.to_str());
                    let (Some(root), Some(name)) = (folder.parent(), name) else {
                        tracing::warn!(folder = %folder.display(), "not a folder that can be a skill");
                        continue;
                    };
                    Ground { root: root.to_owned(), only: Some(name.to_owned()) }
                }
            };
            if seen.insert((real(&ground.root), ground.only.clone())) {
                grounds.push(ground);
            }
        }
        Self {
            places: grounds,
            supporting_files: options.supporting_files,
            merge_identical: options.merge_identical,
            known: Mutex::default(),
            heads: Mutex::default(),
            listing: Mutex::default(),
            count: Count::default(),
            clock: SystemTime::now,
        }
    }

    /// The open root of a place; a root that is a link is none.
    fn open(&self, place: usize) -> io::Result<Folder> {
        let ground = &self.places[place];
        if std::fs::symlink_metadata(&ground.root)?.is_symlink() {
            return Err(io::Error::other("it is a link"));
        }
        Folder::open(&ground.root, &self.count)
    }

    /// The folder at a path below a place.
    fn folder(&self, place: usize, path: &str) -> io::Result<Folder> {
        below(&self.open(place)?, path)
    }

    /// Every folder with a main file in every place, and what cannot be looked at.
    fn scan(&self) -> Scan {
        let looks: Vec<_> =
            (0..self.places.len()).into_par_iter().map(|place| self.look(place)).collect();
        let mut scan = Scan::default();
        for (place, look) in looks.into_iter().enumerate() {
            let (root, tree) = match look {
                Ok((root, tree)) => (root, tree),
                Err(error) => {
                    scan.roots.push(None);
                    scan.warnings.extend(root_left_out(place, &error));
                    continue;
                }
            };
            scan.roots.push(Some(root));
            tree.each_main("", &mut |path, tree| {
                let spot = Spot { place, tree: Arc::clone(tree) };
                scan.candidates.entry(path.to_owned()).or_default().push(spot);
            });
        }
        scan
    }

    /// A place as it is.
    fn look(&self, place: usize) -> io::Result<(Folder, Arc<Tree>)> {
        let root = self.open_to_list(place)?;
        let is_first = self.known.lock().unwrap_or_else(PoisonError::into_inner).is_empty();
        let look = if is_first { Tree::look } else { Tree::look_again };
        let tree = match &self.places[place].only {
            None => look(&root)?,
            Some(name) => Tree::holding(name, look(&root.folder(name.as_ref())?)?),
        };
        Ok((root, Arc::new(tree)))
    }

    /// The open root of a place; the one sub-folder that is served must not be a link.
    fn open_to_list(&self, place: usize) -> io::Result<Folder> {
        let root = self.open(place)?;
        match &self.places[place].only {
            Some(name) if root.look(name.as_ref())?.0 == Kind::Link => {
                Err(io::Error::other("it is a link"))
            }
            _ => Ok(root),
        }
    }

    fn listing(&self) -> MutexGuard<'_, ()> {
        self.listing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The skills that are published, one spot each, and why others are not.
    fn published(&self, scan: &Scan, warnings: &mut Vec<String>) -> Vec<(String, Spot)> {
        let mut published = Vec::new();
        for (name, spots) in &scan.candidates {
            if !has_uri(name, MAIN_FILE) {
                warnings.push(left_out(name, NO_URI));
                continue;
            }
            match spots.as_slice() {
                [spot] => published.push((name.clone(), spot.clone())),
                [spot, ..] if self.merge_identical && self.are_identical(name, spots) => {
                    published.push((name.clone(), spot.clone()));
                }
                _ => warnings.push(left_out(name, &self.in_more_roots())),
            }
        }
        published
    }

    fn are_identical(&self, name: &str, spots: &[Spot]) -> bool {
        let fingerprints: Option<HashSet<_>> = spots
            .iter()
            .map(|spot| {
                let folder = || self.folder(spot.place, name);
                let built = self.built(name, spot, &mut Memo::default(), folder);
                Some(built.manifest()?.fingerprint())
            })
            .collect();
        fingerprints.is_some_and(|fingerprints| fingerprints.len() == 1)
    }

    /// What is known of a skill, built again unless every file is proven unchanged.
    fn built(
        &self,
        name: &str,
        spot: &Spot,
        memo: &mut Memo,
        folder: impl FnOnce() -> io::Result<Folder>,
    ) -> Arc<Built> {
        let stands = |built: &&Arc<Built>| built.stands_for(spot.place, &spot.tree);
        let known = || self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(built) = known().get(name).and_then(|all| all.iter().find(stands)) {
            return Arc::clone(built);
        }
        let tree = Arc::clone(&spot.tree);
        let built = Arc::new(build(spot.place, name, folder(), tree, memo, self.clock));
        let mut known = known();
        let all = known.entry(name.to_owned()).or_default();
        all.retain(|other| other.place != spot.place);
        all.push(Arc::clone(&built));
        built
    }

    pub(super) fn list(&self) -> Listing {
        let mut scan = self.scan();
        let mut warnings = std::mem::take(&mut scan.warnings);
        let published = self.published(&scan, &mut warnings);
        let heads: Vec<Result<Head, String>> =
            published.par_iter().map(|(name, spot)| self.head(&scan, name, spot)).collect();
        let mut listing = Listing { warnings, ..Listing::default() };
        let mut places: HashMap<String, usize> = HashMap::new();
        for ((name, spot), head) in published.iter().zip(heads) {
            let head = match head {
                Ok(head) => head,
                Err(reason) => {
                    listing.warnings.push(self::left_out(name, &reason));
                    continue;
                }
            };
            let main = main_resource(name, head, spot.tree.file(MAIN_FILE).map(Stamp::size));
            let mut resources = vec![main, manifest_resource(name)];
            match self.supporting_files {
                SupportingFiles::Template => listing.templates.push(template(name)),
                SupportingFiles::Resources => spot.tree.each_file("", &mut |path, stamp| {
                    if !has_uri(name, path) {
                        listing.warnings.push(without_uri(name, path));
                    } else if path != MAIN_FILE && path != MANIFEST {
                        resources.push(supporting_file(name, path, Some(stamp.size())));
                    }
                }),
            }
            // The innermost skill says what a file is: it comes later.
            for resource in resources {
                match places.get(&resource.uri) {
                    Some(at) => listing.resources[*at] = resource,
                    None => {
                        places.insert(resource.uri.clone(), listing.resources.len());
                        listing.resources.push(resource);
                    }
                }
            }
        }
        self.forget(&scan.candidates);
        listing
    }

    pub(super) fn entries(&self) -> Entries {
        let _one_at_a_time = self.listing();
        let mut scan = self.scan();
        let mut warnings = std::mem::take(&mut scan.warnings);
        let published = self.published(&scan, &mut warnings);
        let names: HashMap<&str, usize> =
            published.iter().map(|(name, spot)| (name.as_str(), spot.place)).collect();
        // Skills inside of others share their files, which are hashed once.
        let mut groups: Vec<Vec<&(String, Spot)>> = Vec::new();
        let mut outermost: HashMap<(usize, &str), usize> = HashMap::new();
        for one in &published {
            let (name, spot) = one;
            let outer = name
                .match_indices('/')
                .map(|(at, _)| &name[..at])
                .find(|outer| names.get(outer) == Some(&spot.place))
                .unwrap_or(name);
            let group = *outermost.entry((spot.place, outer)).or_insert_with(|| {
                groups.push(Vec::new());
                groups.len() - 1
            });
            groups[group].push(one);
        }
        let built: Vec<(&str, Result<Arc<Entry>, String>)> = groups
            .par_iter()
            .flat_map_iter(|group| {
                let mut memo = if group.len() > 1 { Memo::of_many() } else { Memo::default() };
                group
                    .iter()
                    .map(|(name, spot)| {
                        let folder = || scan.folder(name, spot);
                        let entry = self.built(name, spot, &mut memo, folder).entry();
                        let entry = entry.and_then(|entry| {
                            match self.conflict(name, spot, &scan.candidates, &names) {
                                Some(path) => Err(elsewhere(&path)),
                                None => Ok(entry),
                            }
                        });
                        (name.as_str(), entry)
                    })
                    .collect::<Vec<_>>()
            })
            .collect();
        let mut entries = Entries::default();
        let mut left_out = Vec::new();
        for (name, entry) in built {
            match entry {
                Ok(entry) => entries.entries.push(entry),
                Err(reason) => left_out.push(self::left_out(name, &reason)),
            }
        }
        left_out.sort();
        warnings.extend(left_out);
        entries.warnings = warnings;
        entries.entries.sort_by(|a, b| a.uri().cmp(b.uri()));
        self.forget(&scan.candidates);
        // Nobody waits for what was seen of many skills to be given back.
        drop(names);
        rayon::spawn(move || drop((published, scan)));
        entries
    }

    /// Forgets what is no longer there.
    fn forget(&self, candidates: &Candidates) {
        let known = |name: &String| candidates.contains_key(name);
        self.known.lock().unwrap_or_else(PoisonError::into_inner).retain(|name, _| known(name));
        self.heads.lock().unwrap_or_else(PoisonError::into_inner).retain(|name, _| known(name));
    }

    /// The first file of a skill whose URI would give something else: a real `_manifest`, or a file
    /// in a folder that is a skill elsewhere too.
    fn conflict(
        &self,
        name: &str,
        spot: &Spot,
        candidates: &Candidates,
        published: &HashMap<&str, usize>,
    ) -> Option<String> {
        let alone = self.places.len() == 1;
        let gives_this = |path: &str| {
            alone
                || match (candidates.get(path), published.get(path)) {
                    (None, _) => true,
                    (Some(_), None) => false,
                    (Some(spots), Some(place)) => *place == spot.place || spots.len() > 1,
                }
        };
        conflict(&spot.tree, name, "", true, &gives_this)
    }

    pub(super) fn entry(&self, uri: &str) -> Option<Arc<Entry>> {
        let Resolved { name, spots, rest } = self.resolve(uri)?;
        if rest != [MAIN_FILE] || self::uri(&name, MAIN_FILE) != uri {
            return None;
        }
        self.judged(&name, &spots).ok()
    }

    /// The entry of one skill, or why it is left out. No other skill is looked at for it.
    fn judged(&self, name: &str, spots: &[Reached]) -> Result<Arc<Entry>, String> {
        let one = self.the_one(name, spots).ok_or_else(|| self.in_more_roots())?;
        let tree = Tree::look(&one.folder).map_err(|error| unreadable(&error))?;
        let spot = Spot { place: one.place, tree: Arc::new(tree) };
        let built = self.built(name, &spot, &mut Memo::default(), || one.folder.again());
        let entry = built.entry()?;
        let gives_this = |path: &str| {
            let elsewhere = (0..self.places.len()).any(|place| {
                place != spot.place
                    && self.serves(place, path)
                    && self.folder(place, path).is_ok_and(|folder| folder.has_main())
            });
            !elsewhere || self.is_merged(path)
        };
        match conflict(&spot.tree, name, "", true, &gives_this) {
            Some(path) => Err(elsewhere(&path)),
            None => Ok(entry),
        }
    }

    /// Why a skill that several roots hold is left out.
    fn in_more_roots(&self) -> String {
        let differ = if self.merge_identical { ", and they differ" } else { "" };
        format!("it is in more than one root{differ}")
    }

    /// Whether the skill at this path, in more than one root, is published once.
    fn is_merged(&self, path: &str) -> bool {
        let mut parts: Vec<String> = path.split('/').map(str::to_owned).collect();
        parts.push(MAIN_FILE.to_owned());
        let resolved = self.resolve_parts(&parts).filter(|resolved| resolved.name == path);
        resolved.is_some_and(|Resolved { spots, .. }| {
            spots.len() > 1 && self.the_one(path, &spots).is_some()
        })
    }
}

/// The folder at a path below another.
fn below(root: &Folder, path: &str) -> io::Result<Folder> {
    let (first, rest) = path.split_once('/').unwrap_or((path, ""));
    let folder = root.folder(first.as_ref())?;
    if rest.is_empty() { Ok(folder) } else { below(&folder, rest) }
}

/// Why a skill has no URI.
const NO_URI: &str = "no URI gives it: its path has a backslash";

/// That a root is left out, unless it is not there.
fn root_left_out(place: usize, error: &io::Error) -> Option<String> {
    let absent = [io::ErrorKind::NotFound, io::ErrorKind::NotADirectory].contains(&error.kind());
    (!absent).then(|| format!("root {} is left out: {error}", place + 1))
}

fn left_out(name: &str, reason: &str) -> String {
    format!("the skill {name:?} is left out: {reason}")
}

fn unreadable(error: &io::Error) -> String {
    format!("it cannot be read: {error}")
}
