//! Verified bytes of servers by digest: private to the program and outside of every folder that a
//! tool reads.

use std::collections::HashSet;
use std::io;
use std::path::{Path, PathBuf};

use skills::blobs::{Blobs, BlobsError};
use skills::digest::Digest;
use skills::manifest::MAX_BYTES;
use skills::origin::ServerId;

use crate::disk;
use crate::error::VaultError;
use crate::own::leads_inside;

/// The store: one folder a server, one file a digest.
#[derive(Debug)]
pub struct BlobStore {
    folder: PathBuf,
}

impl BlobStore {
    pub(crate) fn new(folder: PathBuf) -> Self {
        Self { folder }
    }

    /// The folder of a server; its id is hashed, so that no id can name a place elsewhere.
    fn of_server(&self, server: &ServerId) -> PathBuf {
        self.folder.join(&Digest::of(server.0.as_bytes()).hex()[..32])
    }

    /// False where a link is in the place of the folder, or of that around it: what is there is not
    /// ours to remove.
    fn is_own(&self, folder: &Path) -> bool {
        self.folder.parent().is_some_and(|data| leads_inside(data, folder))
    }

    /// Removes everything that this server gave.
    pub(crate) fn forget(&self, server: &ServerId) -> Result<(), VaultError> {
        let folder = self.of_server(server);
        if self.is_own(&folder) { disk::remove_own(&folder) } else { Ok(()) }
    }

    /// Removes what this server gave but for these; says how many bytes that were.
    pub(crate) fn keep_only(
        &self,
        server: &ServerId,
        kept: &HashSet<String>,
    ) -> Result<u64, VaultError> {
        let folder = self.of_server(server);
        if !self.is_own(&folder) {
            return Ok(0);
        }
        let failed = VaultError::disk("read", &folder);
        let files = match std::fs::read_dir(&folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(0),
            files => files.map_err(failed)?,
        };
        let mut removed = 0;
        for file in files.flatten() {
            let is_kept = file.file_name().to_str().is_some_and(|name| kept.contains(name));
            if !is_kept && let Ok(metadata) = file.metadata() {
                disk::remove_own_file(&file.path())?;
                removed += metadata.len();
            }
        }
        Ok(removed)
    }

    /// Makes sure that these outlast a power cut. Until then they may be lost by one: what is torn
    /// counts as absent, so that it is only read from the server again.
    pub(crate) fn flush<'a>(
        &self,
        server: &ServerId,
        digests: impl IntoIterator<Item = &'a Digest>,
    ) -> Result<(), VaultError> {
        let folder = self.of_server(server);
        for digest in digests {
            disk::flush(&folder.join(digest.hex()))?;
        }
        disk::sync_folder(&folder)
    }

    /// Mostly there is neither the file nor anything else to be done, so that is tried first: no look
    /// beforehand and no rename. Who reads it half written takes it as absent, like a torn one.
    fn put_file(&self, server: &ServerId, digest: &Digest, bytes: &[u8]) -> Result<(), VaultError> {
        let folder = self.of_server(server);
        let file = folder.join(digest.hex());
        let mut written = disk::write_unflushed(&file, bytes, false);
        if is(&written, io::ErrorKind::NotFound) {
            disk::make_private(&folder)?;
            written = disk::write_unflushed(&file, bytes, false);
        }
        if is(&written, io::ErrorKind::AlreadyExists) {
            let there = disk::read(&file, MAX_BYTES).map_err(VaultError::disk("read", &file))?;
            return match there {
                Some(there) if there == bytes => Ok(()),
                _ => disk::write_whole(&file, bytes),
            };
        }
        if written.is_err() {
            // What failed is told; the left-over is only bytes in our own store.
            let _ = disk::remove_own_file(&file);
        }
        written.map(drop).map_err(VaultError::disk("write", &file))
    }
}

fn is<T>(done: &io::Result<T>, kind: io::ErrorKind) -> bool {
    done.as_ref().is_err_and(|error| error.kind() == kind)
}

impl Blobs for BlobStore {
    fn get(&self, server: &ServerId, digest: &Digest) -> Result<Option<Vec<u8>>, BlobsError> {
        let bytes = disk::read(&self.of_server(server).join(digest.hex()), MAX_BYTES)
            .map_err(|source| BlobsError { doing: "read", source })?;
        Ok(bytes.filter(|bytes| Digest::of(bytes) == *digest))
    }

