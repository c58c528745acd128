//! Servers whose certificate nobody vouches for, and one that the system's roots vouch for.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod support;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use skills::origin::Endpoint;
use skills_mcp::auth::SignIn;
use skills_mcp::server::ServeOptions;
use skills_mcp::{ClientContext, Connection, ErrorKind};
use support::{Memory, context, served};
use tokio::io::AsyncReadExt as _;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivatePkcs8KeyDer};

fn acceptor() -> TlsAcceptor {
    let certificate = CertificateDer::from(include_bytes!("tls/cert.der").to_vec());
    let key = PrivatePkcs8KeyDer::from(include_bytes!("tls/key.der").to_vec());
    let config = ServerConfig::builder()
        .with_no_client_auth()
        .with_single_cert(vec![certificate], key.into())
        .unwrap();
    TlsAcceptor::from(Arc::new(config))
}

/// Serves TLS with a certificate that it signed itself; counts the bytes that it got to read.
async fn self_signed() -> (String, Arc<AtomicUsize>) {
    let acceptor = acceptor();
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

/// The variable with the address for the test that runs in a process of its own.
const ADDRESS: &str = "TLS_TEST_ADDRESS";

/// As the system's roots, that process has the certificate of the server and no other.
#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread")]
async fn a_certificate_that_the_systems_roots_vouch_for_is_taken() {
    let (plain, _guard) = served(Memory::shared(true), ServeOptions::default()).await;
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("https://127.0.0.1:{}/mcp", listener.local_addr().unwrap().port());
    let acceptor = acceptor();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let acceptor = acceptor.clone();
            tokio::spawn(async move {
                let mut stream = acceptor.accept(stream).await.unwrap();
                let mut plain = tokio::net::TcpStream::connect(plain).await.unwrap();
                let _ = tokio::io::copy_bidirectional(&mut stream, &mut plain).await;
            });
        }
    });
    let folder = tempfile::tempdir().unwrap();
    let roots = folder.path().join("roots.pem");
    let certificate = BASE64_STANDARD.encode(include_bytes!("tls/cert.der"));
    let pem = format!("-----BEGIN CERTIFICATE-----\n{certificate}\n-----END CERTIFICATE-----\n");
    #[expect(clippy::disallowed_methods, reason = "a file of the test")]
    std::fs::write(&roots, pem).unwrap();
    let client = tokio::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "lists_from_the_address_that_it_is_given", "--ignored"])
        .env(ADDRESS, &url)
        .env("SSL_CERT_FILE", &roots)
        .env_remove("SSL_CERT_DIR")
        .output()
        .await
        .unwrap();
    let said = String::from_utf8_lossy(&client.stdout);
    assert!(client.status.success() && said.contains("1 passed"), "{said}");
}

#[tokio::test]
#[ignore = "the test above runs it in a process of its own, with other roots"]
async fn lists_from_the_address_that_it_is_given() {
    #[expect(clippy::disallowed_methods, reason = "the variable is the test's own")]
    let url = std::env::var(ADDRESS).unwrap();
    let connection = Connection::open(&Endpoint::Http { url }, &context()).await.unwrap();
    assert_eq!(connection.list().await.unwrap().offers[0].name, "review");
}
