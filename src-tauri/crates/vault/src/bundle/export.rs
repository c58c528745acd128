//! Exporting: a choice of skills into one file, with what is known of them, or nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use skills::manifest::{Manifest, read_files};
use zip::result::ZipError;
use zip::write::{PreparedZipFile, SimpleFileOptions};
use zip::{CompressionMethod, DateTime, System, ZipWriter};

use super::error::BundleError;
use super::import::{Contents, Source, counted};
use super::judge::judged;
use super::listing::{LISTING, Listed, Listing, SaidApproval, SaidOrigin, VERSION};
use super::zipped::{Zipped, is_a_bomb};
use super::{MAX_ENTRIES, MAX_SKILLS, MAX_TOTAL};
use crate::activity::{Activity, ActivityKind};
use crate::disk;
use crate::error::VaultError;
use crate::placement::{Origin, Placement};
use crate::vault::Vault;

/// What was exported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exported {
    /// The names of the skills, in order.
    pub skills: Vec<String>,
    /// The file, by its real path.
    pub path: PathBuf,
    /// In bytes.
    pub size: u64,
}

/// A skill that will be written.
struct Chosen {
    folder: PathBuf,
    manifest: Manifest,
    executable: BTreeSet<String>,
    listed: Listed,
}

impl Vault {
    /// Exports the skills in these folders into a file, which is written beside itself, read back and
    /// put in place whole; one that is there gives way. The same skills make the same bytes. All of
    /// them are in it, or nothing is written. `scanned` are folders in which tools look for skills:
    /// no file is written into one.
    ///
    /// # Errors
    /// [`VaultError::Bundle`] when a skill cannot be read whole, or could not be imported from the
    /// bundle; when two have one name; when there are too many; or when the file cannot be there.
    /// Else when the disk or the ledger fails; then the file is as it was.
    pub fn export(
        &self,
        folders: &[PathBuf],
        to: &Path,
        scanned: &[PathBuf],
    ) -> Result<Exported, VaultError> {
        let chosen = self.chosen(folders)?;
        let to = self.place_for(to, &chosen, scanned)?;
        let around = to.parent().unwrap_or(Path::new("/"));
        let beside = around.join(format!(".skillhold-{}.part", uuid::Uuid::new_v4().simple()));
        let written = write(&chosen, &beside).and_then(|()| {
            check(&chosen, &beside)?;
            disk::rename(&beside, &to)
        });
        if let Err(error) = written {
            // What failed is told; the left-over holds nothing that is not elsewhere.
            let _ = disk::remove_own_file(&beside);
            return Err(error);
        }
        let size = to.metadata().map_err(VaultError::disk("read", &to))?.len();
        let skills: Vec<String> = chosen.keys().cloned().collect();
        let subject = match skills.as_slice() {
            [one] => one.clone(),
            several => counted(several.len()),
        };
        let text = format!("into {}", self.paths().display(&to));
        // The file is there: what fails now makes it no less so.
        let told = Activity::now(ActivityKind::Exported, &subject, text).write(&self.ledger());
        if let Err(error) = disk::sync_folder(around).and(told) {
            tracing::warn!(%error, "an export is not flushed or not in the activity");
        }
        Ok(Exported { skills, path: to, size })
    }

    /// Reads and judges every skill; tells of all that cannot be exported at once.
    fn chosen(&self, folders: &[PathBuf]) -> Result<BTreeMap<String, Chosen>, VaultError> {
        let mut chosen: BTreeMap<String, Chosen> = BTreeMap::new();
        let mut causes = Vec::new();
        let (mut total, mut entries) = (0_u64, 0);
        for folder in folders {
            let shown = self.paths().display(folder);
            let one = match self.choose(folder) {
                Ok(one) => one,
                Err(reason) => {
                    causes.push(format!("{shown}: {reason}"));
                    continue;
                }
            };
            match chosen.get(&one.listed.name) {
                Some(known) if known.folder == one.folder => {}
                Some(known) => causes.push(format!(
                    "{shown} and {} are both called {}",
                    self.paths().display(&known.folder),
                    one.listed.name
                )),
                None => {
                    total = total.saturating_add(one.manifest.total_size());
                    entries += one.manifest.files().len();
                    chosen.insert(one.listed.name.clone(), one);
                }
            }
        }
        if !causes.is_empty() {
            let message = "nothing was exported: not every skill can be".to_owned();
            return Err(BundleError { causes, ..BundleError::new(message) }.into());
        }
        if chosen.is_empty() {
            return Err(BundleError::new("no skill was chosen").into());
        }
        if chosen.len() > MAX_SKILLS || total > MAX_TOTAL || entries >= MAX_ENTRIES {
            let message = format!(
                "nothing was exported: {} with {entries} files and {total} bytes are more than one \
                 bundle holds ({MAX_SKILLS} skills, {MAX_ENTRIES} files, {MAX_TOTAL} bytes)",
                counted(chosen.len())
            );
            return Err(BundleError::new(message).with_hint("export fewer at once").into());
        }
        Ok(chosen)
    }