    fn put(&self, server: &ServerId, bytes: &[u8]) -> Result<Digest, BlobsError> {
        let digest = Digest::of(bytes);
        self.put_file(server, &digest, bytes)
            .map_err(|error| BlobsError { doing: "write", source: io::Error::other(error) })?;
        Ok(digest)
    }

    fn stored(&self, server: &ServerId) -> Result<u64, BlobsError> {
        let sizes = || -> io::Result<u64> {
            let files = match std::fs::read_dir(self.of_server(server)) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(0),
                files => files?,
            };
            files.map(|file| Ok(file?.metadata()?.len())).sum()
        };
        sizes().map_err(|source| BlobsError { doing: "read", source })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::disallowed_methods)]

    use super::*;

    #[test]
    fn bytes_come_back_for_the_server_that_gave_them_and_for_no_other() {
        let dir = tempfile::tempdir().unwrap();
        let blobs = BlobStore::new(dir.path().join("blobs"));
        let (a, b) = (ServerId("a".into()), ServerId("b".into()));
        let digest = blobs.put(&a, b"hello").unwrap();
        assert_eq!(
            digest.to_string(),
            "sha256:2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"
        );
        assert_eq!(blobs.get(&a, &digest).unwrap().as_deref(), Some(&b"hello"[..]));
        assert_eq!(blobs.get(&b, &digest).unwrap(), None);
        blobs.put(&a, b"hello").unwrap();
        blobs.put(&a, b"you").unwrap();
        assert_eq!((blobs.stored(&a).unwrap(), blobs.stored(&b).unwrap()), (8, 0));
        assert_eq!(blobs.keep_only(&a, &HashSet::from([digest.hex()])).unwrap(), 3);
        assert_eq!(blobs.keep_only(&b, &HashSet::new()).unwrap(), 0);
        assert_eq!(blobs.stored(&a).unwrap(), 5);
        blobs.forget(&a).unwrap();
        assert_eq!(blobs.get(&a, &digest).unwrap(), None);
        assert_eq!(blobs.stored(&a).unwrap(), 0);
    }

    #[test]
    fn bytes_that_no_longer_hash_right_count_as_absent_and_can_be_put_again() {
        let dir = tempfile::tempdir().unwrap();
        let blobs = BlobStore::new(dir.path().join("blobs"));
        let server = ServerId("a".into());
        let digest = blobs.put(&server, b"hello").unwrap();
        std::fs::write(blobs.of_server(&server).join(digest.hex()), "hellO").unwrap();
        assert_eq!(blobs.get(&server, &digest).unwrap(), None);
        blobs.put(&server, b"hello").unwrap();
        assert_eq!(blobs.get(&server, &digest).unwrap().as_deref(), Some(&b"hello"[..]));
    }

    #[test]
    fn bytes_that_are_there_are_not_written_again_and_half_of_them_are() {
        let dir = tempfile::tempdir().unwrap();
        let blobs = BlobStore::new(dir.path().join("blobs"));
        let server = ServerId("a".into());
        let digest = blobs.put(&server, b"hello").unwrap();
        let folder = blobs.of_server(&server);
        let file = folder.join(digest.hex());
        let inode = disk::inode(&file);
        blobs.put(&server, b"hello").unwrap();
        assert_eq!(disk::inode(&file), inode);
        // As another process leaves them that is ended while it writes.
        std::fs::write(&file, "hel").unwrap();
        assert_eq!(blobs.get(&server, &digest).unwrap(), None);
        blobs.put(&server, b"hello").unwrap();
        assert_eq!(blobs.get(&server, &digest).unwrap().as_deref(), Some(&b"hello"[..]));
        assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 1, "nothing is left over");
    }

    #[test]
    fn an_id_of_a_server_never_names_a_place_elsewhere() {
        let dir = tempfile::tempdir().unwrap();
        let blobs = BlobStore::new(dir.path().join("blobs"));
        blobs.put(&ServerId("../../up".into()), b"x").unwrap();
        let names: Vec<_> = std::fs::read_dir(dir.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name())
            .collect();
        assert_eq!(names, ["blobs"]);
    }
}
