//! Strict mode: skills as the skills extension wants them.

mod reach;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use rayon::prelude::*;

use self::reach::Resolved;

use super::build::{Built, Clock, Memo, build};
use super::compatible::{
    MANIFEST, bytes, has_uri, manifest_resource, supporting_file, template, uri, without_uri,
};
use super::directory::{Options, Place, SupportingFiles};
use super::tree::Tree;
use super::{Entries, Listing, Resource};
use crate::MAIN_FILE;
use crate::check::publishable;
use crate::entry::Entry;
use crate::handle::{Count, Folder, Kind};
use crate::manifest::MAX_BYTES;
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

/// Name and description of a valid front matter.
type Head = Option<(String, String)>;

/// Every folder with a main file, by its path.
type Candidates = BTreeMap<String, Vec<Spot>>;

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
        path.split('/').try_fold(self.open(place)?, |folder, name| folder.folder(name.as_ref()))
    }

    /// Every folder with a main file in every place, and what cannot be looked at.
    fn candidates(&self) -> (Candidates, Vec<String>) {
        let looks: Vec<_> =
            (0..self.places.len()).into_par_iter().map(|place| self.look(place)).collect();
        let mut warnings = Vec::new();
        let mut candidates = Candidates::new();
        for (place, look) in looks.into_iter().enumerate() {
            let tree = match look {
                Ok(Some(tree)) => tree,
                Ok(None) => continue,
                Err(error) => {
                    warnings.push(format!("root {} is left out: {error}", place + 1));
                    continue;
                }
            };
            tree.each_main("", &mut |path, tree| {
                let spot = Spot { place, tree: Arc::clone(tree) };
                candidates.entry(path.to_owned()).or_default().push(spot);
            });
        }
        (candidates, warnings)
    }

    /// A place as it is; `None` where it is not there.
    fn look(&self, place: usize) -> io::Result<Option<Arc<Tree>>> {
        let there = |result: io::Result<Arc<Tree>>| match result {
            Ok(tree) => Ok(Some(tree)),
            Err(error) => match error.kind() {
                io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Ok(None),
                _ => Err(error),
            },
        };
        there(self.open(place).and_then(|root| match &self.places[place].only {
            None => Tree::look(&root).map(Arc::new),
            Some(name) => {
                if root.look(name.as_ref())?.0 == Kind::Link {
                    return Err(io::Error::other("it is a link"));
                }
                let tree = Tree::look(&root.folder(name.as_ref())?)?;
                Ok(Arc::new(Tree::holding(name, tree)))
            }
        }))
    }

    /// The skills that are published, one spot each, and why others are not.
    fn published(
        &self,
        candidates: &Candidates,
        warnings: &mut Vec<String>,
    ) -> Vec<(String, Spot)> {
        let mut published = Vec::new();
        for (name, spots) in candidates {
            if !has_uri(name, MAIN_FILE) {
                warnings.push(format!(
                    "the skill {name:?} is left out: no URI gives it: its path has a backslash"
                ));
                continue;
            }
            match spots.as_slice() {
                [spot] => published.push((name.clone(), spot.clone())),
                [spot, ..] if self.merge_identical => {
                    if self.are_identical(name, spots) {
                        published.push((name.clone(), spot.clone()));
                    } else {
                        warnings.push(format!(
                            "the skill {name:?} is left out: it is in more than one root, and they differ"
                        ));
                    }
                }
                _ => warnings
                    .push(format!("the skill {name:?} is left out: it is in more than one root")),
            }
        }
        published
    }

    fn are_identical(&self, name: &str, spots: &[Spot]) -> bool {
        let fingerprints: Option<HashSet<_>> = spots
            .iter()
            .map(|spot| {
                Some(self.built(name, spot, &mut Memo::new()).manifest.as_ref()?.fingerprint())
            })
            .collect();
        fingerprints.is_some_and(|fingerprints| fingerprints.len() == 1)
    }

    /// What is known of a skill, built again unless every file is proven unchanged.
    fn built(&self, name: &str, spot: &Spot, memo: &mut Memo) -> Arc<Built> {
        let stands = |built: &&Arc<Built>| built.stands_for(spot.place, &spot.tree);
        let known = || self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(built) = known().get(name).and_then(|all| all.iter().find(stands)) {
            return Arc::clone(built);
        }
        let folder = self.folder(spot.place, name);
        let built =
            Arc::new(build(spot.place, name, folder, Arc::clone(&spot.tree), memo, self.clock));
        let mut known = known();
        let all = known.entry(name.to_owned()).or_default();
        all.retain(|other| other.place != spot.place);
        all.push(Arc::clone(&built));
        built
    }

    pub(super) fn list(&self) -> Listing {
        let (candidates, mut warnings) = self.candidates();
        let published = self.published(&candidates, &mut warnings);
        let heads: Vec<Result<Head, String>> =
            published.par_iter().map(|(name, spot)| self.head(name, spot)).collect();
        let mut listing = Listing { warnings, ..Listing::default() };
        let mut places: HashMap<String, usize> = HashMap::new();
        for ((name, spot), head) in published.iter().zip(heads) {
            let head = match head {
                Ok(head) => head,
                Err(reason) => {
                    listing.warnings.push(format!("the skill {name:?} is left out: {reason}"));
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
        self.forget(&candidates);
        listing
    }

    /// Name and description for the `SKILL.md` itself.
    fn head(&self, name: &str, spot: &Spot) -> Result<Head, String> {
        let Some(stamp) = spot.tree.file(MAIN_FILE) else {
            return Err(format!("{MAIN_FILE:?} is a link"));
        };
        let heads = || self.heads.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((known, at, head)) = heads().get(name)
            && known == stamp
            && !stamp.is_fresh(*at)
        {
            return Ok(head.clone());
        }
        let now = (self.clock)();
        let folder = self.folder(spot.place, name).map_err(|error| error.to_string())?;
        let head = match main_file(&folder) {
            Ok(bytes) => head_of(&bytes, name),
            Err(_) => None,
        };
        heads().insert(name.to_owned(), (*stamp, now, head.clone()));
        Ok(head)
    }

    pub(super) fn entries(&self) -> Entries {
        let _one_at_a_time = self.listing.lock().unwrap_or_else(PoisonError::into_inner);
        let (candidates, mut warnings) = self.candidates();
        let published = self.published(&candidates, &mut warnings);
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
                let mut memo = Memo::new();
                group
                    .iter()
                    .map(|(name, spot)| {
                        let entry = self.built(name, spot, &mut memo).entry.clone();
                        let entry = entry.and_then(|entry| {
                            match self.conflict(name, spot, &candidates, &names) {
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
                Err(reason) => {
                    left_out.push(format!("the skill {name:?} is left out: {reason}"));
                }
            }
        }
        left_out.sort();
        warnings.extend(left_out);
        entries.warnings = warnings;
        entries.entries.sort_by(|a, b| a.uri().cmp(b.uri()));
        self.forget(&candidates);
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
        let (place, folder) = self.the_one(&name, &spots)?;
        let spot = Spot { place: *place, tree: Arc::new(Tree::look(folder).ok()?) };
        let entry = self.built(&name, &spot, &mut Memo::new()).entry.clone().ok()?;
        let gives_this = |path: &str| {
            let elsewhere = (0..self.places.len()).any(|place| {
                place != spot.place
                    && self.serves(place, path)
                    && self.folder(place, path).is_ok_and(|folder| folder.has_main())
            });
            !elsewhere || self.is_merged(path)
        };
        conflict(&spot.tree, &name, "", true, &gives_this).is_none().then_some(entry)
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

/// The first file below whose URI would give something else than this file.
fn conflict(
    tree: &Tree,
    name: &str,
    prefix: &str,
    top: bool,
    gives_this: &dyn Fn(&str) -> bool,
) -> Option<String> {
    let skill = top || tree.has_main;
    if !top && !tree.files.is_empty() && !gives_this(name) {
        return tree.files.first().map(|(file, _)| format!("{prefix}{file}"));
    }
    if skill && tree.file(MANIFEST).is_some() {
        return Some(format!("{prefix}{MANIFEST}"));
    }
    let mut files = tree.files.iter().map(|(file, _)| file);
    if let Some(file) = files.find(|file| !has_uri(name, file)) {
        return Some(format!("{prefix}{file}"));
    }
    tree.folders.iter().find_map(|(folder, inner)| {
        let (name, prefix) = (format!("{name}/{folder}"), format!("{prefix}{folder}/"));
        conflict(inner, &name, &prefix, false, gives_this)
    })
}

fn elsewhere(path: &str) -> String {
    format!("the URI of {path:?} would give something else")
}

fn last_segment(name: &str) -> &str {
    name.rsplit('/').next().unwrap_or(name)
}

/// Name and description, where the front matter is valid by itself.
fn head_of(skill_md: &[u8], path: &str) -> Head {
    let fields = publishable(skill_md, last_segment(path)).ok();
    let text = |field: &str| Some(fields.as_ref()?.get(field)?.as_str()?.to_owned());
    text("name").zip(text("description"))
}

/// How a `SKILL.md` is listed.
fn main_resource(path: &str, head: Head, size: Option<u64>) -> Resource {
    let (name, description) =
        head.unwrap_or_else(|| (format!("{path}/{MAIN_FILE}"), format!("Skill: {path}")));
    Resource { uri: uri(path, MAIN_FILE), name, description, mime_type: "text/markdown", size }
}

/// The bytes of a folder's `SKILL.md`.
fn main_file(folder: &Folder) -> io::Result<Vec<u8>> {
    bytes(folder, &[MAIN_FILE.to_owned()], MAX_BYTES)
}
