//! Importing: from a candidate to a skill of a server of its own.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use skills::digest::Fingerprint;
use skills::manifest::Manifest;
use skills::origin::{Endpoint, ImportedFrom};
use skills::path::collision;

use super::MAX_TOTAL;
use super::error::BundleError;
use super::folder::Searched;
use super::judge::judged;
use super::kept::{Info, Staging};
use super::layout::Candidate;
use super::listing::{Listing, Said};
use super::zipped::Zipped;
use crate::activity::ActivityKind;
use crate::error::VaultError;
use crate::servers::SavedServer;
use crate::vault::Vault;

/// What came of an import.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Imported {
    /// The server that the skills are of.
    pub server: SavedServer,
    /// Whether it was there before, with the same content.
    pub already: bool,
    /// The names of the skills, in order.
    pub skills: Vec<String>,
    /// What was not imported.
    pub left_out: Vec<LeftOut>,
}

/// Something that was not imported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftOut {
    /// Where it is in the file or folder.
    pub name: String,
    /// Why: lower case, no full stop.
    pub reason: String,
}

/// The files of one skill, in memory.
#[derive(Debug, Default)]
pub(super) struct Contents {
    /// By path relative to the skill.
    pub(super) files: BTreeMap<String, Vec<u8>>,
    /// Paths with the executable bit.
    pub(super) executable: BTreeSet<String>,
}

/// A file or a folder that may hold skills.
pub(super) trait Source {
    /// What it is.
    fn from(&self) -> ImportedFrom;
    /// The skills that were found, read or not.
    fn candidates(&self) -> &[Candidate];
    /// What is no skill and worth a word, so far.
    fn left_out(&self) -> &[LeftOut];
    /// What it says of its skills, where it is a bundle.
    fn listing(&self) -> Option<&Listing>;
    /// The files of a candidate.
    fn read(&mut self, number: usize) -> Result<Contents, String>;
}

impl Vault {
    /// Imports the skills of a `.zip` or `.skill` file, or of a bundle, as a server with this label.
    /// The same content imported again is the server of before. Each skill that cannot be imported
    /// is left out and named.
    ///
    /// # Errors
    /// [`VaultError::Bundle`] when the file breaks a rule for such files or no skill of it can be
    /// imported; else when another change is being made, or the disk or the ledger fails. Then
    /// nothing was imported and nothing is left behind.
    pub fn import_file(&self, path: &Path, label: &str) -> Result<Imported, VaultError> {
        let name = name_of(path);
        let refused =
            |why: String| BundleError::new(format!("{name:?} cannot be imported: it {why}"));
        let real = path.canonicalize().map_err(VaultError::disk("find", path))?;
        let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
        let mut source = Zipped::open(&real, &stem.unwrap_or_default()).map_err(refused)?;
        self.import(&mut source, &name, label)
    }

    /// Imports a skill's folder, or the skills in a folder, as a server with this label; else as
    /// [`Vault::import_file`].
    ///
    /// # Errors
    /// The same, and [`VaultError::Bundle`] for a folder that holds Skillhold's own data or lies in
    /// it.
    pub fn import_folder(&self, path: &Path, label: &str) -> Result<Imported, VaultError> {
        let name = name_of(path);
        let real = path.canonicalize().map_err(VaultError::disk("find", path))?;
        if real.starts_with(self.data()) || self.data().starts_with(&real) {
            return Err(BundleError::new(format!(
                "{} cannot be imported: Skillhold keeps its own data in {}",
                path.display(),
                self.data().display()
            ))
            .with_hint("choose a skill's folder, or a folder that holds only skills")
            .into());
        }
        let refused =
            |why: String| BundleError::new(format!("{name:?} cannot be imported: it {why}"));
        let mut source = Searched::open(&real).map_err(refused)?;
        self.import(&mut source, &name, label)
    }

    fn import(
        &self,
        source: &mut dyn Source,
        name: &str,
        label: &str,
    ) -> Result<Imported, VaultError> {
        let _lock = self.lock_changes()?;
        let mut staging = Staging::begin(self.data())?;
        let mut staged = Staged::default();
        for number in 0..source.candidates().len() {
            staged.take(source, number, &mut staging)?;
        }
        staging.drop_unserved(&mut staged)?;
        let mut left_out = source.left_out().to_vec();
        left_out.append(&mut staged.left_out);
        if staged.skills.is_empty() {
            let causes = left_out.iter().map(|it| format!("{:?}: {}", it.name, it.reason));
            let error = BundleError {
                causes: causes.collect(),
                ..BundleError::new(format!("nothing of {name:?} can be imported"))
            };
            return Err(error.into());
        }
        let content = content_of(&staged.skills);
        let skills: Vec<String> = staged.skills.keys().cloned().collect();
        let info = Info { skills: staged.said };
        staging.put_in_place(&content, &staged.skills, &info)?;
        let known = self.servers()?.into_iter().find(|server| {
            matches!(&server.endpoint, Endpoint::Imported { content: known, .. } if *known == content)
        });
        let already = known.is_some();
        let server = match known {
            Some(server) => server,
            None => {
                let endpoint =
                    Endpoint::Imported { content, from: source.from(), name: name.to_owned() };
                let count = counted(skills.len());
                let added = self.add_as(label, endpoint, ActivityKind::Imported, count);
                if added.is_err() {
                    // What failed is told; without a server the files are nobody's.
                    let _ = self.forget_imported(&content);
                }
                added?
            }
        };
        Ok(Imported { server, already, skills, left_out })
    }
}

