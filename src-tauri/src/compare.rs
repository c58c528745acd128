//! Two versions of a skill side by side, by file and by line. A version that is no longer on the disk
//! is put together from the bytes that are still kept.

use std::collections::BTreeSet;
use std::path::PathBuf;

use skills::blobs::Blobs as _;
use skills::frontmatter::{REQUEST_FIELDS, without};
use skills::library::Snapshot;
use skills::manifest::{MAX_BYTES, Manifest, ManifestFile};
use skills::origin::ServerId;
use vault::approval::Approval;
use vault::placement::{Origin, Placement};
use vault::servers::SavedServer;

use crate::error::Outcome;
use crate::library::{file_rows, known, read_one};
use crate::render::{self, spelled_out};
use crate::shell::Shell;
use crate::view::{CompareView, ComparedFile, DiffLine, ErrorView, FileState, SideRef};

/// One version of a skill: its files, and where their bytes may be.
struct Side {
    title: String,
    files: Manifest,
    state: FileState,
    /// Where bytes are looked for, one after the other: only those with the right digest count.
    places: Vec<Place>,
}

/// Where the bytes of a version may be.
enum Place {
    /// In a folder that holds, or held, this.
    Folder(PathBuf, Manifest),
    /// Among the verified files of a server.
    Store(ServerId),
    /// Among them, but with requests left out of it.
    LeftOut(ServerId, Box<Approval>),
}

impl Shell {
    /// Two versions of a skill, file by file.
    ///
    /// # Errors
    /// When one of them is not known or there no more.
    pub fn compare(&self, left: &SideRef, right: &SideRef) -> Outcome<CompareView> {
        let snapshot = self.library.snapshot();
        let (left, right) = (self.side(left, &snapshot)?, self.side(right, &snapshot)?);
        let row = |side: &Side, path: &str| {
            file_rows(&side.files, |_| side.state.clone()).into_iter().find(|row| row.path == path)
        };
        let paths: BTreeSet<&str> = left
            .files
            .files()
            .iter()
            .chain(right.files.files())
            .map(|file| file.path.as_str())
            .collect();
        let files = paths.into_iter().map(|path| {
            let (one, other) = (left.files.get(path), right.files.get(path));
            let same = one.map(|file| file.digest) == other.map(|file| file.digest);
            let mut compared = ComparedFile {
                path: path.to_owned(),
                left: row(&left, path),
                right: row(&right, path),
                same,
                only_line_endings: false,
                not_kept: None,
            };
            if !same {
                match (self.bytes(&left, path), self.bytes(&right, path)) {
                    (Ok(Some(one)), Ok(Some(other))) => {
                        compared.only_line_endings = same_but_line_endings(&one, &other);
                    }
                    (Err(why), _) | (_, Err(why)) => compared.not_kept = Some(why.message),
                    _ => {}
                }
            }
            compared
        });
        let files = files.collect();
        Ok(CompareView { left: left.title, right: right.title, files })
    }

    /// The lines in which one file of two versions differs; nothing where either is not text. A
    /// version that does not have the file counts as an empty one.
    ///
    /// # Errors
    /// When a version is not known, neither has the file, or the bytes of one are not kept any more.
    pub fn compare_sides_file(
        &self,
        left: &SideRef,
        right: &SideRef,
        path: &str,
    ) -> Outcome<Option<Vec<DiffLine>>> {
        let snapshot = self.library.snapshot();
        let (left, right) = (self.side(left, &snapshot)?, self.side(right, &snapshot)?);
        let (left, right) = (self.bytes(&left, path)?, self.bytes(&right, path)?);
        if left.is_none() && right.is_none() {
            return Err(ErrorView::gone(format!("neither has a file {}", spelled_out(path))));
        }
        let text = |bytes: Option<Vec<u8>>| {
            String::from_utf8(bytes.unwrap_or_default()).ok().filter(|text| !text.contains('\0'))
        };
        Ok(text(left).zip(text(right)).map(|(left, right)| render::diff(&left, &right)))
    }

    fn side(&self, side: &SideRef, snapshot: &Snapshot) -> Outcome<Side> {
        match side {
            SideRef::Copy { id } => {
                let skill = known(snapshot, id)?;
                let manifest =
                    skill.manifest.as_ref().map_err(|why| ErrorView::gone(why.clone()))?;
                Ok(Side {
                    title: self.paths.display(&skill.path),
                    files: manifest.clone(),
                    state: FileState::Local,
                    places: vec![Place::Folder(skill.path.clone(), manifest.clone())],
                })
            }
            SideRef::Installed { copy } => self.installed_side(copy, snapshot),
            SideRef::Approved { server, uri } => {
                let server = self.server(server)?;
                let approval = self.vault.last_approval(&server, uri)?.ok_or_else(|| {
                    let uri = spelled_out(uri);
                    ErrorView::gone(format!("{uri} of {} was not approved", server.label))
                })?;
                Ok(Side {
                    title: format!("as approved from {}", server.label),
                    files: approved_files(&approval)?,
                    state: FileState::Verified { line_endings_restored: false },
                    places: vec![Place::Store(server.id)],
                })
            }
            SideRef::Trashed { id } => {
                let trashed = self.vault.trash()?.into_iter().find(|trashed| trashed.id == *id);
                let trashed =
                    trashed.ok_or_else(|| ErrorView::gone("this is no longer in the trash"))?;
                let shown = self.paths.display(&trashed.folder);
                if trashed.found.link.is_some() {
                    return Err(ErrorView::gone(format!("of {shown} only a link was kept")));
                }
                let files = Manifest::read(&trashed.kept)?;
                Ok(Side {
                    title: format!("{shown}, in the trash"),
                    files: files.clone(),
                    state: FileState::Local,
                    places: vec![Place::Folder(trashed.kept, files)],
                })
            }
        }
    }

