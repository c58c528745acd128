//! Where imported files are kept: one folder an import, called after its content, with the skills and
//! what is known of them besides. Nothing in it is ever changed; it comes whole and goes whole.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use skills::digest::Fingerprint;
use skills::manifest::Manifest;
use skills::origin::Endpoint;
use skills::provider::{DirectoryProvider, Mode, Options, Provider};
use skills::uri::SkillUri;

use super::import::{LeftOut, Staged, content_of};
use super::listing::Said;
use crate::disk;
use crate::error::VaultError;
use crate::own::leads_inside;
use crate::placement::read_plain;
use crate::vault::{ChangeLock, Vault};

/// In the data folder.
const IMPORTED: &str = "imported";

/// The folder of the skills in that of an import, and the file beside it.
const SKILLS: &str = "skills";
const INFO: &str = "import.json";

/// How the name of a folder begins that is not in place yet.
const STAGING: &str = ".staging-";

/// The most bytes of [`INFO`].
const MAX_INFO: u64 = 64 * 1024 * 1024;

/// What is known of imported skills besides their files.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Info {
    /// By name.
    pub(super) skills: BTreeMap<String, Said>,
}

/// Files that are not in place yet; gone when it is dropped.
#[derive(Debug)]
pub(super) struct Staging {
    imported: PathBuf,
    folder: PathBuf,
}

impl Staging {
    /// A new folder that only this person can enter.
    pub(super) fn begin(data: &Path) -> Result<Self, VaultError> {
        let imported = data.join(IMPORTED);
        if !leads_inside(data, &imported) {
            let error = std::io::ErrorKind::NotADirectory.into();
            return Err(VaultError::disk("import into", &imported)(error));
        }
        let folder = imported.join(format!("{STAGING}{}", uuid::Uuid::new_v4().simple()));
        disk::make_private(&folder.join(SKILLS))?;
        Ok(Self { imported, folder })
    }

    fn skill(&self, name: &str) -> PathBuf {
        self.folder.join(SKILLS).join(name)
    }

    /// Writes the files of a skill and reads them back.
    pub(super) fn add(
        &mut self,
        name: &str,
        manifest: &Manifest,
        contents: &BTreeMap<String, Vec<u8>>,
    ) -> Result<(), VaultError> {
        let folder = self.skill(name);
        disk::make_folder(&folder)?;
        for file in manifest.files() {
            let mut at = folder.clone();
            at.extend(file.path.split('/'));
            let missing = at.parent().map(disk::missing).unwrap_or_default();
            for folder in missing {
                disk::make_folder(&folder)?;
            }
            let bytes = contents.get(&file.path).map(Vec::as_slice).unwrap_or_default();
            disk::write_unflushed(&at, bytes, false).map_err(VaultError::disk("write", &at))?;
        }
        if read_plain(&folder)? == *manifest { Ok(()) } else { Err(VaultError::ReadBack(folder)) }
    }

    /// Takes a skill out again.
    pub(super) fn remove(&mut self, name: &str) -> Result<(), VaultError> {
        disk::remove_own(&self.skill(name))
    }

    /// Takes out what would not be served as it was imported.
    pub(super) fn drop_unserved(&mut self, staged: &mut Staged) -> Result<(), VaultError> {
        let options = Options { mode: Mode::Strict, ..Options::default() };
        let provider = DirectoryProvider::new(vec![self.folder.join(SKILLS)], options);
        let is_served = |name: &str, manifest: &Manifest| {
            let uri = SkillUri::for_path(name).ok();
            let entry = uri.and_then(|uri| provider.entry(uri.as_str()));
            entry.is_some_and(|entry| entry.fingerprint() == manifest.fingerprint())
        };
        let unserved: Vec<String> = staged
            .skills
            .iter()
            .filter(|(name, manifest)| !is_served(name, manifest))
            .map(|(name, _)| name.clone())
            .collect();
        for name in unserved {
            self.remove(&name)?;
            staged.skills.remove(&name);
            staged.said.remove(&name);
            let reason = "it cannot be served by the rules of the skills extension".to_owned();
            staged.left_out.push(LeftOut { name, reason });
        }
        Ok(())
    }

