//! What answers at an address and is no server of skills.

use serde_json::json;
use skills::origin::Endpoint;
use skills_mcp::{ClientError, Connection, ErrorKind, Source};

use crate::support::{Answer, Told, context, endpoint, impatient, page};

async fn cannot_connect(told: &Told) -> ClientError {
    Connection::open(&endpoint(told.addr), &context()).await.expect_err("connected")
}

#[tokio::test]
async fn nothing_at_the_address_is_unreachable() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let addr = listener.local_addr().unwrap();
    drop(listener);
    let error = Connection::open(&endpoint(addr), &context()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unreachable, "{error}");
    assert!(
        error.to_string().starts_with(&format!("cannot connect to http://{addr}/mcp: ")),
        "{error}"
    );
    assert_eq!(error.hint().as_deref(), Some("check the address, and that the server is running"));
}

#[tokio::test]
async fn what_is_no_address_is_said_to_be_none() {
    for url in
        ["not an address", "ftp://example.org/", "file:///etc/passwd", "http://a:b@127.0.0.1/"]
    {
        let error = Connection::open(&Endpoint::Http { url: url.to_owned() }, &context())
            .await
            .unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unreachable, "{error}");
        assert!(!error.to_string().contains("a:b"), "{error}");
    }
}

#[tokio::test]
async fn a_web_page_is_not_mcp() {
    let told =
        Told::new(|_, _| Answer::Raw(200, "text/html", "<!doctype html><h1>Hello</h1>".to_owned()))
            .await;
    let error = cannot_connect(&told).await;
    assert_eq!(error.kind(), ErrorKind::NotMcp, "{error}");
    assert!(error.hint().unwrap().contains("/mcp"));
}

#[tokio::test]
async fn a_page_that_is_not_there_is_not_mcp() {
    let told =
        Told::new(|_, _| Answer::Raw(404, "text/html", "<h1>Not Found</h1>".to_owned())).await;
    let error = cannot_connect(&told).await;
    assert_eq!(error.kind(), ErrorKind::NotMcp, "{error}");
    assert!(error.to_string().contains("HTTP status 404"), "{error}");
}

#[tokio::test]
async fn json_that_is_not_json_rpc_is_not_mcp() {
    let told =
        Told::new(|_, _| Answer::Raw(200, "application/json", "{\"hello\":1}".to_owned())).await;
    let error = cannot_connect(&told).await;
    assert_eq!(error.kind(), ErrorKind::NotMcp, "{error}");
}

#[tokio::test]
async fn a_broken_server_is_unreachable() {
    let told = Told::new(|_, _| Answer::Raw(503, "text/plain", "busy".to_owned())).await;
    let error = cannot_connect(&told).await;
    assert_eq!(error.kind(), ErrorKind::Unreachable, "{error}");
    assert!(error.to_string().contains("503"), "{error}");
}

#[tokio::test]
async fn a_server_that_asks_who_is_there_is_to_be_signed_in_to() {
    let told = Told::new(|_, _| Answer::Raw(401, "text/plain", "no".to_owned())).await;
    let error = cannot_connect(&told).await;
    assert_eq!(error.kind(), ErrorKind::SignIn, "{error}");
}

#[tokio::test]
async fn redirects_are_not_followed() {
    let target = Told::with_extension(|_, _| page(vec![], None)).await;
    let to = format!("http://{}/mcp", target.addr);
    let told = Told::new(move |_, _| Answer::Redirect(to.clone())).await;
    let error = cannot_connect(&told).await;
    assert_eq!(error.kind(), ErrorKind::NotMcp, "{error}");
    assert!(error.to_string().contains("redirect"), "{error}");
    assert_eq!(target.asked.lock().unwrap().len(), 0);
}

#[tokio::test]
async fn a_server_that_never_answers_runs_into_the_time_out() {
    let told = Told::new(|_, _| Answer::Silence).await;
    let error = Connection::open(&endpoint(told.addr), &impatient()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Timeout, "{error}");
    assert!(error.to_string().ends_with("no answer within 300 ms"), "{error}");
}

#[tokio::test]
async fn an_unknown_protocol_version_is_not_spoken() {
    let told = Told::new(|method, _| match method {
        "server/discover" => Answer::Error(-32601, "no such method"),
        "initialize" => Answer::Result(json!({
            "protocolVersion": "2099-01-01",
            "capabilities": {},
            "serverInfo": { "name": "x", "version": "1" },
        })),
        _ => Answer::Raw(202, "text/plain", String::new()),
    })
    .await;
    let error = cannot_connect(&told).await;
    assert_eq!(error.kind(), ErrorKind::Protocol, "{error}");
    assert!(error.to_string().contains("2099-01-01"), "{error}");
}

#[tokio::test]
async fn the_older_handshake_is_fallen_back_to() {
    let told = Told::new(|method, _| match method {
        "server/discover" => Answer::Error(-32601, "no such method"),
        "initialize" => Answer::Result(json!({
            "protocolVersion": "2025-11-25",
            "capabilities": { "resources": {} },
            "serverInfo": { "name": "x", "version": "1" },
        })),
        "resources/list" => Answer::Result(json!({ "resources": [] })),
        _ => Answer::Raw(202, "text/plain", String::new()),
    })
    .await;
    let connection = told.connect().await;
    assert_eq!(connection.protocol(), "2025-11-25");
    assert!(connection.list().await.unwrap().offers.is_empty());
    assert_eq!(connection.source(), Source::None);
}
