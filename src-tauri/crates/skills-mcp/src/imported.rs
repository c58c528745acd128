//! Skills that were imported: served in process, by the rules of the skills extension and through
//! the real protocol, from the folder in which the program keeps them.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use skills::digest::Fingerprint;
use skills::provider::{DirectoryProvider, Mode, Options, Provider};
use tokio::io::DuplexStream;
use tokio_util::sync::CancellationToken;

use crate::client::ClientContext;
use crate::error::{ClientError, ErrorKind};
use crate::server::{ServeOptions, serve_stream};

/// Bytes in flight between what is served and the client.
const PIPE_BYTES: usize = 64 * 1024;

/// Gives the folder that holds the skills of an import, one folder each, or why there is none.
type Find = dyn Fn(&Fingerprint) -> Result<PathBuf, String> + Send + Sync;

/// Knows where imported skills are kept.
#[derive(Clone)]
pub struct ImportedSkills(Arc<Find>);

impl ImportedSkills {
    /// Asks `find`, on a thread that may wait, each time a server of imported skills is reached. It
    /// gives a folder only if what is in it has this fingerprint.
    pub fn new(
        find: impl Fn(&Fingerprint) -> Result<PathBuf, String> + Send + Sync + 'static,
    ) -> Self {
        Self(Arc::new(find))
    }
}

impl fmt::Debug for ImportedSkills {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ImportedSkills").finish_non_exhaustive()
    }
}

/// Starts to serve in process, until the client's end is dropped or `stop` fires; gives the
/// client's end.
pub(crate) async fn serve(
    content: &Fingerprint,
    context: &ClientContext,
    server: &str,
    stop: CancellationToken,
) -> Result<DuplexStream, ClientError> {
    let error = |reason: String| ClientError::new(ErrorKind::Unreachable, "reach", server, reason);
    let Some(ImportedSkills(find)) = context.imported.clone() else {
        return Err(error("no imported skills are kept here".to_owned()));
    };
    let content = *content;
    let found = tokio::task::spawn_blocking(move || find(&content)).await;
    let folder =
        found.map_err(|_| "looking for them failed".to_owned()).and_then(|found| found).map_err(
            |reason| error(reason).with_hint("import them again, from the same file or folder"),
        )?;
    let (client, server) = tokio::io::duplex(PIPE_BYTES);
    let (read, write) = tokio::io::split(server);
    let options = Options { mode: Mode::Strict, ..Options::default() };
    let provider: Arc<dyn Provider> = Arc::new(DirectoryProvider::new(vec![folder], options));
    tokio::spawn(async move {
        let options = ServeOptions::default();
        if let Err(error) = serve_stream(provider, read, write, options, stop).await {
            tracing::warn!(%error, "imported skills are no longer served");
        }
    });
    Ok(client)
}
