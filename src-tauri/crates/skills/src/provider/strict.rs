//! Strict mode: skills as the skills extension wants them.

mod conflict;
mod heads;
mod part;
mod reach;
mod several;
mod words;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use rayon::prelude::*;

use self::conflict::{conflict, elsewhere};
use self::heads::{Head, main_resource};
use self::reach::{Reached, Resolved};
use self::words::{Out, left_out, root_left_out, unreadable};
use super::build::{Built, Clock, Memo, build};
use super::compatible::Digests;
use super::directory::{Options, Place, SupportingFiles};
use super::guarded::may_discover;
use super::policy::Action;
use super::shown::{
    MANIFEST, folder_uri, has_uri, manifest_resource, supporting_file, template, uri, without_uri,
};
use super::sight::Sight;
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
    /// Of files of skills that are too large for an entry.
    digests: Digests,
    /// One listing at a time: the next finds what the first one hashed.
    listing: Mutex<()>,
    pub(super) count: Count,
    pub(super) clock: Clock,
}

/// A folder whose sub-folders are served, or of which one is.
#[derive(Debug)]
struct Ground {
    /// Which of the places it is as they were given, from 0.
    number: usize,
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

/// A skill's path, its place, and its entry or why it has none.
type Judged<'a> = (&'a str, &'a Spot, Result<Arc<Entry>, String>);

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
        for (number, place) in places.iter().enumerate() {
            let real =
                |path: &Path| std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
            let ground = match place {
                Place::Root(root) => Ground { number, root: root.clone(), only: None },
                Place::Skill(folder) => {
                    let name = folder.file_name().and_then(|name| name.to_str());
                    let (Some(root), Some(name)) = (folder.parent(), name) else {
                        tracing::warn!(folder = %folder.display(), "not a folder that can be a skill");
                        continue;
                    };
                    Ground { number, root: root.to_owned(), only: Some(name.to_owned()) }
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
            digests: Digests::default(),
            listing: Mutex::default(),
            count: Count::default(),
            clock: SystemTime::now,
        }
    }

    /// Whether this may be done with what a place gives under a URI.
    fn sees(&self, sight: &Sight, action: Action, uri: &str, place: usize) -> bool {
        sight.sees(action, uri, Some(self.places[place].number))
    }

    fn may_discover(&self, sight: &Sight, entry: &Entry, place: usize) -> bool {
        may_discover(sight, entry, Some(self.places[place].number))
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

    pub(super) fn list(&self, sight: &Sight) -> Listing {
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
                    listing.warnings.push(left_out(name, &reason));
                    continue;
                }
            };
            let main = main_resource(name, head, spot.tree.file(MAIN_FILE).map(Stamp::size));
            let mut resources = vec![main, manifest_resource(name)];
            match self.supporting_files {
                SupportingFiles::Template => {
                    if self.sees(sight, Action::Template, &folder_uri(name), spot.place) {
                        listing.templates.push(template(name));
                    }
                }
                SupportingFiles::Resources => spot.tree.each_file("", &mut |path, stamp| {
                    if !has_uri(name, path) {
                        listing.warnings.push(without_uri(name, path));
                    } else if path != MAIN_FILE && path != MANIFEST {
                        resources.push(supporting_file(name, path, Some(stamp.size())));
                    }
                }),
            }
            // The innermost skill says what a file is: it comes later.
            resources.retain(|one| self.sees(sight, Action::List, &one.uri, spot.place));
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

    pub(super) fn entries(&self, sight: &Sight) -> Entries {
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
        let built: Vec<Judged<'_>> = groups
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
                        (name.as_str(), spot, entry)
                    })
                    .collect::<Vec<_>>()
            })
            .collect();
        let mut entries = Entries::default();
        let mut others = Vec::new();
        for (name, spot, entry) in built {
            match entry {
                Ok(entry) if self.may_discover(sight, &entry, spot.place) => {
                    entries.entries.push(entry);
                }
                Ok(_) => {}
                Err(reason) => others.push(Out::of(&spot.tree, reason).said(name)),
            }
        }
        others.sort();
        warnings.extend(others);
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

    pub(super) fn entry(&self, uri: &str, sight: &Sight) -> Option<Arc<Entry>> {
        let Resolved { name, spots, rest } = self.resolve(uri)?;
        if rest != [MAIN_FILE] || self::uri(&name, MAIN_FILE) != uri {
            return None;
        }
        // Asked first: nothing is hashed for a caller who may not see it.
        if !self.sees(sight, Action::Discover, uri, spots.first()?.place) {
            return None;
        }
        let (entry, place) = self.judged(&name, &spots).ok()?;
        self.may_discover(sight, &entry, place).then_some(entry)
    }

    /// The entry of one skill and the place that gives it, or why there is none. No other skill is
    /// looked at for it.
    fn judged(&self, name: &str, spots: &[Reached]) -> Result<(Arc<Entry>, usize), Out> {
        let Some(one) = self.the_one(name, spots) else {
            let places: Vec<usize> = spots.iter().map(|spot| spot.place).collect();
            return Err(Out::LeftOut(self.in_more_roots(&places)));
        };
        let tree = Tree::look(&one.folder).map_err(|error| Out::LeftOut(unreadable(&error)))?;
        let spot = Spot { place: one.place, tree: Arc::new(tree) };
        let built = self.built(name, &spot, &mut Memo::default(), || one.folder.again());
        let entry = built.entry().map_err(|reason| Out::of(&spot.tree, reason))?;
        let gives_this = |path: &str| {
            let elsewhere = (0..self.places.len()).any(|place| {
                place != spot.place
                    && self.serves(place, path)
                    && self.folder(place, path).is_ok_and(|folder| folder.has_main())
            });
            !elsewhere || self.is_merged(path)
        };
        match conflict(&spot.tree, name, "", true, &gives_this) {
            Some(path) => Err(Out::of(&spot.tree, elsewhere(&path))),
            None => Ok((entry, one.place)),
        }
    }
}

/// The folder at a path below another.
fn below(root: &Folder, path: &str) -> io::Result<Folder> {
    let (first, rest) = path.split_once('/').unwrap_or((path, ""));
    let folder = root.folder(first.as_ref())?;
    if rest.is_empty() { Ok(folder) } else { below(&folder, rest) }
}
