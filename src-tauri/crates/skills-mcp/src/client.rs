//! A connection to one server: what it offers, and its files, one checked file at a time.

mod calls;
mod context;
mod fetch;
mod news;
mod pace;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use rmcp::model::ProtocolVersion;
use rmcp::service::{
    ClientInitializeError, RoleClient, RunningService, serve_client_with_lifecycle_and_ct,
};
use rmcp::transport::IntoTransport;
use rmcp::{ClientCacheConfig, ClientLifecycleMode};
use skills::entry::Entry;
use skills::origin::Endpoint;
use tokio::sync::{oneshot, watch};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

pub(crate) use calls::{Calls, List};
pub use context::ClientContext;
pub use fetch::Settled;
use news::{Handler, Tells};

use crate::error::{ClientError, ErrorKind};
use crate::imported;
use crate::limits::{URI_BYTES, WATCHED, quoted};
use crate::samples::Samples;
use crate::secret::Handed;
use crate::source::{self, Folder, Source, SourceCell, Unverified};
use crate::transport;
use crate::wire::{Offer, Offers, Verdict, told};

/// How long the first subscription to changes may hold up a connection.
const SUBSCRIBED: Duration = Duration::from_secs(2);

/// A connection that stands. Dropping it ends it, and a program that was started for it.
#[derive(Debug)]
pub struct Connection {
    calls: Calls,
    protocol: String,
    source: SourceCell,
    /// Whether it can show what lies in a folder.
    shows_folders: bool,
    changes: watch::Receiver<u64>,
    /// Resources that the server is asked to tell about.
    watch: watch::Sender<Vec<String>>,
    stop: CancellationToken,
    running: Option<JoinHandle<()>>,
}

impl Connection {
    /// Connects and shakes hands: 2026-07-28 where the server knows it, else the older handshake.
    ///
    /// # Errors
    /// See [`ErrorKind`]; a program that ended at once is told with the last words it wrote.
    pub async fn open(endpoint: &Endpoint, context: &ClientContext) -> Result<Self, ClientError> {
        let handed = context.handed();
        let opened = Self::opened(endpoint, context, &handed).await;
        opened.map_err(|error| error.without(&handed))
    }

    async fn opened(
        endpoint: &Endpoint,
        context: &ClientContext,
        handed: &Handed,
    ) -> Result<Self, ClientError> {
        let server = transport::display(endpoint);
        let stop = CancellationToken::new();
        let (news, changes) = watch::channel(0);
        let handler = Handler::new(news);
        let patience = context.timeouts.connect;
        let (service, program) = match endpoint {
            Endpoint::Http { url } => {
                let transport = transport::http_transport(url, &server, context, handed)?;
                (shake_hands(&handler, transport, &server, either(), patience, &stop).await?, None)
            }
            Endpoint::Command { program, args } => {
                let (service, program) =
                    start_program(program, args, &handler, &server, context, &stop).await?;
                (service, Some(Arc::new(program)))
            }
            Endpoint::Samples => {
                let Some(samples) = &context.samples else {
                    return Err(ClientError::new(
                        ErrorKind::Unreachable,
                        "connect to",
                        server,
                        "they are switched off",
                    )
                    .with_hint("switch the samples on in the settings"));
                };
                let transport = Samples::serve(samples, stop.clone());
                (shake_hands(&handler, transport, &server, either(), patience, &stop).await?, None)
            }
            Endpoint::Imported { content, .. } => {
                let transport = imported::serve(content, context, &server, stop.clone()).await?;
                (shake_hands(&handler, transport, &server, either(), patience, &stop).await?, None)
            }
        };
        let Some(info) = service.peer_info() else {
            return Err(ClientError::new(
                ErrorKind::NotMcp,
                "connect to",
                server,
                "the server says nothing about itself",
            ));
        };
        if !ProtocolVersion::KNOWN_VERSIONS.contains(&info.protocol_version) {
            return Err(ClientError::new(
                ErrorKind::Protocol,
                "connect to",
                server,
                format!("its protocol version is {}", quoted(info.protocol_version.as_str())),
            )
            .with_hint("versions up to 2026-07-28 are understood"));
        }
        // The cache answers with what was there before when the server no longer has it.
        service.peer().set_response_cache_config(ClientCacheConfig::disabled()).await;
        let resources = info.capabilities.resources.as_ref();
        let tells = Tells {
            lists: resources.is_some_and(|it| it.list_changed == Some(true)),
            resources: resources.is_some_and(|it| it.subscribe == Some(true)),
        };
        let (watch, watched) = watch::channel(Vec::new());
        let (peer, wait) = (service.peer().clone(), context.timeouts.call);
        if info.protocol_version.has_initialize() {
            if tells.resources {
                tokio::spawn(news::watch_older(peer, watched, wait, stop.clone()));
            }
        } else if tells.lists || tells.resources {
            let (settled, first) = oneshot::channel();
            let (handler, stop) = (handler.clone(), stop.clone());
            tokio::spawn(news::listen(peer, handler, tells, watched, wait, settled, stop));
            // So that no change after this call is missed, unless the server is slow.
            let _ = tokio::time::timeout(SUBSCRIBED, first).await;
        }
        let calls =
            Calls::new(service.peer().clone(), server, context.timeouts, program, handed.clone());
        let running = tokio::spawn(async move {
            let _ = service.waiting().await;
            handler.bump();
        });
        Ok(Self {
            calls,
            protocol: info.protocol_version.as_str().to_owned(),
            source: SourceCell::of(&info.capabilities),
            shows_folders: info.capabilities.supports_directory_read(),
            changes,
            watch,
            stop,
            running: Some(running),
        })
    }