    fn choose(&self, folder: &Path) -> Result<Chosen, String> {
        let told = |error: &dyn std::error::Error| match error.source() {
            Some(source) => format!("{error}: {source}"),
            None => error.to_string(),
        };
        let folder = folder.canonicalize().map_err(|error| told(&error))?;
        let manifest = Manifest::read(&folder).map_err(|error| told(&error))?;
        manifest.within_limits().map_err(|error| told(&error))?;
        let files = read_files(&folder, &manifest).map_err(|error| told(&error))?;
        let executable: BTreeSet<String> = manifest
            .files()
            .iter()
            .map(|file| file.path.clone())
            .filter(|path| disk::is_executable(&folder.join(path)))
            .collect();
        let called = folder.file_name().map(|name| name.to_string_lossy().into_owned());
        let contents = Contents { files, executable };
        // What could not be imported is no use to anyone.
        let (name, manifest) = judged(&contents, &called.unwrap_or_default())?;
        let placement = self.placement(&folder).map_err(|error| told(&error))?;
        let said = placement.map(|placement| self.said_of(&placement)).transpose();
        let (origin, approval) = said.map_err(|error| told(&error))?.unwrap_or((None, None));
        let listed = Listed {
            name,
            fingerprint: manifest.fingerprint(),
            files: manifest.files().to_vec(),
            origin,
            approval,
        };
        Ok(Chosen { folder, manifest, executable: contents.executable, listed })
    }

    /// What the record says of a placed skill. Nothing of this machine's folders goes out.
    fn said_of(
        &self,
        placement: &Placement,
    ) -> Result<(Option<SaidOrigin>, Option<SaidApproval>), VaultError> {
        let Origin::Server { server, label, address, uri } = &placement.origin else {
            return Ok((Some(SaidOrigin::Folder), None));
        };
        let origin = SaidOrigin::Server {
            label: label.clone(),
            address: without_secrets(address),
            uri: uri.clone(),
        };
        let known = self.servers()?.into_iter().find(|known| known.id == *server);
        let approvals = known.map(|known| self.approvals_of(&known)).transpose()?;
        let approval = approvals
            .into_iter()
            .flatten()
            .find(|approval| approval.uri == *uri && approval.fingerprint == placement.source);
        let approval = approval.map(|approval| SaidApproval {
            fingerprint: approval.fingerprint,
            granted: approval.granted,
            at: approval.at,
            note: approval.note,
            findings: approval.findings,
        });
        Ok((Some(origin), approval))
    }

    /// The real path of the file that is to be written.
    fn place_for(
        &self,
        to: &Path,
        chosen: &BTreeMap<String, Chosen>,
        scanned: &[PathBuf],
    ) -> Result<PathBuf, VaultError> {
        let refused = |why: String| {
            let message = format!("{} cannot be written: {why}", self.paths().display(to));
            Err(BundleError::new(message).with_hint("choose another folder or name").into())
        };
        let (Some(around), Some(name)) = (to.parent(), to.file_name()) else {
            return refused("it is no file".to_owned());
        };
        let around = match around.canonicalize() {
            Ok(around) => around,
            Err(error) => return refused(format!("its folder cannot be found: {error}")),
        };
        let to = around.join(name);
        if around.starts_with(self.data()) {
            return refused("Skillhold keeps its own data there".to_owned());
        }
        if let Some(one) = chosen.values().find(|one| around.starts_with(&one.folder)) {
            return refused(format!("it would lie in the skill {}", one.listed.name));
        }
        let real = |path: &PathBuf| path.canonicalize().unwrap_or_else(|_| path.clone());
        if scanned.iter().any(|root| around.starts_with(real(root))) {
            return refused("a tool looks for skills there".to_owned());
        }
        match to.symlink_metadata() {
            Ok(there) if !there.is_file() => refused("there is something else".to_owned()),
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                refused(format!("cannot tell what is there: {error}"))
            }
            _ => Ok(to),
        }
    }
}

