//! From a URI to what it gives: one step after the other, through handles, and nothing is listed.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::heads::{head_of, main_file, main_resource};
use super::{Spot, Strict};
use crate::MAIN_FILE;
use crate::handle::{Child, Folder, Kind};
use crate::manifest::ManifestFile;
use crate::provider::build::Memo;
use crate::provider::compatible::{MAX_READ, Row, bytes, stands, unread};
use crate::provider::policy::Action;
use crate::provider::shown::{
    MANIFEST, folder_uri, has_uri, manifest, supporting_file, uri, within,
};
use crate::provider::sight::Sight;
use crate::provider::tree::{MAX_DEPTH, Tree};
use crate::provider::{Content, DIRECTORY_TYPE, Mark, ReadError, Resource, mime_type};
use crate::read::location;
use crate::uri::readings;

/// One step after the other down to the folder that holds something: the innermost skill on the
/// way, and the rest of the path.
pub(super) struct Resolved {
    pub(super) name: String,
    /// In each place where the skill is.
    pub(super) spots: Vec<Reached>,
    pub(super) rest: Vec<String>,
}

/// A skill's folder that was reached.
pub(super) struct Reached {
    pub(super) place: usize,
    pub(super) folder: Folder,
    /// The folder below it that would hold the last part of the path, where there is one.
    holder: Option<Folder>,
}

/// A file, or what may be one, that may be read.
struct Readable {
    name: String,
    /// What is published for the skill.
    reached: Reached,
    rest: Vec<String>,
    /// In the listed spelling.
    uri: String,
}

/// Folders that are one to whoever asks, each with its place, and the skill that they are in.
type Directories = (Vec<(usize, Folder)>, Option<String>);

impl Reached {
    /// The bytes of the regular file at the end of the path; `None` where there is none.
    fn give(&self, rest: &[String], most: u64, uri: &str) -> Result<Option<Vec<u8>>, ReadError> {
        let Some((name, folders)) = rest.split_last() else { return Ok(None) };
        let holder = match (&self.holder, folders) {
            (Some(holder), _) => holder,
            (None, []) => &self.folder,
            (None, _) => return Ok(None),
        };
        match bytes(holder, std::slice::from_ref(name), most.min(MAX_READ)) {
            Ok(bytes) => Ok(Some(bytes)),
            // What is no regular file is not there.
            Err(_) if !matches!(holder.look(name.as_ref()), Ok((Kind::File, _))) => Ok(None),
            Err(error) => Err(unread(uri, error)),
        }
    }
}

impl Strict {
    /// Whether a place publishes what lies at this path below it.
    pub(super) fn serves(&self, place: usize, path: &str) -> bool {
        let only = self.places[place].only.as_deref();
        only.is_none_or(|only| path.split('/').next() == Some(only))
    }

    /// The innermost skill that a URI leads into, and the rest of its path. Each place is gone down
    /// once and nothing is listed.
    pub(super) fn resolve(&self, uri: &str) -> Option<Resolved> {
        readings(uri).into_iter().find_map(|parts| self.resolve_parts(&parts))
    }

    pub(super) fn resolve_parts(&self, parts: &[String]) -> Option<Resolved> {
        let mut deepest = 0;
        let mut spots: Vec<Reached> = Vec::new();
        for place in 0..self.places.len() {
            let Some(first) = parts.first() else { break };
            if !self.serves(place, first) {
                continue;
            }
            let Ok(root) = self.open(place) else { continue };
            let (mut way, mut depth) = (vec![root], 0);
            for (at, name) in parts.iter().enumerate().take(parts.len().saturating_sub(1)) {
                let Ok(inner) = way[at].folder(name.as_ref()) else { break };
                if inner.has_main() {
                    depth = at + 1;
                }
                way.push(inner);
            }
            if depth == 0 || depth < deepest {
                continue;
            }
            if depth > deepest {
                deepest = depth;
                spots.clear();
            }
            let holder = (way.len() == parts.len() && way.len() > depth + 1).then(|| way.pop());
            let folder = way.swap_remove(depth);
            spots.push(Reached { place, folder, holder: holder.flatten() });
        }
        (deepest > 0).then(|| Resolved {
            name: parts[..deepest].join("/"),
            spots,
            rest: parts[deepest..].to_vec(),
        })
    }

