//! FastMCP's own authorization server: discovery, registration, a code, a token, and its list.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::process::Command;
use std::sync::Arc;
use std::thread;

use skills::origin::Endpoint;
use skills_mcp::auth::{Keep, SignIn};
use skills_mcp::limits::Timeouts;
use skills_mcp::{ClientContext, Connection, ErrorKind};

use super::{PUBLISHED, published};
use crate::support::grant::Grant;
use crate::support::python::{HttpServer, python, script};

/// Gets a page of this machine, and the one that it leads to.
fn browse(page: &str) {
    let (host, path) = page.trim_start_matches("http://").split_once('/').unwrap();
    let mut stream = TcpStream::connect(host).unwrap();
    write!(stream, "GET /{path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    if let Some(to) = answer.lines().find_map(|line| line.strip_prefix("location: ")) {
        browse(to);
    }
}

#[tokio::test]
async fn a_fastmcp_server_with_its_own_authorization_server_lets_in_who_signed_in() {
    let home = published();
    let server = HttpServer::start_with(|port| {
        let mut command = Command::new(python());
        command.arg(script("guarded.py")).arg(home.at(PUBLISHED)).arg(port.to_string());
        command
    });
    let endpoint = Endpoint::Http { url: server.url.clone() };
    let keep = Arc::new(Grant::default());
    let kept = Arc::clone(&keep) as Arc<dyn Keep>;
    let context = ClientContext { sign_in: Some(kept), ..ClientContext::default() };
    let error = Connection::open(&endpoint, &context).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::SignIn, "{error}");

    let challenge = error.challenge();
    let sign_in = SignIn::discover(&server.url, challenge, Timeouts::default()).await.unwrap();
    assert_eq!(sign_in.scopes(), ["skills"]);
    let grant = sign_in.run(|page| {
        let page = page.to_owned();
        thread::spawn(move || browse(&page));
        Ok(())
    });
    keep.save(&grant.await.unwrap().text()).unwrap();
    let connection = Connection::open(&endpoint, &context).await.unwrap();
    let offers = connection.list().await.unwrap().offers;
    assert!(offers.iter().any(|offer| offer.uri == "skill://plain/SKILL.md"), "{offers:?}");
}