    /// A copy as it was installed, whatever became of it.
    fn installed_side(&self, id: &str, snapshot: &Snapshot) -> Outcome<Side> {
        let copies = self.copies(snapshot)?;
        let skill = snapshot.skill(id);
        let placement = copies.all_of(id).into_iter().next().ok_or_else(|| match skill {
            Some(skill) => ErrorView::gone(format!("Skillhold did not place {}", skill.name)),
            None => ErrorView::gone("this skill is no longer in any tool's folder"),
        })?;
        let mut places = Vec::new();
        // What was not changed is still where it was put.
        if let Some((skill, Ok(manifest))) = skill.map(|skill| (skill, skill.manifest.as_ref())) {
            places.push(Place::Folder(skill.path.clone(), manifest.clone()));
        }
        self.places_of_origin(placement, snapshot, &mut places)?;
        for trashed in self.vault.trash()?.into_iter().rev() {
            if trashed.found.fingerprint == placement.installed_fingerprint()
                && trashed.found.link.is_none()
            {
                places.push(Place::Folder(trashed.kept, placement.installed.clone()));
            }
        }
        Ok(Side {
            title: format!("{} as it was installed", self.paths.display(&placement.folder)),
            files: placement.installed.clone(),
            state: FileState::Local,
            places,
        })
    }

    fn places_of_origin(
        &self,
        placement: &Placement,
        snapshot: &Snapshot,
        places: &mut Vec<Place>,
    ) -> Outcome<()> {
        match &placement.origin {
            Origin::Server { server, uri, .. } => {
                places.push(Place::Store(server.clone()));
                let Ok(known) = self.vault.server(server) else { return Ok(()) };
                let approval: Option<Approval> = self.approval_of(&known, uri, placement)?;
                places.extend(approval.map(|it| Place::LeftOut(server.clone(), Box::new(it))));
            }
            Origin::Folder { path } => {
                let id = skills::library::LocalSkill::id_of(path);
                let source = snapshot.skill(&id).and_then(|skill| skill.manifest.as_ref().ok());
                places.extend(source.map(|files| Place::Folder(path.clone(), files.clone())));
            }
            Origin::Adopted => {}
        }
        Ok(())
    }

    /// The approval by which something was installed, while it is still the last one.
    fn approval_of(
        &self,
        server: &SavedServer,
        uri: &str,
        placement: &Placement,
    ) -> Outcome<Option<Approval>> {
        let approval = self.vault.last_approval(server, uri)?;
        Ok(approval.filter(|approval| approval.fingerprint == placement.source))
    }

    /// The bytes of one file of a version; `None` where that version does not have the file.
    fn bytes(&self, side: &Side, path: &str) -> Outcome<Option<Vec<u8>>> {
        let Some(file) = side.files.get(path) else { return Ok(None) };
        for place in &side.places {
            if let Some(bytes) = self.bytes_at(place, file) {
                return Ok(Some(bytes));
            }
        }
        let path = spelled_out(path);
        Err(ErrorView::gone(format!("the bytes of {path} ({}) are not kept any more", side.title)))
    }

    fn bytes_at(&self, place: &Place, file: &ManifestFile) -> Option<Vec<u8>> {
        match place {
            Place::Folder(folder, files) => {
                let there = files.get(&file.path)?;
                (there.digest == file.digest)
                    .then(|| read_one(folder, files, &file.path).ok())
                    .flatten()
            }
            Place::Store(server) => self.vault.blobs().get(server, &file.digest).ok().flatten(),
            Place::LeftOut(server, approval) => {
                let served = approval.files.iter().find(|served| served.path == file.path)?;
                let bytes = self.vault.blobs().get(server, &served.digest).ok().flatten()?;
                let edit = without(&bytes, REQUEST_FIELDS).ok()?;
                (skills::digest::Digest::of(&edit.bytes) == file.digest).then_some(edit.bytes)
            }
        }
    }
}

fn approved_files(approval: &Approval) -> Outcome<Manifest> {
    let files = approval.files.iter().map(|file| ManifestFile {
        path: file.path.clone(),
        size: file.size,
        digest: file.digest,
    });
    Manifest::new(files.collect()).map_err(|why| ErrorView::gone(why.to_string()))
}

/// Whether two texts differ in nothing but how their lines end.
fn same_but_line_endings(one: &[u8], other: &[u8]) -> bool {
    let short = |bytes: &[u8]| bytes.len() as u64 <= MAX_BYTES;
    let (Ok(one), Ok(other)) = (std::str::from_utf8(one), std::str::from_utf8(other)) else {
        return false;
    };
    let unix = |text: &str| text.replace("\r\n", "\n").replace('\r', "\n");
    one != other && short(one.as_bytes()) && short(other.as_bytes()) && unix(one) == unix(other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_that_differ_only_in_line_endings_are_told_from_others() {
        assert!(same_but_line_endings(b"a\nb\n", b"a\r\nb\r\n"));
        assert!(same_but_line_endings(b"a\nb\n", b"a\rb\r"));
        assert!(!same_but_line_endings(b"a\nb\n", b"a\nb\n"));
        assert!(!same_but_line_endings(b"a\nb\n", b"a\nb"));
        assert!(!same_but_line_endings(b"\xff\n", b"\xff\r\n"));
    }
}
