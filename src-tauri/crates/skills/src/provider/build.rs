//! An entry, built from one consistent look at a skill's folder.

use std::collections::HashMap;
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

/// What was hashed in this listing, so that a skill inside of another is not hashed twice.
pub(super) type Memo = HashMap<Stamp, Digest>;

/// What was built of a skill at one moment.
#[derive(Debug)]
pub(super) struct Built {
    pub(super) place: usize,
    tree: Arc<Tree>,
    /// Before the first file was opened.
    at: SystemTime,
    /// Every file; `None` where no entry can hold them.
    pub(super) manifest: Option<Manifest>,
    /// The entry, or the rule that the skill breaks.
    pub(super) entry: Result<Arc<Entry>, String>,
}

impl Built {
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
    let refused = |tree, at, reason| Built { place, tree, at, manifest: None, entry: Err(reason) };
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
        let after = Tree::look(&folder);
        match (hashed, after) {
            (Ok(hashed), Ok(after)) if after == *tree => {
                let (manifest, entry) = hashed.entry(name);
                return Built { place, tree, at, manifest, entry };
            }
            (_, Ok(after)) => (tree, at) = (Arc::new(after), now),
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
            let digest = match memo.get(stamp) {
                Some(digest) if !is_main => *digest,
                _ => {
                    let (mut file, opened) = folder.file(name.as_ref())?;
                    if opened != *stamp {
                        return Err(io::Error::other("it changed"));
                    }
                    if is_main {
                        self.main = Vec::new();
                        file.take(MAX_BYTES + 1).read_to_end(&mut self.main)?;
                        Digest::of(&self.main)
                    } else {
                        Digest::of_reader(&mut file)?.0
                    }
                }
            };
            memo.insert(*stamp, digest);
            self.files.push(ManifestFile { path, size: stamp.size(), digest });
        }
        for (name, inner) in &tree.folders {
            self.add(&folder.folder(name.as_ref())?, inner, &format!("{prefix}{name}/"), memo)?;
        }
        Ok(())
    }

    fn entry(self, name: &str) -> (Option<Manifest>, Result<Arc<Entry>, String>) {
        let manifest = match Manifest::new(self.files) {
            Ok(manifest) => manifest,
            Err(error) => return (None, Err(error.to_string())),
        };
        let folder_name = name.rsplit('/').next().unwrap_or(name);
        let entry = publishable(&self.main, folder_name).and_then(|fields| {
            let uri = SkillUri::for_path(name).map_err(|error| error.to_string())?;
            let file = |file: &ManifestFile| EntryFile {
                path: file.path.clone(),
                uri: uri.file_uri(&file.path),
                size: file.size,
                digest: file.digest,
            };
            let files = manifest.files().iter().map(file).collect();
            Entry::new(uri, Some(fields), None, files).map_err(|error| error.to_string())
        });
        (Some(manifest), entry.map(Arc::new))
    }
}

/// The regular files of a look, hashed; links and special files are none.
///
/// # Errors
/// When one cannot be read.
pub(super) fn plain_files(folder: &Folder, tree: &Tree) -> io::Result<Vec<ManifestFile>> {
    Ok(Hashed::of(folder, tree, &mut Memo::new())?.files)
}