    /// The protocol version both sides use, as in `2026-07-28`.
    pub fn protocol(&self) -> &str {
        &self.protocol
    }

    /// Where this server's skills come from. Whether a server without the extension offers any is
    /// known after [`list`](Self::list).
    pub fn source(&self) -> Source {
        self.source.get()
    }

    /// Everything the server offers now. One broken entry is one refused offer.
    ///
    /// # Errors
    /// When the list itself cannot be had.
    pub async fn list(&self) -> Result<Offers, ClientError> {
        source::list(&self.calls, &self.source).await
    }

    /// One skill's entry again, by the URI of its `SKILL.md`; no list need have shown it.
    ///
    /// # Errors
    /// [`ErrorKind::Refused`] when the server does not serve it.
    pub async fn get(&self, uri: &str) -> Result<Offer, ClientError> {
        source::get(&self.calls, &self.source, uri).await
    }

    /// One skill's entry again, where only one that can be verified will do.
    ///
    /// # Errors
    /// Those of [`get`](Self::get); [`ErrorKind::Protocol`] when the entry breaks a rule or
    /// declares no digests.
    pub async fn get_verifiable(&self, uri: &str) -> Result<Entry, ClientError> {
        let error = |reason| {
            ClientError::new(ErrorKind::Protocol, "use an entry of", self.calls.server(), reason)
        };
        match self.get(uri).await?.verdict {
            Verdict::Verifiable(entry) => Ok(entry),
            Verdict::Unverifiable(reason) => Err(error(reason)),
            Verdict::Refused(rules) => Err(error(told(&rules))),
        }
    }

    /// One skill by a URI that the person gave, whether any list shows it or not. Without the
    /// extension, a `SKILL.md` that can be read and has no manifest is an unverifiable skill.
    ///
    /// # Errors
    /// [`ErrorKind::Refused`] when the server does not serve it.
    pub async fn look_up(&self, uri: &str) -> Result<Offer, ClientError> {
        if uri.len() > URI_BYTES {
            let reason = format!("the uri has more than {URI_BYTES} bytes");
            let server = self.calls.server();
            return Err(ClientError::new(ErrorKind::Refused, "get a skill of", server, reason));
        }
        source::look_up(&self.calls, &self.source, uri).await
    }

    /// Whether the server can show what lies in a folder (`directoryRead`).
    pub fn shows_folders(&self) -> bool {
        self.shows_folders
    }

    /// What the server shows in the folder of a skill, against its entry.
    ///
    /// # Errors
    /// When the server cannot show folders or refuses to.
    pub async fn folder(&self, entry: &Entry) -> Result<Folder, ClientError> {
        if !self.shows_folders {
            let reason = "it does not say that it can show folders";
            let server = self.calls.server();
            return Err(ClientError::new(ErrorKind::Refused, "list a folder of", server, reason));
        }
        source::folder(&self.calls, entry).await
    }

    /// The bytes of a `SKILL.md` for which no digest is declared. Nothing vouches for them.
    ///
    /// # Errors
    /// When it cannot be read, or is larger than any file of a skill may be.
    pub async fn unverified_main(&self, uri: &str) -> Result<Vec<u8>, ClientError> {
        source::main_file(&self.calls, uri).await
    }

