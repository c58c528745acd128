//! Strict mode: skills as the skills extension wants them.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use rayon::prelude::*;

use super::build::{Built, Memo, build, plain_files};
use super::compatible::{
    MANIFEST, bytes, has_uri, manifest, manifest_resource, stands, supporting_file, template, uri,
    without_uri,
};
use super::directory::{Options, Place, SupportingFiles};
use super::tree::Tree;
use super::{Content, DIRECTORY_TYPE, Entries, Listing, Mark, ReadError, Resource, mime_type};
use crate::MAIN_FILE;
use crate::check::publishable;
use crate::entry::Entry;
use crate::handle::{Child, Count, Folder, Kind};
use crate::manifest::{MAX_BYTES, ManifestFile};
use crate::stamp::Stamp;
use crate::uri::{encode_path, readings};

/// Folders inside each other that are searched for a skill.
const MAX_DEPTH: usize = 64;

/// A file larger than this is not given out.
const MAX_READ: u64 = 256 * 1024 * 1024;

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

/// One step after the other down to the folder that holds something: the innermost skill on the
/// way, and the rest of the path.
struct Resolved {
    name: String,
    /// Folder and rest of the path, in each place where the skill is.
    spots: Vec<(usize, Folder)>,
    rest: Vec<String>,
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
        let built = Arc::new(build(spot.place, name, folder, Arc::clone(&spot.tree), memo));
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
        let now = SystemTime::now();
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

    /// Whether a place publishes what lies at this path below it.
    fn serves(&self, place: usize, path: &str) -> bool {
        let only = self.places[place].only.as_deref();
        only.is_none_or(|only| path.split('/').next() == Some(only))
    }

    /// The innermost skill that a URI leads into, and the rest of its path. Each place is gone down
    /// once and nothing is listed.
    fn resolve(&self, uri: &str) -> Option<Resolved> {
        readings(uri).into_iter().find_map(|parts| self.resolve_parts(&parts))
    }

    fn resolve_parts(&self, parts: &[String]) -> Option<Resolved> {
        let mut deepest = 0;
        let mut spots: Vec<(usize, Folder)> = Vec::new();
        for place in 0..self.places.len() {
            let Some(first) = parts.first() else { break };
            if !self.serves(place, first) {
                continue;
            }
            let Ok(mut folder) = self.open(place) else { continue };
            let mut found = None;
            for (at, name) in parts.iter().enumerate().take(parts.len().saturating_sub(1)) {
                let Ok(inner) = folder.folder(name.as_ref()) else { break };
                if inner.has_main() {
                    found = Some((at + 1, inner.again()));
                }
                folder = inner;
            }
            let Some((depth, Ok(folder))) = found else { continue };
            if depth > deepest {
                deepest = depth;
                spots.clear();
            }
            if depth == deepest {
                spots.push((place, folder));
            }
        }
        (deepest > 0).then(|| Resolved {
            name: parts[..deepest].join("/"),
            spots,
            rest: parts[deepest..].to_vec(),
        })
    }