/// What was staged so far.
#[derive(Debug, Default)]
pub(super) struct Staged {
    /// By name.
    pub(super) skills: BTreeMap<String, Manifest>,
    /// What is known of each besides.
    pub(super) said: BTreeMap<String, Said>,
    /// Where each was found.
    places: BTreeMap<String, String>,
    /// Names that several different skills have.
    taken: BTreeSet<String>,
    pub(super) left_out: Vec<LeftOut>,
    total: u64,
}

impl Staged {
    /// Judges a candidate and stages it, or leaves it out.
    fn take(
        &mut self,
        source: &mut dyn Source,
        number: usize,
        staging: &mut Staging,
    ) -> Result<(), VaultError> {
        let Candidate { at, folder, refused, .. } = source.candidates()[number].clone();
        let read = match refused {
            Some(reason) => Err(reason),
            None => source.read(number),
        };
        let judged = read.and_then(|contents| {
            let (name, manifest) = judged(&contents, &folder)?;
            let listed = source.listing().map(|listing| {
                listing.skills.iter().find(|listed| {
                    listed.name == name && listed.fingerprint == manifest.fingerprint()
                })
            });
            let said = match listed {
                None => Said { executable: contents.executable.clone(), ..Said::default() },
                Some(Some(listed)) => listed.said(contents.executable.clone()),
                Some(None) => {
                    return Err("its files are not those that the bundle lists".to_owned());
                }
            };
            Ok((name, manifest, contents, said))
        });
        let (name, manifest, contents, said) = match judged {
            Ok(judged) => judged,
            Err(reason) => {
                self.left_out.push(LeftOut { name: at, reason });
                return Ok(());
            }
        };
        if let Some(reason) = self.in_the_way(&name, &manifest) {
            if self.taken.contains(&name)
                && let Some(place) = self.places.remove(&name)
            {
                // Nobody said which of the two is meant.
                staging.remove(&name)?;
                self.total -= self.skills.remove(&name).map_or(0, |it| it.total_size());
                self.said.remove(&name);
                let reason = format!("{at:?} has the same name, {name}, and other files");
                self.left_out.push(LeftOut { name: place, reason });
            }
            self.left_out.push(LeftOut { name: at, reason });
            return Ok(());
        }
        self.total = self.total.saturating_add(manifest.total_size());
        if self.total > MAX_TOTAL {
            let error =
                BundleError::new(format!("the skills have more than {MAX_TOTAL} bytes in all"));
            return Err(error.with_hint("import fewer at once").into());
        }
        staging.add(&name, &manifest, &contents.files)?;
        self.places.insert(name.clone(), at);
        self.said.insert(name.clone(), said);
        self.skills.insert(name, manifest);
        Ok(())
    }

    /// Why a skill of this name cannot be staged beside those that are.
    fn in_the_way(&mut self, name: &str, manifest: &Manifest) -> Option<String> {
        if self.taken.contains(name) {
            return Some(format!("others have the same name, {name}, and other files"));
        }
        match self.skills.get(name) {
            Some(known) if known.fingerprint() == manifest.fingerprint() => {
                let place = self.places.get(name).map(String::as_str).unwrap_or_default();
                Some(format!("it is the same as {place:?}"))
            }
            Some(_) => {
                self.taken.insert(name.to_owned());
                let place = self.places.get(name).map(String::as_str).unwrap_or_default();
                Some(format!("{place:?} has the same name, {name}, and other files"))
            }
            None => {
                let names = self.skills.keys().map(String::as_str).chain([name]);
                let (one, other) = collision(names)?;
                Some(format!("the names {one:?} and {other:?} would be one on some disks"))
            }
        }
    }
}

/// What tells one import from another: all files of all skills, each below the name of its skill.
pub(super) fn content_of(skills: &BTreeMap<String, Manifest>) -> Fingerprint {
    let mut files: Vec<(String, u64, skills::digest::Digest)> = skills
        .iter()
        .flat_map(|(name, manifest)| {
            manifest
                .files()
                .iter()
                .map(move |file| (format!("{name}/{}", file.path), file.size, file.digest))
        })
        .collect();
    files.sort();
    Fingerprint::of(files.iter().map(|(path, size, digest)| (path.as_str(), *size, *digest)))
}

/// As a person says it.
pub(super) fn counted(skills: usize) -> String {
    if skills == 1 { "1 skill".to_owned() } else { format!("{skills} skills") }
}

fn name_of(path: &Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}