    /// All files that can be found of a skill for which no digests are declared. Nothing vouches
    /// for them; their names are checked, and the limits of a skill hold.
    ///
    /// # Errors
    /// When one of them cannot be read, breaks a rule for names, or a limit.
    pub async fn unverified(&self, uri: &str) -> Result<Unverified, ClientError> {
        source::unverified(&self.calls, uri, self.shows_folders).await
    }

    /// A counter that grows when the server says that its list or a resource changed, and when
    /// the connection ends.
    pub fn changes(&self) -> watch::Receiver<u64> {
        self.changes.clone()
    }

    /// Asks the server to tell when one of these resources changes, in the place of those before;
    /// at most [`WATCHED`] are asked for. [`changes`](Self::changes) then grows. A server that tells
    /// of none is not asked.
    pub fn watch<'a>(&self, uris: impl IntoIterator<Item = &'a str>) {
        let uris: BTreeSet<&str> = uris.into_iter().take(WATCHED).collect();
        self.watch.send_if_modified(|watched| {
            let differs = !watched.iter().map(String::as_str).eq(uris.iter().copied());
            if differs {
                *watched = uris.into_iter().map(str::to_owned).collect();
            }
            differs
        });
    }

    /// Whether the connection has ended. A modern HTTP connection has nothing that could end.
    pub fn is_closed(&self) -> bool {
        self.calls.is_closed()
    }

    /// Ends the connection in good order, and a program that was started for it.
    pub async fn close(mut self) {
        self.stop.cancel();
        if let Some(running) = self.running.take() {
            let _ = tokio::time::timeout(self.calls.timeouts().connect, running).await;
        }
        self.calls.close().await;
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

/// Starts a program and shakes hands. One that turned out to speak only the newer protocol, after
/// rmcp had fallen back to the older, is started once more and asked for nothing else: by now what
/// made it slow is mostly done.
async fn start_program(
    program: &str,
    args: &[String],
    handler: &Handler,
    server: &str,
    context: &ClientContext,
    stop: &CancellationToken,
) -> Result<(RunningService<RoleClient, Handler>, transport::Program), ClientError> {
    let patience = context.timeouts.start;
    let (started, transport) = transport::start(program, args, server, context)?;
    let error = match shake_hands(handler, transport, server, either(), patience, stop).await {
        Ok(service) => return Ok((service, started)),
        Err(error) => error,
    };
    if !started.was_discovered_late() {
        return Err(started.explain(error).await);
    }
    started.close().await;
    let newer =
        ClientLifecycleMode::Discover { preferred_versions: vec![ProtocolVersion::V_2026_07_28] };
    let (started, transport) = transport::start(program, args, server, context)?;
    match shake_hands(handler, transport, server, newer, patience, stop).await {
        Ok(service) => Ok((service, started)),
        Err(error) => Err(started.explain(error).await),
    }
}

/// The newer protocol, else the older. Both versions are named, or a server that knows discovery
/// and only the older is refused.
fn either() -> ClientLifecycleMode {
    ClientLifecycleMode::Auto {
        preferred_versions: vec![ProtocolVersion::V_2026_07_28, ProtocolVersion::V_2025_11_25],
        legacy_version: None,
    }
}

async fn shake_hands<T, E, A>(
    handler: &Handler,
    transport: T,
    server: &str,
    lifecycle: ClientLifecycleMode,
    patience: Duration,
    stop: &CancellationToken,
) -> Result<RunningService<RoleClient, Handler>, ClientError>
where
    T: IntoTransport<RoleClient, E, A>,
    E: std::error::Error + Send + Sync + 'static,
{
    let shaking =
        serve_client_with_lifecycle_and_ct(handler.clone(), transport, lifecycle, stop.clone());
    match tokio::time::timeout(patience, shaking).await {
        Ok(Ok(service)) => Ok(service),
        Ok(Err(error)) => Err(ClientError::connecting(server, shorten_error(error))),
        Err(_) => Err(ClientError::timeout("connect to", server, patience)),
    }
}

/// Some of rmcp's errors hold a whole answer of the server; those are not kept.
fn shorten_error(error: ClientInitializeError) -> ClientInitializeError {
    match error {
        ClientInitializeError::ExpectedInitResponse(_) => {
            ClientInitializeError::ExpectedInitResponse(None)
        }
        ClientInitializeError::ExpectedInitResult(_) => {
            ClientInitializeError::ExpectedInitResult(None)
        }
        other => other,
    }
}
