//! What would be written: the bytes, checked, with what was not granted left out, and what stands
//! against writing them anywhere.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use skills::blobs::Blobs;
use skills::digest::Digest;
use skills::entry::{Entry, EntryFile};
use skills::frontmatter::{FrontMatter, REQUEST_FIELDS, same_as, without};
use skills::manifest::{Manifest, ManifestFile, read_files};
use skills::path::{check_portable, collision};
use skills::{MAIN_FILE, is_nested_main, is_plugin_manifest, reads_as_main_file};

use crate::approval::{Approval, Standing};
use crate::disk;
use crate::error::VaultError;
use crate::placement::Origin;
use crate::plan::{EditedFile, LeftOut, Source};
use crate::servers::SavedServer;
use crate::vault::Vault;

/// A source made ready to be written.
#[derive(Debug)]
pub(crate) struct Prepared {
    /// The skill's own name: the last segment of its URI, or its folder's.
    pub(crate) name: String,
    /// What its front matter says.
    pub(crate) declared_name: Option<String>,
    /// As it will be written.
    pub(crate) files: Manifest,
    /// The bytes of those files; incomplete when there are blockers.
    pub(crate) contents: BTreeMap<String, Vec<u8>>,
    /// Paths of files with an executable bit.
    pub(crate) executable: BTreeSet<String>,
    pub(crate) left_out: Option<LeftOut>,
    /// Where it comes from.
    pub(crate) origin: Origin,
    /// Real path of a local source.
    pub(crate) place: Option<PathBuf>,
    /// It must not go where a tool looks.
    pub(crate) secluded: bool,
    /// The copies that links to it lead to, by the folder's name, as far as they were looked for.
    pub(crate) canonicals: RefCell<BTreeMap<String, PathBuf>>,
    /// Why it must not be written, a sentence each.
    pub(crate) blockers: Vec<String>,
}

/// The verified bytes of a skill, by path.
#[derive(Debug, Default)]
pub(crate) struct Kept {
    pub(crate) contents: BTreeMap<String, Vec<u8>>,
    /// Paths of files that are not here.
    pub(crate) missing: Vec<String>,
}

/// What the approvals of a skill and of those inside it say.
#[derive(Debug, Default)]
pub(crate) struct Approvals {
    /// Why it must not be installed.
    pub(crate) blockers: Vec<String>,
    /// The skill itself is approved exactly as in the entry.
    approved: bool,
    /// Paths of the `SKILL.md` files whose requests were granted.
    granted: BTreeSet<String>,
}

impl Vault {
    /// Collects and checks what a source would write.
    pub(crate) fn prepare(&self, source: &Source) -> Result<Prepared, VaultError> {
        match source {
            Source::Approved { server, entry, executable } => {
                self.prepare_approved(server, entry, executable)
            }
            Source::Local { path, manifest } => Ok(prepare_local(path, manifest, self.data())),
            Source::Unapproved { origin, name, files, contents } => {
                Ok(prepare_unapproved(origin, name, files, contents))
            }
        }
    }

    fn prepare_approved(
        &self,
        server: &SavedServer,
        entry: &Entry,
        executable: &BTreeSet<String>,
    ) -> Result<Prepared, VaultError> {
        let Approvals { mut blockers, approved, granted } = self.approvals(server, entry)?;
        blockers.extend(path_problems(entry.manifest()));
        let unknown = executable.iter().find(|path| entry.manifest().get(path).is_none());
        blockers.extend(unknown.map(|path| format!("{path} is no file of {}", entry.name())));
        let plugin = entry.files().iter().find(|file| is_plugin_manifest(&file.path));
        if let Some(file) = plugin.filter(|_| !granted.contains(MAIN_FILE)) {
            blockers.push(format!(
                "{} makes tools load the skill as a plugin, with hooks and servers of its own, which \
                 was not granted; approve it again with the grant to install it",
                file.path
            ));
        }
        let Kept { contents, missing } = self.kept_bytes(server, entry)?;
        if approved && !missing.is_empty() {
            blockers.push(format!(
                "the approved bytes of {} are no longer here: review it again",
                missing.join(", ")
            ));
        }
        let declared = entry.front_matter().zip(contents.get(MAIN_FILE));
        if approved && declared.is_some_and(|(declared, main)| same_as(main, declared).is_err()) {
            blockers.push(format!(
                "{} declares another front matter than the approved one: review it again",
                server.label
            ));
        }
        let mut prepared = Prepared {
            name: entry.uri().name().to_owned(),
            declared_name: contents.get(MAIN_FILE).and_then(|bytes| declared_name(bytes)),
            files: entry.manifest().clone(),
            contents,
            executable: executable.clone(),
            left_out: None,
            origin: Origin::Server {
                server: server.id.clone(),
                label: server.label.clone(),
                address: server.endpoint.identity(),
                uri: entry.uri().as_str().to_owned(),
            },
            place: None,
            secluded: false,
            canonicals: RefCell::default(),
            blockers,
        };
        if prepared.blockers.is_empty() {
            leave_out(&mut prepared, &granted);
        }
        Ok(prepared)
    }