    /// The folder that is published for a skill: the only one, or the first of equal ones where
    /// those are merged.
    fn the_one<'a>(&self, name: &str, spots: &'a [(usize, Folder)]) -> Option<&'a (usize, Folder)> {
        match spots {
            [one] => Some(one),
            [first, ..] if self.merge_identical => {
                let look = |(place, folder): &(usize, Folder)| {
                    Some(Spot { place: *place, tree: Arc::new(Tree::look(folder).ok()?) })
                };
                let looks = spots.iter().map(look).collect::<Option<Vec<_>>>()?;
                self.are_identical(name, &looks).then_some(first)
            }
            _ => None,
        }
    }

    pub(super) fn read(&self, uri: &str) -> Result<Content, ReadError> {
        for parts in readings(uri) {
            let Some(Resolved { name, spots, rest }) = self.resolve_parts(&parts) else { continue };
            let Some((place, folder)) = self.the_one(&name, &spots) else { continue };
            if rest == [MANIFEST] {
                if let Some(files) = self.manifest(&name, *place, folder) {
                    return Ok(manifest(&name, &files));
                }
            } else if let Some(bytes) = give(folder, &rest, uri)? {
                return Ok(Content { bytes, mime_type: mime_type(&rest.join("/")) });
            }
        }
        Err(ReadError::NotFound(uri.to_owned()))
    }

    /// The files of a skill that can be read as resources, in order of their components.
    fn manifest(&self, name: &str, place: usize, folder: &Folder) -> Option<Vec<ManifestFile>> {
        let spot = Spot { place, tree: Arc::new(Tree::look(folder).ok()?) };
        let built = self.built(name, &spot, &mut Memo::new());
        let mut files = match &built.manifest {
            Some(manifest) => manifest.files().to_vec(),
            None => plain_files(folder, &spot.tree).ok()?,
        };
        files.sort_by(|a, b| a.path.split('/').cmp(b.path.split('/')));
        Some(files)
    }

    pub(super) fn canonical(&self, uri: &str) -> Option<String> {
        readings(uri).into_iter().find_map(|parts| {
            let file = self.resolve_parts(&parts).and_then(|Resolved { name, spots, rest }| {
                let (_, folder) = self.the_one(&name, &spots)?;
                (rest == [MANIFEST] || stands(folder, &rest).is_some())
                    .then(|| self::uri(&name, &rest.join("/")))
            });
            let path = parts.join("/");
            file.or_else(|| self.directories(&parts).map(|_| directory_uri(&path)))
        })
    }

    /// The folders at this path, if it is one of a skill or above skills, and the skill's path.
    fn directories(&self, parts: &[String]) -> Option<(Vec<Folder>, Option<String>)> {
        let path = parts.join("/");
        // What lies in the folder belongs to the innermost skill on the way to it.
        let mut below = parts.to_vec();
        below.push(String::new());
        if let Some(Resolved { name, spots, rest }) = self.resolve_parts(&below) {
            let (_, folder) = self.the_one(&name, &spots)?;
            let folder = match rest.split_last()?.1 {
                [] => folder.again().ok()?,
                names => folder.descend(names).ok()??,
            };
            return Some((vec![folder], Some(name)));
        }
        let served = |place: &usize| parts.first().is_some_and(|first| self.serves(*place, first));
        let folders: Vec<Folder> = (0..self.places.len())
            .filter(served)
            .filter_map(|place| self.folder(place, &path).ok())
            .filter(|folder| leads_to_skill(folder, 0))
            .collect();
        (!folders.is_empty()).then_some((folders, None))
    }

    /// The direct children of a folder of a skill, or of one above skills.
    pub(super) fn directory(&self, uri: &str) -> Option<Vec<Resource>> {
        readings(uri).into_iter().find_map(|parts| {
            let (folders, skill) = self.directories(&parts)?;
            let path = parts.join("/");
            let mut children: BTreeMap<String, Resource> = BTreeMap::new();
            for folder in &folders {
                for Child { name, kind, stamp } in folder.children().ok()? {
                    let Some(name) = name.to_str() else { continue };
                    if !has_uri(&path, name) {
                        continue;
                    }
                    let at = format!("{path}/{name}");
                    let inner = || folder.folder(name.as_ref());
                    let resource = match (kind, &skill) {
                        (Kind::Folder, Some(_)) => folder_resource(&at, name),
                        (Kind::Folder, None)
                            if inner().is_ok_and(|inner| leads_to_skill(&inner, 0)) =>
                        {
                            folder_resource(&at, name)
                        }
                        (Kind::File, Some(skill)) => {
                            let size = stamp.map(|stamp| stamp.size());
                            child_resource(folder, skill, &path, name, size)
                        }
                        _ => continue,
                    };
                    children.entry(name.to_owned()).or_insert(resource);
                }
            }
            Some(children.into_values().collect())
        })
    }

    pub(super) fn mark(&self, uri: &str) -> Option<Mark> {
        readings(uri).into_iter().find_map(|parts| {
            let Resolved { name, spots, rest } = self.resolve_parts(&parts)?;
            let (_, folder) = self.the_one(&name, &spots)?;
            if rest == [MANIFEST] {
                return Some(Tree::look(folder).ok()?.mark());
            }
            Some(Mark::of(stands(folder, &rest)?))
        })
    }
}

/// Whether there is a skill at this folder or anywhere below; stops at the first.
fn leads_to_skill(folder: &Folder, depth: usize) -> bool {
    folder.has_main()
        || depth < MAX_DEPTH
            && folder.children().is_ok_and(|children| {
                children.iter().filter(|child| child.kind == Kind::Folder).any(|child| {
                    folder.folder(&child.name).is_ok_and(|inner| leads_to_skill(&inner, depth + 1))
                })
            })
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

/// How a folder is listed.
fn folder_resource(path: &str, name: &str) -> Resource {
    Resource {
        uri: directory_uri(path),
        name: name.to_owned(),
        description: String::new(),
        mime_type: DIRECTORY_TYPE,
        size: None,
    }
}

/// How a file is listed among the children of a folder.
fn child_resource(
    folder: &Folder,
    skill: &str,
    path: &str,
    name: &str,
    size: Option<u64>,
) -> Resource {
    if name == MAIN_FILE {
        let head = main_file(folder);
        return main_resource(path, head.ok().and_then(|bytes| head_of(&bytes, path)), size);
    }
    let inner = path.strip_prefix(skill).unwrap_or_default().trim_start_matches('/');
    let inner = if inner.is_empty() { name.to_owned() } else { format!("{inner}/{name}") };
    Resource { name: name.to_owned(), ..supporting_file(skill, &inner, size) }
}

/// A folder has no slash at its end.
fn directory_uri(path: &str) -> String {
    format!("skill://{}", encode_path(path))
}

/// The bytes of the regular file at a path below a folder; `None` where there is none.
fn give(folder: &Folder, path: &[String], uri: &str) -> Result<Option<Vec<u8>>, ReadError> {
    if stands(folder, path).is_none() {
        return Ok(None);
    }
    bytes(folder, path, MAX_READ)
        .map(Some)
        .map_err(|source| ReadError::Unreadable { uri: uri.to_owned(), source })
}

/// The bytes of a folder's `SKILL.md`.
fn main_file(folder: &Folder) -> io::Result<Vec<u8>> {
    bytes(folder, &[MAIN_FILE.to_owned()], MAX_BYTES)
}