/// An address without what may be a secret in it: its query and who is signed in, or the arguments
/// of a program.
fn without_secrets(identity: &str) -> String {
    if let Ok(words) = serde_json::from_str::<Vec<String>>(identity) {
        let program = words.into_iter().next().unwrap_or_default();
        return program.rsplit(['/', '\\']).next().unwrap_or_default().to_owned();
    }
    let plain = identity.split(['?', '#']).next().unwrap_or_default();
    match plain.split_once("://") {
        Some((scheme, rest)) => {
            let (host, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
            let host = host.rsplit('@').next().unwrap_or_default();
            format!("{scheme}://{host}{path}")
        }
        None => plain.to_owned(),
    }
}

/// Writes a bundle into a new file, and flushes it. The same skills make the same bytes.
fn write(chosen: &BTreeMap<String, Chosen>, path: &Path) -> Result<(), VaultError> {
    let listing = Listing {
        version: VERSION,
        skills: chosen.values().map(|one| one.listed.clone()).collect(),
    };
    let file = disk::create_plain(path).map_err(VaultError::disk("write", path))?;
    let mut writer = ZipWriter::new(file);
    let failed = |error: ZipError| VaultError::disk("write", path)(std::io::Error::other(error));
    let listing = serde_json::to_vec_pretty(&listing)?;
    let part = packed(LISTING, &listing, false).map_err(failed)?;
    writer.add_prepared_file(part).map_err(failed)?;
    for (name, one) in chosen {
        // Read once more instead of held: a library may be large. What changed since is an error.
        for (file, bytes) in read_files(&one.folder, &one.manifest)? {
            let executable = one.executable.contains(&file);
            let part = packed(&format!("{name}/{file}"), &bytes, executable).map_err(failed)?;
            writer.add_prepared_file(part).map_err(failed)?;
        }
    }
    let file = writer.finish().map_err(failed)?;
    file.sync_all().map_err(VaultError::disk("write", path))
}

/// A file as it goes into a bundle.
fn packed(name: &str, bytes: &[u8], executable: bool) -> Result<PreparedZipFile, ZipError> {
    let options = SimpleFileOptions::default()
        .last_modified_time(DateTime::default())
        .system(System::Unix)
        .unix_permissions(if executable { 0o755 } else { 0o644 });
    let deflated = options.compression_method(CompressionMethod::Deflated);
    let part = PreparedZipFile::from_data(name, deflated, bytes)?;
    if !is_a_bomb(part.uncompressed_size(), part.compressed_size()) {
        return Ok(part);
    }
    // Whoever reads it would take it for one.
    let stored = options.compression_method(CompressionMethod::Stored);
    PreparedZipFile::from_data(name, stored, bytes)
}

/// Reads a bundle that was just written as it would be imported.
fn check(chosen: &BTreeMap<String, Chosen>, path: &Path) -> Result<(), VaultError> {
    let differs = || VaultError::ReadBack(path.to_owned());
    let mut written = Zipped::open(path, "").map_err(|why| {
        BundleError::new(format!(
            "{} does not read back as it was written: it {why}",
            path.display()
        ))
    })?;
    if written.candidates().len() != chosen.len() {
        return Err(differs());
    }
    for number in 0..written.candidates().len() {
        let candidate = written.candidates()[number].clone();
        let known = chosen.get(&candidate.at).ok_or_else(differs)?;
        let contents = written.read(number).map_err(|_| differs())?;
        let (_, manifest) = judged(&contents, &candidate.folder).map_err(|_| differs())?;
        let same: bool = candidate.refused.is_none()
            && manifest.fingerprint() == known.listed.fingerprint
            && contents.executable == known.executable;
        if !same {
            return Err(differs());
        }
    }
    Ok(())
}

#[cfg(test)]
mod secrets {
    use super::*;

    #[test]
    fn nothing_secret_of_an_address_goes_out() {
        let shown = without_secrets;
        assert_eq!(shown("https://me:pw@example.org/mcp?key=1#x"), "https://example.org/mcp");
        assert_eq!(shown("https://example.org"), "https://example.org");
        assert_eq!(shown(r#"["/home/me/bin/serve","--token","s3cret"]"#), "serve");
        assert_eq!(shown("samples"), "samples");
    }
}