    /// The bytes of a skill that this server gave and that are still here as they were verified.
    pub(crate) fn kept_bytes(
        &self,
        server: &SavedServer,
        entry: &Entry,
    ) -> Result<Kept, VaultError> {
        let mut kept = Kept::default();
        for file in entry.files() {
            let bytes =
                self.blobs().get(&server.id, &file.digest).map_err(|error| VaultError::Disk {
                    doing: "read the store of verified files for",
                    path: PathBuf::from(&file.path),
                    source: error.source,
                })?;
            match bytes.filter(|bytes| bytes.len() as u64 == file.size) {
                Some(bytes) => {
                    kept.contents.insert(file.path.clone(), bytes);
                }
                None => kept.missing.push(file.path.clone()),
            }
        }
        Ok(kept)
    }

    /// Asks the record alone: is this skill approved exactly as in this entry, and is every skill
    /// inside it approved by itself?
    pub(crate) fn approvals(
        &self,
        server: &SavedServer,
        entry: &Entry,
    ) -> Result<Approvals, VaultError> {
        let mut found = Approvals::default();
        if let Err(error) = self.check_current(server) {
            found.blockers.push(error.to_string());
            return Ok(found);
        }
        found.blockers.extend(self.barred(server)?);
        let (name, label) = (entry.name(), &server.label);
        match self.standing(server, entry)? {
            Standing::Approved(approval) => {
                found.approved = true;
                if approval.granted {
                    found.granted.insert(MAIN_FILE.to_owned());
                }
            }
            Standing::Unreviewed => {
                found.blockers.push(format!("{name} from {label} is not approved"))
            }
            Standing::Changed { .. } => {
                found.blockers.push(format!(
                    "{name} changed on {label} after it was approved: review it again"
                ));
            }
            Standing::Rejected { .. } => {
                found.blockers.push(format!("{name} from {label} was rejected"))
            }
        }
        for main in entry.files().iter().filter(|file| is_nested_main(&file.path)) {
            match self.nested_approval(server, entry, main)? {
                None => found.blockers.push(format!(
                    "the skill inside it, {}, is not approved by itself as it is here",
                    main.uri
                )),
                Some(approval) if approval.granted => {
                    found.granted.insert(main.path.clone());
                }
                Some(_) => {}
            }
        }
        Ok(found)
    }

    /// The approval of a nested skill under its own URI, if its files are those of the outer entry.
    fn nested_approval(
        &self,
        server: &SavedServer,
        outer: &Entry,
        main: &EntryFile,
    ) -> Result<Option<Approval>, VaultError> {
        let folder = &main.path[..main.path.len() - MAIN_FILE.len()];
        let here: Vec<(&str, u64, Digest)> = outer
            .files()
            .iter()
            .filter_map(|file| Some((file.path.strip_prefix(folder)?, file.size, file.digest)))
            .collect();
        // The server's own spelling of the URI, then the encoded one.
        for uri in [main.uri.clone(), outer.uri().file_uri(&main.path)] {
            let approval = self.held_approval(server, &uri)?.filter(|approval| {
                let approved =
                    approval.files.iter().map(|file| (file.path.as_str(), file.size, file.digest));
                approved.eq(here.iter().copied())
            });
            if approval.is_some() {
                return Ok(approval);
            }
        }
        Ok(None)
    }
}