    /// Flushes everything and puts it in place. What is there already and whole stays; anything else
    /// there is damaged, and gives way.
    pub(super) fn put_in_place(
        self,
        content: &Fingerprint,
        skills: &BTreeMap<String, Manifest>,
        info: &Info,
    ) -> Result<(), VaultError> {
        let place = self.imported.join(content.to_string());
        if content_at(&place).is_ok_and(|there| there == *content) {
            return Ok(());
        }
        disk::write_new(&self.folder.join(INFO), &serde_json::to_vec(info)?, false)?;
        for (name, manifest) in skills {
            let skill = self.skill(name);
            let mut folders = BTreeSet::from([skill.clone()]);
            for file in manifest.files() {
                let mut at = skill.clone();
                at.extend(file.path.split('/'));
                disk::flush(&at)?;
                let around = at.ancestors().skip(1).take_while(|it| **it != *skill);
                folders.extend(around.map(Path::to_owned));
            }
            folders.iter().try_for_each(|folder| disk::sync_folder(folder))?;
        }
        disk::sync_folder(&self.folder.join(SKILLS))?;
        disk::sync_folder(&self.folder)?;
        disk::remove_own(&place)?;
        disk::rename(&self.folder, &place)?;
        disk::sync_folder(&self.imported)
    }
}

impl Drop for Staging {
    fn drop(&mut self) {
        if let Err(error) = disk::remove_own(&self.folder) {
            tracing::warn!(%error, "files of an import that did not happen are left");
        }
        // An import that failed leaves nothing, not even this; where others are, it stays.
        disk::remove_empty(&self.imported);
    }
}

/// What an import at this place holds.
fn content_at(place: &Path) -> Result<Fingerprint, String> {
    let folder = place.join(SKILLS);
    let listed = std::fs::read_dir(&folder).and_then(Iterator::collect::<Result<Vec<_>, _>>);
    let mut skills = BTreeMap::new();
    for child in listed.map_err(|error| format!("cannot list {}: {error}", folder.display()))? {
        let path = child.path();
        let name = child.file_name().into_string();
        let name = name.map_err(|_| format!("{} has no name of a skill", path.display()))?;
        skills.insert(name, read_plain(&path).map_err(|error| error.to_string())?);
    }
    Ok(content_of(&skills))
}

impl Vault {
    /// The folder with the skills of an import, each in a folder of its name, after every file was
    /// read: they are those that were imported.
    ///
    /// # Errors
    /// Why there is none.
    pub fn imported_skills(&self, content: &Fingerprint) -> Result<PathBuf, String> {
        let place = self.imported(content);
        if !place.is_dir() {
            return Err("the imported files are no longer there".to_owned());
        }
        if content_at(&place)? == *content {
            Ok(place.join(SKILLS))
        } else {
            Err("the imported files were changed since".to_owned())
        }
    }

    /// What is known of an imported skill besides its files; `None` where nothing is.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn said(&self, content: &Fingerprint, name: &str) -> Result<Option<Said>, VaultError> {
        let path = self.imported(content).join(INFO);
        let bytes = disk::read(&path, MAX_INFO).map_err(VaultError::disk("read", &path))?;
        let Some(bytes) = bytes else { return Ok(None) };
        let mut info: Info = serde_json::from_slice(&bytes)?;
        Ok(info.skills.remove(name))
    }

    fn imported(&self, content: &Fingerprint) -> PathBuf {
        self.data().join(IMPORTED).join(content.to_string())
    }

    /// Removes the files of an import unless a server has them.
    pub(crate) fn forget_imported(&self, content: &Fingerprint) -> Result<(), VaultError> {
        let known = self.server_rows()?;
        let has = |endpoint: &Endpoint| matches!(endpoint, Endpoint::Imported { content: known, .. } if known == content);
        // A row that cannot be read may be the one.
        if known.left_out > 0 || known.read.iter().any(|server| has(&server.endpoint)) {
            return Ok(());
        }
        let place = self.imported(content);
        if leads_inside(self.data(), &place) {
            disk::remove_own(&place)?;
            disk::remove_empty(&self.data().join(IMPORTED));
        }
        Ok(())
    }

    /// Removes what an import that was interrupted had staged.
    pub(crate) fn forget_staged(&self, _: &ChangeLock) -> Result<(), VaultError> {
        let imported = self.data().join(IMPORTED);
        if !leads_inside(self.data(), &imported) {
            return Ok(());
        }
        for child in std::fs::read_dir(&imported).into_iter().flatten().flatten() {
            if child.file_name().to_string_lossy().starts_with(STAGING) {
                disk::remove_own(&child.path())?;
            }
        }
        Ok(())
    }
}