    /// The folder that is published for a skill: the only one, or the first of equal ones where
    /// those are merged.
    pub(super) fn the_one<'a>(&self, name: &str, spots: &'a [Reached]) -> Option<&'a Reached> {
        match spots {
            [one] => Some(one),
            [first, ..] if self.merge_identical => {
                let look = |reached: &Reached| {
                    let tree = Arc::new(Tree::look(&reached.folder).ok()?);
                    Some(Spot { place: reached.place, tree })
                };
                let looks = spots.iter().map(look).collect::<Option<Vec<_>>>()?;
                self.are_identical(name, &looks).then_some(first)
            }
            _ => None,
        }
    }

    /// The skill that these parts lead into and what is published for it, if the file at the rest
    /// of the path may be read from the place that gives it.
    fn readable(&self, parts: &[String], sight: &Sight) -> Option<Readable> {
        let Resolved { name, mut spots, rest } = self.resolve_parts(parts)?;
        let place = spots.first()?.place;
        let uri = uri(&name, &rest.join("/"));
        // Asked first: nothing is compared for a caller who may not see it.
        if !self.sees(sight, Action::Read, &uri, place) {
            return None;
        }
        // Of equal ones the first.
        self.the_one(&name, &spots)?;
        Some(Readable { name, reached: spots.swap_remove(0), rest, uri })
    }

    pub(in crate::provider) fn read(
        &self,
        uri: &str,
        most: u64,
        sight: &Sight,
    ) -> Result<Content, ReadError> {
        for parts in readings(uri) {
            let Some(Readable { name, reached, rest, .. }) = self.readable(&parts, sight) else {
                continue;
            };
            if rest == [MANIFEST] {
                if let Some(files) = self.manifest(&name, &reached, sight) {
                    return within(manifest(&name, &files), most, uri);
                }
            } else if let Some(bytes) = reached.give(&rest, most, uri)? {
                return Ok(Content { bytes, mime_type: mime_type(&rest.join("/")) });
            }
        }
        Err(ReadError::NotFound(uri.to_owned()))
    }

    /// The files of a skill that can be read as resources, in order of their components.
    fn manifest(&self, name: &str, reached: &Reached, sight: &Sight) -> Option<Vec<ManifestFile>> {
        let Reached { place, folder, .. } = reached;
        let spot = Spot { place: *place, tree: Arc::new(Tree::look(folder).ok()?) };
        let built = self.built(name, &spot, &mut Memo::default(), || folder.again());
        let seen = |path: &str| self.sees(sight, Action::Read, &uri(name, path), *place);
        let mut files = match built.manifest() {
            Some(manifest) => {
                manifest.files().iter().filter(|file| seen(&file.path)).cloned().collect()
            }
            None => {
                let mut rows = Vec::new();
                spot.tree.each_file("", &mut |path, stamp| {
                    if seen(path) {
                        rows.push(Row::plain(path.to_owned(), *stamp));
                    }
                });
                let real = location(&self.places[*place].root, name);
                self.digests.of(folder, &real, &rows).ok()?
            }
        };
        files.sort_by(|a, b| a.path.split('/').cmp(b.path.split('/')));
        Some(files)
    }

    pub(in crate::provider) fn canonical(&self, uri: &str, sight: &Sight) -> Option<String> {
        readings(uri).into_iter().find_map(|parts| {
            let file =
                self.readable(&parts, sight).and_then(|Readable { reached, rest, uri, .. }| {
                    (rest == [MANIFEST] || stands(&reached.folder, &rest).is_some()).then_some(uri)
                });
            let path = parts.join("/");
            file.or_else(|| self.directories(&parts, sight).map(|_| folder_uri(&path)))
        })
    }

    /// The folders at this path, each with its place, if it is one of a skill or above skills, and
    /// the skill's path.
    fn directories(&self, parts: &[String], sight: &Sight) -> Option<Directories> {
        let path = parts.join("/");
        let uri = folder_uri(&path);
        let seen = |place: &usize| self.sees(sight, Action::Directory, &uri, *place);
        // What lies in the folder belongs to the innermost skill on the way to it.
        let mut below = parts.to_vec();
        below.push(String::new());
        if let Some(Resolved { name, spots, rest }) = self.resolve_parts(&below) {
            if !seen(&spots.first()?.place) {
                return None;
            }
            let Reached { place, folder, .. } = self.the_one(&name, &spots)?;
            let folder = match rest.split_last()?.1 {
                [] => folder.again().ok()?,
                names => folder.descend(names).ok()??,
            };
            return Some((vec![(*place, folder)], Some(name)));
        }
        let served = |place: &usize| parts.first().is_some_and(|first| self.serves(*place, first));
        let folders: Vec<(usize, Folder)> = (0..self.places.len())
            .filter(served)
            .filter(seen)
            .filter_map(|place| Some((place, self.folder(place, &path).ok()?)))
            .filter(|(_, folder)| leads_to_skill(folder, 0))
            .collect();
        (!folders.is_empty()).then_some((folders, None))
    }

    /// The direct children of a folder of a skill, or of one above skills.
    pub(in crate::provider) fn directory(&self, uri: &str, sight: &Sight) -> Option<Vec<Resource>> {
        readings(uri).into_iter().find_map(|parts| {
            let (folders, skill) = self.directories(&parts, sight)?;
            let path = parts.join("/");
            let mut children: BTreeMap<String, Resource> = BTreeMap::new();
            for (place, folder) in &folders {
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
                    let is_folder = resource.mime_type == DIRECTORY_TYPE;
                    let action = if is_folder { Action::Directory } else { Action::List };
                    if self.sees(sight, action, &resource.uri, *place) {
                        children.entry(name.to_owned()).or_insert(resource);
                    }
                }
            }
            Some(children.into_values().collect())
        })
    }

    pub(in crate::provider) fn mark(&self, uri: &str, sight: &Sight) -> Option<Mark> {
        readings(uri).into_iter().find_map(|parts| {
            let Readable { name, reached, rest, .. } = self.readable(&parts, sight)?;
            if rest != [MANIFEST] {
                return Some(Mark::of(stands(&reached.folder, &rest)?));
            }
            let mut files = Vec::new();
            Tree::look(&reached.folder).ok()?.each_file("", &mut |path, stamp| {
                // What is not in the manifest does not change it.
                if self.sees(sight, Action::Read, &self::uri(&name, path), reached.place) {
                    files.push((path.to_owned(), *stamp));
                }
            });
            Some(Mark::of(files))
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

/// How a folder is listed.
fn folder_resource(path: &str, name: &str) -> Resource {
    Resource {
        uri: folder_uri(path),
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
