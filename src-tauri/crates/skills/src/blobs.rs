//! Where verified bytes of servers are kept between review and installation.

use crate::digest::Digest;
use crate::origin::ServerId;

/// A store of verified bytes by digest, per server. Implemented by the vault, used by the client.
pub trait Blobs: Send + Sync {
    /// The bytes with this digest that this server gave earlier, checked again while they are
    /// read; bytes that no longer hash right count as absent.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn get(&self, server: &ServerId, digest: &Digest) -> Result<Option<Vec<u8>>, BlobsError>;

    /// Keeps these bytes for this server and returns their digest.
    ///
    /// # Errors
    /// When the store cannot be written.
    fn put(&self, server: &ServerId, bytes: &[u8]) -> Result<Digest, BlobsError>;

    /// How many bytes are kept of this server.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn stored(&self, server: &ServerId) -> Result<u64, BlobsError>;
}

/// The store of verified bytes failed.
#[derive(Debug, thiserror::Error)]
#[error("cannot {doing} the store of verified files")]
pub struct BlobsError {
    /// `read` or `write`.
    pub doing: &'static str,
    /// What the system said.
    #[source]
    pub source: std::io::Error,
}
