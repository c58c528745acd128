//! Servers whose certificate nobody vouches for.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod support;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use skills::origin::Endpoint;
use skills_mcp::auth::SignIn;
use skills_mcp::{ClientContext, Connection, ErrorKind};
use support::context;
use tokio::io::AsyncReadExt as _;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivatePkcs8KeyDer};

/// Serves TLS with a certificate that it signed itself; counts the bytes that it got to read.
async fn self_signed() -> (String, Arc<AtomicUsize>) {
    let certificate = CertificateDer::from(include_bytes!("tls/cert.der").to_vec());
    let key = PrivatePkcs8KeyDer::from(include_bytes!("tls/key.der").to_vec());
    let config = ServerConfig::builder()
        .with_no_client_auth()
        .with_single_cert(vec![certificate], key.into())
        .unwrap();
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("https://127.0.0.1:{}/mcp", listener.local_addr().unwrap().port());
    let read = Arc::<AtomicUsize>::default();
    let seen = Arc::clone(&read);
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            if let Ok(mut stream) = acceptor.accept(stream).await {
                let mut buffer = [0; 1024];
                seen.fetch_add(stream.read(&mut buffer).await.unwrap_or(0), Ordering::SeqCst);
            }
        }
    });
    (url, read)
}

#[tokio::test]
async fn a_certificate_that_a_server_signed_itself_is_refused_and_nothing_is_sent() {
    let (url, read) = self_signed().await;
    let context = ClientContext { token: Some("secret-1".to_owned()), ..context() };
    let error = Connection::open(&Endpoint::Http { url: url.clone() }, &context).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unreachable);
    assert_eq!(
        error.to_string(),
        format!(
            "cannot connect to {url}: its certificate is not one that this system trusts \
             (UnknownIssuer)"
        )
    );
    assert_eq!(error.hint().as_deref(), Some("ask who runs the server; nothing was sent to it"));
    assert_eq!(read.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn nobody_signs_in_at_one_either() {
    let (url, read) = self_signed().await;
    let error = SignIn::discover(&url, None, context().timeouts).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        format!(
            "cannot sign in to {url}: 127.0.0.1 was asked how: its certificate is not one that this \
             system trusts (UnknownIssuer)"
        )
    );
    assert_eq!(read.load(Ordering::SeqCst), 0);
}
