//! A way to a server on which every answer is late.

use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio::time::Instant;
use tokio_util::task::AbortOnDropHandle;

/// Hands on what comes, and what comes back so much later, without making one wait for the other.
pub(crate) struct Relay {
    address: SocketAddr,
    _running: AbortOnDropHandle<()>,
}

impl Relay {
    pub(crate) async fn start(to: SocketAddr, late: Duration) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let running = tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let server = TcpStream::connect(to).await.unwrap();
                client.set_nodelay(true).unwrap();
                server.set_nodelay(true).unwrap();
                let (from_client, to_client) = client.into_split();
                let (from_server, to_server) = server.into_split();
                tokio::spawn(hand_on(from_client, to_server, Duration::ZERO));
                tokio::spawn(hand_on(from_server, to_client, late));
            }
        });
        Self { address, _running: AbortOnDropHandle::new(running) }
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }
}

async fn hand_on(mut from: OwnedReadHalf, mut to: OwnedWriteHalf, late: Duration) {
    let (send, mut come) = mpsc::unbounded_channel::<(Instant, Vec<u8>)>();
    tokio::spawn(async move {
        while let Some((at, bytes)) = come.recv().await {
            tokio::time::sleep_until(at).await;
            if to.write_all(&bytes).await.is_err() {
                return;
            }
        }
        let _ = to.shutdown().await;
    });
    let mut room = vec![0; 1 << 16];
    while let Ok(length @ 1..) = from.read(&mut room).await {
        if send.send((Instant::now() + late, room[..length].to_vec())).is_err() {
            return;
        }
    }
}
