//! An entry, built from one consistent look at a skill's folder.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Read as _};
use std::sync::Arc;
use std::time::SystemTime;

use super::tree::Tree;
use crate::MAIN_FILE;
use crate::check::publishable;
use crate::digest::Digest;
use crate::entry::{Entry, EntryFile};
use crate::handle::Folder;
use crate::manifest::{MAX_BYTES, MAX_FILES, Manifest, ManifestError, ManifestFile};
use crate::stamp::{self, Stamp};
use crate::uri::SkillUri;

/// How often files may change under the look before the skill is left out.
const ATTEMPTS: usize = 3;

/// What tells the time; another in tests, since times of change cannot be set back.
pub(super) type Clock = fn() -> SystemTime;

/// What the skills of one listing share.
#[derive(Default)]
pub(super) struct Memo {
    /// What was hashed, so that a skill inside of another is not hashed twice; `None` where there
    /// is but one skill.
    digests: Option<HashMap<Stamp, Digest>>,
    /// Where files are read into.
    room: Vec<u8>,
}

impl Memo {
    /// For skills of which one may lie inside of another.
    pub(super) fn of_many() -> Self {
        Self { digests: Some(HashMap::new()), room: Vec::new() }
    }
}

/// What was built of a skill at one moment.
#[derive(Debug)]
pub(super) struct Built {
    pub(super) place: usize,
    tree: Arc<Tree>,
    /// Before the first file was opened.
    at: SystemTime,
    /// The entry, or the rule that the skill breaks and every file as far as a manifest holds them.
    result: Result<Arc<Entry>, (String, Option<Manifest>)>,
}

impl Built {
    /// The entry.
    ///
    /// # Errors
    /// The rule that the skill breaks.
    pub(super) fn entry(&self) -> Result<Arc<Entry>, String> {
        match &self.result {
            Ok(entry) => Ok(Arc::clone(entry)),
            Err((reason, _)) => Err(reason.clone()),
        }
    }

    /// Every file; `None` where no entry can hold them.
    pub(super) fn manifest(&self) -> Option<&Manifest> {
        match &self.result {
            Ok(entry) => Some(entry.manifest()),
            Err((_, manifest)) => manifest.as_ref(),
        }
    }

    /// Whether building again would give the same: nothing was written since, and nothing could
    /// have been within the grain of the clock.
    pub(super) fn stands_for(&self, place: usize, tree: &Tree) -> bool {
        self.place == place && *self.tree == *tree && !stamp::is_fresh(tree.newest, self.at)
    }
}

/// Builds the entry of the skill at `name`, whose folder looked like `tree`.
pub(super) fn build(
    place: usize,
    name: &str,
    folder: io::Result<Folder>,
    mut tree: Arc<Tree>,
    memo: &mut Memo,
    clock: Clock,
) -> Built {
    let mut at = clock();
    let refused = |tree, at, reason| Built { place, tree, at, result: Err((reason, None)) };
    let folder = match folder {
        Ok(folder) => folder,
        Err(error) => return refused(tree, at, format!("it cannot be read: {error}")),
    };
    for _ in 0..ATTEMPTS {
        if let Some(reason) = against(&tree) {
            return refused(tree, at, reason);
        }
        let hashed = Hashed::of(&folder, &tree, memo);
        let now = clock();
        let after = match &hashed {
            Ok(_) if tree.still_stands(&folder, at) => Ok(Arc::clone(&tree)),
            _ => Tree::look(&folder).map(Arc::new),
        };
        match (hashed, after) {
            (Ok(hashed), Ok(after)) if after == tree => {
                return Built { place, tree, at, result: hashed.entry(name) };
            }
            (_, Ok(after)) => (tree, at) = (after, now),
            (_, Err(error)) => return refused(tree, at, format!("it cannot be read: {error}")),
        }
    }
    refused(tree, at, "its files change while they are read".to_owned())
}

/// What stands against an entry, seen without opening a file.
fn against(tree: &Tree) -> Option<String> {
    if let Some(reason) = tree.flaw() {
        return Some(reason);
    }
    if tree.count > MAX_FILES {
        return Some(ManifestError::TooManyFiles(tree.count).to_string());
    }
    (tree.bytes > MAX_BYTES).then(|| ManifestError::TooManyBytes(tree.bytes).to_string())
}

/// Every file of a look, hashed.
#[derive(Default)]
struct Hashed {
    files: Vec<ManifestFile>,
    main: Vec<u8>,
}

impl Hashed {
    /// Opens each file once, and only if it is the one that was looked at.
    fn of(folder: &Folder, tree: &Tree, memo: &mut Memo) -> io::Result<Self> {
        let mut hashed = Self::default();
        hashed.add(folder, tree, "", memo)?;
        hashed.files.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(hashed)
    }

    fn add(
        &mut self,
        folder: &Folder,
        tree: &Tree,
        prefix: &str,
        memo: &mut Memo,
    ) -> io::Result<()> {
        for (name, stamp) in &tree.files {
            let path = format!("{prefix}{name}");
            let is_main = path == MAIN_FILE;
            let digest = match memo.digests.as_ref().and_then(|digests| digests.get(stamp)) {
                Some(digest) if !is_main => *digest,
                _ => {
                    let (file, opened) = folder.file(name.as_ref())?;
                    if opened != *stamp {
                        return Err(io::Error::other("it changed"));
                    }
                    let digest = if is_main && stamp.size() <= MAX_BYTES {
                        self.main = all_of(file, stamp.size())?;
                        Digest::of(&self.main)
                    } else {
                        Digest::of_file(file, stamp.size(), &mut memo.room)?.0
                    };
                    if let Some(digests) = &mut memo.digests {
                        digests.insert(*stamp, digest);
                    }
                    digest
                }
            };
            self.files.push(ManifestFile { path, size: stamp.size(), digest });
        }
        for (name, inner) in &tree.folders {
            self.add(&folder.folder(name.as_ref())?, inner, &format!("{prefix}{name}/"), memo)?;
        }
        Ok(())
    }

    fn entry(self, name: &str) -> Result<Arc<Entry>, (String, Option<Manifest>)> {
        let folder_name = name.rsplit('/').next().unwrap_or(name);
        let uri = || SkillUri::for_path(name).map_err(|error| error.to_string());
        let fields = publishable(&self.main, folder_name);
        let (fields, uri) = match fields.and_then(|fields| Ok((fields, uri()?))) {
            Ok(found) => found,
            Err(reason) => {
                return match Manifest::new(self.files) {
                    Ok(manifest) => Err((reason, Some(manifest))),
                    Err(error) => Err((error.to_string(), None)),
                };
            }
        };
        let file = |file: ManifestFile| EntryFile {
            uri: uri.file_uri(&file.path),
            path: file.path,
            size: file.size,
            digest: file.digest,
        };
        let files = self.files.into_iter().map(file).collect();
        let entry = Entry::new(uri.clone(), Some(fields), None, files);
        entry.map(Arc::new).map_err(|error| (error.to_string(), None))
    }
}

/// The bytes of a file that has so many; what is written after them shows when it is looked at again.
fn all_of(mut file: File, size: u64) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; usize::try_from(size).map_err(io::Error::other)?];
    file.read_exact(&mut bytes)?;
    Ok(bytes)
}
