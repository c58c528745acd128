//! Streamable HTTP at `/mcp`. Clients of 2026-07-28 and those without a session get one answer for
//! each request, as JSON where that is all, else as a stream of events; older clients that shake
//! hands get a session.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use skills::provider::Provider;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::connections::{Connection, Connections};
use super::observe::VISIT;
use super::shared::Shared;
use super::site::Site;
use super::{ServeError, ServeOptions};
use crate::limits::{ARRIVAL, CONNECTIONS};

/// How long open answers may take to end after the shutdown.
pub(super) const GRACE: Duration = Duration::from_secs(3);

/// How long to wait when the system has no room for a connection.
const PAUSE: Duration = Duration::from_millis(50);

/// The most bytes of a request's head.
const HEAD_BYTES: usize = 64 * 1024;

/// Serves at `http://ADDR/mcp` until `shutdown` fires. `ready` gets the address that is listened
/// on, with the port the system chose where `addr` has port 0.
///
/// # Errors
/// When other machines could reach the address and that is not allowed or no token is needed, or
/// when it cannot be listened on.
pub async fn serve_http(
    provider: Arc<dyn Provider>,
    addr: SocketAddr,
    options: ServeOptions,
    shutdown: CancellationToken,
    ready: impl FnOnce(SocketAddr),
) -> Result<(), ServeError> {
    if !addr.ip().to_canonical().is_loopback() {
        if !options.allow_remote {
            return Err(ServeError::NotLoopback(addr));
        }
        if options.tokens.iter().all(|token| token.secret.is_empty()) {
            return Err(ServeError::NoToken(addr));
        }
    }
    let shared = Arc::new(Shared::new(provider, &options).await?);
    let bind = |source| ServeError::Bind { addr, source };
    let listener = TcpListener::bind(addr).await.map_err(bind)?;
    let bound = listener.local_addr().map_err(bind)?;
    let site = Arc::new(Site::new(&shared, &options, &shutdown));
    ready(bound);
    let mut tasks = accept(&listener, &site, &shared, &shutdown).await;
    drop(listener);
    let all_ended = async { while tasks.join_next().await.is_some() {} };
    if tokio::time::timeout(GRACE, all_ended).await.is_err() {
        tracing::debug!("connections were still open after the shutdown");
    }
    tasks.shutdown().await;
    shared.clients.close();
    Ok(())
}

/// Takes connections in until the shutdown; gives those that are still open.
async fn accept(
    listener: &TcpListener,
    site: &Arc<Site>,
    shared: &Shared,
    shutdown: &CancellationToken,
) -> JoinSet<()> {
    let connections = Connections::new(CONNECTIONS);
    let mut tasks = JoinSet::new();
    let mut sweep = tokio::time::interval(VISIT / 4);
    loop {
        tokio::select! {
            () = shutdown.cancelled() => return tasks,
            _ = sweep.tick() => shared.clients.sweep(Instant::now()),
            Some(_) = tasks.join_next() => {}
            accepted = listener.accept() => match accepted {
                Ok((stream, peer)) => {
                    if let Some(connection) = connections.admit(Instant::now()) {
                        let site = Arc::clone(site);
                        tasks.spawn(connected(stream, peer, connection, site, shutdown.clone()));
                    }
                }
                // The client went before it was taken in, or there are no more open files.
                Err(error) => {
                    tracing::debug!(%error, "a connection was not taken in");
                    connections.make_room(Instant::now());
                    tokio::time::sleep(PAUSE).await;
                }
            }
        }
    }
}

/// Serves one connection until it ends, has to make room, or the shutdown.
async fn connected(
    stream: TcpStream,
    peer: SocketAddr,
    connection: Connection,
    site: Arc<Site>,
    shutdown: CancellationToken,
) {
    let Ok(local) = stream.local_addr() else { return };
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(%error, "answers may be delayed");
    }
    let connection = Arc::new(connection);
    let answering = Arc::clone(&connection);
    let service = service_fn(move |request| {
        let (site, connection) = (Arc::clone(&site), Arc::clone(&answering));
        async move {
            Ok::<_, Infallible>(site.answer(request, peer.ip(), local.ip(), &connection).await)
        }
    });
    let serving = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(ARRIVAL)
        .max_buf_size(HEAD_BYTES)
        .serve_connection(TokioIo::new(stream), service);
    tokio::pin!(serving);
    let ended = tokio::select! {
        ended = serving.as_mut() => ended,
        () = connection.spared() => return,
        () = shutdown.cancelled() => {
            serving.as_mut().graceful_shutdown();
            serving.await
        }
    };
    if let Err(error) = ended {
        tracing::debug!(%error, "a connection ended");
    }
}
