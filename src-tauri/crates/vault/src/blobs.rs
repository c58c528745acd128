//! Verified bytes of servers by digest: private to the program and outside of every folder that a
//! tool reads.

use std::io;
use std::path::PathBuf;

use skills::blobs::{Blobs, BlobsError};
use skills::digest::Digest;
use skills::manifest::MAX_BYTES;
use skills::origin::ServerId;

use crate::disk;
use crate::error::VaultError;

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

    /// Removes everything that this server gave.
    pub(crate) fn forget(&self, server: &ServerId) -> Result<(), VaultError> {
        disk::remove_own(&self.of_server(server))
    }

    fn put_file(&self, server: &ServerId, digest: &Digest, bytes: &[u8]) -> Result<(), VaultError> {
        let folder = self.of_server(server);
        disk::make_private(&folder)?;
        disk::write_whole(&folder.join(digest.hex()), bytes)
    }
}

impl Blobs for BlobStore {
    fn get(&self, server: &ServerId, digest: &Digest) -> Result<Option<Vec<u8>>, BlobsError> {
        let bytes = disk::read(&self.of_server(server).join(digest.hex()), MAX_BYTES)
            .map_err(|source| BlobsError { doing: "read", source })?;
        Ok(bytes.filter(|bytes| Digest::of(bytes) == *digest))
    }

    fn put(&self, server: &ServerId, bytes: &[u8]) -> Result<Digest, BlobsError> {
        let digest = Digest::of(bytes);
        if self.get(server, &digest)?.is_none() {
            self.put_file(server, &digest, bytes)
                .map_err(|error| BlobsError { doing: "write", source: io::Error::other(error) })?;
        }
        Ok(digest)
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
        blobs.forget(&a).unwrap();
        assert_eq!(blobs.get(&a, &digest).unwrap(), None);
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