fn prepare_local(path: &Path, manifest: &Manifest, data: &Path) -> Prepared {
    let mut prepared = Prepared {
        name: path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default(),
        declared_name: None,
        files: manifest.clone(),
        contents: BTreeMap::new(),
        executable: BTreeSet::new(),
        left_out: None,
        origin: Origin::Folder { path: path.to_owned() },
        place: None,
        secluded: false,
        canonicals: RefCell::default(),
        blockers: path_problems(manifest),
    };
    let place = match path.canonicalize() {
        Ok(place) => place,
        Err(error) => {
            prepared.blockers.push(format!("cannot resolve {}: {error}", path.display()));
            return prepared;
        }
    };
    // The whole folder is looked at again: a file that was added since belongs to the skill too.
    match Manifest::read(&place) {
        Ok(now) if now == *manifest => {}
        Ok(_) => prepared.blockers.push(format!("{} changed since it was listed", path.display())),
        Err(error) => prepared.blockers.push(error.to_string()),
    }
    if prepared.blockers.is_empty() {
        match read_files(&place, manifest) {
            Ok(contents) => prepared.contents = contents,
            Err(error) => prepared.blockers.push(error.to_string()),
        }
    }
    prepared.declared_name =
        prepared.contents.get(MAIN_FILE).and_then(|bytes| declared_name(bytes));
    prepared.executable = executable_in(&place, manifest);
    // What a link of ours leads to is known by the link: the copy behind it is nobody's folder.
    if !place.starts_with(data) {
        prepared.origin = Origin::Folder { path: place.clone() };
    }
    prepared.place = Some(place);
    prepared
}

/// Paths of the files of a skill in this folder that have an executable bit.
pub(crate) fn executable_in(folder: &Path, files: &Manifest) -> BTreeSet<String> {
    files
        .files()
        .iter()
        .filter(|file| disk::is_executable(&folder.join(&file.path)))
        .map(|file| file.path.clone())
        .collect()
}

fn prepare_unapproved(
    origin: &Origin,
    name: &str,
    files: &Manifest,
    contents: &BTreeMap<String, Vec<u8>>,
) -> Prepared {
    let mut blockers = path_problems(files);
    let given = Manifest::new(contents.iter().map(|(path, bytes)| file_of(path, bytes)).collect());
    if !given.is_ok_and(|given| given == *files) {
        blockers.push("the bytes are not those of the plan".to_owned());
    }
    if let Err(error) = files.within_limits() {
        blockers.push(error.to_string());
    }
    Prepared {
        name: name.to_owned(),
        declared_name: contents.get(MAIN_FILE).and_then(|bytes| declared_name(bytes)),
        files: files.clone(),
        contents: contents.clone(),
        executable: BTreeSet::new(),
        left_out: None,
        origin: origin.clone(),
        place: None,
        secluded: true,
        canonicals: RefCell::default(),
        blockers,
    }
}

fn file_of(path: &str, bytes: &[u8]) -> ManifestFile {
    ManifestFile { path: path.to_owned(), size: bytes.len() as u64, digest: Digest::of(bytes) }
}

pub(crate) fn declared_name(skill_md: &[u8]) -> Option<String> {
    FrontMatter::read(skill_md).fields().get("name")?.as_str().map(str::to_owned)
}

fn path_problems(manifest: &Manifest) -> Vec<String> {
    let paths = || manifest.files().iter().map(|file| file.path.as_str());
    let mut problems: Vec<String> = paths()
        .filter_map(|path| check_portable(path).err())
        .map(|problem| problem.to_string())
        .collect();
    if let Some((one, other)) = collision(paths()) {
        problems.push(format!("{one} and {other} are one file on many disks"));
    }
    problems
}

/// Takes the requests that were not granted out of every `SKILL.md`.
fn leave_out(prepared: &mut Prepared, granted: &BTreeSet<String>) {
    let served = prepared.files.fingerprint();
    let mut edited = Vec::new();
    for (path, bytes) in &mut prepared.contents {
        // A tool or a disk that ignores case reads `skill.md` too.
        if !reads_as_main_file(path) || granted.contains(path) {
            continue;
        }
        match without(bytes, REQUEST_FIELDS) {
            Ok(left) if left.removed.is_empty() => {}
            Ok(left) => {
                let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
                edited.push(EditedFile {
                    path: path.clone(),
                    fields: left.removed,
                    before: text(bytes),
                    after: text(&left.bytes),
                });
                *bytes = left.bytes;
            }
            Err(error) => prepared.blockers.push(format!(
                "{path} asks for something that was not granted and that cannot be left out: {error}; \
                 approve it again with the grant to install it as it is"
            )),
        }
    }
    if edited.is_empty() {
        return;
    }
    edited.sort_by_key(|file| file.path != MAIN_FILE);
    let files = prepared.contents.iter().map(|(path, bytes)| file_of(path, bytes));
    match Manifest::new(files.collect()) {
        Ok(files) => prepared.files = files,
        Err(error) => prepared.blockers.push(error.to_string()),
    }
    prepared.left_out =
        Some(LeftOut { files: edited, served, installed: prepared.files.fingerprint() });
}
